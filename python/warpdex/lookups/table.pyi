# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python-stub.sh.
from typing import Any

from ..types import Closed
from .asking import Asking, Lookup

class Row:
    what: Lookup
    summary: str
    example: str
    sample: Any
    @property
    def signature(self) -> str: ...
    @property
    def answers(self) -> str: ...

TABLE: dict[str, Row]

class Lookups(Asking):
    def find(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def contains(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def count(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def lower_bound(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def upper_bound(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def floor(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def ceil(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def retrieve(
        self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[Any, Any]: ...
    def find_any_order(
        self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[Any, Any]: ...
    def range_count(
        self,
        lower: Any,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Any: ...
    def range_sum(
        self,
        lower: Any,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Any: ...
    def rank_range(
        self,
        lower: Any,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[Any, Any]: ...
    def range_retrieve(
        self,
        lower: Any,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[Any, Any]: ...
    def prefix_count(
        self, prefixes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def prefix_sum(
        self, prefixes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any: ...
    def prefix_retrieve(
        self, prefixes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[Any, Any]: ...
    def match_longest(
        self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[Any, Any]: ...
