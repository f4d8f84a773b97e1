// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// The search protocol. It is all that engines, kernels and batches may assume about a view.
///
/// A view describes the arrays of an index. It is trivially copyable and owns nothing. A search is a sequence of
/// visits to nodes. The caller makes the visits one by one, and may interleave those of many searches:
///
///     auto at = view.start(key);               // V::search, the state of one search, trivially copyable
///     while (!view.visit(group, at)) {         // reads one node, or a few; true: the search is over
///       view.prefetch(at);                     // asks for the memory that the next visit reads
///     }
///
/// All lanes of `group` (common.hpp, lane_tile.cuh) call `visit` together. Each lane has its own copy of the state, and
/// all copies are equal. A caller must not visit a search that is over, nor any search in an empty view (`size` is 0).
/// `run` is this loop without the prefetch; `find` and `lower_bound` (ordered.hpp, hash_view.hpp) call it.
///
/// Every view has
///
///     V::key_type V::row_type V::position V::pairs_type V::search
///     static constexpr view_traits traits      properties of the view, see below
///     position  size                           number of entries
///     pairs_type pairs                         keys and rows by slot
///     search    start(key)                     the state of a search before its first visit
///     bool      visit(group, search&)          makes one visit; returns whether the search is over
///     void      prefetch(search const&)        asks for the memory that the next visit reads
///     int       stretches()                    number of stretches of adjacent slots that make up a range
///     stretch   stretch_of(s, first, last)     stretch number s of the range [first, last)
///     position  rank(slot)                     rank of an entry; without ranks, the slot itself
///
/// A view with ranks (`traits.ranked`) searches for the first key that is not less than the target. It offers no other
/// search: an upper bound is the lower bound of the target's successor. Such a view also has
///
///     position  search::slot                   once the search is over: the slot of that key; `end()` without one
///     position  slot_of(rank)                  inverse of `rank` on [0, size); rank(end()) = size
///     position  end()                          the slot after all entries
///
/// A view whose searches all have the same number of visits (`traits.equal_depth`) also has
///
///     int       depth()                        that number
///     level_search search                      or a type with the same members. The way of a search follows from what
///                                              its target is less than; so where two searches meet, all searches for
///                                              targets between theirs are with them
///
/// It may also have the following, each of which a trait declares. Nobody asks a view for members that its traits do
/// not declare.
///
///     bool      matches(search)                `tells_matches`. Once the search is over: whether it has ended at its
///                                              target. Otherwise callers compare the key at its slot with the target
///     stretch   prefix_range(group, key)       `finds_prefixes`. The ranks of the strings that begin with one;
///                                              otherwise callers search for both ends
///     beginning longest_beginning(key)         `finds_beginnings`. The first entry of the longest key that begins a
///                                              string, and the bytes of that key; otherwise callers search for ranks
///     uint64_t  route_of(key)                  `routes`. A number whose order agrees with that of the keys; otherwise
///                                              callers make one for keys of more than 8 bytes (batch/router.hpp)
///     bool      leaves_are_full()              `in_leaves`. Whether slots are ranks after all
///     uint64_t  padded_size()                  `level_fanout`. The number of slots in memory, without the leading ones
///     uint64_t  child_count()                  `links`. The number of links of all nodes, which are in `children`
///
/// A view without ranks finds a key by its hash (hash_view.hpp). It also has
///
///     uint64_t  seed                           of the hash (mix.hpp)
///     search    start_hash(hash)               the same as start(key), given the hash of the key; not if it `routes`
///     bool      has_found(search)              once the search is over: whether the key exists
///     row_type  first_row(search)              the smallest row id of the key; all bits set without the key
///     stretch   places_of(search)              the places of all row ids of the key, in ascending order of the ids
///     row_type  row_at(place)                  the row id at a place
///     void      prefetch_mark(search)          asks for the memory that `places_of` reads first
///     void      prefetch_start(search)         asks for what it reads then, but reads the former itself
///
/// Some views let callers copy their top levels to a faster memory (`traits.pinnable`). Such a view also has
///
///     V::pinned_type                           type of the copied values
///     int       pinnable_levels()              number of visits that can read the copy
///     uint64_t  pinned_values(levels)          number of values that the first `levels` visits read
///     pinned_type pinned_value(i)              value number i of the copy
///     bool      visit_pinned(group, search&, pinned_type const* copy)     `visit` that reads the copy
///     uint64_t  pinned_end(search)             number of values that the copy must have for the next visit
///
/// A caller that already knows a part of the answer can skip the first visits. Examples are learned routers and indexes
/// whose top is in another memory. Such a caller makes the `search` by other means than `start`, for example by
/// `sorted_array::start_between`, and then runs the same loop.
namespace warpdex {

/// Properties of a view that decide how engines run searches in it.
struct view_traits {
  bool ranked = true;         ///< entries have ranks; otherwise keys are found by their hashes
  bool equal_depth = true;    ///< all searches make the same number of visits, so neighbours may search in step
  bool in_key_order = false;  ///< slots are ranks
  int level_fanout = 0;       ///< slots follow from an Eytzinger order of this fan-out; 0 for other orders
  bool in_leaves = false;     ///< slots are those of leaves (tree_leaves.hpp)
  bool one_stretch = true;    ///< every range is one stretch
  bool gaps = false;          ///< a stretch may contain slots without an entry; their row id is `no_row`
  bool pinnable = false;      ///< the first visits can read a copy of the top levels
  bool spread_top = false;    ///< each value of the top is in its own cache line, so a copy pays at any size
  int lanes = 1;              ///< usual lanes per probe in small batches
  bool any_lanes = false;     ///< groups of 2, 4, 8, 16 and 32 lanes are compiled as well
  bool walks = false;         ///< a CPU follows links rather than compares many keys: one instruction set will do

  bool tells_matches = false;     ///< has `matches`
  bool finds_prefixes = false;    ///< has `prefix_range`
  bool finds_beginnings = false;  ///< has `longest_beginning`
  bool routes = false;            ///< has `route_of`
  bool links = false;             ///< has `child_count`

  std::size_t widest_key = 8;  ///< bytes of the widest numbers that such views take as keys
};

/// Adjacent slots [begin, end).
template <class Position> struct stretch {
  Position begin;  ///< the first slot
  Position end;    ///< the slot after the last one
};

/// The base of views whose slots are ranks.
template <class View, class Position> struct slots_are_ranks {
  WDX_HD Position end() const { return static_cast<View const&>(*this).size; }  ///< the slot after all entries
  WDX_HD Position rank(Position slot) const { return slot; }                    ///< the slot itself
  WDX_HD Position slot_of(Position rank) const { return rank; }                 ///< the rank itself

  WDX_HD static constexpr int stretches() { return 1; }  ///< one
  /// @return the slots of the entries with ranks in [first, last): the same
  WDX_HD stretch<Position> stretch_of(int, Position first, Position last) const { return {first, last}; }
};

/// The state of a search that visits one node per level. Only the view knows what `node` and `slot` mean before the
/// search is over.
template <class Key, class Position> struct level_search {
  Key target;     ///< the key that is looked for
  Position node;  ///< which node comes next, as the view numbers them
  Position slot;  ///< once the search is over: the answer
  int level;      ///< number of visits made

  /// @return whether a search of the same level has the same visits before it
  WDX_HD bool meets(level_search const& other) const { return node == other.node && slot == other.slot; }
};

/// What every view has.
template <class View>
concept searchable = std::is_trivially_copyable_v<View> && std::is_trivially_copyable_v<typename View::search> &&
    requires(View const view, typename View::key_type key, typename View::position position, typename View::search at,
             single_lane group) {
  typename View::row_type;
  typename View::pairs_type;
  { View::traits } -> std::same_as<view_traits const&>;
  { view.size } -> std::convertible_to<std::uint64_t>;
  { view.pairs.key(position) } -> std::same_as<typename View::key_type>;
  { view.pairs.row(position) } -> std::same_as<typename View::row_type>;
  { view.start(key) } -> std::same_as<typename View::search>;
  { view.visit(group, at) } -> std::same_as<bool>;
  { view.prefetch(at) } -> std::same_as<void>;
  { view.stretches() } -> std::same_as<int>;
  { view.stretch_of(0, position, position) } -> std::same_as<stretch<typename View::position>>;
  { view.rank(position) } -> std::same_as<typename View::position>;
};

/// What a view with ranks has.
template <class View>
concept ranked_view = searchable<View> &&
                      View::traits.ranked&& requires(View const view, typename View::position position) {
  { std::declval<typename View::search>().slot } -> std::convertible_to<typename View::position>;
  { view.slot_of(position) } -> std::same_as<typename View::position>;
  { view.end() } -> std::same_as<typename View::position>;
};

/// What a view without ranks has.
template <class View>
concept hashed_view = searchable<View> && !View::traits.ranked && requires(View const view, typename View::search at) {
  { view.has_found(at) } -> std::same_as<bool>;
  { view.first_row(at) } -> std::same_as<typename View::row_type>;
  { view.places_of(at) } -> std::same_as<stretch<typename View::position>>;
  { view.row_at(typename View::position{}) } -> std::same_as<typename View::row_type>;
  { view.prefetch_mark(at) } -> std::same_as<void>;
  { view.prefetch_start(at) } -> std::same_as<void>;
  { view.seed } -> std::convertible_to<std::uint64_t>;
}
&&(View::traits.routes || requires(View const view, typename View::key_type hash) {
  { view.start_hash(hash) } -> std::same_as<typename View::search>;
});

/// What a view has whose top levels can be copied.
template <class View>
concept pinnable_view = requires(View const view, typename View::search at, typename View::pinned_type const* copy) {
  { view.pinnable_levels() } -> std::same_as<int>;
  { view.pinned_values(0) } -> std::same_as<std::uint64_t>;
  { view.pinned_value(std::uint64_t{}) } -> std::same_as<typename View::pinned_type>;
  { view.visit_pinned(single_lane{}, at, copy) } -> std::same_as<bool>;
  { view.pinned_end(at) } -> std::same_as<std::uint64_t>;
};

/// Whether a view has those optional members that its traits declare, and no others.
template <class View>
concept declared_view =
    (View::traits.tells_matches == requires(View const view, typename View::search at) { view.matches(at); }) &&
    (View::traits.finds_prefixes ==
     requires(View const view, typename View::key_type key) { view.prefix_range(single_lane{}, key); }) &&
    (View::traits.finds_beginnings ==
     requires(View const view, typename View::key_type key) { view.longest_beginning(key); }) &&
    (View::traits.routes == requires(View const view, typename View::key_type key) { view.route_of(key); }) &&
    (View::traits.in_leaves == requires(View const view) { view.leaves_are_full(); }) &&
    (View::traits.links == requires(View const view) { view.child_count(); }) &&
    ((View::traits.level_fanout != 0) == requires(View const view) { view.padded_size(); });

/// The contract for the view of a registered structure.
template <class View>
concept index_view = declared_view<View> &&
    (ranked_view<View> || hashed_view<View>)&&(!View::traits.pinnable ||
                                               pinnable_view<View>)&&(!View::traits.equal_depth ||
                                                                      requires(View const view) {
                                                                        { view.depth() } -> std::same_as<int>;
                                                                      });

/// Runs a search to its end. An empty view is not visited.
/// @param at the state of the search, from `start` or made by the caller
/// @return the state of the search that is over
template <class View, class Group>
WDX_HD typename View::search run(View const& view, typename View::search at, Group group) {
  if constexpr (View::traits.ranked)
    if (view.size == 0) return at;
  while (!view.visit(group, at)) {
  }
  return at;
}

/// Runs a search from its start to its end. Where all searches have the same number of visits, single lanes count them:
/// then compilers see that neighbours stay together. Groups of lanes are a little faster without.
/// @param at as `start` or `start_hash` made it
template <class View, class Group>
WDX_HD typename View::search run_from_start(View const& view, typename View::search at, Group group) {
  if constexpr (View::traits.equal_depth && Group::lanes == 1) {
    for (int visits = view.depth(); visits > 0; --visits) view.visit(group, at);
    return at;
  } else {
    return run(view, at, group);
  }
}

}  // namespace warpdex
