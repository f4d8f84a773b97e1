# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The command `warpdex`: its subcommands, their examples, and what it imports."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time
import textwrap

import numpy as np
import pytest

import warpdex

click = pytest.importorskip("click")
pytest.importorskip("rich")
pl = pytest.importorskip("polars")

from command_runs import enter, run  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    enter(tmp_path, monkeypatch)
    warpdex.Index(pl.read_csv("orders.csv")["customer"], "AO+BS").save("customers.wdx")
    return tmp_path


def process(*arguments, **how):
    command = [sys.executable, "-m", "warpdex", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **how)


def subcommands():
    from warpdex.cli._commands import program as group

    return sorted(group.commands)


def test_the_subcommands():
    assert set(subcommands()) == set(
        "find range join asof between window overlaps networks build update info advise verify draw".split()
    )
    done = run("--help")
    assert done.status == 0 and all(f"\n  {name} " in done.out for name in subcommands())
    assert run("--version").out == f"warpdex {warpdex.__version__}\n"


@pytest.mark.parametrize("name", subcommands())
def test_the_examples_of_the_help_run(name, folder):
    shown = run(name, "--help").out
    examples = re.findall(r"^    (warpdex .*)$", shown, re.MULTILINE)
    assert examples
    for example in examples:
        done = run(*shlex.split(example)[1:])
        assert done.status == 0 and done.error.count("error") == 0, (example, done)
        if "--out" not in example and name != "update":
            assert done.out
    for result in ("by_customer.wdx", "joined.parquet", "picture.svg"):
        assert (folder / result).exists() == any(result in example for example in examples)


def blocks_of(page):
    """The blocks of code of a page of the guide that have commands, as lines."""
    text = (ROOT / "docs/guide" / page).read_text()
    found = [*re.findall(r"^```console\n(.*?)^```", text, re.M | re.S), *re.findall(r"(?:^ {4}.*\n)+", text, re.M)]
    return [lines for one in found if (lines := textwrap.dedent(one).splitlines())[0].startswith("$ warpdex ")]


@pytest.mark.parametrize("page", ["command.md", "start.md"])
def test_the_examples_of_the_guide_run(page, folder):
    kept = set(os.listdir())
    for lines in blocks_of(page):
        for result in set(os.listdir()) - kept:
            os.unlink(result)
        if any(" build " in line for line in lines):
            os.unlink("customers.wdx")
        else:
            warpdex.Index(pl.read_csv("orders.csv")["customer"], "AO+BS").save("customers.wdx")
        shown = lines[1:] if not lines[-1].startswith("$ ") else None
        for line in lines if shown is None else lines[:1]:
            done = run(*shlex.split(line.removeprefix("$ "))[1:])
            assert done.status == 0 and done.error.count("error") == 0, (line, done)
            assert shown is None or done.out.splitlines() == shown, line


def test_the_commands_of_the_pages():
    """What the pages tell readers to type is there: the programs are on the path here."""
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    done = subprocess.run(
        [sys.executable, ROOT / "tests/scripts/commands_test.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_find():
    ask = "find", "--index", "customers.wdx"
    assert run(*ask, "--probe", "5", "--probe", "0x7", "--probe", "2.5").out == "probe,row\n5,0\n0x7,1\n2.5,\n"
    assert run(*ask, "--probe", "5", "--lookup", "retrieve").out == "probe,row\n5,0\n5,2\n"
    assert run(*ask, "--probe", "6", "--lookup", "count").out == "probe,count\n6,0\n"
    assert run(*ask, "--probe", "6", "--lookup", "floor").out == "probe,row\n6,0\n"
    assert run(*ask, "--probe", "6", "--lookup", "lower_bound").out == "probe,lower_bound\n6,2\n"
    assert (
        run(*ask, "--probes", "today.csv:customer", "--lookup", "contains").out == "probe,contains\n5,true\n6,false\n"
    )
    of_table = *ask, "--source", "orders.csv:customer"
    assert run(*of_table, "--probe", "7", "--columns", "id,placed").out == "probe,id,placed\n7,71,2024-01-01\n"
    found = run(*of_table, "--probe", "5", "--columns", "all", "--lookup", "retrieve").out
    assert found == "probe,id,customer,placed,amount\n5,70,5,2024-01-02,1.5\n5,72,5,2024-01-02,0.25\n"
    assert run(*ask, "--probe", "5", "--columns", "id").error == (
        "warpdex: error: --columns needs --source, the table of the index\n"
    )


def test_the_status_says_whether_something_was_found():
    ask = "find", "--index", "customers.wdx", "--probe"
    assert [run(*ask, probe).status for probe in ("5", "6")] == [0, 1]
    assert run(*ask, "6", "--lookup", "retrieve").status == 1
    assert run(*ask, "6", "--lookup", "contains").status == 1
    assert run(*ask, "6", "--lookup", "upper_bound").status == 0
    assert run("find", "--index", "nowhere.wdx", "--probe", "6").status == 2


def test_probes_are_read_in_the_type_of_the_keys():
    pl.DataFrame(
        {
            "moment": ["2024-01-02T10:00:00", "2024-01-02T11:00:00.5"],
            "day": ["2024-01-02", "2024-01-03"],
            "digits": ["07", "7"],
            "price": ["1.50", "2.25"],
            "id": ["C9A646D3-9c61-4cb7-bfcd-ee2522c8f633", "00000000-0000-4000-8000-000000000000"],
            "flag": ["false", "true"],
        }
    ).write_csv("kinds.csv")
    schema = "digits=string", "price=decimal(10,2)", "id=uuid", "moment=datetime[us,UTC]"
    options = [word for one in schema for word in ("--schema", one)]
    query = {
        "moment": "2024-01-02T12:00:00.5+01:00",
        "day": "2024-01-03",
        "digits": "7",
        "price": "2.250",
        "id": "00000000000040008000000000000000",
        "flag": "true",
    }
    for column, probe in query.items():
        built = run("build", "--keys", f"kinds.csv:{column}", "--out", f"{column}.wdx", *options)
        assert built.status == 0, built
        done = run("find", "--index", f"{column}.wdx", "--probe", probe)
        assert done.out == f"probe,row\n{probe},1\n", (column, done)
        found = run("find", "--index", f"{column}.wdx", "--probes", f"kinds.csv:{column}", *options).out
        assert [line.rpartition(",")[2] for line in found.splitlines()] == ["row", "0", "1"]
        wrong = run("find", "--index", f"{column}.wdx", "--probe", "no-value")
        assert wrong.status == (1 if column == "digits" else 2)
    # A file of digits is text if the keys are.
    assert run("find", "--index", "digits.wdx", "--probes", "kinds.csv:digits").out == "probe,row\n07,0\n7,1\n"


def test_keys_of_several_columns():
    run("build", "--keys", "orders.csv:placed,customer", "--index", "AO+BS", "--out", "both.wdx")
    assert run("find", "--index", "both.wdx", "--probe", "2024-01-02,5").out == 'probe,row\n"2024-01-02,5",0\n'
    assert run("find", "--index", "both.wdx", "--probe", "2024-01-02", "--lookup", "count").out.endswith(",2\n")
    found = run("find", "--index", "both.wdx", "--probes", "orders.csv:placed,customer").out
    assert found == "placed,customer,row\n2024-01-02,5,0\n2024-01-01,7,1\n2024-01-02,5,0\n"
    wrong = run("find", "--index", "both.wdx", "--probe", "2024-01-02,5,6")
    assert wrong.status == 2 and "which have 2" in wrong.error


def test_range():
    ask = "range --index AO+BS --keys orders.csv:placed --lower days.csv:from --upper days.csv:to".split()
    assert run(*ask).out == "lower,upper,count\n2024-01-01,2024-01-02,3\n"
    assert run(*ask, "--closed", "left").out == "lower,upper,count\n2024-01-01,2024-01-02,1\n"
    assert run(*ask, "--rows").out.splitlines()[1:] == [f"2024-01-01,2024-01-02,{row}" for row in (1, 0, 2)]
    assert run(*ask, "--columns", "id").out.splitlines()[1:] == [f"2024-01-01,2024-01-02,{row}" for row in (71, 70, 72)]
    assert run(*ask, "--closed", "none").status == 1


def test_joins_are_those_of_the_package():
    orders, customers = pl.read_csv("orders.csv", try_parse_dates=True), pl.read_csv("customers.csv")
    for how in ("inner", "left", "right", "full", "semi", "anti"):
        assert run("join", "--left", "orders.csv:customer", "--right", "customers.csv:id", "--how", how).status == 0
        out = run(
            "join", "--left", "orders.csv:customer", "--right", "customers.csv:id", "--how", how, "--columns", "id"
        ).out
        wanted = warpdex.join(orders, customers, left_on="customer", right_on="id", how=how)["id"].to_list()
        assert out.split()[1:] == ["" if one is None else str(one) for one in wanted] or None in wanted
    done = run("asof", "--left", "trades.csv:time", "--right", "quotes.csv:time", "--by", "symbol", "--tolerance", "2s")
    assert done.out.splitlines()[1:] == ["2024-01-02T10:00:05.000000,A,1.5", "2024-01-02T10:00:09.000000,B,"]
    done = run("between", "--left", "days.csv:from,to", "--right", "orders.csv:placed", "--columns", "id")
    assert done.out == "id\n71\n70\n72\n"
    done = run(
        "window", *"--left trades.csv:time --right quotes.csv:time --before 10s --agg bid=max --agg *=count".split()
    )
    assert done.out.splitlines() == [
        "time,symbol,bid_max,count",
        "2024-01-02T10:00:05.000000,A,2.5,2",
        "2024-01-02T10:00:09.000000,B,2.5,2",
    ]


def test_overlaps_and_networks():
    out = run("overlaps", "--left", "shifts.csv:begin,end", "--right", "breaks.csv:begin,end", "--how", "left").out
    assert out.splitlines() == ["name,begin,end,begin_right,end_right", "early,0,10,3,4", "late,20,30,,"]
    out = run("overlaps", "--left", "shifts.csv:begin", "--right", "shifts.csv:begin,end", "--closed", "none").out
    assert out.splitlines() == ["name,begin,end,name_right,begin_right,end_right"]
    some = run("overlaps", "--left", "shifts.csv:begin,end", "--right", "breaks.csv:begin,end", "--min-overlap", "2")
    assert len(some.out.splitlines()) == 1
    out = run("networks", "--left", "visits.csv:ip", "--right", "networks.csv:cidr").out
    assert out.splitlines() == ["ip,cidr", "10.1.2.3,10.1.0.0/16", "8.8.8.8,"]
    out = run("networks", "--left", "visits.csv:ip", "--right", "networks.csv:cidr", "--all").out
    assert out.splitlines() == ["ip,cidr", "10.1.2.3,10.0.0.0/8", "10.1.2.3,10.1.0.0/16"]


def test_updates_and_what_describes_an_index():
    done = run("update", "--index", "customers.wdx", "--insert", "today.csv:customer", "--first-row", "3")
    assert done.error == "inserted 2, erased 0, cancelled 0\n"
    assert run("find", "--index", "customers.wdx", "--probe", "6").out == "probe,row\n6,4\n"
    assert run("verify", "customers.wdx").out.startswith("customers.wdx: 5 keys, AO+BS")
    done = run("verify", "customers.wdx", "--source", "orders.csv:customer")
    assert done.status == 2 and done.error.startswith("warpdex: error: customers.wdx has 5 keys, but")
    assert run("update", "--index", "customers.wdx", "--erase", "today.csv:customer", "-q").error == ""
    assert json.loads(run("info", "customers.wdx", "--json").out)["size"] == 1
    assert "resolved spec: AO+BS" in run("info", "customers.wdx").out
    assert "advice is" in run("advise", "--keys", "orders.csv:customer").out
    run("build", "--keys", "orders.csv:customer", "--rows", "orders.csv:id", "--out", "ids.wdx")
    assert run("find", "--index", "ids.wdx", "--probe", "7").out == "probe,row\n7,71\n"
    run("build", "--keys", "orders.csv:customer", "--devices", "cpu,cpu", "--placement", "range", "--out", "shards")
    assert run("find", "--index", "shards", "--probe", "7").out == "probe,row\n7,1\n"
    assert run("update", "--index", "shards", "--erase", "gone.txt").error == "inserted 0, erased 1, cancelled 0\n"
    assert run("find", "--index", "shards", "--probe", "7").status == 1


def test_updates_of_one_file_come_one_after_the_other():
    keys = [f"{number}.txt" for number in range(4)]
    for number, name in enumerate(keys):
        with open(name, "w") as file:
            file.write(f"{100 + number}\n")
    ask = [sys.executable, "-m", "warpdex", "update", "--index", "customers.wdx", "-q", "--first-row", "9", "--insert"]
    for started in [subprocess.Popen([*ask, name]) for name in keys]:
        assert started.wait(300) == 0
    assert len(warpdex.Index.load("customers.wdx")) == 3 + len(keys)


_MODULES = "import sys, warpdex.cli\ntry: warpdex.cli.main({})\nfinally: print(*sys.modules, file=sys.stderr)"


def modules_after(*arguments):
    command = [sys.executable, "-c", _MODULES.format(list(arguments))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return set(done.stderr.split()), done.stdout


def test_what_is_imported():
    for arguments in (["--help"], ["find", "--help"], ["join", "--help"]):
        modules, out = modules_after(*arguments)
        assert "Usage: warpdex" in out
        assert not modules & {"numpy", "polars", "rich", "pandas", "pyarrow", "warpdex._core", "warpdex.lookups.index"}
    modules, out = modules_after("find", "--index", "customers.wdx", "--probe", "5")
    assert out == "probe,row\n5,0\n" and not modules & {
        "polars",
        "rich",
        "pandas",
        "pyarrow",
        "numpy.ma",
        "warpdex.joins.join",
    }


def test_without_the_extra_a_line_says_what_to_install(folder):
    for missing in ("click", "polars"):
        (folder / f"{missing}.py").write_text(f"raise ImportError('none', name='{missing}')")
        done = process("join", "--left", "orders.csv:customer", "--right", "customers.csv:id", cwd=folder)
        assert done.returncode == 2 and done.stderr == (
            f"warpdex: error: the command needs {missing}: pip install 'warpdex[cli]'\n"
        )
        (folder / f"{missing}.py").unlink()


def test_completion():
    done = process(
        env={**os.environ, "_WARPDEX_COMPLETE": "bash_complete", "COMP_WORDS": "warpdex net", "COMP_CWORD": "1"}
    )
    assert done.stdout == "plain,networks\n"


def test_progress_is_shown_by_a_terminal_alone(monkeypatch):
    from warpdex.cli import _options

    told = run("find", "--index", "auto", "--keys", "orders.csv:customer", "--probe", "5")
    assert told.error == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with _options.progress(_options.Options(quiet=False), "keys") as tell:
        assert warpdex.Index(np.arange(10), progress=tell).find(3) == 3
    with _options.progress(_options.Options(quiet=True), "keys") as tell:
        assert tell is False


def _take_signals():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # which may be ignored in the background


def test_signals_and_closed_pipes_end_it_quietly(folder):
    pl.DataFrame({"k": range(200_000)}).write_csv("many.csv")
    command = f"{shlex.quote(sys.executable)} -m warpdex find --index auto --keys many.csv:k --probes many.csv:k"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (141, "probe,row\n", "")
    for redirected, wanted in ((">/dev/full", "No space left on device"), (">&-", "the standard input or")):
        done = subprocess.run(["bash", "-c", f"{command} {redirected}"], capture_output=True, text=True)
        assert (
            done.returncode == 2
            and done.stderr.startswith(f"warpdex: error: {wanted}")
            and done.stderr.count("\n") == 1
        )
    os.mkfifo("slow.csv")
    for number in (signal.SIGINT, signal.SIGTERM):
        words = "-m warpdex join --left many.csv:k --right slow.csv:k --out o.csv"
        query = [sys.executable, *words.split()]
        with subprocess.Popen(query, stderr=subprocess.PIPE, text=True, preexec_fn=_take_signals) as started:
            with open("slow.csv", "w"):
                time.sleep(0.2)  # until it waits for bytes: a signal just before a read does not end that
                started.send_signal(number)
                assert started.wait(60) in (-number, 128 + number)
            assert started.stderr.read() == ""
        assert not [name for name in os.listdir() if name.startswith((".o", "o."))]
