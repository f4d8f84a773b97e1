// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/lookup.hpp"
#include "bench/report.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace warpdex::bench {

/// Arguments that do not parse.
struct bad_arguments : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What `warpdex-bench ARGUMENTS` prints.
/// @throws bad_arguments
std::string output_of(std::string const& arguments, bool json = true);

/// The lines of a benchmark.
std::vector<record> run(std::string const& arguments);

std::vector<record> of_kind(std::vector<record> const& lines, std::string const& kind);

/// A lookup that has not run, and any answer that is not right, are noticed.
/// @param right the answers to its probes
template <class Key>
void expect_wrong_answers_noticed(point_lookup<Key>& lookup, std::vector<std::uint32_t> right,
                                  std::vector<Key> const& keys, execution const& exec) {
  placed<std::uint32_t> const answers(right, exec);
  lookup.poison();
  EXPECT_THROW(lookup.check(answers, keys), error) << "nothing has been looked up yet";
  lookup.run();
  EXPECT_NO_THROW(lookup.check(answers, keys));
  for (auto& answer : right) {
    answer ^= 1;
    EXPECT_THROW(lookup.check(answers, keys), error);
    answer ^= 1;
  }
}

}  // namespace warpdex::bench
