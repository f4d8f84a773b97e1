// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/key_encoder.hpp>
#include <warpdex/lookups.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "clients/encoder/places.hpp"
#include "request/staging.hpp"

namespace warpdex {

/// The narrow code of tuples: keys are places. The numbers from which these follow are where the columns were, and are
/// copied to the memory of each execution that needs them.
class narrow_code {
 public:
  /// @param first made by `exec` @param leading makes the group of the fields before the last; none if it is their
  /// value
  narrow_code(place_coder first, execution const& exec, std::optional<key_encoder> leading = std::nullopt);

  place_numbers const& numbers() const { return first_.second->numbers(); }
  key_type groups() const { return numbers().groups.type; }
  key_type keys() const { return numbers().keys.type; }
  std::uint64_t bytes() const;  ///< of the arrays by which values are numbered, in all memories

  /// @return what makes places in the memory of an execution. Synchronises if it is the first one there
  place_coder const& at(execution const& exec) const;

  /// @return the encoder of the leading fields, or null if there is one, whose values are groups
  key_encoder const* leading() const { return leading_ ? &*leading_ : nullptr; }

  std::string explain() const;

 private:
  struct home {
    backend_kind backend;
    int device;
    friend bool operator==(home const&, home const&) = default;
  };
  using coder_at = std::pair<home, std::unique_ptr<place_coder>>;

  static home home_of(execution const& exec);

  std::optional<key_encoder> leading_;
  coder_at first_;
  mutable std::mutex guard_;
  mutable std::vector<coder_at> others_;
};

/// @return an encoder's narrow code, or null
std::shared_ptr<narrow_code const> const& narrow_code_of(key_encoder const& from);

/// @return an encoder with a narrow code
key_encoder narrow_encoder(std::vector<key_field> fields, std::shared_ptr<narrow_code const> code);

/// @return the encoder of the fields before the last; none if a value of theirs is a group
std::optional<key_encoder> leading_encoder(std::span<key_field const> fields);

/// @throws invalid_argument unless a narrow code can be of these fields
void expect_narrow_fields(char const* call, std::span<key_field const> fields);

/// `encode` and `decode` of a narrow encoder.
/// @{
key_list encode_narrow(char const* call, narrow_code const& code, std::span<key_field const> fields,
                       std::span<nullable_column const> columns, execution const& exec);
std::vector<decoded_column> decode_narrow(char const* call, narrow_code const& code, column keys,
                                          execution const& exec);
/// @}

/// The arrays of a call whose probes are packed as a whole.
class place_call {
 public:
  place_call(place_coder const& coder, char const* call, nullable_column const& groups, execution const& exec);

  /// @param probes one per group; null for the first or the last key of all
  /// @param missing see `pack_place`
  /// @return places
  buffer pack(nullable_column const* probes, char const* what, char const* valid_name, tuple_steps::packed_side side,
              bool exact, buffer const& missing);

  /// Checks that the outputs of a lookup, which come after the probes, are apart from these.
  void expect_apart(std::span<lookup_output const> outputs);

 private:
  probe_array reach(nullable_column const& from, char const* what, char const* valid_name);

  place_coder const& coder_;
  execution const& exec_;
  staging stage_;
  grouped_batch batch_;
};

/// Checks groups and probes of a lookup, or bounds on one side.
/// @throws invalid_argument
void expect_grouped(char const* call, narrow_code const& code, nullable_column const& groups,
                    nullable_column const& probes);

/// @param outputs what the lookup writes that the places are for; none for one that makes places alone
/// @{
placed_points place_points(char const* call, narrow_code const& code, nullable_column const& groups,
                           nullable_column const& probes, std::span<lookup_output const> outputs,
                           execution const& exec);
placed_ranges place_ranges(char const* call, narrow_code const& code, nullable_column const& groups,
                           key_ranges const& ranges, std::span<lookup_output const> outputs, execution const& exec);
/// @}

}  // namespace warpdex
