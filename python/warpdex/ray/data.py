# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of Ray: what they have, how workers run over them, and what is in a cluster until it is closed."""

from __future__ import annotations

import math
import numbers
import time
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from ..columns.values import extra
from ..errors import Error, InvalidArgument, KeyTypeError, Unsupported, shown
from .workers import ROW, measured

ray = extra("ray")
pyarrow = extra("pyarrow")
strategies = extra("ray.util.scheduling_strategies")

BATCHES: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": 1 << 20, "zero_copy_batch": True}
_PATIENCE = 10  # seconds in which GPUs may become free, such as those of an index that was just closed
_SCHEMAS: Any = weakref.WeakKeyDictionary()  # of results, which otherwise run to know them


def expect_dataset(data: Any, name: str) -> None:
    if not isinstance(data, ray.data.Dataset):
        raise KeyTypeError(f"{name} is {type(data).__name__}; it must be a Dataset of Ray")


def expect_names(wanted: list[str], known: list[str], name: str) -> None:
    """Checks that a Dataset has some columns, and not the one that numbers its rows."""
    if unknown := [name for name in wanted if name not in known]:
        raise InvalidArgument(f"{name} has no column {unknown[0]!r}; there are {', '.join(map(repr, known)) or 'none'}")
    if ROW in known:
        raise InvalidArgument(f"{name} has a column {ROW!r}, by which warpdex numbers rows")


def expect_divisible(schema: Any, name: str) -> None:
    """Checks that Arrow takes some rows of each column, as goes to a shard."""
    for column in schema:
        try:
            pyarrow.nulls(1, column.type).take(pyarrow.array([0])).filter(pyarrow.array([True]))
        except pyarrow.ArrowNotImplementedError:
            raise Unsupported(
                f"{name} has the column {column.name!r} of type {column.type}, of which Arrow takes no rows for a shard; "
                "cast it, or replicate the index"
            ) from None


def _session() -> tuple[str, str] | None:
    """What differs between two starts of Ray; None if it is not started."""
    at = ray.get_runtime_context() if ray.is_initialized() else None
    return None if at is None else (at.get_job_id(), at.get_node_id())


def expect_ray() -> None:
    if _session() is None:
        raise InvalidArgument("Ray is not started; ray.init() starts it")


def expect_gpus(num_gpus: float, actors: int) -> None:
    """Checks that Ray has room for as many actors, for which it would otherwise wait without end."""
    known = isinstance(num_gpus, numbers.Real) and not isinstance(num_gpus, bool) and 0 <= num_gpus < math.inf
    if not known or (num_gpus > 1 and num_gpus != int(num_gpus)):
        raise InvalidArgument(f"num_gpus is {shown(num_gpus)}; it must be a part of a GPU, or a whole number of them")
    if num_gpus == 0:
        return
    gpus = [int(node["Resources"].get("GPU", 0)) for node in ray.nodes() if node["Alive"]]
    query = f"num_gpus is {num_gpus} for {actors} actors"
    if actors > sum(int(free // num_gpus) if num_gpus > 1 else free * int(1 / num_gpus) for free in gpus):
        raise InvalidArgument(f"{query}, but Ray has {sum(gpus)} GPUs")
    last = time.monotonic() + _PATIENCE
    while (free := ray.available_resources().get("GPU", 0)) < num_gpus * actors:
        if time.monotonic() > last:
            raise InvalidArgument(f"{query}, but of the {sum(gpus)} GPUs of Ray {free:g} are free")
        time.sleep(0.1)


def workers_of(concurrency: Any) -> tuple[int | None, int | None]:
    """The least and the most workers of a call."""
    if concurrency is None:
        return None, None
    pair = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    are_numbers = all(isinstance(number, numbers.Integral) and not isinstance(number, bool) for number in pair)
    if len(pair) != 2 or not are_numbers or not 1 <= pair[0] <= pair[1]:
        raise InvalidArgument(
            f"concurrency is {shown(concurrency)}; it must be a number of workers, or a pair of the least and the most"
        )
    return int(pair[0]), int(pair[1])


def here(task: Any) -> Any:
    """A task on the driver's host: what it makes is lost with the driver alone. Else workers that wait for it might hold
    the CPUs on which it is to be made again."""
    near = strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    return ray.remote(num_cpus=0, scheduling_strategy=near)(task)


def got(refs: list[Any]) -> list[Any]:
    """What some tasks made, all of which have then ended. An error of warpdex in a task is raised as it was."""
    result, failures = [], []
    for ref in refs:
        try:
            result.append(ray.get(ref))
        except ray.exceptions.RayTaskError as why:
            failures.append(why.cause if isinstance(why.cause, Error) else why)
    if failures:
        raise failures[0] from None
    return result


class Held:
    """An index that is in a cluster of Ray until it is closed."""

    def __init__(self) -> None:
        self._session, self._closed = _session(), False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: Any) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True

    def _is_there(self) -> bool:
        """Whether Ray is still the one in which it is."""
        return self._session == _session()

    def _expect_open(self) -> None:
        if self._closed:
            raise InvalidArgument("the index is closed")
        expect_ray()
        if not self._is_there():
            raise InvalidArgument("the index is gone: Ray was started anew since it was built")


def schema_of(data: Any) -> Any:
    """The names and types of the columns of a Dataset; None if it has no blocks."""
    known = data.schema()
    if known is None or isinstance(known.base_schema, pyarrow.Schema):
        return None if known is None else known.base_schema
    import pandas

    kinds = zip(known.base_schema.names, known.base_schema.types)
    none = pandas.DataFrame({name: pandas.Series([], dtype=kind) for name, kind in kinds})
    return pyarrow.Schema.from_pandas(none, preserve_index=False)


class Blocks(NamedTuple):
    """Some columns of a Dataset: its blocks in order, their rows and bytes, and the columns of all."""

    refs: list[Any]
    sizes: tuple[int, ...]
    bytes: int
    schema: Any


def blocks_of(data: Any, keys: list[str], columns: list[str] | None) -> Blocks:
    """The keys and some columns, or all, of a Dataset, which is run."""
    expect_ray()
    schema = schema_of(data)
    known = [] if schema is None else schema.names
    wanted = [*keys, *listed(columns, known, "columns")]
    expect_names(wanted, known, "data")
    refs = _blocks_in_order(data.select_columns([name for name in known if name in wanted]))
    measure = ray.remote(measured)
    facts = ray.get([measure.remote(ref) for ref in refs])
    sizes, taken, schemas = zip(*facts) if facts else ((), (), (schema,))
    return Blocks(refs, sizes, sum(taken), _one_schema(schemas))


def _blocks_in_order(data: Any) -> list[Any]:
    """The blocks of a Dataset in its order, which tells rows with equal keys apart."""
    options = data.context.execution_options  # the caller's too
    before, options.preserve_order = options.preserve_order, True
    try:
        return list(data.to_arrow_refs())
    finally:
        options.preserve_order = before


def _one_schema(schemas: tuple[Any, ...]) -> Any:
    """The columns of all blocks."""
    try:
        return pyarrow.unify_schemas([schema.remove_metadata() for schema in schemas], promote_options="permissive")
    except pyarrow.ArrowException as why:
        raise KeyTypeError(f"data has blocks of other types: {str(why).splitlines()[0]}") from None


def over_actors(
    left: Any, worker: Any, arguments: tuple[Any, ...], concurrency: Any, num_gpus: float = 0, num_cpus: Any = None
) -> Any:
    """A Dataset whose batches a class runs. @param concurrency how many workers there are, or a pair of the least and
    the most"""
    least, most = workers_of(concurrency)
    most = most or max(int(ray.cluster_resources().get("CPU", 1)) // 2, 1)
    expect_gpus(num_gpus, least or 1)
    pool = ray.data.ActorPoolStrategy(min_size=least or 1, max_size=most)
    needs = {"num_gpus": num_gpus, "num_cpus": num_cpus, "compute": pool}
    return left.map_batches(worker, fn_constructor_args=arguments, **needs, **BATCHES)


def run_over(left: Any, keys: list[str], of_none: Callable[[Any], Any], mapped: Callable[[], Any]) -> Any:
    """The Dataset that a run makes. What it would refuse in a worker is refused here.

    @param keys columns of the left side @param of_none what the run makes of a left side without values, of a schema
    """
    schema = _SCHEMAS[left] if left in _SCHEMAS else schema_of(left)
    if schema is None:
        return mapped()
    expect_names(keys, schema.names, "left")
    none = of_none(schema)
    result = mapped()
    _SCHEMAS[result] = none.schema
    return result


def listed(names: Any, default: list[str], what: str = "by") -> list[str]:
    """Names of columns, of which one may be given alone. @param what names the argument"""
    if names is None:
        return default
    result = [names] if isinstance(names, str) else list(names) if isinstance(names, (list, tuple)) else [names]
    if unnamed := [name for name in result if not isinstance(name, str)]:
        raise KeyTypeError(f"{what} is {shown(names)}; {shown(unnamed[0])} is no name of a column")
    return result


def groups_of(by: str | list[str] | None, own: list[str]) -> list[str]:
    """The left columns of groups, by default those of the index."""
    groups = listed(by, own)
    if len(groups) != len(own):
        raise InvalidArgument(f"by names {len(groups)} columns; the index has {len(own)}")
    return groups
