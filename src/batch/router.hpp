// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/view.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// Routes, for windows over keys of more than 8 bytes. A route is a number of 8 bytes whose order agrees with that of
/// the keys, though several keys may share one.
namespace warpdex {

/// Whether windows move routes and positions of the probes of a view, because its keys are too wide.
template <searchable View>
inline constexpr bool windows_by_reference = sizeof(typename View::key_type) > 8 &&
                                             (View::traits.ranked || View::traits.routes);

/// Type of the numbers by which windows partition the probes of a view.
template <class View>
using window_key = std::conditional_t<windows_by_reference<View>, std::uint64_t, typename View::key_type>;

/// Routes of numbers of 16 bytes: the leading 64 bits of those in which the keys of the index differ.
template <class Key> class router {
 public:
  router() = default;
  WDX_HD router(Key lowest, Key highest) : lowest_(lowest) {
    for (Key high = (highest - lowest) >> 64; high != 0; high >>= 1) ++shift_;
  }

  WDX_HD std::uint64_t operator()(Key key) const {
    if (key <= lowest_) return 0;
    Key const route = (key - lowest_) >> shift_;
    return route >> 64 != 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(route);
  }

 private:
  Key lowest_ = 0;
  int shift_ = 0;
};

/// Routes of strings: the 8 bytes after the beginning that all keys of the index share.
template <> class router<byte_key> {
 public:
  router() = default;
  WDX_HD router(byte_key const& lowest, byte_key const& highest)
      : common_{lowest.data,
                common_bytes(lowest, highest, 0, lowest.size < highest.size ? lowest.size : highest.size)} {}

  WDX_HD std::uint64_t operator()(byte_key const& key) const {
    std::uint32_t const most = key.size < common_.size ? key.size : common_.size;
    std::uint32_t const same = common_bytes(key, common_, 0, most);
    constexpr std::uint64_t above = ~std::uint64_t{0};
    if (same < most) return key.data[same] < common_.data[same] ? 0 : above;
    // A key that equals what all keys share, because of its tail, is above none.
    if (key.size < common_.size) return compare(key, common_, most) <= 0 ? 0 : above;
    return word_at(key, common_.size);
  }

 private:
  byte_key common_{};  ///< what all keys of the index begin with
};

/// The routes of a view that has its own.
template <class View> struct view_router {
  View view;
  WDX_HD std::uint64_t operator()(typename View::key_type const& key) const { return view.route_of(key); }
};

template <class View>
using router_for = std::conditional_t<View::traits.routes, view_router<View>, router<typename View::key_type>>;

/// @return the router of the keys of a view, which must not be empty
template <class View> WDX_HD router_for<View> router_of(View const& view) {
  if constexpr (View::traits.routes) {
    return {view};
  } else {
    using position = typename View::position;
    return {view.pairs.key(view.slot_of(0)), view.pairs.key(view.slot_of(static_cast<position>(view.size - 1)))};
  }
}

}  // namespace warpdex
