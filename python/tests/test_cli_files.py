# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The files of the command `warpdex`: every format that it reads and writes, and every mistake in them."""

import decimal
import gzip
import io
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest

import warpdex

pytest.importorskip("click")
pytest.importorskip("rich")
pl = pytest.importorskip("polars")

from command_runs import enter, run  # noqa: E402


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    return enter(tmp_path, monkeypatch)


def rows_of(name, probe="7", *options):
    done = run("find", "--index", "auto", "--keys", name, "--probe", probe, "--lookup", "retrieve", *options)
    assert done.status in (0, 1), done
    return [int(line.rpartition(",")[2]) for line in done.out.splitlines()[1:]]


def packed(name, kind):
    pyarrow = pytest.importorskip("pyarrow")
    data = open(name, "rb").read()
    result = f"{name}.{kind}"
    with open(result, "wb") as file:
        file.write(gzip.compress(data) if kind == "gz" else pyarrow.compress(data, "zstd", asbytes=True))
    return result


def test_tables_of_all_formats_are_read():
    table = pl.DataFrame({"k": [5, 7, 7], "v": ["a", "b", "c"]})
    table.write_csv("t.csv")
    table.write_csv("t.tsv", separator="\t")
    table.write_csv("t.psv", separator="|")
    table.write_parquet("t.parquet")
    table.write_ndjson("t.jsonl")
    table.write_ndjson("t.ndjson")
    table.write_ipc("t.arrow")
    table.write_ipc("t.feather", compression="zstd")
    names = ["t.csv", "t.tsv", "t.parquet", "t.jsonl", "t.ndjson", "t.arrow", "t.feather"]
    names += [packed(name, kind) for name in ("t.csv", "t.jsonl") for kind in ("gz", "zst")]
    for name in names:
        assert rows_of(f"{name}:k") == [1, 2] and rows_of(name) == [1, 2] and rows_of(f"{name}:0") == [1, 2], name
    assert rows_of("t.psv:k", "7", "--delimiter", "|") == [1, 2]
    assert rows_of("t.tsv:k", "7", "--delimiter", "tab") == [1, 2]
    with open("lines", "w") as file:
        file.write("5,\n7\n")
    assert rows_of("lines", "7") == [1]
    with open("bare.csv", "w") as file:
        file.write("7,x\n8,y\nNULL,z\n")
    assert rows_of("bare.csv:0", "8", "--no-header", "--null-value", "NULL") == [1]


def test_patterns_and_the_standard_input():
    for number in range(3):
        pl.DataFrame({"k": [number, 7]}).write_csv(f"day-{number}.csv")
        pl.DataFrame({"k": [number, 7]}).write_parquet(f"day-{number}.parquet")
    assert rows_of("day-*.csv:k") == [1, 3, 5] and rows_of("day-*.parquet:k") == [1, 3, 5]
    pl.DataFrame({"k": [7]}).write_csv("odd[1]:a.csv")
    assert rows_of("odd[1]:a.csv") == [0]
    done = run("find", "--index", "auto", "--keys", "day-0.csv:k", "--probes", "-", stdin=b"k\n7\n9\n")
    assert done.out == "probe,row\n7,1\n9,\n"
    done = run("join", "--left", "-:k", "--right", "-:k", stdin=b"k\n7\n")
    assert done.error == "warpdex: error: --left and --right are both the standard input\n"
    done = run("find", "--index", "auto", "--keys", "day-0.csv:k", "--probes", "-")
    assert done.error == "warpdex: error: standard input: is empty\n"
    os.mkfifo("pipe.csv")
    with subprocess.Popen(["cp", "day-0.csv", "pipe.csv"]):
        assert rows_of("pipe.csv:k") == [1]


def test_binary_files_are_read():
    for name in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8", ">i4"):
        np.save("t.npy", np.array([5, 7, 7], name))
        assert rows_of("t.npy") == [1, 2], name
    np.save("t.npy", np.array(["2024-01-01", "2024-01-02"], "M8[D]"))
    assert rows_of("t.npy", "2024-01-02") == [1]
    for suffix, kind in (
        ("u32", "<u4"),
        ("u64", "<u8"),
        ("i32", "<i4"),
        ("i64", "<i8"),
        ("f32", "<f4"),
        ("f64", "<f8"),
    ):
        np.array([5, 7, 7], kind).tofile(f"t.{suffix}")
        assert rows_of(f"t.{suffix}") == [1, 2], suffix
    for name, kind in (("books_uint32", "<u4"), ("books_uint64", "<u8"), ("books.sosd", "<u8")):
        with open(name, "wb") as file:
            file.write(np.array([3], "<u8").tobytes() + np.array([5, 7, 7], kind).tobytes())
        assert rows_of(name) == [1, 2], name
    probes = run("find", "--index", "auto", "--keys", "t.u32", "--probes", "t.i64", "--out", "found.csv")
    assert probes.status == 0 and open("found.csv").read() == "probe,row\n5,0\n7,1\n7,1\n"


def test_files_of_pyarrow_are_read():
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    import datetime

    noon = datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.UTC)
    table = pa.table(
        {
            "word": pa.array(["Ulm", "Nice", None]).dictionary_encode(),
            "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")], pa.decimal128(10, 2)),
            "time": pa.array([noon, noon, None], pa.timestamp("us", "Europe/Berlin")),
            "list": pa.array([[1, 2], [], None]),
        }
    )
    pq.write_table(table, "t.parquet", row_group_size=2)
    assert rows_of("t.parquet:word", "Nice") == [1]
    assert rows_of("t.parquet:price", "2.25") == [2]
    assert rows_of("t.parquet:time", "2024-07-01T14:00:00+02:00") == [0, 1]
    for out in ("j.parquet", "j.jsonl"):
        assert run("join", "--left", "t.parquet:word", "--right", "t.parquet:word", "--out", out).status == 0
    joined = pl.read_parquet("j.parquet")
    assert joined["list_right"].to_list() == [[1, 2], []] and joined["price"].to_list()[0] == decimal.Decimal("1.50")
    assert pl.read_ndjson("j.jsonl")["list"].to_list() == [[1, 2], []]
    done = run("join", "--left", "t.parquet:word", "--right", "t.parquet:word")
    assert done.status == 2 and "the column 'list' is of type List(Int64), which CSV has not" in done.error
    columns = "word,price,time"
    done = run("join", "--left", "t.parquet:word", "--right", "t.parquet:word", "--columns", columns)
    assert done.out.splitlines()[1] == "Ulm,1.50,2024-07-01T14:00:00.000000+0200"


def test_files_of_duckdb_and_pandas_are_read():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"k": [5, 7], "text": ['say "x"', "two\nlines, and a comma"]})
    frame.to_csv("p.csv", index=False)
    frame.to_json("p.jsonl", orient="records", lines=True)
    names = ["p.csv", "p.jsonl"]
    try:
        frame.to_parquet("p.parquet")
        frame.to_feather("p.feather")
        names += ["p.parquet", "p.feather"]
    except ImportError:
        pass
    duckdb = pytest.importorskip("duckdb")
    for name in ("d.csv", "d.parquet", "d.jsonl"):
        duckdb.sql("select k, text from frame").write_csv(name) if name == "d.csv" else duckdb.sql(
            f"copy (select k, text from frame) to '{name}' (format {'json' if 'json' in name else 'parquet'})"
        )
        names.append(name)
    for name in names:
        done = run(
            "join", "--left", f"{name}:k", "--right", f"{name}:k", "--how", "semi", "--out", "out.parquet", "--force"
        )
        assert done.status == 0, done
        assert pl.read_parquet("out.parquet").rows() == [(5, 'say "x"'), (7, "two\nlines, and a comma")], name


def test_keys_that_are_no_text():
    with open("raw.csv", "wb") as file:
        file.write(b"id,name\n\xff\x01,M\xc3\xbcnchen\n\x80,x\n")
    done = run("join", "--left", "raw.csv:id", "--right", "raw.csv:id", "--schema", "id=binary", "--out", "o.parquet")
    assert done.status == 0, done
    assert pl.read_parquet("o.parquet").rows()[0] == (b"\xff\x01", "München", "München")
    with open("ids.csv", "w") as file:
        file.write("id\nC9A646D3-9C61-4CB7-BFCD-EE2522C8F633\nc9a646d39c614cb7bfcdee2522c8f633\n")
    done = run("join", "--left", "ids.csv:id", "--right", "ids.csv:id", "--schema", "id=uuid", "--validate", "1:1")
    assert done.status == 2 and "repeat" in done.error


def test_results_are_files_of_three_formats():
    for name, read in (("o.csv", pl.read_csv), ("o.parquet", pl.read_parquet), ("o.jsonl", pl.read_ndjson)):
        done = run("join", "--left", "orders.csv:customer", "--right", "customers.csv:id", "--out", name)
        assert done == (0, "", "")
        assert read(name)["name"].to_list() == ["Ada", "Ada"]
    assert sorted(name for name in os.listdir() if name.startswith(".")) == []


def write(name, text):
    with open(name, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def parquet_of(rows):
    result = io.BytesIO()
    pl.DataFrame({"k": range(rows)}).write_parquet(result)
    return result.getvalue()


def npy_of(array):
    result = io.BytesIO()
    np.save(result, array)
    return result.getvalue()


def zst_of(text):
    """The lines of a text, packed."""
    result = io.BytesIO()
    pl.DataFrame({"line": text.splitlines()}).lazy().sink_csv(
        result, include_header=False, quote_style="never", compression="zstd"
    )
    return result.getvalue()


MISTAKES = {
    "nowhere.csv:k": (None, "nowhere.csv: No such file or directory"),
    "nowhere-*.csv:k": (None, "nowhere-*.csv: no file has such a name"),
    "nowhere.npy": (None, "nowhere.npy: No such file or directory"),
    ".": (None, ".: Is a directory"),
    "empty.csv:k": ("", "empty.csv: is empty"),
    "empty.parquet:k": ("", "empty.parquet: is empty"),
    "empty.npy": ("", "empty.npy: is empty"),
    "short.csv:k": ("k,v\n1,2\n3\n4,5\n", "short.csv: row 1 has 1 cells, but the first line 2"),
    "long.csv:k": ("k,v\n1,2\n3,4,5\n", "long.csv: row 1 has 3 cells, but the first line 2"),
    "balanced.csv:k": ('k,v\n"1,1",2\n3\n', "balanced.csv: row 1 has 1 cells, but the first line 2"),
    "quoted.csv:k": ('k,v\n"1,1",2\n"3\n3"\n', "quoted.csv: row 1 has 1 cells, but the first line 2"),
    "none.csv:x": ("k,v\n1,2\n", "none.csv has no column 'x'; it has 'k', 'v'"),
    "beyond.csv:2": ("k,v\n1,2\n", "beyond.csv has no column '2'; it has 'k', 'v'"),
    "twice.csv:k": ("k,v,k\n1,2,3\n", "twice.csv: the column 'k' is there twice"),
    "same.csv:k,k": ("k,v\n1,2\n", "same.csv:k,k names a column twice"),
    "text.csv:n": (
        "n,v\n1,2\nx,3\n",
        "text.csv: row 1: n is 'x', which is no int32; --schema n=TYPE gives another type",
    ),
    "far.csv:n": (
        "n\n1\n3000000000\n",
        "far.csv: row 1: n is '3000000000', which is no int32; --schema n=TYPE gives another",
    ),
    "code.csv:k": (b"k,v\n1,\xff\xfe\n", r"code.csv: row 0 has b'\xff\xfe\n', which is no UTF-8"),
    "cut.parquet:k": (b"PAR1" + bytes(50), "cut.parquet: parquet: File out of specification"),
    "cut.csv.gz:k": (gzip.compress(b"k\n" + np.random.default_rng(1).bytes(999).hex().encode())[:400], "cut.csv.gz: "),
    "cut.jsonl:k": ('{"k":1}\n{"k":\n', "cut.jsonl: row 1 is no JSON: '{\"k\":'"),
    "cut.arrow:k": (b"ARROW1\0\0" + bytes(20), "cut.arrow: "),
    "cut.u32": (b"12345", "cut.u32: has 5 bytes, which is no whole number of 4 bytes"),
    "cut_uint64": (bytes([9, *[0] * 15]), "cut_uint64: its first number, 9, does not count the keys of its 16 bytes"),
    "cut.npy": (b"\x93NUMPY\x01\x00v\x00{", "cut.npy: "),
    "short.csv.zst:k": (zst_of("k,v\n1,2\n3\n4,5"), "short.csv.zst: row 1 has 1 cells, but the first line 2"),
    "twice.csv.zst:k": (zst_of("k,k\n1,2"), "twice.csv.zst: the column 'k' is there twice"),
    "text.csv.zst:n": (zst_of("n\n1\nx"), "text.csv.zst: row 1: n is 'x', which is no int32"),
    "cut.csv.zst:k": (zst_of("k\n" + np.random.default_rng(1).bytes(999).hex())[:400], "cut.csv.zst: "),
    "half.parquet:k": (parquet_of(999)[:500], "half.parquet: parquet: File out of specification"),
    "day.csv:d": ("d\n2024-01-02\nx\n", "day.csv: row 1: d is 'x', which is no date; --schema d=TYPE gives another"),
    "huge.csv:n": ("n\n1\n" + "9" * 41 + "\n", "huge.csv: row 1: n is '" + "9" * 41 + "', which is no int32"),
    "old.csv:k": ("k,v\r1,2\r", "old.csv: a line has a carriage return that does not end it"),
    "code.jsonl:k": (b'{"k":"\xff"}\n', "code.jsonl: row 0 is no JSON"),
    "square.npy": (npy_of(np.zeros((2, 2))), "square.npy: its array has 2 dimensions; it must have one"),
    "null.csv:k": ("k,v\n1,2\n,3\n", "null.csv:k[1] is null"),
}


@pytest.mark.parametrize("source", MISTAKES)
def test_a_mistake_is_one_line(source):
    text, wanted = MISTAKES[source]
    if text is not None:
        write(source.split(":")[0], text)
    schema = "--schema", "n=int32", "--schema", "d=date"
    done = run("build", "--keys", source, "--out", "o.wdx", "--nulls", "error", *schema)
    assert done.status == 2 and done.out == "" and not os.path.exists("o.wdx")
    assert done.error.startswith(f"warpdex: error: {wanted}") and done.error.count("\n") == 1, done


def test_text_after_many_numbers_is_a_mistake_of_its_row():
    write("late.csv", "k\n" + "1\n" * 20_000 + "x\n")
    done = run("join", "--left", "late.csv:k", "--right", "today.csv:customer")
    assert done.error.startswith("warpdex: error: late.csv: row 20000: k is 'x', which is no int64; --schema k=TYPE"), (
        done
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads all files")
def test_a_file_that_must_not_be_read_by_permission():
    os.chmod("orders.csv", 0)
    done = run("build", "--keys", "orders.csv:id", "--out", "o.wdx")
    assert done.error == "warpdex: error: orders.csv: Permission denied\n"


@pytest.mark.parametrize("name", ["bad.csv:k", "bad.parquet:k", "bad.jsonl:k"])
def test_a_file_that_cannot_be_read(name):
    file = name.split(":")[0]
    os.symlink("/proc/self/mem", file)  # the first byte of memory is nobody's
    done = run("build", "--keys", name, "--out", "o.wdx")
    assert done == (2, "", f"warpdex: error: {file}: Input/output error\n")


@pytest.mark.parametrize(
    "words, wanted",
    [
        ("find --index auto --keys orders.csv:id", "--probes names a file, or --probe a value; one of them is given"),
        ("find --index auto --probe 5", "--index auto: no such file; a spec needs --keys"),
        ("find --index FOO --keys orders.csv:id --probe 5", "spec: unknown structure 'FOO'; known are"),
        ("find --index auto --keys orders.csv:id --probe x", "--probe x is no value of the type of the keys, integer"),
        ("find --index auto --keys orders.csv:id --probes customers.csv:name", "customers.csv:name holds strings, but"),
        ("find --index auto --keys orders.csv:id --prob 5", "No such option '--prob'"),
        ("frob", "No such command 'frob'"),
        (
            "join --left orders.csv:id --right customers.csv:id --how some",
            "Invalid value for '--how': 'some' is not one of",
        ),
        (
            "join --left orders.csv:id --right customers.csv:name",
            "left has id of type integer, right has name of type str",
        ),
        (
            "join --left orders.csv:id --right customers.csv:id --columns x",
            "--columns names 'x'; there are 'id', 'customer'",
        ),
        (
            "join --left orders.csv:id --right customers.csv:id --schema x",
            "--schema 'x' is not NAME=TYPE; types are int8",
        ),
        ("join --left orders.csv:id --right customers.csv:id --schema id=text", "--schema 'id=text' is not NAME=TYPE"),
        (
            "join --left orders.csv:id --right customers.csv:id --delimiter ab",
            "--delimiter is 'ab'; it is one character",
        ),
        ("between --left days.csv:from --right orders.csv:placed", "days.csv:from names 1 columns; it takes 2"),
        ("networks --left visits.csv:ip --right customers.csv:name", "customers.csv:name: networks: row 0 is 'Ada'"),
        ("window --left trades.csv:time --right quotes.csv:time --agg bid", "--agg 'bid' is not COLUMN=WORD,..."),
        ("asof --left trades.csv:time --right quotes.csv:time --tolerance 5", "tolerance is 5"),
        ("update --index orders.csv", "--insert or --erase names keys"),
        ("update --index orders.csv --erase today.csv", "path is 'orders.csv', which seems to be a CSV file"),
        ("build --keys orders.csv:id --out -", "--out -: an index is a file"),
        ("build --keys orders.csv:id --out /dev/full", "/dev/full: cannot write: not a regular file"),
        ("join --left orders.csv:id --right customers.csv:id --out /dev/full", "/dev/full: No space left on device"),
        ("draw --index AO+BS --keys orders.csv:id --out /dev/full", "/dev/full: No space left on device"),
        ("info nowhere.wdx", "nowhere.wdx: cannot open: No such file or directory"),
    ],
)
def test_wrong_words_are_one_line(words, wanted):
    done = run(*words.split())
    assert done.status == 2 and done.out == "", done
    assert done.error.startswith(f"warpdex: error: {wanted}") and done.error.count("\n") == 1, done


def test_an_output_that_cannot_be_written():
    ask = "join", "--left", "orders.csv:customer", "--right", "customers.csv:id", "--out"
    write("o.csv", "kept")
    assert run(*ask, "o.csv").error == "warpdex: error: o.csv: exists; --force replaces it\n"
    assert open("o.csv").read() == "kept"
    assert run(*ask, "o.csv", "--force").status == 0 and open("o.csv").read() != "kept"
    assert run(*ask, "nowhere/o.csv").error == "warpdex: error: nowhere/o.csv: there is no folder nowhere\n"
    assert (
        run(*ask, "o.xlsx").error
        == "warpdex: error: --out o.xlsx: the name ends with .csv, .parquet, .jsonl, .ndjson\n"
    )
    os.mkdir("d.csv")
    assert run(*ask, "d.csv").error == "warpdex: error: d.csv: is a directory\n"
    assert run("build", "--keys", "orders.csv:id", "--out", "o.csv").error.endswith("--force replaces it\n")
    assert run("draw", "--index", "AO+BS", "--keys", "orders.csv:id", "--out", "o.png").status == 2
    assert run(*ask, "/dev/null").status == 0
    # A join that fails leaves the file as it was.
    write("late.csv", "id\n" + "1\n" * 20_000 + "x\n")
    write("o.csv", "kept")
    assert run("join", "--left", "late.csv:id", "--right", "late.csv:id", "--out", "o.csv", "--force").status == 2
    assert open("o.csv").read() == "kept" and not [name for name in os.listdir() if name.startswith(".")]


def _little_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_nothing_is_left_of_what_a_full_disk_cuts():
    pl.DataFrame({"k": range(10_000)}).write_csv("many.csv")
    for words in ("join --left many.csv:k --right many.csv:k --out o.csv", "build --keys many.csv:k --out o.wdx"):
        command = [sys.executable, "-m", "warpdex", *words.split()]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=_little_room, timeout=300)
        assert done.returncode == 2 and done.stderr.startswith("warpdex: error: ") and done.stderr.count("\n") == 1
        assert not [name for name in os.listdir() if "o." in name], done


def test_index_files_of_another_kind_and_damaged_ones():
    write("junk.wdx", "no index at all")
    warpdex.GroupedIndex(["a", "b"], [1, 2]).save("grouped.wdx")
    warpdex.Index([5, 7], "AO+BS").save("cut.wdx")
    data = bytearray(open("cut.wdx", "rb").read())
    write("cut.wdx", bytes(data[:-100]))
    data[len(data) // 2] ^= 255
    write("bad.wdx", bytes(data))
    for name, wanted in (("junk", "text file"), ("grouped", "grouped index"), ("cut", ""), ("bad", "")):
        for words in (["verify"], ["info"], ["find", "--probe", "5", "--index"]):
            done = run(*words, f"{name}.wdx")
            start = "warpdex: error: path is 'junk.wdx'," if name == "junk" else f"warpdex: error: {name}.wdx: "
            assert done.status == 2 and done.error.startswith(start) and wanted in done.error
    warpdex.Index([5, 8], "AO+BS").save("other.wdx")
    write("keys.csv", "k\n5\n7\n")
    done = run("find", "--index", "other.wdx", "--source", "keys.csv:k", "--columns", "all", "--probe", "5")
    assert done.status == 2 and "is not over right's column 'k'" in done.error
