// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/learned/line_fit.hpp"
#include "structures/view_structure.hpp"

/// @file
/// Models of sorted keys, made in parallel and checked. The keys are cut into chunks of equal length, one thread makes
/// the segments of a chunk, and the segments of all chunks follow each other. The chunks do not depend on the machine,
/// so all machines make equal models.
///
/// Chunks cost little: with a fit that makes the fewest segments there are fewer than (fewest segments of all keys) +
/// (number of chunks). For cut the best segments of all keys at the borders of chunks. Each border adds at most one
/// segment, and in no chunk is the number of pieces below that of the fit.
namespace warpdex {

/// Entries per chunk of the pairs, and of the keys of segments. Longer chunks make fewer segments, but a GPU works
/// through each by a single thread.
inline constexpr std::uint64_t chunk_of_pairs = 4096;
inline constexpr std::uint64_t chunk_of_segments = 512;

/// Entries whose segments are made at the same time, at most. This bounds the scratch.
inline constexpr std::uint64_t entries_at_a_time = std::uint64_t{1} << 30;

/// Segments in memory, padded (search/segments.hpp).
struct made_segments {
  stored_array keys;
  stored_array lines;
  std::uint64_t count = 0;
};

namespace detail {

/// The segments of all chunks, each at the beginning of its own place.
template <class Key, class Position> struct chunk_segments {
  Key* keys;
  line<Position>* lines;
  std::uint64_t* counts;  ///< per chunk; after a scan, the segments of all chunks before
  std::uint64_t room;     ///< segments per place
};

/// Makes the segments of chunk number `first_chunk + i` in place `i`.
template <template <class, class> class Fit, class Key, class Position> struct fit_chunk {
  key_points<Key, Position> points;
  std::uint64_t chunk;
  std::uint64_t first_chunk;
  std::uint64_t eps;
  std::uint32_t* scratch;
  chunk_segments<Key, Position> to;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const begin = (first_chunk + i) * chunk;
    std::uint64_t const end = points.size - begin < chunk ? points.size : begin + chunk;
    Fit<Key, Position> fit(points, eps, scratch + i * Fit<Key, Position>::scratch_values(chunk), chunk);
    std::uint64_t count = i * to.room;
    auto const finish = [&] {
      auto const segment = fit.finish();
      to.keys[count] = segment.key;
      to.lines[count] = segment.fit;
      ++count;
    };
    bool any = false;
    points.for_part(begin, end, [&](key_point<Key> const& next) {
      if (!any) {
        fit.start(next);
        any = true;
      } else if (!fit.add(next)) {
        finish();
        fit.restart(next);
      }
    });
    if (any) finish();
    to.counts[i] = count - i * to.room;
  }
};

/// Copies segment number `i` of all places to its slot.
template <class Key, class Position> struct place_segment {
  chunk_segments<Key, Position> from;
  std::uint64_t chunks;
  Key* keys;
  line<Position>* lines;

  WDX_HD void operator()(std::uint64_t i) const {
    auto const after = end_of_prefix<std::uint64_t>(0, chunks, [&](std::uint64_t c) { return from.counts[c] <= i; });
    std::uint64_t const chunk = after - 1;
    std::uint64_t const slot = chunk * from.room + (i - from.counts[chunk]);
    keys[i] = from.keys[slot];
    lines[i] = from.lines[slot];
  }
};

/// The key of pair number `i`.
template <class Key, class Position> struct key_of_pair {
  any_entries<Key, Position> pairs;
  WDX_HD Key operator()(std::uint64_t i) const { return pairs.key(i); }
};

/// Writes padding number `i`, after all segments.
template <class Key, class Position> struct pad_segments {
  Key* keys;
  line<Position>* lines;
  Position behind;  ///< the height of lines in the padding

  WDX_HD void operator()(std::uint64_t i) const {
    keys[i] = static_cast<Key>(-1);
    lines[i] = {behind, 0};
  }
};

/// Whether the bound of a target in [low, high], which has the rank `rank` below, is in the window of its segment.
/// Lines only rise, so it is enough to look at both ends.
template <bound Bound, class Key, class Position> struct wrong_window {
  segments<Key, Position> model;
  any_entries<Key, Position> below;

  WDX_HD bool misses(Key target, std::uint64_t rank) const {
    auto const after =
        end_of_prefix<std::uint64_t>(0, model.count, [&](std::uint64_t i) { return !(target < model.keys[i]); });
    auto const window = model.predict(static_cast<Position>(after == 0 ? 0 : after - 1), target);
    return rank < window.first || rank > window.last;
  }

  /// @param i rank of an entry below, or the number of all
  WDX_HD bool operator()(std::uint64_t i) const {
    bool const is_entry = i < model.below;
    Key const key = is_entry ? below.key(i) : Key{0};
    if constexpr (Bound == bound::not_greater) {  // targets from this key up to the next one have the rank i + 1
      if (!is_entry) return false;
      if (i == 0 && key != 0 && misses(0, 0)) return true;
      auto const next = i + 1 < model.below ? below.key(i + 1) : Key{0};
      return misses(key, i + 1) || misses(static_cast<Key>(next - 1), i + 1);
    } else {  // targets after the last key up to this one have the rank i
      Key const last = i == 0 ? Key{0} : below.key(i - 1);
      if (is_entry && i > 0 && key == last) return false;
      bool const wrong = is_entry && misses(key, i);
      if (i == 0) return wrong || misses(0, 0);
      if (last == static_cast<Key>(-1)) return wrong;
      return wrong || misses(static_cast<Key>(last + 1), i) || (!is_entry && misses(static_cast<Key>(-1), i));
    }
  }
};

/// Whether the first targets of segment `i`, and the last before it, have a window without their bound.
template <bound Bound, class Key, class Position> struct wrong_segment_border {
  wrong_window<Bound, Key, Position> check;

  WDX_HD bool operator()(std::uint64_t i) const {
    auto const& model = check.model;
    auto const rank_of = [&](Key target) {
      return end_of_prefix<std::uint64_t>(0, model.below, [&](std::uint64_t j) {
        if constexpr (Bound == bound::less) return check.below.key(j) < target;
        else return !(target < check.below.key(j));
      });
    };
    Key const key = model.keys[i];
    auto const slope = model.lines[i].slope;
    if (!(slope >= 0 && slope <= static_cast<decltype(slope)>(2 * longest_segment))) return true;
    if (i > 0 && !(model.keys[i - 1] < key)) return true;
    if (check.misses(key, rank_of(key))) return true;
    return i > 0 && check.misses(static_cast<Key>(key - 1), rank_of(static_cast<Key>(key - 1)));
  }
};

/// Whether padding number `i` is wrong.
template <class Key, class Position> struct wrong_segment_padding {
  segments<Key, Position> model;
  WDX_HD bool operator()(std::uint64_t i) const {
    auto const& last = model.lines[model.count + i];
    return model.keys[model.count + i] != static_cast<Key>(-1) || last.high != model.below + model.eps ||
           last.slope != 0;
  }
};

}  // namespace detail

/// @param keys the section of first keys
/// @return whether a file has a line of 64-bit positions per first key where narrow ones would do
template <class Key, class Position> bool has_wide_lines_for(io::file const& file, char const* keys) {
  if (sizeof(Position) == 8 || !file.has("lines") || !file.has(keys)) return false;
  std::uint64_t const count = file.size(keys) / sizeof(Key);
  return count != 0 && file.size("lines") == count * sizeof(line<std::uint64_t>);
}

/// The loops of an engine, on the calling thread. It makes segments of keys on the host for an index on a device.
struct host_loops {
  static constexpr backend_kind kind = backend_kind::cpu;

  template <class Step> static void for_each(execution const&, std::uint64_t size, Step const& step) {
    for (std::uint64_t i = 0; i < size; ++i) step(i);
  }
  template <class Step> static void for_each_task(execution const& exec, std::uint64_t size, Step const& step) {
    for_each(exec, size, step);
  }
};

/// @return a copy of the keys on the host. Synchronises
template <class Engine, class Key, class Position>
buffer keys_on_host(any_entries<Key, Position> const& pairs, std::uint64_t size, execution const& exec) {
  auto const& backend = backend_of(Engine::kind);
  void const* keys = pairs.keys_or_pairs;
  buffer apart;
  if (pairs.kind != layout::soa) {
    apart = buffer(size * sizeof(Key), exec);
    Engine::for_each(exec, size,
                     detail::place_by_rule<detail::key_of_pair<Key, Position>, Key>{{pairs}, apart.as<Key>()});
    keys = apart.data();
  }
  buffer copied(size * sizeof(Key), execution());
  backend.copy(copied.data(), keys, copied.bytes(), exec);
  backend.synchronize(exec);
  return copied;
}

/// Makes the segments over sorted keys. Synchronises. Scratch: the most segments that `at_a_time` entries may have, and
/// with `hull_fit` 8 bytes per such entry; and then the segments once more.
/// @param below the keys; they may be in pairs of any layout
/// @param size number of keys; not 0
/// @param chunk entries that one thread takes
/// @param at_a_time entries whose segments are made at the same time, at most, but at least one chunk
template <class Engine, template <class, class> class Fit, class Key, class Position>
made_segments make_segments(any_entries<Key, Position> const& below, std::uint64_t size, std::uint64_t eps,
                            std::uint64_t chunk, execution const& exec, std::uint64_t at_a_time = entries_at_a_time) {
  using segment_line = line<Position>;
  using fit = Fit<Key, Position>;
  auto const& backend = backend_of(Engine::kind);
  chunk = std::min(chunk, size);
  std::uint64_t const chunks = (size + chunk - 1) / chunk;
  std::uint64_t const places = std::clamp<std::uint64_t>(at_a_time / chunk, 1, chunks);
  std::uint64_t const room = fit::most_segments(chunk, eps);

  struct part {
    buffer keys, lines;
    std::uint64_t count;
  };
  std::vector<part> parts;
  {
    buffer const scratch(places * fit::scratch_values(chunk) * sizeof(std::uint32_t), exec);
    buffer const keys(places * room * sizeof(Key), exec);
    buffer const lines(places * room * sizeof(segment_line), exec);
    buffer const counts((places + 1) * sizeof(std::uint64_t), exec);
    detail::chunk_segments<Key, Position> const places_of{keys.as<Key>(), lines.as<segment_line>(),
                                                          counts.as<std::uint64_t>(), room};
    for (std::uint64_t first = 0; first < chunks; first += places) {
      std::uint64_t const now = std::min(places, chunks - first);
      Engine::for_each_task(exec, now,
                            detail::fit_chunk<Fit, Key, Position>{
                                {below, size}, chunk, first, eps, scratch.as<std::uint32_t>(), places_of});
      std::uint64_t const count = backend.exclusive_scan(places_of.counts, now, exec);
      auto& next = parts.emplace_back(
          part{buffer(count * sizeof(Key), exec), buffer(count * sizeof(segment_line), exec), count});
      Engine::for_each(exec, count,
                       detail::place_segment<Key, Position>{places_of, now, next.keys.template as<Key>(),
                                                            next.lines.template as<segment_line>()});
    }
  }

  made_segments result;
  for (part const& p : parts) result.count += p.count;
  std::uint64_t const slots = padded_segments(result.count);
  result.keys = stored_array(slots * sizeof(Key), exec);
  result.lines = stored_array(slots * sizeof(segment_line), exec);
  auto* keys = result.keys.owned.template as<Key>();
  auto* lines = result.lines.owned.template as<segment_line>();
  for (part const& p : parts) {
    backend.copy(keys, p.keys.data(), p.keys.bytes(), exec);
    backend.copy(lines, p.lines.data(), p.lines.bytes(), exec);
    keys += p.count;
    lines += p.count;
  }
  Engine::for_each(exec, slots - result.count,
                   detail::pad_segments<Key, Position>{keys, lines, static_cast<Position>(size + eps)});
  return result;
}

/// Makes the segments over sorted keys, then those over the first keys of segments, up to a level with a single one.
/// Synchronises.
/// @param below the keys, as `make_segments` takes them
/// @param size number of keys; without keys there are no levels
/// @param eps_internal error of the levels above the first
/// @param chunk entries of the keys that one thread takes
/// @return the levels, that over the keys first
template <class Engine, class Key, class Position>
std::vector<made_segments> make_levels(any_entries<Key, Position> below, std::uint64_t size, std::uint64_t eps,
                                       std::uint64_t eps_internal, std::uint64_t chunk, execution const& exec) {
  std::vector<made_segments> levels;
  for (; size > 1 || (size == 1 && levels.empty()); size = levels.back().count) {
    levels.push_back(make_segments<Engine, hull_fit>(below, size, eps, chunk, exec));
    below = soa_pairs<Key, Position>{static_cast<Key const*>(levels.back().keys.data), {}};
    eps = eps_internal;
    chunk = chunk_of_segments;
  }
  return levels;
}

/// Checks that the segments lead every target, key or not, to a window with its bound.
/// @tparam Bound of the level below
/// @throws format_error
template <class Engine, bound Bound, class Key, class Position>
void verify_segments(segments<Key, Position> const& model, any_entries<Key, Position> const& below,
                     execution const& exec) {
  std::uint64_t const padding = padded_segments(model.count) - model.count;
  detail::wrong_window<Bound, Key, Position> const check{model, below};
  expect_none(Engine::count_if(exec, padding, detail::wrong_segment_padding<Key, Position>{model}),
              "unused segments that hold something");
  expect_none(Engine::count_if(exec, model.count, detail::wrong_segment_border<Bound, Key, Position>{check}),
              "segments out of order, or with wrong lines");
  expect_none(Engine::count_if(exec, std::uint64_t{model.below} + 1, check), "keys that their segments miss");
}

}  // namespace warpdex
