# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Producers of Arrow and DLPack whose columns contradict themselves: a clear error, and nothing is read."""

import ctypes
import re
import struct

import numpy as np
import pytest

import warpdex
from warpdex import Index, _core

pa = pytest.importorskip("pyarrow")

P = ctypes.c_void_p
N = ctypes.c_int64


class Schema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p),
        ("name", P),
        ("metadata", P),
        ("flags", N),
        ("n_children", N),
        ("children", P),
        ("dictionary", P),
        ("release", P),
        ("private_data", P),
    ]


class Array(ctypes.Structure):
    _fields_ = [
        ("length", N),
        ("null_count", N),
        ("offset", N),
        ("n_buffers", N),
        ("n_children", N),
        ("buffers", ctypes.POINTER(P)),
        ("children", P),
        ("dictionary", P),
        ("release", P),
        ("private_data", P),
    ]


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", P), ("get_next", P), ("get_last_error", P), ("release", P), ("private_data", P)]


def capsule(struct_, name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]
    return new(ctypes.addressof(struct_), name, None)


class Liar:
    """A column of pyarrow of which `lie(schema, array)` changes what it says."""

    def __init__(self, column, lie):
        self.column, self.schema, self.array = column, Schema(), Array()
        column._export_to_c(ctypes.addressof(self.array), ctypes.addressof(self.schema))
        self.kept = lie(self.schema, self.array)

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")


def says(**fields):
    """Other values of fields of the array, or of the schema."""

    def lie(schema, array):
        for name, value in fields.items():
            setattr(schema if name == "format" else array, name, value)

    return lie


def without_buffer(number):
    def lie(schema, array):
        array.buffers[number] = None

    return lie


def without_dictionary(schema, array):
    array.dictionary = None


def holds(number, *values, format):
    """Other contents of a buffer."""

    def lie(schema, array):
        result = ctypes.create_string_buffer(struct.pack(format, *values))
        array.buffers[number] = ctypes.addressof(result)
        return result

    return lie


NUMBERS = pa.array([1, 2, 3])
NULLS = pa.array([1, None, 3])
WORDS = pa.array(["one", "two", "three"])
VIEWS = pa.array(["a word of more than twelve letters", "short"], pa.string_view())
FEW = pa.array(["a", "b", "a"]).dictionary_encode()
FIXED = pa.array([b"ab", b"cd"], pa.binary(2))

LIES = [
    (NUMBERS, says(length=-1), "its length is -1"),
    (NUMBERS, says(offset=-1), "its offset is -1"),
    (NUMBERS, says(length=2**62), "no memory holds"),
    (NUMBERS, says(offset=2**63 - 1), "no memory holds"),
    (FIXED, says(length=2**62), "no memory holds"),
    (NUMBERS, says(n_buffers=0), "0 buffers; its type has 2"),
    (NUMBERS, says(n_buffers=1), "1 buffers"),
    (NUMBERS, says(n_buffers=-5), "-5 buffers"),
    (WORDS, says(n_buffers=2), "2 buffers; its type has 3"),
    (VIEWS, says(n_buffers=2), "2 buffers"),
    (NUMBERS, says(buffers=None), "its buffers are null"),
    (NUMBERS, says(null_count=4), "4 nulls among 3 values"),
    (NUMBERS, says(null_count=-2), "-2 nulls"),
    (NULLS, without_buffer(0), "1 nulls, but no validity bits"),
    (NUMBERS, without_buffer(1), "buffer 1 is null, but it has 3 values"),
    (WORDS, without_buffer(1), "buffer 1 is null"),
    (WORDS, without_buffer(2), "buffer 2 is null"),
    (pa.array([True, False]), without_buffer(1), "buffer 1 is null"),
    (FIXED, without_buffer(1), "buffer 1 is null"),
    (VIEWS, without_buffer(3), "lengths of its buffers are null"),
    (VIEWS, without_buffer(2), "view 0 reaches"),
    (WORDS, holds(1, 0, 5, 3, 11, format="<4i"), "offsets do not ascend"),
    (WORDS, holds(1, -2, 1, 3, 11, format="<4i"), "offsets do not ascend"),
    (VIEWS, holds(1, -3, 0, 0, 0, *[0] * 4, format="<8i"), "view 0 has the length -3"),
    (VIEWS, holds(1, *[0] * 4, 20, 0, -3, 0, format="<8i"), "view 1 is in the buffer -3 of 1"),
    (VIEWS, holds(1, *[0] * 4, 20, 0, 1, 0, format="<8i"), "view 1 is in the buffer 1 of 1"),
    (VIEWS, holds(1, 20, 0, 0, 1 << 30, *[0] * 4, format="<8i"), "view 0 reaches from 1073741824"),
    (VIEWS, holds(1, 20, 0, 0, -1, *[0] * 4, format="<8i"), "view 0 reaches from -1"),
    (FEW, without_dictionary, "no dictionary, but its schema has one"),
    (FEW, holds(1, 0, 1, 2, format="<3i"), "code 2 is 2; its dictionary has 2"),
    (FEW, holds(1, 0, -1, 1, format="<3i"), "code 1 is -1"),
    (FEW, says(format=b"f"), "no integer's"),
    (NUMBERS, says(format=None), "no format"),
    (NUMBERS, says(format=b""), "Arrow's type ''"),
    (NUMBERS, says(format=b"\xff\xfe"), "Arrow's type '\\xff\\xfe'"),
    (NUMBERS, says(format=b"ts"), "Arrow's type 'ts'"),
    (NUMBERS, says(format=b"tsx:"), "Arrow's type 'tsx:'"),
    (NUMBERS, says(format=b"tDx"), "Arrow's type 'tDx'"),
    (pa.array([b""], pa.binary(0)), says(), "Arrow's type 'w:0'"),
    (NUMBERS, says(format=b"w:4294967296"), "Arrow's type 'w:4294967296'"),
    (NUMBERS, says(format=b"w:two"), "Arrow's type 'w:two'"),
]


@pytest.mark.parametrize("column, lie, text", LIES, ids=[text for _, _, text in LIES])
def test_columns_that_contradict_themselves(column, lie, text):
    held = pa.total_allocated_bytes()
    with pytest.raises(warpdex.Error, match="keys: .*" + re.escape(text)) as raised:
        Index(Liar(column, lie))
    assert isinstance(raised.value, (warpdex.errors.InvalidArgument, warpdex.errors.KeyTypeError))
    assert lie is without_dictionary or pa.total_allocated_bytes() == held


def test_columns_that_do_not():
    for column in {id(column): column for column, _, text in LIES if "w:0" not in text}.values():
        assert Index(Liar(column, lambda schema, array: None)).find(column).to_pylist()[0] == 0


def test_a_dictionary_that_the_schema_does_not_have():
    codes = pa.array([0, 1, 0], pa.int32())
    other = Liar(FEW, lambda schema, array: None)
    with pytest.raises(warpdex.errors.InvalidArgument, match="dictionary that its schema does not have"):
        Index(Liar(codes, says(dictionary=ctypes.addressof(other.array))))


def test_a_dictionary_of_a_dictionary():
    def itself(schema, array):
        schema.dictionary, array.dictionary = ctypes.addressof(schema), ctypes.addressof(array)

    with pytest.raises(warpdex.errors.KeyTypeError, match="its dictionary has a dictionary"):
        Index(Liar(pa.array([0, 0], pa.int32()), itself))


def in_column(lie):
    """A lie of the first column of a table."""

    def changed(schema, array):
        parts = [ctypes.cast(one.children, ctypes.POINTER(P))[0] for one in (schema, array)]
        return lie(Schema.from_address(parts[0]), Array.from_address(parts[1]))

    return changed


OF_ANY_TYPE = [one for one in LIES[:19] if one[0] is not VIEWS and one[2] != "buffer 2 is null"]


@pytest.mark.parametrize("column, lie, text", OF_ANY_TYPE, ids=[text for _, _, text in OF_ANY_TYPE])
def test_tables_whose_columns_contradict_themselves(column, lie, text):
    table = Liar(pa.record_batch({"a": column}), in_column(lie))
    with pytest.raises(warpdex.errors.InvalidArgument, match=re.escape(text)):
        columns = [core for _, core in _core.ArrowColumn.read(table, 0).columns()]
        _core.ArrowColumn.take(columns, np.arange(1), False, -1, 1)


def test_tables_that_contradict_themselves():
    for lie, text in ((says(length=-1), "its length is -1"), (in_column(says(format=None)), "no format")):
        with pytest.raises(warpdex.errors.InvalidArgument, match=text):
            _core.ArrowColumn.read(Liar(pa.record_batch({"a": NUMBERS}), lie), 0).columns()


CONSUMED = Stream()


class Gives:
    """An object whose functions of Arrow give something else."""

    def __init__(self, array=None, stream=None):
        if stream is None:
            self.__arrow_c_array__ = lambda requested_schema=None: array
        else:
            self.__arrow_c_stream__ = lambda requested_schema=None: stream


@pytest.mark.parametrize(
    "given",
    [
        Gives(None),
        Gives(()),
        Gives((1, 2)),
        Gives(NUMBERS.__arrow_c_array__()[::-1]),
        Gives(NUMBERS.__arrow_c_array__() * 2),
        Gives(stream=3),
        Gives(stream=NUMBERS.__arrow_c_array__()[0]),
        Gives(stream=capsule(CONSUMED, b"arrow_array_stream")),
    ],
)
def test_functions_that_give_something_else(given):
    with pytest.raises(warpdex.Error, match="probes: "):
        Index([1]).find(given)


RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))(lambda stream: setattr(stream.contents, "release", None))


def made_stream(**functions):
    return Stream(release=ctypes.cast(RELEASE, P), **{name: ctypes.cast(f, P) for name, f in functions.items()})


def test_streams_without_functions():
    stream = made_stream()
    with pytest.raises(warpdex.errors.InvalidArgument, match="probes: its stream has no functions"):
        Index([1]).find(Gives(stream=capsule(stream, b"arrow_array_stream")))
    assert stream.release is None  # it was taken


def test_errors_of_streams_in_no_encoding():
    fails = ctypes.CFUNCTYPE(ctypes.c_int, P, P)(lambda stream, out: 5)
    text = ctypes.create_string_buffer(b"the disk \xff\xfe")
    why = ctypes.CFUNCTYPE(P, P)(lambda stream: ctypes.addressof(text))
    stream = made_stream(get_schema=fails, get_next=fails, get_last_error=why)
    with pytest.raises(warpdex.errors.FileError, match="probes: an Arrow stream failed: the disk \\\\xff\\\\xfe"):
        Index([1]).find(Gives(stream=capsule(stream, b"arrow_array_stream")))
    stream = made_stream(get_schema=fails, get_next=fails)
    with pytest.raises(warpdex.errors.FileError, match="probes: an Arrow stream failed: "):
        Index([1]).find(Gives(stream=capsule(stream, b"arrow_array_stream")))


class Tensor(ctypes.Structure):
    """A DLManagedTensor."""

    _fields_ = [
        ("data", P),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(N)),
        ("strides", ctypes.POINTER(N)),
        ("byte_offset", ctypes.c_uint64),
        ("manager_ctx", P),
        ("deleter", P),
    ]


@pytest.mark.parametrize(
    "field, value, text",
    [
        ("device_type", 1, "no CUDA device"),
        ("ndim", 0, "0 dimensions"),
        ("ndim", -1, "-1 dimensions"),
        ("shape", None, "shape is null"),
        ("shape", (N * 1)(-1), "length is -1"),
        ("shape", (N * 1)(2**62), "length is 4611686018427387904"),
        ("strides", (N * 1)(2), "strides"),
        ("data", None, "data is null"),
        ("bits", 4, "1 x 4 bits"),
        ("lanes", 2, "2 x 64 bits"),
        ("code", 4, "code 4"),  # bfloat16
        ("code", 200, "code 200"),
    ],
)
def test_tensors_that_contradict_themselves(field, value, text):
    data = np.arange(3)
    fields = dict(data=data.ctypes.data, device_type=2, ndim=1, bits=64, lanes=1, shape=(N * 1)(3))
    honest, lying = Tensor(**fields), Tensor(**(fields | {field: value}))
    assert len(_core.from_dlpack(capsule(honest, b"dltensor"), 0)) == 3
    with pytest.raises(warpdex.Error, match=re.escape(text)):
        _core.from_dlpack(capsule(lying, b"dltensor"), 0)


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"data": (0, True)}, "data is null"),
        ({"shape": (-1,)}, "length is -1"),
        ({"shape": (2**62,)}, "length is 4611686018427387904"),
        ({"shape": (2, 2)}, "2 dimensions"),
        ({"shape": None}, "shape is no tuple"),
        ({"typestr": "?!"}, "no type of numbers"),
        ({"typestr": ">i8"}, "foreign bytes"),
        ({"data": None}, "data is no address"),
    ],
)
def test_array_interfaces_that_contradict_themselves(changes, text):
    data = np.arange(3)

    class Interface:
        __cuda_array_interface__ = {"data": (data.ctypes.data, True), "shape": (3,), "typestr": "<i8"} | changes

    with pytest.raises(warpdex.Error, match=f"keys: .*({text})"):
        Index(Interface())


def test_columns_of_the_core_have_two_or_three_parts():
    index = Index(["a"])._core
    for strings in ((), (np.zeros(1, np.uint8),), (np.zeros(1, np.uint8), 1, 1, 1)):
        with pytest.raises(warpdex.errors.KeyTypeError, match="a pair or a triple"):
            part = _core.Part(strings, 1)
            index.ask(2, (_core.Values("string", [part], 1),), (np.zeros(1, np.int64),), False, False, 0, 1, None)
    with pytest.raises(warpdex.errors.InvalidArgument, match="validity bits"):
        _core.build(np.arange(9), np.zeros(1, np.uint8), "AO+BS", None, -1, 0)
