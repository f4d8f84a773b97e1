// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// @file
/// The CUDA devices of this machine, and copies between them and the host.
namespace warpdex {

/// A CUDA device.
struct device_info {
  int ordinal = 0;                 ///< its number in calls of CUDA
  std::string name;                ///< as the driver gives it, for example NVIDIA H100 80GB HBM3
  std::string compute_capability;  ///< for example 9.0
  int multiprocessors = 0;         ///< number of its processors
  std::uint64_t memory_bytes = 0;  ///< bytes of its memory
  std::uint64_t l2_bytes = 0;      ///< bytes of its level 2 cache
};

/// @return all usable devices; none without a driver or without CUDA in the build. Does not throw.
std::vector<device_info> devices();

/// @return whether the library was built with CUDA
bool built_with_cuda() noexcept;

/// Copies bytes between two arrays that do not overlap. Each may be on the host or on a device. Synchronises
/// `exec.stream` if one of them is on a device.
/// @throws invalid_argument, device_error
void copy(void* destination, void const* source, std::size_t bytes, execution const& exec);

}  // namespace warpdex
