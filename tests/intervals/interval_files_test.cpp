// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/intervals.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "intervals/interval_model.hpp"
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/stored_sections.hpp"

/// @file
/// Files of intervals, and intervals with a least overlap made of others.
namespace warpdex::test {
namespace {

class interval_files : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Number> std::vector<Number> read(buffer const& from, std::uint64_t size) const {
    return read_buffer<Number>(from, size, exec_);
  }

  void expect_same(intervals const& x, intervals const& y, interval_probes const& probes) const {
    EXPECT_EQ(x.size(), y.size());
    EXPECT_EQ(x.closed(), y.closed());
    EXPECT_EQ(x.key_type(), y.key_type());
    EXPECT_EQ(x.group_type(), y.group_type());
    EXPECT_EQ(x.count(probes, exec_), y.count(probes, exec_));
    matches const found = x.retrieve(probes, exec_), expected = y.retrieve(probes, exec_);
    EXPECT_EQ(read<std::uint32_t>(found.rows, found.total), read<std::uint32_t>(expected.rows, expected.total));
    if (x.key_type() == key_type::bytes) return;
    matches const near = x.nearest(probes, 5, exec_), known = y.nearest(probes, 5, exec_);
    EXPECT_EQ(read<std::uint32_t>(near.rows, near.total), read<std::uint32_t>(known.rows, known.total));
    merged_intervals const a = x.merge(exec_), b = y.merge(exec_);
    EXPECT_EQ(read<std::uint32_t>(a.clusters, a.rows), read<std::uint32_t>(b.clusters, b.rows));
    EXPECT_EQ(read<std::uint32_t>(a.ends, a.size), read<std::uint32_t>(b.ends, b.size));
  }

  void expect_loads(intervals const& x, interval_probes const& probes) const {
    auto const bytes = save(x, "a note");
    save(x, place_ / "i.wdx", "a note");
    auto const owned = std::make_shared<std::vector<std::byte>>(bytes);
    std::vector<intervals> loaded;
    loaded.push_back(intervals::load(bytes, exec_));
    loaded.push_back(intervals::load(place_ / "i.wdx", exec_, false, check::structure));
    loaded.push_back(intervals::load(place_ / "i.wdx", exec_, true));
    loaded.push_back(intervals::load(*owned, owned, exec_, check::none));
    for (intervals const& one : loaded) {
      EXPECT_TRUE(save(one, "a note") == bytes);
      EXPECT_EQ(one.note(), "a note");
      expect_same(one, x, probes);
    }
  }

  /// @param units of a least overlap in the units of questions, or 0
  template <class T> void expect_back(asof_tolerance const& length, int units) const {
    question_maker maker(static_cast<std::uint64_t>(units) + 5);
    for (bool const with_groups : {false, true})
      for (closed_ends const closed : all_closed)
        for (std::size_t const size : {0, 1, 200}) {
          SCOPED_TRACE(testing::Message() << "size " << size << ", groups " << with_groups);
          question q = maker.make(size, 40, false, closed, true);
          maker.add_groups(q, true);
          inputs<T> const columns(q);
          values_of<std::int64_t> const groups(q.groups.values), wanted(q.probe_groups.values);
          nullable_column const starts(columns.starts.view(), q.starts.validity());
          nullable_column const ends(columns.ends.view(), q.ends.validity());
          nullable_column const of(groups.view(), q.groups.validity());
          auto const build = [&](std::optional<asof_tolerance> const& least) {
            return with_groups ? intervals::build(of, starts, ends, exec_, closed, least)
                               : intervals::build(starts, ends, exec_, closed, least);
          };
          interval_probes const all = columns.probes();
          interval_probes const probes = with_groups ? all.within({wanted.view(), q.probe_groups.validity()}) : all;
          intervals const x = build(std::nullopt);
          expect_loads(x, probes);
          if (units == 0) continue;
          intervals const y = build(length);
          expect_loads(y, probes);
          expect_same(x.with_min_overlap(length, exec_), y, probes);
          expect_same(intervals::load(x.save(), exec_).with_min_overlap(length, exec_), y, probes);
          EXPECT_TRUE(throws<invalid_argument>([&] { y.with_min_overlap(length, exec_); }, "a least overlap already"));
        }
  }

  folder const place_;
  execution const exec_{memory_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, interval_files, testing::ValuesIn(present_backends()), backend_name);

TEST_P(interval_files, come_back) {
  expect_back<std::uint32_t>(2, 2);
  expect_back<std::int64_t>(3, 3);
  expect_back<double>(.5, 1);
  expect_back<timestamp>(2, 2);
  expect_back<u128>(0, 0);
  expect_back<std::string>(0, 0);
}

/// Groups and keys so far apart that they are numbered by rank.
TEST_P(interval_files, far_groups_and_keys) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> const groups = {-far, 0, far, 0}, starts = {-far, 1, far - 3, 5}, ends = {far, 2, far, 9};
  byte_strings const names(std::vector<std::string>{"b", "", "a", ""});
  expect_loads(intervals::build(groups, starts, ends, exec_), interval_probes(starts, ends).within(groups));
  expect_loads(intervals::build(names.view(), starts, ends, exec_), interval_probes(starts, ends).within(names.view()));
  expect_loads(intervals::build(groups, names.view(), names.view(), exec_), interval_probes(names).within(groups));
}

TEST_P(interval_files, forged_ones) {
  std::vector<std::int32_t> const groups = {1, 2, 1}, starts = {5, 0, 7}, ends = {6, 9, 8};
  std::vector<std::uint32_t> const twice = {0, 0, 1}, other = {0, 1, 2}, beyond = {0, 3, 1};
  std::vector<float> const floats = {1, 2, 3}, nans(3, std::numeric_limits<float>::quiet_NaN());
  auto const entries = [&](auto const& keys, auto const& rows) {
    return index::build("AO+BS/layout=SoA", column(keys), std::span(rows), exec_).save();
  };
  auto const refused = [&](std::vector<std::byte> const& bytes, auto const& change, auto const&... words) {
    stored_sections forged(bytes);
    change(forged);
    auto const image = forged.image();
    for (check const checks : {check::all, check::structure})
      EXPECT_TRUE(throws<format_error>([&] { intervals::load(image, exec_, checks); }, words...));
  };
  auto const put = [](char const* name, auto const& made) {
    return [name, made](stored_sections& file) { file.section(name) = made; };
  };
  auto const plain = intervals::build(starts, ends, exec_).save();
  auto const set = [&](std::size_t option, std::uint64_t number) {
    return [=](stored_sections& file) { file.put("options", option, number); };
  };
  EXPECT_NO_THROW(intervals::load(stored_sections(plain).image(), exec_));
  refused(plain, set(0, 4), "section 'options'", "numbers that are none");
  refused(plain, set(1, std::uint64_t{1} << 40), "section 'options'", "numbers that are none");
  refused(plain, set(1, 2), "section 'ends'", "belongs to no interval");
  refused(plain, set(2, 2), "section 'options'", "numbers that are none");
  refused(
      plain, [](stored_sections& file) { file.section("options").resize(8); }, "section 'options'", "another length");
  refused(
      plain, [](stored_sections& file) { file.sections.pop_back(); }, "no section 'ends'");
  refused(
      plain, [](stored_sections& file) { file.sections.emplace_back("more", file.section("options")); },
      "section 'options'", "does not belong");
  refused(
      plain, [](stored_sections& file) { file.head.spec = "intervals(AO+BS)"; }, "does not belong");
  refused(
      plain, [](stored_sections& file) { file.head.keys = key_type::u32; }, "section 'starts'");
  refused(plain, put("ends", entries(ends, twice)), "section 'ends'");
  refused(plain, put("ends", entries(ends, beyond)), "section 'ends'", "belongs to no interval");
  refused(plain, put("ends", entries(starts, other)), "section 'ends'", "belongs to no interval");
  refused(plain, put("starts", entries(floats, other)), "section 'starts'", "no sorted values");
  refused(plain, put("starts", index::build("EO+BS", column(starts), exec_).save()), "section 'starts'");
  std::vector<std::int32_t> const equal = {3, 3, 3};
  refused(intervals::build(equal, equal, exec_).save(), put("ends", entries(equal, twice)), "an interval twice");
  refused(intervals::build(equal, equal, exec_).save(), set(0, 1), "belongs to no interval");
  refused(
      intervals::build(floats, floats, exec_).save(),
      [&](stored_sections& file) { file.section("starts") = file.section("ends") = entries(nans, other); },
      "belongs to no interval");
  auto const shortened = [&](std::uint64_t least) {
    return [=](stored_sections& file) { file.put("options", 2, std::uint64_t{1}), file.put("options", 3, least); };
  };
  refused(plain, shortened(2), "belongs to no interval");
  refused(plain, shortened(~std::uint64_t{0}), "section 'options'", "must not be negative");

  auto const grouped = intervals::build(groups, starts, ends, exec_).save();
  stored_sections const known(grouped);
  auto const places = [&](char const* section) {
    return index::load(stored_sections(grouped).section(section), exec_);
  };
  EXPECT_NO_THROW(intervals::load(known.image(), exec_));
  std::uint64_t const beside = std::uint64_t{1} << 40;
  std::vector<std::uint64_t> const wrong = {0, 1, beside};
  refused(grouped, put("starts", entries(wrong, other)), "section 'starts'", "without a number");
  refused(grouped, put("ends", entries(wrong, other)), "section 'ends'", "without a number");
  std::vector<std::uint32_t> swapped = {1, 0, 2};
  EXPECT_EQ(places("ends").size(), 3u);
  auto const keys_at_ends = std::vector<std::uint64_t>{6, 8, 16 + 9};  // of groups 0 and 1, with 4 bits per key
  refused(grouped, put("ends", entries(keys_at_ends, std::vector<std::uint32_t>{0, 2, 1})), "belongs to no interval");
  refused(
      grouped, [](stored_sections& file) { file.put("numbers", 3, std::uint64_t{0}); }, "section 'numbers'");
  for (std::size_t cut = 0; cut < grouped.size(); cut += 997)
    EXPECT_THROW(intervals::load(std::span(grouped).first(cut), exec_), format_error);
}

TEST(interval_file, calls_whose_file_is_cut) {
  folder const place;
  std::vector<std::uint32_t> keys(20000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  execution const exec;
  intervals::build(keys, keys, exec).save(place / "i");
  intervals const x = intervals::load(place / "i", exec, true);
  std::filesystem::resize_file(place / "i", 4096);
  EXPECT_TRUE(throws<io_error>([&] { x.count(keys, exec); }, "has shrunk from"));
  EXPECT_TRUE(throws<io_error>([&] { x.merge(exec); }, "has shrunk from"));
  EXPECT_TRUE(throws<io_error>([&] { x.with_min_overlap(1, exec); }, "has shrunk from"));
  EXPECT_TRUE(throws<io_error>([&] { x.save(); }, "has shrunk from"));
}

}  // namespace
}  // namespace warpdex::test
