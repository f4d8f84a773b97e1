// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <array>
#include <string>

#include "backend/selection.hpp"
#include "structures/entries.hpp"
#include "structures/radix_tree/common_prefixes.hpp"

/// @file
/// How the nodes of GRT are made: all at once, from the prefixes that neighbours share, so that the time follows
/// neither the depth of the tree nor the number of its levels.
namespace warpdex {

/// The entries below a node.
struct radix_interval {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t parent;  ///< number of the node above; of the root its own
  std::uint32_t depth;   ///< bytes that all keys share; the node branches by the next one
  std::uint32_t level;   ///< nodes above
};

/// The form of a node.
struct radix_form {
  std::uint64_t first_child;  ///< number of the first node below it, if it is linked
  std::uint32_t children;
  bool linked;  ///< whether a child has a node
  bool path;    ///< whether it has one
  bool full;    ///< whether it needs no array (`radix_link::full`)

  WDX_HD radix_kind kind() const {
    return children <= 4    ? radix_kind::node4
           : children <= 16 ? radix_kind::node16
           : children <= 48 ? radix_kind::node48
                            : radix_kind::node256;
  }
};

namespace detail {

/// A node is known by its witness, the first rank where its entries branch: the one before shares only `depth` bytes.
template <class Length> struct radix_witnesses {
  prefix_minima<Length> lengths;
  std::uint64_t leaf;

  /// @return the interval of the node that branches at rank `i`, without its parent
  WDX_HD radix_interval around(std::uint64_t i) const {
    std::uint32_t const depth = lengths[i];
    return {lengths.last_below(i, depth), lengths.first_below(i, depth), 0, depth, 0};
  }

  /// @return the witness of the smallest node around `inner` that is larger, which is not the root
  WDX_HD std::uint64_t above(radix_interval const& inner) const {
    std::uint64_t const size = lengths.size();
    bool const ends_first = inner.begin == 0 || (inner.end != size && lengths[inner.begin] < lengths[inner.end]);
    if (ends_first) return inner.end;
    std::uint64_t const depth = lengths[inner.begin];
    return lengths.first_below(lengths.last_below(inner.begin, depth), depth + 1);
  }

  /// @return whether rank `i` is a witness
  WDX_HD bool operator()(std::uint64_t i) const {
    if (!lengths.differ(i)) return false;
    std::uint64_t const depth = lengths[i];
    std::uint64_t const begin = lengths.last_below(i, depth + 1);
    if (begin != 0 && lengths[begin] == depth) return false;
    return lengths.first_below(i, depth) - begin > leaf;
  }
};

template <class Length> struct describe_interval {
  radix_witnesses<Length> find;
  std::uint64_t const* witnesses;
  std::uint64_t const* before;  ///< per rank: witnesses before it
  radix_interval* to;
  WDX_HD void operator()(std::uint64_t k) const {
    radix_interval node = find.around(witnesses[k]);
    bool const is_root = node.begin == 0 && node.end == find.lengths.size();
    node.parent = is_root ? k : before[find.above(node)];
    to[k] = node;
  }
};

/// Nodes and their levels by doubling: after round r, `up` is 2^r nodes above, or the root.
struct level_step {
  std::uint64_t up;
  std::uint32_t level;  ///< nodes from here to `up`
};

struct first_level_step {
  radix_interval const* nodes;
  level_step* to;
  WDX_HD void operator()(std::uint64_t k) const { to[k] = {nodes[k].parent, nodes[k].parent == k ? 0u : 1u}; }
};

struct next_level_step {
  level_step const* from;
  level_step* to;
  WDX_HD void operator()(std::uint64_t k) const {
    level_step const next = from[from[k].up];
    to[k] = {next.up, from[k].level + next.level};
  }
};

struct is_on_the_way {
  level_step const* steps;
  WDX_HD bool operator()(std::uint64_t k) const { return steps[steps[k].up].level != 0; }
};

struct take_level {
  level_step const* from;
  std::uint32_t* levels;
  WDX_HD void operator()(std::uint64_t k) const { levels[k] = from[k].level; }
};

struct invert_order {
  std::uint64_t const* order;
  std::uint64_t* place_of;
  WDX_HD void operator()(std::uint64_t place) const { place_of[order[place]] = place; }
};

struct move_interval {
  radix_interval const* from;
  std::uint64_t const* order;
  std::uint64_t const* place_of;
  std::uint32_t const* levels;  ///< in the new order
  radix_interval* to;
  WDX_HD void operator()(std::uint64_t place) const {
    radix_interval node = from[order[place]];
    node.parent = place_of[node.parent];
    node.level = levels[place];
    to[place] = node;
  }
};

/// Nodes in breadth-first order. The nodes below a node are adjacent, in key order.
template <class Keys, class Length> struct radix_order {
  Keys keys;
  prefix_minima<Length> lengths;
  radix_interval const* nodes;
  std::uint64_t count;

  /// @return the rank of the first entry of a node whose key does not end there
  WDX_HD std::uint64_t first_of(radix_interval const& node) const {
    if constexpr (is_bytes<typename Keys::key_type>)
      if (keys.key(node.begin).size == node.depth) return behind(node, node.begin);
    return node.begin;
  }

  /// @return the first entry of the next child
  WDX_HD std::uint64_t behind(radix_interval const& node, std::uint64_t rank) const {
    std::uint64_t const next = lengths.first_below(rank, std::uint64_t{node.depth} + 1);
    return next < node.end ? next : node.end;
  }

  WDX_HD std::uint32_t path_length(std::uint64_t k) const {
    return k == 0 ? nodes[k].depth : nodes[k].depth - nodes[nodes[k].parent].depth - 1;
  }

  /// @return the number of the first node whose parent is `k` or one behind it; `count` if there is none
  WDX_HD std::uint64_t first_below(std::uint64_t k) const {
    std::uint64_t first = 1;
    std::uint64_t last = count;
    while (first < last) {
      std::uint64_t const middle = first + (last - first) / 2;
      if (nodes[middle].parent < k) first = middle + 1;
      else last = middle;
    }
    return first;
  }

  /// @param first_child number of the first node below node `k`
  /// @return the number of the node below node `k` that begins at a rank; `count` if there is none
  WDX_HD std::uint64_t child_at(std::uint64_t k, std::uint64_t first_child, std::uint64_t rank) const {
    std::uint64_t first = first_child;
    std::uint64_t last = first_child + 256 < count ? first_child + 256 : count;
    while (first < last) {
      std::uint64_t const middle = first + (last - first) / 2;
      if (nodes[middle].parent == k && nodes[middle].begin < rank) first = middle + 1;
      else last = middle;
    }
    return first < count && nodes[first].parent == k && nodes[first].begin == rank ? first : count;
  }
};

/// The first entries of the children of wide nodes, those of many entries. A thread that went from child to child would
/// take as long as all others together, so one searches for each byte.
struct wide_nodes {
  static constexpr std::uint64_t bytes = 256;
  static constexpr std::uint64_t least_entries = 512;

  std::uint64_t const* before;  ///< per node: wide nodes before it; null if no node is treated as wide
  std::uint64_t const* firsts;  ///< per wide node and byte: the first entry of a byte that is not less

  /// @return the first entries of node `k`; null if it is not wide
  WDX_HD std::uint64_t const* of(std::uint64_t k) const {
    return before == nullptr || before[k + 1] == before[k] ? nullptr : firsts + before[k] * bytes;
  }
  /// @return where the entries of byte `b` end
  WDX_HD static std::uint64_t end_of(std::uint64_t const* of_node, std::uint64_t b, radix_interval const& node) {
    return b + 1 == bytes ? node.end : of_node[b + 1];
  }
};

struct is_wide {
  radix_interval const* nodes;
  WDX_HD bool operator()(std::uint64_t k) const { return nodes[k].end - nodes[k].begin >= wide_nodes::least_entries; }
};

template <class Keys, class Length> struct find_first_entry {
  radix_order<Keys, Length> tree;
  std::uint64_t const* wide;  ///< numbers of the wide nodes
  std::uint64_t* firsts;
  WDX_HD void operator()(std::uint64_t i) const {
    radix_interval const node = tree.nodes[wide[i / wide_nodes::bytes]];
    auto const byte = static_cast<std::uint32_t>(i % wide_nodes::bytes);
    std::uint64_t first = tree.first_of(node);
    std::uint64_t last = node.end;
    while (first < last) {
      std::uint64_t const middle = first + (last - first) / 2;
      if (radix_digits::byte_at(tree.keys.key(middle), node.depth) < byte) first = middle + 1;
      else last = middle;
    }
    firsts[i] = first;
  }
};

/// Calls use(byte, first entry) for each child of node `k`, in order.
template <class Keys, class Length, class Use>
WDX_HD void for_each_child(radix_order<Keys, Length> const& tree, wide_nodes const& wide, std::uint64_t k,
                           radix_interval const& node, Use use) {
  if (std::uint64_t const* const firsts = wide.of(k); firsts != nullptr) {
    for (std::uint32_t byte = 0; byte < wide_nodes::bytes; ++byte)
      if (firsts[byte] != wide_nodes::end_of(firsts, byte, node)) use(byte, firsts[byte]);
    return;
  }
  for (std::uint64_t at = tree.first_of(node); at < node.end; at = tree.behind(node, at))
    use(radix_digits::byte_at(tree.keys.key(at), node.depth), at);
}

template <class Keys, class Length> struct choose_form {
  radix_order<Keys, Length> tree;
  wide_nodes wide;
  radix_form* to;
  WDX_HD void operator()(std::uint64_t k) const {
    radix_interval const node = tree.nodes[k];
    radix_form form{tree.first_below(k), 0, false, tree.path_length(k) != 0, false};
    for_each_child(tree, wide, k, node, [&](std::uint32_t, std::uint64_t) { ++form.children; });
    form.linked = form.first_child < tree.count && tree.nodes[form.first_child].parent == k;
    form.full = form.children == 256 && node.end - node.begin == 256 && !form.path;
    to[k] = form;
  }
};

/// Writes the sectors of node `k` if it is of a kind, else 0.
struct count_sectors {
  radix_interval const* nodes;
  radix_form const* forms;
  radix_kind kind;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t k) const {
    bool const counts = !forms[k].full && forms[k].kind() == kind;
    to[k] = counts ? radix_layout::sectors(kind, nodes[k].end - nodes[k].begin, forms[k].linked) : 0;
  }
};

/// Writes the link to node `k` if it is of a kind.
struct place_node {
  radix_form const* forms;
  radix_kind kind;
  std::uint64_t const* before;  ///< sectors of the nodes of this kind before it
  std::uint32_t* links;
  WDX_HD void operator()(std::uint64_t k) const {
    if (forms[k].full) links[k] = radix_link::full;
    else if (forms[k].kind() == kind) links[k] = radix_link::of(kind, forms[k].linked, forms[k].path, before[k] + 1);
  }
};

/// Writes node `k` to its array, which holds zeros; of wide nodes of 256 the header alone.
template <class Keys, class Length> struct write_node {
  radix_order<Keys, Length> tree;
  wide_nodes wide;
  radix_form const* forms;
  std::uint32_t const* links;
  unsigned char* to[4];

  /// Writes child number `i` of all bytes of all wide nodes, if its node is one of 256.
  /// @param numbers of the wide nodes
  WDX_HD void write_wide(std::uint64_t const* numbers, std::uint64_t i) const {
    std::uint64_t const k = numbers[i / wide_nodes::bytes];
    radix_form const form = forms[k];
    if (form.kind() != radix_kind::node256) return;
    auto const byte = static_cast<std::uint32_t>(i % wide_nodes::bytes);
    radix_interval const node = tree.nodes[k];
    std::uint64_t const entries = node.end - node.begin;
    std::uint64_t const first = wide.firsts[i];
    unsigned char* const bytes = address(k, radix_kind::node256);
    put_rank(bytes, radix_kind::node256, entries, byte, first - node.begin);
    if (!form.linked || first == wide_nodes::end_of(wide.of(k), byte, node)) return;
    std::uint64_t const below = tree.child_at(k, form.first_child, first);
    if (below != tree.count)
      reinterpret_cast<std::uint32_t*>(bytes + radix_layout::links_at(radix_kind::node256, entries))[byte] =
          links[below];
  }

  WDX_HD void operator()(std::uint64_t k) const {
    radix_form const form = forms[k];
    if (form.full) return;
    radix_interval const node = tree.nodes[k];
    std::uint64_t const entries = node.end - node.begin;
    radix_kind const kind = form.kind();
    unsigned char* const bytes = address(k, kind);
    auto* const child_links = reinterpret_cast<std::uint32_t*>(bytes + radix_layout::links_at(kind, entries));
    write_header(k, node, bytes);
    if (kind == radix_kind::node256 && wide.of(k) != nullptr) return;
    std::uint32_t slot = 0;
    std::uint64_t below = form.first_child;
    for_each_child(tree, wide, k, node, [&](std::uint32_t byte, std::uint64_t at) {
      if (kind == radix_kind::node256) {
        for (; slot <= byte; ++slot) put_rank(bytes, kind, entries, slot, at - node.begin);
      } else {
        put_label(bytes, kind, slot, byte);
        put_rank(bytes, kind, entries, slot++, at - node.begin);
      }
      if (form.linked && below < tree.count && tree.nodes[below].parent == k && tree.nodes[below].begin == at)
        child_links[slot - 1] = links[below++];
    });
    for (; slot < radix_layout::slots(kind); ++slot) {
      if (kind != radix_kind::node48) put_label(bytes, kind, slot, 0xff);
      put_rank(bytes, kind, entries, slot, entries);
    }
  }

 private:
  WDX_HD unsigned char* address(std::uint64_t k, radix_kind kind) const {
    return to[static_cast<std::uint32_t>(kind)] + std::uint64_t{radix_link::place(links[k])} * radix_layout::sector;
  }

  WDX_HD void write_header(std::uint64_t k, radix_interval const& node, unsigned char* bytes) const {
    auto* const header = reinterpret_cast<radix_header*>(bytes);
    std::uint32_t const length = tree.path_length(k);
    header->length = length;
    header->labels4 = 0;
    header->path = 0;
    if (length != 0) {
      std::uint64_t const word = radix_digits::word_at(tree.keys.key(node.begin), node.depth - length);
      header->path = length < 8 ? word >> (64 - 8 * length) << (64 - 8 * length) : word;
    }
  }

  WDX_HD static void put_label(unsigned char* bytes, radix_kind kind, std::uint32_t slot, std::uint32_t byte) {
    switch (kind) {
      case radix_kind::node4: reinterpret_cast<radix_header*>(bytes)->labels4 |= byte << (8 * slot); return;
      case radix_kind::node16: bytes[16 + slot] = static_cast<unsigned char>(byte); return;
      case radix_kind::node48:
        reinterpret_cast<std::uint64_t*>(bytes + 16)[byte / 64] |= std::uint64_t{1} << (byte % 64);
        return;
      default: return;
    }
  }

  WDX_HD static void put_rank(unsigned char* bytes, radix_kind kind, std::uint64_t entries, std::uint32_t slot,
                              std::uint64_t rank) {
    unsigned char* const ranks = bytes + radix_layout::ranks_at(kind);
    switch (radix_layout::rank_shift(entries)) {
      case 0: ranks[slot] = static_cast<unsigned char>(rank); return;
      case 1: reinterpret_cast<std::uint16_t*>(ranks)[slot] = static_cast<std::uint16_t>(rank); return;
      case 2: reinterpret_cast<std::uint32_t*>(ranks)[slot] = static_cast<std::uint32_t>(rank); return;
      default: reinterpret_cast<std::uint64_t*>(ranks)[slot] = rank; return;
    }
  }
};

template <class Keys, class Length> struct write_wide_children {
  write_node<Keys, Length> nodes;
  std::uint64_t const* numbers;
  WDX_HD void operator()(std::uint64_t i) const { nodes.write_wide(numbers, i); }
};

}  // namespace detail

/// The arrays of `radix_nodes`, of which the first sector is not used, as places begin at 1; and the bits of entries.
struct made_radix_nodes {
  std::array<buffer, 4> of_kind;
  std::uint32_t root = radix_link::none;
  buffer bits;  ///< of numbers; those of strings are made by nodes (radix_guide.hpp)

  radix_nodes view() const {
    radix_nodes nodes{};
    for (std::size_t kind = 0; kind < of_kind.size(); ++kind) nodes.of_kind[kind] = of_kind[kind].as<unsigned char>();
    nodes.root = root;
    return nodes;
  }
  template <class View> void guide(View& view) const {
    view.nodes = this->view();
    view.bits = bits.as<unsigned char>();
  }
};

namespace detail {

/// @return the intervals of all nodes in breadth-first order. Synchronises
template <class Engine, class Length>
buffer order_intervals(radix_witnesses<Length> const& find, selection const& chosen, execution const& exec) {
  backend const& platform = backend_of(Engine::kind);
  std::uint64_t const count = chosen.size;
  buffer const found(count * sizeof(radix_interval), exec);
  {
    buffer const witnesses(count * sizeof(std::uint64_t), exec);
    list<Engine>(exec, chosen, witnesses.as<std::uint64_t>());
    Engine::for_each(exec, count,
                     describe_interval<Length>{find, witnesses.as<std::uint64_t>(), chosen.before.as<std::uint64_t>(),
                                               found.as<radix_interval>()});
  }
  buffer const levels(count * sizeof(std::uint32_t), exec);
  {
    buffer from(count * sizeof(level_step), exec);
    buffer to(count * sizeof(level_step), exec);
    Engine::for_each(exec, count, first_level_step{found.as<radix_interval>(), from.as<level_step>()});
    while (Engine::count_if(exec, count, is_on_the_way{from.as<level_step>()}) != 0) {
      Engine::for_each(exec, count, next_level_step{from.as<level_step>(), to.as<level_step>()});
      std::swap(from, to);
    }
    Engine::for_each(exec, count, take_level{from.as<level_step>(), levels.as<std::uint32_t>()});
    platform.synchronize(exec);
  }
  auto const sorted =
      platform.sort({levels.data(), count, key_type::u32}, std::nullopt, row_type::u64, std::nullopt, exec).pairs;
  buffer const place_of(count * sizeof(std::uint64_t), exec);
  buffer ordered(count * sizeof(radix_interval), exec);
  auto const* const order = sorted.rows.template as<std::uint64_t>();
  Engine::for_each(exec, count, invert_order{order, place_of.as<std::uint64_t>()});
  Engine::for_each(exec, count,
                   move_interval{found.as<radix_interval>(), order, place_of.as<std::uint64_t>(),
                                 sorted.keys.template as<std::uint32_t>(), ordered.as<radix_interval>()});
  return ordered;
}

/// Allocates the arrays and writes where each node goes.
/// @throws unsupported if a kind needs more places than a link can name
template <class Engine>
void place_nodes(made_radix_nodes& made, radix_interval const* nodes, radix_form const* forms, std::uint64_t count,
                 std::uint32_t* links, execution const& exec) {
  backend const& platform = backend_of(Engine::kind);
  buffer const before((count + 1) * sizeof(std::uint64_t), exec);
  auto* const sectors = before.as<std::uint64_t>();
  for (std::uint32_t number = 0; number < 4; ++number) {
    auto const kind = static_cast<radix_kind>(number);
    Engine::for_each(exec, count, count_sectors{nodes, forms, kind, sectors});
    std::uint64_t const places = platform.exclusive_scan(sectors, count, exec) + 1;
    if (places > radix_link::most_places)
      throw unsupported("GRT: nodes of " + std::to_string(radix_layout::slots(kind)) + " children would take " +
                        std::to_string(places) + " sectors of 32 bytes, at most " +
                        std::to_string(radix_link::most_places) + " can be linked; a larger leaf needs fewer");
    Engine::for_each(exec, count, place_node{forms, kind, sectors, links});
    if (places == 1) continue;
    buffer& bytes = made.of_kind[number] = buffer(places * radix_layout::sector, exec);
    platform.fill_zero(bytes.data(), bytes.bytes(), exec);
  }
  platform.copy(&made.root, links, sizeof(made.root), exec);
  platform.synchronize(exec);
}

}  // namespace detail

/// Makes the nodes over sorted keys. Synchronises.
/// Cost: one pass over neighbouring keys, a few over the lengths of their prefixes, then some over the nodes, of which
/// the logarithm of the depth takes one each, and a search per byte of each node of many entries. Scratch: 17 bytes per
/// entry at most, 20 with strings, and about 100 per node.
/// @param keys in ascending order; keys.key(rank)
/// @param leaf a subtree of more entries than this, and of several keys, has a node
/// @throws unsupported as `place_nodes`, out_of_memory, device_error
template <class Engine, class Keys>
made_radix_nodes make_radix_nodes(Keys const& keys, std::uint64_t size, std::uint64_t leaf, execution const& exec) {
  using Length = std::conditional_t<is_bytes<typename Keys::key_type>, std::uint32_t, std::uint8_t>;
  constexpr bool bits_are_lengths = sizeof(Length) == 1 && sizeof(typename Keys::key_type) > 4;
  made_radix_nodes made;
  if (size == 0 || (!bits_are_lengths && size <= leaf)) return made;
  auto prefixes = prefix_arrays<Length>::template make<Engine>(keys, size, exec);
  detail::radix_witnesses<Length> const find{prefixes.view(), leaf};
  if constexpr (bits_are_lengths) made.bits = prefixes.take_lengths();
  if (size <= leaf) return made;
  selection chosen = select_if<Engine>(exec, size, find);
  std::uint64_t const count = chosen.size;
  if (count == 0) return made;
  buffer const nodes = detail::order_intervals<Engine>(find, chosen, exec);
  chosen = {};
  buffer const forms(count * sizeof(radix_form), exec);
  buffer const links(count * sizeof(std::uint32_t), exec);
  detail::radix_order<Keys, Length> const tree{keys, prefixes.view(), nodes.as<radix_interval>(), count};
  // Very many wide nodes, as of keys that each begin the next, have few children each.
  chosen = select_if<Engine>(exec, count, detail::is_wide{tree.nodes});
  if (chosen.size > size / detail::wide_nodes::bytes) chosen = {};
  std::uint64_t const wide_bytes = chosen.size * detail::wide_nodes::bytes;
  buffer const numbers(chosen.size * sizeof(std::uint64_t), exec);
  buffer const firsts(wide_bytes * sizeof(std::uint64_t), exec);
  list<Engine>(exec, chosen, numbers.as<std::uint64_t>());
  Engine::for_each(
      exec, wide_bytes,
      detail::find_first_entry<Keys, Length>{tree, numbers.as<std::uint64_t>(), firsts.as<std::uint64_t>()});
  detail::wide_nodes const wide{chosen.before.as<std::uint64_t>(), firsts.as<std::uint64_t>()};
  Engine::for_each(exec, count, detail::choose_form<Keys, Length>{tree, wide, forms.as<radix_form>()});
  detail::place_nodes<Engine>(made, tree.nodes, forms.as<radix_form>(), count, links.as<std::uint32_t>(), exec);
  detail::write_node<Keys, Length> write{tree, wide, forms.as<radix_form>(), links.as<std::uint32_t>(), {}};
  for (std::size_t kind = 0; kind < made.of_kind.size(); ++kind)
    write.to[kind] = made.of_kind[kind].template as<unsigned char>();
  Engine::for_each(exec, count, write);
  Engine::for_each(exec, wide_bytes, detail::write_wide_children<Keys, Length>{write, numbers.as<std::uint64_t>()});
  backend_of(Engine::kind).synchronize(exec);
  return made;
}

}  // namespace warpdex
