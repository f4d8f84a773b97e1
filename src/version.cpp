// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/version.hpp>

namespace warpdex {

std::string_view version() noexcept { return WARPDEX_VERSION; }

}  // namespace warpdex
