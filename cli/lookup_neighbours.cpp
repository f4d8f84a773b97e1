// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "lookup.hpp"
#include "results.hpp"
#include "tables/key_texts.hpp"
#include "tools/stopwatch.hpp"

#include <warpdex/join.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

/// @file
/// floor, ceil and nearest: a key next to each probe, and the first or the last row with that key.
namespace warpdex::cli {
namespace {

enum class side { below, above, nearest };

/// The neighbours that some probes of a call have.
class neighbours {
 public:
  neighbours(lookup const& job, side where)
      : index_(*job.opened.index), exec_(job.opened.exec), where_(where), exact_(!job.options.no_exact),
        last_(job.options.ties == "last"),
        texts_(index_.key_type(), job.opened.fields, job.opened.keys_as, exec_.threads) {}

  /// Strings may be long.
  std::uint64_t probes_per_call() const {
    return index_.key_type() == key_type::bytes ? std::uint64_t{1} << 16 : cli::probes_per_call;
  }

  void find(column probes) {
    places_.assign(probes.size, none);
    bool const is_plain = where_ != side::nearest && exact_ && !last_ && probes.type == index_.key_type() &&
                          probes.type != key_type::bytes;
    if (is_plain) find_numbers(probes);
    else find_ranks(probes);
  }

  /// Moves the answers to the positions of their cells.
  void spread(tables::key_column const& probes, std::uint64_t first, std::uint64_t count) {
    places_.resize(count);
    probes.spread(first, count, places_.data(), sizeof places_[0], 0xff);
  }

  bool missing(std::uint64_t i) const { return places_[i] == none; }
  std::uint64_t row(std::uint64_t i) const { return (*rows_)[places_[i]]; }
  std::string_view key(std::uint64_t i) { return texts_[places_[i]]; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// One search a probe.
  void find_numbers(column probes) {
    std::size_t const width = size_of(probes.type);
    std::vector<std::byte> keys(probes.size * width);
    rows_.emplace(probes.size, index_.row_type());
    key_output const to(keys.data(), probes.size, probes.type);
    if (where_ == side::above) index_.ceil(probes, to, rows_->output(probes.size), exec_);
    else index_.floor(probes, to, rows_->output(probes.size), exec_);
    // Probes without a neighbour have no key.
    std::size_t kept = 0;
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < probes.size; ++i) {
      if (rows_->missing(i)) continue;
      std::memmove(keys.data() + kept++ * width, keys.data() + i * width, width);
      found.push_back(i);
    }
    row_array of_found(found.size(), index_.row_type());
    for (std::uint64_t i = 0; i < found.size(); ++i) {
      of_found.set(i, (*rows_)[found[i]]);
      places_[found[i]] = static_cast<std::uint32_t>(i);
    }
    rows_ = std::move(of_found);
    texts_.take(std::move(keys), kept);
  }

  /// Of any kind of key, with any ties: the neighbour's rank, which is that of its first entry above the probe, and of
  /// its last one below.
  void find_ranks(column probes) {
    bool const above = where_ == side::above;
    std::vector<std::uint64_t> const bounds =
        where_ == side::nearest ? nearest_bounds(probes) : bounds_of(probes, above);
    std::vector<std::uint64_t> ranks;
    for (std::uint64_t i = 0; i < probes.size; ++i) {
      bool const found = above ? bounds[i] < index_.size() : bounds[i] > 0;
      if (!found) continue;
      places_[i] = static_cast<std::uint32_t>(ranks.size());
      ranks.push_back(above ? bounds[i] : bounds[i] - 1);
    }
    key_list const keys = index_.keys_at(ranks, exec_);
    if (above == last_ || where_ == side::nearest) {  // the other end of the entries with this key
      if (last_) index_.upper_bound(keys, ranks, exec_);
      else index_.lower_bound(keys, ranks, exec_);
      for (std::uint64_t& rank : ranks) rank -= last_ ? 1 : 0;
    }
    rows_.emplace(index_.rows_at(ranks, exec_), index_.row_type(), exec_);
    texts_.take(keys, exec_);
  }

  /// @return of each probe the rank of the first key above it, or one more than that of the last key below it
  std::vector<std::uint64_t> bounds_of(column probes, bool above) const {
    std::vector<std::uint64_t> bounds(probes.size);
    if (above == exact_) index_.lower_bound(probes, bounds, exec_);
    else index_.upper_bound(probes, bounds, exec_);
    return bounds;
  }

  /// @return one more than the rank of the nearest key of each probe, or 0 if there is no key
  std::vector<std::uint64_t> nearest_bounds(column probes) const {
    row_array nearest(probes.size, index_.row_type());
    asof_join(in_one_piece(index_, "nearest"), probes, nearest.output(probes.size), exec_,
              {asof_direction::nearest, exact_});
    std::vector<std::uint64_t> bounds = bounds_of(probes, false);
    std::vector<std::uint64_t> const above = bounds_of(probes, true);
    std::vector<std::uint64_t> some, ranks;  // the probes with a key above them, and the rank of its first entry
    for (std::uint64_t i = 0; i < probes.size; ++i) {
      if (above[i] == index_.size()) continue;
      some.push_back(i);
      ranks.push_back(above[i]);
    }
    row_array const first_above(index_.rows_at(ranks, exec_), index_.row_type(), exec_);
    for (std::size_t j = 0; j < some.size(); ++j)
      if (nearest[some[j]] == first_above[j]) bounds[some[j]] = ranks[j] + 1;
    return bounds;
  }

  any_index const& index_;
  execution const& exec_;
  side where_;
  bool exact_;
  bool last_;
  std::vector<std::uint32_t> places_;  ///< of each probe among those that have a neighbour
  std::optional<row_array> rows_;
  tables::key_texts texts_;
};

void write(lookup const& job, side where) {
  neighbours found(job, where);
  std::string scratch;
  job.write_header(job.probes.heading("key", true), true);
  for_each_call(
      job.probes.size(),
      [&](std::uint64_t first, std::uint64_t count) {
        tools::stopwatch watch;
        found.find(job.probes.keys(first, count));
        job.done.lookup_seconds += watch.lap();
        found.spread(job.probes, first, count);
        for (std::uint64_t i = 0; i < count; ++i) {
          job.out << job.probes.text(first + i, scratch) << ',';
          if (found.missing(i)) {
            for (std::size_t field = 1; field < job.opened.fields.size(); ++field) job.out << ',';
            job.out << ',';
            job.rows.write_none();
          } else {
            job.out << found.key(i) << ',';
            job.rows.write(found.row(i));
            ++job.done.matches;
          }
          job.out << '\n';
        }
        job.shown.advance(count);
      },
      found.probes_per_call());
}

}  // namespace

void write_floors(lookup const& job) { write(job, side::below); }
void write_ceilings(lookup const& job) { write(job, side::above); }
void write_nearest_keys(lookup const& job) { write(job, side::nearest); }

}  // namespace warpdex::cli
