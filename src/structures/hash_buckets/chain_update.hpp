// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/hash_buckets/chain_layout.hpp"

/// @file
/// How a batch changes chains in place. The changes of a bucket are adjacent in the batch. The first of them is the
/// *leader*: its thread rewrites the chain, from the entries that stay and the inserted ones.
///
/// 1. Leaders count the entries of their new chains, and the nodes that these need beyond the nodes they have.
/// 2. A scan assigns each leader its part of the scratch, and its additional nodes.
/// 3. Leaders merge their entries into scratch.
/// 4. Leaders write their chains. The table changes only in this step. A chain reuses its own nodes first. The nodes
///    that it no longer needs become empty.
namespace warpdex::detail {

/// A table, a batch of changes, and the largest permitted number of entries per bucket.
template <class View> struct chain_changes : hash_changes<View> {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  using base = hash_changes<View>;
  using base::erase_keys;
  using base::erases;
  using base::insert_keys;
  using base::insert_rows;
  using base::inserts;
  using base::view;
  std::uint64_t most;

  WDX_HD std::uint64_t count() const { return inserts + erases; }
  WDX_HD std::uint64_t bucket_of(std::uint64_t change) const {
    return view.bucket_of(change < inserts ? insert_keys[change] : erase_keys[change - inserts]);
  }

  /// @return whether a change is the leader of its bucket. Inserts are numbered before erases.
  WDX_HD bool leads(std::uint64_t change) const {
    std::uint64_t const bucket = bucket_of(change);
    if (change != 0 && change != inserts && bucket_of(change - 1) == bucket) return false;
    if (change < inserts) return true;
    std::uint64_t const insert = first_insert(bucket);
    return insert == inserts || bucket_of(insert) != bucket;
  }

  /// Calls visit(hash, row) for each entry of the changed bucket, in hash order. @return false if a key would repeat
  template <class Visit> WDX_HD bool merge(std::uint64_t bucket, Visit const& visit) const {
    std::uint64_t insert = first_insert(bucket);
    std::uint64_t erase = end_of_prefix<std::uint64_t>(
        0, erases, [&](std::uint64_t i) { return view.bucket_of(erase_keys[i]) < bucket; });
    std::uint64_t old = view.first_pair(bucket * View::quarters);
    for (;;) {
      for (; old != view.end_slot(); old = view.next_pair(old)) {
        while (erase < erases && erase_keys[erase] < view.pairs.key(old)) ++erase;
        if (erase == erases || erase_keys[erase] != view.pairs.key(old)) break;
      }
      bool const old_left = old != view.end_slot();
      if (insert == inserts || bucket_of(insert) != bucket) {
        if (!old_left) return true;
      } else if (Key const hash = insert_keys[insert]; !old_left || !(view.pairs.key(old) < hash)) {
        if (old_left && view.pairs.key(old) == hash) return false;
        if (insert + 1 < inserts && insert_keys[insert + 1] == hash) return false;
        visit(hash, insert_rows[insert++]);
        continue;
      }
      visit(view.pairs.key(old), view.pairs.row(old));
      old = view.next_pair(old);
    }
  }

 private:
  WDX_HD std::uint64_t first_insert(std::uint64_t bucket) const {
    return end_of_prefix<std::uint64_t>(0, inserts,
                                        [&](std::uint64_t i) { return view.bucket_of(insert_keys[i]) < bucket; });
  }
};

/// Step 1. Returns true if a bucket cannot be changed, because a key would repeat or the bucket would get too many
/// entries.
template <class View> struct measure_chain {
  chain_changes<View> changes;
  std::uint64_t* entries;
  std::uint64_t* nodes;
  WDX_HD bool operator()(std::uint64_t change) const {
    entries[change] = nodes[change] = 0;
    if (!changes.leads(change)) return false;
    auto const& view = changes.view;
    std::uint64_t const bucket = changes.bucket_of(change);
    chain_length<View> length{view, bucket};
    std::uint64_t count = 0;
    bool const distinct = changes.merge(bucket, [&](auto hash, auto) {
      ++count;
      length.add(hash);
    });
    std::uint64_t has = 0;
    for (std::uint64_t unit = view.next_node(view.last_of_base(bucket)); unit != 0; unit = view.next_node(unit)) ++has;
    entries[change] = count;
    nodes[change] = length.nodes() > has ? length.nodes() - has : 0;
    return !distinct || count > changes.most;
  }
};

/// Step 3: each leader merges the old entries of its bucket with its changes, and writes them to scratch.
template <class View> struct merge_chain {
  chain_changes<View> changes;
  std::uint64_t const* offsets;  ///< of the entries of each leader in scratch
  typename View::key_type* keys;
  typename View::row_type* rows;
  WDX_HD void operator()(std::uint64_t change) const {
    if (!changes.leads(change)) return;
    std::uint64_t at = offsets[change];
    changes.merge(changes.bucket_of(change), [&](auto hash, auto row) {
      keys[at] = hash;
      rows[at++] = row;
    });
  }
};

/// Step 4: each leader writes its chain, and clears the nodes that it no longer needs.
template <class View> struct rewrite_chain {
  chain_changes<View> changes;
  chain_writer<View> to;
  distinct_keys<View> entries;   ///< in scratch
  std::uint64_t const* offsets;  ///< of the entries of each leader in scratch
  std::uint64_t const* nodes;    ///< number of additional nodes that earlier leaders take
  std::uint64_t const* empty;    ///< additional nodes, numbered from 0; null if they are consecutive
  std::uint64_t first_empty;     ///< the first additional node if they are consecutive
  WDX_HD void operator()(std::uint64_t change) const {
    if (!changes.leads(change)) return;
    auto const& view = changes.view;
    std::uint64_t const bucket = changes.bucket_of(change);
    std::uint64_t own = view.next_node(view.last_of_base(bucket));
    std::uint64_t further = nodes[change];
    to.write(bucket, entries, offsets[change], offsets[change + 1], [&] {
      if (own == 0) {
        std::uint64_t const node = further++;
        return (empty == nullptr ? first_empty + node : empty[node]) + 1;
      }
      std::uint64_t const node = view.number_of(own);
      own = view.next_node(own);
      return node;
    });
    while (own != 0) {
      std::uint64_t const node = view.number_of(own);
      own = view.next_node(own);
      to.clear(node);
    }
  }
};

/// Whether a node, numbered from 0, is empty.
template <class View> struct is_empty_node {
  View view;
  WDX_HD bool operator()(std::uint64_t node) const { return !view.is_taken((view.base_units() + node) * View::slots); }
};

template <class View> struct clear_node {
  chain_writer<View> to;
  std::uint64_t first;
  WDX_HD void operator()(std::uint64_t i) const { to.clear(first + i + 1); }
};

}  // namespace warpdex::detail
