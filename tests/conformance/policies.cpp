// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/fixture.hpp"

#include <algorithm>

/// @file
/// Policies change no answer: every sample with every policy that it accepts against the oracle, in batches
/// around the size of a warp and beyond the size from which the engine pins by itself. The CPU backend
/// accepts the same policies and ignores them, so it tries each once.
namespace warpdex::test {
namespace {

/// The automatic policy, each option alone, and combinations, as text to append to the spec.
std::vector<std::string> policies_of(std::string const& sample, backend_kind backend) {
  spec const s(sample);
  auto const* const fanout = s.argument("");
  bool const is_number = fanout != nullptr && fanout->value.find_first_not_of("0123456789") == std::string::npos;
  std::uint64_t const k = is_number ? s.number(*fanout, 1, ~std::uint64_t{0}) : 2;  // no fan-out if no group suits
  std::string group = "/lanes=" + std::to_string(k - 1);
  if (!accepts(sample + group, backend)) group = "/lanes=" + std::to_string(k);
  std::vector<std::string> policies = {"",
                                       "/lanes=1",
                                       "/threads=128",
                                       "/threads=1024",
                                       "/pin=steps",
                                       "/pin=none",
                                       "/lanes=1/threads=160/pin=steps",
                                       group + "/threads=416/pin=none",
                                       "/scan=group",
                                       "/scan=warp",
                                       "/schedule=static",
                                       "/schedule=dynamic/threads=128/probes=3",
                                       "/pin=full",
                                       "/pin=steps/schedule=dynamic/threads=128",
                                       "/reorder=block/threads=128/probes=2",
                                       "/reorder=block+restore/threads=128/probes=2",
                                       "/reorder=block/pin=steps/threads=256/probes=1/schedule=dynamic",
                                       "/reorder=block+restore/pin=full/threads=1024/probes=16/schedule=static",
                                       group + "/reorder=block+restore/threads=256/probes=1",
                                       group + "/pin=full/schedule=static/probes=2"};
  for (int const lanes : {2, 4, 8, 16, 32}) policies.push_back("/lanes=" + std::to_string(lanes));
  std::erase_if(policies, [&](std::string const& options) { return !accepts(sample + options, backend); });
  return policies;
}

class policies : public conformance_fixture {
 protected:
  /// Every policy over a column of each size. For each size there are three data sets of different types, and each
  /// policy takes the next one with the next size, so it meets as many types as there are sizes.
  void run_all(std::vector<std::uint64_t> const& sizes, std::vector<std::uint64_t> const& batches) {
    constexpr std::size_t data_sets = 3;
    auto const all = policies_of(sample(), backend());
    std::uint64_t number = name_hash(sample()) % combinations;
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < data_sets; ++d, ++number)
        for (std::size_t p = 0; p < all.size(); ++p) {
          if ((p + s) % data_sets != d) continue;
          // 11 has no common divisor with the combinations of types.
          ASSERT_NO_FATAL_FAILURE(run_over(number, number * 11, p / data_sets, sizes[s], all[p], batches));
        }
  }
};

TEST_P(policies, small_batches) {
  // The largest columns have more keys than the shared memory of a block holds. Batches are around a warp, and around
  // the tiles of small blocks.
  if (backend() == backend_kind::cuda)
    run_all({0, 1, 40, 1000, 20011, 140001}, {0, 1, 31, 32, 33, 255, 256, 257, 1000});
  else run_all({300}, {33});
}

INSTANTIATE_TEST_SUITE_P(all, policies,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

TEST_P(policies, largest_blocks) {
  if (backend() != backend_kind::cuda) GTEST_SKIP() << "only a GPU limits threads by their registers";
  // Each kernel by blocks of the most threads: keys of each width, rows of both, and each layout.
  auto all = policies_of(sample(), backend());
  std::erase_if(all, [](std::string const& options) { return options.find("/threads=") != std::string::npos; });
  for (key_type const keys : {key_type::u32, key_type::u64, key_type::u128, key_type::bytes})
    for (std::uint64_t which = combinations_with(keys); which < combinations_with(keys) + 2 * layouts; ++which)
      for (std::string const& options : all)
        ASSERT_NO_FATAL_FAILURE(run(which, distribution::few_values, 300, 20, options + "/threads=1024", {33}));
}

class slow_policies_of_large_batches : public policies {};

TEST_P(slow_policies_of_large_batches, above_automatic_pinning) {
  if (backend() != backend_kind::cuda) GTEST_SKIP() << "only a GPU pins";
  // Few keys, so that the oracle is quick, but more than the engine pins.
  run_all({40009}, {(1 << 20) + 33});
}

INSTANTIATE_TEST_SUITE_P(all, slow_policies_of_large_batches,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Few cases, for tools that make each of them slow.
class one_of_each_policy : public policies {};

TEST_P(one_of_each_policy, small_batch) {
  std::uint64_t which = name_hash(sample()) % combinations;
  auto all = policies_of(sample(), backend());
  // More tiles than a GPU has multiprocessors, so that each block has several.
  std::string const several_tiles = "/reorder=block+restore/pin=steps/threads=128/probes=1/schedule=static";
  for (std::string const& options : {std::string("/reorder=window"), several_tiles})
    if (accepts(sample() + options, backend())) all.push_back(options);
  for (std::string const& options : all) {
    std::uint64_t const batch = backend() == backend_kind::cuda && options == several_tiles ? 20000 : 300;
    ASSERT_NO_FATAL_FAILURE(run(which, static_cast<distribution>(which % distributions), 700, 40, options, {batch}));
    which += 11;
  }
}

INSTANTIATE_TEST_SUITE_P(all, one_of_each_policy,
                         testing::Combine(testing::ValuesIn(one_sample_each()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
