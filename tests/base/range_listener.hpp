// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// @file
/// A profiler that NVTX loads into the process, as it loads Nsight Systems.
namespace warpdex::test {

/// @return the ranges that began since the last call, as paths of the ranges around them, such as `warpdex/join/find`.
/// The first name is the domain's
std::vector<std::string> take_ranges();

}  // namespace warpdex::test
