// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "arrow_abi.hpp"
#include "arrow_read.hpp"

/// @file
/// Structures of Arrow's C interface out of the capsules in which they travel.
namespace warpdex::python {

/// Owns a structure of the interface, which was moved out of its capsule.
template <class T> class released {
 public:
  released() = default;
  explicit released(T& from) : value(from) { from.release = nullptr; }
  released(released&& other) noexcept : value(std::exchange(other.value, T{})) {}
  released& operator=(released&&) = delete;
  ~released() {
    if (value.release != nullptr) value.release(&value);
  }

  T value{};
};

/// @return where a capsule of that name points
template <class T> T& pointed(nanobind::handle capsule, char const* name) {
  if (PyCapsule_CheckExact(capsule.ptr()) == 0) throw type_refused(std::string("it gave no capsule of an ") + name);
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0)
    throw invalid_argument(std::string("its capsule is no ") + name + ", or was used before");
  return *static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
}

/// @return what a capsule of that name holds, which is empty afterwards
template <class T> released<T> take(nanobind::handle capsule, char const* name) {
  auto& found = pointed<T>(capsule, name);
  if (found.release == nullptr) throw invalid_argument(std::string("the ") + name + " was already consumed");
  return released<T>(found);
}

/// @return the two capsules that a function of an object gives
inline std::pair<nanobind::object, nanobind::object> capsules_of(nanobind::handle from, char const* function) {
  nanobind::object const given = from.attr(function)();
  if (!nanobind::isinstance<nanobind::tuple>(given) || nanobind::len(given) != 2)
    throw type_refused(std::string(function) + " gave no pair of capsules");
  return {given[0], given[1]};
}

}  // namespace warpdex::python
