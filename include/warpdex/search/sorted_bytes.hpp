// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

namespace warpdex {

/// Entries with strings as keys, in key order: the bytes of all keys in one array, and where each key begins.
///
///     bytes    | key 0 ... | key 1 ...... | key 2 .. | ... |
///     offsets  | o0 | o1 | o2 | ... | on |                    key i is bytes[offsets[i]] up to bytes[offsets[i + 1]]
///     rows     | r0 | r1 | r2 | ... |
///
/// Offsets have 32 bits until the bytes need 64.
///
/// @tparam Position the type of slots, as in `soa_pairs`
template <class Position = std::uint32_t> struct byte_pairs {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = byte_key;
  using row_type = std::uint64_t;
  using position = Position;
  static constexpr layout kind = layout::soa;
  /// @}

  unsigned char const* bytes;  ///< of all keys
  void const* offsets;         ///< where each key begins, and where the last one ends
  row_ids rows;                ///< the row ids
  bool wide;                   ///< whether offsets have 64 bits

  /// @return where key number i begins
  WDX_HD std::uint64_t offset(std::uint64_t i) const {
    return wide ? static_cast<std::uint64_t const*>(offsets)[i] : static_cast<std::uint32_t const*>(offsets)[i];
  }
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD byte_key key(std::uint64_t slot) const {
    std::uint64_t const first = offset(slot);
    return {bytes + first, static_cast<std::uint32_t>(offset(slot + 1) - first)};
  }
  WDX_HD row_type row(std::uint64_t slot) const { return rows[slot]; }
  WDX_HD std::size_t row_bytes() const { return rows.bytes(); }
  WDX_HD std::size_t pair_bytes() const { return sizeof(byte_key) + rows.bytes(); }
  WDX_HD void const* key_address(std::uint64_t slot) const {
    return static_cast<unsigned char const*>(offsets) + slot * (wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
  }
  WDX_HD void const* row_address(std::uint64_t slot) const { return rows.address(slot); }
  /// @}
};

/// Finds the longest key that begins a string. Of the keys not above the string, each shares at least as many bytes
/// with it as the one before. So the search goes back from the last one in blocks that double. Through a block it goes
/// forward, from each key to the next that shares more bytes, and remembers the last key that begins the string.
///
/// Cost: a few reads per block, and per number of bytes that keys share with the string. So there are at most about as
/// many reads as the string has bytes, times the logarithm of the number of keys that share equally many, whatever the
/// keys are.
/// @param pairs `byte_pairs` in key order @param not_above the number of keys not above the string
/// @return the length of the key; 0 if only the empty key begins the string, or none
template <class Pairs>
WDX_HD std::uint32_t longest_beginning(Pairs const& pairs, std::uint64_t not_above, byte_key const& string) {
  auto const shared_by = [&](std::uint64_t rank, std::uint32_t from) {
    byte_key const key = pairs.key(rank);
    return common_bytes(key, string, from, key.size < string.size ? key.size : string.size);
  };
  // The first key after `at` that shares more than `shared` bytes, if all from `at` on share that number.
  auto const skip = [&](std::uint64_t at, std::uint64_t end, std::uint32_t shared) {
    auto const shares_more = [&](std::uint64_t rank) {
      byte_key const key = pairs.key(rank);
      return key.size > shared && key.data[shared] == string.data[shared];
    };
    std::uint64_t step = 1;
    for (; step < end - at && !shares_more(at + step); step *= 2) at += step;
    if (step < end - at) end = at + step;
    for (++at; at < end;) {
      std::uint64_t const middle = at + (end - at) / 2;
      if (shares_more(middle)) end = middle;
      else at = middle + 1;
    }
    return at;
  };
  std::uint32_t most = string.size;  // bytes that the keys before `end` share at most
  std::uint64_t end = not_above;
  for (std::uint64_t block = 1; end > 0; block *= 2) {
    std::uint64_t const begin = block < end ? end - block : 0;
    std::uint32_t const least = shared_by(begin, 0);
    std::uint32_t longest = 0;
    std::uint32_t shared = least;
    for (std::uint64_t at = begin; at < end;) {
      if (pairs.key(at).size == shared) longest = shared;
      if (shared == most) break;
      at = skip(at, end, shared);
      if (at < end) shared = shared_by(at, shared + 1);
    }
    if (longest != 0 || least == 0) return longest;
    end = begin;
    most = least;
  }
  return 0;
}

/// Keys that agree in the 8 bytes after the beginning that all keys share, such as the URLs of a host.
struct head_group {
  std::uint64_t first;   ///< its first key
  std::uint64_t shared;  ///< bytes with which its keys begin
};

/// All groups of an index.
struct head_groups {
  std::uint64_t const* words;  ///< per group, ascending: these 8 bytes
  head_group const* groups;    ///< per group, in the order of `words`
  std::uint32_t count;         ///< 0 without groups
  int bits;                    ///< of the number of a group

  /// @return the smallest head that a key of a group can have
  WDX_HD std::uint64_t lowest_head(std::uint64_t group) const { return group << (64 - bits); }
  /// @param word the 8 bytes after what the keys of the group share @return the head of a key of a group
  WDX_HD std::uint64_t head_in(std::uint64_t group, std::uint64_t word) const {
    return lowest_head(group) | word >> bits;
  }
};

/// AO+BS over strings: a binary search as in `sorted_array`. A step compares heads, and reads a key only where its head
/// ties with the target's. The head of a key is the 8 bytes after the beginning that all keys share. If these have few
/// values, it is the number of the key's group and what fits of the bytes after the beginning that the group shares. A
/// search holds 16 bytes of the target in registers, so that it comes back to the target's memory for longer ones
/// alone.
///
///     heads    | h0 | h1 | h2 | ... |                     8 bytes per key
///     groups   | words ... | first key, bytes shared ... |   of at most 2^16 groups
///
/// Cost of a search: floor(log2 n) + 1 visits, each of which reads one head; where heads tie, also an offset and a key.
/// With groups, a search for the target's group before.
template <class Position = std::uint32_t> struct sorted_bytes : slots_are_ranks<sorted_bytes<Position>, Position> {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = byte_key;
  using row_type = std::uint64_t;
  using position = Position;
  using pairs_type = byte_pairs<Position>;
  using pinned_type = std::uint64_t;
  static constexpr view_traits traits{.in_key_order = true, .pinnable = true, .tells_matches = true, .routes = true};
  /// @}

  /// The state of a search.
  struct search {
    byte_key target;       ///< the string that is looked for
    std::uint64_t head;    ///< of the target
    std::uint64_t behind;  ///< the 8 bytes of the target from `equal` on
    position node;         ///< always 0: visits follow from slot and level
    position slot;         ///< once the search is over: the answer
    int level;             ///< number of visits made
    std::uint32_t equal;   ///< number of first bytes in which keys with this head agree
    int side;              ///< -1 or 1 if the target is below or above all keys because of what these share, else 0

    /// @return whether a search of the same level has the same visits before it
    WDX_HD bool meets(search const& other) const { return node == other.node && slot == other.slot; }
  };

  pairs_type pairs;            ///< keys and rows by slot
  std::uint64_t const* heads;  ///< of all keys, in key order
  position size;               ///< number of entries
  std::uint32_t shared;        ///< bytes with which all keys begin
  head_groups groups{};        ///< how keys fall into groups; none if heads without them differ enough
  int steps;                   ///< visits per search; the first step is 2^(steps-1) slots wide

  /// No entries.
  sorted_bytes() = default;
  /// Sets the geometry and leaves the arrays null. @param entries number of them
  explicit sorted_bytes(std::uint64_t entries)
      : pairs{}, heads(nullptr), size(static_cast<position>(entries)), shared(0), steps(0) {
    while (entries >> steps != 0) ++steps;
  }

  /// @return a search among all entries
  WDX_HD search start(byte_key const& target) const {
    search at{target, 0, 0, 0, size, 0, 0, 0};
    if (size == 0) return at;
    byte_key const common{pairs.bytes + pairs.offset(0), shared};
    std::uint32_t const most = target.size < shared ? target.size : shared;
    std::uint32_t const same = common_bytes(target, common, 0, most);
    if (same < most) {
      at.side = target.data[same] < common.data[same] ? -1 : 1;
    } else if (target.size < shared) {
      // A target that equals what all keys share, because of its tail, is above none.
      at.side = compare(target, common, most) <= 0 ? -1 : 1;
    } else {
      find_head(at);
      at.behind = word_at(target, at.equal);
    }
    return at;
  }

  /// @return a number whose order agrees with that of the keys: the head of a target
  WDX_HD std::uint64_t route_of(byte_key const& target) const {
    search const at = start(target);
    return at.side == 0 ? at.head : at.side < 0 ? 0 : ~std::uint64_t{0};
  }

  /// Makes one visit, as views do.
  template <class Group> WDX_HD bool visit(Group, search& at) const {
    position const step = step_at(at.level);
    return move(at, step, heads[select<position>(step <= at.slot, at.slot - step, 0)]);
  }

  /// @return whether the key at the slot where a search has ended is its target, which has no tail
  WDX_HD bool matches(search const& found) const {
    if (found.slot >= size || found.side != 0 || heads[found.slot] != found.head) return false;
    return order_of(pairs.key(found.slot), found) == 0;
  }

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD int depth() const { return steps; }
  WDX_HD int pinnable_levels() const { return steps; }
  /// @}

  /// Heads are pinned as the keys of a `sorted_array` are.
  WDX_HD std::uint64_t pinned_values(int levels) const { return (std::uint64_t{1} << levels) - 1; }
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD std::uint64_t pinned_value(std::uint64_t i) const {
    int level = 0;
    while ((std::uint64_t{2} << level) - 1 <= i) ++level;
    std::uint64_t const back = (2 * (i + 1 - (std::uint64_t{1} << level)) + 1) * step_at(level);
    return heads[back <= size ? size - back : 0];
  }
  template <class Group> WDX_HD bool visit_pinned(Group, search& at, std::uint64_t const* pinned) const {
    return move(at, step_at(at.level), pinned[pinned_end(at) - 1]);
  }
  WDX_HD std::uint64_t pinned_end(search const& at) const {
    std::uint64_t const taken = std::uint64_t{size - at.slot} >> (steps - at.level);
    return (std::uint64_t{1} << at.level) + taken;
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    position const step = step_at(at.level);
    warpdex::prefetch(heads + select<position>(step <= at.slot, at.slot - step, 0));
  }
  /// @}

 private:
  WDX_HD position step_at(int level) const { return position{1} << (steps - 1 - level); }

  /// Makes a visit. @param head that of the key one step back
  WDX_HD bool move(search& at, position step, std::uint64_t head) const {
    bool const inside = step <= at.slot;
    position const next = select<position>(inside, at.slot - step, 0);
    bool less = head < at.head;
    if (head == at.head || at.side != 0) less = at.side != 0 ? at.side > 0 : order_of(pairs.key(next), at) < 0;
    at.slot = select<position>(inside & !less, next, at.slot);
    return ++at.level == steps;
  }

  /// @return a number of first bytes, that of longer beginnings if there are so long ones
  WDX_HD static std::uint32_t longer_by(std::uint32_t bytes, std::uint32_t more) {
    return bytes > byte_key::longest - more ? bytes : bytes + more;
  }

  /// Finds the head of a target that begins as all keys do.
  WDX_HD void find_head(search& at) const {
    byte_key const& target = at.target;
    std::uint64_t const word = word_at(target, shared);
    if (groups.count == 0) {
      at.head = word;
      at.equal = longer_by(shared, 8);
      return;
    }
    std::uint32_t group = 0;
    for (std::uint32_t end = groups.count; group < end;) {
      std::uint32_t const middle = group + (end - group) / 2;
      if (groups.words[middle] < word) group = middle + 1;
      else end = middle;
    }
    at.equal = shared;
    if (group == groups.count) {
      at.head = ~std::uint64_t{0};
      return;
    }
    at.head = groups.lowest_head(group);
    if (groups.words[group] != word) return;
    head_group const found = groups.groups[group];
    byte_key const common{pairs.key(found.first).data, static_cast<std::uint32_t>(found.shared)};
    std::uint32_t const most = target.size < common.size ? target.size : common.size;
    std::uint32_t const same = common_bytes(target, common, shared, most);
    bool above = false;
    if (same < most) {
      above = target.data[same] > common.data[same];
    } else if (target.size < common.size) {
      above = compare(target, common, most) > 0;
    } else {
      at.head = groups.head_in(group, word_at(target, common.size));
      at.equal = longer_by(common.size, static_cast<std::uint32_t>(64 - groups.bits) / 8);
      return;
    }
    if (above) at.head = groups.head_in(group, ~std::uint64_t{0});
  }

  /// Compares a key with the target of a search, whose heads tie.
  WDX_HD int order_of(byte_key const& key, search const& at) const {
    std::uint64_t const behind = word_at(key, at.equal);
    if (behind != at.behind) return behind < at.behind ? -1 : 1;
    return compare(key, at.target, longer_by(at.equal, 8));
  }
};

}  // namespace warpdex
