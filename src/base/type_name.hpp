// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <typeinfo>

namespace warpdex {

/// @return the name of a type of the library as a program would write it, with std::uint32_t in place of unsigned int
std::string type_name(std::type_info const& type);

}  // namespace warpdex
