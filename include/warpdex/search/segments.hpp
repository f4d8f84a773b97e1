// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>
#include <warpdex/search/pairs.hpp>

/// @file
/// Lines that predict ranks, for learned indexes. A model of sorted keys is a sequence of segments. A segment begins at
/// a key and holds a line; the line predicts the ranks of the keys from there to the next segment, with an error of at
/// most `eps`. Prediction and search take the same exact steps on CPUs and GPUs.
namespace warpdex {

/// The line of a segment. It predicts that a target has the rank high - eps + slope * (target - first key).
///
/// Slope and rank are equally wide, so that the line has no padding. A float is enough for a slope, because a segment
/// spans at most `longest_segment` ranks: then rounding moves no prediction by more than a quarter of a rank.
template <class Position> struct line {
  /// The type of a slope, as wide as a rank.
  using real = std::conditional_t<sizeof(Position) == 4, float, double>;

  Position high;  ///< the rank at the first key, plus eps
  real slope;     ///< ranks per key; neither negative nor infinite
};

/// Ranks that a segment spans, at most.
inline constexpr std::uint64_t longest_segment = 1 << 20;

/// The largest error that a model may have.
inline constexpr std::uint64_t largest_eps = 1 << 16;

/// The answer of a search is in [first, last].
template <class Position> struct rank_window {
  Position first;  ///< no rank before it has the answer
  Position last;   ///< no rank after it has the answer
};

/// Keys whose bound is looked for. Of the entries it is the number of keys less than the target; of the segments, the
/// number of keys not greater than it.
enum class bound { less, not_greater };

/// The segments over `below` entries.
///
///     keys     first key of each segment, ascending; then at least one largest key, up to a multiple of `node_keys`
///     lines    one for each of these keys; after the last segment, lines with the rank `below`
///
/// The line of the next segment bounds what a line predicts for targets after its last key.
template <class Key, class Position> struct segments {
  Key const* keys;              ///< first keys
  line<Position> const* lines;  ///< lines
  Position count;               ///< number of segments
  Position below;               ///< number of entries below
  Position eps;                 ///< largest error of a line

  /// @return where the bound of `target` is among the entries below
  /// @param i number of the last segment whose key is not greater than the target, or 0 if there is none
  WDX_HD rank_window<Position> predict(Position i, Key target) const {
    using real = typename line<Position>::real;
    auto const here = lines[i];
    Position const next = lines[i + 1].high;  // a little lower than `here`, if the segment is short
    Key const first = keys[i];
    real const rise = here.slope * static_cast<real>(static_cast<Key>(target - (target < first ? target : first)));
    Position top = here.high;
    if (next <= here.high || !(rise < static_cast<real>(next - here.high))) top = next;
    else if (rise > 0) top += static_cast<Position>(rise + static_cast<real>(0.5));
    Position const last = top < below ? top + 1 : below;
    Position const low = top > 2 * eps ? top - 2 * eps : 0;
    return {low < last ? low : last, last};
  }
};

/// Entries per padded node of segment keys, on all machines.
inline constexpr unsigned node_keys = 16;

/// @return the number of slots that `count` segments take, with the padding after them
WDX_HD constexpr std::uint64_t padded_segments(std::uint64_t count) { return (count / node_keys + 1) * node_keys; }

/// Narrows a window by one node of adjacent keys: those of one sector on a GPU, those of one cache line on a CPU. The
/// node is in the middle of the window, so a window of n nodes takes about log2 n calls.
/// @param size number of keys in memory
/// @return whether the window has one element left, the bound of the target
template <bound Bound, class Group, class Keys, class Position>
WDX_HD bool narrow(Group group, Keys const& keys, std::uint64_t size, typename Keys::key_type target,
                   rank_window<Position>& window) {
  constexpr int slot_bytes = Keys::key_stride;
#if defined(__CUDA_ARCH__)
  constexpr int node = Keys::kind == layout::packed ? 4 : 32 / slot_bytes;
#else
  constexpr int node = Keys::kind == layout::packed ? 8 : 64 / slot_bytes;
#endif
  auto const is_before = [target](auto key) {
    if constexpr (Bound == bound::less) return key < target;
    else return !(target < key);
  };
  if (window.first == window.last) return true;
  auto const middle = static_cast<Position>(window.first + (window.last - window.first) / 2);
  auto const begin = static_cast<Position>(middle / node * node);
  if (std::uint64_t{begin} + node > size) {  // the last keys fill no node
    bool const before = is_before(keys.key(middle));
    window.first = select<Position>(before, middle + 1, window.first);
    window.last = select<Position>(before, window.last, middle);
    return window.first == window.last;
  }
  auto const values = keys.template node<node, Group::lanes>(begin);
  int const found = group.template count<node>([&](int j) { return is_before(values(j)); });
  auto const answer = static_cast<Position>(begin + static_cast<unsigned>(found));
  if (found != 0 && answer > window.first) window.first = answer < window.last ? answer : window.last;
  if (found != node && answer < window.last) window.last = answer > window.first ? answer : window.first;
  return window.first == window.last;
}

/// The state of a search through levels of segments. Level 0 are the entries.
template <class Key, class Position> struct segment_search {
  Key target;                    ///< the key that is looked for
  rank_window<Position> window;  ///< of the level
  Position slot;                 ///< once the search is over: the answer
  int level;                     ///< the level that the next visit reads
};

/// What learned indexes share: pairs in ascending key order, and searches that end in a window of them.
template <class Pairs> struct learned_array : slots_are_ranks<learned_array<Pairs>, typename Pairs::position> {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = typename Pairs::key_type;
  using row_type = typename Pairs::row_type;
  using position = typename Pairs::position;
  using pairs_type = Pairs;
  using search = segment_search<key_type, position>;
  static constexpr view_traits traits{.equal_depth = false, .in_key_order = true};
  /// @}

  Pairs pairs;    ///< keys and rows by slot
  position size;  ///< number of entries

  /// Not initialised.
  learned_array() = default;
  /// @param stored pairs in key order @param entries number of them
  learned_array(Pairs stored, std::uint64_t entries) : pairs(stored), size(static_cast<position>(entries)) {}

 protected:
  /// Visits the entries, as the last level of a search.
  template <class Group> WDX_HD bool visit_entries(Group group, search& at) const {
    bool const over = narrow<bound::less>(group, pairs, size, at.target, at.window);
    at.slot = at.window.first;
    return over;
  }

  /// Visits the segments of a level. Once the right one is known, the search goes on in the level below.
  template <class Group>
  WDX_HD bool visit_segments(Group group, segments<key_type, position> const& model, search& at) const {
    soa_pairs<key_type, position> const keys{model.keys, {}};
    std::uint64_t const padded = padded_segments(model.count);
    if (!narrow<bound::not_greater>(group, keys, padded, at.target, at.window)) return false;
    position const found = at.window.first;
    at.window = model.predict(found == 0 ? 0 : found - 1, at.target);
    --at.level;
    at.slot = at.window.first;
    return at.level == 0 && at.window.first == at.window.last;
  }

  /// Prefetches what the next visit reads of the entries.
  WDX_HD WDX_INLINE void prefetch_entries(search const& at) const {
    warpdex::prefetch(pairs.key_address(middle_of(at)));
  }
  /// Prefetches what the next visit reads of a level of segments.
  WDX_HD WDX_INLINE void prefetch_segments(segments<key_type, position> const& model, search const& at) const {
    warpdex::prefetch(model.keys + middle_of(at));
    warpdex::prefetch(model.lines + middle_of(at));
  }

 private:
  WDX_HD static position middle_of(search const& at) {
    return static_cast<position>(at.window.first + (at.window.last - at.window.first) / 2);
  }
};

}  // namespace warpdex
