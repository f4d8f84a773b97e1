// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <string>

#include "io/file.hpp"

namespace warpdex {

/// @param section of another file, which holds the file of an index
/// @param in_place whether the CPU backend may use the arrays there. If the other file is mapped, the calls of the
/// index check its length, as they do that of a file of its own
/// @throws as `index::load`
index load_part(io::file const& from, std::string const& section, bool in_place, check checks, execution const& exec);

}  // namespace warpdex
