// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "app.hpp"
#include "io/replacement.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace {

/// Opens each standard stream that is closed, so that no file gets its number and the output that is meant for it. The
/// stream still fails, because it is open in the direction that nobody uses.
void occupy_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Removes incomplete files, then ends the process as the signal would have.
void clean_up_and_end(int signal) {
  warpdex::io::remove_unfinished();
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
  occupy_standard_streams();
  clean_up_on_signals();
  return warpdex::cli::run(argc, argv);
}
