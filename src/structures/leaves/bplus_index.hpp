// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <algorithm>

#include "backend/update/selection.hpp"
#include "structures/leaves/bplus_choice.hpp"
#include "structures/leaves/bplus_update.hpp"
#include "structures/view_structure.hpp"

/// @file
/// How B+trees are built, updated in place, checked, saved and loaded. The view of such a tree has leaves
/// (tree_leaves.hpp) and
///
///     pivots, pivot_count(), pivot_rule(leaves)   the keys of inner nodes, and a function that computes key number i
///     children, child_count(), nodes.child(i)     the same for links, if the nodes have links
namespace warpdex {

namespace detail {

/// Writes a slot of a leaf: its entry, or a gap.
template <class Leaves> struct write_leaf_slot {
  using Key = typename Leaves::key_type;
  Leaves tree;
  Key const* keys;
  row_ids rows;
  pair_writer<Key> to;
  WDX_HD entry<Key> read(std::uint64_t slot) const {
    if (tree.in_leaf(slot) >= tree.count(tree.leaf_with(slot))) return no_entry<Key>();
    std::uint64_t const from = tree.rank(static_cast<typename Leaves::position>(slot));
    return {keys[from], rows[from]};
  }
  WDX_HD void operator()(std::uint64_t slot, entry<Key> const& pair) const { to.put(slot, pair); }
};

/// Whether one of some adjacent slots of a leaf holds an entry but must be empty, or the other way round.
/// @tparam Count slots per call
template <class Leaves, unsigned Count> struct wrong_leaf_slots {
  Leaves tree;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const slot = i * Count;
    std::uint64_t const leaf = tree.leaf_with(slot);
    std::uint64_t const end = tree.first_slot(leaf) + tree.count(leaf);
    std::uint64_t const taken = end > slot ? end - slot : 0;
    std::uint64_t const position = tree.pairs.place(slot);
    bool wrong = false;
    for (unsigned j = 0; j < Count; ++j)
      wrong |= (tree.pairs.pool.row(position + j) == no_row<std::uint64_t>) != (j >= taken);
    for (std::uint64_t j = taken; j < Count; ++j)
      wrong |= tree.pairs.pool.key(position + j) != static_cast<typename Leaves::key_type>(-1);
    return wrong;
  }
};

template <class Nodes, class Position> struct write_child {
  Nodes nodes;
  Position* children;
  WDX_HD void operator()(std::uint64_t i) const { children[i] = nodes.child(i); }
};

template <class Nodes, class Position> struct wrong_child {
  Nodes nodes;
  Position const* children;
  WDX_HD bool operator()(std::uint64_t i) const { return children[i] != nodes.child(i); }
};

/// Whether a leaf is outside of the pool.
/// Writes a number in fewer bits. @return whether it has no room there
template <class Number> struct narrow_number {
  std::uint64_t const* from;
  Number* to;
  WDX_HD bool operator()(std::uint64_t i) const {
    to[i] = static_cast<Number>(from[i]);
    return to[i] != from[i];
  }
};

template <class Leaves> struct wrong_place {
  Leaves tree;
  std::uint64_t pool;  ///< number of leaves in the pool
  WDX_HD bool operator()(std::uint64_t leaf) const { return tree.pairs.leaf_at[leaf] >= pool; }
};

/// Whether `bases` is wrong at a leaf or at the end. The first base must be 0 and the last one the size. Each leaf must
/// hold at least one entry, and no more entries than it has slots.
template <class Leaves> struct wrong_base {
  Leaves tree;
  WDX_HD bool operator()(std::uint64_t leaf) const {
    if (leaf == 0 && tree.bases[0] != 0) return true;
    if (leaf == tree.leaves) return tree.bases[leaf] != tree.size;
    return tree.bases[leaf + 1] <= tree.bases[leaf] || tree.bases[leaf + 1] - tree.bases[leaf] > tree.slots();
  }
};

template <class Leaves> struct wrong_leaf_of {
  Leaves tree;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const leaf = tree.leaf_of[i];
    return leaf >= tree.leaves || tree.first_slot(i) < tree.bases[leaf] || tree.first_slot(i) >= tree.bases[leaf + 1];
  }
};

template <class Leaves> struct flag_place {
  Leaves tree;
  std::uint8_t* used;
  WDX_HD void operator()(std::uint64_t leaf) const { used[tree.pool_leaf(leaf)] = 1; }
};

struct is_unused {
  std::uint8_t const* used;
  WDX_HD bool operator()(std::uint64_t leaf) const { return used[leaf] == 0; }
};

}  // namespace detail

/// What leads to the leaves in addition to the arrays above: nothing. Others have the same members.
struct no_top {
  /// @return whether updates in place are made for batches of any size
  static constexpr bool takes_all_batches() { return false; }

  /// @return whether the top still suits a tree of `leaves` leaves; if not, the tree is rebuilt
  template <class View> bool suits(View const&, std::uint64_t) const { return true; }

  /// A tree with more slots per entry than this is rebuilt, so that the memory of erased entries is freed.
  std::uint64_t most_slots_an_entry() const { return 4; }

  /// Makes the arrays over complete leaves and pivots, adds them to `to`, and points the view at them.
  template <class Engine, class View> void build(View&, stored_arrays&, execution const&) {}

  /// Makes them for a tree that was updated, from those of the old one.
  template <class Engine, class View> void update(View const&, View&, stored_arrays&, execution const&) const {}

  /// Points the view at the arrays in a file: take(name, count, T{}) takes one of `count` elements of type T.
  template <class View, class Take> void load(View&, io::file const&, Take const&) const {}

  /// @throws format_error if the arrays do not lead all searches to the right leaves
  template <class Engine, class View> void verify(View const&, execution const&) const {}

  /// Makes what is not in files; to be called when they are verified.
  template <class Engine, class View> void complete(View&, execution const&) {}

  std::uint64_t bytes() const noexcept { return 0; }  ///< of what is not in files
  void outlive_stream() noexcept {}
};

/// @tparam Top as `no_top`
template <class Engine, class View, class Top = no_top> class bplus_index final : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::soa;
  using base::stored_;
  using base::view_;
  using typename base::Key;
  using position = typename View::position;
  using leaves_type = general_leaves<Key, position>;
  static constexpr std::uint64_t slots = std::uint64_t{1} << leaf_width<View::leaf_slots>::slot_bits;
  /// Slots of a leaf that are checked at a time. On a GPU adjacent threads read adjacent memory.
  static constexpr unsigned slots_per_call = Engine::kind == backend_kind::cuda ? 1 : slots < 16 ? slots : 16;

  /// Number of arrays of pairs. They are the first of the stored arrays.
  static constexpr std::size_t pool_arrays = soa ? 2 : 1;

  /// An update in place pays only if there is at least this number of entries per slot that it may write. Otherwise
  /// writing the leaves and the lists of leaves costs more than moving all entries once, in order.
  static constexpr std::uint64_t entries_per_slot_written = 4;

  /// A pool that grows becomes larger than needed by one part in this number.
  static constexpr std::uint64_t spare_part = 8;

 public:
  /// @throws invalid_argument if the slots of the leaves have no room in the row type
  bplus_index(plan const& made_by, bplus_choice const& choice, contents from, execution const& exec, Top top = {})
      : base(made_by, geometry(made_by.shape.size, choice), choice.run), top_(std::move(top)) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) build(*pairs, exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(generalise(view_), exec);
  }

  memory_usage memory() const noexcept override {
    memory_usage usage = base::memory();
    usage.auxiliary += top_.bytes();
    return usage;
  }

  void outlive_stream() noexcept override {
    base::outlive_stream();
    top_.outlive_stream();
  }

  void keys_at(std::uint64_t const* ranks, std::uint64_t size, void* keys, execution const& exec) const override {
    auto const all = generalise(view_);
    Engine::for_each(
        exec, size,
        detail::take_key_at<std::remove_const_t<decltype(all)>>{all, codec_of(this->shape().keys), ranks, keys});
  }

  sorted_pairs entries_to_merge(execution const& exec) const override {
    return take_entries<Engine>(generalise(view_), exec);
  }

  std::optional<sorted_view> entries_in_place() const noexcept override {
    if constexpr (soa)
      if (view_.per_leaf == slots) return sorted_view{view_.pairs.pool.keys, view_.pairs.pool.rows.data, view_.size};
    return std::nullopt;
  }

  void verify(execution const& exec) const override { verify_tree(exec, true); }

  bool assign(sorted_pairs const& batch, execution const& exec) override {
    auto const pool = this->writer_of(stored_);
    leaves_type const tree = generalise(view_);
    return pool.keys_or_pairs != nullptr &&
           assign_rows<Engine>(*this, tree, detail::leaf_writer<leaves_type>{tree, pool}, batch, exec);
  }

  /// Writes changed leaves to free ones, then rebuilds the lists of leaves and the pivots (bplus_update.hpp).
  /// Cost: one search and two accesses to a leaf per change, and a few passes over arrays with one element per leaf.
  bool apply(changes const& batch, execution const& exec) override {
    if (!is_small(batch.insert.size + batch.erase.size)) return false;
    searched_batch const found = search(batch, exec);
    std::uint64_t const changed = found.places.inserts + found.erased;
    std::uint64_t const size = view_.size - found.erased + found.places.inserts;
    if (size == 0 || !is_small(changed)) return false;
    if (changed == 0) return true;

    planned_leaves const plan = plan_leaves(found.places, exec);
    std::uint64_t const needed = view_.leaves + plan.to_write;
    bool const grows = pool_leaves() < needed || stored_.storage != nullptr;
    std::uint64_t const pool = grows ? std::max(pool_leaves(), needed + needed / spare_part) : pool_leaves();
    if (pool * slots >= no_row<position> || pool * slots / top_.most_slots_an_entry() > size) return false;
    if (!top_.suits(view_, plan.leaves)) return false;

    View successor(size, plan.leaves, 0);
    stored_arrays next;
    for (std::size_t i = 0; i < pool_arrays; ++i) {
      auto const& [name, array] = stored_.arrays[i];
      next.add(name, grows ? stored_array(array.bytes / pool_leaves() * pool, this->for_pairs(exec)) : stored_array());
    }
    auto const add = [&]<class T>(char const* name, std::uint64_t count, T) {
      return next.add(name, stored_array(count * sizeof(T), exec)).owned.template as<T>();
    };
    Key* const pivots = add("pivots", successor.pivot_count(), Key{});
    if constexpr (View::traits.links) successor.children = add("children", successor.child_count(), position{});
    position* const leaf_at = add("leaves", successor.leaves, position{});
    position* const bases = add("bases", std::uint64_t{successor.leaves} + 1, position{});
    position* const leaf_of = add("leaf_of", leaf_of_count(size), position{});
    stored_arrays const& to = grows ? next : stored_;
    successor.pairs.pool = this->pairs_at(to, 0);
    successor.pairs.leaf_at = leaf_at;
    successor.bases = bases;
    successor.leaf_of = leaf_of;
    successor.pivots = pivots;

    buffer const free = list_free_leaves(pool, exec);
    if (grows) copy_pool(next, pool, exec);
    Engine::for_each(exec, plan.to_write * slots,
                     detail::write_slot<leaves_type>{plan.runs, found.places, plan.written.template as<std::uint64_t>(),
                                                     free.as<std::uint64_t>(), this->writer_of(to)});
    Engine::for_each(exec, view_.leaves,
                     detail::list_leaves<leaves_type>{plan.runs, plan.pieces.template as<std::uint64_t>(),
                                                      plan.written.template as<std::uint64_t>(),
                                                      free.as<std::uint64_t>(), leaf_at, bases});
    backend_of(Engine::kind).copy(bases + successor.leaves, &successor.size, sizeof(position), exec);
    Engine::for_each(exec, successor.leaves, detail::write_leaf_of<position>{slots, bases, leaf_of});
    place_pivots(successor, pivots, exec);
    write_children(successor, exec);
    top_.template update<Engine>(view_, successor, next, exec);
    auto state =
        Engine::prepare(successor, generalise(successor), this->policy_, this->resolved(), exec, this->remote_);
    backend_of(Engine::kind).synchronize(exec);

    if (!grows)
      for (std::size_t i = 0; i < pool_arrays; ++i) std::swap(next.arrays[i], stored_.arrays[i]);
    stored_ = std::move(next);
    view_ = successor;
    this->state_ = std::move(state);
    this->set_size(size);
    return true;
  }

 private:
  /// A batch expressed in ranks of the tree, and the memory of these ranks.
  struct searched_batch {
    buffer at, first, before;
    detail::batch_places<leaves_type> places;
    std::uint64_t erased;  ///< number of erased entries
  };

  /// The plan for each leaf, and its memory.
  struct planned_leaves {
    buffer cuts, begins;
    buffer pieces, written;  ///< counts before each leaf
    detail::leaf_runs<leaves_type> runs;
    std::uint64_t leaves;    ///< number of leaves of the new tree
    std::uint64_t to_write;  ///< number of leaves to write
  };

  static View geometry(std::uint64_t size, bplus_choice const& choice) {
    auto const per_leaf = static_cast<std::uint64_t>(choice.per_leaf(static_cast<int>(slots)));
    return View(size, (size + per_leaf - 1) / per_leaf, static_cast<int>(per_leaf));
  }

  static std::uint64_t leaf_of_count(std::uint64_t size) { return (size - 1) / slots + 1; }

  std::uint64_t pool_leaves() const { return stored_.arrays[0].second.bytes / (slots * base::first_bytes); }

  bool is_small(std::uint64_t changes) const {
    return view_.size != 0 && (top_.takes_all_batches() || changes <= view_.size / (entries_per_slot_written * slots));
  }

  static buffer numbers(std::uint64_t count, execution const& exec) {
    return buffer(count * sizeof(std::uint64_t), exec);
  }

  searched_batch search(changes const& batch, execution const& exec) const {
    searched_batch found{
        numbers(batch.insert.size, exec), numbers(batch.erase.size, exec), numbers(batch.erase.size + 1, exec), {}, 0};
    found.places = {batch.insert.keys.template as<Key>(),
                    this->rows_in(batch.insert.rows.data()),
                    found.at.template as<std::uint64_t>(),
                    batch.insert.size,
                    found.first.template as<std::uint64_t>(),
                    found.before.template as<std::uint64_t>(),
                    batch.erase.size};
    auto* const before = found.before.template as<std::uint64_t>();
    find_ranks(batch.erase.keys.template as<Key>(), batch.erase.size, before, found.first.template as<std::uint64_t>(),
               exec);
    found.erased = total_of(before, batch.erase.size, exec);
    buffer const count_memory = numbers(batch.insert.size, exec);
    auto* const counts = count_memory.as<std::uint64_t>();
    find_ranks(found.places.keys, batch.insert.size, counts, found.places.at, exec);
    Engine::for_each(
        exec, batch.insert.size,
        detail::pass_smaller_rows<leaves_type>{generalise(view_), found.places.rows, counts, found.places.at});
    return found;
  }

  /// Finds, for each of `size` keys, the number of its entries and the rank of the first.
  void find_ranks(Key const* keys, std::uint64_t size, std::uint64_t* counts, std::uint64_t* first,
                  execution const& exec) const {
    if (size == 0) return;
    range_batch batch{};
    batch.codec = key_codec::identity;
    batch.lower = batch.upper = keys;
    batch.size = size;
    batch.counts = counts;
    batch.first = first;
    Engine::range(view_, this->state_, batch, this->policy_, exec);
  }

  /// Plans the new leaves. Replaces the old ranks of inserted entries in `places` by the new ones.
  planned_leaves plan_leaves(detail::batch_places<leaves_type> const& places, execution const& exec) const {
    leaves_type const tree = generalise(view_);
    std::uint64_t const leaves = tree.leaves;
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
    Engine::for_each(exec, leaves + 1, detail::cut_batch<leaves_type>{tree, places, cuts, begins});
    Engine::for_each(exec, places.inserts, detail::renumber_insert<leaves_type>{places});
    plan.runs = {tree, cuts, begins};
    Engine::for_each(exec, leaves, detail::count_pieces<leaves_type>{plan.runs, pieces, written});
    plan.leaves = total_of(pieces, leaves, exec);
    plan.to_write = total_of(written, leaves, exec);
    return plan;
  }

  /// @return the positions of the leaves that the tree does not use, in a pool of `pool` leaves
  buffer list_free_leaves(std::uint64_t pool, execution const& exec) const {
    buffer const used = flag_used(pool, exec);
    selection const free = select_if<Engine>(exec, pool, detail::is_unused{used.as<std::uint8_t>()});
    buffer numbers_of_free = numbers(free.size, exec);
    list<Engine>(exec, free, numbers_of_free.as<std::uint64_t>());
    return numbers_of_free;
  }

  /// @return one byte per leaf of the pool: whether the tree uses it
  buffer flag_used(std::uint64_t pool, execution const& exec) const {
    buffer used(pool, exec);
    backend_of(Engine::kind).fill_zero(used.data(), pool, exec);
    Engine::for_each(exec, view_.leaves, detail::flag_place<leaves_type>{generalise(view_), used.as<std::uint8_t>()});
    return used;
  }

  /// Copies the pool to a larger one of `leaves` leaves, and fills the rest with gaps.
  void copy_pool(stored_arrays const& to, std::uint64_t leaves, execution const& exec) const {
    for (std::size_t i = 0; i < pool_arrays; ++i) {
      stored_array const& from = stored_.arrays[i].second;
      backend_of(Engine::kind).copy(to.arrays[i].second.owned.data(), from.data, from.bytes, exec);
    }
    Engine::for_each(exec, (leaves - pool_leaves()) * slots,
                     write_gap<Key>{this->writer_of(to), pool_leaves() * slots});
  }

  /// Replaces each count by the sum of the counts before it. @return the sum of all counts
  static std::uint64_t total_of(std::uint64_t* counts, std::uint64_t size, execution const& exec) {
    auto const& backend = backend_of(Engine::kind);
    if (size != 0) return backend.exclusive_scan(counts, size, exec);
    backend.fill_zero(counts, sizeof(*counts), exec);
    return 0;
  }

  void build(sorted_pairs const& sorted, execution const& exec) {
    if (view_.slot_count() >= no_row<position>)
      throw invalid_argument("build: the " + std::to_string(view_.slot_count()) + " slots of the leaves of " +
                             std::to_string(view_.size) + " entries have no room in 32 bits; use rows=u64");
    this->add_pairs(view_.slot_count(), exec);
    view_.pairs.pool = this->pairs_at(stored_, 0);
    Engine::for_each(exec, view_.slot_count(),
                     detail::write_leaf_slot<leaves_type>{generalise(view_), sorted.keys.template as<Key>(),
                                                          this->rows_in(sorted.rows.data()), this->writer_of(stored_)});
    auto& pivots = stored_.add("pivots", stored_array(view_.pivot_count() * sizeof(Key), exec));
    view_.pivots = pivots.owned.template as<Key>();
    place_pivots(view_, pivots.owned.template as<Key>(), exec);
    if constexpr (View::traits.links) {
      auto& children = stored_.add("children", stored_array(view_.child_count() * sizeof(position), exec));
      view_.children = children.owned.template as<position>();
    }
    write_children(view_, exec);
    top_.template build<Engine>(view_, stored_, exec);
  }

  static void place_pivots(View const& view, Key* pivots, execution const& exec) {
    auto const rule = view.pivot_rule(generalise(view));
    Engine::for_each(exec, view.pivot_count(), detail::place_by_rule<decltype(rule), Key>{rule, pivots});
  }

  static void write_children([[maybe_unused]] View const& view, [[maybe_unused]] execution const& exec) {
    if constexpr (View::traits.links)
      Engine::for_each(
          exec, view.child_count(),
          detail::write_child<decltype(view.nodes), position>{view.nodes, const_cast<position*>(view.children)});
  }

  void load(stored_index const& from, execution const& exec) {
    char const* const pool_name = soa ? "keys" : "pairs";
    std::uint64_t pool = view_.slot_count();
    bool const updated = from.file.has("leaves");
    if (updated) {
      // There is one base more than leaves, which tells how wide both are.
      std::uint64_t const number_bytes = from.file.size("bases") - from.file.size("leaves") == 8 ? 8 : sizeof(position);
      std::uint64_t const leaves = from.file.size("leaves") / number_bytes;
      pool = from.file.size(pool_name) / base::first_bytes;
      if (leaves == 0 || leaves > view_.size || pool % slots != 0 || pool / slots < leaves || pool >= no_row<position>)
        from.file.fail("leaves", "names " + std::to_string(leaves) + " leaves among " + std::to_string(pool) +
                                     " slots for " + std::to_string(view_.size) + " entries");
      view_ = View(view_.size, leaves, 0);
    }
    this->take_pairs(from, pool, exec);
    view_.pairs.pool = this->pairs_at(stored_, 0);
    auto const take = [&]<class T>(char const* name, std::uint64_t count, T) {
      if constexpr (sizeof(T) == 4)
        if (count != 0 && this->wide_rows() && from.file.size(name) == 2 * count * sizeof(T))
          return take_narrowed<T>(from, name, count, exec);
      return static_cast<T const*>(this->take(from, name, count * sizeof(T), exec).data);
    };
    view_.pivots = take("pivots", view_.pivot_count(), Key{});
    if constexpr (View::traits.links) view_.children = take("children", view_.child_count(), position{});
    if (updated) {
      view_.pairs.leaf_at = take("leaves", view_.leaves, position{});
      view_.bases = take("bases", std::uint64_t{view_.leaves} + 1, position{});
      view_.leaf_of = take("leaf_of", leaf_of_count(view_.size), position{});
    }
    top_.load(view_, from.file, take);
    this->complete_load(from, [&] {
      if (from.checks_structure()) verify_tree(exec, from.checks_entries());
      if (from.doubts_entries()) this->doubt_entries();
    });
    top_.template complete<Engine>(view_, exec);
  }

  /// Takes numbers of 64 bits, which earlier versions wrote for trees with row ids of 64 bits.
  /// @throws format_error if one of them has no room in 32 bits
  template <class T>
  T const* take_narrowed(stored_index const& from, char const* name, std::uint64_t count, execution const& exec) {
    auto const wide = load_array(from.file, name, count * sizeof(std::uint64_t), false, exec);
    auto const* const numbers = static_cast<std::uint64_t const*>(wide.data);
    auto& narrow = stored_.add(name, stored_array(count * sizeof(T), exec));
    auto const beyond = Engine::count_if(exec, count, detail::narrow_number<T>{numbers, narrow.owned.template as<T>()});
    if (beyond != 0) from.file.fail(name, "has numbers of more than 32 bits");
    return narrow.owned.template as<T>();
  }

  /// Checks the leaves, their free slots, the pivots and the links.
  /// @param entries whether to check the order of entries too
  void verify_tree(execution const& exec, bool entries) const {
    if (view_.size == 0) return;
    if (view_.bases != nullptr) verify_leaves(exec);
    leaves_type const tree = generalise(view_);
    // Searches end before the free slots of a leaf because of their keys, and ranges pass over them because of their
    // rows.
    expect_none(Engine::count_if(exec, view_.slot_count() / slots_per_call,
                                 detail::wrong_leaf_slots<leaves_type, slots_per_call>{tree}),
                "parts of leaves with slots that are empty or taken and should not be");
    if (entries)
      expect_none(
          Engine::count_if(exec, view_.size, detail::out_of_order<leaves_type>{tree, codec_of(this->shape().keys)}),
          "entries out of order, or keys that are none");
    auto const rule = view_.pivot_rule(tree);
    expect_none(
        Engine::count_if(exec, view_.pivot_count(), detail::breaks_rule<decltype(rule), Key>{rule, view_.pivots}),
        "pivots that differ from the keys they copy");
    if constexpr (View::traits.links)
      expect_none(Engine::count_if(exec, view_.child_count(),
                                   detail::wrong_child<decltype(view_.nodes), position>{view_.nodes, view_.children}),
                  "links to other nodes than the children");
    top_.template verify<Engine>(view_, exec);
  }

  /// Checks the lists of leaves. Only then the other checks, and searches, read valid memory.
  void verify_leaves(execution const& exec) const {
    leaves_type const tree = generalise(view_);
    std::uint64_t const leaves = tree.leaves;
    std::uint64_t const pool = pool_leaves();
    expect_none(Engine::count_if(exec, leaves, detail::wrong_place<leaves_type>{tree, pool}),
                "leaves outside of the pool");
    expect_none(Engine::count_if(exec, leaves + 1, detail::wrong_base<leaves_type>{tree}), "leaves of a wrong size");
    expect_none(Engine::count_if(exec, leaf_of_count(view_.size), detail::wrong_leaf_of<leaves_type>{tree}),
                "ranks with a wrong leaf");
    buffer const used = flag_used(pool, exec);
    expect_none(leaves + Engine::count_if(exec, pool, detail::is_unused{used.as<std::uint8_t>()}) - pool,
                "leaves that are where others are");
  }

  Top top_;
};

}  // namespace warpdex
