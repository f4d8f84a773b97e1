// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Sorted keys of many shapes, for indexes whose paths depend on how keys are spread.
namespace warpdex::test {

template <class Key> struct key_shape {
  std::string name;
  std::vector<Key> keys;  ///< ascending
};

/// @return `n` keys of each shape
template <class Key> std::vector<key_shape<Key>> key_shapes(std::size_t n, std::uint64_t seed = 1) {
  constexpr Key largest = std::numeric_limits<Key>::max();
  constexpr int bits = 8 * sizeof(Key);
  std::mt19937_64 random(seed);
  auto const uniform = [&] { return static_cast<Key>(random()); };
  std::lognormal_distribution<double> lognormal(0, 2);
  std::normal_distribution<double> normal(0.5, 0.1);
  std::vector<key_shape<Key>> shapes;
  auto const add = [&](std::string name, auto key) {
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(key(i));
    std::sort(keys.begin(), keys.end());
    shapes.push_back({std::move(name), std::move(keys)});
  };
  auto const scaled = [&](double x) {
    return static_cast<Key>(std::clamp(x, 0.0, 0.999) * static_cast<double>(largest));
  };
  add("uniform", [&](std::size_t) { return uniform(); });
  add("dense", [&](std::size_t i) { return i; });
  add("dense with gaps", [&](std::size_t i) { return i + i / 100 * 1000; });
  add("lognormal", [&](std::size_t) { return scaled(lognormal(random) / 1000); });
  add("normal", [&](std::size_t) { return scaled(normal(random)); });
  add("outliers", [&](std::size_t i) { return i < 3 ? largest - i : i == 3 ? Key{0} : uniform() >> bits / 2; });
  add("clusters",
      [&](std::size_t i) { return (uniform() >> 4 & 7) << (bits - 4) | ((i % 5) << 8) | (uniform() & 63); });
  add("bursts", [&](std::size_t i) { return i / 50 * 5000 + i % 50 / 4; });
  add("piecewise", [&](std::size_t i) { return i < n / 2 ? 3 * i : i < n / 4 * 3 ? 100 * i : 1000 * i; });
  add("stairs", [&](std::size_t i) { return i / 17 * 1000 + (i % 17 == 0 ? 0 : 999); });
  add("quadratic", [&](std::size_t i) { return static_cast<std::uint64_t>(i) * i; });
  add("square roots", [&](std::size_t i) { return std::sqrt(static_cast<double>(i)) * 1000; });
  add("powers of two", [&](std::size_t) { return Key{1} << random() % bits; });
  add("equal", [&](std::size_t) { return Key{42}; });
  add("largest", [&](std::size_t) { return largest; });
  add("both ends", [&](std::size_t i) { return i % 2 == 0 ? Key{0} : largest; });
  add("near both ends",
      [&](std::size_t i) { return i % 2 == 0 ? static_cast<Key>(i) : largest - static_cast<Key>(i); });
  add("long runs", [&](std::size_t i) { return i / 900 * 7; });
  add("runs among gaps", [&](std::size_t i) { return i % 3 == 0 ? uniform() : static_cast<Key>(i / 200) << bits / 2; });
  return shapes;
}

}  // namespace warpdex::test
