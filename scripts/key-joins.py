# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of frames by strings, several columns and categories: pandas, Polars and warpdex, with answers compared.

python3 scripts/key-joins.py   # with warpdex, pandas and polars installed
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import warpdex
from best_of import best, in_chunks

RIGHT, LEFT, QUOTES = 1 << 20, 1 << 22, 1 << 21


def show(label, ours, *others):
    print(
        f"{label:32} {ours:7.0f} ms",
        *(f"{name} {took:6.0f} ms, {ours / took:4.2f}" for name, took in others),
        flush=True,
    )


def equality(label, left, right, on):
    ours, made = best(lambda: warpdex.join(left, right, on))
    parts = in_chunks(left), in_chunks(right)
    of_parts, same = best(lambda: warpdex.join(*parts, on))
    assert same.equals(made), label
    theirs, expected = best(lambda: left.join(right, on=on, maintain_order="left"))
    assert made.sort(made.columns).equals(expected.sort(expected.columns).select(made.columns)), label
    show(label, ours, ("in 41 chunks", of_parts), ("Polars", theirs))


def asof(label, left, right):
    plain_left, plain_right = left.to_pandas(), right.to_pandas()
    ours, made = best(lambda: warpdex.join_asof(left, right, on="time", by="symbol"))
    parts = in_chunks(left), in_chunks(right)
    of_parts, same = best(lambda: warpdex.join_asof(*parts, on="time", by="symbol"))
    assert same.equals(made), label
    theirs, expected = best(lambda: left.join_asof(right, on="time", by="symbol", check_sortedness=False))
    of_pandas, _ = best(lambda: pd.merge_asof(plain_left, plain_right, on="time", by="symbol"))
    assert made.equals(expected.select(made.columns)), label
    show(label, ours, ("in 41 chunks", of_parts), ("Polars", theirs), ("pandas", of_pandas))


def main():
    warnings.simplefilter("ignore")
    random = np.random.default_rng(1)
    names = np.array([f"user-{i:08x}" for i in random.permutation(RIGHT)])
    rows = random.integers(0, RIGHT, LEFT)
    right = pl.DataFrame(
        {
            "name": names,
            "a": random.integers(0, 1 << 20, RIGHT),
            "b": random.integers(0, 100, RIGHT),
            "value": np.arange(RIGHT),
        }
    )
    left = right.drop("value")[rows].with_columns(weight=pl.Series(np.arange(LEFT)))
    equality("string, 4 M x 1 M", left[["name", "weight"]], right[["name", "value"]], "name")
    equality("string, 4 M x 1000", left[["name", "weight"]], right[["name", "value"]][:1000], "name")
    equality("two integers", left[["a", "b", "weight"]], right[["a", "b", "value"]], ["a", "b"])
    equality("string and integer", left[["name", "b", "weight"]], right[["name", "b", "value"]], ["name", "b"])
    equality("integer", left[["a", "weight"]], right[["a", "value"]], "a")

    symbols = np.array([f"SYM{i:03d}" for i in range(500)])

    def ticks(name):
        return pl.DataFrame(
            {
                "time": np.sort(random.integers(0, 1 << 30, QUOTES)),
                "symbol": symbols[random.integers(0, symbols.size, QUOTES)],
                name: np.arange(QUOTES),
            }
        )

    trades, quotes = ticks("price"), ticks("bid")
    asof("as-of by a string, 2 M x 2 M", trades, quotes)
    for label, kind in (("enum", pl.Enum(symbols.tolist())), ("category", pl.Categorical)):
        asof(f"as-of by {label}", *(side.with_columns(pl.col("symbol").cast(kind)) for side in (trades, quotes)))


if __name__ == "__main__":
    main()
