// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/prefix.hpp"
#include "structures/leaves/general_leaves.hpp"

/// @file
/// How a sorted batch changes the leaves of a B+tree. No thread locks or waits, because ranks alone tell the source of
/// every entry of the new tree.
///
/// The entries of erased key e have consecutive ranks in the old tree, from first[e] on. Inserted entry i belongs
/// before the old entry of rank at[i]. Let G(r) be the number of erased entries below rank r. Then
///
///     new rank of inserted entry i        at[i] - G(at[i]) + i
///     new rank of the old entry at r      r - G(r) + number of i with at[i] <= r
///
/// Both ascend, so a binary search finds the entry for a new rank. A leaf whose entries stay the same keeps its
/// position in the pool. The entries of the other leaves are written to free leaves of the pool. A leaf with too many
/// entries is split into several leaves. Two siblings with few entries become one leaf. A leaf without entries goes
/// away. The old tree thus stays intact until the new one is complete, and one thread per slot can write it.
namespace warpdex::detail {

/// The batch, expressed in ranks of the old tree.
template <class Leaves> struct batch_places {
  typename Leaves::key_type const* keys;  ///< of the inserted entries
  row_ids rows;                           ///< of the inserted entries
  std::uint64_t* at;      ///< old rank before which each inserted entry belongs; after `renumber_insert`, its new rank
  std::uint64_t inserts;  ///< number of inserted entries
  std::uint64_t const* first;          ///< rank of the first entry of each erased key
  std::uint64_t const* erased_before;  ///< number of erased entries before each erased key; at the end, of all
  std::uint64_t erases;                ///< number of erased keys

  /// @return the number of erased entries below a rank: G(rank)
  WDX_HD std::uint64_t erased_below(std::uint64_t rank) const {
    std::uint64_t const e = end_of_prefix<std::uint64_t>(0, erases, [&](std::uint64_t i) { return first[i] < rank; });
    if (e == 0) return 0;
    std::uint64_t const inside = rank - first[e - 1];
    std::uint64_t const all = erased_before[e] - erased_before[e - 1];
    return erased_before[e - 1] + (inside < all ? inside : all);
  }

  /// @return the old rank of the kept entry that has `kept` other kept entries before it
  WDX_HD std::uint64_t rank_of_kept(std::uint64_t kept) const {
    return kept + erased_before[end_of_prefix<std::uint64_t>(
                      0, erases, [&](std::uint64_t e) { return first[e] - erased_before[e] <= kept; })];
  }
};

/// Moves each rank in `at` from the first entry of the inserted key past the entries of this key with smaller rows.
template <class Leaves> struct pass_smaller_rows {
  Leaves tree;
  row_ids rows;
  std::uint64_t const* count;  ///< number of old entries with the key of each inserted entry
  std::uint64_t* at;
  WDX_HD void operator()(std::uint64_t i) const {
    at[i] = end_of_prefix<std::uint64_t>(at[i], at[i] + count[i], [&](std::uint64_t rank) {
      return tree.pairs.row(tree.slot_of(static_cast<typename Leaves::position>(rank))) < rows[i];
    });
  }
};

template <class Leaves> struct renumber_insert {
  batch_places<Leaves> places;
  WDX_HD void operator()(std::uint64_t i) const { places.at[i] += i - places.erased_below(places.at[i]); }
};

/// Computes, for each leaf and for the end, the number of inserted entries that belong before it (`cuts`), and the new
/// rank at which it begins (`begins`).
template <class Leaves> struct cut_batch {
  Leaves tree;
  batch_places<Leaves> places;
  std::uint64_t* cuts;
  std::uint64_t* begins;
  WDX_HD void operator()(std::uint64_t leaf) const {
    std::uint64_t const rank = tree.first_rank(leaf);
    cuts[leaf] = leaf == tree.leaves ? places.inserts
                                     : end_of_prefix<std::uint64_t>(
                                           0, places.inserts, [&](std::uint64_t i) { return places.at[i] < rank; });
    begins[leaf] = rank - places.erased_below(rank) + cuts[leaf];
  }
};

/// The plan for each leaf of the old tree. Its entries become a range of new ranks, which the new tree holds in one or
/// more leaves, called pieces.
template <class Leaves> struct leaf_runs {
  Leaves tree;  ///< the old tree
  std::uint64_t const* cuts;
  std::uint64_t const* begins;

  WDX_HD std::uint64_t size(std::uint64_t leaf) const { return begins[leaf + 1] - begins[leaf]; }

  WDX_HD bool changes(std::uint64_t leaf) const {
    return cuts[leaf + 1] != cuts[leaf] || size(leaf) != tree.count(static_cast<typename Leaves::position>(leaf));
  }

  /// @return whether the entries of a leaf go to its sibling, the next leaf. They do if at least one of the two changes
  /// and both together fill no more than half a leaf.
  WDX_HD bool is_merged(std::uint64_t leaf) const {
    return leaf % 2 == 0 && leaf + 1 < tree.leaves && begins[leaf + 2] - begins[leaf] <= tree.slots() / 2 &&
           (changes(leaf) || changes(leaf + 1));
  }

  /// @return the first leaf whose entries `leaf` takes: its sibling if the two are merged, else `leaf` itself
  WDX_HD std::uint64_t first(std::uint64_t leaf) const {
    return leaf % 2 != 0 && is_merged(leaf - 1) ? leaf - 1 : leaf;
  }
  WDX_HD bool is_written(std::uint64_t leaf) const { return first(leaf) != leaf || changes(leaf); }

  /// @return the number of leaves of the new tree that this leaf becomes
  WDX_HD std::uint64_t pieces(std::uint64_t leaf) const {
    if (is_merged(leaf)) return 0;
    return (begins[leaf + 1] - begins[first(leaf)] + tree.slots() - 1) / tree.slots();
  }

  /// @return the new rank at which a piece begins. The sizes of the pieces of a leaf differ by at most one entry.
  WDX_HD std::uint64_t piece_begin(std::uint64_t leaf, std::uint64_t piece) const {
    std::uint64_t const begin = begins[first(leaf)];
    return begin + (begins[leaf + 1] - begin) * piece / pieces(leaf);
  }
};

/// Counts the leaves that each old leaf becomes, and those of them that must be written.
template <class Leaves> struct count_pieces {
  leaf_runs<Leaves> runs;
  std::uint64_t* pieces;
  std::uint64_t* written;
  WDX_HD void operator()(std::uint64_t leaf) const {
    pieces[leaf] = runs.pieces(leaf);
    written[leaf] = runs.is_written(leaf) ? pieces[leaf] : 0;
  }
};

/// @param before number of pieces before each old leaf
/// @return the old leaf that becomes piece number `i`
WDX_HD inline std::uint64_t leaf_of_piece(std::uint64_t const* before, std::uint64_t leaves, std::uint64_t i) {
  return end_of_prefix<std::uint64_t>(0, leaves, [&](std::uint64_t leaf) { return before[leaf + 1] <= i; });
}

/// Lists the leaves of the new tree in key order: the position in the pool and the first rank of each.
template <class Leaves> struct list_leaves {
  leaf_runs<Leaves> runs;
  std::uint64_t const* before;   ///< number of pieces before each old leaf
  std::uint64_t const* written;  ///< number of written pieces before each old leaf
  std::uint64_t const* free;     ///< positions of free leaves in the pool
  typename Leaves::position* leaf_at;
  typename Leaves::position* bases;
  WDX_HD void operator()(std::uint64_t leaf) const {
    std::uint64_t const first = before[leaf];
    bool const writes = runs.is_written(leaf);
    for (std::uint64_t piece = 0; piece < before[leaf + 1] - first; ++piece) {
      std::uint64_t const to = writes ? free[written[leaf] + piece] : runs.tree.pool_leaf(leaf);
      leaf_at[first + piece] = static_cast<typename Leaves::position>(to);
      bases[first + piece] = static_cast<typename Leaves::position>(runs.piece_begin(leaf, piece));
    }
  }
};

/// Writes slot `i` of the written leaves, which are numbered one after another.
template <class Leaves> struct write_slot {
  leaf_runs<Leaves> runs;
  batch_places<Leaves> places;
  std::uint64_t const* written;
  std::uint64_t const* free;
  pair_writer<typename Leaves::key_type> to;
  WDX_HD void operator()(std::uint64_t i) const {
    Leaves const& tree = runs.tree;
    std::uint64_t const number = tree.leaf_with(i);
    std::uint64_t const leaf = leaf_of_piece(written, tree.leaves, number);
    std::uint64_t const piece = number - written[leaf];
    std::uint64_t const slot_in_pool = tree.first_slot(free[number]) + tree.in_leaf(i);
    std::uint64_t const rank = runs.piece_begin(leaf, piece) + tree.in_leaf(i);
    auto pair = no_entry<typename Leaves::key_type>();
    if (rank < runs.piece_begin(leaf, piece + 1)) {
      std::uint64_t const from = runs.first(leaf);
      std::uint64_t const inserted =
          end_of_prefix(runs.cuts[from], runs.cuts[leaf + 1], [&](std::uint64_t k) { return places.at[k] < rank; });
      if (inserted < runs.cuts[leaf + 1] && places.at[inserted] == rank) {
        pair = {places.keys[inserted], places.rows[inserted]};
      } else {
        std::uint64_t const old = places.rank_of_kept(rank - inserted);
        std::uint64_t const in = old < tree.first_rank(leaf) ? from : leaf;
        std::uint64_t const slot = tree.first_slot(in) + (old - tree.first_rank(in));
        pair = tree.pairs.at(slot);
      }
    }
    to.put(slot_in_pool, pair);
  }
};

/// Writes entries to slots of leaves, wherever these are in the pool.
template <class Leaves> struct leaf_writer {
  using Key = typename Leaves::key_type;
  Leaves tree;
  pair_writer<Key> pool;
  WDX_HD void put(std::uint64_t slot, Key key, std::uint64_t row) const { pool.put(tree.pairs.place(slot), key, row); }
};

/// Writes the leaf of each rank that is a multiple of the slots per leaf. A leaf has at most one such rank.
template <class Position> struct write_leaf_of {
  std::uint64_t slots;  ///< per leaf
  Position const* bases;
  Position* leaf_of;
  WDX_HD void operator()(std::uint64_t leaf) const {
    std::uint64_t const k = (std::uint64_t{bases[leaf]} + slots - 1) / slots;
    if (k * slots < bases[leaf + 1]) leaf_of[k] = static_cast<Position>(leaf);
  }
};

}  // namespace warpdex::detail
