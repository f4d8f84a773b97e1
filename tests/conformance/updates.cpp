// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/fixture.hpp"

/// @file
/// Batches of inserts and erases against the oracle: random, but of shapes that break things.
namespace warpdex::test {
namespace {

class updates : public conformance_fixture {};

TEST_P(updates, every_combination) {
  constexpr std::uint64_t sizes[] = {0, 1, 9, 64, 300};
  for (std::uint64_t which = 0; which < combinations; ++which)
    ASSERT_NO_FATAL_FAILURE(run_updates(which, sizes[which % 5], 8, which % 2 == 0 ? 50 : 400));
}

TEST_P(updates, slow_large_batches) {
  // Several tiles of a merge, and batches that are larger than the index.
  constexpr std::uint64_t sizes[] = {0, 70001};
  std::uint64_t which = name_hash(sample()) % combinations;
  for (std::uint64_t const size : sizes) ASSERT_NO_FATAL_FAILURE(run_updates(which += 11, size, 4, 100000, 2));
}

INSTANTIATE_TEST_SUITE_P(all, updates,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

class many_updates : public conformance_fixture {};

TEST_P(many_updates, of_few_keys) {
  std::uint64_t which = name_hash(sample()) % combinations;
  for (std::uint64_t const size : {0, 1000}) ASSERT_NO_FATAL_FAILURE(run_updates(which += 11, size, 2000, 20, 250));
}

INSTANTIATE_TEST_SUITE_P(all, many_updates,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Few cases, for tools that make each of them slow: small batches, which some structures apply in place, and large
/// batches.
class one_of_each_update : public conformance_fixture {};

TEST_P(one_of_each_update, small_and_large) {
  std::uint64_t const which = name_hash(sample()) % combinations;
  ASSERT_NO_FATAL_FAILURE(run_updates(which, 3000, 3, 20));
  ASSERT_NO_FATAL_FAILURE(run_updates(which + 11, 700, 2, 400));
}

INSTANTIATE_TEST_SUITE_P(all, one_of_each_update,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
