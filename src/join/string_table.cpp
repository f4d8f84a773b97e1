// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/string_table.hpp"

#include <warpdex/join.hpp>

#include "base/random.hpp"
#include "base/tuning.hpp"
#include "join/first_match.hpp"
#include "join/string_steps.hpp"
#include "request/batches.hpp"

namespace warpdex {
namespace {

byte_key const* references(column const& strings) { return static_cast<byte_key const*>(strings.data); }

buffer hashes_of(column const& strings, std::uint64_t seed, int hash_bits, execution const& exec) {
  buffer hashes(strings.size * sizeof(std::uint64_t), exec);
  steps::run(
      string_steps::hash_string{references(strings), string_hash(seed), 64 - hash_bits, hashes.as<std::uint64_t>()},
      strings.size, exec);
  return hashes;
}

}  // namespace

bool string_table::try_seed(char const* call, spec const& s, nullable_column const& strings, bool firsts,
                            execution const& exec) {
  seed_ = random_number();
  buffer const hashes = hashes_of(strings_, seed_, hash_bits_, exec);
  nullable_column keys = strings;
  keys.data = hashes.data();
  keys.type = key_type::u64;
  keys.strings = {};
  table_.emplace(firsts ? build_firsts(call, s, keys, exec) : build_valid(s, keys, exec));
  if (strings.size == 0) return true;
  structure const& table = structure_of(*table_, call);
  std::size_t const width = size_of(table.shape().rows);
  rows_ = buffer(strings.size * width, exec);
  validity_bits const valid = stage_->validity(strings, "the validity of the strings");
  run_points(table, lookups::find, {hashes.data(), key_type::u64, valid}, strings.size, {rows_.data()}, exec);
  string_steps::meets_another const meets{references(strings_), {rows_.data(), width}};
  return !steps::find_first(meets, strings.size, exec);
}

std::optional<string_table> string_table::build(char const* call, nullable_column const& strings, char const* what,
                                                spec const& s, bool firsts, execution const& exec, int hash_bits) {
  string_table made;
  made.stage_ = std::make_unique<staging>(call, exec);
  constexpr bool checks = true;
  column const& values = strings;
  made.strings_ = made.stage_->input(values, what, checks);
  made.hash_bits_ = hash_bits;
  for (int attempt = 0; attempt < tuning::string_seeds; ++attempt)
    if (made.try_seed(call, s, strings, firsts, exec)) return made;
  return std::nullopt;
}

string_probes string_table::find(char const* call, nullable_column const& strings, char const* what,
                                 execution const& exec) const {
  staging stage(call, exec);
  constexpr bool checks = true;
  column const& values = strings;
  column const from = stage.input(values, what, checks);
  validity_bits const valid = stage.validity(strings, "the validity of the strings");
  structure const& table = structure_of(*table_, call);
  std::size_t const width = size_of(table.shape().rows);
  std::uint64_t const size = strings.size;
  std::uint64_t const bytes = validity_bytes(size);
  string_probes made{hashes_of(from, seed_, hash_bits_, exec), buffer(bytes, exec), buffer(size * width, exec), size};
  run_points(table, lookups::find, {made.hashes.data(), key_type::u64, valid}, size, {made.rows.data()}, exec);
  steps::run(
      string_steps::keep_equal{
          references(from), size, references(strings_), {made.rows.data(), width}, made.bits.as<std::uint8_t>()},
      bytes, exec);
  backend_of(exec).synchronize(exec);  // the references are gone when this returns
  return made;
}

}  // namespace warpdex
