// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>

#include <nanobind/nanobind.h>

#include "shared_index.hpp"

/// @file
/// Arrays of NumPy that are taken as they are. For few probes what takes time is the way to the library, so they have
/// one without conversions, and without giving the GIL away.
namespace warpdex::python {

/// An array of one dimension, without strides. It is held as long as this object.
class plain_array {
 public:
  explicit plain_array(nanobind::handle from);
  ~plain_array();
  plain_array(plain_array const&) = delete;
  plain_array& operator=(plain_array const&) = delete;

  /// @return whether it is such an array of NumPy, of a type of keys
  explicit operator bool() const { return is_plain_; }
  void* data() const { return view_.buf; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(view_.shape[0]); }
  column values() const { return {view_.buf, size(), type_}; }
  key_type type() const { return type_; }

 private:
  Py_buffer view_{};
  bool is_held_ = false;
  bool is_plain_ = false;
  key_type type_ = key_type::u32;
};

/// Adds the way for few probes.
void bind_plain(nanobind::module_& m, nanobind::class_<shared_index>& index_class);

}  // namespace warpdex::python
