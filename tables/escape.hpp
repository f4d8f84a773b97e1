// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// @file
/// How messages show bytes of files, names and arguments.
namespace warpdex::tables {

/// @return the text in a form that is safe for a terminal: control characters, those that change the direction of text
/// or end lines among them, and bytes that are not UTF-8 are escaped
/// @param kept characters that stay as they are
std::string escaped(std::string_view text, std::string_view kept = {});

/// @return the text in quotes for a message: escaped, and long text cut with its length named
std::string in_quotes(std::string_view text);

}  // namespace warpdex::tables
