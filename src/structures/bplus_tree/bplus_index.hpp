// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include "structures/bplus_tree/bplus_plan.hpp"
#include "structures/flat_structure.hpp"

/// @file
/// How a B+tree is built, checked, saved and loaded.
namespace warpdex {

namespace detail {

/// Writes a slot of a leaf: the entry that belongs there, or a gap.
template <class View> struct write_leaf_slot {
  View view;
  typename View::key_type const* keys;
  typename View::row_type const* rows;
  void* first;
  void* second;
  WDX_HD void operator()(std::uint64_t slot) const {
    using Pairs = typename View::pairs_type;
    auto const leaf = static_cast<typename View::position>(slot / View::slots);
    if (slot % View::slots < view.count(leaf)) {
      std::uint64_t const from = view.rank(static_cast<typename View::position>(slot));
      put_pair<Pairs>(first, second, slot, keys[from], rows[from]);
    } else {
      put_pair<Pairs>(first, second, slot, static_cast<typename View::key_type>(-1), no_row<typename View::row_type>);
    }
  }
};

template <class View> struct write_tree_pivot {
  View view;
  typename View::key_type* pivots;
  WDX_HD void operator()(std::uint64_t i) const { pivots[i] = view.pivot(i); }
};

/// Whether a slot holds an entry where it must have none, or the other way round.
template <class View> struct wrong_leaf_slot {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const {
    auto const leaf = static_cast<typename View::position>(slot / View::slots);
    bool const empty = view.pairs.row(slot) == no_row<typename View::row_type>;
    if (slot % View::slots < view.count(leaf)) return empty;
    return !empty || view.pairs.key(slot) != static_cast<typename View::key_type>(-1);
  }
};

template <class View> struct wrong_tree_pivot {
  View view;
  WDX_HD bool operator()(std::uint64_t i) const { return view.pivots[i] != view.pivot(i); }
};

}  // namespace detail

template <class Engine, class View> class bplus_index final : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::expect_none;
  using base::soa;
  using base::stored_;
  using base::view_;
  using typename base::Key;
  using typename base::Row;

 public:
  /// @throws invalid_argument if the slots of the leaves have no room in the row type
  bplus_index(bplus_plan const& made_by, contents from, execution const& exec)
      : base(made_by, View(made_by.shape.size, made_by.per_leaf(View::slots)), made_by.run) {
    if (view_.slot_count() >= no_row<Row>)
      throw invalid_argument("build: the " + std::to_string(view_.slot_count()) + " slots of the leaves of " +
                             std::to_string(view_.size) + " entries have no room in 32 bits; use rows=u64");
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) build(*pairs, exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(exec);
  }

  bool ordered() const noexcept override { return true; }

  sorted_pairs entries(execution const& exec) const override {
    sorted_pairs all{buffer(view_.size * sizeof(Key), exec), buffer(view_.size * sizeof(Row), exec), view_.size};
    Engine::for_each(exec, view_.size,
                     detail::take_pair<View>{view_, all.keys.template as<Key>(), all.rows.template as<Row>()});
    return all;
  }

  std::optional<sorted_view> entries_in_place() const noexcept override {
    if constexpr (soa)
      if (view_.per_leaf == View::slots) return sorted_view{view_.pairs.keys, view_.pairs.rows, view_.size};
    return std::nullopt;
  }

  void verify(execution const& exec) const override {
    if (view_.size == 0) return;
    expect_none(Engine::count_if(exec, view_.slot_count(), detail::wrong_leaf_slot<View>{view_}),
                "slots that are empty or taken and should not be");
    expect_none(Engine::count_if(exec, view_.size - 1, detail::out_of_order<View>{view_}), "entries out of order");
    expect_none(Engine::count_if(exec, view_.pivot_count(), detail::wrong_tree_pivot<View>{view_}),
                "pivots that differ from the keys they copy");
  }

 private:
  void build(sorted_pairs const& sorted, execution const& exec) {
    this->add_pairs(view_.slot_count(), exec);
    this->point_view_at_pairs(0);
    void* const first = stored_.arrays[0].second.owned.data();
    void* const second = soa ? stored_.arrays[1].second.owned.data() : nullptr;
    Engine::for_each(exec, view_.slot_count(),
                     detail::write_leaf_slot<View>{view_, sorted.keys.template as<Key>(),
                                                   sorted.rows.template as<Row>(), first, second});
    auto& pivots = stored_.add("pivots", stored_array(view_.pivot_count() * sizeof(Key), exec));
    view_.pivots = pivots.owned.template as<Key>();
    Engine::for_each(exec, view_.pivot_count(), detail::write_tree_pivot<View>{view_, pivots.owned.template as<Key>()});
  }

  void load(stored_index const& from, execution const& exec) {
    this->take_pairs(from, view_.slot_count(), exec);
    this->point_view_at_pairs(0);
    view_.pivots = static_cast<Key const*>(this->take(from, "pivots", view_.pivot_count() * sizeof(Key), exec).data);
    this->check_loaded(from, exec);
  }
};

}  // namespace warpdex
