# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of an index over a Dataset: a file of rows per shard, the borders between the shards, and a manifest, which is
written last. Names and marks of files are made from a number of the index, so that no other file is taken for one of them.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any

from ._errors import FileError, FormatError, InvalidArgument, shown
from ._ray_workers import ROW, border_type, read, written
from ._values import extra

ray = extra("ray")
pyarrow = extra("pyarrow")

_MANIFEST = "manifest.json"
_MARK = b"warpdex"  # the name under which a file says what it is
MOST_SHARDS = 1 << 16
_TEXTS = ("id", "on", "spec")
_KEPT = (*_TEXTS, "by", "placement", "rows")  # what a folder says of its index


def save(folder: pathlib.Path, facts: dict[str, Any], refs: list[Any]) -> list[pathlib.Path]:
    """Writes the index of some facts, and removes the one that was there. @param refs the rows of each shard
    @return the files of the shards"""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before, names = _names_in(folder), _names(facts["id"], len(refs))
        _write(folder, facts, refs, [name for name in names if name not in before])
        for name in set(before) - set(names):
            (folder / name).unlink(missing_ok=True)
    except OSError as why:
        raise FileError(f"folder is {str(folder)!r}, which cannot be written: {why}") from None
    return [folder.resolve() / name for name in names[:-1]]


def _write(folder: pathlib.Path, facts: dict[str, Any], refs: list[Any], added: list[str]) -> None:
    """@param added files that the folder did not have, which are removed if the folder is not complete"""
    *shards, borders = _names(facts["id"], len(refs))
    part = folder / f"{facts['id']}.part"

    def write(table: Any, name: str) -> None:
        written(_marked(table, name), part)
        os.replace(part, folder / name)

    try:
        for name, ref in zip(shards, refs):
            write(ray.get(ref), name)
        write(pyarrow.table({"borders": facts["borders"]}), borders)
        part.write_text(json.dumps({**{name: facts[name] for name in _KEPT}, "files": len(refs)}))
        os.replace(part, folder / _MANIFEST)
    except BaseException:
        for path in [part, *(folder / name for name in added)]:
            path.unlink(missing_ok=True)
        raise


def load(folder: pathlib.Path) -> tuple[dict[str, Any], list[pathlib.Path]]:
    """The facts of an index, and the files of its shards, which are checked."""
    if not (folder / _MANIFEST).is_file():
        raise InvalidArgument(f"folder is {str(folder)!r}, in which there is no {_MANIFEST}")
    try:
        facts = _manifest(folder)
    except ValueError as why:
        raise FormatError(f"folder is {str(folder)!r}, whose manifest is damaged: {why}") from None
    *paths, borders = [folder.resolve() / name for name in _names(facts["id"], facts["files"])]
    schemas = [_file(path, f"the file of shard {number}").schema for number, path in enumerate(paths)]
    if others := [number for number, one in enumerate(schemas) if one != schemas[0]]:
        raise FormatError(f"the file of shard {others[0]} has other columns than that of shard 0: {paths[others[0]]}")
    facts["borders"] = _file(borders, "the file of borders").column(0).combine_chunks()
    keys = [*facts["by"], facts["on"]]
    if unknown := [one for one in (*keys, ROW) if one not in schemas[0].names]:
        raise FormatError(f"the file of shard 0 has no column {unknown[0]!r}: {paths[0]}")
    between = facts["borders"].drop_null()
    if between.type != border_type(schemas[0].field(keys[0]).type) or len(between) != len(paths) - 1:
        raise FormatError(f"the file of borders has those of another index: {borders}")
    facts["schema"] = schemas[0].remove(schemas[0].get_field_index(ROW)).remove_metadata()
    return facts, paths


def _manifest(folder: pathlib.Path) -> dict[str, Any]:
    """What the manifest says. @throws ValueError if it is damaged"""
    facts = json.loads((folder / _MANIFEST).read_text())
    if not isinstance(facts, dict):
        raise ValueError("it is no object")
    if lacking := [name for name in (*_KEPT, "files") if name not in facts]:
        raise ValueError(f"it lacks {lacking[0]!r}")
    by, files, placement = facts["by"], facts["files"], facts["placement"]
    right = {
        **{name: isinstance(facts[name], str) for name in _TEXTS},
        "by": isinstance(by, list) and all(isinstance(one, str) for one in by),
        "placement": placement in ("replicate", "range"),
        "rows": isinstance(facts["rows"], int),
        "files": isinstance(files, int) and 1 <= files <= (MOST_SHARDS if placement == "range" else 1),
    }
    right["id"] = right["id"] and re.fullmatch("[0-9a-f]{16}", facts["id"]) is not None
    if wrong := [name for name, one in right.items() if not one]:
        raise ValueError(f"{wrong[0]} is {shown(facts[wrong[0]])}")
    return facts


def _names(number: str, count: int) -> list[str]:
    """The files of shards, and that of the borders."""
    return [f"{number}-{one}.arrow" for one in (*range(count), "borders")]


def _names_in(folder: pathlib.Path) -> list[str]:
    """The files of the index that a folder holds; none if it holds none."""
    try:
        if not (folder / _MANIFEST).is_file():
            return []
        facts = _manifest(folder)
    except (OSError, ValueError):
        return []
    return _names(facts["id"], facts["files"])


def _marked(table: Any, name: str) -> Any:
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _MARK: name.encode()})


def _file(path: pathlib.Path, what: str) -> Any:
    """The table of a file."""
    if not path.is_file():
        raise InvalidArgument(f"folder lacks {what}: {path}")
    try:
        table = read(path)
    except pyarrow.ArrowException as why:
        raise FormatError(f"{what} is damaged: {path}: {str(why).splitlines()[0]}") from None
    except OSError as why:
        raise FileError(f"{what} cannot be read: {path}: {why}") from None
    if (table.schema.metadata or {}).get(_MARK) != path.name.encode():
        raise FormatError(f"{what} is that of another shard or index: {path}")
    return table
