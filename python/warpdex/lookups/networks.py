# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks of IP addresses: which of them hold an address."""

from __future__ import annotations

import ipaddress
import os
from typing import Any, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.devices import device_name, device_number
from ..columns.parts import Keys, keys_of
from ..columns.values import either, read
from ..errors import InvalidArgument, KeyTypeError, reading
from ..types import Column, DeviceArray, HostBits, Invalid, OnHost, Scalar
from .addresses import masks, nulls_for, read_addresses
from .asking import out_of, where_of
from .border import Told, public, public_methods
from .calls import Stages, described, expect_one
from .origin import Stored


def _with_nulls(column: Values, nulls: np.ndarray) -> Values:
    """The same with more nulls."""
    if column.size != nulls.size or column.place is not None:
        raise InvalidArgument(f"{column.name} has {column.size} values, lengths {nulls.size}, with nulls, on the host")
    part = column.whole()
    return column.changed(parts=[Part(part.column, part.size, either([part.nulls, nulls]), part.misses)])


_Address = Scalar | ipaddress.IPv4Address | ipaddress.IPv6Address


@public_methods(held="index")
class Networks(Stored):
    """An index of networks, which finds those that hold an address. `cidrs` are texts, or objects of `ipaddress`; with
    `lengths` they are addresses, also as integers. Both families may be in one column, nested in any way and repeated.
    A row with a null is no network, but keeps its number. host_bits="mask" clears bits that are set after the length;
    else they are an error. With invalid="null" a value that is no network becomes null, as in the lookups; else it is an
    error. The networks are on `device`, by default where the column is.

    An integer below 2**32 is an address of IPv4, as `ipaddress.ip_address` has it, and so is `::ffff:a.b.c.d`. A
    network holds only addresses of its family. `ip in nets` asks for one.

    >>> nets = Networks(["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"])
    >>> nets.find(["10.1.2.3", "10.2.0.0", "2001:db8::1", "::1"]).tolist()
    [1, 0, 2, -1]
    """

    _kind = _core.Networks

    def __init__(
        self,
        cidrs: Any,
        lengths: Any = None,
        *,
        host_bits: HostBits = "error",
        invalid: Invalid = "error",
        spec: str = "AO+BS",
        device: Any = None,
        **run: Unpack[Told],
    ) -> None:
        call = Call(**run)
        nulls, stages = nulls_for(invalid), Stages(call.progress, 2)
        column = read_addresses(cidrs, "cidrs", call.stream, nulls)
        if lengths is None and column.family != "string":
            raise KeyTypeError("cidrs holds numbers; they need lengths")
        column, counts = _with_lengths(column, lengths, nulls)
        place = column.place
        number = (-1 if place is None else place.device) if device is None else device_number(device)
        if place is not None:
            _expect_place(column, number)
        where = where_of(number, (column,), call)
        stages.end()
        with reading("cidrs" if lengths is None else "cidrs and lengths"):
            self._core = _core.Networks(column.whole(), counts, masks(host_bits), nulls, spec, number, where)
        stages.end()

    @classmethod
    def _over(cls, core: _core.Networks, device: int) -> Networks:
        self = cls.__new__(cls)
        self._core = core
        return self

    @classmethod
    def load(cls, path: str | bytes | os.PathLike[Any], mmap: bool = False, device: Any = "cpu") -> Networks:
        """Reads a file that `save` wrote, and checks it; see `Index.load`.

        >>> Networks(["10.0.0.0/8"]).save("some.wdx")
        >>> Networks.load("some.wdx", mmap=True).find(["10.1.1.1"]).tolist()
        [0]
        """
        return cls._of_file(path, mmap, device)

    @classmethod
    def from_buffer(cls, stored: Any, device: Any = "cpu") -> Networks:
        """Reads the bytes of such a file, from any object that has a buffer, which is used as by `Index.from_buffer`.

        >>> Networks.from_buffer(Networks(["10.0.0.0/8"]).to_bytes()).find(["10.1.1.1"]).tolist()
        [0]
        """
        return cls._of_buffer(stored, device)

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the networks to a file, which replaces a previous one only when it is complete.

        >>> Networks(["10.0.0.0/8"]).save("some.wdx")
        """
        self._core.save(os.fsencode(path))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> len(Networks.from_buffer(Networks(["10.0.0.0/8"]).to_bytes()))
        1
        """
        return self._core.to_bytes()

    def __len__(self) -> int:
        return self._core.size

    def __contains__(self, ip: Any) -> bool:
        """Whether a network holds one address; a null is in none."""
        expect_one(ip)
        return ip is not None and bool(self.find([ip])[0] >= 0)

    def __repr__(self) -> str:
        ipv4, ipv6 = (spec.partition("/")[0] for spec in self._core.specs)
        return described("Networks", f"{len(self)} networks", f"{ipv4} for IPv4", f"{ipv6} for IPv6", self.device)

    @property
    def device(self) -> str:
        """Where the networks are: 'cpu', or 'cuda:<number>'.

        >>> Networks(["::/0"]).device
        'cpu'
        """
        return device_name(self._core.device)

    @property
    def nbytes(self) -> int:
        """Bytes that the networks take.

        >>> Networks(["::/0"]).nbytes > 0
        True
        """
        return self._core.bytes

    def _read(self, ips: Any, lengths: Any, nulls: bool, call: Call) -> tuple[Values, np.ndarray | None, int]:
        """Reads addresses, and lengths if they are networks; and says where the call runs."""
        column = read_addresses(ips, "ips", call.stream, nulls)
        if column.place is not None:
            _expect_place(column, self._core.device)
        where = where_of(self._core.device, (column,), call)
        return *_with_lengths(column, lengths, nulls), where

    @overload
    def find(
        self, ips: _Address, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]
    ) -> np.integer[Any]: ...
    @overload
    def find(
        self, ips: OnHost, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]
    ) -> np.ndarray: ...
    @overload
    def find(self, ips: Column, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]) -> Column: ...
    def find(self, ips: Any, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]) -> Any:
        """The row of the longest network that holds each address, -1 for none; of equal networks the first. Addresses
        are texts, integers, packed bytes or objects of `ipaddress`. With `invalid="null"` a text that is no address has
        no network. With `lengths` they are networks, and the answer is the longest network that holds all of each.

        >>> nets = Networks(["0.0.0.0/0", "192.168.0.0/16", "192.168.0.0/16"])
        >>> nets.find(["192.168.7.7", "8.8.8.8", None]).tolist(), int(nets.find(3232235521))
        ([1, 0, -1], 1)
        >>> nets.find(["8.8.8.8", "-", "fe80::1%eth0"], invalid="null").tolist()
        [0, -1, -1]
        >>> nets.find(*parse_networks(["192.168.7.0/24", "192.0.0.0/8"])).tolist()
        [1, 0]
        """
        call, nulls = Call(**run), nulls_for(invalid)
        stages = Stages(call.progress, 2)
        column, counts, where = stages.after(self._read(ips, lengths, nulls, call))
        rows, target = libraries.target(None, np.int32, column.size, column.place)
        with reading("ips"):
            self._core.find(column.whole(), counts, target, nulls, where)
        return stages.after(_core.given((column,), rows, "row"))

    @overload
    def covering(
        self, ips: DeviceArray, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def covering(
        self, ips: Any, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def covering(
        self, ips: Any, lengths: Any = None, *, invalid: Invalid = "error", **run: Unpack[Told]
    ) -> tuple[Any, Any]:
        """The rows of all networks that hold each address, from short to long, equal ones in the order of their rows:
        offsets and rows, as of `Index.retrieve`. `lengths` are as of `find`.

        >>> offsets, rows = Networks(["10.1.0.0/16", "10.0.0.0/8", "10.1.0.0/16"]).covering(["10.1.2.3", "::1"])
        >>> offsets.tolist(), rows.tolist()
        ([0, 3, 3], [1, 0, 2])
        """
        call, nulls = Call(**run), nulls_for(invalid)
        stages = Stages(call.progress, 2)
        column, counts, where = stages.after(self._read(ips, lengths, nulls, call))
        with reading("ips"):
            found = self._core.covering(column.whole(), counts, nulls, column.place is not None, where)
        offsets, rows = stages.after(libraries.adopted(found, column))
        return offsets, rows


def _with_lengths(column: Values, lengths: Any, nulls: bool) -> tuple[Values, np.ndarray | None]:
    """The lengths of networks, and their addresses, which are null where the lengths are."""
    if lengths is None:
        return column, None
    column_of_lengths = read(lengths, "lengths", "integer").plain()
    if column_of_lengths.family != "integer":
        raise KeyTypeError(f"lengths is of type {column_of_lengths.family}; it must be a column of integers")
    if column_of_lengths.place is not None:
        raise KeyTypeError("lengths are on a device; they are an array on the host")
    counts, without = column_of_lengths.whole().column, column_of_lengths.nulls()
    if without is not None:  # which are no networks
        counts, column = np.where(without, 0, counts), _with_nulls(column, without)
    if nulls:
        counts = np.where((counts < 0) | (counts > 128), 129, counts)  # which is beyond both families
    elif counts.size and not 0 <= int(counts.min()) <= int(counts.max()) <= 128:
        raise InvalidArgument(f"lengths has {out_of(counts, 128)}; they must be integers from 0 to 128")
    return column, counts.astype(np.uint8)


def _expect_place(column: Values, device: int) -> None:
    if column.place.device != device:
        own, home = device_name(column.place.device), device_name(device)
        raise InvalidArgument(f"{column.name} is on {own}, but the networks on {home}")


def _texts(texts: Any) -> Values:
    column = read_addresses(texts, "texts", None, False)
    if column.place is not None or column.family != "string":
        raise KeyTypeError("texts must be strings, or objects of ipaddress, on the host")
    return column


def _parsed(texts: Any, with_lengths: bool, host_bits: HostBits, invalid: Invalid, threads: int) -> tuple[Keys, Any]:
    column, nulls = _texts(texts).whole(), nulls_for(invalid)
    with reading("texts"):
        numbers, lengths, valid = _core.parse_texts(column, with_lengths, masks(host_bits), nulls, threads)
    missing = ~valid if nulls else column.nulls
    return keys_of(
        "u128", numbers, len(numbers), nulls=None if missing is None or not missing.any() else missing
    ), lengths


@public
def parse_addresses(texts: Any, *, invalid: Invalid = "error", threads: int = 0) -> Keys:
    """Addresses as numbers of 128 bits, of which an index is built. That of a.b.c.d is ::ffff:a.b.c.d. With
    `invalid="null"` a text that is no address is null.

    >>> Index(parse_addresses(["::1", "10.0.0.1"])).find(parse_addresses(["::ffff:10.0.0.1"])).tolist()
    [1]
    >>> Index(parse_addresses(["-", "10.0.0.1"], invalid="null")).find(parse_addresses(["10.0.0.1"])).tolist()
    [1]
    """
    return _parsed(texts, False, "error", invalid, threads)[0]


@public
def parse_networks(
    texts: Any, *, host_bits: HostBits = "error", invalid: Invalid = "error", threads: int = 0
) -> tuple[Keys, np.ndarray]:
    """Addresses of networks as `parse_addresses` gives them, and their lengths, 0 to 32 for IPv4; 0 for a null.

    >>> addresses, lengths = parse_networks(["10.1.2.3/8", "::/0"], host_bits="mask")
    >>> lengths.tolist(), int(Networks(addresses, lengths).find("10.9.9.9"))
    ([8, 0], 0)
    """
    return _parsed(texts, True, host_bits, invalid, threads)
