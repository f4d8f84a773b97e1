// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// Calls templates with the types that belong to kinds of keys known at run time.
namespace warpdex {

/// The types of an entry.
struct pair_types {
  key_kind key = key_kind::u32;
  row_type row = row_type::u32;
};

/// Calls run.operator()<Key>() with the type of encoded keys of a kind: an unsigned number, or `byte_key`.
template <class Run> decltype(auto) with_kind(key_kind kind, Run const& run) {
  switch (kind) {
    case key_kind::u32: return run.template operator()<std::uint32_t>();
    case key_kind::u64: return run.template operator()<std::uint64_t>();
    case key_kind::u128: return run.template operator()<u128>();
    default: return run.template operator()<byte_key>();
  }
}

/// Calls run.operator()<Row>() with the type of row ids.
template <class Run> decltype(auto) with_row(row_type row, Run const& run) {
  return row == row_type::u32 ? run.template operator()<std::uint32_t>() : run.template operator()<std::uint64_t>();
}

/// Calls run.operator()<Key, Row>() with the types of an entry.
template <class Run> decltype(auto) with_types(pair_types types, Run const& run) {
  return with_kind(types.key, [&]<class Key>() -> decltype(auto) {
    return with_row(types.row, [&]<class Row>() -> decltype(auto) { return run.template operator()<Key, Row>(); });
  });
}

}  // namespace warpdex
