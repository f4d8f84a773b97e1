// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/table.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// Columns of Arrow out of plain values, and back.
namespace warpdex::test {

template <class T> using values = std::vector<std::optional<T>>;

template <class T> constexpr char const* format_of() {
  if constexpr (std::is_same_v<T, std::string>) return "u";
  else if constexpr (std::is_same_v<T, double>) return "g";
  else if constexpr (std::is_same_v<T, std::int64_t>) return "l";
  else if constexpr (std::is_same_v<T, std::uint64_t>) return "L";
  else if constexpr (std::is_same_v<T, std::int16_t>) return "s";
  else return "i";
}

/// @return a column of one chunk @param format of Arrow, if it is not the usual one of the type
template <class T> arrow_column chunk_of(values<T> const& from, char const* format = format_of<T>()) {
  struct kept {
    std::vector<std::uint8_t> valid;
    std::vector<std::int32_t> offsets{0};
    std::string bytes;
    void const* buffers[3] = {};
  };
  auto const held = std::make_shared<kept>();
  held->valid.resize(from.size() / 8 + 1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]) held->valid[i / 8] = static_cast<std::uint8_t>(held->valid[i / 8] | 1 << i % 8);
    if constexpr (std::is_same_v<T, std::string>) {
      held->bytes += from[i].value_or("");
      held->offsets.push_back(static_cast<std::int32_t>(held->bytes.size()));
    } else {
      T const item = from[i].value_or(T{});
      held->bytes.append(reinterpret_cast<char const*>(&item), sizeof item);
    }
  }
  constexpr bool are_strings = std::is_same_v<T, std::string>;
  held->buffers[0] = held->valid.data();
  held->buffers[1] = are_strings ? static_cast<void const*>(held->offsets.data()) : held->bytes.data();
  held->buffers[2] = held->bytes.data();
  ArrowSchema const schema{format, "", nullptr, ARROW_FLAG_NULLABLE, 0, nullptr, nullptr, nullptr, nullptr};
  ArrowArray const array{static_cast<std::int64_t>(from.size()),
                         -1,
                         0,
                         are_strings ? 3 : 2,
                         0,
                         held->buffers,
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr};
  return {schema, array, -1, held};
}

/// @return a column in chunks of some length
template <class T> std::vector<arrow_column> column_of(values<T> const& from, std::size_t per_chunk = ~std::size_t{0}) {
  std::vector<arrow_column> result;
  for (std::size_t at = 0; at < from.size(); at += std::min(per_chunk, from.size() - at)) {
    auto const end = from.begin() + static_cast<std::ptrdiff_t>(at + std::min(per_chunk, from.size() - at));
    result.push_back(chunk_of(values<T>(from.begin() + static_cast<std::ptrdiff_t>(at), end)));
  }
  if (result.empty()) result.push_back(chunk_of(values<T>()));
  return result;
}

/// @return a dictionary's codes of strings
inline arrow_column dictionary_of(values<std::string> const& from) {
  values<std::string> words;
  values<std::int32_t> codes;
  for (auto const& item : from) {
    if (!item) {
      codes.emplace_back();
      continue;
    }
    std::int32_t code = 0;
    while (static_cast<std::size_t>(code) < words.size() && words[static_cast<std::size_t>(code)] != item) ++code;
    if (static_cast<std::size_t>(code) == words.size()) words.push_back(item);
    codes.emplace_back(code);
  }
  auto const held = std::make_shared<std::pair<arrow_column, arrow_column>>(chunk_of(codes), chunk_of(words));
  ArrowSchema schema = held->first.type();
  ArrowArray array = held->first.values();
  schema.dictionary = const_cast<ArrowSchema*>(&held->second.type());
  array.dictionary = const_cast<ArrowArray*>(&held->second.values());
  return {schema, array, -1, held};
}

/// @return the values of a column of numbers or strings, by the plain rules of the format
template <class T> values<T> values_in(std::vector<arrow_column> const& chunks) {
  values<T> result;
  for (arrow_column const& chunk : chunks) {
    ArrowArray const& array = chunk.values();
    auto const* const valid = static_cast<std::uint8_t const*>(array.buffers[0]);
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
      if (valid != nullptr && array.null_count != 0 && (valid[i / 8] >> (i % 8) & 1) == 0) {
        result.emplace_back();
        continue;
      }
      if constexpr (std::is_same_v<T, std::string>) {
        auto const* const offsets = static_cast<std::int32_t const*>(array.buffers[1]);
        result.emplace_back(std::string(static_cast<char const*>(array.buffers[2]) + offsets[i],
                                        static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
      } else {
        T single;
        std::memcpy(&single, static_cast<char const*>(array.buffers[1]) + i * static_cast<std::int64_t>(sizeof single),
                    sizeof single);
        result.emplace_back(single);
      }
    }
  }
  return result;
}

}  // namespace warpdex::test
