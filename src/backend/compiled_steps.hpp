// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "backend/steps.hpp"

/// @file
/// What generated files instantiate (compiled_steps.in): the functions of a list of steps.
namespace warpdex::steps {
namespace detail {

/// Steps that threads of the host call with parts of the numbers.
template <class Step>
concept takes_parts = requires(Step const& step) {
  step.run_part(std::uint64_t{}, std::uint64_t{});
};

template <class Loops, way Way, class Step>
void run_on(void const* erased, std::uint64_t size, execution const& exec, [[maybe_unused]] void* answer) {
  auto const& step = *static_cast<Step const*>(erased);
  if constexpr (Way == way::run && Loops::kind == backend_kind::cpu && takes_parts<Step>) {
    Loops::for_each_part(exec, size, step);
  } else if constexpr (Way == way::run) {
    Loops::for_each(exec, size, step);
  } else if constexpr (Way == way::run_long) {
    Loops::for_each_task(exec, size, step);
  } else if constexpr (Way == way::run_lists) {
    Loops::for_each_list(exec, size, step.offsets, step);
  } else if constexpr (Way == way::find_first) {
    *static_cast<std::optional<std::uint64_t>*>(answer) = Loops::first_if(exec, size, step);
  } else if constexpr (Way == way::select) {
    *static_cast<std::uint64_t*>(answer) = Loops::select(exec, size, step);
  } else if constexpr (Way == way::deal) {
    shares& counted = *static_cast<shares*>(answer);
    if (counted.run == 0) Loops::count_shares(exec, size, step, counted);
    else Loops::deal(exec, size, step, counted);
  } else {
    auto const all = Loops::reduce(exec, size, step);
    *static_cast<std::remove_const_t<decltype(all)>*>(answer) = all;
  }
}

template <class Loops, way... Ways, class... Steps>
constexpr std::array<function, sizeof...(Steps)> functions(entries<entry<Ways, Steps>...>) {
  return {&run_on<Loops, Ways, Steps>...};
}

}  // namespace detail

template <class List, class Loops> function compiled<List, Loops>::at(std::size_t number) {
  static constexpr auto all = detail::functions<Loops>(typename List::all_entries{});
  return all[number];
}

}  // namespace warpdex::steps
