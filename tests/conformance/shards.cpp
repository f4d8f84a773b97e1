// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/fixture.hpp"
#include "support/folder.hpp"

/// @file
/// Every structure as shards, which answer as the whole does, also after updates and from files.
namespace warpdex::test {
namespace {

class shards : public conformance_fixture {};

TEST_P(shards, every_combination) {
  constexpr std::uint32_t counts[] = {1, 2, 3, 4, 5, 7, 8};
  constexpr std::uint64_t sizes[] = {0, 3, 9, 64, 300, 2000};
  for (std::uint64_t which = 0; which < combinations; ++which) {
    std::uint64_t const size = sizes[which % 6];
    ASSERT_NO_FATAL_FAILURE(run_shards(which, size, counts[which % 7], which % 5 == 4, which % 3 == 0 ? 3 : 0));
  }
}

TEST_P(shards, from_files) {
  folder const home;
  std::uint64_t which = name_hash(sample()) % combinations;
  for (std::uint32_t const count : {2u, 5u})
    for (bool const copies : {false, true})
      ASSERT_NO_FATAL_FAILURE(run_shards(which += 11, 500, count, copies, 2, home / "index"));
}

INSTANTIATE_TEST_SUITE_P(all, shards,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
