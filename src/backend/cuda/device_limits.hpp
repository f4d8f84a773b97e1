// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "batch/tuning_table.hpp"

namespace warpdex::cuda {

/// Properties of a device: launches are sized by its limits, and tuning tables are found by its name.
struct device_limits {
  std::string name;
  int multiprocessors = 0;
  unsigned shared_bytes = 0;            ///< shared memory per multiprocessor
  unsigned shared_bytes_per_block = 0;  ///< that a block can have, with the opt-in of cudaFuncSetAttribute
};

/// @return the limits of the current device; the driver is asked once per device
/// @throws device_error
device_limits const& limits_of_current_device();

/// @return the tuning table of the current device
/// @throws device_error
/// @throws io_error, format_error if the user gives a table of their own and it cannot be read
tuning_table const& tuning_of_current_device();

}  // namespace warpdex::cuda
