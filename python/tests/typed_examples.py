# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Calls whose types a checker follows. It runs too."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import warpdex
from warpdex import Index

index = Index(np.array([30, 10, 20, 10]), "AO+BS")
found = index.find(np.array([10, 25]))
print(found[0], len(index), index.spec, index.nbytes, index.is_unique)

offsets, rows = index.retrieve([10, 30])
print(rows[offsets[0] : offsets[1]].sum())

left, right = index.join([10, 11], "left")
left, right = index.join([10, 11], how="semi")
print(left.size + right.size)

counts: tuple[int, int, int] = index.insert([40], [4])
print(sum(counts), warpdex.searchsorted([1, 2, 3], [2]))

with TemporaryDirectory() as folder:
    index.save(Path(folder) / "some.wdx")
    again: Index = Index.load(Path(folder) / "some.wdx", mmap=True)
    text: str = again.explain(batch=1000)
    print(text)

try:
    Index([1], "nonsense")
except warpdex.errors.SpecError as why:
    print(str(why))
