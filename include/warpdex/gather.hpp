// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

/// @file
/// The values of rows that lookups and joins answered, such as the amounts of orders.
namespace warpdex {

namespace detail {

template <class Range> using value_of = std::remove_const_t<element_of<Range>>;

void gather(row_column rows, void const* values, std::uint64_t size, std::size_t width, void* out,
            std::uint64_t out_size, void const* fill_value, execution const& exec);

}  // namespace detail

/// out[i] = values[rows[i]], or `fill_value` where rows[i] is `no_row`. Arrays may be on the host or, with memory of a
/// device, on that device; values on the host are then copied there as a whole. Synchronises.
/// Cost per row: two reads and a write, and a read for the check of the row ids.
/// @param rows as lookups answer them
/// @param values numbers of 1, 2, 4, 8 or 16 bytes, of any meaning @param out as many of the same type as rows
/// @throws invalid_argument for a row that is not in `values`, naming the first one, and for arrays of other lengths or
/// in other memory, or an output that overlaps another array; out_of_memory, device_error. After a bad row `out` may be
/// written in part
template <detail::array_like Values, detail::array_like Out>
void gather(row_column rows, Values&& values, Out&& out, detail::value_of<Values> fill_value, execution const& exec) {
  using value = detail::value_of<Values>;
  static_assert(std::is_same_v<value, detail::element_of<Out>>, "the output holds values of the column's type");
  static_assert(std::is_trivially_copyable_v<value> &&
                    (sizeof(value) <= 2 || sizeof(value) == 4 || sizeof(value) == 8 || sizeof(value) == 16),
                "values have 1, 2, 4, 8 or 16 bytes");
  detail::gather(rows, std::data(values), std::size(values), sizeof(value), std::data(out), std::size(out), &fill_value,
                 exec);
}

/// The same on the host, with the answer in a vector.
template <detail::array_like Values>
std::vector<detail::value_of<Values>> gather(row_column rows, Values&& values, detail::value_of<Values> fill_value = {},
                                             execution const& exec = {}) {
  auto out = detail::answers<detail::value_of<Values>>("gather", rows.size);
  gather(rows, values, out, fill_value, exec);
  return out;
}

/// A column of a table that `gather_table` goes through: numbers, or bits, the lowest one of a byte first, as in Arrow.
struct table_column {
  void const* values = nullptr;  ///< one per row; of bits null if all are 1, as of a column without nulls
  void* out = nullptr;           ///< as many as row ids; bits fill whole bytes, whose rest is 0
  std::uint32_t bits = 64;       ///< of a value: 8, 16, 32, 64 or 128; of bits 1
  std::uint64_t offset = 0;      ///< of bits: of the first row's bit
  u128 fill_value = 0;           ///< the value where there is no row, in its lowest bits; of bits it is always 0
};

/// The same rows of several columns: `out[i] = values[rows[i]]` for each of them, and `fill_value` where rows[i] is
/// `no_row`. All columns of one width are taken in one pass, eight at a time. Row ids and values may be on the host or,
/// with memory of a device, on that device; outputs must be where the memory of `exec` is. Synchronises.
/// Cost per row: two reads of its id, and a read and a write per column.
/// @param rows as lookups answer them @param size number of rows of the table
/// @throws invalid_argument for a row id that is not below `size`, naming the first one, for widths that there are not,
/// for arrays in other memory, and for an output that overlaps another array; out_of_memory, device_error. After an
/// error outputs may be written in part
void gather_table(row_column rows, std::uint64_t size, std::span<table_column const> columns, execution const& exec);

/// The same rows of a column of strings, in the memory of `exec`, with offsets as wide as those of the column; an empty
/// string where there is no row. Synchronises.
/// Cost: that of a gather of 16 bytes per row, and of a copy of the bytes. Scratch: 16 bytes per string of the column,
/// 24 per row.
/// @throws invalid_argument as gather_table, and for a column of another type or with bad offsets; unsupported for
/// 2 GiB of strings with offsets of 32 bits; out_of_memory, device_error
key_list gather_strings(row_column rows, column const& strings, execution const& exec);

/// A table in one array, whose rows have one size: embeddings, vectors, records.
struct row_table {
  void const* data = nullptr;   ///< the first row, after which the others follow without a gap
  std::uint64_t size = 0;       ///< number of rows
  std::uint64_t row_bytes = 0;  ///< bytes of a row; a device moves multiples of 16 at once
};

/// Whole rows of a table: row number rows[i] at place i of the output, and zeros for `no_row`.
///
/// A device reads a table in its own memory, in page-locked memory of the host, or in a `mapped_column` there. Each row
/// of a table on the host crosses the link once, however often it is wanted, and the rows in their order. The call does
/// not synchronise on a device, and graphs record it.
/// Cost: a read and a write per row. Of a table on the host also a sort of the row numbers, and 24 to 32 bytes of
/// scratch for each.
/// @param rows in the memory of the call @param out `rows.size * table.row_bytes` bytes, in the memory of the call
/// @throws invalid_argument for rows without bytes, and for arrays in other memory or that overlap; on the CPU also for
/// a row that the table lacks, which a device takes for `no_row`, as it would have to wait to say so; out_of_memory,
/// device_error
void gather_rows(row_table const& table, row_column rows, void* out, execution const& exec);

}  // namespace warpdex
