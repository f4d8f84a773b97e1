// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "backend/update/selection.hpp"
#include "structures/radix_tree/common_prefixes.hpp"

/// @file
/// Which nodes GRT has: the intervals of ranks below them, each found by its witness, and their breadth-first order.
namespace warpdex {

/// The entries below a node.
struct radix_interval {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t parent;  ///< number of the node above; of the root its own
  std::uint32_t depth;   ///< bytes that all keys share; the node branches by the next one
  std::uint32_t level;   ///< nodes above
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

/// A part of the test for a witness that most ranks fail: the rank before shares another number of bytes.
template <class Length> struct may_be_witness {
  prefix_minima<Length> lengths;
  WDX_HD bool operator()(std::uint64_t i) const {
    return lengths.differ(i) && !(lengths.differ(i - 1) && lengths[i - 1] == lengths[i]);
  }
};

template <class Length> struct describe_interval {
  radix_witnesses<Length> find;
  std::uint64_t const* witnesses;
  selected_numbers chosen;  ///< the witnesses among the ranks
  radix_interval* to;
  WDX_HD void operator()(std::uint64_t k) const {
    radix_interval node = find.around(witnesses[k]);
    bool const is_root = node.begin == 0 && node.end == find.lengths.size();
    node.parent = is_root ? k : chosen.before(find.above(node));
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
  WDX_HD void operator()(std::uint64_t position) const { place_of[order[position]] = position; }
};

struct move_interval {
  radix_interval const* from;
  std::uint64_t const* order;
  std::uint64_t const* place_of;
  std::uint32_t const* levels;  ///< in the new order
  radix_interval* to;
  WDX_HD void operator()(std::uint64_t position) const {
    radix_interval node = from[order[position]];
    node.parent = place_of[node.parent];
    node.level = levels[position];
    to[position] = node;
  }
};

struct find_deepest {
  radix_interval const* nodes;
  std::uint32_t* deepest;
  WDX_HD void operator()(std::uint64_t k) const {
    // Few nodes get past what was found before, so few wait for each other.
    std::uint32_t const depth = nodes[k].depth;
#if defined(__CUDA_ARCH__)
    if (depth > *static_cast<std::uint32_t volatile*>(deepest)) atomicMax(deepest, depth);
#else
    std::uint32_t found = __atomic_load_n(deepest, __ATOMIC_RELAXED);
    while (depth > found &&
           !__atomic_compare_exchange_n(deepest, &found, depth, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
  }
};

/// The intervals of all nodes in breadth-first order, and the places of witnesses among them.
struct ordered_intervals {
  buffer nodes;
  buffer place_of;
  buffer deepest;  ///< `radix_order::deepest`
};

/// Synchronises.
template <class Engine, class Length>
ordered_intervals order_intervals(radix_witnesses<Length> const& find, selection const& chosen, execution const& exec) {
  auto const& backend = backend_of(Engine::kind);
  std::uint64_t const count = chosen.size;
  buffer const found(count * sizeof(radix_interval), exec);
  {
    buffer const witnesses(count * sizeof(std::uint64_t), exec);
    list<Engine>(exec, chosen, witnesses.as<std::uint64_t>());
    Engine::for_each(
        exec, count,
        describe_interval<Length>{find, witnesses.as<std::uint64_t>(), chosen.view(), found.as<radix_interval>()});
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
    backend.synchronize(exec);
  }
  auto const sorted =
      backend.sort({levels.data(), count, key_type::u32}, std::nullopt, row_type::u64, std::nullopt, exec).pairs;
  buffer place_of(count * sizeof(std::uint64_t), exec);
  buffer ordered(count * sizeof(radix_interval), exec);
  auto const* const order = sorted.rows.template as<std::uint64_t>();
  Engine::for_each(exec, count, invert_order{order, place_of.as<std::uint64_t>()});
  Engine::for_each(exec, count,
                   move_interval{found.as<radix_interval>(), order, place_of.as<std::uint64_t>(),
                                 sorted.keys.template as<std::uint32_t>(), ordered.as<radix_interval>()});
  buffer deepest(sizeof(std::uint32_t), exec);
  backend.fill_zero(deepest.data(), deepest.bytes(), exec);
  Engine::for_each(exec, count, find_deepest{ordered.as<radix_interval>(), deepest.as<std::uint32_t>()});
  return {std::move(ordered), std::move(place_of), std::move(deepest)};
}

}  // namespace detail
}  // namespace warpdex
