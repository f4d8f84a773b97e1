// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of these headers, for C too. The build and the Python package read it here.
#define WARPDEX_VERSION_MAJOR 0
#define WARPDEX_VERSION_MINOR 1
#define WARPDEX_VERSION_PATCH 0

#define WARPDEX_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define WARPDEX_VERSION_TEXT(major, minor, patch) WARPDEX_VERSION_TEXT_OF(major, minor, patch)
/// The version as text, such as "0.1.0".
#define WARPDEX_VERSION WARPDEX_VERSION_TEXT(WARPDEX_VERSION_MAJOR, WARPDEX_VERSION_MINOR, WARPDEX_VERSION_PATCH)

#ifdef __cplusplus
#include <string_view>

namespace warpdex {

/// @return the version of the library that the program runs with, as `WARPDEX_VERSION` is that of its headers
std::string_view version() noexcept;

}  // namespace warpdex
#endif
