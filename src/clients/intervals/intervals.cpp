// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/intervals.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "base/types.hpp"
#include "clients/encoder/place_file.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "clients/intervals/interval_parts.hpp"
#include "clients/join/pairs.hpp"
#include "request/expect.hpp"
#include "request/text_of.hpp"

/// @file
/// The calls of intervals.
namespace warpdex {
namespace {

constexpr char const* build_call = "intervals::build";

/// @return a value as text
std::string text_of(column const& from, std::uint64_t i, execution const& exec) {
  backend const& backend = backend_of(exec);
  u128 bits = 0;
  std::size_t const width = size_of(from.type);
  backend.copy(&bits, static_cast<std::byte const*>(from.data) + i * width, width, exec);
  backend.synchronize(exec);
  if (from.type == key_type::bytes) return text_of(__builtin_bit_cast(byte_key, bits), exec);
  return with_key_type(from.type, [&]<class Key>() -> std::string {
    if constexpr (std::is_same_v<Key, u128>) {
      std::string text;
      for (u128 left = bits; left != 0 || text.empty(); left /= 10)
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
      return text;
    } else {
      return std::to_string(__builtin_bit_cast(key_number<Key>, static_cast<code_of<Key>>(bits)));
    }
  });
}

void expect_columns(nullable_column const* groups, nullable_column const& starts, nullable_column const& ends,
                    closed_ends closed) {
  std::string const call = build_call;
  expect_known(build_call, "the column of starts", starts.type);
  expect_known(build_call, "the column of ends", ends.type);
  if (static_cast<unsigned>(closed) > static_cast<unsigned>(closed_ends::none))
    throw invalid_argument(call + ": closed ends number " + std::to_string(static_cast<int>(closed)) + " are unknown");
  if (starts.type != ends.type)
    throw invalid_argument(call + ": the column of starts is of type " + std::string(to_string(starts.type)) +
                           ", that of ends of type " + std::string(to_string(ends.type)));
  expect_size(build_call, "the column of ends", ends.size, starts.size);
  if (groups == nullptr) return;
  expect_known(build_call, "the column of groups", groups->type);
  expect_size(build_call, "the column of groups", groups->size, starts.size);
}

/// Rows that are intervals.
struct kept_rows {
  buffer rows;
  std::uint64_t size = 0;

  kept_rows(interval_steps::keep_interval keep, std::uint64_t all, row_type type, execution const& exec)
      : rows(all * size_of(type), exec) {
    for (; keep.first < all; keep.first += tuning::validity_part) {
      keep.rows = {rows.as<char>() + size * size_of(type), size_of(type)};
      size += steps::select(keep, std::min<std::uint64_t>(tuning::validity_part, all - keep.first), exec);
    }
  }
};

/// @param groups null for intervals without groups
std::unique_ptr<interval_parts> build_parts(nullable_column const* groups, nullable_column const& starts,
                                            nullable_column const& ends, closed_ends closed,
                                            std::optional<asof_tolerance> const& least, execution const& exec) {
  expect_columns(groups, starts, ends, closed);
  std::optional<least_overlap> overlap;
  if (least) overlap.emplace(build_call, *least, starts.type);
  if (overlap && overlap->length.is_zero()) overlap.reset();
  staging stage(build_call, exec);
  constexpr bool checks = true;
  auto const reach = [&](column const& values, char const* what) { return stage.input(values, what, checks); };
  column const low = reach(starts, "the column of starts");
  column const high = reach(ends, "the column of ends");
  validity_bits const low_valid = stage.validity(starts, "the validity of the starts");
  validity_bits const high_valid = stage.validity(ends, "the validity of the ends");
  probe_array of{nullptr, key_type::u32};
  if (groups != nullptr) {
    of = {reach(*groups, "the column of groups").data, groups->type};
    of.valid = stage.validity(*groups, "the validity of the groups");
  }
  column_pair const both{low.type, low.data, high.data};
  if (auto const bad = steps::find_first(interval_steps::is_no_interval{both, low_valid, high_valid}, low.size, exec))
    throw invalid_argument(std::string(build_call) + ": row " + std::to_string(*bad) +
                           " is no interval: its start is " + text_of(low, *bad, exec) + ", its end " +
                           text_of(high, *bad, exec));
  row_type const row = row_type_for(low.size);
  bool const keeps_empty = closed == closed_ends::both;
  bool const keeps_all =
      keeps_empty && !overlap && low_valid.bits == nullptr && high_valid.bits == nullptr && of.valid.bits == nullptr;
  least_length const length = overlap ? overlap->length : least_length{};
  kept_rows const kept({both, low_valid, high_valid, of.valid, keeps_empty, length, 0, {}}, keeps_all ? 0 : low.size,
                       row, exec);
  row_column const left(kept.rows.data(), kept.size, row);
  row_column const* const rows = keeps_all || kept.size == low.size ? nullptr : &left;
  auto made = groups != nullptr ? grouped_intervals(of, low, high, rows, closed, exec)
                                : std::make_unique<interval_parts>(low, high, rows, closed, exec);
  made->least = overlap;
  made->all_rows = low.size;
  return made;
}

/// @return values, or places of them, of some rows of a sorted column
buffer values_at(interval_parts const& of, sorted_column const& from, row_array ranks, std::uint64_t size,
                 execution const& exec) {
  index_shape const& shape = from.entries->shape();
  std::size_t const width = size_of(shape.keys);
  buffer made(size * width, exec);
  steps::run(join_steps::gather{of.values(from).codes, width, ranks, made.data()}, size, exec);
  if (!of.coder) steps::run(tuple_steps::decode_key{shape.keys, made.data()}, size, exec);
  return made;
}

/// @return the intervals that are as long as a least overlap
std::unique_ptr<interval_parts> long_parts(char const* call, interval_parts const& of, asof_tolerance const& least,
                                           execution const& exec) {
  least_overlap const overlap(call, least, of.keys);
  index_shape const& shape = of.shape();
  staging const stage(call, shape.backend, shape.device, exec);
  std::size_t const width = size_of(shape.rows);
  of.starts.entries->expect_whole();
  buffer strings[2];
  buffer const places(shape.size * width, exec);
  measure_steps::keep_long keep{of.both_ends(&overlap, strings, exec), of.end_rank_of_places(), 0, {}};
  std::uint64_t size = 0;
  for (; keep.first < shape.size; keep.first += tuning::validity_part) {
    keep.kept = {places.as<char>() + size * width, width};
    size += steps::select(keep, std::min<std::uint64_t>(tuning::validity_part, shape.size - keep.first), exec);
  }
  buffer const rows(size * width, exec), end_ranks(size * width, exec);
  row_array const kept{places.data(), width};
  steps::run(join_steps::gather{of.starts.rows, width, kept, rows.data()}, size, exec);
  steps::run(join_steps::gather{of.end_ranks.data(), width, kept, end_ranks.data()}, size, exec);
  buffer const starts = values_at(of, of.starts, kept, size, exec);
  buffer const ends = values_at(of, of.ends, {end_ranks.data(), width}, size, exec);
  row_column const ids(rows.data(), size, shape.rows);
  auto made = std::make_unique<interval_parts>(
      of.keys, of.closed, sorted_column({starts.data(), size, shape.keys}, &ids, shape.rows, exec),
      sorted_column({ends.data(), size, shape.keys}, nullptr, shape.rows, exec));
  if (of.coder) made->coder.emplace(copied(of.coder->numbers(), exec), exec);
  if (!overlap.length.is_zero()) made->least = overlap;
  made->all_rows = of.all_rows;
  made->grow_tree(exec);
  return made;
}

void count_found(bounds_found const& found, std::uint64_t* counts, std::uint64_t size, execution const& exec) {
  steps::run(interval_steps::count_matches{found.starts(), found.ends(), counts}, size, exec);
}

/// Lists rows of probes. @param skipped, offsets, rows as in `list_matches`
void list_rows(interval_parts const& of, std::uint64_t const* started, std::uint64_t const* ended,
               std::uint64_t const* skipped, std::uint64_t const* offsets, std::uint64_t probes, void* rows,
               execution const& exec) {
  with_row(of.shape().rows, [&]<class Row>() {
    steps::run_lists(interval_steps::list_matches<Row>{of.tree<Row>(), of.rows<Row>(), started, ended, skipped, offsets,
                                                       static_cast<Row*>(rows)},
                     probes, exec);
  });
}

/// Joins probes by their bounds, which are ranges of ranks: (ended, started).
/// @param work work(entries, request) runs the join
template <class Work>
auto run_pairs(char const* call, interval_parts const& of, interval_probes const& probes, join_kind kind,
               execution const& exec, Work const& work) {
  of.expect(call, probes);
  index_shape const& shape = of.shape();
  staging stage(call, shape.backend, shape.device, exec);
  bounds_found const found = of.find_bounds(staged_intervals(probes, stage).whole(stage), exec);
  backend_of(shape.backend).synchronize(exec);
  auto const ranks = [](probe_array const& bound) { return static_cast<std::uint64_t const*>(bound.keys); };
  match_lister const lister{
      [&](range_array const& part, std::uint64_t size, std::uint64_t* counts) {
        steps::run(interval_steps::count_matches{ranks(part.upper), ranks(part.lower), counts}, size, exec);
      },
      [&](range_array const& part, std::uint64_t const* skipped, std::uint64_t const* offsets, std::uint64_t size,
          void* rows) { list_rows(of, ranks(part.upper), ranks(part.lower), skipped, offsets, size, rows, exec); }};
  key_ranges const bounds{column(found.ends(), probes.size(), key_type::u64),
                          column(found.starts(), probes.size(), key_type::u64)};
  return work(*of.starts.entries, join_request{call, kind, probe_form::ranges, bounds, {}, &lister});
}

}  // namespace

intervals::intervals(std::unique_ptr<interval_parts> made) : parts_(std::move(made)) {}
intervals::intervals(intervals&&) noexcept = default;
intervals& intervals::operator=(intervals&&) noexcept = default;
intervals::~intervals() = default;

intervals intervals::build(nullable_column const& starts, nullable_column const& ends, execution const& exec,
                           closed_ends closed, std::optional<asof_tolerance> const& min_overlap) {
  return run_call(build_call, exec,
                  [&] { return intervals(build_parts(nullptr, starts, ends, closed, min_overlap, exec)); });
}

intervals intervals::build(nullable_column const& groups, nullable_column const& starts, nullable_column const& ends,
                           execution const& exec, closed_ends closed,
                           std::optional<asof_tolerance> const& min_overlap) {
  return run_call(build_call, exec,
                  [&] { return intervals(build_parts(&groups, starts, ends, closed, min_overlap, exec)); });
}

interval_parts const& intervals::built(char const* call) const {
  if (parts_ == nullptr)
    run_call(call, [&] { throw invalid_argument(std::string(call) + ": the intervals were moved from"); });
  return *parts_;
}

intervals intervals::with_min_overlap(asof_tolerance const& least, execution const& exec) const {
  constexpr char const* call = "intervals::with_min_overlap";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    if (of.least) throw invalid_argument(std::string(call) + ": the intervals have a least overlap already");
    return intervals(long_parts(call, of, least, exec));
  });
}

std::uint64_t intervals::size() const { return built("intervals::size").shape().size; }
row_type intervals::row_type() const { return built("intervals::row_type").shape().rows; }
key_type intervals::key_type() const { return built("intervals::key_type").keys; }
closed_ends intervals::closed() const { return built("intervals::closed").closed; }
std::optional<key_type> intervals::group_type() const {
  auto const& coder = built("intervals::group_type").coder;
  return coder ? std::optional(coder->groups()) : std::nullopt;
}
std::uint64_t intervals::bytes() const { return built("intervals::bytes").bytes(); }

void intervals::count(interval_probes const& probes, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "intervals::count";
  interval_parts const& of = built(call);
  run_call(call, exec, [&] {
    of.expect(call, probes);
    expect_size(call, "the output", out.size(), probes.size());
    auto const answer = [&](interval_batch const& batch, void* to) {
      count_found(of.find_bounds(batch, exec), static_cast<std::uint64_t*>(to), batch.size, exec);
    };
    run_probes(call, of, probes, {out.data(), sizeof(std::uint64_t), "the output", false, true}, exec, answer);
  });
}

std::vector<std::uint64_t> intervals::count(interval_probes const& probes, execution const& exec) const {
  auto out = detail::answers<std::uint64_t>("intervals::count", probes.size());
  count(probes, out, exec);
  return out;
}

void intervals::find(interval_probes const& probes, row_output rows, execution const& exec) const {
  constexpr char const* call = "intervals::find";
  interval_parts const& of = built(call);
  run_call(call, exec, [&] {
    of.expect(call, probes);
    expect_type(call, "the row output", rows.type, of.shape().rows);
    expect_size(call, "the row output", rows.size, probes.size());
    auto const answer = [&](interval_batch const& batch, void* to) {
      bounds_found const found = of.find_bounds(batch, exec);
      with_row(of.shape().rows, [&]<class Row>() {
        steps::run(interval_steps::first_match<Row>{of.tree<Row>(), of.rows<Row>(), found.starts(), found.ends(), to},
                   batch.size, exec);
      });
    };
    run_probes(call, of, probes, {rows.data, size_of(rows.type), "the row output", false, true}, exec, answer);
  });
}

matches intervals::retrieve(interval_probes const& probes, execution const& exec) const {
  constexpr char const* call = "intervals::retrieve";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    of.expect(call, probes);
    bounds_found bounds(0, exec);
    return list_probes(
        call, of, probes, exec,
        [&](interval_batch const& batch, std::uint64_t* counts) {
          bounds = of.find_bounds(batch, exec);
          count_found(bounds, counts, batch.size, exec);
        },
        [&](interval_batch const& batch, std::uint64_t const* offsets, matches& found) {
          list_rows(of, bounds.starts(), bounds.ends(), nullptr, offsets, batch.size, found.rows.data(), exec);
        });
  });
}

std::uint64_t intervals::join(interval_probes const& probes, join_kind kind, join_sink const& sink,
                              execution const& exec, join_options const& options) const {
  constexpr char const* call = "intervals::join";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    return run_pairs(call, of, probes, kind, exec, [&](structure const& s, join_request const& ask) {
      return run_join(s, ask, sink, exec, options);
    });
  });
}

joined intervals::join(interval_probes const& probes, join_kind kind, execution const& exec,
                       join_options const& options) const {
  constexpr char const* call = "intervals::join";
  interval_parts const& of = built(call);
  return run_call(call, exec, [&] {
    return run_pairs(call, of, probes, kind, exec,
                     [&](structure const& s, join_request const& ask) { return collect_join(s, ask, exec, options); });
  });
}

}  // namespace warpdex
