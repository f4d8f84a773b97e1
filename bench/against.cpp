// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/against.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace warpdex::bench {
namespace {

/// The part of a rate that has to be left.
constexpr double kept = 0.95;

constexpr char const* rates[] = {"rate", "lookup_rate", "pair_rate", "byte_rate"};

/// What lines of one run are of, besides the fields that all of them share.
constexpr char const* own[] = {"kind", "name", "threads", "wave", "change", "size"};

/// Fields that all lines share and that may differ from those of an earlier run.
constexpr char const* may_differ[] = {"version", "cuda", "repeat"};

bool is_equal(record const& a, record const& b, std::string const& field) {
  return a.value(field, record(nullptr)) == b.value(field, record(nullptr));
}

/// @return whether two lines are of the same measurement
bool is_same(record const& a, record const& b, record const& shared) {
  for (char const* const field : own)
    if (!is_equal(a, b, field)) return false;
  for (auto const& [field, value] : shared.items())
    if (std::find(std::begin(may_differ), std::end(may_differ), field) == std::end(may_differ) &&
        !is_equal(a, b, field))
      return false;
  return true;
}

}  // namespace

earlier_run::earlier_run(std::string path) : path_(std::move(path)) {
  std::ifstream file(path_);
  if (!file) throw io_error(fmt::format("--against {}: {}", path_, std::generic_category().message(errno)));
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    record line = record::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("kind"))
      throw format_error(
          fmt::format("--against {}: line {} is none that `warpdex-bench --json` prints", path_, number));
    lines_.push_back(std::move(line));
  }
}

void earlier_run::compare(record& line, record const& shared) {
  auto const found =
      std::find_if(lines_.rbegin(), lines_.rend(), [&](record const& other) { return is_same(line, other, shared); });
  if (found == lines_.rend()) return;
  record against = record::object();
  for (char const* const rate : rates) {
    if (!line.contains(rate) || !found->contains(rate)) continue;
    auto const before = (*found)[rate].get<double>();
    auto const now = line[rate].get<double>();
    if (before <= 0) continue;
    ++compared_;
    against[rate] = now / before;
    if (now >= kept * before) continue;
    fallen_.push_back(fmt::format("{} of {} is {:.4g} per second, {:.2f} of the earlier {:.4g}", rate,
                                  line["name"].get<std::string>(), now, now / before, before));
  }
  line["against"] = std::move(against);
}

void earlier_run::expect_kept() const {
  if (compared_ == 0)
    throw invalid_argument(
        fmt::format("--against {}: it has no line of an index of this machine, these keys and options", path_));
  if (!fallen_.empty())
    throw error(fmt::format("--against {}: {} of {} rates fell by 5 % or more: {}", path_, fallen_.size(), compared_,
                            fmt::join(fallen_, "; ")));
}

}  // namespace warpdex::bench
