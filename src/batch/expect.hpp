// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/error.hpp>

#include <cstdint>
#include <string>

/// @file
/// What every call demands of its arguments. `call` and `what` name the operation and the array in messages.
namespace warpdex {

/// @throws invalid_argument
inline void expect_size(char const* call, char const* what, std::uint64_t got, std::uint64_t expected) {
  if (got != expected)
    throw invalid_argument(std::string(call) + ": " + what + " has " + std::to_string(got) + " elements, " +
                           std::to_string(expected) + " are needed");
}

/// @throws invalid_argument
inline void expect_type(char const* call, char const* what, key_type got, key_type expected) {
  if (got != expected)
    throw invalid_argument(std::string(call) + ": " + what + " is of type " + std::string(to_string(got)) +
                           ", the index of type " + std::string(to_string(expected)));
}

/// @throws invalid_argument
inline void expect_type(char const* call, char const* what, row_type got, row_type expected) {
  if (got != expected)
    throw invalid_argument(std::string(call) + ": " + what + " has row ids of type " + std::string(to_string(got)) +
                           ", the index of type " + std::string(to_string(expected)));
}

}  // namespace warpdex
