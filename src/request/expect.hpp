// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/search/round_key.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <string>

/// @file
/// Checks that every call makes of its arguments. `call` and `what` name the operation and the array in messages.
namespace warpdex {

using detail::expect_possible;

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

/// Checks that a type is one of the enumeration, because callers may make one from a number.
/// @throws invalid_argument
inline void expect_known(char const* call, char const* what, key_type type) {
  if (static_cast<std::size_t>(type) >= key_types.size())
    throw invalid_argument(std::string(call) + ": " + what + " is of type number " +
                           std::to_string(static_cast<int>(type)) + ", which is no key type");
}

/// @throws invalid_argument
inline void expect_known(char const* call, char const* what, row_type type) {
  if (type != row_type::u32 && type != row_type::u64)
    throw invalid_argument(std::string(call) + ": " + what + " is of type number " +
                           std::to_string(static_cast<int>(type)) + ", which is no type of row ids");
}

/// @throws invalid_argument
inline void expect_known(char const* call, backend_kind kind) {
  if (kind != backend_kind::cpu && kind != backend_kind::cuda)
    throw invalid_argument(std::string(call) + ": backend number " + std::to_string(static_cast<int>(kind)) +
                           " is unknown");
}

/// Checks that values of type `got` have an order among keys of type `keys`.
/// @throws invalid_argument
inline void expect_comparable(char const* call, char const* what, key_type got, key_type keys) {
  expect_known(call, what, got);
  if (!comparable(got, keys))
    throw invalid_argument(std::string(call) + ": " + what + " is of type " + std::string(to_string(got)) +
                           ", which has no order among the index's keys of type " + std::string(to_string(keys)));
}

/// @throws invalid_argument
inline void expect_type(char const* call, char const* what, row_type got, row_type expected) {
  if (got != expected)
    throw invalid_argument(std::string(call) + ": " + what + " has row ids of type " + std::string(to_string(got)) +
                           ", the index of type " + std::string(to_string(expected)));
}

}  // namespace warpdex
