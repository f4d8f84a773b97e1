// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/places.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "join/join_steps.hpp"

namespace warpdex {
namespace {

/// @return bits that hold the numbers up to `last`, at least 1
int bits_up_to(std::uint64_t last) { return std::max(1, static_cast<int>(std::bit_width(last))); }

/// @return the values of some columns, one after the other; strings as references
struct joined_columns {
  joined_columns(std::span<column const> from, execution const& exec) : all(from[0]) {
    if (from.size() == 1) return;
    std::size_t const width = size_of(all.type);
    all.size = 0;
    for (column const& one : from) all.size += one.size;
    values = buffer(all.size * width, exec);
    all.data = values.data();
    std::size_t at = 0;
    for (column const& one : from) {
      backend_of(exec).copy(values.as<std::byte>() + at, one.data, one.size * width, exec);
      at += one.size * width;
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
  key_list made;
  made.bytes = kept.keys.bytes();
  made.keys = std::move(kept.keys);
  made.size = kept.size;
  made.type = from.all.type;
  if (made.type == key_type::bytes) pack_references(made, exec);
  else steps::run(join_steps::decode_key{made.type, made.keys.data()}, made.size, exec);
  backend.synchronize(exec);
  made.keys.outlive_stream();
  made.offsets.outlive_stream();
  return made;
}

/// @return the number of the last of some values
std::uint64_t last_of(key_list const& values) { return std::max<std::uint64_t>(values.size, 1) - 1; }

/// @return whether values of a type are never numbered by their codes, which would take more than 8 bytes
bool is_wide(key_type type) { return size_of(type) > sizeof(std::uint64_t); }

}  // namespace

join_steps::numbered_values numbered(std::span<column const> from, execution const& exec) {
  code_range codes;
  for (column const& one : from)
    if (one.size != 0) codes = codes.with(steps::reduce(join_steps::code_at{one.type, one.data}, one.size, exec));
  if (codes.highest < codes.lowest) return {from[0].type, 0, 0};
  return {from[0].type, codes.lowest, codes.highest - codes.lowest};
}

place_coder::place_coder(char const* call, column groups, std::span<column const> keys, execution const& exec)
    : group_type_(groups.type), all_groups_{groups.type, 0, 0}, all_keys_{keys[0].type, 0, 0} {
  if (!is_wide(all_keys_.type)) {
    all_keys_ = numbered(keys, exec);
    key_bits_ = bits_up_to(all_keys_.last);
  }
  if (!is_wide(groups.type)) all_groups_ = numbered({&groups, 1}, exec);
  if (is_wide(groups.type) || bits_up_to(all_groups_.last) + key_bits_ > place_bits)
    number_groups(call, groups, keys, exec);
}

void place_coder::number_groups(char const* call, column groups, std::span<column const> keys, execution const& exec) {
  key_list const distinct = distinct_of({&groups, 1}, exec);
  char const* const table = groups.type == key_type::bytes ? "AO+BS/rows=u64" : "HT(open)/rows=u64";
  by_group_.emplace(index::build(table, distinct.view(), exec));
  int const group_bits = bits_up_to(last_of(distinct));
  if (group_bits + key_bits_ <= place_bits) return;
  distinct_keys_.emplace(distinct_of(keys, exec));
  by_key_.emplace(index::build("AO+BS/rows=u64", distinct_keys_->view(), exec));
  all_keys_ = {all_keys_.type, 0, last_of(*distinct_keys_)};
  key_bits_ = bits_up_to(all_keys_.last);
  if (group_bits + key_bits_ > place_bits)
    throw unsupported(std::string(call) + ": " + std::to_string(distinct.size) + " groups and " +
                      std::to_string(distinct_keys_->size) + " distinct keys take " +
                      std::to_string(group_bits + key_bits_) + " bits; at most " + std::to_string(place_bits) +
                      " are possible");
}

void place_coder::find_groups(grouped_batch& batch, execution const& exec) const {
  if (!by_group_) return;
  structure const& table = structure_of(*by_group_, "find_groups");
  batch.group_numbers = buffer(batch.size * sizeof(std::uint64_t), exec);
  run_points(table, lookups::find, {batch.groups.keys, batch.groups.type}, batch.size, {batch.group_numbers.data()},
             exec);
}

buffer place_coder::pack(grouped_batch const& batch, join_steps::packed_side side, bool exact, std::uint8_t* missing,
                         execution const& exec) const {
  using join_steps::packed_side;
  auto const& [groups, probes, size, numbers] = batch;
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
  steps::run(join_steps::pack_place{groups.keys, groups.type, groups.valid, numbers.as<std::uint64_t>(), all_groups_,
                                    probes.keys, probes.type, probes.valid, searches ? places : nullptr, all_keys_,
                                    side, exact, key_bits_, places, missing},
             size, exec);
  return packed;
}

void place_coder::keep_in_group(buffer const& packed, std::uint8_t const* missing, buffer const& found, row_array rows,
                                void* keys, std::uint64_t size, execution const& exec) const {
  steps::run(join_steps::keep_in_group{packed.as<std::uint64_t>(), missing, found.as<std::uint64_t>(), rows,
                                       keys_of_places(), keys},
             size, exec);
}

}  // namespace warpdex
