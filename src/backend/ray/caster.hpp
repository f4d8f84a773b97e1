// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/foreign_rays.hpp>

namespace warpdex {

/// A view over buckets that rays find, with a caster or none. A search casts all its rays when it starts.
template <class View> struct casting_view : View {
  ray_caster caster;

  casting_view() = default;
  casting_view(View const& view, ray_caster const& by) : View(view), caster(by) {}

  typename View::search start(typename View::key_type target) const {
    return caster.exists() ? cast(target) : View::start(target);
  }

 private:
  /// Not inlined, because a call costs nothing compared with rays.
  __attribute__((noinline)) typename View::search cast(typename View::key_type target) const {
    if (target <= this->lowest) return this->start_in(target, 0);
    if (this->highest < target) return this->start_in(target, this->buckets() - 1);
    return this->start_in(target, this->scene_of(this->pairs).locate(target, caster));
  }
};

}  // namespace warpdex
