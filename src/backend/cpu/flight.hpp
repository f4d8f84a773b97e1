// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/tuning.hpp"
#include "batch/answer.hpp"

/// @file
/// Flights: searches of one thread that take turns. Each makes one visit and prefetches the memory of its next one.
/// When its turn comes again, the cache line has arrived. This hides the memory latency that bounds a single search.
namespace warpdex {

template <class View>
inline constexpr int flight_size = View::traits.ranked ? cpu::tuning::flight : cpu::tuning::flight_unordered;

/// Starts a search in flight. Its first visit comes a turn later.
template <class View> typename View::search take_off(View const& view, typename View::search const& at) {
  if constexpr (!View::traits.equal_depth)  // else all first visits read the same memory
    if (view.size != 0) view.prefetch(at);
  return at;
}

/// A function that is called between visits. It is not inlined into them: the visits are compiled once per view and
/// instruction set, and what goes on in between once for all.
class between_visits {
 public:
  template <class Function>
  between_visits(Function const& f)
      : function_(&f), call_([](void const* function, int j) { (*static_cast<Function const*>(function))(j); }) {}

  void operator()(int j) const { call_(function_, j); }

 private:
  void const* function_;
  void (*call_)(void const*, int);
};

/// Visits all searches in turn until all are over. Searches of equal depth start at one level and end together. They
/// are told their level, so compilers compute what follows from it once per turn. Among searches of unequal depth,
/// `pending` keeps the numbers of those that go on.
template <class View>
void visit_in_turns(View const& view, typename View::search* searches, int count, between_visits const& beside) {
  if constexpr (View::traits.equal_depth) {
    int const depth = view.depth();
    int const start = count > 0 ? searches[0].level : 0;
    auto const visit = [&](int level, int j) {
      searches[j].level = level;
      view.visit(lane_in_flight{}, searches[j]);
      if (level + 1 < depth) view.prefetch(searches[j]);
    };
    for (int j = 0; j < count; ++j) {
      if (start < depth) visit(start, j);
      beside(j);
    }
    for (int level = start + 1; level < depth; ++level)  // without a call, after which compilers would read all again
      for (int j = 0; j < count; ++j) visit(level, j);
    for (int j = count; j < flight_size<View>; ++j) beside(j);
  } else {
    int pending[flight_size<View>];
    int still = 0;
    auto const visit = [&](int j) {
      bool const over = view.visit(lane_in_flight{}, searches[j]);
      if (!over) view.prefetch(searches[j]);
      pending[still] = j;
      still += over ? 0 : 1;
    };
    for (int j = 0; j < flight_size<View>; ++j) {
      if (j < count) visit(j);
      beside(j);
    }
    while (still > 0)
      for (int k = 0, left = std::exchange(still, 0); k < left; ++k) visit(pending[k]);
  }
}

/// Runs a part of searches with the best instruction set of the machine, or with any if the view gains nothing from it.
template <class View, class Body> void run_search(Body const& body) {
  if constexpr (View::traits.walks) body();
  else run_on_isa(body);
}

/// Runs `count` searches that have taken off.
/// @param beside called as beside(j) for each j below `flight_size`, in between the first visits
template <class View>
void fly(View const& view, typename View::search* searches, int count, between_visits const& beside) {
  if (view.size == 0) {
    for (int j = 0; j < flight_size<View>; ++j) beside(j);
    return;
  }
  run_search<View>([=, &view, &beside] { visit_in_turns(view, searches, count, beside); });
}

template <class View> void fly(View const& view, typename View::search* searches, int count) {
  auto const nothing = [](int) {};
  fly(view, searches, count, nothing);
}

/// A flight of probes.
template <class View> struct probes_in_flight {
  target<typename View::key_type> wanted[flight_size<View>];
  typename View::search searches[flight_size<View>];
  std::uint64_t first = 0;  ///< number of the first probe
  int count = 0;
};

/// Searches probes [begin, end) and writes their answers. Three flights overlap, so the memory never rests: while one
/// makes its first visits, the previous one is answered and the next one starts.
/// @param start_of returns a search for a key, not over yet; all have the same level
/// @param probe_at returns the code of a probe
/// @param place_of returns where its answer goes in the batch
template <class View, class StartOf, class ProbeAt, class PlaceOf>
void answer_in_flights(View const& view, point_batch const& batch, std::uint64_t begin, std::uint64_t end,
                       StartOf const& start_of, ProbeAt const& probe_at, PlaceOf const& place_of) {
  probes_in_flight<View> flights[3];
  auto const reserve = [&](probes_in_flight<View>& f, std::uint64_t first) {
    f.first = std::min(first, end);
    f.count = static_cast<int>(std::min<std::uint64_t>(flight_size<View>, end - f.first));
  };
  auto const start = [&](probes_in_flight<View>& f, int j) {
    f.wanted[j] = wanted_by<View>(batch.op, probe_at(f.first + static_cast<unsigned>(j)));
    f.searches[j] = take_off(view, start_of(f.wanted[j].key));
  };
  reserve(flights[0], begin);
  for (int j = 0; j < flights[0].count; ++j) start(flights[0], j);
  for (int turn = 0; flights[turn].count + flights[(turn + 2) % 3].count > 0; turn = (turn + 1) % 3) {
    auto& now = flights[turn];
    auto& behind = flights[(turn + 1) % 3];
    auto& before = flights[(turn + 2) % 3];
    reserve(behind, now.first + flight_size<View>);
    auto const answer_and_start = [&](int j) {
      if (j < before.count)
        answer(view, batch, place_of(before.first + static_cast<unsigned>(j)), before.wanted[j], before.searches[j]);
      if (j < behind.count) start(behind, j);
    };
    fly(view, now.searches, now.count, answer_and_start);
    for (int j = 0; j < now.count; ++j) prefetch_answer(view, batch.op, now.searches[j]);
    before.count = 0;
  }
}

}  // namespace warpdex
