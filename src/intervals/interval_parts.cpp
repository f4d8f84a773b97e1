// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "intervals/interval_parts.hpp"

#include <string>

#include "base/types.hpp"
#include "join/pairs.hpp"
#include "request/expect.hpp"

/// @file
/// How intervals are built, and how the bounds of probes are found.
namespace warpdex {
namespace {

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
  auto const plan =
      make_plan(spec("AO+BS/layout=SoA"), {keys.type, row, keys.size, exec.memory->backend(), device_of_call(exec)});
  auto const ids = given == nullptr ? std::nullopt : std::optional(*given);
  entries = plan->make(backend.sort(keys, ids, row, std::nullopt, exec).pairs, exec);
  auto const in_place = entries->entries_in_place();
  if (!in_place) copied = entries->entries(exec).rows;
  rows = in_place ? in_place->rows : copied.data();
  backend.synchronize(exec);
  entries->outlive_stream();
  copied.outlive_stream();
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

void interval_parts::expect(char const* call, interval_probes const& probes) const {
  if (probes.are_points) return expect_comparable(call, "the column of points", probes.lower.type, keys);
  expect_comparable(call, "the column of starts", probes.lower.type, keys);
  expect_known(call, "the column of ends", probes.upper.type);
  if (probes.upper.type != probes.lower.type)
    throw invalid_argument(std::string(call) + ": the column of ends is of type " +
                           std::string(to_string(probes.upper.type)) + ", that of starts of type " +
                           std::string(to_string(probes.lower.type)));
  expect_size(call, "the column of ends", probes.upper.size, probes.lower.size);
}

bounds_found interval_parts::find_bounds(interval_batch const& probes, closed_ends with, execution const& exec) const {
  auto const& [lower, size] = std::pair(probes.bounds.lower, probes.size);
  bool const both = with == closed_ends::both;
  bool const points = probes.are_points();
  bool const with_start = both || (points && with == closed_ends::left);
  bool const with_end = both || (points && with == closed_ends::right);
  probe_array const& last = points ? lower : probes.bounds.upper;
  bounds_found found(size, exec);
  run_points(*starts.entries, with_start ? lookups::upper_bound : lookups::lower_bound, {last.keys, last.type}, size,
             {found.starts()}, exec);
  run_points(*ends.entries, with_end ? lookups::lower_bound : lookups::upper_bound, {lower.keys, lower.type}, size,
             {found.ends()}, exec);
  if (!points || lower.valid.bits != nullptr)
    steps::run(
        interval_steps::clear_empty{
            {lower.type, lower.keys, last.keys}, lower.valid, last.valid, both || points, found.starts(), found.ends()},
        size, exec);
  return found;
}

staged_intervals::staged_intervals(interval_probes const& probes, staging& stage)
    : ranges_{probes.lower, probes.upper}, staged_(probes.are_points ? probe_form::keys : probe_form::ranges, ranges_,
                                                   stage, probes.are_points ? names_of_points : names_of_intervals) {}

}  // namespace warpdex
