// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/current_device.hpp>
#include <warpdex/join.hpp>
#include <warpdex/memory.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <warpdex/device.hpp>
#include <warpdex/error.hpp>

#include <warpdex/arrow_chunk.hpp>
#include "device_array.hpp"

/// @file
/// Arrays of NumPy and on devices as columns, and answers as such arrays. Nothing is copied; the caller holds the
/// arrays.
namespace warpdex::python {

namespace nb = nanobind;

using input = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using output = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// An array of NumPy, or on a device.
struct any_array {
  void* data;
  std::uint64_t size;
  nb::dlpack::dtype type;

  std::size_t itemsize() const { return type.bits / 8u; }
};

inline bool on_device(nb::handle array) { return nb::isinstance<device_array>(array); }

inline any_array view_of(device_array const& from) { return {from.data, from.size, from.type}; }

/// @return an array as it is, without a conversion whose result nobody would hold
inline any_array array_in(nb::handle from) {
  if (on_device(from)) return view_of(nb::cast<device_array const&>(from));
  input array;
  if (!nb::try_cast(from, array, false)) throw type_error("a column is a contiguous array of one dimension");
  return {const_cast<void*>(array.data()), array.shape(0), array.dtype()};
}

/// @return an array that a call writes
inline any_array array_out(nb::handle from) {
  if (on_device(from)) return view_of(nb::cast<device_array const&>(from));
  output array;
  if (!nb::try_cast(from, array, false)) throw type_error("answers are a contiguous array of one dimension");
  return {array.data(), array.shape(0), array.dtype()};
}

inline key_type type_of(nb::dlpack::dtype type) {
  if (type == nb::dtype<std::uint32_t>()) return key_type::u32;
  if (type == nb::dtype<std::uint64_t>()) return key_type::u64;
  if (type == nb::dtype<std::int32_t>()) return key_type::i32;
  if (type == nb::dtype<std::int64_t>()) return key_type::i64;
  if (type == nb::dtype<float>()) return key_type::f32;
  if (type == nb::dtype<double>()) return key_type::f64;
  throw type_error("a column holds integers or floats of 32 or 64 bits");
}

/// Numbers of 16 bytes: rows of their lower and their upper half.
using halves = nb::ndarray<nb::ro, std::uint64_t const, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

/// @param keys an array of numbers, one of halves, a pair (bytes, offsets) of strings, or a triple (bytes, width,
/// count) of strings of one width
inline column column_of(nb::handle keys) {
  if (!nb::isinstance<nb::tuple>(keys)) {
    if (halves wide; !on_device(keys) && nb::try_cast(keys, wide, false))
      return {wide.data(), wide.shape(0), key_type::u128};
    auto const numbers = array_in(keys);
    return {numbers.data, numbers.size, type_of(numbers.type)};
  }
  auto const parts = nb::cast<nb::tuple>(keys);
  if (parts.size() != 2 && parts.size() != 3) throw type_error("strings are a pair or a triple");
  auto const bytes = array_in(parts[0]);
  std::span const all(static_cast<std::byte const*>(bytes.data), bytes.size);
  if (parts.size() == 3)
    return column::fixed_bytes(all, nb::cast<std::uint32_t>(parts[1]), nb::cast<std::uint64_t>(parts[2]));
  auto const offsets = array_in(parts[1]);
  if (offsets.itemsize() == 4) return {all, std::span(static_cast<std::uint32_t const*>(offsets.data), offsets.size)};
  if (offsets.itemsize() == 8) return {all, std::span(static_cast<std::uint64_t const*>(offsets.data), offsets.size)};
  throw type_error("strings are a pair of bytes, and offsets of 32 or 64 bits");
}

/// @param valid bits, a pair of them and the number of the first value's bit, or None
inline nullable_column column_of(nb::handle keys, nb::handle valid) {
  column const values = column_of(keys);
  if (valid.is_none()) return values;
  bool const shifted = nb::isinstance<nb::tuple>(valid);
  auto const bits = array_in(shifted ? valid[0] : valid);
  auto const first = shifted ? nb::cast<std::uint64_t>(valid[1]) : 0;
  if (bits.itemsize() != 1 || bits.size < (first + values.size + 7) / 8)
    throw invalid_argument("the validity bits are fewer than the values");
  return {values, static_cast<std::uint8_t const*>(bits.data), first};
}

inline row_type row_type_of(std::size_t bytes) {
  if (bytes == 4) return row_type::u32;
  if (bytes == 8) return row_type::u64;
  throw type_error("row ids have 32 or 64 bits");
}

/// @param name a path as the system has it, in no encoding
inline std::filesystem::path path_of(nb::bytes const& name) { return std::string(name.c_str(), name.size()); }

inline row_column rows_in(nb::handle from) {
  auto const rows = array_in(from);
  return {rows.data, rows.size, row_type_of(rows.itemsize())};
}

inline row_output rows_out(nb::handle to) {
  auto const rows = array_out(to);
  return {rows.data, rows.size, row_type_of(rows.itemsize())};
}

template <class T> std::span<T> span_out(nb::handle to) {
  auto const out = array_out(to);
  if (out.itemsize() != sizeof(T)) throw type_error("the array of answers has another type");
  return {static_cast<T*>(out.data), out.size};
}

inline execution on_host(int threads) { return execution(host_memory(), {}, threads); }

/// @param device a device, or -1 for the host
/// @param where the stream of the device, which must be the current one, or the most threads of the host
inline execution on(int device, std::int64_t where) {
  return device < 0 ? on_host(static_cast<int>(where)) : execution(device_memory(), stream_of(where));
}

/// Calls `f` with the execution of a call without an index: on a device, which becomes the current one, or on the host.
template <class F> auto at_place(int device, std::int64_t where, F const& f) {
  std::optional<device_scope> here;
  if (device >= 0) here.emplace(device);
  return f(on(device, where));
}

/// @return a NumPy array that owns a buffer
template <class T> nb::object array_of(buffer from, std::uint64_t size) {
  auto held = std::make_unique<buffer>(std::move(from));
  static T nothing{};
  T* const data = size == 0 ? &nothing : held->as<T>();
  nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<buffer*>(p); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {static_cast<std::size_t>(size)}, owner));
}

/// The memory of a call's results, and the place to which they go.
struct results {
  int device = -1;         ///< of the results; -1 for the host
  bool to_device = false;  ///< whether they go to arrays on that device, or to NumPy's
  std::int64_t where = 0;

  /// Copies results on a device to the host, if that is where they go. The device must be the current one.
  void fetch(buffer& from) const {
    if (device < 0 || to_device) return;
    buffer result(from.bytes(), on_host(0));
    if (from.bytes() != 0) copy(result.data(), from.data(), from.bytes(), on(device, where));
    from = std::move(result);
  }
  void fetch(matches& from) const {
    fetch(from.offsets);
    fetch(from.rows);
  }
  void fetch(joined& from) const {
    if (from.on_host) return;
    fetch(from.left);
    fetch(from.right);
  }

  /// @return an array that owns a buffer
  template <class T> nb::object array(buffer from, std::uint64_t size) const {
    if (device < 0 || !to_device) return array_of<T>(std::move(from), size);
    from.outlive_stream();  // the call is complete
    auto held = std::make_shared<buffer>(std::move(from));
    void* const data = held->data();
    return nb::cast(device_array{data, size, nb::dtype<T>(), device, where, std::move(held)});
  }

  /// @return row ids as signed numbers, in which no row is -1
  nb::object rows(buffer from, std::uint64_t size, row_type type) const {
    return type == row_type::u32 ? array<std::int32_t>(std::move(from), size)
                                 : array<std::int64_t>(std::move(from), size);
  }
};

/// @param device of the index, or -1 @param out a column, or a pair (bytes, offsets)
/// @return where the results of a call go: to the device if what is asked is there
inline results results_of(int device, nb::handle out, std::int64_t where) {
  bool const strings = nb::isinstance<nb::tuple>(out);
  return {device, on_device(strings ? nb::object(out[nb::int_(0)]) : nb::borrow<nb::object>(out)), where};
}

/// @return the value whose name it is
template <class T>
T named(char const* what, std::string const& name, std::initializer_list<std::pair<char const*, T>> all) {
  for (auto const& [known, value] : all)
    if (name == known) return value;
  std::string known;
  for (auto const& item : all) known += (known.empty() ? "'" : ", '") + std::string(item.first) + "'";
  throw invalid_argument(std::string(what) + " is '" + name + "'; it must be one of " + known);
}

}  // namespace warpdex::python
