// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <optional>
#include <span>

#include "clients/encoder/place_steps.hpp"
#include "request/batches.hpp"

namespace warpdex {

/// @return the values of some columns of one type as numbers. Synchronises
tuple_steps::numbered_values numbered(std::span<column const> from, execution const& exec);

/// Groups and probes of a batch, within reach of the backend; or groups and keys that are to be entries.
struct grouped_batch {
  probe_array groups;
  probe_array probes;
  std::uint64_t size;
  buffer group_numbers = {};     ///< see `place_coder::find_groups`
  bool keeps_distances = false;  ///< see `place_coder::keeps_distances`
};

/// The numbers of groups and of keys: what a `place_coder` follows from, and all that a file holds of it.
struct place_numbers {
  tuple_steps::numbered_values groups;                     ///< their type and last number in any case
  tuple_steps::numbered_values keys;                       ///< the same of keys
  int key_bits = 1;                                        ///< of the number of a key
  std::optional<key_list> distinct_groups = std::nullopt;  ///< in ascending order, if groups are numbered by rank
  std::optional<key_list> distinct_keys = std::nullopt;    ///< the same of keys
};

/// Makes places of groups and keys. Values are numbered by their codes if the numbers of a group and of a key fit into
/// a place. Else groups, and then keys too, are numbered by their ranks among the distinct ones, which a search finds.
class place_coder {
 public:
  static constexpr int place_bits = 64;

  /// @param call for messages @param groups columns of one type, without nulls, within reach of the backend; strings as
  /// references @param keys the same, such as the starts and the ends of intervals, which are numbered together
  place_coder(char const* call, std::span<column const> groups, std::span<column const> keys, execution const& exec);

  /// @param numbers in the memory of `exec`
  place_coder(place_numbers numbers, execution const& exec);

  place_numbers const& numbers() const { return numbers_; }
  key_type groups() const { return numbers_.groups.type; }
  key_type keys() const { return numbers_.keys.type; }
  int key_bits() const { return numbers_.key_bits; }    ///< of the number of a key
  bool by_rank() const { return by_key_.has_value(); }  ///< whether numbers of keys have no distances
  std::uint64_t bytes() const;                          ///< of the arrays by which values are numbered

  /// @return what is known of all places: their lower part is in the order of the keys, if those are in order
  known_bits known_bits_of_places() const;

  tuple_steps::place_keys keys_of_places() const {
    return {key_bits(), numbers_.keys, numbers_.distinct_keys ? numbers_.distinct_keys->keys.data() : nullptr};
  }

  tuple_steps::place_keys groups_of_places() const {
    return {place_bits - key_bits(), numbers_.groups,
            numbers_.distinct_groups ? numbers_.distinct_groups->keys.data() : nullptr};
  }

  /// @param places within reach of the backend
  /// @throws format_error if one of them is none of a group and a key, as only a file can say. Synchronises
  void expect_places(std::uint64_t const* places, std::uint64_t size, execution const& exec) const;

  /// Numbers the groups of a batch, unless their codes do. Before `pack`.
  void find_groups(grouped_batch& batch, execution const& exec) const;

  /// @param probes of the type of the keys
  /// @return whether numbers of keys have distances, and places hold the numbers of all probes, also of those beyond
  /// the keys. A batch that says so has places at the distances of its probes. Synchronises
  bool keeps_distances(probe_array const& probes, std::uint64_t size, execution const& exec) const;

  /// @param exact whether a key that equals a probe counts @param missing see `pack_place`; may be null
  /// @return the places of a batch
  buffer pack(grouped_batch const& batch, tuple_steps::packed_side side, bool exact, std::uint8_t* missing,
              execution const& exec) const;

  /// @param groups, keys without nulls, within reach of the backend; strings as references
  /// @return the places of entries, all of which have numbers
  buffer place_all(column groups, column keys, execution const& exec) const;

  /// Keeps the entries that were found for some places if they are of the same group, and gets their keys.
  /// @param found places of the entries @param keys may be null
  void keep_in_group(buffer const& packed, std::uint8_t const* missing, buffer const& found, row_array rows, void* keys,
                     std::uint64_t size, execution const& exec) const;

 private:
  /// @return the largest number that a place holds for a key
  std::uint64_t most_key() const {
    return key_bits() == place_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << key_bits()) - 1;
  }

  place_numbers numbers_;
  std::optional<index> by_group_;  ///< rows are numbers of groups, if these have ranks
  std::optional<index> by_key_;    ///< ranks, and rows, are numbers of keys, if these have ranks
};

}  // namespace warpdex
