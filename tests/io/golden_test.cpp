// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"
#include "support/folder.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// @file
/// Index files that an earlier build wrote. Loading them must give the saved entries, and a build of the same keys must
/// write the same bytes, unless it writes other sections now.
namespace warpdex::test {
namespace {

std::filesystem::path golden(char const* name) {
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

}  // namespace
}  // namespace warpdex::test
