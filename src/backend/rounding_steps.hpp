// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/lookups.hpp>
#include <warpdex/search/round_key.hpp>

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"
#include "base/validity_bits.hpp"

/// @file
/// Probes of another type than the keys, nulls, and bounds that are open or absent. Probes become keys before the
/// search, so no search is compiled for pairs of types. Some probes have no key: -1 equals no u32, and no key is below
/// the smallest one. The answers to these and to nulls are written after the search.
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

/// Which of the bounds of a range have no key; a probe is both.
enum unkeyed : std::uint8_t { unkeyed_lower = 1, unkeyed_upper = 2, unkeyed_probe = 3 };

/// Rounds probe `i`, and notes whether no key replaces it.
struct round_probe {
  key_type from;
  key_type to;
  rounding side;
  unkeyed noted;
  bool notes_first;  ///< whether these are the first notes; otherwise earlier ones remain
  void const* probes;
  void* keys;
  std::uint8_t* notes;

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
    std::uint8_t const note = hits ? 0 : noted;
    if (notes_first) notes[i] = note;
    else if (note != 0) notes[i] |= note;
  }
};

/// Writes one key, of at most 16 bytes, in the place of every bound that is absent.
struct fill_key {
  u128 key;
  std::size_t width;
  void* keys;

  WDX_HD void operator()(std::uint64_t i) const { detail::store_bytes(keys, width, i, key); }
};

/// Turns the rank of the only bound of range `i` to where the range begins and its number of entries.
struct count_from_rank {
  std::uint64_t const* ranks;  ///< may be `first`
  validity_bits valid;
  bool is_lower;
  std::uint64_t size;     ///< of the index
  std::uint64_t* counts;  ///< may be null
  std::uint64_t* first;   ///< may be null

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const rank = ranks[i];
    if (counts != nullptr) counts[i] = !valid(i) ? 0 : is_lower ? size - rank : rank;
    if (first != nullptr) first[i] = is_lower ? rank : 0;
  }
};

/// Writes answer `i` if no key replaces its probe, or if the probe is null.
struct answer_unkeyed {
  std::uint8_t const* notes = nullptr;  ///< of `round_probe`; null if all probes have keys
  unkeyed noted = unkeyed_probe;        ///< the notes that count
  validity_bits valid = {};
  validity_bits also_valid = {};  ///< of the other bound
  void* answers = nullptr;
  std::size_t width = sizeof(std::uint64_t);  ///< bytes per answer
  std::uint64_t answer = 0;                   ///< without a key
  std::uint64_t of_nulls = 0;                 ///< to nulls
  std::uint32_t const* positions = nullptr;   ///< per answer the position of its probe, if answers are in another order
  std::uint32_t first_position = 0;

  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const probe = positions == nullptr ? i : load_element<std::uint32_t>(positions, i) - first_position;
    if (!valid(probe) || !also_valid(probe)) detail::store_bytes(answers, width, i, of_nulls);
    else if (notes != nullptr && (notes[probe] & noted) != 0) detail::store_bytes(answers, width, i, answer);
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

/// Packs eight flags, of values from 8i on, to a byte of validity bits.
struct pack_flags {
  std::uint8_t const* flags;
  std::uint64_t size;
  std::uint8_t* bits;
  std::uint8_t valid = 1;  ///< the flag of a valid value
  WDX_HD void operator()(std::uint64_t i) const {
    unsigned packed = 0;
    for (unsigned j = 0; j < values_per_byte; ++j)
      if (std::uint64_t const at = values_per_byte * i + j; at < size && flags[at] == valid) packed |= 1u << j;
    bits[i] = static_cast<std::uint8_t>(packed);
  }
};

struct all
    : steps::list<steps::runs<round_probe, fill_key, count_from_rank, answer_unkeyed, take_found_key, pack_flags>> {};
all list_of_step(...);

}  // namespace rounding_steps
}  // namespace warpdex
