// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/asof.hpp"

#include <cmath>

#include "base/api_border.hpp"
#include "join/join_steps.hpp"
#include "join/repeats.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

constexpr u128 largest_whole = ~u128{0};

[[noreturn]] void fail_tolerance(char const* call, std::string const& value) {
  throw invalid_argument(std::string(call) + ": the tolerance is " + value + "; it must be a number from 0 on");
}

/// @return the largest distance that is within the tolerance
distance limit_of(char const* call, asof_tolerance const& tolerance, key_type probes, key_type keys) {
  auto const* const whole = std::get_if<std::int64_t>(&tolerance);
  double const real = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(tolerance);
  if (whole != nullptr && *whole < 0) fail_tolerance(call, std::to_string(*whole));
  if (!(real >= 0)) fail_tolerance(call, std::to_string(real));
  measure const by = measure_of(probes, keys);
  if (by == measure::reals) return {0, real};
  bool const in_days = by == measure::calendar && keys == key_type::date;
  auto const unit = static_cast<u128>(in_days ? detail::microseconds_per_day : 1);
  if (whole != nullptr) return {static_cast<u128>(*whole) * unit, 0};
  double const scaled = std::floor(real * static_cast<double>(unit));
  return {scaled < 0x1p127 ? static_cast<u128>(scaled) : largest_whole, 0};
}

}  // namespace

asof_request::asof_request(char const* call, asof_options const& options, key_type probes, key_type keys)
    : looks_below(options.direction != asof_direction::forward),
      looks_above(options.direction != asof_direction::backward),
      measures(options.tolerance.has_value() || options.direction == asof_direction::nearest), later(options.later),
      last_below(options.last_below), last_above(options.last_above), limit{largest_whole, 0} {
  if (static_cast<unsigned>(options.direction) > static_cast<unsigned>(asof_direction::nearest))
    throw invalid_argument(std::string(call) + ": direction number " +
                           std::to_string(static_cast<int>(options.direction)) + " is unknown");
  if (measures && keys == key_type::bytes)
    throw unsupported(std::string(call) +
                      ": keys of type bytes have an order but no distances; ask for the nearest key " +
                      "backward or forward, without a tolerance");
  if (options.tolerance) limit = limit_of(call, *options.tolerance, probes, keys);
}

std::optional<nearest_rule> one_search(asof_request const& ask, bool exact, key_type probes, key_type keys,
                                       std::uint64_t group) {
  bool const distances_of_codes = !is_real(keys) || !ask.measures;
  if (!exact || probes != keys || size_of(keys) > sizeof(std::uint64_t) || !distances_of_codes) return std::nullopt;
  constexpr auto farthest = ~std::uint64_t{0};
  nearest_rule rule;
  rule.below = ask.looks_below;
  rule.above = ask.looks_above;
  rule.later = ask.later;
  rule.last_below = ask.last_below;
  rule.last_above = ask.last_above;
  rule.limit = ask.limit.whole < farthest ? static_cast<std::uint64_t>(ask.limit.whole) : farthest;
  rule.group = group;
  return rule;
}

namespace {

/// Writes the row of the last entry of the nearest key of each probe.
void find_last(structure const& s, side_ask const& ask, row_array rows, void* keys, execution const& exec) {
  index_shape const& shape = s.shape();
  buffer const ranks(ask.size * sizeof(std::uint64_t), exec);
  buffer const offsets((ask.size + 1) * sizeof(std::uint64_t), exec);
  buffer const missing(ask.size, exec);
  auto* const at = ranks.as<std::uint64_t>();
  auto* const flags = missing.as<std::uint8_t>();
  run_points(s, ask.above ? lookups::lower_bound : lookups::upper_bound, ask.probes, ask.size, {at}, exec, ask.side);
  steps::run(join_steps::pick_entry{at, ask.size, shape.size, !ask.above, flags, offsets.as<std::uint64_t>()},
             ask.size + 1, exec);
  if (shape.size != 0) {
    buffer found(keys == nullptr && ask.above ? ask.size * size_of(shape.keys) : 0, exec);
    void* const to = keys == nullptr ? found.data() : keys;
    if (to != nullptr) s.keys_at(at, ask.size, to, exec);
    if (ask.above) {  // the first of the equal keys was found
      run_points(s, lookups::upper_bound, {to, shape.keys}, ask.size, {at}, exec);
      steps::run(join_steps::pick_entry{at, ask.size, shape.size, true, nullptr, nullptr}, ask.size, exec);
    }
    s.fill({at, offsets.as<std::uint64_t>(), ask.size, rows.data}, exec);
  }
  steps::run(join_steps::clear_missing{flags, rows}, ask.size, exec);
}

}  // namespace

void find_side(structure const& s, side_ask const& ask, row_array rows, void* keys, execution const& exec) {
  if (ask.last && may_repeat(s, ask.size, exec)) return find_last(s, ask, rows, keys, exec);
  run_points(s, ask.above ? lookups::ceil : lookups::floor, ask.probes, ask.size, {rows.data, keys}, exec, ask.side);
}

void find_nearest(asof_request const& ask, asof_probes const& probes, key_type keys, row_array rows,
                  side_search const& search, execution const& exec) {
  // The rows of one side are found in the output.
  buffer below_keys, above_keys, above_rows;
  row_array below, above;
  if (ask.looks_below) {
    below = rows;
    below_keys = search(false, below);
  }
  if (ask.looks_above) {
    if (ask.looks_below) above_rows = buffer(probes.size * rows.width, exec);
    above = {ask.looks_below ? above_rows.data() : rows.data, rows.width};
    above_keys = search(true, above);
  }
  if (ask.measures)
    steps::run(join_steps::choose_match{probes.of.type, keys, probes.of.keys, below_keys.data(), below,
                                        above_keys.data(), above, ask.later, ask.limit, rows},
               probes.size, exec);
  answer_nulls(probes.of.valid, probes.size, rows.data, rows.width, rows.none(), exec);
}

void find_by_rule(structure const& s, nearest_rule const& rule, asof_probes const& probes, row_array rows,
                  execution const& exec) {
  point_batch batch{search_op::nearest, codec_of(s.shape().keys), probes.of.keys, probes.size, rows.data, nullptr};
  batch.rule = rule;
  s.point(batch, exec);
  answer_nulls(probes.of.valid, probes.size, rows.data, rows.width, rows.none(), exec);
}

void asof_join(index const& right, nullable_column const& probes, row_output rows, execution const& exec,
               asof_options const& options) {
  constexpr char const* call = "asof_join";
  run_call(call, exec, [&] {
    structure const& s = structure_of(right, call);
    index_shape const& shape = s.shape();
    expect_ordered(s, call);
    expect_comparable(call, "the probe column", probes.type, shape.keys);
    expect_type(call, "the row output", rows.type, shape.rows);
    expect_size(call, "the row output", rows.size, probes.size);
    asof_request const ask(call, options, probes.type, shape.keys);
    staging stage(call, shape.backend, shape.device, exec);
    if (probes.size == 0) return;
    key_ranges const asked{probes};
    staged_ranges const staged(probe_form::keys, asked, stage);
    std::size_t const row_width = size_of(shape.rows);
    auto const rule = one_search(ask, options.exact, probes.type, shape.keys);
    std::uint64_t done = 0;
    std::vector<batch_array> arrays = staged.columns(stage);
    arrays.push_back({rows.data, row_width, "the row output", false, true});
    stage.run(probes.size, std::move(arrays), s.efficient_batch(), [&](void* const* at, std::uint64_t size) {
      auto const search = [&](bool above, row_array found) {
        buffer keys(ask.measures ? size * size_of(shape.keys) : 0, exec);
        rounding const side = above           ? options.exact ? rounding::up : rounding::above
                              : options.exact ? rounding::down
                                              : rounding::below;
        find_side(s, {{at[0], probes.type}, size, above, side, above ? ask.last_above : ask.last_below}, found,
                  keys.data(), exec);
        return keys;
      };
      asof_probes const part{staged.part(at, done).lower, size};
      row_array const to{at[1], row_width};
      if (rule) find_by_rule(s, *rule, part, to, exec);
      else find_nearest(ask, part, shape.keys, to, search, exec);
      done += size;
    });
  });
}

}  // namespace warpdex
