# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The command `warpdex`: the functions of the package over files.

Click reads the options. Each library, and the core too, is imported when it is used, so that help comes at once."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

from ..errors import Error


def _ended(text: str) -> NoReturn:
    """Ends with one line, which holds nothing that controls a terminal."""
    line = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
    os.write(2, f"warpdex: error: {line}\n".encode(errors="backslashreplace"))
    sys.exit(2)


def _explained(why: Exception) -> str:
    """What is said of an exception; one of another kind is a mistake of the command and goes on."""
    if isinstance(why, ImportError) and (why.name or "").partition(".")[0] in ("click", "polars", "rich"):
        return f"the command needs {why.name}: pip install 'warpdex[cli]'"
    if isinstance(why, OSError) and why.filename is not None:
        return f"{os.fsdecode(why.filename)}: {why.strerror}"
    if "polars" in sys.modules and not isinstance(why, Error):
        from ._mistakes import explained

        if (text := explained(why)) is not None:
            return text
    if isinstance(why, (Error, OSError)):
        return str(why)
    if isinstance(why, MemoryError):
        return "memory has run out"
    raise why


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the command. Its status is 0; 1 if nothing is found; 2 after an error. Ctrl-C and a closed pipe end it as
    their signals do."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    status: Any = 0
    if sys.stdin is None or sys.stdout is None:
        _ended("the standard input or output is closed")
    try:
        import click

        from ._commands import program

        try:
            status = program.main(arguments, "warpdex", standalone_mode=False)
            sys.stdout.flush()
        except click.ClickException as why:
            _ended(why.format_message())
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as why:
        _ended(_explained(why))
    sys.exit(status or 0)
