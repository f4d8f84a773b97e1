// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

#include "base/prefix.hpp"
#include "batch/batch.hpp"

/// @file
/// The steps before and after a search, one template for all structures and backends.
namespace warpdex {

/// The target of a point operation: it searches for the first key not less than `key`. Upper bounds and floors search
/// for the successor of the probe. The largest key of the type has no successor, so its answer is the end, whatever the
/// search finds.
template <class Key> struct target {
  Key probe;
  Key key;
  bool at_end;  ///< whether the answer is the end
};

template <class Key> WDX_HD target<Key> target_of(search_op op, Key probe) {
  if (op != search_op::upper_bound && op != search_op::floor) return {probe, probe, false};
  auto const next = successor_of(probe);
  return {probe, next.key, !next.exists};
}

/// The same for a view; one without ranks is searched for the probe itself.
template <class View> WDX_HD target<typename View::key_type> wanted_by(search_op op, typename View::key_type probe) {
  if constexpr (View::traits.ranked) return target_of(op, probe);
  else return {probe, probe, false};
}

/// Writes the positions for a batch that may be answered in any order but is answered in the order of the probes.
struct number_positions {
  std::uint32_t* positions;
  std::uint32_t first;
  WDX_HD void operator()(std::uint64_t i) const { store_element(positions, i, first + static_cast<std::uint32_t>(i)); }
};

/// @return bytes per answer
template <class View> std::size_t answer_bytes(View const& view, search_op op) {
  switch (op) {
    case search_op::contains: return sizeof(std::uint8_t);
    case search_op::lower_bound:
    case search_op::upper_bound: return sizeof(std::uint64_t);
    default: return view.pairs.row_bytes();
  }
}

/// Writes a row id to an array of row ids, as wide as those of the view.
template <class View> WDX_HD void store_row(View const& view, void* out, std::uint64_t i, typename View::row_type row) {
  if (view.pairs.row_bytes() == 8) store_element<std::uint64_t>(out, i, row);
  else store_element<std::uint32_t>(out, i, static_cast<std::uint32_t>(row));
}

/// @return the search for a probe, at its start
/// @param key the key to search for (`target_of`), or its hash if `batch.hashed`
template <class View>
WDX_HD typename View::search start_of(View const& view, point_batch const& batch, typename View::key_type key) {
  if constexpr (!View::traits.ranked && !View::traits.routes)
    if (batch.hashed) return view.start_hash(key);
  return view.start(key);
}

/// @return the row id at a place of a range. In views with ranks a place is a slot; views without ranks define it
template <class View> WDX_HD typename View::row_type row_at(View const& view, typename View::position position) {
  if constexpr (View::traits.ranked) return view.pairs.row(position);
  else return view.row_at(position);
}

/// Calls visit(row) with the row id at a place of a range, unless the place is a gap.
template <class View, class Visit>
WDX_HD void visit_row(View const& view, typename View::position position, Visit const& visit) {
  auto const row = row_at(view, position);
  if constexpr (View::traits.gaps)
    if (row == no_row<typename View::row_type>) return;
  visit(row);
}

/// Prefetches the memory that the answer to a probe will read. Searches in views without ranks have read it already.
template <class View>
WDX_HD WDX_INLINE void prefetch_answer([[maybe_unused]] View const& view, [[maybe_unused]] search_op op,
                                       [[maybe_unused]] typename View::search const& found) {
  if constexpr (View::traits.ranked) {
    if (op != search_op::find || !(found.slot < view.end())) return;
    prefetch(view.pairs.key_address(found.slot));
    if constexpr (View::pairs_type::kind == layout::soa) prefetch(view.pairs.row_address(found.slot));
  }
}

/// Writes the key that a floor or a ceil has found. Calls do not ask for strings.
template <class Key> WDX_HD void write_key(point_batch const& batch, std::uint64_t i, Key key) {
  if constexpr (!is_bytes<Key>) store_element<Key>(batch.keys, i, decode(batch.codec, key));
}

/// The entries of a view with ranks, by ranks.
template <class View> struct entries_by_rank {
  View const& view;
  std::uint64_t size = view.size;

  WDX_HD auto key(std::uint64_t rank) const { return view.pairs.key(slot(rank)); }
  WDX_HD auto row(std::uint64_t rank) const { return view.pairs.row(slot(rank)); }

 private:
  WDX_HD typename View::position slot(std::uint64_t rank) const {
    return view.slot_of(static_cast<typename View::position>(rank));
  }
};

/// What is not among some consecutive entries of an index: nothing, if these are all.
template <class Key, class Row> struct no_edges {
  bool any_before{};
  std::uint64_t run_after{};
  Key key_before{};
  Row row_before{};
};

/// @return the row id that matches a probe
/// @param entries consecutive entries of an index, among them those next to the probe, unless `edges` tell of them:
/// `size`, key(i), row(i), where the latter also takes numbers of entries after them
/// @param at the index of the first key not less than the probe
template <class Row, class Key, class Entries, class At, class Edges>
WDX_HD WDX_INLINE Row nearest_row(nearest_rule const& rule, Entries const& entries, Key probe, At at,
                                  Edges const& edges) {
  At const size = entries.size;
  auto const last_of_run = [&](At i, Key key) -> std::uint64_t {
    At const end =
        end_of_prefix_near(static_cast<At>(i + 1), size, [&](At other) { return entries.key(other) == key; });
    return end + (end == size ? edges.run_after : 0) - 1;
  };
  if (at < size && entries.key(at) == probe) {
    bool const last = rule.above && (!rule.below || rule.later) ? rule.last_above : rule.last_below;
    return entries.row(last ? last_of_run(at, probe) : std::uint64_t{at});
  }
  auto const matches = [&](Key key, Key distance) {
    return ((key ^ probe) & static_cast<Key>(rule.group)) == 0 && distance <= rule.limit;
  };
  Row row = no_row<Row>;
  Key nearest = 0;
  if (rule.below && (at != 0 || edges.any_before)) {
    Key const key = at != 0 ? entries.key(at - 1) : edges.key_before;
    nearest = static_cast<Key>(probe - key);
    if (matches(key, nearest)) {
      At first = at;
      if (at != 0) first = at - 1;
      if (!rule.last_below && first != 0 && entries.key(first - 1) == key)
        first = end_of_prefix(At{0}, first, [&](At i) { return entries.key(i) < key; });
      bool const before = at == 0 || (!rule.last_below && first == 0 && edges.any_before && edges.key_before == key);
      row = before ? edges.row_before : entries.row(first);
    }
  }
  if (rule.above && at < size) {
    Key const key = entries.key(at);
    auto const distance = static_cast<Key>(key - probe);
    bool const wins = row == no_row<Row> || distance < nearest || (distance == nearest && rule.later);
    if (wins && matches(key, distance)) row = entries.row(rule.last_above ? last_of_run(at, key) : std::uint64_t{at});
  }
  return row;
}

/// Writes the answer to probe `i` of a view with ranks, whose search ended at `slot`.
template <class View>
WDX_HD void answer_at(View const& view, point_batch const& batch, std::uint64_t i, typename View::key_type probe,
                      typename View::position slot) {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  switch (batch.op) {
    case search_op::contains:
      static_cast<std::uint8_t*>(batch.out)[i] = slot < view.end() && view.pairs.key(slot) == probe;
      break;
    case search_op::find:
      store_row(view, batch.out, i,
                slot < view.end() && view.pairs.key(slot) == probe ? view.pairs.row(slot) : no_row<Row>);
      break;
    case search_op::lower_bound:
    case search_op::upper_bound: store_element<std::uint64_t>(batch.out, i, view.rank(slot)); break;
    case search_op::floor: {
      auto const above = view.rank(slot);
      Row row = no_row<Row>;
      if (above > 0) {
        auto largest = view.slot_of(above - 1);
        Key const key = view.pairs.key(largest);
        // Only a key that repeats needs a second search for its smallest row.
        if (above > 1 && view.pairs.key(view.slot_of(above - 2)) == key) largest = lower_bound(view, key);
        row = view.pairs.row(largest);
        if (batch.keys != nullptr) write_key(batch, i, key);
      }
      store_row(view, batch.out, i, row);
      break;
    }
    case search_op::ceil: {
      bool const any = slot < view.end();
      if (any && batch.keys != nullptr) write_key(batch, i, view.pairs.key(slot));
      store_row(view, batch.out, i, any ? view.pairs.row(slot) : no_row<Row>);
      break;
    }
    case search_op::nearest:
      if constexpr (sizeof(Key) <= sizeof(std::uint64_t))
        store_row(view, batch.out, i,
                  nearest_row<Row>(batch.rule, entries_by_rank<View>{view}, probe, std::uint64_t{view.rank(slot)},
                                   no_edges<Key, Row>{}));
      break;
    default: break;  // answered by ranges
  }
}

/// Writes the answer to a find or a membership of a view that can tell whether a search has ended at its target.
template <class View>
WDX_HD void answer_match(View const& view, point_batch const& batch, std::uint64_t i,
                         typename View::search const& found) {
  using Row = typename View::row_type;
  bool const hit = view.matches(found);
  if (batch.op == search_op::contains) static_cast<std::uint8_t*>(batch.out)[i] = hit;
  else store_row(view, batch.out, i, hit ? view.pairs.row(found.slot) : no_row<Row>);
}

/// Writes the answer to probe `i`, whose search is over.
template <class View>
WDX_HD void answer(View const& view, point_batch const& batch, std::uint64_t i,
                   target<typename View::key_type> const& wanted, typename View::search const& found) {
  if constexpr (View::traits.ranked) {
    if constexpr (View::traits.tells_matches) {
      if (batch.op == search_op::contains || batch.op == search_op::find) return answer_match(view, batch, i, found);
    }
    answer_at(view, batch, i, wanted.probe, wanted.at_end ? view.end() : found.slot);
  } else {
    if (batch.op == search_op::contains) static_cast<std::uint8_t*>(batch.out)[i] = view.has_found(found);
    else store_row(view, batch.out, i, view.first_row(found));
  }
}

/// Answers range `i` of a batch from the slot of its first entry. The other end is sought near it, by steps that
/// double. Slots are ranks.
template <class View>
WDX_HD void answer_range_from(View const& view, range_batch const& batch, std::uint64_t i, std::uint64_t first) {
  using Position = typename View::position;
  auto const upper = encode(batch.codec, load_element<typename View::key_type>(batch.upper, i));
  auto const last = end_of_prefix_near<std::uint64_t>(
      first, view.size, [&](std::uint64_t slot) { return !(upper < view.pairs.key(static_cast<Position>(slot))); });
  if (batch.counts != nullptr) store_element(batch.counts, i, last - first);
  if (batch.first != nullptr) store_element(batch.first, i, first);
  if (batch.sums == nullptr) return;
  std::uint64_t sum = 0;
  for (std::uint64_t slot = first; slot < last; ++slot) sum += view.pairs.row(static_cast<Position>(slot));
  store_element(batch.sums, i, sum);
}

/// Writes the number of entries of probe `i` of a view without ranks, and the place where their rows begin.
template <class View>
WDX_HD void count_found(View const& view, range_batch const& batch, std::uint64_t i,
                        typename View::search const& found) {
  auto const places = view.places_of(found);
  if (batch.counts != nullptr) store_element(batch.counts, i, std::uint64_t{places.end - places.begin});
  if (batch.first != nullptr) store_element(batch.first, i, std::uint64_t{places.begin});
}

}  // namespace warpdex
