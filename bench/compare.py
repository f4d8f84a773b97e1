#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Everyday jobs with warpdex, Polars, DuckDB and pandas: whole processes in turns, and equal answers.

bench/compare.py [ROWS] [ROUNDS] [PROGRAM,...]   # in an environment with these libraries
"""

import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta

PROGRAMS = ["polars", "duckdb", "pandas"]

# Each job writes its answer to out.csv. Prices have different times, so there is one right answer.
JOBS = {
    "first row of each customer": {
        "warpdex": "find --index HT(open) --keys orders.csv:customer --probes asked.csv:customer --columns id,amount"
        " --schema amount=string",
        "polars": """
o = pl.read_csv("orders.csv", columns=["id", "customer", "amount"], schema_overrides={"amount": pl.String})
o = o.unique("customer", keep="first", maintain_order=True)
a = pl.read_csv("asked.csv")
a.join(o, on="customer", how="left", maintain_order="left").write_csv("out.csv")
""",
        "duckdb": """
duckdb.sql(\"\"\"copy (select a.customer, o.id, o.amount
  from (select row_number() over () n, customer from read_csv('asked.csv')) a
  left join (select customer, min(id) id, arg_min(amount, id) amount
             from read_csv('orders.csv', types={'amount': 'VARCHAR'}) group by customer) o using (customer)
  order by n) to 'out.csv' (header)\"\"\")
""",
        "pandas": """
o = pd.read_csv("orders.csv", usecols=["id", "customer", "amount"], dtype={"amount": str}).drop_duplicates("customer")
a = pd.read_csv("asked.csv").merge(o, on="customer", how="left")
a["id"] = a["id"].astype("Int64")
a.to_csv("out.csv", index=False)
""",
    },
    "the last price not later than each trade": {
        "warpdex": "asof --left trades.csv:time --right prices.csv:time --columns price",
        "polars": """
p = pl.read_csv("prices.csv", try_parse_dates=True).sort("time", maintain_order=True)
t = pl.read_csv("trades.csv", try_parse_dates=True).with_row_index("n").sort("time")
t.join_asof(p, on="time").sort("n").select("price").write_csv("out.csv")
""",
        "duckdb": """
duckdb.sql(\"\"\"copy (select price from (select row_number() over () n, time from read_csv('trades.csv')) t
  asof left join read_csv('prices.csv') p on t.time >= p.time order by n) to 'out.csv' (header)\"\"\")
""",
        "pandas": """
p = pd.read_csv("prices.csv", parse_dates=["time"]).sort_values("time", kind="stable")
t = pd.read_csv("trades.csv", parse_dates=["time"]).reset_index(names="n").sort_values("time")
r = pd.merge_asof(t, p, on="time").sort_values("n")["price"].astype("Int64")
r.to_csv("out.csv", index=False)
""",
    },
    "count of orders in ranges of days": {
        "warpdex": "range --index auto --keys orders.csv:placed --lower days.csv:from --upper days.csv:to",
        "polars": """
o = pl.read_csv("orders.csv", columns=["placed"], try_parse_dates=True).sort("placed")
d = pl.read_csv("days.csv", try_parse_dates=True)
low = o["placed"].search_sorted(d["from"], side="left")
high = o["placed"].search_sorted(d["to"], side="right")
d.with_columns(count=high - low).write_csv("out.csv")
""",
        "duckdb": """
duckdb.sql(\"\"\"copy (with o as (select placed, count(*) c from read_csv('orders.csv') group by placed)
  select "from", "to", coalesce(sum(c), 0)
  from (select row_number() over () n, * from read_csv('days.csv')) d
  left join o on o.placed between d."from" and d."to"
  group by n, "from", "to" order by n) to 'out.csv' (header)\"\"\")
""",
        "pandas": """
import numpy as np
o = pd.read_csv("orders.csv", usecols=["placed"], parse_dates=["placed"]).sort_values("placed")
d = pd.read_csv("days.csv", parse_dates=["from", "to"])
low = np.searchsorted(o["placed"].to_numpy(), d["from"].to_numpy(), "left")
d["count"] = np.searchsorted(o["placed"].to_numpy(), d["to"].to_numpy(), "right") - low
d.to_csv("out.csv", index=False)
""",
    },
}

MILLION = 1_000_000

IMPORTS = {"polars": "import polars as pl", "duckdb": "import duckdb", "pandas": "import pandas as pd"}


def write_tables(rows):
    """Orders, of which there are `rows`, rounded down to millions; the other tables grow up to a million orders."""
    chance = random.Random(1)
    start = datetime(2020, 1, 1)

    def table(name, header, lines):
        with open(name, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(header)
            out.writerows(lines)

    def moment(second):
        return (start + timedelta(seconds=second)).isoformat() + "Z"

    notes = ["", "call first", 'says "now", and waits', "two\nlines"]
    some = min(rows, MILLION)
    table(
        "orders.csv",
        ["id", "customer", "placed", "changed", "address", "balance", "note", "amount"],
        (
            [
                i,
                chance.randrange(1, some // 4 + 2),
                (start + timedelta(days=chance.randrange(1500))).date(),
                moment(chance.randrange(100_000_000)),
                f"2001:db8::{chance.getrandbits(64):x}",
                chance.gauss(0, 1000),
                chance.choice(notes),
                f"{chance.randrange(-10_000, 1_000_000) / 100:.2f}",
            ]
            for i in range(some)
        ),
    )
    with open("orders.csv", "rb+") as file:  # more rows are the same ones again
        file.readline()
        body = file.read()
        for _ in range(rows // some - 1):
            file.write(body)
    table("asked.csv", ["customer"], ([chance.randrange(1, some // 3 + 2)] for _ in range(some // 10 + 1)))
    table(
        "prices.csv",
        ["time", "price"],
        ([moment(second), chance.randrange(10_000)] for second in chance.sample(range(100_000_000), some // 5 + 1)),
    )
    table("trades.csv", ["time"], ([moment(chance.randrange(100_000_000))] for _ in range(some)))
    days = [sorted((start + timedelta(days=chance.randrange(1600))).date() for _ in range(2)) for _ in range(1000)]
    table("days.csv", ["from", "to"], days)


def answer(name, job):
    """The values of out.csv that all programs have in common."""
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]
    if job.startswith("the last price"):
        return [row[-1] if row else "" for row in rows]
    if job.startswith("count"):
        return [(row[0][:10], row[1][:10], row[2]) for row in rows]
    return [tuple(row) for row in rows]


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    others = sys.argv[3].split(",") if len(sys.argv) > 3 else PROGRAMS
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_tables(rows)
        print(
            f"{rows} orders, {os.path.getsize('orders.csv') / 1e6:.0f} MB; seconds of whole processes, the best and "
            f"the median of {rounds}, and the most memory that was resident\n",
            flush=True,
        )
        print("| job | warpdex | " + " | ".join(others) + " |\n|---|" + "---|" * (1 + len(others)))
        for job, programs in JOBS.items():
            own = ["-m", "warpdex", *programs["warpdex"].split(), "-q", "--out", "out.csv"]
            commands = {"warpdex": [sys.executable, *own]}
            for name in others:
                commands[name] = [sys.executable, "-c", IMPORTS[name] + "\n" + programs[name]]
            seconds = {name: [] for name in commands}
            memory = {}
            expected = None
            for _ in range(rounds):
                for name, command in commands.items():
                    if os.path.exists("out.csv"):
                        os.remove("out.csv")
                    start = time.perf_counter()
                    process = subprocess.Popen(command)
                    _, status, used = os.wait4(process.pid, 0)
                    seconds[name].append(time.perf_counter() - start)
                    if status != 0:
                        sys.exit(f"{job}: {name} failed")
                    memory[name] = max(memory.get(name, 0), used.ru_maxrss / 1000)
                    got = answer(name, job)
                    expected = got if expected is None else expected
                    if got != expected:
                        at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), "the end")
                        sys.exit(f"{job}: {name} answers otherwise than warpdex in line {at}")
            print(
                f"| {job} | "
                + " | ".join(
                    f"{min(s):.2f} (median {statistics.median(s):.2f}), {memory[name]:.0f} MB"
                    for name, s in seconds.items()
                )
                + " |",
                flush=True,
            )


main()
