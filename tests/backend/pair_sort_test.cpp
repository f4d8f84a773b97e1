// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/pair_sort.hpp"
#include "support/expect.hpp"
#include "support/limited_memory.hpp"
#include "support/sanitizers.hpp"

#include <warpdex/search/common.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace warpdex::test {
namespace {

std::uint64_t scrambled(std::uint64_t i) {
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

/// Keys as functions of their position; wider and narrower keys are made from them. In some all bits differ, in others
/// only a few. There are long and short sequences of equal leading digits.
struct column_shape {
  char const* name;
  std::function<u128(std::uint64_t)> key;
};

std::vector<column_shape> column_shapes() {
  auto const wide = [](std::uint64_t i) { return u128{scrambled(i)} << 64 | scrambled(~i); };
  return {
      {"random", wide},
      {"ascending", [](std::uint64_t i) { return u128{i}; }},
      {"descending", [](std::uint64_t i) { return ~u128{i}; }},
      {"equal", [](std::uint64_t) { return u128{42}; }},
      {"two values", [](std::uint64_t i) { return i % 3 == 0 ? ~u128{0} : u128{0}; }},
      {"one beyond", [](std::uint64_t i) { return i == 77 ? ~u128{0} : u128{scrambled(i) & 0xffff}; }},
      {"clusters", [=](std::uint64_t i) { return wide(scrambled(i) % 5) << 16 | (scrambled(i) >> 48); }},
      {"high and low digits", [=](std::uint64_t i) { return wide(i) & ~(((u128{1} << 100) - 1) << 12); }},
      {"nearly sorted", [](std::uint64_t i) { return u128{i % 1000 == 0 ? scrambled(i) : i * 16}; }},
  };
}

template <class Key, class Row> void expect_sorted_for(std::uint64_t size, int threads, bool mixed_rows) {
  using sort = pair_sort<Key, Row>;
  for (auto const& shape : column_shapes()) {
    std::vector<typename sort::entry> entries(size);
    for (std::uint64_t i = 0; i < size; ++i)
      entries[i] = {static_cast<Key>(shape.key(i)), static_cast<Row>(mixed_rows ? scrambled(i / 2) : i)};
    auto expected = entries;
    std::sort(expected.begin(), expected.end());
    sort::run(entries.data(), size, execution(host_memory(), {}, threads));
    EXPECT_TRUE(std::equal(entries.begin(), entries.end(), expected.begin(),
                           [](auto const& a, auto const& b) { return !(a < b) && !(b < a); }))
        << shape.name << ", " << size << " entries, " << threads << " threads, keys of " << sizeof(Key) << ", rows of "
        << sizeof(Row) << (mixed_rows ? ", mixed" : "");
  }
}

template <class Key, class Row> void expect_sorted() {
  auto const sizes = under_sanitizer ? std::vector<std::uint64_t>{2, 8192, 20001}
                                     : std::vector<std::uint64_t>{0, 1, 2, 8191, 8192, 30000, 200001};
  for (std::uint64_t const size : sizes)
    for (int const threads : {1, 0})
      for (bool const mixed_rows : {false, true}) expect_sorted_for<Key, Row>(size, threads, mixed_rows);
}

TEST(pair_sort, keys_of_4_bytes) { expect_sorted<std::uint32_t, std::uint32_t>(); }
TEST(pair_sort, keys_of_4_bytes_rows_of_8) { expect_sorted<std::uint32_t, std::uint64_t>(); }
TEST(pair_sort, keys_of_8_bytes) { expect_sorted<std::uint64_t, std::uint32_t>(); }
TEST(pair_sort, keys_of_8_bytes_rows_of_8) { expect_sorted<std::uint64_t, std::uint64_t>(); }
TEST(pair_sort, keys_of_16_bytes) { expect_sorted<u128, std::uint32_t>(); }
TEST(pair_sort, keys_of_16_bytes_rows_of_8) { expect_sorted<u128, std::uint64_t>(); }

TEST(pair_sort, scratch_comes_from_the_call) {
  std::vector<pair_sort<std::uint64_t, std::uint32_t>::entry> entries(100000);
  limited_memory scarce(host_memory());
  scarce.limit = 1000000;
  EXPECT_TRUE(throws<out_of_memory>(
      [&] { pair_sort<std::uint64_t, std::uint32_t>::run(entries.data(), entries.size(), execution(scarce)); },
      "1200000 bytes"));
}

}  // namespace
}  // namespace warpdex::test
