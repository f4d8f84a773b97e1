// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/chunked_keys.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "columns.hpp"

/// @file
/// Columns as Python holds them: the arrays of a caller, in parts that are put together only for builds.
namespace warpdex::python {

/// The values of a part: an array of 32 or 64 bits; or strings: (bytes, offsets), or (bytes, width, count). Those of
/// views are put one after the other when they are asked for first.
class part_column {
 public:
  part_column(nb::object column = nb::none()) : column_(std::move(column)) {}
  explicit part_column(std::shared_ptr<arrow_chunk const> views) : column_(nb::none()), views_(std::move(views)) {}

  nb::object const& get() const;

  /// @return the views of strings; null for other columns
  std::shared_ptr<arrow_chunk const> const& views() const { return views_; }

  bool are_strings() const { return views_ != nullptr || nb::isinstance<nb::tuple>(column_); }

 private:
  mutable nb::object column_;
  std::shared_ptr<arrow_chunk const> views_;
};

/// A stretch of a column, Python's `Part`.
struct column_part {
  part_column column;
  std::uint64_t size = 0;
  nb::object nulls =
      nb::none();  ///< which values are null: flags; on a device validity bits, and the first one's number
  nb::object misses = nb::none();  ///< which values equal no key, whatever the keys are
  nb::object codes = nb::none();   ///< of a dictionary: which of the column's values each value is
};

/// A column of a caller, Python's `Values`.
struct column_values {
  std::string family;
  nb::list parts;
  std::uint64_t size = 0;
  nb::object give = nb::none();   ///< makes (answers, nulls) what the caller gets; None leaves answers as they are
  bool nulls_are_known = false;   ///< whether answers of this kind can be null
  std::string name = "probes";    ///< of the argument
  nb::object place = nb::none();  ///< of a column on a device, which has one part: where a call on it runs
  nb::object holds = nb::none();  ///< what must live as long as the column
};

/// What callers say of a call besides its columns, Python's `Call`.
struct call_options {
  nb::object out = nb::none();
  nb::object stream = nb::none();
  int threads = 0;
  nb::object progress = nb::bool_(false);

  /// Prints the part that is done, or calls the caller's function, whose exceptions are marked as its own.
  void tell(double done) const;
};

/// @return flags of all parts of a column; None if no part has any
nb::object flags_of(nb::list const& parts, nb::object column_part::*which);

/// @return one part with the values of all, for builds, which take one array
nb::object gathered(nb::list const& parts);

/// @return where one of two has a flag; None where neither has any
nb::object either(nb::object const& left, nb::object const& right);

using warpdex::detail::closed_at;
using warpdex::detail::span_of;

/// @return a column without dictionaries, answered as arrays of NumPy
column_values plain_values(column_values const& from);

/// Adds columns to the module: how they are read if they need no conversion, put together, and answered.
void bind_values(nb::module_& m);

}  // namespace warpdex::python
