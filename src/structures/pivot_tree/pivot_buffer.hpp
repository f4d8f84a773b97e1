// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/flat_structure.hpp"

namespace warpdex {

/// The guide of structures over a pivot buffer. Their views have
///
///     pivots, pivot_count()
///     pivot_rule(entries)       a function that computes pivot number i
struct pivot_buffer {
  template <class Engine, class View, class Entries>
  void build(View& view, Entries const& all, stored_arrays& to, execution const& exec) const {
    using Key = typename View::key_type;
    auto& pivots = to.add("pivots", stored_array(view.pivot_count() * sizeof(Key), exec));
    view.pivots = pivots.owned.template as<Key>();
    auto const rule = view.pivot_rule(all);
    Engine::for_each(exec, view.pivot_count(),
                     detail::place_by_rule<decltype(rule), Key>{rule, pivots.owned.template as<Key>()});
  }

  template <class View, class Take> void load(View& view, io::file const&, Take take) const {
    using Key = typename View::key_type;
    view.pivots = static_cast<Key const*>(take("pivots", view.pivot_count() * sizeof(Key)).data);
  }

  template <class Engine, class View, class Entries>
  void verify(View const& view, Entries const& all, execution const& exec) const {
    auto const rule = view.pivot_rule(all);
    expect_none(Engine::count_if(exec, view.pivot_count(),
                                 detail::breaks_rule<decltype(rule), typename View::key_type>{rule, view.pivots}),
                "pivots that differ from the keys they copy");
  }
};

}  // namespace warpdex
