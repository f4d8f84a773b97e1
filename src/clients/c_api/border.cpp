// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/c_api/border.hpp"

#include <cstdio>

#include "request/expect.hpp"

namespace warpdex::c {
namespace {

/// Frees arrays on their device.
struct held_arrays {
  std::shared_ptr<void> arrays;
  int device;
};

void expect_zero(char const* call, char const* what, std::int64_t reserved) {
  if (reserved != 0)
    throw invalid_argument(std::string(call) + ": a field of " + what + " that is reserved is " +
                           std::to_string(reserved) + ", not 0");
}

row_type row_type_of(char const* call, char const* what, std::int32_t type) {
  if (type != WARPDEX_U32 && type != WARPDEX_U64)
    throw invalid_argument(std::string(call) + ": " + what + " has the type number " + std::to_string(type) +
                           "; row ids are u32 (" + std::to_string(WARPDEX_U32) + ") or u64 (" +
                           std::to_string(WARPDEX_U64) + ")");
  return type == WARPDEX_U32 ? row_type::u32 : row_type::u64;
}

int device_of(char const* call, warpdex_execution const* exec) {
  if (exec == nullptr) return -1;
  expect_zero(call, "the execution", exec->reserved);
  if (chosen(call, "the backend", exec->backend, backend_kind::cuda) == backend_kind::cpu) return -1;
  if (exec->device < 0)
    throw invalid_argument(std::string(call) + ": there is no device number " + std::to_string(exec->device));
  return exec->device;
}

std::string name_of(int device) { return device < 0 ? "the CPU" : "cuda:" + std::to_string(device); }

/// @return the device of a call with an index, which is that of the index
int same_device(char const* call, warpdex_execution const* exec, warpdex_index const& with) {
  if (exec == nullptr) return with.device;
  int const device = device_of(call, exec);
  if (device != with.device)
    throw invalid_argument(std::string(call) + ": the index is on " + name_of(with.device) + ", the execution on " +
                           name_of(device));
  return device;
}

/// @param device the current one, or -1
execution execution_of(warpdex_execution const* exec, int device) {
  auto const stream = exec == nullptr ? nullptr : static_cast<CUstream_st*>(exec->stream);
  if (device >= 0) return execution(device_memory(), stream);
  return execution(host_memory(), {}, exec == nullptr ? 0 : exec->threads);
}

/// @return bytes of an element of an output; 0 for a type that no lookup writes
std::size_t width_of(std::int32_t type) {
  if (type == WARPDEX_U8) return 1;
  return type < WARPDEX_U32 || type > WARPDEX_U128 ? 0 : size_of(static_cast<key_type>(type));
}

}  // namespace

std::int32_t outcome(std::int32_t code, char const* text, warpdex_error* error) noexcept {
  if (error == nullptr) return code;
  error->code = code;
  std::snprintf(error->text, sizeof error->text, "%s", text);
  return code;
}

std::int32_t failure(warpdex_error* error) noexcept {
  try {
    throw;
  } catch (spec_error const& e) {
    return outcome(WARPDEX_SPEC_ERROR, e.what(), error);
  } catch (invalid_argument const& e) {
    return outcome(WARPDEX_INVALID_ARGUMENT, e.what(), error);
  } catch (unsupported const& e) {
    return outcome(WARPDEX_UNSUPPORTED, e.what(), error);
  } catch (out_of_memory const& e) {
    return outcome(WARPDEX_OUT_OF_MEMORY, e.what(), error);
  } catch (std::bad_alloc const&) {  // of the border itself
    return outcome(WARPDEX_OUT_OF_MEMORY, "out of host memory", error);
  } catch (device_error const& e) {
    return outcome(WARPDEX_DEVICE_ERROR, e.what(), error);
  } catch (io_error const& e) {
    return outcome(WARPDEX_IO_ERROR, e.what(), error);
  } catch (format_error const& e) {
    return outcome(WARPDEX_FORMAT_ERROR, e.what(), error);
  } catch (cancelled const& e) {
    return outcome(WARPDEX_CANCELLED, e.what(), error);
  } catch (std::exception const& e) {
    return outcome(WARPDEX_INTERNAL_ERROR, e.what(), error);
  } catch (...) {
    return outcome(WARPDEX_INTERNAL_ERROR, "an exception that is none of the library", error);
  }
}

nullable_column keys_of(char const* call, char const* what, warpdex_column const& from) {
  expect_zero(call, what, from.reserved);
  nullable_column result(from.data, from.size, chosen(call, what, from.type, key_type::bytes));
  result.strings = {from.offsets, from.offset_bytes, from.stride, from.bytes};
  result.validity = from.validity;
  result.offset = from.validity_offset;
  return result;
}

column valid_keys_of(char const* call, char const* what, warpdex_column const* from) {
  nullable_column const result = keys_of(call, what, expect(call, what, from));
  if (result.validity != nullptr)
    throw invalid_argument(std::string(call) + ": " + what + " has validity bits; nulls are not taken here");
  return result;
}

row_column rows_of(char const* call, warpdex_column const* from) {
  expect(call, "the column of row ids", from);
  expect_zero(call, "the column of row ids", from->reserved);
  if (from->validity != nullptr)
    throw invalid_argument(std::string(call) + ": the column of row ids has validity bits; a row id is never null");
  return {from->data, from->size, row_type_of(call, "the column of row ids", from->type)};
}

key_ranges ranges_of(char const* call, warpdex_probes const& from, bool are_ranges) {
  key_ranges result;
  auto const lower_is = chosen(call, "the kind of lower bounds", from.lower_is, std::int32_t{WARPDEX_ABSENT});
  auto const upper_is = chosen(call, "the kind of upper bounds", from.upper_is, std::int32_t{WARPDEX_ABSENT});
  result.lower = keys_of(call, "the column of lower bounds or probes", from.lower);
  result.upper = keys_of(call, "the column of upper bounds", from.upper);
  result.closed = detail::closed_at(lower_is == WARPDEX_CLOSED, upper_is == WARPDEX_CLOSED);
  if (!are_ranges) {
    if (from.upper.size == 0) result.upper.reset();
    return result;
  }
  auto const leave_out = [&](std::optional<nullable_column>& bounds, char const* what) {
    expect_size(call, what, bounds->size, 0);
    bounds.reset();
  };
  if (lower_is == WARPDEX_ABSENT) leave_out(result.lower, "the column of lower bounds");
  if (upper_is == WARPDEX_ABSENT) leave_out(result.upper, "the column of upper bounds");
  return result;
}

lookup_output output_of(char const* call, answer_kind kind, warpdex_output const& from) {
  expect_zero(call, "an output", from.reserved);
  if (kind == answer_kind::row) return row_output(from.data, from.size, row_type_of(call, "the row output", from.type));
  if (kind == answer_kind::key)
    return key_output(from.data, from.size, chosen(call, "the key output", from.type, key_type::bytes));
  lookup_output result(std::span(static_cast<std::uint8_t*>(from.data), from.size));
  result.width = width_of(from.type);
  return result;
}

row_output rows_out(char const* call, warpdex_output const* from) {
  lookup_output const output = output_of(call, answer_kind::row, expect(call, "the row output", from));
  return {output.data, output.size, output.rows};
}

place::place(char const* call, warpdex_execution const* exec) : device_(device_of(call, exec)) {
  if (device_ >= 0) here_.emplace(device_);
  exec_ = execution_of(exec, device_);
}

place::place(char const* call, warpdex_execution const* exec, warpdex_index const& with)
    : device_(same_device(call, exec, with)) {
  if (device_ >= 0) here_.emplace(device_);
  exec_ = execution_of(exec, device_);
}

warpdex_result view_of(result_array first, result_array second, int device) {
  warpdex_result result{};
  result.first = first.data;
  result.second = second.data;
  result.first_size = first.size;
  result.second_size = second.size;
  result.first_type = first.type;
  result.second_type = second.type;
  result.backend = device < 0 ? WARPDEX_CPU : WARPDEX_CUDA;
  result.device = device < 0 ? 0 : device;
  return result;
}

void hand_over(warpdex_result& to, result_array first, result_array second, int device, std::shared_ptr<void> owner) {
  auto held = std::make_unique<held_arrays>(held_arrays{std::move(owner), device});
  to = view_of(first, second, device);
  to.owner = held.release();
}

result_array array_of(row_column rows) {
  return {rows.data, rows.size, rows.type == row_type::u32 ? WARPDEX_U32 : WARPDEX_U64};
}

asof_options options_of(char const* call, warpdex_asof_how const* how, asof_options result) {
  if (how == nullptr) return result;
  result.strategy = chosen(call, "the strategy", how->strategy, asof_strategy::nearest);
  result.allow_exact_matches = how->disallow_exact_matches == 0;
  result.prefer = chosen(call, "prefer", how->prefer, asof_preference::later);
  if (how->ties != 0) result.ties = chosen(call, "ties", how->ties - 1, asof_ties::adjacent);
  if (how->has_tolerance < 0 || how->has_tolerance > 2)
    throw invalid_argument(std::string(call) + ": has_tolerance is " + std::to_string(how->has_tolerance) +
                           "; 0, 1 and 2 are known");
  if (how->has_tolerance == 1) result.tolerance = how->tolerance;
  if (how->has_tolerance == 2) result.tolerance = how->tolerance_f64;
  return result;
}

}  // namespace warpdex::c

void warpdex_release(warpdex_result* result) {
  using namespace warpdex::c;
  if (result == nullptr) return;
  auto* const held = static_cast<held_arrays*>(result->owner);
  *result = {};
  if (held == nullptr) return;
  guarded(nullptr, [&] {
    std::optional<warpdex::device_scope> here;
    if (held->device >= 0) here.emplace(held->device);  // throws if the context, and all of its memory, is gone
    delete held;
  });
}
