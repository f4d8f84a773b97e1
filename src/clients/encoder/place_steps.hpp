// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>
#include <warpdex/search/round_key.hpp>

#include <cstddef>
#include <cstdint>

#include "base/row_array.hpp"
#include "base/sized_elements.hpp"
#include "base/validity_bits.hpp"
#include "index/sorted.hpp"

/// @file
/// Places: a group and a key as one number of 64 bits, the number of the group in the upper bits, that of the key in
/// the lower ones. These steps are in the list of tuple_steps.hpp.
namespace warpdex {

/// The code of the key next to a value.
struct near_code {
  std::uint64_t code;
  bool exists;
  bool exact;  ///< whether the key equals the value
};

/// @return the code of the smallest key not below a value (`above`), or of the largest not above it
WDX_HD inline near_code code_near(key_type from, u128 bits, key_type to, bool above) {
  if (from == to) return {code_of_value(to, bits), true, true};
  rounded_key const key = round_key(from, bits, to);
  return {code_of_value(to, above ? key.above : key.below), above ? key.has_above : key.has_below, key.exact};
}

/// The smallest and the largest code of keys of at most 8 bytes.
struct code_range {
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;

  WDX_HD code_range with(code_range const& other) const {
    return {lowest < other.lowest ? lowest : other.lowest, highest < other.highest ? other.highest : highest};
  }
};

namespace tuple_steps {

/// A number that may not exist.
struct possible_number {
  std::uint64_t number = 0;
  bool exists = false;
};

/// On which side of a probe its place is; `equal` is that of an equal key alone.
enum class packed_side : std::uint8_t { below, above, either, equal };

/// The values of a column as numbers in their order: the code of a value, less the smallest code.
struct numbered_values {
  key_type type;
  std::uint64_t lowest;  ///< the smallest code
  std::uint64_t last;    ///< the number of the largest code

  /// @return the number of the value that equals another one
  WDX_HD possible_number equal(key_type from, u128 bits) const {
    near_code const near = code_near(from, bits, type, false);
    if (!near.exact || near.code < lowest || near.code - lowest > last) return {};
    return {near.code - lowest, true};
  }

  /// @return the smallest number of values not below another one (`above`), or the largest of those not above it; on
  /// `either` side for a value of the same type, the number nearest to it
  /// @param exact whether a value that equals the other one counts
  WDX_HD possible_number nearest(key_type from, u128 bits, packed_side side, bool exact) const {
    if (side == packed_side::equal) return equal(from, bits);
    bool const above = side == packed_side::above;
    near_code const near = code_near(from, bits, type, above);
    if (!near.exists) return {};
    std::uint64_t const number = near.code - lowest;
    std::uint64_t const step = near.exact && !exact ? 1 : 0;  // may lead to a number that no value has
    if (near.code < lowest) return {0, side != packed_side::below};
    if (number > last) return {last, !above};
    if (number == (above ? last : 0) && step != 0) return {};
    return {above ? number + step : number - step, true};
  }

  WDX_HD u128 value(std::uint64_t number) const { return value_of_code(type, lowest + number); }
};

/// Packs a group and the key nearest to a probe to a place: the number of the group, and in its lower bits that of the
/// key.
struct pack_place {
  void const* groups;
  key_type group_type;
  validity_bits group_valid;
  std::uint64_t const* group_numbers;  ///< number of the group of probe i, or `no_row`; null to use `all_groups`
  numbered_values all_groups;
  void const* probes;  ///< null for the first key of all on the side above, and for the last one below
  key_type probe_type;
  validity_bits probe_valid;
  std::uint64_t const* ranks;  ///< numbers of keys before probe i, or its own for `equal`; null to use `all_keys`
  numbered_values all_keys;
  packed_side side;
  bool exact;
  int bits;  ///< of the number of a key
  std::uint64_t* packed;
  std::uint8_t* missing;  ///< 1 for probes with no such place; may be null

  WDX_HD possible_number group(std::uint64_t i) const {
    if (group_numbers != nullptr) return {group_numbers[i], group_numbers[i] != no_row<std::uint64_t>};
    return all_groups.equal(group_type, detail::load_bytes(groups, size_of(group_type), i));
  }
  WDX_HD possible_number key(std::uint64_t i) const {
    if (probes == nullptr) return {side == packed_side::above ? 0 : all_keys.last, true};
    if (ranks == nullptr)
      return all_keys.nearest(probe_type, detail::load_bytes(probes, size_of(probe_type), i), side, exact);
    if (side == packed_side::above || side == packed_side::equal) return {ranks[i], ranks[i] <= all_keys.last};
    return {ranks[i] - 1, ranks[i] != 0};
  }
  WDX_HD void operator()(std::uint64_t i) const {
    possible_number const of_group = group(i);
    possible_number const of_key = key(i);
    bool const exists = of_group.exists && of_key.exists && group_valid(i) && probe_valid(i);
    packed[i] = exists ? of_group.number << bits | of_key.number : 0;
    if (missing != nullptr) missing[i] = exists ? 0 : 1;
  }
};

/// Makes a range without places empty.
struct clear_range {
  std::uint8_t const* missing[2];
  std::uint64_t* lower;
  std::uint64_t* upper;
  WDX_HD void operator()(std::uint64_t i) const {
    if ((missing[0][i] | missing[1][i]) == 0) return;
    lower[i] = 1;
    upper[i] = 0;
  }
};

/// The keys of places.
struct place_keys {
  int bits;                  ///< of the number of a key
  numbered_values all_keys;  ///< their type in any case
  void const* distinct;      ///< keys by their numbers; null to use `all_keys`

  WDX_HD std::uint64_t number(std::uint64_t place) const { return place & ((std::uint64_t{1} << bits) - 1); }

  /// @return whether a place has the number of a key, as all have but those of a file whose entries were not checked
  WDX_HD bool has(std::uint64_t place) const {
    std::uint64_t const key = number(place);
    return key <= all_keys.last && (distinct != nullptr || is_code_of(all_keys.type, all_keys.lowest + key));
  }

  /// @return the key of a place; some key if it has none
  WDX_HD u128 at(std::uint64_t place) const {
    std::uint64_t const key = number(place);
    if (distinct == nullptr) return all_keys.value(key);
    return detail::load_bytes(distinct, size_of(all_keys.type), key < all_keys.last ? key : all_keys.last);
  }
};

/// Whether a place is none of a group and a key.
struct is_no_place {
  std::uint64_t const* places;
  place_keys keys_of;
  place_keys groups_of;  ///< numbers of groups, in as many bits as there are
  WDX_HD bool operator()(std::uint64_t i) const {
    return !keys_of.has(places[i]) || !groups_of.has(places[i] >> keys_of.bits);
  }
};

/// Whether probe i has no place.
struct is_missing {
  std::uint8_t const* missing;
  WDX_HD bool operator()(std::uint64_t i) const { return missing[i] != 0; }
};

/// The groups and keys of places.
struct unpack_place {
  std::uint64_t const* packed;
  place_keys keys_of;
  place_keys groups_of;  ///< numbers of groups, in as many bits as there are
  void* groups;
  void* keys;
  WDX_HD void operator()(std::uint64_t i) const {
    detail::store_bytes(keys, size_of(keys_of.all_keys.type), i, keys_of.at(packed[i]));
    detail::store_bytes(groups, size_of(groups_of.all_keys.type), i, groups_of.at(packed[i] >> keys_of.bits));
  }
};

/// Keeps the entry that was found for a packed place if it is of the same group, and gets its key.
struct keep_in_group {
  std::uint64_t const* packed;
  std::uint8_t const* missing;
  std::uint64_t const* found;  ///< packed place of the entry
  row_array rows;
  place_keys keys_of;
  void* keys;  ///< may be null
  WDX_HD void operator()(std::uint64_t i) const {
    if (rows.get(i) == rows.none()) return;
    if (missing[i] != 0 || found[i] >> keys_of.bits != packed[i] >> keys_of.bits) return rows.set(i, rows.none());
    if (keys == nullptr) return;
    detail::store_bytes(keys, size_of(keys_of.all_keys.type), i, keys_of.at(found[i]));
  }
};

/// Replaces code i by its key.
struct decode_key {
  key_type type;
  void* keys;
  WDX_HD void operator()(std::uint64_t i) const {
    std::size_t const width = size_of(type);
    if (type == key_type::u128) return;  // its codes are its keys
    auto const code = static_cast<std::uint64_t>(detail::load_bytes(keys, width, i));
    detail::store_bytes(keys, width, i, value_of_code(type, code));
  }
};

/// The code of key i, alone.
struct code_at {
  key_type type;
  void const* keys;
  WDX_HD code_range operator()(std::uint64_t i) const {
    std::uint64_t const code = code_of_value(type, detail::load_bytes(keys, size_of(type), i));
    return {code, code};
  }
};

}  // namespace tuple_steps
}  // namespace warpdex
