// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/filter/key_filter.hpp"

#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/damage.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/key_array.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

/// @file
/// The option `filter`: answers are those without it, few misses pass, and it follows updates and files.
namespace warpdex::test {
namespace {

class filtered : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream, 2};
  execution const on_host{host_memory(), {}, 1};
  folder const files;
  std::mt19937_64 random{test_seed()};

  /// Large enough that a GPU asks the filter.
  static constexpr std::size_t batch = 1 << 15;

  /// @return distinct numbers that are multiples of 4, in any order
  template <class Key> std::vector<Key> some_keys(std::size_t size) {
    std::vector<Key> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<Key>(4 * (i + 1));
    std::shuffle(keys.begin(), keys.end(), random);
    return keys;
  }

  /// @return as many probes, of which every `hits`-th is a key
  template <class Key> std::vector<Key> some_probes(std::vector<Key> const& keys, std::size_t hits) {
    std::vector<Key> probes(batch);
    for (std::size_t i = 0; i < batch; ++i)
      probes[i] = static_cast<Key>(keys[random() % keys.size()] + static_cast<Key>(i % hits == 0 ? 0 : 1));
    return probes;
  }

  std::vector<std::string> as_strings(std::vector<std::uint32_t> const& numbers) {
    std::vector<std::string> strings;
    for (std::uint32_t const number : numbers)
      strings.push_back(std::string(number % 13, 'x') + std::to_string(number));
    return strings;
  }
};

void expect_same_answers(std::vector<question> const& questions, index const& of, index const& expected,
                         execution const& exec) {
  for (question const& q : questions) EXPECT_EQ(q.ask(of, exec), q.ask(expected, exec)) << q.name;
}

TEST_P(filtered, answers_are_those_without_it) {
  auto const check = [&]<class Key>(Key) {
    auto const keys = some_keys<Key>(5000);
    for (std::size_t const hits : {1u, 2u, 100u, 1u << 20}) {
      auto const probes = some_probes(keys, hits);
      index const plain = index::build("AO+BS", std::span(keys), exec);
      index const behind = index::build("AO+BS/filter=8", std::span(keys), exec);
      behind.verify(exec);
      expect_same_answers(all_questions(probes, false), behind, plain, exec);
    }
  };
  check(std::uint32_t{});
  check(std::uint64_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(float{});
  check(double{});
  check(u128{});
}

TEST_P(filtered, strings) {
  auto const numbers = some_keys<std::uint32_t>(5000);
  byte_strings const keys(as_strings(numbers));
  for (std::size_t const hits : {1u, 50u}) {
    byte_strings const probes(as_strings(some_probes(numbers, hits)));
    index const plain = index::build("AO+BS", keys.view(), exec);
    index const behind = index::build("AO+BS/filter=12", keys.view(), exec);
    behind.verify(exec);
    expect_same_answers(all_questions(probes, false), behind, plain, exec);
  }
}

/// Equal numbers of other bits, and probes of other types.
TEST_P(filtered, equal_keys_have_equal_hashes) {
  std::vector<float> const keys = {0.0f, std::nanf("1"), -1.0f, 7.0f};
  index const behind = index::build("AO+BS/filter=32", std::span(keys), exec);
  auto const expect_found = [&](auto const& probes) {
    std::vector<std::uint8_t> found(probes.size());
    behind.contains(std::span(probes), std::span(found), exec);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i % 2) << i;
  };
  std::vector<float> same;
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < batch; ++i) {
    same.push_back(i % 2 == 0 ? static_cast<float>(i) + 8.5f : i % 4 == 1 ? -0.0f : std::nanf("2"));
    integers.push_back(i % 2 == 0 ? std::int64_t{1} << 60 | 1 : 7);
  }
  expect_found(same);
  expect_found(integers);
}

/// Answers in any order, nulls, and ranges that are given by one column.
TEST_P(filtered, positions_nulls_and_ranges_of_one_column) {
  auto const keys = some_keys<std::uint32_t>(5000);
  auto const probes = some_probes(keys, 3);
  index const plain = index::build("AO+BS", std::span(keys), exec);
  index const behind = index::build("AO+BS/filter=8", std::span(keys), exec);
  std::vector<std::uint32_t> rows(batch), expected(batch), positions(batch), in_order(batch);
  behind.find_unordered(std::span(probes), std::span(positions), std::span(rows), exec);
  for (std::size_t i = 0; i < batch; ++i) in_order.at(positions[i]) = rows[i];
  plain.find(std::span(probes), std::span(expected), exec);
  EXPECT_EQ(in_order, expected);

  std::vector<std::uint8_t> const bits(batch / 8, 0x5a);
  nullable_column const nullable{column{std::span(probes)}, bits.data()};
  behind.find(nullable, std::span(rows), exec);
  plain.find(nullable, std::span(expected), exec);
  EXPECT_EQ(rows, expected);

  std::vector<std::uint64_t> firsts(batch), counts(batch), expected_firsts(batch), expected_counts(batch);
  key_ranges const same{std::span(probes), std::span(probes)};
  behind.equal_range(same, std::span(firsts), std::span(counts), exec);
  plain.equal_range(same, std::span(expected_firsts), std::span(expected_counts), exec);
  EXPECT_EQ(firsts, expected_firsts);
  EXPECT_EQ(counts, expected_counts);
}

/// The filter in a file, on the host.
class stored_filter {
 public:
  explicit stored_filter(index const& of) : bytes_(of.save()), file_(io::file::parse(bytes_)) {}

  std::uint64_t blocks() const { return file_.size("filter_blocks") / sizeof(filter_block); }

  /// @return the part of some keys that pass
  double passing(std::vector<std::uint64_t> const& keys) const {
    std::vector<filter_block> copied(blocks());
    std::memcpy(static_cast<void*>(copied.data()), file_.bytes("filter_blocks").data(),
                copied.size() * sizeof(filter_block));
    key_filter const filter{copied.data(), copied.size()};
    key_hashes const hashes(keys.data(), key_kind::u64, key_codec::identity);
    std::uint64_t passed = 0;
    for (std::uint64_t i = 0; i < keys.size(); ++i) passed += filter.may_hold(hashes(i)) ? 1 : 0;
    return static_cast<double>(passed) / static_cast<double>(keys.size());
  }

 private:
  std::vector<std::byte> bytes_;
  io::file file_;
};

/// The part of misses that pass in theory: blocks hold numbers of keys of a Poisson distribution, and each half of a
/// word, of 32 bits, has one bit of each of them.
double passing_in_theory(double bits_per_key) {
  double const mean = 256 / bits_per_key;
  double passing = 0;
  double probability = std::exp(-mean);
  for (int keys = 1; keys < 1000; ++keys) {
    probability *= mean / keys;
    passing += probability * std::pow(1 - std::pow(31.0 / 32, keys), 8);
  }
  return passing;
}

TEST_P(filtered, misses_pass_as_rarely_as_in_theory) {
  constexpr std::size_t size = 200000;
  std::vector<std::uint64_t> ascending(size), scattered(size), absent(size);
  for (std::size_t i = 0; i < size; ++i) {
    ascending[i] = 2 * i;
    scattered[i] = random() & ~std::uint64_t{1};
    absent[i] = i % 2 == 0 ? 2 * i + 1 : random() | 1;
  }
  for (auto const& keys : {ascending, scattered})
    for (int const bits : {4, 8, 12, 16}) {
      stored_filter const filter(index::build("AO+BS/filter=" + std::to_string(bits), std::span(keys), exec));
      EXPECT_EQ(filter.passing(keys), 1);
      double const expected = passing_in_theory(bits);
      EXPECT_NEAR(filter.passing(absent), expected, 0.05 * expected + 0.0003) << bits;
    }
}

/// Whether a batch asks the filter: one that lost its bits finds nothing, but ordered lookups do not ask it.
TEST_P(filtered, lookups_of_equal_keys_ask_it) {
  auto keys = some_keys<std::uint32_t>(batch);
  std::sort(keys.begin(), keys.end());  // so that ranges are short
  index const plain = index::build("AO+BS", std::span(keys), exec);
  auto const path = files / "index.wdx";
  index::build("AO+BS/filter=8", std::span(keys), exec).save(path);
  EXPECT_TRUE(damage_is_found<std::uint64_t>(path, "filter_blocks",
                                             [](auto& words) { std::fill(words.begin(), words.end(), 0); }));
  index const blind = index::load(files / "damaged.wdx", exec, false, check::structure);
  EXPECT_TRUE(throws<format_error>([&] { blind.verify(exec); }, "the filter lacks a key"));
  for (question const& q : all_questions(keys, true)) {
    bool const asks = q.name == "contains" || q.name == "find" || q.name == "count" || q.name == "retrieve";
    EXPECT_EQ(q.ask(blind, exec) != q.ask(plain, exec), asks) << q.name;
  }
}

TEST_P(filtered, files) {
  auto const keys = some_keys<std::uint64_t>(3000);
  auto const probes = some_probes(keys, 2);
  index const built = index::build("EO+KS(9)/filter=16", std::span(keys), exec);
  auto const path = files / "index.wdx";
  std::string const bytes = saved(built, path);
  for (bool const map : {false, true}) {
    index loaded = index::load(path, exec, map);
    EXPECT_EQ(loaded.spec_text(), built.spec_text());
    EXPECT_EQ(loaded.memory().auxiliary, built.memory().auxiliary);
    expect_same_answers(all_questions(probes, false), loaded, built, exec);
    EXPECT_EQ(saved(loaded, files / "again.wdx"), bytes);
    EXPECT_EQ(saved(loaded.clone(exec), files / "again.wdx"), bytes);
  }
  auto const is_found = [&](std::string const& section, std::size_t number, std::uint64_t value) {
    return damage_is_found<std::uint32_t>(
        path, section, [&](auto& halves) { std::memcpy(halves.data() + 2 * number, &value, sizeof(value)); });
  };
  EXPECT_TRUE(is_found("filter", 0, 0));
  EXPECT_TRUE(is_found("filter", 0, ~std::uint64_t{0}));
  EXPECT_TRUE(is_found("filter_blocks", 1, 0));
}

TEST_P(filtered, a_sorted_column_of_the_caller) {
  std::vector<std::uint64_t> keys = some_keys<std::uint64_t>(5000);
  std::sort(keys.begin(), keys.end());
  input_array<std::uint64_t> const there_too(keys, GetParam() == backend_kind::cpu ? place::host : place::device, 0,
                                             exec);
  column const borrowed(there_too.data(), keys.size(), key_type::u64);
  index const behind = index::over_sorted("AO+BS/filter=8", borrowed, exec);
  expect_same_answers(all_questions(some_probes(keys, 7), false), behind, index::over_sorted("AO+BS", borrowed, exec),
                      exec);
}

TEST_P(filtered, updates_add_keys_until_it_is_made_anew) {
  if (!takes("B+(16)/filter=8", key_type::u32)) GTEST_SKIP() << "B+(16) is not in this build";
  auto keys = some_keys<std::uint64_t>(20000);
  index built = index::build("B+(16)/filter=8", std::span(keys), exec);
  built.save(files / "index.wdx");
  index mapped = index::load(files / "index.wdx", exec, true);
  std::uint64_t const blocks = stored_filter(built).blocks();
  std::vector<std::uint64_t> counts;
  for (std::uint64_t round = 0; round < 120; ++round) {
    std::vector<std::uint64_t> added;
    std::vector<std::uint32_t> rows;
    for (std::uint64_t i = 0; i < 200; ++i) {
      added.push_back(4 * (keys.size() + i + 1));
      rows.push_back(static_cast<std::uint32_t>(keys.size() + i));
    }
    std::vector<std::uint64_t> const erased(keys.begin() + static_cast<std::ptrdiff_t>(5 * round),
                                            keys.begin() + static_cast<std::ptrdiff_t>(5 * round + 5));
    keys.insert(keys.end(), added.begin(), added.end());
    for (index* const updated : {&built, &mapped})
      updated->update(std::span(added), std::span(rows), std::span(erased), exec);
    counts.push_back(stored_filter(built).blocks());
  }
  EXPECT_EQ(counts.front(), blocks);
  EXPECT_GT(2 * counts.back(), 3 * blocks);
  EXPECT_LT(stored_filter(built).passing(some_probes(keys, 1 << 30)), passing_in_theory(4));
  for (index const* const updated : {&built, &mapped}) {
    updated->verify(exec);
    std::vector<std::uint8_t> found(keys.size());
    updated->contains(std::span(keys), std::span(found), exec);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(found[i], i >= 600) << i;
  }
}

TEST(filter_option, belongs_to_the_spec) {
  auto const resolved = [](std::string const& text) {
    return resolve(text, key_type::u64, row_type::u32, 1000, backend_kind::cpu);
  };
  EXPECT_TRUE(resolved("ao+pb+bs/FILTER=8/layout=AoS").ends_with("/layout=AoS/rows=u32/filter=8"));
  EXPECT_TRUE(resolved("auto(ranges)/filter=10").ends_with("/filter=10"));
  for (char const* const wrong : {"3", "33", "none", ""})
    EXPECT_THROW(resolved("AO+BS/filter=" + std::string(wrong)), spec_error) << wrong;
  if (!takes("HT(open)", key_type::u32)) GTEST_SKIP() << "HT(open) is not in this build";
  EXPECT_TRUE(throws<spec_error>([&] { resolved("HT(open)/filter=8"); }, "HT needs no filter"));
}

TEST(filter_option, the_memory_of_a_filter) {
  std::vector<std::uint32_t> const keys(1 << 16, 7);
  execution const exec;
  auto const bytes = [&](char const* text) { return index::build(text, std::span(keys), exec).memory().auxiliary; };
  EXPECT_EQ(bytes("AO+BS/filter=8") - bytes("AO+BS"), keys.size() + sizeof(filter_block));
}

INSTANTIATE_TEST_SUITE_P(all, filtered, testing::ValuesIn(present_backends()),
                         [](auto const& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace warpdex::test
