// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/gather.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/api_border.hpp"
#include "clients/aggregates/aggregate_steps.hpp"
#include "clients/aggregates/gather_steps.hpp"
#include "clients/aggregates/ranked_ranges.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {

void detail::gather(row_column rows, void const* values, std::uint64_t size, std::size_t width, void* out,
                    std::uint64_t out_size, void const* missing, execution const& exec) {
  constexpr char const* call = "gather";
  run_call(call, exec, [&] {
    expect_known(call, "the row column", rows.type);
    expect_size(call, "the output", out_size, rows.size);
    staging stage(call, exec);
    if (rows.size == 0) return;
    void const* const from = stage.input(values, size, width, "the column of values");
    u128 fill = 0;
    std::memcpy(&fill, missing, width);
    std::uint64_t done = 0;
    auto const run_part = [&](void* const* at, std::uint64_t count) {
      row_reader const reader{at[0], rows.type};
      expect_values(call, {reader, size, true}, count, done, exec);
      steps::run(aggregate_steps::gather(reader, static_cast<std::uint32_t>(width)).with(from, at[1], fill), count,
                 exec);
      done += count;
    };
    stage.run(rows.size,
              {{const_cast<void*>(rows.data), size_of(rows.type), "the row column", true, false},
               {out, width, "the output", false, true}},
              tuning::aggregate_part, run_part, true);
    backend_of(exec).synchronize(exec);
  });
}

namespace {

/// Checks a column of a table. @return its values within reach of the backend
void const* reach_column(char const* call, staging& stage, table_column const& column, std::uint64_t size,
                         std::uint64_t rows, std::size_t number) {
  bool const is_bits = column.bits == 1;
  if (!is_bits && column.bits != 8 && column.bits != 16 && column.bits != 32 && column.bits != 64 && column.bits != 128)
    throw invalid_argument(std::string(call) + ": values of column " + std::to_string(number) + " have " +
                           std::to_string(column.bits) + " bits; they may have 1, 8, 16, 32, 64 or 128");
  std::size_t const width = is_bits ? 1 : column.bits / 8;
  batch_array out[] = {{column.out, width, "the output of a column", false, true}};
  if (!stage.use(is_bits ? validity_bytes(rows) : rows, out))
    throw invalid_argument(std::string(call) + ": the output of column " + std::to_string(number) +
                           " is on the host, but the memory of the call on a device");
  if (is_bits && column.values == nullptr) return nullptr;
  return stage.input(column.values, is_bits ? validity_bytes(column.offset + size) : size, width,
                     "the values of a column");
}

}  // namespace

void gather_table(row_column rows, std::uint64_t size, std::span<table_column const> columns, execution const& exec) {
  constexpr char const* call = "gather_table";
  run_call(call, exec, [&] {
    expect_known(call, "the row column", rows.type);
    staging stage(call, exec);
    if (rows.size == 0) return;
    row_reader const reader{stage.input(rows.data, rows.size, size_of(rows.type), "the row column"), rows.type};
    std::vector<void const*> values;
    for (table_column const& column : columns)
      values.push_back(reach_column(call, stage, column, size, rows.size, values.size()));
    expect_values(call, {reader, size, true}, rows.size, 0, exec);
    std::map<std::uint32_t, aggregate_steps::gather> passes;  // by width
    for (std::size_t c = 0; c < columns.size(); ++c) {
      table_column const& column = columns[c];
      if (column.bits == 1) {
        validity_bits const bits{static_cast<std::uint8_t const*>(values[c]), column.offset};
        steps::run(aggregate_steps::gather_bits{reader, rows.size, bits, static_cast<std::uint8_t*>(column.out)},
                   validity_bytes(rows.size), exec);
        continue;
      }
      auto& pass = passes.try_emplace(column.bits / 8, reader, column.bits / 8).first->second;
      // On the host a column stays in the caches while its values are moved.
      if (pass.with(values[c], column.out, column.fill_value).is_full() ||
          exec.memory->backend() == backend_kind::cpu) {
        steps::run(pass, rows.size, exec);
        passes.erase(column.bits / 8);
      }
    }
    for (auto const& [width, pass] : passes) steps::run(pass, rows.size, exec);
    backend_of(exec).synchronize(exec);
  });
}

key_list gather_strings(row_column rows, column const& strings, execution const& exec) {
  constexpr char const* call = "gather_strings";
  return run_call(call, exec, [&] {
    expect_known(call, "the row column", rows.type);
    if (strings.type != key_type::bytes)
      throw invalid_argument(std::string(call) + ": the column is of type " + std::string(to_string(strings.type)));
    key_list result;
    result.size = rows.size;
    result.type = key_type::bytes;
    if (strings.strings.offset_bytes != 0) result.offset_bytes = strings.strings.offset_bytes;
    staging stage(call, exec);
    row_reader const reader{stage.input(rows.data, rows.size, size_of(rows.type), "the row column"), rows.type};
    expect_values(call, {reader, strings.size, true}, rows.size, 0, exec);
    column const references = stage.input(strings, "the strings", true);
    result.keys = buffer(rows.size * sizeof(byte_key), exec);
    steps::run(aggregate_steps::gather(reader, sizeof(byte_key)).with(references.data, result.keys.data(), 0),
               rows.size, exec);
    pack_references(result, exec);
    backend_of(exec).synchronize(exec);
    return result;
  });
}

namespace {

/// Rows of a table that are moved, by words of a type.
template <class Word> struct moved_rows {
  row_reader rows;  ///< their numbers
  row_table const& table;
  void const* from;
  void* out;

  std::uint64_t words() const { return table.row_bytes / sizeof(Word); }

  gather_steps::row_words<Word> of(row_reader which) const {
    return {which, table.size, words(), static_cast<Word const*>(from), static_cast<Word*>(out)};
  }

  void run(std::uint64_t count, execution const& exec) const {
    steps::run(gather_steps::move_rows<Word>{of(rows)}, count * words(), exec);
  }

  /// Each row that is wanted is read once, in the order of the rows. Then it is copied to where it is wanted again.
  void run_in_order(row_column wanted, execution const& exec) const {
    row_type const type = wanted.size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
    sorted_pairs const sorted = backend_of(exec).sort_numbers(wanted, type, exec);
    buffer const firsts(wanted.size * sizeof(std::uint64_t), exec);
    row_reader const numbers{sorted.keys.data(), wanted.type}, places{sorted.rows.data(), type};
    steps::run(gather_steps::find_first_equal{numbers, firsts.as<std::uint64_t>()}, wanted.size, exec);
    for (bool const repeats : {false, true})
      steps::run(gather_steps::move_sorted_rows<Word>{of(numbers), places, firsts.as<std::uint64_t>(), repeats},
                 wanted.size * words(), exec);
  }
};

}  // namespace

void gather_rows(row_table const& table, row_column rows, void* out, execution const& exec) {
  constexpr char const* call = "gather_rows";
  run_call(call, exec, [&] {
    expect_known(call, "the row column", rows.type);
    if (table.row_bytes == 0) throw invalid_argument(std::string(call) + ": rows of the table have no bytes");
    auto const bytes_of = [&](char const* what, std::uint64_t size) {
      constexpr auto most = std::numeric_limits<std::uint64_t>::max();
      expect_possible(call, what, size > most / table.row_bytes ? most : size * table.row_bytes);
      return size * table.row_bytes;
    };
    std::uint64_t const bytes = bytes_of("the table", table.size), out_bytes = bytes_of("the output", rows.size);
    staging stage(call, exec);
    if (rows.size == 0) return;
    bool const on_host = exec.memory->backend() == backend_kind::cpu;
    batch_array arrays[] = {{const_cast<void*>(rows.data), size_of(rows.type), "the row column", true, false}};
    batch_array written[] = {{out, 1, "the output", false, true}};
    if (!stage.use(rows.size, arrays) || !stage.use(out_bytes, written))
      throw invalid_argument(std::string(call) + ": the row column and the output are where the memory of the call is");
    borrowed_keys from;
    if (on_host) from.data = stage.input(table.data, bytes, 1, "the table");
    else from = stage.borrow(table.data, bytes, 1, "the table");
    row_reader const reader{rows.data, rows.type};
    if (on_host) expect_values(call, {reader, table.size, true}, rows.size, 0, exec);
    auto const run = [&]<class Word>(Word) {
      moved_rows<Word> const moved{reader, table, from.data, out};
      if (from.remote) moved.run_in_order(rows, exec);
      else moved.run(rows.size, exec);
    };
    auto const multiple =
        table.row_bytes | reinterpret_cast<std::uintptr_t>(from.data) | reinterpret_cast<std::uintptr_t>(out);
    if (multiple % sizeof(gather_steps::word_16) == 0) run(gather_steps::word_16{});
    else if (multiple % sizeof(std::uint32_t) == 0) run(std::uint32_t{});
    else run(std::uint8_t{});
  });
}

}  // namespace warpdex
