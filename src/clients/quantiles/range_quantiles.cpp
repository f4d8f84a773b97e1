// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/range_quantiles.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/api_border.hpp"
#include "clients/aggregates/ranked_ranges.hpp"
#include "clients/join/validity.hpp"
#include "clients/quantiles/quantile_steps.hpp"

namespace warpdex {

range_quantiles::range_quantiles(any_index const& over, nullable_column const& values, execution const& exec) {
  constexpr char const* call = "range_quantiles";
  run_call(call, exec, [&] { number_values(call, over, values, exec); });
}

void range_quantiles::number_values(char const* call, any_index const& over, nullable_column const& values,
                                    execution const& exec) {
  searched_index const s(over, call, exec);
  index_shape const& shape = s.shape();
  expect_ordered(s.like(), call);
  expect_known(call, "the column of values", values.type);
  expect_possible(call, "the column of values", values.size);
  for (std::uint64_t const size : {shape.size, values.size})
    if (size >= no_row<std::uint32_t>)
      throw unsupported(std::string(call) + ": " + std::to_string(size) + " entries or values; at most " +
                        std::to_string(no_row<std::uint32_t> - 1) + " are possible");
  staging const stage(call, shape.backend, shape.device, exec);
  auto const& backend = backend_of(shape.backend);
  backend_ = shape.backend;
  device_ = shape.device;
  size_ = shape.size;
  row_type_ = shape.rows;
  if (size_ == 0) return;

  ranked_rows const ranked = rows_by_rank(s, exec);
  row_reader const rows{ranked.rows, shape.rows};
  expect_values(call, {rows, values.size, false}, size_, 0, exec);
  valid_rows const known(call, values, {}, shape.rows == row_type::u64 ? "AO+BS/rows=u64" : "AO+BS", exec);
  values_ = known.size();
  all_have_ = values_ == values.size;
  auto sorted = [&] {
    key_list const some = known.take(values, "the column of values");
    staging strings(call, shape.backend, shape.device, exec);
    return backend.sort(strings.input(some.view(), "the column of values"), known.rows(), known.rows().type,
                        std::nullopt, exec);
  }();
  buffer const numbers(values.size * sizeof(std::uint32_t), exec);
  auto* const number_of = numbers.as<std::uint32_t>();
  row_reader const ordered{sorted.pairs.rows.data(), known.rows().type};
  steps::run(quantile_steps::fill_numbers{static_cast<std::uint32_t>(values_), number_of}, values.size, exec);
  steps::run(quantile_steps::number_rows{ordered, number_of}, values_, exec);
  buffer entries(size_ * sizeof(std::uint32_t), exec);
  steps::run(quantile_steps::number_entries{rows, number_of, entries.as<std::uint32_t>()}, size_, exec);
  make_levels(std::move(entries), exec);
  rows_ = std::move(sorted.pairs.rows);
  backend.synchronize(exec);
  for (buffer* const array : {&rows_, &nodes_}) array->outlive_stream();
}

void range_quantiles::make_levels(buffer numbers, execution const& exec) {
  std::uint64_t const words = size_ / 64 + 1;
  levels_ = std::max(1, static_cast<int>(std::bit_width(values_)));
  nodes_ = buffer(static_cast<std::uint64_t>(levels_) * words * sizeof(level_node), exec);
  buffer const counts((words + 1) * sizeof(std::uint64_t), exec);
  buffer next(size_ * sizeof(std::uint32_t), exec);
  for (int level = 0; level < levels_; ++level) {
    quantile_steps::level_bits const bits{numbers.as<std::uint32_t>(), size_, levels_ - 1 - level};
    auto* const zeros = counts.as<std::uint64_t>();
    steps::run(quantile_steps::count_zeros{bits, zeros}, words, exec);
    zeros_[level] = backend_of(backend_).exclusive_scan(zeros, words, exec);
    auto* const nodes = nodes_.as<level_node>() + static_cast<std::uint64_t>(level) * words;
    steps::run(quantile_steps::part_level{bits, zeros, zeros_[level], nodes, next.as<std::uint32_t>()}, words, exec);
    std::swap(numbers, next);
  }
  backend_of(backend_).synchronize(exec);  // before the numbers go
}

void range_quantiles::find_rows(ranks_of_ranges const& ranks, std::uint64_t count, double quantile, quantile_side side,
                                void* rows, execution const& exec) const {
  wavelet_matrix of{nodes_.as<level_node>(), size_ / 64 + 1, levels_, {}, values_, all_have_};
  std::copy(std::begin(zeros_), std::end(zeros_), std::begin(of.zeros));
  row_reader const sorted{rows_.data(), row_type_};
  steps::run(quantile_steps::find_quantile{of, ranks, quantile, side, sorted, {rows, size_of(row_type_)}}, count, exec);
}

void range_quantiles::expect_quantile(char const* call, double quantile, quantile_side side, row_output rows) const {
  if (!(quantile >= 0 && quantile <= 1))
    throw invalid_argument(std::string(call) + ": quantile is " + std::to_string(quantile) +
                           "; it is a number from 0 to 1");
  if (static_cast<unsigned>(side) > static_cast<unsigned>(quantile_side::nearest))
    throw invalid_argument(std::string(call) + ": side number " + std::to_string(static_cast<int>(side)) +
                           " is unknown");
  expect_type(call, "the row output", rows.type, row_type_);
  if (size_ != 0 && nodes_.data() == nullptr)
    throw invalid_argument(std::string(call) + ": these quantiles were moved from");
}

void range_quantiles::in_ranges(any_index const& over, key_ranges const& ranges, double quantile, quantile_side side,
                                row_output rows, execution const& exec) const {
  constexpr char const* call = "in_ranges";
  run_call(call, exec, [&] {
    expect_quantile(call, quantile, side, rows);
    searched_index const s(over, call, exec);
    expect_ranges(call, s, probe_form::ranges, ranges, size_);
    run_ranked(call, s, probe_form::ranges, ranges, {rows.data, size_of(row_type_), "the row output", false, true},
               rows.size, exec, [&](ranks_of_ranges const& part, std::uint64_t count, void* to) {
                 find_rows(part, count, quantile, side, to, exec);
               });
  });
}

void range_quantiles::of_ranks(std::span<std::uint64_t const> first, std::span<std::uint64_t const> last,
                               double quantile, quantile_side side, row_output rows, execution const& exec) const {
  constexpr char const* call = "of_ranks";
  run_call(call, exec, [&] {
    expect_quantile(call, quantile, side, rows);
    run_ranks({call, first, last, backend_, device_, size_},
              {rows.data, size_of(row_type_), "the row output", false, true}, rows.size, exec,
              [&](ranks_of_ranges const& part, std::uint64_t count, void* to) {
                find_rows(part, count, quantile, side, to, exec);
              });
  });
}

}  // namespace warpdex
