// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

/// @file
/// What each update call does, on every sample of every structure.
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

  /// That the index is the one of these entries.
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

INSTANTIATE_TEST_SUITE_P(all, update,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
