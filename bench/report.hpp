// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/against.hpp"
#include "bench/config.hpp"
#include "bench/measure.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::bench {

/// The time that something other than warpdex took for the same work, or a limit of the machine.
struct baseline {
  std::string name;
  int threads = 0;  ///< 0 on a GPU
  seconds time;
  std::uint64_t work = 0;  ///< lookups, ranges, keys, or bytes: what `rate` counts
  double build_seconds = 0;
  std::uint64_t bytes = 0;  ///< bytes held while it works
  bool limit = false;       ///< whether it is a limit of the machine, in other units than the index's rate
  bool compared = false;    ///< whether rates of indexes are compared with it although it is a limit
};

/// @return units of work per second; 0 if no time was measured
double rate_of(std::uint64_t work, double time) noexcept;

/// Result lines on standard output, each as it comes: JSON, or text of at most 100 columns.
class report {
 public:
  /// @param bench the name of the benchmark @param shared fields of every line
  report(bench_context const& context, std::string bench, record const& shared);

  /// A line for a baseline; later lines of indexes are compared with it. @throws io_error if standard output fails
  void add(baseline const& b);

  /// A line for an index: `fields`, its rate, and the ratios to all baselines so far. @throws as above
  void add_index(record fields, double rate);

  /// To be called before each step of the indexes' part, of which there are `steps`.
  /// @return a text for the progress: `name`, and from the second step on about how long the remaining ones take
  std::string label(std::string const& name, std::size_t steps);

 private:
  void emit(record line);
  void print_lines(record const& line);

  bool json_;
  earlier_run* earlier_;
  record shared_;
  std::vector<baseline> baselines_;
  bool has_head_ = false;
  std::size_t started_ = 0;
  wall_clock since_first_;
};

/// Fields about the machine, the library, and the key set.
record shared_fields(config const& c, execution const& exec, key_type type, std::uint64_t n);

/// Fields that only point lookups, only range lookups, only builds, only updates or only joins have.
record point_fields(config const& c);
record range_fields(config const& c);
record build_fields(config const& c);
record update_fields(config const& c);
record join_fields(config const& c);

/// Fields of a measured time: median_s, min_s, max_s.
void put_time(record& line, seconds const& time);

}  // namespace warpdex::bench
