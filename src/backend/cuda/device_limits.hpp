// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpdex::cuda {

/// What launches are sized by.
struct device_limits {
  int multiprocessors = 0;
  unsigned shared_bytes_per_block = 0;  ///< with the opt-in of cudaFuncSetAttribute
};

/// @throws device_error
device_limits limits_of_current_device();

}  // namespace warpdex::cuda
