// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

#include "backend/backend.hpp"

namespace warpdex {

/// A selection among the numbers below `range`.
struct selection {
  std::uint64_t range = 0;
  std::uint64_t size = 0;  ///< selected numbers
  buffer before;           ///< range + 1 counts: before[i] selected numbers are less than i; empty if `range` is 0
};

namespace detail {

template <class Predicate> struct write_flag {
  Predicate holds;
  std::uint64_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = holds(i) ? 1 : 0; }
};

struct list_number {
  std::uint64_t const* before;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    if (before[i + 1] != before[i]) to[before[i]] = i;
  }
};

}  // namespace detail

/// Selects the numbers i for which holds(i) is true. Synchronises. Memory: 8 bytes per number below `range`.
template <class Engine, class Predicate>
selection select_if(execution const& exec, std::uint64_t range, Predicate const& holds) {
  selection made;
  made.range = range;
  if (range == 0) return made;
  made.before = buffer((range + 1) * sizeof(std::uint64_t), exec);
  auto* const flags = made.before.as<std::uint64_t>();
  Engine::for_each(exec, range, detail::write_flag<Predicate>{holds, flags});
  made.size = backend_of(Engine::kind).exclusive_scan(flags, range, exec);
  return made;
}

/// Writes the selected numbers to `to`, in ascending order.
template <class Engine> void list(execution const& exec, selection const& selected, std::uint64_t* to) {
  Engine::for_each(exec, selected.range, detail::list_number{selected.before.as<std::uint64_t>(), to});
}

}  // namespace warpdex
