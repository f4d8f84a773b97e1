// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

/// @file
/// Random numbers and random orders as functions of a seed and a counter. Any number of threads makes the same data,
/// and each element can be made again on its own.
namespace warpdex::bench {

/// Steele, Lea, Flood: SplitMix64.
WDX_HD constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A stream of random numbers.
class noise {
 public:
  WDX_HD noise(std::uint64_t seed, std::uint64_t stream) noexcept : state_(mix(mix(seed) ^ stream)) {}

  WDX_HD std::uint64_t next() noexcept { return mix(state_ += 0x632be59bd9b4e019); }

  /// @return a number below `n`, or of 64 bits for n = 0
  WDX_HD std::uint64_t below(std::uint64_t n) noexcept {
    return n == 0 ? next() : static_cast<std::uint64_t>((u128{next()} * n) >> 64);
  }

  /// @return a number below `n`, or of 128 bits for n = 0; so close to uniform that nobody can tell
  u128 below(u128 n) noexcept {
    u128 const x = u128{next()} << 64 | next();
    return n == 0 ? x : x % n;
  }

  /// @return a number in [0, 1)
  double real() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// A seeded bijection of [first, 2^bits) or of [0, size) onto itself. On all numbers of `bits` bits it is
/// rounds of addition, multiplication by an odd number, and an xor of the upper half into the lower, each of
/// which can be undone. A value outside the domain goes through again until it is inside.
class permutation {
 public:
  /// Of [0, size), size > 0.
  static permutation of_size(std::uint64_t size, std::uint64_t seed) {
    return permutation(std::bit_width(size - 1), 0, size - 1, seed);
  }

  /// Of [first, 2^bits).
  static permutation from(std::uint64_t first, int bits, std::uint64_t seed) {
    return permutation(bits, first, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1, seed);
  }

  std::uint64_t operator()(std::uint64_t x) const noexcept {
    do {
      for (auto const& r : rounds_) {
        x = ((x + r.add) * r.multiply) & mask_;
        x ^= x >> shift_;
      }
    } while (x < first_ || x > last_);
    return x;
  }

  /// @return the number that is mapped to `x`
  std::uint64_t inverse(std::uint64_t x) const noexcept {
    do {
      for (int i = rounds - 1; i >= 0; --i) {
        x ^= x >> shift_;  // is its own inverse: the shift is at least half of the bits
        x = (x * rounds_[i].divide - rounds_[i].add) & mask_;
      }
    } while (x < first_ || x > last_);
    return x;
  }

 private:
  static constexpr int rounds = 4;

  struct round {
    std::uint64_t add;
    std::uint64_t multiply;
    std::uint64_t divide;  ///< inverse of `multiply` modulo 2^64
  };

  permutation(int bits, std::uint64_t first, std::uint64_t last, std::uint64_t seed)
      : mask_(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1), first_(first), last_(last),
        shift_(bits < 2 ? 1 : (bits + 1) / 2) {
    noise random(seed, 0x7065726d);
    for (auto& r : rounds_) {
      r.add = random.next();
      r.multiply = random.next() | 1;
      r.divide = r.multiply;  // right in the lowest 3 bits; each Newton step doubles their number
      for (int i = 0; i < 5; ++i) r.divide *= 2 - r.multiply * r.divide;
    }
  }

  std::uint64_t mask_;
  std::uint64_t first_;
  std::uint64_t last_;
  int shift_;
  round rounds_[rounds];
};

/// Numbers from 0 to n - 1 where number k has a probability proportional to 1 / (k + 1)^s.
/// Hoermann and Derflinger, Rejection-inversion to generate variates from monotone discrete distributions (1996).
class zipf {
 public:
  /// @param n at least 1 @param s above 0
  zipf(std::uint64_t n, double s)
      : n_(static_cast<double>(n)), s_(s), integral_first_(integral(1.5) - 1), integral_last_(integral(n_ + 0.5)),
        accept_(2 - inverse(integral(2.5) - density(2))) {}

  std::uint64_t operator()(noise& random) const {
    for (;;) {
      double const u = integral_last_ + random.real() * (integral_first_ - integral_last_);
      double const x = inverse(u);
      double const k = std::fmin(std::fmax(std::floor(x + 0.5), 1), n_);
      if (k - x <= accept_ || u >= integral(k + 0.5) - density(k)) return static_cast<std::uint64_t>(k) - 1;
    }
  }

 private:
  double density(double x) const { return std::exp(-s_ * std::log(x)); }

  double integral(double x) const {
    double const l = std::log(x);
    double const t = (1 - s_) * l;
    return (std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2) * l;
  }

  double inverse(double y) const {
    double const t = std::fmax(y * (1 - s_), -1);
    return std::exp((std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2) * y);
  }

  double n_;
  double s_;
  double integral_first_;
  double integral_last_;
  double accept_;
};

}  // namespace warpdex::bench
