# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries of arrays: which arrays are on CUDA devices, how they are read, and where answers to them are made.

A call on arrays of a device runs on one stream: that of `stream=`, or else the current one of the arrays' library.
Answers are allocated on it, by the same library. Nothing here waits for a device. Arrays of Torch and JAX on the host are
read as those of NumPy, and answers to them are their own again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Part, Values
from ..errors import InvalidArgument, KeyTypeError, reading
from .devices import device_name, device_number
from .families import arrow_times

_CUDA = (2, 13)  # DLPack's numbers of CUDA's memory: on a device, and managed
_FAMILIES = {"i": "integer", "u": "integer", "f": "float", "b": "bool"}


class Home(NamedTuple):
    """Where a call runs, and builds an index if it needs one: on a device, or -1; the most threads; and the stream."""

    device: int
    threads: int
    stream: int = 0

    @property
    def where(self) -> int:
        """The stream of a call of the core, or its threads."""
        return self.threads if self.device < 0 else self.stream

    def over(self, *columns: Values) -> Home:
        """The same of a call over some columns, which runs where they are if that is a device."""
        device, stream = together(*columns, threads=self.threads)
        return self if device < 0 else Home(device, self.threads, stream)


def home_of(device: Any, threads: int) -> Home:
    return Home(device_number(device), threads)


@dataclass(slots=True)
class Place:
    """Where a call runs and its answers are."""

    library: Library  # which makes the answers
    device: int
    stream: int
    is_current: bool = False  # whether the stream is known to be the library's current one


class Library:
    """What a library of arrays offers."""

    is_here: Callable[[Any], bool]  # whether an array is on a device of CUDA
    read: Callable[[Any, str, int | None], Values]
    empty: Callable[[int, str, Place], tuple[Any, _core.DeviceArray]]  # an array to be written, and its description
    view: Callable[[Any], _core.DeviceArray]  # the description of an array, for a call that writes it

    def finished(self, answers: Any) -> Any:
        """What the caller gets of an array that `empty` made."""
        return answers

    def give(self, answers: Any, nulls: Any) -> Any:
        return self.finished(answers)

    def adopt(self, results: _core.DeviceArray, place: Place) -> Any:
        """Results of the core as an array of the library, in its own memory."""
        result, target = self.empty(len(results), results.type, place)
        if len(results):
            _core.copy_array(target, results, place.stream)
        return self.finished(result)

    def to_numpy(self, array: Any, name: str) -> np.ndarray | None:
        """An array on the host as one of NumPy; None of a library whose arrays others read there."""
        return None

    def of_numpy(self, answers: np.ndarray, name: str) -> Any:
        """Answers to such an array as one of the library. @param name of the argument that was the array"""
        return answers


class Native(Library):
    """A library whose arrays are read by their addresses."""

    kinds: dict[Any, str]  # its types that the core knows
    wider: dict[Any, Any]  # those that are widened, and to what
    current: Callable[[int], int]  # the number of the current stream of a device
    number_of: Callable[[Any], int]  # of an array's device
    is_whole: Callable[[Any], bool]  # whether an array has no strides
    whole: Callable[[Any, Any], Any]  # an array without strides, of another type unless that is None
    described: Callable[[Any, str, int], _core.DeviceArray]
    new: Callable[[int, str, int], Any]  # an array on the current stream
    running: Callable[[Place], AbstractContextManager[Any]]  # makes the place's device and stream those of the library

    def keep(self, array: Any) -> None:
        """Keeps the memory of an array until the current stream has used it."""

    def read(self, array: Any, name: str, stream: int | None) -> Values:
        device = self.number_of(array)
        current = self.current(device)
        if stream is None or stream == current:
            return self._read(array, name, Place(self, device, current, True))
        place = Place(self, device, stream)
        _core.wait_for(device, stream, current)
        with self.running(place):
            self.keep(array)
            return self._read(array, name, place)

    def _read(self, array: Any, name: str, place: Place) -> Values:
        if array.ndim != 1:
            raise InvalidArgument(f"{name} has {array.ndim} dimensions; a column on a device has one")
        dtype = array.dtype
        wide = self.wider.get(dtype)
        if wide is not None or not self.is_whole(array):
            array = self.whole(array, wide)
        kind = self.kinds.get(array.dtype)
        if kind is None:
            raise KeyTypeError(f"{name} has the type {dtype}; keys on a device are integers, floats and bools")
        family = _FAMILIES["b" if self.kinds.get(dtype) == "b1" else kind[0]]
        return column_at(self.described(array, kind, place.device), family, place, name, array)

    def empty(self, size: int, kind: str, place: Place) -> tuple[Any, _core.DeviceArray]:
        device = place.device
        if place.is_current or self.current(device) == place.stream:
            result = self.new(size, kind, device)
        else:
            with self.running(place):
                result = self.new(size, kind, device)
        return result, self.described(result, kind, device)

    def view(self, array: Any) -> _core.DeviceArray:
        if array.ndim != 1 or not self.is_whole(array):
            shape = tuple(array.shape)
            raise InvalidArgument(f"out has the shape {shape}; it must have one dimension, without strides")
        kind = self.kinds.get(array.dtype)
        if kind is None:
            raise KeyTypeError(f"out has the type {array.dtype}, which no answers have")
        return self.described(array, kind, self.number_of(array))


class _Torch(Native):
    def __init__(self) -> None:
        import torch

        cuda: Any = torch.cuda

        def types(**names: Any) -> dict[Any, Any]:
            return {getattr(torch, name): to for name, to in names.items() if hasattr(torch, name)}

        self.kinds = types(int32="i4", int64="i8", uint32="u4", uint64="u8", float32="f4", float64="f8", bool="b1")
        self.types = {kind: type for type, kind in self.kinds.items()}
        self.wider = types(
            **dict.fromkeys(("int8", "uint8", "int16", "uint16", "bool"), torch.int32),
            **dict.fromkeys(("float16", "bfloat16"), torch.float32),
        )
        devices = [torch.device("cuda", number) for number in range(cuda.device_count())]
        # The first costs a tenth of the second, and is what Torch's own compiler uses.
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        self.current = raw or (lambda device: cuda.current_stream(device).cuda_stream)
        self.is_here = lambda array: array.is_cuda
        self.number_of = lambda array: array.device.index
        self.is_whole = lambda array: array.is_contiguous()
        self.whole = lambda array, wide: (array if wide is None else array.to(wide)).contiguous()
        self.described = lambda array, kind, on: _core.DeviceArray(array.data_ptr(), array.numel(), kind, on)
        self.new = lambda size, kind, on: torch.empty(size, dtype=self.types[kind], device=devices[on])
        self.running = lambda place: cuda.stream(
            cuda.ExternalStream(place.stream, device=place.device)
            if place.stream
            else cuda.default_stream(place.device)
        )
        self.keep = lambda array: array.record_stream(cuda.current_stream())  # type: ignore[method-assign]

        def to_numpy(array: Any, name: str) -> np.ndarray:
            result: np.ndarray = (array.float() if array.dtype == torch.bfloat16 else array).numpy(force=True)
            return result

        self.to_numpy = to_numpy  # type: ignore[method-assign]
        self.of_numpy = lambda answers, name: torch.from_numpy(answers)  # type: ignore[method-assign]


class _CuPy(Native):
    def __init__(self) -> None:
        import cupy

        cuda: Any = cupy.cuda
        self.kinds = {np.dtype(kind): kind for kind in ("i4", "i8", "u4", "u8", "f4", "f8", "b1")}
        self.wider = {np.dtype(kind): "i4" for kind in ("i1", "u1", "i2", "u2", "b1")} | {np.dtype("f2"): "f4"}
        self.is_here = lambda array: True
        self.current = lambda device: cuda.get_current_stream(device).ptr
        self.number_of = lambda array: array.device.id
        self.is_whole = lambda array: array.flags.c_contiguous
        self.whole = lambda array, wide: cupy.ascontiguousarray(array if wide is None else array.astype(wide))
        self.described = lambda array, kind, on: _core.DeviceArray(array.data.ptr, array.size, kind, on)

        def new(size: int, kind: str, device: int) -> Any:
            if cuda.runtime.getDevice() == device:
                return cupy.empty(size, kind)
            with cuda.Device(device):
                return cupy.empty(size, kind)

        @contextmanager
        def running(place: Place) -> Iterator[None]:
            with cuda.Device(place.device):
                if hasattr(getattr(cuda, "Stream", None), "from_external"):  # from CuPy 14 on
                    numbered = SimpleNamespace(__cuda_stream__=lambda: (0, place.stream))
                    stream = cuda.Stream.from_external(numbered)
                else:
                    stream = cuda.ExternalStream(place.stream, place.device)
                with stream:
                    yield

        self.new, self.running = new, running


class _Others(Library):
    """Libraries whose arrays come by Arrow's device interface, DLPack or `__cuda_array_interface__`.

    Answers to JAX and numba are their own arrays over memory of warpdex, to all others CuPy's, or without CuPy a
    `DeviceArray`.
    """

    def __init__(self, root: str) -> None:
        self.root = root

        self.is_jax = root in ("jax", "jaxlib")

    def is_here(self, array: Any) -> bool:
        if self._has_device_arrow(array):
            return True
        if (where := getattr(array, "__dlpack_device__", None)) is not None:
            try:
                return where()[0] in _CUDA
            except Exception:  # not on a device that CUDA knows; what reads columns names the argument
                return False
        return getattr(array, "__cuda_array_interface__", None) is not None

    def _has_device_arrow(self, array: Any) -> bool:
        if self.root in ("cudf", "pylibcudf"):
            return hasattr(array, "to_pylibcudf") or hasattr(array, "__arrow_c_device_array__")
        return hasattr(array, "__arrow_c_device_array__") and not hasattr(array, "__arrow_c_array__")

    def _answering(self) -> Library:
        if self.is_jax or self.root in ("numba", "numba_cuda"):
            return self
        try:
            return _library("cupy")
        except ImportError:
            return self

    def _place(self, device: int, stream: int | None) -> Place:
        library = self._answering()
        if stream is None:
            stream = library.current(device) if isinstance(library, _CuPy) else 0
        return Place(library, device, stream)

    def read(self, array: Any, name: str, stream: int | None) -> Values:
        with reading(name):
            if self._has_device_arrow(array):
                found = self._read_arrow(array, stream)
            elif hasattr(array, "__dlpack_device__"):
                place = self._place(int(array.__dlpack_device__()[1]), stream)
                # Without a stream libraries differ in what they wait for.
                capsule = array.__dlpack__(stream=place.stream or 1)
                found = self._found(_core.from_dlpack(capsule, place.stream), place, None)
            else:
                found = self._read_interface(array, stream)
        found.name = name
        return found

    def _found(self, column: _core.DeviceArray, place: Place, holds: Any) -> Values:
        kind = column.type
        if kind not in ("i4", "i8", "u4", "u8", "f4", "f8"):
            raise KeyTypeError(f"it has the type {kind}; on this way keys are integers and floats of 32 or 64 bits")
        return column_at(column, _FAMILIES[kind[0]], place, "", holds)

    def _read_interface(self, array: Any, stream: int | None) -> Values:
        interface = array.__cuda_array_interface__
        column = _core.from_interface(interface)
        place = self._place(column.device, stream)
        if (written := interface.get("stream")) is not None:
            _core.wait_for(place.device, place.stream, written)
        return self._found(column, place, array)

    def _read_arrow(self, array: Any, stream: int | None) -> Values:
        if hasattr(array, "to_pylibcudf"):
            array = array.to_pylibcudf()[0]
        format, size, values, valid = _core.read_device_arrow(array, stream)
        first = values[0] if isinstance(values, tuple) else values
        place = self._place(first.device, stream)
        if place.stream != (stream or 0):
            _core.wait_for(place.device, place.stream, stream or 0)
        family = "string" if isinstance(values, tuple) else "float" if format in "fg" else "integer"
        if format[0] == "t":
            family = "{0.name}{1}".format(*arrow_times(format))
        return column_at(values, family, place, "", array, size, valid)

    def empty(self, size: int, kind: str, place: Place) -> tuple[Any, _core.DeviceArray]:
        result = _core.DeviceArray.empty(size, kind, place.device, place.stream)
        return result, result

    def view(self, array: Any) -> _core.DeviceArray:
        if isinstance(array, _core.DeviceArray):
            return array
        column: _core.DeviceArray = self.read(array, "out", None).parts[0].column
        return column

    def finished(self, answers: Any) -> Any:
        if self.is_jax:
            import jax

            return jax.dlpack.from_dlpack(answers)
        if self.root in ("numba", "numba_cuda"):
            from numba import cuda

            return cuda.as_cuda_array(answers, sync=False)
        return answers

    def adopt(self, results: _core.DeviceArray, place: Place) -> Any:
        return self.finished(results)

    def to_numpy(self, array: Any, name: str) -> np.ndarray | None:
        if not self.is_jax:
            return None
        import jax

        if isinstance(array, jax.core.Tracer):
            raise KeyTypeError(f"{name} is traced by JAX and has no values yet; jax.pure_callback asks once it has")
        return np.asarray(array)

    def of_numpy(self, answers: np.ndarray, name: str) -> Any:
        import jax

        dtype = np.dtype(jax.dtypes.canonicalize_dtype(answers.dtype))
        if dtype != answers.dtype:  # JAX has no numbers of 64 bits unless it is told to, and would cut them
            if answers.size and not np.iinfo(dtype).min <= answers.min() <= answers.max() <= np.iinfo(dtype).max:
                most = max(answers.max(), answers.min(), key=abs)
                raise InvalidArgument(
                    f"{name} has the answer {most}, which {dtype} does not hold; jax_enable_x64 gives JAX 64 bits"
                )
            answers = answers.astype(dtype)
        with jax.default_device(jax.local_devices(backend="cpu")[0]):
            return jax.numpy.asarray(answers)


@dataclass(frozen=True, slots=True)
class HostGiver:
    """Makes answers to an array on the host arrays of its library."""

    library: Library
    name: str
    shape: tuple[int, ...]

    def made(self, answers: np.ndarray) -> Any:
        return self.library.of_numpy(answers, self.name)

    def __call__(self, answers: np.ndarray, nulls: Any) -> Any:
        return self.made(answers.reshape(self.shape))


_libraries: dict[str, Library] = {}


def _library(root: str) -> Library:
    if root not in _libraries:
        _libraries[root] = _Torch() if root == "torch" else _CuPy() if root == "cupy" else _Others(root)
    return _libraries[root]


@functools.cache
def library_of_type(kind: type) -> Library | None:
    """The library of a type whose values may be arrays on a device, or are traced by JAX; None for all others."""
    root = kind.__module__.partition(".")[0]
    if root in ("builtins", "numpy", "pandas", "polars", "pyarrow", "datetime"):
        return None
    if root in ("torch", "cupy"):  # their scalars and other objects are no arrays
        return _library(root) if kind.__name__ in ("Tensor", "Parameter", "ndarray") else None
    known = ("__cuda_array_interface__", "__dlpack_device__", "__arrow_c_device_array__", "to_pylibcudf")
    return _library(root) if root in ("jax", "jaxlib") or any(hasattr(kind, name) for name in known) else None


def library_of(values: Any) -> Library | None:
    """The library of an array on a device; None for all other values."""
    kind: Any = type(values)
    library = library_of_type(kind)
    return library if library is not None and library.is_here(values) else None


def number_of(array: Any) -> int:
    """The number of the device of an array of NumPy, Torch or CuPy, -1 on the host."""
    library = library_of(array)
    return library.number_of(array) if isinstance(library, Native) else -1


def seen(array: Any) -> Any:
    """What the core sees of an array that a caller holds, on the host or on a device."""
    library = library_of(array)
    return array if library is None else library.view(array)


def on_host(values: Any, name: str) -> tuple[Any, HostGiver | None]:
    """An array of Torch or JAX on the host as one of NumPy, and what makes answers to it; all else as it is."""
    kind: Any = type(values)
    library = library_of_type(kind)
    if library is None or library.is_here(values) or (held := library.to_numpy(values, name)) is None:
        return values, None
    return held, HostGiver(library, name, held.shape)


def column_at(
    column: Any, family: str, place: Place, name: str, holds: Any, size: int | None = None, valid: Any = None
) -> Values:
    """A column on a device: an array, or a pair (bytes, offsets) of them.

    @param valid validity bits and the number of the first one, if values may be null
    """
    size = len(column) if size is None else size
    return Values(family, [Part(column, size, valid)], size, place.library.give, False, name, place, holds)


def expected(column: Values, *devices: int) -> None:
    """Checks that a column is where the index is, or a part of it."""
    if column.place.device not in devices:
        name, home = device_name(column.place.device), ", ".join(device_name(device) for device in devices)
        raise InvalidArgument(f"{column.name} is on {name}, but the index on {home}; Index.to({name!r}) copies it")


def target(out: Any, dtype: Any, size: int, place: Place | None) -> tuple[Any, Any]:
    """The array of the answers, new or the caller's, and what the core sees of it."""
    if place is None:
        result = np.empty(size, dtype) if out is None else out
        return result, result
    kind = np.dtype(dtype).str[1:]
    if out is None:
        return place.library.empty(size, kind, place)
    library = library_of(out)
    if library is None:
        raise KeyTypeError(
            f"out is {type(out).__name__}; with probes on {device_name(place.device)} it must be there too"
        )
    target_array = library.view(out)
    if target_array.type != kind:
        raise KeyTypeError(f"out has the type {target_array.type}; the answers are {kind}")
    if len(target_array) != size:
        raise InvalidArgument(f"out has {len(target_array)} elements; there are {size} answers")
    if target_array.device != place.device:
        raise InvalidArgument(
            f"out is on {device_name(target_array.device)}, the probes on {device_name(place.device)}"
        )
    if (
        not (place.is_current and library is place.library)
        and isinstance(library, Native)
        and (current := library.current(place.device)) != place.stream
    ):
        _core.wait_for(place.device, place.stream, current)
    return out, target_array


def finished(answers: Any, query: Values) -> Any:
    """Answers of any shape in an array that was made for them, as one of the library of the probes."""
    if query.place is not None:
        return query.place.library.finished(answers)
    return query.give.made(answers) if isinstance(query.give, HostGiver) else answers


def at_place(found: Any, place: Place | None) -> Any:
    """Results of the core as an array of NumPy, or of the library of a device. What had no room there is NumPy's."""
    return found if place is None or isinstance(found, np.ndarray) else place.library.adopt(found, place)


def adopted(found: Any, query: Values) -> Any:
    """Results of the core in the form of the caller. What a device had no room for is an array of NumPy."""
    if isinstance(found, tuple):
        return tuple(adopted(array, query) for array in found)
    if found is None:
        return None
    if query.place is None:
        return finished(found, query)
    return at_place(found, query.place)


def built_at(columns: tuple[Values, ...], device: Any, threads: int) -> tuple[int, int]:
    """Where an index over some columns is built, and the stream or the threads of the call: where they are, or on the
    given device if they are on the host."""
    own_device, where = together(*columns, threads=threads)
    number = own_device if device is None else device_number(device)
    if own_device >= 0 and number != own_device:
        raise InvalidArgument(f"{columns[0].name} is on {device_name(own_device)}, but device is {device!r}")
    return number, where if number == own_device else 0


def row_ids(rows: Any, size: int, itemsize: int | None = None, name: str = "rows") -> tuple[Any, Any]:
    """Row ids on the host or a device as int32 or int64, in their own type or in one of `itemsize` bytes; and what holds
    them."""
    if (library := library_of(rows)) is None:
        held: Any = np.asarray(rows)
        kind, shape = f"{held.dtype.kind}{held.dtype.itemsize}", held.shape
    elif isinstance(library, Native):
        found = library.read(rows, name, None)
        held, shape = found.holds, (found.size,)
        kind = found.parts[0].column.type if found.family != "bool" else "b1"
    else:
        raise KeyTypeError(f"{name} is on a device; there row ids are arrays of Torch or CuPy")
    if kind[0] not in "iu" and shape != (0,):
        raise KeyTypeError(f"{name} has the type {rows.dtype if library else held.dtype}; row ids are integers")
    if shape != (size,):
        raise InvalidArgument(f"{name} has the shape {shape}, but there are {size} keys")
    wide = np.dtype(f"i{itemsize or (8 if kind[1] == '8' else 4)}")
    if size:
        low, high = int(held.min()), int(held.max())
        if low < 0 or high > np.iinfo(wide).max:
            more = "; an index with the option /rows=u64 holds more" if wide.itemsize == 4 and low >= 0 else ""
            raise InvalidArgument(f"{name} reach from {low} to {high}; {wide} holds 0 to {np.iinfo(wide).max}{more}")
    if library is None:
        held = np.ascontiguousarray(held, wide)
        return held, held
    if kind[1] != str(wide.itemsize):
        held = held.to(library.types[wide.str[1:]]) if isinstance(library, _Torch) else held.astype(wide)
    return library.view(held), held


def together(*columns: Values, threads: int) -> tuple[int, int]:
    """Where a call without an index runs: its device, or -1, and its stream, or the most threads of the host."""
    places = [column.place for column in columns if column.place is not None]
    if not places:
        return -1, threads
    for column in columns:
        if column.place is None:
            raise KeyTypeError(f"{column.name} is no array on a device, but the other one is")
        if column.place.device != places[0].device:
            first, other = device_name(places[0].device), device_name(column.place.device)
            raise InvalidArgument(f"{columns[0].name} is on {first}, {column.name} on {other}")
        if column.place.stream != places[-1].stream:
            _core.wait_for(column.place.device, places[-1].stream, column.place.stream)
    return int(places[0].device), int(places[-1].stream)
