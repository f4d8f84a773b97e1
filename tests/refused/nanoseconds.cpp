// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/column.hpp>

#include <chrono>
#include <vector>

std::vector<std::chrono::sys_time<std::chrono::nanoseconds>> const times(2);
auto const refused = warpdex::as_keys(times);
