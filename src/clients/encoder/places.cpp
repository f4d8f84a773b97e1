// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/encoder/places.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "clients/encoder/tuple_steps.hpp"

namespace warpdex {

tuple_steps::numbered_values numbered(std::span<column const> from, execution const& exec) {
  code_range codes;
  for (column const& column : from)
    if (column.size != 0)
      codes = codes.with(steps::reduce(tuple_steps::code_at{column.type, column.data}, column.size, exec));
  if (codes.highest < codes.lowest) return {from[0].type, 0, 0};
  return {from[0].type, codes.lowest, codes.highest - codes.lowest};
}

namespace {

/// @return bits that hold the numbers up to `last`, at least 1
int bits_up_to(std::uint64_t last) { return std::max(1, static_cast<int>(std::bit_width(last))); }

/// @return the values of some columns, one after the other; strings as references
struct joined_columns {
  joined_columns(std::span<column const> from, execution const& exec) : all(from[0]) {
    if (from.size() == 1) return;
    std::size_t const width = size_of(all.type);
    all.size = 0;
    for (column const& column : from) all.size += column.size;
    values = buffer(all.size * width, exec);
    all.data = values.data();
    std::size_t at = 0;
    for (column const& column : from) {
      backend_of(exec).copy(values.as<std::byte>() + at, column.data, column.size * width, exec);
      at += column.size * width;
    }
  }

  column all;
  buffer values;
};

/// @return the distinct values of some columns, in ascending order
key_list distinct_of(std::span<column const> columns, execution const& exec) {
  auto const& backend = backend_of(exec);
  joined_columns const from(columns, exec);
  auto const sorted = backend.sort(from.all, std::nullopt, row_type::u64, std::nullopt, exec).pairs;
  auto kept = backend.distinct(sorted.keys.data(), sorted.size, kind_of(from.all.type), exec);
  key_list result;
  result.bytes = kept.keys.bytes();
  result.keys = std::move(kept.keys);
  result.size = kept.size;
  result.type = from.all.type;
  if (result.type == key_type::bytes) pack_references(result, exec);
  else steps::run(tuple_steps::decode_key{result.type, result.keys.data()}, result.size, exec);
  backend.synchronize(exec);
  result.keys.outlive_stream();
  result.offsets.outlive_stream();
  return result;
}

/// @return the number of the last of some values
std::uint64_t last_of(key_list const& values) { return std::max<std::uint64_t>(values.size, 1) - 1; }

/// @return whether values of a type are never numbered by their codes, which would take more than 8 bytes
bool is_wide(key_type type) { return size_of(type) > sizeof(std::uint64_t); }

place_numbers number_all(char const* call, std::span<column const> groups, std::span<column const> keys,
                         execution const& exec) {
  place_numbers result{{groups[0].type, 0, 0}, {keys[0].type, 0, 0}, place_coder::place_bits};
  if (!is_wide(result.keys.type)) {
    result.keys = numbered(keys, exec);
    result.key_bits = bits_up_to(result.keys.last);
  }
  auto const fits = [&](std::uint64_t last_group) {
    return bits_up_to(last_group) + result.key_bits <= place_coder::place_bits;
  };
  if (!is_wide(result.groups.type)) {
    result.groups = numbered(groups, exec);
    if (fits(result.groups.last)) return result;
  }
  result.distinct_groups = distinct_of(groups, exec);
  std::uint64_t const last_group = last_of(*result.distinct_groups);
  result.groups = {result.groups.type, 0, last_group};
  if (fits(last_group)) return result;
  result.distinct_keys = distinct_of(keys, exec);
  result.keys = {result.keys.type, 0, last_of(*result.distinct_keys)};
  result.key_bits = bits_up_to(result.keys.last);
  if (!fits(last_group))
    throw unsupported(std::string(call) + ": " + std::to_string(result.distinct_groups->size) + " groups and " +
                      std::to_string(result.distinct_keys->size) + " distinct keys take " +
                      std::to_string(bits_up_to(last_group) + result.key_bits) + " bits; at most " +
                      std::to_string(place_coder::place_bits) + " are possible");
  return result;
}

}  // namespace

place_coder::place_coder(char const* call, std::span<column const> groups, std::span<column const> keys,
                         execution const& exec)
    : place_coder(number_all(call, groups, keys, exec), exec) {}

place_coder::place_coder(place_numbers numbers, execution const& exec) : numbers_(std::move(numbers)) {
  auto const table = [&](key_list const& values, char const* s) { return index::build(s, values.view(), exec); };
  if (auto const& of = numbers_.distinct_groups)
    by_group_.emplace(table(*of, of->type == key_type::bytes ? "AO+BS/rows=u64" : "HT(open)/rows=u64"));
  if (auto const& of = numbers_.distinct_keys) by_key_.emplace(table(*of, "AO+BS/rows=u64"));
}

std::uint64_t place_coder::bytes() const {
  std::uint64_t sum = 0;
  for (auto const* const values : {&numbers_.distinct_groups, &numbers_.distinct_keys})
    if (*values) sum += (*values)->keys.bytes() + (*values)->offsets.bytes();
  for (auto const* const numbers : {&by_group_, &by_key_})
    if (*numbers) sum += (*numbers)->memory().total();
  return sum;
}

known_bits place_coder::known_bits_of_places() const {
  return {by_rank() ? 0 : key_bits(), key_bits() + bits_up_to(numbers_.groups.last)};
}

void place_coder::expect_places(std::uint64_t const* places, std::uint64_t size, execution const& exec) const {
  if (steps::find_first(tuple_steps::is_no_place{places, keys_of_places(), groups_of_places()}, size, exec))
    throw format_error("damaged index: an entry has a group or a key without a number");
}

void place_coder::find_groups(grouped_batch& batch, execution const& exec) const {
  if (!by_group_) return;
  structure const& table = structure_of(*by_group_, "find_groups");
  batch.group_numbers = buffer(batch.size * sizeof(std::uint64_t), exec);
  run_points(table, lookups::find, {batch.groups.keys, batch.groups.type}, batch.size, {batch.group_numbers.data()},
             exec);
}

bool place_coder::keeps_distances(probe_array const& probes, std::uint64_t size, execution const& exec) const {
  code_range const codes = steps::reduce(tuple_steps::code_at{probes.type, probes.keys}, size, exec);
  std::uint64_t const lowest = numbers_.keys.lowest;
  return lowest <= codes.lowest && codes.highest - lowest <= most_key();
}

buffer place_coder::pack(grouped_batch const& batch, tuple_steps::packed_side side, bool exact, std::uint8_t* missing,
                         execution const& exec) const {
  using tuple_steps::packed_side;
  auto const& [groups, probes, size, numbers, keeps_distances] = batch;
  tuple_steps::numbered_values keys = numbers_.keys;
  if (keeps_distances) keys.last = most_key();
  buffer packed(size * sizeof(std::uint64_t), exec);
  auto* const places = packed.as<std::uint64_t>();
  bool const searches = by_key_ && probes.keys != nullptr;
  if (searches) {
    // Below the upper bound are all keys not above the probe, below the lower bound those that are less.
    bool const upper = (side == packed_side::above) != exact;
    lookup const& what = side == packed_side::equal ? lookups::find
                         : upper                    ? lookups::upper_bound
                                                    : lookups::lower_bound;
    run_points(structure_of(*by_key_, "pack"), what, {probes.keys, probes.type}, size, {places}, exec);
  }
  steps::run(tuple_steps::pack_place{groups.keys, groups.type, groups.valid, numbers.as<std::uint64_t>(),
                                     numbers_.groups, probes.keys, probes.type, probes.valid,
                                     searches ? places : nullptr, keys, side, exact, key_bits(), places, missing},
             size, exec);
  return packed;
}

buffer place_coder::place_all(column groups, column keys, execution const& exec) const {
  grouped_batch all{{groups.data, groups.type}, {keys.data, keys.type}, keys.size};
  find_groups(all, exec);
  return pack(all, tuple_steps::packed_side::above, true, nullptr, exec);
}

void place_coder::keep_in_group(buffer const& packed, std::uint8_t const* missing, buffer const& found, row_array rows,
                                void* keys, std::uint64_t size, execution const& exec) const {
  steps::run(tuple_steps::keep_in_group{packed.as<std::uint64_t>(), missing, found.as<std::uint64_t>(), rows,
                                        keys_of_places(), keys},
             size, exec);
}

}  // namespace warpdex
