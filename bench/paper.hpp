// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "tools/context.hpp"

#include <warpdex/column.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The experiments of papers 000 to 004, as tables of figures (figures.cpp for 000, figures_001.cpp and so on) that the
/// benchmarks run (paper.cpp).
namespace warpdex::bench {

/// One line of a result: the thing that is measured, and its place in the figure.
struct cell {
  std::string name;    ///< a spec; for loads `loads_name`
  std::string series;  ///< which of the figure's lines or groups of bars
  std::string x;       ///< on the figure's x axis; empty for the panel's
};

/// Cells that share keys and probes. Numbers are exponents of 2, already scaled. Without cells a panel is its
/// baselines. Cells that name a tracer are left out where there is no such tracer.
struct panel {
  enum class kind { point, range, build, update, join, loads, rays };

  kind what;
  int keys;
  int batch = 0;  ///< probes, ranges, or loads per thread
  int hits = 0;
  bool sorted = false;
  std::string x = {};  ///< also of baselines; empty if each cell has its own
  std::vector<cell> cells = {};
  key_type type = key_type::u32;
  double uniformity = 100;
  double hit_rate = 1;
  bool miss_inside = true;
  double zipf = 0;
  lookup const* asked = nullptr;  ///< instead of `find` and `range_sum`
  bool singular = false;
  std::string shape = "uniform";  ///< of the keys, as `--keys`; strings are of type bytes
  placement place = placement::device;
  bool on_cpu = false;                                      ///< whether a CPU runs it, even if a GPU runs other panels
  right_side right = right_side::index;                     ///< of joins; on a CPU, a host column is a sorted one
  bool assigns = false;                                     ///< whether waves of updates change rows too
  int part = 27;                                            ///< exponent of the most probes in a part of a join
  std::optional<baseline_choice> baselines = std::nullopt;  ///< whatever `--baselines` says
  std::uint64_t n = 0;                                      ///< keys, if they are no power of 2; scaled as well
  bool scenes = false;                                      ///< whether the rays of ray indexes are counted
};

/// A figure of the paper.
struct figure {
  char const* name;
  std::vector<panel> (*panels)(int scale);
};

/// Sizes may be scaled down by this exponent: the paper's smallest key sets and batches, 2^16, then become 1.
inline constexpr int largest_scale = 16;

/// @return the exponent of a scaled size, and its text
int scaled(int exponent, int scale) noexcept;
std::string power(int exponent);

/// Papers that have figures.
inline constexpr char const* papers[] = {"000", "001", "002", "003", "004"};

/// All figures of a paper, in its order.
std::vector<figure> const& figures_of_000();
std::vector<figure> const& figures_of_001();
std::vector<figure> const& figures_of_002();
std::vector<figure> const& figures_of_003();
std::vector<figure> const& figures_of_004();
/// @param paper one of `papers`
std::vector<figure> const& figures(std::string_view paper);

/// @param names names of figures, or `all` @throws usage_error naming an unknown figure
std::vector<figure> find_figures(std::string_view paper, std::vector<std::string> const& names);

/// Runs figures of a paper and prints their lines.
/// @param base how everything is measured @param scale exponent of the power of two that divides all sizes
void run_paper(config const& base, std::string const& paper, std::vector<figure> const& chosen, int scale,
               cli_context const& context);

}  // namespace warpdex::bench
