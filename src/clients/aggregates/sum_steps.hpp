// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "clients/aggregates/aggregate_steps.hpp"
#include "clients/aggregates/tuning.hpp"

/// @file
/// Sums of all values before a rank, whose differences are the sums of ranges: a range costs two of them, and not the
/// blocks that it covers. Each must be exact, as a difference of rounded ones would lose small values.
namespace warpdex {

/// A sum of integers, modulo 2^128; or one of floating numbers, with what a double cannot hold of it.
struct integer_sum {
  i128 sum = 0;
};
struct rested_sum {
  double sum = 0;
  double rest = 0;
};
template <class Number> using running_sum = std::conditional_t<std::is_same_v<Number, double>, rested_sum, integer_sum>;

WDX_HD inline integer_sum negative(integer_sum const& of) { return {static_cast<i128>(-static_cast<u128>(of.sum))}; }
WDX_HD inline rested_sum negative(rested_sum const& of) { return {-of.sum, -of.rest}; }

/// The values in key order, and what is before some of them.
template <class Number> struct running_sums {
  value_reader<Number> values;
  running_sum<Number> const* sums;
  std::uint64_t const* counts;  ///< of values that are not null, before the same ones; null if none is null

  WDX_HD running_sum<Number> sum_before(std::uint64_t rank) const {
    running_sum<Number> all = sums[rank / values_per_sum];
    for (std::uint64_t i = rank / values_per_sum * values_per_sum; i < rank; ++i)
      if (values.has(i)) add_sum(all, running_sum<Number>{values.at(i)});
    return all;
  }
  WDX_HD std::uint64_t count_before(std::uint64_t rank) const {
    if (counts == nullptr) return rank;
    std::uint64_t count = counts[rank / values_per_sum];
    for (std::uint64_t i = rank / values_per_sum * values_per_sum; i < rank; ++i) count += values.has(i) ? 1 : 0;
    return count;
  }

  /// @return what is known of the ranks from `from` up to, but not including, `end`
  WDX_HD aggregate<Number> add_up(std::uint64_t from, std::uint64_t end) const {
    aggregate<Number> found;
    if (from >= end) return found;
    running_sum<Number> sum = sum_before(end);
    add_sum(sum, negative(sum_before(from)));
    found.sum = sum.sum;
    found.count = count_before(end) - count_before(from);
    return found;
  }
};

namespace sum_steps {

/// What decides whether two doubles hold all sums of some values exactly. Each value is a multiple of `unit`, and so is
/// all that is computed from them. A sum of at most 2^102 units leaves a rest of at most 2^52 units, which a double
/// holds, also while two rests and the error of a sum are added up.
struct reach_of_values {
  double total = 0;                                       ///< of the values without their signs
  double unit = std::numeric_limits<double>::infinity();  ///< a power of two

  WDX_HD reach_of_values with(reach_of_values const& other) const {
    return {total + other.total, unit < other.unit ? unit : other.unit};
  }
  /// @return whether they do, which they do not if a value is infinite or NaN
  bool is_exact() const { return total / unit <= 0x1p102; }
};

/// The same of value i alone.
struct reach_of_value {
  value_reader<double> values;
  WDX_HD reach_of_values operator()(std::uint64_t i) const {
    reach_of_values result;
    double const value = values.at(i);
    if (!values.has(i) || value == 0) return result;
    result.total = std::fabs(value);
    if (!std::isfinite(value)) return result;
    int exponent = 0;
    constexpr int digits = std::numeric_limits<double>::digits;
    auto const whole = static_cast<std::uint64_t>(std::ldexp(std::frexp(result.total, &exponent), digits));
    result.unit = std::ldexp(static_cast<double>(whole & (~whole + 1)), exponent - digits);
    return result;
  }
};

/// Adds up the values of block number i.
template <class Number> struct sum_values {
  value_reader<Number> from;
  std::uint64_t size;
  running_sum<Number>* sums;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * values_per_sum;
    running_sum<Number> all;
    for (std::uint64_t at = first; at < size && at < first + values_per_sum; ++at)
      if (from.has(at)) add_sum(all, running_sum<Number>{from.at(at)});
    sums[i] = all;
  }
};

/// Counts the values of block number i.
struct count_values {
  std::uint8_t const* valid;
  std::uint64_t size;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * values_per_sum;
    std::uint64_t count = 0;
    for (std::uint64_t at = first; at < size && at < first + values_per_sum; ++at) count += valid[at] != 0 ? 1 : 0;
    counts[i] = count;
  }
};

/// Adds up 16 sums.
template <class Number> struct sum_sums {
  running_sum<Number> const* from;
  std::uint64_t size;
  running_sum<Number>* sums;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * block_size;
    running_sum<Number> all;
    for (std::uint64_t at = first; at < size && at < first + block_size; ++at) add_sum(all, from[at]);
    sums[i] = all;
  }
};

/// Puts the sum of all before it in the place of each of 16 sums.
template <class Number> struct sum_all_before {
  running_sum<Number>* sums;
  std::uint64_t size;
  running_sum<Number> const* before;  ///< the first of each 16; null if there are no more
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = i * block_size;
    running_sum<Number> own[block_size];  // read before the first is written, which a compiler must not decide
    for (std::uint64_t j = 0; j < block_size; ++j)
      if (first + j < size) own[j] = sums[first + j];
    running_sum<Number> all;
    if (before != nullptr) all = before[i];
    for (std::uint64_t j = 0; j < block_size && first + j < size; ++j) {
      sums[first + j] = all;
      add_sum(all, own[j]);
    }
  }
};

/// Adds up the values of some ranks. @tparam Values what adds them up: blocks of them, or sums before ranks
template <class Number, class Values> struct add_up_ranks {
  Values of;
  ranks_of_ranges ranks;
  aggregate<Number>* out;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const from = ranks.begin(i);
    store_element(out, i, of.add_up(from, ranks.end(i, from)));
  }
};

struct all
    : steps::list<steps::runs<sum_values<i128>, sum_values<double>, count_values, sum_sums<i128>, sum_sums<double>,
                              sum_all_before<i128>, sum_all_before<double>, add_up_ranks<i128, value_tree<i128>>,
                              add_up_ranks<double, value_tree<double>>, add_up_ranks<i128, running_sums<i128>>,
                              add_up_ranks<double, running_sums<double>>>,
                  steps::reduces<reach_of_value>> {};
all list_of_step(...);

}  // namespace sum_steps
}  // namespace warpdex
