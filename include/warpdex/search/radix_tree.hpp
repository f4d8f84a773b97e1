// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/search/radix_nodes.hpp>
#include <warpdex/search/sorted_bytes.hpp>

namespace warpdex {

/// GRT(leaf): entries in ascending key order under an adaptive radix tree (paper 004, section II; Leis et al., The
/// adaptive radix tree, 2013). The tree stands over ranks: a link says where the entries of a child begin.
///
///     nodes    [path | a c k]                     a node branches by the byte behind its path
///                 v     v     v
///     entries  | a.. a.. a.. | c.. | k.. k.. k..  each child is the entries up to the next one; a key that ends at a
///                                                 node is first among its entries
///
/// Nodes with one child are left out (path compression), and so are subtrees of at most `leaf` entries or of one key
/// (lazy expansion): a binary search finds the entry there. With leaf=1 it is the tree of the paper. The nodes are
/// described in radix_nodes.hpp.
///
/// A path has any length, but a node holds 8 bytes of it. A search skips the others and compares them with one key at
/// its end. If they differ, it goes down again to the node whose path it missed.
///
/// Cost of a search: one visit per node on its way, at most one per byte of the target, then log2(leaf) + 1 visits that
/// read one key each; twice that if a path of more than 8 bytes misleads it. The longest key that begins a string takes
/// one such descent, too.
template <class Pairs> struct radix_tree : slots_are_ranks<radix_tree<Pairs>, position_of<typename Pairs::row_type>> {
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = position_of<row_type>;
  using pairs_type = Pairs;
  static constexpr view_traits traits{.equal_depth = false, .in_key_order = true};

  /// What a search knows of the entry where it has ended.
  enum class outcome : std::uint8_t { unread, equal, different };

  /// The answer lies in [first, slot].
  struct search {
    key_type target;
    position first;         ///< of the entries below the node or in the leaf that comes next
    position slot;          ///< their end
    std::uint32_t link;     ///< to the node that comes next; `radix_link::none` for a leaf
    std::uint32_t depth;    ///< bytes of the target on the way to it
    std::uint32_t skipped;  ///< depth of the last path that was not compared as a whole; 0 if there is none
    std::uint32_t
        differs;  ///< first byte in which the target differs from a path; `nowhere` unless a search was misled
    bool above;   ///< whether the target is above that path
    outcome known;
  };
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  Pairs pairs;
  position size;
  std::uint32_t leaf;  ///< most entries of a leaf with several keys
  radix_nodes nodes;

  radix_tree() = default;
  radix_tree(Pairs stored, std::uint64_t entries, std::uint32_t leaf_entries)
      : pairs(stored), size(static_cast<position>(entries)), leaf(leaf_entries), nodes{} {}

  WDX_HD search start(key_type const& target) const {
    return {target, 0, size, nodes.root, 0, 0, nowhere, false, outcome::unread};
  }

  template <class Group> WDX_HD bool visit(Group, search& at) const {
    if (at.link == radix_link::none) return visit_leaf(at);
    if (radix_link::has_path(at.link))
      if (int const side = pass_path(at); side != 0)
        return finish(at, side < 0 ? at.first : at.slot, outcome::different);
    position const entries = at.slot - at.first;
    if constexpr (is_bytes<key_type>)
      if (at.depth == at.target.size) return finish_at_end(at, entries);
    auto const child = nodes.child(at.link, entries, radix_digits::byte_at(at.target, at.depth));
    if (child.begin == child.end) return finish(at, at.first + child.begin, outcome::different);
    at.slot = at.first + child.end;
    at.first += child.begin;
    at.link = child.link;
    ++at.depth;
    if constexpr (!is_bytes<key_type>)
      if (at.depth == sizeof(key_type)) return finish(at, at.first, outcome::equal);
    return false;
  }

  /// @return whether the key at the slot where a search has ended is its target, which has no tail
  WDX_HD bool matches(search const& found) const {
    if (found.known != outcome::unread) return found.known == outcome::equal;
    return found.slot < size && pairs.key(found.slot) == found.target;
  }

  /// The longest key that begins a string.
  struct beginning {
    position slot;         ///< of its first entry; the size if no key begins the string
    std::uint32_t length;  ///< bytes of it
  };

  /// Finds it in one descent: keys that end at nodes on the way are candidates, and those of the leaf at its end come
  /// first. A path that misled the descent shows in the key that was found, which then bounds a second one.
  /// @param target without a tail
  WDX_HD beginning longest_beginning(key_type const& target) const requires is_bytes<key_type> {
    std::uint32_t most = target.size;
    for (;;) {
      beginning const found = descend_to_beginning(target, most);
      if (found.slot == size) return found;
      std::uint32_t const same = radix_digits::common(pairs.key(found.slot), target, found.length);
      if (same == found.length) return found;
      most = same;
    }
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.link == radix_link::none) warpdex::prefetch(pairs.key_address(middle(at)));
    else if (at.link != radix_link::full)
      nodes.prefetch(at.link, at.slot - at.first, radix_digits::byte_at(at.target, at.depth));
  }

 private:
  /// Only keys of more than 9 bytes have paths of more than 8.
  static constexpr bool has_long_paths = is_bytes<key_type> || sizeof(key_type) > 9;

  /// Compares the target with what a node holds of its path, and moves on to the byte by which the node branches.
  /// @return -1 or 1 if the target is below or above all entries of the node, else 0
  WDX_HD int pass_path(search& at) const {
    radix_header const header = nodes.header(at.link);
    std::uint32_t const left = radix_digits::size(at.target) - at.depth;
    std::uint32_t const held = header.length < 8 ? header.length : 8;
    std::uint32_t const compared = held < left ? held : left;
    if (compared != 0) {
      std::uint64_t const word = radix_digits::word_at(at.target, at.depth);
      if ((word ^ header.path) >> (64 - 8 * compared) != 0) return word < header.path ? -1 : 1;
    }
    at.depth += header.length;
    if constexpr (has_long_paths) {
      if (at.differs < at.depth) return at.above ? 1 : -1;
      if (header.length > 8 && at.differs == nowhere) at.skipped = at.depth;
    }
    if constexpr (is_bytes<key_type>)  // the target ends on the path: what follows it decides
      if (header.length > left) return at.target.behind == byte_key::tail::ones ? 1 : -1;
    return 0;
  }

  /// Ends the search for a string that ends where a node branches. Entries with this key are the node's first.
  WDX_HD bool finish_at_end(search& at, position entries) const {
    position const ended = at.link == radix_link::full ? 0 : nodes.ended(at.link, entries);
    switch (at.target.behind) {
      case byte_key::tail::none: return finish(at, at.first, ended != 0 ? outcome::equal : outcome::different);
      case byte_key::tail::zero: return finish(at, at.first + ended, outcome::different);
      default: return finish(at, at.slot, outcome::different);
    }
  }

  /// @param most bytes of the key at most
  /// @return a key on the target's way; whether it begins the target is yet to be seen if paths are long
  WDX_HD beginning descend_to_beginning(key_type const& target, std::uint32_t most) const {
    beginning deepest{size, 0};
    search at = start(target);
    while (at.link != radix_link::none) {
      if (radix_link::has_path(at.link) && pass_path(at) != 0) return deepest;
      if (at.depth > most) return deepest;
      position const entries = at.slot - at.first;
      if (at.link != radix_link::full && nodes.ended(at.link, entries) != 0) deepest = {at.first, at.depth};
      if (at.depth == most) return deepest;
      auto const child = nodes.child(at.link, entries, radix_digits::byte_at(target, at.depth));
      if (child.begin == child.end) return deepest;
      at.slot = at.first + child.end;
      at.first += child.begin;
      at.link = child.link;
      ++at.depth;
    }
    beginning const last = beginning_in_leaf(at, most);
    return last.slot == size ? deepest : last;
  }

  /// The longest key of a leaf that begins the target. The target is cut to what it shares with the last key not above
  /// it, until that key begins it: a longer one would lie between them.
  WDX_HD beginning beginning_in_leaf(search const& at, std::uint32_t most) const {
    key_type cut = at.target;
    cut.size = most;
    for (position end = at.slot; end != at.first;) {
      position const above = bound_in_leaf(at.first, end, cut, true);
      if (above == at.first) break;
      key_type const key = pairs.key(above - 1);
      std::uint32_t const shorter = key.size < cut.size ? key.size : cut.size;
      std::uint32_t const same = radix_digits::common(key, cut, shorter);
      if (same == key.size) return {bound_in_leaf(at.first, above - 1, key, false), same};
      if (same < at.depth) break;  // all keys of the leaf share so much
      cut.size = same;
      end = above - 1;
    }
    return {size, 0};
  }

  /// @return the first slot of [first, end) whose key is not less than the target, or is above it
  WDX_HD position bound_in_leaf(position first, position end, key_type const& target, bool above) const {
    while (first != end) {
      position const next = first + (end - first) / 2;
      int const order = compare(pairs.key(next), target);
      bool const less = order < 0 || (above && order == 0);
      first = less ? next + 1 : first;
      end = less ? end : next;
    }
    return first;
  }

  /// Ends the search unless it was misled; then it begins anew.
  WDX_HD bool finish(search& at, position slot, outcome known) const {
    if (misled(at)) return false;
    at.first = slot;
    at.slot = slot;
    at.known = known;
    return true;
  }

  /// Compares what the search has skipped. If it differs, the search begins anew, to end where it differs.
  WDX_HD bool misled(search& at) const {
    if constexpr (has_long_paths) {
      if (at.skipped == 0) return false;
      key_type const key = pairs.key(at.first);
      std::uint32_t const bytes = radix_digits::size(at.target);
      std::uint32_t const most = at.skipped < bytes ? at.skipped : bytes;
      std::uint32_t const same = radix_digits::common(key, at.target, most);
      at.skipped = 0;
      if (same == most) return false;
      bool const above = key < at.target;
      at = start(at.target);
      at.differs = same;
      at.above = above;
      return true;
    }
    return false;
  }

  /// A leaf with more entries than fit has one key, so its first entry tells.
  WDX_HD position middle(search const& at) const {
    position const entries = at.slot - at.first;
    return at.first + (entries > leaf ? 0 : entries / 2);
  }

  WDX_HD bool visit_leaf(search& at) const {
    if (misled(at)) return false;
    bool const one_key = at.slot - at.first > leaf;
    position const next = middle(at);
    bool const less = radix_digits::less(pairs.key(next), at.target, at.depth);
    at.first = less ? (one_key ? at.slot : next + 1) : at.first;
    at.slot = less ? at.slot : next;
    return at.first == at.slot;
  }
};

}  // namespace warpdex
