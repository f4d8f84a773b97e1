// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch/policy.hpp"
#include "structures/make_structure.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// Fan-outs K of the K-ary structures. Each is one compiled search.
inline constexpr int fanouts[] = {2, 3, 5, 9, 17, 33};

/// What flat structures decide.
struct flat_choice {
  warpdex::layout layout = layout::soa;
  int fanout = 2;
  int stored_levels = 0;  ///< of the pivot buffer
  policy run;             ///< how batches run
};

/// Plan of a flat structure: its shape, its choice, and how to make it from them.
template <class Family> class flat_plan final : public plan {
 public:
  flat_plan(std::string spec_text, index_shape const& shape, flat_choice const& choice)
      : plan(std::move(spec_text), shape), choice(choice) {}

  std::unique_ptr<structure> make(contents from, execution const& exec) const override {
    return make_typed<Family>(*this, std::move(from), exec);
  }

  slot_order order() const override {
    if constexpr (requires { Family::order(choice); }) return Family::order(choice);
    else return {};
  }

  flat_choice const choice;
};

/// Reads the options shared by all flat structures and refuses arguments the structure does not take.
/// @param known names of arguments; "" stands for a bare value
/// @throws spec_error
flat_choice read_flat_choice(spec const& s, index_shape const& shape, std::initializer_list<std::string_view> known);

/// @throws spec_error unless the bare argument is one of `fanouts`
int read_fanout(spec const& s);

/// Reads a decimal fraction, such as a load or a fill. @return it in thousandths
/// @throws spec_error unless it lies in [lowest, highest]
unsigned read_thousandths(spec const& s, spec::word const& word, double lowest, double highest);

/// @return `structure_text` with all options written out
std::string flat_spec_text(std::string const& structure_text, flat_choice const& choice, index_shape const& shape);

}  // namespace warpdex
