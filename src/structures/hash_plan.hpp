// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "batch/policy.hpp"
#include "structures/flat_plan.hpp"

namespace warpdex {

/// What hash tables decide before they see the keys.
class hash_plan : public plan {
 public:
  hash_plan(std::string spec_text, index_shape const& shape, warpdex::layout layout, unsigned load, policy const& run)
      : plan(std::move(spec_text), shape), layout(layout), load(load), run(run) {}

  std::optional<std::uint64_t> hash_seed() const final { return seed_of(0); }

  /// The seed of the first table that is tried, of the second, and so on.
  static constexpr std::uint64_t seed_of(unsigned attempt) { return attempt * 0x9e3779b97f4a7c15ull; }

  /// From this attempt on, each table is larger by a quarter; and how many there are.
  static constexpr unsigned growing_from = 4;
  static constexpr unsigned attempts = 8;

  static constexpr unsigned full_load = 1000;

  warpdex::layout const layout;
  unsigned const load;  ///< keys of each 1000 places for pairs that all buckets have at home
  policy const run;     ///< how batches run
};

/// Plan of one hash table.
template <class Family> class hash_plan_of final : public hash_plan {
 public:
  using hash_plan::hash_plan;

  std::unique_ptr<structure> make(contents from, execution const& exec) const override {
    return make_typed<Family>(*this, std::move(from), exec);
  }
};

/// What is fixed about a kind of hash table.
struct hash_kind {
  std::string arguments;  ///< as in resolved specs
  unsigned lowest_load;   ///< in thousandths
  unsigned highest_load;
  unsigned usual_load;
};

/// What a spec says of a hash table.
struct hash_choice {
  std::string spec_text;
  warpdex::layout layout;
  unsigned load;
  policy run;
};

/// Reads the arguments and options of a hash table. Pairs are aligned ones unless the spec says otherwise or
/// keys have 16 bytes.
/// @throws spec_error
hash_choice read_hash_choice(spec const& s, index_shape const& shape, hash_kind const& kind);

/// @throws spec_error
template <class Family>
std::unique_ptr<plan> resolve_hash(spec const& s, index_shape const& shape, hash_kind const& kind) {
  auto const choice = read_hash_choice(s, shape, kind);
  return std::make_unique<hash_plan_of<Family>>(choice.spec_text, shape, choice.layout, choice.load, choice.run);
}

}  // namespace warpdex
