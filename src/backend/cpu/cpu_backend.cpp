// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <warpdex/error.hpp>
#include <warpdex/search/codec.hpp>
#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/backend.hpp"
#include "backend/cpu/merge.hpp"
#include "backend/cpu/parallel.hpp"
#include "base/stopwatch.hpp"

namespace warpdex {
namespace {

template <class Key, class Row> struct sortable_pair {
  Key key;
  Row row;
  friend bool operator<(sortable_pair const& a, sortable_pair const& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  }
};

/// Two 32-bit halves compare as one number.
template <> struct sortable_pair<std::uint32_t, std::uint32_t> {
  std::uint64_t both;
  sortable_pair(std::uint32_t key, std::uint32_t row) : both(std::uint64_t{key} << 32 | row) {}
  friend bool operator<(sortable_pair a, sortable_pair b) { return a.both < b.both; }
};

template <class Key, class Row> Key key_of(sortable_pair<Key, Row> const& pair) {
  if constexpr (sizeof(Key) + sizeof(Row) == 8) return static_cast<Key>(pair.both >> 32);
  else return pair.key;
}

template <class Key, class Row> Row row_of(sortable_pair<Key, Row> const& pair) {
  if constexpr (sizeof(Key) + sizeof(Row) == 8) return static_cast<Row>(pair.both);
  else return pair.row;
}

template <class Key, class Row>
sorted_pairs sort_typed(column keys, std::optional<row_column> const& rows, std::optional<std::uint64_t> seed,
                        execution const& exec, double& prepare_seconds, double& sort_seconds) {
  using Pair = sortable_pair<Key, Row>;
  stopwatch watch;
  std::uint64_t const n = keys.size;
  key_codec const codec = codec_of(keys.type);
  buffer scratch(n * sizeof(Pair), exec);
  auto* const pairs = scratch.as<Pair>();
  std::atomic<bool> reserved{false};
  parallel_chunks(exec.threads, n, 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      Row const row = rows ? load_element<Row>(rows->data, i) : static_cast<Row>(i);
      if (row == no_row<Row>) reserved = true;
      Key const key = encode(codec, load_element<Key>(keys.data, i));
      new (pairs + i) Pair{seed ? mix(key, *seed) : key, row};
    }
  });
  if (reserved)
    throw invalid_argument("row id " + std::to_string(no_row<Row>) + " stands for a miss and cannot be indexed");
  prepare_seconds = watch.lap();

  in_arena(exec.threads, [&] { tbb::parallel_sort(pairs, pairs + n); });
  sort_seconds = watch.lap();

  sorted_pairs sorted{buffer(n * sizeof(Key), exec), buffer(n * sizeof(Row), exec), n, seed};
  auto* const sorted_keys = sorted.keys.as<Key>();
  auto* const sorted_rows = sorted.rows.as<Row>();
  parallel_chunks(exec.threads, n, 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      sorted_keys[i] = key_of(pairs[i]);
      sorted_rows[i] = row_of(pairs[i]);
    }
  });
  prepare_seconds += watch.lap();
  return sorted;
}

/// In place: each value becomes the largest up to it.
template <class Number> void running_maximum_of(Number* values, std::uint64_t size, execution const& exec) {
  in_arena(exec.threads, [&] {
    tbb::parallel_scan(
        tbb::blocked_range<std::uint64_t>(0, size, 1 << 14), Number{0},
        [&](tbb::blocked_range<std::uint64_t> const& r, Number largest, bool final) {
          for (std::uint64_t i = r.begin(); i < r.end(); ++i) {
            largest = std::max(largest, values[i]);
            if (final) values[i] = largest;
          }
          return largest;
        },
        [](Number a, Number b) { return std::max(a, b); });
  });
}

class host_backend final : public engine_backend<cpu_engine> {
 public:
  void copy(void* destination, void const* source, std::size_t bytes, execution const&) const override {
    if (bytes != 0) std::memcpy(destination, source, bytes);
  }
  void synchronize(execution const&) const override {}
  void fill_zero(void* destination, std::size_t bytes, execution const&) const override {
    if (bytes != 0) std::memset(destination, 0, bytes);
  }

  sorted_pairs sort(column keys, std::optional<row_column> rows, row_type row, std::optional<std::uint64_t> seed,
                    execution const& exec, double& prepare_seconds, double& sort_seconds) const override {
    return with_widths({size_of(keys.type), size_of(row)}, [&]<class Key, class Row>() {
      return sort_typed<Key, Row>(keys, rows, seed, exec, prepare_seconds, sort_seconds);
    });
  }

  std::uint64_t exclusive_scan(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    std::uint64_t total = 0;
    in_arena(exec.threads, [&] {
      total = tbb::parallel_scan(
          tbb::blocked_range<std::uint64_t>(0, size, 1 << 14), std::uint64_t{0},
          [&](tbb::blocked_range<std::uint64_t> const& r, std::uint64_t sum, bool final) {
            for (std::uint64_t i = r.begin(); i < r.end(); ++i) {
              std::uint64_t const value = values[i];
              if (final) values[i] = sum;
              sum += value;
            }
            return sum;
          },
          [](std::uint64_t a, std::uint64_t b) { return a + b; });
    });
    values[size] = total;
    return total;
  }

  void running_maximum(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    running_maximum_of(values, size, exec);
  }
  void running_maximum(std::uint32_t* values, std::uint64_t size, execution const& exec) const override {
    running_maximum_of(values, size, exec);
  }

  sorted_pairs merge(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                     pair_widths widths, execution const& exec) const override {
    return with_widths(
        widths, [&]<class Key, class Row>() { return merge_on_cpu<Key, Row>(from, erase, insert, order, exec); });
  }
};

}  // namespace

backend const& cpu_backend() {
  static host_backend const instance;
  return instance;
}

}  // namespace warpdex
