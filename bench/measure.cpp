// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include "bench/gpu.hpp"

#include <algorithm>

namespace warpdex::bench {
namespace {

class wall_timer final : public timer {
 public:
  void start() override { clock_.start(); }
  double stop() override { return clock_.stop(); }

 private:
  wall_clock clock_;
};

}  // namespace

std::unique_ptr<timer> make_wall_timer() { return std::make_unique<wall_timer>(); }

std::unique_ptr<timer> make_timer(execution const& exec) {
  return exec.memory->backend() == backend_kind::cuda ? gpu::make_timer(exec) : make_wall_timer();
}

seconds seconds::of(std::vector<double> runs) {
  std::sort(runs.begin(), runs.end());
  auto const middle = runs.size() / 2;
  double const median = runs.size() % 2 == 1 ? runs[middle] : (runs[middle - 1] + runs[middle]) / 2;
  return {median, runs.front(), runs.back()};
}

}  // namespace warpdex::bench
