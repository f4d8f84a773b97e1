// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/program.hpp"

#include "bench/json_text.hpp"

#include <warpdex/version.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <sstream>
#include <string>

namespace warpdex::bench {
namespace {

int run_action(cli_context const& context) {
  auto const report = [&](exit_code code, std::string const& message) -> int {
    std::string const text = context.json ? json_text({{"error", message}, {"exit_code", static_cast<int>(code)}})
                                          : "warpdex-bench: " + printable(message);
    std::fprintf(stderr, "%s\n", text.c_str());
    return code;
  };
  try {
    return context.action();
  } catch (usage_error const& e) {
    return report(exit_usage, e.what());
  } catch (out_of_memory const& e) {
    return report(exit_out_of_memory, e.what());
  } catch (std::bad_alloc const&) {
    return report(exit_out_of_memory, "out of host memory");
  } catch (device_error const& e) {
    return report(exit_out_of_memory, e.what());
  } catch (std::exception const& e) {
    return report(exit_bad_input, e.what());
  }
}

}  // namespace

int run_program(CLI::App& app, cli_context& context, int argc, char** argv) {
  app.set_version_flag("--version", fmt::format("warpdex-bench {}", version()), "Print the version");
  app.add_flag("--json", context.json, "Results as JSON; goes with every subcommand");
  app.add_flag("-q,--quiet", context.quiet, "No progress; goes with every subcommand");
  app.require_subcommand(1);
  app.failure_message([](CLI::App const*, CLI::Error const& e) {
    return fmt::format("warpdex-bench: {}; see warpdex-bench --help\n", e.what());
  });
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    std::ostringstream problem;
    bool const fine = app.exit(e, std::cout, problem) == 0;
    std::fputs(printable(problem.str()).c_str(), stderr);
    return fine ? exit_success : exit_usage;
  }
  return run_action(context);
}

}  // namespace warpdex::bench
