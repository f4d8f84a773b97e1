// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"
#include "support/sanitizers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <vector>

/// @file
/// The command and its files in unusual conditions: closed streams, signals, several commands at a time.
namespace warpdex::cli {
namespace {

/// A descriptor that is closed at the end of a test.
struct opened {
  int number;
  opened(std::filesystem::path const& path, int flags) : number(open(path.c_str(), flags | O_CLOEXEC)) {
    EXPECT_GE(number, 0) << path;
  }
  opened(opened const&) = delete;
  ~opened() { close(number); }
};

/// Locks a whole file as `update` does, for writing (F_WRLCK) or for reading (F_RDLCK).
bool lock(opened const& file, short type) {
  struct flock whole {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return fcntl(file.number, F_OFD_SETLK, &whole) == 0;
}

class files : public cli_test {
 protected:
  files() {
    write("keys.csv", "name,id\na,30\nb,10\nc,20\nd,10\n");
    write("probes.txt", "10\n25\n30\n");
    output_of("build --index AO+BS --keys keys.csv:id --out index.wdx");
    EXPECT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  }

  /// Starts the command like a terminal, with the default actions of signals. Its messages go to `messages`.
  pid_t start(std::vector<std::string> arguments) const {
    pid_t const child = fork();
    if (child != 0) return child;
    arguments.insert(arguments.begin(), WARPDEX_COMMAND);
    std::vector<char*> words;
    for (auto& a : arguments) words.push_back(a.data());
    words.push_back(nullptr);
    int const messages = chdir(folder().c_str()) == 0 ? open("messages", O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    for (int signal = 1; signal <= SIGRTMAX; ++signal) std::signal(signal, SIG_DFL);
    rlimit const no_dumps{};
    setrlimit(RLIMIT_CORE, &no_dumps);
    if (dup2(messages, STDOUT_FILENO) >= 0 && dup2(messages, STDERR_FILENO) >= 0) execv(words[0], words.data());
    _exit(127);
  }

  /// Waits for the end of a command that was started. @return exit code, or 128 and the signal
  static int end_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Opens the pipe for writing, which waits until a command reads it.
  opened pipe_being_read() const { return {folder() / "pipe", O_WRONLY}; }

  std::string entries(std::string const& index) const {
    return nlohmann::json::parse(output_of("info --json --index " + index))["entries"].dump();
  }
};

constexpr char const* find = "find --index index.wdx --probes probes.txt ";
constexpr char const* found = "probe,row\n10,1\n25,\n30,0\n";

TEST_F(files, closed_streams_are_not_taken_for_results) {
  for (char const* const closed : {">&-", "<&-", ">&- <&-", ">&- 2>&- <&-"}) {
    EXPECT_EQ(output_of(find + std::string("--quiet --out rows.csv ") + closed + "; echo $?"), "0\n") << closed;
    EXPECT_EQ(read("rows.csv"), found) << closed;
    std::filesystem::remove(folder() / "rows.csv");
  }
  EXPECT_EQ(output_of(find + std::string(">&-; echo $?")), "1\n");
}

TEST_F(files, index_files_are_checked_as_asked_for) {
  for (char const* const checks : {"all", "structure", "none"})
    EXPECT_EQ(output_of(find + std::string("--check ") + checks), found) << checks;
  std::string bytes = read("index.wdx");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the last row id
  write("index.wdx", bytes);
  expect_failure(find, 1, "checksum");
  EXPECT_TRUE(output_of(find + std::string("--check structure")).starts_with("probe,row\n10,1\n25,\n"));
}

TEST_F(files, signals_leave_no_temporary_files) {
  write("rows.csv", "old");
  std::size_t const before = number_of_files();
  for (int const signal : {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,
                           SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
                           SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS,  SIGRTMIN,  SIGRTMAX}) {
    if (test::under_address_sanitizer && (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE)) continue;
    SCOPED_TRACE(signal);
    for (char const* const out : {"rows.csv", "new.csv"}) {
      pid_t const child = start({"-q", "find", "--index", "index.wdx", "--probes", "pipe", "--out", out});
      {
        opened const probes = pipe_being_read();
        EXPECT_EQ(number_of_files(), before + 2) << "messages, and a temporary file";
        kill(child, signal);
        EXPECT_EQ(end_of(child), 128 + signal);
      }
      std::filesystem::remove(folder() / "messages");
      EXPECT_EQ(number_of_files(), before);
      EXPECT_EQ(read("rows.csv"), "old");
    }
  }
}

TEST_F(files, limits_of_length_leave_no_temporary_files) {
  std::string keys;
  for (int i = 0; i < 20000; ++i) keys += std::to_string(i) + '\n';
  write("many.txt", keys);
  std::string const before = read("index.wdx");
  std::size_t const count = number_of_files();
  std::string const limit = "ulimit -f 32; ulimit -c 0;";
  for (char const* const command : {"build --index AO+BS --keys many.txt --out index.wdx",
                                    "update --index index.wdx --insert many.txt --first-row 4",
                                    "find --index AO+BS --keys many.txt --probes many.txt --out index.wdx"}) {
    EXPECT_EQ(run(command, limit).exit_code, 128 + SIGXFSZ) << command;
    EXPECT_EQ(number_of_files(), count) << command;
    EXPECT_EQ(run(command, "trap '' XFSZ;" + limit).exit_code, 1) << command;
    EXPECT_EQ(number_of_files(), count) << command;
    EXPECT_EQ(read("index.wdx"), before);
  }
}

TEST_F(files, results_never_replace_what_they_are_made_from) {
  std::filesystem::create_symlink("keys.csv", folder() / "link");
  std::filesystem::create_hard_link(folder() / "probes.txt", folder() / "twin");
  write("spans.csv", "from,to\n10,20\n");
  std::string const index = "--index index.wdx ";
  std::string const keys = "--index AO+BS --keys keys.csv:id ";
  std::string const probes = "--probes probes.txt ";
  auto const refused = [&](std::string const& arguments, std::string const& option) {
    expect_failure(arguments, 2, " is the file of " + option);
  };
  std::size_t const count = number_of_files();
  refused("build " + keys + "--out keys.csv", "--keys keys.csv:id");
  refused("build " + keys + "--out link", "--keys keys.csv:id");
  for (std::string const command : {"find ", "floor ", "count ", "retrieve "}) {
    refused(command + index + probes + "--out index.wdx", "--index index.wdx");
    refused(command + index + probes + "--out ./twin", "--probes probes.txt");
    refused(command + keys + probes + "--out link", "--keys keys.csv:id");
  }
  refused("range " + index + "--lower spans.csv:from --upper probes.txt --out index.wdx", "--index");
  refused("range " + index + "--lower spans.csv:from --upper probes.txt --out spans.csv", "--lower spans.csv:from");
  refused("range " + index + "--lower probes.txt --upper spans.csv:to --out spans.csv", "--upper spans.csv:to");
  refused("range " + keys + "--lower spans.csv:from --upper spans.csv:to --out keys.csv", "--keys");
  refused("update " + index + "--insert probes.txt --first-row 9 --out twin", "--insert probes.txt");
  refused("update " + index + "--insert keys.csv:id --rows probes.txt --out twin", "--rows probes.txt");
  refused("update " + index + "--erase probes.txt --out twin", "--erase probes.txt");
  EXPECT_EQ(number_of_files(), count);
  EXPECT_EQ(read("probes.txt"), "10\n25\n30\n");
  EXPECT_EQ(output_of(find), found);

  output_of("update " + index + "--erase probes.txt --out index.wdx");
  EXPECT_EQ(entries("index.wdx"), "1");
  output_of("find " + keys + probes + "--out /dev/null");
}

TEST_F(files, what_may_not_be_written_is_not_replaced) {
  std::filesystem::permissions(folder() / "index.wdx", std::filesystem::perms::owner_read);
  if (geteuid() == 0) GTEST_SKIP() << "root may write any file";
  std::string const before = read("index.wdx");
  expect_failure("build --index AO+BS --keys keys.csv:id --out index.wdx", 1, "index.wdx: cannot write");
  expect_failure("update --index index.wdx --erase probes.txt", 1, "index.wdx: cannot open for an update");
  EXPECT_EQ(read("index.wdx"), before);
}

TEST_F(files, names_of_255_bytes) {
  std::string const name(255, 'n');
  output_of(find + std::string("--out ") + name);
  EXPECT_EQ(read(name), found);
}

TEST_F(files, inputs_may_be_cut_short_once_they_are_read) {
  pid_t const child = start({"-q", "find", "--index", "index.wdx", "--probes", "pipe"});
  {
    opened const probes = pipe_being_read();
    std::filesystem::resize_file(folder() / "index.wdx", 0);
    EXPECT_EQ(::write(probes.number, "10\n25\n30\n", 9), 9);
  }
  EXPECT_EQ(end_of(child), 0) << read("messages");
  EXPECT_EQ(read("messages"), found);
}

TEST_F(files, devices_without_an_end_are_refused) {
  expect_failure("find --index AO+BS --keys /dev/null --probes probes.txt", 1, "/dev/null: is a device");
}

TEST_F(files, updates_at_the_same_time_lose_nothing) {
  constexpr int updates = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < updates; ++i) {
    write("new" + std::to_string(i), std::to_string(1000 + 2 * i) + '\n' + std::to_string(1001 + 2 * i) + '\n');
    children.push_back(start({"-q", "update", "--index", "index.wdx", "--insert", "new" + std::to_string(i),
                              "--first-row", std::to_string(100 + 2 * i)}));
  }
  for (pid_t const child : children) EXPECT_EQ(end_of(child), 0) << read("messages");
  EXPECT_EQ(entries("index.wdx"), std::to_string(4 + 2 * updates));
}

TEST_F(files, update_waits_for_the_file_that_takes_the_place) {
  output_of("update --index index.wdx --erase probes.txt --out other.wdx");
  pid_t child = -1;
  {
    opened const held(folder() / "index.wdx", O_RDWR);
    ASSERT_TRUE(lock(held, F_WRLCK));
    child = start({"-q", "update", "--index", "index.wdx", "--insert", "pipe", "--first-row", "9"});
    std::filesystem::rename(folder() / "other.wdx", folder() / "index.wdx");
  }
  {
    opened const keys = pipe_being_read();
    EXPECT_EQ(::write(keys.number, "40\n", 3), 3);
  }
  EXPECT_EQ(end_of(child), 0) << read("messages");
  EXPECT_EQ(output_of("retrieve --index index.wdx --probes probes.txt"), "probe,row\n");
  EXPECT_EQ(entries("index.wdx"), "2");
}

/// Who may only read a file gets no lock for writing. A shared one does not hold an update for ever.
TEST_F(files, update_waits_for_a_limited_time) {
  std::string const before = read("index.wdx");
  std::string const update = "update --index index.wdx --erase probes.txt --wait ";
  {
    opened const reader(folder() / "index.wdx", O_RDONLY);
    EXPECT_FALSE(lock(reader, F_WRLCK));
    ASSERT_TRUE(lock(reader, F_RDLCK));
    expect_failure(update + "0", 1, "index.wdx: waited 0 s for its lock, which a process that may only read it, by a");
    std::string const told = expect_failure(update + "2", 1, "index.wdx: waited 2 s for its lock");
    EXPECT_TRUE(told.starts_with("warpdex: waiting for the lock of index.wdx, which a process that may only read it"));
    EXPECT_EQ(expect_failure("-q " + update + "2", 1, "waited 2 s").find("waiting"), std::string::npos);
  }
  {
    opened const writer(folder() / "index.wdx", O_RDWR);
    ASSERT_TRUE(lock(writer, F_WRLCK));
    expect_failure(update + "0", 1, "index.wdx: waited 0 s for its lock, which another update holds");
  }
  {
    opened const other_lock(folder() / "index.wdx", O_RDONLY);
    ASSERT_EQ(flock(other_lock.number, LOCK_EX), 0) << "for which reading is enough";
    EXPECT_EQ(read("index.wdx"), before);
    output_of(update + "0");
  }
  EXPECT_EQ(entries("index.wdx"), "1");
}

TEST_F(files, update_refuses_a_file_that_took_the_place_of_the_one_it_read) {
  output_of("update --index index.wdx --erase probes.txt --out other.wdx");
  std::string const other = read("other.wdx");
  pid_t const child = start({"-q", "update", "--index", "index.wdx", "--insert", "pipe", "--first-row", "9"});
  {
    opened const keys = pipe_being_read();
    std::filesystem::rename(folder() / "other.wdx", folder() / "index.wdx");
    EXPECT_EQ(::write(keys.number, "40\n", 3), 3);
  }
  EXPECT_EQ(end_of(child), 1);
  EXPECT_NE(read("messages").find("index.wdx: another file has taken its place"), std::string::npos);
  EXPECT_EQ(read("index.wdx"), other);
}

}  // namespace
}  // namespace warpdex::cli
