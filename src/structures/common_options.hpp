// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/view.hpp>

#include <optional>

#include "batch/policy.hpp"
#include "structures/structure.hpp"

namespace warpdex {

struct compiled_forms;

/// The options that the specs of all structures share, and defaults for the answers that a choice gives its plan.
struct common_options {
  warpdex::layout layout = layout::soa;
  bool pairs_on_host = false;  ///< see `plan::pairs_on_host`
  policy run;                  ///< how batches run

  slot_order order() const { return {}; }                                  ///< see `plan::order`
  std::optional<std::uint64_t> hash_seed() const { return std::nullopt; }  ///< see `plan::hash_seed`
};

/// Reads the layout, and refuses arguments that the structure does not take. `read_policy` reads the policy, because
/// structures differ in their lane groups.
/// @param known names of arguments that it takes, "" for one without a name; "/tracer", "/ranges" and "/pairs" if it
/// takes these options, too
/// @throws spec_error
common_options read_common_options(spec const& s, index_shape const& shape,
                                   std::initializer_list<std::string_view> known);

/// Reads the policy of a structure that groups of 2, 4, 8, 16 or 32 lanes may search. All these groups are compiled for
/// keys and rows of 4 bytes. For other widths only the usual group is compiled, because no other was ever the fastest.
/// @param usual lanes of the usual group; 1 if there is none
/// @throws spec_error
policy read_policy_of_groups(spec const& s, index_shape const& shape, int usual);

/// Reads a decimal fraction, such as a load or a fill.
/// @return the fraction in thousandths
/// @throws spec_error unless it is in [lowest, highest]
unsigned read_thousandths(spec const& s, spec::word const& word, double lowest, double highest);

/// @throws spec_error, with one line, if a resolved spec needs what this build does not compile: the layout, the lane
/// group or work of blocks, all of which WARPDEX_RESEARCH brings; or positions of 64 bits
void expect_compiled(spec const& resolved, index_shape const& shape, common_options const& options,
                     compiled_forms const& forms, view_traits const& traits);

/// @return the options of a resolved spec
std::vector<spec::word> option_words(common_options const& options, index_shape const& shape);

}  // namespace warpdex
