# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What the options of several subcommands are, and what their texts mean."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

import click

from ..errors import Error, InvalidArgument

Options = SimpleNamespace  # those of a call, by their names


class Source(NamedTuple):
    """A file, or several by a pattern, and the columns that are named."""

    path: str
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "standard input" if self.path == "-" else self.path

    @property
    def text(self) -> str:
        return ":".join((self.name, *[",".join(self.columns)] * bool(self.columns)))

    def expect(self, columns: int) -> Source:
        """The source, of so many columns; one may be without a name, and 0 are any number."""
        if columns and not (columns if columns > 1 else 0) <= len(self.columns) <= columns:
            raise InvalidArgument(f"{self.text} names {len(self.columns)} columns; it takes {columns}")
        return self


def _source(text: str) -> Source:
    path, colon, names = text.rpartition(":")
    return Source(path, tuple(names.split(","))) if colon and not os.path.exists(text) else Source(text)


def option(*names: str, text: str, **how: Any) -> Any:
    return click.option(*names, help=text, show_default=bool(how.get("default")), **how)


def source(name: str, text: str, required: bool = True) -> Any:
    return option(name, text=text, type=_source, required=required, metavar="FILE[:COLUMN,...]")


def listed(name: str, text: str) -> Any:
    return option(name, text=text, type=lambda words: tuple(words.split(",")), metavar="NAME,...")


def choice(name: str, words: str, text: str) -> Any:
    """An option that is one of some words, by default the first."""
    values = words.split()
    text = f"{text}: {', '.join(values)}."
    return option(name, text=text, type=click.Choice(values), default=values[0], metavar="WORD")


_ALL = (
    option("--schema", text="The type of a column, such as id=uuid.", multiple=True, metavar="NAME=TYPE"),
    option("--delimiter", text="What separates the cells of CSV; 'tab' is one.", metavar="CHAR"),
    option("--no-header", text="The first line of CSV is a row, and columns have numbers.", is_flag=True),
    option("--null-value", text="A cell of CSV that is null, besides empty ones.", metavar="TEXT"),
    option("--device", text="What searches: cpu, cuda or cuda:1.", default="cpu", metavar="NAME"),
    option("--threads", text="Threads at most; 0 for all cores.", default=0, type=click.IntRange(0, 4096)),
    option("-q", "--quiet", text="Show no progress.", is_flag=True),
)
_OUT = (
    option("--out", text="Instead of CSV to standard output: a .csv, .parquet or .jsonl.", metavar="FILE"),
    option("--force", text="Replace the file if it exists.", is_flag=True),
)


_Command = Callable[[Callable[[Options], Any]], click.Command]


def command(text: str, example: str, *options: Any, name: str = "", out: bool = True) -> _Command:
    """Makes a function a subcommand, by what it does, how it is called, and its options, to which those of all come."""
    help_text = f"{text}\n\n\b\nExample:\n  {example}"

    def decorate(function: Callable[[Options], Any]) -> click.Command:
        def call(**options: Any) -> Any:
            try:
                return function(Options(**options))
            except KeyboardInterrupt:  # ends without a word, and so that shells see it; Click would write a line
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.kill(os.getpid(), signal.SIGINT)

        run: Any = call
        for add in reversed((*options, *(_OUT if out else ()), *_ALL)):
            run = add(run)
        return click.command(name or function.__name__, help=help_text)(run)

    return decorate


def number(text: str) -> Any:
    """A number, also in hexadecimal."""
    try:
        return int(text, 10 if text.lstrip("+-").isdecimal() else 0)
    except ValueError:
        return float(text)


def distance(text: str) -> Any:
    """A distance: a number, or a duration such as 2s."""
    try:
        return number(text)
    except ValueError:
        return text


@contextmanager
def named(**names: str | None) -> Iterator[None]:
    """Errors about arguments, such as `keys`, name the file and the column that they came from instead."""
    try:
        yield
    except Error as why:
        text = str(why)
        first = text.partition(" ")[0].partition("[")[0].rstrip(":")
        if (name := names.get(first)) is None:
            raise
        raise type(why)(name + text.removeprefix(first)) from None


@contextmanager
def progress(options: Options, text: str) -> Iterator[Any]:
    """What a call of the package tells of its progress: nothing, unless a terminal shows it."""
    if options.quiet or not sys.stderr.isatty():
        yield False
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=1.0)
        yield lambda done: bar.update(task, completed=done)
