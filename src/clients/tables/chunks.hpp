// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/chunked_keys.hpp>
#include <warpdex/parallel.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrow/arrays.hpp"
#include "clients/tables/tuning.hpp"

/// @file
/// Values of chunks of keys, one by one and as a whole.
namespace warpdex::chunks {

/// @return memory of the host that lives as long as the pointer; empty memory has an address
template <class T> std::shared_ptr<T[]> room(std::uint64_t size) {
  auto const held = std::make_shared<buffer>(std::max<std::uint64_t>(size, 1) * sizeof(T), execution());
  return {held, held->as<T>()};
}

/// Calls f(i) for all i below `count` at once; each of them may be a parallel loop.
template <class F> void each_of(std::uint64_t count, int threads, F const& f) {
  parallel_chunks(threads, count, 1, [&](std::uint64_t i, std::uint64_t) { f(i); });
}

/// @return where a string is, checked
inline text_place text_at(column const& from, std::uint64_t i) {
  auto const [begin, end] = detail::span_of(from, i);
  return {static_cast<char const*>(from.data) + begin, end - begin, from.strings.bytes - begin};
}

/// Calls `f` with a function that gives string number i of the values or words of a chunk.
template <class F> void with_texts(key_chunk const& of, F const& f) {
  if (of.views == nullptr) f([&values = of.values](std::uint64_t i) { return text_at(values, i); });
  else f([&views = *of.views](std::uint64_t i) { return viewed_text(views, static_cast<std::int64_t>(i)); });
}

/// Calls `f` with a function that gives the number of the value of each row among the values or words of a chunk; one
/// that is beyond them is that of a null.
template <class F> void with_words(key_chunk const& of, F const& f) {
  if (of.codes.data == nullptr) f([](std::uint64_t i) { return i; });
  else
    detail::with_codes(of.codes, [&](auto const* codes) {
      f([codes](std::uint64_t i) { return static_cast<std::uint64_t>(codes[i]); });
    });
}

/// Calls `f` with row ids, in their type.
template <class F> void with_rows(void* rows, row_type type, F const& f) {
  if (type == row_type::u32) f(static_cast<std::uint32_t*>(rows));
  else f(static_cast<std::uint64_t*>(rows));
}

/// @return how many of the numbers below `size` hold before each part of `grain` numbers, and at the end all that do
template <class Holds> std::vector<std::uint64_t> counts_before(std::uint64_t size, int threads, Holds const& holds) {
  std::vector<std::uint64_t> counts((size + grain - 1) / grain + 1);
  parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t count = 0;
    for (std::uint64_t i = begin; i < end; ++i) count += holds(i);
    counts[begin / grain] = count;
  });
  std::uint64_t all = 0;
  for (std::uint64_t& one : counts) all += std::exchange(one, all);
  return counts;
}

/// Number of values or words of a chunk.
inline std::uint64_t words_of(key_chunk const& of) {
  return of.views != nullptr ? static_cast<std::uint64_t>(of.views->length) : of.values.size;
}

/// @return flags of all chunks of all columns, where any of them has one; null if none has any
/// @param which the flags of a chunk
std::shared_ptr<std::uint8_t[]> flags_of(std::span<chunked_keys const> columns, std::uint8_t const* key_chunk::*which,
                                         int threads);

/// @return where one of two has a flag; it may write the first
std::shared_ptr<std::uint8_t[]> either(std::shared_ptr<std::uint8_t[]> one, std::shared_ptr<std::uint8_t[]> two,
                                       std::uint64_t size, int threads);

/// @return a column in one chunk, without dictionaries and views: of one type. A single plain chunk stays where it is
encoded_keys whole(chunked_keys const& from, int threads);

/// @return the same with numbers in another type
std::shared_ptr<void const> numbers_as(column const& from, key_type to, int threads);

/// @return the same with a validity bit per value, which is 0 for nulls and misses
nullable_column valid_keys(encoded_keys& of, int threads);

/// @return pairs in host memory
joined on_host(joined from, execution const& exec);

}  // namespace warpdex::chunks
