// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>
#include <warpdex/key_list.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>

#include "columns.hpp"
#include "shared_index.hpp"
#include "watched.hpp"

namespace warpdex::python {

/// The same as `at_place`, while Python runs other threads.
template <class F> auto on_place(int device, std::int64_t where, F const& f) {
  return watched([&] { return at_place(device, where, f); });
}

/// @return the kind of a join that has this name
join_kind kind_named(std::string const& how);

/// @return pairs of a call as two arrays of Python. @param device, where those of the call
nb::tuple pairs_as(joined from, results to);

/// @return ranks, or row ids of 64 bits
std::span<std::uint64_t const> numbers_in(nb::handle from);

/// @return keys as columns of Python: an array, an array of halves, or a pair (bytes, offsets)
nb::object keys_as(key_list from, results const& to);

/// Adds what is no lookup of one column: paths, ranks, aggregates, joins without an index and their plans.
void bind_faces(nb::module_& m, nb::class_<shared_index>& index_class);

}  // namespace warpdex::python
