// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "tools/program.hpp"

#include <warpdex/replacement.hpp>

#include <csignal>

namespace {

constexpr char const* examples = R"(Examples:
  warpdex build --index auto --keys orders.csv:id --out orders.wdx
  warpdex find --index orders.wdx --probes wanted.txt --out rows.csv
  warpdex update --index orders.wdx --insert today.csv:id --first-row 1000000
  warpdex floor --index AO+BS --keys starts.csv:first --probes addresses.npy
  warpdex prefix --index AO+BS --type bytes --keys cities.csv:name --probes beginnings.txt
  warpdex longest --index AO+BS --type bytes --keys makers.csv:prefix --probes serials.txt
  warpdex range --index orders.wdx --lower spans.csv:from --upper spans.csv:to
  warpdex join --how left --left orders.csv:customer --right customers.csv:id --out pairs.csv
  warpdex advise --keys orders.csv:id --workload points,order
  warpdex info

Exit codes: 0 done, 1 bad input (a file, a cell, a spec, an output path), 2 wrong usage,
3 out of memory, or a device is missing or failed.
)";

/// Removes incomplete files, then ends the process as the signal would have.
void clean_up_and_end(int signal) {
  warpdex::remove_unfinished();
  raise(signal);  // delivered on return, with the default action in place
}

bool ends_process(int signal) {
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU: return false;
    default: return true;
  }
}

/// Signals that were ignored from the start, as under nohup, stay ignored, and those that a sanitizer handles stay its
/// own. The system says which cannot be caught.
void clean_up_on_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    if (!ends_process(signal) || sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = clean_up_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  warpdex::occupy_standard_streams();
  clean_up_on_signals();
  warpdex::cli_context context;
  CLI::App app("warpdex: database indexes for batches of lookups, on CPUs and GPUs", "warpdex");
  add_program_flags(app, context, "Summaries on standard error, and answers of `advise` and `info`, as JSON");
  warpdex::cli::add_build(app, context);
  warpdex::cli::add_update(app, context);
  warpdex::cli::add_lookups(app, context);
  warpdex::cli::add_range(app, context);
  warpdex::cli::add_join(app, context);
  warpdex::cli::add_advise(app, context);
  warpdex::cli::add_info(app, context);
  return warpdex::run_program(app, context, examples, argc, argv);
}
