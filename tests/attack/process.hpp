// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpdex::attack {

/// How a program ended.
struct outcome {
  int exit_code = -1;  ///< if no signal ended it
  int signal = 0;
  std::string messages;  ///< its standard error

  std::string text() const {
    return signal != 0 ? fmt::format("ended by signal {} ({}): {}", signal, ::strsignal(signal), messages)
                       : fmt::format("exit code {}: {}", exit_code, messages);
  }
};

/// A run of a program. Standard output leads nowhere.
class process {
 public:
  /// @param arguments the program first
  /// @param prepare called in the new process, to set limits, change streams and the like
  explicit process(std::vector<std::string> const& arguments, std::function<void()> const& prepare = {})
      : messages_(::memfd_create("messages", MFD_CLOEXEC)) {
    if (messages_ < 0 || (id_ = ::fork()) < 0) throw std::runtime_error("cannot start a process");
    if (id_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int s = 1; s <= SIGRTMAX; ++s) ::signal(s, SIG_DFL);  // a shell may have set some to be ignored
    int const nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(messages_, STDERR_FILENO);
    std::vector<char*> pointers;
    for (auto const& a : arguments) pointers.push_back(const_cast<char*>(a.c_str()));
    pointers.push_back(nullptr);
    if (prepare) prepare();
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }
  process(process const&) = delete;
  ~process() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
    ::close(messages_);
  }

  void send(int signal) const { ::kill(id_, signal); }

  /// Whether it has ended; `wait` says how.
  bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == id_;
  }

  outcome wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
    id_ = -1;
    outcome result;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    else result.signal = WTERMSIG(status);
    result.messages.resize(4000);
    ssize_t const got = ::pread(messages_, result.messages.data(), result.messages.size(), 0);
    result.messages.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return result;
  }

 private:
  int messages_;
  pid_t id_ = -1;
};

}  // namespace warpdex::attack
