// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "app.hpp"
#include "io/replacement.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace {

/// Gives each standard stream that is closed its number back, so that no file gets it and takes what is meant for
/// the stream. The stream fails all the same: it is open in the direction that nobody uses.
void occupy_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Ends the process as the signal would have, without the files that nobody will complete.
void clean_up_and_end(int signal) {
  warpdex::io::remove_unfinished();
  raise(signal);  // takes effect on return, when the default action is in place
}

/// Signals that were ignored from the start, as under nohup, stay so.
void clean_up_on_signals() {
  for (int const signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
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
