// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/fixture.hpp"
#include "support/damage.hpp"

#include <warpdex/join.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

/// @file
/// Files with wrong keys or row ids and right checksums, of which only the structure is checked.
namespace warpdex::test {
namespace {

class doubtful_entries : public testing::TestWithParam<backend_kind> {
 protected:
  using numbers = std::vector<std::uint32_t>;

  /// @return the file of an index over 0, 3, 6, ... after a change of a section
  std::vector<std::byte> forged(std::string const& spec, std::string const& section,
                                std::function<void(numbers&)> const& change) const {
    numbers keys(size);
    for (std::uint32_t i = 0; i < size; ++i) keys[i] = 3 * i;
    auto const bytes = index::build(spec, keys, execution()).save();
    auto const whole = io::file::parse(std::span(bytes));
    std::vector<numbers> content;
    std::vector<io::section> sections;
    for (auto const& name : whole.names()) {
      auto const from = whole.bytes(name);
      auto& words = content.emplace_back(from.size() / sizeof(std::uint32_t));
      if (!from.empty()) std::memcpy(words.data(), from.data(), from.size());
      if (name == section) change(words);
    }
    for (std::size_t i = 0; i < content.size(); ++i)
      sections.push_back({whole.names()[i], content[i].data(), content[i].size() * sizeof(std::uint32_t)});
    return io::image(whole.head(), sections);
  }

  index load(std::vector<std::byte> const& bytes) const { return index::load(bytes, exec_, check::structure); }

  static constexpr std::uint32_t size = 400;
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 1};
};

/// Searches and ranges tell free slots of leaves by what is in them.
TEST_P(doubtful_entries, free_slots_are_structure) {
  static constexpr auto none = no_row<std::uint32_t>;
  for (char const* const spec : {"B+(16,fill=0.5)", "B+(page=4096,fill=0.5)", "Harmonia(32,fill=0.5)", "cgRXu"}) {
    if (!accepts(spec, GetParam())) continue;
    SCOPED_TRACE(spec);
    load(forged(spec, "rows", [](numbers&) {}));
    auto const refuses = [&](char const* section, std::function<void(numbers&)> const& change) {
      return throws<format_error>([&] { load(forged(spec, section, change)); }, "slots that are empty or taken");
    };
    EXPECT_TRUE(refuses("rows", [](numbers& rows) { std::replace(rows.begin(), rows.end(), none, 7u); }));
    EXPECT_TRUE(refuses("rows", [](numbers& rows) { rows[1] = none; }));
    EXPECT_TRUE(refuses("keys", [](numbers& keys) { std::replace(keys.begin(), keys.end(), none, 7u); }));
  }
}

/// Searches by interpolation, and those in windows, may find the upper bound of a range before its lower one if the
/// keys between the first and the last are in no order.
TEST_P(doubtful_entries, ranges_count_no_more_than_there_are) {
  std::vector<std::uint32_t> lower(3 * size), upper(lower.size());
  std::iota(lower.begin(), lower.end(), 0u);
  for (std::size_t i = 0; i < upper.size(); ++i) upper[i] = lower[i] + static_cast<std::uint32_t>(i % 50);
  for (char const* const spec : {"AO+IS", "AO+BS", "AO+BS/reorder=window"}) {
    SCOPED_TRACE(spec);
    index const i = load(forged(spec, "keys", [](numbers& keys) {
      std::mt19937_64 random(1);
      for (std::size_t k = keys.size() - 1; k > 2; --k) std::swap(keys[k - 1], keys[1 + random() % (k - 1)]);
    }));
    std::vector<std::uint64_t> counts(lower.size());
    i.range_count({lower, upper}, counts, exec_);
    for (std::uint64_t const count : counts) ASSERT_LE(count, size);
    std::uint64_t const most = lower.size() * size;
    EXPECT_LE(i.range_retrieve({lower, upper}, exec_).total, most);
    EXPECT_LE(join_between(i, {lower, upper}, join_kind::inner, exec_).size, most);
  }
}

/// An update relies on the order of all entries.
TEST_P(doubtful_entries, are_checked_before_an_update) {
  std::vector<std::uint32_t> const keys = {5}, rows = {9};
  for (char const* const spec : {"AO+IS", "EO+BS", "PGM", "B+(16)"}) {
    if (!accepts(spec, GetParam())) continue;
    SCOPED_TRACE(spec);
    index right = load(forged(spec, "keys", [](numbers&) {}));
    right.insert(keys, rows, exec_);
    EXPECT_EQ(right.find(5u, exec_), 9u);
    EXPECT_EQ(right.size(), size + 1u);
  }
  index wrong = load(forged("AO+IS", "keys", [](numbers& k) { std::swap(k[7], k[8]); }));
  index copied = wrong.clone(exec_);
  for (index* const doubtful : {&wrong, &copied}) {
    EXPECT_TRUE(throws<format_error>([&] { doubtful->insert(keys, rows, exec_); }, "out of order"));
    EXPECT_TRUE(throws<format_error>([&] { doubtful->insert_or_assign(keys, rows, exec_); }, "out of order"));
    EXPECT_TRUE(throws<format_error>([&] { doubtful->erase(keys, exec_); }, "out of order"));
    EXPECT_EQ(doubtful->size(), size);
    EXPECT_FALSE(doubtful->contains(5u, exec_));
  }
}

INSTANTIATE_TEST_SUITE_P(all, doubtful_entries, testing::ValuesIn(present_backends()),
                         [](auto const& backend) { return name_of(backend.param); });

}  // namespace
}  // namespace warpdex::test
