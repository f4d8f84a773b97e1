// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/damage.hpp"

#include <warpdex/search/bplus_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>

/// @file
/// Cases that the conformance tests of B+ do not reach: trees of many levels, their sizes, specs, and damaged trees.
namespace warpdex::test {
namespace {

template <class Key> std::vector<Key> spread_keys(std::uint64_t n) {
  std::vector<Key> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i * 0x9e3779b97f4a7c15ull >> (64 - sizeof(Key) * 8));
  return keys;
}

class bplus_on : public testing::TestWithParam<backend_kind> {
 protected:
  folder folder_;
  execution host_{host_memory(), {}, 1};
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 2};
};

TEST_P(bplus_on, trees_of_many_levels_answer_as_a_sorted_array) {
  auto keys = spread_keys<std::uint32_t>(70001);
  for (std::size_t i = 0; i < keys.size(); i += 5)
    keys[i] = keys[i / 100 * 100];  // more entries of a key than a leaf holds
  std::vector<std::uint32_t> probes(keys.begin(), keys.begin() + 2000);
  for (std::uint32_t i = 0; i < 2000; ++i) probes.push_back(i * 2147483u);
  probes.push_back(0xffffffff);
  std::sort(probes.begin(), probes.end());  // ranges go from each key to the next
  auto const questions = all_questions(probes, true);
  auto const expected = ask_all(questions, index::build("AO+BS", std::span(keys), host_), host_);
  for (char const* const spec : {"B+(16)", "B+(16,fill=0.6)", "B+(page=4096)", "B+(page=4096,fill=0.9)"}) {
    SCOPED_TRACE(spec);
    index const tree = index::build(spec, std::span(keys), exec_);
    tree.verify(exec_);
    auto const got = ask_all(questions, tree, exec_);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(got[i] == expected[i]) << expected[i].first;
  }
}

TEST_P(bplus_on, trees_are_the_same_everywhere) {
  auto const keys = spread_keys<std::uint64_t>(20000);
  auto const path = folder_ / "index.wdx";
  for (char const* const spec : {"B+(16)", "B+(16,fill=0.5)/rows=u64", "B+(page=4096,fill=0.8)"})
    EXPECT_TRUE(saved(index::build(spec, std::span(keys), exec_), path) ==
                saved(index::build(spec, std::span(keys), host_), path))
        << spec;
}

TEST_P(bplus_on, sizes) {
  auto const keys = spread_keys<std::uint32_t>(1 << 16);
  auto const memory = [&](std::string const& spec) { return index::build(spec, std::span(keys), host_).memory(); };
  EXPECT_EQ(memory("B+(16)").pairs, 8u << 16);
  EXPECT_EQ(memory("B+(16)").auxiliary, 4u * 16 * (256 + 16 + 1));
  EXPECT_EQ(memory("B+(16,fill=0.5)").pairs, 16u << 16);
  EXPECT_EQ(memory("B+(page=4096)").auxiliary, 4096u);  // 128 leaves
}

INSTANTIATE_TEST_SUITE_P(all, bplus_on, testing::ValuesIn(present_backends()), backend_name);

TEST(bplus_tree_spec, says_what_is_wrong_and_where) {
  auto const refused = [](std::string const& text, auto const&... words) {
    return throws<spec_error>([&] { resolve(spec(text), key_type::u32, row_type::u32, 1000, backend_kind::cpu); },
                              words...);
  };
  EXPECT_TRUE(refused("B+", "B+(16) or B+(page=4096)", "  B+\n    ^"));
  EXPECT_TRUE(refused("B+(32)", "32 slots", "     ^"));
  EXPECT_TRUE(refused("B+(page=8192)", "8192 bytes", "     ^"));
  EXPECT_TRUE(refused("B+(16,page=4096)", "not both", "        ^"));
  EXPECT_TRUE(refused("B+(16,fill=0.4)", "fill is '0.4'", "from 0.5 to 1", "             ^"));
  EXPECT_TRUE(refused("B+(16,fill=1.01)", "from 0.5 to 1"));
  EXPECT_TRUE(refused("B+(16,fill=x)", "fill is 'x'"));
  EXPECT_TRUE(refused("B+(16,load=0.5)", "does not take this argument"));
  EXPECT_TRUE(refused("B+(16)/lanes=15", "on 1 lane or 2"));
  EXPECT_TRUE(refused("B+(page=4096)/lanes=3", "on 1 lane or 2"));
}

TEST(bplus_tree_spec, slots_beyond_32_bits_need_wide_rows) {
  std::uint64_t const n = 0xfffffff0 / 16 * 8;  // at half fill, the most leaves that 32-bit slots allow
  using view = bplus_tree<16, 16, soa_pairs<std::uint64_t, std::uint64_t>>;
  EXPECT_LT(view(n, n / 8, 8).slot_count(), no_row<std::uint32_t>);
  EXPECT_GE(view(n + 8, n / 8 + 1, 8).slot_count(), no_row<std::uint32_t>);
}

TEST(bplus_tree_view, in_a_loop_of_the_users_own) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 100; ++i) keys.push_back(i / 3 * 10);
  index const tree = index::build("B+(16,fill=0.5)", std::span(keys), execution());
  auto const view = tree.view<bplus_tree<16, 16, soa_pairs<std::uint32_t, std::uint32_t>>>();
  EXPECT_EQ(find(view, 30u), 9u);
  EXPECT_EQ(find(view, 31u), no_row<std::uint64_t>);
  EXPECT_EQ(find(view, 0xffffffffu), no_row<std::uint64_t>);
  std::vector<std::uint32_t> rows;
  scan(view, 20u, 50u, [&](auto slot) { rows.push_back(view.pairs.row(slot)); });
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}));
}

/// A saved tree with one number changed.
TEST(damaged_bplus_tree, is_found) {
  folder const folder;
  auto const path = folder / "index.wdx";
  execution const exec(host_memory(), {}, 1);
  using numbers = std::span<std::uint32_t>;
  auto const keys = spread_keys<std::uint32_t>(1003);
  index::build("B+(16,fill=0.7)", std::span(keys), exec).save(path);
  index::load(path, exec);
  for (std::size_t const slot : {0, 10, 11, 15, 16, 500, 1460}) {  // taken ones and gaps
    EXPECT_TRUE(damage_is_found<std::uint32_t>(path, "keys", [&](numbers all) { all[slot] ^= 0x80000000u; })) << slot;
    EXPECT_TRUE(damage_is_found<std::uint32_t>(path, "rows", [&](numbers all) {
      all[slot] = all[slot] + 1 == 0 ? 7 : ~0u;
    })) << slot;
  }
  for (std::size_t pivot = 0; pivot < 16 + 6 * 16; pivot += 9)
    EXPECT_TRUE(damage_is_found<std::uint32_t>(path, "pivots", [&](numbers all) { all[pivot] ^= 1; })) << pivot;
}

}  // namespace
}  // namespace warpdex::test
