# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks and Intervals of Datasets of Ray, row by row against those of columns in one process."""

import doctest
import ipaddress
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import warpdex

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import warpdex.ray.spans  # noqa: E402
import warpdex.ray as wr  # noqa: E402
from ray_datasets import KINDS, collected, dataset, expect_equal, refusal, some  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init("local", num_cpus=4, num_gpus=2, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


ONE = {"concurrency": 1}


def in_blocks(table):
    """A Dataset of four blocks, of which one is empty."""
    cuts = [0, len(table) // 5, len(table) // 5, len(table) // 2, len(table)]
    return ray.data.from_arrow([table.slice(a, b - a) for a, b in zip(cuts, cuts[1:])])


def lists_of(found):
    offsets, rows = found
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(rows))


def joined(one, two, pairs, how):
    """The table of pairs of positions and rows; columns have no names in common."""
    lefts, rights = pairs
    result = one.take(pa.array(lefts))
    if how in ("inner", "left"):
        rows = pa.array(rights, mask=np.asarray(rights) < 0)
        for name in two.column_names:
            result = result.append_column(name, two.column(name).take(rows))
    return result


# Networks.


def network(random, is_long):
    bits = 128 if is_long else 32
    length = int(random.integers(0, bits + 1))
    top = int.from_bytes(random.bytes(2), "big") % 64  # few, so that networks nest
    number = (top << (bits - 6)) | int.from_bytes(random.bytes(bits // 8), "big") >> 6
    address = ipaddress.IPv6Address(number) if is_long else ipaddress.IPv4Address(number)
    return str(ipaddress.ip_network((address, length), strict=False))


def networks_and_flows(seed, right=120, left=300):
    random = np.random.default_rng(seed)
    cidrs = [network(random, random.random() < 0.4) for _ in range(right)]
    ips = [str(ipaddress.ip_network(network(random, random.random() < 0.4))[0]) for _ in range(left // 2)]
    ips += [str(ipaddress.ip_network(one)[0]) for one in random.choice(cidrs, left - left // 2)]
    one = pa.table({"id": np.arange(left), "ip": some(random, ips, pa.string())})
    return one, pa.table({"cidr": some(random, cidrs, pa.string()), "site": np.arange(right) * 10})


def test_networks_answer_as_those_of_columns():
    one, two = networks_and_flows(1)
    known = warpdex.Networks(two["cidr"])
    found = known.find(one["ip"])
    assert 20 < found.null_count < len(one) - 20
    left = in_blocks(one)
    with wr.Networks(in_blocks(two), "cidr") as nets:
        assert len(nets) == len(two)
        expect_equal(nets.find(left, "ip", **ONE), one.append_column("row", found))
        lists = lists_of(known.covering(one["ip"]))
        expect_equal(nets.covering(left, "ip", named="nets", **ONE), one.append_column("nets", lists))
        rows = np.asarray(found.fill_null(-1))
        for how, kept in (("inner", rows >= 0), ("left", rows >= -1), ("semi", rows >= 0), ("anti", rows < 0)):
            pairs = np.flatnonzero(kept), rows[kept]
            expect_equal(nets.join(left, "ip", how, **ONE), joined(one, two, pairs, how))


def test_networks_with_lengths_and_numbers():
    random = np.random.default_rng(2)
    addresses = random.integers(0, 2**32, 90, dtype=np.uint32)
    two = pa.table({"net": addresses, "bits": random.integers(0, 20, 90), "n": np.arange(90), "unused": np.arange(90)})
    wide = [None if random.random() < 0.2 else int(n) for n in random.choice(addresses, 200)]
    one = pa.table({"id": np.arange(200), "ip": pa.array(wide, pa.int64())})
    known = warpdex.Networks(two["net"], two["bits"], host_bits="mask")
    with wr.Networks(dataset(two), "net", "bits", host_bits="mask", columns=["n"]) as nets:
        found = known.find(one["ip"])
        expect_equal(nets.find(dataset(one), "ip", **ONE), one.append_column("row", found))
        rows = np.asarray(found.fill_null(-1))
        expected = joined(one, two.select(["net", "bits", "n"]), (np.arange(200), rows), "left")
        expect_equal(nets.join(dataset(one), "ip", "left", **ONE), expected)
    for call in (
        lambda: wr.Networks(dataset(two), "net", "bits", spec="AO+BS"),
        lambda: warpdex.Networks(two["net"], two["bits"], spec="AO+BS"),
    ):
        kind, text = refusal(call)
        assert kind is warpdex.errors.InvalidArgument and "bits set beyond its length" in text


# Intervals.


def spans(seed, kind="int64", left=250, right=150, by=None):
    """Tables of probes and of intervals, with nulls on both sides."""
    random = np.random.default_rng(seed)
    type_of, key_of = KINDS[kind]
    key_of = (lambda n: f"k{n:02}") if kind == "string" else key_of  # which ascend with n

    def pair(size):
        ends = np.sort(random.integers(0, 39, (size, 2)), axis=1).T.tolist()
        return [some(random, map(key_of, one), type_of) for one in ends]

    def groups(size):
        kinds = {"g": (lambda n: f"g{n}", pa.string()), "h": (int, pa.int32())}
        return {name: some(random, map(of, random.integers(0, 3, size)), kind) for name, (of, kind) in kinds.items()}

    (low, high), (start, end) = pair(left), pair(right)
    one = pa.table({"id": np.arange(left), "low": low, "high": high, **groups(left)})
    added = {f"of_{name}": column for name, column in groups(right).items()}
    return one, pa.table({"start": start, "end": end, "n": np.arange(right), **added})


def taken(table, names):
    """The columns of groups as an argument; none without names."""
    columns = tuple(table[name] for name in names)
    return columns if len(columns) > 1 else columns[0] if columns else None


CASES = [("int64", []), ("double", ["g"]), ("string", []), ("string", ["g", "h"]), ("timestamp", ["g"]), ("date", [])]


@pytest.mark.parametrize("kind, names", CASES)
def test_intervals_answer_as_those_of_columns(kind, names):
    random = np.random.default_rng(len(kind) + 7 * len(names))
    one, two = spans(len(kind) + len(names), kind)
    closed = ["both", "left", "right", "neither"][random.integers(4)]
    others = [f"of_{name}" for name in names]
    known = warpdex.Intervals(two["start"], two["end"], taken(two, others), closed)
    left, by = in_blocks(one), taken(one, names)
    with wr.Intervals(in_blocks(two), "start", "end", others, closed) as result:
        assert len(result) == len(known)
        chosen = [None, "high"][random.integers(2)]
        for end in (None, "high"):
            probes = one["low"], None if end is None else one[end]
            query = ("low", end, names or None)
            expected = known.count(*probes, by)
            assert len(set(expected.to_pylist())) > 3
            expect_equal(result.count(left, *query, **ONE), one.append_column("count", expected))
            if end != chosen:
                continue
            expected = one.append_column("first", known.find(*probes, by))
            expect_equal(result.find(left, *query, named="first", **ONE), expected)
            expected = one.append_column("rows", lists_of(known.retrieve(*probes, by)))
            expect_equal(result.retrieve(left, *query, **ONE), expected)
            how = ["inner", "left", "semi", "anti"][random.integers(4)]
            found = result.join(left, "low", end, how, names or None, **ONE)
            expect_equal(found, joined(one, two, known.join(*probes, how, by), how))
        if kind != "string":
            expected = one.append_column("rows", lists_of(known.nearest(one["low"], by=by, k=3)))
            expect_equal(result.nearest(left, "low", 3, names or None, **ONE), expected)
            expected = one.append_column("coverage", known.coverage(one["low"], one["high"], by))
            expect_equal(result.coverage(left, "low", "high", names or None, **ONE), expected)
        else:
            more = {"by": names or None}
            for what, end, probes in (
                ("nearest", (), (one["low"],)),
                ("coverage", ("high",), (one["low"], one["high"])),
            ):
                found = refusal(lambda: getattr(result, what)(left, "low", *end, **more))
                assert found == refusal(lambda: getattr(known, what)(*probes, by=by))


def test_least_overlaps_and_names_that_are_there():
    one, two = spans(3)
    known = warpdex.Intervals(two["start"], two["end"])
    with wr.Intervals(dataset(two), "start", "end", columns=["n"]) as result:
        for how in ("inner", "anti"):
            pairs = known.join(one["low"], one["high"], how, min_overlap=9)
            found = result.join(dataset(one), "low", "high", how, min_overlap=9, **ONE)
            expect_equal(found, joined(one, two.select(["start", "end", "n"]), pairs, how))
        renamed = one.rename_columns(["id", "start", "end", "g", "h"])
        found = collected(result.join(dataset(renamed), "start", "end", suffix="_of", **ONE))
        assert found.column_names == [*renamed.column_names, "start_of", "end_of", "n"]


def test_rows_keep_their_order_where_ray_keeps_it():
    one, two = spans(4)
    context = ray.data.DataContext.get_current().copy()
    context.execution_options.preserve_order = True
    with wr.Intervals(dataset(two), "start", "end") as result, ray.data.DataContext.current(context):
        found = result.count(dataset(one, 8), "low", concurrency=3)
        assert found.context.execution_options.preserve_order
        assert collected(found)["id"].to_pylist() == list(range(len(one)))


def test_few_rows_and_none():
    one, two = spans(5, left=6, right=3)
    for right in (two, two.slice(0, 1), two.slice(0, 0)):
        known = warpdex.Intervals(right["start"], right["end"])
        with wr.Intervals(dataset(right, 1), "start", "end") as result:
            for left in (one, one.slice(0, 1)):
                expect_equal(
                    result.count(dataset(left, 1), "low", **ONE), left.append_column("count", known.count(left["low"]))
                )
            assert result.count(ray.data.from_items([]), "low", **ONE).count() == 0
    nothing = pa.table({"id": [0, 1], "ip": pa.nulls(2)})
    with wr.Networks(dataset(pa.table({"cidr": pa.nulls(3)})), "cidr") as nets:
        assert len(nets) == 3
        assert collected(nets.find(dataset(nothing, 2), "ip", **ONE))["row"].to_pylist() == [None, None]


def test_blocks_without_values_and_of_narrower_types():
    one, two = spans(6)
    narrow = two.slice(0, 50).set_column(1, "end", two["end"].slice(0, 50).cast(pa.int16()))
    bare = one.slice(0, 9).set_column(1, "low", pa.nulls(9))
    known = warpdex.Intervals(two["start"], two["end"])
    with wr.Intervals(ray.data.from_arrow([narrow, two.slice(50)]), "start", "end") as result:
        found = result.count(ray.data.from_arrow([one.slice(9), bare]), "low", **ONE)
        expected = [None] * 9 + known.count(one["low"].slice(9)).to_pylist()
        assert collected(found).sort_by("id")["count"].to_pylist() == expected


def test_bad_rows_are_refused_as_columns_are():
    for cidrs, more in ((["::/0", "10.0.0.1/8"], {}), (["::/0", None, "x"], {}), ([1.5], {}), ([7], {})):
        two = pa.table({"c": cidrs})
        found = refusal(lambda: wr.Networks(dataset(two, 2), "c", **more))
        assert found == refusal(lambda: warpdex.Networks(two["c"], **more))
    two = pa.table({"c": ["1.2.3.4", "::"], "n": [8, 129], "none": pa.array([8, None])})
    for name in ("n", "none", "c"):
        found = refusal(lambda: wr.Networks(dataset(two, 2), "c", name))
        assert found == refusal(lambda: warpdex.Networks(two["c"], two[name]))
    two = pa.table({"a": [0, 5], "b": [9, 4], "s": ["x", "y"]})
    for end in ("b", "s"):
        found = refusal(lambda: wr.Intervals(dataset(two, 2), "a", end))
        assert found == refusal(lambda: warpdex.Intervals(two["a"], two[end]))


def test_bad_calls_are_refused_at_once():
    flows, cidrs = networks_and_flows(7)
    one, two = spans(7)
    nets, held = wr.Networks(dataset(cidrs), "cidr"), wr.Intervals(dataset(two), "start", "end", "of_g")
    sets, left, table = dataset(flows), dataset(one), dataset(cidrs)
    for call, words in (
        (lambda: wr.Networks(cidrs, "cidr"), "data is Table"),
        (lambda: wr.Networks(table, "ip"), "data has no column 'ip'"),
        (lambda: wr.Networks(table, "cidr", "bits"), "data has no column 'bits'"),
        (lambda: wr.Networks(table, "cidr", columns=["asn"]), "data has no column 'asn'"),
        (lambda: wr.Networks(table, "cidr", host_bits="keep"), "host_bits is 'keep'"),
        (lambda: wr.Networks(table, "cidr", spec="AO+XS"), "spec: unknown"),
        (lambda: wr.Networks(table, "cidr", num_gpus=3), "num_gpus is 3 for 1 actors, but Ray has 2 GPUs"),
        (lambda: wr.Intervals(table, "cidr", "site"), "type"),
        (lambda: wr.Intervals(dataset(two), "start", "end", closed="centre"), "closed is 'centre'"),
        (lambda: nets.find(flows, "ip"), "left is Table"),
        (lambda: nets.find(sets, "ips"), "left has no column 'ips'"),
        (lambda: nets.find(sets, "ip", named="id"), "named is 'id'"),
        (lambda: nets.find(dataset(pa.table({"ip": [1.5]}), 1), "ip"), "ips is of type float"),
        (lambda: nets.join(sets, "ip", "right"), "how is 'right'"),
        (lambda: nets.join(dataset(flows.append_column("site", flows["id"])), "ip", suffix=""), "suffix is ''"),
        (lambda: held.count(left, "lower"), "left has no column 'lower'"),
        (lambda: held.count(left, "low", by=["g", "h"]), "by names 2 columns; the index has 1"),
        (lambda: held.count(left, "low", by="h"), "by"),
        (lambda: held.count(left, "low"), "left has no column 'of_g'"),
        (lambda: held.count(left, "g", by="g"), "points holds strings"),
        (lambda: held.nearest(left, "low", -1, "g"), "k is -1"),
        (lambda: held.join(left, "low", None, "right", "g"), "how is 'right'"),
        (lambda: held.join(left, "low", None, "full", "g"), "'semi' or 'anti'"),
        (lambda: held.join(left, "low", by="g", min_overlap=3), "min_overlap needs end"),
        (lambda: held.join(left, "low", "high", by="g", min_overlap="x"), "min_overlap is 'x'"),
    ):
        assert words in refusal(call)[1]
    for closed, call in ((nets, lambda: nets.find(sets, "ip")), (held, lambda: held.count(left, "low", by="g"))):
        closed.close()
        closed.close()
        assert refusal(call) == (warpdex.errors.InvalidArgument, "the index is closed")


def test_an_address_that_is_none_ends_the_job():
    with wr.Networks(dataset(pa.table({"cidr": ["::/0"]}), 1), "cidr") as nets:
        with pytest.raises(Exception, match="is 'x', which is no address"):
            collected(nets.find(dataset(pa.table({"ip": ["::1", "x"]}), 1), "ip", **ONE))


def test_examples():
    found = doctest.testmod(warpdex.ray.spans)
    assert found.attempted > 20 and found.failed == 0


def test_after_ray_has_ended():
    code = """if True:
        import ray, warpdex, warpdex.ray as wr
        start = lambda: ray.init("local", num_cpus=1, log_to_driver=False, include_dashboard=False)
        start()
        data = ray.data.from_items([{"a": 1, "b": 2}])
        held = wr.Intervals(data, "a", "b")
        for step in (ray.shutdown, start):
            step()
            try: held.count(data, "a")
            except warpdex.errors.InvalidArgument as why: print(why)
        held.close()
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "Ray is not started; ray.init() starts it",
        "the index is gone: Ray was started anew since it was built",
    ], done.stderr
