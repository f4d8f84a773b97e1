# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The subcommands over two tables, whose rows they bring together."""

from __future__ import annotations

from typing import Any

import warpdex

from ..errors import InvalidArgument
from ._options import Options, choice, command, distance, listed, named, option, source
from ._output import expect_out, write_table

_CLOSED = choice("--closed", "both left right none", "Which bounds belong")
_SOME = choice("--how", "inner left semi anti", "Which rows")
_BY = listed("--by", "Columns whose values are equal, also LEFT=RIGHT.")


def _tables(left: str, right: str) -> tuple[Any, ...]:
    """The options of both tables and of the result. The texts are those of the tables' columns."""
    return (
        source("--left", f"The left table, and {left}."),
        source("--right", f"The right table, and {right}."),
        option("--suffix", text="What a right name gets that the left table has.", default="_right"),
        listed("--columns", "The columns of the result."),
    )


def _sides(options: Options, lefts: int = 1, rights: int = 1) -> tuple[Any, Any, list[str], list[str]]:
    """Both tables, lazy, and the columns that are named of each: so many, or for 0 any number."""
    from ._tables import columns_in, scan

    expect_out(options)
    left, right = options.left, options.right
    if left.path == right.path == "-":
        raise InvalidArgument("--left and --right are both the standard input")
    sides = [(scan(source.expect(count), options), source) for source, count in ((left, lefts), (right, rights))]
    return sides[0][0], sides[1][0], *(columns_in(*side) for side in sides)  # type: ignore[return-value]


def _call(options: Options, *names: str) -> dict[str, Any]:
    """What a function of the package takes from the options."""
    result = {name: getattr(options, name) for name in (*names, "device", "threads")}
    if getattr(options, "by", None):
        pairs = [text.partition("=") for text in options.by]
        result |= {"by_left": [name for name, _, _ in pairs], "by_right": [other or name for name, _, other in pairs]}
    return result


def _written(table: Any, options: Options) -> None:
    table = table.lazy()
    if options.columns is not None:
        names = table.collect_schema().names()
        if unknown := [name for name in options.columns if name not in names]:
            raise InvalidArgument(f"--columns names {unknown[0]!r}; there are {', '.join(map(repr, names))}")
        table = table.select(options.columns)
    write_table(table, options)


@command(
    "Join two tables on equal keys. The left one need not fit in memory.",
    "warpdex join --left orders.csv:customer --right customers.csv:id --how left --out joined.parquet",
    *_tables("its key columns", "its key columns"),
    choice("--how", "inner left right full semi anti", "Which rows"),
    choice("--validate", "m:m m:1 1:m 1:1", "Which keys do not repeat"),
    option("--nulls-equal", text="Nulls match each other.", is_flag=True),
)
def join(options: Options) -> None:
    left, right, lefts, rights = _sides(options, 0, 0)
    how = _call(options, "how", "validate", "nulls_equal", "suffix")
    _written(warpdex.join(left, right, left_on=lefts, right_on=rights, **how), options)


@command(
    "Join each left row with the right row whose key is nearest. Nothing need be sorted.",
    "warpdex asof --left trades.csv:time --right quotes.csv:time --by symbol --tolerance 2s",
    *_tables("its column of times or numbers", "its column of these"),
    _BY,
    choice("--strategy", "backward forward nearest", "Which key"),
    option("--tolerance", text="The greatest distance: a number, or for times such as 2s.", type=distance),
    option("--allow-exact-matches/--no-allow-exact-matches", text="An equal key matches.", default=True),
)
def asof(options: Options) -> None:
    left, right, (left_on,), (right_on,) = _sides(options)
    how = _call(options, "strategy", "tolerance", "allow_exact_matches", "suffix")
    _written(warpdex.join_asof(left, right, left_on=left_on, right_on=right_on, **how), options)


@command(
    "Join each left row with the right rows whose key is between its bounds.",
    "warpdex between --left days.csv:from,to --right orders.csv:placed --how left",
    *_tables("its two columns of bounds", "its key column"),
    _SOME,
    _CLOSED,
    _BY,
)
def between(options: Options) -> None:
    left, right, (lower, upper), (on,) = _sides(options, 2)
    _written(warpdex.join_between(left, right, on, lower, upper, **_call(options, "closed", "how", "suffix")), options)


@command(
    "Add to each left row what the right rows in a window around it have in common.",
    "warpdex window --left trades.csv:time --right quotes.csv:time --by symbol --before 10s --agg bid=mean,max",
    *_tables("its column of times or numbers", "its column of these"),
    _BY,
    option("--before", text="How far the window reaches back, such as 5s.", type=distance),
    option("--after", text="How far it reaches ahead.", type=distance),
    option("--agg", text="sum, mean, std, min, max, count, first or last.", multiple=True, metavar="COLUMN=WORD,..."),
    _CLOSED,
)
def window(options: Options) -> None:
    left, right, (left_on,), (right_on,) = _sides(options)
    agg: dict[str, Any] = {}
    for column, sign, names in (aggregate.rpartition("=") for aggregate in options.agg):
        if not sign:
            raise InvalidArgument(f"--agg {names!r} is not COLUMN=WORD,...")
        agg.setdefault(column, []).extend(names.split(","))
    zero = "0s" if left.collect_schema()[left_on].is_temporal() else 0
    far: dict[str, Any] = {"before": options.before or zero, "after": options.after or zero}
    how = _call(options, "closed", "suffix")
    _written(warpdex.window(left, right, left_on=left_on, right_on=right_on, agg=agg, **far, **how), options)


@command(
    "Join intervals, or points, with the intervals that overlap them.",
    "warpdex overlaps --left shifts.csv:begin,end --right breaks.csv:begin,end --how left",
    *_tables("its columns of starts and ends, or of points", "its columns of starts and ends"),
    _BY,
    _SOME,
    option("--min-overlap", text="What a left and a right interval have in common at least.", type=distance),
    _CLOSED,
)
def overlaps(options: Options) -> None:
    from ._tables import paired

    left, right, lefts, rights = _sides(options, 0, 2)
    left, right, by = left.collect(), right.collect(), _call(options)
    groups: list[Any] = [None, None]
    if options.by:
        groups = [
            tuple(left.get_column(name) for name in by["by_left"]),
            tuple(right.get_column(name) for name in by["by_right"]),
        ]
        groups = [group[0] if len(group) == 1 else group for group in groups]
    start, end = (right.get_column(name) for name in rights)
    closed = options.closed
    with named(start=options.right.text, end=options.right.text):
        held = warpdex.Intervals(start, end, groups[1], closed, options.device, threads=options.threads)
    with named(points=options.left.text, end=options.left.text):
        how = {"how": options.how, "by": groups[0], "min_overlap": options.min_overlap}
        probes, rows = held.join(*(left.get_column(name) for name in lefts[:2]), **how, threads=options.threads)
    _written(
        left[probes] if options.how in ("semi", "anti") else paired(left, right, probes, rows, options.suffix), options
    )


@command(
    "Find the longest network that holds each address. Without one its cells are empty.",
    "warpdex networks --left visits.csv:ip --right networks.csv:cidr",
    *_tables("its column of addresses", "its column of networks, such as 10.0.0.0/8"),
    option("--all", "covering", text="All networks that hold an address, not the longest one.", is_flag=True),
    choice("--host-bits", "error mask", "Bits after the length of a network"),
)
def networks(options: Options) -> int:
    import numpy as np

    from ._tables import paired

    left, right, (ips,), (cidrs,) = _sides(options)
    left, right, lefts = left.collect(), right.collect(), None
    with named(cidrs=options.right.text, ips=options.left.text):
        held = warpdex.Networks(right.get_column(cidrs), host_bits=options.host_bits, device=options.device)
        if options.covering:
            offsets, rows = held.covering(left.get_column(ips), threads=options.threads)
            lefts = np.repeat(np.arange(len(left)), np.diff(offsets))
        else:
            rows = held.find(left.get_column(ips), threads=options.threads).fill_null(-1).to_numpy()
    _written(paired(left, right, lefts, rows, options.suffix), options)
    return int(not (rows >= 0).any())


JOINS = (join, asof, between, window, overlaps, networks)
