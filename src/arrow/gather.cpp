// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/arrow_column.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/gather.hpp>
#include <warpdex/parallel.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "arrow/arrays.hpp"
#include "arrow/stored.hpp"

namespace warpdex {
namespace {

/// The memory of a gathered column.
struct gathered_column {
  std::array<buffer, 3> held;
  std::vector<void const*> buffers = {nullptr, nullptr};
};

/// Columns at some rows.
class gathering {
 public:
  gathering(std::span<arrow_column const> columns, row_column rows, bool may_miss, execution const& exec)
      : columns_(columns), rows_(rows), may_miss_(may_miss), exec_(exec) {}

  std::vector<std::shared_ptr<gathered_column>> columns() {
    std::vector<std::shared_ptr<gathered_column>> all;
    for (arrow_column const& column : columns_) all.push_back(add(column));
    if (columns_.empty()) return all;
    gather_table(rows_, static_cast<std::uint64_t>(columns_[0].values().length), passes_, exec_);
    return all;
  }

 private:
  std::shared_ptr<gathered_column> add(arrow_column const& from) {
    ArrowArray const& array = from.values();
    stored const how = stored_as(from.type());
    check_fields(array, {how.is_view || how.offset_bytes != 0 ? 3 : 2, how.width(), how.is_view});
    if (array.length != columns_[0].values().length)
      throw invalid_argument("a column has " + std::to_string(array.length) + " rows, another one " +
                             std::to_string(columns_[0].values().length));
    auto result = std::make_shared<gathered_column>();
    auto const first_bit = static_cast<std::uint64_t>(array.offset);
    bool const has_nulls = array.null_count != 0 && array.buffers[0] != nullptr;
    if (has_nulls || may_miss_)
      passes_.push_back(
          {has_nulls ? array.buffers[0] : nullptr, space(*result, 0, (rows_.size + 7) / 8), 1, first_bit});
    if (how.offset_bytes != 0) {
      key_list strings = gather_strings(rows_, strings_of(array, how.offset_bytes), exec_);
      result->held[1] = std::move(strings.offsets);
      result->held[2] = std::move(strings.keys);
      result->buffers = {result->buffers[0], result->held[1].data(), result->held[2].data()};
    } else if (how.bits == 1) {
      passes_.push_back({array.buffers[1], space(*result, 1, (rows_.size + 7) / 8), 1, first_bit});
    } else {
      std::size_t const width = how.bits / 8;
      auto const* const values = static_cast<std::byte const*>(array.buffers[1]);
      passes_.push_back(
          {values == nullptr ? nullptr : values + first_bit * width, space(*result, 1, rows_.size * width), how.bits});
    }
    // Views of strings are values; what they refer to stays where it is.
    if (how.is_view) result->buffers.insert(result->buffers.end(), array.buffers + 2, array.buffers + array.n_buffers);
    return result;
  }

  void* space(gathered_column& of, std::size_t number, std::uint64_t bytes) const {
    of.held[number] = buffer(bytes, exec_);
    return const_cast<void*>(of.buffers[number] = of.held[number].data());
  }

  column strings_of(ArrowArray const& array, std::int64_t offset_bytes) const {
    auto const size = static_cast<std::uint64_t>(array.length);
    auto const* const first = static_cast<std::byte const*>(array.buffers[1]) + array.offset * offset_bytes;
    auto const read = [&]<class Offset>(Offset end) -> column {
      if (size != 0) copy(&end, first + size * sizeof(Offset), sizeof(Offset), exec_);
      return {std::span(static_cast<std::byte const*>(array.buffers[2]), static_cast<std::uint64_t>(end)),
              std::span(reinterpret_cast<Offset const*>(first), size == 0 ? 0 : size + 1)};
    };
    return offset_bytes == 4 ? read(std::int32_t{}) : read(std::int64_t{});
  }

  std::span<arrow_column const> columns_;
  row_column rows_;
  bool may_miss_;
  execution const& exec_;
  std::vector<table_column> passes_;
};

}  // namespace

row_facts facts_of(row_column rows, std::uint64_t size, int threads) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  std::atomic<bool> any_missing = false, all_exist = true, in_order = rows.size == size;
  auto const look = [&]<class Row>(Row const* of) {
    parallel_chunks(threads, rows.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      bool missing = false, exist = true, ordered = true;
      for (std::uint64_t i = begin; i < end; ++i) {
        bool const is_none = of[i] == no_row<Row>;
        missing |= is_none;
        exist &= is_none || of[i] < size;
        ordered &= of[i] == i;
      }
      if (missing) any_missing = true;
      if (!exist) all_exist = false;
      if (!ordered) in_order = false;
    });
  };
  if (rows.type == row_type::u32) look(static_cast<std::uint32_t const*>(rows.data));
  else look(static_cast<std::uint64_t const*>(rows.data));
  return {any_missing, all_exist, in_order};
}

bool is_gathered(ArrowSchema const& schema) { return stored_as(schema).is_taken(); }

std::vector<arrow_column> gather(std::span<arrow_column const> columns, row_column rows, bool may_miss, int device,
                                 execution const& exec) {
  auto const result = gathering(columns, rows, may_miss, exec).columns();
  std::vector<arrow_column> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ArrowSchema schema = columns[i].type();
    schema.flags |= may_miss ? ARROW_FLAG_NULLABLE : 0;
    auto const kept = std::make_shared<std::pair<arrow_column, std::shared_ptr<gathered_column>> const>(
        columns[i], result[i]);  // the format is the column's
    for (buffer& array : result[i]->held) array.outlive_stream();
    auto& buffers = result[i]->buffers;
    ArrowArray const array{static_cast<std::int64_t>(rows.size),
                           buffers[0] == nullptr ? 0 : -1,
                           0,
                           static_cast<std::int64_t>(buffers.size()),
                           0,
                           buffers.data(),
                           nullptr,
                           columns[i].values().dictionary,
                           nullptr,
                           nullptr};
    all.emplace_back(schema, array, device, kept);
  }
  return all;
}

}  // namespace warpdex
