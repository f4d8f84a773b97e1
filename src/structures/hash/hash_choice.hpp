// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "structures/plan_of.hpp"

namespace warpdex {

/// The parameters of a hash table that are fixed before the keys are known.
struct hash_choice : common_options {
  /// Number of seeds under which a build is tried. The last one is used even if keys crowd under it.
  static constexpr unsigned attempts = 4;

  static constexpr unsigned full_load = 1000;

  unsigned load = full_load;               ///< keys per 1000 pairs for which the home buckets have room
  std::optional<std::uint64_t> seed = {};  ///< as given in the spec, for tests

  /// The first seed. It is fixed, so all builds of the same keys give the same table unless the keys were chosen to
  /// collide.
  std::optional<std::uint64_t> hash_seed() const { return seed.value_or(0); }

  /// @return the seed to try after keys crowded under `failed`. It is random and thus unpredictable, unless the spec
  /// fixes the seed.
  std::uint64_t seed_after(std::uint64_t failed) const;
};

/// The properties of a kind of hash table.
struct hash_kind {
  std::vector<spec::word> arguments;  ///< without names, as resolved specs write them
  unsigned lowest_load;               ///< in thousandths
  unsigned highest_load;              ///< in thousandths
  unsigned usual_load;                ///< in thousandths
};

/// A choice, and the arguments of the resolved spec.
struct resolved_hash {
  hash_choice choice;
  std::vector<spec::word> arguments;
};

/// Reads the arguments and options of a hash table. The default layout is AoS, but SoA for keys of 16 bytes.
/// @throws spec_error
resolved_hash read_hash_choice(spec const& s, index_shape const& shape, hash_kind const& kind);

/// @return the plan for a hash table
/// @throws spec_error
template <class Family>
std::unique_ptr<plan> resolve_hash(spec const& s, index_shape const& shape, hash_kind const& kind) {
  auto const [choice, arguments] = read_hash_choice(s, shape, kind);
  return make_plan_of<Family>(s.structure(), arguments, shape, choice);
}

}  // namespace warpdex
