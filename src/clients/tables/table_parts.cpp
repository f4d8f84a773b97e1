// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/tables/table_parts.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace warpdex {
namespace {

/// The format of keys, of a dictionary that of its words.
std::string_view format_of(std::vector<arrow_column> const& column) {
  ArrowSchema const& schema = column[0].type();
  return (schema.dictionary == nullptr ? schema : *schema.dictionary).format;
}

/// Two formats whose values are compared with each other have one kind.
std::string kind_of_keys(std::string_view format) {
  if (format.size() == 1 && std::string_view("cCsSiIlLfg").find(format[0]) != std::string_view::npos) return "number";
  if (format == "u" || format == "U" || format == "vu") return "text";
  if (format == "z" || format == "Z" || format == "vz" || format.starts_with("w:")) return "bytes";
  if (format.starts_with("ts") && format.size() > 3)
    return std::string(format.substr(0, 4)) + (format.size() > 4 ? "zone" : "");
  return std::string(format);
}

/// @throws unsupported for a column of which no rows are taken
void expect_gathered(table const& from, names const& which) {
  for (std::string const& name : which) {
    ArrowSchema const& schema = from.column(name)[0].type();
    if (!is_gathered(schema))
      throw unsupported("the column '" + name + "' has Arrow's format " + schema.format +
                        ", of which no rows are taken");
  }
}

}  // namespace

key_columns::key_columns(table const& lefts, names const& left_on, table const& rights, names const& right_on) {
  if (left_on.size() != right_on.size())
    throw invalid_argument("the left side has " + std::to_string(left_on.size()) + " key columns, the right one " +
                           std::to_string(right_on.size()));
  for (std::size_t c = 0; c < left_on.size(); ++c) {
    auto const &mine = lefts.column(left_on[c]), &others = rights.column(right_on[c]);
    if (kind_of_keys(format_of(mine)) != kind_of_keys(format_of(others)))
      throw type_error("left has '" + left_on[c] + "' of Arrow's format " + std::string(format_of(mine)) +
                       ", right has '" + right_on[c] + "' of " + std::string(format_of(others)) +
                       ", which are not compared");
    left.push_back(keys_of(mine));
    right.push_back(keys_of(others));
  }
}

names gathered_of(table const& from, names const& without) {
  names result;
  for (std::string const& name : from.names())
    if (std::find(without.begin(), without.end(), name) == without.end()) result.push_back(name);
  expect_gathered(from, result);
  return result;
}

void add_all(table& to, table const& from, std::string const& suffix) {
  names const taken = to.names();
  for (std::string const& name : from.names()) {
    bool const exists = std::find(taken.begin(), taken.end(), name) != taken.end();
    to.add(exists ? name + suffix : name, from.column(name));
  }
}

std::vector<arrow_column> whole_columns(table const& from, names const& which, execution const& host) {
  std::vector<arrow_chunks> columns;
  for (std::string const& name : which) {
    auto const& column = from.column(name);
    ArrowSchema schema = column[0].schema();
    arrow_chunks& chunks = columns.emplace_back();
    chunks.schema = arrow_owner<ArrowSchema>(schema);
    for (arrow_column const& chunk : column) {
      ArrowArray array = chunk.array();
      chunks.arrays.emplace_back(array);
    }
  }
  std::vector<arrow_column> result;
  for (auto& column : in_one_chunk(std::move(columns), host)) {
    if (!column)
      throw unsupported("the chunks of column '" + which[result.size()] +
                        "' have different dictionaries, or more bytes than its offsets count");
    result.push_back(std::move(*column));
  }
  return result;
}

table gather(table const& from, names const& which, row_column rows, execution const& exec) {
  expect_gathered(from, which);
  execution const host = execution().with_threads(exec.threads);
  auto const facts = facts_of(rows, from.rows(), exec.threads);
  if (!facts.all_exist)
    throw invalid_argument("gather: a row id is not below the " + std::to_string(from.rows()) + " rows");
  table result;
  if (facts.are_all) {
    for (std::string const& name : which) result.add(name, from.column(name));
    return result;
  }
  auto found = gather(whole_columns(from, which, host), rows, facts.any_missing, -1, host);
  for (std::size_t c = 0; c < which.size(); ++c) result.add(which[c], {std::move(found[c])});
  return result;
}

}  // namespace warpdex
