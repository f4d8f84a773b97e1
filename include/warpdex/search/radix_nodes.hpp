// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/common.hpp>

/// @file
/// The nodes of GRT (radix_tree.hpp), and keys as rows of bytes.
namespace warpdex {

/// Keys as rows of bytes, the most significant first. A number has as many as its type; a string as it has.
namespace radix_digits {

/// @return the number of bytes of a key
template <class Key> WDX_HD std::uint32_t size(Key const& key) {
  if constexpr (is_bytes<Key>) return key.size;
  else return sizeof(key);
}

/// @param at less than the size; beyond the end of a string it is 0
template <class Key> WDX_HD std::uint32_t byte_at(Key const& key, std::uint32_t at) {
  if constexpr (is_bytes<Key>) return at < key.size ? key.data[at] : 0;
  else return static_cast<std::uint32_t>(key >> (8 * (sizeof(Key) - 1 - at))) & 0xff;
}

/// @return the 8 bytes from `at` on as a number; bytes after the end are 0, or as a string's tail says
template <class Key> WDX_HD std::uint64_t word_at(Key const& key, std::uint32_t at) {
  if constexpr (is_bytes<Key>) return warpdex::word_at(key, at);
  else if constexpr (sizeof(Key) <= 8) return std::uint64_t{key} << (64 - 8 * sizeof(Key)) << (8 * at);
  else return static_cast<std::uint64_t>((key << (8 * at)) >> (8 * sizeof(Key) - 64));
}

/// @return the number of first bytes that are 0; 8 of 0
WDX_HD inline std::uint32_t leading_zero_bytes(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__clzll(static_cast<long long>(word))) / 8;
#else
  return static_cast<std::uint32_t>(std::countl_zero(word)) / 8;
#endif
}

/// @return the number of first bytes, up to `most`, in which two keys agree
template <class Key> WDX_HD std::uint32_t common(Key const& a, Key const& b, std::uint32_t most) {
  if constexpr (is_bytes<Key>) {
    return common_bytes(a, b, 0, most);
  } else {
    std::uint32_t same = leading_zero_bytes(word_at(a, 0) ^ word_at(b, 0));
    if constexpr (sizeof(Key) > 8)
      if (same == 8) same += leading_zero_bytes(word_at(a, 8) ^ word_at(b, 8));
    return same < most ? same : most;
  }
}

/// @param same a number of first bytes that are known to be equal
template <class Key> WDX_HD bool less(Key const& a, Key const& b, [[maybe_unused]] std::uint32_t same) {
  if constexpr (is_bytes<Key>) return compare(a, b, same) < 0;
  else return a < b;
}

}  // namespace radix_digits

/// What a node begins with.
struct alignas(16) radix_header {
  std::uint64_t path;     ///< the first 8 bytes of the path, the first one most significant; then zeros
  std::uint32_t length;   ///< bytes of the path, of any number
  std::uint32_t labels4;  ///< of a node of 4: the labels, the smallest in the lowest byte
};
static_assert(sizeof(radix_header) == 16);

/// Kinds of nodes, by the most children that they take.
enum class radix_kind : std::uint32_t { node4, node16, node48, node256 };

/// Numbers that lead to a node: its kind, whether it has links itself and a path, and its place. A search does not read
/// the header of a node without a path.
///
///     | place, in sectors: 28 bits | path: 1 bit | linked: 1 bit | kind: 2 bits |
struct radix_link {
  static constexpr std::uint32_t none = 0;  ///< no node: a leaf. Places begin at 1
  static constexpr std::uint32_t full = 1;  ///< a node without a path of 256 children with one entry each
  static constexpr std::uint64_t most_places = std::uint64_t{1} << 28;  ///< places of a link's 28 bits

  /// @return the link to a node
  WDX_HD static std::uint32_t of(radix_kind kind, bool linked, bool path, std::uint64_t position) {
    return static_cast<std::uint32_t>(position) << 4 | (path ? 8 : 0) | (linked ? 4 : 0) |
           static_cast<std::uint32_t>(kind);
  }
  WDX_HD static radix_kind kind(std::uint32_t link) { return static_cast<radix_kind>(link & 3); }  ///< kind of the node
  WDX_HD static bool linked(std::uint32_t link) { return (link & 4) != 0; }    ///< whether it has links itself
  WDX_HD static bool has_path(std::uint32_t link) { return (link & 8) != 0; }  ///< whether it has a path
  WDX_HD static std::uint32_t place(std::uint32_t link) { return link >> 4; }  ///< where it is, in sectors
};

/// Where the parts of a node are.
///
///     4     | path length labels | ranks | links |
///     16    | path length ------ | labels: 16 bytes | ranks | links |
///     48    | path length ------ | bitmap: 32 bytes | ranks | links |        bit b: whether byte b has a child
///     256   | path length ------ | ranks | links |
///
/// Rank j is that of the first entry of child j among the entries of the node. Ranks have 1, 2, 4 or 8 bytes, as the
/// number of these entries needs. After the last child they are that number. In a node of 256 rank b belongs to the
/// first child whose byte is not less than b, so that an absent byte has no entries. Links have 4 bytes each; nodes all
/// of whose children are leaves have none. Unused labels are FF. A node begins at a sector of 32 bytes.
struct radix_layout {
  static constexpr std::uint32_t sector = 32;  ///< bytes at multiples of which nodes begin

  /// @return the number of children that fit
  WDX_HD static std::uint32_t slots(radix_kind kind) {
    return kind == radix_kind::node4 ? 4 : kind == radix_kind::node16 ? 16 : kind == radix_kind::node48 ? 48 : 256;
  }
  /// @return the byte at which the ranks begin
  WDX_HD static std::uint32_t ranks_at(radix_kind kind) {
    return kind == radix_kind::node16 ? 32 : kind == radix_kind::node48 ? 48 : 16;
  }

  /// @param entries number of entries below the node
  /// @return log2 of the bytes of its ranks
  WDX_HD static std::uint32_t rank_shift(std::uint64_t entries) {
    return entries <= 0xff ? 0 : entries <= 0xffff ? 1 : entries <= 0xffffffff ? 2 : 3;
  }
  /// @param entries number of entries below the node @return the byte at which its links begin
  WDX_HD static std::uint32_t links_at(radix_kind kind, std::uint64_t entries) {
    return ranks_at(kind) + (slots(kind) << rank_shift(entries));
  }
  /// @param entries number of entries below the node @return what it takes, in sectors
  WDX_HD static std::uint32_t sectors(radix_kind kind, std::uint64_t entries, bool linked) {
    return (links_at(kind, entries) + (linked ? 4 * slots(kind) : 0) + sector - 1) / sector;
  }
};

/// The nodes of a tree, one array per kind, in breadth-first order. It owns nothing.
struct radix_nodes {
  unsigned char const* of_kind[4];  ///< the nodes, by `radix_kind`
  std::uint32_t root;               ///< link to the root

  /// The entries of a child, counted from the first entry of its parent.
  template <class Position> struct child_entries {
    Position begin;      ///< the first one
    Position end;        ///< after the last one
    std::uint32_t link;  ///< to the node that has them; `radix_link::none` of a leaf
  };

  /// @return the bytes of a node that has an array
  WDX_HD unsigned char const* at(std::uint32_t link) const {
    return of_kind[link & 3] + std::uint64_t{radix_link::place(link)} * radix_layout::sector;
  }

  /// @param link to a node that has an array
  WDX_HD radix_header header(std::uint32_t link) const { return *reinterpret_cast<radix_header const*>(at(link)); }

  /// @param entries number of entries below the node
  /// @return the number of entries whose keys end at a node that has an array
  template <class Position> WDX_HD Position ended(std::uint32_t link, Position entries) const {
    return ranks(at(link), radix_link::kind(link), entries, 0).begin;
  }

  /// @param entries number of entries below the node
  /// @return the child for a byte. Without one its entries begin and end where those of larger bytes begin
  template <class Position>
  WDX_HD child_entries<Position> child(std::uint32_t link, Position entries, std::uint32_t byte) const {
    if (link == radix_link::full)
      return {static_cast<Position>(byte), static_cast<Position>(byte + 1), radix_link::none};
    unsigned char const* const node = at(link);
    radix_kind const kind = radix_link::kind(link);
    auto const [slot, present] = slot_of(node, kind, byte);
    child_entries<Position> found = ranks(node, kind, entries, slot);
    if (!present) found.end = found.begin;
    else if (radix_link::linked(link))
      found.link = reinterpret_cast<std::uint32_t const*>(node + radix_layout::links_at(kind, entries))[slot];
    return found;
  }

  /// Asks for the parts of a node that a search reads, and that for a byte as if it had no path.
  template <class Position>
  WDX_HD WDX_INLINE void prefetch(std::uint32_t link, Position entries, std::uint32_t byte) const {
    unsigned char const* const node = at(link);
    bool const direct = radix_link::kind(link) == radix_kind::node256;
    if (!direct || radix_link::has_path(link)) warpdex::prefetch(node);
    if (direct) {
      warpdex::prefetch(node + radix_layout::ranks_at(radix_kind::node256) +
                        (byte << radix_layout::rank_shift(entries)));
      if (radix_link::linked(link))
        warpdex::prefetch(node + radix_layout::links_at(radix_kind::node256, entries) + 4 * byte);
    } else if (radix_link::kind(link) != radix_kind::node4) {
      warpdex::prefetch(node + 64);
    }
  }

 private:
  struct found_slot {
    std::uint32_t slot;  ///< of the first child whose byte is not less
    bool present;        ///< whether it may be that byte's; in nodes of 256 its entries tell
  };

  WDX_HD static found_slot slot_of(unsigned char const* node, radix_kind kind, std::uint32_t byte) {
    switch (kind) {
      case radix_kind::node4: {
        std::uint32_t const labels = reinterpret_cast<radix_header const*>(node)->labels4;
        std::uint32_t slot = 0;
        bool present = false;
        for (int j = 0; j < 4; ++j) {
          std::uint32_t const label = labels >> (8 * j) & 0xff;
          slot += label < byte ? 1 : 0;
          present |= label == byte;
        }
        return {slot, present};
      }
      case radix_kind::node16: {
        auto const* const labels = reinterpret_cast<std::uint32_t const*>(node + 16);
        std::uint32_t slot = 0;
        bool present = false;
        for (int j = 0; j < 16; ++j) {
          std::uint32_t const label = labels[j / 4] >> (8 * (j % 4)) & 0xff;
          slot += label < byte ? 1 : 0;
          present |= label == byte;
        }
        return {slot, present};
      }
      case radix_kind::node48: {
        auto const* const bitmap = reinterpret_cast<std::uint64_t const*>(node + 16);
        std::uint64_t const below = (std::uint64_t{1} << (byte % 64)) - 1;
        int slot = 0;
        for (std::uint32_t w = 0; w < 4; ++w)
          slot += count_ones(bitmap[w] & (w < byte / 64 ? ~std::uint64_t{0} : w == byte / 64 ? below : 0));
        return {static_cast<std::uint32_t>(slot), (bitmap[byte / 64] >> (byte % 64) & 1) != 0};
      }
      default: return {byte, true};
    }
  }

  /// The ranks of a slot and of the next one, a leaf's.
  template <class Position>
  WDX_HD static child_entries<Position> ranks(unsigned char const* node, radix_kind kind, Position entries,
                                              std::uint32_t slot) {
    if (slot == radix_layout::slots(kind)) return {entries, entries, radix_link::none};
    void const* const from = node + radix_layout::ranks_at(kind);
    bool const is_last = slot + 1 == radix_layout::slots(kind);
    switch (radix_layout::rank_shift(entries)) {
      case 0: return ranks_in<std::uint8_t>(from, entries, slot, is_last);
      case 1: return ranks_in<std::uint16_t>(from, entries, slot, is_last);
      case 2: return ranks_in<std::uint32_t>(from, entries, slot, is_last);
      default: return ranks_in<std::uint64_t>(from, entries, slot, is_last);
    }
  }

  /// On a GPU one load of 16 bytes has both ranks unless the slot is the last in it; a CPU reads them one by one.
  template <class Rank, class Position>
  WDX_HD static child_entries<Position> ranks_in(void const* from, Position entries, std::uint32_t slot, bool is_last) {
    auto const* const ranks = static_cast<Rank const*>(from);
#if defined(__CUDA_ARCH__)
    constexpr std::uint32_t in_block = 16 / sizeof(Rank);
    u128 const block = static_cast<u128 const*>(from)[slot / in_block] >> (8 * sizeof(Rank) * (slot % in_block));
    auto const begin = static_cast<Rank>(block);
    Position end = static_cast<Rank>(block >> (8 * sizeof(Rank)));
    if (is_last) end = entries;
    else if (slot % in_block == in_block - 1) end = static_cast<Position>(ranks[slot + 1]);
#else
    Rank const begin = ranks[slot];
    Position const end = is_last ? entries : static_cast<Position>(ranks[slot + 1]);
#endif
    return {static_cast<Position>(begin), end, radix_link::none};
  }
};

}  // namespace warpdex
