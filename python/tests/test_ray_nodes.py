# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""All functions over Datasets of Ray on two nodes of one host, row by row against the same calls in one process."""

import numpy as np
import pytest

import warpdex

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import warpdex.ray as wr  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402
from ray_datasets import collected, dataset, expect_equal, tables  # noqa: E402
from registered import structures  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def nodes():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 3})
    cluster.add_node(num_cpus=3)
    ray.init(address=cluster.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
    cluster.shutdown()


PLACEMENTS = ["replicate", "range"]
KEYS = [("AO+BS", "double"), ("AO+BS", "decimal"), ("EO+KS(9)", "timestamp"), ("EO+BS", "uint32"), ("GRT", "binary")]
KEYS += [("AO+PB+KS(17)", "date"), ("auto", "int64")]
KEYS += [("HT(open)", "string"), ("HT(open)", "int64"), ("HT(open)", "bool")]
GROUPS = [("AO+BS", "int64"), ("EO+KS(9)", "string"), ("AO+PB+KS(17)", "date")]
AT_ONCE = {"concurrency": 2}  # workers, one on each node


def of_case(spec, kind, placement):
    """The random choices and the tables of a case."""
    seed = sum(map(ord, spec + kind + placement))
    return np.random.default_rng(seed), *tables(seed, kind=kind)


def one_of(random, *choices):
    return choices[random.integers(len(choices))]


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("spec, kind", KEYS)
def test_keys(spec, kind, placement):
    random, one, two = of_case(spec, kind, placement)
    left, ordered = dataset(one), not spec.startswith("HT")
    with wr.build(dataset(two, 4), "key", spec=spec, placement=placement, shards=3) as index:
        what = one_of(random, "find", "contains", "count")
        found = getattr(warpdex.Index(two["key"], "HT(open)"), what)(one["key"])
        expected = found if what == "find" else found.fill_null(False if what == "contains" else 0)
        expect_equal(wr.lookup(left, index, what=what, named="n", **AT_ONCE), one.append_column("n", expected))

        how = one_of(random, "inner", "left", "semi", "anti")
        expect_equal(wr.join(left, index, how=how, **AT_ONCE), warpdex.join(one, two, "key", how))

        more = {"strategy": one_of(random, "backward", "forward")}
        more["allow_exact_matches"] = bool(random.integers(2))
        if ordered:
            expect_equal(wr.join_asof(left, index, **more, **AT_ONCE), warpdex.join_asof(one, two, on="key", **more))
        else:
            with pytest.raises(warpdex.errors.Unsupported, match="finds keys but has no order of them"):
                wr.join_asof(left, index)
        if ordered and placement == "replicate":
            how = one_of(random, "inner", "left", "semi", "anti")
            expected = warpdex.join_between(one, two, "key", "key", "key", "left", how)
            expect_equal(wr.join_between(left, index, "key", "key", "left", how, **AT_ONCE), expected)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("spec, kind", GROUPS)
def test_keys_in_groups(spec, kind, placement):
    random, one, two = of_case(spec, kind, placement)
    left = dataset(one)
    with wr.build(dataset(two, 4), "ts", "key", spec=spec, placement=placement, shards=3) as index:
        more = {"strategy": one_of(random, "backward", "forward", "nearest"), "tolerance": one_of(random, None, 9)}
        expected = warpdex.join_asof(one, two, on="ts", by="key", **more)
        expect_equal(wr.join_asof(left, index, **more, **AT_ONCE), expected)
        closed, how = one_of(random, "both", "none"), one_of(random, "inner", "left", "semi", "anti")
        expected = warpdex.join_between(one, two, "ts", "ts", "upper", closed, how, by="key")
        expect_equal(wr.join_between(left, index, "ts", "upper", closed, how, **AT_ONCE), expected)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_windows_and_points_in_time(placement):
    random, one, two = of_case("AO+BS", "string", placement)
    left, three = dataset(one), tables(8, kind="string")[1]
    with (
        wr.build(dataset(two), "ts", "key", placement=placement) as index,
        wr.build(dataset(three), "ts", "key", placement=placement, columns=["bid"]) as other,
    ):
        more = {"before": 50, "after": 9, "agg": {"bid": ["mean", "max"], "size": "sum", "*": "count"}}
        more["closed"] = one_of(random, "both", "left")
        expected = warpdex.window(one, two, on="ts", by="key", **more)
        expect_equal(wr.window(left, index, **more, **AT_ONCE), expected)

        ages = {"other": 300}
        joined = wr.point_in_time(left, {"some": index, "other": other}, tolerance=ages, concurrency=1)
        named = {"some": two, "other": three.select(["ts", "key", "bid"])}
        expect_equal(joined, warpdex.point_in_time(one, named, on="ts", by="key", tolerance=ages))
    with wr.build(dataset(two), "ts", placement="replicate") as index:
        more = {"before": 9, "after": 0, "agg": {"bid": "min"}, "include_last_before": True}
        expect_equal(wr.window(left, index, **more), warpdex.window(one, two, on="ts", **more))


@pytest.mark.parametrize("spec", [one["samples"][0] for one in structures()])
def test_every_structure(spec):
    for placement in PLACEMENTS:
        _, one, two = of_case(spec, "uint32", placement)
        left = dataset(one)
        with wr.build(dataset(two, 4), "key", spec=spec, placement=placement, shards=3) as index:
            expect_equal(wr.join(left, index, **AT_ONCE), warpdex.join(one, two, "key"))
            found = warpdex.Index(two["key"], spec).count(one["key"]).fill_null(0)
            expect_equal(wr.lookup(left, index, what="count", **AT_ONCE), one.append_column("row", found))


def test_both_nodes_have_shards_and_workers():
    def node(_):
        return ray.get_runtime_context().get_node_id()

    one, two = tables(3)
    with wr.build(dataset(two), "key", placement="range", shards=4) as index:
        assert len({ray.get(shard.__ray_call__.remote(node)) for shard in index._shards}) == 2
    with wr.build(dataset(two), "key") as index:
        joined = wr.join(dataset(one), index, **AT_ONCE)
        assert len(collected(joined)) == len(warpdex.join(one, two, "key"))


def test_folders_hold_an_index(tmp_path):
    one, two = tables(4)
    expected = warpdex.join_asof(one, two, on="ts")
    for placement in PLACEMENTS:
        with wr.build(dataset(two), "ts", placement=placement, shards=3) as index:
            index.save(tmp_path / placement)
        with wr.load(tmp_path / placement) as index:
            expect_equal(wr.join_asof(dataset(one), index, **AT_ONCE), expected)
