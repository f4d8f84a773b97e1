// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/current_device.hpp>

#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

/// @file
/// Input that no call can accept. Each case throws, says what and where, and leaves the index as it was.
namespace warpdex::test {
namespace {

using keys32 = std::vector<std::uint32_t>;
using rows32 = std::vector<std::uint32_t>;
using rows64 = std::vector<std::uint64_t>;

/// An index over {10, 20, 20, 30} on each backend.
class bad_input : public testing::TestWithParam<backend_kind> {
 protected:
  index make(std::string const& spec = "AO+BS") const { return index::build(spec, std::span(keys_), exec_); }

  /// The index still answers.
  void expect_unharmed(index const& i) const {
    rows32 rows(3);
    keys32 const probes = {20, 25, 30};
    i.find(std::span(probes), std::span(rows), exec_);
    EXPECT_EQ(rows, (rows32{1, no_row<std::uint32_t>, 0}));
    i.verify(exec_);
  }

  bool cuda() const { return GetParam() == backend_kind::cuda; }

  keys32 keys_ = {30, 20, 20, 10};
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 1};
};

TEST_P(bad_input, row_column_of_another_length) {
  rows32 const rows = {1, 2, 3};
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", std::span(keys_), std::span(rows), exec_); },
                                       "build", "3", "4"));
}

TEST_P(bad_input, reserved_row_id) {
  rows32 const narrow = {1, 2, no_row<std::uint32_t>, 4};
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", std::span(keys_), std::span(narrow), exec_); },
                                       "4294967295"));
  rows64 const wide = {1, 2, 3, no_row<std::uint64_t>};
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", std::span(keys_), std::span(wide), exec_); },
                                       "18446744073709551615"));
  rows64 const fits = {1, 2, 3, no_row<std::uint32_t>};
  EXPECT_EQ(index::build("AO+BS", std::span(keys_), std::span(fits), exec_).row_type(), row_type::u64);
}

TEST_P(bad_input, row_column_of_another_type) {
  rows64 const rows = {1, 2, 3, 4};
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { index::build("AO+BS/rows=u32", std::span(keys_), std::span(rows), exec_); }, "u32", "u64"));
}

TEST_P(bad_input, more_rows_than_the_row_type_holds) {
  // The length alone is a reason to refuse: no byte of such a column is read.
  column const huge(keys_.data(), std::uint64_t{1} << 32, key_type::u32);
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS/rows=u32", huge, exec_); }, "4294967296", "rows=u64"));
}

TEST_P(bad_input, null_columns) {
  column const nothing(nullptr, 4, key_type::u32);
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", nothing, exec_); }, "build", "key column", "null"));
  row_column const no_rows(nullptr, 4, row_type::u32);
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", std::span(keys_), no_rows, exec_); }, "build",
                                       "row column", "null"));

  index const i = make();
  rows32 rows(4);
  std::vector<std::uint64_t> ranks(4);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(nothing, std::span(rows), exec_); }, "find", "null"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(std::span(keys_), row_output(nullptr, 4, row_type::u32), exec_); },
                                       "find", "null"));
  std::vector<std::uint32_t> positions(4);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find_unordered(nothing, std::span(positions), std::span(rows), exec_); },
                                       "find_unordered", "null"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.find_unordered(std::span(keys_), std::span<std::uint32_t>(static_cast<std::uint32_t*>(nullptr), 4),
                         std::span(rows), exec_);
      },
      "find_unordered", "position", "null"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.lower_bound(nothing, std::span(ranks), exec_); }, "lower_bound", "null"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { i.floor(std::span(keys_), key_output(nullptr, 4, key_type::u32), std::span(rows), exec_); }, "floor",
      "null"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.range_count({std::span(keys_), nothing}, std::span(ranks), exec_);
      },
      "range_count", "null"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.retrieve(nothing, exec_); }, "retrieve", "null"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        (void)i.range_retrieve({nothing, std::span(keys_)}, exec_);
      },
      "range_retrieve", "null"));
  expect_unharmed(i);
}

TEST_P(bad_input, null_is_fine_where_there_is_nothing) {
  index const i = make();
  column const none(nullptr, 0, key_type::u32);
  i.find(none, row_output(nullptr, 0, row_type::u32), exec_);
  i.contains(none, {}, exec_);
  i.range_sum({none, none}, {}, exec_);
  EXPECT_EQ(i.retrieve(none, exec_).total, 0u);
  EXPECT_EQ(index::build("AO+BS", none, exec_).size(), 0u);
}

TEST_P(bad_input, outputs_of_another_length) {
  index const i = make();
  rows32 rows(3);
  keys32 keys(5);
  std::vector<std::uint8_t> flags(5);
  std::vector<std::uint64_t> numbers(3);
  column const probes = std::span(keys_);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.contains(probes, std::span(flags), exec_); }, "contains", "5", "4"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(probes, std::span(rows), exec_); }, "find", "3", "4"));
  std::vector<std::uint32_t> positions(3);
  rows32 four_rows(4);
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.find_unordered(probes, std::span(positions), std::span(four_rows), exec_); },
                               "find_unordered", "3", "4"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.count(probes, std::span(numbers), exec_); }, "count", "3", "4"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.lower_bound(probes, std::span(numbers), exec_); }, "lower_bound", "3", "4"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.upper_bound(probes, std::span(numbers), exec_); }, "upper_bound", "3", "4"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.floor(probes, key_output(), std::span(rows), exec_); }, "floor", "3", "4"));
  rows.resize(4);
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.floor(probes, std::span(keys), std::span(rows), exec_); }, "floor", "5", "4"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.range_count({probes, probes}, std::span(numbers), exec_);
      },
      "range_count", "3", "4"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.range_sum({probes, probes}, std::span(numbers), exec_);
      },
      "range_sum", "3", "4"));
  expect_unharmed(i);
}

TEST_P(bad_input, bounds_of_different_lengths) {
  index const i = make();
  column const four = std::span(keys_);
  column const three = std::span(keys_).first(3);
  std::vector<std::uint64_t> numbers(4);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.range_count({four, three}, std::span(numbers), exec_);
      },
      "range_count", "3", "4"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.range_sum({four, three}, std::span(numbers), exec_);
      },
      "range_sum", "3", "4"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        (void)i.range_retrieve({four, three}, exec_);
      },
      "range_retrieve", "3", "4"));
  expect_unharmed(i);
}

TEST_P(bad_input, wrong_types) {
  index const i = make();
  std::vector<date> const other = {{1}, {2}, {3}, {4}};  // numbers of any type would do
  column const wrong = std::span(other);
  column const probes = std::span(keys_);
  rows32 rows(4);
  rows64 numbers(4);
  std::vector<std::uint8_t> flags(4);
  std::vector<std::int32_t> keys(4);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.contains(wrong, std::span(flags), exec_); }, "contains", "date", "u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(wrong, std::span(rows), exec_); }, "find", "date", "u32"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { i.find(probes, row_output(std::span(numbers)), exec_); }, "find", "u64", "u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.count(wrong, std::span(numbers), exec_); }, "count", "date", "u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.floor(probes, std::span(keys), std::span(rows), exec_); }, "floor",
                                       "i32", "u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.floor(probes, key_output(), row_output(std::span(numbers)), exec_); },
                                       "floor", "u64", "u32"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        i.range_count({probes, wrong}, std::span(numbers), exec_);
      },
      "range_count", "date", "u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.retrieve(wrong, exec_); }, "retrieve", "date", "u32"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        (void)i.range_retrieve({wrong, probes}, exec_);
      },
      "range_retrieve", "date", "u32"));
  expect_unharmed(i);
}

TEST_P(bad_input, empty_column_and_inverted_ranges_are_legal) {
  keys32 const none;
  for (std::string const& sample : all_samples()) {
    index const empty = index::build(sample, std::span(none), exec_);
    std::vector<std::uint8_t> flags(4, 9);
    empty.contains(std::span(keys_), std::span(flags), exec_);
    EXPECT_EQ(flags, std::vector<std::uint8_t>(4, 0)) << sample;
    if (!empty.ordered()) continue;
    index const full = make(sample);
    keys32 const lower = {21, 30, 4294967295u};
    keys32 const upper = {20, 10, 0};
    rows64 counts(3, 9);
    full.range_count({std::span(lower), std::span(upper)}, std::span(counts), exec_);
    EXPECT_EQ(counts, rows64(3, 0)) << sample;
    EXPECT_EQ(full.range_retrieve({std::span(lower), std::span(upper)}, exec_).total, 0u) << sample;
  }
}

TEST_P(bad_input, specs) {
  auto const refuse = [&](std::string const& text, auto const&... words) {
    return throws<spec_error>([&] { index::build(text, std::span(keys_), exec_); }, "^", words...);
  };
  EXPECT_TRUE(refuse("AO+BX", "AO+BS"));
  EXPECT_TRUE(refuse("EO+KS", "9"));
  EXPECT_TRUE(refuse("EO+KS(4)", "4", "K must be one of 2, "));
  EXPECT_TRUE(refuse("EO+KS(1)"));
  EXPECT_TRUE(refuse("EO+KS(65)"));
  EXPECT_TRUE(refuse("AO+PB+KS(-9)"));
  EXPECT_TRUE(refuse("AO+PB+BS(levels=65)", "65"));
  EXPECT_TRUE(refuse("AO+PB+BS(levels=many)", "many"));
  EXPECT_TRUE(refuse("AO+BS(3)"));
  EXPECT_TRUE(refuse("HT", "HT(open)"));
  EXPECT_TRUE(refuse("HT(shut)", "'shut'", "HT(open) or HT(buckets)"));
  EXPECT_TRUE(refuse("HT(open,15)", "'15'", "HT(open)"));
  EXPECT_TRUE(refuse("HT(buckets,16)", "'16'", "HT(buckets,15)"));
  EXPECT_TRUE(refuse("HT(buckets,15,15)", "'15'"));
  EXPECT_TRUE(refuse("HT(buckets,load=4.1)", "0.1 to 4"));
  if (is_compiled("HT(buckets)/lanes=16")) {
    EXPECT_TRUE(refuse("HT(buckets)/lanes=16/schedule=static", "lanes=16"));
  }
  EXPECT_TRUE(refuse("HT(open,load=1)", "'1'", "0.1 to 0.98"));
  EXPECT_TRUE(refuse("HT(open,load=0.09)", "0.1 to 0.98"));
  EXPECT_TRUE(refuse("HT(open,load=nan)", "0.1 to 0.98"));
  EXPECT_TRUE(refuse("HT(open,load=0.5x)", "0.1 to 0.98"));
  EXPECT_TRUE(refuse("HT(open,levels=3)"));
  EXPECT_TRUE(refuse("HT(open,seed=many)", "'many'"));
  EXPECT_TRUE(refuse("HT(open,seed=18446744073709551616)", "18446744073709551615"));
  EXPECT_TRUE(refuse("AO+BS(seed=1)"));
  EXPECT_TRUE(refuse("AO+BS/layout=column", "column", "SoA"));
  EXPECT_TRUE(refuse("AO+BS/rows=u16", "u16"));
  EXPECT_TRUE(refuse("AO+BS/colour=red", "colour"));
  EXPECT_TRUE(refuse(""));
}

TEST_P(bad_input, wide_keys_of_structures_that_do_not_take_them) {
  std::vector<u128> const keys = {1, 2, 3, u128{1} << 64};
  for (std::string const& sample : all_samples()) {
    if (takes(sample, key_type::u128)) continue;
    EXPECT_TRUE(throws<spec_error>([&] { index::build(sample, std::span(keys), exec_); }, spec(sample).structure(),
                                   " takes keys of up to 8 bytes; HT(open) takes u128", "^"))
        << sample;
  }
  EXPECT_TRUE(index::build("auto(ranges)", std::span(keys), exec_).spec_text().starts_with("GRT"));

  index const i = index::build("auto", std::span(keys), exec_);
  EXPECT_EQ(i.key_type(), key_type::u128);
  rows32 rows(4);
  std::vector<std::uint64_t> const narrow = {1, 2, 3, 4};
  i.find(std::span(narrow), std::span(rows), exec_);
  EXPECT_EQ(rows, (rows32{0, 1, 2, no_row<std::uint32_t>}));
  std::vector<std::uint64_t> bounds(4);
  EXPECT_TRUE(throws<unsupported>([&] { i.lower_bound(std::span(keys), std::span(bounds), exec_); }, "lower_bound",
                                  "HT(open", "; AO+BS answers"));
  i.find(std::span(keys), std::span(rows), exec_);
  EXPECT_EQ(rows, (rows32{0, 1, 2, 3}));
}

/// Policies are read on every backend, so a spec is valid on all backends or on none.
TEST_P(bad_input, policies) {
  // The caret is below the option's name if its value is unknown, and below its value if that is not a number in the
  // allowed range.
  auto const refuse = [&](char before_caret, std::string const& text, auto const&... words) {
    std::string const shown = fmt::format("\n  {}\n  {:>{}}", text, '^', text.rfind(before_caret) + 2);
    return throws<spec_error>([&] { index::build(text, std::span(keys_), exec_); }, shown, words...);
  };
  EXPECT_TRUE(refuse('/', "EO+KS(9)/lanes=3", "1 lane or 8, not on 3"));
  EXPECT_TRUE(refuse('/', "AO+PB+KS(17)/threads=256/lanes=8", "1 lane or 16, not on 8"));
  EXPECT_TRUE(refuse('/', "AO+BS/lanes=2", "not on 2"));
  EXPECT_TRUE(refuse('=', "EO+KS(9)/lanes=0", "from 1 to 32"));
  EXPECT_TRUE(refuse('=', "EO+KS(17)/lanes=33", "from 1 to 32"));
  EXPECT_TRUE(refuse('=', "EO+KS(9)/lanes=all", "'all'"));
  EXPECT_TRUE(refuse('=', "EO+KS(9)/threads=100", "from 128 to 1024"));
  EXPECT_TRUE(refuse('=', "EO+KS(9)/threads=1056", "from 128 to 1024"));
  EXPECT_TRUE(refuse('/', "EO+KS(9)/threads=130", "multiple of 32"));
  EXPECT_TRUE(refuse('/', "EO+KS(9)/pin=maybe", "unknown value 'maybe' of pin; expected auto, none, steps or full"));
  for (char const* const text : {"EO+KS(9)/lanes=1", "EO+KS(9)/lanes=8/threads=128/pin=none", "AO+BS/pin=steps",
                                 "AO+PB+KS(17)/lanes=16/threads=1024", "EO+BS/lanes=auto/threads=auto/pin=auto"})
    expect_unharmed(make(text));
}

TEST_P(bad_input, updates) {
  index i = make();
  column const keys = std::span(keys_);
  rows32 const rows = {1, 2, 3, 4};
  rows64 const wide = {1, 2, 3, 4};
  std::vector<std::int32_t> const other = {1, 2, 3, 4};
  column const wrong = std::span(other);
  column const none(nullptr, 0, key_type::u32);
  column const nothing(nullptr, 4, key_type::u32);
  row_column const four = std::span(rows);
  row_column const three = std::span(rows).first(3);
  row_column const no_rows(nullptr, 4, row_type::u32);
  auto const refused = [&](auto const& call, auto const&... words) {
    EXPECT_TRUE(throws<invalid_argument>(call, words...));
    expect_unharmed(i);
  };
  refused([&] { i.insert(wrong, four, exec_); }, "insert", "inserted keys", "i32", "u32");
  refused([&] { i.insert(keys, std::span(wide), exec_); }, "insert", "row column", "u64", "u32");
  refused([&] { i.insert(keys, three, exec_); }, "insert", "row column", "3", "4");
  refused([&] { i.insert(keys, {}, exec_); }, "insert", "row column", "0", "4");
  refused([&] { i.insert(nothing, four, exec_); }, "insert", "inserted keys", "null");
  refused([&] { i.insert(keys, no_rows, exec_); }, "insert", "row column", "null");
  refused([&] { i.erase(wrong, exec_); }, "erase", "erased keys", "i32", "u32");
  refused([&] { i.erase(nothing, exec_); }, "erase", "erased keys", "null");
  refused([&] { i.update(wrong, four, none, exec_); }, "update", "inserted keys", "i32", "u32");
  refused([&] { i.update(keys, four, wrong, exec_); }, "update", "erased keys", "i32", "u32");
  refused([&] { i.update(none, {}, nothing, exec_); }, "update", "erased keys", "null");
  refused([&] { i.insert_or_assign(keys, three, exec_); }, "insert_or_assign", "row column", "3", "4");
  refused([&] { i.insert_or_assign(wrong, four, exec_); }, "insert_or_assign", "inserted keys", "i32", "u32");

  rows32 const reserved = {1, 2, 4294967295u, 4};
  refused([&] { i.insert(keys, std::span(reserved), exec_); }, "4294967295", "cannot be indexed");
  // More entries than 32 bits can number; refused before anything is read.
  std::uint64_t const many = 4294967291u;
  refused(
      [&] {
        i.insert(column(keys_.data(), many, key_type::u32), {rows.data(), many, row_type::u32}, exec_);
      },
      "insert", "4294967295", "rows=u64");

  i.update(none, {}, none, exec_);
  expect_unharmed(i);
}

TEST_P(bad_input, devices_memory_on_the_other_side) {
  if (!cuda()) GTEST_SKIP() << "needs a CUDA device";
  execution const host(host_memory(), {}, 1);
  buffer const device(64, exec_);
  column const keys(device.data(), 4, key_type::u32);
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", keys, host); }, "build", "key column"));

  index const i = make();
  rows32 rows(4);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(std::span(keys_), std::span(rows), host); }, "find"));
  index updated = make();
  EXPECT_TRUE(throws<invalid_argument>([&] { updated.erase(std::span(keys_), host); }, "erase", "CPU"));
  expect_unharmed(updated);
  index on_host = index::build("AO+BS", std::span(keys_), host);
  EXPECT_TRUE(throws<invalid_argument>([&] { on_host.erase(keys, host); }, "erase", "erased keys", "on the host"));
  expect_unharmed(i);
}

/// Columns and outputs for four keys of an index with u64 keys and rows, `shift` bytes after an address of a device.
/// Columns share their memory, and so do outputs.
struct device_arrays {
  device_arrays(buffer const& from, std::size_t shift)
      : at(from.as<char>() + shift), keys(at, 4, key_type::u64), rows(at, 4, row_type::u64),
        key_out(at + 32, 4, key_type::u64), row_out(at + 32, 4, row_type::u64),
        numbers(reinterpret_cast<std::uint64_t*>(at + 32), 4) {}

  char* at;
  column keys;
  row_column rows;
  key_output key_out;
  row_output row_out;
  std::span<std::uint64_t> numbers;
};

/// Passes the `wrong` array as every argument of every call in turn. Each time the message contains `words`.
template <class... Words>
void expect_refusals(index& i, device_arrays const& good, device_arrays const& wrong, execution const& exec,
                     Words const&... words) {
  auto const refused = [&](auto const& call, char const* name, char const* what) {
    EXPECT_TRUE(throws<invalid_argument>(call, name, what, words...)) << name << ", " << what;
  };
  std::string const text = "AO+BS/rows=u64";
  refused([&] { index::build(text, wrong.keys, exec); }, "build", "the key column");
  refused([&] { index::build(text, good.keys, wrong.rows, exec); }, "build", "the row column");
  refused([&] { i.find(wrong.keys, good.row_out, exec); }, "find", "the probe column");
  refused([&] { i.find(good.keys, wrong.row_out, exec); }, "find", "the output");
  refused([&] { i.count(wrong.keys, good.numbers, exec); }, "count", "the probe column");
  refused([&] { i.count(good.keys, wrong.numbers, exec); }, "count", "the output");
  refused([&] { i.lower_bound(wrong.keys, good.numbers, exec); }, "lower_bound", "the probe column");
  refused([&] { i.lower_bound(good.keys, wrong.numbers, exec); }, "lower_bound", "the output");
  refused([&] { i.upper_bound(wrong.keys, good.numbers, exec); }, "upper_bound", "the probe column");
  refused([&] { i.upper_bound(good.keys, wrong.numbers, exec); }, "upper_bound", "the output");
  refused([&] { i.floor(wrong.keys, good.key_out, good.row_out, exec); }, "floor", "the probe column");
  refused([&] { i.floor(good.keys, wrong.key_out, good.row_out, exec); }, "floor", "the key output");
  refused([&] { i.floor(good.keys, good.key_out, wrong.row_out, exec); }, "floor", "the row output");
  refused([&] { i.range_count({wrong.keys, good.keys}, good.numbers, exec); }, "range_count", "lower bounds");
  refused([&] { i.range_count({good.keys, wrong.keys}, good.numbers, exec); }, "range_count", "upper bounds");
  refused([&] { i.range_count({good.keys, good.keys}, wrong.numbers, exec); }, "range_count", "the output");
  refused([&] { i.range_sum({wrong.keys, good.keys}, good.numbers, exec); }, "range_sum", "lower bounds");
  refused([&] { i.range_sum({good.keys, wrong.keys}, good.numbers, exec); }, "range_sum", "upper bounds");
  refused([&] { i.range_sum({good.keys, good.keys}, wrong.numbers, exec); }, "range_sum", "the output");
  refused([&] { (void)i.retrieve(wrong.keys, exec); }, "retrieve", "the probe column");
  refused([&] { (void)i.range_retrieve({wrong.keys, good.keys}, exec); }, "range_retrieve", "lower bounds");
  refused([&] { (void)i.range_retrieve({good.keys, wrong.keys}, exec); }, "range_retrieve", "upper bounds");
  refused([&] { i.insert(wrong.keys, good.rows, exec); }, "insert", "inserted keys");
  refused([&] { i.insert_or_assign(good.keys, wrong.rows, exec); }, "insert_or_assign", "the row column");
  refused([&] { i.update(good.keys, good.rows, wrong.keys, exec); }, "update", "erased keys");
}

TEST_P(bad_input, misaligned_device_pointers) {
  if (!cuda()) GTEST_SKIP() << "needs a CUDA device";
  std::vector<std::uint64_t> const keys = {30, 20, 20, 10};
  buffer const device(64, exec_);
  copy(device.data(), keys.data(), 32, exec_);
  index i = index::build("AO+BS/rows=u64", std::span(keys), exec_);
  device_arrays const good(device, 0);
  for (std::size_t const shift : {1u, 2u, 4u, 7u}) {
    SCOPED_TRACE(shift);
    expect_refusals(i, good, device_arrays(device, shift), exec_, "not aligned to its 8-byte elements");
  }
  // Single bytes have no alignment, and 32-bit numbers a smaller one.
  i.contains(std::span(keys), std::span(device.as<std::uint8_t>() + 33, 4), exec_);
  index const narrow = make();
  narrow.find(std::span(keys_), row_output(device.as<std::uint32_t>() + 1, 4, row_type::u32), exec_);
  expect_unharmed(narrow);
  rows64 rows(4);
  i.find(std::span(keys), std::span(rows), exec_);
  EXPECT_EQ(rows, (rows64{0, 1, 1, 3}));
  i.verify(exec_);
  std::vector<u128> const wide = {30, 20};
  index const j = index::build("HT(open)", std::span(wide), exec_);
  rows32 found(2);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { j.find(column(device.as<char>() + 8, 2, key_type::u128), std::span(found), exec_); }, "find",
      "not aligned to its 16-byte elements"));
}

TEST_P(bad_input, pointers_of_another_device) {
  if (!cuda() || devices().size() < 2) GTEST_SKIP() << "needs two CUDA devices";
  std::vector<std::uint64_t> const keys = {30, 20, 20, 10};
  buffer const here(64, exec_);
  index i = index::build("AO+BS/rows=u64", std::span(keys), exec_);
  int const first = devices()[0].ordinal;
  int const second = devices()[1].ordinal;
  {
    current_device const scope(second);
    execution const exec(device_memory());
    buffer const on_device(64, exec);
    {
      current_device const back(first);
      expect_refusals(i, device_arrays(here, 0), device_arrays(on_device, 0), exec_,
                      "is on device " + std::to_string(second), "the current device is " + std::to_string(first));
    }
    // The arrays that were right before are wrong while the other device is current.
    rows64 rows(4);
    EXPECT_TRUE(throws<invalid_argument>([&] { i.find(device_arrays(here, 0).keys, std::span(rows), exec); }, "find",
                                         "is on device " + std::to_string(first),
                                         "the current device is " + std::to_string(second)));
  }
  rows64 rows(4);
  i.find(std::span(keys), std::span(rows), exec_);
  EXPECT_EQ(rows, (rows64{0, 1, 1, 3}));
}

INSTANTIATE_TEST_SUITE_P(all, bad_input, testing::ValuesIn(present_backends()), backend_name);

TEST(backends, say_what_is_missing) {
  if (!built_with_cuda()) {
    EXPECT_TRUE(devices().empty());
    EXPECT_TRUE(throws<unsupported>([] { device_memory(); }, "CUDA"));
    EXPECT_TRUE(throws<unsupported>([] { device_scope const here(0); }, "CUDA"));
    EXPECT_TRUE(throws<unsupported>([] { synchronize_device(); }, "CUDA"));
  } else if (devices().empty()) {
    EXPECT_TRUE(throws<device_error>([] { device_memory(); }, "no usable CUDA device"));
  } else {
    EXPECT_EQ(device_memory().backend(), backend_kind::cuda);
    EXPECT_FALSE(devices().front().name.empty());
    device_scope const here(devices().front().ordinal);
    buffer const on_device(8, execution(device_memory()));
    EXPECT_EQ(device_of(on_device.data()), devices().front().ordinal);
    wait_for(stream_ref(), stream_ref());
    synchronize_device();
    EXPECT_TRUE(throws<device_error>([] { device_scope const none(1000); }));
  }
  EXPECT_EQ(host_memory().backend(), backend_kind::cpu);
  int on_host = 0;
  EXPECT_EQ(device_of(&on_host), std::nullopt);
}

}  // namespace
}  // namespace warpdex::test
