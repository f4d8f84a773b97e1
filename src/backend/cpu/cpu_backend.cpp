// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/codec.hpp>
#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "backend/backend.hpp"
#include "backend/cpu/byte_sort.hpp"
#include "backend/cpu/cpu_loops.hpp"
#include "backend/cpu/cpu_merge.hpp"
#include "backend/cpu/pair_sort.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/pieces.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/loop_backend.hpp"
#include "base/progress.hpp"
#include "base/reserved_row.hpp"
#include "base/stopwatch.hpp"

namespace warpdex {
namespace {

template <class Key, class Row>
timed_pairs sort_typed(column keys, std::optional<row_column> const& rows, std::optional<std::uint64_t> seed,
                       execution const& exec) {
  using entry = typename pair_sort<Key, Row>::entry;
  stopwatch watch;
  std::uint64_t const n = keys.size;
  key_codec const codec = codec_of(keys.type);
  buffer const scratch(n * sizeof(entry), exec);
  auto* const entries = scratch.as<entry>();
  std::atomic<bool> reserved{false};
  parallel_chunks(exec.threads, n, cpu::tuning::copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      Row const row = rows ? load_element<Row>(rows->data, i) : static_cast<Row>(i);
      if (row == no_row<Row>) reserved = true;
      Key const key = encode(codec, load_element<Key>(keys.data, i));
      new (entries + i) entry{seed ? mix(key, *seed) : key, row};
    }
  });
  if (reserved) refuse_reserved_row<Row>();
  double const encoded = watch.lap();
  tell_progress(.1);
  {
    progress_step const step(.1, .9);
    pair_sort<Key, Row>::run(entries, n, exec);
  }
  double const sort_seconds = watch.lap();

  sorted_pairs sorted{buffer(n * sizeof(Key), exec), buffer(n * sizeof(Row), exec), n, seed};
  auto* const sorted_keys = sorted.keys.as<Key>();
  auto* const sorted_rows = sorted.rows.as<Row>();
  parallel_chunks(exec.threads, n, cpu::tuning::copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      sorted_keys[i] = entries[i].key;
      sorted_rows[i] = entries[i].row;
    }
  });
  return {std::move(sorted), encoded + watch.lap(), sort_seconds};
}

template <class Row>
timed_pairs sort_references(column keys, std::optional<row_column> const& rows, execution const& exec) {
  stopwatch watch;
  auto sorted = sort_strings<Row>(static_cast<byte_key const*>(keys.data), rows, keys.size, exec);
  return {std::move(sorted), 0, watch.lap()};
}

/// Replaces each value by the largest value up to it.
template <class Number> void running_maximum_of(Number* values, std::uint64_t size, execution const& exec) {
  auto const larger = [](Number a, Number b) { return std::max(a, b); };
  auto const walk = [=](std::uint64_t begin, std::uint64_t end, Number largest, bool writes) {
    for (std::uint64_t i = begin; i < end; ++i) {
      largest = std::max(largest, values[i]);
      if (writes) values[i] = largest;
    }
    return largest;
  };
  scan_pieces<Number>(exec.threads, size, walk, larger);
}

class host_backend final : public loop_backend<cpu_loops> {
 public:
  void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) const override {
    parallel_chunks(exec.threads, bytes, cpu::tuning::bytes_grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::memcpy(static_cast<char*>(destination) + begin, static_cast<char const*>(source) + begin, end - begin);
    });
  }
  void synchronize(execution const&) const override {}
  void fill_zero(void* destination, std::size_t bytes, execution const& exec) const override {
    parallel_chunks(exec.threads, bytes, cpu::tuning::bytes_grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::memset(static_cast<char*>(destination) + begin, 0, end - begin);
    });
  }
  bool records(execution const&) const override { return false; }

  timed_pairs sort(column keys, std::optional<row_column> rows, row_type row, std::optional<std::uint64_t> seed,
                   execution const& exec, known_bits) const override {
    return with_types({kind_of(keys.type), row}, [&]<class Key, class Row>() {
      if constexpr (is_bytes<Key>) return sort_references<Row>(keys, rows, exec);
      else return sort_typed<Key, Row>(keys, rows, seed, exec);
    });
  }

  buffer sort_keys(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const override {
    return with_kind(kind, [&]<class Key>() -> buffer {
      if constexpr (is_bytes<Key>) {
        return {};
      } else {
        buffer sorted(size * sizeof(Key), exec);
        copy(sorted.data(), keys, sorted.bytes(), exec);
        pair_sort<Key, void>::run(sorted.as<key_row<Key, void>>(), size, exec);
        return sorted;
      }
    });
  }

  sorted_pairs sort_numbers(row_column numbers, row_type positions, execution const& exec) const override {
    key_type const type = numbers.type == row_type::u32 ? key_type::u32 : key_type::u64;
    return sort({numbers.data, numbers.size, type}, std::nullopt, positions, std::nullopt, exec, {}).pairs;
  }

  std::uint64_t exclusive_scan(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    auto const walk = [=](std::uint64_t begin, std::uint64_t end, std::uint64_t sum, bool writes) {
      for (std::uint64_t i = begin; i < end; ++i) {
        std::uint64_t const value = values[i];
        if (writes) values[i] = sum;
        sum += value;
      }
      return sum;
    };
    std::uint64_t const total = scan_pieces<std::uint64_t>(exec.threads, size, walk, std::plus());
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
                     pair_types types, execution const& exec) const override {
    return with_types(types,
                      [&]<class Key, class Row>() { return merge_on_cpu<Key, Row>(from, erase, insert, order, exec); });
  }
};

}  // namespace

backend const& cpu_backend() {
  static backend const& instance = *new host_backend;  // never destroyed: indexes may be used while static objects end
  return instance;
}

}  // namespace warpdex
