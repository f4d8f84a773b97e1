// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/radix_tree/radix_build.hpp"

#include <warpdex/search/radix_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <unordered_map>

#include "backend/cpu/cpu_engine.hpp"
#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/expect.hpp"
#include "support/sanitizers.hpp"
#include "support/sorted_strings.hpp"

/// @file
/// Cases that the conformance tests of GRT do not reach: the nodes themselves, deep trees, sizes, specs.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Sorted keys under nodes, of which `nodes` tells the kinds and widths.
template <class Pairs> struct tree {
  using view_type = radix_tree<Pairs>;

  view_type view;
  made_radix_nodes nodes;

  tree(Pairs pairs, u64 size, u32 leaf)
      : view(pairs, size, leaf),
        nodes(make_radix_nodes<cpu_engine>(pairs, size, leaf, execution(host_memory(), {}, 1))) {
    nodes.guide(view);
  }

  u64 bytes() const {
    u64 total = 0;
    for (buffer const& array : nodes.of_kind) total += array.bytes();
    return total;
  }

  /// @return the slot where the search for a target ends
  template <class Key> u64 bound(Key const& target) const {
    return run_from_start(view, view.start(target), single_lane{}).slot;
  }
};

template <class Key> tree<soa_pairs<Key, u32>> tree_over(std::vector<Key> const& sorted, u32 leaf) {
  return {soa_pairs<Key, u32>{sorted.data(), nullptr}, sorted.size(), leaf};
}

template <class Key> void expect_bounds(std::vector<Key> const& sorted, u32 leaf) {
  auto const tree = tree_over(sorted, leaf);
  for (std::size_t i = 0; i < sorted.size(); i += 1 + sorted.size() / 1000)
    for (Key const probe : {sorted[i], static_cast<Key>(sorted[i] - 1), static_cast<Key>(sorted[i] + 1)})
      ASSERT_EQ(tree.bound(probe),
                static_cast<u64>(std::lower_bound(sorted.begin(), sorted.end(), probe) - sorted.begin()))
          << sorted.size() << " keys, leaf " << leaf;
}

/// Each number of children up to 256, so that all kinds of nodes are met, at all widths of ranks that memory allows.
TEST(radix_tree, kinds_and_widths) {
  std::set<u32> kinds;
  for (u32 const children : {2u, 4u, 5u, 16u, 17u, 48u, 49u, 255u, 256u})
    for (u32 const each : {1u, 2u, 300u}) {
      std::vector<u32> keys;
      for (u32 c = 0; c < children; ++c)
        for (u32 i = 0; i < each; ++i) keys.push_back((c * 256 / children) << 24 | i);
      for (u32 const leaf : {1u, 2u, 32u}) {
        if (keys.size() <= leaf) continue;
        expect_bounds(keys, leaf);
        auto const tree = tree_over(keys, leaf);
        if (tree.nodes.root == radix_link::full) continue;
        auto const kind = radix_link::kind(tree.nodes.root);
        kinds.insert(static_cast<u32>(kind));
        EXPECT_GE(radix_layout::slots(kind), children);
        EXPECT_EQ(radix_link::linked(tree.nodes.root), each > leaf);
      }
    }
  EXPECT_EQ(kinds.size(), 4u);
  EXPECT_EQ(radix_layout::rank_shift(255), 0u);
  EXPECT_EQ(radix_layout::rank_shift(256), 1u);
  EXPECT_EQ(radix_layout::rank_shift(65536), 2u);
  EXPECT_EQ(radix_layout::rank_shift(u64{1} << 32), 3u);
  std::vector<u32> wide;  // ranks of 4 bytes, in a node of 4
  for (u32 i = 0; i < 70000; ++i) wide.push_back((i % 2) << 31 | i / 2);
  std::sort(wide.begin(), wide.end());
  expect_bounds(wide, 32);
}

TEST(radix_tree, full_nodes_store_nothing) {
  std::vector<u32> keys(65536);
  for (u32 i = 0; i < keys.size(); ++i) keys[i] = i << 16;
  EXPECT_LT(tree_over(keys, 32).bytes(), keys.size() / 20);
  expect_bounds(keys, 32);
  std::vector<u32> const few(keys.begin(), keys.begin() + 256);
  EXPECT_NE(tree_over(few, 1).nodes.root, radix_link::full);  // its path must be held
}

/// A singular lookup asks the search whether it has found its target, and reads no key that the search did not read.
TEST(radix_tree, singular_lookups) {
  std::vector<u32> keys(1 << 16), rows(1 << 16);
  for (u32 i = 0; i < keys.size(); ++i) rows[i] = (keys[i] = i) * 3;
  auto built = tree_over(keys, 32);
  std::vector<u32> const wrong(keys.size(), 7);
  built.view.pairs = {wrong.data(), rows.data()};  // the path of a dense key is the key
  for (u32 const key : {0u, 1u, 255u, 256u, 65535u}) EXPECT_EQ(find(built.view, key), 3 * key);
  EXPECT_EQ(find(built.view, 65536u), no_row<u64>);
  EXPECT_EQ(find(built.view, ~0u), no_row<u64>);

  sorted_strings const strings({"", "a", "a", "ab", "abc and more than a node holds", "b"}, false);
  for (u32 const leaf : {1u, 32u}) {
    tree<byte_pairs<u32>> const tree_of_strings(strings.pairs(), strings.size(), leaf);
    auto const row_of = [&](std::string const& key) {
      return find(tree_of_strings.view,
                  byte_key{reinterpret_cast<unsigned char const*>(key.data()), static_cast<u32>(key.size())});
    };
    EXPECT_EQ(row_of(""), 0u);
    EXPECT_EQ(row_of("a"), 1u);
    EXPECT_EQ(row_of("abc and more than a node holds"), 4u);
    for (char const* const absent : {"aa", "abc and more than a node", "abc and more xhan a node holds", "c"})
      EXPECT_EQ(row_of(absent), no_row<u64>) << absent;
    tree<byte_pairs<u32>> const empty(strings.pairs(), 0, leaf);
    EXPECT_EQ(find(empty.view, byte_key{}), no_row<u64>);
  }
}

/// Random keys take at most 5 bytes each, whatever their number.
TEST(radix_tree, bytes_per_key) {
  std::mt19937_64 random(5);
  for (u64 n = 1 << 10; n <= (under_sanitizer ? 1 << 17 : 1 << 20); n *= 2) {
    std::vector<u32> keys(n + n / 3);
    for (u32& key : keys) key = static_cast<u32>(random());
    std::sort(keys.begin(), keys.end());
    EXPECT_LE(tree_over(keys, 32).bytes(), 5 * keys.size()) << keys.size();
  }
}

/// Compares both ends of the range of a prefix with those that two searches of the sorted keys find.
template <class View> void expect_prefix_range(View const& view, std::vector<byte_key> const& sorted, byte_key prefix) {
  auto const rank = [&](byte_key target) {
    return static_cast<u64>(std::lower_bound(sorted.begin(), sorted.end(), target) - sorted.begin());
  };
  auto const found = view.prefix_range(single_lane{}, prefix);
  EXPECT_EQ(found.begin, rank(prefix));
  EXPECT_EQ(found.end, rank(prefix_end(prefix)));
}

/// Paths that a node holds in part mislead searches, which must come back.
TEST(radix_tree, long_paths) {
  std::string const path = "a path of more than eight bytes";
  for (bool const wide : {false, true}) {
    sorted_strings const keys(
        {path + "1", path + "2", path + "2 and a second path" + "x", path + "2 and a second path" + "y", "b"}, wide);
    tree<byte_pairs<u32>> const tree(keys.pairs(), keys.size(), 1);
    std::vector<byte_key> sorted;
    for (u32 i = 0; i < keys.size(); ++i) sorted.push_back(keys.pairs().key(i));
    for (u32 i = 0; i < keys.size(); ++i) {
      std::string const key(reinterpret_cast<char const*>(sorted[i].data), sorted[i].size);
      for (std::size_t at = 0; at < key.size(); ++at)
        for (int const change : {-1, 1}) {
          std::string probe = key;
          probe[at] = static_cast<char>(probe[at] + change);
          for (auto const tail : {byte_key::tail::none, byte_key::tail::zero, byte_key::tail::ones})
            for (auto const size : {probe.size(), at, at + 1}) {
              byte_key const target{reinterpret_cast<unsigned char const*>(probe.data()), static_cast<u32>(size), tail};
              EXPECT_EQ(tree.bound(target),
                        static_cast<u64>(std::lower_bound(sorted.begin(), sorted.end(), target) - sorted.begin()))
                  << probe.substr(0, size);
              if (tail == byte_key::tail::none) expect_prefix_range(tree.view, sorted, target);
            }
        }
    }
  }
}

/// Keys that begin others, repeat, hold 00 and FF, and differ first in bits that are too far to be known.
TEST(radix_tree, bits_of_strings) {
  std::mt19937_64 random(7);
  std::set<u32> seen;
  for (int round = 0; round < 60; ++round) {
    auto const make = [&](std::string const& start) {
      std::string result = start + std::string(random() % 8 == 0 ? random() % 40 : 0, 'z');
      for (u64 left = random() % 4; left > 0; --left) result += std::string("\0\x01\x80\xff", 4)[random() % 4];
      return result;
    };
    std::vector<std::string> strings;
    for (u64 n = random() % 60; n > 0; --n)
      strings.push_back(make(strings.empty() || random() % 3 == 0 ? "" : strings[random() % strings.size()]));
    sorted_strings const keys(strings, round % 2 != 0);
    u64 const size = strings.size();
    std::vector<byte_key> sorted;
    for (u64 i = 0; i < size; ++i) sorted.push_back(keys.pairs().key(i));
    for (u32 const leaf : {1u, 4u, 32u}) {
      tree<byte_pairs<u32>> const tree(keys.pairs(), size, leaf);
      for (u64 i = 0; i < size; ++i) seen.insert(tree.view.bits[i]);
      for (int p = 0; p < 40; ++p) {
        std::string const probe = make(strings.empty() ? "" : strings[random() % size]);
        for (auto const tail : {byte_key::tail::none, byte_key::tail::zero, byte_key::tail::ones}) {
          byte_key const target{reinterpret_cast<unsigned char const*>(probe.data()), static_cast<u32>(probe.size()),
                                tail};
          auto const right = std::lower_bound(sorted.begin(), sorted.end(), target);
          auto const found = run_from_start(tree.view, tree.view.start(target), single_lane{});
          ASSERT_EQ(found.slot, static_cast<u64>(right - sorted.begin())) << testing::PrintToString(probe);
          bool const hit = right != sorted.end() && *right == target;
          ASSERT_TRUE(tail != byte_key::tail::none || tree.view.matches(found) == hit);
        }
        byte_key target{reinterpret_cast<unsigned char const*>(probe.data()), static_cast<u32>(probe.size())};
        expect_prefix_range(tree.view, sorted, target);
        auto const found = tree.view.longest_beginning(target);
        auto right = std::lower_bound(sorted.begin(), sorted.end(), target);
        while ((right == sorted.end() || !(*right == target)) && target.size > 0) {
          --target.size;
          right = std::lower_bound(sorted.begin(), sorted.end(), target);
        }
        bool const any = right != sorted.end() && *right == target;
        ASSERT_EQ(found.slot, any ? static_cast<u64>(right - sorted.begin()) : size) << testing::PrintToString(probe);
        ASSERT_TRUE(!any || found.length == target.size);
      }
    }
  }
  EXPECT_EQ(seen.count(radix_bits::same), 1u);
  EXPECT_EQ(seen.count(radix_bits::far), 1u);
  EXPECT_GT(seen.size(), 40u);
}

/// The same for numbers, which may share any number of bits.
template <class Key> void expect_bounds_of_close_keys() {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20; ++round) {
    std::vector<Key> keys;
    for (u64 n = 1 + random() % 400; n > 0; --n) {
      Key const other = keys.empty() ? 0 : keys[random() % keys.size()];
      keys.push_back(other ^ static_cast<Key>(random() % 4) << (random() % (8 * sizeof(Key))));
    }
    std::sort(keys.begin(), keys.end());
    for (u32 const leaf : {1u, 32u, 256u}) expect_bounds(keys, leaf);
  }
}

TEST(radix_tree, bits_of_numbers) {
  expect_bounds_of_close_keys<u32>();
  expect_bounds_of_close_keys<u64>();
  expect_bounds_of_close_keys<u128>();
}

/// Keys each of which begins the next: as many levels as keys.
TEST(radix_tree, deep_keys) {
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < std::size_t{1} << 13; ++i) strings.push_back(std::string(i, 'a'));
  for (u32 const leaf : {1u, 32u}) {
    sorted_strings const keys(strings, leaf == 32);
    tree<byte_pairs<u32>> const tree(keys.pairs(), keys.size(), leaf);
    EXPECT_LE(tree.bytes(), 64 * keys.size());
    for (u32 i = 0; i < keys.size(); i += 97) EXPECT_EQ(tree.bound(keys.pairs().key(i)), i);
  }
}

/// What the nodes and the bits of a tree have, of all that they can have.
struct forms {
  std::set<u32> kinds;         ///< also `full_node`
  std::set<u32> rank_shifts;   ///< log2 of the bytes of ranks
  std::set<u32> path_lengths;  ///< 9 means all that a node does not hold
  std::set<u32> ends;          ///< `radix_bits::same`, `radix_bits::far`, and 0 for all others
  static constexpr u32 full_node = 4;

  void add(forms const& other) {
    kinds.insert(other.kinds.begin(), other.kinds.end());
    rank_shifts.insert(other.rank_shifts.begin(), other.rank_shifts.end());
    path_lengths.insert(other.path_lengths.begin(), other.path_lengths.end());
    ends.insert(other.ends.begin(), other.ends.end());
  }
};

/// Calls visit(link, entries) for all nodes from the root down. The tree is on the host.
template <class View, class Visit> void walk_nodes(View const& view, Visit const& visit) {
  std::vector<std::pair<u32, u64>> next{{view.nodes.root, view.size}};  // links, and the entries below them
  while (!next.empty()) {
    auto const [link, entries] = next.back();
    next.pop_back();
    if (link == radix_link::none) continue;
    visit(link, entries);
    if (link == radix_link::full) continue;
    for (u32 byte = 0; byte < 256; ++byte)
      if (auto const child = view.nodes.child(link, entries, byte); child.begin != child.end)
        next.emplace_back(child.link, child.end - child.begin);
  }
}

template <class View> forms forms_of(View const& view) {
  forms seen;
  walk_nodes(view, [&](u32 link, u64 entries) {
    if (link == radix_link::full) {
      seen.kinds.insert(forms::full_node);
      return;
    }
    seen.kinds.insert(static_cast<u32>(radix_link::kind(link)));
    seen.rank_shifts.insert(radix_layout::rank_shift(entries));
    seen.path_lengths.insert(std::min(view.nodes.header(link).length, 9u));
  });
  if (view.has_bits)
    for (u64 i = 0; i < view.size; ++i) seen.ends.insert(view.bits[i] < radix_bits::far ? 0 : view.bits[i]);
  return seen;
}

/// Compares the bits, and all nodes, byte by byte.
template <class View> void expect_equal_nodes(View const& view, index const& on_device, execution const& exec) {
  auto const view_there = on_device.view<View>();
  ASSERT_EQ(view.nodes.root, view_there.nodes.root);
  if (view.has_bits) {
    std::vector<unsigned char> bits(radix_bits::bytes_for(view.size));
    copy(bits.data(), view_there.bits, bits.size(), exec);
    ASSERT_TRUE(std::equal(bits.begin(), bits.end(), view.bits));
  }
  walk_nodes(view, [&](u32 link, u64 entries) {
    if (link == radix_link::full) return;
    std::vector<unsigned char> node(radix_layout::sectors(radix_link::kind(link), entries, radix_link::linked(link)) *
                                    radix_layout::sector);
    copy(node.data(), view_there.nodes.at(link), node.size(), exec);
    ASSERT_TRUE(std::equal(node.begin(), node.end(), view.nodes.at(link))) << "node " << link;
  });
}

/// Builds trees with leaves of all sizes on the host, and compares them with those of a device, if there is one.
/// @return what they have
template <class Pairs, class Keys> forms forms_over(Keys const& keys) {
  execution const host(host_memory(), {}, 2);
  forms seen;
  for (char const* const leaf : {"1", "2", "8", "32"}) {
    std::string const layout = is_bytes<typename Pairs::key_type> ? "" : "/layout=SoA";
    index const built = index::build("GRT(leaf=" + std::string(leaf) + ")" + layout, column(keys), host);
    auto const view = built.view<radix_tree<Pairs>>();
    seen.add(forms_of(view));
    if (present_backends().back() != backend_kind::cuda) continue;
    execution const device(device_memory());
    expect_equal_nodes(view, built.clone(device), device);
  }
  return seen;
}

/// All kinds of nodes, widths of ranks, and lengths of paths that keys of a kind can have, on both backends.
TEST(radix_tree, nodes_of_both_backends_are_equal) {
  constexpr u32 n = 80000;
  using numbers = std::set<u32>;
  numbers const all_kinds{0, 1, 2, 3, forms::full_node};
  std::mt19937_64 random(6);
  std::vector<u32> narrow;  // dense ones below full nodes, random ones, and small clusters
  for (u32 i = 0; i < n / 2; ++i) narrow.push_back(0x01000000 + i);
  for (u32 i = 0; i < n / 2; ++i)
    narrow.push_back(static_cast<u32>(random()) >> random() % 8 << (random() % 3 == 0 ? 6 : 0));
  forms const of_narrow = forms_over<soa_pairs<u32, u32>>(std::span(std::as_const(narrow)));
  EXPECT_EQ(of_narrow.kinds, all_kinds);
  EXPECT_EQ(of_narrow.rank_shifts, (numbers{0, 1, 2}));
  EXPECT_TRUE(of_narrow.path_lengths.count(0) == 1 && of_narrow.path_lengths.count(1) == 1);

  std::vector<u64> wide;
  for (u32 i = 0; i < n; ++i) wide.push_back(i >= n / 2 && random() % 4 == 0 ? u64{narrow[i]} << 24 : narrow[i]);
  for (u64 i = 0; i < 100; ++i) wide.push_back(u64{0xfe} << 56 | 3 * i);
  forms const of_wide = forms_over<soa_pairs<u64, u32>>(std::span(std::as_const(wide)));
  EXPECT_EQ(of_wide.kinds, all_kinds);
  EXPECT_EQ(of_wide.rank_shifts, (numbers{0, 1, 2}));
  EXPECT_TRUE(of_wide.path_lengths.count(0) == 1 && *of_wide.path_lengths.rbegin() > 1);
  EXPECT_EQ(of_wide.ends, (numbers{0, radix_bits::same}));

  std::vector<u128> widest;  // in one of five groups, 11 bytes after the first one are the same
  for (std::size_t i = 0; i < n; ++i) {
    u32 const group = (narrow[i] >> 8) % 5;
    widest.push_back(u128{group} << 120 | (group == 4 ? narrow[i] : wide[i]));
  }
  forms const of_widest = forms_over<soa_pairs<u128, u32>>(std::span(std::as_const(widest)));
  EXPECT_EQ(of_widest.kinds, all_kinds);
  EXPECT_EQ(of_widest.rank_shifts, (numbers{0, 1, 2}));
  EXPECT_TRUE(of_widest.path_lengths.count(0) == 1 && of_widest.path_lengths.count(9) == 1);

  std::vector<std::string> strings;
  for (u32 i = 0; i < n / 4; ++i) {
    std::string const start = i == 0 || random() % 3 == 0 ? "" : strings[random() % strings.size()].substr(0, 40);
    std::string const run(random() % 12 == 0 ? 30 : random() % 4, static_cast<char>('a' + random() % 2));
    strings.push_back(start + run + std::to_string(random() % 300));
  }
  for (char i = 0; i < 40; ++i) strings.push_back({'n', i, i});
  for (u32 i = 0; i < n; ++i)  // a node of 4 over more than 65535 entries, and dense bytes
    strings.push_back({static_cast<char>(i % 2), '\0', static_cast<char>(i >> 9), static_cast<char>(i >> 1)});
  forms const of_strings = forms_over<byte_pairs<u32>>(byte_strings(strings));
  EXPECT_EQ(of_strings.kinds, all_kinds);
  EXPECT_EQ(of_strings.rank_shifts, (numbers{0, 1, 2}));
  EXPECT_TRUE(of_strings.path_lengths.count(0) == 1 && of_strings.path_lengths.count(9) == 1);
  EXPECT_EQ(of_strings.ends, (numbers{0, radix_bits::same, radix_bits::far}));
}

/// Ranks of 8 bytes, which need 2^32 entries, in a node made by hand.
TEST(radix_tree, ranks_of_8_bytes) {
  constexpr u64 entries = u64{3} << 32;
  constexpr auto kind = radix_kind::node4;
  alignas(32) unsigned char bytes[2 * radix_layout::sector + 64] = {};
  ASSERT_LE(radix_layout::sectors(kind, entries, true), 2u);
  unsigned char* const node = bytes + radix_layout::sector;  // places begin at 1
  reinterpret_cast<radix_header*>(node)->labels4 = 0xff'ff'62'61;
  u64 const ranks[] = {5, u64{2} << 32, entries, entries};
  std::memcpy(node + radix_layout::ranks_at(kind), ranks, sizeof ranks);
  u32 const links[] = {0, 77, 0, 0};
  std::memcpy(node + radix_layout::links_at(kind, entries), links, sizeof links);
  radix_nodes const nodes{{bytes, nullptr, nullptr, nullptr}, radix_link::of(kind, true, false, 1)};
  EXPECT_EQ(nodes.ended<u64>(nodes.root, entries), 5u);
  auto const expect_child = [&](u32 byte, u64 begin, u64 end, u32 link) {
    auto const child = nodes.child<u64>(nodes.root, entries, byte);
    EXPECT_EQ(child.begin, begin) << byte;
    EXPECT_EQ(child.end, end) << byte;
    EXPECT_TRUE(child.begin == child.end || child.link == link) << byte;
  };
  expect_child(0x60, 5, 5, 0);
  expect_child(0x61, 5, u64{2} << 32, 0);
  expect_child(0x62, u64{2} << 32, entries, 77);
  expect_child(0x63, entries, entries, 0);
}

/// Links name 2^28 sectors of a kind. Nobody has the memory for that many nodes, but their places are counted first.
TEST(radix_tree, most_nodes_of_a_kind) {
  std::vector<radix_interval> const nodes(u64{2800000}, radix_interval{0, u64{1} << 33, 0, 0, 0});
  std::vector<radix_form> const all_full(nodes.size(), radix_form{256, true, false, false});
  ASSERT_GT(nodes.size() * radix_layout::sectors(radix_kind::node256, u64{1} << 33, true), radix_link::most_places);
  std::vector<u32> links(nodes.size());
  made_radix_nodes parts;
  execution const host(host_memory(), {}, 1);
  EXPECT_TRUE(throws<unsupported>(
      [&] { detail::place_nodes<cpu_engine>(parts, nodes.data(), all_full.data(), nodes.size(), links.data(), host); },
      "nodes of 256 children", "at most 268435456", "a larger leaf"));
}

/// Where a search reads, if nodes are in one array in depth-first order as in the paper (II.B), or in their own order.
class placements {
 public:
  enum order : std::uint8_t { breadth_first, depth_first, packed };  ///< the last one depth-first without alignment
  static constexpr u64 line = 128, page = 2 << 20;

  template <class View> explicit placements(View const& view) : nodes_(view.nodes) {
    place(view.nodes.root, view.size);
  }

  /// @return lines or pages that a search for a key reads in nodes
  template <class View> u64 reads(View const& view, u64 key, order in, u64 unit) const {
    std::set<u64> read;
    u32 depth = 0;
    u64 entries = view.size;
    for (u32 link = nodes_.root; link > radix_link::full; ++depth) {
      depth += nodes_.header(link).length;
      auto const kind = radix_link::kind(link);
      u32 const byte = radix_digits::byte_at(key, depth);
      u64 const at = in == breadth_first ? u64{link & 3} << 40 | u64{radix_link::place(link)} * radix_layout::sector
                                         : (in == depth_first ? aligned_ : packed_).at(link);
      auto const touch = [&](u64 first, u64 bytes) {
        for (u64 b = (at + first) / unit; b <= (at + first + bytes - 1) / unit; ++b) read.insert(b);
      };
      u32 slot = byte;
      if (kind != radix_kind::node256) {
        touch(0, radix_layout::ranks_at(kind));
        slot = 0;
        for (u32 b = 0; b < byte; ++b) slot += child_exists(link, entries, b) ? 1 : 0;
      } else if (radix_link::has_path(link)) {
        touch(0, sizeof(radix_header));
      }
      u32 const shift = radix_layout::rank_shift(entries);
      touch(radix_layout::ranks_at(kind) + (u64{slot} << shift), slot + 1 < radix_layout::slots(kind) ? 2 << shift : 1);
      if (radix_link::linked(link)) touch(radix_layout::links_at(kind, entries) + 4 * slot, 4);
      auto const child = nodes_.child(link, entries, byte);
      link = child.begin == child.end ? radix_link::none : child.link;
      entries = child.end - child.begin;
    }
    return read.size();
  }

 private:
  bool child_exists(u32 link, u64 entries, u32 byte) const {
    auto const child = nodes_.child(link, entries, byte);
    return child.begin != child.end;
  }

  void place(u32 link, u64 entries) {
    if (link <= radix_link::full) return;
    auto const kind = radix_link::kind(link);
    bool const linked = radix_link::linked(link);
    aligned_[link] = aligned_end_;
    packed_[link] = packed_end_;
    aligned_end_ += radix_layout::sectors(kind, entries, linked) * radix_layout::sector;
    packed_end_ += radix_layout::links_at(kind, entries) + (linked ? 4 * radix_layout::slots(kind) : 0);
    for (u32 byte = 0; byte < 256; ++byte)
      if (auto const child = nodes_.child(link, entries, byte); child.begin != child.end)
        place(child.link, child.end - child.begin);
  }

  radix_nodes nodes_;
  std::unordered_map<u32, u64> aligned_, packed_;
  u64 aligned_end_ = 0, packed_end_ = 0;
};

/// The reason why nodes are in breadth-first order: the paper's order reads as many lines, as a node and the one below
/// it are neighbours for one child in 256 only.
TEST(radix_tree, depth_first_order_saves_no_reads) {
  std::mt19937_64 random(9);
  for (u32 const leaf : {1u, 32u}) {
    std::vector<u64> keys(under_sanitizer ? 1 << 15 : 1 << 17);
    for (u64& key : keys) key = random();
    std::sort(keys.begin(), keys.end());
    auto const tree = tree_over(keys, leaf);
    placements const placed(tree.view);
    double lines[3] = {}, pages[3] = {};
    for (int probe = 0; probe < 300; ++probe) {
      u64 const key = keys[random() % keys.size()];
      for (auto const order : {placements::breadth_first, placements::depth_first, placements::packed}) {
        lines[order] += static_cast<double>(placed.reads(tree.view, key, order, placements::line)) / 300;
        pages[order] += static_cast<double>(placed.reads(tree.view, key, order, placements::page)) / 300;
      }
    }
    for (auto const order : {placements::depth_first, placements::packed}) {
      EXPECT_GT(lines[order], .95 * lines[placements::breadth_first]) << leaf;
      EXPECT_LT(lines[order], 1.2 * lines[placements::breadth_first]) << leaf;
    }
    RecordProperty("leaf_" + std::to_string(leaf), testing::PrintToString(lines) + testing::PrintToString(pages));
  }
}

class radix_tree_index : public damaged_index {};

TEST_F(radix_tree_index, specs) {
  std::vector<u32> const keys{1, 2, 3};
  auto const text = [&](std::string const& spec) { return index::build(spec, std::span(keys), exec_).spec_text(); };
  EXPECT_EQ(text("GRT").find("GRT(leaf=32)/"), 0u);
  EXPECT_EQ(text("GRT(leaf=256)").find("GRT(leaf=256)/"), 0u);
  for (auto const& [spec, message] : std::vector<std::pair<char const*, char const*>>{
           {"GRT(leaf=0)", "leaf is '0'; expected a number from 1 to 256"},
           {"GRT(leaf=257)", "leaf is '257'; expected a number from 1 to 256"},
           {"GRT(bits=3)", "GRT does not take this argument"},
           {"GRT/lanes=8", "lanes"}})
    EXPECT_TRUE(throws<spec_error>([&, spec = spec] { text(spec); }, message)) << spec;
}

/// Files hold entries alone.
TEST_F(radix_tree_index, files) {
  std::vector<u64> keys(5000);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * i;
  index const built = index::build("GRT(leaf=2)", std::span(std::as_const(keys)), exec_);
  built.save(path_);
  index const loaded = index::load(path_, exec_);
  loaded.verify(exec_);
  EXPECT_EQ(loaded.memory().auxiliary, built.memory().auxiliary);
  EXPECT_GT(loaded.memory().auxiliary, 0u);
}

}  // namespace
}  // namespace warpdex::test
