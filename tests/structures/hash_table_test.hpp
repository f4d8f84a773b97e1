// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/hash/hash_choice.hpp"
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <warpdex/search/mix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

/// @file
/// Shared by the tests of all hash tables: keys chosen to collide, and damaged tables.
namespace warpdex::test {

template <class Key> std::vector<Key> spread_keys(std::uint64_t n) {
  std::vector<Key> keys(n);
  for (std::uint64_t i = 0; i < n; ++i)
    keys[i] = static_cast<Key>(i * 0x9e3779b97f4a7c15ull >> (sizeof(Key) < 8 ? 64 - sizeof(Key) * 8 : 0));
  return keys;
}

/// Tables of the specs that the derived test names.
class hash_table_on : public testing::TestWithParam<backend_kind> {
 protected:
  explicit hash_table_on(std::vector<std::string> specs) : specs_(std::move(specs)) {}

  /// Expects the answers of a sorted array, for the keys and for others next to them. Answers depend only on which keys
  /// are equal, so the array holds the keys' numbers.
  template <class Key> void expect_right(std::string const& what, std::vector<Key> const& keys) {
    SCOPED_TRACE(what + ", " + std::to_string(sizeof(Key) * 8) + " bits");
    std::vector<Key> probes = keys;
    for (std::size_t i = 0; i < keys.size(); i += 3) probes.push_back(keys[i] + 1);
    for (std::size_t i = 0; i < keys.size(); i += 3) probes.push_back(unmix(static_cast<Key>(mix(keys[i], 0) + 1), 0));
    std::vector<Key> different = probes;
    std::sort(different.begin(), different.end());
    std::vector<std::uint32_t> numbers;
    for (Key const key : probes)
      numbers.push_back(
          static_cast<std::uint32_t>(std::lower_bound(different.begin(), different.end(), key) - different.begin()));
    index const oracle = index::build("AO+BS", std::span(numbers).first(keys.size()), host_);
    auto const expected = ask_all(all_questions(numbers, false), oracle, host_);
    auto const questions = all_questions(probes, false);
    for (std::string const& spec : specs_) {
      SCOPED_TRACE(spec);
      index const table = index::build(spec, std::span(keys), exec_);
      table.verify(exec_);
      EXPECT_EQ(ask_all(questions, table, exec_), expected);
    }
  }

  template <class Key> void expect_all_right() {
    using key_maker = std::function<Key(std::uint64_t)>;
    constexpr std::uint64_t n = 3000;
    std::pair<char const*, key_maker> const makers[] = {
        {"all equal", [](std::uint64_t) { return 77; }},
        {"ascending", [](std::uint64_t i) { return i; }},
        {"step 12345", [](std::uint64_t i) { return i * 12345; }},
        {"step 2^8", [](std::uint64_t i) { return i << 8; }},
        {"step 2^20", [](std::uint64_t i) { return i << 20; }},
        {"step 2^52", [](std::uint64_t i) { return i << 52; }},
        {"upper halves", [](std::uint64_t i) { return static_cast<Key>(i) << sizeof(Key) * 4; }},
        {"lowest hashes", [](std::uint64_t i) { return unmix(static_cast<Key>(i), 0); }},
        {"highest hashes", [](std::uint64_t i) { return unmix(static_cast<Key>(-1 - i), 0); }},
        {"three quarters of the hashes, gaps behind",
         [](std::uint64_t i) { return unmix(static_cast<Key>(static_cast<Key>(-1) / 4000 * i), 0); }},
        {"three quarters of the hashes, gaps before",
         [](std::uint64_t i) { return unmix(static_cast<Key>(-1 - static_cast<Key>(-1) / 4000 * i), 0); }},
        {"one home", [](std::uint64_t i) { return unmix(static_cast<Key>(static_cast<Key>(-1) / 2 + i), 0); }},
        {"two homes, twice", [](std::uint64_t i) { return unmix(static_cast<Key>((i % 3 << 28) + i / 2), 0); }},
        {"lowest hashes of two seeds", [](std::uint64_t i) { return unmix(static_cast<Key>(i), i % 2 * 5); }},
    };
    for (auto const& [what, maker] : makers) {
      std::vector<Key> keys(n);
      for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(maker(i));
      expect_right(what, keys);
    }
  }

  /// Keys of the lowest hashes under a seed.
  template <class Key> static std::vector<Key> crowd(std::uint64_t count, std::uint64_t seed) {
    std::vector<Key> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) keys[i] = unmix(static_cast<Key>(i), seed);
    return keys;
  }

  /// A spec that fixes its seeds.
  static std::string with_seed(std::string spec, std::uint64_t seed) {
    return spec.insert(spec.find(')'), ",seed=" + std::to_string(seed));
  }

  std::uint64_t seed_of(index const& table) const {
    std::string const file = saved(table, folder_ / "table.wdx");
    auto const bytes = std::as_bytes(std::span(file));
    std::uint64_t seed = 0;
    std::memcpy(&seed, io::file::parse(bytes).bytes("table").data(), sizeof seed);
    return seed;
  }

  /// Knowing the first seed does not reveal the next.
  template <class Key> void expect_unforeseen_seeds() {
    auto const keys = crowd<Key>(3000, 0);
    expect_right("under the first seed", keys);
    for (std::string const& spec : specs_) {
      SCOPED_TRACE(spec);
      std::uint64_t const seed = seed_of(index::build(spec, std::span(keys), exec_));
      EXPECT_NE(seed, 0u);
      EXPECT_NE(seed, seed_of(index::build(spec, std::span(keys), exec_)));
      auto const fixed = with_seed(spec, 5);
      EXPECT_EQ(seed_of(index::build(fixed, std::span(keys), exec_)), 5u);
      auto const crowded = crowd<Key>(3000, 5);
      EXPECT_NE(seed_of(index::build(fixed, std::span(crowded), exec_)), 5u);
      EXPECT_EQ(seed_of(index::build(fixed, std::span(crowded), exec_)),
                seed_of(index::build(fixed, std::span(crowded), host_)));
    }
  }

  /// Keys that crowd under every seed are still stored, and found again after loading a file.
  template <class Key> void expect_crowds_are_held() {
    std::vector<Key> keys;
    hash_choice choice;
    choice.seed = 5;
    std::uint64_t seed = *choice.seed;
    for (unsigned attempt = 0; attempt < hash_choice::attempts; ++attempt) {
      auto const more = crowd<Key>(2000, seed);
      keys.insert(keys.end(), more.begin(), more.end());
      seed = choice.seed_after(seed);
    }
    std::vector<std::string> const free_seeds = specs_;
    for (std::string& spec : specs_) spec = with_seed(spec, 5);
    expect_right("under every seed", keys);
    for (std::string const& spec : specs_) {
      SCOPED_TRACE(spec);
      index const table = index::build(spec, std::span(keys), exec_);
      std::string const file = saved(table, folder_ / "crowded.wdx");
      EXPECT_TRUE(file == saved(index::build(spec, std::span(keys), host_), folder_ / "on_host.wdx"));
      auto const questions = all_questions(keys, false);
      EXPECT_EQ(ask_all(questions, index::load(folder_ / "crowded.wdx", exec_), exec_),
                ask_all(questions, table, exec_));
    }
    specs_ = free_seeds;
  }

  /// Keys chosen for the seed of an existing table.
  template <class Key> void expect_crowds_come_later() {
    auto const honest = spread_keys<Key>(5000);
    for (std::string const& spec : specs_) {
      SCOPED_TRACE(spec);
      index table = index::build(spec, std::span(honest), exec_);
      std::vector<Key> keys = honest;
      for (int wave = 0; wave < 3; ++wave) {
        auto const more = crowd<Key>(1000, seed_of(table));
        std::vector<std::uint32_t> rows(more.size());
        std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(keys.size()));
        table.insert(std::span(more), std::span<std::uint32_t const>(rows), exec_);
        keys.insert(keys.end(), more.begin(), more.end());
        table.verify(exec_);
      }
      auto const questions = all_questions(keys, false);
      EXPECT_EQ(ask_all(questions, table, exec_),
                ask_all(questions, index::build(spec, std::span(keys), exec_), exec_));
    }
  }

  void expect_right_at_ends() {
    std::uint32_t const last = unmix(0xffffffffu, 0);
    std::uint32_t const before_last = unmix(0xfffffffeu, 0);
    for (std::vector<std::uint32_t> const& keys : {std::vector<std::uint32_t>{last},
                                                   {before_last},
                                                   {last, before_last},
                                                   {last, last},
                                                   {before_last, before_last}})
      expect_right("ends", keys);
    std::vector<std::uint32_t> const single = {before_last};
    std::vector<std::uint32_t> rows(1);
    for (std::string const& spec : specs_) {
      index::build(spec, std::span(single), exec_).find(std::span(&last, 1), std::span(rows), exec_);
      EXPECT_EQ(rows[0], no_row<std::uint32_t>);
    }
  }

  /// The file of an index.
  template <class Key>
  std::string content(execution const& exec, std::string const& spec, std::vector<Key> const& keys) const {
    return saved(index::build(spec, std::span(keys), exec), folder_ / "index.wdx");
  }

  /// Slots come from a scan, so all backends and thread counts compute the same.
  void expect_same_everywhere(std::vector<std::string> const& specs) const {
    std::vector<std::uint32_t> distinct(200000);
    std::vector<std::uint64_t> repeated(200000);
    for (std::size_t i = 0; i < distinct.size(); ++i) distinct[i] = static_cast<std::uint32_t>(i * 2654435761u);
    for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = i * i % 99991;
    for (std::string const& spec : specs) {
      EXPECT_TRUE(content(exec_, spec, distinct) == content(host_, spec, distinct)) << spec;
      EXPECT_TRUE(content(exec_, spec, repeated) == content(host_, spec, repeated)) << spec;
    }
  }

  std::vector<std::string> specs_;
  folder folder_;
  execution host_{host_memory(), {}, 1};
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 2};
};

/// Lanes that vote like those of a warp.
template <int Lanes> struct host_tile {
  static constexpr int lanes = Lanes;
  template <int Count, class Right> int count(Right right) const {
    int found = 0;
    for (int j = 0; j < Count; ++j) {
      if (!right(j)) continue;
      EXPECT_EQ(found, j) << "not a prefix";
      ++found;
    }
    return found;
  }
};

/// Average number of units that the searches for `probes` visit, one unit at a time.
template <class View> double visits(View const& view, std::vector<typename View::key_type> const& probes) {
  std::uint64_t visited = 0;
  for (auto const key : probes) {
    auto at = view.start(key);
    do ++visited;
    while (!view.visit(host_tile<2>(), at));
  }
  return static_cast<double>(visited) / static_cast<double>(probes.size());
}

/// Uses a view of type View of the table of `spec`, as in a user's own loop.
template <class View> void expect_right_in_a_loop(char const* spec) {
  std::vector<std::uint32_t> const keys = {30, 10, 20, 10};
  index const table = index::build(spec, std::span(keys), execution());
  auto const view = table.view<View>();
  EXPECT_EQ(find(view, 10), 1u);
  EXPECT_EQ(find(view, 30), 0u);
  EXPECT_EQ(find(view, 11), no_row<std::uint32_t>);
  std::vector<std::uint32_t> rows;
  for_each_row(view, 10, [&](std::uint32_t row) { rows.push_back(row); });
  for_each_row(view, 11, [&](std::uint32_t row) { rows.push_back(row); });
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 3}));
}

/// A saved table with damage.
class damaged_table : public damaged_index {
 protected:
  /// In what was saved last.
  void expect_found_in_numbers() {
    auto const is_found_in_number = [&](std::size_t i, auto const& changed) {
      return is_found("table", on<std::uint64_t>([&](std::span<std::uint64_t> all) { all[i] = changed(all[i]); }));
    };
    for (std::size_t i = 1; i < 4; ++i) {  // another seed makes a table of other keys
      EXPECT_TRUE(is_found_in_number(i, [](auto) { return std::uint64_t{0}; })) << i;
      for (std::uint64_t const change : {1ull, 1ull << 40, 1ull << 63}) {
        EXPECT_TRUE(is_found_in_number(i, [&](auto number) { return number ^ change; })) << i << " " << change;
        EXPECT_TRUE(is_found_in_number(i, [&](auto number) { return number + change; })) << i << " " << change;
      }
    }
    EXPECT_TRUE(is_found("table", [](bytes& b) { b.pop_back(); }));
    EXPECT_TRUE(is_found("pairs", [](bytes& b) { b.pop_back(); }));
  }

  /// 400 keys with one row, 300 with two.
  static std::vector<std::uint32_t> some_repeat() {
    auto keys = spread_keys<std::uint32_t>(1000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[i % 700];
    return keys;
  }

  using numbers = std::span<std::uint32_t>;

  void expect_found(std::string const& section, std::vector<std::function<void(numbers)>> const& changes) {
    for (std::size_t i = 0; i < changes.size(); ++i)
      EXPECT_TRUE(is_found(section, on<std::uint32_t>(changes[i]))) << section << ", change " << i;
    EXPECT_TRUE(is_found(section, [](bytes& b) { b.pop_back(); })) << section;
    EXPECT_TRUE(is_found(section, [](bytes& b) { b.resize(b.size() + 4); })) << section;
    EXPECT_TRUE(is_found(section, [](bytes& b) { b.clear(); })) << section;
  }

  void expect_found_in_lists(std::string const& spec) {
    save(spec, some_repeat());
    // Marks and the number of marks before, by turns.
    auto const first_marks = [](numbers all) -> std::uint32_t& {
      std::size_t i = 0;
      while (all[i] == 0) i += 2;
      return all[i];
    };
    expect_found("list_marks", {
                                   [&](numbers all) { first_marks(all) &= first_marks(all) - 1; },
                                   [&](numbers all) { first_marks(all) |= first_marks(all) + 1; },
                                   [&](numbers all) {  // one mark elsewhere
                                     auto& marks = first_marks(all);
                                     marks = (marks | (marks + 1)) & ~(marks & (0 - marks));
                                   },
                                   [](numbers all) { ++all[1]; },
                                   [](numbers all) { --all[3]; },
                                   [](numbers all) { all.back() = 0xffffffff; },
                                   [](numbers all) { std::fill(all.begin(), all.end(), 0u); },
                                   [](numbers all) { std::fill(all.begin(), all.end(), 0xffffffffu); },
                               });
    expect_found("list_starts", {
                                    [](numbers all) { all[0] = 1; },
                                    [](numbers all) { all[1] = 0; },
                                    [](numbers all) { all[1] = 3; },
                                    [](numbers all) { all[1] = 0xffffffff; },
                                    [](numbers all) { all[2] = 3, all[1] = 1; },
                                    [](numbers all) { --all.back(); },
                                    [](numbers all) { all.back() = 0xffffffff; },
                                });
    expect_found("list_rows", {
                                  [](numbers all) { std::swap(all[0], all[1]); },
                                  [](numbers all) { std::swap(all[1], all[2]); },
                                  [](numbers all) { --all[0]; },
                                  [](numbers all) { all[1] = no_row<std::uint32_t>; },
                              });
    EXPECT_TRUE(is_found("pairs", on<std::uint32_t>([](numbers all) {  // the smallest row of a key with two
                           for (std::size_t i = 1; i < all.size(); i += 2)
                             if (all[i] < 300) return void(all[i] += 700);
                         })));
    EXPECT_TRUE(is_found("table", on<std::uint64_t>([](std::span<std::uint64_t> all) { all[3] = 1000; })));
  }

  /// Saves the table of some_repeat() as earlier builds did, with groups in place of row lists.
  template <class View> void save_with_groups(std::string const& spec) {
    save(spec, some_repeat());
    index const table = index::load(path_, exec_);
    auto const view = table.view<View>();
    std::vector<std::uint64_t> slots;
    for (std::uint64_t slot = 0; slot < view.end_slot(); ++slot)
      if (view.is_taken(slot)) slots.push_back(slot);
    std::sort(slots.begin(), slots.end(), [&](auto a, auto b) { return view.pairs.key(a) < view.pairs.key(b); });
    auto const whole = io::file::open(path_, true);
    std::vector<std::uint32_t> pairs(2 * view.end_slot());
    std::memcpy(pairs.data(), whole.bytes("pairs").data(), whole.bytes("pairs").size());
    std::vector<std::uint32_t> groups;
    for (auto const slot : slots) {
      auto const places = view.places_in(slot);
      pairs[2 * slot + 1] = static_cast<std::uint32_t>(groups.size());
      groups.push_back(static_cast<std::uint32_t>(places.end - places.begin));
      for (auto position = places.begin; position < places.end; ++position) groups.push_back(view.row_at(position));
    }
    io::write(path_, whole.head(),
              std::vector<io::section>{{"table", whole.bytes("table").data(), whole.size("table")},
                                       {"pairs", pairs.data(), pairs.size() * 4},
                                       {"groups", groups.data(), groups.size() * 4}});
  }

  /// Files of earlier builds become tables with row lists, however they are loaded.
  template <class View> void expect_groups_are_read(std::string const& spec) {
    save_with_groups<View>(spec);
    auto const keys = some_repeat();
    auto const content = saved(index::build(spec, std::span(keys), exec_), folder_ / "built.wdx");
    for (bool const in_place : {false, true}) {
      auto const loaded = index::load(path_, exec_, in_place);
      loaded.verify(exec_);
      EXPECT_TRUE(saved(loaded, folder_ / "loaded.wdx") == content) << in_place;
    }
    expect_found("groups", {
                               [](numbers all) { ++all[0]; },
                               [](numbers all) { --all[0]; },
                               [](numbers all) { all[0] = 0; },
                               [](numbers all) { all[0] = 0xffffffff; },
                               [](numbers all) { all[1] = no_row<std::uint32_t>; },
                               [](numbers all) { std::fill(all.begin(), all.end(), 0u); },
                               [](numbers all) { std::fill(all.begin(), all.end(), 1u); },
                               [](numbers all) { std::fill(all.begin(), all.end(), 300u); },
                               [](numbers all) {  // the rows of a key with two out of order
                                 std::size_t i = 0;
                                 while (all[i] != 2) i += all[i] + 1;
                                 std::swap(all[i + 1], all[i + 2]);
                               },
                           });
    EXPECT_TRUE(is_found("pairs", on<std::uint32_t>([](numbers all) {  // a group after all groups
                           for (std::size_t i = 1; i < all.size(); i += 2)
                             if (all[i] != no_row<std::uint32_t>) return void(all[i] = 1700);
                         })));
  }
};

}  // namespace warpdex::test
