// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/lookups.hpp>
#include <warpdex/types.hpp>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpdex::python {

/// What is used of NumPy, for as long as the process lives.
struct numpy {
  PyObject* module;
  PyObject* array;  ///< the type
  PyObject* empty;
  PyObject *flag, *i4, *i8, *u4, *u8, *place;  ///< types
  std::array<PyObject*, 10> integers;          ///< types of scalars
  std::array<PyObject*, 3> floats;             ///< the same

  static numpy const& get() {
    static numpy const found = [] {
      auto const from = nanobind::module_::import_("numpy");
      auto const kept = [&](char const* name) { return nanobind::object(from.attr(name)).release().ptr(); };
      auto const type = [&](char const* name) { return nanobind::object(from.attr("dtype")(name)).release().ptr(); };
      return numpy{nanobind::object(from).release().ptr(),
                   kept("ndarray"),
                   kept("empty"),
                   type("?"),
                   type("i4"),
                   type("i8"),
                   type("u4"),
                   type("u8"),
                   type("p"),
                   {kept("int64"), kept("int32"), kept("uint64"), kept("uint32"), kept("int16"), kept("uint16"),
                    kept("int8"), kept("uint8"), kept("longlong"), kept("ulonglong")},
                   {kept("float64"), kept("float32"), kept("float16")}};
    }();
    return found;
  }

  /// @return whether an object is a scalar of an integer type, or of one of floats that a double holds
  /// @{
  bool is_integer(PyObject* from) const { return std::ranges::find(integers, type_of(from)) != integers.end(); }
  bool is_float(PyObject* from) const { return std::ranges::find(floats, type_of(from)) != floats.end(); }
  /// @}

  /// @return an array whose values are not set
  nanobind::object empty_array(std::uint64_t size, PyObject* type) const {
    PyObject* const length = PyLong_FromUnsignedLongLong(size);
    PyObject* const arguments[] = {length, type};
    PyObject* const found = PyObject_Vectorcall(empty, arguments, 2, nullptr);
    Py_XDECREF(length);
    if (found == nullptr) throw nanobind::python_error();
    return nanobind::steal(found);
  }

  /// @return the type of a kind of answers
  PyObject* type_of(answer_kind kind, row_type rows) const {
    switch (kind) {
      case answer_kind::flag: return flag;
      case answer_kind::row: return rows == row_type::u32 ? i4 : i8;
      case answer_kind::position:
      case answer_kind::length: return u4;
      case answer_kind::sum: return u8;
      default: return i8;
    }
  }

  static PyObject* type_of(PyObject* from) { return reinterpret_cast<PyObject*>(Py_TYPE(from)); }

  /// @return a function of the module
  nanobind::object function(char const* name) const { return nanobind::borrow(module).attr(name); }
};

}  // namespace warpdex::python
