# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`warpdex.pandas.merge_asof` against `pandas.merge_asof`, and joins against `pandas.merge`."""

import numpy as np
import pandas as pd

import warpdex
from warpdex.pandas import merge_asof as our_merge_asof

from . import columns
from .columns import asked, pandas_column, pick, same_pandas, size_of

LABELS = ["t", "", 0, 7, "a", pd.Timestamp(0)]


def _labels(rng, count):
    """Different labels of columns."""
    if rng.random() < 0.7:
        return [f"c{i}" for i in range(count)]
    return [*rng.permutation(np.array(LABELS, object))][:count]


def _frame(rng, size, kinds, nulls):
    result = {label: pandas_column(rng, kind, size, nulls) for label, kind in kinds.items()}
    return pd.DataFrame({**result, "row": np.arange(size)})


def _payload(rng, labels):
    """Kinds of columns that are carried along, some of them with names of the other side."""
    names = [pick(rng, ["p", "q", "r", *labels]) for _ in range(int(rng.integers(0, 4)))]
    return {name: pick(rng, list(columns.PANDAS_ALL)) for name in names if name not in labels}


def merge_asof(rng):
    """All kinds of keys and groups, ties, directions, tolerances, indexes as keys, suffixes and labels; the left side, and
    the right one, in any order."""
    key_kind = pick(rng, list(columns.PANDAS_KEYS))
    group_kinds = [pick(rng, list(columns.PANDAS_EQUAL)) for _ in range(int(pick(rng, [0, 0, 1, 1, 2])))]
    labels = _labels(rng, 1 + len(group_kinds))
    key, groups = labels[0], labels[1:]
    left, right = (
        pd.concat(
            [
                pandas_column(rng, key_kind, size).rename(key),
                *(pandas_column(rng, kind, size, 0.1, 4).rename(label) for label, kind in zip(groups, group_kinds)),
                _frame(rng, size, _payload(rng, labels), 0.2),
            ],
            axis=1,
        )
        for size in (size_of(rng), size_of(rng))
    )
    options = {
        "direction": pick(rng, ["backward", "forward", "nearest"]),
        "allow_exact_matches": bool(rng.random() < 0.7),
        "suffixes": pick(rng, [("_x", "_y"), ("_x", "_y"), (None, "_r"), ("_l", None), ("", "!")]),
    }
    if rng.random() < 0.4:
        kind = left[key].dtype.kind
        near = int(rng.integers(0, 9))
        options["tolerance"] = pd.Timedelta(near, "s") if kind in "mM" else near / 4 if kind == "f" else near
    left_index, right_index = rng.random() < 0.2, rng.random() < 0.2
    if groups:
        options["by"] = groups[0] if len(groups) == 1 and rng.random() < 0.5 else groups
    if left_index or right_index or rng.random() < 0.3:
        other = pick(rng, [key, "other key"])
        right = right.rename(columns={key: other})
        options |= {"left_index": True} if left_index else {"left_on": key}
        options |= {"right_index": True} if right_index else {"right_on": other}
        # pandas adds a column for labels that are no text, and for an index without the key's name.
        if left_index and not right_index and groups:
            key = other
            left = left.rename(columns={labels[0]: other})
        if not (isinstance(key, str) and isinstance(other, str)) and not (left_index and right_index):
            raise columns.Refused
        left = left.set_index(key) if left_index else left.set_axis([*rng.integers(0, 9, len(left))])
        right = right.set_index(other) if right_index else right
    else:
        options["on"] = key

    def in_order(frame, uses_index, name):
        keys = frame.index.to_series() if uses_index else frame[name]
        return frame.iloc[np.argsort(keys.array, kind="stable")] if len(frame) else frame

    left = in_order(left, left_index, key)
    in_key_order = in_order(right, right_index, options.get("right_on", key))
    expected = asked(lambda: pd.merge_asof(left, in_key_order, **options))
    if len(left) == 0:  # pandas then takes the index of the right frame
        expected = expected.set_axis(left.index if left_index or right_index else pd.RangeIndex(0))
    order = np.arange(len(left)) if rng.random() < 0.3 else rng.permutation(len(left))
    expected = expected.iloc[order]
    if not left_index and not right_index:
        expected = expected.reset_index(drop=True)
    same_pandas(our_merge_asof(left.iloc[order], right, **options), expected)


def merge(rng):
    """One to three keys of all types, with nulls, which pandas takes for equal."""
    how = pick(rng, ["inner", "left", "right", "outer"])
    kinds = [pick(rng, list(columns.PANDAS_EQUAL)) for _ in range(int(pick(rng, [1, 1, 1, 2, 3])))]
    labels = _labels(rng, len(kinds))
    keys = dict(zip(labels, kinds))
    nulls = float(pick(rng, [0.0, 0.1, 1.0]))
    left, right = (_frame(rng, size_of(rng), {**keys, **_payload(rng, labels)}, nulls) for _ in range(2))
    on = labels[0] if len(labels) == 1 else labels
    expected = asked(lambda: left.merge(right, on=on, how=how, suffixes=("", "_right")))
    renamed = {
        label: label if label in labels else f"{label}_right" for label in right.columns if label in left.columns
    }
    wide = [*left.columns, *(renamed.get(label, label) for label in right.columns if label not in labels)]
    expected.columns = pd.Index(wide, dtype=object)
    found = warpdex.join(left, right, on, "full" if how == "outer" else how, nulls_equal=True, coalesce=True)
    if how == "right":  # pandas has the keys first
        expected = expected[list(found.columns)]
    rows = ["row", "row_right"]
    if how == "outer":
        found, expected = (frame.sort_values(rows, ignore_index=True) for frame in (found, expected))
    for label, kind in keys.items():
        if how == "outer" and (nulls or not kind.startswith("objects") and left[label].dtype != right[label].dtype):
            expected[label] = found[label] = 0  # pandas has other types where a side is all null
    same_pandas(found, expected)


CHECKS = [merge_asof, merge]
