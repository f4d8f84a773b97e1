// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"
#include "bench/describe.hpp"
#include "bench/program.hpp"

namespace {

constexpr char const* examples = R"(Examples:
  warpdex-bench point --index 'AO+BS,EO+KS(9)' --n 2^24 --probes 2^22
  warpdex-bench build --index AO+BS,HT(open) --n 2^26 --json
  warpdex-bench info auto --n 2^28 --workload points,ranges
  warpdex-bench advise --keys books_200M_uint64 --workload points,order

docs/reference/benchmark.md explains what is measured, and the fields of the results.
)";

}  // namespace

int main(int argc, char** argv) {
  warpdex::bench::bench_context context;
  CLI::App app("warpdex-bench: indexes and baselines, measured in one run; every result is checked", "warpdex-bench");
  app.fallthrough();  // which subcommands inherit
  warpdex::bench::add_benchmarks(app, context);
  warpdex::bench::add_descriptions(app, context);
  app.footer(examples);  // after the subcommands, or they would inherit it
  return run_program(app, context, argc, argv);
}
