// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <string>

/// @file
/// Replaces the loader and a driver of Vulkan, as a shared library of the loader's name. Its device has the memory of
/// the host, traces rays exactly by a loop over all triangles, and does what is submitted once the timelines that it
/// waits for have come there. Each call can be made to fail.
namespace warpdex::test {

struct fake_vulkan {
  static fake_vulkan& instance();

  // What the device is like.
  bool has_driver = true;
  std::string lacks;  ///< an extension or a feature, by its name
  bool turns_triangles = false;
  bool exports_timelines = true;
  std::uint8_t uuid = 7;  ///< all bytes of it

  /// Makes the `nth` call from now on that can fail do so, counted from 1. It has no effect then.
  void fail_at(std::uint64_t nth, VkResult with) {
    until_failure = nth;
    failure = with;
  }

  int alive = 0;  ///< objects and mappings that have not been destroyed

  // What its own functions use.
  std::uint64_t until_failure = 0;
  VkResult failure = VK_SUCCESS;
};

/// A timeline, as whoever imports it sees it. @param file the descriptor, which stays the caller's
void fake_signal(int file, std::uint64_t value);
/// @return the value of a timeline once the device has done what it can
std::uint64_t fake_value(int file);

}  // namespace warpdex::test
