# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Polars' frames against the same joins in SQL."""

import duckdb
import numpy as np
import polars as pl

import warpdex

from . import columns
from .columns import asked, pick, polars_column, size_of

_KINDS = [
    *(kind for kind in columns.POLARS_KEYS if not kind.startswith("Duration")),
    "String",
    "Boolean",
]


_CON = duckdb.connect(config={"threads": 1})


def _sql(query, left, right):
    def answer():
        _CON.register("l", left.to_arrow())
        _CON.register("r", right.to_arrow())
        return _CON.execute(query).fetchall()

    return asked(answer)


def _sides(rng, kinds, nulls):
    return [
        pl.DataFrame(
            {
                **{name: polars_column(rng, kind, size, nulls, odd=0.2) for name, kind in side.items()},
                "row": np.arange(size),
            }
        )
        for side, size in zip(kinds, (size_of(rng), size_of(rng)))
    ]


def _pairs(frame):
    return sorted(zip(frame["row"].to_list(), frame["row_right"].to_list()), key=str)


def equal_keys(rng):
    kind = pick(rng, _KINDS)
    left, right = _sides(rng, [{"k": kind}] * 2, 0.1)
    how = pick(rng, ["inner", "left", "right", "full", "semi", "anti"])
    alike = bool(rng.random() < 0.3)
    test = "l.k is not distinct from r.k" if alike else "l.k = r.k"
    found = warpdex.join(left, right, "k", how, nulls_equal=alike)
    if how in ("semi", "anti"):
        wanted = _sql(f"select row from l {how} join r on {test} order by row", left, right)
        assert found["row"].to_list() == [row for (row,) in wanted]
    else:
        wanted = _sql(f"select l.row, r.row from l {how} join r on {test}", left, right)
        assert _pairs(found) == sorted(wanted, key=str)


def as_of(rng):
    """DuckDB chooses any of equal right keys, so keys are compared."""
    kind = pick(rng, [kind for kind in _KINDS if kind not in ("String", "Boolean")])
    grouped = rng.random() < 0.5
    left, right = _sides(rng, [{"k": kind, "g": pick(rng, ["Int8", "String"])}] * 2, 0.1)
    strategy, exact = pick(rng, ["backward", "forward"]), bool(rng.random() < 0.7)
    sign = (">" if strategy == "backward" else "<") + ("=" if exact else "")
    by = " and l.g = r.g" if grouped else ""
    query = f"select l.row, r.row from l asof left join r on l.k {sign} r.k{by} order by l.row"
    wanted = _sql(query, left, right)
    found = warpdex.join_asof(
        left, right, on="k", by="g" if grouped else None, strategy=strategy, allow_exact_matches=exact
    )
    assert found["row"].to_list() == [row for row, _ in wanted]
    ours, theirs = (
        right["k"].gather(pl.Series(rows, dtype=pl.UInt32)) for rows in (found["row_right"], [r for _, r in wanted])
    )
    assert ours.equals(theirs, null_equal=True)


def between(rng):
    kind = pick(rng, _KINDS)
    left, right = _sides(rng, [{"lo": kind, "hi": kind}, {"k": kind}], 0.1)
    closed = pick(rng, ["both", "left", "right", "none"])
    how = pick(rng, ["inner", "left", "semi", "anti"])
    low = ">=" if closed in ("both", "left") else ">"
    high = "<=" if closed in ("both", "right") else "<"
    test = f"r.k {low} l.lo and r.k {high} l.hi"
    found = warpdex.join_between(left, right, "k", "lo", "hi", closed, how)
    if how in ("semi", "anti"):
        wanted = _sql(f"select row from l {how} join r on {test} order by row", left, right)
        assert found["row"].to_list() == [row for (row,) in wanted]
    else:
        assert _pairs(found) == sorted(_sql(f"select l.row, r.row from l {how} join r on {test}", left, right), key=str)


CHECKS = [equal_keys, as_of, between]
