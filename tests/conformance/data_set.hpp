// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/driver.hpp"
#include "conformance/string_shapes.hpp"
#include "support/oracle.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// The entries of an index, and questions with the oracle's answers. Cases that differ only in how a batch runs share
/// them.
namespace warpdex::test {

/// Probes, and for each where its entries begin and end.
template <class Scalar> struct point_questions {
  std::vector<Scalar> probes;
  std::vector<std::uint64_t> lower;
  std::vector<std::uint64_t> upper;

  std::size_t size() const { return probes.size(); }

  void add(std::vector<Scalar> const& more, oracle<Scalar> const& entries) {
    for (Scalar const& probe : more) {
      probes.push_back(probe);
      lower.push_back(entries.lower_bound(probe));
      upper.push_back(entries.upper_bound(probe));
    }
  }

  point_questions first(std::size_t count) const {
    auto const end = static_cast<std::ptrdiff_t>(count);
    return {{probes.begin(), probes.begin() + end},
            {lower.begin(), lower.begin() + end},
            {upper.begin(), upper.begin() + end}};
  }

  /// The first `count` probes. Of each ten, all but `others` are replaced by the very last probe.
  point_questions skewed(std::size_t count, std::size_t others) const {
    point_questions result = first(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 10 < others) continue;
      result.probes[i] = probes.back();
      result.lower[i] = lower.back();
      result.upper[i] = upper.back();
    }
    return result;
  }
};

/// Ranges of keys, both ends included, and the entries of each.
template <class Scalar> struct range_questions {
  std::vector<Scalar> lower;
  std::vector<Scalar> upper;
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> last;

  range_questions() = default;
  range_questions(std::vector<Scalar> from, std::vector<Scalar> to, oracle<Scalar> const& entries)
      : lower(std::move(from)), upper(std::move(to)) {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      first.push_back(entries.lower_bound(lower[i]));
      last.push_back(std::max(first[i], entries.upper_bound(upper[i])));
    }
  }

  std::size_t size() const { return lower.size(); }

  range_questions head(std::size_t count) const {
    auto const end = static_cast<std::ptrdiff_t>(count);
    range_questions result;
    result.lower.assign(lower.begin(), lower.begin() + end);
    result.upper.assign(upper.begin(), upper.begin() + end);
    result.first.assign(first.begin(), first.begin() + end);
    result.last.assign(last.begin(), last.begin() + end);
    return result;
  }
};

/// The ranges of keys that begin with each prefix, with no upper ends.
template <class Scalar>
range_questions<Scalar> ranges_of_prefixes(std::vector<Scalar> prefixes, oracle<Scalar> const& entries) {
  range_questions<Scalar> result;
  result.lower = std::move(prefixes);
  for (Scalar const& prefix : result.lower) {
    result.first.push_back(entries.lower_bound(prefix));
    result.last.push_back(entries.end_of_prefix(prefix));
  }
  return result;
}

/// Ranges of any kind between two columns of keys, some of one key, some of everything, inverted and short ones.
/// @param short_ones number of short ranges, of less than a node to several nodes, as leaf scans see them
template <class Scalar>
range_questions<Scalar> make_ranges(std::vector<Scalar> lower, std::vector<Scalar> upper, oracle<Scalar> const& sorted,
                                    std::uint64_t short_ones, generator& random) {
  auto const special = special_values<Scalar>();
  std::size_t const size = std::min(lower.size(), upper.size());
  lower.resize(size);
  upper.resize(size);
  // Wide ranges take long to add up. After the first ones, both ends are probes that are neighbours, a few inverted.
  std::vector<Scalar> ends = lower;
  ends.insert(ends.end(), upper.begin(), upper.end());
  std::sort(ends.begin(), ends.end(), key_less<Scalar>);
  for (std::size_t i = 60; i < size; ++i) {
    std::uint64_t const from = below(random, ends.size());
    std::uint64_t const to = std::min<std::uint64_t>(from + below(random, 4), ends.size() - 1);
    lower[i] = ends[i % 8 == 0 ? to : from];
    upper[i] = ends[i % 8 == 0 ? from : to];
  }
  for (std::size_t i = 0; i < size; i += 3) {
    if (i % 2 == 0) upper[i] = lower[i];
    else if (key_less(upper[i], lower[i])) std::swap(lower[i], upper[i]);
  }
  for (Scalar const& a : special) {
    lower.push_back(a);
    upper.push_back(pick(random, special));
  }
  lower.push_back(*std::min_element(special.begin(), special.end(), key_less<Scalar>));
  upper.push_back(*std::max_element(special.begin(), special.end(), key_less<Scalar>));
  lower.push_back(upper.back());
  upper.push_back(lower[lower.size() - 2]);
  auto const& entries = sorted.entries();
  for (std::uint64_t i = 0; i < short_ones && !entries.empty(); ++i) {
    std::uint64_t const first = below(random, entries.size());
    std::uint64_t const last = std::min<std::uint64_t>(first + below(random, 80), entries.size() - 1);
    lower.push_back(entries[first].key);
    upper.push_back(entries[last].key);
  }
  return {std::move(lower), std::move(upper), sorted};
}

/// The questions for batches of given sizes, enough for the largest.
template <class Scalar> struct batch_questions {
  point_questions<Scalar> points;
  range_questions<Scalar> ranges;
};

/// The entries of an index before any update. @tparam Row the type of their rows
template <class Scalar, class Row> class data_set {
 public:
  data_set(std::vector<Scalar> keys_given, std::vector<std::uint64_t> rows_given, std::uint64_t seed)
      : keys(std::move(keys_given)), rows(std::move(rows_given)),
        sorted(std::make_shared<oracle<Scalar> const>(keys, rows)), seed_(seed) {}

  /// @return the data set of a case; the one of the case before if it is the same
  static std::shared_ptr<data_set const> of(conformance_case const& c) {
    using identity = std::tuple<distribution, std::uint64_t, bool, std::uint64_t>;
    static std::optional<identity> last;
    static std::shared_ptr<data_set const> kept;
    std::uint64_t const seed = c.data_seed != 0 ? c.data_seed : ~c.seed;
    identity const id(c.kind, c.size, c.given_rows, seed);
    if (last == id) return kept;
    generator random(seed);
    auto keys = make_keys<Scalar>(c.kind, c.size, random);
    auto rows = c.given_rows ? make_rows(c.size, no_row<Row> - 1, random) : std::vector<std::uint64_t>();
    kept = std::make_shared<data_set const>(std::move(keys), std::move(rows), seed);
    last = id;
    return kept;
  }

  /// Questions for batches of up to `largest`; made once.
  batch_questions<Scalar> const& batches(std::uint64_t largest, std::uint64_t short_ranges) const {
    if (!batches_ || batches_->points.size() < largest) {
      generator random(seed_ + 1);
      batches_.emplace();
      auto const probes = make_probes(keys, largest, random);
      batches_->points.add(probes, *sorted);
      batches_->ranges = make_ranges(make_probes(keys, largest, random), probes, *sorted, short_ranges, random);
    }
    return *batches_;
  }

  std::vector<Scalar> const keys;
  std::vector<std::uint64_t> const rows;  ///< empty if they are the positions of the keys
  std::shared_ptr<oracle<Scalar> const> const sorted;

 private:
  std::uint64_t seed_;
  mutable std::optional<batch_questions<Scalar>> batches_;
};

}  // namespace warpdex::test
