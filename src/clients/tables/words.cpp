// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/tables/words.hpp"

#include <warpdex/join.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "clients/tables/chunks.hpp"

namespace warpdex::chunks {
namespace {

/// The values of all chunks, of those with dictionaries the words, and where those of each chunk begin. Chunks that
/// share a dictionary share its words.
struct vocabulary {
  chunked_keys words = {};
  std::vector<std::uint64_t> begins = {};

  explicit vocabulary(chunked_keys const& of) {
    std::map<std::pair<void const*, void const*>, std::uint64_t> known;
    for (key_chunk const& one : of.chunks) {
      if (one.codes.data == nullptr) {
        add(one);
        continue;
      }
      auto const [found, is_new] = known.try_emplace({one.values.data, one.views.get()}, words.size);
      begins.push_back(found->second);
      if (!is_new) continue;
      begins.pop_back();
      add({.values = one.values, .views = one.views, .size = words_of(one)});
    }
  }

  void add(key_chunk const& one) {
    begins.push_back(words.size);
    words.chunks.push_back(one);
    words.size += one.size;
  }
};

/// @param found per word its number, or -1 @param none the number of what has none, and of nulls
template <class Number>
chunked_keys numbers(chunked_keys const& from, std::vector<std::uint64_t> const& begins, Number const* found,
                     Number none, bool with_nulls, int threads) {
  auto const made = room<Number>(from.size);
  std::uint64_t row = 0;
  for (std::size_t c = 0; c < from.chunks.size(); ++c) {
    key_chunk const& chunk = from.chunks[c];
    Number const* const own = found + begins[c];
    Number* const to = made.get() + row;
    std::uint64_t const words = chunk.codes.data == nullptr ? chunk.size : words_of(chunk);
    with_words(chunk, [&](auto const& word) {
      parallel_chunks(threads, chunk.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
          Number const number = chunk.is_absent(i) || word(i) >= words ? Number{-1} : own[word(i)];
          to[i] = number < 0 ? none : number;
        }
      });
    });
    row += chunk.size;
  }
  key_chunk one{.values = column(made.get(), from.size, sizeof(Number) == 4 ? key_type::i32 : key_type::i64),
                .size = from.size};
  chunked_keys all{{one}, from.size, {made}};
  if (!with_nulls) return all;
  auto const nulls = flags_of({&from, 1}, &key_chunk::nulls, threads);
  auto const misses = flags_of({&from, 1}, &key_chunk::misses, threads);
  all.chunks[0].nulls = nulls.get();
  all.chunks[0].misses = misses.get();
  all.held.insert(all.held.end(), {nulls, misses});
  return all;
}

template <class Number>
std::pair<chunked_keys, chunked_keys> numbered_as(chunked_keys const& left, chunked_keys const& right, bool with_nulls,
                                                  int threads) {
  vocabulary const mine(left), others(right);
  encoded_keys of_left = whole(mine.words, threads), of_right = whole(others.words, threads);
  auto const found = room<Number>(mine.words.size), of_words = room<Number>(others.words.size);
  row_type const type = sizeof(Number) == 4 ? row_type::u32 : row_type::u64;
  first_match(valid_keys(of_left, threads), valid_keys(of_right, threads), {found.get(), mine.words.size, type},
              execution().with_threads(threads), row_output(of_words.get(), others.words.size, type));
  auto const none = static_cast<Number>(others.words.size);  // what equals nothing: another number on either side
  return {numbers(left, mine.begins, found.get(), none, with_nulls, threads),
          numbers(right, others.begins, of_words.get(), static_cast<Number>(none + 1), with_nulls, threads)};
}

}  // namespace

bool have_words(chunked_keys const& of) {
  return std::any_of(of.chunks.begin(), of.chunks.end(),
                     [](key_chunk const& one) { return one.codes.data != nullptr; });
}

chunked_keys in_one(encoded_keys from) {
  std::uint64_t const size = from.keys.size;
  return {
      {{.values = from.keys, .size = size, .nulls = from.nulls, .misses = from.misses}}, size, std::move(from.held)};
}

std::pair<chunked_keys, chunked_keys> numbered(chunked_keys const& left, chunked_keys const& right, bool with_nulls,
                                               int threads) {
  std::uint64_t words = 0;  // at most
  for (key_chunk const& one : right.chunks) words += one.codes.data == nullptr ? one.size : words_of(one);
  if (words > std::numeric_limits<std::int32_t>::max() - 2)
    return numbered_as<std::int64_t>(left, right, with_nulls, threads);
  return numbered_as<std::int32_t>(left, right, with_nulls, threads);
}

}  // namespace warpdex::chunks
