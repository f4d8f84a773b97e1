// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <warpdex/arrow.hpp>
#include <warpdex/arrow_chunk.hpp>

/// @file
/// Structures of Arrow's C interface out of the capsules in which they travel, and into them.
namespace warpdex::python {

/// @return where a capsule of that name points
template <class T> T& pointed(nanobind::handle capsule, char const* name) {
  if (PyCapsule_CheckExact(capsule.ptr()) == 0) throw type_error(std::string("it gave no capsule of an ") + name);
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0)
    throw invalid_argument(std::string("its capsule is no ") + name + ", or was used before");
  return *static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
}

/// @return what a capsule of that name holds, which is empty afterwards
template <class T> arrow_owner<T> take(nanobind::handle capsule, char const* name) {
  auto& found = pointed<T>(capsule, name);
  if (found.release == nullptr) throw invalid_argument(std::string("the ") + name + " was already consumed");
  return arrow_owner<T>(found);
}

/// @return the two capsules that a function of an object gives
inline std::pair<nanobind::object, nanobind::object> capsules_of(nanobind::handle from, char const* function) {
  nanobind::object const taken = from.attr(function)();
  if (!nanobind::isinstance<nanobind::tuple>(taken) || nanobind::len(taken) != 2)
    throw type_error(std::string(function) + " gave no pair of capsules");
  return {taken[0], taken[1]};
}

/// Kinds of memory in Arrow's device interface, which has the numbers of DLPack.
inline constexpr std::int32_t on_host_memory = ARROW_DEVICE_CPU;
inline constexpr std::int32_t on_cuda = ARROW_DEVICE_CUDA;
inline constexpr std::int32_t on_cuda_host = ARROW_DEVICE_CUDA_HOST;
inline constexpr std::int32_t on_managed = ARROW_DEVICE_CUDA_MANAGED;

/// An array of Arrow's device interface.
struct taken_device_array {
  arrow_owner<ArrowSchema> schema;
  arrow_owner<ArrowArray> array;
  std::int32_t memory = 0;  ///< a kind from above, or another one
  int device = -1;          ///< of CUDA; -1 for other memory
  void* event = nullptr;    ///< points to the event after which the array is complete; null if it is

  bool on_device() const { return memory == on_cuda || memory == on_managed; }
};

/// @return what the object's `__arrow_c_device_array__` gives
inline taken_device_array take_device_array(nanobind::handle from) {
  auto const [schema, array] = capsules_of(from, "__arrow_c_device_array__");
  auto& taken = pointed<ArrowDeviceArray>(array, "arrow_device_array");
  if (taken.array.release == nullptr) throw invalid_argument("the arrow_device_array was already consumed");
  taken_device_array result{take<ArrowSchema>(schema, "arrow_schema"), arrow_owner<ArrowArray>(taken.array),
                            taken.device_type};
  if (result.on_device()) {
    result.device = static_cast<int>(taken.device_id);
    result.event = taken.sync_event;
  }
  return result;
}

/// Makes a capsule that releases what it holds, unless a consumer has taken that.
template <class T> nanobind::object capsule_of(T value, char const* name) {
  auto held = std::make_unique<T>(std::move(value));
  nanobind::capsule capsule(held.get(), name, [](void* p) noexcept {
    std::unique_ptr<T> const from(static_cast<T*>(p));
    if constexpr (requires { from->release; }) {
      if (from->release != nullptr) from->release(from.get());
    } else if (from->array.release != nullptr) {
      from->array.release(&from->array);
    }
  });
  held.release();
  return capsule;
}

}  // namespace warpdex::python
