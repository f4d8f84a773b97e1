# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups as modules and operators of Torch, which `torch.compile` keeps whole and CUDA graphs can hold."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from .columns.libraries import device_name
from .columns.values import extra
from .errors import KeyTypeError, shown
from .lookups.asking import Asking
from .lookups.border import public_methods
from .lookups.table import TABLE
from .types import Column, PointLookup

torch = extra("torch")

# Operators take tensors, numbers and text. So an index has a number.
_indexes: weakref.WeakValueDictionary[int, Asking] = weakref.WeakValueDictionary()
_numbers = itertools.count()
_KINDS = {"flag": torch.bool, "rank": torch.int64, "count": torch.int64}


def _look_up(probes: Any, index: int, lookup: str) -> Any:
    return getattr(_indexes[index], lookup)(probes)


def _shape_of(probes: Any, index: int, lookup: str) -> Any:
    rows = torch.int32 if _indexes[index]._row_type.itemsize == 4 else torch.int64
    return torch.empty_like(probes, dtype=_KINDS.get(TABLE[lookup].what.writes[0], rows))


torch.library.define("warpdex::look_up", "(Tensor probes, int index, str lookup) -> Tensor")
torch.library.impl("warpdex::look_up", ("CPU", "CUDA"), _look_up)
torch.library.register_fake("warpdex::look_up", _shape_of)


@public_methods(held="")
class Lookup(torch.nn.Module):  # type: ignore[misc,name-defined]
    """A lookup with one answer per probe as a module, of tensors of any shape on the index's device. It calls
    `torch.ops.warpdex.look_up`, on which `torch.compile` makes no break. Pickled, it takes the index with it.

    >>> index = Index([30, 10, 20])
    >>> Lookup(index)(torch.tensor([[10, 11]])).tolist()
    [[1, -1]]
    """

    def __init__(self, index: Asking, lookup: PointLookup = "find") -> None:
        super().__init__()
        if not isinstance(index, Asking):
            raise KeyTypeError(f"index is {shown(index)}; it must be a warpdex.Index")
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
        "'contains', 1 keys on cpu"
        """
        return f"{self.lookup!r}, {len(self.index)} keys on {device_name(self.index._device)}"

    def forward(self, probes: Column) -> Column:
        """The answer of each probe.

        >>> Lookup(Index([30, 10, 20]), "lower_bound").forward(torch.tensor([20, 99])).tolist()
        [1, 3]
        """
        tensor: Any = probes
        answers: Column = torch.ops.warpdex.look_up(tensor.reshape(-1), self._number, self.lookup).reshape(tensor.shape)
        return answers
