# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Names of columns with a zero byte, which Polars ends its process over if it exports them."""

import subprocess
import sys

BEGIN = r"""
import numpy, pandas, polars, pyarrow, warpdex, warpdex.polars
from warpdex import Index
from polars import col
left = polars.DataFrame({"a\0b": [1, 2, None], "t\0": [1, 2, 3], "s\0": ["x", "y", "z"]})
right = polars.DataFrame({"a\0b": [2, 1], "t\0": [0, 2], "v\0": ["p", "q"], "lo\0": [0, 1], "hi\0": [2, 2]})
k, t, s = left["a\0b"], left["t\0"], left["s\0"]
others = pyarrow.table({"a\0b": [1, 2], "w\0": [3, 4]})
struct = left.select("a\0b").to_struct("s")
def listed(found): return found.to_list() if hasattr(found, "to_list") else found.tolist()
def names(table): return list(table.columns if hasattr(table, "columns") else table.column_names)
"""

CALLS = [
    (r"Index(k).find(k).name", r"'a\x00b'"),
    (r"listed(Index(s).find(s[1:]))", "[1, 2]"),
    (r"listed(Index(s.cast(polars.Categorical)).find(s))", "[0, 1, 2]"),
    (r"listed(Index(k.cast(polars.Int128)).find(k.cast(polars.Decimal(20, 2))))", "[0, 1, None]"),
    (r"listed(Index(k.cast(polars.Datetime('ms'))).find(k.cast(polars.Datetime('ms'))))", "[0, 1, None]"),
    (r"listed(Index(left[['t\0', 's\0']]).find(left[['t\0', 's\0']]))", "[0, 1, 2]"),
    (r"listed(Index((t, s)).find((t, s)))", "[0, 1, 2]"),
    (r"listed(Index([7, 8, 9], rows=t).find([8]))", "[2]"),
    (r"listed(Index(t, 'AO+BS').range_count(k[:2], t[:2]))", "[1, 1]"),
    (r"listed(Index([1, 5], 'AO+BS').join_asof(t, tolerance=t))", "[0, 0, 0]"),
    (r"Index([9], 'AO+BS').insert(t, t)", "UpdateCounts(inserted=3, erased=0, cancelled=0)"),
    (r"listed(Index([1, 2, 3]).get_indexer(t, 'pad'))", "[0, 1, 2]"),
    (r"listed(warpdex.GroupedIndex(t, t).find(k, t))", "[0, 1, None]"),
    (r"listed(warpdex.Intervals(right['lo\0'], right['hi\0']).count(t))", "[2, 2, 0]"),
    (r"listed(warpdex.searchsorted(s, s))", "[0, 1, 2]"),
    (r"listed(warpdex.gather(t - 1, k))", "[1, 2, None]"),
    (r"listed(warpdex.gather(t - 1, numpy.arange(5)))", "[0, 1, 2]"),
    (r"names(warpdex.gather_table(t - 1, left))", r"['a\x00b', 't\x00', 's\x00']"),
    (
        r"names(warpdex.join(left, right[['a\0b', 't\0']], 'a\0b', suffix='\0'))",
        r"['a\x00b', 't\x00', 's\x00', 't\x00\x00']",
    ),
    (r"names(warpdex.join(left, right[['a\0b']], 'a\0b', 'full', coalesce=True))", r"['a\x00b', 't\x00', 's\x00']"),
    (r"names(warpdex.join_asof(left, right, on='t\0', by='a\0b'))[3:]", r"['v\x00', 'lo\x00', 'hi\x00']"),
    (r"names(warpdex.join_asof(left, left.drop('a\0b'), on='t\0', by='s\0'))", r"['a\x00b', 't\x00', 's\x00']"),
    (
        r"names(warpdex.join_between(right, left[['t\0', 's\0']], 't\0', 'lo\0', 'hi\0'))[5:]",
        r"['t\x00_right', 's\x00']",
    ),
    (r"names(warpdex.window(left, right, on='t\0', before=2, after=0, agg={'lo\0': 'sum'}))[3:]", r"['lo\x00_sum']"),
    (r"names(warpdex.join(left.lazy(), right[['a\0b']].lazy(), 'a\0b').collect())", r"['a\x00b', 't\x00', 's\x00']"),
    (
        r"names(warpdex.join_asof(left.lazy(), right.lazy(), on='t\0', by='a\0b').collect())[3:]",
        r"['v\x00', 'lo\x00', 'hi\x00']",
    ),
    (
        r"names(warpdex.join_between(right.lazy(), left[['t\0']], 't\0', 'lo\0', 'hi\0').collect())[5:]",
        r"['t\x00_right']",
    ),
    (r"names(left.lazy().select(col('a\0b').warpdex.find(Index([1, 2]))).collect())", r"['a\x00b']"),
    (r"names(warpdex.join(left, others, 'a\0b'))[3:]", r"['w\x00']"),
    (r"names(warpdex.join(left, others.to_pandas(), 'a\0b'))[3:]", r"['w\x00']"),
    (r"names(warpdex.join(left.lazy(), others, 'a\0b').collect())[3:]", r"['w\x00']"),
    (r"names(warpdex.join(others, right[['a\0b', 'v\0']], 'a\0b').to_pandas())", r"['a\x00b', 'w\x00', 'v\x00']"),
    (r"names(warpdex.join(others.to_pandas(), right[['a\0b', 'v\0']], 'a\0b'))", r"['a\x00b', 'w\x00', 'v\x00']"),
    (
        r"names(warpdex.join(others.to_reader(), right[['a\0b']], 'a\0b').read_all().to_pandas())",
        r"['a\x00b', 'w\x00']",
    ),
    (r"Index(struct)", "KeyTypeError: keys: nested values are no keys"),
    (r"Index([1]).find(struct)", "KeyTypeError: probes: nested values are no keys"),
    (r"names(warpdex.join(left, left.with_columns(struct), 't\0'))[-1:]", "['s']"),
    (
        r"warpdex.join(pyarrow.table({'t\0': [1]}), left.with_columns(struct), 't\0')",
        "Unsupported: the column 's' of a struct",
    ),
    (
        r"warpdex.join(left, pyarrow.table({'t\0': [1], 's': [{'a\0b': 1}]}), 't\0')",
        "Unsupported: the column 's' of a struct",
    ),
]


def test_names_with_a_zero_byte():
    lines = [BEGIN]
    for call, _ in CALLS:
        lines += ["try:", f"    print(repr({call}), flush=True)"]
        lines += ["except warpdex.Error as why:", "    print(f'{type(why).__name__}: {why}', flush=True)"]
    code = "\n".join(lines).replace(r"\0", r"\x00")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    answers = done.stdout.splitlines()
    for (call, answer), result in zip(CALLS, answers):
        assert result.startswith(answer), call
    assert len(answers) == len(CALLS), f"{CALLS[len(answers)][0]} ended the process: {done.stderr[-2000:]}"
    assert done.returncode == 0
