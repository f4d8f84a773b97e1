// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/sharded.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace warpdex::test {

using numbers = std::vector<std::uint32_t>;

inline std::vector<shard_place> hosts(std::size_t count) { return std::vector<shard_place>(count); }

inline sharded_index in_ranges(numbers const& keys, std::size_t shards, char const* spec = "AO+BS") {
  return sharded_index::build(spec, keys, placement::range, hosts(shards));
}

inline numbers random_numbers(std::size_t count, std::uint32_t below, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  numbers result(count);
  for (auto& number : result) number = static_cast<std::uint32_t>(random() % below);
  return result;
}

}  // namespace warpdex::test
