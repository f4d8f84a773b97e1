# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Datasets of Ray: their rate with warm workers against the rate in one process, against `Dataset.join` on two
nodes, the memory of four workers, the time that the death of an actor costs, and actors on the GPUs of a host. All answers
are checked.

python3 scripts/ray-time.py [rate] [nodes] [memory] [death] [gpus]   # with warpdex and ray[data] installed
"""

import logging
import os
import pathlib
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import ray
from ray.cluster_utils import Cluster

import warpdex
import warpdex.ray as wr
from warpdex import _core
from warpdex._ray_workers import Joined, run_with_copy

BATCH = 1 << 20


def started(nodes, cpus):
    head = {"num_cpus": cpus, "num_gpus": _core.device_count(), "object_store_memory": 3 << 30}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=cpus, object_store_memory=3 << 30)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    return cluster


def right_side(size):
    random = np.random.default_rng(1)
    return pa.table({"key": random.permutation(size), "value": random.random(size)})


def left_side(size, keys):
    random = np.random.default_rng(2)
    return pa.table({"id": np.arange(size), "key": random.integers(0, keys, size)})


def dataset(table, rows=BATCH):
    return ray.data.from_arrow([table.slice(at, rows) for at in range(0, len(table), rows)])


def expect_equal(found, expected):
    one, two = (table.take(np.argsort(table["id"].to_numpy(), kind="stable")) for table in (found, expected))
    assert one.equals(two.cast(one.schema)), "another answer"  # rows of a Dataset are counted with 64 bits


def collected(data):
    return pa.concat_tables(ray.get(data.to_arrow_refs()))


def seconds(call):
    begin = time.perf_counter()
    made = call()
    return time.perf_counter() - begin, made


def steady(data, skipped):
    """Rows per second once the first results have come, and all results."""
    times, tables = [], []
    for table in data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        times.append(time.perf_counter())
        tables.append(table)
    rows = sum(len(one) for one in tables[skipped:])
    return rows / (times[-1] - times[skipped - 1]), pa.concat_tables(tables)


def rate(batches=32, keys=1 << 22, specs=("AO+PB+KS(17)", "HT(open)", "AO+BS"), gpus=0):
    """Warm workers against the same calls in this process, on the same cores or the same GPUs."""
    one, two = left_side(batches * BATCH, keys), right_side(keys)
    parts = [one.slice(at, BATCH) for at in range(0, len(one), BATCH)]
    workers, where = gpus or 2, {"devices": list(range(gpus))} if gpus else {"device": "cpu"}
    for spec in specs:
        held = warpdex.Index(two["key"], spec, **where)
        in_one_place = warpdex.Index(two["key"], spec, device="cuda") if gpus else held  # as joins need it
        calls = {
            "find": lambda part: part.append_column("row", held.find(part["key"])),
            "join": lambda part: warpdex.join(part, two, "key", index=in_one_place),
        }
        for name, call in calls.items():
            call(parts[0])
            took, made = seconds(lambda: pa.concat_tables([call(part) for part in parts]))
            alone = len(one) / took
            for placement in ("replicate", "range"):
                how = {"spec": spec, "placement": placement, "shards": workers, "num_gpus": 1 if gpus else 0}
                with wr.build(dataset(two), "key", **how) as index:
                    function = wr.lookup if name == "find" else wr.join
                    got, found = steady(function(dataset(one), index, concurrency=workers), 8)
                    expect_equal(found, made)
                    print(
                        f"{name}, {spec}: in process {alone / 1e6:.2f} M/s, {placement} {got / 1e6:.2f} M/s: "
                        f"{got / alone:.2f}",
                        flush=True,
                    )


def nodes(rows=1 << 22, keys=1 << 20):
    """`wr.join` against `Dataset.join` on two nodes."""
    one, two = left_side(rows, keys), right_side(keys)
    left, right = dataset(one, BATCH // 4), dataset(two, BATCH // 4)
    expected = warpdex.join(one, two, "key")
    times = [seconds(lambda: left.join(right, "inner", 4, on=("key",)).materialize()) for _ in range(3)]
    expect_equal(collected(times[0][1]), expected)
    shuffled = [took for took, _ in times]
    print("Dataset.join", *(f"{took:.2f}" for took in shuffled), "s", flush=True)
    for placement in ("replicate", "range"):
        building, index = seconds(lambda: wr.build(right, "key", placement=placement))
        building += seconds(lambda: ray.wait(index._built or [index._shards[-1].size.remote()]))[0]
        times = [seconds(lambda: wr.join(left, index, concurrency=2).materialize()) for _ in range(4)]
        expect_equal(collected(times[0][1]), expected)
        first, *more = [took for took, _ in times]
        print(
            f"{placement}: build {building:.2f} s, first join {first:.2f} s, then",
            *(f"{took:.2f}" for took in more),
            f"s: {min(shuffled) / first:.1f} and {min(shuffled) / min(more):.1f} times as fast, with the build "
            f"{min(shuffled) / (building + first):.1f}",
            flush=True,
        )
        index.close()


def own_bytes():
    """The bytes that this process shares with no other."""
    lines = pathlib.Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_"))


class Watched:
    """A run that also says by how much its process has grown since before it took the index."""

    def __init__(self, run, before):
        self.run, self.before = run, before

    def __call__(self, side, batch):
        made = self.run(side, batch)
        for name, value in (("process", os.getpid()), ("own", own_bytes() - self.before)):
            made = made.append_column(name, pa.array(np.full(len(made), value)))
        time.sleep(0.5)  # so that each worker gets a batch
        return made


def watched(batch, run, *copies):
    return run_with_copy(batch, *copies, Watched(run, own_bytes()))


def memory(keys=1 << 23, workers=4):
    """What four workers hold of a replicated index beside the memory that they share."""
    options = {"left_on": "key", "right_on": "key", "suffix": "_right"}
    join = Joined("join", {"how": "inner", **options})
    asof = Joined("join_asof", {"by_left": ["group"], "by_right": ["group"], **options})
    how = {"batch_format": "pyarrow", "batch_size": 1 << 12, "compute": ray.data.TaskPoolStrategy(size=workers)}
    for by, run in ((None, join), ("group", asof)):
        one, two = left_side(8 * workers << 12, keys), right_side(keys)
        if by is not None:
            one, two = (side.append_column(by, pa.array(side["key"].to_numpy() % 8)) for side in (one, two))
        with wr.build(dataset(two), "key", by, spec="AO+BS", placement="replicate") as index:
            refs = [*index._refs, *index._built]
            given = run, refs, None, index._about
            found = collected(dataset(one, 1 << 12).map_batches(watched, fn_args=given, **how))
            alone = warpdex.join(one, two, "key") if by is None else warpdex.join_asof(one, two, on="key", by=by)
            expect_equal(found.drop_columns(["process", "own"]), alone)
            whole = sum(one.nbytes for one in ray.get(refs))
        grown = found.group_by("process").aggregate([("own", "max")])["own_max"].to_pylist()
        assert len(grown) >= workers, "a worker had no batch"
        print(
            f"{'keys' if by is None else 'keys in groups'}: index and rows {whole / 1e6:.0f} MB in the object store; "
            f"{len(grown)} workers grow by {sum(grown) / 1e6:.1f} MB: {(whole + sum(grown)) / whole:.2f} indexes",
            flush=True,
        )


def death(batches=48, keys=1 << 22):
    """The time of a join when an actor dies in the middle, against the undisturbed time."""
    one, two = left_side(batches * BATCH, keys), right_side(keys)
    expected = warpdex.join(one, two, "key")
    with wr.build(dataset(two), "key", placement="range") as index:
        index.explain()
        whole, made = seconds(lambda: collected(wr.join(dataset(one), index, concurrency=2)))
        expect_equal(made, expected)
        killer = threading.Timer(whole / 2, lambda: ray.kill(index._shards[0], no_restart=False))
        killer.start()
        disturbed, made = seconds(lambda: collected(wr.join(dataset(one), index, concurrency=2)))
        killer.join()
        expect_equal(made, expected)
    print(f"undisturbed {whole:.2f} s, with a death after {whole / 2:.2f} s {disturbed:.2f} s: {disturbed / whole:.2f}")


def gpus():
    rate(specs=("HT(open)", "AO+BS"), gpus=_core.device_count())


def main(names):
    for call, hosts, cpus in ((rate, 1, 4), (nodes, 2, 4), (memory, 1, 6), (death, 1, 4), (gpus, 1, 8)):
        if call.__name__ in (names or ("rate", "nodes", "memory", "death")):
            cluster = started(hosts, cpus)
            logging.disable(logging.WARNING)
            call()
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
