// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/key_set.hpp>

#include <fmt/format.h>

#include <utility>

#include "clients/join/pairs.hpp"
#include "clients/join/validity.hpp"
#include "clients/key_set/set_order.hpp"
#include "clients/key_set/set_steps.hpp"
#include "clients/key_set/tuning.hpp"
#include "index/row_steps.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

/// @file
/// What the files of this folder share.
namespace warpdex {

/// Calls run.operator()<Key>() with the type of the codes of keys, which are numbers.
template <class Run> void with_codes_of(key_type type, Run const& run) {
  switch (size_of(type)) {
    case 4: return run.template operator()<std::uint32_t>();
    case 8: return run.template operator()<std::uint64_t>();
    default: return run.template operator()<u128>();
  }
}

template <class Key>
inline constexpr key_type type_of_codes = sizeof(Key) == 4   ? key_type::u32
                                          : sizeof(Key) == 8 ? key_type::u64
                                                             : key_type::u128;

/// @throws invalid_argument, unsupported unless a set may have keys of a type
inline void expect_type_of_set(char const* call, char const* what, key_type type) {
  expect_known(call, what, type);
  if (type == key_type::bytes)
    throw unsupported(fmt::format(
        "{}: {} is of type bytes; a set holds numbers, such as hashes of strings of 64 or 128 bits", call, what));
}

/// @throws unsupported unless a set keeps rows
inline void expect_rows_of_set(char const* call, int row_bits) {
  if (row_bits == 0) throw unsupported(fmt::format("{}: the set keeps no rows; give them when it is built", call));
}

/// @throws invalid_argument, unsupported unless a set takes a column of keys of a type, with rows or without
/// @param adds whether the call adds the keys
inline void expect_change_of_set(char const* call, key_type keys, key_type of_set, bool adds, bool rows, int row_bits) {
  if (keys != of_set)
    throw invalid_argument(fmt::format("{}: the column of keys is of type {}, the set of type {}", call,
                                       to_string(keys), to_string(of_set)));
  if (adds && rows != (row_bits != 0))
    throw unsupported(fmt::format("{}: {}", call,
                                  rows ? "the set keeps no rows, so keys come without"
                                       : "the set keeps a row of each key, so keys come with rows"));
}

/// @throws invalid_argument unless two sets have keys of one type
inline void expect_one_type(char const* call, key_type a, key_type b) {
  if (a != b)
    throw invalid_argument(fmt::format("{}: the sets have keys of types {} and {}; they must be of one type", call,
                                       to_string(a), to_string(b)));
}

inline void expect_code(char const* call, set_code code) {
  if (code > set_code::compressed)
    throw invalid_argument(fmt::format("{}: code number {} is unknown", call, static_cast<int>(code)));
}

inline char const* name_of(set_code code) { return code == set_code::plain ? "plain" : "compressed"; }

/// Keys that a call was given, and their rows, without those that are null.
struct valid_keys {
  static constexpr char const* name = "the column of keys";

  /// Checks them. @param given_rows one per key, or null
  valid_keys(char const* call, nullable_column const& given, row_column const* given_rows, execution const& exec)
      : keys(static_cast<column const&>(given)) {
    constexpr char const* rows_name = "the row column";
    expect_type_of_set(call, name, given.type);
    if (given_rows != nullptr) {
      expect_known(call, rows_name, given_rows->type);
      expect_size(call, rows_name, given_rows->size, given.size);
      rows = column(given_rows->data, given_rows->size, as_keys(given_rows->type));
    }
    expect_possible(call, name, given.size);
    detail::expect_array(call, name, given.data, given.size);
    if (given.validity == nullptr || given.size == 0) return;
    valid_rows const valid(call, given, {}, "AO+BS", exec);
    keys = (kept_keys = valid.take(given, name)).view();
    if (given_rows != nullptr) rows = (kept_rows = valid.take(rows, rows_name)).view();
  }

  static constexpr key_type as_keys(row_type type) { return type == row_type::u32 ? key_type::u32 : key_type::u64; }

  column keys, rows;
  key_list kept_keys, kept_rows;
};

/// @return how many of some flags are set
inline std::uint64_t count_flags(buffer const& flags, execution const& exec) {
  if (flags.bytes() == 0) return 0;
  return steps::reduce(set_steps::count_flag{flags.as<std::uint8_t>()}, flags.bytes(), exec).count;
}

/// Checks a column of keys, and calls run.operator()<Key>() with those that are valid, within reach of the backend.
template <class Run>
void with_valid_keys(char const* call, nullable_column const& keys, backend_kind backend, int device,
                     execution const& exec, Run const& run) {
  valid_keys const valid(call, keys, nullptr, exec);
  staging stage(call, backend, device, exec);
  column const present = stage.input(valid.keys, valid_keys::name);
  with_codes_of(keys.type, [&]<class Key>() { run.template operator()<Key>(present); });
}

/// @return codes in ascending order, each once, and their number; no buffer if they are so already
template <class Key>
std::pair<buffer, std::uint64_t> in_order(Key const* codes, std::uint64_t size, execution const& exec) {
  constexpr key_type type = type_of_codes<Key>;
  backend const& backend = backend_of(exec);
  buffer sorted;
  void const* keys = codes;
  key_order order = backend.order_of(keys, size, kind_of(type), exec);
  if (order.first_descent) {
    sorted = backend.sort_keys(keys, size, kind_of(type), exec);
    keys = sorted.data();
    order = backend.order_of(keys, size, kind_of(type), exec);
  }
  if (!order.repeats) return {std::move(sorted), size};
  sorted_keys kept = backend.distinct(keys, size, kind_of(type), exec);
  return {std::move(kept.keys), kept.size};
}

/// Codes in ascending order, each once, and a row of each.
struct keyed_rows {
  buffer codes;
  buffer rows;  ///< of 64 bits
  std::uint64_t size = 0;
};

/// @param given one row per code @return of the rows of a code the least one. Both arrays have room for all codes
/// @throws invalid_argument for a row that is `no_row`
template <class Key>
keyed_rows in_order_with_rows(Key const* codes, std::uint64_t size, row_column const& given, execution const& exec) {
  column const all(codes, size, type_of_codes<Key>);
  sorted_pairs const sorted = backend_of(exec).sort(all, given, given.type, std::nullopt, exec).pairs;
  keyed_rows result{buffer(size * sizeof(Key), exec), buffer(size * sizeof(std::uint64_t), exec)};
  set_steps::keep_first<Key> const keep{sorted.keys.as<Key>(),
                                        {sorted.rows.data(), size_of(given.type)},
                                        result.codes.as<Key>(),
                                        result.rows.as<std::uint64_t>()};
  result.size = steps::select(keep, size, exec);
  return result;
}

/// @return the codes of keys, ascending, each once, and their number
/// @param keys within reach of the backend
template <class Key> std::pair<buffer, std::uint64_t> distinct_codes(column const& keys, execution const& exec) {
  key_codec const codec = codec_of(keys.type);
  bool const are_codes = codec == key_codec::identity && reinterpret_cast<std::uintptr_t>(keys.data) % sizeof(Key) == 0;
  buffer codes;
  if (!are_codes) {
    codes = buffer(keys.size * sizeof(Key), exec);
    steps::run(set_steps::encode_key<Key>{keys.data, codec, codes.as<Key>()}, keys.size, exec);
  }
  auto [ordered, size] = in_order(are_codes ? static_cast<Key const*>(keys.data) : codes.as<Key>(), keys.size, exec);
  if (ordered.data() != nullptr) return {std::move(ordered), size};
  if (are_codes) {
    codes = buffer(keys.size * sizeof(Key), exec);
    backend_of(exec).copy(codes.data(), keys.data, codes.bytes(), exec);
  }
  return {std::move(codes), size};
}

/// @return how many blocks so many keys have
inline std::uint64_t blocks_of(std::uint64_t keys) { return keys / set_block + (keys % set_block != 0 ? 1 : 0); }

/// @return how many groups so many rows are packed to
inline std::uint64_t groups_of_rows(std::uint64_t rows) { return (rows + packed_rows::group - 1) / packed_rows::group; }

/// @return how many bits the greatest of some rows has, at least 1
inline int bits_of_rows(std::uint64_t const* rows, std::uint64_t size, execution const& exec) {
  std::uint64_t const limit =
      size == 0 ? 1 : steps::reduce(row_steps::row_in_array<std::uint64_t>{rows}, size, exec).rows;
  return std::max(1, bit_length(limit - 1));
}

/// @return how many keys of a level are in the next one
inline std::uint64_t pivots_of(std::uint64_t keys) { return (keys + set_fanout - 1) / set_fanout; }

template <class Key> set_view<Key> key_set::view() const {
  set_view<Key> result;
  result.size = size_;
  result.heads = heads_.as<set_head>();
  result.words = words_.as<std::uint64_t>();
  Key const* level = keys_.as<Key>();
  Key const* next = levels_.as<Key>();
  for (std::uint64_t size = keys_.bytes() / sizeof(Key); size != 0;) {
    result.levels[result.depth] = level;
    result.sizes[result.depth++] = size;
    size = size > set_fanout ? pivots_of(size) : 0;
    level = next;
    next += size;
  }
  return result;
}

template <class Key> void key_set::make_levels(execution const& exec) {
  std::uint64_t const lowest = keys_.bytes() / sizeof(Key);
  std::uint64_t all = 0;
  for (std::uint64_t size = lowest; size > set_fanout;) all += size = pivots_of(size);
  levels_ = buffer(all * sizeof(Key), exec);
  set_view<Key> const made = view<Key>();
  for (int level = 1; level < made.depth; ++level)
    steps::run(set_steps::take_pivot<Key>{made.levels[level - 1], const_cast<Key*>(made.levels[level])},
               made.sizes[level], exec);
#if WARPDEX_WITH_CUDA
  if (backend_ == backend_kind::cuda) order_ = order_on_device(made, words_.bytes() / sizeof(std::uint64_t), exec);
#endif
}

inline set_code key_set::code_for(std::uint64_t size) const {
  if (wanted_ != set_code::automatic) return wanted_;
  return size >= tuning::compressed_set_from ? set_code::compressed : set_code::plain;
}

template <class Key> void key_set::take(buffer codes, std::uint64_t size, execution const& exec) {
  size_ = size;
  code_ = code_for(size);
  if (code_ == set_code::plain) keys_ = std::move(codes);
  else compress<Key>(codes.as<Key>(), exec);
  make_levels<Key>(exec);
  backend_of(backend_).synchronize(exec);
  for (buffer* const array : {&keys_, &levels_, &heads_, &words_}) array->outlive_stream();
}

template <class Key> void key_set::take_each(keyed_rows from, execution const& exec) {
  if (code_for(from.size) == set_code::plain) {  // which keeps the array, so that it is not longer than its keys
    buffer exact(from.size * sizeof(Key), exec);
    backend_of(exec).copy(exact.data(), from.codes.data(), exact.bytes(), exec);
    from.codes = std::move(exact);
  }
  take<Key>(std::move(from.codes), from.size, exec);
  take_rows(from.rows.as<std::uint64_t>(), exec);
}

inline packed_rows key_set::rows() const { return {rows_.as<std::uint64_t>(), row_bits_}; }

template <class Key> void key_set::compress(Key const* codes, execution const& exec) {
  std::uint64_t const blocks = blocks_of(size_);
  keys_ = buffer(blocks * sizeof(Key), exec);
  heads_ = buffer(blocks * sizeof(set_head), exec);
  buffer const sizes((blocks + 1) * sizeof(std::uint64_t), exec);
  auto* const places = sizes.as<std::uint64_t>();
  auto* const heads = heads_.as<set_head>();
  steps::run_long(set_steps::measure_block<Key>{codes, size_, keys_.as<Key>(), heads, places}, blocks, exec);
  std::uint64_t const words = backend_of(backend_).exclusive_scan(places, blocks, exec);
  words_ = buffer((words + set_padding) * sizeof(std::uint64_t), exec);
  backend_of(backend_).fill_zero(words_.as<std::uint64_t>() + words, set_padding * sizeof(std::uint64_t), exec);
  auto* const all = words_.as<std::uint64_t>();
  using set_steps::write_words;
  steps::run(write_words<Key>{codes, size_, places, heads, all}, blocks * write_words<Key>::shares, exec);
  steps::run(set_steps::complete_head{size_, places, all, heads}, blocks, exec);
  backend_of(backend_).synchronize(exec);  // before the codes go
}

}  // namespace warpdex
