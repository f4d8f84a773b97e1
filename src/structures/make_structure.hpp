// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/types.hpp"
#include "structures/structure.hpp"

/// @file
/// The only place where key width, row width and backend become template arguments. Each combination of a family is a
/// translation unit of its own (structures/instantiate.in).
namespace warpdex {

struct cpu_engine;
struct cuda_engine;

/// Makes the structure of a family for one engine, key width and row width. The generated units define it; it calls
/// `Family::make<Engine, Key, Row>`.
template <class Family, class Engine, class Key, class Row>
std::unique_ptr<structure> make_structure(plan const& made_by, typename Family::choice const& choice, contents from,
                                          execution const& exec);

/// @return bytes of the widest keys for which a family is compiled: its `widest_key`, or 8 if it has none
template <class Family> constexpr std::size_t widest_key_of() {
  if constexpr (requires { Family::widest_key; }) return Family::widest_key;
  else return 8;
}

template <class Family, class Engine>
std::unique_ptr<structure> make_on(plan const& made_by, typename Family::choice const& choice, contents from,
                                   execution const& exec) {
  pair_widths const widths{size_of(made_by.shape.keys), size_of(made_by.shape.rows)};
  return with_widths(widths, [&]<class Key, class Row>() -> std::unique_ptr<structure> {
    if constexpr (sizeof(Key) <= widest_key_of<Family>())
      return make_structure<Family, Engine, Key, Row>(made_by, choice, std::move(from), exec);
    else throw spec_error(made_by.spec_text + " is not compiled for keys of " + std::to_string(sizeof(Key)) + " bytes");
  });
}

template <class Family>
std::unique_ptr<structure> make_typed(plan const& made_by, typename Family::choice const& choice, contents from,
                                      execution const& exec) {
#if WARPDEX_WITH_CUDA
  if (made_by.shape.backend == backend_kind::cuda)
    return make_on<Family, cuda_engine>(made_by, choice, std::move(from), exec);
#endif
  return make_on<Family, cpu_engine>(made_by, choice, std::move(from), exec);
}

}  // namespace warpdex
