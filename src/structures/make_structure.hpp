// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/types.hpp"
#include "structures/structure.hpp"
#include "structures/with_layout.hpp"

/// @file
/// The only place where the kind of keys and the backend become template arguments. Each combination of a family is a
/// separate translation unit (structures/instantiate.in).
namespace warpdex {

struct cpu_engine;
struct cuda_engine;

/// A function that makes the structure of a family for one engine and kind of keys.
template <class Family>
using maker = std::unique_ptr<structure> (*)(plan const& made_by, typename Family::choice const& choice, contents from,
                                             execution const& exec);

/// @return `Family::make<Engine, Key>`; the generated units define it
template <class Family, class Engine, class Key> maker<Family> compiled_maker();

/// The pairs of `Family::view`.
using narrow_pairs = soa_pairs<std::uint32_t>;

/// Whether a family is compiled for strings: then it has a `byte_view`.
template <class Family> inline constexpr bool takes_strings = requires { typename Family::byte_view; };

/// @return whether a family is compiled for keys of a type
template <class Family, class Key> constexpr bool takes_keys() {
  return is_bytes<Key> ? takes_strings<Family> : sizeof(Key) <= Family::view::traits.widest_key;
}

/// Whether the keys of a family's entries can be a sorted column of the caller, in SoA: then its slots are ranks.
template <class Family> inline constexpr bool borrows_keys = Family::view::traits.in_key_order;

/// Completes the records of a family by what follows from its views.
template <class Family> std::vector<structure_record> records_of(std::vector<structure_record> records) {
  for (auto& [info, resolve] : records) {
    info.ordered = Family::view::traits.ranked;
    info.widest_key = Family::view::traits.widest_key;
    info.takes_bytes = takes_strings<Family>;
    info.pins = Family::view::traits.pinnable;
    info.large = !Family::view::traits.ranked || forms_of<Family>().wide_positions;
    info.borrows = borrows_keys<Family>;
    info.in_triangles = requires { requires Family::in_triangles; };
  }
  return records;
}

template <class Family, class Engine> maker<Family> maker_on(plan const& made_by) {
  return with_kind(kind_of(made_by.shape.keys), [&]<class Key>() -> maker<Family> {
    if constexpr (takes_keys<Family, Key>()) return compiled_maker<Family, Engine, Key>();
    else
      throw spec_error(made_by.spec_text() + " is not compiled for keys of type " +
                       std::string(to_string(made_by.shape.keys)));
  });
}

/// @return what makes the structure of a plan
template <class Family> maker<Family> maker_of(plan const& made_by) {
  if (made_by.shape.backend == backend_kind::cpu) return maker_on<Family, cpu_engine>(made_by);
#if WARPDEX_FOR_GPUS
  return maker_on<Family, cuda_engine>(made_by);
#else
  throw unsupported(made_by.spec_text() + " is not compiled for GPUs in this build (WARPDEX_CUDA_STRUCTURES)");
#endif
}

}  // namespace warpdex
