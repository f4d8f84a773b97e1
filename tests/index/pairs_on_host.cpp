// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <random>

/// @file
/// The option pairs=host: the pairs are in host memory, and all else is on the device. On CPUs it changes nothing, but
/// files and clones keep it.
namespace warpdex::test {
namespace {

using numbers = std::vector<std::uint64_t>;
using rows32 = std::vector<std::uint32_t>;

class pairs_on_host : public testing::TestWithParam<backend_kind> {
 protected:
  bool const on_device_ = GetParam() == backend_kind::cuda;
  test_stream const stream_{GetParam()};
  execution const exec_{memory_of(GetParam()), stream_};

  void expect_equal(index const& found, index const& expected, numbers const& probes) const {
    for (auto const& q : all_questions(probes, true))
      EXPECT_TRUE(q.ask(found, exec_) == q.ask(expected, exec_)) << q.name;
    found.verify(exec_);
  }
};

/// Keys below `limit`, many of them repeated.
numbers random_keys(std::size_t size, std::uint64_t limit, int seed) {
  std::mt19937_64 random(seed);
  numbers keys(size);
  for (auto& key : keys) key = random() % limit;
  return keys;
}

constexpr char const* specs[] = {"AO+BS",         "AO+IS",       "AO+PB+BS", "AO+PB+KS(17)", "AO+PB+KS(17)/layout=AoS",
                                 "PGM",           "RS",          "GRT",      "B+(16)",       "B+(16,fill=0.7)",
                                 "B+(page=4096)", "Harmonia(32)"};

TEST_P(pairs_on_host, answers_as_pairs_on_the_device) {
  auto const keys = random_keys(20011, 8000, 1);
  index const expected = index::build("AO+BS", std::span(keys), exec_);
  for (std::string const structure : specs) {
    if (!on_device_ && structure != "AO+BS") continue;  // there the option changes nothing
    for (char const* const reorder : {"none", "window"}) {
      auto const text = structure + "/pairs=host/reorder=" + reorder;
      SCOPED_TRACE(text);
      index const built = index::build(text, std::span(keys), exec_);
      for (std::size_t const probes : {3000, 500})  // that read whole buckets in windows, or the keys on their paths
        expect_equal(built, expected, random_keys(probes, 9000, 2));
      auto const memory = built.memory();
      EXPECT_EQ(memory.remote, on_device_);
      EXPECT_NE(built.spec_text().find("/pairs=host"), std::string::npos) << built.spec_text();
      EXPECT_GE(memory.pairs, keys.size() * 12);
      if (on_device_) {
        EXPECT_FALSE(index::build(structure, std::span(keys), exec_).memory().remote);
      }
    }
  }
}

TEST_P(pairs_on_host, stays_there_over_updates_and_files) {
  auto const keys = random_keys(20011, std::uint64_t{1} << 40, 3);
  auto const more = random_keys(50, std::uint64_t{1} << 40, 4);
  auto const many = random_keys(9000, std::uint64_t{1} << 40, 5);
  auto const probes = random_keys(3000, std::uint64_t{1} << 40, 6);
  rows32 const rows(more.size(), 7);
  rows32 const many_rows(many.size(), 8);
  folder const files;
  for (std::string const structure : {"AO+PB+KS(17)", "B+(16)", "Harmonia(32)"}) {
    if (!on_device_ && structure != "B+(16)") continue;
    SCOPED_TRACE(structure);
    index expected = index::build("AO+BS", std::span(keys), exec_);
    index built = index::build(structure + "/pairs=host", std::span(keys), exec_);
    auto const change = [&](index& i) {
      i.insert(std::span(more), std::span(rows), exec_);  // in place, in trees
      i.erase(std::span(keys).first(20), exec_);
      i.insert(std::span(many), std::span(many_rows), exec_);
      i.insert_or_assign(std::span(more), std::span(rows), exec_);
    };
    change(expected);
    change(built);
    numbers query = probes;
    query.insert(query.end(), more.begin(), more.end());
    query.insert(query.end(), keys.begin(), keys.begin() + 500);
    expect_equal(built, expected, query);
    EXPECT_EQ(built.memory().remote, on_device_);
    built.save(files / "i.wdx");
    index const loaded = index::load(files / "i.wdx", exec_);
    EXPECT_EQ(loaded.memory().remote, on_device_);
    expect_equal(loaded, expected, query);
    expect_equal(built.clone(exec_), expected, query);
  }
}

/// A machine without a device may build what a device is to search.
TEST_P(pairs_on_host, goes_with_files_of_a_cpu) {
  auto const keys = random_keys(20011, 8000, 1);
  index const expected = index::build("AO+BS", std::span(keys), exec_);
  index const on_cpu = index::build("AO+PB+BS/pairs=host", std::span(keys), execution());
  EXPECT_FALSE(on_cpu.memory().remote);
  folder const files;
  on_cpu.save(files / "i.wdx");
  for (bool const clones : {false, true}) {
    index const copy = clones ? on_cpu.clone(exec_) : index::load(files / "i.wdx", exec_);
    EXPECT_EQ(copy.memory().remote, on_device_);
    EXPECT_EQ(copy.clone(execution()).spec_text(), on_cpu.spec_text());
    expect_equal(copy, expected, random_keys(3000, 9000, 2));
  }
}

INSTANTIATE_TEST_SUITE_P(all, pairs_on_host, testing::ValuesIn(present_backends()), backend_name);

TEST(pairs_on_host_spec, is_refused_where_pairs_cannot_lie_apart) {
  numbers const keys = {3, 1, 2};
  std::vector<u128> const wide = {u128{1}};
  auto const message_of = [](char const* text, column c) -> std::string {
    try {
      index::build(text, c, execution());
    } catch (spec_error const& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(message_of("HT(open)/pairs=host", keys).find("keeps its pairs where its other arrays are"),
            std::string::npos);
  EXPECT_NE(message_of("AO+BS/pairs=disk", keys).find("unknown place of pairs 'disk'; expected host or device"),
            std::string::npos);
  EXPECT_NE(message_of("AO+BS/pairs=host", wide).find("type u128 are on the device"), std::string::npos);
  EXPECT_EQ(index::build("AO+BS/pairs=device", keys, execution()).spec_text().find("pairs"), std::string::npos);
}

}  // namespace
}  // namespace warpdex::test
