# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes on devices in the workers of Ray and of Dask, against the same calls in this process. Skipped without a device."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import warpdex
from warpdex import _core

GPUS = _core.device_count()
if GPUS == 0:
    pytest.skip("no CUDA device", allow_module_level=True)


@pytest.fixture(scope="module")
def wr():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init("local", num_cpus=4, num_gpus=GPUS, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    import warpdex.ray

    yield warpdex.ray
    ray.shutdown()


PLACEMENTS = ["replicate", "range"]


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("by", [None, "symbol"])
def test_asof_joins(wr, placement, by):
    from ray_datasets import dataset, expect_equal, tables

    one, two = tables(1)
    with wr.build(dataset(two), "ts", by, placement=placement, shards=GPUS, num_gpus=1) as index:
        for more in ({}, {"strategy": "nearest", "tolerance": 5}):
            found = wr.join_asof(dataset(one), index, concurrency=1, **more)
            expect_equal(found, warpdex.join_asof(one, two, on="ts", by=by, **more))


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("key", ["key", "symbol"])
def test_joins_of_a_saved_index(wr, placement, key, tmp_path):
    from ray_datasets import dataset, expect_equal, tables

    one, two = tables(2)
    with wr.build(dataset(two), key, placement=placement, shards=GPUS, num_gpus=1) as index:
        expect_equal(wr.join(dataset(one), index, key, concurrency=1), warpdex.join(one, two, key))
        index.save(tmp_path)
    with wr.load(tmp_path, num_gpus=1) as index:
        for how in ("left", "semi", "anti"):
            expect_equal(wr.join(dataset(one), index, key, how, concurrency=1), warpdex.join(one, two, key, how))


def test_each_actor_has_a_device_of_its_own(wr):
    import ray
    from ray_datasets import dataset, tables

    with wr.build(dataset(tables(3)[1]), "ts", placement="range", shards=GPUS, num_gpus=1) as index:
        query = [shard.__ray_call__.remote(lambda _: os.environ["CUDA_VISIBLE_DEVICES"]) for shard in index._shards]
        assert sorted(ray.get(query)) == [str(device) for device in range(GPUS)]


def test_networks_and_intervals(wr):
    from ray_datasets import dataset, expect_equal

    random = np.random.default_rng(4)
    numbers = random.integers(0, 1 << 12, 500)
    one = pa.table({"id": np.arange(500), "ip": [f"10.0.{n >> 8}.{n & 255}" for n in numbers], "point": numbers})
    nets = pa.table({"net": [f"10.0.{n}.0/24" for n in range(0, 16, 2)], "owner": np.arange(8)})
    with wr.Networks(dataset(nets), "net", num_gpus=1) as known:
        found = warpdex.Networks(nets["net"]).find(one["ip"])
        expect_equal(known.find(dataset(one), "ip", concurrency=1), one.append_column("row", found))
    start = np.sort(random.integers(0, 1 << 12, 100))
    spans = pa.table({"start": start, "end": start + random.integers(0, 90, 100)})
    with wr.Intervals(dataset(spans), "start", "end", num_gpus=1) as known:
        count = warpdex.Intervals(spans["start"], spans["end"]).count(one["point"])
        expect_equal(known.count(dataset(one), "point", concurrency=1), one.append_column("count", count))


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_partitions_of_dask(scheduler):
    dd = pytest.importorskip("dask.dataframe")
    random = np.random.default_rng(5)
    index = warpdex.Index(random.integers(0, 500, 400), "HT(open)", device="cuda")
    frame = pd.DataFrame({"key": random.integers(0, 500, 1000)})
    found = dd.from_pandas(frame, npartitions=3)["key"].map_partitions(index.find, meta=("key", "Int32"))
    pd.testing.assert_series_equal(found.compute(scheduler=scheduler), index.find(frame["key"]))
