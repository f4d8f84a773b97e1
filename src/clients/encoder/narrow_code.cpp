// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/encoder/narrow_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "backend/rounding_steps.hpp"
#include "clients/encoder/place_file.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

using tuple_steps::packed_side;

constexpr char const* groups_name = "the column of groups";

/// @return how values have their numbers
std::string explained(tuple_steps::numbered_values const& values, bool by_rank) {
  return fmt::format("{}, {} of 64 bits",
                     by_rank ? fmt::format("ranks among {} distinct values", values.last + 1)
                             : fmt::format("offsets of up to {} from the least value", values.last),
                     std::max(1, static_cast<int>(std::bit_width(values.last))));
}

}  // namespace

narrow_code::narrow_code(place_coder first, execution const& exec, std::optional<key_encoder> leading)
    : leading_(std::move(leading)), first_(home_of(exec), std::make_unique<place_coder>(std::move(first))) {}

narrow_code::home narrow_code::home_of(execution const& exec) {
  backend_kind const backend = exec.memory->backend();
  return {backend, backend == backend_kind::cpu ? -1 : device_of_call(exec)};
}

std::uint64_t narrow_code::bytes() const {
  std::lock_guard const lock(guard_);
  std::uint64_t sum = first_.second->bytes();
  for (auto const& [home, coder] : others_) sum += coder->bytes();
  return sum;
}

place_coder const& narrow_code::at(execution const& exec) const {
  home const here = home_of(exec);
  if (first_.first == here) return *first_.second;
  std::lock_guard const lock(guard_);
  for (auto const& [home, coder] : others_)
    if (home == here) return *coder;
  execution const lasting(here.backend == backend_kind::cpu ? host_memory() : device_memory());
  others_.emplace_back(here, std::make_unique<place_coder>(copied(numbers(), lasting), lasting));
  return *others_.back().second;
}

std::string narrow_code::explain() const {
  place_numbers const& of = numbers();
  return fmt::format("narrow keys of 64 bits\nleading fields: {}\nlast field: {}\n",
                     explained(of.groups, of.distinct_groups.has_value()),
                     explained(of.keys, of.distinct_keys.has_value()));
}

place_call::place_call(place_coder const& coder, char const* call, nullable_column const& groups, execution const& exec)
    : coder_(coder), exec_(exec),
      stage_(call, exec), batch_{reach(groups, names_of_groups.lower, names_of_groups.lower_valid), {}, groups.size} {
  coder.find_groups(batch_, exec);
}

buffer place_call::pack(nullable_column const* probes, char const* what, char const* valid_name, packed_side side,
                        bool exact, buffer const& missing) {
  batch_.probes = probes == nullptr ? probe_array{} : reach(*probes, what, valid_name);
  return coder_.pack(batch_, side, exact, missing.as<std::uint8_t>(), exec_);
}

void place_call::expect_apart(std::span<lookup_output const> outputs) {
  for (lookup_output const& to : outputs) {
    std::array<batch_array, 1> written{{{to.data, to.width, "the output", false, true}}};
    if (to.size != 0) stage_.use(to.size, written);
  }
}

probe_array place_call::reach(nullable_column const& from, char const* what, char const* valid_name) {
  column const& values = from;
  return {stage_.input(values, what).data, from.type, stage_.validity(from, valid_name)};
}

void expect_grouped(char const* call, narrow_code const& code, nullable_column const& groups,
                    nullable_column const& probes) {
  expect_comparable(call, groups_name, groups.type, code.groups());
  expect_comparable(call, names_of_groups.upper, probes.type, code.keys());
  expect_size(call, groups_name, groups.size, probes.size);
}

placed_points place_points(char const* call, narrow_code const& code, nullable_column const& groups,
                           nullable_column const& probes, std::span<lookup_output const> outputs,
                           execution const& exec) {
  expect_grouped(call, code, groups, probes);
  place_call columns(code.at(exec), call, groups, exec);
  buffer const missing(groups.size, exec);
  placed_points result{
      columns.pack(&probes, names_of_groups.upper, names_of_groups.upper_valid, packed_side::equal, true, missing),
      buffer(validity_bytes(groups.size), exec), groups.size};
  columns.expect_apart(outputs);
  steps::run(rounding_steps::pack_flags{missing.as<std::uint8_t>(), result.size, result.validity.as<std::uint8_t>(), 0},
             validity_bytes(result.size), exec);
  backend_of(exec).synchronize(exec);
  result.places.outlive_stream();
  result.validity.outlive_stream();
  return result;
}

placed_ranges place_ranges(char const* call, narrow_code const& code, nullable_column const& groups,
                           key_ranges const& ranges, std::span<lookup_output const> outputs, execution const& exec) {
  expect_comparable(call, groups_name, groups.type, code.groups());
  expect_ranges(call, code.keys(), ranges);
  auto const& [lower, upper, closed] = ranges;
  if (lower) expect_size(call, names_of_bounds.lower, lower->size, groups.size);
  if (upper) expect_size(call, names_of_bounds.upper, upper->size, groups.size);
  place_call columns(code.at(exec), call, groups, exec);
  buffer const missing[2] = {buffer(groups.size, exec), buffer(groups.size, exec)};
  placed_ranges result;
  result.size = groups.size;
  result.lower = columns.pack(lower ? &*lower : nullptr, names_of_bounds.lower, names_of_bounds.lower_valid,
                              packed_side::above, detail::is_left_closed(closed), missing[0]);
  result.upper = columns.pack(upper ? &*upper : nullptr, names_of_bounds.upper, names_of_bounds.upper_valid,
                              packed_side::below, detail::is_right_closed(closed), missing[1]);
  columns.expect_apart(outputs);
  steps::run(tuple_steps::clear_range{{missing[0].as<std::uint8_t>(), missing[1].as<std::uint8_t>()},
                                      result.lower.as<std::uint64_t>(),
                                      result.upper.as<std::uint64_t>()},
             result.size, exec);
  backend_of(exec).synchronize(exec);
  result.lower.outlive_stream();
  result.upper.outlive_stream();
  return result;
}

}  // namespace warpdex
