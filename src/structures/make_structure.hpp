// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/structure.hpp"

/// @file
/// From run-time types to compiled code: the one place where key width, row width and backend become
/// template arguments. Each combination of a family is a translation unit of its own
/// (structures/instantiate.in).
namespace warpdex {

struct cpu_engine;
struct cuda_engine;

/// Builds a family's structure for one engine and one pair of types. Defined by the generated units as
/// `Family::make<Engine, Key, Row>`.
template <class Family, class Engine, class Key, class Row>
std::unique_ptr<structure> make_structure(plan const& made_by, contents from, execution const& exec);

template <class Family, class Engine>
std::unique_ptr<structure> make_on(plan const& made_by, contents from, execution const& exec) {
  bool const wide_keys = size_of(made_by.shape.keys) == 8;
  bool const wide_rows = size_of(made_by.shape.rows) == 8;
  auto const make = wide_keys ? (wide_rows ? make_structure<Family, Engine, std::uint64_t, std::uint64_t>
                                           : make_structure<Family, Engine, std::uint64_t, std::uint32_t>)
                              : (wide_rows ? make_structure<Family, Engine, std::uint32_t, std::uint64_t>
                                           : make_structure<Family, Engine, std::uint32_t, std::uint32_t>);
  return make(made_by, std::move(from), exec);
}

template <class Family>
std::unique_ptr<structure> make_typed(plan const& made_by, contents from, execution const& exec) {
#if WARPDEX_WITH_CUDA
  if (made_by.shape.backend == backend_kind::cuda) return make_on<Family, cuda_engine>(made_by, std::move(from), exec);
#endif
  return make_on<Family, cpu_engine>(made_by, std::move(from), exec);
}

}  // namespace warpdex
