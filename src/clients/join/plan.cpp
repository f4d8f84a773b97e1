// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <warpdex/error.hpp>
#include <warpdex/join.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "clients/join/columns.hpp"
#include "structures/structure.hpp"

namespace warpdex {
namespace {

struct candidate {
  join_plan::method by;
  std::string spec;
  double seconds;
};

void expect_positive(char const* what, double rate) {
  if (!(rate > 0))
    throw invalid_argument(fmt::format("plan_join: the rate of {} is {}; it must be above 0", what, rate));
}

char const* name_of(join_plan::method by) {
  switch (by) {
    case join_plan::method::existing: return "join with the existing";
    case join_plan::method::build: return "build and join with";
    case join_plan::method::borrow: return "join where the keys are, with";
    case join_plan::method::copy: return "copy the keys and join with";
    case join_plan::method::merge: return "merge join by";
    default: return "hash join by";
  }
}

/// @return whether a spec names an ordered structure
bool is_ordered(spec const& s) {
  std::string const name = canonical(s).structure();
  for (structure_record const& r : registry())
    if (r.info.name == name && !r.info.ordered) return false;
  return true;
}

}  // namespace

join_plan plan_join(join_question const& ask, join_rates const& rates) {
  return run_call("plan_join", [&] {
    expect_positive("ordered builds", rates.built_ordered);
    expect_positive("hashed builds", rates.built_hashed);
    expect_positive("ordered probes", rates.probed_ordered);
    expect_positive("hashed probes", rates.probed_hashed);
    expect_positive("pairs", rates.pairs);
    expect_positive("copies", rates.bytes);
    expect_positive("lines of host memory", rates.lines);
    expect_positive("merges", rates.merged);

    constexpr double per_second = 1e9;
    auto const left = static_cast<double>(ask.left) / per_second;
    auto const right = static_cast<double>(ask.right) / per_second;
    auto const joins = static_cast<double>(ask.joins);
    auto const copied = [&](double keys) { return keys * static_cast<double>(ask.key_bytes) / rates.bytes; };
    double const sent_left = ask.left_on_host ? copied(left) : 0;
    double const sent_right = ask.right_on_host ? copied(right) : 0;
    double const written = left * ask.matches / rates.pairs;
    double const merged = (left + right) / rates.merged;
    double const searched =
        ask.left_sorted ? std::min(left / rates.probed_ordered, merged) : left / rates.probed_ordered;
    auto const probed = [&](bool ordered) {
      return std::max(ordered ? searched : left / rates.probed_hashed, sent_left) + written;
    };
    // The probes, if they are copied, share the link with the keys.
    double const probed_on_host = sent_left + searched + std::min(copied(right), left / rates.lines) + written;

    std::vector<candidate> candidates;
    auto const consider = [&](join_plan::method by, std::string spec, double once, double a_join) {
      candidates.push_back({by, std::move(spec), once + joins * a_join});
    };
    if (ask.existing && (is_ordered(*ask.existing) || !ask.wants_order))
      consider(join_plan::method::existing, *ask.existing, 0,
               ask.existing_on_host ? probed_on_host : probed(is_ordered(*ask.existing)));
    auto const key_bytes = static_cast<double>(ask.key_bytes);
    constexpr double row_bytes = 4, usual_load = .8, low_load = .5, pivot_distance = 16;
    auto const fits = [&](double keys, double bytes_per_key) {
      return keys * bytes_per_key * per_second <= static_cast<double>(ask.room);
    };
    if (ask.right_sorted) {
      // Both read the whole column once, to check its order and whether keys repeat.
      consider(join_plan::method::borrow, "AO+PB+KS(17)", sent_right,
               ask.right_on_host ? probed_on_host : probed(true));
      if (ask.right_on_host && fits(right, key_bytes))
        consider(join_plan::method::copy, "AO+BS", sent_right, probed(true));
      if (ask.left_sorted && !ask.wants_order)
        consider(join_plan::method::merge, "AO+BS", 0,
                 ask.right_on_host ? sent_right + probed_on_host : std::max(merged, sent_left) + written);
    }
    if (fits(right, key_bytes + row_bytes)) {
      consider(join_plan::method::build, "auto(ranges)", sent_right + right / rates.built_ordered, probed(true));
    } else if (fits(right, key_bytes / pivot_distance)) {
      // Sorted pairs go to the host in runs, are merged there at about the rate of the link, and their keys are read
      // once more to find out whether they repeat. A probe reads a line of keys and one of row ids.
      double const pairs = right * (key_bytes + row_bytes) * 2 / rates.bytes;
      double const lines = std::min(copied(right) * (1 + row_bytes / key_bytes), 2 * left / rates.lines);
      consider(join_plan::method::build, "AO+PB+KS(17)/pairs=host",
               sent_right + right / rates.built_ordered + pairs + copied(right),
               sent_left + searched + lines + written);
    }
    if (!ask.wants_order) {
      if (fits(right, (key_bytes + row_bytes) / usual_load))
        consider(join_plan::method::build, "HT(open)", sent_right + right / rates.built_hashed, probed(false));
      bool const over_left = ask.kind == join_kind::inner && ask.left < ask.right;
      double const build = over_left ? sent_left + left / rates.built_hashed : sent_right + right / rates.built_hashed;
      double const search = over_left ? std::max(right / rates.probed_hashed, sent_right) + written : probed(false);
      if (fits(over_left ? left : right, (key_bytes + row_bytes) / low_load))
        consider(join_plan::method::hash, hash_spec, 0, build + search);
    }
    if (candidates.empty())
      throw out_of_memory(fmt::format("plan_join: no index over {} keys fits into {} bytes", ask.right, ask.room));

    auto const best = std::min_element(candidates.begin(), candidates.end(),
                                       [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
    join_plan plan{best->by, best->spec, best->seconds, {}};
    for (candidate const& c : candidates) {
      plan.reasons +=
          fmt::format("{}{} {}: {:.3g} s", plan.reasons.empty() ? "" : "; ", name_of(c.by), c.spec, c.seconds);
    }
    return plan;
  });
}

}  // namespace warpdex
