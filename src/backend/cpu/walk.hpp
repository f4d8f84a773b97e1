// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cpu/tuning.hpp"

/// @file
/// Searches of ascending probes, each of which begins where the one before has ended.
namespace warpdex {

/// Walks along sorted keys. The next keys are counted without branches, which would be predicted badly. Then steps
/// grow, so that a long way takes few of them.
/// @param passed called as passed(place): whether a key is passed; true for a prefix of the keys
/// @return the first place from `at` on whose key is not passed
template <class Passed> std::uint64_t walk(std::uint64_t at, std::uint64_t size, Passed const& passed) {
  constexpr unsigned near = cpu::tuning::near_keys;
  for (int i = 0; i < 2 && size - at >= near; ++i) {
    unsigned count = 0;
    for (unsigned j = 0; j < near; ++j) count += passed(at + j) ? 1 : 0;
    at += count;
    if (count < near) return at;
  }
  if (at == size || !passed(at)) return at;
  std::uint64_t step = near;
  while (step < size - at && passed(at + step)) {
    at += step;
    step *= 2;
  }
  std::uint64_t end = std::min(size, at + step);
  while (at < end) {
    std::uint64_t const middle = at + (end - at) / 2;
    if (passed(middle)) at = middle + 1;
    else end = middle;
  }
  return at;
}

/// @return whether walks pay: there are so many probes that they are close to each other
inline bool close_enough_to_walk(std::uint64_t keys, std::uint64_t probes) {
  return probes >= cpu::tuning::walk_from_probes && keys / probes <= cpu::tuning::walk_keys_per_probe;
}

/// Looks at a few short pieces of a batch. @param descends called as descends(i): whether probe i is above the next one
/// @return whether all of them ascend
template <class Descends> bool ascends_in_samples(std::uint64_t probes, Descends const& descends) {
  constexpr std::uint64_t samples = cpu::tuning::order_samples;
  constexpr std::uint64_t length = cpu::tuning::walked_run;
  for (std::uint64_t s = 0; s < samples; ++s) {
    std::uint64_t const first = (probes - length) / samples * s;
    for (std::uint64_t i = first; i + 1 < first + length; ++i)
      if (descends(i)) return false;
  }
  return true;
}

}  // namespace warpdex
