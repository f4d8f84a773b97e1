// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The second example of docs/guide/joins.md, line by line, as a program that is built and run as a test. Another test
// compares the two texts (document_agrees.cmake).
#include <warpdex/join.hpp>

#include <cstdio>

using namespace warpdex;

int main() {
  execution const exec{};
  std::uint64_t const probes = 1 << 20, keys = 1 << 24;

  join_rates const rates = measured_rates(exec);  // once per program, for the device or the CPU of `exec`
  join_question ask;
  ask.left = probes;
  ask.right = keys;
  ask.key_bytes = 8;
  ask.right_on_host = ask.right_sorted = true;  // a sorted column in pinned_memory()
  ask.joins = 10;
  join_plan const plan = plan_join(ask, rates);  // plan.by, plan.spec, plan.seconds, plan.reasons

  std::printf("%s\n%s\n", plan.spec.c_str(), plan.reasons.c_str());
  return plan.seconds > 0 && !plan.reasons.empty() ? 0 : 1;
}
