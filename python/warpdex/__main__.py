# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m warpdex` is the command `warpdex`."""

from warpdex.cli import main

if __name__ == "__main__":
    main()
