// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/view_structure.hpp"

/// @file
/// The shell shared by all structures that are flat arrays with an implicit arrangement: pairs in some
/// order of slots, and perhaps a buffer of pivots. Such a structure is fully described by its view.
///
/// Besides the functions of an ordered view (search/ordered.hpp), a flat view has
///     in_key_order                   whether slots are ranks
///     padded_size(), leading_slots   if more slots lie in memory than there are entries
///     pivots, pivot_count(), pivot(i)          if there is a pivot buffer: what number i of it must be
namespace warpdex {

namespace detail {

template <class View> std::uint64_t slots_in_memory(View const& view) {
  if constexpr (requires { view.padded_size(); }) return view.padded_size();
  else return view.size;
}

template <class T> WDX_HD void put_words(std::uint32_t* to, T value) {
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) to[i] = static_cast<std::uint32_t>(value >> 32 * i);
}

/// Writes the pair of a slot. @param first keys, or pairs @param second rows, or unused
template <class Pairs>
WDX_HD void put_pair(void* first, void* second, std::uint64_t slot, typename Pairs::key_type key,
                     typename Pairs::row_type row) {
  using Key = typename Pairs::key_type;
  using Row = typename Pairs::row_type;
  if constexpr (Pairs::kind == layout::soa) {
    static_cast<Key*>(first)[slot] = key;
    static_cast<Row*>(second)[slot] = row;
  } else if constexpr (Pairs::kind == layout::aos) {
    // Whole pairs, padding bytes too, so that equal indexes are equal files.
    using half = std::conditional_t<(sizeof(Key) > sizeof(Row)), Key, Row>;
    struct alignas(typename Pairs::pair) whole {
      half key, row;
    };
    static_cast<whole*>(first)[slot] = {key, row};
  } else {
    auto* const words = static_cast<std::uint32_t*>(first) + Pairs::words_per_pair * slot;
    put_words(words, key);
    put_words(words + sizeof(Key) / 4, row);
  }
}

/// What a slot without an entry holds: the largest key, and the row id that no index holds.
template <class Types> WDX_HD loaded_pair<Types> no_entry() {
  return {static_cast<typename Types::key_type>(-1), no_row<typename Types::row_type>};
}

/// Writes slots without entries.
template <class Pairs> struct write_gap {
  std::uint64_t slot;  ///< the first
  void* first;
  void* second;
  WDX_HD void operator()(std::uint64_t i) const {
    auto const gap = no_entry<Pairs>();
    put_pair<Pairs>(first, second, slot + i, gap.key, gap.row);
  }
};

/// Entry number `i` in key order goes to its slot: one load and one store each (paper 000, section 3.5).
/// The paper gives each thread an output slot. Here it has an input, with the inverse of the paper's
/// formula: neighbours read neighbouring entries, and what they write falls together level by level,
/// while reading at the stride of each level would fetch most sectors once a level.
template <class View> struct place_pair {
  View view;
  typename View::key_type const* keys;
  typename View::row_type const* rows;
  void* first;   ///< keys, or pairs
  void* second;  ///< rows, or unused

  WDX_HD loaded_pair<View> read(std::uint64_t i) const { return {keys[i], rows[i]}; }
  WDX_HD void operator()(std::uint64_t i, loaded_pair<View> const& pair) const {
    auto const slot = view.slot_of(static_cast<typename View::position>(i));
    put_pair<typename View::pairs_type>(first, second, slot, pair.key, pair.row);
  }
};

/// Padding slot number `i` becomes a copy of the last entry.
template <class View> struct fill_padding {
  View view;
  void* first;
  void* second;
  WDX_HD void operator()(std::uint64_t i) const {
    auto const last = view.slot_of(static_cast<typename View::position>(view.size - 1));
    put_pair<typename View::pairs_type>(first, second, view.size + i, view.pairs.key(last), view.pairs.row(last));
  }
};

template <class View> struct place_pivot {
  View view;
  typename View::key_type* pivots;
  WDX_HD void operator()(std::uint64_t i) const { pivots[i] = view.pivot(i); }
};

/// Whether entry `rank` and the next are out of order, or its key is none of the public type: the codes of floats have
/// gaps, as NaN and zero have one each.
template <class View> struct out_of_order {
  View view;
  key_codec codec;
  WDX_HD bool operator()(std::uint64_t rank) const {
    auto const here = view.slot_of(static_cast<typename View::position>(rank));
    auto const key = view.pairs.key(here);
    if (codec == key_codec::real && !is_code(codec, key)) return true;
    if (rank + 1 == view.size) return false;
    auto const next = view.slot_of(static_cast<typename View::position>(rank + 1));
    auto const next_key = view.pairs.key(next);
    return next_key < key || (next_key == key && view.pairs.row(next) < view.pairs.row(here));
  }
};

/// Whether padding slot number `i` is not a copy of the last entry.
template <class View> struct wrong_padding {
  View view;
  WDX_HD bool operator()(std::uint64_t i) const {
    auto const last = view.slot_of(static_cast<typename View::position>(view.size - 1));
    return view.pairs.key(view.size + i) != view.pairs.key(last);
  }
};

template <class View> struct wrong_pivot {
  View view;
  WDX_HD bool operator()(std::uint64_t i) const { return view.pivots[i] != view.pivot(i); }
};

template <class View> struct reserved_row {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const { return view.pairs.row(slot) == no_row<typename View::row_type>; }
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
  static constexpr bool has_pivots = requires(View v) { v.pivot_count(); };

  /// Unused slots before the first.
  static constexpr std::uint64_t lead = [] {
    if constexpr (requires { View::leading_slots; }) return View::leading_slots;
    else return 0;
  }();

 public:
  /// `empty` is the view with its geometry set and its pointers null.
  flat_structure(plan const& made_by, View const& empty, policy const& run, contents from, execution const& exec)
      : base(made_by, empty, run) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) lay_out(std::move(*pairs), exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(exec);
  }

  bool ordered() const noexcept override { return true; }

  sorted_pairs entries(execution const& exec) const override { return this->entries_by_rank(exec); }

  std::optional<sorted_view> entries_in_place() const noexcept override {
    if constexpr (!soa) return std::nullopt;
    else if constexpr (View::in_key_order) return sorted_view{view_.pairs.keys, view_.pairs.rows, view_.size};
    else return sorted_view{view_.pairs.keys, view_.pairs.rows, view_.size, {View::fanout}};
  }

  void verify(execution const& exec) const override {
    if (view_.size == 0) return;
    expect_none(Engine::count_if(exec, view_.size, detail::out_of_order<View>{view_, codec_of(this->shape().keys)}),
                "entries out of order, or keys that are none");
    expect_none(Engine::count_if(exec, detail::slots_in_memory(view_) - view_.size, detail::wrong_padding<View>{view_}),
                "padding slots that differ from the largest entry");
    expect_none(Engine::count_if(exec, view_.size, detail::reserved_row<View>{view_}), "reserved row ids");
    if constexpr (has_pivots)
      expect_none(Engine::count_if(exec, view_.pivot_count(), detail::wrong_pivot<View>{view_}),
                  "pivots that differ from the keys they copy");
  }

 private:
  void lay_out(sorted_pairs&& sorted, execution const& exec) {
    std::uint64_t const slots = detail::slots_in_memory(view_);
    bool const in_place = soa && (View::in_key_order || sorted.order.fanout != 0);
    if (in_place) {
      stored_.add("keys", stored_array(std::move(sorted.keys)));
      stored_.add("rows", stored_array(std::move(sorted.rows)));
    } else {
      this->add_pairs(slots + lead, exec);
    }
    this->point_view_at_pairs(lead);
    void* first = const_cast<void*>(view_.pairs.key_address(0));
    void* second = const_cast<void*>(view_.pairs.row_address(0));
    if (!in_place)
      Engine::for_each(exec, view_.size,
                       detail::place_pair<View>{view_, sorted.keys.as<Key>(), sorted.rows.as<Row>(), first, second});
    if constexpr (lead != 0)
      for (auto& [name, array] : stored_.arrays)
        backend_of(Engine::kind).fill_zero(array.owned.data(), lead * (array.bytes / (slots + lead)), exec);
    Engine::for_each(exec, slots - view_.size, detail::fill_padding<View>{view_, first, second});
    if constexpr (has_pivots) {
      auto& pivots = stored_.add("pivots", stored_array(view_.pivot_count() * sizeof(Key), exec));
      view_.pivots = pivots.owned.template as<Key>();
      Engine::for_each(exec, view_.pivot_count(), detail::place_pivot<View>{view_, pivots.owned.template as<Key>()});
    }
  }

  void load(stored_index const& from, execution const& exec) {
    this->take_pairs(from, detail::slots_in_memory(view_) + lead, exec);
    this->point_view_at_pairs(lead);
    if constexpr (has_pivots)
      view_.pivots = static_cast<Key const*>(this->take(from, "pivots", view_.pivot_count() * sizeof(Key), exec).data);
    this->check_loaded(from, exec);
  }
};

}  // namespace warpdex
