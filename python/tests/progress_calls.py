# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What each call with `progress` does, for tests of such calls."""

import pytest
import warpdex


def expect_parts_told(call, parts, expect_same, capfd):
    """Tells each part, has the same answer, prints with True, and refuses other values."""
    told = []
    expect_same(call(progress=told.append), call())
    assert told == [part / parts for part in range(1, parts + 1)]
    call(progress=True)
    assert "100" in "".join(capfd.readouterr())
    with pytest.raises(warpdex.errors.KeyTypeError, match="progress is 'yes'"):
        call(progress="yes")


def expect_ended_by_error(call):
    """Ends with what the function of the caller raises."""

    def stop(_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        call(progress=stop)
