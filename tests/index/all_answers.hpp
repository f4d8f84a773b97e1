// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

/// @file
/// The answers of all operations that windows and tiles serve.
namespace warpdex::test {

enum class spread : std::uint8_t { even, clustered, repeated, outliers };

template <class Key> std::vector<Key> keys_of(spread how, std::size_t size) {
  std::mt19937_64 random(7);
  std::vector<Key> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const any = static_cast<Key>(random());
    keys[i] = how == spread::even ? any : static_cast<Key>(i % 8 == 0 ? any : any % 1000003);
    if (how == spread::outliers) keys[i] = i < 20 ? any : any % (3 * static_cast<Key>(size));
    if (how == spread::repeated) keys[i] = static_cast<Key>(i % 64 == 0 ? any : any % 3);
  }
  return keys;
}

/// Keys of the index, their neighbours, and others.
template <class Key> std::vector<Key> probes_of(std::vector<Key> const& keys, std::size_t size) {
  std::mt19937_64 random(8);
  std::vector<Key> probes(size);
  for (std::size_t i = 0; i < size; ++i)
    probes[i] = i % 5 == 4 ? static_cast<Key>(random()) : static_cast<Key>(keys[random() % keys.size()] + i % 3 - 1);
  return probes;
}

template <class Key> column column_of(input_array<Key> const& array) {
  return {array.data(), array.size(),
          sizeof(Key) == 4   ? key_type::u32
          : sizeof(Key) == 8 ? key_type::u64
                             : key_type::u128};
}

template <class Row> row_output rows_to(output_array<Row>& out) {
  return {out.data(), out.size(), sizeof(Row) == 4 ? row_type::u32 : row_type::u64};
}

template <class Row> std::string with_rows(std::string const& spec) {
  return spec + "/rows=" + (sizeof(Row) == 4 ? "u32" : "u64");
}

/// The answers of all operations, with probes that start `shift` elements into a column.
template <class Key, class Row>
std::vector<std::vector<std::uint64_t>> answers_of(index const& from, std::vector<Key> const& probes, std::size_t shift,
                                                   execution const& exec, place at = place::device) {
  std::size_t const m = probes.size();
  input_array<Key> const column_array(probes, at, shift, exec);
  column const c = column_of(column_array);
  std::vector<std::vector<std::uint64_t>> answers;
  auto const ask = [&]<class T>(T fill, auto const& call) {
    output_array<T> out(m, fill, at, exec);
    call(out);
    auto const read = out.read();
    answers.emplace_back(read.begin(), read.end());
  };
  ask(std::uint8_t{7}, [&](auto& out) { from.contains(c, out.span(), exec); });
  ask(Row{7}, [&](auto& out) { from.find(c, rows_to(out), exec); });
  output_array<std::uint32_t> positions(m, 7, at, exec);
  ask(Row{7}, [&](auto& out) { from.find_unordered(c, positions.span(), rows_to(out), exec); });
  // Brought into the order of the probes. A missing or repeated position leaves a number that is no row.
  std::vector<std::uint64_t> restored(m, ~std::uint64_t{1});
  auto const order = positions.read();
  for (std::size_t j = 0; j < m; ++j)
    if (order[j] < m) restored[order[j]] = answers.back()[j];
  answers.back() = restored;
  ask(std::uint64_t{7}, [&](auto& out) { from.count(c, out.span(), exec); });
  auto const retrieve = [&](matches const& found) {
    std::vector<Row> rows(found.total);
    std::vector<std::uint64_t> offsets(m + 1);
    copy(rows.data(), found.rows.data(), rows.size() * sizeof(Row), exec);
    copy(offsets.data(), found.offsets.data(), offsets.size() * sizeof(std::uint64_t), exec);
    answers.emplace_back(rows.begin(), rows.end());
    answers.push_back(std::move(offsets));
  };
  if (!from.ordered()) return answers;
  ask(std::uint64_t{7}, [&](auto& out) { from.lower_bound(c, out.span(), exec); });
  ask(std::uint64_t{7}, [&](auto& out) { from.upper_bound(c, out.span(), exec); });
  output_array<Key> keys(m, Key{7}, at, exec);
  ask(Row{7}, [&](auto& out) { from.floor(c, {keys.data(), keys.size(), c.type}, rows_to(out), exec); });
  auto const floors = keys.read();
  answers.emplace_back(floors.begin(), floors.end());
  ask(Row{7}, [&](auto& out) { from.floor(c, {}, rows_to(out), exec); });
  ask(Row{7}, [&](auto& out) { from.ceil(c, {keys.data(), keys.size(), c.type}, rows_to(out), exec); });
  auto const ceils = keys.read();
  answers.emplace_back(ceils.begin(), ceils.end());
  std::vector<Key> ends(m);  // some below their beginnings, most a few entries above
  for (std::size_t i = 0; i < m; ++i) ends[i] = static_cast<Key>(probes[i] + i % 9 * 1000 - 500);
  input_array<Key> const upper_array(ends, at, 1, exec);
  column const upper = column_of(upper_array);
  ask(std::uint64_t{7}, [&](auto& out) { from.range_count({c, upper}, out.span(), exec); });
  auto const total = std::accumulate(answers.back().begin(), answers.back().end(), std::uint64_t{0});
  ask(std::uint64_t{7}, [&](auto& out) { from.range_sum({c, upper}, out.span(), exec); });
  ask(std::uint64_t{7}, [&](auto& out) { from.range_sum({c, c}, out.span(), exec); });
  if (total < 10'000'000) retrieve(from.range_retrieve({c, upper}, exec));
  return answers;
}

/// Compares the answers of all operations. Names the first that differs: the lists are too long to print.
inline void expect_equal(std::vector<std::vector<std::uint64_t>> const& found,
                         std::vector<std::vector<std::uint64_t>> const& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << "answers number " << i;
    auto const [a, b] = std::mismatch(found[i].begin(), found[i].end(), expected[i].begin());
    EXPECT_TRUE(a == found[i].end()) << "answers number " << i << ", probe " << a - found[i].begin() << ": " << *a
                                     << " in place of " << *b;
  }
}

}  // namespace warpdex::test
