// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <warpdex/error.hpp>
#include <warpdex/join.hpp>

#include <algorithm>

#include "base/call.hpp"
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

    constexpr double per_second = 1e9;
    auto const left = static_cast<double>(ask.left) / per_second;
    auto const right = static_cast<double>(ask.right) / per_second;
    auto const joins = static_cast<double>(ask.joins);
    auto const copied = [&](double keys, bool on_host) {
      return on_host ? keys * static_cast<double>(ask.key_bytes) / rates.bytes : 0;
    };
    double const written = left * ask.matches / rates.pairs;
    auto const probed = [&](double keys, bool on_host, double rate) {
      return std::max(keys / rate, copied(keys, on_host)) + written;
    };
    auto const rate_of = [&](bool ordered) { return ordered ? rates.probed_ordered : rates.probed_hashed; };

    std::vector<candidate> candidates;
    if (ask.existing) {
      bool const ordered = is_ordered(*ask.existing);
      if (ordered || !ask.wants_order)
        candidates.push_back(
            {join_plan::method::existing, *ask.existing, joins * probed(left, ask.left_on_host, rate_of(ordered))});
    }
    double const brought = copied(right, ask.right_on_host);
    candidates.push_back(
        {join_plan::method::build, "auto(ranges)",
         brought + right / rates.built_ordered + joins * probed(left, ask.left_on_host, rates.probed_ordered)});
    if (!ask.wants_order) {
      candidates.push_back(
          {join_plan::method::build, "HT(open)",
           brought + right / rates.built_hashed + joins * probed(left, ask.left_on_host, rates.probed_hashed)});
      bool const over_left = ask.left < ask.right;
      double const built = over_left ? left : right;
      double const build = copied(built, over_left ? ask.left_on_host : ask.right_on_host) + built / rates.built_hashed;
      double const search =
          probed(over_left ? right : left, over_left ? ask.right_on_host : ask.left_on_host, rates.probed_hashed);
      candidates.push_back({join_plan::method::hash, "HT(open,load=0.5)", joins * (build + search)});
    }

    auto const best = std::min_element(candidates.begin(), candidates.end(),
                                       [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
    join_plan plan{best->by, best->spec, best->seconds, {}};
    for (candidate const& c : candidates) {
      char const* const name = c.by == join_plan::method::existing ? "join with the existing "
                               : c.by == join_plan::method::build  ? "build and join with "
                                                                   : "hash join by ";
      plan.reasons += fmt::format("{}{}{}: {:.3g} s", plan.reasons.empty() ? "" : "; ", name, c.spec, c.seconds);
    }
    return plan;
  });
}

}  // namespace warpdex
