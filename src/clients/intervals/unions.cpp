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
/// The union of intervals: its stretches, how much of probes it covers, and which parts of them it leaves.
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
    if (size_of(of.keys) > sizeof(std::uint64_t)) return;  // keys without lengths
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

/// The ends of probes among the intervals, and what these cover.
struct placed_ends {
  interval_parts const& of;
  group_places within;
  bounds_found low;
  bounds_found high;
  interval_cover const& cover;

  placed_ends(interval_parts const& parts, interval_batch const& batch, execution const& exec)
      : of(parts), within(of.find_groups(batch, exec)),
        low(of.find_neighbours(batch.points(false), closed_ends::both, within, exec)),
        high(of.find_neighbours(batch.points(true), closed_ends::both, within, exec)), cover(of.cover(exec)) {}

  template <class Row> measure_steps::placed_probes<Row> probes(interval_batch const& batch) const {
    range_array const& at = batch.bounds;
    return {stretches_of<Row>(of, cover),
            {at.lower.type, at.lower.keys, at.upper.keys},
            at.lower.valid,
            at.upper.valid,
            low.starts(),
            low.ends(),
            high.starts(),
            high.ends()};
  }
};

/// @throws unsupported for strings, whose order is not in their entries
void expect_union(char const* call, key_type keys) {
  if (keys == key_type::bytes)
    throw unsupported(std::string(call) + ": ends of type bytes are compared, but not merged");
}

/// @throws unsupported for keys without distances of 64 bits
void expect_lengths(char const* call, key_type keys) {
  if (size_of(keys) > sizeof(std::uint64_t))
    throw unsupported(std::string(call) + ": ends of type " + std::string(to_string(keys)) +
                      " have no lengths of 64 bits");
}

template <class Number>
void measure(interval_parts const& of, interval_batch const& batch, Number* out, execution const& exec) {
  placed_ends const ends(of, batch, exec);
  with_row(of.shape().rows, [&]<class Row>() {
    steps::run(measure_steps::measure_cover<Row, Number>{ends.probes<Row>(batch), ends.cover.covered.as<Number>(), out},
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
  starts.entries->expect_whole();
  return cover_.get([&] { return make_cover(*this, exec); });
}

void intervals::coverage(interval_probes const& probes, std::span<std::uint64_t> out, execution const& exec) const {
  run_coverage(built("intervals::coverage"), probes, out, exec);
}

void intervals::coverage(interval_probes const& probes, std::span<double> out, execution const& exec) const {
  run_coverage(built("intervals::coverage"), probes, out, exec);
}

merged_intervals intervals::merge(execution const& exec) const {
  constexpr char const* call = "intervals::merge";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    expect_union(call, of.keys);
    index_shape const& shape = of.shape();
    staging const stage(call, shape.backend, shape.device, exec);
    interval_cover const& cover = of.cover(exec);
    std::size_t const width = size_of(shape.rows);
    merged_intervals made{buffer(cover.count * width, exec),
                          buffer(cover.count * width, exec),
                          buffer(cover.count * sizeof(std::uint64_t), exec),
                          buffer(of.all_rows * width, exec),
                          cover.count,
                          of.all_rows,
                          shape.rows};
    with_row(shape.rows, [&]<class Row>() {
      stretches<Row> const found = stretches_of<Row>(of, cover);
      Row const* const rows = of.rows<Row>();
      steps::run(
          measure_steps::write_stretch<Row>{found, rows, static_cast<Row const*>(of.ends.rows), made.starts.as<Row>(),
                                            made.ends.as<Row>(), made.counts.as<std::uint64_t>()},
          cover.count, exec);
      steps::run(join_steps::fill_none{{made.clusters.data(), width}}, of.all_rows, exec);
      steps::run(measure_steps::write_cluster<Row>{found, rows, made.clusters.as<Row>()}, shape.size, exec);
    });
    backend_of(shape.backend).synchronize(exec);
    return made;
  });
}

interval_gaps intervals::gaps(interval_probes const& probes, execution const& exec) const {
  constexpr char const* call = "intervals::gaps";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    of.expect(call, probes);
    if (probes.are_points) throw invalid_argument(std::string(call) + ": the probes are points; it takes intervals");
    expect_union(call, of.keys);
    interval_gaps found;
    std::optional<placed_ends> ends;
    static_cast<matches&>(found) = list_probes(
        call, of, probes, exec,
        [&](interval_batch const& batch, std::uint64_t* counts) {
          ends.emplace(of, batch, exec);
          with_row(of.shape().rows, [&]<class Row>() {
            steps::run(measure_steps::count_gaps<Row>{ends->probes<Row>(batch), counts}, batch.size, exec);
          });
        },
        [&](interval_batch const& batch, std::uint64_t const* offsets, matches& listed) {
          found.ends = buffer(listed.total * size_of(listed.row_type), exec);
          with_row(of.shape().rows, [&]<class Row>() {
            steps::run_lists(measure_steps::list_gaps<Row>{ends->probes<Row>(batch), of.rows<Row>(),
                                                           static_cast<Row const*>(of.ends.rows), offsets,
                                                           listed.rows.as<Row>(), found.ends.as<Row>()},
                             batch.size, exec);
          });
        });
    return found;
  });
}

}  // namespace warpdex
