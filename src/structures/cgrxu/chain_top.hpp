// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/leaves/bplus_index.hpp"
#include "structures/rays/ray_guide.hpp"

namespace warpdex {
namespace detail {

/// Whether a bound is below the one before it.
template <class Key> struct falls_behind {
  Key const* bounds;
  WDX_HD bool operator()(std::uint64_t i) const { return i != 0 && bounds[i] < bounds[i - 1]; }
};

}  // namespace detail

/// What leads to the nodes of cgRXu: the bounds of its buckets, which stay as the build has made them, the chains,
/// which are rebuilt by each update, and the tracer.
template <class Key, class Position> class chain_top {
 public:
  /// @param rebuilds whether the index may be rebuilt: for batches that change most nodes, and when chains have grown
  /// or buckets are empty
  chain_top(tracer_kind tracer, bool rebuilds) : tracer_(tracer), rebuilds_(rebuilds) {}

  bool takes_all_batches() const { return !rebuilds_; }

  template <class View> bool suits(View const& view, std::uint64_t leaves) const {
    return !rebuilds_ || (leaves <= longest_mean * view.buckets && view.buckets <= longest_mean * leaves);
  }

  /// An update writes changed nodes to free ones, so a pool may be twice as large as its half full nodes.
  std::uint64_t most_slots_an_entry() const { return rebuilds_ ? 8 : std::numeric_limits<std::uint64_t>::max(); }

  template <class Engine, class View> void build(View& view, stored_arrays& to, execution const& exec) {
    auto& bounds = to.add("bounds", stored_array(view.leaves * sizeof(Key), exec));
    backend_of(Engine::kind).copy(bounds.owned.data(), view.pivots, bounds.bytes, exec);
    view.bounds = bounds.owned.template as<Key>();
    view.buckets = view.leaves;
    describe<Engine>(view, exec);
    add_chains<Engine>(view, to, exec);
    complete<Engine>(view, exec);
  }

  template <class Engine, class View>
  void update(View const& old, View& next, stored_arrays& to, execution const& exec) const {
    auto& bounds = to.add("bounds", stored_array(old.buckets * sizeof(Key), exec));
    backend_of(Engine::kind).copy(bounds.owned.data(), old.bounds, bounds.bytes, exec);
    next.bounds = bounds.owned.template as<Key>();
    next.buckets = old.buckets;
    next.lowest = old.lowest;
    next.highest = old.highest;
    next.many_rows = old.many_rows;
    next.many_planes = old.many_planes;
    next.tracer = old.tracer;
    add_chains<Engine>(next, to, exec);
  }

  /// Updates do not change the number of buckets, so the size of the index does not tell it. It is that of the shorter
  /// array, so that the other one is refused if it is longer.
  template <class View, class Take> void load(View& view, io::file const& from, Take const& take) const {
    std::uint64_t buckets = view.size == 0 ? 0 : from.size("bounds") / sizeof(Key);
    if (view.size != 0)
      buckets = std::min(buckets, std::max(from.size("chains") / sizeof(Position), std::uint64_t{1}) - 1);
    if (view.size != 0 && (buckets == 0 || buckets >= no_row<Position>))
      from.fail("bounds", "are " + std::to_string(buckets) + " for " + std::to_string(view.size) + " entries");
    view.buckets = static_cast<Position>(buckets);
    view.bounds = take("bounds", buckets, Key{});
    view.chains = take("chains", view.size == 0 ? 0 : buckets + 1, Position{});
  }

  template <class Engine, class View> void verify(View const& view, execution const& exec) const {
    expect_none(Engine::count_if(exec, view.buckets, detail::falls_behind<Key>{view.bounds}), "bounds out of order");
    View described = view;
    describe<Engine>(described, exec);
    auto const rule = described.chain_rule();
    expect_none(Engine::count_if(exec, std::uint64_t{view.buckets} + 1,
                                 detail::breaks_rule<decltype(rule), Position>{rule, view.chains}),
                "chains that do not begin at the first node above the bound before");
    if (arrays_.view.exists())
      expect_none(arrays_.template different<Engine>(make_tracer<Engine, Position>(described.scene(), exec), exec),
                  "words of the tracer that differ from those that the bounds need");
  }

  template <class Engine, class View> void complete(View& view, execution const& exec) {
    describe<Engine>(view, exec);
    if (view.buckets == 0 || tracer_ == tracer_kind::none) return;
    arrays_ = make_tracer<Engine, Position>(view.scene(), exec);
    view.tracer = arrays_.view;
  }

  std::uint64_t bytes() const noexcept { return arrays_.bytes(); }
  void outlive_stream() noexcept { arrays_.outlive_stream(); }

 private:
  /// Nodes per bucket, or buckets per node, above which the index is rebuilt.
  static constexpr std::uint64_t longest_mean = 4;

  template <class Engine, class View> static void describe(View& view, execution const& exec) {
    if (view.buckets != 0) describe_scene<Engine>(view, view.scene(), exec);
  }

  template <class Engine, class View> static void add_chains(View& view, stored_arrays& to, execution const& exec) {
    std::uint64_t const count = view.size == 0 ? 0 : std::uint64_t{view.buckets} + 1;
    auto& chains = to.add("chains", stored_array(count * sizeof(Position), exec));
    auto* const first = chains.owned.template as<Position>();
    auto const rule = view.chain_rule();
    Engine::for_each(exec, count, detail::place_by_rule<decltype(rule), Position>{rule, first});
    view.chains = first;
  }

  tracer_kind tracer_;
  bool rebuilds_;
  made_tracer<Key, Position> arrays_;
};

}  // namespace warpdex
