# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command `warpdex` in this process, over a few small tables."""

import io
import os
import pathlib
import signal
import sys
import tempfile
from typing import NamedTuple

FILES = {
    "orders.csv": "id,customer,placed,amount\n70,5,2024-01-02,1.50\n71,7,2024-01-01,-2\n72,5,2024-01-02,0.25\n",
    "customers.csv": 'id,name\n5,Ada\n8,"Bob ""B"", Ltd.\nand sons"\n',
    "today.csv": "customer\n5\n6\n",
    "gone.txt": "7\n",
    "days.csv": "from,to\n2024-01-01,2024-01-02\n",
    "trades.csv": "time,symbol\n2024-01-02T10:00:05,A\n2024-01-02T10:00:09,B\n",
    "quotes.csv": "time,symbol,bid\n2024-01-02T10:00:04,A,1.5\n2024-01-02T10:00:05,B,2.5\n",
    "shifts.csv": "name,begin,end\nearly,0,10\nlate,20,30\n",
    "breaks.csv": "begin,end\n3,4\n15,18\n",
    "visits.csv": "ip\n10.1.2.3\n8.8.8.8\n",
    "networks.csv": "cidr\n10.0.0.0/8\n10.1.0.0/16\n",
}


def enter(folder: pathlib.Path, monkeypatch) -> pathlib.Path:
    """Makes a folder with the tables the current one."""
    monkeypatch.chdir(folder)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


class Done(NamedTuple):
    status: int
    out: str
    error: str


def run(*arguments: str, stdin: bytes = b"") -> Done:
    """What the command writes and how it ends. What is written to the descriptors is caught."""
    from warpdex.cli import main
    from warpdex.cli._mistakes import READ

    READ.clear()
    held = [signal.getsignal(number) for number in (signal.SIGPIPE, signal.SIGTERM)]
    streams = sys.stdin, sys.stdout, sys.stderr
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        kept = os.dup(2)
        os.dup2(error.fileno(), 2)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        sys.stdout = io.TextIOWrapper(open(os.dup(out.fileno()), "wb"), write_through=True)
        sys.stderr = io.TextIOWrapper(open(os.dup(error.fileno()), "wb"), write_through=True)
        try:
            main(list(arguments))
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(bool(end.code))
        finally:
            sys.stdout.flush()
            sys.stdin, sys.stdout, sys.stderr = streams
            os.dup2(kept, 2)
            os.close(kept)
            signal.signal(signal.SIGPIPE, held[0])
            signal.signal(signal.SIGTERM, held[1])
        out.seek(0)
        error.seek(0)
        return Done(status, out.read().decode(), error.read().decode())
