// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>
#include <warpdex/replacement.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "sharded/shards.hpp"
#include "support/child.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

namespace {

std::atomic<bool> without_locks = false;

}  // namespace

/// The system's, or that of a file system without locks. The library calls it too.
extern "C" int flock(int file, int how) noexcept {
  if (!without_locks) return static_cast<int>(::syscall(SYS_flock, file, how));
  errno = ENOLCK;
  return -1;
}

/// @file
/// Folders of sharded indexes: what is damaged, saves that end early, and several processes at one folder.
namespace warpdex::test {
namespace {

namespace fs = std::filesystem;

/// A folder with shards, and what can happen to it.
class sharded_folder : public testing::Test {
 protected:
  sharded_folder() { in_ranges(keys_, 3).save(path_); }

  std::vector<fs::path> shards() const {
    std::vector<fs::path> found;
    for (auto const& entry : fs::directory_iterator(path_))
      if (entry.path().filename() != "manifest.wdx") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }

  /// @return what begins with a text, such as the name of a shard
  std::vector<std::string> names(std::string const& begin) const {
    std::vector<std::string> found;
    for (auto const& entry : fs::directory_iterator(path_))
      if (std::string const name = entry.path().filename(); name.starts_with(begin)) found.push_back(name);
    return found;
  }

  /// Whether the folder has the shards that its manifest names, and nothing else.
  testing::AssertionResult is_tidy(std::size_t count) const {
    std::size_t const files_of_shards = names("").size();
    if (sharded_index::load(path_, hosts(1)).shards().size() == count && files_of_shards == count + 1)
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << files_of_shards << " files";
  }

  /// Saves in a process that the system kills in the third shard.
  void killed_save() const {
    sharded_index large = sharded_index::build("AO+BS", keys_, placement::range, hosts(1), 3);
    numbers const more(50000, 0xffffffff);
    large.insert(more, numbers(more.size(), 7), {});
    int const end = in_child([&] {
      rlimit const none{0, 0};
      rlimit const small{1 << 16, 1 << 16};
      ::setrlimit(RLIMIT_CORE, &none);
      ::setrlimit(RLIMIT_FSIZE, &small);
      ::signal(SIGXFSZ, SIG_DFL);
      large.save(path_);
      return true;
    });
    ASSERT_EQ(end, 128 + SIGXFSZ);
  }

  template <class Error, class... Words> testing::AssertionResult refused(Words const&... words) const {
    return throws<Error>([&] { (void)sharded_index::load(path_, hosts(2)); }, words...);
  }

  folder home_;
  fs::path const path_ = home_ / "index";
  numbers const keys_ = random_numbers(1000, 1u << 31, 8);
};

TEST_F(sharded_folder, any_number_of_places) {
  for (std::size_t const places : {1, 2, 5}) {
    sharded_index const index = sharded_index::load(path_, hosts(places), places == 2);
    EXPECT_EQ(index.shards().size(), 3u);
    EXPECT_EQ(index.find(keys_), in_ranges(keys_, 1).find(keys_));
  }
  EXPECT_EQ(index::load(shards()[0], {}).size(), sharded_index::load(path_, hosts(1)).shards()[0].entries);
}

TEST_F(sharded_folder, another_save_replaces_it) {
  auto const before = shards();
  in_ranges({1, 2}, 2).save(path_);
  EXPECT_EQ(shards().size(), 2u);
  EXPECT_NE(shards(), before);
  EXPECT_EQ(sharded_index::load(path_, hosts(2)).size(), 2u);
}

TEST_F(sharded_folder, copies_are_stored_once) {
  sharded_index::build("AO+BS", keys_, placement::replicate, hosts(2)).save(path_);
  EXPECT_EQ(shards().size(), 1u);
  sharded_index const index = sharded_index::load(path_, hosts(3));
  EXPECT_EQ(index.how(), placement::replicate);
  EXPECT_EQ(index.shards().size(), 3u);
  EXPECT_EQ(index.size(), keys_.size());
}

TEST_F(sharded_folder, without_manifest) {
  fs::remove(path_ / "manifest.wdx");
  EXPECT_TRUE(refused<io_error>("manifest.wdx"));
}

TEST_F(sharded_folder, foreign_manifest) {
  fs::copy_file(shards()[0], path_ / "manifest.wdx", fs::copy_options::overwrite_existing);
  EXPECT_TRUE(refused<format_error>("manifest.wdx", "that of a plain index"));
}

TEST_F(sharded_folder, missing_shard) {
  fs::remove(shards()[1]);
  EXPECT_TRUE(refused<io_error>("shard 1 of 3, on the host", shards()[0].filename().string().substr(0, 22)));
}

TEST_F(sharded_folder, swapped_shards) {
  auto const files = shards();
  fs::rename(files[0], path_ / "other");
  fs::rename(files[2], files[0]);
  fs::rename(path_ / "other", files[2]);
  EXPECT_TRUE(refused<format_error>("shard 0 of 3", "the file is not shard 0 of this folder"));
}

TEST_F(sharded_folder, truncated_shard) {
  fs::resize_file(shards()[2], fs::file_size(shards()[2]) / 2);
  EXPECT_TRUE(refused<format_error>("shard 2 of 3"));
}

TEST_F(sharded_folder, foreign_shard) {
  auto const files = shards();
  index::build("AO+BS", keys_, {}).save(files[1]);
  EXPECT_TRUE(refused<format_error>("the file is not shard 1 of this folder"));
}

TEST_F(sharded_folder, the_manifest_is_no_index) {
  EXPECT_TRUE(throws<format_error>([&] { (void)index::load(path_ / "manifest.wdx", {}); },
                                   "manifest.wdx: the file is the manifest of a sharded index; load its folder"));
}

TEST_F(sharded_folder, no_folder) {
  std::ofstream(home_ / "file") << "text";
  EXPECT_TRUE(throws<io_error>([&] { in_ranges(keys_, 2).save(home_ / "file"); }, "cannot make the folder"));
}

TEST_F(sharded_folder, a_save_removes_what_killed_ones_left) {
  for (int i = 0; i < 3; ++i) {
    killed_save();
    EXPECT_EQ(names("shard-").size(), 3u + 2u);  // those of the last save that was killed
    EXPECT_EQ(names(".warpdex-").size(), 2u);    // the third one, and what says that a save is at work
    EXPECT_EQ(sharded_index::load(path_, hosts(1)).size(), keys_.size());
  }
  in_ranges(keys_, 2).save(path_);
  EXPECT_TRUE(is_tidy(2));
}

TEST_F(sharded_folder, a_save_removes_what_the_first_one_left) {
  fs::remove_all(path_);
  killed_save();
  EXPECT_EQ(names("shard-").size(), 2u);
  EXPECT_TRUE(refused<io_error>("manifest.wdx"));
  in_ranges(keys_, 2).save(path_);
  EXPECT_TRUE(is_tidy(2));
}

/// Nobody can tell whether the save is at work that has begun its files.
TEST_F(sharded_folder, without_locks_unfinished_saves_stay) {
  killed_save();
  auto const unfinished = names(".warpdex-");
  without_locks = true;
  in_ranges(keys_, 2).save(path_);
  EXPECT_EQ(names(".warpdex-"), unfinished);
  EXPECT_EQ(names("shard-").size(), 2u + 2u);
  in_ranges(keys_, 4).save(path_);
  EXPECT_EQ(names("shard-").size(), 4u + 2u);
  without_locks = false;
  in_ranges(keys_, 3).save(path_);
  EXPECT_TRUE(is_tidy(3));
}

TEST_F(sharded_folder, other_files_stay) {
  replacement next(path_ / "other.wdx");
  std::vector<std::string> const names{"shard-1.wdx", "shard-0123456789abcdef-0.txt", "shard-0123456789ABCDEF-0.wdx",
                                       ".warpdex-1.tmp", "notes"};
  for (std::string const& name : names) std::ofstream(path_ / name) << "text";
  in_ranges(keys_, 2).save(path_);
  next.commit(replacement::durability::of_the_system);
  EXPECT_EQ(this->names("").size(), 1 + 2 + 1 + names.size());
}

/// A manifest that cannot be read may name any shard.
TEST_F(sharded_folder, a_damaged_manifest_loses_no_shards) {
  auto const before = shards();
  fs::resize_file(path_ / "manifest.wdx", 100);
  killed_save();
  for (fs::path const& shard : before) EXPECT_TRUE(fs::exists(shard));
  in_ranges(keys_, 2).save(path_);
  EXPECT_TRUE(is_tidy(2));
}

/// A process is stopped in the middle of a save, and another one saves.
TEST_F(sharded_folder, shards_of_a_save_at_work_stay) {
  fs::path const enough = home_ / "enough";
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(120);
    while (!fs::exists(enough)) in_ranges(keys_, 5).save(path_);
    ::_exit(0);
  }
  std::vector<fs::path> begun;
  while (begun.empty()) {
    int status = 0;
    ASSERT_EQ(::kill(child, SIGSTOP), 0);
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    for (std::string const& name : names(".warpdex-"))
      for (std::string const& shard : names("shard-" + name.substr(9, 16))) begun.push_back(path_ / shard);
    if (begun.empty()) ::kill(child, SIGCONT);
  }
  in_ranges(keys_, 2).save(path_);
  for (fs::path const& shard : begun) EXPECT_TRUE(fs::exists(shard)) << shard;
  EXPECT_EQ(sharded_index::load(path_, hosts(1)).shards().size(), 2u);
  std::ofstream(enough) << "";
  ::kill(child, SIGCONT);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_tidy(5));
}

TEST_F(sharded_folder, saves_at_once_leave_one_index) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::thread> savers;
    for (std::size_t count = 2; count < 6; ++count)
      savers.emplace_back([this, count] {
        for (int i = 0; i < 5; ++i) in_ranges(keys_, count).save(path_);
      });
    for (std::thread& saver : savers) saver.join();
    EXPECT_TRUE(is_tidy(sharded_index::load(path_, hosts(1)).shards().size()));
  }
}

/// Calls a function before each allocation.
class told_memory final : public memory_resource {
 public:
  explicit told_memory(std::function<void()> tell) : tell_(std::move(tell)) {}

  void* allocate(std::size_t bytes, stream_ref stream) override {
    tell_();
    return host_memory().allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    host_memory().deallocate(pointer, bytes, stream);
  }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }

 private:
  std::function<void()> tell_;
};

/// Another save ends after the first shard was read, and removes the others.
TEST_F(sharded_folder, a_load_during_a_save_gets_the_new_index) {
  bool saved = false;
  told_memory memory([&] {
    if (!std::exchange(saved, true)) in_ranges({1, 2, 3, 4}, 2).save(path_);
  });
  std::vector<shard_place> const places{{execution(memory)}};
  sharded_index const loaded = sharded_index::load(path_, places);
  EXPECT_TRUE(saved);
  EXPECT_EQ(loaded.size(), 4u);
}

TEST_F(sharded_folder, a_load_that_saves_outrun_ends) {
  int saves = 0;
  told_memory memory([&] {
    ++saves;
    in_ranges(keys_, 3).save(path_);
  });
  std::vector<shard_place> const places{{execution(memory)}};
  EXPECT_TRUE(throws<io_error>([&] { (void)sharded_index::load(path_, places); }, "cannot open"));
  EXPECT_GT(saves, 1);
}

TEST_F(sharded_folder, that_nobody_may_write) {
  fs::permissions(path_, fs::perms(0555));
  fs::permissions(home_ / "", fs::perms(0755));
  auto const before = names("");
  EXPECT_EQ(in_child([&] {
              if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return false;
              return throws<io_error>([&] { in_ranges(keys_, 2).save(path_); }, "manifest.wdx: cannot create a file",
                                      "Permission denied") &&
                     sharded_index::load(path_, hosts(1)).size() == keys_.size();
            }),
            0);
  EXPECT_EQ(names(""), before);
  fs::permissions(path_, fs::perms(0755));
}

}  // namespace
}  // namespace warpdex::test
