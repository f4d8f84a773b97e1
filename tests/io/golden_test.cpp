// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"
#include "support/folder.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// Index files that an earlier build wrote. Loading them must give the saved entries, and a build of the same keys must
/// write the same bytes, unless it writes other sections now.
///
/// There is one file per registered structure and kind of keys. For a new structure, `WARPDEX_NEW_GOLDEN=1
/// build/bin/warpdex_tests --gtest_filter=*golden_kinds*` writes those that are missing; none is ever written again.
namespace warpdex::test {
namespace {

std::filesystem::path golden(std::string const& name) {
  char const* const files = std::getenv("WARPDEX_TEST_FILES");
  return std::filesystem::path(files != nullptr ? files : WARPDEX_TEST_FILES) / "io" / "golden" / name;
}

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Keys of all sizes, of both signs, some of them several times.
template <class Scalar> std::vector<Scalar> golden_keys() {
  std::vector<Scalar> keys;
  for (std::uint64_t i = 0; i < 150; ++i) keys.push_back(static_cast<Scalar>(i % 110 * 0x9e3779b97f4a7c15u >> i % 7));
  return keys;
}

std::vector<std::uint32_t> golden_rows() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 150; ++i) rows.push_back(i * 7 % 150 + 1000);
  return rows;
}

bool is_compiled(std::string const& text) {
  try {
    resolve(text, key_type::u32, row_type::u32, 150, backend_kind::cpu);
    return true;
  } catch (spec_error const&) {
    return false;
  }
}

/// @param is_written whether builds still write this file
template <class Scalar> void expect_golden(std::string const& text, char const* name, bool is_written = true) {
  if (!is_compiled(text)) GTEST_SKIP() << text << " is not part of this build";
  auto const keys = golden_keys<Scalar>();
  auto const rows = golden_rows();
  oracle<Scalar> const sorted(keys, {rows.begin(), rows.end()});
  for (backend_kind const backend : present_backends()) {
    SCOPED_TRACE(name_of(backend));
    test_stream const stream(backend);
    execution const exec(memory_of(backend), stream, 1);
    auto const loaded = index::load(golden(name), exec);
    loaded.verify(exec);
    ASSERT_EQ(loaded.size(), keys.size());
    std::vector<Scalar> probes = keys;
    for (Scalar const key : keys) probes.push_back(static_cast<Scalar>(key + 1));
    std::vector<std::uint32_t> found(probes.size());
    std::vector<std::uint64_t> counts(probes.size());
    loaded.find(std::span<Scalar const>(probes), std::span(found), exec);
    loaded.count(std::span<Scalar const>(probes), std::span(counts), exec);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      std::uint64_t const first = sorted.lower_bound(probes[i]);
      ASSERT_EQ(counts[i], sorted.upper_bound(probes[i]) - first) << probes[i];
      ASSERT_EQ(found[i], counts[i] == 0 ? no_row<std::uint32_t> : sorted.entries()[first].row) << probes[i];
    }

    if (!is_written) continue;
    folder const files;
    index::build(text, std::span<Scalar const>(keys), std::span<std::uint32_t const>(rows), exec).save(files / name);
    EXPECT_TRUE(bytes_of(files / name) == bytes_of(golden(name))) << "the same keys make another file";
  }
}

TEST(golden, pivot_tree_of_i64) { expect_golden<std::int64_t>("AO+PB+KS(9)", "pivot_tree_i64.wdx"); }
TEST(golden, hash_buckets_of_u32) { expect_golden<std::uint32_t>("HT(buckets)", "hash_buckets_lists_u32.wdx"); }
TEST(golden, hash_open_of_u64) { expect_golden<std::uint64_t>("HT(open)", "hash_open_lists_u64.wdx"); }

/// Tables had groups before they had row lists.
TEST(golden, hash_buckets_of_u32_with_groups) {
  expect_golden<std::uint32_t>("HT(buckets)", "hash_buckets_u32.wdx", false);
}

/// Entries whose keys are of one kind, some of them several times.
template <class Key> struct golden_entries {
  std::vector<Key> keys;
  std::vector<std::uint32_t> rows;
  std::vector<std::pair<Key, std::uint32_t>> sorted;

  golden_entries() {
    for (std::uint32_t i = 0; i < 60; ++i) {
      std::uint64_t const number = i % 47 * 0x9e3779b97f4a7c15u >> i % 5;
      if constexpr (std::is_same_v<Key, std::string>) keys.push_back("key " + std::to_string(number % 1000));
      else if constexpr (std::is_same_v<Key, u128>) keys.push_back(static_cast<u128>(number) << 64 | i % 47);
      else keys.push_back(static_cast<Key>(number));
      rows.push_back(i * 7 % 60 + 1000);
      sorted.emplace_back(keys.back(), rows.back());
    }
    std::sort(sorted.begin(), sorted.end());
  }

  std::uint64_t rank(Key const& key) const {
    return static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), std::pair(key, 0u)) -
                                      sorted.begin());
  }
};

/// @return keys as what owns a column
template <class Key> std::vector<Key> const& column_of(std::vector<Key> const& keys) { return keys; }
byte_strings column_of(std::vector<std::string> const& keys) { return byte_strings(keys); }

/// Keys, and what comes just after each.
template <class Key> std::vector<Key> golden_probes(std::vector<Key> probes) {
  for (std::size_t i = 0, keys = probes.size(); i < keys; ++i) {
    if constexpr (std::is_same_v<Key, std::string>) probes.push_back(probes[i] + '!');
    else probes.push_back(static_cast<Key>(probes[i] + 1));
  }
  return probes;
}

template <class Key> void expect_answers(index const& loaded, golden_entries<Key> const& of, execution const& exec) {
  ASSERT_EQ(loaded.size(), of.keys.size());
  auto const probes = golden_probes(of.keys);
  auto const found = loaded.find(column_of(probes), exec);
  auto const counts = loaded.count(column_of(probes), exec);
  auto const ranks = loaded.ordered() ? loaded.lower_bound(column_of(probes), exec) : std::vector<std::uint64_t>();
  for (std::size_t i = 0; i < probes.size(); ++i) {
    std::uint64_t const first = of.rank(probes[i]);
    std::uint64_t count = 0;
    while (first + count < of.sorted.size() && of.sorted[first + count].first == probes[i]) ++count;
    ASSERT_EQ(counts[i], count) << i;
    ASSERT_EQ(found[i], count == 0 ? no_row<std::uint32_t> : of.sorted[first].second) << i;
    if (loaded.ordered()) {
      ASSERT_EQ(ranks[i], first) << i;
    }
  }
}

template <class Key> void expect_golden_kind(structure_info const& info, std::string const& kind) {
  std::string const name = test_name(info.samples[0]) + "_" + kind + ".wdx";
  SCOPED_TRACE(name);
  golden_entries<Key> const of;
  if (!std::filesystem::exists(golden(name)) && std::getenv("WARPDEX_NEW_GOLDEN") != nullptr) {
    execution const exec(host_memory(), {}, 1);
    index::build(info.samples[0], column_of(of.keys), std::span(of.rows), exec).save(golden(name));
  }
  for (backend_kind const backend : present_backends()) {
    test_stream const stream(backend);
    execution const exec(memory_of(backend), stream, 1);
    auto const loaded = index::load(golden(name), exec);
    loaded.verify(exec);
    expect_answers(loaded, of, exec);
  }
}

TEST(golden_kinds, every_structure_reads_its_first_files) {
  for (structure_info const& info : structures()) {
    if (info.chooses) continue;
    expect_golden_kind<std::uint32_t>(info, "u32");
    expect_golden_kind<std::uint64_t>(info, "u64");
    if (info.widest_key == 16) expect_golden_kind<u128>(info, "u128");
    if (info.takes_bytes) expect_golden_kind<std::string>(info, "bytes");
  }
}

/// Files of forms that not every build searches, and files of earlier versions, whose positions were as wide as their
/// row ids. Those of `golden/forms` have 60 entries, or 400 if the index was updated in place.
template <class Row> void expect_form(std::string const& name, std::uint64_t size, char const* research = nullptr) {
  SCOPED_TRACE(name);
  auto const path = golden("forms") / (name + ".wdx");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted;
  for (std::uint64_t i = 0; i < size; ++i)
    sorted.emplace_back(i % (size - 13) * 0x9e3779b97f4a7c15u >> i % 5, i * 7 % size + 1000);
  std::sort(sorted.begin(), sorted.end());
  for (backend_kind const backend : present_backends()) {
    test_stream const stream(backend);
    execution const exec(memory_of(backend), stream, 1);
    for (check const checks : {check::all, check::structure, check::none}) {
      try {
        auto const loaded = index::load(path, exec, false, checks);
        loaded.verify(exec);
        ASSERT_EQ(loaded.size(), size);
        for (std::uint64_t i = 0; i < size; i += 7) {
          auto const first =
              std::lower_bound(sorted.begin(), sorted.end(), std::pair(sorted[i].first, std::uint64_t{0}));
          std::vector<std::uint64_t> const probe{sorted[i].first};
          std::vector<Row> row(1);
          loaded.find(std::span(probe), std::span(row), exec);
          ASSERT_EQ(row[0], first->second) << i;
        }
      } catch (error const& why) {
        ASSERT_NE(research, nullptr) << why.what();
        EXPECT_NE(std::string(why.what()).find(research), std::string::npos) << why.what();
      }
    }
  }
}

TEST(golden_forms, are_read_or_name_the_build_that_reads_them) {
  for (char const* const name : {"eytzinger_3", "eytzinger_33", "pivots_3", "pivots_33"})
    expect_form<std::uint32_t>(name, 60, "WARPDEX_RESEARCH=fanouts");
  for (char const* const name : {"eytzinger_17", "pivots_17", "hash_packed"}) expect_form<std::uint32_t>(name, 60);
  for (char const* const name : {"sorted_packed", "radix_packed"})
    expect_form<std::uint32_t>(name, 60, "WARPDEX_RESEARCH=packed");
  expect_form<std::uint32_t>("eytzinger_aos", 60, "WARPDEX_RESEARCH=aos");
}

TEST(golden_forms, wide_positions_of_earlier_versions_are_read) {
  for (char const* const name : {"pgm_wide", "spline_wide", "radix_wide", "hash_wide", "bplus_wide", "pages_wide",
                                 "harmonia_wide", "chains_wide"})
    expect_form<std::uint64_t>(name, 60);
  for (char const* const name : {"bplus_wide_updated", "harmonia_wide_updated", "chains_wide_updated"})
    expect_form<std::uint64_t>(name, 400);
}

}  // namespace
}  // namespace warpdex::test
