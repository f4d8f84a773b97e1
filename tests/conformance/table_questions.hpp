// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/oracle.hpp"

/// @file
/// The lookups of the table, with nulls and with all kinds of bounds in turn.
namespace warpdex::test {

/// Asks an index each lookup of the table but `ancestors`. Some probes are null.
/// @tparam Arrays makes the arrays of a call: key_input(values), input(values) and output(size, fill)
template <class Scalar, class Row, class Arrays> class table_questions {
  static constexpr bool strings = std::is_same_v<Scalar, std::string>;

 public:
  /// @param lower probes, or lower bounds
  /// @param upper as many upper bounds
  /// @param bounds any number: which kinds of bounds ranges have, another pair for each lookup
  /// @param bits validity: bit i % 8 of byte i / 8 is that of probe i; also, from bit 3 on, that of upper bound i
  table_questions(any_index const& of, oracle<Scalar> const& known, std::vector<Scalar> lower,
                  std::vector<Scalar> upper, std::uint64_t bounds, std::vector<std::uint8_t> bits,
                  execution const& exec, Arrays& arrays)
      : index_(of), known_(known), lower_(std::move(lower)), upper_(std::move(upper)), bounds_(bounds),
        bits_(std::move(bits)), exec_(exec), arrays_(arrays) {}

  void ask() {
    for (lookup const* const what : lookups::all) {
      if (what == &lookups::ancestors || (what->ordered && !index_.ordered())) continue;
      if (what->takes == probe_form::prefixes && !strings) continue;
      if (what->takes != probe_form::ranges) {
        ask(*what, {true, false, closed_ends::both});
        continue;
      }
      bounds_ = (bounds_ + 1) % 12;  // ranges have one bound or both
      ask(*what, {bounds_ / 4 != 0, bounds_ / 4 != 1, static_cast<closed_ends>(bounds_ % 4)});
    }
  }

 private:
  struct kinds_of_bounds {
    bool has_lower;
    bool has_upper;
    closed_ends closed;
  };

  /// The entries of a probe, as ranks.
  struct span_of_ranks {
    std::uint64_t first;
    std::uint64_t last;
    bool is_null;
  };

  bool bit(std::uint64_t i) const { return (bits_[i / 8] >> (i % 8) & 1) != 0; }

  span_of_ranks ranks_of(lookup const& what, kinds_of_bounds const& bounds, std::size_t i) const {
    if (what.takes == probe_form::keys) return {known_.lower_bound(lower_[i]), known_.upper_bound(lower_[i]), !bit(i)};
    if constexpr (strings)
      if (what.takes == probe_form::prefixes)
        return {known_.lower_bound(lower_[i]), known_.end_of_prefix(lower_[i]), !bit(i)};
    auto const [has_lower, has_upper, closed] = bounds;
    std::uint64_t const first = !has_lower                       ? 0
                                : detail::is_left_closed(closed) ? known_.lower_bound(lower_[i])
                                                                 : known_.upper_bound(lower_[i]);
    std::uint64_t const last = !has_upper                        ? known_.entries().size()
                               : detail::is_right_closed(closed) ? known_.upper_bound(upper_[i])
                                                                 : known_.lower_bound(upper_[i]);
    return {first, std::max(first, last), (has_lower && !bit(i)) || (has_upper && !bit(i + 3))};
  }

  Row row_of(lookup const& what, std::size_t i, span_of_ranks const& of) const {
    auto const& entries = known_.entries();
    auto const at = [&](std::uint64_t rank) { return static_cast<Row>(entries[rank].row); };
    if constexpr (strings)
      if (what.takes == probe_form::prefixes) {
        auto const rank = known_.longest_beginning(lower_[i]);
        return rank < entries.size() ? at(rank) : no_row<Row>;
      }
    switch (what.op) {
      case search_op::floor: return of.last == 0 ? no_row<Row> : at(known_.begin_of_key(of.last - 1));
      case search_op::ceil: return of.first == entries.size() ? no_row<Row> : at(of.first);
      default: return of.first == of.last ? no_row<Row> : at(of.first);
    }
  }

  std::uint64_t length_of(std::size_t i) const {
    if constexpr (strings) {
      auto const rank = known_.longest_beginning(lower_[i]);
      return rank < known_.entries().size() ? known_.entries()[rank].key.size() : 0;
    } else return 0;
  }

  std::uint64_t expected(lookup const& what, answer_kind kind, std::size_t i, span_of_ranks const& of) const {
    bool const rank_of_end = what.op == search_op::upper_bound;
    switch (kind) {
      case answer_kind::flag: return of.is_null ? 0 : of.first != of.last;
      case answer_kind::row: return of.is_null ? no_row<Row> : row_of(what, i, of);
      case answer_kind::rank: return of.is_null ? ~std::uint64_t{0} : rank_of_end ? of.last : of.first;
      case answer_kind::count: return of.is_null ? 0 : of.last - of.first;
      case answer_kind::sum: return of.is_null ? 0 : known_.sum_before(of.last) - known_.sum_before(of.first);
      default: return of.is_null ? 0 : length_of(i);
    }
  }

  void ask(lookup const& what, kinds_of_bounds const& bounds) {
    name_ = fmt::format("{} ({}, {}) with nulls", what.name, 2 * bounds.has_upper + bounds.has_lower,
                        static_cast<int>(bounds.closed));
    std::vector<span_of_ranks> ranks;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      auto const of = ranks_of(what, bounds, i);
      total += of.is_null ? 0 : of.last - of.first;
      if (what.lists() && total > 300000) break;
      ranks.push_back(of);
    }
    std::size_t const m = ranks.size();
    auto const head = [&](std::vector<Scalar> const& of) {
      return std::vector<Scalar>(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(m));
    };
    auto const lower = arrays_.key_input(head(lower_));
    auto const upper = arrays_.key_input(head(upper_));
    auto const bits = arrays_.input(bits_);
    auto const* const valid = static_cast<std::uint8_t const*>(bits.data());
    key_ranges probes;
    probes.closed = bounds.closed;
    if (bounds.has_lower) probes.lower = nullable_column(lower.view(), valid);
    if (bounds.has_upper) probes.upper = nullable_column(upper.view(), valid, 3);
    if (what.lists()) return compare_lists(index_.list(what, probes, exec_), ranks);
    write(what, probes, ranks);
  }

  void write(lookup const& what, key_ranges const& probes, std::vector<span_of_ranks> const& ranks) {
    std::size_t const m = ranks.size();
    auto flags = arrays_.output(m, std::uint8_t{9});
    auto rows = arrays_.output(m, Row{9});
    auto numbers = arrays_.output(m, std::uint64_t{9});
    auto more_numbers = arrays_.output(m, std::uint64_t{9});
    auto small = arrays_.output(m, std::uint32_t{9});
    auto const to = [&](int i) -> lookup_output {
      switch (what.writes[i]) {
        case answer_kind::flag: return flags.span();
        case answer_kind::row: return row_output(rows.span());
        case answer_kind::key: return key_output();
        case answer_kind::position:
        case answer_kind::length: return small.span();
        default: return (i == 0 ? numbers : more_numbers).span();
      }
    };
    if (what.writes[1] == answer_kind::none) index_.look_up(what, probes, {to(0)}, exec_);
    else index_.look_up(what, probes, {to(0), to(1)}, exec_);
    std::vector<std::uint32_t> order;
    if (what.writes[1] == answer_kind::position) order = small.read();
    for (int o = 0; o < 2; ++o) {
      auto const compare = [&](auto const& got) {
        for (std::size_t i = 0; i < m; ++i) {
          std::size_t const probe = order.empty() ? i : order[i];
          auto const want = expected(what, what.writes[o], probe, ranks[probe]);
          if (std::uint64_t{got[i]} != want)
            throw std::runtime_error(
                fmt::format("{}: output {}, answer {} of {}: expected {}, got {}", name_, o, i, m, want, got[i]));
        }
      };
      switch (what.writes[o]) {
        case answer_kind::flag: compare(flags.read()); break;
        case answer_kind::row: compare(rows.read()); break;
        case answer_kind::length: compare(small.read()); break;
        case answer_kind::rank:
        case answer_kind::count:
        case answer_kind::sum: compare((o == 0 ? numbers : more_numbers).read()); break;
        default: break;
      }
    }
  }

  void compare_lists(matches const& got, std::vector<span_of_ranks> const& ranks) const {
    auto const offsets = read_buffer<std::uint64_t>(got.offsets, ranks.size() + 1, exec_);
    auto const rows = read_buffer<Row>(got.rows, got.total, exec_);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      std::uint64_t const size = ranks[i].is_null ? 0 : ranks[i].last - ranks[i].first;
      bool same = offsets[i] == at && offsets[i + 1] - at == size;
      for (std::uint64_t j = 0; same && j < size; ++j)
        same = rows[at + j] == static_cast<Row>(known_.entries()[ranks[i].first + j].row);
      if (!same)
        throw std::runtime_error(fmt::format("{}: the list of probe {} of {} differs", name_, i, ranks.size()));
      at += size;
    }
  }

  any_index const& index_;
  oracle<Scalar> const& known_;
  std::vector<Scalar> lower_;
  std::vector<Scalar> upper_;
  std::uint64_t bounds_;
  std::vector<std::uint8_t> bits_;
  execution exec_;
  Arrays& arrays_;
  std::string name_;
};

}  // namespace warpdex::test
