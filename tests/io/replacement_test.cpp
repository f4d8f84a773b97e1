// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/replacement.hpp>

#include "support/expect.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <functional>
#include <sstream>

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using test::throws;
using enum replacement::durability;

constexpr uid_t somebody = 65534;
constexpr uid_t somebody_else = 65533;

mode_t mode_of(fs::path const& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

class io_replacement : public testing::Test {
 protected:
  fs::path at(std::string const& name) const { return folder_ / name.c_str(); }

  void put(std::string const& name, mode_t mode) const {
    std::ofstream(at(name)) << "old";
    ASSERT_EQ(::chmod(at(name).c_str(), mode), 0);
  }

  std::string content(std::string const& name) const {
    std::ostringstream text;
    text << std::ifstream(at(name)).rdbuf();
    return text.str();
  }

  /// Replaces a file with "new".
  static void replace(fs::path const& path) {
    replacement next(path);
    ASSERT_EQ(::write(next.file(), "new", 3), 3);
    next.commit(flushed);
  }

  /// @return the path of the one temporary file
  fs::path unfinished() const {
    std::string const before = ".warpdex-";
    std::string const after = ".tmp";
    fs::path found;
    for (auto const& entry : fs::directory_iterator(at(""))) {
      std::string const name = entry.path().filename();
      if (!name.starts_with(before)) continue;
      EXPECT_TRUE(found.empty()) << "a second one";
      EXPECT_EQ(name.size(), before.size() + 16 + after.size());
      EXPECT_EQ(name.find_first_not_of("0123456789abcdef", before.size()), before.size() + 16);
      EXPECT_TRUE(name.ends_with(after));
      found = entry.path();
    }
    EXPECT_FALSE(found.empty());
    return found;
  }

  /// Runs a test as another user if this one is root, since root may do anything.
  void as_somebody(std::function<void()> const& test) const {
    if (::geteuid() != 0) return test();
    pid_t const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (::setgid(somebody) != 0 || ::setuid(somebody) != 0) ::_exit(2);
      test();
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  test::folder folder_;
};

TEST_F(io_replacement, is_private_until_it_has_the_mode_of_the_old_file) {
  for (mode_t const mode : {0600u, 0640u, 0664u, 0755u}) {
    put("a", mode);
    {
      replacement next(at("a"));
      EXPECT_EQ(mode_of(unfinished()), 0600u);
      next.commit(of_the_system);
    }
    EXPECT_EQ(mode_of(at("a")), mode);
    EXPECT_EQ(content("a"), "");
    EXPECT_EQ(folder_.files(), 1u);
  }
}

TEST_F(io_replacement, of_nothing_has_what_the_umask_leaves) {
  mode_t const before = ::umask(027);
  replace(at("a"));
  ::umask(before);
  EXPECT_EQ(mode_of(at("a")), 0640u);
  EXPECT_EQ(content("a"), "new");
}

TEST_F(io_replacement, names_are_not_those_of_before) {
  fs::path first;
  {
    replacement const next(at("a"));
    first = unfinished();
  }
  EXPECT_EQ(folder_.files(), 0u);
  replacement const next(at("a"));
  EXPECT_NE(unfinished(), first);
}

TEST_F(io_replacement, names_of_any_length) {
  for (std::size_t const length : {249, 255}) {
    std::string const name(length, 'n');
    replace(at(name));
    replace(at(name));
    EXPECT_EQ(content(name), "new");
  }
  EXPECT_EQ(folder_.files(), 2u);
  EXPECT_TRUE(throws<io_error>([&] { replacement(at(std::string(256, 'n'))); }, "File name too long"));
}

TEST_F(io_replacement, without_commit_the_old_file_stays) {
  put("a", 0644);
  {
    replacement const next(at("a"));
    EXPECT_EQ(folder_.files(), 2u);
  }
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(folder_.files(), 1u);
}

TEST_F(io_replacement, links_are_followed) {
  fs::create_directories(at("other"));
  fs::create_symlink("other/second", at("first"));
  fs::create_symlink("../target", at("other/second"));
  replace(at("first"));  // leads to no file yet
  EXPECT_TRUE(fs::is_symlink(at("first")));
  EXPECT_TRUE(fs::is_symlink(at("other/second")));
  EXPECT_FALSE(fs::is_symlink(at("target")));
  EXPECT_EQ(content("target"), "new");
  put("target", 0644);
  replace(at("first"));
  EXPECT_EQ(content("target"), "new");
  fs::create_symlink(at("absolute target"), at("absolute"));
  replace(at("absolute"));
  EXPECT_EQ(content("absolute target"), "new");
}

TEST_F(io_replacement, links_without_end_are_refused) {
  fs::create_symlink("loop", at("loop"));
  EXPECT_TRUE(throws<io_error>([&] { replacement(at("loop")); }, "/loop: cannot write: Too many levels"));
  EXPECT_TRUE(fs::is_symlink(at("loop")));
  EXPECT_EQ(folder_.files(), 1u);
}

TEST_F(io_replacement, what_is_no_file_is_refused) {
  EXPECT_TRUE(throws<io_error>([&] { replacement(at("")); }, "Is a directory"));
  EXPECT_TRUE(throws<io_error>([&] { replacement("/dev/null"); }, "not a regular file"));
  EXPECT_TRUE(throws<io_error>([&] { replacement(at("none/a")); }, "No such file or directory"));
  EXPECT_TRUE(throws<io_error>([&] { replacement(at("none/")); }, "No such file or directory"));
  EXPECT_TRUE(throws<io_error>([&] { replacement(""); }, "No such file or directory"));
  put("plain", 0644);
  EXPECT_TRUE(throws<io_error>([&] { replacement(at("plain/a")); }, "Not a directory"));
}

TEST_F(io_replacement, what_the_caller_may_not_write_is_refused) {
  put("a", 0444);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(at("a").c_str(), somebody, somebody), 0);
  }
  ASSERT_EQ(::chmod(at("").c_str(), 0777), 0);
  as_somebody([&] {
    EXPECT_TRUE(throws<io_error>([&] { replacement(at("a")); }, "/a: cannot write: Permission denied"));
    EXPECT_EQ(folder_.files(), 1u);
  });
}

TEST_F(io_replacement, owners_are_kept_or_the_file_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "files of another owner take root to make";
  put("a", 0666);
  ASSERT_EQ(::chown(at("a").c_str(), somebody_else, somebody_else), 0);
  ASSERT_EQ(::chmod(at("").c_str(), 0777), 0);
  as_somebody([&] {
    EXPECT_TRUE(throws<io_error>([&] { replacement(at("a")); }, "/a: cannot keep its owner 65533", "not permitted"));
    EXPECT_EQ(content("a"), "old");
    EXPECT_EQ(folder_.files(), 1u);
  });
  replace(at("a"));
  struct stat status {};
  ASSERT_EQ(::stat(at("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, somebody_else);
  EXPECT_EQ(status.st_gid, somebody_else);
  EXPECT_EQ(status.st_mode & 07777, 0666u);
  EXPECT_EQ(content("a"), "new");
}

TEST_F(io_replacement, unfinished_ones_can_be_removed_at_once) {
  put("a", 0644);
  replacement next(at("a"));
  replacement const other(at("b"));
  replace(at("c"));
  EXPECT_EQ(folder_.files(), 4u);
  remove_unfinished();
  EXPECT_EQ(folder_.files(), 2u);
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(content("c"), "new");
  EXPECT_TRUE(throws<io_error>([&] { next.commit(of_the_system); }, "/a: cannot rename"));
}

TEST_F(io_replacement, any_number_at_a_time) {
  {
    std::deque<replacement> many;
    for (int i = 0; i < 100; ++i) many.emplace_back(at(std::to_string(i)));
    EXPECT_EQ(folder_.files(), 100u);
    many.pop_front();
    EXPECT_EQ(folder_.files(), 99u);
  }
  EXPECT_EQ(folder_.files(), 0u);
  replacement const next(at("a"));
  remove_unfinished();
  EXPECT_EQ(folder_.files(), 0u);
}

}  // namespace
}  // namespace warpdex
