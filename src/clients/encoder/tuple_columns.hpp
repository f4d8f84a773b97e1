// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/key_encoder.hpp>

#include <span>

#include "clients/encoder/tuple_steps.hpp"
#include "request/staging.hpp"

/// @file
/// The columns of a key encoder's call: checked, and brought within reach of its backend.
namespace warpdex {

/// @return how the fields are written. The last string is as long as the key if it ascends, so it needs no end
tuple_code tuple_code_of(std::span<key_field const> fields);

/// @return bytes of the key of a tuple whose strings, if there are any, take none
unsigned fixed_bytes(tuple_code const& code);

/// @param columns of the first fields, at least one
/// @throws invalid_argument for columns of other types than the fields, of different lengths, and with validity bits
/// that their field does not have
void expect_columns(char const* call, std::span<key_field const> fields, std::span<nullable_column const> columns);

/// @param columns of the first fields, at least one
/// @throws invalid_argument as `expect_columns`, and for columns out of reach, and with strings outside of their bytes
tuple_source stage_tuples(char const* call, std::span<key_field const> fields, std::span<nullable_column const> columns,
                          staging& stage);

/// @param keys of the type of the encoder
/// @throws invalid_argument as `stage_tuples`
key_source stage_keys(char const* call, column const& keys, tuple_code const& code, staging& stage);

/// Throws invalid_argument that says why key `row` is none of a tuple.
[[noreturn]] void fail_key(char const* call, key_source const& keys, std::span<key_field const> fields,
                           std::uint64_t row, execution const& exec);

}  // namespace warpdex
