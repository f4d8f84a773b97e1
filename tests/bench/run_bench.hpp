// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/bench.hpp"
#include "bench/report.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace warpdex::bench {

/// Lines that `bench ARGUMENTS` prints.
inline std::vector<record> run(std::string const& arguments) {
  cli_context context;
  context.json = true;
  context.quiet = true;
  CLI::App app;
  add_command(app, context);
  app.parse("bench " + arguments);
  testing::internal::CaptureStdout();
  int code = -1;
  try {
    code = context.action();
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  std::istringstream printed(testing::internal::GetCapturedStdout());
  EXPECT_EQ(code, exit_success);
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

}  // namespace warpdex::bench
