// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/error.hpp>
#include <warpdex/search/codec.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <random>
#include <span>
#include <string>

#include "backend/cpu/cpu_engine.hpp"
#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "base/types.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"
#include "structures/learned/segmentation.hpp"
#include "structures/pgm/pgm_levels.hpp"
#include "structures/radix_spline/radix_table.hpp"
#include "structures/with_layout.hpp"

/// @file
/// Sizes of models, counted or estimated.
///
/// The estimate is stratified. The sorted sample is cut into strata of equal mass. In each is a run: all keys of the
/// column between two keys of the sample. What a run has per key, its stratum is taken to have per key.
///
///     sample    | . . . . . . . . | . . . . . . . . | . . . . . . . . |     strata
///     runs          ( : : : )       ( : : : )                ( : : : )     keys of the column
///
/// A run excludes its two ends. So a key that fills much of the column cannot fill a run with its copies.
namespace warpdex {
namespace {

constexpr std::array<std::uint64_t, 7> errors = {8, 16, 32, 64, 128, 256, 1024};

/// Keys per run, on average: a few chunks, because a model of the column is made of chunks too.
constexpr std::uint64_t run_keys = 4 * chunk_of_pairs;

using position = std::uint32_t;  // the number of segments does not depend on it

template <class Key> any_entries<Key, position> pairs_of(std::span<Key const> keys) {
  return soa_pairs<Key, position>{keys.data(), {}};
}

template <class Key> std::span<Key const> keys_of(sorted_pairs const& pairs) {
  return {pairs.keys.as<Key>(), pairs.size};
}

sorted_pairs sorted(column keys, execution const& exec) {
  return cpu_backend().sort(keys, std::nullopt, row_type::u32, std::nullopt, exec).pairs;
}

template <class Key> std::uint64_t distinct_among(std::span<Key const> keys) {
  std::uint64_t found = keys.empty() ? 0 : 1;
  for (std::size_t i = 1; i < keys.size(); ++i) found += keys[i] != keys[i - 1] ? 1 : 0;
  return found;
}

/// The bytes of models, as their structures allocate them.
struct model_bytes {
  std::uint64_t key;
  std::uint64_t position;

  std::uint64_t segments(std::uint64_t count) const { return padded_segments(count) * (key + 2 * position); }

  std::uint64_t pgm(std::vector<std::uint64_t> const& levels) const {
    std::uint64_t bytes = 0;
    for (auto const count : levels) bytes += sizeof(std::uint64_t) + segments(count);
    return bytes;
  }

  std::uint64_t spline(std::uint64_t points, std::uint64_t cells) const {
    constexpr std::uint64_t grid = 4 * sizeof(std::uint64_t);
    return grid + (points == 0 ? 0 : segments(points)) + (cells + 1) * position;
  }
};

model_size size_of_model(column_profile const& of, std::uint64_t eps, std::vector<std::uint64_t> const& levels,
                         std::uint64_t points, std::uint64_t cells) {
  model_bytes const bytes{size_of(of.keys), of.size < wide_from ? sizeof(std::uint32_t) : sizeof(std::uint64_t)};
  return {eps,   levels.empty() ? 0 : levels.front(), levels.size(), bytes.pgm(levels), points,
          cells, bytes.spline(points, cells)};
}

/// Makes all models.
template <class Key> void count_all(std::span<Key const> keys, column_profile& to, execution const& exec) {
  auto const pairs = pairs_of(keys);
  to.distinct = distinct_among(keys);
  for (auto const eps : errors) {
    std::vector<std::uint64_t> levels;
    for (auto const& level : make_levels<cpu_engine, Key, position>(
             pairs, keys.size(), eps, pgm_levels::usual_eps_internal, chunk_of_pairs, exec))
      levels.push_back(level.count);
    made_segments spline;
    Key first = 0, last = 0;
    if (!keys.empty()) {
      spline = make_segments<cpu_engine, corridor_fit, Key, position>(pairs, keys.size(), eps, chunk_of_pairs, exec);
      auto const* const points = static_cast<Key const*>(spline.keys.data);
      std::uint64_t const outliers = spline.count / radix_table::points_per_outlier;
      first = points[outliers];
      last = points[spline.count - 1 - outliers];
    }
    auto const grid = radix_table{}.grid_over<std::uint64_t>(spline.count, first, last);
    to.models.push_back(size_of_model(to, eps, levels, spline.count, grid.cells));
  }
}

/// A run of keys between two keys of the sample, both excluded.
template <class Key> struct key_run {
  Key low;
  Key high;
  double copies;  ///< of `low` in the column, as the sample has it
};

/// What a run has per key.
struct densities {
  double distinct;
  std::array<double, errors.size()> segments;
  std::array<double, errors.size()> upper_segments;  ///< of the second level
  std::array<double, errors.size()> points;
};

template <class Key> class estimate {
 public:
  /// @param most_sorted half as many keys are in runs, as their number varies
  estimate(column keys, std::uint64_t most_sorted, execution const& exec)
      : column_(keys), exec_(exec), strata_(most_sorted / 2 / run_keys) {
    take_sample(std::max(most_sorted / 16, keys.size >> 12));
    choose_runs();
    collect();
    for (auto const& run : runs_) found_.push_back(densities_of(run));
  }

  void tell(column_profile& to) const {
    to.smallest = smallest_;
    to.largest = largest_;
    to.distinct = scaled([](densities const& d) { return d.distinct; });
    for (std::size_t e = 0; e < errors.size(); ++e) {
      auto const points = scaled([e](densities const& d) { return d.points[e]; });
      double const outliers = 1.0 / radix_table::points_per_outlier;
      auto const grid =
          radix_table{}.grid_over<std::uint64_t>(points, key_behind(e, outliers), key_behind(e, 1 - outliers));
      to.models.push_back(size_of_model(to, errors[e], levels_of(e), points, grid.cells));
    }
  }

 private:
  void take_sample(std::uint64_t size) {
    std::mt19937_64 random(1);
    std::vector<Key> taken(size);
    for (Key& key : taken) {
      auto const position = static_cast<std::uint64_t>(u128{random()} * column_.size >> 64);
      key = load_element<Key>(column_.data, position);
    }
    sample_ = sorted({taken.data(), size, column_.type}, exec_);
  }

  std::uint64_t stratum() const { return sample_.size / strata_; }

  void choose_runs() {
    auto const sample = keys_of<Key>(sample_);
    std::uint64_t const length = std::max<std::uint64_t>(1, run_keys * sample.size() / column_.size);
    double const mass = static_cast<double>(column_.size) / static_cast<double>(sample.size());
    std::mt19937_64 random(2);
    for (std::uint64_t i = 0; i < strata_; ++i) {
      std::uint64_t const begin = i * stratum() + random() % (stratum() - length);
      auto const [first, last] = std::equal_range(sample.begin(), sample.end(), sample[begin]);
      runs_.push_back({sample[begin], sample[begin + length], static_cast<double>(last - first) * mass});
    }
  }

  /// Reads the whole column and keeps the keys of all runs.
  void collect() {
    key_codec const codec = codec_of(column_.type);
    std::mutex one_at_a_time;
    std::vector<Key> kept;
    Key smallest = static_cast<Key>(-1), largest = 0;
    parallel_chunks(exec_.threads, column_.size, tuning::profile_grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::vector<Key> here;
      Key low = static_cast<Key>(-1), high = 0;
      for (std::uint64_t i = begin; i < end; ++i) {
        Key const bits = load_element<Key>(column_.data, i);
        Key const key = encode(codec, bits);
        low = std::min(low, key);
        high = std::max(high, key);
        if (is_in_run(key)) here.push_back(bits);
      }
      std::lock_guard const lock(one_at_a_time);
      smallest = std::min(smallest, low);
      largest = std::max(largest, high);
      kept.insert(kept.end(), here.begin(), here.end());
    });
    smallest_ = decode(codec, smallest);
    largest_ = decode(codec, largest);
    kept_ = sorted({kept.data(), kept.size(), column_.type}, exec_);
  }

  bool is_in_run(Key key) const {
    auto const after = std::partition_point(runs_.begin(), runs_.end(), [key](auto const& r) { return r.low < key; });
    return after != runs_.begin() && key < (after - 1)->high;
  }

  densities densities_of(key_run<Key> const& run) const {
    auto const kept = keys_of<Key>(kept_);
    auto const first = std::upper_bound(kept.begin(), kept.end(), run.low);
    std::span<Key const> const keys(first, std::lower_bound(first, kept.end(), run.high));
    densities found{};
    if (keys.empty()) {  // copies of one key, whose curve is a single step
      found.distinct = 1 / run.copies;
      found.segments.fill(1 / run.copies);
      found.upper_segments = found.points = found.segments;
      return found;
    }
    found.distinct = static_cast<double>(distinct_among(keys)) / static_cast<double>(keys.size());
    // A chunk that is cut short would count as a whole one.
    auto const whole = keys.size() - (keys.size() < chunk_of_pairs ? 0 : keys.size() % chunk_of_pairs);
    auto const per_key = [whole](double count) { return count / static_cast<double>(whole); };
    auto const pairs = pairs_of(keys);
    for (std::size_t e = 0; e < errors.size(); ++e) {
      auto const segments = make_segments<cpu_engine, hull_fit>(pairs, whole, errors[e], chunk_of_pairs, exec_);
      std::span<Key const> const firsts(static_cast<Key const*>(segments.keys.data), segments.count);
      auto const upper = make_segments<cpu_engine, hull_fit>(pairs_of(firsts), segments.count,
                                                             pgm_levels::usual_eps_internal, chunk_of_segments, exec_);
      auto const spline = make_segments<cpu_engine, corridor_fit>(pairs, whole, errors[e], chunk_of_pairs, exec_);
      found.segments[e] = per_key(static_cast<double>(segments.count));
      // The last segment is cut short, to a half on average. One that takes all may go on to the end of its chunk.
      bool const several = upper.count > 1;
      found.upper_segments[e] = per_key(several ? static_cast<double>(upper.count) - 0.5
                                                : static_cast<double>(segments.count) / chunk_of_segments);
      found.points[e] = per_key(static_cast<double>(spline.count));
    }
    return found;
  }

  /// @return a number for all strata
  template <class Density> double sum(Density const& density) const {
    double total = 0;
    for (auto const& d : found_) total += density(d);
    return total;
  }

  /// @return a number for the column
  template <class Density> std::uint64_t scaled(Density const& density) const {
    double const mean = sum(density) / static_cast<double>(strata_);
    return static_cast<std::uint64_t>(std::ceil(mean * static_cast<double>(column_.size)));
  }

  /// Levels above the second are taken to shrink as the second does. A segment is 2 eps ranks long, or longer.
  std::vector<std::uint64_t> levels_of(std::size_t e) const {
    auto const segments = sum([e](densities const& d) { return d.segments[e]; });
    auto const upper = sum([e](densities const& d) { return d.upper_segments[e]; });
    double const shrinking = std::max(2.0 * pgm_levels::usual_eps_internal, segments / upper);
    std::vector<std::uint64_t> levels{scaled([e](densities const& d) { return d.segments[e]; })};
    while (levels.back() > 1)
      levels.push_back(static_cast<std::uint64_t>(std::ceil(static_cast<double>(levels.back()) / shrinking)));
    return levels;
  }

  /// @return the key that has this part of all spline points before it
  Key key_behind(std::size_t e, double part) const {
    double left = part * sum([e](densities const& d) { return d.points[e]; });
    std::size_t i = 0;
    for (; i + 1 < found_.size() && left > found_[i].points[e]; ++i) left -= found_[i].points[e];
    double const rank =
        (static_cast<double>(i) + std::min(1.0, left / found_[i].points[e])) * static_cast<double>(stratum());
    auto const sample = keys_of<Key>(sample_);
    return sample[std::min(static_cast<std::size_t>(rank), sample.size() - 1)];
  }

  column column_;
  execution const& exec_;
  std::uint64_t strata_;
  sorted_pairs sample_;
  std::vector<key_run<Key>> runs_;  ///< in ascending order
  sorted_pairs kept_;               ///< the keys of all runs
  std::vector<densities> found_;    ///< per run
  Key smallest_ = 0, largest_ = 0;
};

void expect_host_column(column keys, execution const& exec) {
  expect_known("profile", "the key column", keys.type);
  if (exec.memory->backend() != backend_kind::cpu)
    throw invalid_argument("profile: the call's memory belongs to the CUDA backend; profiles are made on the host");
  if (size_of(keys.type) > 8)
    throw unsupported("profile: keys of type " + std::string(to_string(keys.type)) +
                      " have no models; no learned index takes them");
  staging("profile", exec).input(keys, "the key column");
}

}  // namespace

column_profile profile(column keys, row_type rows, execution const& exec, std::uint64_t most_sorted) {
  return run_call("profile", exec, [&] {
    expect_host_column(keys, exec);
    expect_known("profile", "the row column", rows);
    if (most_sorted < 2 * run_keys || most_sorted > std::uint64_t{1} << 31)
      throw invalid_argument("profile: most_sorted is " + std::to_string(most_sorted) + "; it must be in [2^15, 2^31]");
    column_profile result{keys.type, rows, keys.size};
    result.exact = keys.size <= most_sorted;
    auto const run = [&]<class Key>() {
      if (!result.exact) return estimate<Key>(keys, most_sorted, exec).tell(result);
      auto const pairs = sorted(keys, exec);
      auto const all = keys_of<Key>(pairs);
      if (!all.empty()) {
        result.smallest = decode(codec_of(keys.type), all.front());
        result.largest = decode(codec_of(keys.type), all.back());
      }
      count_all(all, result, exec);
    };
    if (size_of(keys.type) == 4) run.template operator()<std::uint32_t>();
    else run.template operator()<std::uint64_t>();
    return result;
  });
}

}  // namespace warpdex
