// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "backend/ray/caster.hpp"
#include "backend/ray/locator.hpp"
#include "batch/policy.hpp"

namespace warpdex {

namespace detail {

/// Answers a range by rays that collect its entries. One thread casts all of them.
template <class View> struct answer_range_by_rays {
  View view;
  range_batch batch;
  WDX_HD void operator()(std::uint64_t i) const {
    using Key = typename View::key_type;
    using Position = typename View::position;
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    std::uint64_t const first =
        view.collect(encode(batch.codec, load_element<Key>(batch.lower, i)),
                     encode(batch.codec, load_element<Key>(batch.upper, i)), [&](Position begin, Position end) {
                       count += end - begin;
                       if (batch.sums == nullptr) return;
                       for (Position slot = begin; slot < end; ++slot) sum += view.pairs.row(slot);
                     });
    if (batch.counts != nullptr) store_element(batch.counts, i, count);
    if (batch.first != nullptr) store_element(batch.first, i, first);
    if (batch.sums != nullptr) store_element(batch.sums, i, sum);
  }
};

}  // namespace detail

/// An engine around another one, for views over buckets that rays find (`start_in` in search/cgrx.hpp). What the other
/// engine would search by the view alone, it searches from the buckets that `foreign_rays` find, if there are any. Rays
/// may also collect the entries of ranges.
template <class Engine> struct ray_engine : Engine {
  static constexpr bool on_host = Engine::kind == backend_kind::cpu;

  /// The view that the other engine sees. Only the host can cast single rays.
  template <class View> using seen = std::conditional_t<on_host, casting_view<View>, View>;

  template <class View> struct index_state {
    typename Engine::template index_state<seen<View>> own;
    foreign_rays rays;
    bool collects_ranges = false;  ///< whether ranges are answered by `View::collect`

    std::size_t bytes() const { return own.bytes(); }
    void outlive_stream() noexcept { own.outlive_stream(); }
  };

  template <class View, class Entries>
  static index_state<View> prepare(View const& view, Entries const& entries, policy const& request,
                                   spec const& resolved, execution const& exec, bool remote) {
    return {Engine::prepare(see(view, {}), entries, request, resolved, exec, remote), {}};
  }

  template <class View>
  static std::uint64_t efficient_batch(View const& view, index_state<View> const& state) noexcept {
    return Engine::efficient_batch(see(view, state.rays), state.own);
  }

  /// Searches from the buckets that rays find; without rays as the other engine does.
  template <class View> struct plain_search {
    View const& view;
    foreign_rays const& rays;

    template <class... How>
    void point(seen<View> const& seen_view, point_batch const& part, execution const& exec, How const&... how) const {
      if (rays.locator != nullptr) point_by_locator<Engine>(view, *rays.locator, part, exec);
      else Engine::plain_search::point(seen_view, part, exec, how...);
    }

    template <class... How>
    void range(seen<View> const& seen_view, range_batch const& part, execution const& exec, How const&... how) const {
      if (rays.locator != nullptr) return range_by_locator<Engine>(view, *rays.locator, part, exec);
      if constexpr (on_host)
        if (rays.caster.exists()) return Engine::range_near(seen_view, part, exec);
      Engine::plain_search::range(seen_view, part, exec, how...);
    }
  };

  template <class View>
  static void point(View const& view, index_state<View> const& state, point_batch const& batch, policy const& request,
                    execution const& exec) {
    Engine::point(see(view, state.rays), state.own, batch, request, exec, plain_search<View>{view, state.rays});
  }

  template <class View>
  static void range(View const& view, index_state<View> const& state, range_batch const& batch, policy const& request,
                    execution const& exec) {
    if (state.collects_ranges)
      return Engine::for_each(exec, batch.size, detail::answer_range_by_rays<View>{view, batch});
    Engine::range(see(view, state.rays), state.own, batch, request, exec, plain_search<View>{view, state.rays});
  }

 private:
  template <class View> static seen<View> see(View const& view, [[maybe_unused]] foreign_rays const& rays) {
    if constexpr (on_host) return {view, rays.caster};
    else return view;
  }
};

}  // namespace warpdex
