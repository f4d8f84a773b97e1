// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch/policy.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// What HT(open) decides before it sees the keys.
class hash_plan final : public plan {
 public:
  hash_plan(std::string spec_text, index_shape const& shape, warpdex::layout layout, unsigned load, policy const& run)
      : plan(std::move(spec_text), shape), layout(layout), load(load), run(run) {}

  std::unique_ptr<structure> make(contents from, execution const& exec) const override;

  std::optional<std::uint64_t> hash_seed() const override { return seed_of(0); }

  /// The seed of the first table that is tried, of the second, and so on.
  static constexpr std::uint64_t seed_of(unsigned attempt) { return attempt * 0x9e3779b97f4a7c15ull; }

  /// From this attempt on, each table is larger by a quarter; and how many there are.
  static constexpr unsigned growing_from = 4;
  static constexpr unsigned attempts = 8;

  /// Slots that an entry may lie behind the first of its home bucket. How far one does is a queue's length:
  /// with 2^28 random keys at most a seventh of this, so keys that exceed it were chosen to collide.
  std::uint64_t farthest() const { return 64 * full_load / (full_load - load); }

  static constexpr unsigned full_load = 1000;

  warpdex::layout const layout;
  unsigned const load;  ///< entries of 1000 slots
  policy const run;     ///< how batches run
};

}  // namespace warpdex
