// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/data.hpp"

#include <warpdex/memory.hpp>

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>
#include <absl/numeric/int128.h>
#include <absl/types/compare.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace warpdex::bench {

/// An allocator over std::allocator or a memory resource, which adds up the bytes that it has handed out.
template <class T> struct counted_allocator {
  using value_type = T;

  /// @param from null for std::allocator
  explicit counted_allocator(std::uint64_t* held, memory_resource* from = nullptr) noexcept : held(held), from(from) {}
  template <class U>
  counted_allocator(counted_allocator<U> const& other) noexcept : held(other.held), from(other.from) {}

  T* allocate(std::size_t n) {
    T* const pointer = from == nullptr ? std::allocator<T>().allocate(n)
                                       : static_cast<T*>(from->allocate(n * sizeof(T), stream_ref()));
    *held += n * sizeof(T);
    return pointer;
  }
  void deallocate(T* pointer, std::size_t n) noexcept {
    *held -= n * sizeof(T);
    if (from == nullptr) std::allocator<T>().deallocate(pointer, n);
    else from->deallocate(pointer, n * sizeof(T), stream_ref());
  }
  template <class U> bool operator==(counted_allocator<U> const& other) const noexcept { return held == other.held; }

  std::uint64_t* held;
  memory_resource* from;
};

template <class Key> using map_allocator = counted_allocator<std::pair<Key const, std::uint32_t>>;

/// A tree owns its keys.
template <class Key> using tree_key = std::conditional_t<is_string<Key>, std::string, Key>;

/// Compares once where `<` would be asked twice, as the tree's own order of std::string does. That one need not know
/// std::string_view.
struct string_order {
  using is_transparent = void;
  absl::weak_ordering operator()(std::string_view a, std::string_view b) const noexcept {
    int const order = a.compare(b);
    return order < 0    ? absl::weak_ordering::less
           : order == 0 ? absl::weak_ordering::equivalent
                        : absl::weak_ordering::greater;
  }
};

template <class Key>
using btree =
    absl::btree_map<tree_key<Key>, std::uint32_t, std::conditional_t<is_string<Key>, string_order, std::less<Key>>,
                    map_allocator<tree_key<Key>>>;
template <class Key> using map_hash = absl::Hash<std::conditional_t<sizeof(Key) == 16, absl::uint128, Key>>;
template <class Key>
using hash_map = absl::flat_hash_map<Key, std::uint32_t, map_hash<Key>, std::equal_to<Key>, map_allocator<Key>>;

/// Maps each key to its first row. It is filled in key order, which is fastest and gives full nodes. @param held
/// outlives the map; of strings it counts those that the nodes hold
template <class Key> btree<Key> make_btree(sorted_set<Key> const& sorted, std::uint64_t& held) {
  btree<Key> map{map_allocator<tree_key<Key>>(&held)};
  for (std::uint64_t i = 0; i < sorted.size(); ++i) map.emplace_hint(map.end(), sorted.keys[i], sorted.rows[i]);
  return map;
}

/// Maps each key to its first row. It is filled in row order. @param held outlives the map @param from null for
/// std::allocator
template <class Key>
hash_map<Key> make_hash_map(key_set<Key> const& set, std::uint64_t& held, memory_resource* from = nullptr) {
  hash_map<Key> map{map_allocator<Key>(&held, from)};
  map.reserve(set.size());
  auto const keys = set.keys();
  for (std::uint64_t i = 0; i < keys.size(); ++i) map.try_emplace(keys[i], static_cast<std::uint32_t>(i));
  return map;
}

template <class Key>
using hash_set = absl::flat_hash_set<Key, map_hash<Key>, std::equal_to<Key>, counted_allocator<Key>>;

/// The same without rows.
template <class Key> hash_set<Key> make_hash_set(key_set<Key> const& keys, std::uint64_t& held) {
  hash_set<Key> set{counted_allocator<Key>(&held)};
  set.reserve(keys.size());
  for (Key const& key : keys.keys()) set.insert(key);
  return set;
}

}  // namespace warpdex::bench
