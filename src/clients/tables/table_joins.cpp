// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/table.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/tables/chunks.hpp"

namespace warpdex {
namespace {

using names = std::vector<std::string>;

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

/// Key columns of both sides that are compared in pairs.
struct key_columns {
  std::vector<chunked_keys> left, right;

  key_columns(table const& one, names const& left_on, table const& two, names const& right_on) {
    if (left_on.size() != right_on.size())
      throw invalid_argument("the left side has " + std::to_string(left_on.size()) + " key columns, the right one " +
                             std::to_string(right_on.size()));
    for (std::size_t c = 0; c < left_on.size(); ++c) add(one, left_on[c], two, right_on[c]);
  }

  void add(table const& one, std::string const& mine, table const& two, std::string const& other) {
    auto const &lefts = one.column(mine), &rights = two.column(other);
    if (kind_of_keys(format_of(lefts)) != kind_of_keys(format_of(rights)))
      throw type_error("left has '" + mine + "' of Arrow's format " + std::string(format_of(lefts)) + ", right has '" +
                       other + "' of " + std::string(format_of(rights)) + ", which are not compared");
    left.push_back(keys_of(lefts));
    right.push_back(keys_of(rights));
  }
};

/// @throws unsupported for a column of which no rows are taken
void expect_gathered(table const& from, names const& which) {
  for (std::string const& name : which) {
    ArrowSchema const& schema = from.column(name)[0].type();
    if (!is_gathered(schema))
      throw unsupported("the column '" + name + "' has Arrow's format " + schema.format +
                        ", of which no rows are taken");
  }
}

/// @return the names of columns that are gathered, which are checked before any work
names gathered_of(table const& from, names const& without = {}) {
  names made;
  for (std::string const& name : from.names())
    if (std::find(without.begin(), without.end(), name) == without.end()) made.push_back(name);
  expect_gathered(from, made);
  return made;
}

/// Adds columns whose names get a suffix where they exist already.
void add_all(table& to, table const& from, std::string const& suffix) {
  names const taken = to.names();
  for (std::string const& name : from.names()) {
    bool const exists = std::find(taken.begin(), taken.end(), name) != taken.end();
    to.add(exists ? name + suffix : name, from.column(name));
  }
}

/// The left key, or the right one where there is no left row.
std::vector<arrow_column> merged_key(std::vector<arrow_column> left, std::vector<arrow_column> const& right,
                                     std::string const& name, joined const& pairs, execution const& exec) {
  if (std::string_view(left[0].type().format) != right[0].type().format || left[0].type().dictionary != nullptr)
    throw unsupported("the key '" + name + "' has another format on either side; give coalesce = false, or cast it");
  std::uint64_t size = 0;
  for (arrow_column const& one : left) size += static_cast<std::uint64_t>(one.values().length);
  left.insert(left.end(), right.begin(), right.end());
  auto const rows = chunks::room<std::uint64_t>(pairs.size);
  chunks::with_rows(pairs.left.data(), pairs.left_type, [&]<class Left>(Left const* lefts) {
    chunks::with_rows(pairs.right.data(), pairs.right_type, [&](auto const* rights) {
      parallel_chunks(exec.threads, pairs.size, chunks::grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i)
          rows.get()[i] = lefts[i] == no_row<Left> ? size + rights[i] : lefts[i];
      });
    });
  });
  table both;
  both.add(name, std::move(left));
  return gather(both, {name}, {rows.get(), pairs.size, row_type::u64}, exec).column(name);
}

/// @return how key columns are joined; of `right` the sides are exchanged
join_kind kind_of(join_how how) {
  switch (how) {
    case join_how::inner: return join_kind::inner;
    case join_how::full: return join_kind::full;
    case join_how::semi: return join_kind::semi;
    case join_how::anti: return join_kind::anti;
    default: return join_kind::left;
  }
}

joined swapped(joined from) {
  std::swap(from.left, from.right);
  std::swap(from.left_type, from.right_type);
  return from;
}

}  // namespace

table gather(table const& from, names const& which, row_column rows, execution const& exec) {
  expect_gathered(from, which);
  execution const host = execution().with_threads(exec.threads);
  auto const facts = facts_of(rows, from.rows(), exec.threads);
  if (!facts.all_exist)
    throw invalid_argument("gather: a row id is not below the " + std::to_string(from.rows()) + " rows");
  table made;
  std::vector<arrow_chunks> columns;
  for (std::string const& name : which) {
    auto const& column = from.column(name);
    if (facts.are_all) {
      made.add(name, column);
      continue;
    }
    ArrowSchema schema = column[0].schema();
    arrow_chunks& one = columns.emplace_back();
    one.schema = arrow_owner<ArrowSchema>(schema);
    for (arrow_column const& chunk : column) {
      ArrowArray array = chunk.array();
      one.arrays.emplace_back(array);
    }
  }
  if (facts.are_all) return made;
  std::vector<arrow_column> whole;
  for (auto& one : in_one_chunk(std::move(columns), host)) {
    if (!one)
      throw unsupported("the chunks of column '" + which[whole.size()] +
                        "' have different dictionaries, or more bytes than its offsets count");
    whole.push_back(std::move(*one));
  }
  auto found = gather(whole, rows, facts.any_missing, -1, host);
  for (std::size_t c = 0; c < which.size(); ++c) made.add(which[c], {std::move(found[c])});
  return made;
}

table join_tables(table const& left, table const& right, table_join const& by, execution const& exec) {
  names const& right_on = by.right_on.empty() ? by.left_on : by.right_on;
  bool const is_right = by.how == join_how::right,
             needs_left_alone = by.how == join_how::semi || by.how == join_how::anti;
  key_columns const keys(left, by.left_on, right, right_on);
  names const of_left = gathered_of(left, is_right && by.coalesce ? by.left_on : names());
  names const of_right = needs_left_alone ? names() : gathered_of(right, !is_right && by.coalesce ? right_on : names());
  joined const pairs = is_right ? swapped(join(keys.right, keys.left, kind_of(by.how), by.nulls_equal, exec))
                                : join(keys.left, keys.right, kind_of(by.how), by.nulls_equal, exec);
  table made = gather(left, of_left, pairs.left_rows(), exec);
  if (needs_left_alone) return made;
  if (by.how == join_how::full && by.coalesce) {
    table merged;
    for (std::string const& name : of_left) {
      auto const at = std::find(by.left_on.begin(), by.left_on.end(), name);
      if (at == by.left_on.end()) merged.add(name, made.column(name));
      else {
        auto const& other = right_on[static_cast<std::size_t>(at - by.left_on.begin())];
        merged.add(name, merged_key(left.column(name), right.column(other), name, pairs, exec));
      }
    }
    made = std::move(merged);
  }
  add_all(made, gather(right, of_right, pairs.right_rows(), exec), by.suffix);
  return made;
}

table join_asof_tables(table const& left, table const& right, table_asof const& by, execution const& exec) {
  std::string const& right_on = by.right_on.empty() ? by.left_on : by.right_on;
  names const& right_by = by.right_by.empty() ? by.left_by : by.right_by;
  key_columns const groups(left, by.left_by, right, right_by), keys(left, {by.left_on}, right, {right_on});
  if (by.left_by.empty() && !by.right_by.empty()) throw invalid_argument("right_by is given without left_by");
  if (!by.options.offsets.empty()) throw unsupported("as-of joins of tables have no offsets");
  names dropped = right_by;
  if (by.coalesce && right_on == by.left_on) dropped.push_back(right_on);
  names const of_right = gathered_of(right, dropped);
  row_list const rows = join_asof(groups.left, keys.left[0], groups.right, keys.right[0], false, by.options, exec);
  table made = left;
  add_all(made, gather(right, of_right, rows, exec), by.suffix);
  return made;
}

table join_between_tables(table const& left, table const& right, table_between const& by, execution const& exec) {
  names const& right_by = by.right_by.empty() ? by.left_by : by.right_by;
  key_columns const groups(left, by.left_by, right, right_by);
  key_columns const ends(left, {by.lower, by.upper}, right, {by.right_on, by.right_on});
  bool const needs_left_alone = by.how == join_kind::semi || by.how == join_kind::anti;
  if (by.how == join_kind::full) throw unsupported("joins of tables on ranges are inner, left, semi or anti");
  names const of_left = gathered_of(left), of_right = needs_left_alone ? names() : gathered_of(right);
  auto lower = chunks::whole(ends.left[0], exec.threads), upper = chunks::whole(ends.left[1], exec.threads);
  auto keys = chunks::whole(ends.right[0], exec.threads);
  key_ranges const ranges{chunks::valid_keys(lower, exec.threads), chunks::valid_keys(upper, exec.threads), by.closed};
  nullable_column const values = chunks::valid_keys(keys, exec.threads);
  joined pairs = [&] {
    if (groups.left.empty()) return join_between(build_valid("AO+BS", values, exec), ranges, by.how, exec);
    auto [mine, others] = encode_groups(groups.left, groups.right, false, exec);
    auto const over = grouped_index::build("AO+BS", chunks::valid_keys(others, exec.threads), values, exec);
    return join_between(over, chunks::valid_keys(mine, exec.threads), ranges, by.how, exec);
  }();
  pairs = chunks::on_host(std::move(pairs), exec);
  table made = gather(left, of_left, pairs.left_rows(), exec);
  if (!needs_left_alone) add_all(made, gather(right, of_right, pairs.right_rows(), exec), by.suffix);
  return made;
}

}  // namespace warpdex
