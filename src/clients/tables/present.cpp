// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/tables/present.hpp"

#include <algorithm>
#include <vector>

#include "clients/tables/chunks.hpp"

namespace warpdex::chunks {
namespace {

bool is_absent(std::span<encoded_keys const> columns, std::uint64_t i) {
  return std::any_of(columns.begin(), columns.end(), [i](encoded_keys const& one) {
    return (one.nulls != nullptr && one.nulls[i] != 0) || (one.misses != nullptr && one.misses[i] != 0);
  });
}

/// @return the rows that are not absent, in order
std::shared_ptr<std::uint64_t[]> rows_kept(std::span<encoded_keys const> columns, std::uint64_t size, int threads,
                                           std::uint64_t& count) {
  auto const before = counts_before(size, threads, [&](std::uint64_t i) { return !is_absent(columns, i); });
  count = before.back();
  auto made = room<std::uint64_t>(count);
  parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* to = made.get() + before[begin / grain];
    for (std::uint64_t i = begin; i < end; ++i)
      if (!is_absent(columns, i)) *to++ = i;
  });
  return made;
}

/// @return whether a few of the first values that are not absent ascend, as then all mostly do
bool begins_in_order(std::span<encoded_keys const> columns) {
  column const& last = columns.back().keys;
  return with_key_type(last.type, [&]<class Key>() {
    auto const* const numbers = static_cast<key_number<Key> const*>(last.data);
    key_number<Key> const* before = nullptr;
    for (std::uint64_t i = 0; i < std::min(order_sample, last.size); ++i) {
      if (is_absent(columns, i)) continue;
      if (before != nullptr && numbers[i] < *before) return false;
      before = numbers + i;
    }
    return true;
  });
}

present_rows present(std::span<encoded_keys const> columns, int threads) {
  present_rows made;
  std::uint64_t const size = columns[0].keys.size;
  bool const all = std::all_of(columns.begin(), columns.end(),
                               [](encoded_keys const& one) { return one.nulls == nullptr && one.misses == nullptr; });
  made.size = size;
  if (!all) made.kept = rows_kept(columns, size, threads, made.size);
  if (made.size == size) made.kept = nullptr;
  for (encoded_keys const& one : columns) {
    if (made.kept == nullptr) {
      made.columns.push_back(one.keys);
      continue;
    }
    with_key_type(one.keys.type, [&]<class Key>() {
      auto const numbers = room<Key>(made.size);
      auto const* const from = static_cast<Key const*>(one.keys.data);
      parallel_chunks(threads, made.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) numbers.get()[i] = from[made.kept[static_cast<std::ptrdiff_t>(i)]];
      });
      made.columns.emplace_back(numbers.get(), made.size, one.keys.type);
      made.held.push_back(numbers);
    });
  }
  return made;
}

}  // namespace

std::optional<std::pair<present_rows, present_rows>> mergeable(std::span<encoded_keys const> left,
                                                               std::span<encoded_keys const> right, int threads) {
  for (std::size_t c = 0; c < left.size(); ++c) {
    auto const type = left[c].keys.type;
    if (type != right[c].keys.type || type == key_type::bytes || type == key_type::u128) return std::nullopt;
  }
  if (!begins_in_order(left) || !begins_in_order(right)) return std::nullopt;
  return std::pair(present(left, threads), present(right, threads));
}

}  // namespace warpdex::chunks
