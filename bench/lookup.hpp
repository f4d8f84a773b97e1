// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/gpu.hpp"
#include "bench/placed_strings.hpp"
#include "bench/report.hpp"
#include "bench/strings.hpp"

#include <warpdex/index.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpdex::bench {

/// A built index, and the time and memory that its build took.
struct built_index {
  warpdex::index index;
  double seconds;            ///< of the whole call
  std::uint64_t peak_bytes;  ///< most memory held during the build, the index included
};

/// Measures `make`: index::build, or index::over_sorted.
inline built_index build_index(spec const& s, column keys, execution const& exec, counting_resource& counter,
                               warpdex::index (*make)(spec const&, column, execution const&) = warpdex::index::build) {
  execution counted = exec;
  counted.memory = &counter;
  auto const before = counter.held();
  counter.forget_peak();
  wall_clock clock;
  auto built = make(s, keys, counted);
  double const time = clock.stop();
  return {std::move(built), time, counter.peak() - before};
}

/// Fields that describe an index: names, bytes, build times.
inline void put_index(record& line, built_index const& built, spec const& asked) {
  auto const bytes = built.index.memory();
  auto const& times = built.index.times();
  line["name"] = asked.text();
  line["resolved"] = built.index.spec_text();
  line["row_type"] = to_string(built.index.row_type());
  line["build_s"] = built.seconds;
  line["build_prepare_s"] = times.prepare;
  line["build_sort_s"] = times.sort;
  line["build_layout_s"] = times.layout;
  line["build_peak_bytes"] = built.peak_bytes;
  line["index_bytes"] = bytes.total();
  line["pair_bytes"] = bytes.pairs;
  line["auxiliary_bytes"] = bytes.auxiliary;
}

/// Fields of a batch of `lookups` lookups. @param threads null for a GPU @return lookups per second
inline double put_lookups(record& line, built_index const& built, record threads, measured const& runs,
                          std::uint64_t lookups) {
  double const rate = rate_of(lookups, runs.time.median);
  auto const bytes = built.index.memory().total();
  line["threads"] = std::move(threads);
  put_time(line, runs.time);
  line["scratch_bytes"] = runs.scratch;
  line["rate"] = rate;
  line["rate_per_byte"] = bytes > 0 ? rate / static_cast<double>(bytes) : 0;
  return rate;
}

/// One batch of point lookups, and where its answers go.
template <class Key> class point_lookup {
 public:
  /// @param parents for `trace`: per row the key of `parent_row`
  point_lookup(point_op op, warpdex::index const& x, placed<Key> const& probes, execution const& exec,
               placement place = placement::device, column parents = {})
      : op_(op), index_(x), probes_(probes), parents_(parents), exec_(exec),
        out_(answers_matches(op) ? 0 : probes.size(), width(op, x.row_type()), exec, place) {
    if (op == point_op::find_any_order) positions_.emplace(probes.size(), sizeof(std::uint32_t), exec, place);
    if constexpr (is_string<Key>)
      if (op == point_op::singular && on_gpu(exec)) references_ = gpu::references(probes.keys(), exec);
    if (op == point_op::match_longest) lengths_.emplace(probes.size(), sizeof(std::uint32_t), exec, place);
    if (op == point_op::floor && !is_string<Key>) floor_keys_.emplace(probes.size(), sizeof(Key), exec, place);
  }

  void poison() {
    found_ = {};
    out_.poison();
    if (positions_) positions_->poison();
    if (floor_keys_) floor_keys_->poison();
    if (lengths_) lengths_->poison();
  }

  /// Only the call itself.
  void run() {
    auto const probes = probes_.keys();
    switch (op_) {
      case point_op::find: index_.find(probes, rows(), exec_); break;
      case point_op::find_any_order:
        index_.find_any_order(probes, positions_->as<std::uint32_t>(), rows(), exec_);
        break;
      case point_op::singular: singular(); break;
      case point_op::contains: index_.contains(probes, out_.as<std::uint8_t>(), exec_); break;
      case point_op::count: index_.count(probes, out_.as<std::uint64_t>(), exec_); break;
      case point_op::retrieve: found_ = index_.retrieve(probes, exec_); break;
      case point_op::lower_bound: index_.lower_bound(probes, out_.as<std::uint64_t>(), exec_); break;
      case point_op::upper_bound: index_.upper_bound(probes, out_.as<std::uint64_t>(), exec_); break;
      case point_op::floor: index_.floor(probes, floor_keys(), rows(), exec_); break;
      case point_op::trace: found_ = index_.trace(probes, parents_, exec_); break;
      case point_op::prefix_count: index_.prefix_count(probes, out_.as<std::uint64_t>(), exec_); break;
      case point_op::match_longest: index_.match_longest(probes, rows(), lengths_->as<std::uint32_t>(), exec_);
    }
  }

  /// Row ids that `retrieve` or `trace` found.
  std::uint64_t matches() const noexcept { return found_.total; }

  /// Bytes of the answers that the call itself allocated.
  std::uint64_t result_bytes() const noexcept { return found_.offsets.bytes() + found_.rows.bytes(); }

  /// Compares all answers: in place if they have the form of the expected ones, else on the host.
  /// @param keys the key column, for `floor` of numbers @throws error naming a wrong one
  void check(placed<std::uint32_t> const& answers, std::span<Key const> keys);

 private:
  void singular();
  /// Whether what is answered along with row `row` of probe `i` (a length or a key), if anything, is right too.
  bool is_key_of(std::uint64_t i, std::uint32_t row, std::span<Key const> keys) const;
  template <class Right> void check_matches(Right const& right) const;
  void check_rows(std::span<std::uint32_t const> counts, std::span<Key const> keys) const;
  void check_paths(std::span<std::uint32_t const> first_rows, std::uint64_t size) const;

  static std::size_t width(point_op op, row_type rows) {
    if (op == point_op::contains) return 1;
    return answers_rows(op) ? size_of(rows) : sizeof(std::uint64_t);
  }
  static bool answers_matches(point_op op) { return op == point_op::retrieve || op == point_op::trace; }
  static bool answers_rows(point_op op) {
    return is_find(op) || op == point_op::floor || op == point_op::match_longest;
  }
  row_output rows() const { return {out_.data(), probes_.size(), index_.row_type()}; }

  /// Strings have no output of keys.
  key_output floor_keys() const {
    if constexpr (is_string<Key>) return {};
    else return floor_keys_->as<Key>();
  }

  /// Answer to probe `i` in the form of the expected answers.
  std::uint64_t answer(std::uint64_t i) const {
    if (positions_) {
      i = places_[i];
      if (i == missing) return unanswered;
    }
    if (op_ == point_op::contains) return out_.at<std::uint8_t>(i);
    if (!answers_rows(op_)) return out_.at<std::uint64_t>(i);
    if (index_.row_type() == row_type::u32) return out_.at<std::uint32_t>(i);
    auto const row = out_.at<std::uint64_t>(i);
    return row == no_row<std::uint64_t> ? missing : row;
  }

  point_op op_;
  warpdex::index const& index_;
  placed<Key> const& probes_;
  column parents_;
  execution exec_;
  result_array out_;
  std::optional<result_array> floor_keys_;
  std::optional<result_array> lengths_;
  buffer references_;  ///< to probes that are strings, for `singular` on a GPU
  warpdex::matches found_;

  /// For answers in any order: the positions as they came, and per probe the index of its answer, or `missing`.
  static constexpr std::uint64_t unanswered = ~std::uint64_t{0};
  std::optional<result_array> positions_;
  std::vector<std::uint32_t> places_;
};

/// @param gpu whether the backend is cuda @throws usage_error if points cannot be measured there as `c` says
void expect_points_on(config const& c, bool gpu);

/// `bench point`, `bench range`, `bench build` and `bench update` for one key type. Print to `out`.
template <class Key> void run_point(config const& c, key_data<Key>& data, cli_context const& context, report& out);
template <class Key> void run_range(config const& c, key_data<Key>& data, cli_context const& context, report& out);
template <class Key> void run_build(config const& c, key_data<Key>& data, cli_context const& context, report& out);

/// @param data the keys of the index, then those of all batches: n + waves * batch
template <class Key> void run_update(config const& c, key_data<Key>& data, cli_context const& context, report& out);

}  // namespace warpdex::bench
