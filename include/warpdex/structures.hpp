// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// @file
/// Which structures this build has, and what a spec becomes.
namespace warpdex {

/// What a registered structure offers, for `warpdex info`, tests and documentation.
struct structure_info {
  std::string name;       ///< as in specs
  std::string summary;    ///< one sentence: what it is and when to use it
  std::string arguments;  ///< notation of its arguments
  std::string source;     ///< paper and section
  bool ordered = true;
  std::vector<std::string> samples;  ///< specs that tests and benchmarks run
  std::string kind = {};             ///< its first argument, if several structures have this name
  std::size_t widest_key = 8;        ///< bytes of the widest keys that it takes
};

/// @return all structures of this build, in the order of registration
std::vector<structure_info> structures();

/// @return the spec with the name of its structure as registered; names are matched without regard to case
/// @throws spec_error for a name that no structure has: the caret stands where it leaves those that there are
spec canonical(spec const& s);

/// @return the spec with everything filled in for an index of `size` keys
/// @throws spec_error
std::string resolve(spec const& s, key_type keys, row_type rows, std::uint64_t size, backend_kind backend);

}  // namespace warpdex
