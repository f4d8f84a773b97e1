# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The subcommands over one index: what builds, searches, changes and describes it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

import warpdex

from ..errors import InvalidArgument
from ._joins import JOINS
from ._options import Options, choice, command, listed, named, option, progress, source
from ._output import expect_out, write_lines, write_table, write_text

_LOOKUPS = "find contains count retrieve floor ceil lower_bound upper_bound prefix_count prefix_retrieve longest_prefix"
_INDEX = (
    option("--index", text="A file that build made, or a spec, such as auto.", required=True, metavar="FILE|SPEC"),
    source("--keys", "The key columns, if --index is a spec.", required=False),
    source("--source", "The table and the column that an index file was built of.", required=False),
    listed("--columns", "Columns of the row, or all, instead of its number."),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="warpdex", message="%(prog)s %(version)s")
def program() -> None:
    """Database indexes over columns of files: lookups and joins.

    FILE[:COLUMN] is CSV (.csv, .tsv), Parquet, JSON lines (.jsonl, .ndjson) or Arrow's IPC (.arrow, .feather) by the
    end of its name; CSV and JSON also packed (.gz, .zst). A pattern such as 'day-*.csv' is several files, and - is CSV
    of the standard input. Files of numbers are .npy, .u32, .u64, .i32, .i64, .f32, .f64, and those of SOSD. Others are
    CSV if a column is named, else lines with one key each.

    The status is 0; 1 if nothing is found; 2 after an error.
    """


def _keys(source: Any, options: Options, family: str | None = None) -> Any:
    """The keys or the probes of a source. @param family of the keys that are asked"""
    from ._tables import key_column

    return key_column(source, options, family)


def _loaded(path: str, options: Options, mmap: bool = True) -> Any:
    return warpdex.Index.load(path, mmap=mmap and options.device == "cpu", device=options.device)


def _built(options: Options, spec: str, **how: Any) -> Any:
    keys = _keys(options.keys, options)
    with progress(options, f"index of {options.keys.text}") as on_progress, named(keys=options.keys.text):
        return warpdex.Index(keys, spec, threads=options.threads, progress=on_progress, **how)


def _index(options: Options) -> Any:
    """The index that is asked. Afterwards `options.source` is the table of its rows."""
    if os.path.exists(options.index):
        if options.keys is not None:
            raise InvalidArgument(f"--index {options.index} is a file, so --keys becomes --source")
        return _loaded(options.index, options)
    if options.keys is None:
        raise InvalidArgument(f"--index {options.index}: no such file; a spec needs --keys")
    options.source = options.keys
    return _built(options, options.index)


def _write(options: Options, index: Any, probes: Any, answers: tuple[str, Any]) -> None:
    """Writes probes with rows, or with the cells of these. @param answers a name and rows, or offsets and rows"""
    import numpy as np
    import polars as pl

    from ._tables import columns_in, paired, scan

    name, rows = answers
    offsets, rows = rows if isinstance(rows, tuple) else (None, rows)
    lefts = None if offsets is None else np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    if options.columns is None:
        result = (probes if lefts is None else probes[lefts]).with_columns(pl.Series(name, rows))
        write_table(result.lazy(), options)
        return
    if options.source is None:
        raise InvalidArgument("--columns needs --source, the table of the index")
    table = scan(options.source, options)
    names, keys = options.columns, columns_in(table, options.source)
    if names == ("all",):
        names = table.collect_schema().names()
    names = columns_in(table, options.source._replace(columns=tuple(names)))
    held = table.select(*dict.fromkeys((*names, *keys))).collect()
    if len(keys) == 1:
        from ..lookups.origin import over_column

        with named(right=options.source.name):
            over_column(index, held.get_column(keys[0]), keys[0])
    write_table(paired(probes, held[:, : len(names)], lefts, rows).lazy(), options)


def _status(answers: Any, least: int) -> int:
    """1 if no answer is as much: 0 of rows, 1 of counts and of flags."""
    import numpy as np

    held = answers[-1] if isinstance(answers, tuple) else answers
    held = np.asarray(held.drop_nulls() if hasattr(held, "drop_nulls") else held)
    return int(not (held >= least).any())


@command(
    "Look values up: the first row of each, which are numbered from 0, its neighbours, or all rows.",
    "warpdex find --index customers.wdx --probe 5\n"
    "  warpdex find --index auto --keys orders.csv:customer --probes today.csv:customer --columns id,amount\n"
    "  warpdex find --index AO+BS --keys orders.csv:placed --probe 2024-01-02 --lookup retrieve",
    *_INDEX,
    source("--probes", "The values to look up.", required=False),
    option("--probe", text="A value to look up; repeats.", multiple=True, metavar="VALUE"),
    choice("--lookup", _LOOKUPS, "What is answered"),
)
def find(options: Options) -> int:
    from ._values import values_of

    expect_out(options)
    if (options.probes is None) == (not options.probe):
        raise InvalidArgument("--probes names a file, or --probe a value; one of them is given")
    index, lookup = _index(options), options.lookup
    is_plain = bool(options.probe) and options.out is options.columns is None and "polars" not in sys.modules
    probes: Any = values_of(options.probe, index._family, "--probe") if options.probe else None
    if probes is None:
        probes = _keys(options.probes, options, index._family)
    name = "--probe" if options.probe else options.probes.text
    with progress(options, lookup) as on_progress, named(probes=name, prefixes=name):
        answers = getattr(index, lookup)(probes, threads=options.threads, progress=on_progress)
    if lookup == "longest_prefix":
        answers = answers[0]
    is_row = isinstance(answers, tuple) or lookup in ("find", "floor", "ceil", "longest_prefix")
    column = "row" if is_row else lookup
    if is_plain:
        write_lines(options.probe, column, answers)
    else:
        import polars as pl

        query = probes if isinstance(probes, pl.DataFrame) else pl.DataFrame({"probe": options.probe or probes})
        if not isinstance(answers, tuple):
            answers = pl.Series(answers)
            answers = answers.set(answers < 0, None) if is_row else answers
        _write(options if is_row else Options(**{**vars(options), "columns": None}), index, query, (column, answers))
    return _status(answers, 0 if is_row or lookup.endswith("bound") else 1)


@command(
    "Count or list the rows of ranges of keys.",
    "warpdex range --index AO+BS --keys orders.csv:placed --lower days.csv:from --upper days.csv:to",
    *_INDEX,
    source("--lower", "The lower bounds."),
    source("--upper", "The upper bounds."),
    choice("--closed", "both left right none", "Which bounds belong to the ranges"),
    option("--rows", text="List the rows of each range, instead of counting them.", is_flag=True),
    name="range",
)
def range_(options: Options) -> int:
    import polars as pl

    expect_out(options)
    index = _index(options)
    lower, upper = (_keys(bound.expect(1), options, index._family) for bound in (options.lower, options.upper))
    lists = options.rows or options.columns is not None
    with named(lower=options.lower.text, upper=options.upper.text), progress(options, "ranges") as on_progress:
        ask = index.range_retrieve if lists else index.range_count
        answers = ask(lower, upper, options.closed, threads=options.threads, progress=on_progress)
    _write(options, index, pl.DataFrame({"lower": lower, "upper": upper}), ("row" if lists else "count", answers))
    return _status(answers, int(not lists))


@command(
    "Build an index over a column, or several, and save it.",
    "warpdex build --keys orders.csv:customer --out by_customer.wdx",
    source("--keys", "The key column, or several."),
    option("--index", text="What is built.", default="auto", metavar="SPEC"),
    source("--rows", "The row id of each key, by default its position.", required=False),
    choice("--nulls", "skip error", "What becomes of null keys"),
    listed("--devices", "What shares the index, such as 0,1 or cpu,cpu."),
    choice("--placement", "auto replicate range", "How they share it"),
    option("--out", text="The index file, or with --devices the folder.", required=True, metavar="FILE"),
    option("--force", text="Replace the file if it exists.", is_flag=True),
    out=False,
)
def build(options: Options) -> None:
    expect_out(options, ())
    how: dict[str, Any] = {"nulls": options.nulls, "device": options.device}
    if options.devices:
        over = [int(device) if device.isdecimal() else device for device in options.devices]
        how |= {"device": None, "devices": over, "placement": options.placement}
    if options.rows is not None:
        how["rows"] = _keys(options.rows.expect(1), options).to_numpy()
    _built(options, options.index, **how).save(options.out)


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Holds a file or a folder, so that updates of it by several commands come one after the other."""
    import fcntl

    while True:
        held = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(held), os.stat(path)):  # no other command has replaced it meanwhile
                yield
                return
        finally:
            os.close(held)


@command(
    "Erase keys of an index file, insert others, or both.",
    "warpdex update --index customers.wdx --insert today.csv:customer --first-row 1000 --erase gone.txt",
    option("--index", text="The index file, which is replaced when the new one is complete.", required=True),
    source("--insert", "Keys that are added.", required=False),
    source("--rows", "Their row ids.", required=False),
    option("--first-row", text="The row id of the first of them.", type=click.IntRange(0)),
    source("--erase", "Keys whose entries are removed.", required=False),
    option("--assign", text="Remove the entries of the added keys first.", is_flag=True),
    out=False,
)
def update(options: Options) -> None:
    import numpy as np

    insert, erase = options.insert, options.erase
    if insert is None and erase is None:
        raise InvalidArgument("--insert or --erase names keys")
    if insert is not None and (options.rows is None) == (options.first_row is None):
        raise InvalidArgument("--insert needs --rows or --first-row")
    if options.assign and (insert is None or erase is not None):
        raise InvalidArgument("--assign goes with --insert alone")
    with _alone(options.index):
        index = _loaded(options.index, options, mmap=False)
        added, gone = (None if keys is None else _keys(keys, options, index._family) for keys in (insert, erase))
        with named(keys=(insert or erase).text, insert_keys=(insert or erase).text, erase_keys=(erase or insert).text):
            if added is None:
                counts = index.erase(gone, threads=options.threads)
            else:
                rows = np.arange(len(added)) + (options.first_row or 0)
                if options.rows is not None:
                    rows = _keys(options.rows.expect(1), options).to_numpy()
                change = index.update if erase else index.insert_or_assign if options.assign else index.insert
                counts = change(added, rows, *([gone] if erase else []), threads=options.threads)
        index.save(options.index)
    if not options.quiet:
        click.echo("inserted {}, erased {}, cancelled {}".format(*counts), err=True)


@command(
    "Describe an index file: its structure, types, bytes, and how batches run.",
    "warpdex info customers.wdx",
    click.argument("file"),
    option("--json", "as_json", text="One line of JSON.", is_flag=True),
    out=False,
)
def info(options: Options) -> None:
    index = _loaded(options.file, options)
    if options.as_json:
        import json

        click.echo(json.dumps({"file": options.file, "values": index._family, **index._core.facts()}))
    else:
        click.echo(f"{options.file}: values of type {index._family}\n{index.explain()}")


@command(
    "Look at a key column, and recommend an index with reasons.",
    "warpdex advise --keys orders.csv:customer --workload points,least_memory",
    source("--keys", "The key column."),
    listed("--workload", "What the index is for: points, ranges, order, least_memory."),
    option("--batch", text="Probes of a call.", default=1 << 20),
    out=False,
)
def advise(options: Options) -> None:
    spec = f"auto({','.join(options.workload)})" if options.workload else "auto"
    click.echo(_built(options, spec, device=options.device).explain(options.batch))


@command(
    "Check an index file as a whole, and whether it is over a column.",
    "warpdex verify customers.wdx --source orders.csv:customer",
    click.argument("file"),
    source("--source", "The table and the column that it was built of.", required=False),
    out=False,
)
def verify(options: Options) -> None:
    index = _loaded(options.file, options, mmap=False)
    if options.source is not None:
        from ..lookups.origin import over_column

        with named(index=options.file):
            over_column(index, _keys(options.source.expect(1), options, index._family), options.source.text)
    click.echo(f"{options.file}: {len(index)} keys, {index.spec}")


@command(
    "Draw a small index, and the path of a probe, as SVG.",
    "warpdex draw --index AO+BS --keys orders.csv:customer --probe 5 --out picture.svg",
    option("--index", text="The structure that is drawn.", required=True, metavar="SPEC"),
    source("--keys", "The key column, of at most 1000 keys."),
    option("--probe", text="A key whose search is drawn too.", metavar="VALUE"),
    option("--out", text="A .svg, instead of the standard output.", metavar="FILE"),
    option("--force", text="Replace the file if it exists.", is_flag=True),
    out=False,
)
def draw(options: Options) -> None:
    from ._values import values_of

    expect_out(options, (".svg",))
    keys, probe = _keys(options.keys, options), None
    if options.probe is not None:
        values = values_of((options.probe,), warpdex.Index(keys)._family, "--probe")
        probe = tuple(column[0] for column in values) if isinstance(values, tuple) else values[0]
    with named(keys=options.keys.text):
        write_text(str(warpdex.draw(options.index, keys, probe)), options)


for _command in (find, range_, *JOINS, build, update, info, advise, verify, draw):
    program.add_command(_command)
