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
template <class Row> struct byte_pairs {
  using key_type = byte_key;
  using row_type = Row;
  static constexpr layout kind = layout::soa;
  static constexpr std::size_t bytes_per_pair = sizeof(byte_key) + sizeof(Row);

  unsigned char const* bytes;
  void const* offsets;
  Row const* rows;
  bool wide;  ///< whether offsets have 64 bits

  WDX_HD std::uint64_t offset(std::uint64_t i) const {
    return wide ? static_cast<std::uint64_t const*>(offsets)[i] : static_cast<std::uint32_t const*>(offsets)[i];
  }
  WDX_HD byte_key key(std::uint64_t slot) const {
    std::uint64_t const first = offset(slot);
    return {bytes + first, static_cast<std::uint32_t>(offset(slot + 1) - first)};
  }
  WDX_HD Row row(std::uint64_t slot) const { return rows[slot]; }
  WDX_HD void const* key_address(std::uint64_t slot) const {
    return static_cast<unsigned char const*>(offsets) + slot * (wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
  }
  WDX_HD void const* row_address(std::uint64_t slot) const { return rows + slot; }
};

/// AO+BS over strings: a binary search as in `sorted_array`. A step compares heads, the 8 bytes behind the beginning
/// that all keys share, and reads a key only where its head ties with the target's. A search holds 16 bytes of the
/// target in registers, so that it comes back to the target's memory for longer ones alone.
///
///     heads    | h0 | h1 | h2 | ... |      8 bytes per key
///
/// Cost of a search: floor(log2 n) + 1 visits, each of which reads one head; where heads tie, also an offset and a key.
template <class Row> struct sorted_bytes : slots_are_ranks<sorted_bytes<Row>, position_of<Row>> {
  using key_type = byte_key;
  using row_type = Row;
  using position = position_of<Row>;
  using pairs_type = byte_pairs<Row>;
  static constexpr view_traits traits{.in_key_order = true};

  struct search {
    byte_key target;
    std::uint64_t head;
    std::uint64_t behind;  ///< the 8 bytes behind the head
    position node;
    position slot;
    int level;
    int side;  ///< -1 or 1 if the target lies below or above all keys because of what these share, else 0

    WDX_HD bool meets(search const& other) const { return node == other.node && slot == other.slot; }
  };

  pairs_type pairs;
  std::uint64_t const* heads;
  position size;
  std::uint32_t shared;  ///< bytes with which all keys begin
  int steps;             ///< visits per search; the first step is 2^(steps-1) slots wide

  sorted_bytes() = default;
  explicit sorted_bytes(std::uint64_t entries)
      : pairs{}, heads(nullptr), size(static_cast<position>(entries)), shared(0), steps(0) {
    while (entries >> steps != 0) ++steps;
  }

  WDX_HD search start(byte_key const& target) const {
    search at{target, 0, 0, 0, size, 0, 0};
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
      at.head = word_at(target, shared);
      at.behind = word_at(target, behind_head());
    }
    return at;
  }

  template <class Group> WDX_HD bool visit(Group, search& at) const {
    position const step = position{1} << (steps - 1 - at.level);
    bool const inside = step <= at.slot;
    position const next = select<position>(inside, at.slot - step, 0);
    std::uint64_t const head = heads[next];
    bool less = head < at.head;
    if (head == at.head || at.side != 0) less = at.side != 0 ? at.side > 0 : order_of(pairs.key(next), at) < 0;
    at.slot = select<position>(inside & !less, next, at.slot);
    return ++at.level == steps;
  }

  /// @return whether the key at the slot where a search has ended is its target, which has no tail
  WDX_HD bool matches(search const& found) const {
    if (found.slot >= size || found.side != 0 || heads[found.slot] != found.head) return false;
    return order_of(pairs.key(found.slot), found) == 0;
  }

  WDX_HD int depth() const { return steps; }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    position const step = position{1} << (steps - 1 - at.level);
    warpdex::prefetch(heads + select<position>(step <= at.slot, at.slot - step, 0));
  }

 private:
  WDX_HD std::uint32_t behind_head() const { return shared > byte_key::longest - 8 ? shared : shared + 8; }

  /// Compares a key with the target of a search, whose heads tie.
  WDX_HD int order_of(byte_key const& key, search const& at) const {
    std::uint64_t const behind = word_at(key, behind_head());
    if (behind != at.behind) return behind < at.behind ? -1 : 1;
    std::uint32_t const equal = behind_head() > byte_key::longest - 8 ? shared : behind_head() + 8;
    return compare(key, at.target, equal);
  }
};

}  // namespace warpdex
