// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <algorithm>

#include "backend/select.hpp"
#include "structures/bplus_tree/bplus_choice.hpp"
#include "structures/bplus_tree/bplus_update.hpp"

/// @file
/// How a B+tree is built, updated in place, checked, saved and loaded: any whose view has leaves (tree_leaves.hpp) and
///     pivots, pivot_count(), pivot(i)       the keys of inner nodes, and what number i of them must be
///     children, child_count(), child(i)     if nodes have links, the same of these
namespace warpdex {

namespace detail {

/// Writes a slot of a leaf: the entry that belongs there, or a gap.
template <class View> struct write_leaf_slot {
  View view;
  typename View::key_type const* keys;
  typename View::row_type const* rows;
  void* first;
  void* second;
  WDX_HD loaded_pair<View> read(std::uint64_t slot) const {
    if (slot % View::slots >= view.count(slot / View::slots)) return no_entry<View>();
    std::uint64_t const from = view.rank(static_cast<typename View::position>(slot));
    return {keys[from], rows[from]};
  }
  WDX_HD void operator()(std::uint64_t slot, loaded_pair<View> const& pair) const {
    put_pair<typename View::pairs_type>(first, second, slot, pair.key, pair.row);
  }
};

/// Whether a slot holds an entry where it must have none, or the other way round.
template <class View> struct wrong_leaf_slot {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const {
    bool const empty = view.pairs.row(slot) == no_row<typename View::row_type>;
    if (slot % View::slots < view.count(slot / View::slots)) return empty;
    return !empty || view.pairs.key(slot) != static_cast<typename View::key_type>(-1);
  }
};

template <class View> struct write_child {
  View view;
  typename View::position* children;
  WDX_HD void operator()(std::uint64_t i) const { children[i] = view.child(i); }
};

template <class View> struct wrong_child {
  View view;
  WDX_HD bool operator()(std::uint64_t i) const { return view.children[i] != view.child(i); }
};

/// Whether a leaf lies outside of the pool.
template <class View> struct wrong_place {
  View view;
  std::uint64_t pool;  ///< leaves
  WDX_HD bool operator()(std::uint64_t leaf) const { return view.pairs.leaf_at[leaf] >= pool; }
};

/// Whether a leaf, or the end, does not begin where the leaves before allow it, or holds too few or many entries.
template <class View> struct wrong_base {
  View view;
  WDX_HD bool operator()(std::uint64_t leaf) const {
    if (leaf == 0 && view.bases[0] != 0) return true;
    if (leaf == view.leaves) return view.bases[leaf] != view.size;
    return view.bases[leaf + 1] <= view.bases[leaf] || view.bases[leaf + 1] - view.bases[leaf] > View::slots;
  }
};

template <class View> struct wrong_leaf_of {
  View view;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const leaf = view.leaf_of[i];
    return leaf >= view.leaves || i * View::slots < view.bases[leaf] || i * View::slots >= view.bases[leaf + 1];
  }
};

template <class View> struct flag_place {
  View view;
  std::uint8_t* used;
  WDX_HD void operator()(std::uint64_t leaf) const { used[view.pairs.place(leaf * View::slots) / View::slots] = 1; }
};

struct is_unused {
  std::uint8_t const* used;
  WDX_HD bool operator()(std::uint64_t leaf) const { return used[leaf] == 0; }
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
  using position = typename View::position;
  static constexpr std::uint64_t slots = View::slots;
  static constexpr bool has_children = requires(View v) { v.child_count(); };

  /// The first of the arrays: those of pairs.
  static constexpr std::size_t pool_arrays = soa ? 2 : 1;

  /// A batch is applied in place if there are so many entries a slot that it may write: else the leaves that are
  /// written and the lists of leaves cost more than all entries moved once, in order.
  static constexpr std::uint64_t entries_a_slot_written = 4;

  /// A tree with more slots in memory for an entry is made anew, so that erased entries give their memory back.
  static constexpr std::uint64_t most_slots_an_entry = 4;

  /// A pool that is too small grows by a part more than is needed.
  static constexpr std::uint64_t spare_part = 8;

 public:
  /// @throws invalid_argument if the slots of the leaves have no room in the row type
  bplus_index(plan const& made_by, bplus_choice const& choice, contents from, execution const& exec)
      : base(made_by, geometry(made_by.shape.size, choice), choice.run) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) build(*pairs, exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(exec);
  }

  bool ordered() const noexcept override { return true; }

  sorted_pairs entries(execution const& exec) const override { return this->entries_by_rank(exec); }

  std::optional<sorted_view> entries_in_place() const noexcept override {
    if constexpr (soa)
      if (view_.per_leaf == slots) return sorted_view{view_.pairs.pool.keys, view_.pairs.pool.rows, view_.size};
    return std::nullopt;
  }

  void verify(execution const& exec) const override {
    if (view_.size == 0) return;
    if (view_.bases != nullptr) verify_leaves(exec);
    expect_none(Engine::count_if(exec, view_.slot_count(), detail::wrong_leaf_slot<View>{view_}),
                "slots that are empty or taken and should not be");
    expect_none(Engine::count_if(exec, view_.size, detail::out_of_order<View>{view_, codec_of(this->shape().keys)}),
                "entries out of order, or keys that are none");
    expect_none(Engine::count_if(exec, view_.pivot_count(), detail::wrong_pivot<View>{view_}),
                "pivots that differ from the keys they copy");
    if constexpr (has_children)
      expect_none(Engine::count_if(exec, view_.child_count(), detail::wrong_child<View>{view_}),
                  "links to other nodes than the children");
  }

  /// Leaves that change are written to free ones; then the lists of leaves and the pivots are made anew
  /// (bplus_update.hpp). Cost: a search and two accesses to a leaf for each change, and a few passes over arrays with
  /// one element a leaf.
  bool apply(changes const& batch, execution const& exec) override {
    if (!is_small(batch.insert.size + batch.erase.size)) return false;
    searched_batch const found = search(batch, exec);
    std::uint64_t const changed = found.places.inserts + found.erased;
    std::uint64_t const size = view_.size - found.erased + found.places.inserts;
    if (size == 0 || !is_small(changed)) return false;
    if (changed == 0) return true;

    planned_leaves const plan = plan_leaves(found.places, exec);
    std::uint64_t const needed = view_.leaves + plan.to_write;
    bool const grows = pool_leaves() < needed || stored_.mapped != nullptr;
    std::uint64_t const pool = grows ? std::max(pool_leaves(), needed + needed / spare_part) : pool_leaves();
    if (pool * slots >= no_row<Row> || pool * slots > most_slots_an_entry * size) return false;

    View made(size, plan.leaves, 0);
    stored_arrays next;
    for (std::size_t i = 0; i < pool_arrays; ++i) {
      auto const& [name, array] = stored_.arrays[i];
      next.add(name, grows ? stored_array(array.bytes / pool_leaves() * pool, exec) : stored_array());
    }
    auto const add = [&]<class T>(char const* name, std::uint64_t count, T) {
      return next.add(name, stored_array(count * sizeof(T), exec)).owned.template as<T>();
    };
    Key* const pivots = add("pivots", made.pivot_count(), Key{});
    if constexpr (has_children) made.children = add("children", made.child_count(), position{});
    position* const leaf_at = add("leaves", made.leaves, position{});
    position* const bases = add("bases", std::uint64_t{made.leaves} + 1, position{});
    position* const leaf_of = add("leaf_of", leaf_of_count(size), position{});
    stored_arrays const& to = grows ? next : stored_;
    made.pairs = {base::pairs_at(to, 0), leaf_at};
    made.bases = bases;
    made.leaf_of = leaf_of;
    made.pivots = pivots;

    buffer const free = list_free_leaves(pool, exec);
    if (grows) copy_pool(next, pool, exec);
    Engine::for_each(exec, plan.to_write * slots,
                     detail::write_slot<View>{plan.runs, found.places, plan.written.template as<std::uint64_t>(),
                                              free.as<std::uint64_t>(), base::first_of(to), base::second_of(to)});
    Engine::for_each(
        exec, view_.leaves,
        detail::list_leaves<View>{plan.runs, plan.pieces.template as<std::uint64_t>(),
                                  plan.written.template as<std::uint64_t>(), free.as<std::uint64_t>(), leaf_at, bases});
    backend_of(Engine::kind).copy(bases + made.leaves, &made.size, sizeof(position), exec);
    Engine::for_each(exec, made.leaves, detail::write_leaf_of<View>{bases, leaf_of});
    Engine::for_each(exec, made.pivot_count(), detail::place_pivot<View>{made, pivots});
    write_children(made, exec);
    auto state = Engine::prepare(made, this->policy_, this->spec_text(), exec);
    backend_of(Engine::kind).synchronize(exec);

    if (!grows)
      for (std::size_t i = 0; i < pool_arrays; ++i) std::swap(next.arrays[i], stored_.arrays[i]);
    stored_ = std::move(next);
    view_ = made;
    this->state_ = std::move(state);
    this->set_size(size);
    return true;
  }

 private:
  /// A batch in ranks of the tree, and the memory of these.
  struct searched_batch {
    buffer at, first, before;
    detail::batch_places<View> places;
    std::uint64_t erased;  ///< entries
  };

  /// What becomes of the leaves, and the memory of that.
  struct planned_leaves {
    buffer cuts, begins;
    buffer pieces, written;  ///< before each leaf
    detail::leaf_runs<View> runs;
    std::uint64_t leaves;    ///< of the new tree
    std::uint64_t to_write;  ///< of these
  };

  static View geometry(std::uint64_t size, bplus_choice const& choice) {
    auto const per_leaf = static_cast<std::uint64_t>(choice.per_leaf(View::slots));
    return View(size, (size + per_leaf - 1) / per_leaf, static_cast<int>(per_leaf));
  }

  static std::uint64_t leaf_of_count(std::uint64_t size) { return (size - 1) / slots + 1; }

  std::uint64_t pool_leaves() const { return stored_.arrays[0].second.bytes / (slots * base::first_bytes); }

  bool is_small(std::uint64_t changes) const { return changes <= view_.size / (entries_a_slot_written * slots); }

  static buffer numbers(std::uint64_t count, execution const& exec) {
    return buffer(count * sizeof(std::uint64_t), exec);
  }

  searched_batch search(changes const& batch, execution const& exec) const {
    searched_batch found{
        numbers(batch.insert.size, exec), numbers(batch.erase.size, exec), numbers(batch.erase.size + 1, exec), {}, 0};
    found.places = {batch.insert.keys.template as<Key>(),
                    batch.insert.rows.template as<Row>(),
                    found.at.template as<std::uint64_t>(),
                    batch.insert.size,
                    found.first.template as<std::uint64_t>(),
                    found.before.template as<std::uint64_t>(),
                    batch.erase.size};
    auto* const before = found.before.template as<std::uint64_t>();
    Engine::for_each(exec, batch.erase.size,
                     detail::find_erased<View>{view_, batch.erase.keys.template as<Key>(),
                                               found.first.template as<std::uint64_t>(), before});
    found.erased = total_of(before, batch.erase.size, exec);
    Engine::for_each(exec, batch.insert.size,
                     detail::find_insert<View>{view_, found.places.keys, found.places.rows, found.places.at});
    return found;
  }

  /// Leaves the new ranks of inserted entries in `places`.
  planned_leaves plan_leaves(detail::batch_places<View> const& places, execution const& exec) const {
    std::uint64_t const leaves = view_.leaves;
    planned_leaves plan{numbers(leaves + 1, exec),
                        numbers(leaves + 1, exec),
                        numbers(leaves + 1, exec),
                        numbers(leaves + 1, exec),
                        {},
                        0,
                        0};
    auto* const cuts = plan.cuts.template as<std::uint64_t>();
    auto* const begins = plan.begins.template as<std::uint64_t>();
    auto* const pieces = plan.pieces.template as<std::uint64_t>();
    auto* const written = plan.written.template as<std::uint64_t>();
    Engine::for_each(exec, leaves + 1, detail::cut_batch<View>{view_, places, cuts, begins});
    Engine::for_each(exec, places.inserts, detail::renumber_insert<View>{places});
    plan.runs = {view_, cuts, begins};
    Engine::for_each(exec, leaves, detail::count_pieces<View>{plan.runs, pieces, written});
    plan.leaves = total_of(pieces, leaves, exec);
    plan.to_write = total_of(written, leaves, exec);
    return plan;
  }

  /// Numbers of the leaves that the tree does not use, of a pool of `pool`.
  buffer list_free_leaves(std::uint64_t pool, execution const& exec) const {
    buffer const used = flag_used(pool, exec);
    selection const free = select_if<Engine>(exec, pool, detail::is_unused{used.as<std::uint8_t>()});
    buffer numbers_of_free = numbers(free.size, exec);
    list<Engine>(exec, free, numbers_of_free.as<std::uint64_t>());
    return numbers_of_free;
  }

  /// A byte a leaf of the pool: whether the tree uses it.
  buffer flag_used(std::uint64_t pool, execution const& exec) const {
    buffer used(pool, exec);
    backend_of(Engine::kind).fill_zero(used.data(), pool, exec);
    Engine::for_each(exec, view_.leaves, detail::flag_place<View>{view_, used.as<std::uint8_t>()});
    return used;
  }

  /// Copies the pool to a larger one of `leaves`, and fills the rest.
  void copy_pool(stored_arrays const& to, std::uint64_t leaves, execution const& exec) const {
    for (std::size_t i = 0; i < pool_arrays; ++i) {
      stored_array const& from = stored_.arrays[i].second;
      backend_of(Engine::kind).copy(to.arrays[i].second.owned.data(), from.data, from.bytes, exec);
    }
    Engine::for_each(
        exec, (leaves - pool_leaves()) * slots,
        detail::write_gap<typename base::Pairs>{pool_leaves() * slots, base::first_of(to), base::second_of(to)});
  }

  /// Turns counts into sums of those before. @return the sum of all
  static std::uint64_t total_of(std::uint64_t* counts, std::uint64_t size, execution const& exec) {
    backend const& by = backend_of(Engine::kind);
    if (size != 0) return by.exclusive_scan(counts, size, exec);
    by.fill_zero(counts, sizeof(*counts), exec);
    return 0;
  }

  void build(sorted_pairs const& sorted, execution const& exec) {
    if (view_.slot_count() >= no_row<Row>)
      throw invalid_argument("build: the " + std::to_string(view_.slot_count()) + " slots of the leaves of " +
                             std::to_string(view_.size) + " entries have no room in 32 bits; use rows=u64");
    this->add_pairs(view_.slot_count(), exec);
    this->point_view_at_pairs(0);
    void* const first = base::first_of(stored_);
    void* const second = base::second_of(stored_);
    Engine::for_each(exec, view_.slot_count(),
                     detail::write_leaf_slot<View>{view_, sorted.keys.template as<Key>(),
                                                   sorted.rows.template as<Row>(), first, second});
    auto& pivots = stored_.add("pivots", stored_array(view_.pivot_count() * sizeof(Key), exec));
    view_.pivots = pivots.owned.template as<Key>();
    Engine::for_each(exec, view_.pivot_count(), detail::place_pivot<View>{view_, pivots.owned.template as<Key>()});
    if constexpr (has_children) {
      auto& children = stored_.add("children", stored_array(view_.child_count() * sizeof(position), exec));
      view_.children = children.owned.template as<position>();
    }
    write_children(view_, exec);
  }

  static void write_children([[maybe_unused]] View const& view, [[maybe_unused]] execution const& exec) {
    if constexpr (has_children)
      Engine::for_each(exec, view.child_count(), detail::write_child<View>{view, const_cast<position*>(view.children)});
  }

  void load(stored_index const& from, execution const& exec) {
    char const* const pool_name = soa ? "keys" : "pairs";
    std::uint64_t pool = view_.slot_count();
    bool const updated = from.file.has("leaves");
    if (updated) {
      std::uint64_t const leaves = from.file.size("leaves") / sizeof(position);
      pool = from.file.size(pool_name) / base::first_bytes;
      if (leaves == 0 || leaves > view_.size || pool % slots != 0 || pool / slots < leaves || pool >= no_row<Row>)
        from.file.fail("leaves", "names " + std::to_string(leaves) + " leaves among " + std::to_string(pool) +
                                     " slots for " + std::to_string(view_.size) + " entries");
      view_ = View(view_.size, leaves, 0);
    }
    this->take_pairs(from, pool, exec);
    this->point_view_at_pairs(0);
    auto const take = [&]<class T>(char const* name, std::uint64_t count, T) {
      return static_cast<T const*>(this->take(from, name, count * sizeof(T), exec).data);
    };
    view_.pivots = take("pivots", view_.pivot_count(), Key{});
    if constexpr (has_children) view_.children = take("children", view_.child_count(), position{});
    if (updated) {
      view_.pairs.leaf_at = take("leaves", view_.leaves, position{});
      view_.bases = take("bases", std::uint64_t{view_.leaves} + 1, position{});
      view_.leaf_of = take("leaf_of", leaf_of_count(view_.size), position{});
    }
    this->check_loaded(from, exec);
  }

  /// What lets the other checks, and searches, read no place that is not there.
  void verify_leaves(execution const& exec) const {
    std::uint64_t const leaves = view_.leaves;
    std::uint64_t const pool = pool_leaves();
    expect_none(Engine::count_if(exec, leaves, detail::wrong_place<View>{view_, pool}), "leaves outside of the pool");
    expect_none(Engine::count_if(exec, leaves + 1, detail::wrong_base<View>{view_}), "leaves of a wrong size");
    expect_none(Engine::count_if(exec, leaf_of_count(view_.size), detail::wrong_leaf_of<View>{view_}),
                "ranks with a wrong leaf");
    buffer const used = flag_used(pool, exec);
    expect_none(leaves + Engine::count_if(exec, pool, detail::is_unused{used.as<std::uint8_t>()}) - pool,
                "leaves that lie where others do");
  }
};

}  // namespace warpdex
