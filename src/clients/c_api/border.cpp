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
  if (device != with.device && !std::holds_alternative<sharded_index>(with.value))
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

std::int32_t kind_of(warpdex_index const& of) noexcept {
  auto const place = static_cast<std::int32_t>(of.value.index());
  return place > WARPDEX_AGGREGATES ? place - 1 : place;
}

void refuse(char const* call, warpdex_index const& given) {
  constexpr char const* names[] = {"an index", "a sharded index", "a grouped index", "intervals",
                                   "networks", "aggregates",      "a set",           "quantiles"};
  throw unsupported(std::string(call) + ": this call does not take " + names[kind_of(given)]);
}

void expect_zero(char const* call, char const* what, std::int64_t reserved) {
  if (reserved != 0)
    throw invalid_argument(std::string(call) + ": a field of " + what + " that is reserved is " +
                           std::to_string(reserved) + ", not 0");
}

void expect_elements(char const* call, char const* what, void const* data, std::uint64_t size, std::int32_t type,
                     std::int32_t wanted, std::size_t alignment) {
  detail::expect_array(call, what, data, size);
  if (type != wanted)
    throw invalid_argument(std::string(call) + ": " + what + " has the type number " + std::to_string(type) +
                           ", but must have " + std::to_string(wanted));
  if (auto const address = reinterpret_cast<std::uintptr_t>(data); address % alignment != 0)
    throw invalid_argument(std::string(call) + ": " + what + " does not begin at a multiple of " +
                           std::to_string(alignment) + " bytes: address " + std::to_string(address));
}

nullable_column keys_of(char const* call, char const* what, warpdex_column const& from) {
  expect_zero(call, what, from.reserved);
  nullable_column result(from.data, from.size, chosen(call, what, from.type, key_type::bytes));
  result.strings = {from.offsets, from.offset_bytes, from.stride, from.bytes};
  result.validity = from.validity;
  result.offset = from.validity_offset;
  return result;
}

std::vector<nullable_column> columns_of(char const* call, warpdex_column const* from, std::uint64_t count) {
  detail::expect_array(call, "the array of columns", from, count);
  std::vector<nullable_column> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string const name = "column " + std::to_string(i);
    result.push_back(keys_of(call, name.c_str(), from[i]));
  }
  return result;
}

interval_probes interval_probes_of(char const* call, intervals const& in, warpdex_probes const& from) {
  expect_zero(call, "the probes", from.lower_is);
  expect_zero(call, "the probes", from.upper_is);
  nullable_column const lower = keys_of(call, "the column of points or starts", from.lower);
  interval_probes result(lower);
  if (!is_absent(from.upper)) result = interval_probes(lower, keys_of(call, "the column of ends", from.upper));
  if (in.group_type() || !is_absent(from.groups)) result.groups = keys_of(call, "the column of groups", from.groups);
  return result;
}

column valid_keys_of(char const* call, char const* what, warpdex_column const* from) {
  nullable_column const result = keys_of(call, what, from);
  if (result.validity != nullptr)
    throw invalid_argument(std::string(call) + ": " + what + " has validity bits; nulls are not taken here");
  column const& values = result;
  return values;
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

any_index const& ordered_in(char const* call, warpdex_index const* over) {
  return with_kind<any_index const&>(
      call, expect(call, "the index", over),
      for_kinds{[](any_index const& one) -> any_index const& { return one; },
                [](grouped_index const& one) -> any_index const& { return one.any_entries(); }});
}

ordered_probes::ordered_probes(char const* call, warpdex_index const& over, warpdex_probes const* from, bool are_ranges,
                               execution const& exec)
    : ranges_(ranges_of(call, expect(call, are_ranges ? "the ranges" : "the probes", from), are_ranges)) {
  auto const* const of = std::get_if<grouped_index>(&over.value);
  if (of == nullptr) return;
  nullable_column const groups = keys_of(call, "the column of groups", from->groups);
  if (are_ranges) {
    placed_ = of->place_ranges(groups, ranges_, exec);
    ranges_ = placed_.view();
  } else {
    points_ = of->place_points(groups, keys(), exec);
    ranges_ = {points_.view(), std::nullopt};
  }
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

void hand_over_keys(warpdex_result& to, key_list keys, int device) {
  auto const held = std::make_shared<key_list>(std::move(keys));
  if (held->type != key_type::bytes)
    return hand_over(to, {held->keys.data(), held->size, static_cast<std::int32_t>(held->type)}, {}, device, held);
  hand_over(to, {held->keys.data(), held->bytes, WARPDEX_U8},
            {held->offsets.data(), held->size + 1, held->offset_bytes == 4 ? WARPDEX_U32 : WARPDEX_U64}, device, held);
}

void hand_over_pairs(warpdex_result& to, joined pairs, int device) {
  auto const held = std::make_shared<joined>(std::move(pairs));
  hand_over(to, array_of(held->left_rows()), array_of(held->right_rows()), held->on_host ? -1 : device, held);
}

join_sink sink_of(char const* call, warpdex_sink sink, void* context, int device) {
  if (sink == nullptr) throw invalid_argument(std::string(call) + ": the sink is a null pointer");
  return [=](join_batch const& batch) {
    auto const arrays = view_of(array_of(batch.left), array_of(batch.right), device);
    if (std::int32_t const code = sink(context, &arrays); code != 0)
      throw cancelled(std::string(call) + ": the sink has ended the join with " + std::to_string(code));
  };
}

std::optional<asof_tolerance> tolerance_of(char const* call, char const* what, std::int32_t has, std::int64_t integer,
                                           double floating) {
  if (has < 0 || has > 2)
    throw invalid_argument(std::string(call) + ": " + what + " is " + std::to_string(has) + "; 0, 1 and 2 are known");
  if (has == 0) return std::nullopt;
  return has == 1 ? asof_tolerance(integer) : asof_tolerance(floating);
}

asof_options options_of(char const* call, warpdex_asof_how const* how, asof_options result) {
  if (how == nullptr) return result;
  result.strategy = chosen(call, "the strategy", how->strategy, asof_strategy::nearest);
  result.allow_exact_matches = how->disallow_exact_matches == 0;
  result.prefer = chosen(call, "prefer", how->prefer, asof_preference::later);
  if (how->ties != 0) result.ties = chosen(call, "ties", how->ties - 1, asof_ties::adjacent);
  result.tolerance = tolerance_of(call, "has_tolerance", how->has_tolerance, how->tolerance, how->tolerance_f64);
  return result;
}

asof_options options_of(char const* call, warpdex_asof_options const* all) {
  asof_options result = options_of(call, all == nullptr ? nullptr : &all->how);
  if (all == nullptr) return result;
  result.relative = all->relative;
  if (!is_absent(all->tolerances)) result.tolerances = keys_of(call, "the column of tolerances", all->tolerances);
  if (all->offsets != nullptr && all->offsets_f64 != nullptr)
    throw invalid_argument(std::string(call) + ": offsets are given as integers and as floats");
  if (all->offsets == nullptr) detail::expect_array(call, "the array of offsets", all->offsets_f64, all->offset_count);
  for (std::uint64_t i = 0; i < all->offset_count; ++i)
    result.offsets.push_back(all->offsets != nullptr ? asof_tolerance(all->offsets[i])
                                                     : asof_tolerance(all->offsets_f64[i]));
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
