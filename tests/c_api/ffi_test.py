# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""ffi_test.py LIBRARY: the C interface as languages call it that have its structs only by their layout."""

import bisect
import ctypes
import os
import random
import sys
import tempfile
import threading
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p

U32, U64, F64, BYTES, U8 = 0, 1, 5, 9, 64
INVALID_ARGUMENT, SPEC_ERROR, UNSUPPORTED, IO_ERROR, FORMAT_ERROR, CANCELLED = 1, 2, 3, 6, 7, 8
NO_ROW = 2**32 - 1


class Error(ctypes.Structure):
    _fields_ = [("code", c_int32), ("text", c_char * 1020)]


class Column(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("size", c_uint64),
        ("type", c_int32),
        ("offset_bytes", c_uint32),
        ("offsets", c_void_p),
        ("bytes", c_uint64),
        ("validity", c_void_p),
        ("validity_offset", c_uint64),
        ("stride", c_uint32),
        ("reserved", c_uint32),
    ]


class Output(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_uint64), ("type", c_int32), ("reserved", c_int32)]


class Probes(ctypes.Structure):
    _fields_ = [
        ("lower", Column),
        ("upper", Column),
        ("groups", Column),  # or the parents of `ancestors`
        ("lower_is", c_int32),
        ("upper_is", c_int32),
    ]


class Result(ctypes.Structure):
    _fields_ = [
        ("first", c_void_p),
        ("second", c_void_p),
        ("first_size", c_uint64),
        ("second_size", c_uint64),
        ("first_type", c_int32),
        ("second_type", c_int32),
        ("backend", c_int32),
        ("device", c_int32),
        ("owner", c_void_p),
    ]


class JoinHow(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("on", c_int32), ("batch_pairs", c_uint64)]


class AsofHow(ctypes.Structure):
    _fields_ = [
        ("strategy", c_int32),
        ("disallow_exact_matches", c_int32),
        ("prefer", c_int32),
        ("ties", c_int32),
        ("has_tolerance", c_int32),
        ("tolerance", c_int64),
        ("tolerance_f64", c_double),
    ]


class Change(ctypes.Structure):
    _fields_ = [
        ("keys", POINTER(Column)),
        ("rows", POINTER(Column)),
        ("erased", POINTER(Column)),
        ("groups", POINTER(Column)),
        ("erased_groups", POINTER(Column)),
        ("assigns", c_int32),
        ("reserved", c_int32),
    ]


SINK = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(Result))
CALLS = ctypes.CFUNCTYPE(None, c_void_p)
library = ctypes.CDLL(sys.argv[1])
library.warpdex_version.restype = c_char_p
library.warpdex_free.argtypes = [c_void_p]
library.warpdex_control_stop.argtypes = library.warpdex_control_free.argtypes = [c_void_p]
library.warpdex_control_done.argtypes, library.warpdex_control_done.restype = [c_void_p], c_double


class Failed(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def call(name, *arguments):
    """Calls a function that returns a code and has a place for an error."""
    error = Error()
    code = getattr(library, name)(*arguments, byref(error))
    assert code == error.code, (code, error.code)
    if code != 0:
        raise Failed(code, error.text.decode())
    assert error.text == b""


def refused(code, words, name, *arguments):
    try:
        call(name, *arguments)
    except Failed as e:
        assert e.code == code and words in str(e), (e.code, str(e))
    else:
        raise AssertionError(f"{name} took what it should refuse: {words}")


def column(values, kind=U32):
    """A column over an array, which it keeps alive."""
    array = ({U32: c_uint32, F64: c_double}[kind] * len(values))(*values)
    made = Column(data=ctypes.addressof(array), size=len(values), type=kind)
    made.kept = array
    return made


def strings(words):
    joined = b"".join(words)
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    held = (c_char * max(1, len(joined))).from_buffer_copy(joined or b"\0")
    offsets = (c_uint64 * len(ends))(*ends)
    made = Column(data=ctypes.addressof(held), size=len(words), type=BYTES, offset_bytes=8, bytes=len(joined))
    made.offsets = ctypes.addressof(offsets)
    made.kept = (held, offsets)
    return made


def built(spec, keys, rows=None):
    index = c_void_p()
    call("warpdex_build", spec, byref(keys), None if rows is None else byref(rows), None, byref(index))
    return index


def look_up(index, lookup, lower, upper=None, kind=U32):
    probes = Probes(lower=lower) if upper is None else Probes(lower=lower, upper=upper)
    answers = ({U32: c_uint32, U64: c_uint64, U8: ctypes.c_uint8}[kind] * lower.size)()
    to = Output(data=ctypes.addressof(answers), size=lower.size, type=kind)
    call("warpdex_look_up", index, lookup, byref(probes), byref(to), c_uint64(1), None)
    return list(answers)


def array_of(result, which):
    """A copy of an array of a result."""
    kind = {U32: c_uint32, U64: c_uint64, U8: ctypes.c_uint8}[getattr(result, which + "_type")]
    size = getattr(result, which + "_size")
    return list((kind * size).from_address(getattr(result, which))) if size else []


def test_lookups(spec, ordered):
    keys = [random.randrange(300) for _ in range(1000)]
    asked = [random.randrange(310) for _ in range(500)]
    first = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    index = built(spec, column(keys))
    assert look_up(index, b"find", column(asked)) == [first.get(p, NO_ROW) for p in asked]
    assert look_up(index, b"count", column(asked), kind=U64) == [keys.count(p) for p in asked]
    assert look_up(index, b"contains", column([float(p) for p in asked], F64), kind=U8) == [p in first for p in asked]
    ends, ordered_keys = [p + random.randrange(20) for p in asked], sorted(keys)
    if ordered:
        within = [
            bisect.bisect_right(ordered_keys, e) - bisect.bisect_left(ordered_keys, p) for p, e in zip(asked, ends)
        ]
        assert look_up(index, b"range_count", column(asked), column(ends), U64) == within
    else:
        refused(
            UNSUPPORTED,
            "range_count",
            "warpdex_look_up",
            index,
            b"range_count",
            byref(Probes()),
            byref(Output()),
            c_uint64(1),
            None,
        )
    result, lower = Result(), column(asked)
    call("warpdex_list", index, b"retrieve", byref(Probes(lower=lower)), None, byref(result))
    offsets, rows = array_of(result, "first"), array_of(result, "second")
    for i, p in enumerate(asked):
        assert rows[offsets[i] : offsets[i + 1]] == [r for r, key in enumerate(keys) if key == p]
    library.warpdex_release(byref(result))
    assert result.first is None and result.owner is None
    library.warpdex_free(index)


def test_strings():
    words = [bytes(random.choices(b"ab\0\xff", k=random.randrange(6))) for _ in range(300)]
    index = built(b"AO+BS", strings(words))
    assert look_up(index, b"find", strings(words)) == [words.index(w) for w in words]
    assert look_up(index, b"prefix_count", strings([b"ab", b"", b"\xff"]), kind=U64) == [
        sum(w.startswith(p) for w in words) for p in (b"ab", b"", b"\xff")
    ]
    library.warpdex_free(index)


def test_joins():
    keys = [random.randrange(100) for _ in range(400)]
    asked = [random.randrange(110) for _ in range(300)]
    index = built(b"auto", column(keys))
    pairs = [(i, r) for i, p in enumerate(asked) for r, key in enumerate(keys) if key == p]
    result, lower = Result(), column(asked)
    probes = Probes(lower=lower)
    call("warpdex_join", index, byref(probes), None, None, byref(result))
    assert list(zip(array_of(result, "first"), array_of(result, "second"))) == pairs
    library.warpdex_release(byref(result))

    batches = []

    def take(_, batch):
        batches.append(list(zip(array_of(batch[0], "first"), array_of(batch[0], "second"))))
        return 0

    how = JoinHow(batch_pairs=64)
    call("warpdex_join_batches", index, byref(probes), byref(how), SINK(take), None, None)
    assert len(batches) > 1 and [pair for batch in batches for pair in batch] == pairs
    stop = SINK(lambda *_: 1)
    refused(CANCELLED, "ended", "warpdex_join_batches", index, byref(probes), byref(how), stop, None, None)

    rows = (c_uint32 * len(asked))()
    to = Output(data=ctypes.addressof(rows), size=len(asked), type=U32)
    how = AsofHow(strategy=1, has_tolerance=1, tolerance=2)
    call("warpdex_join_asof", index, byref(probes.lower), byref(how), byref(to), None)
    for p, row in zip(asked, rows):
        near = min((key for key in keys if p <= key <= p + 2), default=None)
        assert row == (NO_ROW if near is None else keys.index(near))
    library.warpdex_free(index)


def test_files():
    index = built(b"B+(16)", column([5, 3, 4]), column([50, 30, 40]))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "index.wdx").encode()
        call("warpdex_save", index, path)
        other = c_void_p()
        call("warpdex_load", path, 0, 0, None, byref(other))
        call("warpdex_insert_or_assign", other, byref(column([4])), byref(column([44])), None, None)
        assert look_up(other, b"find", column([3, 4, 5, 6])) == [30, 44, 50, NO_ROW]
        assert look_up(index, b"find", column([4])) == [40]
        refused(IO_ERROR, "nothing.wdx", "warpdex_load", path + b"/nothing.wdx", 0, 0, None, byref(other))
        refused(FORMAT_ERROR, "", "warpdex_load_bytes", b"0123456789", c_uint64(10), 0, None, byref(other))
    library.warpdex_free(other)
    library.warpdex_free(index)


def test_kinds():
    """Groups, intervals and networks by their layout alone, rows of 64 bits, and calls that a kind does not have."""
    groups, keys = [random.randrange(5) for _ in range(300)], [random.randrange(50) for _ in range(300)]
    asked, within = [random.randrange(50) for _ in range(100)], [random.randrange(6) for _ in range(100)]
    grouped, spans, networks = c_void_p(), c_void_p(), c_void_p()
    call("warpdex_build_grouped", b"AO+BS", byref(column(groups)), byref(column(keys)), None, byref(grouped))
    ends = column([key + 3 for key in keys])
    call("warpdex_build_intervals", None, byref(column(keys)), byref(ends), None, None, byref(spans))
    lengths = (ctypes.c_uint8 * 2)(8, 16)
    call("warpdex_build_networks", byref(column([0x0A000000, 0x0A010000])), lengths, None, None, byref(networks))

    def asked_of(index, lookup, probes, kind):
        answers = ({U32: c_uint32, U64: c_uint64}[kind] * probes.lower.size)()
        to = Output(data=ctypes.addressof(answers), size=probes.lower.size, type=kind)
        call("warpdex_look_up", index, lookup, byref(probes), byref(to), c_uint64(1), None)
        return list(answers)

    pairs = list(zip(groups, keys))
    lower, of = column(asked), column(within)
    probes = Probes(lower=lower, groups=of)
    expected = [pairs.index(p) if p in pairs else NO_ROW for p in zip(within, asked)]
    assert asked_of(grouped, b"find", probes, U32) == expected
    expected = [sum(key <= p <= key + 3 for key in keys) for p in asked]
    assert asked_of(spans, b"count", Probes(lower=lower), U64) == expected
    ips = column([0x0A010203, 0x0A020304, 0x0B000000])
    assert asked_of(networks, b"find", Probes(lower=ips), U32) == [1, 0, NO_ROW]

    places, counts = (c_uint64 * 1)(1 << 40), (c_uint64 * 3)()
    rows = Column(data=ctypes.addressof(places), size=1, type=U64)
    call("warpdex_widen_rows", grouped, None)
    key, group = column([99]), column([4])
    change = Change(keys=ctypes.pointer(key), rows=ctypes.pointer(rows), groups=ctypes.pointer(group))
    call("warpdex_apply", grouped, byref(change), None, counts)
    assert list(counts) == [1, 0, 0]
    probes = Probes(lower=key, groups=group)
    assert asked_of(grouped, b"find", probes, U64) == [1 << 40]

    result, kind = Result(), c_int32()
    for index, number in ((grouped, 2), (spans, 3), (networks, 4)):
        call("warpdex_kind", index, byref(kind), None)
        assert kind.value == number
    refused(UNSUPPORTED, "networks", "warpdex_join", networks, byref(Probes(lower=lower)), None, None, byref(result))
    refused(UNSUPPORTED, "grouped", "warpdex_merge", grouped, None, byref(result), None)
    refused(INVALID_ARGUMENT, "seek", "warpdex_list", spans, b"seek", byref(Probes(lower=lower)), None, byref(result))
    for index in (grouped, spans, networks):
        library.warpdex_free(index)


def test_controls():
    """A build that another thread stops, and one that is done."""
    control, index, codes = c_void_p(), c_void_p(), []
    call("warpdex_control_make", byref(control))
    many = column([i * 2654435761 % 2**32 for i in range(1 << 16)])

    def build(_):
        codes.append(library.warpdex_build(b"AO+BS", byref(many), None, None, byref(index), None))

    call("warpdex_under", control, CALLS(build), None)
    assert codes == [0] and library.warpdex_control_done(control) == 1
    library.warpdex_free(index)
    stopper = threading.Thread(target=library.warpdex_control_stop, args=(control,))
    stopper.start()
    stopper.join()
    call("warpdex_under", control, CALLS(build), None)
    assert codes == [0, CANCELLED]
    library.warpdex_control_free(control)


def test_structs_of_any_kind():
    """Structs whose numbers are wrong, but whose arrays exist, are refused or taken; nothing ends the process."""

    def mostly(right, *wrong):
        return right if random.random() < 0.95 else random.choice(wrong)

    index = built(b"AO+BS", column(list(range(64))))
    room = (c_char * 4096)()
    keys_at, answers_at = ctypes.addressof(room), ctypes.addressof(room) + 2048
    outputs = {b"find": U32, b"contains": U8, b"count": U64, b"lower_bound": U64, b"range_count": U64, b"floor": U32}
    outputs |= {b"prefix_count": U64, b"retrieve": U64, b"": U32}
    answered = 0
    for _ in range(20000):
        lookup, kind = random.choice(list(outputs.items()))
        probes = Probes(lower_is=mostly(0, 1, 2, 3, -1), upper_is=mostly(0, 1, 2, 3))
        to = Output(data=mostly(answers_at, None), size=mostly(8, 0, 7, 2**48), type=mostly(kind, 0, 1, 5, 9, -1, 99))
        bounds = (probes.lower, probes.upper) if b"range" in lookup or random.random() < 0.05 else (probes.lower,)
        for struct in bounds:
            struct.data = mostly(keys_at, None)
            struct.size = mostly(8, 0, 7, 2**48, 2**64 - 1)
            struct.type = mostly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 64, -1, 256)
            struct.offset_bytes = mostly(0, 4, 8, 3)
            struct.offsets = mostly(None, keys_at)
            struct.bytes = mostly(0, 8, 64)
            struct.stride = mostly(0, 8, 2**32 - 1)
            struct.validity = mostly(None, keys_at)
            struct.reserved = mostly(0, 1)
        error = Error()
        count = c_uint64(mostly(1, 0, 2**63))
        code = library.warpdex_look_up(index, lookup, byref(probes), byref(to), count, None, byref(error))
        assert code == error.code and (code == 0) == (error.text == b"")
        answered += code == 0
    assert 2000 < answered < 18000, answered
    library.warpdex_free(index)


def test_threads():
    """Each thread has the error of its own call."""
    index = built(b"AO+BS", column([1]))
    wrong = []

    def ask(number):
        for _ in range(200):
            name = b"lookup_%d" % number
            try:
                look_up(index, name, column([1]))
            except Failed as e:
                if f"'lookup_{number}'" not in str(e):
                    wrong.append(str(e))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]
    library.warpdex_free(index)


random.seed(20260923)
assert library.warpdex_version().count(b".") == 2
test_lookups(b"auto", True)
test_lookups(b"HT(open)", False)
test_strings()
test_joins()
test_files()
test_kinds()
test_controls()
test_structs_of_any_kind()
test_threads()
keys = column([1])
refused(SPEC_ERROR, "BO+AS", "warpdex_build", b"BO+AS", byref(keys), None, None, byref(c_void_p()))
refused(INVALID_ARGUMENT, "null pointer", "warpdex_build", None, byref(keys), None, None, byref(c_void_p()))
print("all passed")
