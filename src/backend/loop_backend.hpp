// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"
#include "backend/strings/byte_gather.hpp"
#include "backend/update/pair_arrays.hpp"
#include "backend/update/selection.hpp"
#include "base/prefix.hpp"
#include "base/types.hpp"

/// @file
/// The part of a backend that is the same for the loops of all engines.
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
      first[i] = end_of_prefix_near<std::uint64_t>(at, size, [&](std::uint64_t j) { return from.key(j) < key; });
      at = end_of_prefix_near<std::uint64_t>(first[i], size, [&](std::uint64_t j) { return from.key(j) == key; });
      lengths[i] = at - first[i];
    }
  }
};

/// Whether a number is greater than the next one.
template <class T> struct descends {
  T const* numbers;
  WDX_HD bool operator()(std::uint64_t i) const { return numbers[i + 1] < numbers[i]; }
};

/// The same of keys. It also sets a flag if a key equals the next one.
template <class Key> struct descends_or_repeats {
  struct pair {
    Key key, next;
  };
  Key const* keys;
  std::uint32_t* repeats;
  WDX_HD pair read(std::uint64_t i) const { return {keys[i], keys[i + 1]}; }
  WDX_HD bool operator()(std::uint64_t, pair const& at) const {
    if (at.key == at.next) set();
    return at.next < at.key;
  }
  WDX_HD void set() const {
#if defined(__CUDA_ARCH__)
    *repeats = 1;
#else
    __atomic_store_n(repeats, 1u, __ATOMIC_RELAXED);
#endif
  }
};

struct is_not_below {
  std::uint64_t const* numbers;
  std::uint64_t limit;
  WDX_HD bool operator()(std::uint64_t i) const { return load_element<std::uint64_t>(numbers, i) >= limit; }
};

/// Whether entry i + 1 has the key of entry i.
template <class Entries> struct has_next_key {
  Entries entries;
  WDX_HD bool operator()(std::uint64_t i) const { return entries.key(i) == entries.key(i + 1); }
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
  Key* kept;
  WDX_HD void operator()(std::uint64_t i, std::uint64_t k) const { kept[k] = keys[i]; }
};

/// @return the keys for whose number a predicate holds. Scratch: 1.25 bytes per key
template <class Loops, class Key, class Predicate>
sorted_keys keep_if(Key const* keys, std::uint64_t size, Predicate const& holds, execution const& exec) {
  selection const selected = select_if<Loops>(exec, size, holds);
  sorted_keys kept{buffer(selected.size * sizeof(Key), exec), selected.size};
  warpdex::for_each<Loops>(exec, selected, keep_key<Key>{keys, kept.keys.template as<Key>()});
  return kept;
}

}  // namespace detail

/// The operations that all backends make from the loops of an engine, and from scans, in the same way.
template <class Loops> class loop_backend : public backend {
 public:
  key_order order_of(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const final {
    key_order found;
    if (size < 2) return found;
    buffer const flag(sizeof(std::uint32_t), exec);
    this->fill_zero(flag.data(), flag.bytes(), exec);
    with_kind(kind, [&]<class Key>() {
      auto const* const typed = static_cast<Key const*>(keys);
      if (Loops::count_if(exec, size - 1, detail::descends_or_repeats<Key>{typed, flag.as<std::uint32_t>()}) == 0)
        return;
      if (auto const before = Loops::first_if(exec, size - 1, detail::descends<Key>{typed}))
        found.first_descent = *before + 1;
    });
    std::uint32_t repeats = 0;
    this->copy(&repeats, flag.data(), sizeof(repeats), exec);
    this->synchronize(exec);
    found.repeats = repeats != 0;
    return found;
  }

  bool repeats(sorted_view entries, pair_types types, execution const& exec) const final {
    if (entries.size < 2) return false;
    std::uint64_t found = 0;
    with_types(types, [&]<class Key, class Row>() {
      with_slots<Row>(entries.order, {}, [&]<class Slots>() {
        using arrays = pair_arrays<Key, Row, Slots>;
        found = Loops::count_if(exec, entries.size - 1, detail::has_next_key<arrays>{arrays(entries)});
      });
    });
    return found != 0;
  }

  buffer references(string_source const& strings, std::uint64_t size, execution const& exec) const final {
    buffer result(size * sizeof(byte_key), exec);
    Loops::for_each(exec, size, detail::make_reference{strings, result.as<byte_key>()});
    return result;
  }

  buffer with_tail(byte_key const* strings, std::uint64_t size, byte_key::tail behind,
                   execution const& exec) const final {
    buffer result(size * sizeof(byte_key), exec);
    Loops::for_each(exec, size, detail::change_tail{strings, behind, result.as<byte_key>()});
    return result;
  }

  std::optional<std::uint64_t> first_bad_string(string_source const& strings, std::uint64_t size,
                                                execution const& exec) const final {
    return Loops::first_if(exec, size, is_bad_string{strings});
  }

  packed_strings pack(byte_key const* strings, std::uint64_t size, int offset_bytes,
                      execution const& exec) const final {
    packed_strings result;
    result.offsets = buffer((size + 1) * sizeof(std::uint64_t), exec);
    auto* const offsets = result.offsets.as<std::uint64_t>();
    Loops::for_each(exec, size, detail::length_of_string{strings, offsets});
    result.total = this->exclusive_scan(offsets, size, exec);
    result.offset_bytes = offset_bytes != 0 ? offset_bytes : offset_bytes_for(result.total);
    if (result.offset_bytes == 4) {
      buffer narrow((size + 1) * sizeof(std::uint32_t), exec);
      Loops::for_each(exec, size + 1, detail::narrow_offset{offsets, narrow.as<std::uint32_t>()});
      result.offsets = std::move(narrow);
    }
    result.bytes = buffer(result.total, exec);
    auto* const bytes = result.bytes.as<unsigned char>();
    if (result.offset_bytes == 4)
      gather_bytes<Loops>(strings, size, result.offsets.as<std::uint32_t>(), result.total, bytes, exec);
    else gather_bytes<Loops>(strings, size, result.offsets.as<std::uint64_t>(), result.total, bytes, exec);
    return result;
  }

  std::optional<std::uint64_t> first_not_below(std::uint64_t const* numbers, std::uint64_t size, std::uint64_t limit,
                                               execution const& exec) const final {
    return Loops::first_if(exec, size, detail::is_not_below{numbers, limit});
  }

  sorted_keys distinct(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const final {
    return with_kind(kind, [&]<class Key>() {
      auto const* const typed = static_cast<Key const*>(keys);
      return detail::keep_if<Loops>(typed, size, detail::is_first_of_key<Key>{typed}, exec);
    });
  }

  sorted_keys without(sorted_keys const& from, void const* others, std::uint64_t size, key_kind kind,
                      execution const& exec) const final {
    return with_kind(kind, [&]<class Key>() {
      auto const* const keys = from.keys.as<Key>();
      return detail::keep_if<Loops, Key>(keys, from.size,
                                         detail::is_absent<Key>{keys, static_cast<Key const*>(others), size}, exec);
    });
  }

  found_ranges find_ranges(sorted_view from, sorted_keys const& keys, pair_types types,
                           execution const& exec) const final {
    found_ranges found;
    if (keys.size == 0 || from.size == 0) return found;
    found.keys = keys.size;
    found.first = buffer(keys.size * sizeof(std::uint64_t), exec);
    found.before = buffer((keys.size + 1) * sizeof(std::uint64_t), exec);
    auto* const lengths = found.before.as<std::uint64_t>();
    // On a GPU adjacent threads search adjacent keys and share the cache lines of their paths, so groups gain nothing.
    std::uint64_t const group_size = Loops::kind == backend_kind::cuda ? 1 : 16;
    with_types(types, [&]<class Key, class Row>() {
      with_slots<Row>(from.order, {}, [&]<class Slots>() {
        using From = pair_arrays<Key, Row, Slots>;
        detail::find_range_group<From, Key> const find{
            From(from), keys.keys.as<Key>(), keys.size, group_size, found.first.as<std::uint64_t>(), lengths};
        Loops::for_each(exec, (keys.size + group_size - 1) / group_size, find);
      });
    });
    found.entries = this->exclusive_scan(lengths, keys.size, exec);
    return found;
  }
};

}  // namespace warpdex
