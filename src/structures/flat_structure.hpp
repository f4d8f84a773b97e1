// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/view_structure.hpp"

/// @file
/// What all flat structures share. A flat structure is an array of pairs whose slots follow from ranks, and perhaps a
/// buffer of pivots. Its view describes it fully.
///
/// A flat view has all that views with ranks have (search/view.hpp), and
///
///     level_fanout                   the fan-out of the Eytzinger order of its slots, unless slots are ranks
///     padded_size(), leading_slots   if there are more slots in memory than entries
///     pivots, pivot_count()          if there is a pivot buffer
///     pivot_rule(entries)            if there is one: a function that computes pivot number i
namespace warpdex {

namespace detail {

/// Writes a copy of the last entry to padding slot number `i`.
template <class Entries> struct fill_padding {
  Entries entries;
  pair_writer<typename Entries::key_type, typename Entries::row_type> to;
  WDX_HD void operator()(std::uint64_t i) const {
    to.put(entries.size + i, entries.pairs.at(entries.slot_of(entries.size - 1)));
  }
};

/// Whether padding slot number `i` is not a copy of the last entry.
template <class Entries> struct wrong_padding {
  Entries entries;
  WDX_HD bool operator()(std::uint64_t i) const {
    return entries.pairs.key(entries.size + i) != entries.pairs.key(entries.slot_of(entries.size - 1));
  }
};

}  // namespace detail

template <class Engine, class View> class flat_structure final : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::expect_none;
  using base::soa;
  using base::stored_;
  using base::view_;
  using typename base::Key;
  using typename base::Row;
  static constexpr bool in_key_order = View::traits.in_key_order;
  static constexpr bool has_pivots = requires(View v) { v.pivot_count(); };
  static constexpr bool has_padding = requires(View v) { v.padded_size(); };

  using slots_type = std::conditional_t<in_key_order, slots_by_rank<Row>, slots_by_level<Row>>;
  using entries_type = flat_entries<Key, Row, slots_type>;

  /// Number of unused slots before the first.
  static constexpr std::uint64_t lead = [] {
    if constexpr (requires { View::leading_slots; }) return View::leading_slots;
    else return 0;
  }();

  static constexpr slot_order order = [] {
    if constexpr (in_key_order) return slot_order{};
    else return slot_order{View::level_fanout};
  }();

 public:
  /// @param empty the view with its geometry set and its pointers null
  flat_structure(plan const& made_by, View const& empty, policy const& run, contents from, execution const& exec)
      : base(made_by, empty, run) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) lay_out(std::move(*pairs), exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(by_rank(), exec);
  }

  sorted_pairs entries(execution const& exec) const override { return take_entries<Engine>(by_rank(), exec); }

  std::optional<sorted_view> entries_in_place() const noexcept override {
    if constexpr (soa) return sorted_view{view_.pairs.keys, view_.pairs.rows, view_.size, order};
    else return std::nullopt;
  }

  void verify(execution const& exec) const override {
    if (view_.size == 0) return;
    auto const all = by_rank();
    expect_none(
        Engine::count_if(exec, view_.size, detail::out_of_order<entries_type>{all, codec_of(this->shape().keys)}),
        "entries out of order, or keys or row ids that are none");
    if constexpr (has_padding)
      expect_none(Engine::count_if(exec, slots() - view_.size, detail::wrong_padding<entries_type>{all}),
                  "padding slots that differ from the largest entry");
    if constexpr (has_pivots) {
      auto const rule = view_.pivot_rule(all);
      expect_none(
          Engine::count_if(exec, view_.pivot_count(), detail::wrong_pivot<decltype(rule), Key>{rule, view_.pivots}),
          "pivots that differ from the keys they copy");
    }
  }

 private:
  entries_type by_rank() const { return {view_.pairs, view_.size, slots_type(order, view_.size)}; }

  /// @return the number of slots in memory, without the leading ones
  std::uint64_t slots() const {
    if constexpr (has_padding) return view_.padded_size();
    else return view_.size;
  }

  void lay_out(sorted_pairs&& sorted, execution const& exec) {
    bool const in_place = soa && (in_key_order || sorted.order.fanout != 0);
    if (in_place) {
      stored_.add("keys", stored_array(std::move(sorted.keys)));
      stored_.add("rows", stored_array(std::move(sorted.rows)));
    } else {
      this->add_pairs(slots() + lead, exec);
    }
    this->point_view_at_pairs(lead);
    auto const all = by_rank();
    auto const to = base::writer_of(stored_, lead);
    if (!in_place)
      Engine::for_each(exec, view_.size,
                       detail::place_pair<Key, Row, slots_type>{all.slots, sorted.keys.template as<Key>(),
                                                                sorted.rows.template as<Row>(), to});
    if constexpr (lead != 0)
      for (auto& [name, array] : stored_.arrays)
        backend_of(Engine::kind).fill_zero(array.owned.data(), lead * (array.bytes / (slots() + lead)), exec);
    if constexpr (has_padding)
      Engine::for_each(exec, slots() - view_.size, detail::fill_padding<entries_type>{all, to});
    if constexpr (has_pivots) {
      auto& pivots = stored_.add("pivots", stored_array(view_.pivot_count() * sizeof(Key), exec));
      view_.pivots = pivots.owned.template as<Key>();
      auto const rule = view_.pivot_rule(all);
      Engine::for_each(exec, view_.pivot_count(),
                       detail::place_pivot<decltype(rule), Key>{rule, pivots.owned.template as<Key>()});
    }
  }

  void load(stored_index const& from, execution const& exec) {
    this->take_pairs(from, slots() + lead, exec);
    this->point_view_at_pairs(lead);
    if constexpr (has_pivots)
      view_.pivots = static_cast<Key const*>(this->take(from, "pivots", view_.pivot_count() * sizeof(Key), exec).data);
    this->check_loaded(from, exec);
  }
};

}  // namespace warpdex
