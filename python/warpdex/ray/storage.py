# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of an index over a Dataset: a file of rows per shard, the borders between the shards, and a manifest, which is
written last and has a checksum of each file and of itself. Each save has a number, from which the names of its files are
made, so that it writes to no file of another one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import secrets
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeVar

from ..columns.values import extra
from ..errors import Error, FileError, FormatError, InvalidArgument, shown
from .data import got, here
from .workers import ROW, Saved, ascending, checksum_of, examined, read, written

ray = extra("ray")
pyarrow = extra("pyarrow")

_R = TypeVar("_R")

_MANIFEST = "manifest.json"
_FORMAT = 2
MOST_SHARDS = 1 << 16
_TRIES = 16  # of a load while others save; each fails only if a save ended during it
_TEXTS = ("id", "on", "spec")
_KEPT = (*_TEXTS, "by", "placement", "rows")  # what a folder says of its index
_NUMBER, _CHECKSUM = re.compile("[0-9a-f]{16}"), re.compile("[0-9a-f]{64}")
_NAME = re.compile(r"([0-9a-f]{16})(-(\d+|borders)\.arrow|\.part)")


# Saves. As long as one is at work, its manifest in the making is there and locked.


def save(folder: pathlib.Path, facts: dict[str, Any], refs: list[Any]) -> list[Saved]:
    """Writes the index of some facts, and removes the one that was there. @param refs the rows of each shard
    @return the files of the shards"""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _held(folder, facts) or _written(folder, facts, refs)
    except OSError as why:
        raise FileError(f"folder is {str(folder)!r}, which cannot be written: {why}") from None


def _held(folder: pathlib.Path, facts: dict[str, Any]) -> list[Saved] | None:
    """The files of the shards, if the folder holds the index already: workers may still read them."""
    try:
        said = _manifest(folder)
        files = _files(folder, said)
        is_same = all(said[name] == facts[name] for name in _KEPT)
        return files[:-1] if is_same and all(checksum_of(file.path) == file.checksum for file in files) else None
    except (OSError, Error):
        return None


def _written(folder: pathlib.Path, facts: dict[str, Any], refs: list[Any]) -> list[Saved]:
    _remove_remains(folder)
    with _begun(folder) as part:
        said: dict[str, Any] = {"format": _FORMAT, **{name: facts[name] for name in _KEPT}}
        said |= {"save": pathlib.Path(part.name).stem, "files": [""] * len(refs), "borders": ""}
        *shards, borders = _files(folder, said)
        try:
            for number, (file, ref) in enumerate(zip(shards, refs)):
                said["files"][number] = written(ray.get(ref), file.path)
            said["borders"] = written(pyarrow.table({"borders": facts["borders"]}), borders.path)
            part.write(_text(said))
            part.flush()
            os.replace(part.name, folder / _MANIFEST)
        except BaseException:
            for file in (*shards, borders):
                file.path.unlink(missing_ok=True)
            raise
    _remove_remains(folder)
    return _files(folder, said)[:-1]


@contextlib.contextmanager
def _begun(folder: pathlib.Path) -> Iterator[IO[bytes]]:
    """The manifest of a save in the making. It is removed in the end if it has not got its name."""
    while True:
        path = folder / f"{secrets.token_hex(8)}.part"
        with open(path, "xb") as part:
            if not _is_claimed(part):
                continue
            try:
                yield part
            finally:
                path.unlink(missing_ok=True)
            return


def _is_claimed(part: IO[bytes]) -> bool:
    """Locks a new file, which stays without a lock where there are none. False if another save takes it for one that was
    left, and removes it."""
    try:
        fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return os.fstat(part.fileno()).st_nlink > 0


def _has_ended(folder: pathlib.Path, number: str) -> bool:
    """Whether a save has ended, whose manifest in the making is then removed. False if the file system does not tell."""
    path = folder / f"{number}.part"
    try:
        with open(path, "r+b") as part:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _remove_remains(folder: pathlib.Path) -> None:
    """Removes the files of saves that have ended, but those that the manifest names. Files are listed before their save
    is found to have ended, and the manifest is read after that: so a save that ends meanwhile loses none."""
    files: dict[str, list[pathlib.Path]] = {}
    for path in folder.iterdir():
        if name := _NAME.fullmatch(path.name):
            files.setdefault(name[1], []).append(path)
    ended = [number for number in files if _has_ended(folder, number)]
    try:
        named = _manifest(folder)["save"]
    except FileNotFoundError:
        named = None
    except (OSError, Error):  # it may name any of them
        return
    for path in (path for number in ended if number != named for path in files[number]):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


# Loads.


def load(folder: pathlib.Path, make: Callable[[dict[str, Any], list[Saved]], _R]) -> _R:
    """What `made` makes of the facts of an index and of the files of its shards. It is asked again if another save has
    removed these meanwhile."""
    tries = 1
    while True:
        facts = _facts(folder)
        try:
            *files, borders = _files(folder, facts)
            return make({**facts, "borders": _borders(read(borders), borders, len(files))}, files)
        except (FileError, FormatError):
            if tries == _TRIES or _facts(folder)["save"] == facts["save"]:
                raise
            tries += 1


def rows_of(facts: dict[str, Any], files: list[Saved]) -> tuple[list[Any], Any]:
    """References to the rows of each shard, which were checked, and their columns."""
    remote = here if len(files) == 1 else ray.remote
    rows, examine = remote(read), remote(examined)
    refs = [rows.remote(file) for file in files]
    keys = [*facts["by"], facts["on"]]
    most = facts["rows"]
    query = [
        examine.remote(ref, file, number, facts["borders"], keys, most)
        for number, (ref, file) in enumerate(zip(refs, files))
    ]
    schemas, sizes = zip(*got(query))
    if others := [number for number, schema in enumerate(schemas) if schema != schemas[0]]:
        raise FormatError(f"{files[others[0]].what} has other columns than that of shard 0: {files[others[0]].path}")
    if sum(sizes) != most:
        raise FormatError(
            f"the manifest says that there are {most} rows, but the files of the shards have {sum(sizes)}"
        )
    return refs, schemas[0]


def _facts(folder: pathlib.Path) -> dict[str, Any]:
    try:
        return _manifest(folder)
    except FileNotFoundError:
        raise InvalidArgument(f"folder is {str(folder)!r}, in which there is no {_MANIFEST}") from None
    except OSError as why:
        raise FileError(f"folder is {str(folder)!r}, whose manifest cannot be read: {why}") from None


def _borders(table: Any, file: Saved, shards: int) -> Any:
    """The borders between shards, which ascend."""
    borders = table.column(0).combine_chunks() if table.num_columns == 1 else None
    if borders is None or len(borders) != shards - 1 or borders.null_count:
        raise FormatError(f"{file.what} has those of another index: {file.path}")
    if not ascending(borders).all():
        raise FormatError(f"{file.what} has some that do not ascend: {file.path}")
    return borders


# The manifest.


def _text(facts: dict[str, Any]) -> bytes:
    """What a manifest says: facts, and their checksum."""
    checksum = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    return json.dumps({**facts, "checksum": checksum}).encode()


def _manifest(folder: pathlib.Path) -> dict[str, Any]:
    """@throws FileNotFoundError if there is none; FormatError if it is damaged"""
    path = folder / _MANIFEST
    if not path.is_file():
        raise FileNotFoundError(str(path))
    stored = path.read_bytes()
    try:
        facts = _loaded(stored)
        _expect_right(facts)
    except ValueError as why:
        raise FormatError(f"folder is {str(folder)!r}, whose manifest is damaged: {why}") from None
    return facts


def _loaded(stored: bytes) -> dict[str, Any]:
    """@throws ValueError if they are no manifest, or not as it was written"""
    try:
        facts = json.loads(stored)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(facts, dict):
        raise ValueError("it is no object")
    if facts.get("format") != _FORMAT:
        before = (
            "an earlier one, without checksums"
            if "format" not in facts and "id" in facts
            else shown(facts.get("format"))
        )
        raise ValueError(f"its format is {before}; this version of warpdex reads {_FORMAT}: save the index again")
    facts.pop("checksum", None)
    if _text(facts) != stored:
        raise ValueError("its checksum is another one")
    return facts


def _expect_right(facts: dict[str, Any]) -> None:
    """@throws ValueError if they are not those of an index"""
    if lacking := [name for name in (*_KEPT, "save", "files", "borders") if name not in facts]:
        raise ValueError(f"it lacks {lacking[0]!r}")
    by, files, placement, rows = facts["by"], facts["files"], facts["placement"], facts["rows"]

    def is_text(value: Any, form: re.Pattern[str]) -> bool:
        return isinstance(value, str) and form.fullmatch(value) is not None

    most = MOST_SHARDS if placement == "range" else 1
    right = {
        **{name: isinstance(facts[name], str) and facts[name] != ROW for name in _TEXTS},
        "by": isinstance(by, list) and all(isinstance(name, str) and name != ROW for name in by),
        "placement": placement in ("replicate", "range"),
        "rows": isinstance(rows, int) and not isinstance(rows, bool) and 0 <= rows < 2**63,
        "files": isinstance(files, list)
        and 1 <= len(files) <= most
        and all(is_text(checksum, _CHECKSUM) for checksum in files),
        "borders": is_text(facts["borders"], _CHECKSUM),
        "save": is_text(facts["save"], _NUMBER),
    }
    if wrong := [name for name, is_right in right.items() if not is_right]:
        raise ValueError(f"{wrong[0]} is {shown(facts[wrong[0]])}")


def _files(folder: pathlib.Path, facts: dict[str, Any]) -> list[Saved]:
    """The files of the shards, and that of the borders."""
    at = folder.resolve()

    def saved(what: str, end: Any, checksum: str) -> Saved:
        return Saved(f"the file of {what}", at / f"{facts['save']}-{end}.arrow", checksum)

    shards = [saved(f"shard {number}", number, checksum) for number, checksum in enumerate(facts["files"])]
    return [*shards, saved("borders", "borders", facts["borders"])]
