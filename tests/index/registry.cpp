// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warpdex::test {
namespace {

TEST(registry, every_structure_introduces_itself) {
  std::set<std::string> names;
  for (structure_info const& info : structures()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is registered twice";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.samples.empty()) << info.name << " would not be tested";
    for (std::string const& sample : info.samples) EXPECT_EQ(spec(sample).structure(), info.name) << sample;
  }
  for (char const* name : {"AO+BS", "EO+BS", "EO+KS", "AO+PB+BS", "AO+PB+KS"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(registry, test_names_are_unique) {
  std::set<std::string> names;
  for (std::string const& sample : all_samples()) EXPECT_TRUE(names.insert(test_name(sample)).second) << sample;
}

/// What a resolved spec says is everything: resolving it again changes nothing.
TEST(registry, resolved_specs_are_complete) {
  for (std::string const& sample : all_samples()) {
    for (key_type const keys : {key_type::u32, key_type::f64}) {
      for (row_type const rows : {row_type::u32, row_type::u64}) {
        for (std::uint64_t const size : {0ull, 1ull, 1000ull, 1ull << 31}) {
          std::string const once = resolve(spec(sample), keys, rows, size, backend_kind::cpu);
          EXPECT_EQ(resolve(spec(once), keys, rows, size, backend_kind::cpu), once) << sample;
        }
      }
    }
  }
}

TEST(registry, an_index_carries_its_resolved_spec) {
  std::vector<double> const keys = {3, 1, 2};
  for (std::string const& sample : all_samples()) {
    index const i = index::build(sample, std::span(keys), execution());
    EXPECT_EQ(i.spec_text(), resolve(spec(sample), key_type::f64, row_type::u32, 3, backend_kind::cpu));
  }
}

}  // namespace
}  // namespace warpdex::test
