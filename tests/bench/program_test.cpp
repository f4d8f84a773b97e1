// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <new>
#include <string>
#include <vector>

namespace warpdex::bench {
namespace {

struct outcome {
  int code;
  std::string out;
  std::string error;
};

/// Runs a program with a subcommand `act`.
outcome run(std::vector<char const*> arguments, std::function<int()> const& act) {
  CLI::App app("a program", "warpdex-bench");
  app.fallthrough();
  cli_context context;
  app.add_subcommand("act", "acts")->callback([&] { context.action = act; });
  arguments.insert(arguments.begin(), "warpdex-bench");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int const code = run_program(app, context, static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

template <class Failure> std::function<int()> fails_with(Failure const& failure) {
  return [=]() -> int { throw failure; };
}

TEST(bench_program, failures_are_exit_codes) {
  EXPECT_EQ(run({"act"}, [] { return 0; }).code, 0);
  EXPECT_EQ(run({"act"}, fails_with(usage_error("--n"))).code, 2);
  EXPECT_EQ(run({"act"}, fails_with(device_error("none"))).code, 3);
  EXPECT_EQ(run({"act"}, fails_with(out_of_memory("none"))).code, 3);
  EXPECT_EQ(run({"act"}, fails_with(std::bad_alloc())).error, "warpdex-bench: out of host memory\n");
  auto const failed = run({"act"}, fails_with(format_error("bad\x1b[2J.npy: \xff\nno keys")));
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.error, "warpdex-bench: bad\\x1b[2J.npy: \xff\nno keys\n");
  auto const message = nlohmann::json::parse(run({"act", "--json"}, fails_with(format_error("bad\xff.npy"))).error);
  EXPECT_EQ(message["error"], "bad\ufffd.npy");
  EXPECT_EQ(message["exit_code"], 1);
}

TEST(bench_program, wrong_words) {
  auto const none = [] { return 0; };
  for (auto const& words : {std::vector<char const*>{"actt"}, {"act", "--nothing"}, {}}) {
    auto const wrong = run(words, none);
    EXPECT_EQ(wrong.code, 2);
    EXPECT_TRUE(wrong.error.starts_with("warpdex-bench: ")) << wrong.error;
    EXPECT_TRUE(wrong.error.ends_with("see warpdex-bench --help\n")) << wrong.error;
    EXPECT_EQ(wrong.out, "");
  }
  EXPECT_EQ(run({"--help"}, none).code, 0);
  EXPECT_TRUE(run({"--version"}, none).out.starts_with("warpdex-bench "));
}

}  // namespace
}  // namespace warpdex::bench
