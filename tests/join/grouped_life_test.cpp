// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/sharded.hpp>

#include "join/grouped_model.hpp"
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

template <class Group, class Key> class grouped_life {
 public:
  grouped_life(char const* spec, execution const& exec) : exec_(exec), model_(spec, some(60, 80, 90), exec) {}

  void insert(int from, int to) {
    index const* const entries = &model_.index().entries();
    model_.insert(some(25, from, to));
    EXPECT_EQ(&model_.index().entries(), entries);  // a reference to them outlives new numbers
  }
  void insert_or_assign(int from, int to) { model_.insert_or_assign(some(10, from, to)); }
  void erase(int from, int to) { model_.erase(some(20, from, to)); }
  void update(int from, int to) { model_.update(some(15, to - 2, to + 10), some(15, from, to)); }

  /// Files and copies are equal indexes, and can be updated.
  void expect_copies() {
    folder const files;
    grouped_index const& index = model_.index();
    index.save(files / "grouped");
    auto const bytes = index.save();
    EXPECT_GE(index.bytes(), index.entries().memory().total());
    for (bool const map : {false, true}) {
      if (map && exec_.memory->backend() == backend_kind::cuda) continue;
      grouped_index const loaded = grouped_index::load(files / "grouped", exec_, map);
      model_.expect_answers(loaded, "load");
      EXPECT_EQ(loaded.save(), bytes);
      EXPECT_EQ(loaded.bytes() > loaded.entries().memory().total(), index.bytes() > index.entries().memory().total());
    }
    // Bytes in memory of the library begin at lines of the cache, so that the CPU uses them in place.
    auto const owner = std::make_shared<buffer>(bytes.size(), execution(host_memory()));
    std::memcpy(owner->data(), bytes.data(), bytes.size());
    {
      std::span const held(owner->as<std::byte const>(), bytes.size());
      grouped_index const shared = grouped_index::load(held, owner, exec_);
      EXPECT_EQ(owner.use_count() > 1, exec_.memory->backend() == backend_kind::cpu);
      model_.expect_answers(shared, "load in place");
      EXPECT_EQ(shared.save(), bytes);
    }
    EXPECT_EQ(owner.use_count(), 1);
    grouped_index noted = grouped_index::load(save(index, "of a test"), exec_);
    EXPECT_EQ(noted.note(), "of a test");
    model_.replace(noted.clone(exec_));
    model_.expect("clone");
  }

  /// Entries in shards, made by the encoder of the index, answer the same.
  void expect_shards(char const* spec) {
    key_encoder const encoder = key_encoder::load(model_.index().encoder().save());
    auto shards = model_.with_columns([&](column groups, column keys, row_column rows) {
      std::vector<nullable_column> const columns = {groups, keys};
      key_list const places = encoder.encode(columns, exec_);
      bool const on_host = exec_.memory->backend() == backend_kind::cpu;
      std::vector<shard_place> const home = {on_host ? shard_place() : place_on(0)};
      return std::make_unique<sharded_index>(
          sharded_index::build(spec, places.view(), rows, placement::range, home, 3));
    });
    grouped_index const over(encoder, std::move(shards));
    model_.expect_answers(over, "sharding");
    EXPECT_TRUE(throws<unsupported>([&] { over.entries(); }, "in shards"));
    EXPECT_TRUE(throws<unsupported>([&] { over.save(); }, "save", "in shards"));
    if (over.any_entries().ordered()) expect_near(over);
  }

  /// The nearest entries are those of the index.
  void expect_near(grouped_index const& over) {
    std::uint32_t row = 0;
    numbered_entries const probes = some_entries(random_, 50, 75, 78, 75, 100, row);
    grouped_model<Group, Key> const asked("AO+BS", probes, exec_);
    asked.with_columns([&](column groups, column keys, row_column) {
      for (lookup const* const what : {&lookups::floor, &lookups::ceil}) {
        std::vector<std::uint32_t> found(probes.size()), expected(probes.size());
        over.look_up(*what, groups, {keys}, {row_output(found), key_output()}, exec_);
        model_.index().look_up(*what, groups, {keys}, {row_output(expected), key_output()}, exec_);
        EXPECT_EQ(found, expected);
      }
      for (asof_strategy const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest}) {
        if (std::is_same_v<Key, std::string> && strategy == asof_strategy::nearest) continue;
        std::vector<std::uint32_t> found(probes.size()), expected(probes.size());
        join_asof(over, groups, keys, row_output(found), exec_, {.strategy = strategy});
        join_asof(model_.index(), groups, keys, row_output(expected), exec_, {.strategy = strategy});
        EXPECT_EQ(found, expected);
        for (asof_ties const ties : {asof_ties::last, asof_ties::adjacent}) {
          join_asof(over, groups, keys, row_output(found), exec_, {.strategy = strategy, .ties = ties});
          join_asof(model_.index(), groups, keys, row_output(expected), exec_, {.strategy = strategy, .ties = ties});
          EXPECT_EQ(found, expected);
        }
        joined const pairs = join_asof(over, groups, keys, join_kind::left, exec_, {.strategy = strategy});
        joined const others = join_asof(model_.index(), groups, keys, join_kind::left, exec_, {.strategy = strategy});
        EXPECT_EQ(pairs.size, others.size);
      }
      return 0;
    });
  }

 private:
  numbered_entries some(int size, int from, int to) {
    return some_entries(random_, size, from, from + 3, from, to, next_row_);
  }

  execution const& exec_;
  std::mt19937_64 random_{test_seed()};
  std::uint32_t next_row_ = 0;
  grouped_model<Group, Key> model_;
};

class grouped_lives : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Group, class Key> void live(char const* spec) {
    SCOPED_TRACE(spec);
    grouped_life<Group, Key> life(spec, exec);
    life.insert(80, 90);   // all have numbers
    life.insert(78, 101);  // some are beyond
    life.erase(75, 95);
    life.expect_copies();
    life.expect_shards(spec);
    life.insert_or_assign(80, 90);
    life.insert_or_assign(60, 70);
    life.update(80, 85);
    life.update(100, 110);
    life.expect_copies();
    life.insert(80, 90);
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
  EXPECT_TRUE(throws<format_error>([&] { grouped_index::load(other, exec); }, "that of a plain index"));
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
                         [](auto const& backend) { return name_of(backend.param); });

}  // namespace
}  // namespace warpdex::test
