// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "arrow_abi.hpp"

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

/// @return what a capsule of that name holds, which is empty afterwards
template <class T> released<T> take(nanobind::handle capsule, char const* name) {
  auto* const found = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found == nullptr) throw nanobind::python_error();
  if (found->release == nullptr) throw invalid_argument(std::string("the ") + name + " was already consumed");
  return released<T>(*found);
}

}  // namespace warpdex::python
