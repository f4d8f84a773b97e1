// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

namespace warpdex::test {

/// Runs `call` in a child process, which is ended if it hangs.
/// @return 0 if it returned true, 1 if false, 2 if it threw, 128 and the signal if that ended it
template <class Call> int in_child(Call const& call) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::alarm(120);
    int code = 2;
    try {
      code = call() ? 0 : 1;
    } catch (std::exception const&) {
    }
    ::_exit(code);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return 3;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace warpdex::test
