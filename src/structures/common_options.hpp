// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "batch/policy.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// What the options of a spec say, which all structures share, and what a choice tells its plan unless it says
/// otherwise.
struct common_options {
  warpdex::layout layout = layout::soa;
  policy run;  ///< how batches run

  slot_order order() const { return {}; }                                  ///< see `plan::order`
  std::optional<std::uint64_t> hash_seed() const { return std::nullopt; }  ///< see `plan::hash_seed`
};

/// Reads the layout and refuses arguments that the structure does not take. The policy is left to `read_policy`, as
/// structures differ in their groups of lanes.
/// @param known names of arguments; "" stands for a bare value
/// @throws spec_error
common_options read_common_options(spec const& s, index_shape const& shape,
                                   std::initializer_list<std::string_view> known);

/// Reads the policy of a structure that groups of 2, 4, 8, 16 or 32 lanes may search. For keys and rows of 4 bytes all
/// of them are compiled; for others, where no other group was ever the best, the usual one.
/// @param usual lanes of that group; 1 if there is none
/// @throws spec_error
policy read_policy_of_groups(spec const& s, index_shape const& shape, int usual);

/// Reads a decimal fraction, such as a load or a fill. @return it in thousandths
/// @throws spec_error unless it lies in [lowest, highest]
unsigned read_thousandths(spec const& s, spec::word const& word, double lowest, double highest);

/// @return all options written out
std::string options_text(common_options const& options, index_shape const& shape);

}  // namespace warpdex
