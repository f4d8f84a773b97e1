// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/common_options.hpp"

/// @file
/// What the specs of learned indexes share.
namespace warpdex {

/// @return the number of entries that a learned index takes with such row ids
std::uint64_t most_learned_entries(row_type rows);

/// Reads the common options of a learned index, and refuses what it does not take.
/// @param known the names of its arguments, and ""
/// @param unnamed how many may go without a name
/// @throws spec_error
common_options read_learned_options(spec const& s, index_shape const& shape,
                                    std::initializer_list<std::string_view> known, std::size_t unnamed);

/// @return an argument, given by name or by its place among those without a name; null if the spec has none
/// @throws spec_error if it is given twice
spec::word const* argument_at(spec const& s, std::string_view name, std::size_t position);

/// Reads an error in ranks.
/// @param usual the error if the spec has none
/// @throws spec_error unless it is in [1, largest_eps]
std::uint64_t read_eps(spec const& s, std::string_view name, std::size_t position, std::uint64_t usual);

}  // namespace warpdex
