// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/warpdex.h>
#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/join.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/range_quantiles.hpp>
#include <warpdex/sharded.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// @file
/// The border to C: exceptions become codes and texts, and structs of C the types of the C++ interface.

namespace warpdex::c {

/// What an index of C may be, in the order of the kinds in warpdex_types.h; aggregates are two.
using any_kind = std::variant<index, sharded_index, grouped_index, intervals, networks, range_aggregates<i128>,
                              range_aggregates<double>, key_set, range_quantiles>;

}  // namespace warpdex::c

/// An index as C holds it.
struct warpdex_index {
  warpdex::c::any_kind value;
  int device;  ///< -1: none, or those of a sharded index
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

/// @return WARPDEX_INDEX and so on
std::int32_t kind_of(warpdex_index const& of) noexcept;

/// @throws unsupported, which says that a call does not take this kind
[[noreturn]] void refuse(char const* call, warpdex_index const& given);

/// Functors for several kinds as one.
template <class... Functors> struct for_kinds : Functors... { using Functors::operator()...; };
template <class... Functors> for_kinds(Functors...) -> for_kinds<Functors...>;  // which Clang 14 does not deduce

/// Runs what a call does with the kind of an index. @throws unsupported for kinds that `run` does not take
template <class Result = void, class Handle, class Run> Result with_kind(char const* call, Handle& of, Run const& run) {
  return std::visit(
      [&](auto& value) -> Result {
        if constexpr (std::is_invocable_v<Run const&, decltype(value)>) return run(value);
        else refuse(call, of);
      },
      of.value);
}

/// @return the index of a kind @throws invalid_argument for a null pointer; unsupported for other kinds
template <class Kind> Kind const& as(char const* call, char const* what, warpdex_index const* from) {
  auto const& given = expect(call, what, from);
  if (auto const* const found = std::get_if<Kind>(&given.value)) return *found;
  refuse(call, given);
}

/// @throws invalid_argument unless a field that is reserved is 0
void expect_zero(char const* call, char const* what, std::int64_t reserved);

/// The type number of elements.
template <class T>
constexpr std::int32_t number_of = std::is_same_v<T, std::uint8_t>    ? WARPDEX_U8
                                   : std::is_same_v<T, std::uint32_t> ? WARPDEX_U32
                                   : std::is_same_v<T, std::uint64_t> ? WARPDEX_U64
                                   : std::is_same_v<T, double>        ? WARPDEX_F64
                                                                      : WARPDEX_U128;

/// @throws invalid_argument for another type, a null pointer with elements, and an address that no such array has
void expect_elements(char const* call, char const* what, void const* data, std::uint64_t size, std::int32_t type,
                     std::int32_t wanted, std::size_t alignment);

/// An array of C as a span of one type. @param wanted number of the type
/// @throws as `expect_elements`
template <class T>
std::span<T> elements_of(char const* call, char const* what, warpdex_output const* to,
                         std::int32_t wanted = number_of<T>) {
  auto const& array = expect(call, what, to);
  expect_zero(call, what, array.reserved);
  expect_elements(call, what, array.data, array.size, array.type, wanted, alignof(T));
  return {static_cast<T*>(array.data), array.size};
}

/// The same of a column, which has no nulls.
template <class T> std::span<T const> elements_of(char const* call, char const* what, warpdex_column const& from) {
  expect_zero(call, what, from.reserved);
  if (from.validity != nullptr) throw invalid_argument(std::string(call) + ": " + what + " has validity bits");
  expect_elements(call, what, from.data, from.size, from.type, number_of<T>, alignof(T));
  return {static_cast<T const*>(from.data), from.size};
}

/// @return whether a struct of zeros stands for no column
inline bool is_absent(warpdex_column const& of) { return of.data == nullptr && of.size == 0; }

nullable_column keys_of(char const* call, char const* what, warpdex_column const& from);
inline nullable_column keys_of(char const* call, char const* what, warpdex_column const* from) {
  return keys_of(call, what, expect(call, what, from));
}

/// @return the columns of an array of them
std::vector<nullable_column> columns_of(char const* call, warpdex_column const* from, std::uint64_t count);

interval_probes interval_probes_of(char const* call, intervals const& in, warpdex_probes const& from);

/// @throws invalid_argument also for a column with nulls
column valid_keys_of(char const* call, char const* what, warpdex_column const* from);
row_column rows_of(char const* call, warpdex_column const* from);
key_ranges ranges_of(char const* call, warpdex_probes const& from, bool are_ranges);

/// @return the index whose order aggregates and quantiles have: the one given, or that of the entries of groups
any_index const& ordered_in(char const* call, warpdex_index const* over);

/// Probes of such an index: those of a call, or of groups the places that they ask for.
class ordered_probes {
 public:
  ordered_probes(char const* call, warpdex_index const& over, warpdex_probes const* from, bool are_ranges,
                 execution const& exec);

  key_ranges const& ranges() const { return ranges_; }
  nullable_column const& keys() const { return *ranges_.lower; }

 private:
  placed_points points_;
  placed_ranges placed_;
  key_ranges ranges_;
};

/// @param kind what a lookup writes there
lookup_output output_of(char const* call, answer_kind kind, warpdex_output const& from);
row_output rows_out(char const* call, warpdex_output const* from);

/// @param has as `has_tolerance` of `warpdex_asof_how` says
std::optional<asof_tolerance> tolerance_of(char const* call, char const* what, std::int32_t has, std::int64_t integer,
                                           double floating);

/// @param how null: the defaults
/// @param usual what is taken where `how` leaves a choice
asof_options options_of(char const* call, warpdex_asof_how const* how, asof_options usual = {});
asof_options options_of(char const* call, warpdex_asof_options const* all);

/// The resources of a call. While it lives, the device of the call is the current one.
class place {
 public:
  /// Of a call without an index. @param exec null: the CPU
  place(char const* call, warpdex_execution const* exec);

  /// Of a call with an index. @param exec null: where the index is
  place(char const* call, warpdex_execution const* exec, warpdex_index const& with);

  operator execution const&() const noexcept { return exec_; }
  execution const& exec() const noexcept { return exec_; }
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

/// Hands rows of probes over. @param found is or has `matches` @return what keeps them
template <class Matches> std::shared_ptr<Matches> hand_over_matches(warpdex_result& to, Matches found, int device) {
  auto held = std::make_shared<Matches>(std::move(found));
  hand_over(to, {held->offsets.data(), held->probes + 1, WARPDEX_U64},
            array_of(row_column(held->rows.data(), held->total, held->row_type)), device, held);
  return held;
}

/// Hands keys over: of strings their bytes, and offsets.
void hand_over_keys(warpdex_result& to, key_list keys, int device);

/// Takes the batches of a join, and gives them to a sink of C.
join_sink sink_of(char const* call, warpdex_sink sink, void* context, int device);

/// Hands all pairs of a join over.
void hand_over_pairs(warpdex_result& to, joined pairs, int device);

}  // namespace warpdex::c
