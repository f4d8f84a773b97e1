// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/gather.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Rows of whole tables, against loops.
namespace warpdex::test {
namespace {

class gathers : public testing::TestWithParam<backend_kind> {
 protected:
  execution const exec_{memory_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, gathers, testing::ValuesIn(present_backends()), backend_name);

bool bit_of(std::vector<std::uint8_t> const& bits, std::uint64_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

/// Random columns of one width, and bits, which are wider apart than the columns that one pass takes.
struct some_table {
  std::uint64_t size;
  std::vector<std::uint32_t> widths;
  std::vector<std::vector<std::uint8_t>> values;

  some_table(std::uint64_t rows, std::uint64_t seed) : size(rows) {
    for (std::uint32_t const bits : {8u, 16u, 32u, 128u, 1u}) widths.push_back(bits);
    for (int i = 0; i < 19; ++i) widths.push_back(64);
    std::mt19937_64 random(seed);
    for (std::uint32_t const bits : widths) {
      auto& column = values.emplace_back(bits == 1 ? size / 8 + 2 : size * bits / 8);
      for (auto& byte : column) byte = static_cast<std::uint8_t>(random());
    }
  }
};

template <class Row> void expect_as_loop(std::uint64_t size, std::uint64_t count, execution const& exec) {
  SCOPED_TRACE(testing::Message() << size << " rows, " << count << " asked");
  some_table const table(size, size + count);
  std::mt19937_64 random(count);
  std::vector<Row> rows(count);
  for (auto& row : rows) row = size == 0 || random() % 5 == 0 ? no_row<Row> : static_cast<Row>(random() % size);

  constexpr std::uint64_t offset = 5;
  std::vector<buffer> held;
  std::vector<table_column> columns;
  for (std::size_t c = 0; c < table.widths.size(); ++c) {
    std::uint32_t const bits = table.widths[c];
    held.emplace_back(bits == 1 ? (count + 7) / 8 : count * bits / 8, exec);
    columns.push_back({table.values[c].data(), held.back().data(), bits, bits == 1 ? offset : 0, u128{0xa5} + c});
  }
  gather_table(rows, size, columns, exec);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto const found = read_buffer<std::uint8_t>(held[c], held[c].bytes(), exec);
    std::size_t const width = columns[c].bits / 8;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (width == 0) {
        ASSERT_EQ(bit_of(found, i), rows[i] != no_row<Row> && bit_of(table.values[c], offset + rows[i])) << i;
        continue;
      }
      u128 expected = columns[c].fill_value;
      if (rows[i] != no_row<Row>) std::memcpy(&expected, table.values[c].data() + rows[i] * width, width);
      ASSERT_EQ(std::memcmp(found.data() + i * width, &expected, width), 0) << c << ", " << i;
    }
    for (std::uint64_t i = count; width == 0 && i < found.size() * 8; ++i) EXPECT_FALSE(bit_of(found, i));
  }
}

TEST_P(gathers, tables_as_loops) {
  for (std::uint64_t const count : {0, 1, 7, 8, 9, 1000}) {
    expect_as_loop<std::uint32_t>(300, count, exec_);
    expect_as_loop<std::uint64_t>(300, count, exec_);
  }
  expect_as_loop<std::uint32_t>(0, 10, exec_);
}

TEST_P(gathers, bits_without_values_are_set) {
  std::vector<std::uint32_t> const rows = {2, no_row<std::uint32_t>, 0};
  buffer const out(1, exec_);
  gather_table(rows, 3, std::vector<table_column>{{nullptr, out.data(), 1}}, exec_);
  EXPECT_EQ(read_buffer<std::uint8_t>(out, 1, exec_)[0], 0b101);
}

TEST_P(gathers, strings_of_rows) {
  std::string const text = "ab" + std::string(300, 'x') + "c";
  std::vector<std::uint32_t> const ends = {0, 0, 2, 302, 303};
  column const words(std::as_bytes(std::span(text)), std::span(ends));
  std::vector<std::uint32_t> const rows = {2, no_row<std::uint32_t>, 3, 0, 1, 1};
  key_list const found = gather_strings(rows, words, exec_);
  std::vector<std::uint32_t> const places = {0, 300, 300, 301, 301, 303, 305};
  EXPECT_EQ(read_buffer<std::uint32_t>(found.offsets, 7, exec_), places);
  std::vector<std::uint64_t> const wide_ends(ends.begin(), ends.end()), wide_places(places.begin(), places.end());
  column const wide(std::as_bytes(std::span(text)), std::span(wide_ends));
  EXPECT_EQ(read_buffer<std::uint64_t>(gather_strings(rows, wide, exec_).offsets, 7, exec_), wide_places);
  std::vector<char> const bytes = read_buffer<char>(found.keys, found.bytes, exec_);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), std::string(300, 'x') + "cabab");
  EXPECT_EQ(gather_strings(std::vector<std::uint32_t>{}, words, exec_).bytes, 0u);
  std::vector<std::uint32_t> const beyond = {4};
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)gather_strings(beyond, words, exec_); }, "row id number 0 is 4"));
}

TEST_P(gathers, bad_tables_are_refused) {
  std::vector<std::uint32_t> const rows = {0, 3};
  std::vector<std::uint64_t> const values = {1, 2, 3};
  buffer const out(16, exec_), other(16, exec_);
  auto const gathers_from = [&](table_column const& left, table_column const& right) {
    return [&, left, right] { gather_table(rows, 3, std::vector<table_column>{left, right}, exec_); };
  };
  table_column const good{values.data(), out.data(), 64};
  EXPECT_TRUE(throws<invalid_argument>(gathers_from(good, {values.data(), other.data(), 64}),
                                       "gather_table: row id number 1 is 3", "3 values"));
  EXPECT_TRUE(throws<invalid_argument>(gathers_from(good, {values.data(), other.data(), 24}), "column 1 have 24 bits"));
  EXPECT_TRUE(throws<invalid_argument>(gathers_from(good, {values.data(), out.data(), 64}), "overlaps"));
  EXPECT_TRUE(throws<invalid_argument>(gathers_from(good, {nullptr, other.data(), 64}), "the values of a column"));
  EXPECT_TRUE(throws<invalid_argument>(gathers_from(good, {values.data(), nullptr, 64}), "the output of a column"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)gather_strings(rows, values, exec_); }, "gather_strings", "u64"));
  if (GetParam() == backend_kind::cuda) {
    std::vector<std::uint64_t> here(2);
    EXPECT_TRUE(
        throws<invalid_argument>(gathers_from(good, {values.data(), here.data(), 64}), "column 1 is on the host"));
  }
}

/// Rows of a table on the host, in memory that a device reads, or in its own.
template <class Row>
void expect_rows_as_loop(std::uint64_t row_bytes, std::uint64_t count, bool remote, execution const& exec) {
  SCOPED_TRACE(testing::Message() << row_bytes << " bytes, " << count << " asked, remote " << remote);
  constexpr std::uint64_t size = 300;
  std::mt19937_64 random(row_bytes + count);
  bool const on_device = exec.memory->backend() == backend_kind::cuda;
  buffer const own(size * row_bytes, exec);
  std::optional<pinned_memory> pinned;
  void* const table = remote && on_device ? pinned.emplace(size * row_bytes).data() : own.as<void>();
  std::vector<std::uint8_t> values(size * row_bytes);
  for (auto& value : values) value = static_cast<std::uint8_t>(random());
  copy(table, values.data(), values.size(), exec);
  std::vector<Row> wanted(count);
  for (auto& row : wanted) row = random() % 9 == 0 ? no_row<Row> : static_cast<Row>(random() % (1 + random() % size));
  buffer const rows(count * sizeof(Row), exec), out(count * row_bytes, exec);
  copy(rows.as<void>(), wanted.data(), rows.bytes(), exec);
  gather_rows({table, size, row_bytes}, {rows.data(), count, detail::row_type_of<Row>()}, out.data(), exec);
  auto const found = read_buffer<std::uint8_t>(out, out.bytes(), exec);
  std::vector<std::uint8_t> const zeros(row_bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const* const expected = wanted[i] == no_row<Row> ? zeros.data() : values.data() + wanted[i] * row_bytes;
    ASSERT_EQ(std::memcmp(found.data() + i * row_bytes, expected, row_bytes), 0) << i;
  }
}

TEST_P(gathers, whole_rows_are_those_of_a_loop) {
  for (bool const remote : {false, true})
    for (std::uint64_t const row_bytes : {1, 12, 16, 33, 256})
      for (std::uint64_t const count : {0, 1, 700}) {
        expect_rows_as_loop<std::uint32_t>(row_bytes, count, remote, exec_);
        expect_rows_as_loop<std::uint64_t>(row_bytes, count, remote, exec_);
      }
}

TEST(gather_rows_on_host, bad_calls_are_named) {
  std::vector<std::uint32_t> const rows{0, 7};
  std::vector<double> const table(6);
  std::vector<double> out(4);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        gather_rows({table.data(), 3, 16}, rows, out.data(), {});
      },
      "number 1 is 7"));
  EXPECT_TRUE(throws<invalid_argument>([&] { gather_rows({table.data(), 3, 0}, rows, out.data(), {}); }, "no bytes"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        gather_rows({table.data(), ~std::uint64_t{0}, 16}, rows, out.data(), {});
      },
      "the table"));
  EXPECT_TRUE(throws<invalid_argument>([&] { gather_rows({nullptr, 9, 16}, rows, out.data(), {}); }, "the table"));
}

}  // namespace
}  // namespace warpdex::test
