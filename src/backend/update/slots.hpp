// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/divisor.hpp>
#include <warpdex/search/eytzinger_order.hpp>
#include <warpdex/search/tree_leaves.hpp>

#include <bit>
#include <limits>

#include "backend/backend.hpp"
#include "base/prefix.hpp"

/// @file
/// The slots of sorted entries, for code that knows their order only at run time.
namespace warpdex {

/// Where one of some consecutive entries is: its offset from the first of them in key order, and its slot.
struct entry_place {
  unsigned offset;
  std::uint64_t slot;
};

/// `slot_order` with types, for arrays whose slots are ranks.
template <class Row> struct slots_by_rank {
  slots_by_rank() = default;
  slots_by_rank(slot_order, std::uint64_t) {}

  WDX_HD std::uint64_t operator()(std::uint64_t rank) const { return rank; }

  /// Enumerates the entries [begin, end): calls with each number below their count give the place of each entry once,
  /// in an order of its own.
  struct part {
    std::uint64_t begin;
    WDX_HD entry_place operator()(unsigned i) const { return {i, begin + i}; }
  };
  WDX_HD part part_of(std::uint64_t begin, std::uint64_t) const { return {begin}; }

  /// @param holds true for the slots of a prefix of the entries in key order
  /// @return the rank of the first entry for whose slot `holds` is false, or `size` if there is none
  template <class Predicate> WDX_HD std::uint64_t end_of_prefix(std::uint64_t size, Predicate holds) const {
    return warpdex::end_of_prefix<std::uint64_t>(0, size, holds);
  }
};

/// `slot_order` with types, for arrays in key order or in an Eytzinger order. Slots that are ranks count as an
/// Eytzinger order whose only node holds all entries.
template <class Row> class slots_by_level {
 public:
  using position = position_of<Row>;

  slots_by_level() = default;
  slots_by_level(slot_order order, std::uint64_t size)
      : fanout_(order.fanout == 0 ? std::numeric_limits<position>::max() : static_cast<position>(order.fanout)),
        node_shift_(order.fanout == 0 ? 63 : std::countr_zero(static_cast<unsigned>(order.fanout - 1))),
        order_(fanout_, size) {}

  WDX_HD std::uint64_t operator()(std::uint64_t rank) const {
    return order_.slot_of(static_cast<position>(rank), fanout_);
  }

  /// Enumerates the entries [begin, end) in three groups: leaves, then the level above the leaves, then all others. So
  /// adjacent numbers have adjacent slots, and few warps have entries of two groups. The level above has a group of its
  /// own because it holds most entries if there are few leaves.
  struct part {
    slots_by_level const& slots;
    position begin;
    position first_leaf, first_above, first_other;  ///< per group: its entries of the whole array before `begin`
    position level_above;                           ///< first slot of the level above the leaves
    unsigned leaves, before_others;                 ///< entries of the first group, and of the first two
    WDX_HD entry_place operator()(unsigned i) const {
      if (i < leaves) {
        position const leaf = first_leaf + i;
        return {static_cast<unsigned>(slots.with_each_kth(leaf) - begin),
                std::uint64_t{slots.order_.first_leaf} + leaf};
      }
      bool const is_above = i < before_others;
      position const number = is_above ? first_above + (i - leaves) : first_other + (i - before_others);
      position const inner = is_above ? slots.with_each_kth(number) : number * slots.fanout_ + (slots.fanout_ - 1);
      return {static_cast<unsigned>(inner + slots.order_.leaves_before(inner, slots.fanout_) - begin),
              is_above ? std::uint64_t{level_above} + number : slots.order_.inner_slot(inner, slots.fanout_)};
    }
  };
  WDX_HD part part_of(std::uint64_t begin, std::uint64_t end) const {
    auto const first = static_cast<position>(begin);
    auto const last = static_cast<position>(end);
    position const leaf = order_.leaves_below(first, fanout_);
    position const end_leaf = order_.leaves_below(last, fanout_);
    position const other = (first - leaf) / fanout_;
    position const above = first - leaf - other;
    position const end_above = last - end_leaf - (last - end_leaf) / fanout_;
    return {*this,
            first,
            leaf,
            above,
            other,
            order_.inner_slot(0, fanout_),
            static_cast<unsigned>(end_leaf - leaf),
            static_cast<unsigned>(end_leaf - leaf + (end_above - above))};
  }

  template <class Predicate> WDX_HD std::uint64_t end_of_prefix(std::uint64_t size, Predicate holds) const {
    std::uint64_t const keys = fanout_ - 1;  // per node
    std::uint64_t found = size;
    std::uint64_t node = 0;
    for (int level = 0; level < order_.levels && node * keys < size; ++level) {
      std::uint64_t const first = node * keys;
      std::uint64_t const end = first + keys < size ? first + keys : size;
      std::uint64_t const slot = warpdex::end_of_prefix(first, end, holds);
      if (slot < end) found = slot;
      node = node * fanout_ + 1 + (slot - first);
    }
    return found == size ? size : order_.rank_of(static_cast<position>(found), fanout_);
  }

 private:
  /// @return i plus the number of entries of the upper levels before entry `i` of a level: one for each K-1 entries of
  /// this level
  WDX_HD position with_each_kth(position i) const { return i + static_cast<position>(std::uint64_t{i} >> node_shift_); }

  divisor<position> fanout_;
  int node_shift_ = 0;  ///< log2 of the keys per node, K-1; 63 if one node holds all entries
  eytzinger_order<position> order_;
};

/// @return where the entries of leaves are
template <int Slots, class Pairs> leaf_order leaf_order_of(tree_leaves<Slots, Pairs> const& leaves) {
  leaf_order order;
  order.leaves = leaves.leaves;
  order.per_leaf = leaves.per_leaf;
  order.slot_bits = leaves.pairs.slot_bits;
  order.leaf_at = leaves.pairs.leaf_at;
  order.bases = leaves.bases;
  order.leaf_of = leaves.leaf_of;
  return order;
}

/// `slot_order` with types, for leaves with free slots and positions of 32 bits.
class slots_in_leaves {
 public:
  using position = std::uint32_t;

  slots_in_leaves() = default;
  slots_in_leaves(slot_order const& order, std::uint64_t size)
      : leaves_(size, order.leaves.leaves, static_cast<int>(order.leaves.per_leaf)) {
    leaves_.pairs.slot_bits = order.leaves.slot_bits;
    leaves_.pairs.leaf_at = static_cast<position const*>(order.leaves.leaf_at);
    leaves_.bases = static_cast<position const*>(order.leaves.bases);
    leaves_.leaf_of = static_cast<position const*>(order.leaves.leaf_of);
  }

  WDX_HD std::uint64_t operator()(std::uint64_t rank) const {
    return leaves_.pairs.place(leaves_.slot_of(static_cast<position>(rank)));
  }

  /// Enumerates the entries [begin, end) in key order: adjacent threads take adjacent slots, but for the free ones.
  struct part {
    slots_in_leaves const& slots;
    std::uint64_t begin;
    WDX_HD entry_place operator()(unsigned i) const { return {i, slots(begin + i)}; }
  };
  WDX_HD part part_of(std::uint64_t begin, std::uint64_t) const { return {*this, begin}; }

 private:
  tree_leaves<0, soa_pairs<position>> leaves_;  ///< without pairs
};

/// Calls run.operator()<Slots>() with a type of slots that serves both orders, neither of leaves.
template <class Row, class Run> decltype(auto) with_slots(slot_order const& a, slot_order const& b, Run const& run) {
  if (a.fanout == 0 && b.fanout == 0) return run.template operator()<slots_by_rank<Row>>();
  return run.template operator()<slots_by_level<Row>>();
}

/// Calls run.operator()<Slots>() with the type of slots of any order.
template <class Row, class Run> decltype(auto) with_slots(slot_order const& order, Run const& run) {
  if (order.leaves.leaves != 0) return run.template operator()<slots_in_leaves>();
  return with_slots<Row>(order, {}, run);
}

}  // namespace warpdex
