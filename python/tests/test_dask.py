# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes in the processes of Dask, against the same calls in this one."""

import numpy as np
import pandas as pd
import pytest

import warpdex

dd = pytest.importorskip("dask.dataframe")


@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
@pytest.mark.parametrize("mmap", [True, False])
def test_partitions_are_looked_up_as_the_whole(scheduler, mmap, tmp_path):
    random = np.random.default_rng(5)
    keys = random.integers(0, 500, 400)
    warpdex.Index(keys, "HT(open)").save(tmp_path / "some.wdx")
    index = warpdex.Index.load(tmp_path / "some.wdx", mmap=mmap)
    frame = pd.DataFrame({"key": random.integers(0, 500, 1000)})
    parts = dd.from_pandas(frame, npartitions=3)
    found = parts["key"].map_partitions(index.find, meta=("key", "Int32"))
    pd.testing.assert_series_equal(found.compute(scheduler=scheduler), index.find(frame["key"]))

    right = pd.DataFrame({"key": keys, "value": np.arange(keys.size)})
    joined = parts.map_partitions(warpdex.join, right, "key", meta={"key": "i8", "value": "i8"})
    expected = warpdex.join(frame, right, "key").reset_index(drop=True)
    pd.testing.assert_frame_equal(joined.compute(scheduler=scheduler).reset_index(drop=True), expected)
