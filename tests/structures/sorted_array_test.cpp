// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"
#include "support/sorted_strings.hpp"

#include <warpdex/index.hpp>
#include <warpdex/search/sorted_bytes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

/// @file
/// Strings of which many share the 8 bytes of a head, so that AO+BS groups them, against a sorted vector: keys that are
/// beginnings of their group, and probes that leave a group at each byte.
namespace warpdex::test {
namespace {

class groups_of_strings : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {};

TEST_P(groups_of_strings, answers_are_those_of_a_sorted_vector) {
  backend_kind const backend = std::get<1>(GetParam());
  test_stream const stream(backend);
  execution const exec(memory_of(backend), stream);
  std::mt19937_64 random(11);
  std::string const hosts[] = {"first-host/path/", "second-host/a", "second-hoss", std::string("third\0\0\0\0\0", 10),
                               "z"};
  std::vector<std::string> keys;
  for (std::string const& host : hosts)
    for (int i = 0; i < 150; ++i) {
      std::string tail(random() % 12, 0);
      for (char& c : tail) c = static_cast<char>("\0\1ab/\xff"[random() % 6]);
      if (host == "z") tail = i < 100 ? std::string(9, 'y') + tail : "";
      keys.push_back("all/" + host + tail);
    }
  std::vector<std::string> probes = {"", "all/", "all", "b", "\xff"};
  for (int i = 0; i < 3000; ++i) {
    std::string probe = keys[random() % keys.size()];
    switch (random() % 5) {
      case 0: probe.resize(random() % (probe.size() + 1)); break;
      case 1: probe[random() % probe.size()] = static_cast<char>(random()); break;
      case 2: probe.push_back(static_cast<char>(random() % 2 == 0 ? 0 : 0xff)); break;
      case 3: probe.resize(4 + random() % 12, '\0'); break;
      default: break;
    }
    probes.push_back(std::move(probe));
  }
  index const built = index::build(std::get<0>(GetParam()), byte_strings(keys), exec);
  built.verify(exec);
  EXPECT_GT(built.memory().auxiliary, keys.size() * sizeof(std::uint64_t)) << "heads have no groups";
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  byte_strings const query(probes);
  std::vector<std::uint64_t> lower(probes.size()), upper(probes.size()), prefixes(probes.size());
  std::vector<std::uint32_t> rows(probes.size());
  built.lower_bound(query, lower, exec);
  built.upper_bound(query, upper, exec);
  built.prefix_count(query, prefixes, exec);
  built.find(query, rows, exec);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    auto const [first, last] = std::equal_range(sorted.begin(), sorted.end(), probes[i]);
    auto const begin_so =
        std::count_if(first, sorted.end(), [&](auto const& key) { return key.starts_with(probes[i]); });
    auto const row = std::find(keys.begin(), keys.end(), probes[i]) - keys.begin();
    SCOPED_TRACE(testing::Message() << "probe " << i << ": " << testing::PrintToString(probes[i]));
    ASSERT_EQ(lower[i], static_cast<std::uint64_t>(first - sorted.begin()));
    ASSERT_EQ(upper[i], static_cast<std::uint64_t>(last - sorted.begin()));
    ASSERT_EQ(prefixes[i], static_cast<std::uint64_t>(begin_so));
    ASSERT_EQ(rows[i], first == last ? no_row<std::uint32_t> : static_cast<std::uint32_t>(row));
  }
}

/// What blocks on a GPU pin is read like the heads themselves.
TEST(sorted_bytes_view, the_copy_of_the_top_is_read_like_the_top) {
  std::vector<std::string> strings;
  for (int i = 0; i < 77; ++i)
    strings.push_back("all/" + std::string(static_cast<std::size_t>(1 + i % 7), static_cast<char>('a' + i / 7)));
  for (bool const wide : {false, true}) {
    sorted_strings const keys(strings, wide);
    sorted_bytes<std::uint32_t> view(77);
    view.pairs = keys.pairs();
    view.shared = 4;
    std::vector<std::uint64_t> heads;
    for (std::uint64_t i = 0; i < 77; ++i) heads.push_back(word_at(view.pairs.key(i), view.shared));
    view.heads = heads.data();
    for (int levels = 0; levels <= view.pinnable_levels(); ++levels) {
      std::vector<std::uint64_t> copy(view.pinned_values(levels));
      for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = view.pinned_value(i);
      for (std::uint64_t i = 0; i < 77; ++i) {
        auto at = view.start(view.pairs.key(i));
        bool over = false;
        for (int level = 0; level < levels; ++level) over = view.visit_pinned(single_lane{}, at, copy.data());
        while (!over) over = view.visit(single_lane{}, at);
        ASSERT_EQ(at.slot, i) << levels << " levels" << (wide ? ", offsets of 64 bits" : "");
      }
    }
  }
}

/// Answers of the bare view over all probes, without groups: its heads tie where keys share 8 bytes after the first.
TEST(sorted_bytes_view, offsets_of_both_widths) {
  std::mt19937_64 random(12);
  std::vector<std::string> strings;
  for (int i = 0; i < 500; ++i) {
    std::string text = "all/" + std::string(random() % 12, 'a');
    for (std::uint64_t left = random() % 4; left > 0; --left) text += static_cast<char>("\0ab\xff"[random() % 4]);
    strings.push_back(std::move(text));
  }
  for (bool const wide : {false, true}) {
    sorted_strings const keys(strings, wide);
    sorted_bytes<std::uint32_t> view(keys.size());
    view.pairs = keys.pairs();
    view.shared = 4;
    std::vector<std::uint64_t> heads;
    std::vector<byte_key> sorted;
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      sorted.push_back(view.pairs.key(i));
      heads.push_back(word_at(sorted[i], view.shared));
    }
    view.heads = heads.data();
    for (byte_key target : sorted)
      for (std::uint32_t size = 0; size <= target.size; ++size)
        for (auto const tail : {byte_key::tail::none, byte_key::tail::zero, byte_key::tail::ones}) {
          byte_key const probe{target.data, size, tail};
          auto const found = run_from_start(view, view.start(probe), single_lane{});
          auto const right = std::lower_bound(sorted.begin(), sorted.end(), probe);
          ASSERT_EQ(found.slot, static_cast<std::uint64_t>(right - sorted.begin())) << (wide ? "64 bits" : "32 bits");
        }
  }
}

INSTANTIATE_TEST_SUITE_P(all, groups_of_strings,
                         testing::Combine(testing::Values("AO+BS/reorder=none", "AO+BS/reorder=window"),
                                          testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
