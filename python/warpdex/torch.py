# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups and rows of tables as modules and operators of Torch, which `torch.compile` keeps whole and CUDA graphs can hold."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from .columns.devices import device_name
from .columns.values import extra
from .frames import rows as _rows
from .lookups.asking import Searched
from .lookups.border import public, public_methods
from .lookups.table import TABLE
from .types import Column, PointLookup

torch = extra("torch")

# Operators take tensors, numbers and text. So an index has a number.
_indexes: weakref.WeakValueDictionary[int, Searched] = weakref.WeakValueDictionary()
_numbers = itertools.count()
_KINDS = {"flag": torch.bool, "rank": torch.int64, "count": torch.int64}


def _look_up(columns: list[Any], index: int, lookup: str) -> Any:
    return getattr(_indexes[index], lookup)(*columns)


def _shape_of(columns: list[Any], index: int, lookup: str) -> Any:
    rows = torch.int32 if _indexes[index]._row_type.itemsize == 4 else torch.int64
    return torch.empty_like(columns[-1], dtype=_KINDS.get(TABLE[lookup].what.writes[0], rows))


torch.library.define("warpdex::look_up", "(Tensor[] columns, int index, str lookup) -> Tensor")
torch.library.impl("warpdex::look_up", ("CPU", "CUDA"), _look_up)
torch.library.register_fake("warpdex::look_up", _shape_of)


def _gather_rows(rows: Any, table: Any) -> Any:
    return _rows.gather_rows(rows, table.detach())


def _shape_of_rows(rows: Any, table: Any) -> Any:
    return rows.new_empty((*rows.shape, *table.shape[1:]), dtype=table.dtype)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[0])
    ctx.shape, ctx.device = inputs[1].shape, inputs[1].device


def _gradient_of_table(ctx: Any, gradient: Any) -> Any:
    """Each row's gradients added up. Those of -1 become zeros on row 0, as a choice of rows would wait for a device."""
    (rows,) = ctx.saved_tensors
    rows = rows.reshape(-1).long()
    there = (rows >= 0).reshape(-1, *[1] * (len(ctx.shape) - 1))
    added = gradient.reshape(-1, *ctx.shape[1:]) * there
    return None, gradient.new_zeros(ctx.shape).index_add_(0, rows.clamp_min(0), added).to(ctx.device)


torch.library.define("warpdex::gather_rows", "(Tensor rows, Tensor table) -> Tensor")
torch.library.impl("warpdex::gather_rows", ("CPU", "CUDA"), _gather_rows)
torch.library.register_fake("warpdex::gather_rows", _shape_of_rows)
torch.library.register_autograd("warpdex::gather_rows", _gradient_of_table, setup_context=_keep)


@public
def gather_rows(rows: Column, table: Column) -> Column:
    """Rows of a tensor, zeros where a row is -1, as `warpdex.lookups.gather_rows` answers, by the operator
    `torch.ops.warpdex.gather_rows`: `torch.compile` makes no break on it, and gradients reach the table.

    >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> found = gather_rows(Index([30, 10]).find(torch.tensor([10, 99])), table)
    >>> found.sum().backward()
    >>> found.tolist(), table.grad.tolist()
    ([[3.0, 4.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]])
    """
    answers: Column = torch.ops.warpdex.gather_rows(rows, table)
    return answers


@public_methods(held="")
class Lookup(torch.nn.Module):  # type: ignore[misc,name-defined]
    """A lookup with one answer per probe as a module, of tensors of any shape on the index's device; in a `GroupedIndex`
    of one of groups and one of probes. It calls `torch.ops.warpdex.look_up`, on which `torch.compile` makes no break.
    Pickled, it takes the index with it.

    >>> index = Index([30, 10, 20])
    >>> Lookup(index)(torch.tensor([[10, 11]])).tolist()
    [[1, -1]]
    """

    def __init__(self, index: Searched, lookup: PointLookup = "find") -> None:
        super().__init__()
        self.index, self.lookup = index, lookup
        self._register()

    def _register(self) -> None:
        self._number = next(_numbers)
        _indexes[self._number] = self.index

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self._register()

    def extra_repr(self) -> str:
        """What `print` shows of it.

        >>> Lookup(Index([1]), "contains").extra_repr()
        "'contains', 1 int64 keys on cpu"
        """
        return f"{self.lookup!r}, {self.index._kind_shown} on {device_name(self.index._device)}"

    def forward(self, *columns: Column) -> Column:
        """The answer of each probe. @param columns the probes, within groups after the groups

        >>> Lookup(Index([30, 10, 20]), "lower_bound").forward(torch.tensor([20, 99])).tolist()
        [1, 3]
        """
        tensors: Any = columns
        flat = [tensor.reshape(-1) for tensor in tensors]
        answers: Column = torch.ops.warpdex.look_up(flat, self._number, self.lookup).reshape(tensors[-1].shape)
        return answers
