# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of files, by Polars."""

from __future__ import annotations

import glob
import os
import re
import signal
import sys
from typing import Any

import polars as pl

from ..columns.values import read
from ..errors import FileError, FormatError, InvalidArgument
from ._mistakes import READ, Table, expect_rows
from ._options import Options, Source
from ._values import read_binary

_CSV = {".csv": ",", ".tsv": "\t", ".txt": "\x1f"}  # a line of .txt is one cell
_SCANS: dict[str, Any] = {
    **dict.fromkeys((".parquet", ".pq"), pl.scan_parquet),
    **dict.fromkeys((".jsonl", ".ndjson"), pl.scan_ndjson),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), pl.scan_ipc),
}
_NAMES = "Int8 Int16 Int32 Int64 Int128 UInt8 UInt16 UInt32 UInt64 Float32 Float64 Decimal Date Datetime Duration Time"
_TYPES = {name.lower(): getattr(pl, name) for name in f"{_NAMES} String Binary".split()}
_TYPES |= {"bool": pl.Boolean, "uuid": pl.String}
_UUID = r"^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$"


def _schema(options: Options) -> dict[str, tuple[str, Any]]:
    """The types that a call names, such as datetime[us] or decimal(10,2): the word and Polars' type of each column."""
    result = {}
    for text in options.schema:
        try:
            name, word, rest = re.fullmatch(r"(.+)=(\w+)(?:[\[(](.+)[\])])?", text).groups()  # type: ignore[union-attr]
            words = [int(word) if word.isdecimal() else word for word in rest.split(",")] if rest else []
            result[name] = word, _TYPES[word](*words) if words else _TYPES[word]
        except (AttributeError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError):
            known = f"{', '.join(_TYPES)}, also datetime[us] and decimal(10,2)"
            raise InvalidArgument(f"--schema {text!r} is not NAME=TYPE; types are {known}") from None
    return result


def _files(path: str) -> list[str]:
    found = [path] if os.path.lexists(path) or not glob.has_magic(path) else sorted(glob.glob(path, recursive=True))
    if not found:
        raise FormatError(f"{path}: no file has such a name")
    for file_path in found:
        if (
            os.path.isfile(file_path) or not os.path.exists(file_path) or os.path.isdir(file_path)
        ):  # a pipe can be opened once
            with open(file_path, "rb") as file:
                try:
                    is_empty = not file.read(1)
                except OSError as why:
                    raise FileError(f"{file_path}: {why.strerror}") from None
            if is_empty:
                raise FormatError(f"{file_path}: is empty")
    return found


def _bytes_of(file: Any) -> bytes:
    """All bytes of a file or a pipe. Ctrl-C ends the wait for them, which Polars makes go on."""
    signal.siginterrupt(signal.SIGINT, True)
    with file:
        held: bytes = file.read()
    return held


def _csv(source: Source, options: Options, suffix: str) -> pl.LazyFrame:
    separator = {"tab": "\t", None: _CSV[suffix]}.get(options.delimiter, options.delimiter)
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise InvalidArgument(f"--delimiter is {separator!r}; it is one character, and no quote or line end")
    is_lines = separator == _CSV[".txt"]
    how: dict[str, Any] = {"separator": separator, "has_header": not (options.no_header or is_lines), "glob": False}
    how |= {"new_columns": ["key"], "quote_char": None} if is_lines else {}
    how |= {"null_values": options.null_value, "try_parse_dates": True, "infer_schema_length": 10_000}
    files: list[Any] = [_bytes_of(sys.stdin.buffer)] if source.path == "-" else list(_files(source.path))
    if files == [b""]:
        raise FormatError("standard input: is empty")
    schema, scans = _schema(options), []
    has_bytes = "binary" in (word for word, _ in schema.values())
    for file in files:
        name = source.name if isinstance(file, bytes) else file
        if not isinstance(file, bytes) and not os.path.isfile(file):  # a pipe, which can be read once
            file = _bytes_of(open(file, "rb"))
        names = None if is_lines else expect_rows(name, file, separator, how["has_header"])
        if has_bytes:  # each byte becomes a character, which is a byte again in the end
            data = file if isinstance(file, bytes) else _bytes_of(open(file, "rb"))
            file = data.decode("latin-1").encode()
        kinds = {name: pl.String if kind == pl.Binary else kind for name, (_, kind) in schema.items()}
        how["schema_overrides"] = {name: kind for name, kind in kinds.items() if names is None or name in names}
        READ.append(Table(name, file, dict(how)))
        scans.append(pl.scan_csv(file, **how))
    return _as_bytes(pl.concat(scans), schema) if has_bytes else pl.concat(scans)


def _as_bytes(table: pl.LazyFrame, schema: dict[str, tuple[str, Any]]) -> pl.LazyFrame:
    """Undoes the reading of bytes as characters."""

    def back(name: str) -> pl.Expr:
        if schema.get(name, ("", None))[1] == pl.Binary:
            return pl.col(name).map_elements(lambda text: text.encode("latin-1"), pl.Binary)
        return pl.col(name).map_elements(lambda text: text.encode("latin-1").decode(), pl.String)

    return table.with_columns(back(name) for name, kind in table.collect_schema().items() if kind == pl.String)


def scan(source: Source, options: Options) -> pl.LazyFrame:
    """A table that is read when it is needed. A file of an unknown kind is CSV if a column is named, else lines."""
    schema, path = _schema(options), re.sub(r"\.(gz|zst)$", "", source.path)
    suffix = os.path.splitext(path)[1].lower()
    if (numbers := read_binary(source.path)) is not None:
        result = pl.LazyFrame({"key": numbers})
    elif suffix in _SCANS:
        files = _files(source.path)
        READ.extend(Table(file, file, None) for file in files)
        result = _SCANS[suffix](files)
    else:
        result = _csv(
            source, options, suffix if suffix in _CSV else ".csv" if source.columns or path == "-" else ".txt"
        )
    found = result.collect_schema()
    for name, (word, kind) in schema.items():
        if name in found and found[name] != kind:
            result = result.with_columns(pl.col(name).cast(kind))
        if name in found and word == "uuid":
            result = result.with_columns(pl.col(name).str.to_lowercase().str.replace(_UUID, "$1-$2-$3-$4-$5"))
    return result


def columns_in(table: pl.LazyFrame, source: Source) -> list[str]:
    """The columns that a source names, by names or numbers; the first one if it names none."""
    names = table.collect_schema().names()
    if len(set(source.columns)) < len(source.columns):
        raise InvalidArgument(f"{source.text} names a column twice")
    for column in source.columns:
        if column not in names and not (column.isdecimal() and int(column) < len(names)):
            raise InvalidArgument(f"{source.name} has no column {column!r}; it has {', '.join(map(repr, names))}")
    return [column if column in names else names[int(column)] for column in source.columns] or names[:1]


def key_column(source: Source, options: Options, family: str | None = None) -> Any:
    """The keys or probes of a source: a Series, or a DataFrame of several columns. @param family of the keys asked"""
    if family == "string" and source.columns:  # digits of a CSV are text, unless a type is given
        options = Options(**{**vars(options), "schema": (f"{source.columns[0]}=string", *options.schema)})
    table = scan(source, options)
    result = table.select(columns_in(table, source)).collect()
    if result.width > 1:
        return result
    is_uuid = family is None and _schema(options).get(result.columns[0], [""])[0] == "uuid"
    return read(result.to_series(), "keys", "uuid") if is_uuid else result.to_series()


def paired(left: pl.DataFrame, right: pl.DataFrame, lefts: Any, rights: Any, suffix: str = "_right") -> pl.DataFrame:
    """The rows of both tables that are pairs. All left ones if none are given; -1 is a right one of nulls."""
    rows = pl.Series(rights)
    taken = right.select(pl.all().gather(rows.set(rows < 0, None)))
    taken = taken.rename({name: name + suffix for name in taken.columns if name in left.columns})
    return (left if lefts is None else left[lefts]).hstack(taken)
