// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "batch/policy.hpp"
#include "structures/flat_plan.hpp"

namespace warpdex {

/// What a spec says of a hash table.
struct hash_choice {
  std::string spec_text;
  warpdex::layout layout;
  unsigned load;
  std::optional<std::uint64_t> seed;
  policy run;
};

/// What hash tables decide before they see the keys.
class hash_plan : public plan {
 public:
  hash_plan(hash_choice const& choice, index_shape const& shape)
      : plan(choice.spec_text, shape), layout(choice.layout), load(choice.load), run(choice.run), seed_(choice.seed) {}

  /// Tables of keys that nobody chose to collide are the same whenever they are built: the first seed is fixed.
  std::optional<std::uint64_t> hash_seed() const final { return seed_.value_or(0); }

  /// @return the seed to try when keys crowd under `seed`: a random one, which nobody can have foreseen, unless the
  /// spec fixes seeds
  std::uint64_t seed_after(std::uint64_t seed) const;

  /// Under so many seeds a table is tried. With the last it is built however the keys crowd.
  static constexpr unsigned attempts = 4;

  static constexpr unsigned full_load = 1000;

  warpdex::layout const layout;
  unsigned const load;  ///< keys of each 1000 places for pairs that all buckets have at home
  policy const run;     ///< how batches run

 private:
  std::optional<std::uint64_t> const seed_;
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

/// Reads the arguments and options of a hash table. Pairs are aligned ones unless the spec says otherwise or
/// keys have 16 bytes.
/// @throws spec_error
hash_choice read_hash_choice(spec const& s, index_shape const& shape, hash_kind const& kind);

/// @throws spec_error
template <class Family>
std::unique_ptr<plan> resolve_hash(spec const& s, index_shape const& shape, hash_kind const& kind) {
  return std::make_unique<hash_plan_of<Family>>(read_hash_choice(s, shape, kind), shape);
}

}  // namespace warpdex
