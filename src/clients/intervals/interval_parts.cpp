// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/intervals/interval_parts.hpp"
#include "clients/encoder/tuple_steps.hpp"

#include <string>

#include "base/types.hpp"
#include "clients/join/pairs.hpp"
#include "request/expect.hpp"

/// @file
/// How intervals are built, and how the bounds of probes are found.
namespace warpdex {
namespace {

constexpr char const* name_of_groups = "the column of groups";
constexpr range_names names_of_points{"the column of points", "the validity of the points"};
constexpr range_names names_of_intervals{"the column of starts", "the validity of the starts", "the column of ends",
                                         "the validity of the ends"};

/// @return values in the order of some rows, which are numbers of values
buffer gathered(column from, row_array rows, std::uint64_t size, execution const& exec) {
  std::size_t const width = size_of(from.type);
  buffer made(size * width, exec);
  steps::run(join_steps::gather{from.data, width, rows, made.data()}, size, exec);
  return made;
}

sorted_column sort_starts(column from, row_column const* kept, execution const& exec) {
  row_type const row = row_type_for(from.size);
  if (kept == nullptr) return {from, nullptr, row, exec};
  buffer const values = gathered(from, {const_cast<void*>(kept->data), size_of(row)}, kept->size, exec);
  return {{values.data(), kept->size, from.type}, kept, row, exec};
}

/// @param from ends by row
sorted_column sort_ends(column from, sorted_column const& starts, execution const& exec) {
  auto const& [keys, row, size, on, device] = starts.entries->shape();
  buffer const by_place = gathered(from, {const_cast<void*>(starts.rows), size_of(row)}, size, exec);
  return {{by_place.data(), size, keys}, nullptr, row, exec};
}

}  // namespace

sorted_column::sorted_column(column keys, row_column const* given, row_type row, execution const& exec) {
  backend const& backend = backend_of(exec);
  auto const plan = plan_of({keys.type, row, keys.size, exec.memory->backend(), device_of_call(exec)});
  auto const ids = given == nullptr ? std::nullopt : std::optional(*given);
  *this = sorted_column(plan->make(backend.sort(keys, ids, row, std::nullopt, exec).pairs, exec), exec);
}

std::unique_ptr<plan> sorted_column::plan_of(index_shape const& shape) {
  return make_plan(spec("AO+BS/layout=SoA"), shape);
}

sorted_column::sorted_column(std::unique_ptr<structure> sorted, execution const& exec) : entries(std::move(sorted)) {
  auto const in_place = entries->entries_in_place();
  if (!in_place) copied = entries->entries(exec).rows;
  rows = in_place ? in_place->rows : copied.data();
  backend_of(exec).synchronize(exec);
  entries->outlive_stream();
  copied.outlive_stream();
}

namespace {

/// @return the values of the kept rows, for the numbering; all if none is left out
column kept_of(column from, row_column const* kept, buffer& held, execution const& exec) {
  if (kept == nullptr) return from;
  held = gathered(from, {const_cast<void*>(kept->data), size_of(kept->type)}, kept->size, exec);
  return {held.data(), kept->size, from.type};
}

}  // namespace

std::unique_ptr<interval_parts> grouped_intervals(probe_array const& groups, column starts, column ends,
                                                  row_column const* kept, closed_ends closed, execution const& exec) {
  buffer held[3];
  column const kept_groups = kept_of({groups.keys, starts.size, groups.type}, kept, held[0], exec);
  column const kept_keys[2] = {kept_of(starts, kept, held[1], exec), kept_of(ends, kept, held[2], exec)};
  place_coder coder("intervals::build", {&kept_groups, 1}, kept_keys, exec);
  column const of(groups.keys, starts.size, groups.type);
  buffer const from = coder.place_all(of, starts, exec), to = coder.place_all(of, ends, exec);
  auto made = std::make_unique<interval_parts>(column(from.data(), starts.size, key_type::u64),
                                               column(to.data(), ends.size, key_type::u64), kept, closed, exec);
  made->keys = starts.type;
  made->coder.emplace(std::move(coder));
  return made;
}

interval_parts::interval_parts(column starts_of, column ends_of, row_column const* kept, closed_ends closed_at,
                               execution const& exec)
    : keys(starts_of.type), closed(closed_at), starts(sort_starts(starts_of, kept, exec)),
      ends(sort_ends(ends_of, starts, exec)) {
  grow_tree(exec);
}

void interval_parts::grow_tree(execution const& exec) {
  with_row(shape().rows, [&]<class Row>() {
    std::uint64_t nodes = shape().size;
    for (std::uint64_t const level : level_sizes(shape().size)) nodes += level;
    end_ranks = buffer(nodes * sizeof(Row), exec);
    auto* level = end_ranks.as<Row>();
    auto const* const places = static_cast<Row const*>(ends.rows);
    steps::run(interval_steps::write_end_rank<Row>{places, level}, shape().size, exec);
    std::uint64_t below = shape().size;
    for (std::uint64_t const size : level_sizes(shape().size)) {
      steps::run(interval_steps::write_maximum<Row>{level, below, level + below}, size, exec);
      level += below;
      below = size;
    }
  });
  backend_of(exec).synchronize(exec);
  end_ranks.outlive_stream();
}

template <class Row> end_tree<Row> interval_parts::tree() const {
  end_tree<Row> made{{end_ranks.as<Row>()}};
  std::uint64_t below = shape().size;
  int at = 0;
  for (std::uint64_t const size : level_sizes(shape().size)) {
    made.level[at + 1] = made.level[at] + below;
    below = size;
    ++at;
  }
  return made;
}

template end_tree<std::uint32_t> interval_parts::tree<std::uint32_t>() const;
template end_tree<std::uint64_t> interval_parts::tree<std::uint64_t>() const;

group_range interval_parts::range_of(group_places const& within) const {
  return {within.first.as<std::uint64_t>(), within.last.as<std::uint64_t>(), shape().size};
}

least_overlap::least_overlap(char const* call, asof_tolerance const& least, key_type keys) {
  auto const fail = [&](std::string const& why) {
    throw invalid_argument(std::string(call) + ": the least overlap " + why);
  };
  if (size_of(keys) > sizeof(std::uint64_t))
    throw unsupported(std::string(call) + ": ends of type " + std::string(to_string(keys)) +
                      " have no lengths of 64 bits, which the least overlap needs");
  length.counts = true;
  if (is_real(keys)) {
    length.of.real = std::visit([](auto number) { return static_cast<double>(number); }, least);
    if (!(length.of.real >= 0)) fail("is " + std::to_string(length.of.real) + "; it must not be negative");
    forward.real = length.of.real;
    backward.real = -length.of.real;
    return;
  }
  auto const* const whole = std::get_if<std::int64_t>(&least);
  if (whole == nullptr) fail("is no integer, but ends of type " + std::string(to_string(keys)) + " need one");
  if (*whole < 0) fail("is " + std::to_string(*whole) + "; it must not be negative");
  length.of.whole = static_cast<std::uint64_t>(*whole);
  forward.whole = *whole;
  backward.whole = -*whole;
}

sorted_values interval_parts::values(sorted_column const& of) const {
  void const* const codes = of.entries->entries_in_place()->keys;
  return {keys, codes, coder.has_value(), coder ? coder->keys_of_places() : tuple_steps::place_keys{}};
}

measure_steps::both_ends interval_parts::both_ends(least_overlap const* length, buffer (&strings)[2],
                                                   execution const& exec) const {
  auto const values_of = [&](sorted_column const& of, buffer& references) -> sorted_values {
    if (coder || keys != key_type::bytes) return values(of);
    references = of.entries->entries(exec).keys;
    return {keys, references.data(), false, {}};
  };
  return {values_of(starts, strings[0]), values_of(ends, strings[1]), closed == closed_ends::both,
          length == nullptr ? least_length{} : length->length};
}

void interval_parts::expect(char const* call, interval_probes const& probes) const {
  if (coder.has_value() != probes.groups.has_value())
    throw invalid_argument(std::string(call) + (coder ? ": the intervals are within groups, but the probes have none"
                                                      : ": the probes are within groups, but the intervals are not"));
  if (coder) {
    expect_comparable(call, "the column of groups", probes.groups->type, coder->groups());
    expect_size(call, "the column of groups", probes.groups->size, probes.size());
  }
  if (probes.are_points) return expect_comparable(call, "the column of points", probes.lower.type, keys);
  expect_comparable(call, "the column of starts", probes.lower.type, keys);
  if (least && probes.lower.type != keys)
    throw invalid_argument(std::string(call) + ": starts and ends of probes are of type " +
                           std::string(to_string(probes.lower.type)) + ", but the least overlap is one of " +
                           std::string(to_string(keys)));
  expect_known(call, "the column of ends", probes.upper.type);
  if (probes.upper.type != probes.lower.type)
    throw invalid_argument(std::string(call) + ": the column of ends is of type " +
                           std::string(to_string(probes.upper.type)) + ", that of starts of type " +
                           std::string(to_string(probes.lower.type)));
  expect_size(call, "the column of ends", probes.upper.size, probes.lower.size);
}

bounds_found interval_parts::find_places(interval_batch const& probes, closed_ends with,
                                         std::uint8_t* const (&missing)[2], execution const& exec) const {
  bool const both = with == closed_ends::both;
  bool const with_start = both || (probes.are_points() && with == closed_ends::left);
  bool const with_end = both || (probes.are_points() && with == closed_ends::right);
  bounds_found found(probes.size, exec);
  probe_array const& lower = probes.bounds.lower;
  probe_array const& last = probes.are_points() ? lower : probes.bounds.upper;
  if (!coder) {
    run_points(*starts.entries, with_start ? lookups::upper_bound : lookups::lower_bound, {last.keys, last.type},
               probes.size, {found.starts()}, exec);
    run_points(*ends.entries, with_end ? lookups::lower_bound : lookups::upper_bound, {lower.keys, lower.type},
               probes.size, {found.ends()}, exec);
    return found;
  }
  grouped_batch batch{probes.groups, lower, probes.size};
  coder->find_groups(batch, exec);
  buffer const from = coder->pack(batch, tuple_steps::packed_side::above, with_end, missing[0], exec);
  batch.probes = last;
  buffer const to = coder->pack(batch, tuple_steps::packed_side::below, with_start, missing[1], exec);
  run_points(*starts.entries, lookups::upper_bound, {to.data(), key_type::u64}, probes.size, {found.starts()}, exec);
  run_points(*ends.entries, lookups::lower_bound, {from.data(), key_type::u64}, probes.size, {found.ends()}, exec);
  return found;
}

bounds_found interval_parts::find_overlaps(interval_batch const& probes, execution const& exec) const {
  probe_array const& low = probes.bounds.lower;
  probe_array const& high = probes.bounds.upper;
  key_type const type = low.type;
  std::size_t const bytes = probes.size * size_of(type);
  buffer const from(bytes, exec), to(bytes, exec);
  steps::run(join_steps::move_probe{type, low.keys, least->forward, from.data()}, probes.size, exec);
  steps::run(join_steps::move_probe{type, high.keys, least->backward, to.data()}, probes.size, exec);
  interval_batch moved = probes;
  moved.bounds.lower.keys = from.data();
  moved.bounds.upper.keys = to.data();
  std::uint64_t const flags = coder ? probes.size : 0;
  buffer const above(flags, exec), below(flags, exec);
  std::uint8_t* const missing[2] = {above.as<std::uint8_t>(), below.as<std::uint8_t>()};
  bounds_found found = find_places(moved, closed_ends::both, missing, exec);
  steps::run(interval_steps::clear_empty{{type, low.keys, high.keys},
                                         low.valid,
                                         high.valid,
                                         true,
                                         least->length,
                                         {missing[0], missing[1]},
                                         found.starts(),
                                         found.ends()},
             probes.size, exec);
  return found;
}

bounds_found interval_parts::find_bounds(interval_batch const& probes, closed_ends with, execution const& exec) const {
  if (least && !probes.are_points()) return find_overlaps(probes, exec);
  bool const both = with == closed_ends::both;
  bool const points = probes.are_points();
  std::uint64_t const flags = coder ? probes.size : 0;
  buffer const above(flags, exec), below(flags, exec);
  std::uint8_t* const missing[2] = {above.as<std::uint8_t>(), below.as<std::uint8_t>()};
  bounds_found found = find_places(probes, with, missing, exec);
  probe_array const& lower = probes.bounds.lower;
  probe_array const& last = points ? lower : probes.bounds.upper;
  if (!points || coder || lower.valid.bits != nullptr)
    steps::run(interval_steps::clear_empty{{lower.type, lower.keys, last.keys},
                                           lower.valid,
                                           last.valid,
                                           both || points,
                                           {},
                                           {missing[0], missing[1]},
                                           found.starts(),
                                           found.ends()},
               probes.size, exec);
  return found;
}

group_places interval_parts::find_groups(interval_batch const& probes, execution const& exec) const {
  if (!coder) return {};
  std::uint64_t const size = probes.size;
  group_places found{buffer(size * sizeof(std::uint64_t), exec), buffer(size * sizeof(std::uint64_t), exec)};
  buffer const flags(size, exec);
  auto* const missing = flags.as<std::uint8_t>();
  grouped_batch batch{probes.groups, {nullptr, keys}, size};
  coder->find_groups(batch, exec);
  buffer const from = coder->pack(batch, tuple_steps::packed_side::above, true, missing, exec);
  buffer const to = coder->pack(batch, tuple_steps::packed_side::below, true, missing, exec);
  run_points(*starts.entries, lookups::lower_bound, {from.data(), key_type::u64}, size, {found.first.data()}, exec);
  run_points(*starts.entries, lookups::upper_bound, {to.data(), key_type::u64}, size, {found.last.data()}, exec);
  steps::run(measure_steps::clear_group{missing, found.first.as<std::uint64_t>(), found.last.as<std::uint64_t>()}, size,
             exec);
  return found;
}

bounds_found interval_parts::find_neighbours(interval_batch const& probes, closed_ends with, group_places const& within,
                                             execution const& exec) const {
  if (!coder) return find_places(probes, with, {nullptr, nullptr}, exec);
  buffer const above(probes.size, exec), below(probes.size, exec);
  bounds_found found = find_places(probes, with, {above.as<std::uint8_t>(), below.as<std::uint8_t>()}, exec);
  steps::run(measure_steps::settle_bounds{above.as<std::uint8_t>(), below.as<std::uint8_t>(), range_of(within),
                                          found.starts(), found.ends()},
             probes.size, exec);
  return found;
}

staged_intervals::staged_intervals(interval_probes const& probes, staging& stage)
    : groups_(probes.groups), ranges_{probes.lower, probes.upper},
      staged_(probes.are_points ? probe_form::keys : probe_form::ranges, ranges_, stage,
              probes.are_points ? names_of_points : names_of_intervals) {
  if (groups_) valid_ = stage.validity(*groups_, "the validity of the groups");
}

std::vector<batch_array> staged_intervals::columns(staging& stage) const {
  std::vector<batch_array> made;
  if (groups_) made.push_back(stage.probes(*groups_, name_of_groups));
  for (batch_array const& one : staged_.columns(stage)) made.push_back(one);
  return made;
}

interval_batch staged_intervals::whole(staging& stage) const {
  interval_batch made{staged_.whole(stage), ranges_.size()};
  if (!groups_) return made;
  column const& groups = *groups_;
  made.groups = {stage.input(groups, name_of_groups).data, groups.type, valid_};
  return made;
}

interval_batch staged_intervals::part(void* const* at, std::uint64_t first, std::uint64_t size) const {
  interval_batch made{staged_.part(at + (groups_ ? 1 : 0), first), size};
  if (groups_) made.groups = {at[0], groups_->type, valid_.from(first)};
  return made;
}

}  // namespace warpdex
