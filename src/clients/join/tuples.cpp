// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/tuple_join.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "base/api_border.hpp"
#include "clients/join/columns.hpp"
#include "clients/join/join_steps.hpp"
#include "clients/join/pairs.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

#include <warpdex/grouped_index.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/sorted.hpp>

namespace warpdex {
namespace {

using columns = std::span<nullable_column const>;

std::string name_of(char const* side, std::size_t number) {
  return std::string("the ") + side + " column number " + std::to_string(number);
}

void expect_tuples(char const* call, columns left, columns right) {
  if (left.empty() || left.size() != right.size())
    throw invalid_argument(std::string(call) + ": there are " + std::to_string(left.size()) + " left columns and " +
                           std::to_string(right.size()) + " right ones");
  for (std::size_t c = 0; c < left.size(); ++c) {
    std::string const names[2] = {name_of("left", c), name_of("right", c)};
    expect_known(call, names[1].c_str(), right[c].type);
    expect_comparable(call, names[0].c_str(), left[c].type, right[c].type);
    expect_size(call, names[0].c_str(), left[c].size, left[0].size);
    expect_size(call, names[1].c_str(), right[c].size, right[0].size);
    detail::expect_array(call, names[0].c_str(), left[c].data, left[c].size);
    detail::expect_array(call, names[1].c_str(), right[c].data, right[c].size);
  }
}

/// @return memory that lives as long as some keys
buffer& hold(tuple_keys& keys, std::uint64_t bytes, execution const& exec) {
  auto const made = std::make_shared<buffer>(bytes, exec);
  keys.held.push_back(made);
  return *made;
}

bool is_short_number(key_type type) { return type != key_type::bytes && size_of(type) <= sizeof(std::uint64_t); }

/// Replaces a column of both sides by numbers of its right values, which left values without an equal one do not have.
void number(nullable_column& left, nullable_column& right, tuple_keys& lefts, tuple_keys& rights,
            execution const& exec) {
  row_type const rows = row_type_for(right.size);
  key_type const keys = rows == row_type::u32 ? key_type::u32 : key_type::u64;
  void* const of_left = hold(lefts, left.size * size_of(rows), exec).data();
  void* const of_right = hold(rights, right.size * size_of(rows), exec).data();
  first_match(left, right, {of_left, left.size, rows}, exec, row_output{of_right, right.size, rows});
  left = {column(of_left, left.size, keys), left.validity, left.offset};
  right = {column(of_right, right.size, keys), right.validity, right.offset};
}

/// Makes a tuple with a null one: its bit says whether all columns have a value.
void set_validity(tuple_keys& keys, columns from, execution const& exec) {
  staging stage("encode_tuples", exec);
  validity_bits all{};
  for (std::size_t c = 0; c < from.size(); ++c) {
    if (from[c].validity == nullptr) continue;
    validity_bits const more = stage.validity(from[c], name_of("key", c).c_str());
    std::uint64_t const bytes = validity_bytes(from[c].size);
    auto* const bits = hold(keys, bytes, exec).as<std::uint8_t>();
    steps::run(join_steps::both_valid{all, more, from[c].size, bits}, bytes, exec);
    all = {bits, 0};
  }
  backend_of(exec).synchronize(exec);
  keys.keys.validity = all.bits;
  keys.keys.offset = all.offset;
}

/// One side as keys of an encoder.
void encode_side(tuple_keys& keys, columns from, key_encoder const& by, bool nulls_equal, execution const& exec) {
  std::vector<nullable_column> values(from.begin(), from.end());
  if (!nulls_equal)
    for (nullable_column& column : values) column.validity = nullptr;
  auto const encoded = std::make_shared<key_list>(by.encode(values, exec));
  keys.held.push_back(encoded);
  keys.keys = encoded->view();
  if (!nulls_equal) set_validity(keys, from, exec);
}

/// @return whether the two may be merged
bool may_ascend(nullable_column const& left, nullable_column const& right) {
  return left.type == right.type && is_short_number(left.type) && left.validity == nullptr && right.validity == nullptr;
}

void join_within_groups(columns left_groups, nullable_column const& left, columns right_groups,
                        nullable_column const& right, bool nulls_equal, row_output rows, execution const& exec,
                        asof_options const& options) {
  auto const [lefts, rights] = number_tuples(left_groups, right_groups, nulls_equal, exec);
  auto over = grouped_index::build("AO+BS", rights.keys, right, exec);
  if (over.row_type() != rows.type) over.widen_rows(exec);
  join_asof(over, lefts.keys, left, rows, exec, options);
}

}  // namespace

std::pair<tuple_keys, tuple_keys> encode_tuples(columns left, columns right, bool nulls_equal, execution const& exec) {
  constexpr char const* call = "encode_tuples";
  return run_call(call, exec, [&] {
    expect_tuples(call, left, right);
    std::pair<tuple_keys, tuple_keys> result;
    auto const is_nullable = [&](std::size_t c) {
      return nulls_equal && (left[c].validity != nullptr || right[c].validity != nullptr);
    };
    if (left.size() == 1 && !is_nullable(0)) {
      result.first.keys = left[0];
      result.second.keys = right[0];
      return result;
    }
    std::vector<nullable_column> lefts(left.begin(), left.end()), rights(right.begin(), right.end());
    std::vector<key_field> fields;
    for (std::size_t c = 0; c < left.size(); ++c) {
      if (left[c].type != right[c].type || !is_short_number(left[c].type))
        number(lefts[c], rights[c], result.first, result.second, exec);
      fields.push_back({.type = rights[c].type, .nullable = is_nullable(c)});
    }
    key_encoder const by(std::move(fields));
    encode_side(result.first, lefts, by, nulls_equal, exec);
    encode_side(result.second, rights, by, nulls_equal, exec);
    return result;
  });
}

std::pair<tuple_keys, tuple_keys> number_tuples(columns left, columns right, bool nulls_equal, execution const& exec) {
  auto result = encode_tuples(left, right, nulls_equal, exec);
  auto& [lefts, rights] = result;
  key_type const type = rights.keys.type;
  bool const is_float = type == key_type::f32 || type == key_type::f64;
  if (lefts.keys.type != type || is_float || !is_short_number(type))
    number(lefts.keys, rights.keys, lefts, rights, exec);
  return result;
}

joined join(columns left, columns right, join_kind kind, bool nulls_equal, execution const& exec) {
  auto const [lefts, rights] = encode_tuples(left, right, nulls_equal, exec);
  return join(lefts.keys, rights.keys, kind, exec, {.keeps_order = true});
}

void join_asof(columns left_groups, nullable_column const& left, columns right_groups, nullable_column const& right,
               bool nulls_equal, row_output rows, execution const& exec, asof_options const& options) {
  constexpr char const* call = "join_asof";
  run_call(call, exec, [&] {
    if (!left_groups.empty() || !right_groups.empty())
      return join_within_groups(left_groups, left, right_groups, right, nulls_equal, rows, exec, options);
    column const &lefts = left, &rights = right;
    if (may_ascend(left, right) && asof_merge(lefts, rights, rows, exec, options)) return;
    index over = build_valid("AO+BS", right, exec);
    if (over.row_type() != rows.type) over.widen_rows(exec);
    join_asof(over, left, rows, exec, options);
  });
}

void sort_pairs(row_output first, row_output second, execution const& exec) {
  constexpr char const* call = "sort_pairs";
  run_call(call, exec, [&] {
    expect_known(call, "the first rows", first.type);
    expect_known(call, "the second rows", second.type);
    expect_size(call, "the second rows", second.size, first.size);
    staging stage(call, exec);
    batch_array outputs[] = {{first.data, size_of(first.type), "the first rows", false, true},
                             {second.data, size_of(second.type), "the second rows", false, true}};
    if (first.size == 0) return;
    if (!stage.use(first.size, outputs))
      throw invalid_argument(std::string(call) + ": the rows are on the host, but the memory of the call on a device");
    auto const column_of = [](row_output const& rows) {
      return column(rows.data, rows.size, rows.type == row_type::u32 ? key_type::u32 : key_type::u64);
    };
    std::vector<nullable_column> const sides{column_of(first), column_of(second)};
    key_encoder const by({{.type = sides[0].type}, {.type = sides[1].type}});
    key_list const keys = by.encode(sides, exec);
    auto const sorted = backend_of(exec).sort(keys.view(), std::nullopt, row_type_for(keys.size), std::nullopt, exec);
    auto const decoded = by.decode(column(sorted.pairs.keys.data(), keys.size, by.type()), exec);
    for (auto const& [rows, from] : {std::pair(first, &decoded[0]), std::pair(second, &decoded[1])})
      backend_of(exec).copy(rows.data, from->view().data, rows.size * size_of(rows.type), exec);
    backend_of(exec).synchronize(exec);
  });
}

}  // namespace warpdex
