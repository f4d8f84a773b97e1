// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/search/ray_tracer.hpp>

namespace warpdex {

/// cgRX and RX: pairs in ascending key order, cut into buckets that rays find (paper 003). ray_scene.hpp tells which
/// primitives there are, ray_tracer.hpp how a ray is traced.
///
///     pairs     k0 k1 k2 k3 | k4 k5 k6 k7 | k8 k9         buckets of 4
///     scene              k3            k7      k9         representatives, and markers
///     tracer             primitives in key order, boxes over them
///
/// RX is the same with buckets of one pair and without markers: a primitive per distinct key.
///
/// A search casts rays until one hits the primitive of a bucket. Then it looks at the keys before and at the end of
/// this bucket. If the answer cannot be there, a binary search over all pairs finds it: a wrong hit costs time and
/// nothing else. Without a tracer the search bisects the representatives.
///
/// A caller that has found the bucket by rays of another library starts there (`start_in`).
///
/// Cost of a search: one visit per level of the tracer, all other rays in the visit of the lowest one, one visit to the
/// borders of the bucket, and log2(bucket) - 3 to the keys in it; with `linear` a sixteenth of the bucket at most.
template <class Pairs> struct cgrx : slots_are_ranks<cgrx<Pairs>, typename Pairs::position> {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  static constexpr view_traits traits{.equal_depth = false, .in_key_order = true, .walks = true};
  /// @}

  /// What a search does next; numbers from 0 on are levels of the tracer.
  enum step : int { bisect = -1, scan = -2, check = -3, bisect_representatives = -4 };

  /// The answer is in [first, slot]. On its way through the tracer a search holds the number of a node in `slot`, and
  /// among representatives both are buckets.
  struct search {
    key_type target;  ///< the key that is looked for
    position first;   ///< no slot before it has the answer
    position slot;    ///< once the search is over: the answer
    int next;         ///< a `step`, or a level
  };

  Pairs pairs;                            ///< keys and rows by slot
  position size;                          ///< number of entries
  int bucket_bits;                        ///< log2 of the entries of a bucket
  scene_kind kind;                        ///< which primitives the scene has
  bool linear;                            ///< whether buckets are scanned from their beginning
  bool many_rows;                         ///< whether representatives are in several rows of the scene
  bool many_planes;                       ///< whether they are in several planes
  key_type lowest;                        ///< the first representative
  key_type highest;                       ///< the last one
  ray_tracer<key_type, position> tracer;  ///< warpdex's own tracer, if there is one

  /// Not initialised.
  cgrx() = default;

  /// Sets the geometry; a guide sets what follows from the keys.
  cgrx(Pairs stored, std::uint64_t entries, int bits, scene_kind of, bool is_linear)
      : pairs(stored), size(static_cast<position>(entries)), bucket_bits(bits), kind(of), linear(is_linear),
        many_rows(false), many_planes(false), lowest(0), highest(0) {}

  /// @param keys in the place of those of the pairs @return the scene of the index, over other keys
  template <class Keys> WDX_HD ray_scene<Keys> scene_of(Keys keys) const {
    return {keys, size, bucket_bits, kind, many_rows, many_planes};
  }
  WDX_HD position buckets() const { return static_cast<position>(scene_of(pairs).buckets()); }  ///< number of buckets

  /// @return a search that begins at the top of the tracer or, without one, among all representatives
  WDX_HD search start(key_type target) const {
    if (tracer.exists()) return {target, 0, 0, tracer.levels};
    return {target, 0, size == 0 ? 0 : buckets() - 1, bisect_representatives};
  }

  /// @return a search that begins in a bucket that rays have found
  WDX_HD search start_in(key_type target, std::uint64_t bucket) const {
    search at{target, 0, 0, 0};
    enter(at, bucket);
    return at;
  }

  /// RX by its own tracer: casts a ray along each row of the scene that has keys of a range, from the first of them to
  /// the last, and collects what the rays hit. A primitive stands for all entries of its key.
  /// @param visit visit(begin, end) takes the slots of the entries of a primitive, in key order
  /// @return the slot of the first key that is not less than `lower`
  ///
  /// Cost: per row a visit of each level, and of each primitive that the ray hits
  template <class Visit> WDX_HD position collect(key_type lower, key_type upper, Visit const& visit) const {
    auto const slot = [this](std::uint64_t i) { return i < tracer.count ? tracer.tags[i] >> 3 : size; };
    std::uint64_t first = tracer.first_from(lower);
    position const begin = slot(first);
    std::uint64_t behind = first;  // the last hit: where keys are in order, no ray begins before it
    while (behind <= first && first < tracer.count && !(upper < tracer.keys[first])) {
      key_type const from = tracer.keys[first];
      tracer.follow(ray_axis::x, ray_digits::point(from), first, [&](std::uint64_t i) {
        if (upper < tracer.keys[i]) return true;
        visit(slot(i), slot(i + 1));
        behind = i + 1;
        return false;
      });
      key_type const last_in_row = from | ray_digits::x_max;
      if (!(last_in_row < upper)) break;
      first = tracer.first_from(last_in_row + 1);
    }
    return begin;
  }

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    switch (at.next) {
      case bisect: return visit_bucket(at);
      case scan: return visit_linearly(at);
      case check: return check_borders(at);
      case bisect_representatives: return visit_representative(at);
      default: return visit_tracer(group, at);
    }
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.next >= 0) {
      tracer.prefetch_step(at.slot, at.next);
    } else if (at.next == check) {
      warpdex::prefetch(pairs.key_address(at.first == 0 ? 0 : at.first - 1));
      warpdex::prefetch(pairs.key_address(at.slot - 1));
    } else if (at.next == bisect_representatives) {
      warpdex::prefetch(pairs.key_address(scene_of(pairs).end_of(middle(at)) - 1));
    } else {
      warpdex::prefetch(pairs.key_address(at.next == scan ? at.first : middle(at)));
    }
  }
  /// @}

 private:
  /// Keys that one visit to a bucket searches: they share a cache line, or two.
  static constexpr position at_once = 8;

  WDX_HD static position middle(search const& at) { return at.first + (at.slot - at.first) / 2; }

  /// @return whether the search is over before the first ray
  WDX_HD bool is_outside(search& at) const {
    if (highest < at.target) {
      at.slot = size;
      return true;
    }
    if (at.target <= lowest) enter(at, 0);
    return false;
  }

  template <class Group> WDX_HD bool visit_tracer(Group group, search& at) const {
    int const level = at.next;
    if (level == tracer.levels) {
      if (is_outside(at)) return true;
      if (at.next != level) return false;
    }
    tracer.step(group, at.target, at.slot, level);
    if (level > 0) {
      --at.next;
      return false;
    }
    ray_hit const hit = tracer.closest_from(ray_axis::x, ray_digits::point(at.target), at.slot);
    auto const scene = scene_of(pairs);
    enter(at, hit.exists() ? scene.bucket_of(hit.slot)
                           : scene.locate_behind_row(at.target, [this](ray_axis axis, ray_point from) {
                               return tracer.closest(axis, from);
                             }));
    return false;
  }

  WDX_HD bool visit_representative(search& at) const {
    if (highest < at.target) {
      at.slot = size;
      return true;
    }
    if (at.first == at.slot) {
      enter(at, at.slot);
      return false;
    }
    position const next = middle(at);
    bool const less = scene_of(pairs).representative(next) < at.target;
    at.first = select<position>(less, next + 1, at.first);
    at.slot = select<position>(less, at.slot, next);
    return false;
  }

  /// Goes on in a bucket that a ray has found, or among all pairs if it has found none.
  WDX_HD void enter(search& at, std::uint64_t bucket) const {
    if (bucket > (std::uint64_t{size} - 1) >> bucket_bits) return enter_all(at);
    at.first = static_cast<position>(bucket) << bucket_bits;
    at.slot = static_cast<position>(scene_of(pairs).end_of(bucket));
    at.next = check;
  }
  WDX_HD void enter_all(search& at) const {
    at.first = 0;
    at.slot = size;
    at.next = bisect;
  }

  /// Checks that the answer is in the bucket or just after it.
  WDX_HD bool check_borders(search& at) const {
    bool const begins_before = at.first != 0 && !(pairs.key(at.first - 1) < at.target);
    bool const ends_behind = pairs.key(at.slot - 1) < at.target;
    if (begins_before || (ends_behind && at.slot != size && pairs.key(at.slot) < at.target)) {
      enter_all(at);
      return false;
    }
    if (ends_behind) return true;
    --at.slot;
    at.next = linear ? scan : bisect;
    return at.first == at.slot;
  }

  WDX_HD bool visit_bucket(search& at) const {
    bool const last = at.slot - at.first <= at_once;
    do {
      position const next = middle(at);
      bool const less = pairs.key(next) < at.target;
      at.first = select<position>(less, next + 1, at.first);
      at.slot = select<position>(less, at.slot, next);
    } while (last && at.first != at.slot);
    return at.first == at.slot;
  }

  WDX_HD bool visit_linearly(search& at) const {
    for (position i = 0; i < 2 * at_once && at.first != at.slot; ++i) {
      if (!(pairs.key(at.first) < at.target)) {
        at.slot = at.first;
        return true;
      }
      ++at.first;
    }
    return at.first == at.slot;
  }
};

}  // namespace warpdex
