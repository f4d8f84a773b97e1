# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Results as files and on the standard output. A file appears when it is complete."""

from __future__ import annotations

import csv
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import FileError, InvalidArgument
from ._options import Options

_SUFFIXES = (".csv", ".parquet", ".jsonl", ".ndjson")


def _special(path: str) -> bool:
    """Whether a name is that of a pipe or a device, which is written as it is."""
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path)


def expect_out(options: Options, suffixes: tuple[str, ...] = _SUFFIXES) -> None:
    """Checks before any work that the result can be written."""
    out = options.out
    if out == "-" and not suffixes:
        raise InvalidArgument("--out -: an index is a file")
    if out in (None, "-") or _special(out):
        return
    if os.path.isdir(out) and suffixes:
        raise FileError(f"{out}: is a directory")
    if os.path.lexists(out) and not options.force:
        raise FileError(f"{out}: exists; --force replaces it")
    folder = os.path.dirname(out) or "."
    if not os.path.isdir(folder):
        raise FileError(f"{out}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{out}: the folder {folder} cannot be written")
    if suffixes and os.path.splitext(out)[1].lower() not in suffixes:
        raise InvalidArgument(f"--out {out}: the name ends with {', '.join(suffixes)}")


@contextmanager
def target(out: str) -> Iterator[str]:
    """The path that is written in the place of a file, which gets its name at the end."""
    folder, name = os.path.split(out)
    stem, suffix = os.path.splitext(name)
    path = out if _special(out) else os.path.join(folder, f".{stem}.{os.getpid()}{suffix}")
    try:
        yield path
        if path != out:
            os.replace(path, out)
    except Exception as why:
        if full := re.search("No space left on device|File too large|Disk quota exceeded", str(why)):
            raise FileError(f"{out}: {full[0]}") from None
        raise
    finally:
        if path != out and os.path.lexists(path):
            os.unlink(path)


def write_text(text: str, options: Options) -> None:
    if options.out in (None, "-"):
        sys.stdout.write(text)
        return
    with target(options.out) as path, open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_lines(probes: tuple[str, ...], name: str, answers: Any) -> None:
    """Writes the answers to a few probes, without Polars."""
    offsets, rows = answers if isinstance(answers, tuple) else (range(len(probes) + 1), answers)
    listed = [None if type(row) is int and row < 0 else row for row in rows.tolist()]
    times = [end - begin for begin, end in zip(offsets, offsets[1:])]
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(("probe", name))
    lines.writerows(zip((probe for probe, count in zip(probes, times) for _ in range(count)), listed))


def write_table(table: Any, options: Options) -> None:
    """Writes a LazyFrame of Polars, which need not be in memory as a whole."""
    import polars as pl

    out = options.out
    suffix = ".csv" if out in (None, "-") or _special(out) else os.path.splitext(out)[1].lower()
    kinds = table.collect_schema()
    nested = [name for name, kind in kinds.items() if kind.is_nested()]
    if nested and suffix == ".csv":
        raise InvalidArgument(
            f"the column {nested[0]!r} is of type {kinds[nested[0]]}, which CSV has not; --out x.parquet"
        )
    if suffix != ".parquet":
        table = table.with_columns(pl.col(name).cast(pl.String) for name, kind in kinds.items() if kind == pl.Binary)
    if out in (None, "-"):
        sys.stdout.flush()
        table.sink_csv(sys.stdout.buffer)
        return
    with target(out) as path:
        sink = {".csv": table.sink_csv, ".parquet": table.sink_parquet}.get(suffix, table.sink_ndjson)
        sink(path)
