# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with tables: Polars says that there is something, and this finds the file, the column, the row and the
value."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..errors import FormatError, shown

_PART = 1 << 24  # bytes of a file that are looked at at a time


class Table(NamedTuple):
    """What a call reads."""

    name: str
    data: Any  # a path, or bytes
    how: dict[str, Any] | None  # options of Polars for CSV


READ: list[Table] = []


def _opened(data: Any) -> Any:
    if not isinstance(data, bytes) and data.endswith(".zst"):  # which Polars unpacks, and Python from 3.14 on
        how: dict[str, Any] = {"has_header": False, "separator": "\x1f", "quote_char": None, "encoding": "utf8-lossy"}
        data = "\n".join(pl.read_csv(data, **how, schema={"line": pl.String})["line"].fill_null("")).encode()
    return io.BytesIO(data) if isinstance(data, bytes) else (gzip.open if data.endswith(".gz") else open)(data, "rb")


def _cells(data: Any, separator: str) -> Iterator[list[str]]:
    csv.field_size_limit(1 << 30)
    with _opened(data) as file:
        yield from csv.reader((line.decode("latin-1") for line in file), delimiter=separator)


def expect_rows(name: str, data: Any, separator: str, has_header: bool) -> list[str] | None:
    """Checks that no column is there twice, and that no row is shorter than the first line, for which Polars has nulls.
    A file whose separators are as many as its lines need is not read cell by cell. Returns the names of the columns."""
    try:
        held = _opened(data).getvalue() if name.endswith(".zst") else data
        return _rows(name, held, separator, has_header)
    except csv.Error:
        raise FormatError(f"{name}: a line has a carriage return that does not end it") from None
    except (OSError, EOFError, pl.exceptions.ComputeError) as why:
        raise FormatError(f"{name}: {why}") from None


def _rows(name: str, data: Any, separator: str, has_header: bool) -> list[str] | None:
    header = next(_cells(data, separator), [])
    names = [cell.encode("latin-1").decode(errors="replace").removeprefix("\ufeff") for cell in header]
    if has_header and len(set(names)) < len(names):
        raise FormatError(f"{name}: the column {max(names, key=names.count)!r} is there twice")
    separators, ends, quotes, last = 0, 0, 0, b""
    with _opened(data) as file:
        while part := file.read(_PART):
            numbers, last = np.frombuffer(part, np.uint8), part[-1:]
            if quotes % 2 or b'"' in part:  # what is between quotes separates nothing
                is_quote = numbers == ord('"')
                numbers = numbers[(np.cumsum(is_quote, dtype=np.uint8) + quotes) % 2 == 0]
                quotes += int(np.count_nonzero(is_quote))
            separators += int(np.count_nonzero(numbers == ord(separator)))
            ends += int(np.count_nonzero(numbers == ord("\n")))
    if separators != (len(header) - 1) * (ends + (last != b"\n")):
        for row, cells in enumerate(_cells(data, separator), -1 if has_header else 0):
            if len(cells) not in (0, len(header)):
                raise FormatError(f"{name}: row {row} has {len(cells)} cells, but the first line {len(header)}")
    return names if has_header else None


def explained(why: Exception) -> str | None:
    """The line for an exception of Polars, or about what it read; None for one of another kind."""
    if not isinstance(why, (pl.exceptions.PolarsError, OSError, EOFError)):
        return None
    line = (str(why).splitlines() or [type(why).__name__])[0].removeprefix("ComputeError: ")
    for table in READ:
        try:
            found = _in_csv(table) if table.how else _in_json(table) if "json" in table.name else None
        except (OSError, EOFError) as other:
            found = str(other)
        except pl.exceptions.PolarsError:
            found = None
        if found is not None:
            return f"{table.name}: {found}"
    is_named = len(READ) != 1 or READ[0].name in line or isinstance(why, OSError)  # which may be about the output
    return line if is_named else f"{READ[0].name}: {line}"


def _in_json(table: Table) -> str | None:
    with _opened(table.data) as file:
        for row, line in enumerate(file):
            try:
                json.loads(line)
            except ValueError:
                return f"row {row} is no JSON: {shown(line.decode(errors='replace').strip())}"
    return None


def _in_csv(table: Table) -> str | None:
    how = table.how or {}
    with _opened(table.data) as file:
        for row, line in enumerate(file, -int(how["has_header"])):
            try:
                line.decode()
            except UnicodeDecodeError as why:
                wrong = shown(line[why.start : why.start + 8])
                return f"row {row} has {wrong}, which is no UTF-8; --schema NAME=binary reads bytes"
    try:
        kinds = pl.scan_csv(table.data, **how).collect_schema()
        as_texts = {**how, "schema_overrides": None, "infer_schema": False, "try_parse_dates": False}
        texts = pl.scan_csv(table.data, **as_texts).collect()
    except pl.exceptions.PolarsError:
        return None
    for name, kind in kinds.items():
        column = texts.get_column(name)
        if kind == pl.Boolean:
            result = column.is_in(["true", "false"])
        else:
            parse: Any = column.str.strptime if kind in (pl.Date, pl.Datetime, pl.Time) else column.cast
            result = parse(kind, strict=False).is_not_null()
        rows = (column.is_not_null() & ~result).arg_true()
        if len(rows):
            value, what = shown(column[rows[0]]), str(kind).lower()
            return f"row {rows[0]}: {name} is {value}, which is no {what}; --schema {name}=TYPE gives another type"
    return None
