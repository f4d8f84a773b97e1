// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "base/types.hpp"
#include "clients/intervals/interval_parts.hpp"
#include "request/expect.hpp"

/// @file
/// The calls of intervals that need distances.
namespace warpdex {
namespace {

/// Calls run.operator()<Number>() with the type of lengths.
template <class Run> decltype(auto) with_length(key_type keys, Run const& run) {
  return is_real(keys) ? run.template operator()<double>() : run.template operator()<std::uint64_t>();
}

template <class Row> stretches<Row> stretches_of(interval_parts const& of, interval_cover const& cover) {
  return {of.values(of.starts), of.values(of.ends), cover.reach.as<Row>(), cover.first.as<std::uint64_t>(),
          cover.count,          of.shape().size};
}

/// Puts the sum of all numbers before each in its place. Floats are added up on the host, where no order of their sums
/// depends on the device.
void scan_lengths(std::uint64_t* numbers, std::uint64_t count, execution const& exec) {
  backend_of(exec).exclusive_scan(numbers, count, exec);
}
void scan_lengths(double* numbers, std::uint64_t count, execution const& exec) {
  backend const& backend = backend_of(exec);
  std::vector<double> all(count + 1);
  backend.copy(all.data(), numbers, count * sizeof(double), exec);
  backend.synchronize(exec);
  long double sum = 0;
  for (double& number : all) sum += std::exchange(number, static_cast<double>(sum));
  backend.copy(numbers, all.data(), all.size() * sizeof(double), exec);
  backend.synchronize(exec);
}

interval_cover make_cover(interval_parts const& of, execution const& exec) {
  backend const& backend = backend_of(exec);
  std::uint64_t const size = of.shape().size;
  interval_cover made;
  made.first = buffer(size * sizeof(std::uint64_t), exec);
  with_row(of.shape().rows, [&]<class Row>() {
    made.reach = buffer(size * sizeof(Row), exec);
    auto* const reach = made.reach.as<Row>();
    backend.copy(reach, of.tree<Row>().level[0], made.reach.bytes(), exec);
    if (size != 0) backend.running_maximum(reach, size, exec);
    for (std::uint64_t begin = 0; begin < size; begin += tuning::validity_part)
      made.count += steps::select(measure_steps::find_stretch<Row>{of.values(of.starts), of.values(of.ends), reach,
                                                                   begin, made.first.as<std::uint64_t>() + made.count},
                                  std::min<std::uint64_t>(tuning::validity_part, size - begin), exec);
    made.covered = buffer((made.count + 1) * sizeof(std::uint64_t), exec);
    with_length(of.keys, [&]<class Number>() {
      auto* const lengths = made.covered.as<Number>();
      steps::run(measure_steps::measure_stretch<Row, Number>{stretches_of<Row>(of, made), lengths}, made.count, exec);
      scan_lengths(lengths, made.count, exec);
    });
  });
  backend.synchronize(exec);
  for (buffer* const array : {&made.reach, &made.first, &made.covered}) array->outlive_stream();
  return made;
}

/// @throws unsupported for keys without distances of 64 bits
void expect_lengths(char const* call, key_type keys) {
  if (size_of(keys) > sizeof(std::uint64_t))
    throw unsupported(std::string(call) + ": ends of type " + std::string(to_string(keys)) +
                      " have no lengths of 64 bits");
}

template <class Number>
void measure(interval_parts const& of, interval_batch const& batch, Number* out, execution const& exec) {
  group_places const within = of.find_groups(batch, exec);
  bounds_found const low = of.find_neighbours(batch.points(false), within, exec);
  bounds_found const high = of.find_neighbours(batch.points(true), within, exec);
  interval_cover const& cover = of.cover(exec);
  range_array const& at = batch.bounds;
  with_row(of.shape().rows, [&]<class Row>() {
    steps::run(measure_steps::measure_cover<Row, Number>{stretches_of<Row>(of, cover),
                                                         cover.covered.as<Number>(),
                                                         {at.lower.type, at.lower.keys, at.upper.keys},
                                                         at.lower.valid,
                                                         at.upper.valid,
                                                         low.starts(),
                                                         low.ends(),
                                                         high.starts(),
                                                         high.ends(),
                                                         out},
               batch.size, exec);
  });
}

template <class Number>
void run_coverage(interval_parts const& of, interval_probes const& probes, std::span<Number> out,
                  execution const& exec) {
  constexpr char const* call = "intervals::coverage";
  run_call(call, exec, [&] {
    of.expect(call, probes);
    if (!probes.are_points) {
      expect_lengths(call, of.keys);
      if (is_real(of.keys) != std::is_same_v<Number, double>)
        throw invalid_argument(std::string(call) + ": ends of type " + std::string(to_string(of.keys)) +
                               " have lengths that are " + (is_real(of.keys) ? "double" : "std::uint64_t"));
      if (probes.lower.type != of.keys)
        throw invalid_argument(std::string(call) + ": starts and ends of probes are of type " +
                               std::string(to_string(probes.lower.type)) + ", those of the intervals of type " +
                               std::string(to_string(of.keys)));
    }
    expect_size(call, "the output", out.size(), probes.size());
    auto const answer = [&](interval_batch const& batch, void* to) {
      auto* const numbers = static_cast<Number*>(to);
      if (!batch.are_points()) return measure(of, batch, numbers, exec);
      bounds_found const found = of.find_bounds(batch, exec);
      steps::run(measure_steps::mark_match<Number>{found.starts(), found.ends(), numbers}, batch.size, exec);
    };
    run_probes(call, of, probes, {out.data(), sizeof(Number), "the output", false, true}, exec, answer);
  });
}

}  // namespace

interval_cover const& interval_parts::cover(execution const& exec) const {
  return cover_.get([&] { return make_cover(*this, exec); });
}

matches intervals::nearest(interval_probes const& points, std::uint64_t k, execution const& exec) const {
  constexpr char const* call = "intervals::nearest";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    of.expect(call, points);
    if (!points.are_points) throw invalid_argument(std::string(call) + ": the probes are intervals; it takes points");
    if (of.keys == key_type::bytes)
      throw unsupported(std::string(call) + ": ends of type bytes have an order but no distances");
    group_places within;
    return list_probes(
        call, of, points, exec,
        [&](interval_batch const& batch, std::uint64_t* counts) {
          within = of.find_groups(batch, exec);
          probe_array const& at = batch.bounds.lower;
          steps::run(measure_steps::count_nearest{at.type, at.keys, at.valid, of.range_of(within), k, counts},
                     batch.size, exec);
        },
        [&](interval_batch const& batch, std::uint64_t const* offsets, void* rows) {
          bounds_found const found = of.find_neighbours(batch, within, exec);
          probe_array const& at = batch.bounds.lower;
          with_row(of.shape().rows, [&]<class Row>() {
            steps::run_lists(
                measure_steps::list_nearest<Row>{of.tree<Row>(), of.rows<Row>(), static_cast<Row const*>(of.ends.rows),
                                                 of.values(of.starts), of.values(of.ends), at.type, at.keys,
                                                 found.starts(), found.ends(), of.range_of(within), offsets,
                                                 static_cast<Row*>(rows)},
                batch.size, exec);
          });
        });
  });
}

void intervals::coverage(interval_probes const& probes, std::span<std::uint64_t> out, execution const& exec) const {
  run_coverage(built("intervals::coverage"), probes, out, exec);
}

void intervals::coverage(interval_probes const& probes, std::span<double> out, execution const& exec) const {
  run_coverage(built("intervals::coverage"), probes, out, exec);
}

}  // namespace warpdex
