# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks of IP addresses: which of them hold an address."""

from __future__ import annotations

import ipaddress
from typing import Any, Unpack

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.objects import is_objects
from ..columns.parts import Keys, empty_column, keys_of
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError, UntypedError, reading
from .asking import integers, where_of
from .border import Run, public, public_methods

_OBJECTS = ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network
_IPV4 = 2**32  # smaller numbers are addresses of IPv4, as `ipaddress.ip_address` has it


def _masks(host_bits: str) -> bool:
    if host_bits not in ("error", "mask"):
        raise InvalidArgument(f"host_bits is {host_bits!r}; it must be 'error' or 'mask'")
    return host_bits == "mask"


def _is_text(value: Any) -> bool:
    """Whether an object is read as its text: one of `ipaddress`, or an integer beyond all arrays."""
    return isinstance(value, _OBJECTS) or (isinstance(value, int) and value >= 2**64)


def _text(value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(ipaddress.ip_address(value) if whole else value) if whole or _is_text(value) else value


def _as_texts(values: Any) -> Any:
    """A column of objects of `ipaddress` as one of texts; others as they are."""
    if _is_text(values):
        return _text(values)
    if isinstance(values, (list, tuple)):
        return [_text(one) for one in values] if any(map(_is_text, values)) else values
    if is_objects(values) and any(map(_is_text, values)):
        return type(values)(values.name, [_text(one) for one in values])
    if getattr(values, "dtype", None) == np.dtype(object) and any(map(_is_text, np.asarray(values))):
        if isinstance(values, np.ndarray):
            return np.array([_text(one) for one in values], object)
        return values.map(_text)
    return values


def _numbers(part: Part, name: str) -> Part:
    """Numbers as addresses: of 32 bits if all are of IPv4."""
    column = part.column
    if not isinstance(column, np.ndarray):
        if column.type != "u4":
            raise KeyTypeError(f"{name} has the type {column.type}; on a device addresses are uint32 or texts")
        return part
    if column.ndim == 2 or column.dtype == np.uint32:
        return part
    numbers = column if part.nulls is None else np.where(part.nulls, 0, column)
    if (numbers < 0).any():
        place = int(np.argmax(numbers < 0))
        raise InvalidArgument(f"{name}[{place}] is {numbers[place]}, which is no address")
    if not (numbers >= _IPV4).any():
        return Part(numbers.astype(np.uint32), part.size, part.nulls)
    wide = np.zeros((numbers.size, 2), np.uint64)
    wide[:, 0] = numbers
    wide[numbers < _IPV4, 0] |= np.uint64(0xFFFF << 32)
    return Part(wide, part.size, part.nulls)


def _read(values: Any, name: str, stream: Any) -> Values:
    """Reads a column of addresses or networks. Its parts are texts, numbers of 32 bits or halves of 128 bits."""
    values = _as_texts(values)
    try:
        made = read(values, name, stream=stream)
    except UntypedError:
        made = read(values, name, "string", stream=stream)
    if made.size == 0 and made.place is None:
        return made.changed(family="string", parts=[Part(empty_column("string", 0), 0)])
    if made.family == "string":
        return made.changed(parts=[part.plain() for part in made.parts])
    if made.family not in ("integer", "u128"):
        raise KeyTypeError(f"{name} is of type {made.family}; addresses are texts, integers or objects of ipaddress")
    return made.changed(parts=[_numbers(part.plain(), name) for part in made.parts])


@public_methods(held="index")
class Networks:
    """Networks, which say for each address which of them hold it. `cidrs` are texts, or objects of `ipaddress`; with
    `lengths` they are addresses, also as integers. Both families may be in one column, nested in any way and repeated.
    A null is no network, but keeps its row. `host_bits="mask"` clears what is set after the length, else it is an error.
    The networks are on a device if it is named, or by default where the column is.

    An integer below 2**32 is an address of IPv4, as `ipaddress.ip_address` has it, and so is `::ffff:a.b.c.d`. A
    network holds only addresses of its family.

    >>> nets = Networks(["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"])
    >>> nets.find(["10.1.2.3", "10.2.0.0", "2001:db8::1", "::1"]).tolist()
    [1, 0, 2, -1]
    """

    def __init__(
        self,
        cidrs: Any,
        lengths: Any = None,
        *,
        host_bits: str = "error",
        spec: str = "auto(ranges)",
        device: Any = None,
        **run: Unpack[Run],
    ) -> None:
        call = Call(**run)
        column = _read(cidrs, "cidrs", call.stream)
        counts: Any = None
        if lengths is None:
            if column.family != "string":
                raise KeyTypeError("cidrs holds numbers; they need lengths")
        else:
            given = integers(lengths, "lengths")
            if given.place is not None:
                raise KeyTypeError("lengths are on a device; they are an array on the host")
            counts = given.parts[0].column
            if counts.size and not 0 <= int(counts.min()) <= int(counts.max()) <= 128:
                raise InvalidArgument("lengths must be integers from 0 to 128")
            counts = counts.astype(np.uint8)
        place = column.place
        number = (-1 if place is None else place.device) if device is None else libraries.device_number(device)
        if place is not None:
            _expect_place(column, number)
        where = where_of(number, (column,), call)
        with reading("cidrs" if lengths is None else "cidrs and lengths"):
            self._core = _core.Networks(column.whole(), counts, _masks(host_bits), spec, number, where)

    def __len__(self) -> int:
        return self._core.size

    def __repr__(self) -> str:
        ipv4, ipv6 = self._core.specs
        return f"<warpdex.Networks: {len(self)} on {self.device}, {ipv4} for IPv4, {ipv6} for IPv6>"

    @property
    def device(self) -> str:
        """Where the networks are: 'cpu', or 'cuda:<number>'.

        >>> Networks(["::/0"]).device
        'cpu'
        """
        return libraries.device_name(self._core.device)

    @property
    def bytes(self) -> int:
        """The bytes that they take there.

        >>> Networks(["::/0"]).bytes > 0
        True
        """
        return self._core.bytes

    def _asked(self, ips: Any, call: Call) -> tuple[Values, int]:
        column = _read(ips, "ips", call.stream)
        if column.place is not None:
            _expect_place(column, self._core.device)
        return column, where_of(self._core.device, (column,), call)

    def find(self, ips: Any, **run: Unpack[Run]) -> Any:
        """The row of the longest network that holds each address, -1 for none; of equal networks the first. Addresses
        are texts, integers or objects of `ipaddress`.

        >>> nets = Networks(["0.0.0.0/0", "192.168.0.0/16", "192.168.0.0/16"])
        >>> nets.find(["192.168.7.7", "8.8.8.8", None]).tolist(), int(nets.find(3232235521))
        ([1, 0, -1], 1)
        """
        column, where = self._asked(ips, Call(**run))
        answers: Any = np.empty(column.size if column.place is None else 0, np.int32)
        there = answers
        if column.place is not None:
            answers, there = libraries.target(None, answers.dtype, column.size, column.place)
        with reading("ips"):
            self._core.find(column.whole(), there, where)
        return _core.given((column,), answers, "row")

    def covering(self, ips: Any, **run: Unpack[Run]) -> tuple[Any, Any]:
        """The rows of all networks that hold each address, from short to long, equal ones in the order of their rows:
        offsets and rows, as of `Index.retrieve`.

        >>> offsets, rows = Networks(["10.1.0.0/16", "10.0.0.0/8", "10.1.0.0/16"]).covering(["10.1.2.3", "::1"])
        >>> offsets.tolist(), rows.tolist()
        ([0, 3, 3], [1, 0, 2])
        """
        column, where = self._asked(ips, Call(**run))
        with reading("ips"):
            offsets, rows = self._core.covering(column.whole(), column.place is not None, where)
        return libraries.adopted((offsets, rows), column)  # type: ignore[no-any-return]


def _expect_place(column: Values, device: int) -> None:
    if column.place.device != device:
        there, here = libraries.device_name(column.place.device), libraries.device_name(device)
        raise InvalidArgument(f"{column.name} is on {there}, but the networks on {here}")


def _texts(texts: Any) -> Values:
    column = _read(texts, "texts", None)
    if column.place is not None or column.family != "string":
        raise KeyTypeError("texts must be strings, or objects of ipaddress, on the host")
    return column


@public
def parse_addresses(texts: Any, *, threads: int = 0) -> Keys:
    """Addresses as numbers of 128 bits, of which an index is built; 0 for a null. That of a.b.c.d is ::ffff:a.b.c.d.

    >>> Index(parse_addresses(["::1", "10.0.0.1"])).find(parse_addresses(["::ffff:10.0.0.1"])).tolist()
    [1]
    """
    with reading("texts"):
        numbers, _ = _core.parse_texts(_texts(texts).whole(), False, False, threads)
    return keys_of("u128", numbers, len(numbers))


@public
def parse_networks(texts: Any, *, host_bits: str = "error", threads: int = 0) -> tuple[Keys, np.ndarray]:
    """Addresses of networks as `parse_addresses` gives them, and their lengths, 0 to 32 for IPv4.

    >>> addresses, lengths = parse_networks(["10.1.2.3/8", "::/0"], host_bits="mask")
    >>> lengths.tolist(), int(Networks(addresses, lengths).find("10.9.9.9"))
    ([8, 0], 0)
    """
    masks = _masks(host_bits)
    with reading("texts"):
        numbers, lengths = _core.parse_texts(_texts(texts).whole(), True, masks, threads)
    return keys_of("u128", numbers, len(numbers)), lengths
