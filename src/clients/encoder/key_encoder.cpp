// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_encoder.hpp>

#include <algorithm>
#include <string>

#include "backend/rounding_steps.hpp"
#include "base/api_border.hpp"
#include "clients/encoder/narrow_code.hpp"
#include "clients/encoder/tuple_columns.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "request/expect.hpp"

namespace warpdex {
namespace {

key_type narrowest(std::span<key_field const> fields) {
  for (key_field const& field : fields)
    if (field.type == key_type::bytes) return key_type::bytes;
  for (key_type const type : {key_type::u32, key_type::u64, key_type::u128})
    if (fixed_bytes(tuple_code_of(fields)) <= size_of(type)) return type;
  return key_type::bytes;
}

/// @return the array of 64-bit numbers for the offsets of `size` strings
buffer make_offsets(std::uint64_t size, execution const& exec) {
  return buffer((size + 1) * sizeof(std::uint64_t), exec);
}

key_list make_strings(char const* call, tuple_source const& from, std::uint64_t size, execution const& exec) {
  key_list made{{}, make_offsets(size, exec), size, 0, key_type::bytes};
  auto* const offsets = made.offsets.as<std::uint64_t>();
  if (auto const row = steps::find_first(tuple_steps::has_no_key{from, offsets}, size, exec))
    throw invalid_argument(std::string(call) + ": the key of row " + std::to_string(*row) +
                           " would have 2^32 bytes or more");
  made.bytes = backend_of(exec).exclusive_scan(offsets, size, exec);
  made.keys = buffer(made.bytes, exec);
  steps::run(tuple_steps::write_string{from, offsets, made.keys.as<unsigned char>()}, size, exec);
  return made;
}

/// @param free_bytes of the fields after those of `from`
key_bounds make_numbers(key_type type, tuple_source const& from, unsigned free_bytes, std::uint64_t size,
                        execution const& exec) {
  auto const width = static_cast<unsigned>(size_of(type));
  key_bounds made;
  made.lower = {buffer(size * width, exec), {}, size, size * width, type};
  if (free_bytes != 0) made.upper = {buffer(size * width, exec), {}, size, size * width, type};
  steps::run(tuple_steps::write_number{from, width, free_bytes, made.lower.keys.data(), made.upper.keys.data()}, size,
             exec);
  return made;
}

}  // namespace

key_encoder::key_encoder(std::vector<key_field> fields) : fields_(std::move(fields)), type_(key_type::bytes) {
  constexpr char const* call = "key_encoder";
  if (fields_.empty() || fields_.size() > most_fields)
    throw invalid_argument(std::string(call) + ": a tuple of " + std::to_string(fields_.size()) +
                           " fields; it has 1 to " + std::to_string(most_fields));
  for (std::size_t f = 0; f < fields_.size(); ++f)
    expect_known(call, ("field number " + std::to_string(f)).c_str(), fields_[f].type);
  type_ = narrowest(fields_);
}

void key_encoder::expect_fields(char const* call) const {
  if (fields_.empty()) throw invalid_argument(std::string(call) + ": the encoder was moved from");
}

key_list key_encoder::encode(std::span<nullable_column const> columns, execution const& exec) const {
  constexpr char const* call = "encode";
  return run_call(call, exec, [&] {
    expect_fields(call);
    if (columns.size() != fields_.size())
      throw invalid_argument(std::string(call) + ": " + std::to_string(columns.size()) + " columns for " +
                             std::to_string(fields_.size()) + " fields");
    if (narrow_) return encode_narrow(call, *narrow_, fields_, columns, exec);
    staging stage(call, exec);
    tuple_source const from = stage_tuples(call, fields_, columns, stage);
    std::uint64_t const size = columns[0].size;
    key_list made = type_ == key_type::bytes ? make_strings(call, from, size, exec)
                                             : make_numbers(type_, from, 0, size, exec).lower;
    backend_of(exec).synchronize(exec);
    return made;
  });
}

key_bounds key_encoder::leading(std::span<nullable_column const> columns, bool last_open, execution const& exec) const {
  constexpr char const* call = "leading";
  return run_call(call, exec, [&] {
    auto const fail = [](std::string const& why) { throw invalid_argument(std::string(call) + ": " + why); };
    if (columns.empty() || columns.size() > fields_.size())
      fail(std::to_string(columns.size()) + " columns for the first of " + std::to_string(fields_.size()) + " fields");
    if (last_open && columns.back().type != key_type::bytes)
      fail("the last column is to be open, but is of type " + std::string(to_string(columns.back().type)) +
           "; only strings have beginnings");
    if (!last_open && columns.size() == fields_.size())
      fail("all " + std::to_string(fields_.size()) + " fields are given; `encode` makes the key of a whole tuple");
    if (narrow_) {
      if (last_open) fail("a narrow encoder has no beginnings of strings");
      placed_ranges all = ranges(columns, {}, exec);
      auto const numbers = [&](buffer& of) {
        return key_list{std::move(of), {}, all.size, all.size * sizeof(std::uint64_t), type_};
      };
      return key_bounds{numbers(all.lower), numbers(all.upper)};
    }
    staging stage(call, exec);
    tuple_source from = stage_tuples(call, fields_, columns, stage);
    std::uint64_t const size = columns[0].size;
    if (last_open) from.code.of[from.code.fields - 1].ends = false;
    key_bounds made;
    if (type_ == key_type::bytes) made.lower = make_strings(call, from, size, exec);
    else made = make_numbers(type_, from, fixed_bytes(tuple_code_of(fields_)) - fixed_bytes(from.code), size, exec);
    backend_of(exec).synchronize(exec);
    return made;
  });
}

std::vector<decoded_column> key_encoder::decode(column keys, execution const& exec) const {
  constexpr char const* call = "decode";
  return run_call(call, exec, [&] {
    expect_fields(call);
    expect_known(call, "the key column", keys.type);
    if (keys.type != type_)
      throw invalid_argument(std::string(call) + ": the key column is of type " + std::string(to_string(keys.type)) +
                             ", the keys of this encoder of type " + std::string(to_string(type_)));
    if (narrow_) return decode_narrow(call, *narrow_, keys, exec);
    staging stage(call, exec);
    tuple_code const code = tuple_code_of(fields_);
    key_source const from = stage_keys(call, keys, code, stage);
    std::uint64_t const size = keys.size;

    std::vector<decoded_column> made(fields_.size());
    tuple_steps::has_no_tuple check{from, code, {}};
    tuple_steps::write_values write{from, code, {}};
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      made[f].values.size = size;
      made[f].values.type = fields_[f].type;
      if (fields_[f].type != key_type::bytes) continue;
      made[f].values.offsets = make_offsets(size, exec);
      check.lengths[f] = made[f].values.offsets.as<std::uint64_t>();
    }
    if (auto const row = steps::find_first(check, size, exec)) fail_key(call, from, fields_, *row, exec);

    std::vector<buffer> flags(fields_.size());
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      key_list& values = made[f].values;
      values.bytes = fields_[f].type == key_type::bytes ? backend_of(exec).exclusive_scan(check.lengths[f], size, exec)
                                                        : size * size_of(values.type);
      values.keys = buffer(values.bytes, exec);
      if (fields_[f].nullable) flags[f] = buffer(size, exec);
      write.to[f] = {values.keys.data(), check.lengths[f], flags[f].as<std::uint8_t>()};
    }
    steps::run(write, size, exec);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (!fields_[f].nullable) continue;
      made[f].validity = buffer((size + 7) / 8, exec);
      steps::run(rounding_steps::pack_flags{flags[f].as<std::uint8_t>(), size, made[f].validity.as<std::uint8_t>()},
                 made[f].validity.bytes(), exec);
    }
    backend_of(exec).synchronize(exec);
    return made;
  });
}

}  // namespace warpdex
