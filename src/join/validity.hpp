// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include "calls/staging.hpp"
#include "join/join_steps.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// The validity bits of a column, within reach of a backend.
class staged_validity {
 public:
  /// @param what names the bits in messages
  staged_validity(char const* call, char const* what, nullable_column const& c, index_shape const& shape,
                  execution const& exec)
      : stage_(call, shape.backend, shape.device, exec), bits_(stage_.validity(c, what)),
        is_copy_(bits_.bits != nullptr && bits_.bits != c.validity + c.offset / 8) {}

  validity_bits const& bits() const { return bits_; }

  /// @return whether the bits are copied to a device, perhaps still
  bool is_copy() const { return is_copy_; }

 private:
  staging stage_;
  validity_bits bits_;
  bool is_copy_;
};

/// The rows of which one or two columns have a value.
class valid_rows {
 public:
  /// @param second as long as `first`, or empty
  /// @param s the spec of an index over these rows, which may name their type
  valid_rows(char const* call, nullable_column const& first, nullable_column const& second, spec const& s,
             execution const& exec);

  std::uint64_t size() const { return size_; }
  row_column rows() const { return {rows_.data(), size_, type_}; }

  /// @return the values of a column in these rows
  key_list take(column from, char const* what) const;

 private:
  char const* call_;
  execution const& exec_;
  index_shape shape_;
  row_type type_;
  std::uint64_t size_ = 0;
  buffer rows_;
};

}  // namespace warpdex
