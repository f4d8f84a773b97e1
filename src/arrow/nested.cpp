// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "arrow/nested.hpp"

#include <warpdex/error.hpp>
#include <warpdex/parallel.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "arrow/arrays.hpp"
#include "arrow/stored.hpp"

namespace warpdex {
namespace {

/// Rows that a thread looks at, at a time.
constexpr std::uint64_t grain = std::uint64_t{1} << 14;

bool are_there(auto const* const* parts, std::int64_t count) {
  return count == 0 ||
         (parts != nullptr && std::all_of(parts, parts + count, [](auto const* item) { return item != nullptr; }));
}

/// Lists by the offsets of their items.
template <class Offset> struct offset_lists {
  Offset const* first;  ///< of the first list
  std::uint64_t size;   ///< number of lists
  std::uint64_t items;  ///< of all lists

  explicit offset_lists(arrow_column const& lists)
      : first(static_cast<Offset const*>(lists.values().buffers[1]) + lists.values().offset),
        size(static_cast<std::uint64_t>(lists.values().length)),
        items(static_cast<std::uint64_t>(lists.values().children[0]->length)) {}

  /// @return the number of items of a list
  std::uint64_t count(std::uint64_t row) const {
    if (row >= size)
      throw invalid_argument("gather: row " + std::to_string(row) + " is not below the " + std::to_string(size) +
                             " rows");
    if (first[row] < 0 || first[row + 1] < first[row] || static_cast<std::uint64_t>(first[row + 1]) > items)
      throw invalid_argument("the offsets of its lists do not ascend from 0 to " + std::to_string(items));
    return static_cast<std::uint64_t>(first[row + 1] - first[row]);
  }

  template <class Row> item_rows at(Row const* rows, std::uint64_t wanted, execution const& exec) const {
    std::vector<std::uint64_t> before((wanted + grain - 1) / grain + 1);
    parallel_chunks(exec.threads, wanted, grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = begin; i < end; ++i) sum += rows[i] == no_row<Row> ? 0 : count(rows[i]);
      before[begin / grain + 1] = sum;
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    if (before.back() > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
      throw unsupported("the lists have " + std::to_string(before.back()) +
                        " items, more than offsets of 32 bits count");
    item_rows result{buffer(before.back() * sizeof(std::uint64_t), exec), buffer((wanted + 1) * sizeof(Offset), exec),
                     before.back()};
    auto* const offsets = result.offsets.as<Offset>();
    offsets[wanted] = static_cast<Offset>(before.back());
    parallel_chunks(exec.threads, wanted, grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t next = before[begin / grain];
      auto* const items_of = result.rows.as<std::uint64_t>();
      for (std::uint64_t i = begin; i < end; ++i) {
        offsets[i] = static_cast<Offset>(next);
        if (rows[i] == no_row<Row>) continue;
        std::uint64_t const size_of = static_cast<std::uint64_t>(first[rows[i] + 1] - first[rows[i]]);
        std::iota(items_of + next, items_of + next + size_of, static_cast<std::uint64_t>(first[rows[i]]));
        next += size_of;
      }
    });
    return result;
  }
};

}  // namespace

std::vector<arrow_column> parts_of(arrow_column const& column) {
  ArrowSchema const& schema = column.type();
  ArrowArray const& array = column.values();
  stored const how = stored_as(schema);
  check_fields(array, {how.buffers(), how.width()});
  if (schema.n_children != array.n_children || (std::string_view(schema.format) != "+s" && schema.n_children != 1) ||
      !are_there(schema.children, schema.n_children) || !are_there(array.children, array.n_children))
    throw invalid_argument("its parts are not those of its format " + std::string(schema.format));
  auto const owner = std::make_shared<arrow_column const>(column);
  std::vector<arrow_column> parts;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    ArrowArray part = *array.children[i];
    check_fields(part, {});
    if (how.items != 0) {
      std::int64_t const first = array.offset * how.items, count = array.length * how.items;
      if (part.length < first + count)
        throw invalid_argument("its part " + std::to_string(i) + " has " + std::to_string(part.length) +
                               " values, but it needs " + std::to_string(first + count));
      if (part.length != count && part.null_count != 0) part.null_count = -1;
      part.offset += first;
      part.length = count;
    }
    parts.emplace_back(*schema.children[i], part, column.device(), owner);
  }
  return parts;
}

item_rows items_at(row_column rows, std::int64_t items, execution const& exec) {
  auto const each = static_cast<std::uint64_t>(items);
  item_rows result{buffer(rows.size * each * sizeof(std::uint64_t), exec), {}, rows.size * each};
  with_rows(rows, [&]<class Row>(Row const* of) {
    parallel_chunks(exec.threads, rows.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        auto* const to = result.rows.as<std::uint64_t>() + i * each;
        if (of[i] == no_row<Row>) std::fill(to, to + each, no_row<std::uint64_t>);
        else std::iota(to, to + each, of[i] * each);
      }
    });
  });
  return result;
}

item_rows items_at(row_column rows, arrow_column const& lists, execution const& exec) {
  item_rows result;
  with_rows(rows, [&](auto const* of) {
    if (stored_as(lists.type()).offset_bytes == 4) result = offset_lists<std::int32_t>(lists).at(of, rows.size, exec);
    else result = offset_lists<std::int64_t>(lists).at(of, rows.size, exec);
  });
  return result;
}

}  // namespace warpdex
