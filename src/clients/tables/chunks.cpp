// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/tables/chunks.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/validity_bits.hpp"

namespace warpdex::chunks {
namespace {

/// Calls `f` with the numbers of a column, in their type.
template <class F> void with_numbers(column const& of, F const& f) {
  with_key_type(of.type, [&]<class Key>() { f(static_cast<key_number<Key> const*>(of.data)); });
}

/// @return the one type that holds the numbers of all chunks
key_type common_type(chunked_keys const& from) {
  key_type made = from.chunks[0].values.type;
  bool has_sign = false, has_none = false, has_floats = false;
  for (key_chunk const& one : from.chunks) {
    auto const type = one.values.type;
    if (type != made) made = key_type::i64;
    has_floats |= type == key_type::f32 || type == key_type::f64;
    has_sign |= type == key_type::i64 || type == key_type::i32;
    has_none |= type == key_type::u64;
  }
  bool const differ = std::any_of(from.chunks.begin(), from.chunks.end(),
                                  [&](key_chunk const& one) { return one.values.type != from.chunks[0].values.type; });
  if (!differ) return made;
  if (has_floats) return key_type::f64;
  if (has_sign && has_none) throw invalid_argument("keys has chunks of i64 and of u64, which no type of 64 bits holds");
  return has_none ? key_type::u64 : key_type::i64;
}

/// Writes numbers in another type.
template <class To> void convert(column const& from, To* to, int threads) {
  with_numbers(from, [&]<class Number>(Number const* numbers) {
    parallel_chunks(threads, from.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      if constexpr (std::is_same_v<To, Number>) std::memcpy(to + begin, numbers + begin, (end - begin) * sizeof(To));
      else std::transform(numbers + begin, numbers + end, to + begin, [](Number x) { return static_cast<To>(x); });
    });
  });
}

/// Writes the numbers that the codes of a chunk name. Nulls are 0.
template <class Number> void gather_words(key_chunk const& from, Number* to, int threads) {
  auto const* const numbers = static_cast<Number const*>(from.values.data);
  std::uint64_t const words = words_of(from);
  with_words(from, [&](auto const& word) {
    parallel_chunks(threads, from.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        std::uint64_t const at = word(i);
        to[i] = at < words ? numbers[at] : Number{};
      }
    });
  });
}

/// Writes the numbers of a chunk, in another type. Nulls of a dictionary are 0.
template <class To> void copy_numbers(key_chunk const& from, To* to, int threads) {
  if (from.codes.data == nullptr) {
    std::uint64_t const has = std::min(from.size, from.values.size);
    convert(column(from.values.data, has, from.values.type), to, threads);
    std::fill(to + has, to + from.size, To{});
    return;
  }
  with_numbers(from.values, [&]<class Number>(Number const*) {
    if constexpr (std::is_same_v<To, Number>) return gather_words(from, to, threads);
    auto const rows = room<Number>(from.size);
    gather_words(from, rows.get(), threads);
    convert(column(rows.get(), from.size, from.values.type), to, threads);
  });
}

std::vector<std::uint64_t> begins_of(chunked_keys const& from) {
  std::vector<std::uint64_t> begins{0};
  for (key_chunk const& one : from.chunks) begins.push_back(begins.back() + one.size);
  return begins;
}

/// Calls f(chunk, begin, end, part) for parts of all chunks, at once.
template <class F> std::uint64_t each_part(chunked_keys const& from, int threads, F const& f) {
  struct part {
    std::size_t chunk;
    std::uint64_t begin;
  };
  std::vector<part> parts;
  for (std::size_t c = 0; c < from.chunks.size(); ++c)
    for (std::uint64_t at = 0; at < from.chunks[c].size; at += grain) parts.push_back({c, at});
  each_of(parts.size(), threads, [&](std::uint64_t i) {
    auto const& [chunk, begin] = parts[i];
    f(chunk, begin, std::min(begin + grain, from.chunks[chunk].size), i);
  });
  return parts.size();
}

/// All strings one after the other, by two passes. Nulls of a dictionary are empty.
encoded_keys whole_texts(chunked_keys const& from, int threads) {
  auto const begins = begins_of(from);
  auto const offsets = room<std::int64_t>(from.size + 1);
  std::vector<std::int64_t> before(from.size / grain + from.chunks.size() + 1);  // bytes before each part
  auto const each = [&](auto const& f) {
    return each_part(from, threads, [&](std::size_t c, std::uint64_t begin, std::uint64_t end, std::uint64_t part) {
      key_chunk const& chunk = from.chunks[c];
      std::uint64_t const words = words_of(chunk);
      with_texts(chunk, [&](auto const& text) {
        with_words(chunk, [&](auto const& word) {
          f(begins[c] + begin, end - begin, part, [&](std::uint64_t i) {
            std::uint64_t const at = word(begin + i);
            return at < words ? text(at) : text_place{"", 0, 0};
          });
        });
      });
    });
  };
  std::uint64_t const parts = each([&](std::uint64_t, std::uint64_t size, std::uint64_t part, auto const& text) {
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < size; ++i) bytes += text(i).length;
    before[part] = static_cast<std::int64_t>(bytes);
  });
  std::int64_t bytes = 0;
  for (std::uint64_t part = 0; part < parts; ++part) bytes += std::exchange(before[part], bytes);
  auto const letters = room<std::byte>(static_cast<std::uint64_t>(bytes));
  offsets[0] = 0;
  each([&](std::uint64_t row, std::uint64_t size, std::uint64_t part, auto const& text) {
    std::int64_t to = before[part];
    for (std::uint64_t i = 0; i < size; ++i) {
      text_place const one = text(i);
      if (one.length != 0) std::memcpy(letters.get() + to, one.at, one.length);
      offsets.get()[row + i + 1] = to += static_cast<std::int64_t>(one.length);
    }
  });
  std::span const all(letters.get(), static_cast<std::size_t>(bytes));
  return {column(all, std::span(offsets.get(), from.size + 1)), nullptr, nullptr, {offsets, letters}};
}

encoded_keys whole_numbers(chunked_keys const& from, int threads) {
  encoded_keys made;
  key_type const type = common_type(from);
  auto const begins = begins_of(from);
  with_key_type(type, [&]<class Key>() {
    using number = key_number<Key>;
    auto const numbers = room<number>(from.size);
    each_of(from.chunks.size(), threads,
            [&](std::uint64_t c) { copy_numbers(from.chunks[c], numbers.get() + begins[c], threads); });
    made = {column(numbers.get(), from.size, type), nullptr, nullptr, {numbers}};
  });
  return made;
}

}  // namespace

std::shared_ptr<std::uint8_t[]> flags_of(std::span<chunked_keys const> columns, std::uint8_t const* key_chunk::*which,
                                         int threads) {
  std::shared_ptr<std::uint8_t[]> made;
  for (chunked_keys const& column : columns) {
    bool const any = std::any_of(column.chunks.begin(), column.chunks.end(),
                                 [&](key_chunk const& one) { return one.*which != nullptr; });
    if (!any) continue;
    bool const is_first = made == nullptr;
    if (is_first) made = room<std::uint8_t>(column.size);
    auto const begins = begins_of(column);
    each_part(column, threads, [&](std::size_t c, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
      std::uint8_t const* const flags = column.chunks[c].*which;
      auto* const to = made.get() + begins[c];
      for (std::uint64_t i = begin; i < end; ++i)
        to[i] = static_cast<std::uint8_t>((is_first ? 0 : to[i]) | (flags != nullptr && flags[i] != 0));
    });
  }
  return made;
}

std::shared_ptr<std::uint8_t[]> either(std::shared_ptr<std::uint8_t[]> one, std::shared_ptr<std::uint8_t[]> two,
                                       std::uint64_t size, int threads) {
  if (one == nullptr || two == nullptr) return one == nullptr ? two : one;
  parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) one.get()[i] = static_cast<std::uint8_t>(one.get()[i] | two.get()[i]);
  });
  return one;
}

encoded_keys whole(chunked_keys const& from, int threads) {
  if (from.chunks.empty()) throw invalid_argument("keys has no chunks");
  key_chunk const& first = from.chunks[0];
  bool const is_plain = from.chunks.size() == 1 && first.views == nullptr && first.codes.data == nullptr;
  encoded_keys made = is_plain          ? encoded_keys{first.values}
                      : first.is_text() ? whole_texts(from, threads)
                                        : whole_numbers(from, threads);
  if (is_plain) {
    made.nulls = first.nulls;
    made.misses = first.misses;
    return made;
  }
  auto const nulls = flags_of({&from, 1}, &key_chunk::nulls, threads);
  auto const misses = flags_of({&from, 1}, &key_chunk::misses, threads);
  made.nulls = nulls.get();
  made.misses = misses.get();
  made.held.insert(made.held.end(), {nulls, misses});
  return made;
}

std::shared_ptr<void const> numbers_as(column const& from, key_type to, int threads) {
  return with_key_type(to, [&]<class Key>() -> std::shared_ptr<void const> {
    auto const made = room<key_number<Key>>(from.size);
    copy_numbers({.values = from, .size = from.size}, made.get(), threads);
    return made;
  });
}

nullable_column valid_keys(encoded_keys& of, int threads) {
  if (of.nulls == nullptr && of.misses == nullptr) return of.keys;
  auto const bits = room<std::uint8_t>(validity_bytes(of.keys.size));
  auto const is_valid = [&](std::uint64_t i) {
    return (of.nulls == nullptr || of.nulls[i] == 0) && (of.misses == nullptr || of.misses[i] == 0);
  };
  parallel_chunks(threads, of.keys.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at += values_per_byte) {
      unsigned byte = 0;
      for (std::uint64_t i = at; i < std::min(end, at + values_per_byte); ++i)
        byte |= static_cast<unsigned>(is_valid(i)) << (i - at);
      bits[static_cast<std::ptrdiff_t>(at / values_per_byte)] = static_cast<std::uint8_t>(byte);
    }
  });
  of.held.push_back(bits);
  return {of.keys, bits.get()};
}

}  // namespace warpdex::chunks
