// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/arrow_column.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/gather.hpp>
#include <warpdex/parallel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "arrow/arrays.hpp"
#include "arrow/nested.hpp"
#include "arrow/stored.hpp"

namespace warpdex {
namespace {

/// The memory of a gathered column.
struct gathered_column {
  std::array<buffer, 3> held;
  std::vector<void const*> buffers = {nullptr, nullptr};
  std::vector<arrow_column> parts;
  std::vector<ArrowSchema> schemas;
  std::vector<ArrowArray> arrays;
  std::vector<ArrowSchema*> schemas_at;
  std::vector<ArrowArray*> arrays_at;
};

/// Columns at some rows.
class gathering {
 public:
  gathering(std::span<arrow_column const> columns, row_column rows, bool may_miss, int device, execution const& exec)
      : columns_(columns), rows_(rows), may_miss_(may_miss), device_(device), exec_(exec) {}

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
    check_fields(array, {how.buffers(), how.width(), how.is_view});
    if (array.length != columns_[0].values().length)
      throw invalid_argument("a column has " + std::to_string(array.length) + " rows, another one " +
                             std::to_string(columns_[0].values().length));
    auto result = std::make_shared<gathered_column>();
    auto const first_bit = static_cast<std::uint64_t>(array.offset);
    bool const has_nulls = array.null_count != 0 && array.buffers[0] != nullptr;
    if (has_nulls || may_miss_)
      passes_.push_back(
          {has_nulls ? array.buffers[0] : nullptr, space(*result, 0, (rows_.size + 7) / 8), 1, first_bit});
    if (how.is_nested) {
      add_parts(*result, from, how);
    } else if (how.offset_bytes != 0) {
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

  void add_parts(gathered_column& to, arrow_column const& from, stored const& how) {
    if (device_ != -1) throw unsupported("rows of lists, maps and structs are taken on the host");
    auto const parts = parts_of(from);
    if (how.offset_bytes == 0) {
      to.buffers.pop_back();
      to.parts = how.items == 1 ? warpdex::gather(parts, rows_, may_miss_, -1, exec_)
                                : warpdex::gather(parts, items_at(rows_, how.items, exec_).all(), may_miss_, -1, exec_);
    } else {
      item_rows items = items_at(rows_, from, exec_);
      to.parts = warpdex::gather(parts, items.all(), false, -1, exec_);
      to.held[1] = std::move(items.offsets);
      to.buffers[1] = to.held[1].data();
    }
    for (arrow_column const& part : to.parts) {
      to.schemas.push_back(part.type());
      to.arrays.push_back(part.values());
    }
    for (ArrowSchema& schema : to.schemas) to.schemas_at.push_back(&schema);
    for (ArrowArray& array_of : to.arrays) to.arrays_at.push_back(&array_of);
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
  int device_;
  execution const& exec_;
  std::vector<table_column> passes_;
};

}  // namespace

row_facts facts_of(row_column rows, std::uint64_t size, int threads) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  std::atomic<bool> any_missing = false, all_exist = true, in_order = rows.size == size;
  with_rows(rows, [&]<class Row>(Row const* of) {
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
  });
  return {any_missing, all_exist, in_order};
}

bool is_nested(ArrowSchema const& schema) { return stored_as(schema).is_nested; }

bool is_gathered(ArrowSchema const& schema) {
  stored const how = stored_as(schema);
  if (!how.is_nested) return how.is_taken();
  bool const are_there = std::string_view(schema.format) == "+s" ? schema.n_children == 0 || schema.children != nullptr
                                                                 : schema.n_children == 1 && schema.children != nullptr;
  return how.is_taken() && are_there &&
         std::all_of(schema.children, schema.children + schema.n_children,
                     [](ArrowSchema const* part) { return part != nullptr && is_gathered(*part); });
}

std::vector<arrow_column> gather(std::span<arrow_column const> columns, row_column rows, bool may_miss, int device,
                                 execution const& exec) {
  auto const result = gathering(columns, rows, may_miss, device, exec).columns();
  std::vector<arrow_column> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ArrowSchema schema = columns[i].type();
    schema.flags |= may_miss ? ARROW_FLAG_NULLABLE : 0;
    if (!result[i]->schemas_at.empty()) schema.children = result[i]->schemas_at.data();
    auto const kept = std::make_shared<std::pair<arrow_column, std::shared_ptr<gathered_column>> const>(
        columns[i], result[i]);  // the format is the column's
    for (buffer& array : result[i]->held) array.outlive_stream();
    auto& buffers = result[i]->buffers;
    ArrowArray const array{static_cast<std::int64_t>(rows.size),
                           buffers[0] == nullptr ? 0 : -1,
                           0,
                           static_cast<std::int64_t>(buffers.size()),
                           static_cast<std::int64_t>(result[i]->arrays_at.size()),
                           buffers.data(),
                           result[i]->arrays_at.data(),
                           columns[i].values().dictionary,
                           nullptr,
                           nullptr};
    all.emplace_back(schema, array, device, kept);
  }
  return all;
}

}  // namespace warpdex
