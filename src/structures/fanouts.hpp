// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "structures/compiled_fanouts.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// @return the compiled fan-outs K in ascending order
std::vector<int> const& fanouts();

/// @return the compiled fan-outs as text, for example "2, 3, 5"
std::string fanouts_text();

/// @return the compiled fan-out with the smallest ratio to `wanted`
int nearest_fanout(int wanted);

/// @return the argument without a name
/// @throws spec_error unless it is a compiled fan-out
int read_fanout(spec const& s);

/// @return the text name(K) for each compiled fan-out, the usual one first
std::vector<std::string> samples_of_fanouts(std::string const& name);

namespace detail {

/// @param text a spec that begins with name(K)
/// @return whether K is compiled
bool has_compiled_fanout(std::string const& text);

}  // namespace detail

/// @return the elements whose `spec` has a compiled fan-out
inline std::vector<tuned_spec> with_compiled_fanouts(std::vector<tuned_spec> all) {
  std::erase_if(all, [](tuned_spec const& tuned) { return !detail::has_compiled_fanout(tuned.spec); });
  return all;
}

/// Calls make(std::integral_constant<int, K>{}) with the chosen fan-out.
template <class Make> std::unique_ptr<structure> with_fanout(int chosen, Make const& make) {
  std::unique_ptr<structure> result;
  bool const compiled = [&]<int... K>(std::integer_sequence<int, K...>) {
    return ((chosen == K && (result = make(std::integral_constant<int, K>{}), true)) || ...);
  }
  (compiled_fanouts{});
  if (!compiled) throw spec_error("no search is compiled for K = " + std::to_string(chosen));
  return result;
}

}  // namespace warpdex
