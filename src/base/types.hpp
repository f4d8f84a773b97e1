// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// Calls templates with the types that belong to widths known at run time.
namespace warpdex {

/// Bytes per encoded key and per row id.
struct pair_widths {
  std::size_t key = 4;
  std::size_t row = 4;
};

/// Calls run.operator()<Key>() with the unsigned number type of `key` bytes: 4, 8 or 16.
template <class Run> decltype(auto) with_width(std::size_t key, Run const& run) {
  switch (key) {
    case 4: return run.template operator()<std::uint32_t>();
    case 8: return run.template operator()<std::uint64_t>();
    default: return run.template operator()<u128>();
  }
}

/// Calls run.operator()<Key, Row>() with the unsigned number types of these widths.
template <class Run> decltype(auto) with_widths(pair_widths widths, Run const& run) {
  return with_width(widths.key, [&]<class Key>() -> decltype(auto) {
    return widths.row == 4 ? run.template operator()<Key, std::uint32_t>()
                           : run.template operator()<Key, std::uint64_t>();
  });
}

}  // namespace warpdex
