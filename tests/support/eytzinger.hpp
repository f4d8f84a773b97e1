// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace warpdex::test {

namespace detail {

/// Visits the slots of the subtree at `node` in the order of their keys.
template <class Visit> void visit_in_order(std::size_t node, std::size_t fanout, std::size_t size, Visit const& visit) {
  if (node * (fanout - 1) >= size) return;
  for (std::size_t j = 0; j < fanout - 1; ++j) {
    visit_in_order(node * fanout + 1 + j, fanout, size, visit);
    if (std::size_t const slot = node * (fanout - 1) + j; slot < size) visit(slot);
  }
  visit_in_order(node * fanout + fanout, fanout, size, visit);
}

}  // namespace detail

/// Sorted values in the slots of a complete K-ary search tree, by a walk through it.
template <class T> std::vector<T> in_eytzinger_order(std::vector<T> const& sorted, int fanout) {
  std::vector<T> slots(sorted.size());
  auto next = sorted.begin();
  detail::visit_in_order(0, static_cast<std::size_t>(fanout), slots.size(),
                         [&](std::size_t slot) { slots[slot] = *next++; });
  return slots;
}

}  // namespace warpdex::test
