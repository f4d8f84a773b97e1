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
/// The structures of this build, and the resolution of specs.
namespace warpdex {

/// A spec whose policies bench/tune.py measures.
struct tuned_spec {
  std::string spec;  ///< what is measured
  int lanes = 1;     ///< group size to measure besides single lanes; 1 for none
};

/// A description of a registered structure, for `warpdex-bench info`, tests and documentation.
struct structure_info {
  std::string name = {};                  ///< as in specs
  std::string kind = {};                  ///< the first argument, if several structures share the name
  std::vector<std::string> forms = {};    ///< forms of its specs, such as EO+KS(K)
  std::string summary = {};               ///< one sentence
  std::string extra_bytes = {};           ///< bytes beyond the pairs
  std::string use = {};                   ///< when to use it
  std::string arguments = {};             ///< notation of its arguments
  std::string source = {};                ///< paper and section
  std::string drawing = {};               ///< source file with a drawing of its memory
  std::vector<int> fanouts = {};          ///< compiled fan-outs, if it takes a fan-out
  std::vector<std::string> samples = {};  ///< specs for tests; the first is the usual one
  std::vector<tuned_spec> tuned = {};     ///< what bench/tune.py measures of it
  bool ordered = true;                    ///< whether bounds, floor and ranges are offered
  bool chooses = false;                   ///< whether it chooses one of the others, as `auto` does
  std::size_t widest_key = 8;             ///< bytes of the widest numbers that it takes as keys
  bool takes_bytes = false;               ///< whether it takes byte strings as keys
  bool pins = false;                      ///< whether it takes `pin=steps` and `pin=full`
  bool large = true;                      ///< whether it takes 2^32 - 1 entries and more
  bool borrows = false;                   ///< whether `index::over_sorted` takes its specs, in SoA
  bool in_triangles = false;  ///< whether other libraries can trace its rays, by `tracer=embree` and `tracer=vulkan`
};

/// @return all structures of this build, in the order of registration
std::vector<structure_info> structures();

/// @return the spec with the registered name of its structure. Upper and lower case are equal in names.
/// @throws spec_error for an unknown name; the caret shows where it departs from the known names
spec canonical(spec const& s);

/// @return the spec with all choices filled in for an index of `size` keys
/// @throws spec_error if no such index can be built
std::string resolve(spec const& s, key_type keys, row_type rows, std::uint64_t size, backend_kind backend);

}  // namespace warpdex
