// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tuple.hpp"

#include "delimited.hpp"
#include "escape.hpp"
#include "table.hpp"

#include <warpdex/error.hpp>
#include <warpdex/key_encoder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warpdex::tables {
namespace {

std::optional<key_type> type_named(std::string_view word) {
  auto const found =
      std::find_if(std::begin(key_types), std::end(key_types), [&](key_type type) { return to_string(type) == word; });
  if (found == std::end(key_types)) return {};
  return *found;
}

tuple_field parse_field(std::string_view text) {
  tuple_field out;
  auto const take_word = [&](auto const& is_known) {
    std::size_t const colon = text.rfind(':');
    if (colon == std::string_view::npos || !is_known(text.substr(colon + 1))) return;
    text = text.substr(0, colon);
  };
  take_word([&](std::string_view word) {
    out.descending = word == "desc";
    return out.descending || word == "asc";
  });
  take_word([&](std::string_view word) { return (out.type = type_named(word)).has_value(); });
  out.column = text;
  return out;
}

}  // namespace

std::vector<tuple_field> parse_tuple(std::string_view text) {
  std::vector<tuple_field> out;
  for (std::string const& name : split_names(text)) {
    out.push_back(parse_field(name));
    if (out.back().column.empty())
      throw spec_error(fmt::format("{}: a field NAME[:TYPE][:desc] without a name", in_quotes(text)));
  }
  if (out.size() > key_encoder::most_fields)
    throw spec_error(fmt::format("{} fields; a key has at most {}", out.size(), key_encoder::most_fields));
  return out;
}

std::string to_text(std::span<tuple_field const> fields) {
  std::string out;
  for (tuple_field const& field : fields) {
    if (!out.empty()) out += ',';
    out += csv_field(field.column);
    if (field.type) out += ':' + std::string(to_string(*field.type));
    if (field.descending) out += ":desc";
  }
  return out;
}

}  // namespace warpdex::tables
