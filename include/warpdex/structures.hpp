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

/// A spec whose policies scripts/tune.py measures.
struct tuned_spec {
  std::string spec;
  int lanes = 1;  ///< of the group to try besides single lanes, if it is larger
};

/// A spec in figures of the benchmark that compare structures with each other.
struct compared_spec {
  std::string series;  ///< its name there: "paper" is what paper 000 found best, "naive" runs without windows
  std::string spec;
  std::vector<std::string> figures;  ///< paper/figure: `000/20` stands for figure 20 of paper 000
};

/// What a registered structure offers, for `warpdex info`, tests and documentation.
struct structure_info {
  std::string name = {};                  ///< as in specs
  std::string kind = {};                  ///< its first argument, if several structures have this name
  std::vector<std::string> forms = {};    ///< how its specs look, such as EO+KS(K)
  std::string summary = {};               ///< what it is, in one sentence
  std::string extra_bytes = {};           ///< that it takes beyond the pairs
  std::string use = {};                   ///< when to use it
  std::string arguments = {};             ///< notation of its arguments
  std::string source = {};                ///< paper and section
  std::string drawing = {};               ///< file of the sources that draws its memory
  std::vector<int> fanouts = {};          ///< that are compiled, if it takes a fan-out
  std::vector<std::string> samples = {};  ///< specs that tests run; the first is the usual one
  std::vector<tuned_spec> tuned = {};
  std::vector<compared_spec> compared = {};
  bool ordered = true;
  bool chooses = false;        ///< it stands for one of the others, as `auto` does
  std::size_t widest_key = 8;  ///< bytes of the widest keys that it takes
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
