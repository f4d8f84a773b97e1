// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "fingerprint.hpp"

#include <warpdex/error.hpp>
#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "columns.hpp"
#include "gil.hpp"
#include "pieces.hpp"

namespace warpdex::python {
namespace {

/// @return a number of 64 bits, the same for equal values of all types of a family
template <class T> std::uint64_t word_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return ~std::uint64_t{0};
    return std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0);  // -0.0 becomes 0.0
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

std::uint64_t word_of(std::span<std::byte const> string) {
  std::uint64_t word = string.size();
  for (; !string.empty(); string = string.subspan(std::min(string.size(), sizeof(word)))) {
    std::uint64_t some = 0;
    std::memcpy(&some, string.data(), std::min(string.size(), sizeof(some)));
    word = mix(word ^ some, 1);
  }
  return word;
}

/// @return the sum of what each valid value and its place mix to
template <class Word> std::uint64_t sum_of(nullable_column const& values, std::uint64_t first, Word const& word) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < values.size; ++i) {
    std::uint64_t const bit = values.offset + i;
    if (values.validity == nullptr || (values.validity[bit / 8] >> bit % 8 & 1) != 0)
      sum += mix(mix(word(i), 0) + first + i, 1);
  }
  return sum;
}

template <class T> std::uint64_t sum_of_numbers(nullable_column const& values, std::uint64_t first) {
  return sum_of(values, first, [keys = static_cast<T const*>(values.data)](auto i) { return word_of(keys[i]); });
}

std::uint64_t sum_of_strings(nullable_column const& values, std::uint64_t first) {
  std::span const all(static_cast<std::byte const*>(values.data), values.strings.bytes);
  return sum_of(values, first, [&](auto i) {
    auto const [begin, end] = span_of(values, i);
    return word_of(all.subspan(begin, end - begin));
  });
}

/// @param bytes of each value
std::uint64_t sum_of_fixed(nullable_column const& values, std::uint64_t first, std::size_t bytes) {
  return sum_of(values, first, [bytes, all = static_cast<std::byte const*>(values.data)](auto i) {
    return word_of(std::span(all + i * bytes, bytes));
  });
}

/// The fingerprint of the values of a part of a column and their rows. Those of the parts add up to that of the column,
/// modulo 2^64. It does not depend on how wide the values are stored.
std::uint64_t fingerprint(nb::handle keys, std::uint64_t first) {
  part const held(keys, nullptr);
  nullable_column const& values = held.whole().values;
  without_gil const free;
  if (values.type == key_type::bytes) return sum_of_strings(values, first);
  return with_key_type(values.type, [&]<class Key>() {
    if constexpr (sizeof(Key) == 16) return sum_of_fixed(values, first, sizeof(Key));
    else return sum_of_numbers<key_number<Key>>(values, first);
  });
}

}  // namespace

void bind_fingerprint(nb::module_& m) { m.def("fingerprint", fingerprint, nb::arg("part"), nb::arg("first")); }

}  // namespace warpdex::python
