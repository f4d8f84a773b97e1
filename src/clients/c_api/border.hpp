// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/warpdex.h>
#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/join.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

/// @file
/// The border to C: exceptions become codes and texts, and structs of C the types of the C++ interface.

/// An index as C holds it.
struct warpdex_index {
  warpdex::index value;
  int device;  ///< -1: none
};

namespace warpdex::c {

/// Writes the outcome of a call, for example "find: ...". @param error may be null @return the code
std::int32_t outcome(std::int32_t code, char const* text, warpdex_error* error) noexcept;

/// @return the outcome of the exception that is being handled
std::int32_t failure(warpdex_error* error) noexcept;

/// Runs the body of a function of the C interface.
template <class Body> std::int32_t guarded(warpdex_error* error, Body const& body) noexcept {
  try {
    body();
    return outcome(WARPDEX_OK, "", error);
  } catch (...) {
    return failure(error);
  }
}

/// @throws invalid_argument for a null pointer
template <class T> T& expect(char const* call, char const* what, T* pointer) {
  if (pointer == nullptr) throw invalid_argument(std::string(call) + ": " + what + " is a null pointer");
  return *pointer;
}

/// @return the value of an enumeration that begins with 0
/// @param last its last value
/// @throws invalid_argument for another number
template <class Enum> Enum chosen(char const* call, char const* what, std::int32_t number, Enum last) {
  if (number < 0 || number > static_cast<std::int32_t>(last))
    throw invalid_argument(std::string(call) + ": " + what + " is number " + std::to_string(number) +
                           ", which is unknown");
  return static_cast<Enum>(number);
}

nullable_column keys_of(char const* call, char const* what, warpdex_column const& from);

/// @throws invalid_argument also for a column with nulls
column valid_keys_of(char const* call, char const* what, warpdex_column const* from);
row_column rows_of(char const* call, warpdex_column const* from);
key_ranges ranges_of(char const* call, warpdex_probes const& from, bool are_ranges);

/// @param kind what a lookup writes there
lookup_output output_of(char const* call, answer_kind kind, warpdex_output const& from);
row_output rows_out(char const* call, warpdex_output const* from);

/// @param how null: the defaults
/// @param usual what is taken where `how` leaves a choice
asof_options options_of(char const* call, warpdex_asof_how const* how, asof_options usual = {});

/// The resources of a call. While it lives, the device of the call is the current one.
class place {
 public:
  /// Of a call without an index. @param exec null: the CPU
  place(char const* call, warpdex_execution const* exec);

  /// Of a call with an index. @param exec null: where the index is
  place(char const* call, warpdex_execution const* exec, warpdex_index const& with);

  operator execution const&() const noexcept { return exec_; }
  int device() const noexcept { return device_; }

 private:
  int device_;
  std::optional<device_scope> here_;
  execution exec_;
};

/// An array of a result.
struct result_array {
  void const* data;
  std::uint64_t size;
  std::int32_t type;
};

/// Hands arrays over to C. @param owner frees them, with its device as the current one @param device -1: the host
void hand_over(warpdex_result& to, result_array first, result_array second, int device, std::shared_ptr<void> owner);

/// @return a view of arrays, without an owner
warpdex_result view_of(result_array first, result_array second, int device);

result_array array_of(row_column rows);

}  // namespace warpdex::c
