// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/damage.hpp"
#include "support/limited_memory.hpp"
#include "support/sanitizers.hpp"

#include <warpdex/search/bplus_tree.hpp>
#include <warpdex/search/harmonia.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

/// @file
/// Batches that B+ and Harmonia apply in place: thousands of them against a sorted set, their effect on the leaves, and
/// updates without enough memory.
namespace warpdex::test {
namespace {

/// The expected content of an index: its entries in order, repeated ones too.
template <class Key> using entries_of = std::multiset<std::pair<Key, std::uint32_t>>;

/// How a batch chooses its keys.
enum class batch_kind : std::uint8_t { scattered, in_one_leaf, at_the_end, repeated };

/// An index and its expected content.
template <class Key> class updated_tree {
 public:
  updated_tree(std::string const& spec, std::uint64_t size, execution const& exec, std::uint64_t seed)
      : random_(seed), exec_(exec) {
    for (std::uint64_t i = 0; i < size; ++i) held_.emplace(any_key(), static_cast<std::uint32_t>(below(size)));
    auto const [keys, rows] = columns(held_);
    tree_.emplace(index::build(spec, std::span(keys), std::span(rows), exec));
  }

  index& tree() { return *tree_; }
  entries_of<Key> const& held() const { return held_; }

  /// One random batch, applied to both.
  void step(batch_kind kind, std::uint64_t most) {
    std::vector<Key> insert;
    std::vector<Key> erase;
    std::uint64_t const inserts = kind == batch_kind::at_the_end ? most : below(most + 1);
    Key const near = held_.empty() ? Key{} : std::next(held_.begin(), static_cast<long>(below(held_.size())))->first;
    for (std::uint64_t i = 0; i < inserts; ++i) insert.push_back(inserted_key(kind, near));
    for (std::uint64_t i = inserts; i < most; ++i) erase.push_back(erased_key(kind, near));
    std::vector<std::uint32_t> rows(insert.size());
    for (auto& row : rows) row = static_cast<std::uint32_t>(below(1000));
    bool const assigns = below(8) == 0;
    if (assigns) tree_->insert_or_assign(std::span(insert), std::span(rows), exec_);
    else tree_->update(std::span(insert), std::span(rows), std::span(erase), exec_);
    if (assigns) erase = insert;
    std::set<Key> const both_kinds(insert.begin(), insert.end());
    for (Key const key : erase)
      if (assigns || !both_kinds.contains(key)) held_.erase(held_.lower_bound({key, 0}), held_.upper_bound({key, ~0u}));
    std::set<Key> const erased(erase.begin(), erase.end());
    for (std::size_t i = 0; i < insert.size(); ++i)
      if (assigns || !erased.contains(insert[i])) held_.emplace(insert[i], rows[i]);
  }

  /// Expects that the tree is whole, has these entries in this order, and finds them.
  void expect_right() {
    tree_->verify(exec_);
    ASSERT_EQ(tree_->size(), held_.size());
    std::vector<Key> const lower = {0};
    std::vector<Key> const upper = {std::numeric_limits<Key>::max()};
    auto const found = tree_->range_retrieve({std::span(lower), std::span(upper)}, exec_);
    auto const [keys, rows] = columns(held_);
    ASSERT_EQ(read_buffer<std::uint32_t>(found.rows, found.total, exec_), rows);
    std::vector<Key> probes = upper;
    for (int i = 0; i < 20; ++i) probes.push_back(static_cast<Key>(any_key() + below(2)));
    std::vector<std::uint64_t> ranks(probes.size());
    std::vector<std::uint64_t> sums(probes.size());
    std::vector<std::uint32_t> first(probes.size());
    std::vector<Key> const zeros(probes.size());
    tree_->lower_bound(std::span(probes), std::span(ranks), exec_);
    tree_->range_sum({std::span(zeros), std::span(probes)}, std::span(sums), exec_);
    tree_->find(std::span(probes), std::span(first), exec_);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      auto const at = std::lower_bound(keys.begin(), keys.end(), probes[i]) - keys.begin();
      auto const end = std::upper_bound(keys.begin(), keys.end(), probes[i]) - keys.begin();
      ASSERT_EQ(ranks[i], static_cast<std::uint64_t>(at));
      ASSERT_EQ(first[i], at == end ? no_row<std::uint32_t> : rows[static_cast<std::size_t>(at)]);
      std::uint64_t sum = 0;
      for (auto k = rows.begin(); k < rows.begin() + end; ++k) sum += *k;
      ASSERT_EQ(sums[i], sum);
    }
  }

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  Key any_key() { return static_cast<Key>(random_() % 60000 * (std::numeric_limits<Key>::max() / 59999)); }

  static std::pair<std::vector<Key>, std::vector<std::uint32_t>> columns(entries_of<Key> const& of) {
    std::pair<std::vector<Key>, std::vector<std::uint32_t>> result;
    for (auto const& [key, row] : of) result.first.push_back(key), result.second.push_back(row);
    return result;
  }

 private:
  Key inserted_key(batch_kind kind, Key near) {
    switch (kind) {
      case batch_kind::scattered: return any_key();
      case batch_kind::in_one_leaf: return static_cast<Key>(near + below(3));
      case batch_kind::at_the_end: return static_cast<Key>(std::numeric_limits<Key>::max() - below(500));
      default: return near;
    }
  }
  Key erased_key(batch_kind kind, Key near) {
    if (kind == batch_kind::scattered && below(2) == 0) return any_key();
    auto at = held_.lower_bound({near, 0});
    for (std::uint64_t i = below(kind == batch_kind::scattered ? 500 : 50); i > 0 && at != held_.end(); --i) ++at;
    return at == held_.end() ? near : at->first;
  }

  std::mt19937_64 random_;
  execution exec_;
  entries_of<Key> held_;
  std::optional<index> tree_;
};

template <class Key, int Fanout, int Slots> using bplus = bplus_tree<Fanout, Slots, soa_pairs<Key, std::uint32_t>>;
template <class Key> using harmonia_32 = harmonia<32, soa_pairs<Key, std::uint32_t>>;

class bplus_updates_on : public testing::TestWithParam<backend_kind> {
 protected:
  /// Whether the tree has the extra arrays that updates in place leave.
  template <class View> static bool is_linked(index const& tree) { return tree.view<View>().bases != nullptr; }

  template <class View> void run(std::string const& spec, std::uint64_t size, int batches, std::uint64_t most) {
    using Key = typename View::key_type;
    SCOPED_TRACE(spec + ", " + std::to_string(sizeof(Key) * 8) + " bits");
    if (under_sanitizer) batches /= 12;
    updated_tree<Key> t(spec, size, exec_, size);
    int in_place = 0;
    for (int i = 0; i < batches; ++i) {
      SCOPED_TRACE(i);
      ASSERT_NO_FATAL_FAILURE(t.step(static_cast<batch_kind>(i / 3 % 4), most));
      ASSERT_NO_FATAL_FAILURE(t.expect_right());
      in_place += is_linked<View>(t.tree()) ? 1 : 0;
    }
    EXPECT_GT(in_place, batches * 3 / 4) << "hardly any batch was applied in place";
  }

  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 2};
  execution host_{host_memory(), {}, 1};
  folder folder_;
};

TEST_P(bplus_updates_on, many_batches_on_nodes_of_16) {
  run<bplus<std::uint32_t, 16, 16>>("B+(16)", 2000, 1000, 14);
  run<bplus<std::uint32_t, 16, 16>>("B+(16,fill=0.6)", 5000, 500, 30);
  run<bplus<std::uint64_t, 16, 16>>("B+(16)", 3000, 500, 20);
}

TEST_P(bplus_updates_on, many_batches_on_pages) {
  run<bplus<std::uint32_t, 1024, 512>>("B+(page=4096)", 12500, 150, 4);
  run<bplus<std::uint64_t, 512, 256>>("B+(page=4096,fill=0.7)", 12500, 150, 8);
}

TEST_P(bplus_updates_on, many_batches_on_harmonia) {
  run<harmonia_32<std::uint32_t>>("Harmonia(32)", 4000, 1000, 14);
  run<harmonia_32<std::uint64_t>>("Harmonia(32,fill=0.6)", 8000, 500, 30);
}

TEST_P(bplus_updates_on, all_layouts_and_row_types) {
  for (char const* const layout : {"SoA", "AoS", "packed"}) {
    for (char const* const nodes : {"B+(16", "B+(page=4096", "Harmonia(32"}) {
      SCOPED_TRACE(std::string(layout) + nodes);
      if (!is_compiled(nodes + std::string(")/layout=") + layout, key_type::u64)) continue;
      std::vector<std::uint64_t> keys(9000);
      std::vector<std::uint32_t> rows(keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 10, rows[i] = static_cast<std::uint32_t>(i);
      index tree = index::build(spec(nodes + std::string(",fill=0.8)/layout=") + layout), std::span(keys),
                                std::span(rows), exec_);
      for (std::uint64_t round = 0; round < 20; ++round) {
        std::vector<std::uint64_t> const insert = {round * 977, round * 977 + 1};
        std::vector<std::uint32_t> const insert_rows = {1, 2};
        std::vector<std::uint64_t> const erase = {round * 350};
        tree.update(std::span(insert), std::span(insert_rows), std::span(erase), exec_);
        tree.verify(exec_);
        for (std::size_t i = 0; i < insert.size(); ++i)
          if (insert[i] != erase[0]) keys.push_back(insert[i]), rows.push_back(insert_rows[i]);
        for (std::size_t i = keys.size(); i-- > 0;)
          if (keys[i] == erase[0] && erase[0] != insert[0] && erase[0] != insert[1])
            keys.erase(keys.begin() + static_cast<long>(i)), rows.erase(rows.begin() + static_cast<long>(i));
      }
      std::vector<std::uint64_t> probes;
      for (std::uint64_t p = 0; p < 90000; p += 333) probes.push_back(p);
      auto const questions = all_questions(probes, true);
      index const expected = index::build("AO+BS", std::span(keys), std::span(rows), exec_);
      EXPECT_EQ(ask_all(questions, tree, exec_), ask_all(questions, expected, exec_));
    }
  }
}

TEST_P(bplus_updates_on, leaves_are_split_and_merged) {
  std::vector<std::uint32_t> keys(8000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i * 10;
  index tree = index::build("B+(16)", std::span(keys), exec_);
  auto const leaves = [&] { return tree.view<bplus_tree<16, 16, soa_pairs<std::uint32_t, std::uint32_t>>>().leaves; };
  EXPECT_EQ(leaves(), 500u);
  std::vector<std::uint32_t> const between = {5, 6, 7};
  std::vector<std::uint32_t> const rows = {1, 1, 1};
  tree.insert(std::span(between), std::span(rows), exec_);
  EXPECT_EQ(leaves(), 501u) << "9 and 10 entries in the place of 16";
  tree.erase(std::span(between), exec_);
  EXPECT_EQ(leaves(), 501u) << "6 and 10";
  tree.erase(std::span(keys).first(5), exec_);
  EXPECT_EQ(leaves(), 501u) << "1 and 10";
  tree.erase(std::span(keys).subspan(5, 1), exec_);
  EXPECT_EQ(leaves(), 500u) << "none and 10";
  tree.erase(std::span(keys).subspan(16 + 8, 12), exec_);
  EXPECT_EQ(leaves(), 500u) << "10 and 8, 12 and 16";
  tree.verify(exec_);
}

TEST_P(bplus_updates_on, siblings_with_few_entries_become_one) {
  std::vector<std::uint32_t> keys(8000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  index tree = index::build("B+(16)", std::span(keys), exec_);
  auto const leaves = [&] { return tree.view<bplus_tree<16, 16, soa_pairs<std::uint32_t, std::uint32_t>>>().leaves; };
  tree.erase(std::span(keys).subspan(4, 12), exec_);
  tree.erase(std::span(keys).subspan(16, 11), exec_);
  EXPECT_EQ(leaves(), 500u) << "4 and 5";
  tree.erase(std::span(keys).subspan(27, 1), exec_);
  EXPECT_EQ(leaves(), 499u) << "4 and 4";
  tree.erase(std::span(keys).subspan(32 + 2, 14), exec_);
  tree.erase(std::span(keys).subspan(48 + 2, 14), exec_);
  EXPECT_EQ(leaves(), 499u) << "neighbours that are no siblings";
  tree.verify(exec_);
}

/// Erasing most entries, little by little, merges leaves and finally gives memory back.
TEST_P(bplus_updates_on, shrinking_trees_lose_leaves) {
  std::vector<std::uint32_t> keys(20000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i * 3;
  index tree = index::build("B+(16)", std::span(keys), exec_);
  std::mt19937_64 random(3);
  std::shuffle(keys.begin(), keys.end(), random);
  std::size_t left = keys.size();
  std::uint64_t const full = tree.memory().total();
  while (left > 2000) {
    std::size_t const some = left / 100;
    tree.erase(std::span(keys).subspan(left - some, some), exec_);
    left -= some;
    EXPECT_LE(tree.memory().pairs, (left + 16) * 8 * 4 + 1000);
  }
  tree.verify(exec_);
  EXPECT_EQ(tree.size(), left);
  EXPECT_LT(tree.memory().total(), full / 2);
}

TEST_P(bplus_updates_on, slow_large_batches_are_merged) {
  updated_tree<std::uint32_t> t("B+(16)", 2000, exec_, 1);
  t.step(batch_kind::scattered, 10);
  EXPECT_TRUE((is_linked<bplus<std::uint32_t, 16, 16>>(t.tree())));
  t.step(batch_kind::scattered, 1000);
  EXPECT_FALSE((is_linked<bplus<std::uint32_t, 16, 16>>(t.tree())));
  ASSERT_NO_FATAL_FAILURE(t.expect_right());
}

/// A batch that runs out of memory changes nothing, however far it came.
TEST_P(bplus_updates_on, short_memory_changes_nothing) {
  limited_memory memory(memory_of(GetParam()));
  execution const limited(memory, stream_, 1);
  updated_tree<std::uint32_t> t("B+(16)", 4000, limited, 2);
  std::vector<std::uint32_t> const keys = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 4000000000u};
  std::vector<std::uint32_t> const rows(keys.size(), 1);
  std::vector<std::uint32_t> const erase = {t.held().begin()->first};
  std::size_t limit = 0;
  for (bool done = false; !done; limit += limit / 16 + 8) {
    memory.limit = limit;
    try {
      t.tree().update(std::span(keys), std::span(rows), std::span(erase), limited);
      done = true;
    } catch (out_of_memory const&) {
      memory.limit = static_cast<std::size_t>(-1);
      ASSERT_NO_FATAL_FAILURE(t.expect_right());
    }
  }
  EXPECT_GT(memory.refused, 10);
  EXPECT_EQ(t.tree().size(), t.held().size() + keys.size() - t.held().count(*t.held().begin()));
  memory.limit = static_cast<std::size_t>(-1);
  t.tree().verify(limited);
}

TEST_P(bplus_updates_on, trees_are_the_same_everywhere_and_in_files) {
  updated_tree<std::uint32_t> here("B+(16,fill=0.9)", 4000, exec_, 3);
  updated_tree<std::uint32_t> on_host("B+(16,fill=0.9)", 4000, host_, 3);
  auto const path = folder_ / "tree.wdx";
  for (int i = 0; i < 20; ++i) {
    here.step(static_cast<batch_kind>(i % 4), 10);
    on_host.step(static_cast<batch_kind>(i % 4), 10);
  }
  EXPECT_TRUE((is_linked<bplus<std::uint32_t, 16, 16>>(here.tree())));
  EXPECT_EQ(saved(here.tree(), path), saved(on_host.tree(), path));
  for (bool const map : {false, true}) {
    here.tree() = index::load(path, exec_, map);
    ASSERT_NO_FATAL_FAILURE(here.expect_right());
    here.step(batch_kind::in_one_leaf, 10);
    ASSERT_NO_FATAL_FAILURE(here.expect_right());
    here.tree().save(path);
  }
}

/// Free leaves stay in the file, and in the memory into which an update copies a mapped tree.
TEST_P(bplus_updates_on, a_mapped_tree_with_many_free_leaves) {
  std::vector<std::uint32_t> keys(8000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i * 3;
  index tree = index::build("B+(16)", std::span(keys), exec_);
  while (keys.size() > 4000) {
    tree.erase(std::span(keys).last(50), exec_);
    keys.resize(keys.size() - 50);
  }
  auto const path = folder_ / "tree.wdx";
  tree.save(path);
  tree = index::load(path, exec_, true);
  std::vector<std::uint32_t> const more = {1, 4, 7};
  std::vector<std::uint32_t> const rows = {9, 9, 9};
  tree.insert(std::span(more), std::span(rows), exec_);
  EXPECT_TRUE((is_linked<bplus<std::uint32_t, 16, 16>>(tree)));
  tree.verify(exec_);
  EXPECT_EQ(tree.size(), keys.size() + 3);
}

INSTANTIATE_TEST_SUITE_P(all, bplus_updates_on, testing::ValuesIn(present_backends()), backend_name);

/// A file of a tree that was updated in place, with one number changed: an error, or a tree that answers.
TEST(damaged_bplus_updates, are_found) {
  folder const folder;
  execution const exec(host_memory(), {}, 1);
  updated_tree<std::uint32_t> t("B+(16)", 1200, exec, 4);
  for (int i = 0; i < 30; ++i) t.step(static_cast<batch_kind>(i % 4), 4);
  auto const path = folder / "tree.wdx";
  t.tree().save(path);
  index::load(path, exec);
  std::mt19937_64 random(5);
  for (std::string const section : {"leaves", "bases", "leaf_of"})
    for (int i = 0; i < 40; ++i)
      EXPECT_TRUE(damage_is_found<std::uint32_t>(path, section, [&](std::span<std::uint32_t> all) {
        auto& number = all[random() % all.size()];
        auto const before = number;
        do number = i % 2 == 0 ? all[random() % all.size()] : static_cast<std::uint32_t>(random() >> random() % 64);
        while (number == before);
      })) << section;
  auto const shortened = [](std::vector<std::uint32_t>& all) { all.pop_back(); };
  for (std::string const section : {"keys", "pivots", "leaves", "bases", "leaf_of"})
    EXPECT_TRUE(damage_is_found<std::uint32_t>(path, section, shortened)) << section;
}

/// If all entries are equal, their order does not reveal that a leaf is listed twice; an update would go wrong.
TEST(damaged_bplus_updates, a_leaf_that_is_there_twice) {
  folder const folder;
  execution const exec(host_memory(), {}, 1);
  std::vector<std::uint32_t> const keys(640, 7);
  std::vector<std::uint32_t> const rows(640, 3);
  index tree = index::build("B+(16)", std::span(keys), std::span(rows), exec);
  tree.insert(std::span(keys).first(5), std::span(rows).first(5), exec);
  auto const path = folder / "tree.wdx";
  tree.save(path);
  EXPECT_TRUE(damage_is_found<std::uint32_t>(path, "leaves", [](std::span<std::uint32_t> all) { all[5] = all[6]; }));
}

}  // namespace
}  // namespace warpdex::test
