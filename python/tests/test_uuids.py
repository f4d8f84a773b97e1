# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""UUIDs as objects, bytes and text, and index files of times, UUIDs and numbers of 128 bits between Python and the
command."""

import datetime
import random
import subprocess
import uuid

import numpy as np
import pytest

import warpdex
from warpdex import Index, _core

RANDOM = random.Random(7)
IDS = [uuid.UUID(int=RANDOM.getrandbits(128), version=4) for _ in range(50)]
TEXTS = [str(one) for one in IDS]
BYTES = [one.bytes for one in IDS]
OTHER = uuid.UUID("00000000-0000-0000-0000-000000000001")


def columns(module):
    """The same UUIDs in all kinds of columns of a library."""
    library = pytest.importorskip(module)
    if module == "numpy":
        return [
            np.array(TEXTS),
            np.array(TEXTS, "S36"),
            np.array([text.replace("-", "") for text in TEXTS]),
            np.array(BYTES, "V16"),
            np.array(IDS, object),
        ]
    if module == "pandas":
        return [library.Series(kind) for kind in (IDS, TEXTS, BYTES)] + [library.Series(TEXTS, dtype="category")]
    if module == "polars":
        return [library.Series(TEXTS), library.Series(BYTES), library.Series(TEXTS).cast(library.Categorical)]
    text, raw = library.array(TEXTS), library.array(BYTES)
    types = [library.large_string(), library.string_view(), library.dictionary(library.int8(), library.string())]
    return [library.array(BYTES, library.uuid()), library.array(BYTES, library.binary(16)), text, raw] + [
        text.dictionary_encode() if library.types.is_dictionary(kind) else text.cast(kind) for kind in types
    ]


@pytest.mark.parametrize("module", ["numpy", "pandas", "polars", "pyarrow"])
def test_all_kinds_of_columns_find_uuids(module):
    index = Index(IDS)
    for column in columns(module):
        found = index.find(column)
        assert list(found.to_pylist() if hasattr(found, "to_pylist") else found) == list(range(50)), column
    assert index.find(TEXTS) is not None and index.find(
        [TEXTS[3].upper(), None, OTHER, str(OTHER), BYTES[5], IDS[0]]
    ).tolist() == [
        3,
        -1,
        -1,
        -1,
        5,
        0,
    ]
    for scalar in (IDS[7], TEXTS[7], BYTES[7]):
        assert index.find(scalar) == 7
    order = sorted(range(50), key=lambda row: BYTES[row])
    assert index.range_retrieve([TEXTS[order[3]]], [IDS[order[9]]])[1].tolist() == order[3:10]


def test_uuids_of_arrow_and_duckdb():
    pa, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    with_nulls = pa.array([None, TEXTS[2], None, TEXTS[1]])
    assert Index(IDS).find(with_nulls).to_pylist() == [None, 2, None, 1]
    assert Index(IDS).find(with_nulls.dictionary_encode()).to_pylist() == [None, 2, None, 1]
    assert Index(pa.array([None, BYTES[2]], pa.uuid())).find(with_nulls).to_pylist() == [None, 1, None, None]
    attach = pytest.importorskip("warpdex.duckdb").attach
    index = Index(pa.array(BYTES, pa.uuid()))
    assert index.find(IDS).tolist() == list(range(50))
    right = pa.table({"k": pa.array(BYTES, pa.uuid()), "v": range(50)})
    con = duckdb.connect()
    con.execute("create table t (k uuid, place integer)")
    con.executemany("insert into t values (?, ?)", [[text, place] for place, text in enumerate(TEXTS)])
    for lossless in (False, True):
        con.execute(f"set arrow_lossless_conversion = {str(lossless).lower()}")
        table = con.sql("select * from t order by place").to_arrow_table()
        assert index.find(table.column("k")).to_pylist() == list(range(50))
        attach(con, ids=index)
        assert con.sql("select warpdex_find('ids', k) = place from t").distinct().fetchall() == [(True,)]
        joined = index.join(con, "from t", on="k")  # noqa: F841  named in SQL
        assert con.sql("select row = place from joined").distinct().fetchall() == [(True,)]
        assert warpdex.join(table, right, "k")["v"].to_pylist() == list(range(50))


@pytest.mark.parametrize(
    "probes, shown",
    [
        (["x"], "'x'"),
        ("0123456789abcdef", "'0123456789abcdef'"),
        ([None, b"short"], "b'short'"),
        ([TEXTS[0][:-1] + "g"], "g'"),
        ([TEXTS[0].replace("-", "_")], "_"),
        ([TEXTS[0].replace("-", "")[:-1]], TEXTS[0].replace("-", "")[:-1]),
        (np.array(["short"], "S"), "'short'"),
        (np.array([b"a"], "V1"), "b'a'"),
    ],
)
def test_texts_that_are_no_uuids(probes, shown):
    with pytest.raises(warpdex.errors.InvalidArgument, match=r"probes\[\d\] is b?'.*', which is no UUID") as raised:
        Index(IDS).find(probes)
    assert shown in str(raised.value)


def test_strings_are_not_asked_with_uuids():
    pa = pytest.importorskip("pyarrow")
    for keys in (TEXTS, BYTES, np.array(BYTES, "V16")):
        for probes in (IDS, IDS[0], pa.array(BYTES, pa.uuid())):
            with pytest.raises(warpdex.errors.KeyTypeError, match="probes holds UUIDs, but the keys are strings"):
                Index(keys).find(probes)
    with pytest.raises(warpdex.errors.KeyTypeError, match="probes holds UUIDs, but the keys are of type integer"):
        Index([1]).find(IDS)
    with pytest.raises(warpdex.errors.KeyTypeError, match="probes has the type int64, but the keys are of type uuid"):
        Index(IDS).find([1])
    with pytest.raises(warpdex.errors.KeyTypeError, match="not compared"):
        Index([IDS[0], "a"])


def test_updates_joins_and_frames_of_uuids():
    pd = pytest.importorskip("pandas")
    index = Index(IDS)
    index.insert([str(OTHER)], [99])
    index.erase(IDS[:2])
    assert index.find([OTHER, IDS[0], TEXTS[1], IDS[2]]).tolist() == [99, -1, -1, 2]
    assert [side.tolist() for side in index.join([IDS[3], str(OTHER)])] == [[0, 1], [3, 99]]
    assert [side.size for side in index.join([])] == [0, 0]
    left, right = pd.DataFrame({"k": IDS[::-1]}), pd.DataFrame({"k": TEXTS, "v": range(50)})
    assert warpdex.join(left, right, "k")["v"].tolist() == list(range(50))[::-1]
    assert warpdex.join(right, left, "k")["v"].tolist() == list(range(50))
    grouped = warpdex.join_asof(left.assign(t=1), right.assign(t=0), on="t", by="k")
    assert grouped["v"].tolist() == list(range(50))[::-1]


def test_files_of_uuids(tmp_path):
    index = Index(IDS)
    index.save(tmp_path / "noted.wdx")
    Index(BYTES).save(tmp_path / "bytes.wdx")
    for name in ("noted", "bytes"):  # files without a note are known by the form of their keys
        assert Index.load(tmp_path / f"{name}.wdx").find(TEXTS).tolist() == list(range(50)), name
    Index([b"0123456789abcdef"]).save(tmp_path / "letters.wdx")
    assert Index.load(tmp_path / "letters.wdx").find(["0123456789abcdef", "a"]).tolist() == [0, -1]
    assert Index.from_buffer(index.to_bytes()).find(IDS[4]) == 4


def built(tmp_path, text, type):
    """An index that the command builds over a column of a table."""
    (tmp_path / "keys.csv").write_text(f"k\n{text}\n")
    try:
        subprocess.run(
            ["warpdex", "build", "--index", "AO+BS", "--keys", "keys.csv:k", "--type", type, "--out", "command.wdx"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("there is no command")
    return Index.load(tmp_path / "command.wdx")


def test_dates_of_the_command(tmp_path):
    date = datetime.date
    index = built(tmp_path, "2024-01-02\n1969-12-31\n2024-03-01", "date")
    assert index.find([date(2024, 1, 2), date(1969, 12, 31), date(2000, 1, 1), None]).tolist() == [0, 1, -1, -1]
    assert index.find(np.array(["2024-01-02T00", "2024-01-02T01"], "M8[h]")).tolist() == [0, -1]
    far = np.array([10**12, -(10**12)], "M8[D]")
    assert index.find(far).tolist() == [-1, -1] and index.floor(far).tolist() == [2, -1]
    assert index.lower_bound(far).tolist() == [3, 0] and index.ceil(far).tolist() == [-1, 1]
    assert index.range_count([date(1900, 1, 1)], [date(2024, 3, 1)], "left").tolist() == [2]
    noon = np.array(["2024-01-02T12", "2024-03-05T00"], "M8[h]")
    assert index.join_asof(noon, "nearest", tolerance=datetime.timedelta(days=3)).tolist() == [0, -1]
    assert [side.tolist() for side in index.join([date(2024, 3, 1)])] == [[0], [2]]
    assert [side.size for side in index.join([])] == [0, 0]
    assert index.insert([date(2025, 1, 1)], [7]) == (1, 0, 0) and index.find(date(2025, 1, 1)) == 7
    with pytest.raises(warpdex.errors.InvalidArgument, match="keys has the day 1000000000000, which 32 bits"):
        index.insert(far[:1], [8])
    with pytest.raises(warpdex.errors.KeyTypeError, match="but the keys are of type datetime64"):
        index.find([1])


def test_moments_of_the_command(tmp_path):
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, 6)
    index = built(tmp_path, "2024-01-02T03:04:05.000006\n2024-01-03T00:00:00", "timestamp")
    assert index.find([moment, datetime.datetime(2024, 1, 3), None]).tolist() == [0, 1, -1]
    assert index.floor(np.array(["2024-01-02T03:04:05.000006001", "2200-01-01"], "M8[ns]")).tolist() == [0, 1]
    assert index.join_asof(np.array(["2024-01-02T03:04:05.000005999"], "M8[ns]"), "nearest").tolist() == [0]
    assert index.insert([datetime.date(2025, 1, 1)], [7]) == (1, 0, 0)
    assert index.find(np.array(["2025-01-01"], "M8[D]")).tolist() == [7]
    assert [side.size for side in index.join([])] == [0, 0]


def test_wide_numbers_of_the_command(tmp_path):
    index = built(tmp_path, f"7\n340282366920938463463374607431768211455\n{TEXTS[0]}", "u128")
    probes = [2**128 - 1, 7, IDS[0].int, 2**128, -1, None, 2**64]
    assert index.find(probes).tolist() == [1, 0, 2, -1, -1, -1, -1]
    assert index.find([IDS[0], OTHER]).tolist() == [2, -1]
    assert index.find([TEXTS[0]]).tolist() == [2] and index.find(IDS[0]) == 2
    assert index.lower_bound([2**128, -1, 8]).tolist() == [3, 0, 1]
    assert index.floor([2**128, -1, 2**128 - 1]).tolist() == [1, -1, 1]
    for kind in ("i1", "u4", "i8", "u8"):
        assert index.find(np.array([7, 8], kind)).tolist() == [0, -1]
    assert index.find(np.array([-1, 7])).tolist() == [-1, 0]
    assert index.insert([2**100], [9]) == (1, 0, 0) and index.find(2**100) == 9
    assert [side.tolist() for side in index.join([2**100, 5])] == [[0], [9]]
    assert [side.size for side in index.join([])] == [0, 0]
    with pytest.raises(warpdex.errors.KeyTypeError, match="the keys are of type u128"):
        index.find([1.5])
    for note, kept in (("uuid", "uuid"), ("ip", ""), ("", "")):
        noted = Index.from_buffer(index._core.to_bytes(note).tobytes())
        assert noted.find([IDS[0]]).tolist() == [2] and noted.find([7]).tolist() == [0]
        assert _core.note_of_bytes(np.frombuffer(noted.to_bytes(), np.uint8)) == kept


def test_joins_with_an_index_of_wide_numbers(tmp_path):
    pd = pytest.importorskip("pandas")
    index = built(tmp_path, f"{TEXTS[0]}\n{TEXTS[1]}\n{TEXTS[1]}", "u128")
    right, other = (pd.DataFrame({"k": [IDS[row] for row in rows]}) for rows in ((0, 1, 1), (0, 0, 1)))
    assert len(warpdex.join(right, right, "k", index=index)) == 5
    with pytest.raises(warpdex.errors.InvalidArgument, match="index is not over right's column 'k'"):
        warpdex.join(right, other, "k", index=index)
