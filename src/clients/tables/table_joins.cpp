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
#include "clients/tables/table_parts.hpp"

namespace warpdex {
namespace {

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
