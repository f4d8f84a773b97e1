// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/folder.hpp"
#include "support/limited_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

/// @file
/// The effect of each update call, on every sample of every structure.
namespace warpdex::test {
namespace {

using numbers = std::vector<std::uint32_t>;

class update : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const sample_ = std::get<0>(GetParam());
  test_stream const stream_{std::get<1>(GetParam())};
  execution const exec_{memory_of(std::get<1>(GetParam())), stream_, 2};

  index make(numbers const& keys, numbers const& rows) const {
    return index::build(sample_, std::span(keys), std::span(rows), exec_);
  }

  /// Expects that the index holds these entries.
  void expect_entries(index const& i, numbers const& keys, numbers const& rows) const {
    i.verify(exec_);
    index const expected = make(keys, rows);
    EXPECT_EQ(i.size(), keys.size());
    EXPECT_EQ(i.spec_text(), expected.spec_text());
    numbers probes = keys;
    for (std::uint32_t p = 0; p < 60; ++p) probes.push_back(p);
    for (std::uint32_t const p : {4294967294u, 4294967295u}) probes.push_back(p);
    auto const questions = all_questions(probes, expected.ordered());
    auto const answers = ask_all(questions, expected, exec_);
    auto const got = ask_all(questions, i, exec_);
    for (std::size_t q = 0; q < answers.size(); ++q) EXPECT_EQ(got[q], answers[q]) << answers[q].first;
  }
};

void expect_counts(update_counts const& got, std::uint64_t inserted, std::uint64_t erased, std::uint64_t cancelled) {
  EXPECT_EQ(got.inserted, inserted);
  EXPECT_EQ(got.erased, erased);
  EXPECT_EQ(got.cancelled, cancelled);
}

TEST_P(update, insert_adds_entries_between_before_and_behind) {
  index i = make({10, 20, 20, 30}, {0, 1, 2, 3});
  numbers const keys = {25, 20, 5, 4294967295u, 20};
  numbers const rows = {9, 0, 7, 4294967294u, 2};
  expect_counts(i.insert(std::span(keys), std::span(rows), exec_), 5, 0, 0);
  expect_entries(i, {10, 20, 20, 30, 25, 20, 5, 4294967295u, 20}, {0, 1, 2, 3, 9, 0, 7, 4294967294u, 2});
}

TEST_P(update, erase_removes_all_entries_of_a_key) {
  index i = make({10, 20, 20, 30, 40}, {0, 1, 2, 3, 4});
  numbers const keys = {20, 35, 10, 20, 0, 4294967295u};
  expect_counts(i.erase(std::span(keys), exec_), 0, 3, 0);
  expect_entries(i, {30, 40}, {3, 4});
  numbers const absent = {10, 20, 31};
  expect_counts(i.erase(std::span(absent), exec_), 0, 0, 0);
  expect_entries(i, {30, 40}, {3, 4});
}

TEST_P(update, keys_on_both_sides_are_eliminated) {
  index i = make({10, 20, 20, 30}, {0, 1, 2, 3});
  numbers const keys = {20, 50, 60, 20, 60};
  numbers const rows = {5, 6, 7, 8, 9};
  numbers const erase = {60, 20, 30, 60, 70};
  expect_counts(i.update(std::span(keys), std::span(rows), std::span(erase), exec_), 1, 1, 2);
  expect_entries(i, {10, 20, 20, 50}, {0, 1, 2, 6});
  numbers const only = {10, 10};
  numbers const only_rows = {1, 2};
  numbers const both = {10};
  expect_counts(i.update(std::span(only), std::span(only_rows), std::span(both), exec_), 0, 0, 1);
  expect_entries(i, {10, 20, 20, 50}, {0, 1, 2, 6});
}

TEST_P(update, insert_or_assign_replaces) {
  index i = make({10, 20, 20, 30}, {0, 1, 2, 3});
  numbers const keys = {20, 40, 30, 40};
  numbers const rows = {9, 8, 7, 6};
  expect_counts(i.insert_or_assign(std::span(keys), std::span(rows), exec_), 4, 3, 0);
  expect_entries(i, {10, 20, 30, 40, 40}, {0, 9, 7, 8, 6});
}

TEST_P(update, insert_or_assign_of_present_keys_writes_their_rows_alone) {
  constexpr std::uint32_t size = 5003;
  numbers keys(size);
  numbers rows(size);
  for (std::uint32_t j = 0; j < size; ++j) keys[j] = 3 * j + 1;
  std::iota(rows.begin(), rows.end(), 0u);
  limited_memory memory(*exec_.memory);
  execution scarce = exec_;
  scarce.memory = &memory;
  index i = index::build(sample_, std::span(keys), std::span(rows), scarce);

  numbers some_keys;
  numbers some_rows;
  for (std::uint32_t j = size; j-- > 0; j -= std::min(j, 499u)) {  // the last key too, of which padding is a copy
    some_keys.push_back(keys[j]);
    some_rows.push_back(rows[j] = 100000 + j);
  }
  if (i.ordered()) memory.limit = 2 * size;  // an array of the structure takes more
  expect_counts(i.insert_or_assign(std::span(some_keys), std::span(some_rows), scarce), some_keys.size(),
                some_keys.size(), 0);
  memory.limit = static_cast<std::size_t>(-1);
  expect_entries(i, keys, rows);
  if (i.ordered()) {
    EXPECT_EQ(i.save(), make(keys, rows).save());
  }

  // An absent key, and then a key of two entries: the index is rebuilt.
  numbers const absent = {2, 4};
  numbers const absent_rows = {7, 8};
  expect_counts(i.insert_or_assign(std::span(absent), std::span(absent_rows), exec_), 2, 1, 0);
  numbers const present = {2};
  numbers const second_row = {9};
  i.insert(std::span(present), std::span(second_row), exec_);
  expect_counts(i.insert_or_assign(std::span(present), std::span(absent_rows).first(1), exec_), 1, 2, 0);
  rows[1] = 8;
  keys.push_back(2);
  rows.push_back(7);
  expect_entries(i, keys, rows);
}

TEST_P(update, insert_or_assign_leaves_a_mapped_file_as_it_is) {
  folder const files;
  auto const path = files / "index.wdx";
  make({10, 20, 30}, {0, 1, 2}).save(path);
  index mapped = index::load(path, exec_, true);
  numbers const keys = {20, 30};
  numbers const rows = {8, 9};
  expect_counts(mapped.insert_or_assign(std::span(keys), std::span(rows), exec_), 2, 2, 0);
  expect_entries(mapped, {10, 20, 30}, {0, 8, 9});
  expect_entries(index::load(path, exec_, true), {10, 20, 30}, {0, 1, 2});
}

TEST_P(update, from_nothing_to_nothing) {
  numbers const none;
  index i = make(none, none);
  expect_counts(i.insert(std::span(none), std::span(none), exec_), 0, 0, 0);
  expect_counts(i.erase(std::span(none), exec_), 0, 0, 0);
  numbers const absent = {3};
  expect_counts(i.erase(std::span(absent), exec_), 0, 0, 0);
  expect_entries(i, none, none);

  numbers keys(1000);
  numbers rows(1000);
  for (std::uint32_t j = 0; j < 1000; ++j) keys[j] = j * 7919 % 307;
  std::iota(rows.begin(), rows.end(), 0u);
  expect_counts(i.insert(std::span(keys), std::span(rows), exec_), 1000, 0, 0);
  expect_entries(i, keys, rows);
  expect_counts(i.erase(std::span(keys), exec_), 0, 1000, 0);
  expect_entries(i, none, none);
}

TEST_P(update, columns_lie_anywhere) {
  bool const cuda = exec_.memory->backend() == backend_kind::cuda;
  place const near = cuda ? place::device : place::host;
  numbers const keys = {25, 20, 5};
  numbers const rows = {9, 8, 7};
  numbers const erase = {30, 10};
  for (place const where_keys : {place::host, near}) {
    for (place const where_erase : {place::host, near}) {
      // On the host at odd addresses too.
      input_array<std::uint32_t> const k(keys, where_keys, 3, exec_);
      input_array<std::uint32_t> const r(rows, where_erase, 1, exec_);
      input_array<std::uint32_t> const e(erase, where_erase, 5, exec_);
      index i = make({10, 20, 30}, {0, 1, 2});
      expect_counts(i.update(column(k.data(), 3, key_type::u32), row_column(r.data(), 3, row_type::u32),
                             column(e.data(), 2, key_type::u32), exec_),
                    3, 2, 0);
      expect_entries(i, {20, 25, 20, 5}, {1, 9, 8, 7});
    }
  }
}

TEST_P(update, zeros_and_nans_are_one_key_each) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const keys = {nan, 0.0f, 1.0f, -0.0f, -nan, -1.0f};
  index i = index::build(sample_, std::span(keys), exec_);
  std::vector<float> const erase = {-0.0f, -nan, 2.0f};
  std::vector<float> const insert = {nan, 1.0f, -0.0f};
  numbers const rows = {100, 200, 300};
  expect_counts(i.erase(std::span(erase), exec_), 0, 4, 0);
  expect_counts(i.insert(std::span(insert), std::span(rows), exec_), 3, 0, 0);
  std::vector<float> const probes = {0.0f, -nan, 1.0f, -1.0f, 2.0f};
  numbers found(5);
  i.find(std::span(probes), std::span(found), exec_);
  EXPECT_EQ(found, (numbers{300, 100, 2, 5, 4294967295u}));
  expect_counts(i.update(std::span(insert), std::span(rows), std::span(erase), exec_), 1, 0, 2);
  i.verify(exec_);
  EXPECT_EQ(i.size(), 6u);
}

TEST_P(update, an_index_from_a_file) {
  folder const files;
  auto const path = files / "index.wdx";
  make({10, 20}, {0, 1}).save(path);
  index mapped = index::load(path, exec_, true);
  index read = index::load(path, exec_, false);
  numbers keys(3000);
  numbers rows(3000);
  std::iota(keys.begin(), keys.end(), 100u);
  std::iota(rows.begin(), rows.end(), 7u);
  numbers all_keys = {10, 20};
  numbers all_rows = {0, 1};
  all_keys.insert(all_keys.end(), keys.begin(), keys.end());
  all_rows.insert(all_rows.end(), rows.begin(), rows.end());
  for (index* const i : {&mapped, &read}) {
    expect_counts(i->insert(std::span(keys), std::span(rows), exec_), 3000, 0, 0);
    // The file holds the resolved spec: levels of pivots that were given stay as they were.
    index const expected = make(all_keys, all_rows);
    if (sample_.find("levels") == std::string::npos) {
      EXPECT_EQ(i->spec_text(), expected.spec_text());
    }
  }
  index const before = index::load(path, exec_);
  EXPECT_EQ(before.size(), 2u);
  auto const updated = files / "updated.wdx";
  mapped.save(updated);
  std::filesystem::remove(path);
  std::vector<std::uint32_t> const probes = {10, 20, 99, 100, 3099, 3100};
  for (index const& i : {index::load(updated, exec_, true), std::move(mapped), std::move(read)}) {
    i.verify(exec_);
    numbers found(probes.size());
    i.find(std::span(probes), std::span(found), exec_);
    EXPECT_EQ(found, (numbers{0, 1, 4294967295u, 7, 3006, 4294967295u}));
  }
}

INSTANTIATE_TEST_SUITE_P(all, update,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// The requested spec is resolved for each new size.
TEST(update_of_specs, what_was_left_open_follows_the_size) {
  execution const exec;
  folder const files;
  auto const path = files / "index.wdx";
  numbers few(40);
  numbers many(5000);
  std::iota(few.begin(), few.end(), 0u);
  std::iota(many.begin(), many.end(), 40u);
  auto const grown = [&](std::string const& text, bool through_a_file) {
    index i = index::build(text, std::span(few), exec);
    if (through_a_file) {
      i.save(path);
      i = index::load(path, exec);
    }
    i.insert(std::span(many), std::span(many), exec);
    return i.spec_text();
  };
  auto const built = [&](std::string const& text) {
    return resolve(text, key_type::u32, row_type::u32, 5040, backend_kind::cpu);
  };
  for (bool const through_a_file : {false, true}) {
    for (char const* const text : {"AO+PB+KS(2)", "AO+PB+KS(2,levels=1)", "AO+PB+BS", "AO+PB+BS(levels=5)",
                                   "HT(open,load=0.5)/layout=SoA", "EO+KS(9)/layout=SoA/lanes=1"})
      EXPECT_EQ(grown(text, through_a_file), built(text)) << through_a_file;
    auto const chosen = grown("auto(ranges)", through_a_file);
    EXPECT_EQ(chosen, built(chosen)) << "auto has chosen once";
  }
}

}  // namespace
}  // namespace warpdex::test
