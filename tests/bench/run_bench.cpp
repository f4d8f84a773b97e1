// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "run_bench.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

#include "bench/bench.hpp"
#include "bench/describe.hpp"

namespace warpdex::bench {

std::string output_of(std::string const& arguments, bool json) {
  bench_context context;
  context.json = json;
  context.quiet = true;
  CLI::App app;
  add_benchmarks(app, context);
  add_descriptions(app, context);
  app.require_subcommand(1);
  try {
    app.parse(arguments);
  } catch (CLI::ParseError const& refusal) {
    throw bad_arguments(refusal.what());
  }
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

std::vector<record> run(std::string const& arguments) {
  std::istringstream printed(output_of(arguments));
  std::vector<record> lines;
  for (std::string line; std::getline(printed, line);) lines.push_back(record::parse(line));
  return lines;
}

std::vector<record> of_kind(std::vector<record> const& lines, std::string const& kind) {
  std::vector<record> result;
  for (auto const& line : lines)
    if (line["kind"] == kind) result.push_back(line);
  return result;
}

}  // namespace warpdex::bench
