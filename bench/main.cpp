// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"
#include "tools/program.hpp"

namespace {

constexpr char const* examples = R"(Examples:
  warpdex-bench point --index 'AO+BS,EO+KS(9)' --n 2^24 --probes 2^22
  warpdex-bench build --index AO+BS,HT(open) --n 2^26 --json

docs/reference/benchmark.md explains what is measured, and the fields of the results.
)";

}  // namespace

int main(int argc, char** argv) {
  warpdex::occupy_standard_streams();
  warpdex::bench::bench_context context;
  CLI::App app("warpdex-bench: indexes and baselines, measured in one run; every result is checked", "warpdex-bench");
  add_program_flags(app, context, "Results as lines of JSON");
  warpdex::bench::add_benchmarks(app, context);
  return run_program(app, context, examples, argc, argv);
}
