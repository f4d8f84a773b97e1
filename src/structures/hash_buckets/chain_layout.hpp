// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/hash/hash_structure.hpp"

/// @file
/// How the chains of HT(buckets) are laid out. In hash order the entries of a bucket are adjacent, so one thread per
/// bucket writes its chain. A scan over the lengths of all chains assigns the nodes.
namespace warpdex::detail {

/// Writes the end of the entries of each bucket to the element of the next bucket. For an empty bucket this element
/// stays 0.
template <class View> struct mark_end {
  View view;
  distinct_keys<View> entries;
  std::uint64_t count;
  std::uint64_t* ends;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const bucket = view.bucket_of(entries.key(i));
    if (i + 1 == count || view.bucket_of(entries.key(i + 1)) != bucket) ends[bucket + 1] = i + 1;
  }
};

/// Whether a bucket has more entries than it gets from keys that were not chosen to collide.
struct is_too_full {
  std::uint64_t const* starts;
  std::uint64_t most;
  WDX_HD bool operator()(std::uint64_t bucket) const { return starts[bucket + 1] - starts[bucket] > most; }
};

/// Counts the slots of a chain while its entries are added in hash order.
template <class View> struct chain_length {
  View view;
  std::uint64_t bucket;
  std::uint64_t used = 0;  ///< slots up to the last entry

  WDX_HD void add(typename View::key_type hash) {
    std::uint64_t const home = (view.home_of(hash) - bucket * View::quarters) * View::slots;
    used = (used < home ? home : used) + 1;
  }
  /// @return the number of nodes besides the base node
  WDX_HD std::uint64_t nodes() const {
    return used <= View::node_pairs ? 0 : (used - View::node_pairs + View::chain_pairs - 1) / View::chain_pairs;
  }
};

template <class View> struct count_nodes {
  View view;
  distinct_keys<View> entries;
  std::uint64_t const* starts;
  std::uint64_t* nodes;
  WDX_HD void operator()(std::uint64_t bucket) const {
    chain_length<View> length{view, bucket};
    for (std::uint64_t i = starts[bucket]; i < starts[bucket + 1]; ++i) length.add(entries.key(i));
    nodes[bucket] = length.nodes();
  }
};

/// Writes chains.
template <class View> struct chain_writer {
  View view;
  pair_writer<typename View::key_type> to;

  /// Writes the chain of a bucket from entries [i, end), empty slots included.
  /// @param next_node called for each node besides the base node; returns its number, counted from 1
  template <class NextNode>
  WDX_HD void write(std::uint64_t bucket, distinct_keys<View> const& entries, std::uint64_t i, std::uint64_t end,
                    NextNode const& next_node) const {
    std::uint64_t unit = bucket * View::quarters;
    for (int quarter = 0; quarter < View::quarters - 1; ++quarter, ++unit) {
      std::uint64_t at_home = i;
      while (at_home < end && view.home_of(entries.key(at_home)) <= unit) ++at_home;
      i = write_unit(unit, View::slots, entries, i, at_home);
    }
    for (;;) {
      i = write_unit(unit, View::slots - 1, entries, i, end);
      std::uint64_t const next = i < end ? next_node() : 0;
      put(unit * View::slots + View::slots - 1, 0, static_cast<typename View::row_type>(next));
      if (next == 0) return;
      unit = view.base_units() + next - 1;
    }
  }

  /// Makes a node empty. @param node its number, counted from 1
  WDX_HD void clear(std::uint64_t node) const {
    std::uint64_t const unit = view.base_units() + node - 1;
    write_unit(unit, View::slots - 1, {}, 0, 0);
    put(unit * View::slots + View::slots - 1, 0, 0);
  }

 private:
  WDX_HD void put(std::uint64_t slot, typename View::key_type key, typename View::row_type row) const {
    to.put(slot, key, row);
  }

  /// Writes a unit from entries [i, end), but at most `room` of them. @return the first entry that is left
  WDX_HD std::uint64_t write_unit(std::uint64_t unit, int room, distinct_keys<View> const& entries, std::uint64_t i,
                                  std::uint64_t end) const {
    for (int j = 0; j < room; ++j) {
      std::uint64_t const slot = unit * View::slots + static_cast<unsigned>(j);
      if (i == end) {
        put(slot, View::empty_key, View::none);
        continue;
      }
      auto const content = entries.at(i++);
      to.put(slot, content.pair);
      if (content.repeats) entries.flags[slot] = 1;
    }
    return i;
  }
};

/// Writes the chain of a bucket to consecutive nodes.
template <class View> struct write_chain {
  chain_writer<View> to;
  distinct_keys<View> entries;
  std::uint64_t const* starts;
  std::uint64_t const* nodes;  ///< number of nodes of the chains before, base nodes excluded
  WDX_HD void operator()(std::uint64_t bucket) const {
    std::uint64_t node = nodes[bucket];
    to.write(bucket, entries, starts[bucket], starts[bucket + 1], [&] { return ++node; });
  }
};

/// Calls visit(slot) for each key of a bucket, in hash order.
template <class View, class Visit>
WDX_HD void visit_bucket(View const& view, std::uint64_t bucket, Visit const& visit) {
  for (std::uint64_t slot = view.first_pair(bucket * View::quarters); slot != view.end_slot();
       slot = view.next_pair(slot))
    visit(slot);
}

template <class View> struct count_bucket {
  View view;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t bucket) const {
    std::uint64_t count = 0;
    visit_bucket(view, bucket, [&](std::uint64_t) { ++count; });
    counts[bucket] = count;
  }
};

template <class View> struct list_bucket {
  View view;
  std::uint64_t const* before;
  std::uint64_t* places;
  WDX_HD void operator()(std::uint64_t bucket) const {
    std::uint64_t* to = places + before[bucket];
    visit_bucket(view, bucket, [&](std::uint64_t slot) { *to++ = slot; });
  }
};

}  // namespace warpdex::detail
