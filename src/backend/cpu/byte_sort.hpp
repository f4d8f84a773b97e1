// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/pair_sort.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/pieces.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/strings/byte_words.hpp"
#include "base/reserved_row.hpp"

namespace warpdex {

/// Sorts numbers of strings by the strings, then by the numbers.
///
///     1. Skip the bytes that all strings share.
///     2. Sort by the next 7 bytes (byte_words.hpp).
///     3. Sort each stretch of strings that are still equal and go on: by comparing if it is short, else by steps 1
///        to 3. All threads together sort the long stretches.
///
/// If more than half of a stretch ties, its strings likely share long parts, or begin each other. The next step then
/// sorts them by how they compare with one of them (`mark_word`), which gets any number of bytes ahead.
///
/// A step reads no more than a few times the bytes that it gets ahead, so the work is bounded by the bytes of the
/// strings, also if they are long and equal or begin each other.
template <class Number> class byte_sort {
 public:
  using sort_words = pair_sort<std::uint64_t, Number>;
  using entry = typename sort_words::entry;

  /// Orders the `row` members of `entries`, which are all numbers below `size`. Overwrites the `key` members.
  /// @param keys strings without tails
  /// @throws out_of_memory with the entries in any order
  static void run(byte_key const* keys, entry* entries, std::uint64_t size, execution const& exec) {
    byte_sort(keys, entries, exec).sort(size);
  }

 private:
  static constexpr byte_word word{};

  /// The entries [begin, end), whose strings agree in the first `agreed` bytes.
  struct stretch {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t agreed;
    bool by_mark = false;  ///< whether its strings are compared with one of them
  };

  byte_sort(byte_key const* keys, entry* entries, execution const& exec)
      : keys_(keys), entries_(entries), exec_(exec), alone_(exec) {
    alone_.threads = 1;
  }

  byte_key const& key_of(entry const& e) const { return keys_[e.row]; }

  void sort(std::uint64_t size) {
    if (size == 0) return;
    std::mutex mutex;
    std::vector<stretch> long_ones = {{0, size, 0}};
    while (!long_ones.empty()) {
      stretch const next = long_ones.back();
      long_ones.pop_back();
      sort_by_words(next, exec_, [&](stretch const& tied) {
        if (tied.end - tied.begin <= cpu::tuning::stretch_alone) return sort_alone(tied);
        std::lock_guard const lock(mutex);
        long_ones.push_back(tied);
      });
    }
  }

  void sort_alone(stretch const& whole) const {
    if (whole.end - whole.begin <= cpu::tuning::few_strings) return sort_by_comparing(whole);
    std::vector<stretch> open = {whole};
    while (!open.empty()) {
      stretch const next = open.back();
      open.pop_back();
      sort_by_words(next, alone_, [&](stretch const& tied) {
        if (tied.end - tied.begin <= cpu::tuning::few_strings) sort_by_comparing(tied);
        else open.push_back(tied);
      });
    }
  }

  void sort_by_comparing(stretch const& part) const {
    std::sort(entries_ + part.begin, entries_ + part.end, [&](entry const& a, entry const& b) {
      int const order = compare(key_of(a), key_of(b), part.agreed);
      return order < 0 || (order == 0 && a.row < b.row);
    });
  }

  /// Takes steps 1 and 2. Calls `tied` with each stretch that needs step 3, in several threads.
  template <class Tied> void sort_by_words(stretch const& part, execution const& exec, Tied const& tied) const {
    std::uint64_t const size = part.end - part.begin;
    entry* const entries = entries_ + part.begin;
    pieces const parts(exec.threads, size, cpu::tuning::least_piece);
    std::uint32_t const at = part.by_mark ? part.agreed : agreed_bytes(entries, parts, part.agreed);
    byte_key const mark = key_of(entries[size / 2]);
    parts.for_each([&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        byte_key const& key = key_of(entries[i]);
        entries[i].key = part.by_mark ? mark_word::of(key, mark, at) : word(key, at);
      }
    });
    sort_words::run(entries, size, exec);

    // Each stretch belongs to the piece in which it begins. `tied` may change its words, which no other piece reads.
    std::array<std::uint64_t, pieces::most + 1> starts;  // per piece: where the first stretch begins in it
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t) {
      starts[p] = begin == 0 ? 0 : end_of_stretch(entries, begin - 1, size);
    });
    starts[parts.count()] = size;
    parts.for_each([&](std::uint64_t p, std::uint64_t, std::uint64_t) {
      for (std::uint64_t begin = starts[p], end; begin < starts[p + 1]; begin = end) {
        end = end_of_stretch(entries, begin, starts[p + 1]);
        std::uint64_t const key = entries[begin].key;
        if (end - begin == 1 || !(part.by_mark ? mark_word::goes_on(key) : word.goes_on(key))) continue;
        // Not by marks twice: those of words always get ahead.
        tied({part.begin + begin, part.begin + end, part.by_mark ? mark_word::shared(key) : at + byte_word::most_bytes,
              !part.by_mark && end - begin > size / 2});
      }
    });
  }

  /// @return the first entry after `member` with another word
  static std::uint64_t end_of_stretch(entry const* entries, std::uint64_t member, std::uint64_t size) {
    std::uint64_t const key = entries[member].key;
    std::uint64_t end = member + 1;
    std::uint64_t const near = std::min(size, member + 32);
    while (end < near && entries[end].key == key) ++end;
    if (end < near || end == size) return end;
    return std::partition_point(entries + end, entries + size, [&](entry const& e) { return e.key == key; }) - entries;
  }

  /// @return in how many first bytes all strings agree. The window in which they are compared grows only while all of
  /// it agrees, so that little is read in vain
  std::uint32_t agreed_bytes(entry const* entries, pieces const& parts, std::uint32_t at) const {
    byte_key const first = key_of(entries[0]);
    for (std::uint64_t window = cpu::tuning::first_window; at < first.size; window *= 2) {
      std::uint32_t const most = first.size - at <= window ? first.size : at + static_cast<std::uint32_t>(window);
      std::atomic<std::uint32_t> least{most};
      parts.for_each([&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
        std::uint32_t reached = least;
        for (std::uint64_t i = begin; i < end && reached != at; ++i)
          reached = shared_bytes(first, key_of(entries[i]), at, reached);
        std::uint32_t before = least;
        while (reached < before && !least.compare_exchange_weak(before, reached)) {
        }
      });
      at = least;
      if (at != most) break;
    }
    return at;
  }

  byte_key const* keys_;
  entry* entries_;
  execution const& exec_;
  execution alone_;  ///< the same with one thread
};

/// Sorts strings by their bytes, then by row id. Scratch: 12 bytes per string with row ids of 32 bits, 16 with 64, and
/// for some time once more as much; if the row ids do not ascend, 20 or 24 more.
/// @param keys strings without tails, whose bytes are in host memory
/// @param rows row ids of type `Row`, at any address; without them the row id of a string is its position
/// @return references to the strings of `keys`, in order
/// @throws invalid_argument if a row id is `no_row`; out_of_memory
template <class Row>
sorted_pairs sort_strings(byte_key const* keys, std::optional<row_column> rows, std::uint64_t n,
                          execution const& exec) {
  using entry = typename byte_sort<Row>::entry;
  buffer const scratch(n * sizeof(entry), exec);
  auto* const entries = scratch.as<entry>();
  void const* row_data = rows ? rows->data : nullptr;
  auto const row_of = [&](std::uint64_t i) { return load_element<Row>(row_data, i); };

  buffer keys_by_row;
  buffer rows_by_row;
  if (row_data != nullptr && n != 0) {
    std::atomic<bool> reserved{false};
    std::atomic<bool> ascend{true};
    parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
      Row before = row_of(begin == 0 ? 0 : begin - 1);
      for (std::uint64_t i = begin; i < end; ++i) {
        Row const row = row_of(i);
        if (row == no_row<Row>) reserved = true;
        if (row < before) ascend = false;
        before = row;
      }
    });
    if (reserved) refuse_reserved_row<Row>();
    if (!ascend) {  // sort by row id first, so that equal strings are in order of their numbers in any case
      parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) entries[i] = {row_of(i), static_cast<Row>(i)};
      });
      byte_sort<Row>::sort_words::run(entries, n, exec);
      keys_by_row = buffer(n * sizeof(byte_key), exec);
      rows_by_row = buffer(n * sizeof(Row), exec);
      parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
          keys_by_row.as<byte_key>()[i] = keys[entries[i].row];
          rows_by_row.as<Row>()[i] = static_cast<Row>(entries[i].key);
        }
      });
      keys = keys_by_row.as<byte_key>();
      row_data = rows_by_row.data();
    }
  }

  parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) new (entries + i) entry{0, static_cast<Row>(i)};
  });
  byte_sort<Row>::run(keys, entries, n, exec);

  sorted_pairs sorted{buffer(n * sizeof(byte_key), exec), buffer(n * sizeof(Row), exec), n};
  auto* const sorted_keys = sorted.keys.as<byte_key>();
  auto* const sorted_rows = sorted.rows.as<Row>();
  parallel_chunks(exec.threads, n, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      Row const number = entries[i].row;
      sorted_keys[i] = keys[number];
      sorted_rows[i] = row_data == nullptr ? number : row_of(number);
    }
  });
  return sorted;
}

}  // namespace warpdex
