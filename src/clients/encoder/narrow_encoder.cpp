// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/api_border.hpp"
#include "clients/encoder/narrow_code.hpp"
#include "clients/encoder/tuple_columns.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "request/batches.hpp"

/// @file
/// The calls of a key encoder with a narrow code.
namespace warpdex {
namespace {

constexpr char const* leading_name = "the leading columns";
constexpr char const* last_name = "the last column";

[[noreturn]] void fail(char const* call, std::string const& why) {
  throw invalid_argument(std::string(call) + ": " + why);
}

void expect_count(char const* call, std::size_t columns, std::size_t fields) {
  if (columns != fields) fail(call, std::to_string(columns) + " columns for " + std::to_string(fields) + " fields");
}

/// The groups of some tuples: values of the one leading field, or keys of several.
class group_keys {
 public:
  group_keys(key_encoder const* leading, std::span<nullable_column const> columns, execution const& exec) {
    if (leading == nullptr) {
      groups_ = columns[0];
    } else {
      keys_ = leading->encode(columns, exec);
      groups_ = keys_.view();
    }
  }

  nullable_column const& view() const { return groups_; }

 private:
  key_list keys_;
  nullable_column groups_;
};

/// @return groups and keys within reach, all of which have values
grouped_batch entries_of(group_keys const& groups, column const& last, staging& stage) {
  constexpr bool checks = true;
  column const& values = groups.view();
  column const of = stage.input(values, leading_name, checks);
  column const keys = stage.input(last, last_name, checks);
  return {{of.data, of.type}, {keys.data, keys.type}, keys.size};
}

std::shared_ptr<narrow_code const> const& expect_narrow(char const* call,
                                                        std::shared_ptr<narrow_code const> const& code) {
  if (!code) throw unsupported(std::string(call) + ": a wide encoder, whose `encode` and `leading` make probes");
  return code;
}

/// @return the values that packed numbers have, as a column
key_list values_of(buffer numbers, std::uint64_t size, key_type type, execution const& exec) {
  key_list result{std::move(numbers), {}, size, size * size_of(type), type};
  if (type == key_type::bytes) pack_references(result, exec);
  return result;
}

}  // namespace

std::shared_ptr<narrow_code const> const& narrow_code_of(key_encoder const& from) { return from.narrow_; }

key_encoder narrow_encoder(std::vector<key_field> fields, std::shared_ptr<narrow_code const> code) {
  key_encoder result(std::move(fields));
  result.type_ = key_type::u64;
  result.narrow_ = std::move(code);
  return result;
}

std::optional<key_encoder> leading_encoder(std::span<key_field const> fields) {
  if (fields.size() == 2 && !fields[0].nullable && !fields[0].descending) return std::nullopt;
  return key_encoder({fields.begin(), fields.end() - 1});
}

void expect_narrow_fields(char const* call, std::span<key_field const> fields) {
  if (fields.size() < 2) fail(call, "a tuple of one field; a narrow code has two or more");
  if (fields.back().nullable || fields.back().descending)
    fail(call, "the last field is " + std::string(fields.back().nullable ? "nullable" : "descending") +
                   ", which a narrow code cannot be");
}

key_encoder key_encoder::narrow(std::vector<key_field> fields, std::span<nullable_column const> columns,
                                execution const& exec) {
  constexpr char const* call = "key_encoder::narrow";
  return run_call(call, exec, [&] {
    key_encoder const checked(fields);
    expect_narrow_fields(call, fields);
    expect_count(call, columns.size(), fields.size());
    expect_columns(call, fields, columns);
    auto leading = leading_encoder(fields);
    staging stage(call, exec);
    group_keys const groups(leading ? &*leading : nullptr, columns.first(columns.size() - 1), exec);
    grouped_batch const all = entries_of(groups, columns.back(), stage);
    column const of(all.groups.keys, all.size, all.groups.type), keys(all.probes.keys, all.size, all.probes.type);
    place_coder coder(call, {&of, 1}, {&keys, 1}, exec);
    backend_of(exec).synchronize(exec);
    return narrow_encoder(std::move(fields),
                          std::make_shared<narrow_code const>(std::move(coder), exec, std::move(leading)));
  });
}

std::string key_encoder::explain() const {
  return run_call("explain", [&] {
    expect_fields("explain");
    return narrow_ ? narrow_->explain() : "wide keys of type " + std::string(to_string(type_)) + "\n";
  });
}

placed_points key_encoder::points(std::span<nullable_column const> columns, execution const& exec) const {
  constexpr char const* call = "points";
  return run_call(call, exec, [&] {
    expect_fields(call);
    narrow_code const& code = *expect_narrow(call, narrow_);
    expect_count(call, columns.size(), fields_.size());
    group_keys const groups(code.leading(), columns.first(columns.size() - 1), exec);
    return place_points(call, code, groups.view(), columns.back(), {}, exec);
  });
}

placed_ranges key_encoder::ranges(std::span<nullable_column const> leading, key_ranges const& last,
                                  execution const& exec) const {
  constexpr char const* call = "ranges";
  return run_call(call, exec, [&] {
    expect_fields(call);
    narrow_code const& code = *expect_narrow(call, narrow_);
    expect_count(call, leading.size(), fields_.size() - 1);
    group_keys const groups(code.leading(), leading, exec);
    return place_ranges(call, code, groups.view(), last, {}, exec);
  });
}

key_list encode_narrow(char const* call, narrow_code const& code, std::span<key_field const> fields,
                       std::span<nullable_column const> columns, execution const& exec) {
  expect_columns(call, fields, columns);
  staging stage(call, exec);
  group_keys const groups(code.leading(), columns.first(columns.size() - 1), exec);
  grouped_batch all = entries_of(groups, columns.back(), stage);
  place_coder const& coder = code.at(exec);
  coder.find_groups(all, exec);
  buffer const missing(all.size, exec);
  auto* const flags = missing.as<std::uint8_t>();
  buffer packed = coder.pack(all, tuple_steps::packed_side::equal, true, flags, exec);
  if (auto const row = steps::find_first(tuple_steps::is_missing{flags}, all.size, exec))
    fail(call, "the values of row " + std::to_string(*row) +
                   " have no number in this narrow encoder; `points` makes probes of such values");
  backend_of(exec).synchronize(exec);
  packed.outlive_stream();
  return {std::move(packed), {}, all.size, all.size * sizeof(std::uint64_t), key_type::u64};
}

std::vector<decoded_column> decode_narrow(char const* call, narrow_code const& code, column keys,
                                          execution const& exec) {
  staging stage(call, exec);
  auto const* const packed = static_cast<std::uint64_t const*>(stage.input(keys, "the key column").data);
  place_coder const& coder = code.at(exec);
  place_numbers const& numbers = coder.numbers();
  auto const values = [&](tuple_steps::place_keys from, std::optional<key_list> const& distinct) {
    if (distinct) from.distinct = stage.input(distinct->view(), "the distinct values").data;
    return from;
  };
  tuple_steps::unpack_place unpack{packed, values(coder.keys_of_places(), numbers.distinct_keys),
                                   values(coder.groups_of_places(), numbers.distinct_groups), nullptr, nullptr};
  if (auto const row =
          steps::find_first(tuple_steps::is_no_place{packed, unpack.keys_of, unpack.groups_of}, keys.size, exec))
    fail(call, "key " + std::to_string(*row) + " is none of this narrow encoder");
  buffer of_groups(keys.size * size_of(code.groups()), exec), of_keys(keys.size * size_of(code.keys()), exec);
  unpack.groups = of_groups.data();
  unpack.keys = of_keys.data();
  steps::run(unpack, keys.size, exec);
  key_list groups = values_of(std::move(of_groups), keys.size, code.groups(), exec);
  std::vector<decoded_column> result;
  if (code.leading() != nullptr) result = code.leading()->decode(groups.view(), exec);
  else result.push_back({std::move(groups), {}});
  result.push_back({values_of(std::move(of_keys), keys.size, code.keys(), exec), {}});
  backend_of(exec).synchronize(exec);
  return result;
}

}  // namespace warpdex
