// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "structures/plan_of.hpp"

namespace warpdex {

/// What hash tables decide before they see the keys.
struct hash_choice : common_options {
  /// Under so many seeds a table is tried. With the last it is built however the keys crowd.
  static constexpr unsigned attempts = 4;

  static constexpr unsigned full_load = 1000;

  unsigned load = full_load;               ///< keys of each 1000 places for pairs that all buckets have at home
  std::optional<std::uint64_t> seed = {};  ///< as given, for tests

  /// Tables of keys that nobody chose to collide are the same whenever they are built: the first seed is fixed.
  std::optional<std::uint64_t> hash_seed() const { return seed.value_or(0); }

  /// @return the seed to try when keys crowd under `failed`: a random one, which nobody can have foreseen, unless the
  /// spec fixes seeds
  std::uint64_t seed_after(std::uint64_t failed) const;
};

/// What is fixed about a kind of hash table.
struct hash_kind {
  std::string arguments;  ///< as in resolved specs
  unsigned lowest_load;   ///< in thousandths
  unsigned highest_load;
  unsigned usual_load;
};

/// A choice, and the spec's text without its options.
struct resolved_hash {
  hash_choice choice;
  std::string text;
};

/// Reads the arguments and options of a hash table. Pairs are aligned ones unless the spec says otherwise or
/// keys have 16 bytes.
/// @throws spec_error
resolved_hash read_hash_choice(spec const& s, index_shape const& shape, hash_kind const& kind);

/// @throws spec_error
template <class Family>
std::unique_ptr<plan> resolve_hash(spec const& s, index_shape const& shape, hash_kind const& kind) {
  auto const [choice, text] = read_hash_choice(s, shape, kind);
  return make_plan_of<Family>(text, shape, choice);
}

}  // namespace warpdex
