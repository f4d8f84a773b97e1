// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <array>
#include <string>

#include "backend/update/selection.hpp"
#include "structures/entries.hpp"
#include "structures/radix_tree/radix_form.hpp"
#include "structures/radix_tree/radix_intervals.hpp"

/// @file
/// How the nodes of GRT are made: all at once, from the prefixes that neighbours share, so that the time follows
/// neither the depth of the tree nor the number of its levels.
namespace warpdex {

namespace detail {

/// Nodes in breadth-first order, and how entries find them.
template <class Keys, class Length> struct radix_order {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  Keys keys;
  prefix_minima<Length> lengths;
  selected_numbers witnesses;     ///< among the ranks
  std::uint64_t const* place_of;  ///< per witness: the number of its node
  radix_interval const* nodes;
  std::uint32_t const* deepest;  ///< bytes that all keys below the deepest node share

  WDX_HD std::uint32_t path_length(std::uint64_t k) const {
    return k == 0 ? nodes[k].depth : nodes[k].depth - nodes[nodes[k].parent].depth - 1;
  }

  /// Whether the first keys of a node end where it branches; then these entries are no child.
  WDX_HD bool has_ended(radix_interval const& node) const {
    return radix_digits::size(keys.key(node.begin)) == node.depth;
  }

  WDX_HD std::uint32_t byte_of(std::uint64_t rank, std::uint32_t depth) const {
    return radix_digits::byte_at(keys.key(rank), depth);
  }

  /// @return the node in which the entry of rank `i` is the first of a child, but not of the first one; or none. The
  /// last witness up to `i` belongs to it, or to a node below it, which shares no fewer bytes
  WDX_HD std::uint64_t branching_at(std::uint64_t i) const {
    std::uint64_t const witness = witnesses.before(i + 1);
    std::uint64_t const k = witness == 0 ? none : around(place_of[witness - 1], i);
    return k != none && nodes[k].depth == lengths[i] ? k : none;
  }

  /// @return whether that node may exist, which is quick to see
  WDX_HD bool may_branch_at(std::uint64_t i) const {
    if (!lengths.differ(i) || lengths[i] > *deepest) return false;
    std::uint64_t const witness = witnesses.before(i + 1);
    return witness != 0 && nodes[place_of[witness - 1]].depth >= lengths[i];
  }

  /// @return the depth of the leaf that holds ranks i - 1 and i. It is below the smallest node around them, of which
  /// the last witness before or the first one after belongs to it or to a node below it
  WDX_HD std::uint32_t depth_of_leaf(std::uint64_t i, std::uint64_t count) const {
    std::uint64_t const witness = witnesses.before(i + 1);
    std::uint32_t depth = 0;
    for (std::uint64_t w = witness == 0 ? 0 : witness - 1; w < count && w <= witness; ++w) {
      std::uint64_t const k = around(place_of[w], i);
      if (k != none && nodes[k].depth + 1 > depth) depth = nodes[k].depth + 1;
    }
    return depth;
  }

 private:
  /// @return the smallest node from `k` upwards around ranks i - 1 and i
  WDX_HD std::uint64_t around(std::uint64_t k, std::uint64_t i) const {
    while (!(nodes[k].begin < i && i < nodes[k].end)) {
      if (nodes[k].parent == k) return none;
      k = nodes[k].parent;
    }
    return k;
  }
};

/// The bytes of the children of each node.
struct radix_bytes {
  static constexpr std::uint32_t words = 8;
  std::uint32_t* bits;  ///< 256 per node

  WDX_HD void add(std::uint64_t k, std::uint32_t byte) const {
    std::uint32_t* const word = bits + k * words + byte / 32;
#if defined(__CUDA_ARCH__)
    atomicOr(word, 1u << (byte % 32));
#else
    __atomic_fetch_or(word, 1u << (byte % 32), __ATOMIC_RELAXED);
#endif
  }
  WDX_HD bool has(std::uint64_t k, std::uint32_t byte) const {
    return (bits[k * words + byte / 32] >> (byte % 32) & 1) != 0;
  }
  /// @return the number of children with a lower byte, which is at most 256
  WDX_HD std::uint32_t before(std::uint64_t k, std::uint32_t byte) const {
    std::uint32_t count = 0;
    for (std::uint32_t w = 0; w < words; ++w) {
      std::uint32_t const below = w < byte / 32 ? ~0u : w == byte / 32 ? (1u << (byte % 32)) - 1 : 0;
      count += static_cast<std::uint32_t>(count_ones(bits[k * words + w] & below));
    }
    return count;
  }
  /// @return the lowest byte of a child that is not below `byte`; 256 if there is none
  WDX_HD std::uint32_t first_from(std::uint64_t k, std::uint32_t byte) const {
    for (; byte < 256; byte = byte / 32 * 32 + 32)
      if (std::uint32_t const left = bits[k * words + byte / 32] >> (byte % 32); left != 0)
        return byte + static_cast<std::uint32_t>(trailing_zeros(left));
    return 256;
  }
};

template <class Keys, class Length> struct may_begin_child {
  radix_order<Keys, Length> tree;
  WDX_HD bool operator()(std::uint64_t i) const { return tree.may_branch_at(i); }
};

template <class Keys, class Length> struct begins_child {
  radix_order<Keys, Length> tree;
  WDX_HD bool operator()(std::uint64_t i) const { return tree.branching_at(i) != tree.none; }
};

/// Adds the byte of an entry that begins a child, but not the first one, to its node.
template <class Keys, class Length> struct find_child {
  radix_order<Keys, Length> tree;
  radix_bytes children;
  WDX_HD void operator()(std::uint64_t i, std::uint64_t) const {
    children.add(tree.branching_at(i), tree.byte_of(i, tree.lengths[i]));
  }
};

/// Writes the bit of a string, which those that begin a child do not have.
template <class Keys, class Length> struct write_bit {
  radix_order<Keys, Length> tree;
  selected_numbers beginnings;
  std::uint64_t count;  ///< of nodes
  unsigned char* bits;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint32_t bit = radix_bits::same;
    if (tree.lengths.differ(i) && !(count != 0 && beginnings.holds(i)))
      bit = radix_bits::between(tree.keys.key(i - 1), tree.keys.key(i), tree.depth_of_leaf(i, count)).bit;
    bits[i] = static_cast<unsigned char>(bit);
  }
};

/// Adds the byte of the first child of node `k`, unless keys end there.
template <class Keys, class Length> struct find_first_child {
  radix_order<Keys, Length> tree;
  radix_bytes children;
  WDX_HD void operator()(std::uint64_t k) const {
    radix_interval const& node = tree.nodes[k];
    if (!tree.has_ended(node)) children.add(k, tree.byte_of(node.begin, node.depth));
  }
};

/// The nodes below a node are adjacent, and the first of them says that it is linked.
struct find_linked {
  radix_interval const* nodes;
  unsigned char* linked;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const k = i + 1;
    if (k == 1 || nodes[k].parent != nodes[k - 1].parent) linked[nodes[k].parent] = 1;
  }
};

template <class Keys, class Length> struct choose_form {
  radix_order<Keys, Length> tree;
  radix_bytes children;
  unsigned char const* linked;
  radix_form* to;
  WDX_HD void operator()(std::uint64_t k) const {
    radix_form form{children.before(k, 256), linked[k] != 0, tree.path_length(k) != 0, false};
    form.full = form.children == 256 && tree.nodes[k].end - tree.nodes[k].begin == 256 && !form.path;
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

/// Writes the nodes to their arrays, which hold zeros.
template <class Keys, class Length> struct radix_writer {
  radix_order<Keys, Length> tree;
  radix_bytes children;
  radix_form const* forms;
  std::uint32_t const* links;
  unsigned char* to[4];

  /// Writes what does not belong to one child of node `k`, and its link in the node above.
  WDX_HD void write_node(std::uint64_t k) const {
    if (k != 0) write_link(k);
    radix_form const form = forms[k];
    if (form.full) return;
    unsigned char* const bytes = address(k);
    write_header(k, bytes);
    radix_kind const kind = form.kind();
    if (kind == radix_kind::node256) return;
    if (kind == radix_kind::node48) {
      auto* const bitmap = reinterpret_cast<std::uint32_t*>(bytes + 16);
      for (std::uint32_t w = 0; w < radix_bytes::words; ++w) bitmap[w] = children.bits[k * radix_bytes::words + w];
    } else {
      unsigned char* const labels = bytes + (kind == radix_kind::node4 ? offsetof(radix_header, labels4) : 16);
      std::uint32_t byte = children.first_from(k, 0);
      for (std::uint32_t slot = 0; slot < radix_layout::slots(kind); ++slot) {
        labels[slot] = static_cast<unsigned char>(byte < 256 ? byte : 0xff);
        byte = byte < 255 ? children.first_from(k, byte + 1) : 256;
      }
    }
    for (std::uint32_t slot = form.children; slot < radix_layout::slots(kind); ++slot) put_rank(k, slot, entries_of(k));
  }

  /// Writes that a child begins at rank `i`. First children begin at 0.
  WDX_HD void write_rank(std::uint64_t i) const {
    std::uint64_t const k = tree.branching_at(i);
    if (forms[k].full) return;
    put_rank(k, slot_of(k, tree.byte_of(i, tree.lengths[i])), i - tree.nodes[k].begin);
  }

  /// Writes the rank of a byte without a child in a node of 256: that of the next child.
  WDX_HD void write_absent(std::uint64_t k, std::uint32_t byte) const {
    if (children.has(k, byte)) return;
    std::uint32_t const next = children.first_from(k, byte);
    put_rank(k, byte, next == 256 ? entries_of(k) : get_rank(k, next));
  }

 private:
  WDX_HD std::uint64_t entries_of(std::uint64_t k) const { return tree.nodes[k].end - tree.nodes[k].begin; }
  WDX_HD unsigned char* address(std::uint64_t k) const {
    return to[static_cast<std::uint32_t>(forms[k].kind())] +
           std::uint64_t{radix_link::place(links[k])} * radix_layout::sector;
  }
  WDX_HD std::uint32_t slot_of(std::uint64_t k, std::uint32_t byte) const {
    return forms[k].kind() == radix_kind::node256 ? byte : children.before(k, byte);
  }

  WDX_HD void write_link(std::uint64_t k) const {
    radix_interval const& node = tree.nodes[k];
    std::uint64_t const above = node.parent;
    unsigned char* const to_links = address(above) + radix_layout::links_at(forms[above].kind(), entries_of(above));
    std::uint32_t const byte = tree.byte_of(node.begin, tree.nodes[above].depth);
    reinterpret_cast<std::uint32_t*>(to_links)[slot_of(above, byte)] = links[k];
  }

  WDX_HD void write_header(std::uint64_t k, unsigned char* bytes) const {
    radix_interval const& node = tree.nodes[k];
    auto* const header = reinterpret_cast<radix_header*>(bytes);
    std::uint32_t const length = tree.path_length(k);
    header->length = length;
    if (length != 0) {
      std::uint64_t const word = radix_digits::word_at(tree.keys.key(node.begin), node.depth - length);
      header->path = length < 8 ? word >> (64 - 8 * length) << (64 - 8 * length) : word;
    }
  }

  WDX_HD unsigned char* ranks_of(std::uint64_t k) const { return address(k) + radix_layout::ranks_at(forms[k].kind()); }
  WDX_HD void put_rank(std::uint64_t k, std::uint32_t slot, std::uint64_t rank) const {
    unsigned char* const ranks = ranks_of(k);
    switch (radix_layout::rank_shift(entries_of(k))) {
      case 0: ranks[slot] = static_cast<unsigned char>(rank); return;
      case 1: reinterpret_cast<std::uint16_t*>(ranks)[slot] = static_cast<std::uint16_t>(rank); return;
      case 2: reinterpret_cast<std::uint32_t*>(ranks)[slot] = static_cast<std::uint32_t>(rank); return;
      default: reinterpret_cast<std::uint64_t*>(ranks)[slot] = rank; return;
    }
  }
  WDX_HD std::uint64_t get_rank(std::uint64_t k, std::uint32_t slot) const {
    unsigned char const* const ranks = ranks_of(k);
    switch (radix_layout::rank_shift(entries_of(k))) {
      case 0: return ranks[slot];
      case 1: return reinterpret_cast<std::uint16_t const*>(ranks)[slot];
      case 2: return reinterpret_cast<std::uint32_t const*>(ranks)[slot];
      default: return reinterpret_cast<std::uint64_t const*>(ranks)[slot];
    }
  }
};

template <class Keys, class Length> struct write_node {
  radix_writer<Keys, Length> nodes;
  WDX_HD void operator()(std::uint64_t k) const { nodes.write_node(k); }
};

template <class Keys, class Length> struct write_rank {
  radix_writer<Keys, Length> nodes;
  WDX_HD void operator()(std::uint64_t i, std::uint64_t) const { nodes.write_rank(i); }
};

/// Writes byte i % 256 of the i / 256th node of 256.
template <class Keys, class Length> struct write_absent {
  radix_writer<Keys, Length> nodes;
  std::uint64_t const* numbers;
  WDX_HD void operator()(std::uint64_t i) const {
    nodes.write_absent(numbers[i / 256], static_cast<std::uint32_t>(i % 256));
  }
};

/// Whether a node is one of 256 with an array.
struct is_direct {
  radix_form const* forms;
  WDX_HD bool operator()(std::uint64_t k) const { return forms[k].kind() == radix_kind::node256 && !forms[k].full; }
};

}  // namespace detail

/// The arrays of `radix_nodes`, of which the first sector is not used, as places begin at 1; and the bits of entries.
struct made_radix_nodes {
  std::array<buffer, 4> of_kind;
  std::uint32_t root = radix_link::none;
  buffer bits;  ///< of leaves (radix_bits.hpp); empty if keys have none

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

/// Allocates the arrays and writes where each node goes.
/// @throws unsupported if a kind needs more places than a link can name
template <class Engine>
void place_nodes(made_radix_nodes& tree, radix_interval const* nodes, radix_form const* forms, std::uint64_t count,
                 std::uint32_t* links, execution const& exec) {
  auto const& backend = backend_of(Engine::kind);
  buffer const before((count + 1) * sizeof(std::uint64_t), exec);
  auto* const sectors = before.as<std::uint64_t>();
  for (std::uint32_t number = 0; number < 4; ++number) {
    auto const kind = static_cast<radix_kind>(number);
    Engine::for_each(exec, count, count_sectors{nodes, forms, kind, sectors});
    std::uint64_t const places = backend.exclusive_scan(sectors, count, exec) + 1;
    if (places > radix_link::most_places)
      throw unsupported("GRT: nodes of " + std::to_string(radix_layout::slots(kind)) + " children would take " +
                        std::to_string(places) + " sectors of 32 bytes, at most " +
                        std::to_string(radix_link::most_places) + " can be linked; a larger leaf needs fewer");
    Engine::for_each(exec, count, place_node{forms, kind, sectors, links});
    if (places == 1) continue;
    buffer& bytes = tree.of_kind[number] = buffer(places * radix_layout::sector, exec);
    backend.fill_zero(bytes.data(), bytes.bytes(), exec);
  }
  backend.copy(&tree.root, links, sizeof(tree.root), exec);
  backend.synchronize(exec);
}

}  // namespace detail

/// Makes the nodes over sorted keys. Synchronises.
/// Cost: one pass over neighbouring keys, a few over the lengths of their prefixes, two over the entries at which
/// children begin, and some over the nodes, of which the logarithm of the depth takes one each. Scratch: 2 bytes per
/// entry, 5 with strings, and about 150 per node.
/// @param keys in ascending order; keys.key(rank)
/// @param leaf a subtree of more entries than this, and of several keys, has a node
/// @throws unsupported as `place_nodes`, out_of_memory, device_error
template <class Engine, class Keys>
made_radix_nodes make_radix_nodes(Keys const& keys, std::uint64_t size, std::uint64_t leaf, execution const& exec) {
  constexpr bool strings = is_bytes<typename Keys::key_type>;
  constexpr bool has_bits = strings || sizeof(typename Keys::key_type) > 4;
  using Length = std::conditional_t<strings, std::uint32_t, std::uint8_t>;
  auto const& backend = backend_of(Engine::kind);
  made_radix_nodes result;
  if (size == 0 || (!has_bits && size <= leaf)) return result;
  auto prefixes = prefix_arrays<Length>::template make<Engine>(keys, size, exec);
  detail::radix_witnesses<Length> const find{prefixes.view(), leaf};
  if constexpr (strings) result.bits = buffer_of_bits<Engine>(size, exec);
  else if constexpr (has_bits) result.bits = prefixes.take_lengths();
  selection const chosen =
      select_among<Engine>(exec, select_if<Engine>(exec, size, detail::may_be_witness<Length>{prefixes.view()}), find);
  std::uint64_t const count = chosen.size;
  auto const ordered = count == 0 ? detail::ordered_intervals{} : detail::order_intervals<Engine>(find, chosen, exec);
  detail::radix_order<Keys, Length> const tree{keys,
                                               prefixes.view(),
                                               chosen.view(),
                                               ordered.place_of.template as<std::uint64_t>(),
                                               ordered.nodes.template as<radix_interval>(),
                                               ordered.deepest.template as<std::uint32_t>()};
  buffer const bytes(count * detail::radix_bytes::words * sizeof(std::uint32_t), exec);
  buffer const linked(count, exec);
  buffer const forms(count * sizeof(radix_form), exec);
  buffer const links(count * sizeof(std::uint32_t), exec);
  detail::radix_bytes const children{bytes.as<std::uint32_t>()};
  backend.fill_zero(bytes.data(), bytes.bytes(), exec);
  selection beginnings;
  if (count != 0)
    beginnings = select_among<Engine>(exec, select_if<Engine>(exec, size, detail::may_begin_child<Keys, Length>{tree}),
                                      detail::begins_child<Keys, Length>{tree});
  if constexpr (strings)
    Engine::for_each(exec, size,
                     detail::write_bit<Keys, Length>{tree, beginnings.view(), count, result.bits.as<unsigned char>()});
  if (count == 0) {
    backend.synchronize(exec);
    return result;
  }
  backend.fill_zero(linked.data(), linked.bytes(), exec);
  Engine::for_each(exec, count, detail::find_first_child<Keys, Length>{tree, children});
  for_each<Engine>(exec, beginnings, detail::find_child<Keys, Length>{tree, children});
  Engine::for_each(exec, count - 1, detail::find_linked{tree.nodes, linked.as<unsigned char>()});
  Engine::for_each(
      exec, count,
      detail::choose_form<Keys, Length>{tree, children, linked.as<unsigned char>(), forms.as<radix_form>()});
  detail::place_nodes<Engine>(result, tree.nodes, forms.as<radix_form>(), count, links.as<std::uint32_t>(), exec);
  detail::radix_writer<Keys, Length> writer{tree, children, forms.as<radix_form>(), links.as<std::uint32_t>(), {}};
  for (std::size_t kind = 0; kind < result.of_kind.size(); ++kind)
    writer.to[kind] = result.of_kind[kind].template as<unsigned char>();
  Engine::for_each(exec, count, detail::write_node<Keys, Length>{writer});
  for_each<Engine>(exec, beginnings, detail::write_rank<Keys, Length>{writer});
  selection const direct = select_if<Engine>(exec, count, detail::is_direct{forms.as<radix_form>()});
  buffer const numbers(direct.size * sizeof(std::uint64_t), exec);
  list<Engine>(exec, direct, numbers.as<std::uint64_t>());
  Engine::for_each(exec, direct.size * 256, detail::write_absent<Keys, Length>{writer, numbers.as<std::uint64_t>()});
  backend.synchronize(exec);
  return result;
}

}  // namespace warpdex
