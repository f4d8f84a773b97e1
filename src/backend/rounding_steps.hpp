// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/round_key.hpp>

#include <cstddef>
#include <cstdint>

#include "backend/rounding.hpp"
#include "backend/steps.hpp"
#include "base/sized_elements.hpp"

/// @file
/// What is done with each probe of another type than the keys, and with its answer.
namespace warpdex {
namespace detail {

/// A key that may not exist.
struct possible_key {
  u128 key;
  bool exists;
};

/// @return the next key above or below another. Both zeros are one key, and so are all NaN
template <class Bits> WDX_HD possible_key neighbour(key_codec codec, Bits bits, bool up) {
  Bits const code = encode(codec, bits);
  if constexpr (sizeof(Bits) < sizeof(u128))
    if (codec == key_codec::real) {
      constexpr Bits infinity = real_format<Bits>::infinity;
      Bits const highest = encode(codec, infinity);
      if (code > highest) return {infinity, !up};  // NaN is above all
      if (code == highest && up) return {decode(codec, static_cast<Bits>(-1)), true};
      if (code == encode(codec, static_cast<Bits>(infinity | real_format<Bits>::sign)) && !up) return {bits, false};
      return {next_real(bits, up), true};
    }
  auto const next = static_cast<Bits>(up ? code + 1 : code - 1);
  return {decode(codec, next), code != (up ? static_cast<Bits>(-1) : Bits{0})};
}

WDX_HD inline possible_key neighbour(key_type type, u128 bits, bool up) {
  key_codec const codec = codec_of(type);
  if (size_of(type) == 4) return neighbour(codec, static_cast<std::uint32_t>(bits), up);
  if (size_of(type) == 8) return neighbour(codec, static_cast<std::uint64_t>(bits), up);
  return neighbour(codec, bits, up);
}

}  // namespace detail

namespace rounding_steps {

/// Rounds probe `i`, and notes whether it is a miss.
struct round_probe {
  key_type from;
  key_type to;
  rounding side;
  bool notes_first;  ///< whether this is the first note of misses; otherwise earlier misses remain
  void const* probes;
  void* keys;
  std::uint8_t* misses;

  WDX_HD void operator()(std::uint64_t i) const {
    rounded_key const key = round_key(from, detail::load_bytes(probes, size_of(from), i), to);
    bool const upwards = side == rounding::up || side == rounding::above;
    bool const up = upwards || !key.has_below;
    u128 chosen = up ? key.above : key.below;
    bool hits = side == rounding::equal ? key.exact : upwards ? key.has_above : key.has_below;
    if (key.exact && (side == rounding::below || side == rounding::above)) {
      detail::possible_key const next = detail::neighbour(to, chosen, upwards);
      chosen = next.key;
      hits = next.exists;
    }
    detail::store_bytes(keys, size_of(to), i, chosen);
    if (notes_first || !hits) misses[i] = hits ? 0 : 1;
  }
};

/// Writes answer `i` if its probe is a miss.
struct answer_miss {
  std::uint8_t const* misses;
  void* answers;
  std::size_t width;                         ///< bytes per answer
  std::uint64_t answer;                      ///< the answer of a miss
  std::uint32_t const* positions = nullptr;  ///< per answer the position of its probe, if answers are in another order
  std::uint32_t first_position = 0;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const probe = positions == nullptr ? i : load_element<std::uint32_t>(positions, i) - first_position;
    if (misses[probe] != 0) detail::store_bytes(answers, width, i, answer);
  }
};

/// Replaces key `i` by the key that `floor` or `ceil` found for probe `i`, if it found one.
struct take_found_key {
  void const* rows;
  std::size_t row_width;
  void const* found;
  void* keys;
  std::size_t key_width;

  WDX_HD void operator()(std::uint64_t i) const {
    u128 const none = row_width == 4 ? u128{no_row<std::uint32_t>} : u128{no_row<std::uint64_t>};
    if (detail::load_bytes(rows, row_width, i) != none)
      detail::store_bytes(keys, key_width, i, detail::load_bytes(found, key_width, i));
  }
};

struct all : steps::list<steps::runs<round_probe, answer_miss, take_found_key>> {};
all list_of_step(...);

}  // namespace rounding_steps
}  // namespace warpdex
