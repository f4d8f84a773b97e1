// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>

#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/scarce_memory.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

/// @file
/// Grouped indexes that are updated, saved, loaded and cloned, against lists of their entries.
namespace warpdex::test {
namespace {

/// @return the nth value of a type, in the order of the type; those of wide types are far apart
template <class T> T nth(int n) {
  if constexpr (std::is_same_v<T, std::string>) return std::string(static_cast<std::size_t>(n), 'm') + "z";
  else if constexpr (std::is_same_v<T, std::int64_t>) return (std::int64_t{n} - 100) * (std::int64_t{1} << 55);
  else if constexpr (std::is_same_v<T, u128>) return static_cast<u128>(n) << 100;
  else if constexpr (std::is_same_v<T, double>) return n / 4.0 - 20;
  else return static_cast<T>(n);
}

template <class T> auto column_of(std::vector<T> const& values) {
  if constexpr (std::is_same_v<T, std::string>) return byte_strings(values);
  else return column(values);
}

template <class Group, class Key> class grouped_life {
 public:
  grouped_life(char const* spec, execution const& exec)
      : exec_(exec),
        index_(grouped_index::build(spec, column_of(std::vector<Group>()), column_of(std::vector<Key>()), exec)) {
    batch const first = some(60, 80, 90);
    index_ = grouped_index::build(spec, column_of(first.groups), column_of(first.keys), exec);
    for (std::uint32_t i = 0; i < 60; ++i) entries_.push_back({first.groups[i], first.keys[i], i});
    expect_entries(index_);
  }

  void insert(int from, int to) {
    batch const more = some(25, from, to);
    EXPECT_EQ(index_.insert(column_of(more.groups), column_of(more.keys), row_column(more.rows), exec_).inserted, 25u);
    add(more);
    expect_entries(index_);
  }

  void insert_or_assign(int from, int to) {
    batch const more = some(10, from, to);
    std::uint64_t const before = entries_.size();
    erase_equal(more);
    update_counts const counts =
        index_.insert_or_assign(column_of(more.groups), column_of(more.keys), row_column(more.rows), exec_);
    EXPECT_EQ(counts.inserted, 10u);
    EXPECT_EQ(counts.erased, before - entries_.size());
    add(more);
    expect_entries(index_);
  }

  void erase(int from, int to) {
    batch const gone = some(20, from, to);
    std::uint64_t const before = entries_.size();
    erase_equal(gone);
    EXPECT_EQ(index_.erase(column_of(gone.groups), column_of(gone.keys), exec_).erased, before - entries_.size());
    expect_entries(index_);
  }

  void update(int from, int to) {
    batch const gone = some(15, from, to);
    batch more = some(15, to, to + 10);  // beside the others
    erase_equal(gone);
    (void)index_.update(column_of(more.groups), column_of(more.keys), row_column(more.rows), column_of(gone.groups),
                        column_of(gone.keys), exec_);
    add(more);
    expect_entries(index_);
  }

  /// Files and copies are equal indexes, and can be updated.
  void expect_copies() {
    folder const place;
    index_.save(place / "grouped");
    auto const bytes = index_.save();
    for (bool const map : {false, true}) {
      if (map && exec_.memory->backend() == backend_kind::cuda) continue;
      grouped_index const loaded = grouped_index::load(place / "grouped", exec_, map);
      expect_entries(loaded);
      EXPECT_EQ(loaded.save(), bytes);
    }
    // Bytes in memory of the library begin at lines of the cache, so that the CPU uses them in place.
    auto const owner = std::make_shared<buffer>(bytes.size(), execution(host_memory()));
    std::memcpy(owner->data(), bytes.data(), bytes.size());
    {
      std::span const held(owner->as<std::byte const>(), bytes.size());
      grouped_index const shared = grouped_index::load(held, owner, exec_);
      EXPECT_EQ(owner.use_count() > 1, exec_.memory->backend() == backend_kind::cpu);
      expect_entries(shared);
      EXPECT_EQ(shared.save(), bytes);
    }
    EXPECT_EQ(owner.use_count(), 1);
    index_ = grouped_index::load(save(index_, "of a test"), exec_);
    EXPECT_EQ(index_.note(), "of a test");
    expect_entries(index_.clone(exec_));
    index_ = index_.clone(exec_);
  }

 private:
  struct batch {
    std::vector<Group> groups;
    std::vector<Key> keys;
    std::vector<std::uint32_t> rows;
  };
  struct entry {
    Group group;
    Key key;
    std::uint32_t row;
  };

  batch some(int size, int from, int to) {
    batch made;
    for (int i = 0; i < size; ++i) {
      made.groups.push_back(nth<Group>(from + static_cast<int>(random_() % 3)));
      made.keys.push_back(nth<Key>(from + static_cast<int>(random_() % static_cast<unsigned>(to - from))));
      made.rows.push_back(next_row_++);
    }
    return made;
  }
  void add(batch const& more) {
    for (std::size_t i = 0; i < more.rows.size(); ++i) entries_.push_back({more.groups[i], more.keys[i], more.rows[i]});
  }
  void erase_equal(batch const& gone) {
    for (std::size_t i = 0; i < gone.keys.size(); ++i)
      std::erase_if(entries_, [&](entry const& e) { return e.group == gone.groups[i] && e.key == gone.keys[i]; });
  }

  void expect_entries(grouped_index const& found) const {
    ASSERT_EQ(found.size(), entries_.size());
    std::vector<Group> groups;
    for (int n = 40; n < 130; ++n) groups.push_back(nth<Group>(n));
    matches const all = found.range_retrieve(
        column_of(groups), {nullable_column(), nullable_column(), bound_kind::absent, bound_kind::absent}, exec_);
    output_rows const listed(all, exec_);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<entry> expected;
      for (entry const& e : entries_)
        if (e.group == groups[i]) expected.push_back(e);
      std::sort(expected.begin(), expected.end(),
                [](entry const& a, entry const& b) { return a.key < b.key || (a.key == b.key && a.row < b.row); });
      std::vector<std::uint32_t> rows(expected.size());
      std::transform(expected.begin(), expected.end(), rows.begin(), [](entry const& e) { return e.row; });
      ASSERT_EQ(listed.of(i), rows) << i;
    }
    std::vector<Group> of;
    std::vector<Key> keys;
    for (entry const& e : entries_) {
      of.push_back(e.group);
      keys.push_back(e.key);
    }
    std::vector<std::uint8_t> flags(of.size());
    found.contains(column_of(of), column_of(keys), flags, exec_);
    EXPECT_EQ(std::count(flags.begin(), flags.end(), 1), static_cast<std::ptrdiff_t>(flags.size()));
  }

  /// The lists of an answer on the host.
  class output_rows {
   public:
    output_rows(matches const& from, execution const& exec) : offsets_(from.probes + 1), rows_(from.total) {
      copy(offsets_.data(), from.offsets.data(), offsets_.size() * sizeof offsets_[0], exec);
      copy(rows_.data(), from.rows.data(), rows_.size() * sizeof rows_[0], exec);
    }
    std::vector<std::uint32_t> of(std::size_t i) const {
      auto const at = [&](std::uint64_t place) { return rows_.begin() + static_cast<std::ptrdiff_t>(place); };
      return {at(offsets_[i]), at(offsets_[i + 1])};
    }

   private:
    std::vector<std::uint64_t> offsets_;
    std::vector<std::uint32_t> rows_;
  };

  execution const& exec_;
  std::mt19937_64 random_{test_seed()};
  std::uint32_t next_row_ = 0;
  grouped_index index_;
  std::vector<entry> entries_;
};

class grouped_lives : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Group, class Key> void live(char const* spec) {
    SCOPED_TRACE(spec);
    grouped_life<Group, Key> made(spec, exec);
    made.insert(80, 90);   // all have numbers
    made.insert(78, 101);  // some are beyond
    made.erase(75, 95);
    made.expect_copies();
    made.insert_or_assign(80, 90);
    made.insert_or_assign(60, 70);
    made.update(80, 85);
    made.update(100, 110);
    made.expect_copies();
    made.insert(80, 90);
  }

  execution const exec{memory_of(GetParam())};
};

TEST_P(grouped_lives, integers) {
  live<std::uint32_t, std::uint32_t>("AO+BS");
  live<std::uint32_t, std::uint32_t>("B+(16)");
}
TEST_P(grouped_lives, groups_of_rank) { live<std::int64_t, std::int64_t>("AO+BS"); }
TEST_P(grouped_lives, keys_of_16_bytes) { live<std::uint32_t, u128>("AO+BS"); }
TEST_P(grouped_lives, strings) {
  live<std::string, double>("AO+BS");
  live<std::int64_t, std::string>("B+(16)");
}

TEST_P(grouped_lives, wrong_updates_change_nothing) {
  std::vector<std::uint32_t> const groups = {1, 2, 2}, keys = {5, 6, 7}, rows = {0, 1, 2};
  std::vector<std::uint64_t> const wide = {5, 6, 7};
  grouped_index x = grouped_index::build("AO+BS", column(groups), column(keys), exec);
  auto const bad = [&](auto const& call, auto const&... words) {
    EXPECT_TRUE(throws<invalid_argument>(call, words...));
    EXPECT_EQ(x.size(), 3u);
  };
  bad([&] { x.insert(column(groups), column(wide), row_column(rows), exec); }, "insert", "the column of keys", "u64");
  bad([&] { x.erase(column(wide), column(keys), exec); }, "erase", "the column of groups", "u64");
  bad([&] { x.insert(column(std::span(groups).first(2)), column(keys), row_column(rows), exec); },
      "the column of groups", "2 elements");
  std::vector<std::uint32_t> const far = {900, 2, 70}, none = {0, no_row<std::uint32_t>, 2};
  bad([&] { x.insert(column(far), column(keys), row_column(none), exec); }, "row");
  EXPECT_EQ(x.insert(column(far), column(far), row_column(rows), exec).inserted, 3u);
  grouped_index const moved = std::move(x);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_TRUE(throws<invalid_argument>([&] { x.erase(column(groups), column(keys), exec); }, "moved from"));
  EXPECT_EQ(moved.size(), 6u);
}

/// Each damaged byte of a file is an error, or harmless.
TEST_P(grouped_lives, damaged_files) {
  std::vector<std::string> const groups = {"a", "b", "b", "c"}, keys = {"x", "x", "y", "z"};
  grouped_index const x = grouped_index::build("AO+BS", byte_strings(groups), byte_strings(keys), exec);
  auto const bytes = x.save();
  EXPECT_TRUE(throws<format_error>([&] { index::load(bytes, exec); }, "the file is that of a grouped index"));
  std::vector<std::uint32_t> const plain = {1, 2};
  auto const other = index::build("AO+BS", column(plain), exec).save();
  EXPECT_TRUE(throws<format_error>([&] { grouped_index::load(other, exec); }, "numbers"));
  for (std::size_t i = 0; i < bytes.size(); i += i % 4096 < 400 ? 1 : 97) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    try {
      (void)grouped_index::load(damaged, exec);
      ADD_FAILURE() << "byte " << i << " may be wrong";
    } catch (format_error const&) {
    }
  }
  for (std::size_t size = 0; size < bytes.size(); size += 511)
    EXPECT_THROW((void)grouped_index::load(std::span(bytes).first(size), exec), format_error) << size;
}

INSTANTIATE_TEST_SUITE_P(all, grouped_lives, testing::ValuesIn(present_backends()),
                         [](auto const& made) { return name_of(made.param); });

}  // namespace
}  // namespace warpdex::test
