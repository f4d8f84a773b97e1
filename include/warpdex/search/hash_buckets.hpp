// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_view.hpp>

namespace warpdex {

/// HT(buckets): a hash table of buckets with chained nodes (paper 000 compares with one, a variant of SlabHash).
///
/// A bucket has a base node of 15 pairs and the number of the next node of its chain. With 4-byte keys and rows a base
/// node takes 128 bytes. A visit reads one quarter of it, which is one memory access of 32 bytes. The other nodes of a
/// chain take one quarter each. They are small because at load 1 they hold few keys: 43% of the buckets get more keys
/// than their base node holds, and then 3.6 too many on average. All base nodes come first in memory, then all other
/// nodes. Units are quarters.
///
///     slots     0  1  2  3    4  5  6  7    8  9 10 11   12 13 14 next        0  1  2 next
///             | 03 05 11 -- | 24 31 38 46 | 48 52 60 -- | 71 74 80  n1 | -> | 88 93 -- -- |
///     quarter   0             1             2             3            node n1 of the chain
///
/// Entries are ordered by hash. Each hash has a home quarter, which grows with the hash. The hashes of a bucket are cut
/// into 13 equal parts: the first 4 are at home in quarter 0, the next 4 in quarter 1, the next 4 in quarter 2, and the
/// last one in quarter 3. An entry is in its home quarter, or in the first slot after it in the chain that the entries
/// before leave free. 13 parts instead of 15 crowd the first quarters a little: the more entries are at home, the more
/// slots before them stay empty.
///
/// Cost of a search: it reads quarters from the home quarter on, until the last hash of a quarter is not less than its
/// own. Absent keys end there too. With 15 keys per bucket it reads 1.6 quarters on average, and the table takes 10.2
/// bytes per pair.
///
/// The last slot of a node holds no pair. Its row is the number of the next node, and its key is 0. Nodes after the
/// base nodes are numbered from 1; 0 ends a chain. Nodes that belong to no chain are empty.
template <class Pairs> struct hash_buckets : hash_view<hash_buckets<Pairs>, Pairs> {
  using base = hash_view<hash_buckets<Pairs>, Pairs>;  ///< what hash tables share
  using base::cpu_slots;
  using base::homes;
  using base::none;
  using base::pairs;
  using base::units;
  using typename base::key_type;
  using typename base::row_type;
  using typename base::search;
  /// Properties of the view.
  static constexpr view_traits traits{.ranked = false, .equal_depth = false, .any_lanes = searched_by_any_lanes<Pairs>};

  static constexpr int slots = 4;     ///< per quarter
  static constexpr int quarters = 4;  ///< per base node
  static constexpr int parts = 13;    ///< of the hashes of a bucket; `slots` parts are at home in one quarter
  static constexpr int node_slots = slots * quarters;  ///< slots of a base node
  static constexpr int node_pairs = node_slots - 1;    ///< pairs of a base node
  static constexpr int chain_pairs = slots - 1;        ///< pairs of another node of a chain

  /// @return the bucket of a hash
  WDX_HD std::uint64_t bucket_of(key_type hash) const { return part_of(hash, homes); }
  /// @return quarters of all base nodes
  WDX_HD std::uint64_t base_units() const { return homes * quarters; }

  /// @return the quarter at which a hash is at home
  WDX_HD std::uint64_t home_of(key_type hash) const {
    auto const within = static_cast<key_type>(hash * homes);  // the position of the hash within its bucket
    return bucket_of(hash) * quarters + part_of(within, parts) / slots;
  }

  /// @return the last unit of a bucket's base node
  WDX_HD std::uint64_t last_of_base(std::uint64_t bucket) const { return bucket * quarters + quarters - 1; }

  /// @return the number, from 1, of the node that starts at `unit` after the base nodes
  WDX_HD std::uint64_t number_of(std::uint64_t unit) const { return unit - base_units() + 1; }

  /// @return whether the last slot of a unit holds the number of the next node
  WDX_HD bool ends_node(std::uint64_t unit) const { return unit % quarters == quarters - 1 || unit >= base_units(); }

  /// @return whether a slot is meant for a pair, not for the number of a node
  WDX_HD bool holds_pair(std::uint64_t slot) const { return slot % slots != slots - 1 || !ends_node(slot / slots); }

  /// @param unit the last unit of a node
  /// @return the first unit of the next node of the chain; 0 after the last node
  WDX_HD std::uint64_t next_node(std::uint64_t unit) const { return unit_of(pairs.row(unit * slots + slots - 1)); }

  /// Visits one quarter. Groups of 16 lanes or more visit the whole base node from the home quarter on. A single lane
  /// of a CPU also visits the next quarter of the node.
  /// @return whether the search is over
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    if (at.unit >= units) return true;
    if constexpr (Group::lanes >= node_slots)
      if (at.unit < base_units()) return visit_node(group, at);
    bool const ends = ends_node(at.unit);
    std::uint64_t const first = at.unit * slots;
#if defined(__CUDA_ARCH__)
    if constexpr (Group::lanes == 1 && Pairs::kind == layout::aos) return visit_quarter(at, first, ends);
#else
    if constexpr (Group::lanes == 1 && cpu_slots == 2 * slots)  // a slot with a link has key 0, which is never greater
      if (!ends) return this->visit_slots(group, at, first) || go_to(at, next_unit(at.unit + 1));
#endif
    auto const quarter = pairs.template node<slots>(first);
    int const room = ends ? slots - 1 : slots;
    int const before = group.template count<slots>([&](int j) { return j < room && quarter(j) < at.hash; });
    if (before < room) return finish(at, first + static_cast<unsigned>(before), quarter(before));
    return go_to(at, ends ? next_node(at.unit) : at.unit + 1);
  }

  /// @return the slot of the first pair of a unit or, if it is empty, of the units after it in the chain; `end_slot()`
  /// if there is none
  WDX_HD std::uint64_t first_pair(std::uint64_t unit) const {
    while (!this->is_taken(unit * slots)) {
      unit = next_unit(unit);
      if (unit == 0) return this->end_slot();
    }
    return unit * slots;
  }

  /// @return the slot of the next pair of the chain; `end_slot()` if there is none
  WDX_HD std::uint64_t next_pair(std::uint64_t slot) const {
    std::uint64_t const unit = slot / slots;
    if (++slot % slots != 0 && this->is_taken(slot)) return slot;
    std::uint64_t const next = next_unit(unit);
    return next == 0 ? this->end_slot() : first_pair(next);
  }

 private:
  /// @return the next unit of the chain; 0 after the last
  WDX_HD std::uint64_t next_unit(std::uint64_t unit) const { return ends_node(unit) ? next_node(unit) : unit + 1; }

  WDX_HD std::uint64_t unit_of(row_type node) const { return node == 0 ? 0 : base_units() + node - 1; }

  /// Moves the search to `unit`. @return whether the search is over because the chain has ended
  WDX_HD static bool go_to(search& at, std::uint64_t unit) {
    at.unit = unit;
    return unit == 0;
  }

  /// Ends the search at `slot`, the first whose hash, `found`, is not less than the target.
  WDX_HD bool finish(search& at, std::uint64_t slot, key_type found) const {
    if (found == at.hash) {
      at.slot = slot;
      at.row = pairs.row(slot);
    }
    return true;
  }

  /// Visits a whole base node. Slots before the home quarter count as less: their hashes are less, or they are empty.
  template <class Group> WDX_HD bool visit_node(Group group, search& at) const {
    std::uint64_t const unit = at.unit / quarters * quarters;
    int const home = static_cast<int>(at.unit % quarters) * slots;
    auto const node = pairs.template node<node_slots>(unit * slots);
    int const before =
        group.template count<node_slots>([&](int j) { return j < home || (j < node_pairs && node(j) < at.hash); });
    if (before < node_pairs) return finish(at, unit * slots + static_cast<unsigned>(before), node(before));
    return go_to(at, next_node(unit + quarters - 1));
  }

#if defined(__CUDACC__)
  __device__ bool visit_quarter(search& at, std::uint64_t first, bool ends) const {
    auto const quarter = this->template read_unit<slots>(first);
    if (!ends && quarter.keys[slots - 1] == at.hash) {
      at.slot = first + slots - 1;
      at.row = quarter.rows[slots - 1];
    }
#pragma unroll
    for (int j = slots - 2; j >= 0; --j) {  // downwards, because the slot of a key comes before empty slots
      if (quarter.keys[j] == at.hash) {
        at.slot = first + j;
        at.row = quarter.rows[j];
      }
    }
    if (!((ends ? quarter.keys[slots - 2] : quarter.keys[slots - 1]) < at.hash)) return true;
    return go_to(at, ends ? unit_of(quarter.rows[slots - 1]) : at.unit + 1);
  }
#endif
};

}  // namespace warpdex
