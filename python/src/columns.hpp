// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <warpdex/error.hpp>

/// @file
/// NumPy arrays as columns, and answers as NumPy arrays. Nothing is copied; the caller holds the arrays.
namespace warpdex::python {

namespace nb = nanobind;

using input = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using output = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// @return an array as it is, without a conversion whose result nobody would hold
inline input array_in(nb::handle from) { return nb::cast<input>(from, false); }

inline key_type type_of(nb::dlpack::dtype type) {
  if (type == nb::dtype<std::uint32_t>()) return key_type::u32;
  if (type == nb::dtype<std::uint64_t>()) return key_type::u64;
  if (type == nb::dtype<std::int32_t>()) return key_type::i32;
  if (type == nb::dtype<std::int64_t>()) return key_type::i64;
  if (type == nb::dtype<float>()) return key_type::f32;
  if (type == nb::dtype<double>()) return key_type::f64;
  throw nb::type_error("a column holds integers or floats of 32 or 64 bits");
}

/// @param keys an array of numbers, a pair (bytes, offsets) of strings, or a triple (bytes, width, count) of strings of
/// one width
inline column column_of(nb::handle keys) {
  if (!nb::isinstance<nb::tuple>(keys)) {
    auto const numbers = array_in(keys);
    return {numbers.data(), numbers.shape(0), type_of(numbers.dtype())};
  }
  auto const parts = nb::cast<nb::tuple>(keys);
  auto const bytes = array_in(parts[0]);
  std::span const all(static_cast<std::byte const*>(bytes.data()), bytes.shape(0));
  if (parts.size() == 3)
    return column::fixed_bytes(all, nb::cast<std::uint32_t>(parts[1]), nb::cast<std::uint64_t>(parts[2]));
  auto const offsets = array_in(parts[1]);
  if (offsets.itemsize() == 4)
    return {all, std::span(static_cast<std::uint32_t const*>(offsets.data()), offsets.shape(0))};
  if (offsets.itemsize() == 8)
    return {all, std::span(static_cast<std::uint64_t const*>(offsets.data()), offsets.shape(0))};
  throw nb::type_error("strings are a pair of bytes, and offsets of 32 or 64 bits");
}

/// @param valid bits, or None
inline nullable_column column_of(nb::handle keys, nb::handle valid) {
  column const values = column_of(keys);
  if (valid.is_none()) return values;
  return {values, static_cast<std::uint8_t const*>(array_in(valid).data())};
}

inline row_type row_type_of(std::size_t bytes) {
  if (bytes == 4) return row_type::u32;
  if (bytes == 8) return row_type::u64;
  throw nb::type_error("row ids have 32 or 64 bits");
}

inline row_column rows_of(input const& rows) { return {rows.data(), rows.shape(0), row_type_of(rows.itemsize())}; }
inline row_output rows_of(output const& rows) { return {rows.data(), rows.shape(0), row_type_of(rows.itemsize())}; }

template <class T> std::span<T> span_of(output const& out) {
  if (out.itemsize() != sizeof(T)) throw nb::type_error("the array of answers has another type");
  return {static_cast<T*>(out.data()), out.shape(0)};
}

inline execution on_host(int threads) { return execution(host_memory(), {}, threads); }

/// @return a NumPy array that owns a buffer
template <class T> nb::object array_of(buffer from, std::uint64_t size) {
  auto held = std::make_unique<buffer>(std::move(from));
  static T nothing{};
  T* const data = size == 0 ? &nothing : held->as<T>();
  nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<buffer*>(p); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {static_cast<std::size_t>(size)}, owner));
}

/// @return row ids as signed numbers, in which no row is -1
inline nb::object rows_of(buffer from, std::uint64_t size, row_type type) {
  return type == row_type::u32 ? array_of<std::int32_t>(std::move(from), size)
                               : array_of<std::int64_t>(std::move(from), size);
}

/// @return the value whose name it is
template <class T>
T named(char const* what, std::string const& name, std::initializer_list<std::pair<char const*, T>> all) {
  for (auto const& [known, value] : all)
    if (name == known) return value;
  std::string known;
  for (auto const& one : all) known += (known.empty() ? "'" : ", '") + std::string(one.first) + "'";
  throw invalid_argument(std::string(what) + " is '" + name + "'; it must be one of " + known);
}

}  // namespace warpdex::python
