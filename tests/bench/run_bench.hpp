// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/bench.hpp"
#include "bench/describe.hpp"
#include "bench/lookup.hpp"
#include "bench/report.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace warpdex::bench {

/// What `warpdex-bench ARGUMENTS` prints.
inline std::string output_of(std::string const& arguments, bool json = true) {
  bench_context context;
  context.json = json;
  context.quiet = true;
  CLI::App app;
  add_benchmarks(app, context);
  add_descriptions(app, context);
  app.require_subcommand(1);
  app.parse(arguments);
  testing::internal::CaptureStdout();
  int code = -1;
  try {
    code = context.action();
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  EXPECT_EQ(code, exit_success);
  return testing::internal::GetCapturedStdout();
}

/// The lines of a benchmark.
inline std::vector<record> run(std::string const& arguments) {
  std::istringstream printed(output_of(arguments));
  std::vector<record> lines;
  for (std::string line; std::getline(printed, line);) lines.push_back(record::parse(line));
  return lines;
}

inline std::vector<record> of_kind(std::vector<record> const& lines, std::string const& kind) {
  std::vector<record> result;
  for (auto const& line : lines)
    if (line["kind"] == kind) result.push_back(line);
  return result;
}

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
