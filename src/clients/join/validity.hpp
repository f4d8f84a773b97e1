// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include "structures/structure.hpp"

namespace warpdex {

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
  key_list take(column const& from, char const* what) const;

 private:
  char const* call_;
  execution const& exec_;
  index_shape shape_;
  row_type type_;
  std::uint64_t size_ = 0;
  buffer rows_;
};

}  // namespace warpdex
