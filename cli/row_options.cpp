// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "row_options.hpp"

#include "results.hpp"
#include "tables/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace warpdex::cli {
namespace {

/// @return whether two keys of a column are the same key of an index
bool same_key(column const& keys, std::uint64_t a, std::uint64_t b) {
  if (keys.type == key_type::bytes) return tables::string_at(keys, a) == tables::string_at(keys, b);
  auto const* const bytes = static_cast<std::byte const*>(keys.data);
  std::size_t const width = size_of(keys.type);
  auto const same = [&]<class Float>(Float) {
    Float x, y;
    std::memcpy(&x, bytes + a * width, width);
    std::memcpy(&y, bytes + b * width, width);
    return x == y || (x != x && y != y);
  };
  if (keys.type == key_type::f32) return same(0.0f);
  if (keys.type == key_type::f64) return same(0.0);
  return std::memcmp(bytes + a * width, bytes + b * width, width) == 0;
}

/// The cells of a column that have keys.
class keyed_cells {
 public:
  explicit keyed_cells(tables::key_column const& keys) : keys_(keys), next_left_out_(keys.left_out().begin()) {}

  /// @return the next such cell
  std::uint64_t take() {
    for (; next_left_out_ != keys_.left_out().end() && *next_left_out_ == next_; ++next_left_out_) ++next_;
    return next_++;
  }

  /// @return whether two cells have the same key. Cost: a search among the cells without one
  bool same_key(std::uint64_t a, std::uint64_t b) const {
    auto const x = key_of(a), y = key_of(b);
    return x && y && cli::same_key(keys_.keys(), *x, *y);
  }

 private:
  std::optional<std::uint64_t> key_of(std::uint64_t cell) const {
    auto const left_out = keys_.left_out();
    auto const at = std::lower_bound(left_out.begin(), left_out.end(), cell);
    if (cell >= keys_.size() || (at != left_out.end() && *at == cell)) return {};
    return cell - static_cast<std::uint64_t>(at - left_out.begin());
  }

  tables::key_column const& keys_;
  std::uint64_t next_ = 0;
  std::span<std::uint64_t const>::iterator next_left_out_;
};

/// Every key must be found in its own row, or in an earlier one that has the same key.
void expect_keys_of(any_index const& x, tables::key_column const& keys, std::string const& source,
                    execution const& exec) {
  auto const fail = [&](std::string const& why) {
    throw format_error(fmt::format("--source {} is not the table that the index was built over: {}", source, why));
  };
  if (keys.keys().size != x.size())
    fail(fmt::format("it has {}, the index {}", tables::counted(keys.keys().size, "key"), x.size()));
  keyed_cells cells(keys);
  row_array rows(std::min(probes_per_call, keys.size()), x.row_type());
  for_each_call(keys.size(), [&](std::uint64_t first, std::uint64_t count) {
    column const some = keys.keys(first, count);
    x.find(some, rows.output(some.size), exec);
    for (std::uint64_t i = 0; i < some.size; ++i) {
      std::uint64_t const cell = cells.take();
      std::uint64_t const row = rows[i];
      if (row == cell || (row < cell && cells.same_key(row, cell))) continue;
      fail(fmt::format("the key of its row {} {}. An index of --rows has numbers that are no rows of a table", cell,
                       rows.missing(i) ? "is not there" : fmt::format("has row {} there", row)));
    }
  });
}

}  // namespace

void add_source_option(CLI::App& command, row_options& options) {
  command
      .add_option("--source", options.source,
                  "The table that an index file was built over, with its key column, which is compared with the index")
      ->type_name("FILE[:COLUMN]");
}

void add_row_options(CLI::App& command, row_options& options) {
  command
      .add_option("--columns", options.columns,
                  "Write these cells of each row instead of its number: columns of the table of --keys or --source")
      ->type_name("all|NAME,...");
  add_source_option(command, options);
}

void expect_source(index_options const& index, row_options const& rows, bool wants_table) {
  if (!rows.source.empty() && !wants_table)
    throw usage_error("--source " + rows.source + " is of use with columns of the table alone, such as --columns");
  if (!names_file(index)) {
    if (!rows.source.empty())
      throw usage_error("--source goes with an index file; the rows of --index " + index.index +
                        " are those of --keys");
  } else if (wants_table && rows.source.empty()) {
    throw usage_error(named_file(index) +
                      ", which holds no columns but the keys; --source FILE:COLUMN is the table that it was "
                      "built over");
  }
}

void expect_table_columns(index_options const& index, row_options const& rows, std::vector<std::string> names) {
  std::string const& table = rows.source.empty() ? index.keys : rows.source;
  if (table.empty()) return;  // refused elsewhere
  if (!rows.columns.empty() && rows.columns != "all")
    for (std::string& name : tables::split_names(rows.columns)) names.push_back(std::move(name));
  expect_columns(index, table, names);
  if (!rows.source.empty()) expect_input(index, rows.source);
}

tables::table open_source(cli_context const& context, index_options const& index, row_options const& rows,
                          opened_index& opened) {
  std::string const& name = rows.source.empty() ? index.keys : rows.source;
  auto file = opened.table;
  if (!rows.source.empty()) {
    progress const shown(context, "reading " + name);
    tables::key_column keys(name, {.type = opened.index->key_type(),
                                   .keep_rows = true,
                                   .header = index.header,
                                   .skip_nulls = true,
                                   .delimiter = delimiter_of(index),
                                   .threads = index.threads,
                                   .fields = opened.fields,
                                   .keys_as = opened.keys_as});
    expect_keys_of(*opened.index, keys, name, opened.exec);
    file = keys.file();
    opened.row_places = keys.take_row_places();
  }
  char const delimiter = expect_table(index, name, *file);
  return {file, delimiter, index.header.value_or(true), index.threads, std::move(opened.row_places)};
}

tables::row_cells make_row_cells(row_options const& rows, tables::table source, tables::output& out) {
  if (rows.columns.empty()) return tables::row_cells(out);
  if (rows.columns != "all") source.select(tables::split_names(rows.columns));
  return {out, std::move(source)};
}

tables::row_cells make_row_cells(cli_context const& context, index_options const& index, row_options const& rows,
                                 opened_index& opened, tables::output& out) {
  if (rows.columns.empty()) return tables::row_cells(out);
  return make_row_cells(rows, open_source(context, index, rows, opened), out);
}

}  // namespace warpdex::cli
