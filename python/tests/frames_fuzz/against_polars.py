# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins against those of Polars, of frames, lazy ones, and tables of pyarrow."""

import datetime

import numpy as np
import polars as pl

import warpdex

from . import columns
from .columns import asked, chunked, pick, polars_column, same_polars, size_of


def _frame(rng, size, kinds, nulls, limit=columns.LIMIT, odd=0.0):
    result = {name: polars_column(rng, kind, size, nulls, limit, odd) for name, kind in kinds.items()}
    return pl.DataFrame({**result, "row": np.arange(size)})


def _payload(rng, names):
    """Kinds of columns that are carried along, some of them with names of the other side."""
    some = [pick(rng, ["p", "q", "r"]) for _ in range(int(rng.integers(0, 4)))]
    return {name: pick(rng, list(columns.POLARS_ALL)) for name in some if name not in names}


def _also_lazy(rng, join, left, right, found):
    """The same join of lazy frames."""
    if rng.random() < 0.4:
        other = right.lazy() if rng.random() < 0.7 else right
        lazy = join(left.lazy(), other)
        assert lazy.collect_schema() == found.schema
        result = lazy.collect(engine=pick(rng, ["in-memory", "streaming"]))
        rows = [name for name in found.columns if name.startswith("row")]
        same_polars(result.sort(rows), found.sort(rows))


def join_asof(rng):
    """All kinds of keys and groups, nulls, ties, strategies, tolerances, names and suffixes; the left side in any order."""
    kind = pick(rng, list(columns.POLARS_KEYS))
    groups = {f"g{i}": pick(rng, list(columns.POLARS_EQUAL)) for i in range(int(pick(rng, [0, 0, 1, 1, 2])))}
    names = ["t", "u", *groups]
    left, right = (
        pl.concat(
            [
                pl.DataFrame({"t": polars_column(rng, kind, size)}),
                pl.DataFrame({name: polars_column(rng, of, size, 0.1, 4) for name, of in groups.items()}),
                _frame(rng, size, _payload(rng, names), 0.2),
            ],
            how="horizontal",
        )
        for size in (size_of(rng), size_of(rng))
    )
    options = {
        "strategy": pick(rng, ["backward", "forward", "nearest"]),
        "allow_exact_matches": bool(rng.random() < 0.7),
        "suffix": pick(rng, ["_right", "!"]),
        "coalesce": bool(rng.random() < 0.7),
    }
    if rng.random() < 0.4:
        near = int(rng.integers(0, 9))
        floats = kind.startswith("Float")
        number = near / 4 if floats else near
        days = pick(rng, [f"{near}d", datetime.timedelta(near)])
        seconds = pick(rng, [f"{near}s", datetime.timedelta(0, near)])
        options["tolerance"] = days if kind == "Date" else seconds if kind in columns.POLARS_TIMES else number
    right_on = "t"
    if rng.random() < 0.4:
        right_on = "u"
        right = right.rename({"t": "u"})
    options |= {"on": "t"} if right_on == "t" else {"left_on": "t", "right_on": "u"}
    if groups:
        options["by"] = next(iter(groups)) if len(groups) == 1 and rng.random() < 0.5 else list(groups)
    left, in_order = left.sort("t", maintain_order=True), right.sort(right_on, maintain_order=True)
    expected = asked(lambda: left.join_asof(in_order, check_sortedness=False, **options))
    order = np.arange(len(left)) if rng.random() < 0.3 else rng.permutation(len(left))
    left, right = chunked(rng, left[order]), chunked(rng, right)

    def join(one, two):
        return warpdex.join_asof(one, two, **options)

    found = join(left, right)
    same_polars(found, expected[order])
    _also_lazy(rng, join, left, right, found)


_INTEGERS = [name for name in columns.POLARS_NUMBERS if "Int" in name]
_FLOATS = ["Float32", "Float64"]


def join(rng):
    """One to three keys of one or two types, nulls, all parameters; also lazy, and of pyarrow."""
    count = int(pick(rng, [1, 1, 1, 2, 3]))
    kinds = {f"k{i}": pick(rng, list(columns.POLARS_EQUAL)) for i in range(count)}
    others = dict(kinds)
    if rng.random() < 0.3:
        for name, kind in kinds.items():
            others[name] = pick(rng, next((group for group in (_INTEGERS, _FLOATS) if kind in group), [kind]))
    nulls = float(pick(rng, [0.0, 0.1, 1.0]))
    limit = columns.LIMIT if count == 1 else 5
    odd = float(pick(rng, [0.0, 0.2]))
    left, right = (
        _frame(rng, size_of(rng), {**keys, **_payload(rng, keys)}, nulls, limit, odd) for keys in (kinds, others)
    )
    how = pick(rng, ["inner", "left", "right", "full", "semi", "anti"])
    options = {
        "how": how,
        "nulls_equal": bool(rng.random() < 0.3),
        "validate": pick(rng, ["m:m", "m:m", "m:1", "1:m", "1:1"]),
        "maintain_order": pick(rng, [None, "none", "left", "right", "left_right", "right_left"]),
    }
    if how not in ("semi", "anti"):
        options |= {"suffix": pick(rng, ["_right", "!"]), "coalesce": pick(rng, [None, True, False])}
    on = list(kinds) if count > 1 or rng.random() < 0.3 else "k0"
    if rng.random() < 0.4:
        right = right.rename({name: f"other {name}" for name in kinds})
        options |= {"left_on": on, "right_on": [f"other {name}" for name in kinds]}
    else:
        options["on"] = on
    left, right = chunked(rng, left), chunked(rng, right)
    if how == "full" or not (len(left) and len(right)):
        # Polars looks at the wrong side, counts nulls as keys, or looks at none.
        options["validate"] = "m:m"
    try:
        expected = left.join(right, **options)
    except pl.exceptions.ComputeError as why:
        if "keys did not fulfill" not in str(why):
            raise columns.Refused from why
        try:
            warpdex.join(left, right, **options)
        except warpdex.errors.InvalidArgument:
            return
        raise AssertionError(f"{options} is refused by Polars: {why}") from None
    except Exception as why:
        raise columns.Refused from why

    def ours(one, two):
        return warpdex.join(one, two, **options)

    found = ours(left, right)
    order = options["maintain_order"]
    rows = [name for name in found.columns if name in ("row", "row_right", "row!")]
    if how not in ("semi", "anti") and order not in ("left_right", "right_left"):
        if order in ("left", "right"):
            side = rows[0] if order == "left" else rows[1]
            assert found[side].equals(expected[side])
        found, expected = found.sort(rows), expected.sort(rows)
    elif how in ("semi", "anti"):
        assert found["row"].is_sorted()
        expected = expected.sort("row")
    same_polars(found, expected)
    _also_lazy(rng, ours, left, right, ours(left, right))
    kinds = {str(kind).partition("(")[0] for frame in (left, right, found) for kind in frame.dtypes}
    simple = not {"Categorical", "Enum", "Null", "Int128"} & kinds  # which pyarrow does not have, or not as Polars does
    if simple and rng.random() < 0.3:
        table = warpdex.join(left.to_arrow(), right.to_arrow(), **options)
        assert table.column_names == found.columns
        again = pl.from_arrow(table).sort(rows) if rows else pl.from_arrow(table)
        same_polars(again.cast(dict(found.schema)), found.sort(rows) if rows else found)


CHECKS = [join_asof, join]
