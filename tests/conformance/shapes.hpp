// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

/// @file
/// The key columns and probes that break indexes. The same generator state gives the same values with
/// every standard library, so nothing of <random> but the engine is used.
namespace warpdex::test {

using generator = std::mt19937_64;

/// @return a number below `bound`
inline std::uint64_t below(generator& random, std::uint64_t bound) { return random() % bound; }

template <class T> T pick(generator& random, std::vector<T> const& from) { return from[below(random, from.size())]; }

template <class T> void shuffle(std::vector<T>& values, generator& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(random, i)]);
}

enum class distribution : std::uint8_t {
  dense,
  uniform,
  few_values,
  all_equal,
  runs,
  ends,
  special,
  steps,
  extreme_bits,
  colliding,
  crowded,
  outliers,
  prefixes,
  clusters,
  stairs,
  zipf_copies,
  magnitudes
};
inline constexpr int distributions = 17;

inline std::string_view to_string(distribution d) {
  constexpr std::string_view names[] = {"dense",    "uniform",  "few_values",   "all_equal",   "runs",      "ends",
                                        "special",  "steps",    "extreme_bits", "colliding",   "crowded",   "outliers",
                                        "prefixes", "clusters", "stairs",       "zipf_copies", "magnitudes"};
  return names[static_cast<int>(d)];
}

/// The unsigned number of a key's width.
template <class Scalar>
using bits_of = std::conditional_t<sizeof(Scalar) == 16, u128,
                                   std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>>;

/// @return the key that indexes hold as `code`
template <class Scalar> Scalar decoded(bits_of<Scalar> code) {
  constexpr key_codec codec = std::is_floating_point_v<Scalar> ? key_codec::real
                              : Scalar(-1) < Scalar{0}         ? key_codec::flip_sign
                                                               : key_codec::identity;
  return std::bit_cast<Scalar>(decode(codec, code));
}

/// Any bit pattern: every NaN, every infinity, every denormal. Often one of the two halves is zero.
template <class Scalar> Scalar any_value(generator& random) {
  if constexpr (sizeof(Scalar) == 16) {
    std::uint64_t const kind = below(random, 4);
    std::uint64_t const high = kind == 0 ? 0 : random();
    std::uint64_t const low = kind == 1 ? 0 : random();
    return Scalar{high} << 64 | low;
  } else {
    return std::bit_cast<Scalar>(static_cast<bits_of<Scalar>>(random()));
  }
}

/// For floats: either sign with an exponent of all zeros or all ones, so denormals and NaN of all payloads. For other
/// types: values that differ in few bits from one end or from the middle.
template <class Scalar> Scalar extreme_bits_value(generator& random) {
  using bits = bits_of<Scalar>;
  constexpr bits sign = bits{1} << (sizeof(bits) * 8 - 1);
  constexpr bits exponent = static_cast<bits>(sizeof(bits) == 4 ? 0x7f800000ull : 0x7ff0000000000000ull);
  bits value = below(random, 2) == 0 ? bits{0} : exponent;
  if (below(random, 2) == 0) value |= sign;
  for (std::uint64_t i = below(random, 3); i > 0; --i) value ^= bits{1} << below(random, sizeof(bits) * 8);
  return std::bit_cast<Scalar>(value);
}

/// The values that a careless index would reserve or misplace.
template <class Scalar> std::vector<Scalar> special_values() {
  using limits = std::numeric_limits<Scalar>;
  std::vector<Scalar> values = {limits::lowest(), limits::max(), Scalar{0}, Scalar{1}, static_cast<Scalar>(-1)};
  if constexpr (std::is_floating_point_v<Scalar>) {
    for (Scalar const v : {Scalar{0}, limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), limits::min()}) {
      values.push_back(v);
      values.push_back(-v);
    }
    values.push_back(std::bit_cast<Scalar>(static_cast<bits_of<Scalar>>(-1)));  // a negative NaN with a full payload
  } else {
    values.push_back(static_cast<Scalar>(limits::max() - 1));
    values.push_back(static_cast<Scalar>(limits::min() + 1));
    values.push_back(static_cast<Scalar>(limits::max() / 2));
    values.push_back(static_cast<Scalar>(limits::max() / 2 + 1));
  }
  if constexpr (sizeof(Scalar) == 16) {
    constexpr Scalar half = Scalar{1} << 64;
    for (Scalar const v : {half - 1, half, half + 1, limits::max() - half, limits::max() - (half - 1)})
      values.push_back(v);
  }
  return values;
}

/// The next value of the type in the given direction, or the value itself at the type's end.
template <class Scalar> Scalar neighbour(Scalar value, int direction) {
  using limits = std::numeric_limits<Scalar>;
  if constexpr (std::is_floating_point_v<Scalar>) {
    if (std::isnan(value)) return direction < 0 ? limits::infinity() : value;
    return std::nextafter(value, direction < 0 ? -limits::infinity() : limits::infinity());
  } else {
    if (direction < 0) return value == limits::min() ? value : static_cast<Scalar>(value - 1);
    return value == limits::max() ? value : static_cast<Scalar>(value + 1);
  }
}

/// @param seed under which the hashes of colliding keys are consecutive; 0 is the seed of a first hash table
template <class Scalar>
std::vector<Scalar> make_keys(distribution kind, std::uint64_t n, generator& random, std::uint64_t seed = 0) {
  using limits = std::numeric_limits<Scalar>;
  std::vector<Scalar> keys;
  keys.reserve(n);
  switch (kind) {
    case distribution::dense: {
      // Up to the largest key, or around zero: for floats these are numbers they hold exactly.
      bool const at_end = !std::is_floating_point_v<Scalar> && below(random, 2) == 0;
      Scalar const first = at_end ? static_cast<Scalar>(limits::max() - static_cast<Scalar>(n))
                                  : static_cast<Scalar>(std::is_unsigned_v<Scalar> ? 0 : -static_cast<int>(n / 2));
      for (std::uint64_t i = 0; i < n; ++i) keys.push_back(static_cast<Scalar>(first + static_cast<Scalar>(i)));
      break;
    }
    case distribution::uniform: {
      // In half of the columns one key in sixteen repeats another.
      bool const repeats = below(random, 2) == 0;
      while (keys.size() < n)
        keys.push_back(repeats && !keys.empty() && below(random, 16) == 0 ? pick(random, keys)
                                                                          : any_value<Scalar>(random));
      break;
    }
    case distribution::few_values: {
      std::vector<Scalar> pool(1 + static_cast<std::size_t>(std::sqrt(static_cast<double>(n))));
      for (Scalar& value : pool) value = any_value<Scalar>(random);
      while (keys.size() < n) keys.push_back(pick(random, pool));
      break;
    }
    case distribution::all_equal:
      keys.assign(n, below(random, 2) == 0 ? pick(random, special_values<Scalar>()) : any_value<Scalar>(random));
      break;
    case distribution::runs: {
      // Equal keys in numbers around node sizes, so they start and end anywhere in a node.
      std::vector<int> const lengths = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 300};
      Scalar key = Scalar{10};
      while (keys.size() < n) {
        keys.insert(keys.end(),
                    std::min<std::uint64_t>(n - keys.size(), static_cast<std::uint64_t>(pick(random, lengths))), key);
        key = static_cast<Scalar>(key + static_cast<Scalar>(1 + below(random, 2)));
      }
      break;
    }
    case distribution::ends: {
      std::vector<Scalar> const pool = {limits::lowest(), neighbour(limits::lowest(), 1), limits::max(),
                                        neighbour(limits::max(), -1)};
      while (keys.size() < n) keys.push_back(pick(random, pool));
      break;
    }
    case distribution::special: {
      auto const pool = special_values<Scalar>();
      while (keys.size() < n) keys.push_back(pick(random, pool));
      break;
    }
    case distribution::steps: {
      // From one value on, as dense as the type is there: denormals, the last numbers before infinity.
      Scalar key = pick(random, special_values<Scalar>());
      int const direction = below(random, 2) == 0 ? -1 : 1;
      for (; keys.size() < n; key = neighbour(key, direction)) keys.push_back(key);
      break;
    }
    case distribution::extreme_bits:
      while (keys.size() < n) keys.push_back(extreme_bits_value<Scalar>(random));
      break;
    case distribution::colliding:
    case distribution::crowded: {
      // Under one seed, or under eight at once.
      std::uint64_t const seeds = kind == distribution::colliding ? 1 : 8;
      for (std::uint64_t s = 0; s < seeds; ++s) {
        auto hash = any_value<bits_of<Scalar>>(random);
        for (std::uint64_t const end = n * (s + 1) / seeds; keys.size() < end; ++hash)
          keys.push_back(decoded<Scalar>(unmix(hash, s == 0 ? seed : s * 0x9e3779b97f4a7c15ull)));
      }
      break;
    }
    case distribution::outliers: {
      // Nearly all keys in a narrow stretch somewhere, a few far away on both sides.
      auto const first = any_value<bits_of<Scalar>>(random);
      while (keys.size() < n)
        keys.push_back(below(random, 64) == 0 ? any_value<Scalar>(random)
                                              : decoded<Scalar>(first + below(random, n * 4 + 1)));
      break;
    }
    case distribution::prefixes: {
      // Every key has one of a few random prefixes, and a short suffix.
      std::vector<bits_of<Scalar>> prefixes(1 + n / 50);
      for (auto& prefix : prefixes) prefix = any_value<bits_of<Scalar>>(random) >> 12 << 12;
      while (keys.size() < n) keys.push_back(decoded<Scalar>(pick(random, prefixes) | below(random, 1 << 12)));
      break;
    }
    case distribution::clusters: {
      // Each cluster is as wide as its keys have bits in common, which is anything: as columns of cell numbers are.
      auto key = any_value<bits_of<Scalar>>(random);
      for (; keys.size() < n; key = static_cast<bits_of<Scalar>>(key + random())) {
        std::uint64_t const width = below(random, 8 * sizeof(Scalar));
        for (std::uint64_t end = std::min<std::uint64_t>(n, keys.size() + below(random, n / 8 + 2)); keys.size() < end;)
          keys.push_back(decoded<Scalar>(key ^ any_value<bits_of<Scalar>>(random) >> width));
      }
      break;
    }
    case distribution::stairs: {
      auto key = any_value<bits_of<Scalar>>(random);
      while (keys.size() < n) {
        for (std::uint64_t i = below(random, 40); i > 0 && keys.size() < n; --i) keys.push_back(decoded<Scalar>(key));
        key = static_cast<bits_of<Scalar>>(key + 1 + below(random, 2) * below(random, 1 << 20));
      }
      break;
    }
    case distribution::magnitudes:
      while (keys.size() < n)
        keys.push_back(decoded<Scalar>(any_value<bits_of<Scalar>>(random) >> below(random, 8 * sizeof(Scalar))));
      break;
    case distribution::zipf_copies: {
      // Key number i has about n / i copies.
      std::uint64_t const distinct = n / 8 + 1;
      std::uint64_t const salt = random();
      while (keys.size() < n) {
        double const part = static_cast<double>(below(random, 1 << 20)) / (1 << 20);
        auto const number = static_cast<std::uint64_t>(std::pow(static_cast<double>(distinct), part));
        keys.push_back(decoded<Scalar>(static_cast<bits_of<Scalar>>(mix(number, salt))));
      }
      break;
    }
  }
  if (below(random, 4) != 0) shuffle(keys, random);  // else as made, often sorted already
  if (below(random, 8) == 0) std::reverse(keys.begin(), keys.end());
  return keys;
}

/// Keys of the column, their neighbours on both sides, both ends of the type, and values from anywhere.
template <class Scalar>
std::vector<Scalar> make_probes(std::vector<Scalar> const& keys, std::uint64_t about, generator& random) {
  std::vector<Scalar> probes = special_values<Scalar>();
  for (std::uint64_t i = 0; i < about; ++i) {
    if (!keys.empty() && i % 4 != 3) {
      Scalar const& key = keys[below(random, keys.size())];
      probes.push_back(i % 4 == 0 ? key : neighbour(key, i % 4 == 1 ? -1 : 1));
    } else {
      probes.push_back(any_value<Scalar>(random));
    }
  }
  shuffle(probes, random);
  return probes;
}

/// Row ids in random order, some of them more than once; never the reserved one.
inline std::vector<std::uint64_t> make_rows(std::uint64_t n, std::uint64_t largest, generator& random) {
  std::vector<std::uint64_t> rows(n);
  std::uint64_t const kind = below(random, 3);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (kind == 0) rows[i] = i;
    else if (kind == 1) rows[i] = below(random, n / 3 + 1);
    else rows[i] = largest - below(random, 2 * n + 1);
  }
  shuffle(rows, random);
  return rows;
}

}  // namespace warpdex::test
