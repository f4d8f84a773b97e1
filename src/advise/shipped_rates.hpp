// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace warpdex {

/// @return the texts of the files in src/advise/rates, as they were when the library was built
std::vector<std::string_view> shipped_rates();

}  // namespace warpdex
