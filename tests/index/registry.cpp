// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warpdex::test {
namespace {

TEST(registry, every_structure_introduces_itself) {
  std::set<std::string> names;
  for (structure_info const& info : structures()) {
    EXPECT_TRUE(names.insert(info.name + info.kind).second) << info.name << " is registered twice";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.samples.empty()) << info.name << " would not be tested";
    for (std::string const& sample : info.samples) EXPECT_EQ(spec(sample).structure(), info.name) << sample;
  }
  for (char const* name : {"AO+BS", "EO+BS", "EO+KS", "AO+PB+BS", "AO+PB+KS", "B+", "Harmonia", "HTopen", "HTbuckets"})
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

TEST(registry, tells_who_takes_wide_keys) {
  std::set<std::string> wide;
  for (structure_info const& info : structures()) {
    EXPECT_GE(info.widest_key, 8u) << info.name;
    if (info.widest_key == 16) wide.insert(info.name);
    else EXPECT_FALSE(takes_wide_keys(info.samples.front())) << info.name;
  }
  EXPECT_EQ(wide, (std::set<std::string>{"auto", "HT"}));
  for (char const* const spec : {"auto", "HT(open)", "HT(open,load=0.5)"}) EXPECT_TRUE(takes_wide_keys(spec)) << spec;
}

/// Policies stand in the resolved spec as they were given, and nowhere if the engine is to choose. They are
/// read alike on both backends.
TEST(registry, policies_are_part_of_the_resolved_spec) {
  for (structure_info const& info : structures()) {
    if (info.name.substr(1, 2) != "O+") continue;  // AO and EO: all of them accept every option
    for (std::string const& sample : info.samples) {
      for (backend_kind const backend : {backend_kind::cpu, backend_kind::cuda}) {
        auto const resolved = [&](std::string const& options) {
          return resolve(spec(sample + options), key_type::u32, row_type::u32, 1000, backend);
        };
        std::string const plain = resolved("");
        EXPECT_EQ(resolved("/lanes=auto/threads=auto/pin=auto"), plain);
        for (char const* const options :
             {"/lanes=1", "/threads=128", "/threads=1024", "/pin=steps", "/pin=none", "/lanes=1/threads=160/pin=steps"})
          EXPECT_EQ(resolved(options), plain + options);
        EXPECT_EQ(resolved("/pin=none/layout=SoA/threads=256"), plain + "/threads=256/pin=none");
      }
    }
  }
}

/// On the CPU they change neither the bytes of an index nor its answers.
TEST(registry, policies_change_nothing_on_the_cpu) {
  std::vector<std::uint32_t> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 7919 % 601);
  std::vector<std::uint32_t> probes;
  for (std::uint32_t p = 0; p < 700; p += 9) probes.push_back(p);
  execution const exec(host_memory(), {}, 1);
  for (std::string const& sample : all_samples()) {
    index const plain = index::build(sample, std::span(keys), exec);
    auto const questions = all_questions(probes, plain.ordered());
    auto const answers = ask_all(questions, plain, exec);
    for (char const* const options : {"/lanes=1", "/threads=128", "/threads=1024", "/pin=steps", "/pin=none"}) {
      SCOPED_TRACE(sample + options);
      index const other = index::build(sample + options, std::span(keys), exec);
      EXPECT_EQ(other.memory().pairs, plain.memory().pairs);
      EXPECT_EQ(other.memory().auxiliary, plain.memory().auxiliary);
      EXPECT_EQ(ask_all(questions, other, exec), answers);
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
