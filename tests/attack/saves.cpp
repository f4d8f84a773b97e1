// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Kills and limits for a program that saves an index, and for one that loads it and writes answers
/// (examples/exchange.cpp). Whatever happens to a run, its output is the file before or the file after, never a
/// mixture. No other file is left, and a failure is an exit code with a message.
#include "attack/campaign.hpp"
#include "attack/process.hpp"
#include "conformance/shapes.hpp"
#include "support/folder.hpp"
#include "support/sanitizers.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace warpdex::attack {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::microseconds;
using test::below;
using test::generator;
using test::pick;

constexpr uid_t nobody = 65534;

template <class... Args> void expect(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw std::runtime_error(fmt::format(text, std::forward<Args>(args)...));
}

std::string read(fs::path const& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(fs::path const& path, std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

void limit(int resource, rlim_t value) {
  rlimit const both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// A run that writes a file.
struct job {
  std::string name;
  std::vector<std::string> arguments;
  fs::path target;
  std::string before;  ///< the content of the target
  std::string after;
  microseconds takes{0};
};

/// A folder with an index, and runs that write there.
class scene {
 public:
  explicit scene(generator& random) : random_(random) {
    static std::vector<std::string> const specs = {"AO+BS",  "EO+KS(9)", "AO+PB+KS(17)",
                                                   "B+(16)", "HT(open)", "HT(buckets)"};
    spec_ = pick(random_, specs);
    type_ = pick(random_, std::vector<std::string>{"u32", "u64", "f64"});
    size_ = 1000 + below(random_, 60000);
    ::umask(0);
    fs::permissions(root_ / ".", fs::perms::all);
    std::string const index = path("index.wdx");
    jobs_ = {{"build", {"build", spec_, type_, index, std::to_string(size_ + 1)}, index, "", ""},
             {"find", {"find", path("kept.wdx"), path("rows.txt")}, path("rows.txt"), "before", ""}};
    expect_done({"build", spec_, type_, index, std::to_string(size_)});
    fs::copy_file(index, path("kept.wdx"));
    jobs_[0].before = read(index);
    for (job& j : jobs_) {
      reset(j);
      auto const begin = std::chrono::steady_clock::now();
      expect_done(j.arguments);
      j.takes = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin);
      j.after = read(j.target);
      reset(j);
    }
    for (auto const& entry : fs::directory_iterator(root_ / ".")) files_.insert(entry.path().filename());
  }

  // ---- the attacks

  /// A run that is ended at any moment.
  void kills() {
    job const& j = any_job();
    int const signal = pick(random_, std::vector<int>{SIGKILL, SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2, SIGABRT,
                                                      SIGPROF, SIGIO, SIGRTMIN, SIGRTMAX});
    process run(exchange(j.arguments));
    std::this_thread::sleep_for(moment(j));
    run.send(signal);
    outcome const end = run.wait();
    expect(end.signal == signal || end.exit_code == 128 + signal || end.exit_code == 0, "{} {}", j.name, end.text());
    expect_whole(j, end);
    if (signal != SIGTERM && signal != SIGINT) remove_others();
    expect_nothing_left(j);
  }

  /// A run with little address space.
  void memory() {
    if (test::under_address_sanitizer) return;  // its shadow memory takes terabytes of it
    job const& j = any_job();
    rlim_t const bytes = (rlim_t{1} << 20) * (8 + below(random_, 1 << (1 + below(random_, 10))));
    auto const prepare = [&] { limit(RLIMIT_AS, bytes); };
    if (process(exchange({"usage"}), prepare).wait().exit_code != 2) return;  // not even enough to start
    expect_done_or(1, j, process(exchange(j.arguments), prepare).wait());
  }

  /// A run with few threads. The superuser has no such limit, so the run becomes another user.
  void threads() {
    auto const prepare = [&] {
      ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // needs a thread itself
      limit(RLIMIT_NPROC, 1 + below(random_, 6));
      if (::getuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(127);
    };
    if (process(exchange({"usage"}), prepare).wait().exit_code != 2) return;  // that user cannot reach the program
    job j = jobs_[0];
    j.target = path("new.wdx");
    j.arguments[3] = j.target;
    j.before.clear();
    expect_done_or(1, j, process(exchange(j.arguments), prepare).wait());
    fs::remove(j.target);
  }

  /// A run with a limit on the size of files, which arrives as a signal or as an error.
  void file_sizes() {
    job const& j = any_job();
    bool const ignored = below(random_, 2) == 0;
    auto const prepare = [&, bytes = below(random_, j.after.size() + 5000)] {
      limit(RLIMIT_FSIZE, bytes);
      if (ignored) ::signal(SIGXFSZ, SIG_IGN);
    };
    outcome const end = process(exchange(j.arguments), prepare).wait();
    expect(end.exit_code == 0 || end.exit_code == 1 || (!ignored && end.signal == SIGXFSZ), "{} {}", j.name,
           end.text());
    expect_whole(j, end);
    if (end.signal == SIGXFSZ) remove_others();
    expect_nothing_left(j);
  }

  /// A run whose index file is cut while it is read.
  void shrinking_inputs() {
    job const& j = jobs_[1];
    std::string const whole = read(path("kept.wdx"));
    process run(exchange(j.arguments));
    std::this_thread::sleep_for(moment(j) / 2);
    fs::resize_file(path("kept.wdx"), below(random_, whole.size()));
    outcome const end = run.wait();
    write(path("kept.wdx"), whole);
    expect_done_or(1, j, end);
  }

  /// A run that others watch: they must not be able to open the file that replaces a private one.
  void spies() {
    job const& j = any_job();
    fs::permissions(j.target, fs::perms::owner_read | fs::perms::owner_write);
    process run(exchange(j.arguments));
    while (!run.ended()) {
      std::error_code gone;
      for (auto const& name : others()) {
        auto const mode = fs::status(path(name), gone).permissions();
        expect(gone || (mode & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none,
               "{}: {} can be opened by others while it is written", j.name, name);
      }
    }
    expect_done_or(0, j, run.wait());
  }

 private:
  // ---- the runs

  std::string path(std::string const& name) const { return root_ / name.c_str(); }

  static std::vector<std::string> exchange(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), WARPDEX_EXCHANGE);
    return arguments;
  }

  static void expect_done(std::vector<std::string> const& arguments) {
    outcome const end = process(exchange(arguments)).wait();
    expect(end.exit_code == 0, "undisturbed {} {}", arguments.front(), end.text());
  }

  job const& any_job() { return jobs_[below(random_, jobs_.size())]; }

  microseconds moment(job const& j) {
    return microseconds(below(random_, static_cast<std::uint64_t>(j.takes.count()) * 5 / 4 + 1));
  }

  static void reset(job const& j) {
    fs::remove(j.target);
    write(j.target, j.before);
  }

  // ---- the requirements

  /// Whether the run ended well or with this exit code, and left a whole file and no other. Makes the next run
  /// possible.
  void expect_done_or(int exit_code, job const& j, outcome const& end) {
    expect(end.exit_code == 0 || end.exit_code == exit_code, "{} {}", j.name, end.text());
    expect_whole(j, end);
    expect_nothing_left(j);
  }

  void expect_whole(job const& j, outcome const& end) {
    std::string const content = read(j.target);
    expect(content == j.after || content == j.before, "{} left a mixture of {} bytes; {}", j.name, content.size(),
           end.text());
    if (end.exit_code == 0) expect(content == j.after, "{} reports success, but its file is as it was", j.name);
    reset(j);
  }

  std::vector<std::string> others() const {
    std::vector<std::string> result;
    for (auto const& entry : fs::directory_iterator(root_ / "."))
      if (auto const name = entry.path().filename(); !files_.contains(name)) result.push_back(name);
    return result;
  }

  void remove_others() const {
    for (auto const& name : others()) fs::remove(path(name));
  }

  void expect_nothing_left(job const& j) const {
    for (auto const& name : others()) expect(path(name) == j.target, "{} left a file behind: {}", j.name, name);
  }

  generator& random_;
  test::folder root_;
  std::string spec_;
  std::string type_;
  std::uint64_t size_ = 0;
  std::vector<job> jobs_;
  std::set<std::string> files_;  ///< files that belong there
};

void one_round(generator& random, tally& tried) {
  struct {
    char const* name;
    void (scene::*run)();
  } const attacks[] = {{"runs that were killed", &scene::kills},
                       {"runs with little memory", &scene::memory},
                       {"runs with few threads", &scene::threads},
                       {"runs with a limit on files", &scene::file_sizes},
                       {"runs with shrinking inputs", &scene::shrinking_inputs},
                       {"runs watched by others", &scene::spies}};
  scene at(random);
  for (auto const& attack : attacks) {
    for (int i = 0; i < 4; ++i) {
      (at.*attack.run)();
      ++tried[attack.name];
    }
  }
}

}  // namespace
}  // namespace warpdex::attack

int main() { return warpdex::attack::run("attack_saves", 3, warpdex::attack::one_round); }
