# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Folders of indexes over Datasets of Ray: what is changed in them is found, and several processes may use one."""

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import types

import numpy as np
import pyarrow as pa
import pytest

import warpdex

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import warpdex.ray as wr  # noqa: E402
from warpdex.ray import storage  # noqa: E402
from warpdex.ray.workers import read, written  # noqa: E402
from ray_datasets import dataset, expect_equal, refusal, tables  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init("local", num_cpus=4, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


PLACEMENTS = ["replicate", "range"]
# The type of keys, the columns of groups, the placement.
INDEXES = [
    ("int64", None, "replicate"),
    ("double", None, "range"),
    ("string", None, "range"),
    ("timestamp", "symbol", "range"),
    ("decimal", ["symbol", "ts"], "range"),
    ("binary", "symbol", "replicate"),
]


def saved(folder, seed, kind="int64", by=None, placement="range", rows=60):
    with wr.build(dataset(tables(seed, right=rows, kind=kind)[1]), "key", by, placement=placement) as index:
        index.save(folder)
    return folder


def file_of(folder, name):
    return next(folder.glob(f"*-{name}.arrow"))


def files_of(folder):
    """The files that the manifest of a folder names."""
    return storage._files(folder, storage._manifest(folder))


def forge(folder, **changed):
    """Changes what a manifest says, and its checksum. What is a function makes the new value of the old one."""
    facts = storage._manifest(folder)
    result = {name: one(facts.get(name)) if callable(one) else one for name, one in changed.items()}
    (folder / "manifest.json").write_bytes(storage._text(facts | result))


def forge_table(folder, number, change):
    """Changes a table in a folder, and all checksums. @param number that of a shard, or "borders" """
    file = files_of(folder)[-1 if number == "borders" else number]
    checksum = written(change(pa.table(read(file).to_pydict(), read(file).schema)), file.path)
    if number == "borders":
        forge(folder, borders=checksum)
    else:
        forge(folder, files=lambda files: [*files[:number], checksum, *files[number + 1 :]])


def rows_as(change):
    """A table with other numbers of rows."""
    name = "__warpdex_row"
    return lambda table: table.set_column(
        table.column_names.index(name), name, pa.array(change(table[name].to_pylist()), pa.int64())
    )


def borders_as(change):
    return lambda table: pa.table({"borders": change(table["borders"].combine_chunks())})


def test_folders_hold_an_index(tmp_path):
    one, two = tables(6)
    expected = warpdex.join_asof(one, two, on="ts", by="symbol")
    for placement in PLACEMENTS:
        folder = tmp_path / placement
        with wr.build(dataset(two), "ts", "symbol", placement=placement, shards=2) as index:
            index.save(folder)
        with wr.load(folder) as index:
            assert placement in index.explain()
            expect_equal(wr.join_asof(dataset(one), index), expected)
    with pytest.raises(warpdex.errors.InvalidArgument, match="no manifest"):
        wr.load(tmp_path)


def test_the_checksums_are_those_that_sha256sum_prints(tmp_path):
    folder = saved(tmp_path, 1)
    for file in files_of(folder):
        assert hashlib.sha256(file.path.read_bytes()).hexdigest() == file.checksum


@pytest.mark.parametrize("kind, by, placement", INDEXES)
def test_any_changed_bit_is_found(kind, by, placement, tmp_path):
    folder = saved(tmp_path, 20, kind, by, placement)
    random = np.random.default_rng(len(kind))
    names = {one.path.name: one for one in files_of(folder)}
    assert sorted([*names, "manifest.json"]) == sorted(path.name for path in folder.iterdir())
    for path in list(folder.iterdir()):
        whole = path.read_bytes()
        for tries, at in enumerate(random.integers(0, 8 * len(whole), 40).tolist()):
            changed = bytearray(whole)
            changed[at // 8] ^= 1 << at % 8
            path.write_bytes(changed)
            calls = [lambda: read(names[path.name])] if path.name in names else []
            for call in [*calls, *[lambda: wr.load(folder)] * (tries < 3)]:
                assert refusal(call)[0] is warpdex.errors.FormatError, (path, at)
        path.write_bytes(whole)
        for length in (0, 1, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:length])
            assert refusal(lambda: wr.load(folder))[0] is warpdex.errors.FormatError, (path, length)
        path.write_bytes(whole + b"\0")
        assert refusal(lambda: wr.load(folder))[0] is warpdex.errors.FormatError, path
        path.write_bytes(whole)
    wr.load(folder).close()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two folders of the same kind."""
    folder = tmp_path_factory.mktemp("folders")
    return saved(folder / "one", 11), saved(folder / "other", 12)


@pytest.fixture
def folders(made, tmp_path):
    """Copies of them."""
    return [shutil.copytree(one, tmp_path / one.name) for one in made]


def swap(one, two):
    stored = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(stored)


def text(stored):
    return lambda folder: (folder / "manifest.json").write_text(stored)


def edit(**changed):
    """A change of what a manifest says, without one of its checksum."""

    def change(folder):
        facts = json.loads((folder / "manifest.json").read_text()) | changed
        (folder / "manifest.json").write_text(json.dumps(facts))

    return change


def forged(**changed):
    return lambda folder: forge(folder, **changed)


def forged_table(number, change):
    return lambda folder: forge_table(folder, number, change)


def of_before(folder):
    facts = {"id": "0123456789abcdef", "on": "key", "spec": "AO+BS", "by": [], "placement": "range", "rows": 60}
    text(json.dumps({**facts, "files": 2}))(folder)


DAMAGED = "whose manifest is damaged: "


@pytest.mark.parametrize(
    "change, kind, words",
    [
        (lambda at: (at / "manifest.json").unlink(), "InvalidArgument", "in which there is no manifest.json"),
        (text("{"), "FormatError", DAMAGED),
        (text("[]"), "FormatError", DAMAGED + "it is no object"),
        (text("{}"), "FormatError", DAMAGED + "its format is None; this version of warpdex reads 2"),
        (text("[" * 100000), "FormatError", DAMAGED + "it is nested too deeply"),
        (text('{"a":' * 100000), "FormatError", DAMAGED + "it is nested too deeply"),
        (text("1" * 10000), "FormatError", DAMAGED),
        (of_before, "FormatError", "its format is an earlier one, without checksums"),
        (edit(format=3), "FormatError", "its format is 3; this version of warpdex reads 2: save the index again"),
        (edit(rows=59), "FormatError", DAMAGED + "its checksum is another one"),
        (edit(on="ts"), "FormatError", DAMAGED + "its checksum is another one"),
        (edit(more=1), "FormatError", DAMAGED + "its checksum is another one"),
        (edit(checksum=None), "FormatError", DAMAGED + "its checksum is another one"),
        (forged(id=7), "FormatError", DAMAGED + "id is 7"),
        (forged(on=3), "FormatError", DAMAGED + "on is 3"),
        (forged(on="__warpdex_row"), "FormatError", DAMAGED + "on is '__warpdex_row'"),
        (forged(by=["__warpdex_row"]), "FormatError", DAMAGED + "by is ['__warpdex_row']"),
        (forged(by="symbol"), "FormatError", DAMAGED + "by is 'symbol'"),
        (forged(on="other"), "FormatError", "the file of shard 0 has no column 'other'"),
        (forged(on="symbol"), "FormatError", "the file of shard 0 has other keys than the file of borders"),
        (forged(by=["bid"]), "FormatError", "the file of shard 0 has other keys than the file of borders"),
        (forged(spec="AO+XS"), "SpecError", "spec: unknown"),
        (forged(save="../../file"), "FormatError", DAMAGED + "save is '../../file'"),
        (forged(files=[]), "FormatError", DAMAGED + "files is []"),
        (forged(files=2), "FormatError", DAMAGED + "files is 2"),
        (forged(files=lambda files: files[:1]), "FormatError", "the file of borders has those of another index"),
        (forged(files=lambda files: [*files, files[0]]), "FormatError", "the file of borders has those of another"),
        (forged(borders=None), "FormatError", DAMAGED + "borders is None"),
        (forged(placement="replicate"), "FormatError", DAMAGED + "files is ["),
        (forged(placement="auto"), "FormatError", DAMAGED + "placement is 'auto'"),
        *((forged(rows=rows), "FormatError", DAMAGED + f"rows is {rows}") for rows in (-1, 2**63, 1.5, True, None)),
        (forged(rows=10**30), "FormatError", DAMAGED + "rows is 1000"),
        (
            forged(rows=61),
            "FormatError",
            "the manifest says that there are 61 rows, but the files of the shards have 60",
        ),
        (forged(rows=59), "FormatError", "has rows with wrong numbers"),
        (lambda at: file_of(at, "borders").unlink(), "FileError", "folder lacks the file of borders"),
        (lambda at: file_of(at, 1).unlink(), "FileError", "folder lacks the file of shard 1"),
        (lambda at: (file_of(at, 1).unlink(), os.mkfifo(file_of(at, 0).with_name("x"))), "FileError", "lacks the file"),
        (
            lambda at: swap(file_of(at, 0), file_of(at, 1)),
            "FormatError",
            "the file of shard 0 is damaged, or that of an",
        ),
        (lambda at: swap(file_of(at, 1), file_of(at, "borders")), "FormatError", "the file of borders is damaged, or"),
        (forged(files=lambda files: files[::-1]), "FormatError", "the file of shard 0 is damaged, or that of another"),
        (forged_table(0, lambda table: table.filter(np.arange(len(table)) > 0)), "FormatError", "shards have 59"),
        (forged_table(1, lambda table: pa.concat_tables([table] * 2)), "FormatError", "has rows with wrong numbers"),
        (
            forged_table(1, lambda table: table.drop_columns(["bid"])),
            "FormatError",
            "has other columns than that of shard",
        ),
        (forged_table(0, rows_as(lambda rows: [-5, *rows[1:]])), "FormatError", "has rows with wrong numbers"),
        (forged_table(0, rows_as(lambda rows: [*rows[:-1], 60])), "FormatError", "has rows with wrong numbers"),
        (forged_table(0, rows_as(lambda rows: rows[::-1])), "FormatError", "has rows with wrong numbers"),
        (forged_table(0, rows_as(lambda rows: [None, *rows[1:]])), "FormatError", "has rows without a number"),
        (forged_table(0, lambda table: table.drop_columns(["__warpdex_row"])), "FormatError", "has no column '__war"),
        (
            forged_table("borders", borders_as(lambda values: pa.nulls(1, values.type))),
            "FormatError",
            "of another index",
        ),
        (
            forged_table("borders", borders_as(lambda values: values.cast("double"))),
            "FormatError",
            "has other keys than",
        ),
        (
            forged_table("borders", borders_as(lambda values: pa.array([1000]))),
            "FormatError",
            "has rows with wrong numbers",
        ),
    ],
)
def test_damaged_folders_are_refused(change, kind, words, folders):
    folder = folders[0]
    change(folder)
    found = refusal(lambda: wr.load(folder))
    assert found[0] is getattr(warpdex.errors, kind) and words in found[1]
    assert "__init__" not in found[1] and "facts" not in found[1]


def test_files_of_another_folder_are_refused(folders):
    folder, other = folders
    for name in (0, 1, "borders"):
        file = file_of(folder, name)
        whole = file.read_bytes()
        shutil.copy(file_of(other, name), file)
        what = "borders" if name == "borders" else f"shard {name}"
        words = f"the file of {what} is damaged, or that of another index"
        assert words in refusal(lambda: wr.load(folder))[1]
        file.write_bytes(whole)
    wr.load(folder).close()
    shutil.copy(other / "manifest.json", folder)
    assert "folder lacks the file of borders" in refusal(lambda: wr.load(folder))[1]


def test_a_manifest_that_is_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "manifest.json")
    assert "in which there is no manifest.json" in refusal(lambda: wr.load(tmp_path))[1]
    wr.load(saved(tmp_path, 13)).close()


def test_borders_ascend(tmp_path):
    two = tables(3)[1]
    with wr.build(dataset(two), "key", placement="range", shards=4) as index:
        index.save(tmp_path)
    for change in (
        lambda values: values.take(pa.array([0, 0, 2])),
        lambda values: values.take(pa.array([2, 1, 0])),
        lambda values: values.take(pa.array([0, 2, 1])),
    ):
        whole = [(path, path.read_bytes()) for path in tmp_path.iterdir()]
        forge_table(tmp_path, "borders", borders_as(change))
        assert "the file of borders has some that do not ascend" in refusal(lambda: wr.load(tmp_path))[1]
        for path, stored in whole:
            path.write_bytes(stored)
    keys = pa.table({"key": [-0.0, 0.0] * 40 + [float("nan")] * 40, "n": range(120)})
    with wr.build(dataset(keys), "key", placement="range", shards=6) as index:  # whose sample has equal values
        index.save(tmp_path)
    wr.load(tmp_path).close()


def test_a_file_that_changes_after_the_load_is_refused(tmp_path):
    folder = saved(tmp_path, 4, placement="replicate")
    file = files_of(folder)[0]
    with open(file.path, "r+b") as stored:
        stored.seek(1000)
        stored.write(b"?")
    with pytest.raises(warpdex.errors.FormatError, match="the file of shard 0 is damaged"):
        wr.storage.read(file)


# Saves.


def test_a_folder_that_is_written_over(tmp_path):
    one, two = tables(13)
    with wr.build(dataset(two), "key", placement="range") as index:
        index.save(tmp_path)
    before = {path: path.stat().st_ino for path in tmp_path.iterdir()}
    with wr.load(tmp_path) as index:
        index.save(tmp_path)  # which holds it
        assert {path: path.stat().st_ino for path in tmp_path.iterdir()} == before
        expect_equal(wr.join(dataset(one), index), warpdex.join(one, two, "key"))
        os.truncate(file_of(tmp_path, 1), 9)
        index.save(tmp_path)
        assert len(list(tmp_path.iterdir())) == 4 and not before.keys() & set(tmp_path.glob("*.arrow"))
        wr.load(tmp_path).close()
        (tmp_path / "file").write_text("")
        assert "which cannot be written" in refusal(lambda: index.save(tmp_path / "file"))[1]
    with wr.build(dataset(one), "ts", placement="replicate") as index:
        index.save(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4 and (tmp_path / "file").is_file()
    with wr.load(tmp_path) as index:
        assert index.on == "ts"


_FACTS = {"on": "key", "by": [], "spec": "AO+BS", "placement": "range", "rows": 4}
_SAVE = f"""
import os, pathlib, signal, sys, types
import pyarrow as pa
from warpdex.ray import storage

def get(ref):
    if ref:  # that of the second shard
        os.kill(os.getpid(), signal.SIGKILL) if sys.argv[2] == "dies" else (print("at work", flush=True), input())
    return pa.table({{"key": [2 * ref, 2 * ref + 1], "__warpdex_row": [2 * ref, 2 * ref + 1]}})

storage.ray = types.SimpleNamespace(get=get)
facts = {_FACTS!r} | {{"id": os.urandom(8).hex(), "borders": pa.array([2])}}
storage.save(pathlib.Path(sys.argv[1]), facts, [0, 1])
"""


def saver(folder, how):
    """A process that saves an index of two shards, and dies or waits at the second one."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", _SAVE, str(folder), how], text=True, **pipes)


def killed_save(folder):
    with saver(folder, "dies") as process:
        assert process.wait() == -9


def names(folder, end):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(end))


def test_a_save_removes_what_killed_ones_left(tmp_path):
    killed_save(tmp_path)
    assert (len(names(tmp_path, ".part")), len(names(tmp_path, ".arrow"))) == (1, 1)
    for path in ("notes.txt", "0123456789abcdef-x.arrow", "0123-0.arrow"):
        (tmp_path / path).write_text("stays")
    saved(tmp_path, 5)
    assert (names(tmp_path, ".part"), len(names(tmp_path, ".arrow"))) == ([], 3 + 2)
    for _ in range(2):
        killed_save(tmp_path)
        assert (len(names(tmp_path, ".part")), len(names(tmp_path, ".arrow"))) == (1, 3 + 1 + 2)
        wr.load(tmp_path).close()
    saved(tmp_path, 6)
    assert (names(tmp_path, ".part"), len(names(tmp_path, ".arrow"))) == ([], 3 + 2)
    assert (tmp_path / "notes.txt").is_file()


def test_files_of_a_save_at_work_stay(tmp_path):
    with saver(tmp_path, "waits") as process:
        assert process.stdout.readline() == "at work\n"
        begun = names(tmp_path, "")
        saved(tmp_path, 5)
        assert set(begun) < set(names(tmp_path, ""))
        assert "60 rows in 2 actors" in wr.load(tmp_path).explain()
        process.communicate("\n")
        assert process.returncode == 0
    assert (names(tmp_path, ".part"), len(names(tmp_path, ".arrow"))) == ([], 3)
    assert "4 rows in 2 actors" in wr.load(tmp_path).explain()


def test_without_locks_unfinished_saves_stay(tmp_path, monkeypatch):
    def fails(file, how):
        raise OSError(37, "No locks available")

    killed_save(tmp_path)
    left = names(tmp_path, "")
    with monkeypatch.context() as patch:
        patch.setattr(storage, "fcntl", types.SimpleNamespace(flock=fails, LOCK_EX=2, LOCK_NB=4))
        for seed in (5, 6):
            saved(tmp_path, seed)
            assert set(left) < set(names(tmp_path, "")) and len(names(tmp_path, "")) == len(left) + 4
    saved(tmp_path, 7)
    assert len(names(tmp_path, "")) == 4


def test_a_damaged_manifest_loses_no_files(tmp_path):
    before = names(saved(tmp_path, 5), ".arrow")
    (tmp_path / "manifest.json").write_text("{")
    killed_save(tmp_path)
    assert set(before) < set(names(tmp_path, ".arrow"))
    saved(tmp_path, 6)
    assert len(names(tmp_path, "")) == 4


def test_a_load_during_a_save_gets_the_new_index(tmp_path, monkeypatch):
    saved(tmp_path, 5)
    rows = [pa.table({"key": [one, one + 1], "__warpdex_row": [one, one + 1]}) for one in (0, 2)]
    rows_of, calls = storage.rows_of, itertools.count()

    def of_replaced(*given):
        if (number := next(calls)) < most:
            facts = {**_FACTS, "id": f"{number:016x}", "borders": pa.array([2])}
            storage.save(tmp_path, facts, [ray.put(one) for one in rows])
        return rows_of(*given)

    monkeypatch.setattr(storage, "rows_of", of_replaced)
    most = 2
    with wr.load(tmp_path) as index:
        assert "4 rows in 2 actors" in index.explain() and next(calls) == 3
    monkeypatch.setattr(storage, "_TRIES", 3)
    most = 100
    with pytest.raises(warpdex.errors.FileError, match="folder lacks the file of shard 0"):
        wr.load(tmp_path)
    assert next(calls) == 7
