// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/shapes.hpp"

#include <string>

/// @file
/// The shapes of key columns, where keys are byte strings.
namespace warpdex::test {

/// Lengths around those of the words and of the references that comparisons take.
inline std::size_t some_length(generator& random) {
  constexpr std::size_t lengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 24, 40, 100, 255, 256, 257};
  return lengths[below(random, below(random, 8) == 0 ? std::size(lengths) : std::size(lengths) - 4)];
}

/// Bytes of any values, or all equal but the last, or of the two extreme values alone.
inline std::string some_bytes(std::size_t length, generator& random) {
  constexpr char extremes[] = {'\x00', '\xff'};
  std::uint64_t const kind = below(random, 4);
  std::string text(length, extremes[below(random, 2)]);
  if (kind == 0)
    for (char& c : text) c = extremes[below(random, 2)];
  if (kind >= 2)
    for (char& c : text) c = static_cast<char>(random());
  if (kind == 1 && length != 0 && below(random, 2) == 0) text.back() = static_cast<char>(random());
  return text;
}

/// @return the number with its most significant byte first
inline std::string big_endian(std::uint64_t number, std::size_t length = 8) {
  std::string text(length, '\0');
  for (std::size_t i = length; i > 0; number >>= 8) text[--i] = static_cast<char>(number);
  return text;
}

template <> inline std::string any_value(generator& random) { return some_bytes(some_length(random), random); }

template <> inline std::vector<std::string> special_values() {
  std::vector<std::string> values = {"", "a", std::string(1, '\x01'), "\x7f", "\x80", std::string("\xff\0", 2)};
  for (std::size_t const length : {1, 2, 7, 8, 9, 16, 17, 300})
    for (char const byte : {'\x00', '\xff'}) values.emplace_back(length, byte);
  return values;
}

/// The string after another; or the one before it, which exists only if the string ends with a zero byte, else a string
/// near it.
template <> inline std::string neighbour(std::string value, int direction) {
  if (direction > 0) return value + '\0';
  if (value.empty()) return value;
  if (value.back() == '\0') value.pop_back();
  else value.back() = static_cast<char>(static_cast<unsigned char>(value.back()) - 1);
  return value;
}

/// The shapes have the names of those of numbers that break the same parts of an index.
template <>
inline std::vector<std::string> make_keys(distribution kind, std::uint64_t n, generator& random, std::uint64_t) {
  using text = std::string;
  std::vector<text> keys;
  keys.reserve(n);
  auto const fill_from = [&](std::vector<text> const& pool) {
    while (keys.size() < n) keys.push_back(pick(random, pool));
  };
  switch (kind) {
    case distribution::dense: {  // numbers, with their last byte first different; or in decimals
      bool const decimal = below(random, 2) == 0;
      for (std::uint64_t i = 0; i < n; ++i) keys.push_back(decimal ? std::to_string(i) : big_endian(i));
      break;
    }
    case distribution::uniform: {
      bool const repeats = below(random, 2) == 0;
      while (keys.size() < n)
        keys.push_back(repeats && !keys.empty() && below(random, 16) == 0 ? pick(random, keys)
                                                                          : any_value<text>(random));
      break;
    }
    case distribution::few_values: {
      std::vector<text> pool(1 + static_cast<std::size_t>(std::sqrt(static_cast<double>(n))));
      for (text& value : pool) value = any_value<text>(random);
      fill_from(pool);
      break;
    }
    case distribution::all_equal:
      keys.assign(n, below(random, 2) == 0 ? pick(random, special_values<text>()) : any_value<text>(random));
      break;
    case distribution::runs:
      for (std::uint64_t number = 0; keys.size() < n; ++number)
        keys.insert(keys.end(), std::min<std::uint64_t>(n - keys.size(), 1 + below(random, 40)),
                    "key " + std::to_string(number));
      break;
    case distribution::ends: fill_from({"", text(1, '\0'), text(9, '\xff'), text(10, '\xff')}); break;
    case distribution::special: fill_from(special_values<text>()); break;
    case distribution::steps: {  // every key begins the next one
      constexpr char bytes[] = {'\x00', '\x01', '\xff'};
      for (text key; keys.size() < n; key = any_value<text>(random))
        for (char const byte = bytes[below(random, 3)]; keys.size() < n && key.size() < 700; key += byte)
          keys.push_back(key);
      break;
    }
    case distribution::extreme_bits:  // different in the last bits alone
      while (keys.size() < n) {
        text key(some_length(random), below(random, 2) == 0 ? '\x00' : '\xff');
        if (!key.empty()) key.back() = static_cast<char>(key.back() ^ static_cast<char>(below(random, 4)));
        keys.push_back(std::move(key));
      }
      break;
    case distribution::colliding: {  // all share their first 100 bytes
      text const shared = some_bytes(100, random);
      while (keys.size() < n) keys.push_back(shared + some_bytes(below(random, 12), random));
      break;
    }
    case distribution::crowded: {  // all share some bytes, some are no longer than these
      text const shared = some_bytes(below(random, 20), random) + text(2, '\0');
      while (keys.size() < n) keys.push_back(shared + text(below(random, 12), '\0'));
      break;
    }
    case distribution::outliers:  // one is far longer than all others
      while (keys.size() < n)
        keys.push_back(keys.empty() ? some_bytes(70000, random) : big_endian(below(random, 4 * n + 1), 5));
      break;
    case distribution::prefixes: {
      std::vector<text> hosts(1 + n / 50);
      for (text& host : hosts) host = "https://www." + std::to_string(random() % 1000000) + ".example/";
      while (keys.size() < n) keys.push_back(pick(random, hosts) + std::to_string(below(random, 100000)));
      break;
    }
    case distribution::clusters:
      while (keys.size() < n) {
        text const shared = any_value<text>(random);
        for (std::uint64_t end = std::min<std::uint64_t>(n, keys.size() + below(random, n / 8 + 2)); keys.size() < end;)
          keys.push_back(shared + any_value<text>(random));
      }
      break;
    case distribution::stairs:
      for (std::uint64_t key = random() >> 20; keys.size() < n; key += 1 + below(random, 2) * below(random, 1 << 20))
        for (std::uint64_t i = below(random, 40); i > 0 && keys.size() < n; --i) keys.push_back(big_endian(key, 16));
      break;
    case distribution::zipf_copies:
      while (keys.size() < n)
        keys.push_back("word" + std::to_string(below(random, 1 + below(random, 1 + below(random, n + 1)))));
      break;
    case distribution::magnitudes:
      while (keys.size() < n) keys.push_back(some_bytes(below(random, 1 + below(random, 120)), random));
      break;
  }
  if (below(random, 4) != 0) shuffle(keys, random);
  if (below(random, 8) == 0) std::reverse(keys.begin(), keys.end());
  return keys;
}

/// Beginnings of other strings, of any length.
inline std::vector<std::string> make_prefixes(std::vector<std::string> from, generator& random) {
  for (std::string& text : from)
    if (below(random, 4) != 0) text.resize(below(random, std::min<std::size_t>(text.size(), 300) + 1));
  return from;
}

}  // namespace warpdex::test
