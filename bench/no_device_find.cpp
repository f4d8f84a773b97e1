// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu.hpp"

#include <warpdex/error.hpp>

/// @file
/// Builds without cub::DeviceFind.
namespace warpdex::bench::gpu {

bool device_find::present() noexcept { return false; }
std::string device_find::name() const { return "cub::DeviceFind"; }
void device_find::run(column, column, std::uint64_t*, buffer&, execution const&) const {
  throw unsupported("benchmark: this build is without cub::DeviceFind");
}

}  // namespace warpdex::bench::gpu
