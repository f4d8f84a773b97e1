// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/context.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace warpdex::bench {

/// A line of the result. docs/reference/benchmark.md lists the fields.
using record = nlohmann::ordered_json;

/// The lines of an earlier run, with which those of a run are compared.
class earlier_run {
 public:
  /// @param path of what `warpdex-bench --json` printed
  /// @throws io_error, and format_error for a line that is no JSON
  explicit earlier_run(std::string path);

  /// Compares a line of an index with the earlier one of the same machine, keys and options, and adds its `against`:
  /// each rate divided by the earlier one. Of several earlier lines the last one counts.
  /// @param shared fields that all lines of the run share
  void compare(record& line, record const& shared);

  /// @throws error if a rate fell by 5 % or more, which names each; invalid_argument if no line was compared
  void expect_kept() const;

 private:
  std::string path_;
  std::vector<record> lines_;
  std::size_t compared_ = 0;
  std::vector<std::string> fallen_;
};

/// What the benchmarks have besides the flags of all programs.
struct bench_context : cli_context {
  std::unique_ptr<earlier_run> earlier;  ///< null without `--against`
};

}  // namespace warpdex::bench
