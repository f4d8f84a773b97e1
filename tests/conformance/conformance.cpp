// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/fixture.hpp"

#include "support/sanitizers.hpp"

#include <iterator>

/// @file
/// Every sample of every registered structure, on every backend that is there, against the oracle.
namespace warpdex::test {
namespace {

class conformance : public conformance_fixture {};

TEST_P(conformance, slow_every_size_up_to_300) {
  // 60 combinations and 17 distributions have no common divisor with the step of the sizes, so all of them get
  // small, middle and full trees.
  for (std::uint64_t n = 0; n <= 300; ++n) {
    ASSERT_NO_FATAL_FAILURE(run(n * 7 + 1, static_cast<distribution>(n % distributions), n, 40));
  }
}

TEST_P(conformance, every_combination) {
  constexpr std::uint64_t sizes[] = {0,  1,  2,  5,  8,  9,   16,  17,  31,  32,  33,
                                     63, 64, 65, 80, 81, 127, 255, 256, 257, 288, 289};
  std::uint64_t number = 0;
  for (std::uint64_t which = 0; which < combinations; ++which) {
    for (int kind = 0; kind < distributions; ++kind) {
      std::uint64_t const size = sizes[number++ % std::size(sizes)];
      ASSERT_NO_FATAL_FAILURE(run(which, static_cast<distribution>(kind), size, 60));
    }
  }
}

TEST_P(conformance, slow_large_sizes) {
  constexpr std::uint64_t sizes[] = {1023, 1024, 1025, 4097, 6561, 6562, 16384, 32769, 65535, 100003, 131073};
  std::uint64_t which = name_hash(sample()) % 1024;  // so that all samples together see all distributions
  for (std::uint64_t const size : sizes) {
    ASSERT_NO_FATAL_FAILURE(run(which * 11, static_cast<distribution>(which % distributions), size, 1000));
    ++which;
  }
}

/// Batches around a warp, a tile and the chunk of a search, on indexes of one bucket to many.
class orders : public conformance_fixture {
 protected:
  void run_all(std::string const& policy) {
    if (backend() != backend_kind::cuda) GTEST_SKIP() << "the policy is a GPU's";
    if (!accepts(sample() + policy, backend())) GTEST_SKIP() << "does not take the policy";
    constexpr std::uint64_t sizes[] = {0, 1, 2, 31, 1023, 1025, 8191, 8193, 40000, 140000};
    std::uint64_t which = name_hash(sample() + policy) % 1024;  // so that all samples together see all distributions
    auto const kind = [&] { return static_cast<distribution>(which % distributions); };
    for (std::uint64_t const size : sizes) {
      ASSERT_NO_FATAL_FAILURE(run(which * 11, kind(), size, 60, policy, {31, 32, 33}));
      ++which;
    }
    ASSERT_NO_FATAL_FAILURE(run(which * 11, kind(), 70001, 5000, policy, {8191, 8192, 8193, 3 * 8192 + 1}));
  }
};

TEST_P(orders, windows) { run_all("/reorder=window"); }
TEST_P(orders, tiles) { run_all("/reorder=tile"); }

INSTANTIATE_TEST_SUITE_P(all, orders,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

INSTANTIATE_TEST_SUITE_P(all, conformance,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Windows over strings and numbers of 16 bytes, by reference, on a CPU too.
class wide_keys : public conformance_fixture {};

TEST_P(wide_keys, windows) {
  if (!accepts(sample() + "/reorder=window", backend(), key_type::bytes)) GTEST_SKIP() << "takes no strings";
  std::uint64_t which = 0;
  for (key_type const keys : {key_type::bytes, key_type::u128})
    for (std::uint64_t const size : {0u, 31u, 2000u})
      for (int kind = 0; kind < distributions; ++kind)
        ASSERT_NO_FATAL_FAILURE(run(combinations_with(keys) + which++ % 2 * 3, static_cast<distribution>(kind), size,
                                    60, "/reorder=window", {33, 300}));
}

INSTANTIATE_TEST_SUITE_P(all, wide_keys,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Few cases of strings and numbers of 16 bytes, for tools that make each of them slow.
class one_of_each_wide : public conformance_fixture {};

TEST_P(one_of_each_wide, policies_and_an_update) {
  std::uint64_t kind = name_hash(sample()) % distributions;
  for (key_type const keys : {key_type::bytes, key_type::u128}) {
    for (std::string const options : {"", "/reorder=window", "/reorder=block"}) {
      if (!accepts(sample() + options, backend(), keys)) continue;
      ASSERT_NO_FATAL_FAILURE(
          run(combinations_with(keys), static_cast<distribution>(kind++ % distributions), 700, 40, options, {300}));
    }
    ASSERT_NO_FATAL_FAILURE(run_updates(combinations_with(keys), 700, 1, 60));
  }
}

INSTANTIATE_TEST_SUITE_P(all, one_of_each_wide,
                         testing::Combine(testing::Values("AO+BS", "GRT"), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
