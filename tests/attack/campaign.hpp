// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>

/// @file
/// What the programs that attack warpdex share: rounds of random attempts, each with a seed of its own, so that the
/// round that fails can be repeated alone.
namespace warpdex::attack {

/// How many attempts there were, by what was tried and what came of it.
using tally = std::map<std::string, std::uint64_t>;

/// One round of attempts. Throws if warpdex did something wrong.
using attempt = std::function<void(std::mt19937_64& random, tally& tried)>;

/// Runs rounds in a process of its own, so that a crash or a hang ends a round and not the program, and prints what was
/// tried, or what went wrong and the seed that repeats it. Round i has the seed WARPDEX_TEST_SEED + i.
/// WARPDEX_ATTACK_SECONDS says how long to go on; without it there are `rounds`, the same each time.
/// @return the program's exit code
int run(std::string const& program, std::uint64_t rounds, attempt const& round);

}  // namespace warpdex::attack
