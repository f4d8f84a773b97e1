// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "structures/common_options.hpp"
#include "structures/rays/ray_guide.hpp"

/// @file
/// What the specs of ray indexes share.
namespace warpdex {

/// Reads one of some words, of which the first is the default.
/// @return its number in `words`
/// @throws spec_error at the word
std::size_t read_word(spec const& s, spec::word const* word, std::span<std::string_view const> words);

/// Reads the option `tracer`; without it, the variable WARPDEX_TRACER of the environment, where it can be followed.
/// @param run the policy of the spec. Vulkan traces whole batches, which blocks then cannot cut into tiles
/// @param in_triangles whether Embree, on a CPU, and Vulkan can trace rays for the structure
/// @throws spec_error for an unknown tracer, or one that excludes another option; unsupported for one that is not there
tracer_kind read_tracer(spec const& s, index_shape const& shape, policy const& run, bool in_triangles);

/// Reads the option `ranges`.
/// @param tracer becomes `own`, which alone follows rays beyond their first hit, if that answers ranges and the
/// environment has chosen another
/// @return whether rays collect the entries of ranges, instead of searches for both bounds
/// @throws spec_error for an unknown word, or if the spec names another tracer
bool read_ranges(spec const& s, tracer_kind& tracer);

/// Reads a number of keys that is a power of two.
/// @return its logarithm
/// @throws spec_error
int read_power_of_two(spec const& s, spec::word const& word, std::uint64_t lowest, std::uint64_t highest);

}  // namespace warpdex
