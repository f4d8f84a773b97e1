// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <utility>

/// @file
/// Lookups in rounds: the longest key that begins a probe, and paths from keys to their ancestors. Each registered
/// structure is compared with a plain loop.
namespace warpdex::test {
namespace {

using namespace std::string_literals;
using generator = std::mt19937_64;

/// How an index came into being.
enum class origin : std::uint8_t { built, wide_rows, updated, mapped };
constexpr origin other_origins[] = {origin::wide_rows, origin::updated, origin::mapped};

class rounds : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  bool takes(key_type keys) const { return test::takes(sample_, keys); }

  /// An index whose row ids are the positions of its keys. @param column_of makes a column of a vector of keys
  template <class Key, class ColumnOf>
  index make(std::vector<Key> const& keys, ColumnOf const& column_of, origin from) {
    auto const all = column_of(keys);
    if (from == origin::wide_rows) return index::build(sample_ + "/rows=u64", column(all), exec_);
    if (from == origin::updated) {
      auto const middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
      auto const first = column_of(std::vector<Key>(keys.begin(), middle));
      auto const rest = column_of(std::vector<Key>(middle, keys.end()));
      std::vector<std::uint32_t> rows(keys.size() - keys.size() / 2);
      std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(keys.size() / 2));
      index result = index::build(sample_, column(first), exec_);
      result.insert(column(rest), std::span(std::as_const(rows)), exec_);
      return result;
    }
    index result = index::build(sample_, column(all), exec_);
    if (from == origin::built) return result;
    result.save(files_ / "index.wdx");
    return index::load(files_ / "index.wdx", exec_, true);
  }

  std::string const& sample_ = std::get<0>(GetParam());
  folder files_;
  test_stream stream_{std::get<1>(GetParam())};
  execution exec_{memory_of(std::get<1>(GetParam())), stream_, 2};
};

class longest_matches : public rounds {
 protected:
  /// Compares all answers with those of a loop over the beginnings of each probe.
  template <class Row = std::uint32_t>
  void expect_right(std::vector<std::string> const& texts, std::vector<std::string> const& probes,
                    std::string const& options = {}, origin from = origin::built) {
    oracle<std::string> const sorted(texts, {});
    index const i = make(
        texts, [](auto const& strings) { return byte_strings(strings); }, from);
    if (!i.ordered()) {
      std::vector<std::uint32_t> rows(1), lengths(1);
      EXPECT_TRUE(throws<unsupported>(
          [&] { i.longest_prefix(byte_strings(std::vector{""s}), std::span(rows), std::span(lengths), exec_); },
          "longest_prefix", "order"));
      return;
    }
    bool const on_device = options == "device";
    place const where = on_device ? place::device : place::host;
    byte_strings const query(probes);
    output_array<Row> rows(probes.size(), 77, where, exec_);
    output_array<std::uint32_t> lengths(probes.size(), 77, where, exec_);
    i.longest_prefix(query, rows.span(), lengths.span(), exec_);
    auto const got_rows = rows.read();
    auto const got_lengths = lengths.read();
    for (std::size_t p = 0; p < probes.size(); ++p) {
      std::uint64_t row = no_row<Row>;
      std::uint64_t length = 0;
      for (std::size_t size = probes[p].size() + 1; size-- > 0 && row == no_row<Row>;) {
        std::string const beginning = probes[p].substr(0, size);
        std::uint64_t const at = sorted.lower_bound(beginning);
        if (at == texts.size() || sorted.entries()[at].key != beginning) continue;
        row = sorted.entries()[at].row;
        length = size;
      }
      ASSERT_EQ(got_rows[p], row) << testing::PrintToString(probes[p]);
      ASSERT_EQ(got_lengths[p], length) << testing::PrintToString(probes[p]);
    }
  }
};

/// Keys that begin each other, over few values of bytes, so that all lengths and all beginnings occur.
std::vector<std::string> nested_keys(std::size_t n, std::size_t longest, generator& random) {
  constexpr char values[] = {'\x00', '\x01', 'a', '\xff'};
  std::vector<std::string> keys;
  while (keys.size() < n) {
    std::string key = keys.empty() || random() % 4 == 0 ? ""s : keys[random() % keys.size()];
    for (auto more = random() % 4; more > 0 && key.size() < longest; --more) key += values[random() % 4];
    keys.push_back(key);
  }
  return keys;
}

TEST_P(longest_matches, nested_keys) {
  if (!takes(key_type::bytes)) GTEST_SKIP() << "takes no strings";
  generator random(4);
  for (std::size_t const n : {1, 2, 3, 40, 3000})
    for (std::size_t const longest : {1, 5, 9, 40}) {
      auto keys = nested_keys(n, longest, random);
      auto probes = nested_keys(500, longest + 3, random);
      for (int p = 0; p < 500; ++p) {
        probes.push_back(keys[random() % n]);
        probes.push_back(keys[random() % n] + std::string(random() % 20, random() % 2 == 0 ? '\xff' : '\0'));
      }
      expect_right(keys, probes);
      std::erase(keys, ""s);  // now some probes have no key
      if (!keys.empty()) expect_right(keys, probes, std::get<1>(GetParam()) == backend_kind::cuda ? "device" : "");
    }
}

TEST_P(longest_matches, wide_rows_updated_and_mapped) {
  if (!takes(key_type::bytes)) GTEST_SKIP() << "takes no strings";
  generator random(6);
  for (origin const from : other_origins) {
    auto const keys = nested_keys(2000, 14, random);
    auto probes = nested_keys(500, 17, random);
    probes.insert(probes.end(), keys.begin(), keys.begin() + 500);
    if (from == origin::wide_rows) expect_right<std::uint64_t>(keys, probes, {}, from);
    else expect_right(keys, probes, {}, from);
  }
}

TEST_P(longest_matches, long_runs) {
  if (!takes(key_type::bytes)) GTEST_SKIP() << "takes no strings";
  // Runs that many keys share, with keys that end in them and after them: probes leave a run at each of its bytes.
  generator random(5);
  std::vector<std::string> keys, probes;
  for (int group = 0; group < 20; ++group) {
    std::string run = group % 3 == 0 ? "" : std::string(1 + random() % 3, static_cast<char>('a' + group));
    for (int part = 0; part < 3; ++part) {
      run += std::string(5 + random() % 40, static_cast<char>('a' + random() % 3));
      if (random() % 2 == 0) keys.push_back(run);
      for (int key = 0; key < 60; ++key) keys.push_back(run + std::to_string(random() % 500));
    }
  }
  for (std::string const& key : keys)
    for (std::size_t at = random() % 9; at < key.size(); at += 1 + random() % 40) {
      std::string probe = key + "12";
      probe[at] = static_cast<char>(probe[at] + (random() % 2 == 0 ? 1 : -1));
      probes.push_back(probe);
      probes.push_back(key.substr(0, at));
    }
  expect_right(keys, probes);
}

TEST_P(longest_matches, chains_and_edges) {
  if (!takes(key_type::bytes)) GTEST_SKIP() << "takes no strings";
  expect_right({}, {"", "a"});
  expect_right({""}, {"", "a", "\0"s});
  expect_right({"b"}, {"", "a", "b", "bb", "c"});
  expect_right({"a", "a", ""}, {});
  // Every key begins the next, and a probe that leaves the chain ends there.
  std::vector<std::string> chain, probes;
  for (std::size_t length = 1; length <= 300; length += 3) chain.emplace_back(length, 'x');
  for (std::size_t length = 0; length <= 310; ++length) {
    probes.emplace_back(length, 'x');
    probes.push_back(std::string(length, 'x') + "y");
    probes.push_back(std::string(length, 'x') + "a");
  }
  expect_right(chain, probes);
  // The last key not above the probe shares less and less with it: as many rounds as there are keys.
  std::vector<std::string> stairs = {"x"};
  for (std::size_t length = 1; length <= 60; ++length) stairs.push_back(std::string(length, 'x') + "a");
  expect_right(stairs, {std::string(70, 'x'), std::string(60, 'x') + "b", "xx", "w"});
}

TEST_P(longest_matches, bad_calls) {
  std::vector<std::uint32_t> rows(2), lengths(2);
  std::vector<std::uint64_t> wide(2);
  byte_strings const pair(std::vector{"a"s, "b"s});
  if (!takes(key_type::bytes)) {
    std::vector<std::uint32_t> const numbers = {1, 2};
    index const i = index::build(sample_, std::span(numbers), exec_);
    EXPECT_TRUE(throws<unsupported>([&] { i.longest_prefix(pair, std::span(rows), std::span(lengths), exec_); },
                                    "longest_prefix"));
    return;
  }
  index const i = index::build(sample_, pair, exec_);
  if (!i.ordered()) return;
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { i.longest_prefix(pair, std::span(rows), std::span(lengths).first(1), exec_); }, "the length output", "1"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { i.longest_prefix(pair, std::span(rows).first(1), std::span(lengths), exec_); }, "the row output", "1"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.longest_prefix(pair, std::span(wide), std::span(lengths), exec_); },
                                       "the row output", "u64"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.longest_prefix(pair, std::span(rows), std::span(rows), exec_); }, "overlaps"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { i.longest_prefix(std::span(wide), std::span(rows), std::span(lengths), exec_); }, "the probe column"));
}

class traces : public rounds {
 protected:
  /// Compares all paths with those of a loop over a map. @param column_of makes a column of a vector of keys
  template <class Row = std::uint32_t, class Key, class ColumnOf>
  void expect_right(std::vector<Key> const& keys, std::vector<Key> const& parents, std::vector<Key> const& probes,
                    ColumnOf const& column_of, origin from = origin::built) {
    std::map<Key, Row> first;
    for (Row row = 0; row < keys.size(); ++row) first.emplace(keys[row], row);
    auto const held_parents = column_of(parents);
    auto const held_probes = column_of(probes);
    index const i = make(keys, column_of, from);
    matches const found = i.ancestors(column(held_probes), column(held_parents), exec_);
    ASSERT_EQ(found.probes, probes.size());
    ASSERT_EQ(found.row_type, i.row_type());
    auto const offsets = read_buffer<std::uint64_t>(found.offsets, probes.size() + 1, exec_);
    auto const rows = read_buffer<Row>(found.rows, found.total, exec_);
    ASSERT_EQ(offsets.back(), found.total);
    for (std::size_t p = 0; p < probes.size(); ++p) {
      std::vector<Row> path;
      for (auto at = first.find(probes[p]); at != first.end() && (path.empty() || at->second != path.back());
           at = first.find(parents[path.back()]))
        path.push_back(at->second);
      std::vector<Row> const got(rows.begin() + static_cast<std::ptrdiff_t>(offsets[p]),
                                 rows.begin() + static_cast<std::ptrdiff_t>(offsets[p + 1]));
      ASSERT_EQ(got, path) << p;
    }
  }

  /// A forest of `n` keys, some of which repeat: parents come before their children, are absent, or are the key.
  template <class Make, class ColumnOf> void expect_forests(Make const& make, ColumnOf const& column_of) {
    using Key = decltype(make(0));
    generator random(7);
    for (std::size_t const n : {0, 1, 2, 30, 3000}) {
      std::vector<Key> keys, parents, probes;
      for (std::size_t k = 0; k < n; ++k) {
        keys.push_back(make(k % 10 == 9 ? k - 4 : k));  // every tenth key repeats, and its own parent does not count
        std::uint64_t const kind = random() % 20;
        parents.push_back(kind == 0 || k == 0 ? keys.back()
                          : kind == 1         ? make(n + k)
                          : kind < 15         ? keys[k - 1 - random() % std::min<std::size_t>(k, 4)]
                                              : keys[random() % k]);
        if (k % 10 == 9) parents.back() = keys.back();
      }
      for (int p = 0; p < 500; ++p) probes.push_back(make(random() % (n + n / 4 + 1)));
      expect_right(keys, parents, probes, column_of);
      expect_right(keys, parents, std::vector<Key>{}, column_of);
      if (n != 3000) continue;
      expect_right<std::uint64_t>(keys, parents, probes, column_of, origin::wide_rows);
      expect_right(keys, parents, probes, column_of, origin::updated);
      expect_right(keys, parents, probes, column_of, origin::mapped);
    }
  }
};

template <class Key> struct held_numbers {
  std::vector<Key> keys;
  operator column() const { return std::span(keys); }
};

TEST_P(traces, forests_of_numbers) {
  auto const run = [&]<class Key>(Key step) {
    if (!takes(column(std::span<Key>()).type)) return;
    expect_forests([&](std::uint64_t k) { return static_cast<Key>(static_cast<Key>(k) * step); },
                   [](std::vector<Key> const& keys) { return held_numbers<Key>{keys}; });
  };
  run(std::uint32_t{7});
  run(std::int32_t{-3});
  run(std::uint64_t{1} << 40);
  run(-0.5);
  run(u128{1} << 70);
}

TEST_P(traces, forests_of_strings) {
  if (!takes(key_type::bytes)) GTEST_SKIP() << "takes no strings";
  expect_forests([](std::uint64_t k) { return k == 0 ? ""s : std::string(k % 13, '\xff') + std::to_string(k); },
                 [](std::vector<std::string> const& keys) { return byte_strings(keys); });
}

TEST_P(traces, slow_one_long_path) {
  if (!takes(key_type::u32)) GTEST_SKIP() << "takes no u32";
  std::vector<std::uint32_t> keys(700), parents(700);
  for (std::uint32_t k = 0; k < 700; ++k) {
    keys[k] = 3 * k;
    parents[k] = k == 0 ? 1 : 3 * (k - 1);  // 1 does not exist
  }
  expect_right(keys, parents, keys, [](std::vector<std::uint32_t> const& v) { return held_numbers<std::uint32_t>{v}; });
}

TEST_P(traces, probes_of_another_type) {
  if (!takes(key_type::u32)) GTEST_SKIP() << "takes no u32";
  std::vector<std::uint32_t> const keys = {10, 20, 30}, parents = {10, 10, 20};
  std::vector<double> const probes = {30, 2.5, -1, 10};
  index const i = index::build(sample_, std::span(keys), exec_);
  matches const found = i.ancestors(std::span(probes), std::span(parents), exec_);
  EXPECT_EQ(read_buffer<std::uint64_t>(found.offsets, 5, exec_), (std::vector<std::uint64_t>{0, 3, 3, 3, 4}));
  EXPECT_EQ(read_buffer<std::uint32_t>(found.rows, found.total, exec_), (std::vector<std::uint32_t>{2, 1, 0, 0}));
}

TEST_P(traces, cycles_and_bad_columns) {
  if (!takes(key_type::u32)) GTEST_SKIP() << "takes no u32";
  std::vector<std::uint32_t> const probes = {1};
  for (std::uint32_t const cycle : {2, 3, 4, 7, 8, 9, 31})
    for (std::uint32_t const tail : {0, 1, 5, 16}) {
      std::vector<std::uint32_t> keys, parents;  // 1, 2, ... and from the last back to the key after the tail
      for (std::uint32_t k = 1; k <= tail + cycle; ++k) {
        keys.push_back(k);
        parents.push_back(k == tail + cycle ? tail + 1 : k + 1);
      }
      index const i = index::build(sample_, std::span(keys), exec_);
      std::string text;
      try {
        i.ancestors(std::span(probes), std::span(parents), exec_);
      } catch (invalid_argument const& e) {
        text = e.what();
      }
      std::string const before = "the key ";
      auto const at = text.find(before);
      ASSERT_NE(at, std::string::npos) << text;
      EXPECT_GT(std::stoul(text.substr(at + before.size())), tail) << text;
    }

  std::vector<std::uint32_t> const keys = {1, 2}, more = {1, 2, 3}, far = {0, 9};
  std::vector<std::uint64_t> const wide = {1, 2};
  index const i = index::build(sample_, std::span(keys), exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.ancestors(std::span(keys), std::span(more), exec_); }, "ancestors",
                                       "the column of parents", "3", "2"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.ancestors(std::span(keys), std::span(wide), exec_); }, "ancestors",
                                       "the column of parents", "u64"));
  index const with_rows = index::build(sample_, std::span(keys), std::span(far), exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { with_rows.ancestors(std::span(keys), std::span(keys), exec_); },
                                       "ancestors", "row id 9", "2 keys"));
}

INSTANTIATE_TEST_SUITE_P(all, longest_matches,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);
INSTANTIATE_TEST_SUITE_P(all, traces,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
