// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/ray/embree_tracer.hpp"
#include "backend/ray/vulkan_scene.hpp"
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

/// @file
/// Cases that the conformance tests of cgRX, RX and cgRXu do not reach: specs, tracers, bytes, large updates in place,
/// files. The rays themselves are tested in search/ray_scene_test.cpp.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::string resolved(std::string const& text, key_type keys = key_type::u32) {
  return resolve(spec(text), keys, row_type::u32, 1000, backend_kind::cpu);
}

TEST(ray_specs, say_all_choices_but_those_of_rays) {
  EXPECT_EQ(resolved("cgRX"), "cgRX(bucket=16,scene=optimized,search=binary,scale=on)/layout=SoA/rows=u32");
  EXPECT_EQ(resolved("cgrx(bucket=65536,scene=naive,scale=off)/tracer=none"),
            "cgRX(bucket=65536,scene=naive,search=binary,scale=off)/layout=SoA/rows=u32");
  EXPECT_EQ(resolved("RX/tracer=own/ranges=rays"), "RX/layout=SoA/rows=u32");
  EXPECT_EQ(resolved("cgRXu(node=64)"), "cgRXu(node=64,rebuild=auto)/layout=SoA/rows=u32");
}

TEST(ray_specs, say_what_is_wrong_and_where) {
  auto const refused = [](std::string const& text, auto const&... words) {
    return throws<spec_error>([&] { resolved(text); }, words...);
  };
  EXPECT_TRUE(refused("cgRX(bucket=0)", "bucket is '0'; expected a number from 1 to 65536", "       ^"));
  EXPECT_TRUE(refused("cgRX(bucket=3)", "bucket is 3; expected a power of two from 1 to 65536", "       ^"));
  EXPECT_TRUE(refused("cgRX(bucket=131072)", "bucket is '131072'; expected a number from 1 to 65536"));
  EXPECT_TRUE(refused("cgRX(bucket=16,scene=best)", "unknown scene 'best'", "optimized", "naive"));
  EXPECT_TRUE(refused("cgRX(search=linaer)", "unknown search 'linaer'", "linear", "       ^"));
  EXPECT_TRUE(refused("cgRX(bucket=512,search=linear)", "more than 256", "512", "                  ^"));
  EXPECT_TRUE(refused("cgRX(scale=2)", "unknown scale '2'"));
  EXPECT_TRUE(refused("cgRX/tracer=sun", "unknown tracer 'sun'", "own", "none", "       ^"));
  EXPECT_TRUE(refused("cgRX(node=32)", "cgRX does not take this argument"));
  EXPECT_TRUE(refused("RX(bucket=4)", "RX does not take this argument"));
  EXPECT_TRUE(refused("cgRXu(node=48)", "nodes of 48 slots are not compiled; expected 16, 32 or 64", "        ^"));
  EXPECT_TRUE(refused("cgRXu(rebuild=often)", "unknown rebuild 'often'", "never"));
  EXPECT_TRUE(refused("AO+BS/tracer=own", "AO+BS traces no rays", "        ^"));
  EXPECT_TRUE(refused("RX/ranges=beams", "unknown ranges 'beams'", "bounds", "rays", "     ^"));
  EXPECT_TRUE(refused("RX/ranges=rays/tracer=none", "ranges=rays and tracer=none exclude each other", "     ^"));
  if (vulkan_scene::exists()) {
    EXPECT_TRUE(refused("RX/ranges=rays/tracer=vulkan", "tracer=vulkan exclude each other"));
  }
  EXPECT_TRUE(refused("cgRX(bucket=1)/ranges=rays", "cgRX finds ranges by their bounds", "only RX", "    ^"));
  EXPECT_TRUE(refused("AO+BS/ranges=rays", "AO+BS finds ranges by their bounds", "     ^"));
  for (auto const* const name : {"cgRX", "RX", "cgRXu"})
    EXPECT_TRUE(throws<spec_error>([&] { resolved(name, key_type::u128); }, "u128"));
}

TEST(ray_specs, tracers_that_are_not_there) {
  for (auto const* const text : {"cgRX/tracer=embree", "cgRXu/tracer=embree"})
    EXPECT_TRUE(
        throws<unsupported>([&] { resolve(spec(text), key_type::u32, row_type::u32, 1000, backend_kind::cuda); },
                            "Embree", "own and none"));
  EXPECT_TRUE(
      throws<unsupported>([&] { resolved("cgRXu/tracer=embree"); }, "Embree", "cgRX, RX, on CPUs", "own and none"));
  EXPECT_TRUE(throws<unsupported>([&] { resolved("cgRXu/tracer=vulkan"); }, "Vulkan", "cgRX, RX;", "own and none"));
  if (vulkan_scene::exists()) EXPECT_NO_THROW(resolved("RX/tracer=vulkan"));
  else EXPECT_TRUE(throws<unsupported>([&] { resolved("RX/tracer=vulkan"); }, "no Vulkan", "own and none"));
  if (embree_scene::exists()) EXPECT_NO_THROW(resolved("RX/tracer=embree"));
  else EXPECT_TRUE(throws<unsupported>([&] { resolved("RX/tracer=embree"); }, "no Embree", "own and none"));
}

/// Vulkan traces whole batches. The environment is not followed where it cannot be.
TEST(ray_specs, blocks_exclude_batches_of_rays) {
  for (std::string const name : {"cgRX", "RX"}) {
    for (std::string const option :
         {"probes=1", "probes=4", "schedule=dynamic", "schedule=static", "reorder=block", "reorder=block+restore"}) {
      std::string const with_option = name + "/" + option;
      std::string const text = with_option + "/tracer=vulkan";
      std::string const caret = "\n  " + std::string(with_option.find('/') + 1, ' ') + "^";
      EXPECT_TRUE(throws<spec_error>([&] { resolved(text); }, option + " and tracer=vulkan exclude each other", caret));
      for (auto const* const tracer : {"", "/tracer=own", "/tracer=none"})
        if (is_compiled(with_option)) {
          EXPECT_NO_THROW(resolved(with_option + tracer));
        }
    }
    if (!vulkan_scene::exists()) continue;
    for (auto const* const option :
         {"lanes=1", "threads=256", "scan=warp", "reorder=none", "reorder=window", "pin=none"})
      EXPECT_NO_THROW(resolved(name + "/tracer=vulkan/" + option)) << option;
  }
}

/// Without a driver an index says so; with one it answers as all others, and counts the memory of Vulkan.
TEST(ray_specs, vulkan_needs_a_driver) {
  if (!vulkan_scene::exists()) GTEST_SKIP() << "this build has no Vulkan";
  std::vector<u32> const keys = {7, 3, 9};
  execution const exec(host_memory(), {}, 1);
  auto const build = [&] { return index::build("cgRX/tracer=vulkan", std::span(keys), exec); };
  if (!vulkan_scene::missing().empty()) {
    EXPECT_TRUE(throws<unsupported>([&] { build(); }, "tracer vulkan", "own and none"));
    return;
  }
  auto const built = build();
  EXPECT_GT(built.memory().auxiliary, 0u);
  std::vector<u32> const probes = {9, 4};
  std::vector<u32> rows(2);
  built.find(probes, rows, exec);
  EXPECT_EQ(rows, (std::vector<u32>{2, no_row<u32>}));
}

TEST(ray_specs, the_environment_chooses_the_tracer) {
  std::vector<u32> keys(1000);
  for (u32 i = 0; i < keys.size(); ++i) keys[i] = i * 7;
  execution const exec(host_memory(), {}, 1);
  auto const bytes = [&](char const* text) {
    return index::build(text, std::span(std::as_const(keys)), exec).memory().auxiliary;
  };
  char const* const before = std::getenv("WARPDEX_TRACER");
  std::string const kept = before == nullptr ? "" : before;
  ::setenv("WARPDEX_TRACER", "none", 1);
  EXPECT_EQ(bytes("cgRX"), 0u);
  EXPECT_GT(bytes("cgRX/tracer=own"), 0u);
  for (auto const& [name, exists] : {std::pair("embree", embree_scene::exists()), {"vulkan", vulkan_scene::exists()}}) {
    ::setenv("WARPDEX_TRACER", name, 1);
    if (exists) EXPECT_NO_THROW(resolved("cgRX"));
    else EXPECT_TRUE(throws<unsupported>([&] { resolved("cgRX"); }, "WARPDEX_TRACER", name, "own and none"));
    EXPECT_NO_THROW(resolved("cgRXu"));
  }
  EXPECT_NO_THROW(resolved("cgRX/probes=1"));
  ::setenv("WARPDEX_TRACER", "sun", 1);
  EXPECT_TRUE(throws<spec_error>([&] { bytes("cgRX"); }, "WARPDEX_TRACER is 'sun'", "own"));
  if (before == nullptr) ::unsetenv("WARPDEX_TRACER");
  else ::setenv("WARPDEX_TRACER", kept.c_str(), 1);
}

/// @param zeros upper bits that are 0
template <class Key> std::vector<Key> random_keys(std::size_t n, u64 seed, int zeros = 0) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = static_cast<Key>(static_cast<Key>(random()) >> zeros);
  return keys;
}

/// Bytes beyond the pairs, by bucket, with random keys: many to a plane, and 256 to each of many planes as in indexes
/// of 2^26 keys. There, nearly every bucket of 256 ends a plane and has a marker.
TEST(ray_index, bytes_per_key) {
  execution const exec(host_memory(), {}, 1);
  std::size_t const n = 1 << 18;
  auto const narrow = random_keys<u32>(n, 1, 8);
  auto const wide = random_keys<u64>(n, 2, 16);
  auto const sparse = random_keys<u64>(n, 3, 8);
  struct goal {
    char const* spec;
    double narrow, wide, sparse;
  };
  for (auto const& g :
       {goal{"cgRX(bucket=4)/tracer=own", 2.5, 4.5, 4.5}, goal{"cgRX/tracer=own", 0.63, 1.2, 1.2},
        goal{"cgRX(bucket=64)/tracer=own", 0.16, 0.29, 0.29}, goal{"cgRX(bucket=256)/tracer=own", 0.045, 0.08, 0.115},
        goal{"cgRX(bucket=65536)/tracer=own", 0.001, 0.001, 0.001}, goal{"cgRX/tracer=none", 0, 0, 0}}) {
    auto const per_key = [&](auto const& keys) {
      return static_cast<double>(index::build(g.spec, std::span(keys), exec).memory().auxiliary) / n;
    };
    EXPECT_LE(per_key(narrow), g.narrow) << g.spec;
    EXPECT_LE(per_key(wide), g.wide) << g.spec;
    EXPECT_LE(per_key(sparse), g.sparse) << g.spec;
  }
}

/// Files hold entries alone, and move between tracers.
TEST(ray_index, files_know_no_tracer) {
  folder const files;
  execution const exec(host_memory(), {}, 1);
  auto const keys = random_keys<u64>(3000, 3);
  for (std::string const name : {"cgRX(bucket=4)", "RX", "cgRXu"}) {
    index const traced = index::build(name + "/tracer=own", std::span(keys), exec);
    index const bisected = index::build(name + "/tracer=none", std::span(keys), exec);
    EXPECT_TRUE(saved(traced, files / "a.wdx") == saved(bisected, files / "b.wdx")) << name;
    EXPECT_GT(traced.memory().auxiliary, bisected.memory().auxiliary);
    index::load(files / "a.wdx", exec).verify(exec);
  }
}

/// An index of waves of keys around corners of the digits, with answers checked against a sorted array.
class chains : public testing::TestWithParam<std::string> {
 protected:
  void expect_answers(index const& got, index const& wanted) const {
    got.verify(exec_);
    ASSERT_EQ(got.size(), wanted.size());
    auto probes = random_keys<u64>(500, got.size());
    for (u64 const corner : {u64{0}, u64{1} << 23, u64{1} << 46, ~u64{0}})
      for (u64 d = 0; d < 40; ++d) probes.push_back(corner + d - 20);
    std::sort(probes.begin(), probes.end());
    auto const questions = all_questions(probes, true);
    auto const expected = ask_all(questions, wanted, exec_);
    auto const answers = ask_all(questions, got, exec_);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(answers[i] == expected[i]) << expected[i].first;
  }

  execution exec_{host_memory(), {}, 1};
};

/// @return keys that are dense, that share rows and planes, that repeat, and random ones
std::vector<u64> mixed_keys(std::size_t n, u64 seed) {
  auto keys = random_keys<u64>(n, seed);
  constexpr u64 masks[] = {~u64{0}, 0xffff, (u64{1} << 23) + 0x3f, u64{7} << 46 | u64{15} << 23 | 0x7fffff,
                           u64{3} << 62};
  for (std::size_t i = 0; i < n; ++i) keys[i] &= masks[i % 5];
  return keys;
}

TEST_P(chains, waves_of_any_size) {
  auto const keys = mixed_keys(2000, 5);
  index got = index::build(GetParam(), std::span(std::as_const(keys)), exec_);
  index wanted = index::build("AO+BS", std::span(std::as_const(keys)), exec_);
  u32 row = 1u << 20;
  for (std::size_t const n : {1u, 300u, 2000u, 9000u}) {
    auto const more = mixed_keys(n, n);
    std::vector<u32> rows(n);
    for (u32& r : rows) r = row++;
    for (index* const i : {&got, &wanted}) i->insert(std::span(more), std::span(std::as_const(rows)), exec_);
    expect_answers(got, wanted);
  }
  for (std::size_t const n : {9000u, 2000u, 300u}) {
    auto const gone = mixed_keys(n, n);
    for (index* const i : {&got, &wanted}) i->erase(std::span(gone), exec_);
    expect_answers(got, wanted);
  }
  std::vector<u64> all_but_one(keys.begin() + 1, keys.end());
  std::erase(all_but_one, keys[0]);
  for (index* const i : {&got, &wanted}) i->erase(std::span(std::as_const(all_but_one)), exec_);
  expect_answers(got, wanted);
}

INSTANTIATE_TEST_SUITE_P(all, chains,
                         testing::Values("cgRXu", "cgRXu(node=16,rebuild=never)", "cgRXu(node=16)/tracer=none",
                                         "cgRXu(node=64)", "cgRX(bucket=4)", "cgRX(bucket=4,search=linear)/tracer=none",
                                         "RX", "RX/tracer=none", "RX/ranges=rays"),
                         [](auto const& parameter) {
                           std::string name;
                           for (char const c : parameter.param) name += std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

class cgrxu_index : public damaged_index {
 protected:
  std::vector<std::string> sections() const {
    auto const names = io::file::open(path_, false).names();
    return {names.begin(), names.end()};
  }

  /// @return whether the last update was made in place: only then leaves are in no order
  bool was_updated_in_place(index const& i) const {
    i.save(path_);
    auto const names = sections();
    return std::find(names.begin(), names.end(), "leaf_of") != names.end();
  }
};

/// With rebuild=never, a batch as large as the index is applied in place too: the bounds stay those of the build.
TEST_F(cgrxu_index, keeps_its_scene) {
  std::vector<u64> keys(2000), more(2000);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * 1000, more[i] = i * 1000 + 500;
  std::vector<u32> rows(2000);
  for (u32 i = 0; i < rows.size(); ++i) rows[i] = 5000 + i;
  index updated = index::build("cgRXu(rebuild=never)", std::span(std::as_const(keys)), exec_);
  updated.save(path_);
  auto const bounds = io::file::open(path_, false).size("bounds");
  updated.insert(std::span(std::as_const(more)), std::span(std::as_const(rows)), exec_);
  EXPECT_TRUE(was_updated_in_place(updated));
  EXPECT_EQ(io::file::open(path_, false).size("bounds"), bounds);
  index const loaded = index::load(path_, exec_);
  loaded.verify(exec_);
  EXPECT_EQ(loaded.memory().auxiliary, updated.memory().auxiliary);
}

/// Large batches and long chains rebuild an index, unless the spec says never.
TEST_F(cgrxu_index, rebuilds) {
  std::vector<u64> keys(20000);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i << 40;
  u64 next = 1;
  auto const grow = [&](index& i, std::size_t by) {
    std::vector<u64> more(by);
    for (u64& key : more) key = next++;
    std::vector<u32> const rows(by, 5);
    i.insert(std::span(std::as_const(more)), std::span(rows), exec_);
    return was_updated_in_place(i);
  };
  index never = index::build("cgRXu(rebuild=never)", std::span(std::as_const(keys)), exec_);
  EXPECT_TRUE(grow(never, 100000));
  never.verify(exec_);

  index i = index::build("cgRXu", std::span(std::as_const(keys)), exec_);
  EXPECT_TRUE(grow(i, keys.size() / 128));
  EXPECT_FALSE(grow(i, keys.size() / 64));
  std::size_t const buckets = i.size() / 16;
  while (grow(i, i.size() / 128)) ASSERT_LT(i.size(), 32 * 5 * buckets);
  EXPECT_GT(i.size(), 4 * 8 * buckets);  // 4 nodes per bucket, each at least half of half full
  i.verify(exec_);
}

TEST_F(cgrxu_index, damage_is_found) {
  std::vector<u64> keys(1000);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * i << 20;
  save("cgRXu(node=16)", keys);
  for (std::size_t const i : {0u, 1u, 60u, 124u, 125u})
    EXPECT_TRUE(is_found("chains", on<u32>([i](std::span<u32> chains) { ++chains[i]; }))) << i;
  EXPECT_TRUE(is_found("chains", on<u32>([](std::span<u32> chains) { chains[7] = 0xfffffff0; })));
  EXPECT_TRUE(is_found("bounds", on<u64>([](std::span<u64> bounds) { std::swap(bounds[3], bounds[4]); })));
  EXPECT_TRUE(is_found("bounds", on<u64>([](std::span<u64> bounds) { bounds[0] = ~u64{0}; })));
  EXPECT_TRUE(is_found("pivots", on<u64>([](std::span<u64> maxima) { --maxima[9]; })));
  EXPECT_TRUE(is_found("bounds", [](bytes& b) { b.clear(); }));
  EXPECT_TRUE(is_found("chains", [](bytes& b) { b.clear(); }));
  EXPECT_TRUE(is_found("chains", [](bytes& b) { b.resize(b.size() - 4); }));
}

}  // namespace
}  // namespace warpdex::test
