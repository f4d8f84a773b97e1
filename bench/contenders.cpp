// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"

namespace warpdex::bench {
namespace {

struct contender {
  char const* series;
  char const* spec;
  unsigned where;
};

constexpr unsigned in_points = in_20 | in_21 | in_003;
constexpr unsigned in_ranges = in_22 | in_003_12;
constexpr unsigned in_most = in_points | in_ranges | in_003_15;

/// A structure that is added here appears in these figures. "paper" marks configurations that paper 000 found
/// best, "naive" runs without windows; the others leave everything to the library.
constexpr contender contenders[] = {
    {"AO+BS naive", "AO+BS/pin=none/reorder=none", in_1 | in_20 | in_003},
    {"AO+BS paper", "AO+BS/schedule=static/threads=128/probes=16/pin=full/reorder=block+restore", in_20},
    {"EO+BS paper", "EO+BS/schedule=dynamic/threads=128/probes=16/pin=none/reorder=block+restore", in_20},
    {"AO+PB+BS paper", "AO+PB+BS/layout=AoS/schedule=dynamic/threads=128/probes=16/pin=none/reorder=block+restore",
     in_20},
    {"EO+KS(9) paper", "EO+KS(9)/lanes=8/schedule=dynamic/threads=1024/probes=1/pin=none/reorder=none", in_20},
    {"AO+PB+KS(9) paper", "AO+PB+KS(9)/layout=AoS/lanes=8/schedule=dynamic/threads=1024/probes=1/pin=none/reorder=none",
     in_20},
    {"HT(open) 80%", "HT(open,load=0.8)", in_1 | in_points | in_003_15},
    {"HT(open) 50%", "HT(open,load=0.5)", in_20 | in_21},
    {"HT(buckets) 100%", "HT(buckets,15)", in_1 | in_points | in_003_15},
    {"HT(buckets) 150%", "HT(buckets,15,load=1.5)", in_20},
    {"B+(16) naive", "B+(16)/reorder=none", in_1 | in_20 | in_003},
    {"B+(16)", "B+(16)", in_1 | in_most},
    {"B+(16) half full", "B+(16,fill=0.5)", in_003_15},
    {"Harmonia(32) naive", "Harmonia(32)/reorder=none", in_20 | in_003},
    {"Harmonia(32)", "Harmonia(32)", in_most},
    {"auto", "auto", in_20 | in_21},
    {"auto(ranges)", "auto(ranges)", in_22},
    {"AO+BS", "AO+BS", in_1 | in_most},
    {"EO+BS", "EO+BS", in_20 | in_21 | in_22},
    {"AO+PB+BS", "AO+PB+BS", in_20 | in_21 | in_ranges},
    {"EO+KS(5)", "EO+KS(5)", in_20 | in_21 | in_22},
    {"EO+KS(9)", "EO+KS(9)", in_20 | in_21 | in_22},
    {"AO+PB+KS(5)", "AO+PB+KS(5)", in_20 | in_21 | in_22},
    {"AO+PB+KS(9)", "AO+PB+KS(9)", in_most},
    {"AO+BS AoS", "AO+BS/layout=AoS", in_22},
    {"EO+BS AoS", "EO+BS/layout=AoS", in_22},
    {"AO+PB+BS AoS", "AO+PB+BS/layout=AoS", in_22},
    {"EO+KS(9) AoS", "EO+KS(9)/layout=AoS", in_22},
    {"AO+PB+KS(9) AoS", "AO+PB+KS(9)/layout=AoS", in_21 | in_22},
};

}  // namespace

std::vector<cell> cells_of(in_figure where) {
  std::vector<cell> cells;
  for (auto const& c : contenders)
    if ((c.where & where) != 0) cells.push_back({c.spec, c.series, ""});
  return cells;
}

}  // namespace warpdex::bench
