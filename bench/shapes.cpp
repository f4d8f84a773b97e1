// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "bench/context.hpp"
#include "bench/parallel.hpp"

namespace warpdex::bench {
namespace {

constexpr std::array<std::pair<std::string_view, key_shape>, 10> names{{{"gaps", key_shape::gaps},
                                                                        {"lognormal", key_shape::lognormal},
                                                                        {"normal", key_shape::normal},
                                                                        {"outlier", key_shape::outlier},
                                                                        {"osm", key_shape::osm},
                                                                        {"wiki", key_shape::wiki},
                                                                        {"piecewise", key_shape::piecewise},
                                                                        {"stairs", key_shape::stairs},
                                                                        {"prefix", key_shape::prefix},
                                                                        {"isbn", key_shape::isbn}}};

/// @return a number with the standard normal distribution (Box and Muller, 1958)
double normal(noise& random) {
  double const radius = std::sqrt(-2 * std::log(1 - random.real()));
  return radius * std::cos(2 * std::numbers::pi * random.real());
}

/// @return `x` of all values of the type; `x` is clamped to [0, 1)
template <class Key> Key part(double x) {
  constexpr double values = static_cast<double>(std::numeric_limits<Key>::max()) + 1;
  return static_cast<Key>(std::clamp(x, 0.0, 1 - 0x1p-32) * values);
}

/// @return the bits of x and y in turn, x above y
template <class Key> Key z_order(Key x, Key y) {
  Key z = 0;
  for (int bit = 0; bit < int{sizeof(Key)} * 4; ++bit)
    z |= (x >> bit & 1) << (2 * bit + 1) | (y >> bit & 1) << (2 * bit);
  return z;
}

/// @return number `i` of the books: prefix, group and publisher, of 2 to 6 digits, title, and check digit
std::uint64_t isbn(std::uint64_t i, std::uint64_t seed) {
  constexpr std::uint64_t titles = 800;
  constexpr std::uint64_t tens[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
  noise publisher(seed ^ 4, i / titles);
  std::uint64_t const prefix = publisher.below(std::uint64_t{8}) == 0 ? 979 : 978;
  std::uint64_t const group = publisher.below(std::uint64_t{10});
  auto const digits = 2 + publisher.below(std::uint64_t{5});  // small publishers have long numbers
  std::uint64_t const name = publisher.below(tens[digits]);
  std::uint64_t const title = i % titles % tens[8 - digits];
  std::uint64_t const number = ((prefix * 10 + group) * tens[digits] + name) * tens[8 - digits] + title;
  std::uint64_t sum = 0;
  std::uint64_t rest = number;
  for (int digit = 0; digit < 12; ++digit, rest /= 10) sum += rest % 10 * (digit % 2 == 0 ? 3 : 1);
  return number * 10 + (10 - sum % 10) % 10;
}

/// @return key number `i` of `n`, in no particular order
template <class Key> Key key_of(key_shape shape, std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  constexpr int bits = 8 * sizeof(Key);
  noise random(seed, i);
  switch (shape) {
    case key_shape::gaps: return static_cast<Key>(i / 800 * 1500 + i % 800 * 5 / 4);
    case key_shape::lognormal: return part<Key>(std::exp(2 * normal(random)) / 4096);
    case key_shape::normal: return part<Key>(0.5 + normal(random) / 16);
    case key_shape::outlier:
      if (i < 16) return static_cast<Key>(std::numeric_limits<Key>::max() - random.below(std::uint64_t{1} << bits / 2));
      return static_cast<Key>(random.next() >> (bits == 32 ? 36 : 14));
    case key_shape::osm: {
      constexpr int half = bits / 2;
      noise cluster(seed ^ 1, static_cast<std::uint64_t>(std::pow(random.real(), 3) * 4096));  // few are large
      double const spread = std::exp2(-4 - 8 * cluster.real());
      double const x = cluster.real() + normal(random) * spread;
      double const y = cluster.real() + normal(random) * spread;
      auto const cell = [](double of) { return static_cast<Key>(std::clamp(of, 0.0, 0.999999) * std::exp2(half)); };
      return z_order<Key>(cell(x), cell(y));
    }
    case key_shape::wiki: {
      constexpr std::uint64_t burst = 512;
      noise time(seed ^ 2, i / burst);
      std::uint64_t const span = 16 + (std::uint64_t{1} << time.below(std::uint64_t{11}));
      return static_cast<Key>(i / burst * 1024 + time.below(std::uint64_t{512}) + random.below(span) / 2);
    }
    case key_shape::piecewise: {
      std::uint64_t const length = n / 64 + 1;
      std::uint64_t const piece = i / length;
      std::uint64_t const step = std::uint64_t{1} << mix(seed ^ piece) % (bits == 32 ? 2 : 16);
      return static_cast<Key>(piece << (bits - 6) | i % length * step % (std::uint64_t{1} << (bits - 6)));
    }
    case key_shape::stairs: return static_cast<Key>(mix(seed ^ 3 ^ (i / (1 + mix(i / 64) % 64))) >> (64 - bits));
    case key_shape::prefix: {
      auto const prefix = static_cast<Key>(mix(seed ^ random.below(std::uint64_t{4096})) >> (64 - bits));
      constexpr int suffix = bits == 32 ? 18 : 24;
      return static_cast<Key>(prefix >> suffix << suffix | random.below(std::uint64_t{1} << suffix));
    }
    case key_shape::isbn: return static_cast<Key>(isbn(i, seed));
  }
  return 0;
}

}  // namespace

std::optional<key_shape> shape_named(std::string_view name) {
  auto const* const found =
      std::find_if(names.begin(), names.end(), [&](auto const& known) { return known.first == name; });
  if (found == names.end()) return std::nullopt;
  return found->second;
}

std::string shape_names() {
  std::string text;
  for (auto const& [name, shape] : names) text += (text.empty() ? "" : "|") + std::string(name);
  return text;
}

template <class Key> key_set<Key> make_shape(key_shape shape, std::uint64_t n, std::uint64_t seed) {
  if (shape == key_shape::isbn && sizeof(Key) < 8)
    throw usage_error("--keys isbn: numbers of 13 digits need --key-type u64");
  array<Key> keys(n);
  if (n != 0) {
    auto const order = permutation::of_size(n, mix(seed) ^ 0x7368617065);
    parallel_chunks(n, [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) keys[i] = key_of<Key>(shape, order(i), n, seed);
    });
  }
  return key_set<Key>::of_array(std::move(keys));
}

template key_set<std::uint32_t> make_shape(key_shape, std::uint64_t, std::uint64_t);
template key_set<std::uint64_t> make_shape(key_shape, std::uint64_t, std::uint64_t);

}  // namespace warpdex::bench
