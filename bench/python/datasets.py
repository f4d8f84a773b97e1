# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Datasets of Ray: with warm workers compared with the same calls in one process, and with `Dataset.join` on two
nodes. With --device cuda there is an actor per GPU."""

import logging

import numpy as np
import polars  # noqa: F401  which Dataset.join needs
import pyarrow as pa
import ray
import warpdex
import warpdex.ray as wr
from ray.cluster_utils import Cluster
from shared import Call


def datasets(b):
    """Each case has its own cluster."""
    for case, hosts in ((rates, 1), (two_nodes, 2)):
        if not b.wants(case.__name__):
            continue
        memory = {"num_cpus": 4, "object_store_memory": 3 << 30}
        cluster = Cluster(initialize_head=True, head_node_args={"num_gpus": warpdex._core.device_count(), **memory})
        for _ in range(hosts - 1):
            cluster.add_node(**memory)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.disable(logging.WARNING)
        try:
            case(b, *sides(b))
        finally:
            ray.shutdown()
            cluster.shutdown()


def sides(b):
    """Rows to join, and a fourth as many with unique keys."""
    keys = max(b.rows // 4, 1)
    left = pa.table({"id": np.arange(b.rows), "key": b.random.integers(0, keys, b.rows)})
    return left, pa.table({"key": b.random.permutation(keys), "value": b.random.random(keys)})


def parts_of(table, parts=32):
    batch = -(-len(table) // parts)
    return [table.slice(at, batch) for at in range(0, len(table), batch)]


def in_order(made):
    """The rows of a Dataset or of tables, in the order of the left side."""
    table = pa.concat_tables(made if isinstance(made, list) else ray.get(made.to_arrow_refs()))
    return table.take(np.argsort(table["id"].to_numpy(), kind="stable"))


def rates(b, one, two):
    """Batches through warm workers, and the same ones in this process, on the same cores or GPUs."""
    gpus = warpdex._core.device_count() if b.device == "cuda" else 0
    workers, where = gpus or 2, {"devices": list(range(gpus))} if gpus else {"device": "cpu"}
    data, parts = ray.data.from_arrow(parts_of(two)), parts_of(one)
    for spec in ("AO+PB+KS(17)", "HT(open)", "AO+BS"):
        held = warpdex.Index(two["key"], spec, **where)
        for_joins = warpdex.Index(two["key"], spec, device="cuda") if gpus else held
        how = {"spec": spec, "shards": workers, "num_gpus": 1 if gpus else 0}
        indexes = {name: wr.build(data, "key", placement=name, **how) for name in ("replicate", "range")}
        for function, call in (
            (wr.lookup, lambda part, held=held: part.append_column("row", held.find(part["key"]))),
            (wr.join, lambda part, held=for_joins: warpdex.join(part, two, "key", index=held)),
        ):

            def through(index, function=function):
                return function(ray.data.from_arrow(parts), index, concurrency=workers).materialize()

            calls = {f"warpdex.ray, {name}": Call(lambda i=i: through(i), in_order) for name, i in indexes.items()}
            calls["warpdex in one process"] = Call(lambda call=call: [call(part) for part in parts], in_order)
            b.compare(f"rates, {function.__name__}, {spec}", calls, keys=len(two))
        for index in indexes.values():
            index.close()


def two_nodes(b, one, two):
    """`wr.join` compared with `Dataset.join`."""
    left, right = (ray.data.from_arrow(parts_of(side, 16)) for side in (one, two))
    indexes = {name: wr.build(right, "key", placement=name) for name in ("replicate", "range")}
    calls = {f"warpdex.ray, {name}": lambda i=i: wr.join(left, i, concurrency=2) for name, i in indexes.items()}
    calls["Dataset.join"] = lambda: left.join(right, "inner", 4, on=("key",))
    calls = {name: Call(lambda call=call: call().materialize(), in_order) for name, call in calls.items()}
    b.compare("two_nodes", calls, keys=len(two))
    for index in indexes.values():
        index.close()
