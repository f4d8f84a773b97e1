// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"

#include <warpdex/lookups.hpp>
#include <warpdex/sorted.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "gil.hpp"
#include "numpy.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

std::optional<key_type> type_of(Py_buffer const& view) {
  char const* const format = view.format;
  if (format == nullptr || format[0] == '\0' || format[1] != '\0') return {};
  switch (format[0]) {
    case 'I': return key_type::u32;
    case 'i': return key_type::i32;
    case 'L':
    case 'Q': return view.itemsize == 8 ? key_type::u64 : key_type::u32;
    case 'l':
    case 'q': return view.itemsize == 8 ? key_type::i64 : key_type::i32;
    case 'f': return key_type::f32;
    case 'd': return key_type::f64;
    default: return {};
  }
}

/// Few probes are answered before another thread could take the GIL.
constexpr std::uint64_t few = 256;

template <class F> void with_gil_if_few(std::uint64_t size, F const& f) {
  if (size <= few) return f();
  without_gil const free;
  f();
}

/// Calls `f` with a number of Python or NumPy.
/// @return what `f` returns; false for all else, and for what 64 bits do not hold
template <class F> bool with_number(nb::handle from, F const& f) {
  if (PyFloat_CheckExact(from.ptr())) return f(PyFloat_AsDouble(from.ptr()));
  if (PyLong_CheckExact(from.ptr())) {
    int beyond = 0;
    std::int64_t const number = PyLong_AsLongLongAndOverflow(from.ptr(), &beyond);
    if (beyond == 0) return f(number);
    std::uint64_t const large = beyond < 0 ? 0 : PyLong_AsUnsignedLongLong(from.ptr());
    if (PyErr_Occurred() == nullptr) return beyond > 0 && f(large);
    PyErr_Clear();
    return false;
  }
  auto const& library = numpy::get();
  PyObject* (*const as_python)(PyObject*) = library.is_integer(from.ptr()) ? PyNumber_Index
                                            : library.is_float(from.ptr()) ? PyNumber_Float
                                                                           : nullptr;
  if (as_python == nullptr) return false;
  nb::object const plain = nb::steal(as_python(from.ptr()));
  if (!plain.is_valid()) throw nb::python_error();
  return with_number(plain, f);
}

/// @return whether a type holds a number exactly, which is then the key
template <class Key, class Number> bool is_held(Number number, Key& key) {
  constexpr int digits = std::numeric_limits<Key>::digits;
  if constexpr (std::is_integral_v<Key> && std::is_integral_v<Number>) {
    if (!std::in_range<Key>(number)) return false;
  } else if constexpr (std::is_integral_v<Key>) {
    Number const end = std::ldexp(Number{1}, digits);
    if (!(number < end && number >= (std::is_signed_v<Key> ? -end : 0) && std::floor(number) == number)) return false;
  } else if constexpr (std::is_integral_v<Number>) {
    constexpr std::int64_t last = std::int64_t{1} << digits;  // of the integers that are all floats
    if (std::cmp_greater(number, last) || std::cmp_less(number, -last)) return false;
  } else {
    if (!std::isnan(number) && static_cast<Number>(static_cast<Key>(number)) != number) return false;
  }
  key = static_cast<Key>(number);
  return true;
}

/// Writes a number of Python or NumPy as a key.
/// @return whether it is a number that the type holds exactly; others are rounded, or equal no key
bool is_key(nb::handle from, key_type type, std::uint64_t& to) {
  return with_number(from, [&](auto number) {
    auto const write = [&](auto key) {
      bool const held = is_held(number, key);
      std::memcpy(&to, &key, sizeof key);
      return held;
    };
    switch (type) {
      case key_type::u32: return write(std::uint32_t{});
      case key_type::u64: return write(std::uint64_t{});
      case key_type::i32: return write(std::int32_t{});
      case key_type::i64: return write(std::int64_t{});
      case key_type::f32: return write(float{});
      case key_type::f64: return write(double{});
      default: return false;
    }
  });
}

/// Answers probes of the index's type, of an index on the host: an array, or a number.
/// @return None for all others, and for as many as take pieces
nb::object quick(shared_index const& self, std::size_t number, nb::handle probes, std::uint64_t most) {
  plain_array const source(probes);
  std::uint64_t key = 0;
  bool const is_one = !source && is_key(probes, self.keys(), key);
  if ((!source && !is_one) || number >= std::size(lookups::all)) return nb::none();
  column const keys = is_one ? column(&key, 1, self.keys()) : source.values();
  if (keys.type != self.keys() || keys.size >= most) return nb::none();
  lookup const& what = *lookups::all[number];
  auto const& library = numpy::get();
  bool const rows = what.writes[0] == answer_kind::row, flags = what.writes[0] == answer_kind::flag;
  nb::object answers = library.empty_array(keys.size, library.type_of(what.writes[0], self.rows()));
  Py_buffer to{};
  if (PyObject_GetBuffer(answers.ptr(), &to, PyBUF_WRITABLE) != 0) throw nb::python_error();
  void* const out = to.buf;
  PyBuffer_Release(&to);  // `answers` keeps the memory, which nobody else knows
  locked const held(self.lock(), fair_lock::use::read);
  with_gil_if_few(keys.size, [&] {
    self.look_up_locked([&](any_index const& i) {
      auto const size = static_cast<std::size_t>(keys.size);
      lookup_output const answer = rows    ? lookup_output(row_output(out, size, self.rows()))
                                   : flags ? lookup_output(std::span(static_cast<std::uint8_t*>(out), size))
                                           : lookup_output(std::span(static_cast<std::uint64_t*>(out), size));
      if (what.writes[1] == answer_kind::key) i.look_up(what, {keys}, {answer, key_output()}, self.on(0));
      else i.look_up(what, {keys}, {answer}, self.on(0));
    });
  });
  return is_one ? nb::steal(PySequence_GetItem(answers.ptr(), 0)) : answers;
}

/// The bounds of probes in a sorted array. @return None for arrays that are not plain, and for as many as take pieces
nb::object quick_bounds(nb::handle sorted, nb::handle probes, bool upper, std::uint64_t most, int threads) {
  plain_array const keys(sorted), source(probes);
  if (!keys || !source || source.size() >= most) return nb::none();
  auto const& library = numpy::get();
  nb::object answers = library.empty_array(source.size(), library.place);
  Py_buffer to{};
  if (PyObject_GetBuffer(answers.ptr(), &to, PyBUF_WRITABLE) != 0) throw nb::python_error();
  std::span const out(static_cast<std::uint64_t*>(to.buf), static_cast<std::size_t>(source.size()));
  PyBuffer_Release(&to);
  with_gil_if_few(source.size(), [&] {
    if (upper) upper_bound_in(keys.values(), source.values(), out, on_host(threads));
    else lower_bound_in(keys.values(), source.values(), out, on_host(threads));
  });
  return answers;
}

}  // namespace

plain_array::plain_array(nb::handle from) {
  if (numpy::type_of(from.ptr()) != numpy::get().array) return;
  if (PyObject_GetBuffer(from.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return;
  }
  is_held_ = true;
  auto const type = type_of(view_);
  is_plain_ = type.has_value() && view_.ndim == 1;
  if (type) type_ = *type;
}

plain_array::~plain_array() {
  if (is_held_) PyBuffer_Release(&view_);
}

void bind_plain(nb::module_& m, nb::class_<shared_index>& index_class) {
  index_class.def("quick", quick, nb::arg("lookup"), nb::arg("probes").none(), nb::arg("most"));
  m.def("quick_bounds", quick_bounds, nb::arg("sorted"), nb::arg("probes"), nb::arg("upper"), nb::arg("most"),
        nb::arg("threads"));
}

}  // namespace warpdex::python
