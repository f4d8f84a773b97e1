# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What processes that have just started do for the cases of front.py: each imports its own library alone."""


def _rows_by_warpdex(path, ids):
    import warpdex

    return warpdex.Index.load(path, mmap=True).find(ids)


def _rows_by_pandas(path, ids):
    import pandas as pd

    return pd.read_pickle(path).get_indexer(ids)


def _rows_by_polars(path, ids):
    import polars as pl

    known = pl.scan_ipc(path)
    return pl.LazyFrame({"id": ids}).join(known, on="id", how="left", maintain_order="left").collect()["row"].to_numpy()


ROWS_BY = {"warpdex": _rows_by_warpdex, "pandas": _rows_by_pandas, "polars": _rows_by_polars}


def sum_of_rows(library, path, ids):
    return int(ROWS_BY[library](path, ids).sum())
