// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/table.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "clients/tables/chunks.hpp"

namespace warpdex {
namespace {

using namespace chunks;

/// Numbers as integers of 32 bits, or of 128 bits in their order.
template <class From, class To, class Change>
column changed(arrow_chunk const& from, key_type type, std::shared_ptr<void const>& held, Change const& change) {
  auto const size = static_cast<std::uint64_t>(from.length);
  auto const made = room<To>(size);
  parallel_chunks(0, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      From one;
      std::memcpy(&one, static_cast<From const*>(from.values) + i, sizeof one);
      made.get()[i] = change(one);
    }
  });
  held = made;
  return {made.get(), size, type};
}

/// @return the values of a chunk as keys @param held gets what is made for them
column values_of(arrow_chunk const& from, std::shared_ptr<void const>& held) {
  auto const size = static_cast<std::uint64_t>(from.length);
  auto const as = [&](key_type type) { return column(from.values, size, type); };
  auto const widened = [&]<class From, class To>(key_type type) {
    return changed<From, To>(from, type, held, [](From one) { return static_cast<To>(one); });
  };
  std::string_view const number = from.type.number;
  std::span const bytes(static_cast<std::byte const*>(from.values), static_cast<std::size_t>(from.bytes));
  switch (from.type.layout) {
    case arrow_layout::bits: return widened.operator()<std::uint8_t, std::uint32_t>(key_type::u32);
    case arrow_layout::strings:
      if (from.type.width == 4) return {bytes, std::span(static_cast<std::int32_t const*>(from.offsets), size + 1)};
      return {bytes, std::span(static_cast<std::int64_t const*>(from.offsets), size + 1)};
    case arrow_layout::bytes:
      if (from.format.starts_with("w:"))
        return column::fixed_bytes(bytes, static_cast<std::uint32_t>(from.type.width), size);
      if (from.format == "_plu128" || from.format == "uuid") return as(key_type::u128);
      return changed<u128, u128>(from, key_type::u128, held, [](u128 one) { return one ^ u128 { 1 } << 127; });
    case arrow_layout::numbers: break;
    default: throw type_error("values of Arrow's format '" + from.format + "' are no keys of a table");
  }
  if (number == "i1") return widened.operator()<std::int8_t, std::int32_t>(key_type::i32);
  if (number == "i2") return widened.operator()<std::int16_t, std::int32_t>(key_type::i32);
  if (number == "u1") return widened.operator()<std::uint8_t, std::uint32_t>(key_type::u32);
  if (number == "u2" && from.format != "e") return widened.operator()<std::uint16_t, std::uint32_t>(key_type::u32);
  if (number == "i4") return as(key_type::i32);
  if (number == "u4") return as(key_type::u32);
  if (number == "i8") return as(key_type::i64);
  if (number == "u8") return as(key_type::u64);
  if (number == "f4") return as(key_type::f32);
  if (number == "f8") return as(key_type::f64);
  throw type_error("values of Arrow's format '" + from.format + "' are no keys of a table");
}

/// @return whether a value of a chunk is null, also by way of its dictionary; null if none is
std::shared_ptr<std::uint8_t[]> nulls_of(arrow_chunk const& from, key_chunk const& codes) {
  auto const& words = from.dictionary->nulls;
  auto made = room<std::uint8_t>(codes.size);
  with_words(codes, [&](auto const& word) {
    parallel_chunks(0, codes.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        bool const is_null = codes.nulls != nullptr && codes.nulls[i] != 0;
        made.get()[i] = is_null || words[static_cast<std::int64_t>(word(i))] != 0;
      }
    });
  });
  return made;
}

/// Adds a chunk to keys. @param array lives as long as `held`
void add_chunk(chunked_keys& to, arrow_column const& array) {
  struct kept {
    arrow_column array;
    arrow_chunk chunk;
    std::shared_ptr<void const> values;
    std::shared_ptr<std::uint8_t[]> nulls;
  };
  auto const held = std::make_shared<kept>(kept{array, {}, nullptr, nullptr});
  held->chunk = read_chunk(held->array.type(), held->array.values());
  arrow_chunk const& chunk = held->chunk;
  arrow_chunk const& words = chunk.dictionary == nullptr ? chunk : *chunk.dictionary;
  key_chunk made{.size = static_cast<std::uint64_t>(chunk.length)};
  if (words.viewed != nullptr) made.views = {held, &words};
  else made.values = values_of(words, held->values);
  made.nulls = chunk.nulls.empty() ? nullptr : chunk.nulls.data();
  if (chunk.dictionary != nullptr) {
    bool const has_sign = std::string_view("csil").find(chunk.format[0]) != std::string_view::npos;
    made.codes = {chunk.values, static_cast<std::uint32_t>(8 * chunk.type.width), has_sign};
    if (!words.nulls.empty()) made.nulls = (held->nulls = nulls_of(chunk, made)).get();
  }
  to.size += made.size;
  to.chunks.push_back(std::move(made));
  to.held.push_back(held);
}

}  // namespace

chunked_keys keys_of(std::vector<arrow_column> const& column) {
  chunked_keys made;
  for (arrow_column const& one : column) add_chunk(made, one);
  return made;
}

}  // namespace warpdex
