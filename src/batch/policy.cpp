// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "batch/policy.hpp"

namespace warpdex {

policy read_policy(spec const& s, int fanout) {
  policy chosen;
  if (auto const* word = s.option("lanes"); word != nullptr && word->value != "auto") {
    chosen.lanes = static_cast<int>(s.number(*word, 1, 32));
    if (chosen.lanes != 1 && chosen.lanes != fanout - 1)
      s.fail(word->position,
             "a probe runs on 1 lane or on K-1 = " + std::to_string(fanout - 1) + ", not on " + word->value);
  }
  if (auto const* word = s.option("threads"); word != nullptr && word->value != "auto") {
    chosen.threads = static_cast<int>(s.number(*word, 128, 1024));
    if (chosen.threads % 32 != 0) s.fail(word->position, "threads a block must be a multiple of 32");
  }
  if (auto const* word = s.option("pin"); word != nullptr && word->value != "auto") {
    if (word->value == "none") chosen.pin = policy::pinning::none;
    else if (word->value == "steps") chosen.pin = policy::pinning::steps;
    else s.fail(word->position, "unknown pinning '" + word->value + "'; expected auto, none or steps");
  }
  if (auto const* word = s.option("window"); word != nullptr && word->value != "auto") {
    if (word->value == "none") chosen.window = policy::windowing::none;
    else if (word->value == "batch") chosen.window = policy::windowing::batch;
    else s.fail(word->position, "unknown window '" + word->value + "'; expected auto, none or batch");
    if (chosen.window == policy::windowing::batch && chosen.pin == policy::pinning::steps)
      s.fail(word->position, "window=batch and pin=steps exclude each other: a batch runs one way");
  }
  return chosen;
}

std::string policy_text(policy const& chosen) {
  std::string text;
  if (chosen.lanes != 0) text += "/lanes=" + std::to_string(chosen.lanes);
  if (chosen.threads != 0) text += "/threads=" + std::to_string(chosen.threads);
  if (chosen.pin != policy::pinning::automatic)
    text += chosen.pin == policy::pinning::none ? "/pin=none" : "/pin=steps";
  if (chosen.window != policy::windowing::automatic)
    text += chosen.window == policy::windowing::none ? "/window=none" : "/window=batch";
  return text;
}

}  // namespace warpdex
