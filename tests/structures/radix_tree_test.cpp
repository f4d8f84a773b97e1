// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/radix_tree/radix_build.hpp"

#include <warpdex/search/radix_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "backend/cpu/cpu_engine.hpp"
#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/sanitizers.hpp"
#include "support/sorted_strings.hpp"

/// @file
/// Cases that the conformance tests of GRT do not reach: the nodes themselves, deep trees, sizes, specs.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Sorted keys under nodes, of which `made` tells the kinds and widths.
template <class Pairs> struct tree {
  using view_type = radix_tree<Pairs>;

  view_type view;
  made_radix_nodes made;

  tree(Pairs pairs, u64 size, u32 leaf)
      : view(pairs, size, leaf),
        made(make_radix_nodes<cpu_engine>(pairs, size, leaf, execution(host_memory(), {}, 1))) {
    made.guide(view);
  }

  u64 bytes() const {
    u64 total = 0;
    for (buffer const& array : made.of_kind) total += array.bytes();
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
  auto const made = tree_over(sorted, leaf);
  for (std::size_t i = 0; i < sorted.size(); i += 1 + sorted.size() / 1000)
    for (Key const probe : {sorted[i], static_cast<Key>(sorted[i] - 1), static_cast<Key>(sorted[i] + 1)})
      ASSERT_EQ(made.bound(probe),
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
        auto const made = tree_over(keys, leaf);
        if (made.made.root == radix_link::full) continue;
        auto const kind = radix_link::kind(made.made.root);
        kinds.insert(static_cast<u32>(kind));
        EXPECT_GE(radix_layout::slots(kind), children);
        EXPECT_EQ(radix_link::linked(made.made.root), each > leaf);
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
  EXPECT_NE(tree_over(few, 1).made.root, radix_link::full);  // its path must be held
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

/// Paths that a node holds in part mislead searches, which must come back.
TEST(radix_tree, long_paths) {
  std::string const path = "a path of more than eight bytes";
  for (bool const wide : {false, true}) {
    sorted_strings const keys(
        {path + "1", path + "2", path + "2 and a second path" + "x", path + "2 and a second path" + "y", "b"}, wide);
    tree<byte_pairs<u32>> const made(keys.pairs(), keys.size(), 1);
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
              EXPECT_EQ(made.bound(target),
                        static_cast<u64>(std::lower_bound(sorted.begin(), sorted.end(), target) - sorted.begin()))
                  << probe.substr(0, size);
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
      std::string made = start + std::string(random() % 8 == 0 ? random() % 40 : 0, 'z');
      for (u64 left = random() % 4; left > 0; --left) made += std::string("\0\x01\x80\xff", 4)[random() % 4];
      return made;
    };
    std::vector<std::string> strings;
    for (u64 n = random() % 60; n > 0; --n)
      strings.push_back(make(strings.empty() || random() % 3 == 0 ? "" : strings[random() % strings.size()]));
    sorted_strings const keys(strings, round % 2 != 0);
    u64 const size = strings.size();
    std::vector<byte_key> sorted;
    for (u64 i = 0; i < size; ++i) sorted.push_back(keys.pairs().key(i));
    for (u32 const leaf : {1u, 4u, 32u}) {
      tree<byte_pairs<u32>> const made(keys.pairs(), size, leaf);
      for (u64 i = 0; i < size; ++i) seen.insert(made.view.bits[i]);
      for (int p = 0; p < 40; ++p) {
        std::string const probe = make(strings.empty() ? "" : strings[random() % size]);
        for (auto const tail : {byte_key::tail::none, byte_key::tail::zero, byte_key::tail::ones}) {
          byte_key const target{reinterpret_cast<unsigned char const*>(probe.data()), static_cast<u32>(probe.size()),
                                tail};
          auto const right = std::lower_bound(sorted.begin(), sorted.end(), target);
          auto const found = run_from_start(made.view, made.view.start(target), single_lane{});
          ASSERT_EQ(found.slot, static_cast<u64>(right - sorted.begin())) << testing::PrintToString(probe);
          bool const hit = right != sorted.end() && *right == target;
          ASSERT_TRUE(tail != byte_key::tail::none || made.view.matches(found) == hit);
        }
        byte_key target{reinterpret_cast<unsigned char const*>(probe.data()), static_cast<u32>(probe.size())};
        auto const found = made.view.longest_beginning(target);
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
    tree<byte_pairs<u32>> const made(keys.pairs(), keys.size(), leaf);
    EXPECT_LE(made.bytes(), 64 * keys.size());
    for (u32 i = 0; i < keys.size(); i += 97) EXPECT_EQ(made.bound(keys.pairs().key(i)), i);
  }
}

/// Compares the bits, and all nodes from the root down, byte by byte.
template <class Pairs> void expect_equal_nodes(index const& on_host, index const& on_device, execution const& exec) {
  auto const view = on_host.view<radix_tree<Pairs>>();
  auto const view_there = on_device.view<radix_tree<Pairs>>();
  radix_nodes const other = view_there.nodes;
  ASSERT_EQ(view.nodes.root, other.root);
  if (view.has_bits) {
    std::vector<unsigned char> bits(radix_bits::bytes_for(view.size));
    copy(bits.data(), view_there.bits, bits.size(), exec);
    ASSERT_TRUE(std::equal(bits.begin(), bits.end(), view.bits));
  }
  std::vector<std::pair<u32, u64>> next{{view.nodes.root, view.size}};  // links, and the entries below them
  u64 sectors = 0;
  while (!next.empty()) {
    auto const [link, entries] = next.back();
    next.pop_back();
    auto const kind = radix_link::kind(link);
    std::vector<unsigned char> node(radix_layout::sectors(kind, entries, radix_link::linked(link)) *
                                    radix_layout::sector);
    sectors += node.size() / radix_layout::sector;
    copy(node.data(), other.at(link), node.size(), exec);
    ASSERT_TRUE(std::equal(node.begin(), node.end(), view.nodes.at(link))) << "node " << link;
    for (u32 byte = 0; byte < 256; ++byte)
      if (auto const child = view.nodes.child(link, entries, byte); child.link > radix_link::full)
        next.emplace_back(child.link, child.end - child.begin);
  }
  EXPECT_GT(sectors, 100u);
}

TEST(radix_tree, nodes_of_both_backends_are_equal) {
  if (present_backends().back() != backend_kind::cuda) GTEST_SKIP() << "no device";
  execution const host(host_memory(), {}, 2);
  execution const device(device_memory());
  std::mt19937_64 random(6);
  std::vector<u32> numbers(40000);
  for (u32& number : numbers) number = static_cast<u32>(random() % (random() % 2 == 0 ? 1 << 14 : u64{1} << 32));
  std::vector<u64> const wide(numbers.begin(), numbers.end());
  std::vector<std::string> strings;
  for (int i = 0; i < 5000; ++i) {
    std::string const start = strings.empty() || random() % 3 == 0 ? "" : strings[random() % strings.size()];
    strings.push_back(start + std::string(random() % 12, static_cast<char>('a' + random() % 2)) +
                      std::to_string(random() % 300));
  }
  for (char const* const spec : {"GRT(leaf=1)/layout=SoA", "GRT/layout=SoA"}) {
    index const of_numbers = index::build(spec, std::span(numbers), host);
    expect_equal_nodes<soa_pairs<u32, u32>>(of_numbers, of_numbers.clone(device), device);
    index const of_wide = index::build(spec, std::span(wide), host);
    expect_equal_nodes<soa_pairs<u64, u32>>(of_wide, of_wide.clone(device), device);
    index const of_strings = index::build(spec, byte_strings(strings), host);
    expect_equal_nodes<byte_pairs<u32>>(of_strings, of_strings.clone(device), device);
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
