// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "shared_index.hpp"
#include "values.hpp"

/// @file
/// Columns of probes as Python reads them, and calls that go through them piece by piece. Short parts of numbers are
/// put together for a piece, since searches of many probes share what they read; longer ones, strings and dictionaries
/// never are. Between two pieces signals are handled and progress is told.
namespace warpdex::python {

/// Adjacent values of a column, in one array.
struct piece {
  std::uint64_t size = 0;
  nullable_column values = {};  ///< of a dictionary its words, all of them
  any_array codes = {};         ///< of a dictionary: which word each value is; else without data
  std::uint8_t const* validity = nullptr;
  std::uint64_t offset = 0;
  std::shared_ptr<void const> held = nullptr;  ///< what was made for it

  bool has_codes() const { return codes.data != nullptr; }
  bool is_absent(std::uint64_t i) const {
    std::uint64_t const bit = offset + i;
    return validity != nullptr && (validity[bit / 8] >> (bit % 8) & 1) == 0;
  }
  /// @return the values [begin, begin + length)
  piece cut(std::uint64_t begin, std::uint64_t length) const;
};

/// A part of a column, seen in C++, of which the arrays live as long as that. Nulls and misses are values that no key
/// equals, so both are not valid.
class part {
 public:
  /// @param of the index whose probes they are; null if they are compared as they are
  part(column_part const& from, shared_index const* of);
  part(nb::handle from, shared_index const* of) : part(nb::cast<column_part const&>(from), of) {}
  part(part&&) = default;

  std::uint64_t size() const { return whole_.size; }
  piece const& whole() const { return whole_; }

 private:
  piece whole_;
};

/// @return values of a piece on the host, for one of `most`: more for a large index, which is searched in windows,
/// whose probes share cache lines the more they are; but not if progress is told
inline std::uint64_t values_on_host(std::uint64_t entries, std::uint64_t most, nanobind::object const& on_progress) {
  return on_progress.is_none() ? std::clamp(entries / 4, most, 4 * most) : most;
}

/// Columns with the same places.
class probe_columns {
 public:
  /// @param columns Python's `Values`
  probe_columns(nb::tuple const& columns, shared_index const* of);

  std::uint64_t size() const { return size_; }

  /// Calls `f(pieces, at)` with a piece per column, and the place of its first value. An empty column is one piece.
  /// @param most values of a piece @param on_progress called with the part that is done, or None
  template <class F> void each(std::uint64_t most, nb::object const& on_progress, F const& f) const {
    std::vector<place> places(columns_.size());
    std::vector<piece> pieces(columns_.size());
    std::uint64_t done = 0;
    do {
      std::uint64_t const length = next(places, pieces, std::min(size_ - done, most));
      f(pieces, done);
      done += length;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!on_progress.is_none() && size_ != 0) on_progress(static_cast<double>(done) / static_cast<double>(size_));
    } while (done < size_);
  }

 private:
  struct place {
    std::size_t part = 0;
    std::uint64_t at = 0;  // within the part
  };

  using parts = std::vector<part>;

  std::uint64_t next(std::vector<place>& places, std::vector<piece>& pieces, std::uint64_t most) const;
  static piece taken(parts const& from, place& at, std::uint64_t size);

  std::vector<parts> columns_;
  std::uint64_t size_ = 0;
};

/// @return flags, one byte each; null for None
std::uint8_t const* flags_in(nb::handle from, std::uint64_t size);

/// @return integers of an array as codes
inline code_column codes_in(any_array const& of) {
  return {of.data, of.type.bits, of.type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)};
}

/// Calls `f` with the integers of an array, in their type.
template <class F> void with_integers(any_array const& of, F const& f) { warpdex::detail::with_codes(codes_in(of), f); }

/// Writes the answer to each value of a piece with codes.
/// @param words the answers to the words, numbers of the output's width @param none a byte of the answer to no word
void spread(piece const& of, void const* words, lookup_output const& to, unsigned char none);

/// @return `length` elements of an output, from `at` on
inline lookup_output cut(lookup_output to, std::uint64_t at, std::uint64_t length) {
  to.data = static_cast<char*>(to.data) + at * to.width;
  to.size = length;
  return to;
}

}  // namespace warpdex::python
