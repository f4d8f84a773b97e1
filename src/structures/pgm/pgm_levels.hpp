// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/pgm.hpp>

#include "structures/flat_structure.hpp"
#include "structures/learned/segmentation.hpp"

namespace warpdex {

/// The guide of a PGM-index. In files it is three sections: `levels`, the number of segments of each level; and
/// `segments` and `lines`, in the order of memory.
struct pgm_levels {
  static constexpr std::uint64_t usual_eps_internal = 4;

  bool optimal = false;  ///< whether one thread makes the first level, with the fewest segments

  template <class Engine, class View, class Entries>
  void build(View& view, Entries const& all, stored_arrays& to, execution const& exec) const {
    using Key = typename View::key_type;
    using position = typename View::position;
    auto const& backend = backend_of(Engine::kind);
    auto const levels = optimal ? optimal_levels<Engine>(view, all.pairs, exec)
                                : make_levels<Engine, Key, position>(all.pairs, view.size, view.eps, view.eps_internal,
                                                                     chunk_of_pairs, exec);
    std::vector<std::uint64_t> counts;
    for (auto const& level : levels) counts.push_back(level.count);
    std::uint64_t const slots = set_counts(view, counts);
    auto& stored_counts = to.add("levels", stored_array(counts.size() * sizeof(std::uint64_t), exec));
    backend.copy(stored_counts.owned.data(), counts.data(), stored_counts.bytes, exec);
    auto* const keys = to.add("segments", stored_array(slots * sizeof(Key), exec)).owned.template as<Key>();
    auto* const lines =
        to.add("lines", stored_array(slots * sizeof(line<position>), exec)).owned.template as<line<position>>();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      backend.copy(keys + view.begins[i], levels[i].keys.data, levels[i].keys.bytes, exec);
      backend.copy(lines + view.begins[i], levels[i].lines.data, levels[i].lines.bytes, exec);
    }
    backend.synchronize(exec);  // counts, and perhaps levels, are on the host
    view.keys = keys;
    view.lines = lines;
  }

  template <class Key, class Position> static bool has_wide_lines(io::file const& from) {
    return has_wide_lines_for<Key, Position>(from, "segments");
  }

  template <class View, class Take> void load(View& view, io::file const& from, Take take) const {
    using Key = typename View::key_type;
    auto const counts = read_counts(from, view.size, View::most_levels);
    std::uint64_t const slots = set_counts(view, counts);
    take("levels", counts.size() * sizeof(std::uint64_t));
    view.keys = static_cast<Key const*>(take("segments", slots * sizeof(Key)).data);
    view.lines = static_cast<line<typename View::position> const*>(
        take("lines", slots * sizeof(line<typename View::position>)).data);
  }

  template <class Engine, class View, class Entries>
  void verify(View const& view, Entries const& all, execution const& exec) const {
    using Key = typename View::key_type;
    using position = typename View::position;
    for (int level = 1; level <= view.levels; ++level) {
      auto const model = view.level(level);
      if (level == 1) verify_segments<Engine, bound::less>(model, all.pairs, exec);
      else
        verify_segments<Engine, bound::not_greater>(
            model, any_entries<Key, position>(soa_pairs<Key, position>{view.level(level - 1).keys, {}}), exec);
    }
  }

 private:
  /// @return the levels whose first one has the fewest segments. Those of an index on a device are made and left on the
  /// host (paper 001, section III.B)
  template <class Engine, class View, class Key, class Position>
  static std::vector<made_segments> optimal_levels(View const& view, any_entries<Key, Position> pairs,
                                                   execution const& exec) {
    if constexpr (Engine::kind == backend_kind::cpu) {
      return make_levels<Engine, Key, Position>(pairs, view.size, view.eps, view.eps_internal, view.size, exec);
    } else {
      buffer const keys = keys_on_host<Engine>(pairs, view.size, exec);
      return make_levels<host_loops, Key, Position>(soa_pairs<Key, Position>{keys.as<Key>(), {}}, view.size, view.eps,
                                                    view.eps_internal, view.size, execution());
    }
  }

  /// @return the segments per level of an index of `size` entries
  /// @throws format_error, io_error
  static std::vector<std::uint64_t> read_counts(io::file const& from, std::uint64_t size, std::uint64_t most_levels);

  /// @return the number of slots of all levels
  template <class View> static std::uint64_t set_counts(View& view, std::vector<std::uint64_t> const& counts) {
    using position = typename View::position;
    if (counts.size() > View::most_levels)
      throw unsupported("a PGM-index of " + std::to_string(counts.size()) + " levels");
    std::uint64_t slots = 0;
    view.levels = static_cast<int>(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      view.counts[i] = static_cast<position>(counts[i]);
      view.begins[i] = static_cast<position>(slots);
      slots += padded_segments(counts[i]);
    }
    return slots;
  }
};

}  // namespace warpdex
