# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The lookups of an index with one answer per probe, and those that list rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ._asking import Asking
from ._border import public_methods
from ._columns import Column, Part
from ._errors import InvalidArgument, Unsupported
from ._objects import object_parts
from ._pieces import as_it_is, checked_out
from ._values import Values


def expect_closed(closed: str) -> None:
    if closed not in ("both", "left", "right", "none"):
        raise InvalidArgument(f"closed is {closed!r}; it must be 'both', 'left', 'right' or 'none'")


def _closed(column: Values, step: int) -> Values:
    """Open bounds that are integers or times as closed ones, a step inside. Misses are those beyond the keys, which leave
    out no key and are closed as they are."""

    def inside(part: Part) -> list[Part]:
        part = part.plain()
        moves = np.ones(part.size, bool) if part.misses is None else ~part.misses
        if column.family == "integer":
            numbers = part.column.astype(object) + step * moves.astype(object)
            if part.nulls is not None:
                numbers[part.nulls] = None
            return object_parts(numbers.tolist(), "", "integer", "up" if step > 0 else "down")[0]
        limits = np.iinfo(part.column.dtype)
        moves &= part.column != (limits.max if step > 0 else limits.min)  # where nothing is inside
        nothing = None if part.misses is None else ~moves & ~part.misses
        return [Part(part.column + step * moves, part.size, part.nulls, nothing)]

    return replace(column, parts=[one for part in column.parts for one in inside(part)])


@public_methods()
class Lookups(Asking):
    """What an index is asked: each lookup takes columns of probes, and answers in their kind."""

    def find(self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of each probe, -1 for none.

        >>> Index(["b", "a", "b"]).find("b")
        np.int32(0)
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, self._row_type)
            self._core.find(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.find,
            self._row_type,
            -1,
            probes,
            "equal",
            out,
            stream,
            threads,
            progress,
        )

    def contains(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """Whether each probe is a key.

        >>> Index([1.5, 2.5]).contains([2.5, 3.0]).tolist()
        [True, False]
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, np.bool_)
            self._core.contains(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.contains,
            np.bool_,
            False,
            probes,
            "equal",
            out,
            stream,
            threads,
            progress,
        )

    def count(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries of each probe.

        >>> Index([7, 7, 8]).count([7, 9]).tolist()
        [2, 0]
        """
        return self._ask_one(
            self._core.count,
            np.int64,
            0,
            probes,
            "equal",
            out,
            stream,
            threads,
            progress,
        )

    def lower_bound(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries with keys less than each probe.

        >>> Index([30, 10, 20]).lower_bound([20, 99]).tolist()
        [1, 3]
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, np.int64)
            self._core.lower_bound(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.lower_bound,
            np.int64,
            0,
            probes,
            "up",
            out,
            stream,
            threads,
            progress,
            nulls_fail=True,
            beyond=len(self),
        )

    def upper_bound(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries with keys not greater than each probe.

        >>> Index([30, 10, 20]).upper_bound([20, 5]).tolist()
        [2, 0]
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, np.int64)
            self._core.upper_bound(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.upper_bound,
            np.int64,
            0,
            probes,
            "down",
            out,
            stream,
            threads,
            progress,
            nulls_fail=True,
        )

    def floor(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The smallest row id of the largest key not above each probe, -1 for none.

        >>> Index([30, 10, 20]).floor([25, 5]).tolist()
        [2, -1]
        """
        return self._ask_one(
            self._core.floor,
            self._row_type,
            -1,
            probes,
            "down",
            out,
            stream,
            threads,
            progress,
        )

    def ceil(self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of the smallest key not below each probe, -1 for none.

        >>> Index([30, 10, 20]).ceil([25, 35]).tolist()
        [0, -1]
        """
        return self._ask_one(
            self._core.ceil,
            self._row_type,
            -1,
            probes,
            "up",
            out,
            stream,
            threads,
            progress,
        )

    def prefix_count(
        self, prefixes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries whose keys, which are strings, begin with each prefix.

        >>> Index(["tea", "ten", "to"]).prefix_count(["te", ""]).tolist()
        [2, 3]
        """
        return self._ask(
            self._core.prefix_count,
            np.int64,
            0,
            (self._read(prefixes, "prefixes", stream=stream),),
            out,
            stream,
            threads,
            progress,
        )

    # Ranges.

    def _bounds(self, lower: Any, upper: Any, closed: str, stream: Any) -> tuple[Values, Values]:
        """Reads bounds so that those between two units of the index stay in their places."""
        expect_closed(closed)
        low = self._read(lower, "lower", "up" if closed in ("both", "left") else "down", stream)
        high = self._read(upper, "upper", "down" if closed in ("both", "right") else "up", stream)
        if low.size != high.size:
            raise InvalidArgument(f"lower has {low.size} values, upper {high.size}")
        return low, high

    def _counts(self, low: Values, high: Values, closed: str, stream: Any, threads: int, progress: Any) -> Any:
        """The entries between bounds, of which some are open, without nulls."""

        def ranks(column: Values, upper: bool, progress: Any) -> Any:
            plain = replace(column, give=as_it_is)
            bound, beyond = (self._core.upper_bound, None) if upper else (self._core.lower_bound, len(self))
            return self._ask(
                bound, np.int64, 0, (plain,), None, stream, threads, progress, low.found is not None, beyond
            )

        begins = ranks(low, closed not in ("both", "left"), False)
        ends = ranks(high, closed in ("both", "right"), progress)
        return (ends - begins).clip(min=0)

    def range_count(
        self,
        lower: Any,
        upper: Any,
        closed: str = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Any:
        """The number of entries in each range. `closed` is both, left, right or none: which bounds belong to it.

        >>> Index([10, 20, 20, 30]).range_count([10, 15], [20, 18]).tolist()
        [3, 0]
        >>> Index([10, 20, 20, 30]).range_count([10], [20], "left").tolist()
        [1]
        """
        low, high = self._bounds(lower, upper, closed, stream)
        if closed == "both":
            return self._ask(
                self._core.range_count, np.int64, 0, (low, high), out, stream, threads, progress, nulls_fail=True
            )
        if (found := low.found) is not None:
            if out is not None:
                raise Unsupported(f"closed is {closed!r}; for bounds on a device out needs 'both'")
            with found.place.library.running(found.place):
                return self._counts(low, high, closed, stream, threads, progress)
        self._where((low, high), stream, threads)
        return self._given(self._counts(low, high, closed, stream, threads, progress), (low, high), out)

    def rank_range(self, lower: Any, upper: Any, closed: str = "both", *, stream: Any = None, threads: int = 0) -> Any:
        """The first rank of each range, and the number of entries in it; `closed` as in `range_count`.

        >>> first, counts = Index([10, 20, 20, 30]).rank_range([15, 40], [20, 50])
        >>> first.tolist(), counts.tolist()
        ([1, 4], [2, 0])
        """
        begins = self.lower_bound if closed in ("both", "left") else self.upper_bound
        counts = self.range_count(lower, upper, closed, stream=stream, threads=threads)
        return begins(lower, stream=stream, threads=threads), counts

    def _given(self, answers: np.ndarray, columns: tuple[Values, ...], out: Any) -> Any:
        """Answers about ranges as the caller wants them."""
        nulls: np.ndarray | None = None
        for column in columns:
            if (missing := column.nulls()) is not None:
                if not columns[0].nulls_are_known:
                    at = int(np.argmax(missing))
                    raise InvalidArgument(f"{column.name}[{at}] is null, which has no place in the order")
                nulls = missing if nulls is None else nulls | missing
        if nulls is not None:
            answers[nulls] = 0
        if out is None:
            return columns[0].give(answers, nulls)
        checked_out(out, answers.dtype, answers.size, columns)[:] = answers
        return out

    def range_sum(
        self,
        lower: Any,
        upper: Any,
        closed: str = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Any:
        """The sum of the row ids in each range, modulo 2**64, as uint64; `closed` as in `range_count`.

        >>> Index([10, 20, 30]).range_sum([15], [40]).tolist()
        [3]
        >>> Index([10, 20, 30]).range_sum([15], [30], "left").tolist()
        [1]
        """
        expect_closed(closed)
        low, high = self._bounds(lower, upper, "both", stream)
        if closed == "both":
            return self._ask(
                self._core.range_sum, np.uint64, 0, (low, high), out, stream, threads, progress, nulls_fail=True
            )
        if low.found is not None:
            raise Unsupported(f"closed is {closed!r}; for bounds on a device it must be 'both'")

        def sums(one: Values, two: Values) -> Any:
            columns = replace(one, give=as_it_is), two
            return self._ask(self._core.range_sum, np.uint64, 0, columns, None, stream, threads)

        # What is on an open bound is subtracted from the sums of ranges that hold any entry: these bounds differ.
        answers = sums(low, high)
        for side, bound, name in (("left", lower, "lower"), ("right", upper, "upper")):
            if closed != side:
                equal = self._read(bound, name, "equal")
                answers -= sums(equal, equal)
        answers[self._counts(*self._bounds(lower, upper, closed, stream), closed, stream, threads, progress) == 0] = 0
        return self._given(answers, (low, high), out)

    def range_retrieve(
        self,
        lower: Any,
        upper: Any,
        closed: str = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[Any, Any]:
        """All rows of each range, in key order, then row order, as `retrieve`; `closed` as in `range_count`.

        >>> offsets, rows = Index([30, 10, 20]).range_retrieve([15], [40])
        >>> rows.tolist()
        [2, 0]
        """
        low, high = self._bounds(lower, upper, closed, stream)
        if closed == "both":
            return self._listed(self._core.range_retrieve, (low, high), stream, threads, progress)
        if low.found is not None:
            raise Unsupported(f"closed is {closed!r}; for bounds on a device it must be 'both'")
        ranges, rows = self._between(low, high, "inner", closed, stream, threads, progress)
        offsets = np.zeros(low.size + 1, np.int64)
        np.cumsum(np.bincount(ranges, minlength=low.size), out=offsets[1:])
        return offsets, rows

    def _between(
        self, low: Values, high: Values, how: str, closed: str, stream: Any, threads: int, progress: Any = False
    ) -> tuple[Any, Any]:
        """Pairs of ranges and of the rows in them."""
        lower_closed, upper_closed = closed in ("both", "left"), closed in ("both", "right")
        if not lower_closed and low.misses() is not None:
            low, lower_closed = _closed(low, 1), True
        if not upper_closed and high.misses() is not None:
            high, upper_closed = _closed(high, -1), True

        def ranges(lowers: Column, low_valid: Any, uppers: Column, high_valid: Any, how: str, where: int) -> Any:
            return self._core.range_join(lowers, low_valid, uppers, high_valid, lower_closed, upper_closed, how, where)

        return self._joined(ranges, (low, high), how, stream, threads, progress)

    def retrieve(self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False) -> tuple[Any, Any]:
        """All rows: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, in ascending order.

        >>> offsets, rows = Index([30, 10, 20, 10]).retrieve([10, 30])
        >>> offsets.tolist(), rows.tolist()
        ([0, 2, 3], [1, 3, 0])
        """
        columns = (self._read(probes, "probes", "equal", stream),)
        return self._listed(self._core.retrieve, columns, stream, threads, progress)
