// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/asof.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "clients/join/join_steps.hpp"
#include "clients/join/repeats.hpp"
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
distance limit_of(char const* call, asof_tolerance const& tolerance, measure by, std::uint64_t unit) {
  auto const* const whole = std::get_if<std::int64_t>(&tolerance);
  double const real = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(tolerance);
  if (whole != nullptr && *whole < 0) fail_tolerance(call, std::to_string(*whole));
  if (!(real >= 0)) fail_tolerance(call, std::to_string(real));
  if (by == measure::reals) return {0, real};
  if (whole != nullptr) return {static_cast<u128>(*whole) * unit, 0};
  double const scaled = std::floor(real * static_cast<double>(unit));
  return {scaled < 0x1p127 ? static_cast<u128>(scaled) : largest_whole, 0};
}

}  // namespace

asof_request::asof_request(char const* call, asof_options const& options, key_type probes, key_type keys)
    : looks_below(options.strategy != asof_strategy::forward), looks_above(options.strategy != asof_strategy::backward),
      measures(options.tolerance.has_value() || options.strategy == asof_strategy::nearest ||
               options.tolerances.size != 0 || options.relative != 0),
      later(options.prefer == asof_preference::later), last_below(options.ties != asof_ties::first),
      last_above(options.ties == asof_ties::last), limit{largest_whole, 0}, tolerances(options.tolerances),
      relative(options.relative), by(measure_of(probes, keys)),
      unit(by == measure::calendar && keys == key_type::date ? detail::microseconds_per_day : 1) {
  if (static_cast<unsigned>(options.strategy) > static_cast<unsigned>(asof_strategy::nearest))
    throw invalid_argument(std::string(call) + ": strategy number " +
                           std::to_string(static_cast<int>(options.strategy)) + " is unknown");
  if (measures && keys == key_type::bytes)
    throw unsupported(std::string(call) +
                      ": keys of type bytes have an order but no distances; ask for the nearest key " +
                      "backward or forward, without a tolerance");
  if (tolerances.size != 0 && options.tolerance)
    throw invalid_argument(std::string(call) + ": there is a tolerance for all probes, and one for each");
  if (!(relative >= 0 && relative < std::numeric_limits<double>::infinity()))
    throw invalid_argument(std::string(call) + ": the relative tolerance is " + std::to_string(relative) +
                           "; it must be a number from 0 on");
  if (options.tolerance) limit = limit_of(call, *options.tolerance, by, unit);
  else if (relative != 0 && tolerances.size == 0) limit = {0, 0};
}

std::optional<nearest_rule> one_search(asof_request const& ask, bool exact, key_type probes, key_type keys,
                                       std::uint64_t group) {
  bool const distances_of_codes = !is_real(keys) || !ask.measures;
  bool const varies = ask.relative != 0 || ask.tolerances.size != 0;
  if (!exact || probes != keys || size_of(keys) > sizeof(std::uint64_t) || !distances_of_codes || varies)
    return std::nullopt;
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

/// The same, and any other search, in shards. Their floors and ceilings are those of lookups: with equal keys, and the
/// first row of each; all else follows from ranks.
class shard_search {
 public:
  shard_search(searched_index const& right, side_ask const& ask, execution const& exec)
      : right_(right), shards_(right.shards()), ask_(ask), exec_(exec),
        strict_(ask.side == rounding::below || ask.side == rounding::above) {}

  void find(row_array rows, void* keys) const {
    if (!strict_ && !ask_.last) return answer(ask_.above ? lookups::ceil : lookups::floor, probes(), {rows.data, keys});
    buffer const ranks(ask_.size * sizeof(std::uint64_t), exec_), missing(ask_.size, exec_);
    auto* const at = ranks.as<std::uint64_t>();
    answer(ask_.above != strict_ ? lookups::lower_bound : lookups::upper_bound, probes(), {at, nullptr});
    step_to_entry(at, !ask_.above, missing.as<std::uint8_t>());
    if (shards_.size() != 0) find_at(at, rows, keys);
    steps::run(join_steps::clear_missing{missing.as<std::uint8_t>(), rows}, ask_.size, exec_);
    backend_of(exec_).synchronize(exec_);  // before arrays go that shards may read
  }

 private:
  range_array probes() const { return {probe_form::keys, ask_.probes}; }

  void answer(lookup const& what, range_array const& probes, std::array<void*, 2> to) const {
    void* const outputs[2] = {to[0], to[1]};
    shards_.answer(what, probes, ask_.size, 0, outputs, exec_);
  }

  void step_to_entry(std::uint64_t* ranks, bool before, std::uint8_t* missing) const {
    steps::run(join_steps::pick_entry{ranks, ask_.size, shards_.size(), before, missing, nullptr}, ask_.size, exec_);
  }

  /// Writes the rows and keys of the entries with some ranks, each next to its probe, or those at the other end of
  /// their keys.
  void find_at(std::uint64_t* ranks, row_array rows, void* keys) const {
    bool const other_end = ask_.above == ask_.last;
    key_list found;
    if (keys != nullptr || other_end) found = keys_at(right_.shards(), {ranks, ask_.size}, exec_);
    key_type const type = shards_.like().shape().keys;
    bool const are_strings = type == key_type::bytes && found.size != 0;
    buffer references;
    if (are_strings)
      references =
          backend_of(exec_).references({found.keys.as<unsigned char const>(), found.view().strings}, ask_.size, exec_);
    buffer const& of_entries = are_strings ? references : found.keys;
    if (keys != nullptr) backend_of(exec_).copy(keys, of_entries.data(), ask_.size * size_of(type), exec_);
    range_array const entries{probe_form::keys, {of_entries.data(), type}};
    if (other_end && !ask_.last) return answer(lookups::find, entries, {rows.data, nullptr});
    if (other_end) {
      answer(lookups::upper_bound, entries, {ranks, nullptr});
      step_to_entry(ranks, true, nullptr);
    }
    right_.rows_at(ranks, nullptr, ask_.size, rows.data, exec_);
    if (are_strings && keys != nullptr) *ask_.strings = std::move(found);
  }

  searched_index const& right_;
  sharded_batches const shards_;
  side_ask const& ask_;
  execution const& exec_;
  bool strict_;  ///< whether equal keys do not count
};

}  // namespace

void find_side(searched_index const& right, side_ask const& ask, row_array rows, void* keys, execution const& exec) {
  if (right.whole() == nullptr) return shard_search(right, ask, exec).find(rows, keys);
  structure const& s = *right.whole();
  if (ask.last && may_repeat(s, ask.size, exec)) return find_last(s, ask, rows, keys, exec);
  run_points(s, ask.above ? lookups::ceil : lookups::floor, ask.probes, ask.size, {rows.data, keys}, exec, ask.side);
}

buffer find_nearest(asof_request const& ask, asof_probes const& probes, key_type keys, std::size_t place_width,
                    row_array rows, side_search const& search, execution const& exec) {
  // The rows of one side are found in the output.
  side_found down, up;
  buffer above_rows;
  row_array below, above;
  if (ask.looks_below) {
    below = rows;
    down = search(false, below);
  }
  if (ask.looks_above) {
    if (ask.looks_below) above_rows = buffer(probes.size * rows.width, exec);
    above = {ask.looks_below ? above_rows.data() : rows.data, rows.width};
    up = search(true, above);
  }
  if (ask.measures)
    steps::run(join_steps::choose_match{probes.of.type, keys, probes.of.keys, down.measured(), below, up.measured(),
                                        above, ask.later, ask.limits(probes.tolerances), rows, place_width,
                                        down.places.data(), ask.looks_below ? up.places.data() : nullptr},
               probes.size, exec);
  answer_nulls(probes.of.valid, probes.size, rows.data, rows.width, rows.none(), exec);
  return std::move(ask.looks_below ? down.places : up.places);
}

void find_by_rule(structure const& s, nearest_rule const& rule, asof_probes const& probes, row_array rows,
                  execution const& exec) {
  point_batch batch{search_op::nearest, codec_of(s.shape().keys), probes.of.keys, probes.size, rows.data, nullptr};
  batch.rule = rule;
  s.point(batch, exec);
  answer_nulls(probes.of.valid, probes.size, rows.data, rows.width, rows.none(), exec);
}

namespace {

/// An as-of join with an index, checked.
class index_asof {
 public:
  index_asof(char const* call, any_index const& right, key_type probes, asof_options const& options,
             execution const& exec)
      : right_(right, call, exec), exact_(options.allow_exact_matches), exec_(exec),
        ask_(checked(call, probes, options)) {
    if (right_.whole() != nullptr) rule_ = one_search(ask_, exact_, probes, right_.shape().keys);
  }

  searched_index const& right() const { return right_; }

  asof_request const& request() const { return ask_; }

  /// Writes the row of each match. @return their keys, if wanted
  buffer find(range_array const& part, std::uint64_t size, row_array rows, bool wants_keys,
              probe_array const& tolerances = {}) const {
    asof_probes const probes{part.lower, size, tolerances};
    if (rule_ && !wants_keys) {
      find_by_rule(*right_.whole(), *rule_, probes, rows, exec_);
      return {};
    }
    std::size_t const width = size_of(right_.shape().keys);
    auto const search = [&](bool above, row_array found) {
      side_found result{buffer(ask_.measures || wants_keys ? size * width : 0, exec_), {}};
      rounding const side = above ? exact_ ? rounding::up : rounding::above : exact_ ? rounding::down : rounding::below;
      // If keys are wanted any row of a key will do. Those of strings come from ranks, as the search for the last row
      // has them.
      bool const last = wants_keys ? right_.shape().keys == key_type::bytes : above ? ask_.last_above : ask_.last_below;
      find_side(right_, {{part.lower.keys, part.lower.type}, size, above, side, last, &strings_}, found,
                result.places.data(), exec_);
      return result;
    };
    return find_nearest(ask_, probes, right_.shape().keys, wants_keys ? width : 0, rows, search, exec_);
  }

 private:
  asof_request checked(char const* call, key_type probes, asof_options const& options) const {
    expect_ordered(right_.like(), call);
    expect_comparable(call, "the probe column", probes, right_.shape().keys);
    return {call, options, probes, right_.shape().keys};
  }

  searched_index const right_;
  bool exact_;
  execution const& exec_;
  asof_request ask_;
  std::optional<nearest_rule> rule_;  ///< how one search finds the match of a probe, if it can
  mutable key_list strings_;          ///< to which the keys of the last part refer, if they are in shards
};

constexpr char const* join_call = "join_asof";

/// Calls work(entries, request) for a join that hands over pairs.
auto with_pairs(any_index const& right, nullable_column const& probes, join_kind kind, execution const& exec,
                asof_options const& options, auto const& work) {
  return run_call(join_call, exec, [&] {
    expect_no_offsets(join_call, options);
    index_asof const join(join_call, right, probes.type, options, exec);
    match_search const nearest = [&](auto const&... of) { return join.find(of...); };
    return work(join.right(), join_request{join_call, kind, probe_form::keys, {probes}, nearest});
  });
}

join_steps::value_offset offset_of(char const* call, asof_tolerance const& offset, key_type probes) {
  auto const* const whole = std::get_if<std::int64_t>(&offset);
  double const real = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(offset);
  bool const is_whole = real == std::floor(real) && std::abs(real) < 0x1p63;
  if (std::isnan(real) || (whole == nullptr && !is_real(probes) && !is_whole))
    throw invalid_argument(std::string(call) + ": one of the offsets is " + std::to_string(real) +
                           "; for probes of type " + std::string(to_string(probes)) + " it must be " +
                           (is_real(probes) ? "a number" : "an integer of 64 bits"));
  if (is_real(probes)) return {0, real};
  return {whole != nullptr ? *whole : static_cast<std::int64_t>(real), 0};
}

}  // namespace

staged_tolerances::staged_tolerances(char const* call, asof_request const& ask, std::uint64_t probes, staging& stage,
                                     execution const& exec) {
  nullable_column const& tolerances = ask.tolerances;
  if (tolerances.size == 0) return;
  constexpr char const* what = "the column of tolerances";
  if (tolerances.type != key_type::i64 && tolerances.type != key_type::f64)
    throw invalid_argument(std::string(call) + ": " + what + " is of type " + std::string(to_string(tolerances.type)) +
                           "; it must be of type i64 or f64");
  expect_size(call, what, tolerances.size, probes);
  column const& values = tolerances;
  all_ = {stage.input(values, what).data, tolerances.type,
          stage.validity(tolerances, "the validity of the tolerances")};
  if (auto const at = steps::find_first(join_steps::is_no_distance{all_.keys, all_.type, all_.valid}, probes, exec))
    throw invalid_argument(std::string(call) + ": tolerance number " + std::to_string(*at) +
                           " is negative or NaN; it must be a number from 0 on");
}

void expect_no_offsets(char const* call, asof_options const& options) {
  if (options.tolerances.size != 0)
    throw unsupported(std::string(call) + ": tolerances of each probe are only for outputs of rows, not for pairs");
  if (!options.offsets.empty())
    throw unsupported(std::string(call) + ": offsets are only for outputs of rows, not for pairs");
}

bool join_by_offsets(char const* call, nullable_column probes, row_output rows, staging& stage, execution const& exec,
                     asof_options const& options, moved_join const& run) {
  key_type const type = probes.type;
  if (type == key_type::bytes || type == key_type::u128)
    throw unsupported(std::string(call) + ": offsets are " + std::to_string(options.offsets.size()) +
                      "; probes of type " + std::string(to_string(type)) + " cannot be moved");
  std::vector<join_steps::value_offset> offsets;
  for (asof_tolerance const& offset : options.offsets) offsets.push_back(offset_of(call, offset, type));
  expect_size(call, "the row output", rows.size, probes.size * offsets.size());
  if (probes.size == 0) return true;
  std::size_t const width = size_of(rows.type);
  column const& values = probes;
  void const* const from = stage.input(values, "the probe column").data;
  buffer const moved(probes.size * size_of(type), exec);
  buffer const found(probes.size * width, exec);
  probes.data = moved.data();
  asof_options once = options;
  once.offsets.clear();
  auto const& backend = backend_of(exec);
  bool waits = false;
  for (join_steps::value_offset const& by : offsets) {
    std::array<batch_array, 1> written{{{rows.data, width, "the row output", false, true}}};
    waits |= !stage.use(probes.size, written);
    steps::run(join_steps::move_probe{type, from, by, moved.data()}, probes.size, exec);
    if (!run(probes, {found.data(), probes.size, rows.type}, once)) return false;
    steps::run(join_steps::clear_moved{type, from, by, {found.data(), width}}, probes.size, exec);
    backend.copy(rows.data, found.data(), found.bytes(), exec);
    rows.data = static_cast<char*>(rows.data) + found.bytes();
  }
  if (waits) backend.synchronize(exec);
  return true;
}

void join_asof(any_index const& right, nullable_column const& probes, row_output rows, execution const& exec,
               asof_options const& options) {
  constexpr char const* call = join_call;
  run_call(call, exec, [&] {
    index_asof const join(call, right, probes.type, options, exec);
    index_shape const& shape = join.right().shape();
    expect_type(call, "the row output", rows.type, shape.rows);
    staging stage(call, shape.backend, shape.device, exec);
    if (!options.offsets.empty()) {
      auto const run = [&](nullable_column const& moved, row_output to, asof_options const& once) {
        join_asof(right, moved, to, exec, once);
        return true;
      };
      join_by_offsets(call, probes, rows, stage, exec, options, run);
      return;
    }
    expect_size(call, "the row output", rows.size, probes.size);
    if (probes.size == 0) return;
    key_ranges const query{probes};
    staged_ranges const staged(probe_form::keys, query, stage);
    staged_tolerances const tolerances(call, join.request(), probes.size, stage, exec);
    std::uint64_t done = 0;
    std::vector<batch_array> arrays = staged.columns(stage);
    arrays.push_back({rows.data, size_of(shape.rows), "the row output", false, true});
    stage.run(probes.size, std::move(arrays), join.right().efficient_batch(probes.size),
              [&](void* const* at, std::uint64_t size) {
                join.find(staged.part(at, done), size, {at[1], size_of(shape.rows)}, false, tolerances.from(done));
                done += size;
              });
  });
}

std::uint64_t join_asof(any_index const& right, nullable_column const& probes, join_kind kind, join_sink const& sink,
                        execution const& exec, asof_options const& options, join_options const& parts) {
  return with_pairs(right, probes, kind, exec, options, [&](searched_index const& s, join_request const& ask) {
    return run_join(s, ask, sink, exec, parts);
  });
}

joined join_asof(any_index const& right, nullable_column const& probes, join_kind kind, execution const& exec,
                 asof_options const& options, join_options const& parts) {
  return with_pairs(right, probes, kind, exec, options, [&](searched_index const& s, join_request const& ask) {
    return collect_join(s, ask, exec, parts);
  });
}

}  // namespace warpdex
