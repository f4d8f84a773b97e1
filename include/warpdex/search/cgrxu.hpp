// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/cgrx.hpp>
#include <warpdex/search/tree_leaves.hpp>

namespace warpdex {

/// The last keys of leaves.
template <class Leaves> struct leaf_maxima {
  Leaves leaves;  ///< the leaves, in any layout
  /// @return the last key of leaf number i
  WDX_HD auto operator()(std::uint64_t i) const { return leaves.last_key(i); }
};

/// The first node of each bucket of cgRXu: the first with a key above the place of the primitive before.
template <class Key, class Position> struct bucket_chains {
  ray_scene<soa_pairs<Key, Position>> scene;  ///< the bounds of the buckets, as primitives
  Key const* maxima;                          ///< of the nodes
  Position nodes;                             ///< number of nodes

  /// @return the first node of bucket number i
  WDX_HD Position operator()(std::uint64_t i) const {
    if (i == 0) return 0;
    if (i == scene.size) return nodes;
    Key const before = ray_digits::key<Key>(scene.primitives_of(i - 1).representative);
    Position first = 0;
    Position end = nodes;
    while (first < end) {
      Position const next = first + (end - first) / 2;
      if (before < maxima[next]) end = next;
      else first = next + 1;
    }
    return first;
  }
};

/// cgRXu(node=Slots): cgRX whose buckets are chains of nodes, so that updates need no new scene (paper 003, section 4).
/// Nodes are leaves (tree_leaves.hpp), half full after a build, with one node per bucket. The scene is made of the last
/// keys of these first nodes, the bounds, and never changes: bucket b takes the keys between the places of its
/// primitive and of the one before it.
///
///     bounds    b0        b1        b2            the scene
///     chains    0         2         3     5       per bucket: the first node with a key above the bound before
///     maxima    m0   m1   m2   m3   m4            last key of each node
///     leaves    |..| |..| |..| |..| |..|
///
/// A chain is a run in the list of nodes in key order, where the paper has pointers: so entries have ranks, and a chain
/// is bisected, not walked. The answer is in the nodes from chains[b] to chains[b + 1], both included: a node may hold
/// keys of two buckets. The last bucket takes all keys above.
///
/// A wrong hit is noticed by the maxima around the chain; then all nodes are bisected.
///
/// Cost of a search: one visit per level of the tracer, all other rays in the visit of the lowest one, one to the
/// chain, some more if it is long, and one to a node.
template <int Slots, class Pairs> struct cgrxu : tree_leaves<Slots, Pairs> {
  using base = tree_leaves<Slots, Pairs>;  ///< the leaves
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using typename base::key_type;
  using typename base::position;
  using typename base::row_type;
  static constexpr view_traits traits{.equal_depth = false, .in_leaves = true, .gaps = true, .walks = true};
  /// @}

  /// What a search does next; numbers from 0 on are levels of the tracer.
  enum step : int { leaf = -1, chain = -2, check = -3, bisect_bounds = -4 };

  /// The answer is in the nodes [first, last]. On its way through the tracer a search holds the number of a node of it
  /// in `last`, and among bounds both are buckets.
  struct search {
    key_type target;  ///< the key that is looked for
    position first;   ///< no node before it has the answer
    position last;    ///< no node after it has the answer
    position slot;    ///< once the search is over: the answer
    int next;         ///< a `step`, or a level
  };

  key_type const* pivots;  ///< the maxima
  key_type const* bounds;  ///< the representatives, ascending: the last keys of the first nodes, as built
  position const* chains;  ///< per bucket, and the number of nodes at the end
  position buckets;        ///< number of buckets
  bool many_rows;          ///< whether bounds are in several rows of the scene
  bool many_planes;        ///< whether they are in several planes
  key_type lowest;         ///< the first bound
  key_type highest;        ///< the last one
  ray_tracer<key_type, position> tracer;  ///< warpdex's own tracer, if there is one

  cgrxu() = default;
  /// Not initialised.

  /// Sets the geometry and leaves the arrays null.
  /// @param per_leaf 0 if leaves hold any number of entries
  cgrxu(std::uint64_t size, std::uint64_t leaves, int per_leaf)
      : base(size, leaves, per_leaf), pivots(nullptr), bounds(nullptr), chains(nullptr), buckets(0), many_rows(false),
        many_planes(false), lowest(0), highest(0) {}

  /// @return the scene of the bounds: each is a bucket
  WDX_HD ray_scene<soa_pairs<key_type, position>> scene() const {
    return {{bounds, nullptr}, buckets, 0, scene_kind::optimized, many_rows, many_planes};
  }

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(key_type target) const {
    if (tracer.exists()) return {target, 0, 0, 0, tracer.levels};
    return {target, 0, buckets == 0 ? 0 : buckets - 1, 0, bisect_bounds};
  }

  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    switch (at.next) {
      case leaf: search_leaf(group, at); return true;
      case chain: return visit_chain(at);
      case check: return check_chain(at);
      case bisect_bounds: return visit_bound(at);
      default: return visit_tracer(group, at);
    }
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.next >= 0) tracer.prefetch_step(at.last, at.next);
    else if (at.next == leaf) this->prefetch_leaf(at.first);
    else if (at.next == check) warpdex::prefetch(pivots + at.first);
    else warpdex::prefetch((at.next == chain ? pivots : bounds) + middle(at));
  }
  /// @}

  /// @return the number of maxima: one per node
  WDX_HD std::uint64_t pivot_count() const { return this->leaves; }

  /// @param leaves in any layout
  /// @return a function that computes maximum number i
  template <class Leaves> auto pivot_rule(Leaves const& leaves) const { return leaf_maxima<Leaves>{leaves}; }

  /// @return a function that computes the first node of bucket number i, and the number of nodes after the last one
  auto chain_rule() const { return bucket_chains<key_type, position>{scene(), pivots, this->leaves}; }

 private:
  WDX_HD static position middle(search const& at) { return at.first + (at.last - at.first) / 2; }

  template <class Group> WDX_HD bool visit_tracer(Group group, search& at) const {
    int const level = at.next;
    if (level == tracer.levels && (highest < at.target || !(lowest < at.target))) {
      enter(at, highest < at.target ? buckets - 1 : 0);
      return false;
    }
    tracer.step(group, at.target, at.last, level);
    if (level > 0) {
      --at.next;
      return false;
    }
    ray_hit const hit = tracer.closest_from(ray_axis::x, ray_digits::point(at.target), at.last);
    enter(at, hit.exists() ? scene().bucket_of(hit.slot)
                           : scene().locate_behind_row(at.target, [this](ray_axis axis, ray_point from) {
                               return tracer.closest(axis, from);
                             }));
    return false;
  }

  /// Bisects the bounds. Above the highest, the last bucket is left.
  WDX_HD bool visit_bound(search& at) const {
    if (at.first == at.last) {
      enter_bound(at, at.first);
      return false;
    }
    position const next = middle(at);
    bool const less = bounds[next] < at.target;
    at.first = select<position>(less, next + 1, at.first);
    at.last = select<position>(less, at.last, next);
    return false;
  }

  /// Goes on with the bucket whose bound is not less than the target: where the bound before it has moved to the end of
  /// its row, the target may be in that bucket.
  WDX_HD void enter_bound(search& at, position bucket) const {
    bool const in_row_before =
        bucket != 0 && at.target <= ray_digits::key<key_type>(scene().primitives_of(bucket - 1).representative);
    enter(at, in_row_before ? bucket - 1 : bucket);
  }

  WDX_HD void enter(search& at, std::uint64_t bucket) const {
    if (bucket >= buckets) return enter_all(at);
    position const nodes = this->leaves;
    position const first = chains[bucket];
    position const behind = chains[bucket + 1];
    at.first = first < nodes ? first : nodes - 1;
    at.last = behind < nodes ? behind : nodes - 1;
    at.next = check;
  }
  WDX_HD void enter_all(search& at) const {
    at.first = 0;
    at.last = this->leaves - 1;
    at.next = chain;
  }

  /// Checks that the answer is in the chain, and looks at the maximum of its first node.
  WDX_HD bool check_chain(search& at) const {
    bool const begins_before = at.first != 0 && !(pivots[at.first - 1] < at.target);
    bool const ends_behind = at.last < at.first || (at.last != this->leaves - 1 && pivots[at.last] < at.target);
    if (begins_before || ends_behind) enter_all(at);
    else if (at.first == at.last || !(pivots[at.first] < at.target)) at.next = leaf;
    else {
      ++at.first;
      at.next = at.first == at.last ? leaf : chain;
    }
    return false;
  }

  /// Bisects the maxima; above all of them, the last node is left.
  WDX_HD bool visit_chain(search& at) const {
    position const next = middle(at);
    bool const less = at.first != at.last && pivots[next] < at.target;
    at.first = select<position>(less, next + 1, at.first);
    at.last = select<position>(less, at.last, next);
    if (at.first == at.last) at.next = leaf;
    return false;
  }

  template <class Group> WDX_HD void search_leaf(Group group, search& at) const {
    level_search<key_type, position> in_leaf{at.target, 0, 0, 0};
    base::search_leaf(group, in_leaf, at.first);
    at.slot = in_leaf.slot;
  }
};

}  // namespace warpdex
