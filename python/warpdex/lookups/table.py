# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The lookups of an index, as data: a row here and one of the core's table make a method of `Index` or `GroupedIndex` with
its docstring and its types, an expression of Polars and a function of DuckDB."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from .._core import Call
from . import calls
from .asking import LOOKUPS, Asking, Lookup
from .border import public_methods
from .probes import Pieces, are_leading, ask_pieces, by_leading

# What each lookup answers, and an example with its answer. The core's table says all else.
_TEXTS = """
find: The smallest row id of each probe, -1 for none.
>>> Index(["b", "a", "b"]).find("b")
np.int32(0)

contains: Whether each probe is a key.
>>> Index([1.5, 2.5]).contains([2.5, 3.0]).tolist()
[True, False]

count: The number of entries of each probe.
>>> Index([7, 7, 8]).count([7, 9]).tolist()
[2, 0]

lower_bound: The number of entries with keys less than each probe.
>>> Index([30, 10, 20]).lower_bound([20, 99]).tolist()
[1, 3]

upper_bound: The number of entries with keys not greater than each probe.
>>> Index([30, 10, 20]).upper_bound([20, 5]).tolist()
[2, 0]

floor: The smallest row id of the largest key not above each probe, -1 for none.
>>> Index([30, 10, 20]).floor([25, 5]).tolist()
[2, -1]

ceil: The smallest row id of the smallest key not below each probe, -1 for none.
>>> Index([30, 10, 20]).ceil([25, 35]).tolist()
[0, -1]

retrieve: All rows, as `(offsets, rows)`: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, in ascending order.
>>> [array.tolist() for array in Index([30, 10, 20, 10]).retrieve([10, 30])]
[[0, 2, 3], [1, 3, 0]]

find_unordered: What `find` answers, in any order, and the position of the probe of each answer. On a device that
    saves the pass that brings the answers of a large batch back into order.
>>> [array.tolist() for array in Index([30, 10, 20]).find_unordered([10])]
[[1], [0]]

range_count: The number of entries in each range. `closed` is both, left, right or none: which bounds belong to it;
    a bound that is None is none.
>>> Index([10, 20, 20, 30]).range_count([10, 15], [20, 18], "left").tolist()
[1, 0]

range_sum: The sum of the row ids in each range, modulo 2**64, as uint64; `closed` as in `range_count`.
>>> Index([10, 20, 30]).range_sum([15], [30], "left").tolist()
[1]

equal_range: The first rank of each range, and the number of entries in it; `closed` as in `range_count`.
>>> [array.tolist() for array in Index([10, 20, 20, 30]).equal_range([15, 40], [20, 50])]
[[1, 4], [2, 0]]

range_retrieve: All rows of each range, in key order, then row order, as `retrieve`; `closed` as in `range_count`.
>>> Index([30, 10, 20]).range_retrieve([15], [40])[1].tolist()
[2, 0]

prefix_count: The number of entries whose keys, which are strings, begin with each prefix.
>>> Index(["tea", "ten", "to"]).prefix_count(["te", ""]).tolist()
[2, 3]

prefix_sum: The sum of the row ids of these entries, modulo 2**64, as uint64.
>>> Index(["tea", "ten", "to"]).prefix_sum(["te", "to"]).tolist()
[1, 2]

prefix_retrieve: All rows of these entries, in key order, then row order, as `retrieve`.
>>> Index(["ten", "tea", "to"]).prefix_retrieve(["te"])[1].tolist()
[1, 0]

longest_prefix: The row id of the longest key, a string, that begins each probe, and its length in bytes; -1 and 0 for
    none.
>>> [array.tolist() for array in Index(["com", "com.example"]).longest_prefix(["com.example.www", "org"])]
[[1, -1], [11, 0]]
"""

# The same within groups.
_GROUPED_TEXTS = """
find: The smallest position of each probe in its group, -1 for none.
>>> GroupedIndex([1, 1, 2], [10, 20, 20]).find([2, 2], [20, 10]).tolist()
[2, -1]

contains: Whether each probe is a key of its group.
>>> GroupedIndex([1, 1, 2], [10, 20, 20]).contains([2, 2], [20, 10]).tolist()
[True, False]

count: The number of entries of each probe in its group.
>>> GroupedIndex([1, 1, 2], [10, 10, 10]).count([1, 2, 3], [10, 10, 10]).tolist()
[2, 1, 0]

floor: The smallest position of the largest key of the group not above each probe, -1 for none.
>>> GroupedIndex([1, 2], [10, 20]).floor([1, 2], [15, 15]).tolist()
[0, -1]

ceil: The smallest position of the smallest key of the group not below each probe, -1 for none.
>>> GroupedIndex([1, 2], [10, 20]).ceil([1, 2], [15, 15]).tolist()
[-1, 1]

retrieve: All positions of each probe in its group, as `(offsets, rows)`; see `Index.retrieve`.
>>> [array.tolist() for array in GroupedIndex([1, 1, 2], [10, 10, 10]).retrieve([1, 2], [10, 10])]
[[0, 2, 3], [0, 1, 2]]

range_count: The number of entries of each group in its range; `closed` as in `Index.range_count`.
>>> GroupedIndex([1, 1, 2], [10, 20, 20]).range_count([1, 2], [10, 10], [20, 20], "left").tolist()
[1, 0]

range_sum: The sum of the positions of these entries, modulo 2**64, as uint64.
>>> GroupedIndex([1, 1, 1], [10, 20, 30]).range_sum([1], [15], [30]).tolist()
[3]

range_retrieve: The positions of these entries, in key order, then row order, as `retrieve`.
>>> GroupedIndex([1, 1, 2], [20, 10, 10]).range_retrieve([1], [5], [25])[1].tolist()
[1, 0]
"""

# Of lookups that are expressions of Polars and functions of DuckDB the answers to 10 and 11 among the keys 30, 10, 20.
_SAMPLES: dict[str, list[Any]] = {
    "find": [1, None],
    "contains": [True, False],
    "count": [1, 0],
    "lower_bound": [0, 1],
    "upper_bound": [1, 1],
    "floor": [1, 1],
    "ceil": [1, 2],
}


@dataclass(frozen=True, slots=True)
class Row:
    """A lookup as callers see it."""

    what: Lookup
    summary: str
    example: str
    answer: str
    sample: Any
    grouped: bool  # whether a column of groups comes before the probes

    @property
    def probes(self) -> list[str]:
        """The names of its columns of probes."""
        forms = {"ranges": ["lower", "upper"], "prefixes": ["prefixes" if len(self.what.writes) == 1 else "probes"]}
        return forms.get(self.what.takes, ["probes"])

    @property
    def columns(self) -> list[str]:
        """The names of the columns that it takes."""
        return ["groups", *self.probes] if self.grouped else self.probes

    @property
    def options(self) -> tuple[str, ...]:
        is_single = len(self.what.writes) == 1 and not self.what.lists
        is_near = self.grouped and self.what.name in ("floor", "ceil")  # which are as-of joins
        told = () if self.grouped else ("progress",)
        return (*(("out",) if is_single and not is_near else ()), "stream", "threads", *told)

    @property
    def closed(self) -> list[str]:
        """The parameter of ranges that says which bounds belong to them."""
        return ['closed: Closed = "both"'] if self.what.takes == "ranges" else []

    @property
    def signature(self) -> str:
        """Its parameters, with their types."""
        types = {"out": "Any = None", "stream": "Any = None", "threads": "int = 0", "progress": "Any = False"}
        options = (f"{name}: {types[name]}" for name in self.options)
        return ", ".join(["self", *(f"{name}: Any" for name in self.columns), *self.closed, "*", *options])

    @property
    def answers(self) -> str:
        return "tuple[Array, Array]" if self.what.lists or len(self.what.writes) > 1 else "Answers"

    @property
    def stub(self) -> str:
        """Its types, with an overload for each kind of columns. Where lower bounds are None, that of the upper ones counts."""
        others = len(self.probes) - 1
        number = "np.bool_" if self.what.writes[0] == "flag" else "np.integer[Any]"
        kinds = {"Value" if others else "Scalar": number, "OnHost": "np.ndarray", "Column": "Column"}
        if self.answers != "Answers":
            kinds = {"DeviceArray": "tuple[DeviceArray, DeviceArray]", "Any": "tuple[np.ndarray, np.ndarray]"}
        none = [(["None", kind], answer) for kind, answer in kinds.items() if others and kind not in ("Value", "Any")]
        pieces = {} if self.grouped else {"Pieces": "list[Any]"}
        overloads = [*none, *(([kind] + ["Any"] * others, answer) for kind, answer in {**pieces, **kinds}.items())]
        groups = ["groups: Any"] if self.grouped else []
        out = ["*", "out: Any = None"] if "out" in self.options else []
        options = [*self.closed, *out, f"**run: Unpack[{'Run' if self.grouped else 'Told'}]"]

        def columns(types: list[str]) -> list[str]:
            return [*groups, *(f"{name}: {kind}" for name, kind in zip(self.probes, types)), *options]

        return "".join(
            f"    @overload\n    def {self.what.name}(self, {', '.join(columns(types))}) -> {answer}: ...\n"
            for types, answer in overloads
        )

    @property
    def document(self) -> str:
        return f"{self.summary}\n\n        >>> {self.example}\n        {self.answer}\n        "

    def method(self) -> Any:
        """The method of `Index` or `GroupedIndex`."""
        what = self.what
        call = f"Call({', '.join(f'{name}={name}' for name in self.options)})"
        columns, closed = ", ".join(self.probes), "closed" if what.takes == "ranges" else '"both"'
        code = f"def {what.name}({self.signature}) -> {self.answers}:\n"
        if self.grouped:
            code += f" return self._within(what, groups, ({columns},), {closed}, {call})"
        else:
            in_pieces = " or ".join(f"isinstance({name}, Pieces)" for name in self.probes)
            code += f" if {in_pieces}:\n  return ask_pieces(self, what, ({columns},), {closed}, {call})\n"
            code += f" if self._is_tuple and are_leading(self, what, {columns}):\n"
            code += f"  return by_leading(self, what, ({columns},), {closed}, {call})\n"
            reader = f"(self._read({columns}, {columns!r}, {what.rounding!r}, stream),), (False, False)"
            if what.takes == "ranges":
                reader = "self._bounds(lower, upper, closed, stream)"
            code += f" columns, opens = {reader}\n"
            code += f" return self.{'_list' if what.lists else '_ask'}(what, columns, {call}, opens)"
        names: dict[str, Any] = {"what": what, "Any": Any, "Call": Call, "__name__": __name__}
        names |= {"are_leading": are_leading, "by_leading": by_leading, "ask_pieces": ask_pieces, "Pieces": Pieces}
        exec(code, names)
        result = names[what.name]
        owner = "GroupedLookups" if self.grouped else "Lookups"
        result.__doc__, result.__qualname__ = self.document, f"{owner}.{what.name}"
        return result


def _table(texts: str, grouped: bool) -> dict[str, Row]:
    """The rows of some texts, by the names of the lookups."""
    result = {}
    for text in texts.split("\n\n"):
        summary, example, answer = re.split(r"\n>>> |\n(?=\S)", text.strip())
        name, _, summary = summary.partition(": ")
        summary, sample = re.sub(r"\s+", " ", summary), None if grouped else _SAMPLES.get(name)
        result[name] = Row(LOOKUPS[name], summary, example, answer, sample, grouped)
    return result


TABLE = _table(_TEXTS, grouped=False)
GROUPED_TABLE = _table(_GROUPED_TEXTS, grouped=True)


def _with_quick(row: Row, method: Any) -> Any:
    """The method, which answers an array or a number of the keys' own type without a look at it."""
    number = row.what.number

    @functools.wraps(method)
    def quick(self: Any, *probes: Any, **options: Any) -> Any:
        if self._quick is not None and len(probes) == 1 and not options:
            if (answers := self._quick(number, probes[0], calls.PIECE)) is not None:
                return answers
        return method(self, *probes, **options)

    return quick


def _class(name: str, document: str, base: tuple[type, ...], table: dict[str, Row]) -> Any:
    methods = {lookup: row.method() for lookup, row in table.items()}
    return public_methods()(type(name, base, {**methods, "__doc__": document, "__module__": __name__}))


Lookups = _class(
    "Lookups",
    "What an index is asked: each lookup takes columns of probes, and answers in their kind.",
    (Asking,),
    TABLE,
)
GroupedLookups = _class("GroupedLookups", "What an index is asked within groups.", (), GROUPED_TABLE)
for _name, _row in TABLE.items():
    if _row.what.takes == "keys" and "out" in _row.options:
        setattr(Lookups, _name, _with_quick(_row, getattr(Lookups, _name)))
