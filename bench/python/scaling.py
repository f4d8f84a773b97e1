# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""All public calls on 1, 2, 4, ... cores, each number in a process that has these cores alone. The first one compares its answers with what is known of the data; the others have to give the same."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from functools import partial

import numpy as np
import questions
import warpdex
from shared import AROUND, Call, asof_by_sort, columns_of, emit, expect_equal, library, ticks, window_by_sums
from shared import whole_and_in_chunks


def all_cores(options):
    """Runs this program once per number of cores, and names those that the machine lacks."""
    here = sorted(os.sched_getaffinity(0))
    query = [int(one) for one in options.cores.split(",")]
    if lacking := [cores for cores in query if cores > len(here)]:
        emit(bench="scaling", skipped=f"there are {len(here)} cores, not {', '.join(map(str, lacking))}")
    with tempfile.TemporaryDirectory() as folder:
        expected = pathlib.Path(folder) / "expected.json"
        expected.write_text("{}")
        for cores in sorted(set(query) - set(lacking)):
            command = [sys.executable, str(pathlib.Path(__file__).parent), "scaling", "--expected", str(expected)]
            command += ["--threads", str(cores), "--rows", str(options.rows), "--repeat", str(options.repeat)]
            command += ["--seed", str(options.seed), *(["--only", *options.only] if options.only else [])]
            if failed := subprocess.run(command, check=False).returncode:
                return failed
    return 0


def digest_of(answer):
    """A number for all values of an answer, of columns in the order of their names."""
    result = hashlib.blake2b(digest_size=16)
    for name, column in sorted(columns_of(answer).items(), key=lambda item: str(item[0])):
        values = column if column.dtype != object else np.array([str(one) for one in column])
        result.update(f"{name} {values.dtype} {values.shape}".encode())
        result.update(np.ascontiguousarray(values).data.cast("B"))
    return result.hexdigest()


def scaling(b, expected):
    """Measures with the cores that this process has."""
    known = json.loads(pathlib.Path(expected).read_text())
    with tempfile.TemporaryDirectory() as folder:
        query = Questions(b, known, os.path.join(folder, "index.wdx"))
        for part in (query.builds, query.lookups, query.ranges, query.frames, query.times, query.spans, query.texts):
            part()
    pathlib.Path(expected).write_text(json.dumps(known))


class Questions:
    """The data and what is asked of it. Keys are the even numbers in random order, so that answers are known."""

    def __init__(self, b, known, path):
        self.b, self.known, self.path, self.n = b, known, path, b.rows
        self.row_at = b.random.permutation(self.n).astype(np.int32)  # of each key in their order
        self.keys = np.empty(self.n, np.int64)
        self.keys[self.row_at] = np.arange(0, 2 * self.n, 2)
        self.probes = b.random.integers(0, 2 * self.n, self.n)
        self.hits = self.probes % 2 == 0
        self.lower = b.random.integers(0, 2 * self.n - 1, self.n)
        self.upper = self.lower + 4  # holds two or three keys
        self.values = b.random.integers(0, 1000, self.n)

    def ask(self, name, call, peer, of=lambda result: result, rows=None, prepare=None):
        """Times a call, and compares its answer with that of another process or, in the first one, of `peer`."""
        if not self.b.wants(name):
            return
        runs, answer = self.b.timed(Call(call, of, prepare))
        if name not in self.known:
            expect_equal(answer, peer(), f"scaling, {name}")
            self.known[name] = digest_of(answer)
        elif self.known[name] != digest_of(answer):
            sys.exit(f"scaling, {name}: another answer on {self.b.threads} cores")
        self.b.show(name, "warpdex", rows or self.n, runs)

    def ask_built(self, name, build, peer, of, rows=None):
        """The same of what makes an index, which is returned."""
        build = partial(build, **self.b.ours)
        self.ask(name, build, peer, of, rows)
        return build()

    def ask_frames(self, name, call, peer, *tables, of=lambda result: result):
        """The same call of dicts of arrays, and of frames of Polars, whole and in chunks."""
        self.ask(name, lambda: call(*tables), peer, of)
        if pl := library("polars"):
            whole, chunks = whole_and_in_chunks(call, *map(pl.DataFrame, tables))
            self.ask(f"{name}, polars", whole, peer)
            self.ask(f"{name}, polars in 41 chunks", chunks, peer)

    def built(self, spec):
        return warpdex.Index(self.keys, spec, **self.b.ours)

    def found(self):
        return np.where(self.hits, self.row_at[self.probes // 2], -1)

    def builds(self):
        def first(index):
            return index.find(self.probes[:1000])

        def peer():
            return self.found()[:1000]

        def changed(index):
            return index.find(more), index.find(self.keys[:few])

        for spec in ("AO+BS", "AO+PB+KS(17)", "HT(open)"):
            self.ask(f"build {spec}", partial(self.built, spec), peer, first)
        result, load = self.built("AO+BS"), partial(warpdex.Index.load, self.path)
        self.ask("save", partial(result.save, self.path), peer, lambda _: first(load()))
        result.save(self.path)
        self.ask("load", load, peer, first)
        few = max(self.n // 20, 1)
        more, rows = np.arange(few) * 2 + 1, np.arange(self.n, self.n + few)
        for spec in ("AO+BS", "HT(open)"):
            for name, gone in (("insert", self.keys[:0]), ("update", self.keys[:few])):

                def update(index, gone=gone):
                    index.update(more, rows, gone, **self.b.ours)
                    return index

                left = np.arange(few) if name == "insert" else np.full(few, -1)
                fresh = partial(self.built, spec)
                self.ask(f"{name} {spec}", update, lambda: (rows, left), changed, few + gone.size, fresh)

    def lookups(self):
        peers = {
            "find": self.found,
            "contains": lambda: self.hits,
            "count": lambda: self.hits.astype(int),
            "retrieve": lambda: (np.concatenate([[0], np.cumsum(self.hits)]), self.found()[self.hits]),
            "join": lambda: (np.flatnonzero(self.hits), self.found()[self.hits]),
            "floor": lambda: self.row_at[self.probes // 2],
            "ceil": lambda: np.append(self.row_at, -1)[(self.probes + 1) // 2],
        }
        for spec in ("AO+BS", "AO+PB+KS(17)", "HT(open)"):
            index = self.built(spec)
            for name, peer in peers.items():
                if spec != "HT(open)" or name not in ("floor", "ceil"):
                    call = getattr(index, name)
                    self.ask(f"{name} {spec}", lambda: call(self.probes, **self.b.ours), peer)
        rows = self.found()
        gathered = np.where(rows < 0, -1, self.values[rows])
        self.ask("gather", lambda: warpdex.gather(rows, self.values, -1), lambda: gathered)

    def in_ranges(self):
        """The rows of what is in each range, in the order of keys, and the numbers of those."""
        first = (self.lower + 1) // 2
        sizes = np.minimum(self.upper // 2, self.n - 1) - first + 1
        return self.row_at[np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)], sizes

    def ranges(self):
        def listed():
            rows, sizes = self.in_ranges()
            return np.concatenate([[0], np.cumsum(sizes)]), rows

        def aggregates():
            rows, sizes = self.in_ranges()
            begins = np.cumsum(sizes) - sizes
            values = self.values[rows]
            return np.add.reduceat(values, begins), np.minimum.reduceat(values, begins), sizes

        def three(result):
            return result.sum, result.min, result.count

        index, bounds, few = self.built("AO+BS"), (self.lower, self.upper), (self.lower[:1000], self.upper[:1000])
        self.ask("range_count", lambda: index.range_count(*bounds, **self.b.ours), lambda: self.in_ranges()[1])
        self.ask("range_retrieve", lambda: index.range_retrieve(*bounds, **self.b.ours), listed)
        build, peer = (
            partial(warpdex.RangeAggregates, index, self.values),
            lambda: [column[:1000] for column in aggregates()],
        )
        payload = self.ask_built("payload", build, peer, lambda result: three(result.in_ranges(*few)))
        self.ask("aggregates", lambda: payload.in_ranges(*bounds, **self.b.ours), aggregates, three)

    def frames(self):
        ids, right = np.arange(self.n), {"key": self.keys, "value": self.values}

        def joined():
            return {"id": ids[self.hits], "value": self.values[self.found()[self.hits]]}

        def between():
            rows, sizes = self.in_ranges()
            return {"id": np.repeat(ids, sizes), "value": self.values[rows]}

        join = partial(warpdex.join, on="key", **self.b.ours)
        self.ask_frames("join of frames", join, joined, {"key": self.probes, "id": ids}, right)
        join = partial(warpdex.join_between, on="key", lower="low", upper="high", **self.b.ours)
        self.ask_frames("join_between", join, between, {"id": ids, "low": self.lower, "high": self.upper}, right)

    def times(self):
        left, right = (ticks(self.b.random, self.n, 1000, **values) for values in ({}, {"bid": int}))

        def with_nan(result):  # a column of a dict that has nulls is values, and which of them count
            bid = result["bid"]
            return {"bid": np.where(bid[1], bid[0], np.nan) if isinstance(bid, tuple) else bid}

        for by in (None, "symbol"):
            join = partial(warpdex.join_asof, on="time", by=by, **self.b.ours)
            peer = partial(asof_by_sort, np, left, right, by)
            self.ask_frames("join_asof by" if by else "join_asof", join, peer, left, right, of=with_nan)
        ask = partial(warpdex.window, **AROUND, **self.b.ours)
        self.ask_frames("window", ask, partial(window_by_sums, np, left, right), left, right)

    def spans(self):
        """Intervals and networks."""
        starts, ends, *query = questions.mixed_intervals(self.b.random, self.n)
        counts = partial(questions.overlaps, np, np.sort(starts), np.sort(ends), *query)
        build = partial(warpdex.Intervals, starts, ends, closed="left")
        index = self.ask_built("intervals", build, counts, lambda result: result.count(*query))
        self.ask("intervals count", lambda: index.count(*query, **self.b.ours), counts)
        join = partial(index.join, *query, **self.b.ours)
        self.ask("intervals join", join, counts, lambda pairs: np.bincount(pairs[0], minlength=self.n))
        nets, lengths = questions.routes_of_ipv4(max(self.n // 20, 100), self.b.random)
        probes = self.b.random.integers(0, 1 << 32, self.n, np.uint32)
        build, longest = partial(warpdex.Networks, nets, lengths), partial(questions.longest, nets, lengths, probes)
        known = self.ask_built("networks", build, longest, lambda result: result.find(probes), nets.size)
        self.ask("networks find", lambda: known.find(probes, **self.b.ours), longest)

    def texts(self):
        import pyarrow as pa

        numbers = self.probes[: self.n // 4 + 1]
        names, encoder = pa.array([f"user-{i:08x}" for i in numbers]), warpdex.KeyEncoder(["i64", "bytes"])
        encode = partial(encoder.encode, [numbers, names], **self.b.ours)
        self.ask("encode", encode, lambda: numbers, lambda result: encoder.decode(result)[0], numbers.size)

        def first():
            _, at, place = np.unique(numbers, return_index=True, return_inverse=True)
            return at[place]

        build = partial(warpdex.Index, names, "AO+BS")
        index = self.ask_built("build of strings", build, first, lambda result: result.find(names), numbers.size)
        self.ask("find of strings", lambda: index.find(names, **self.b.ours), first, rows=numbers.size)
