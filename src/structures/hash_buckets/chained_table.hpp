// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/hash_structure.hpp"

/// @file
/// How HT(buckets) is built from pairs in the order of their hashes, and checked. The entries of a bucket lie
/// together in that order, so one thread a bucket lays out its chain; a scan over the lengths of all chains gives
/// each its nodes, one behind the other.
namespace warpdex {

namespace detail {

/// Marks where the entries of a bucket end, in the place of the next bucket; 0 stays where a bucket has none.
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

/// Whether a bucket has more entries than keys that were not chosen to collide would give it.
struct is_too_full {
  std::uint64_t const* starts;
  std::uint64_t most;
  WDX_HD bool operator()(std::uint64_t bucket) const { return starts[bucket + 1] - starts[bucket] > most; }
};

/// How many nodes the entries of a bucket need besides its base node.
template <class View> struct count_nodes {
  View view;
  distinct_keys<View> entries;
  std::uint64_t const* starts;
  std::uint64_t* nodes;
  WDX_HD void operator()(std::uint64_t bucket) const {
    std::uint64_t used = 0;  // places
    for (std::uint64_t i = starts[bucket]; i < starts[bucket + 1]; ++i) {
      std::uint64_t const home = (view.home_of(entries.key(i)) - bucket * View::quarters) * View::slots;
      used = (used < home ? home : used) + 1;
    }
    std::uint64_t const chained = used > View::node_pairs ? used - View::node_pairs : 0;
    nodes[bucket] = (chained + View::chain_pairs - 1) / View::chain_pairs;
  }
};

/// Writes the chain of a bucket, empty places too.
template <class View> struct write_chain {
  View view;
  distinct_keys<View> entries;
  std::uint64_t const* starts;
  std::uint64_t const* nodes;  ///< how many there are in the chains before
  void* first;
  void* second;

  WDX_HD void operator()(std::uint64_t bucket) const {
    std::uint64_t i = starts[bucket];
    std::uint64_t const end = starts[bucket + 1];
    std::uint64_t node = nodes[bucket] + 1;
    std::uint64_t unit = bucket * View::quarters;
    for (int quarter = 0; quarter < View::quarters - 1; ++quarter, ++unit) {
      std::uint64_t at_home = i;
      while (at_home < end && view.home_of(entries.key(at_home)) <= unit) ++at_home;
      i = write_unit(unit, View::slots, i, at_home);
    }
    for (;;) {
      i = write_unit(unit, View::slots - 1, i, end);
      std::uint64_t const next = i < end ? node++ : 0;
      put_pair<typename View::pairs_type>(first, second, unit * View::slots + View::slots - 1, 0,
                                          static_cast<typename View::row_type>(next));
      if (next == 0) return;
      unit = view.base_units() + next - 1;
    }
  }

 private:
  /// Writes entries from `i` to `end`, as many as `room`, into a unit. @return the first that is left
  WDX_HD std::uint64_t write_unit(std::uint64_t unit, int room, std::uint64_t i, std::uint64_t end) const {
    for (int j = 0; j < room; ++j) {
      bool const taken = i < end;
      put_pair<typename View::pairs_type>(first, second, unit * View::slots + static_cast<unsigned>(j),
                                          taken ? entries.key(i) : View::empty_key,
                                          taken ? entries.value(i) : View::none);
      i += taken ? 1 : 0;
    }
    return i;
  }
};

/// Calls visit(place) for each key of a bucket, by hash. @return how many there are
template <class View, class Visit>
WDX_HD std::uint64_t visit_bucket(View const& view, std::uint64_t bucket, Visit const& visit) {
  std::uint64_t count = 0;
  std::uint64_t unit = bucket * View::quarters;
  do {
    for (std::uint64_t place = unit * View::slots; place / View::slots == unit && view.is_taken(place);
         ++place, ++count)
      visit(place);
    unit = view.ends_node(unit) ? view.next_node(unit) : unit + 1;
  } while (unit != 0);
  return count;
}

template <class View> struct count_bucket {
  View view;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t bucket) const {
    counts[bucket] = visit_bucket(view, bucket, [](std::uint64_t) {});
  }
};

template <class View> struct list_bucket {
  View view;
  std::uint64_t const* before;
  std::uint64_t* places;
  WDX_HD void operator()(std::uint64_t bucket) const {
    std::uint64_t* to = places + before[bucket];
    visit_bucket(view, bucket, [&](std::uint64_t place) { *to++ = place; });
  }
};

/// Whether a chain is not as it must be. If none is, its hashes ascend and belong to the bucket, every search that
/// looks for one of them comes to it, and no node is in two chains, nor twice in one.
template <class View> struct wrong_chain {
  View view;
  std::uint64_t most;
  WDX_HD bool operator()(std::uint64_t bucket) const {
    std::uint64_t unit = bucket * View::quarters;
    std::uint64_t full_from = unit;  // from there on all units before this one are full
    std::uint64_t entries = 0;
    typename View::key_type last{};
    for (;;) {
      bool const in_base = unit < view.base_units();
      int const room = view.ends_node(unit) ? View::slots - 1 : View::slots;
      int taken = 0;
      for (int j = 0; j < room; ++j) {
        auto const key = view.pairs.key(unit * View::slots + static_cast<unsigned>(j));
        if (view.pairs.row(unit * View::slots + static_cast<unsigned>(j)) == View::none) {
          if (key != View::empty_key) return true;
          continue;
        }
        if (taken++ != j || (entries != 0 && !(last < key)) || ++entries > most) return true;
        std::uint64_t const home = view.home_of(key);
        if (home / View::quarters != bucket || (home != unit && (home < full_from || (in_base && home > unit))))
          return true;
        last = key;
      }
      if (!in_base && taken == 0) return true;
      if (taken != room) full_from = unit + 1;
      if (!view.ends_node(unit)) {
        ++unit;
        continue;
      }
      if (view.pairs.key(unit * View::slots + View::slots - 1) != 0) return true;
      unit = view.next_node(unit);
      if (unit == 0) return false;
      if (unit < view.base_units() || unit >= view.units) return true;
    }
  }
};

/// Whether a node, by its number from 0, is neither empty nor in the chain of its first hash. For chains that are
/// right.
template <class View> struct wrong_node {
  View view;
  WDX_HD bool operator()(std::uint64_t node) const {
    std::uint64_t const unit = view.base_units() + node;
    std::uint64_t const first = unit * View::slots;
    if (!view.is_taken(first)) {
      for (unsigned j = 0; j < View::chain_pairs; ++j)
        if (view.pairs.row(first + j) != View::none || view.pairs.key(first + j) != View::empty_key) return true;
      return view.pairs.row(first + View::chain_pairs) != 0 || view.pairs.key(first + View::chain_pairs) != 0;
    }
    std::uint64_t at = (view.bucket_of(view.pairs.key(first)) + 1) * View::quarters - 1;
    while (at != 0 && at != unit) at = view.next_node(at);
    return at != unit;
  }
};

}  // namespace detail

template <class Engine, class View> class chained_table final : public hash_structure<Engine, View> {
  using base = hash_structure<Engine, View>;
  using base::table_;
  using base::view_;

 public:
  chained_table(hash_plan const& made_by, contents from, execution const& exec)
      : base(made_by, View{}), most_(64 + std::uint64_t{4} * View::node_pairs * made_by.load / hash_plan::full_load) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from))
      this->build(std::move(*pairs), made_by, View::node_pairs, exec,
                  [&](auto const& entries) { return try_build(entries, exec); });
    else this->load(std::get<stored_index>(from), View::quarters, exec);
    this->prepare(exec);
  }

 private:
  void check_places(execution const& exec) const override {
    this->expect_none(Engine::count_if(exec, view_.homes, detail::wrong_chain<View>{view_, most_}), "wrong chains");
    this->expect_none(Engine::count_if(exec, view_.units - view_.base_units(), detail::wrong_node<View>{view_}),
                      "nodes in no chain");
  }

  void list_places(std::uint64_t* places, execution const& exec) const override {
    buffer counts((view_.homes + 1) * sizeof(std::uint64_t), exec);
    auto* const before = counts.as<std::uint64_t>();
    Engine::for_each(exec, view_.homes, detail::count_bucket<View>{view_, before});
    backend_of(Engine::kind).exclusive_scan(before, view_.homes, exec);
    Engine::for_each(exec, view_.homes, detail::list_bucket<View>{view_, before, places});
  }

  bool try_build(detail::distinct_keys<View> const& entries, execution const& exec) {
    backend const& by = backend_of(Engine::kind);
    std::uint64_t const keys = table_.keys;
    std::uint64_t const homes = table_.homes;
    buffer ends((homes + 1) * sizeof(std::uint64_t), exec);
    auto* const starts = ends.as<std::uint64_t>();
    by.fill_zero(starts, ends.bytes(), exec);
    Engine::for_each(exec, keys, detail::mark_end<View>{view_, entries, keys, starts});
    by.running_maximum(starts, homes + 1, exec);
    if (Engine::count_if(exec, homes, detail::is_too_full{starts, most_}) != 0) return false;

    buffer counts((homes + 1) * sizeof(std::uint64_t), exec);
    auto* const nodes = counts.as<std::uint64_t>();
    Engine::for_each(exec, homes, detail::count_nodes<View>{view_, entries, starts, nodes});
    table_.units = homes * View::quarters + by.exclusive_scan(nodes, homes, exec);

    this->add_pairs(table_.units * View::slots, exec);
    Engine::for_each(
        exec, homes,
        detail::write_chain<View>{view_, entries, starts, nodes, this->first_array(), this->second_array()});
    return true;
  }

  /// Entries that a bucket may have. The fullest of 2^28 random keys has less than half of this, so keys that exceed
  /// it were chosen to collide.
  std::uint64_t most_;
};

}  // namespace warpdex
