// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "backend/backend.hpp"

/// @file
/// A step is a functor over the numbers below a size. It is written once, without virtual calls or CUDA, and runs where
/// the memory of an execution is: on host threads, or on the current device.
///
/// A file of steps has a namespace of the same name. It ends with the list of its steps and of how each of them runs:
///
///     namespace join_steps {
///     struct count_ranks { ... };
///     ...
///     struct all : steps::list<steps::runs<count_ranks, ...>, steps::reduces<code_at>> {};
///     all list_of_step(...);
///     }
///
/// The line `warpdex_steps(clients/join/join_steps.hpp)` in src/CMakeLists.txt compiles the list for each backend.
/// Other files then call `steps::run(join_steps::count_ranks{...}, size, exec)`.
namespace warpdex {

struct cpu_loops;   // backend/cpu/cpu_loops.hpp
struct cuda_loops;  // backend/cuda/cuda_loops.cuh

namespace steps {

enum class way : std::uint8_t { run, run_long, run_lists, find_first, select, reduce, deal };

/// A step, and a way in which it runs.
template <way Way, class Step> struct entry {};

template <class... Entries> struct entries {
  static constexpr std::size_t size = sizeof...(Entries);

  /// @return the number of an entry, or `size` if it is not among them
  template <class Entry> static constexpr std::size_t number_of() {
    std::size_t number = 0;
    (void)((std::is_same_v<Entry, Entries> || (++number, false)) || ...);
    return number;
  }
};

template <class... A, class... B> entries<A..., B...> operator+(entries<A...>, entries<B...>);

template <class... Steps> using runs = entries<entry<way::run, Steps>...>;
template <class... Steps> using runs_long = entries<entry<way::run_long, Steps>...>;
template <class... Steps> using runs_lists = entries<entry<way::run_lists, Steps>...>;
template <class... Steps> using finds_first = entries<entry<way::find_first, Steps>...>;
template <class... Steps> using selects = entries<entry<way::select, Steps>...>;
template <class... Steps> using reduces = entries<entry<way::reduce, Steps>...>;
template <class... Steps> using deals = entries<entry<way::deal, Steps>...>;

/// @tparam Groups steps by the way they run: `runs<...>`, `selects<...>` and so on
template <class... Groups> struct list { using all_entries = decltype((Groups{} + ...)); };

/// A compiled entry. @param answer of the type that the entry's way returns; null for `run`, `run_long` and `run_lists`
using function = void (*)(void const* step, std::uint64_t size, execution const& exec, void* answer);

/// The entries of a list, compiled for the loops of an engine (compiled_steps.hpp).
template <class List, class Loops> struct compiled { static function at(std::size_t number); };

namespace detail {

/// @throws unsupported for a device if the library was built without CUDA
template <class List> function function_at(std::size_t number, backend_kind kind) {
#if WARPDEX_WITH_CUDA
  if (kind == backend_kind::cuda) return compiled<List, cuda_loops>::at(number);
#else
  backend_of(kind);
#endif
  return compiled<List, cpu_loops>::at(number);
}

template <way Way, class Step>
void carry_out(Step const& step, std::uint64_t size, execution const& exec, void* answer = nullptr) {
  using list = decltype(list_of_step(step));
  constexpr std::size_t number = list::all_entries::template number_of<entry<Way, Step>>();
  static_assert(number < list::all_entries::size,
                "the list at the end of the file of this step does not say that it runs in this way");
  function_at<list>(number, exec.memory->backend())(&step, size, exec, answer);
}

}  // namespace detail

/// Calls step(i) for all numbers i below `size`, in parallel. Of a step that has it, host threads call
/// step.run_part(begin, end) for parts of them instead. Asynchronous on a device.
template <class Step> void run(Step const& step, std::uint64_t size, execution const& exec) {
  detail::carry_out<way::run>(step, size, exec);
}

/// The same for a step that takes long: a few numbers suffice to occupy all threads. Asynchronous on a device.
template <class Step> void run_long(Step const& step, std::uint64_t size, execution const& exec) {
  detail::carry_out<way::run_long>(step, size, exec);
}

/// The same for a step that writes a list per number, whose places `step.offsets` tells: how much there is to write
/// says how many numbers a thread takes. Asynchronous on a device.
template <class Step> void run_lists(Step const& step, std::uint64_t size, execution const& exec) {
  detail::carry_out<way::run_lists>(step, size, exec);
}

/// Calls check(i) for all numbers i below `size`, on a CPU not for all after the first. Synchronises.
/// @return the first number for which it holds, if there is one
template <class Check>
std::optional<std::uint64_t> find_first(Check const& check, std::uint64_t size, execution const& exec) {
  std::optional<std::uint64_t> first;
  detail::carry_out<way::find_first>(check, size, exec, &first);
  return first;
}

/// Calls step.write(i, k) for each number i below `size` for which step(i) holds, where k is the number of those before
/// it. Synchronises. It may call step(i) several times.
/// @param size at most 2^32
/// @return for how many numbers step(i) holds
template <class Step> std::uint64_t select(Step const& step, std::uint64_t size, execution const& exec) {
  std::uint64_t selected = 0;
  detail::carry_out<way::select>(step, size, exec, &selected);
  return selected;
}

/// The consecutive parts to which a number is dealt.
struct part_range {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t first = none;
  std::uint64_t more = 0;  ///< parts after the first
};

/// How many numbers each part gets, for `deal`.
struct shares {
  std::vector<std::uint64_t> begins;  ///< per part, the numbers of all parts before it; then of all parts
  std::uint64_t run = 0;              ///< numbers that are dealt one after the other
  buffer places;                      ///< per part and run, where its numbers go next

  std::uint64_t of(std::size_t part) const { return begins[part + 1] - begins[part]; }
};

/// Counts the numbers i below `size` of each of some parts: i is for the parts step.parts_of(i). Synchronises.
template <class Step>
shares count_shares(Step const& step, std::uint64_t size, std::size_t parts, execution const& exec) {
  shares counted;
  counted.begins.assign(parts + 1, 0);
  if (size != 0) detail::carry_out<way::deal>(step, size, exec, &counted);
  return counted;
}

/// Calls step.write(i, k) for each number i and each of its parts. Those of a part follow each other in ascending order
/// of i, from k = counted.begins[part] on. Asynchronous on a device.
/// @param counted for this step and size; it serves once
template <class Step> void deal(Step const& step, std::uint64_t size, shares& counted, execution const& exec) {
  if (size != 0) detail::carry_out<way::deal>(step, size, exec, &counted);
}

/// Joins the values step(i) of all numbers i below `size` by `a.with(b)`, which is commutative and associative, and for
/// which the default value changes nothing. Synchronises.
template <class Step> auto reduce(Step const& step, std::uint64_t size, execution const& exec) {
  decltype(step(std::uint64_t{})) all;
  detail::carry_out<way::reduce>(step, size, exec, &all);
  return all;
}

}  // namespace steps
}  // namespace warpdex
