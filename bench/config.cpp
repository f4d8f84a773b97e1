// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/config.hpp"

#include <algorithm>

namespace warpdex::bench {

std::uint64_t usual_batch(config const& c) noexcept {
  return std::max<std::uint64_t>(1, c.n * 6 / 5 / static_cast<std::uint64_t>(c.waves));
}

config with_batches(config c) {
  c.n += c.batch * static_cast<std::uint64_t>(c.waves);
  return c;
}

char const* to_string(join_op op) noexcept {
  switch (op) {
    case join_op::inner: return "inner";
    case join_op::left: return "left";
    case join_op::semi: return "semi";
    case join_op::anti: return "anti";
    case join_op::range: return "range";
    default: return "asof";
  }
}

char const* to_string(probe_order order) noexcept {
  switch (order) {
    case probe_order::random: return "random";
    case probe_order::sorted: return "sorted";
    case probe_order::descending: return "descending";
    case probe_order::near: return "near";
    default: return "blocks";
  }
}

char const* to_string(right_side right) noexcept {
  switch (right) {
    case right_side::index: return "index";
    case right_side::sorted: return "sorted";
    case right_side::host: return "host";
    default: return "unsorted";
  }
}

char const* to_string(asof_strategy strategy) noexcept {
  switch (strategy) {
    case asof_strategy::backward: return "backward";
    case asof_strategy::forward: return "forward";
    default: return "nearest";
  }
}

char const* to_string(placement place) noexcept {
  switch (place) {
    case placement::device: return "device";
    case placement::host: return "host";
    default: return "pinned";
  }
}

}  // namespace warpdex::bench
