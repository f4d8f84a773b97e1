// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "batch/tuning_table.hpp"

namespace warpdex::cuda {

/// What launches are sized by, and tuning tables go by.
struct device_limits {
  std::string name;
  int multiprocessors = 0;
  unsigned shared_bytes = 0;            ///< of a multiprocessor
  unsigned shared_bytes_per_block = 0;  ///< with the opt-in of cudaFuncSetAttribute
};

/// Asks the driver once for each device. @throws device_error
device_limits const& limits_of_current_device();

/// @throws device_error; io_error and format_error for a table of the user's
tuning_table const& tuning_of_current_device();

}  // namespace warpdex::cuda
