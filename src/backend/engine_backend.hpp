// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"
#include "backend/pair_arrays.hpp"
#include "backend/rounding.hpp"
#include "backend/selection.hpp"
#include "base/prefix.hpp"
#include "base/types.hpp"

/// @file
/// The part of a backend that is the same for all engines: loops over numbers, and the steps of updates.
namespace warpdex {
namespace detail {

/// Finds the entries of `group_size` consecutive wanted keys. The search for a key begins where the range of the key
/// before it ends.
template <class From, class Key> struct find_range_group {
  From from;
  Key const* wanted;
  std::uint64_t count;
  std::uint64_t group_size;
  std::uint64_t* first;
  std::uint64_t* lengths;
  WDX_HD void operator()(std::uint64_t group) const {
    std::uint64_t const begin = group * group_size;
    std::uint64_t const end = begin + group_size < count ? begin + group_size : count;
    std::uint64_t const size = from.size;
    std::uint64_t at = from.lower_bound(wanted[begin]);
    for (std::uint64_t i = begin; i < end; ++i) {
      Key const key = wanted[i];
      first[i] = end_of_prefix_near(at, size, [&](std::uint64_t j) { return from.key(j) < key; });
      at = end_of_prefix_near(first[i], size, [&](std::uint64_t j) { return from.key(j) == key; });
      lengths[i] = at - first[i];
    }
  }
};

/// Whether a number is greater than the next one.
template <class T> struct descends {
  T const* numbers;
  WDX_HD bool operator()(std::uint64_t i) const { return numbers[i + 1] < numbers[i]; }
};

template <class Key> struct is_first_of_key {
  Key const* keys;
  WDX_HD bool operator()(std::uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};

template <class Key> struct is_absent {
  Key const* keys;
  Key const* others;
  std::uint64_t size;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const at =
        end_of_prefix<std::uint64_t>(0, size, [&](std::uint64_t j) { return others[j] < keys[i]; });
    return at == size || others[at] != keys[i];
  }
};

template <class Key> struct keep_key {
  Key const* keys;
  std::uint64_t const* places;
  Key* kept;
  WDX_HD void operator()(std::uint64_t i) const {
    if (places[i + 1] != places[i]) kept[places[i]] = keys[i];
  }
};

/// @return the keys for whose number a predicate holds. Scratch: 8 bytes per key
template <class Engine, class Key, class Predicate>
sorted_keys keep_if(Key const* keys, std::uint64_t size, Predicate const& holds, execution const& exec) {
  selection const selected = select_if<Engine>(exec, size, holds);
  sorted_keys kept{buffer(selected.size * sizeof(Key), exec), selected.size};
  Engine::for_each(exec, size, keep_key<Key>{keys, selected.before.as<std::uint64_t>(), kept.keys.as<Key>()});
  return kept;
}

}  // namespace detail

/// The operations that both backends make from loops and scans in the same way.
template <class Engine> class engine_backend : public backend {
 public:
  void for_each(round_probe const& step, std::uint64_t size, execution const& exec) const final {
    Engine::for_each(exec, size, step);
  }
  void for_each(answer_miss const& step, std::uint64_t size, execution const& exec) const final {
    Engine::for_each(exec, size, step);
  }
  void for_each(take_found_key const& step, std::uint64_t size, execution const& exec) const final {
    Engine::for_each(exec, size, step);
  }

  std::optional<std::uint64_t> first_descent(void const* keys, std::uint64_t size, std::size_t width,
                                             execution const& exec) const final {
    if (size < 2) return std::nullopt;
    return with_width(width, [&]<class Key>() -> std::optional<std::uint64_t> {
      std::uint64_t begin = 0;
      std::uint64_t count = size - 1;
      auto const has_descent = [&](std::uint64_t pairs) {
        return Engine::count_if(exec, pairs, detail::descends<Key>{static_cast<Key const*>(keys) + begin}) != 0;
      };
      if (!has_descent(count)) return std::nullopt;
      while (count > 1) {
        std::uint64_t const half = count / 2;
        if (has_descent(half)) {
          count = half;
        } else {
          begin += half;
          count -= half;
        }
      }
      return begin + 1;
    });
  }

  sorted_keys distinct(void const* keys, std::uint64_t size, std::size_t width, execution const& exec) const final {
    return with_width(width, [&]<class Key>() {
      auto const* const typed = static_cast<Key const*>(keys);
      return detail::keep_if<Engine>(typed, size, detail::is_first_of_key<Key>{typed}, exec);
    });
  }

  sorted_keys without(sorted_keys const& from, void const* others, std::uint64_t size, std::size_t width,
                      execution const& exec) const final {
    return with_width(width, [&]<class Key>() {
      auto const* const keys = from.keys.as<Key>();
      return detail::keep_if<Engine, Key>(keys, from.size,
                                          detail::is_absent<Key>{keys, static_cast<Key const*>(others), size}, exec);
    });
  }

  found_ranges find_ranges(sorted_view from, sorted_keys const& keys, pair_widths widths,
                           execution const& exec) const final {
    found_ranges found;
    if (keys.size == 0 || from.size == 0) return found;
    found.keys = keys.size;
    found.first = buffer(keys.size * sizeof(std::uint64_t), exec);
    found.before = buffer((keys.size + 1) * sizeof(std::uint64_t), exec);
    auto* const lengths = found.before.as<std::uint64_t>();
    // On a GPU adjacent threads search adjacent keys and share the cache lines of their paths, so groups gain nothing.
    std::uint64_t const group_size = Engine::kind == backend_kind::cuda ? 1 : 16;
    with_widths(widths, [&]<class Key, class Row>() {
      with_slots<Row>(from.order, {}, [&]<class Slots>() {
        using From = pair_arrays<Key, Row, Slots>;
        detail::find_range_group<From, Key> const find{
            From(from), keys.keys.as<Key>(), keys.size, group_size, found.first.as<std::uint64_t>(), lengths};
        Engine::for_each(exec, (keys.size + group_size - 1) / group_size, find);
      });
    });
    found.entries = this->exclusive_scan(lengths, keys.size, exec);
    return found;
  }
};

}  // namespace warpdex
