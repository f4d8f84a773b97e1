# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""As-of joins of frames that are sorted by time: pandas, Polars and warpdex, with answers compared.

python3 scripts/asof-frames.py   # with warpdex, pandas and polars installed
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import warpdex
from best_of import best, in_chunks
from warpdex.pandas import merge_asof

CASES = ((20, 22, 1000), (22, 22, 100), (22, 22, 10**6), (22, 22, 0))


def frame(bits, groups, name, random):
    size = 1 << bits
    made = pd.DataFrame({"time": np.sort(random.integers(0, 1 << 40, size)), name: random.random(size)})
    if groups:
        made["symbol"] = random.integers(0, groups, size)
    return made


def main():
    warnings.simplefilter("ignore")  # Polars cannot check the order of groups
    random = np.random.default_rng(1)
    for left_bits, right_bits, groups in CASES:
        left, right = frame(left_bits, groups, "price", random), frame(right_bits, groups, "bid", random)
        by = "symbol" if groups else None
        left_pl, right_pl = pl.from_pandas(left), pl.from_pandas(right)
        of_pandas, a = best(lambda: pd.merge_asof(left, right, on="time", by=by))
        of_polars, b = best(lambda: left_pl.join_asof(right_pl, on="time", by=by))
        ours, c = best(lambda: merge_asof(left, right, on="time", by=by))
        ours_pl, d = best(lambda: warpdex.join_asof(left_pl, right_pl, on="time", by=by))
        parts = in_chunks(left_pl), in_chunks(right_pl)
        ours_parts, e = best(lambda: warpdex.join_asof(*parts, on="time", by=by))
        assert a["bid"].equals(c["bid"]) and b["bid"].equals(d["bid"]) and d["bid"].equals(e["bid"])
        print(
            f"2^{left_bits} x 2^{right_bits}, {groups} groups: pandas {of_pandas:.0f}, Polars {of_polars:.0f}, "
            f"warpdex {ours:.0f} and {ours_pl:.0f}, in 41 chunks {ours_parts:.0f} ms"
        )


if __name__ == "__main__":
    main()
