// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Keys that are made of several columns.
namespace warpdex::tables {

/// One field of a tuple, `NAME[:TYPE][:desc]`.
struct tuple_field {
  std::string column;            ///< its name in the table of keys
  std::optional<key_type> type;  ///< unset: the values decide
  bool descending = false;

  bool operator==(tuple_field const&) const = default;
};

/// Takes apart `NAME[:TYPE][:asc|:desc],...`; a name in quotes may hold commas.
/// @throws spec_error for no field, for a field without a name, and for more fields than `key_encoder` takes
std::vector<tuple_field> parse_tuple(std::string_view text);

/// The inverse of `parse_tuple`. @return for example `date:date,name:bytes:desc`
std::string to_text(std::span<tuple_field const> fields);

}  // namespace warpdex::tables
