// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// The search protocol: what every view offers, and all that engines, kernels and batches know of it.
///
/// A view V is a trivially copyable, non-owning description of an index's arrays. A search runs over it in steps that
/// whoever runs it may interleave with those of other searches:
///
///     auto at = view.start(key);               // V::search, the state of one search, trivially copyable
///     while (!view.visit(group, at)) {         // reads one node, or a few; true: the search is over
///       view.prefetch(at);                     // asks for what the next visit will read
///     }
///
/// All lanes of `group` (common.hpp, lane_tile.cuh) call `visit` together, each with a state of its own that is equal to
/// the others'. A search that is over is not visited again, and one in an empty view (`size` is 0) is never visited.
/// `find`, `lower_bound` and the like (ordered.hpp, hash_view.hpp) are such loops; `run` is the loop alone.
///
/// What every view has
///
///     V::key_type V::row_type V::position V::pairs_type V::search
///     static constexpr view_traits traits      what it is, see below
///     position  size                           number of entries
///     pairs_type pairs                         keys and rows by slot
///     search    start(key)                     a search not yet begun
///     bool      visit(group, search&)          one step
///     void      prefetch(search const&)        asks for what the next step reads
///     int       stretches()                    a range is a few runs of adjacent slots
///     stretch   stretch_of(s, first, last)     run number s of the range [first, last)
///     position  rank(slot)                     place of an entry among those of its range
///
/// A view whose entries have ranks (`traits.ranked`) searches for the first key that is not less than the target, and
/// for nothing else: upper bounds use the target's successor. It also has
///
///     position  search::slot                   when the search is over: where that key lies; `end()` if there is none
///     position  slot_of(rank)                  inverse of `rank` on [0, size); rank(end()) = size
///     position  end()                          the slot behind all entries
///
/// A view without ranks finds a key by its hash (hash_view.hpp). It also has
///
///     search    start_hash(hash)               the same as start(key), from the hash of the key
///     bool      has_found(search)              when the search is over: whether the key is there
///     row_type  first_row(search)              its smallest row id; all bits set if it is not there
///     position  row_count(search)              rows of the key
///     position  first_place(search)            where these rows begin, for row_at(place)
///
/// A view of which the top may be copied to a faster memory (`traits.pinnable`) also has
///
///     V::pinned_type                           type of the values that the first visits read
///     int       pinnable_levels()              how many visits may read the copy
///     uint64_t  pinned_values(levels)          how many values these read
///     pinned_type pinned_value(i)              value number i of the copy
///     bool      visit_pinned(group, search&, pinned_type const* copy)
///     uint64_t  pinned_end(search)             how many values the copy must have for the next visit
///
/// A search may begin anywhere that its answer is known to lie behind: whoever knows more than the key (a learned
/// router, the top of an index in another memory) makes the `search` by other means than `start`, as
/// `sorted_array::start_between` does, and runs it with the same loop.
namespace warpdex {

/// What a view is, for those who run searches in it.
struct view_traits {
  bool ranked = true;         ///< entries have ranks; else keys are found by their hashes
  bool equal_depth = true;    ///< all searches take the same number of visits, so neighbours may go in step
  bool in_key_order = false;  ///< slots are ranks
  bool one_stretch = true;    ///< every range is one run of slots
  bool gaps = false;          ///< runs of slots pass some that hold no entry; their row id is the one of no entry
  bool pinnable = false;      ///< the first visits can read a copy
  bool spread_top = false;    ///< what they read lies one value per cache line, so that a copy pays at any size
  int lanes = 1;              ///< threads of the group that usually searches one probe of a small batch
  bool any_lanes = false;     ///< groups of 2, 4, 8, 16 and 32 lanes may search as well
};

/// Adjacent slots [begin, end).
template <class Position> struct stretch {
  Position begin;
  Position end;
};

/// A search that visits one node per level. What `node` and `slot` mean in between is the view's own affair.
template <class Key, class Position> struct level_search {
  Key target;
  Position node;
  Position slot;
  int level;
};

template <class View>
concept searchable = std::is_trivially_copyable_v<View> && std::is_trivially_copyable_v<typename View::search> &&
                     requires(View const view, typename View::key_type key, typename View::position place,
                              typename View::search at, single_lane group) {
                       typename View::row_type;
                       typename View::pairs_type;
                       { View::traits } -> std::same_as<view_traits const&>;
                       { view.size } -> std::convertible_to<std::uint64_t>;
                       { view.pairs.key(place) } -> std::same_as<typename View::key_type>;
                       { view.pairs.row(place) } -> std::same_as<typename View::row_type>;
                       { view.start(key) } -> std::same_as<typename View::search>;
                       { view.visit(group, at) } -> std::same_as<bool>;
                       { view.prefetch(at) } -> std::same_as<void>;
                       { view.stretches() } -> std::same_as<int>;
                       { view.stretch_of(0, place, place) } -> std::same_as<stretch<typename View::position>>;
                       { view.rank(place) } -> std::same_as<typename View::position>;
                     };

template <class View>
concept ranked_view =
    searchable<View> && View::traits.ranked && requires(View const view, typename View::position place) {
      { std::declval<typename View::search>().slot } -> std::convertible_to<typename View::position>;
      { view.slot_of(place) } -> std::same_as<typename View::position>;
      { view.end() } -> std::same_as<typename View::position>;
    };

template <class View>
concept hashed_view = searchable<View> && !View::traits.ranked &&
                      requires(View const view, typename View::key_type hash, typename View::search at) {
                        { view.start_hash(hash) } -> std::same_as<typename View::search>;
                        { view.has_found(at) } -> std::same_as<bool>;
                        { view.first_row(at) } -> std::same_as<typename View::row_type>;
                        { view.row_count(at) } -> std::same_as<typename View::position>;
                        { view.first_place(at) } -> std::same_as<typename View::position>;
                        { view.row_at(typename View::position{}) } -> std::same_as<typename View::row_type>;
                      };

template <class View>
concept pinnable_view = requires(View const view, typename View::search at, typename View::pinned_type const* copy) {
  { view.pinnable_levels() } -> std::same_as<int>;
  { view.pinned_values(0) } -> std::same_as<std::uint64_t>;
  { view.pinned_value(std::uint64_t{}) } -> std::same_as<typename View::pinned_type>;
  { view.visit_pinned(single_lane{}, at, copy) } -> std::same_as<bool>;
  { view.pinned_end(at) } -> std::same_as<std::uint64_t>;
};

/// What a structure registers with.
template <class View>
concept index_view = (ranked_view<View> || hashed_view<View>) && (!View::traits.pinnable || pinnable_view<View>);

/// Runs a search to its end.
template <class View, class Group>
WDX_HD typename View::search run(View const& view, typename View::search at, Group group) {
  if (view.size != 0)
    while (!view.visit(group, at)) {
    }
  return at;
}

}  // namespace warpdex
