// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/bplus_tree.hpp>
#include <warpdex/search/cgrx.hpp>
#include <warpdex/search/cgrxu.hpp>
#include <warpdex/search/eytzinger.hpp>
#include <warpdex/search/harmonia.hpp>
#include <warpdex/search/hash_buckets.hpp>
#include <warpdex/search/hash_open.hpp>
#include <warpdex/search/interpolated.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pgm.hpp>
#include <warpdex/search/pivot_tree.hpp>
#include <warpdex/search/radix_spline.hpp>
#include <warpdex/search/radix_tree.hpp>
#include <warpdex/search/sorted_array.hpp>
#include <warpdex/search/sorted_bytes.hpp>

#include <cstdint>

/// @file
/// Searches of every view in code of a user's own. It is only compiled, with the warnings that headers are: templates
/// warn where they are instantiated.
namespace warpdex {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class View> u64 search(View const& view, typename View::key_type key) {
  u64 sum = find(view, key);
  if constexpr (View::traits.ranked) {
    sum += lower_bound(view, key) + upper_bound(view, key) + view.rank(view.slot_of(0));
    scan(view, key, key, [&](auto slot) { sum += view.pairs.row(slot); });
  }
  if constexpr (View::traits.pinnable) {
    auto at = view.start(key);
    auto const copy = view.pinned_value(0);
    if (view.pinned_values(1) == 1 && !view.visit_pinned(single_lane{}, at, &copy)) sum += view.pinned_end(at);
  }
  return sum;
}

template <class... Views> u64 search_all() { return (search(Views{}, typename Views::key_type{}) + ...); }

template <class Pairs> u64 search_pairs() {
  return search_all<sorted_array<Pairs>, interpolated<Pairs>, eytzinger<2, Pairs>, eytzinger<9, Pairs>,
                    pivot_tree<2, Pairs>, pivot_tree<9, Pairs>, bplus_tree<16, 16, Pairs>, harmonia<32, Pairs>,
                    pgm<Pairs>, radix_spline<Pairs>, radix_tree<Pairs>, cgrx<Pairs>, cgrxu<32, Pairs>>();
}

template <class Slots> u64 search_tables() { return search_all<hash_open<Slots>, hash_buckets<Slots>>(); }

template <class Key, class Row> u64 search_widths() {
  return search_pairs<soa_pairs<Key, Row>>() + search_pairs<aos_pairs<Key, Row>>() +
         search_tables<soa_slots<Key, Row>>() + search_tables<aos_pairs<Key, Row>>();
}

}  // namespace

u64 searches_of_users();
u64 searches_of_users() {
  return search_widths<u32, u32>() + search_widths<u32, u64>() + search_widths<u64, u32>() + search_widths<u64, u64>() +
         search_all<sorted_bytes<u32>, sorted_bytes<u64>>();
}

}  // namespace warpdex
