// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// @file
/// Bytes of files, names and arguments as messages show them.
namespace warpdex::input {

/// @return the text as a terminal may show it: control characters and bytes that are no UTF-8 escaped
/// @param kept characters that stay as they are
std::string escaped(std::string_view text, std::string_view kept = {});

/// @return the text in quotes for a message: escaped, and long text cut with its length named
std::string in_quotes(std::string_view text);

}  // namespace warpdex::input
