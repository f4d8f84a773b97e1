# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Random frames and columns, joined and searched by warpdex, and by the library whose answer it promises or by scans of
plain lists.

A check draws one case from a generator of random numbers, asks both, and raises `AssertionError` if values, types, names,
order or index differ. What the other library refuses is no case, nor is a spec or a type that an index does not take.
"""

import contextlib
import warnings
import zlib

import numpy as np

from . import against_duckdb, against_lists, against_numpy, against_pandas, against_polars, against_rows, against_scans
from .columns import Refused

CHECKS = {
    f"{module.__name__.rpartition('_')[2]}.{check.__name__}": check
    for module in (
        against_pandas,
        against_polars,
        against_duckdb,
        against_numpy,
        against_lists,
        against_scans,
        against_rows,
    )
    for check in module.CHECKS
}


def run(name, seed):
    """Runs one case; whether the other library answered it."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(Refused):
            CHECKS[name](rng)
            return True
    return False
