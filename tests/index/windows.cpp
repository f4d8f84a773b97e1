// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/all_answers.hpp"
#include "support/backends.hpp"
#include "support/limited_memory.hpp"

#include <tuple>

/// @file
/// Windows beyond the sizes of the conformance tests: two levels of window buckets, clustered keys, a batch in
/// several windows, too little memory.
namespace warpdex::test {
namespace {

class windows : public testing::Test {
 protected:
  void SetUp() override {
    if (present_backends().back() != backend_kind::cuda) GTEST_SKIP() << "no device";
  }
};

template <class Key, class Row> void compare_with_plain(char const* structure, spread how) {
  SCOPED_TRACE(structure);
  SCOPED_TRACE(static_cast<int>(how));
  test_stream const stream(backend_kind::cuda);
  execution const exec(device_memory(), stream);
  auto const keys = keys_of<Key>(how, (std::size_t{1} << 22) + 12347);
  std::string const spec = with_rows<Row>(structure);
  index const plain = index::build(spec + "/reorder=none", std::span(keys), exec);
  index const windowed = index::build(spec + "/reorder=window", std::span(keys), exec);
  EXPECT_EQ(windowed.memory().auxiliary > plain.memory().auxiliary, plain.ordered());  // hashes need no borders
  for (std::size_t const size : {1u, 8193u, 1000003u}) {
    auto const probes = probes_of(keys, size);
    SCOPED_TRACE(size);
    expect_equal(answers_of<Key, Row>(windowed, probes, size % 4, exec), answers_of<Key, Row>(plain, probes, 0, exec));
  }
}

TEST_F(windows, two_levels_of_buckets) {
  for (spread const how : {spread::even, spread::clustered, spread::repeated, spread::outliers}) {
    compare_with_plain<std::uint32_t, std::uint32_t>("AO+BS", how);
    compare_with_plain<std::uint64_t, std::uint32_t>("AO+BS", how);
    compare_with_plain<std::uint32_t, std::uint64_t>("AO+PB+BS", how);
    compare_with_plain<std::uint64_t, std::uint64_t>("AO+PB+KS(9)", how);
    compare_with_plain<std::uint32_t, std::uint32_t>("EO+KS(9)", how);
    compare_with_plain<std::uint64_t, std::uint32_t>("EO+BS", how);
    compare_with_plain<std::uint32_t, std::uint64_t>("B+(16)", how);
    if (is_compiled("EO+BS/layout=packed", key_type::u64))
      compare_with_plain<std::uint64_t, std::uint32_t>("EO+BS/layout=packed", how);
    compare_with_plain<std::uint64_t, std::uint32_t>("AO+PB+KS(9)/layout=AoS", how);
    compare_with_plain<std::uint32_t, std::uint32_t>("HT(open)", how);
    compare_with_plain<std::uint64_t, std::uint64_t>("HT(open)", how);
    compare_with_plain<u128, std::uint32_t>("HT(open)", how);
  }
}

/// Fractions of the probes that have one of few keys, in the whole batch or only at its end.
enum class skew : std::uint8_t { many_keys, one_key, at_the_end, largest_key, absent_key };

template <class Key> std::vector<Key> skewed_probes(skew how, std::vector<Key> const& keys, std::size_t size) {
  std::mt19937_64 random(9);
  std::vector<Key> probes(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t const number = random();
    std::uint64_t const any = number >> 8;
    switch (how) {
      case skew::many_keys: probes[i] = keys[number % 256 < 100 ? any % 3 * (any % 61) : any % keys.size()]; break;
      case skew::one_key: probes[i] = keys[5]; break;
      case skew::at_the_end: probes[i] = keys[i > size / 8 * 7 ? any % 2 : any % keys.size()]; break;
      case skew::largest_key: probes[i] = number % 256 < 50 ? static_cast<Key>(-1) : keys[any % keys.size()]; break;
      case skew::absent_key: probes[i] = number % 256 < 50 ? keys[3] + 1 : static_cast<Key>(number); break;
    }
  }
  return probes;
}

/// A batch so large that keys of many probes are answered only once.
template <class Key, class Row>
void compare_skewed(std::string const& structure, std::size_t size, spread how, skew probed, std::size_t shift) {
  SCOPED_TRACE(structure);
  SCOPED_TRACE(size);
  SCOPED_TRACE(static_cast<int>(how));
  SCOPED_TRACE(static_cast<int>(probed));
  test_stream const stream(backend_kind::cuda);
  execution const exec(device_memory(), stream);
  auto const keys = keys_of<Key>(how, size);
  auto const probes = skewed_probes(probed, keys, (std::size_t{1} << 26) + 4321);
  input_array<Key> const array(probes, place::device, shift, exec);
  column const c = column_of(array);
  auto const answers_by = [&](char const* reorder) {
    index const built = index::build(with_rows<Row>(structure) + "/reorder=" + reorder, std::span(keys), exec);
    output_array<Row> found(probes.size(), Row{7}, place::device, exec);
    built.find(c, rows_to(found), exec);
    output_array<std::uint8_t> contained(probes.size(), std::uint8_t{7}, place::device, exec);
    built.contains(c, contained.span(), exec);
    auto answers = std::make_tuple(found.read(), contained.read(), std::vector<Row>(), std::vector<std::uint64_t>());
    if (!built.ordered()) return answers;
    built.floor(c, {}, rows_to(found), exec);
    std::get<2>(answers) = found.read();
    output_array<std::uint64_t> counted(probes.size(), 7, place::device, exec);
    built.count(c, counted.span(), exec);
    std::get<3>(answers) = counted.read();
    return answers;
  };
  EXPECT_TRUE(answers_by("window") == answers_by("none"));  // too long to print
}

TEST_F(windows, keys_that_many_probes_have) {
  constexpr std::size_t one_level = 1 << 19;
  constexpr std::size_t two_levels = (1 << 22) + 12347;
  for (skew const how : {skew::many_keys, skew::one_key, skew::at_the_end, skew::largest_key, skew::absent_key}) {
    compare_skewed<std::uint32_t, std::uint32_t>("AO+BS", two_levels, spread::even, how, 0);
    compare_skewed<std::uint64_t, std::uint32_t>("AO+PB+BS", two_levels, spread::clustered, how, 1);
  }
  compare_skewed<std::uint32_t, std::uint32_t>("HT(open)", two_levels, spread::even, skew::absent_key, 2);
  compare_skewed<std::uint32_t, std::uint64_t>("AO+BS", one_level, spread::even, skew::many_keys, 3);
  compare_skewed<std::uint64_t, std::uint64_t>("EO+KS(9)", one_level, spread::repeated, skew::many_keys, 0);
}

TEST_F(windows, smaller_where_memory_is_short) {
  test_stream const stream(backend_kind::cuda);
  limited_memory memory(device_memory());
  execution const exec(memory, stream);
  auto const keys = keys_of<std::uint32_t>(spread::even, 1 << 20);
  index const plain = index::build("AO+BS/reorder=none", std::span(keys), exec);
  index const windowed = index::build("AO+BS/reorder=window", std::span(keys), exec);
  // The long batch gets smaller windows. The short batch already is a smallest window, so it runs without windows.
  for (std::size_t const size : {(std::size_t{1} << 22) + 12345, (std::size_t{1} << 20) + 5}) {
    auto const probes = probes_of(keys, size);
    memory.limit = static_cast<std::size_t>(-1);
    auto const expected = answers_of<std::uint32_t, std::uint32_t>(plain, probes, 0, exec);
    // Memory for the probes and answers of a call, and for all, less or little of the scratch.
    std::size_t const answers = (size + 2) * sizeof(std::uint64_t);
    for (std::size_t const limit : {4 * answers, 3 * answers / 2, answers}) {
      memory.limit = limit;
      memory.refused = 0;
      SCOPED_TRACE(limit);
      expect_equal(answers_of<std::uint32_t, std::uint32_t>(windowed, probes, 1, exec), expected);
      EXPECT_EQ(memory.refused == 0, limit == 4 * answers) << limit;
    }
  }
}

}  // namespace
}  // namespace warpdex::test
