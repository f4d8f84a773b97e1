# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Kills a random actor or task, or the second of two nodes, at a random moment of a random call over Datasets of Ray. The result
must be right, or the error must name the shard, and after `close` no actor, object or process may be left.

python3 tests/attack/ray_kills.py [rounds [seed]]   # with warpdex, ray[data] and grpcio installed
"""

import collections
import gc
import logging
import os
import pathlib
import re
import signal
import sys
import tempfile
import threading
import time

import grpc
import numpy as np
import pyarrow as pa
import ray
from ray._private import internal_api
from ray._private.state import actors
from ray.cluster_utils import Cluster

import warpdex
import warpdex.ray as wr

MARK = "WARPDEX_RAY_KILLS"  # in the environment of all processes of the cluster
NAMED = re.compile(r"shard \d+ of \d+ is gone")
ROWS, RIGHT, BLOCKS, SHARDS = 200_000, 60_000, 6, 3


def tables(random):
    def keys(size):
        symbols = np.array([f"s{one}" for one in range(50)])[random.integers(0, 50, size)]
        return {"ts": random.integers(0, 1 << 20, size), "key": random.integers(0, 20_000, size), "symbol": symbols}

    one = pa.table({"id": np.arange(ROWS), **keys(ROWS)})
    return one, pa.table({**keys(RIGHT), "value": random.random(RIGHT)})


def dataset(table):
    return ray.data.from_arrow([table.slice(at, ROWS // BLOCKS + 1) for at in range(0, len(table), ROWS // BLOCKS + 1)])


# The columns of the index, the call, and its answer in one process.
CALLS = {
    "join": (("key", None), lambda left, index: wr.join(left, index), lambda a, b: warpdex.join(a, b, "key")),
    "asof": (
        ("ts", None),
        lambda left, index: wr.join_asof(left, index),
        lambda a, b: warpdex.join_asof(a, b, on="ts"),
    ),
    "groups": (
        ("ts", "symbol"),
        lambda left, index: wr.join_asof(left, index),
        lambda a, b: warpdex.join_asof(a, b, on="ts", by="symbol"),
    ),
    "lookup": (
        ("key", None),
        lambda left, index: wr.lookup(left, index, what="count"),
        lambda a, b: a.append_column("row", warpdex.Index(b["key"]).count(a["key"])),
    ),
}


def in_order(table):
    return table.combine_chunks().take(np.argsort(table["id"].to_numpy(), kind="stable"))


def marked(process):
    """Whether this run started a process."""
    try:
        return f"{MARK}={os.getpid()}".encode() in pathlib.Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False


def processes():
    return [int(one.name) for one in pathlib.Path("/proc").iterdir() if one.name.isdigit() and marked(int(one.name))]


def title(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().rstrip(b"\0").decode()
    except OSError:
        return ""


def is_ours(name):
    return any(one in name for one in ("Shard", "Router", "run_with_copy"))


def alive():
    """The names and processes of actors, and of tasks that run."""
    found = [(one["ActorClassName"], one["Pid"]) for one in actors().values() if one["State"] == "ALIVE"]
    return [(name, one) for name, one in [*found, *((title(one), one) for one in processes())] if is_ours(name)]


class Killer(threading.Thread):
    """Waits, and then kills the process of an actor or a task, or the second node."""

    def __init__(self, cluster, random, wait):
        super().__init__()
        self.cluster, self.random, self.wait = cluster, random, wait
        self.what = "node" if random.random() < 0.3 else "nothing"
        self.start()

    def run(self):
        time.sleep(self.wait)
        if self.what == "node":
            self.cluster.remove_node(self.cluster.worker_nodes.copy().pop(), allow_graceful=False)
            return
        end = time.monotonic() + 10
        while not (found := alive()):
            if time.monotonic() > end:
                return
            time.sleep(0.01)
        name, process = found[self.random.integers(len(found))]
        if marked(process):
            self.what = next(one for one in ("Shard", "Router", "run_with_copy") if one in name)
            os.kill(process, signal.SIGKILL)


def left_over():
    """The actors and the KiB of objects of the nodes. Ray itself keeps marks of 2 bytes for objects that were lost."""
    ours = [one["ActorClassName"] for one in actors().values() if one["State"] != "DEAD"]
    nodes = [one for one in ray.nodes() if one["Alive"]]
    stats = [internal_api.node_stats(one["NodeManagerAddress"], one["NodeManagerPort"], False) for one in nodes]
    return list(filter(is_ours, ours)), sum(one.store_stats.object_store_bytes_used for one in stats) >> 10


def kept_after(before):
    """The KiB of objects that stay, once no actor is left and no more than before, or after a minute."""
    end, found = time.monotonic() + 60, ([], before)
    while time.monotonic() < end:
        gc.collect()  # Datasets refer to themselves
        try:
            found = left_over()
            if not found[0] and found[1] <= before:
                return found[1]
        except grpc.RpcError:  # a node that was killed, and counts as alive until it is missed
            pass
        time.sleep(0.2)
    print(f"left over: actors {found[0]}, {found[1]} KiB", flush=True)
    return found[1] if not found[0] else before + 1


def attempt(random, folder, placement, kill):
    """One call. Returns its seconds, and what became of it."""
    name = list(CALLS)[random.integers(len(CALLS))]
    (on, by), call, alone = CALLS[name]
    one, two = tables(random)
    expected = in_order(alone(one, two))
    index = wr.build(dataset(two), on, by, placement=placement, shards=SHARDS)
    if random.random() < 0.5:
        index.save(folder)
        index.close()
        index = wr.load(folder)
    killer, begin = kill(), time.monotonic()
    try:
        found = in_order(pa.concat_tables(ray.get(call(dataset(one), index).to_arrow_refs())))
        outcome = "right" if found.equals(expected) else "WRONG"
    except Exception as why:
        outcome = "named error" if NAMED.search(str(why)) else f"OTHER ERROR {type(why).__name__}: {why}"
    took = time.monotonic() - begin
    if killer is not None:
        killer.join()
    index.close()
    return took, (name, placement, killer.what if killer is not None else "nothing", outcome)


def main(rounds=50, seed=1):
    os.environ[MARK] = str(os.getpid())
    random = np.random.default_rng(seed)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": 1 << 29})
    cluster.add_node(num_cpus=2, object_store_memory=1 << 29)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    logging.disable(logging.WARNING)
    wr.BATCHES["batch_size"] = 1 << 13  # so that there are many
    ray.data.DataContext.get_current().enable_progress_bars = False
    seen, clean, kept = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        undisturbed = {
            placement: min(attempt(random, folder, placement, lambda: None)[0] for _ in range(3))
            for placement in ("replicate", "range")
        }
        for number in range(rounds):
            placement = list(undisturbed)[number % 2]
            at = random.uniform(0, undisturbed[placement])
            took, made = attempt(random, folder, placement, lambda: Killer(cluster, random, at))
            now = kept_after(kept)
            clean, kept = clean + (now <= kept), now
            seen[made[2:]] += 1
            print(f"{number}: {', '.join(made)}; killed after {at:.1f} s, {took:.1f} s", flush=True)
            if not cluster.worker_nodes:
                cluster.add_node(num_cpus=2, object_store_memory=1 << 29)
    ray.shutdown()
    cluster.shutdown()
    end = time.monotonic() + 30
    while (left := [one for one in processes() if one != os.getpid()]) and time.monotonic() < end:
        time.sleep(0.2)
    for (what, outcome), times in sorted(seen.items()):
        print(f"{times:4} times {what} was killed: {outcome}")
    print(f"{len(left)} processes left; no actors and no objects after {clean} of {rounds} rounds")
    return bool(left) or clean < rounds or any(outcome not in ("right", "named error") for _, outcome in seen)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
