// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/api_border.hpp"
#include "base/types.hpp"
#include "clients/intervals/interval_parts.hpp"
#include "request/expect.hpp"

/// @file
/// Which intervals are nearest.
namespace warpdex {
namespace {

/// @throws unsupported for types without distances, or whose distances take more than 64 bits although they are asked
/// for
void expect_distances(char const* call, key_type probes, key_type keys, nearest_options const& options) {
  if (keys == key_type::bytes)
    throw unsupported(std::string(call) + ": ends of type bytes have an order but no distances");
  if (static_cast<unsigned>(options.side) > static_cast<unsigned>(interval_side::after))
    throw invalid_argument(std::string(call) + ": the side number " + std::to_string(static_cast<int>(options.side)) +
                           " is unknown");
  measure const by = measure_of(probes, keys);
  if (!options.with_distances || by == measure::reals) return;
  auto const is_signed = [](key_type type) { return codec_of(type) == key_codec::flip_sign; };
  bool const has_u64 = probes == key_type::u64 || keys == key_type::u64;
  if (by == measure::calendar || probes == key_type::u128 || keys == key_type::u128 ||
      (has_u64 && (is_signed(probes) || is_signed(keys))))
    throw unsupported(std::string(call) + ": probes of type " + std::string(to_string(probes)) +
                      " and intervals of type " + std::string(to_string(keys)) +
                      " have distances of more than 64 bits");
}

}  // namespace

nearest_intervals intervals::nearest(interval_probes const& probes, std::uint64_t k, execution const& exec,
                                     nearest_options const& options) const {
  constexpr char const* call = "intervals::nearest";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    of.expect(call, probes);
    expect_distances(call, probes.lower.type, of.keys, options);
    nearest_intervals found;
    found.are_real = measure_of(probes.lower.type, of.keys) == measure::reals;
    group_places within;
    bounds_found at(0, exec);
    auto const neighbours_of = [&](interval_batch const& batch) -> measure_steps::neighbours {
      range_array const& ends = batch.bounds;
      return {{ends.lower.type, ends.lower.keys, batch.are_points() ? ends.lower.keys : ends.upper.keys},
              at.starts(),
              at.ends(),
              of.range_of(within),
              !options.ignore_overlaps,
              options.side != interval_side::after,
              options.side != interval_side::before};
    };
    static_cast<matches&>(found) = list_probes(
        call, of, probes, exec,
        [&](interval_batch const& batch, std::uint64_t* counts) {
          within = of.find_groups(batch, exec);
          at = of.find_neighbours(batch, of.closed, within, exec);
          range_array const& ends = batch.bounds;
          steps::run(measure_steps::count_nearest{neighbours_of(batch), ends.lower.valid,
                                                  batch.are_points() ? ends.lower.valid : ends.upper.valid, k, counts},
                     batch.size, exec);
        },
        [&](interval_batch const& batch, std::uint64_t const* offsets, matches& listed) {
          if (options.with_distances) found.distances = buffer(listed.total * sizeof(std::uint64_t), exec);
          with_row(of.shape().rows, [&]<class Row>() {
            steps::run_lists(
                measure_steps::list_nearest<Row>{neighbours_of(batch), of.tree<Row>(), of.rows<Row>(),
                                                 static_cast<Row const*>(of.ends.rows), of.values(of.starts),
                                                 of.values(of.ends), offsets, listed.rows.as<Row>(),
                                                 found.distances.as<std::uint64_t>(), found.are_real},
                batch.size, exec);
          });
        });
    return found;
  });
}

}  // namespace warpdex
