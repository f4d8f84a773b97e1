// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/search/radix_bits.hpp>
#include <warpdex/search/radix_nodes.hpp>
#include <warpdex/search/sorted_bytes.hpp>

namespace warpdex {

/// GRT(leaf): entries in ascending key order under an adaptive radix tree (paper 004, section II; Leis et al., The
/// adaptive radix tree, 2013). The tree is over ranks: a link says where the entries of a child begin.
///
///     nodes    [path | a c k]                     a node branches by the byte after its path
///                 v     v     v
///     entries  | a.. a.. a.. | c.. | k.. k.. k..  each child is the entries up to the next one; a key that ends at a
///                                                 node is first among its entries
///
/// Nodes with one child are left out (path compression), and so are subtrees of at most `leaf` entries or of one key
/// (lazy expansion). With leaf=1 it is the tree of the paper. The nodes are described in radix_nodes.hpp.
///
/// In leaves of strings, and of several numbers of more than 4 bytes, one byte per entry says where its key differs
/// from the one before, so that a search reads one key (radix_bits.hpp). Other leaves are searched from where the next
/// byte of the target says.
///
/// A path has any length, but a node holds 8 bytes of it. A search skips the others and compares them with one key at
/// its end. If they differ, it goes down again to the node whose path it missed.
///
/// Cost of a search: one visit per node on its way, at most one per byte of the target, then two or three for the bits
/// and the key of a leaf. Leaves without bits take one per key that is read, log2(leaf) + 3 at most and 3 if keys are
/// even. If a path of more than 8 bytes misleads a search, it takes twice that. The longest key that begins a string
/// takes one such descent, too; the range of a prefix takes one, and both ends in a leaf.
template <class Pairs> struct radix_tree : slots_are_ranks<radix_tree<Pairs>, typename Pairs::position> {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  static constexpr view_traits traits{.equal_depth = false,
                                      .in_key_order = true,
                                      .tells_matches = true,
                                      .finds_prefixes = is_bytes<key_type>,
                                      .finds_beginnings = is_bytes<key_type>,
                                      .widest_key = 16};
  /// @}

  /// What a visit of a leaf does.
  enum class leaf_step : std::uint8_t { choose, refer, compare };

  /// The answer is in [first, slot].
  struct search {
    key_type target;        ///< the key that is looked for
    position first;         ///< of the entries below the node or in the leaf that comes next
    position slot;          ///< their end
    position candidate;     ///< the entry of the leaf whose key is compared
    std::uint32_t link;     ///< to the node that comes next; `radix_link::none` for a leaf
    std::uint32_t depth;    ///< bytes of the target on the way to it
    std::uint32_t skipped;  ///< depth of the last path that was not compared as a whole; 0 if there is none
    std::uint32_t
        differs;        ///< first byte in which the target differs from a path; `nowhere` unless a search was misled
    bool above;         ///< whether the target is above that path
    bool equal;         ///< whether the key at the slot is known to be the target
    leaf_step next;     ///< in a leaf that has bits
    std::int8_t looks;  ///< in other leaves: keys read, negative if the first one was not below the target
    key_type found;     ///< the candidate's key, from the step `refer` on
  };
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};  ///< of `differs`

  Pairs pairs;                ///< keys and rows by slot
  position size;              ///< number of entries
  std::uint32_t leaf;         ///< most entries of a leaf with several keys
  radix_nodes nodes;          ///< the tree
  unsigned char const* bits;  ///< one per entry if keys have bits, in whole blocks (radix_bits.hpp)

  /// Whether entries have bits.
  static constexpr bool has_bits = is_bytes<key_type> || sizeof(key_type) > 4;

  /// Not initialised.
  radix_tree() = default;
  /// @param stored pairs in key order @param entries number of them @param leaf_entries see `leaf`
  radix_tree(Pairs stored, std::uint64_t entries, std::uint32_t leaf_entries)
      : pairs(stored), size(static_cast<position>(entries)), leaf(leaf_entries), nodes{}, bits(nullptr) {}

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type const& target) const {
    return {target, 0, size, 0, nodes.root, 0, 0, nowhere, false, false, leaf_step::choose, 0, {}};
  }

  template <class Group> WDX_HD bool visit(Group, search& at) const {
    if (at.link == radix_link::none) return visit_leaf<Group>(at);
    if (radix_link::has_path(at.link))
      if (int const side = pass_path(at); side != 0) return finish(at, side < 0 ? at.first : at.slot, false);
    if constexpr (is_bytes<key_type>)
      if (at.depth == at.target.size) return finish_at_end(at);
    auto const child = child_of(at);
    if (child.begin == child.end) return finish(at, at.first + child.begin, false);
    enter(at, child);
    if constexpr (!is_bytes<key_type>)
      if (at.depth == sizeof(key_type)) return finish(at, at.first, true);
    return false;
  }
  /// @}

  /// @return whether the key at the slot where a search has ended is its target, which has no tail
  WDX_HD bool matches(search const& found) const { return found.equal; }

  /// The ranks of the keys that begin with a string. The ways to both ends part where the string ends or in a leaf, so
  /// the second search begins there.
  /// @param target without a tail
  template <class Group>
  WDX_HD stretch<position> prefix_range(Group group, key_type const& target) const requires is_bytes<key_type> {
    if (size == 0) return {0, 0};
    search at = start(target);
    search parting = at;
    do {
      if (parting.link != radix_link::none) parting = at;
    } while (!visit(group, at));
    parting.target = prefix_end(target);
    while (!visit(group, parting)) {
    }
    return {at.slot, parting.slot};
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
    if (size == 0) return {size, 0};
    for (;;) {
      beginning const found = descend_to_beginning(target, most);
      if (found.slot == size) return found;
      std::uint32_t const same = radix_digits::common(pairs.key(found.slot), target, found.length);
      if (same == found.length) return found;
      most = same;
    }
  }

  /// Asks for the memory that the next visit reads.
  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.link == radix_link::none) prefetch_leaf(at);
    else if (at.link != radix_link::full)
      nodes.prefetch(at.link, at.slot - at.first, radix_digits::byte_at(at.target, at.depth));
  }

 private:
  /// Leaves of up to this number of entries are searched without bits: their keys are in a sector or two.
  static constexpr std::uint32_t most_looked_at = 32 / sizeof(key_type);

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

  using child_entries = radix_nodes::child_entries<position>;

  /// @return the child for the byte by which a node branches; it may have no entries
  WDX_HD child_entries child_of(search const& at) const {
    return nodes.child<position>(at.link, at.slot - at.first, radix_digits::byte_at(at.target, at.depth));
  }

  WDX_HD void enter(search& at, child_entries const& child) const {
    at.slot = at.first + child.end;
    at.first += child.begin;
    at.link = child.link;
    ++at.depth;
  }

  /// @return the number of entries whose keys end where a node branches; they are its first
  WDX_HD position ended(search const& at) const {
    return at.link == radix_link::full ? 0 : nodes.ended<position>(at.link, at.slot - at.first);
  }

  /// Ends the search for a string that ends where a node branches.
  WDX_HD bool finish_at_end(search& at) const {
    position const same = ended(at);
    switch (at.target.behind) {
      case byte_key::tail::none: return finish(at, at.first, same != 0);
      case byte_key::tail::zero: return finish(at, at.first + same, false);
      default: return finish(at, at.slot, false);
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
      if (ended(at) != 0) deepest = {at.first, at.depth};
      if (at.depth == most) return deepest;
      auto const child = child_of(at);
      if (child.begin == child.end) return deepest;
      enter(at, child);
    }
    beginning const last = beginning_in_leaf(at, most);
    return last.slot == size ? deepest : last;
  }

  /// The longest key of a leaf that begins the target. It is the last one that is not above the target and differs from
  /// it by its end.
  WDX_HD beginning beginning_in_leaf(search at, std::uint32_t most) const {
    at.target.size = most;
    if (!choose(at)) return beginning_by_halves(at);
    auto d = radix_bits::between(pairs.key(at.candidate), at.target, at.depth);
    if (d.bit == radix_bits::same) return {at.candidate, most};
    if (d.bit == radix_bits::far) return beginning_by_halves(at);
    if (has_one_key(at))
      return d.above && ends(d.bit) ? beginning{at.first, at.depth + d.bit / radix_bits::of_a_byte}
                                    : beginning{size, 0};
    position slot = radix_bits::bound(bits, at.first, at.slot, at.candidate, d);
    // The entry before the bound shares with the target what the candidate does, if it comes after it, else what the
    // entry at the bound does.
    std::uint32_t bit = slot > at.candidate ? d.bit : slot > at.first ? bits[slot] : 0;
    for (; slot > at.first; bit = bits[slot] < bit ? bits[slot] : bit) {
      --slot;
      if (bit % radix_bits::of_a_byte == 0) return {first_of_key(at, slot), at.depth + bit / radix_bits::of_a_byte};
    }
    return {size, 0};
  }

  /// Whether a string that has no such bit ends there.
  WDX_HD static bool ends(std::uint32_t bit) { return bit % radix_bits::of_a_byte == 0; }

  /// @return the first entry with the key of another one of its leaf, which has several keys
  WDX_HD position first_of_key(search const& at, position slot) const {
    while (slot > at.first && bits[slot] == radix_bits::same) --slot;
    return slot;
  }

  /// The same where bits are not known. The target is cut to what it shares with the last key not above it, until that
  /// key begins it: a longer one would be between them.
  WDX_HD beginning beginning_by_halves(search const& at) const {
    key_type cut = at.target;
    for (position end = at.slot; end != at.first;) {
      position const above = bound_in_leaf(at.first, end, cut, true);
      if (above == at.first) break;
      key_type const key = pairs.key(above - 1);
      std::uint32_t const shorter = key.size < cut.size ? key.size : cut.size;
      std::uint32_t const same = radix_digits::common(key, cut, shorter);
      if (same == key.size) return {has_one_key(at) ? at.first : first_of_key(at, above - 1), same};
      if (same < at.depth) break;  // all keys of the leaf share so much
      cut.size = same;
      end = above - 1;
    }
    return {size, 0};
  }

  /// @return the first slot of [first, end) whose key is not less than the target, or is above it
  WDX_HD position bound_in_leaf(position first, position end, key_type target, bool above) const {
    while (first != end) {
      position const next = first + (end - first) / 2;
      int const order = compare(pairs.key(next), target);
      bool const less = order < 0 || (above && order == 0);
      first = less ? next + 1 : first;
      end = less ? end : next;
    }
    return first;
  }

  /// Ends the search unless it was misled; then it starts again.
  WDX_HD bool finish(search& at, position slot, bool equal) const {
    if (misled(at, at.first)) return false;
    at.slot = slot;
    at.equal = equal;
    return true;
  }

  /// Compares what the search has skipped with the key of an entry. If it differs, the search starts again, to end
  /// where it differs.
  WDX_HD bool misled(search& at, position slot) const {
    if constexpr (has_long_paths) {
      if (at.skipped == 0) return false;
      key_type const key = pairs.key(slot);
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

  /// A leaf with more entries than fit has one key.
  WDX_HD bool has_one_key(search const& at) const { return at.slot - at.first > leaf; }

  /// Whether a leaf is searched by its bits. The entries of others that remain do not become more. In flights of a CPU
  /// the walk over bits takes longer than further keys of a leaf of numbers, whose lines are on their way.
  template <class Group> WDX_HD bool by_bits(search const& at) const {
    if constexpr (is_bytes<key_type>) return true;
    else return has_bits && !std::is_same_v<Group, lane_in_flight> && at.slot - at.first > most_looked_at;
  }

  template <class Group> WDX_HD bool visit_leaf(search& at) const {
    constexpr bool in_flight = std::is_same_v<Group, lane_in_flight>;  // else nothing is gained by more visits
    if (!by_bits<Group>(at)) return look(at);
    if (at.next == leaf_step::choose) {
      if constexpr (is_bytes<key_type>) {
        if (!choose(at)) return finish_by_halves(at);
      } else {
        choose(at);
      }
      at.next = is_bytes<key_type> ? leaf_step::refer : leaf_step::compare;
      if (in_flight && at.slot - at.first > 1) return false;
    }
    if (at.next == leaf_step::refer) {
      at.found = pairs.key(at.candidate);
      at.next = leaf_step::compare;
      if (in_flight) return false;
    }
    return compare_candidate(at);
  }

  WDX_HD WDX_INLINE void prefetch_leaf(search const& at) const {
    if constexpr (!is_bytes<key_type>) {
      warpdex::prefetch(pairs.key_address(next_look(at)));
    } else if (at.next == leaf_step::choose && at.slot - at.first > 1) {
      warpdex::prefetch(bits + at.first);
      warpdex::prefetch(bits + at.slot - 1);
    } else if (at.next == leaf_step::compare) {
      warpdex::prefetch(at.found.data + at.depth);
    } else {
      warpdex::prefetch(pairs.key_address(at.next == leaf_step::refer ? at.candidate : at.first));
    }
  }

  /// Chooses the entry whose key tells where the target belongs.
  /// @return false if the leaf has bits that are not known
  WDX_HD bool choose(search& at) const {
    at.candidate = at.first;
    if (at.slot - at.first == 1 || has_one_key(at)) return true;
    auto const end = radix_bits::walk(bits, at.first, at.slot, radix_bits::reader<key_type>(at.target, at.depth));
    at.candidate = end.candidate;
    return !end.far;
  }

  WDX_HD bool compare_candidate(search& at) const {
    if (misled(at, at.candidate)) return false;
    key_type const key = is_bytes<key_type> ? at.found : pairs.key(at.candidate);
    auto const d = radix_bits::between(key, at.target, at.depth);
    at.equal = d.bit == radix_bits::same;
    if (at.equal) at.slot = at.candidate;
    else if (has_one_key(at)) at.slot = d.above ? at.slot : at.first;
    else at.slot = radix_bits::bound(bits, at.first, at.slot, at.candidate, d);
    return true;
  }

  WDX_HD bool finish_by_halves(search& at) const {
    if (misled(at, at.first)) return false;
    at.slot = bound_in_leaf(at.first, at.slot, at.target, false);
    at.equal = at.slot < size && pairs.key(at.slot) == at.target;
    return true;
  }

  /// The entry that the next look compares: first the one that the next byte of the target points at, then up to two
  /// neighbours, then the one in the middle.
  WDX_HD position next_look(search const& at) const {
    constexpr int beside = 2;
    position const entries = at.slot - at.first;
    if (entries > leaf) return at.first;
    if (at.looks == 0) return at.first + entries * radix_digits::byte_at(at.target, at.depth) / 256;
    if (at.looks > 0 && at.looks <= beside) return at.first;
    if (at.looks < 0 && at.looks >= -beside) return at.slot - 1;
    return at.first + entries / 2;
  }

  WDX_HD bool look(search& at) const {
    if (at.looks == 0 && misled(at, at.first)) return false;
    position const next = next_look(at);
    key_type const key = pairs.key(next);
    bool const less = key < at.target;
    bool const one_key = has_one_key(at);
    at.equal = (less & at.equal) | (!less & (key == at.target));
    at.first = less ? (one_key ? at.slot : next + 1) : at.first;
    at.slot = less ? at.slot : next;
    at.looks = static_cast<std::int8_t>(at.looks < 0 || (at.looks == 0 && !less) ? at.looks - 1 : at.looks + 1);
    return at.first == at.slot;
  }
};

}  // namespace warpdex
