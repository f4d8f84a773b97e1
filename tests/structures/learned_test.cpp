// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/segments.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/key_shapes.hpp"

/// @file
/// Cases that the conformance tests of PGM and RS do not reach: shapes of keys, specs, and damaged models.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

class learned_index : public damaged_index {
 protected:
  /// Looks for all keys, and for the numbers next to them.
  template <class Key> void expect_bounds(std::string const& spec, std::vector<Key> const& keys) {
    index const built = index::build(spec, std::span(keys), exec_);
    built.verify(exec_);
    std::vector<Key> probes;
    for (Key const key : keys) probes.insert(probes.end(), {key, static_cast<Key>(key - 1), static_cast<Key>(key + 1)});
    std::vector<u64> found(probes.size());
    built.lower_bound(std::span(std::as_const(probes)), std::span(found), exec_);
    for (std::size_t i = 0; i < probes.size(); ++i)
      ASSERT_EQ(found[i], static_cast<u64>(std::lower_bound(keys.begin(), keys.end(), probes[i]) - keys.begin()))
          << spec << ", probe " << probes[i];
  }
};

TEST_F(learned_index, shapes_of_keys) {
  for (auto const* spec : {"PGM", "PGM(1,1)", "PGM(2,16)", "PGM(100,3)", "PGM(4,2,build=optimal)", "RS", "RS(eps=1)",
                           "RS(3,2)", "RS(18,4)", "RS(bits=1,eps=300)"}) {
    for (auto const& shape : key_shapes<u64>(700)) expect_bounds(spec, shape.keys);
    for (auto const& shape : key_shapes<u32>(700)) expect_bounds(spec, shape.keys);
    for (u64 n = 1; n < 12; ++n)
      for (auto const& shape : key_shapes<u64>(n)) expect_bounds(spec, shape.keys);
    if (HasFatalFailure()) return;
  }
}

TEST_F(learned_index, specs) {
  std::vector<u32> const keys{1, 2, 3};
  auto const text = [&](std::string const& spec) { return index::build(spec, std::span(keys), exec_).spec_text(); };
  EXPECT_EQ(text("PGM(eps=7)").find("PGM(7,4)/"), 0u);
  EXPECT_EQ(text("PGM(7,eps_internal=9)").find("PGM(7,9)/"), 0u);
  EXPECT_EQ(text("PGM(7,9,build=parallel)").find("PGM(7,9)/"), 0u);
  EXPECT_EQ(text("PGM(7,9,build=optimal)").find("PGM(7,9,build=optimal)/"), 0u);
  EXPECT_EQ(text("RS(eps=9)").find("RS(eps=9)/"), 0u);
  EXPECT_EQ(text("RS(5,9)").find("RS(bits=5,eps=9)/"), 0u);
  for (auto const& [spec, message] : std::vector<std::pair<char const*, char const*>>{
           {"PGM(0)", "the argument is '0'; expected a number from 1 to 65536"},
           {"PGM(eps_internal=0)", "eps_internal is '0'; expected a number from 1 to 65536"},
           {"PGM(65537)", "the argument is '65537'"},
           {"PGM(1,2,3)", "PGM takes at most 2 arguments without a name"},
           {"PGM(1,eps=2)", "eps is given twice"},
           {"PGM(bits=3)", "PGM does not take this argument"},
           {"PGM(build=fast)", "unknown build 'fast'; expected parallel or optimal"},
           {"RS(0,4)", "the argument is '0'; expected a number from 1 to 28"},
           {"RS(29)", "the argument is '29'; expected a number from 1 to 28"},
           {"RS(eps=0)", "eps is '0'; expected a number from 1 to 65536"},
           {"RS(build=optimal)", "RS does not take this argument"}})
    EXPECT_TRUE(throws<spec_error>([&, spec = spec] { text(spec); }, message)) << spec;
}

TEST_F(learned_index, both_backends_make_equal_files) {
  if (present_backends().size() < 2) GTEST_SKIP() << "no GPU";
  execution const device(memory_of(backend_kind::cuda));
  for (auto const* spec : {"PGM", "PGM(1,1)", "PGM(300,8)", "PGM(4,2,build=optimal)", "PGM(300,8,build=optimal)", "RS",
                           "RS(eps=1)", "RS(9,100)"})
    for (auto const& shape : key_shapes<u64>(20000)) {
      auto const on_host = saved(index::build(spec, std::span(shape.keys), exec_), path_);
      auto const on_device = saved(index::build(spec, std::span(shape.keys), device), path_);
      EXPECT_TRUE(on_host == on_device) << spec << ", " << shape.name;
    }
}

/// A model that one thread of the CPU made is copied, loaded, made and changed on each backend.
TEST_F(learned_index, optimal_models_move) {
  for (auto const* spec : {"PGM(4,2,build=optimal)", "PGM(4,2,build=optimal)/rows=u64"})
    for (auto const& shape : key_shapes<u64>(3000)) {
      index const built = index::build(spec, std::span(shape.keys), exec_);
      auto const bytes = built.save();
      for (backend_kind const backend : present_backends()) {
        SCOPED_TRACE(std::string(spec) + ", " + shape.name + " on " + name_of(backend));
        execution const target(memory_of(backend));
        index moved = built.clone(target);
        moved.verify(target);
        EXPECT_EQ(moved.backend(), backend);
        EXPECT_EQ(moved.spec_text(), built.spec_text());
        EXPECT_EQ(moved.lower_bound(shape.keys, target), built.lower_bound(shape.keys, exec_));
        EXPECT_TRUE(moved.save() == bytes);
        EXPECT_TRUE(index::load(bytes, target).save() == bytes);
        EXPECT_TRUE(index::build(spec, std::span(shape.keys), target).save() == bytes);
        index changed = built.clone(exec_);
        for (index* const copy : {&moved, &changed})
          copy->erase(std::vector<u64>{shape.keys[1500]}, copy == &moved ? target : exec_);
        moved.verify(target);
        EXPECT_TRUE(moved.save() == changed.save());
      }
    }
}

/// Forged lines either lead all searches to the same ranks or are refused.
TEST_F(learned_index, damaged_models) {
  std::vector<u64> keys(5000);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * i;
  using lines = std::span<line<u32>>;
  for (bool const spline : {false, true}) {
    this->save(spline ? "RS(6,4)" : "PGM(4,2)", keys);
    std::string const segments = spline ? "points" : "segments";
    EXPECT_TRUE(is_found("lines", on<line<u32>>([](lines all) { all[3].high += 100; })));
    EXPECT_TRUE(is_found("lines", on<line<u32>>([](lines all) { all[3].high = ~u32{0}; })));
    EXPECT_TRUE(is_found("lines", on<line<u32>>([](lines all) { all[5].slope *= 2; })));
    for (float const slope : {-1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      EXPECT_TRUE(is_found("lines", on<line<u32>>([=](lines all) { all[5].slope = slope; })));
    EXPECT_TRUE(is_found("lines", on<line<u32>>([](lines all) { all.back().slope = 1; })));
    EXPECT_TRUE(is_found(segments, on<u64>([](std::span<u64> all) { std::swap(all[2], all[3]); })));
    EXPECT_TRUE(is_found(segments, on<u64>([](std::span<u64> all) { all[4] += 1000; })));
    EXPECT_TRUE(is_found(segments, on<u64>([](std::span<u64> all) { all.back() = 0; })));
  }
  save("PGM(4,2)", keys);
  EXPECT_TRUE(is_found("levels", on<u64>([](std::span<u64> all) { all[0] += 1; })));
  EXPECT_TRUE(is_found("levels", on<u64>([](std::span<u64> all) { all[0] -= 1; })));
  EXPECT_TRUE(is_found("levels", on<u64>([](std::span<u64> all) { all[0] = ~u64{0}; })));
  EXPECT_TRUE(is_found("levels", on<u64>([](std::span<u64> all) { all[1] = 0; })));
  EXPECT_TRUE(is_found("levels", on<u64>([](std::span<u64> all) { all.back() = 2; })));
  EXPECT_TRUE(is_found("levels", [](bytes& all) { all.resize(all.size() - 8); }));
  EXPECT_TRUE(is_found("levels", [](bytes& all) { all.resize(4); }));
  EXPECT_TRUE(is_found("levels", [](bytes& all) { all.clear(); }));
  save("RS(6,4)", keys);
  for (std::size_t i = 0; i < 4; ++i)
    for (u64 const value : {u64{0}, u64{1} << 40, ~u64{0}})
      EXPECT_TRUE(is_found("grid", on<u64>([=](std::span<u64> all) { all[i] = all[i] == value ? 7 : value; })));
  EXPECT_TRUE(is_found("table", on<u32>([](std::span<u32> all) { all[3] += 1; })));
  EXPECT_TRUE(is_found("table", on<u32>([](std::span<u32> all) { all.back() = ~u32{0}; })));
}

}  // namespace
}  // namespace warpdex::test
