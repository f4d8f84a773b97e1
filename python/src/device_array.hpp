// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <string_view>

/// @file
/// Arrays on devices. They come as an address, or by DLPack or Arrow's device interface; they leave by DLPack and by
/// `__cuda_array_interface__`.
namespace warpdex::python {

/// An array of numbers in the memory of a device.
struct device_array {
  void* data = nullptr;
  std::uint64_t size = 0;
  nanobind::dlpack::dtype type = {};
  int device = 0;
  std::int64_t stream = 0;                      ///< on which it was written
  std::shared_ptr<void const> owner = nullptr;  ///< of the memory; null if the caller keeps it

  std::size_t itemsize() const { return type.bits / 8u; }
};

/// @return a stream of its number, as CUDA gives it
inline stream_ref stream_of(std::int64_t number) { return {reinterpret_cast<CUstream_st*>(number)}; }

/// @param text a kind and bytes, as in NumPy: i4
nanobind::dlpack::dtype type_named(std::string_view text);

/// Adds arrays on devices to the module, and what reads them.
void bind_device_arrays(nanobind::module_& m);

}  // namespace warpdex::python
