// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>

/// @file
/// Shared by the programs that attack warpdex: rounds of random attempts, each with its own seed. So a failed round can
/// be repeated alone.
namespace warpdex::attack {

/// Numbers of attempts, by kind of attempt and outcome.
using tally = std::map<std::string, std::uint64_t>;

/// One round of attempts. Throws if warpdex did something wrong.
using attempt = std::function<void(std::mt19937_64& random, tally& tried)>;

/// Runs rounds in a child process, so a crash or a hang ends the round and not the program. Prints the attempts, or the
/// failure and the seed that repeats it. Round i has the seed WARPDEX_TEST_SEED + i. WARPDEX_ATTACK_SECONDS says how
/// long to go on; without it there are `rounds` rounds, the same each time.
/// @return the program's exit code
int run(std::string const& program, std::uint64_t rounds, attempt const& round);

}  // namespace warpdex::attack
