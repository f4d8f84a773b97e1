// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/column_sort.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/tuning.hpp"
#include "base/progress.hpp"
#include "base/stopwatch.hpp"
#include "base/tuning.hpp"

namespace warpdex {
namespace {

/// Adds a number to row ids on the host.
void add_to_rows(buffer const& rows, row_type type, std::uint64_t size, std::uint64_t more, int threads) {
  parallel_chunks(threads, size, cpu::tuning::copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    if (type == row_type::u32)
      for (auto i = begin; i < end; ++i) rows.as<std::uint32_t>()[i] += static_cast<std::uint32_t>(more);
    else
      for (auto i = begin; i < end; ++i) rows.as<std::uint64_t>()[i] += more;
  });
}

/// @return a copy of sorted pairs in host memory
sorted_pairs fetch(sorted_pairs const& pairs, std::size_t key_bytes, std::size_t row_bytes, execution const& exec,
                   execution const& host) {
  auto const& backend = backend_of(exec);
  sorted_pairs run{
      buffer(pairs.size * key_bytes, host), buffer(pairs.size * row_bytes, host), pairs.size, pairs.seed, {}};
  backend.copy(run.keys.data(), pairs.keys.data(), run.keys.bytes(), exec);
  backend.copy(run.rows.data(), pairs.rows.data(), run.rows.bytes(), exec);
  backend.synchronize(exec);
  return run;
}

/// Replaces the last two runs by one.
void merge_last(std::vector<sorted_pairs>& runs, pair_types types, execution const& exec) {
  backend const& cpu = cpu_backend();
  sorted_pairs const second = std::move(runs.back());
  runs.pop_back();
  sorted_pairs const first = std::move(runs.back());
  runs.pop_back();
  auto const nothing = cpu.find_ranges(first.view(), {}, types, exec);
  runs.push_back(cpu.merge(first.view(), nothing, second.view(), {}, types, exec));
  runs.back().seed = first.seed;
}

}  // namespace

row_type choose_row_type(char const* call, spec const& s, std::uint64_t size, std::optional<row_column> const& rows) {
  row_type chosen = rows ? rows->type : size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
  if (auto const* word = s.option("rows")) {
    if (word->value != "u32" && word->value != "u64")
      s.fail(word->position, "unknown row type '" + word->value + "'; expected u32 or u64");
    chosen = word->value == "u32" ? row_type::u32 : row_type::u64;
  }
  if (chosen == row_type::u32 && size >= no_row<std::uint32_t>)
    throw invalid_argument(std::string(call) + ": " + std::to_string(size) +
                           " entries do not fit 32-bit row ids; use rows=u64");
  if (rows && rows->type != chosen)
    throw invalid_argument(std::string(call) + ": the spec asks for row ids of type " + std::string(to_string(chosen)) +
                           ", the given ones are of type " + std::string(to_string(rows->type)));
  return chosen;
}

timed_pairs column_sort::operator()(execution const& exec) {
  backend_kind const kind = exec.memory->backend();
  stopwatch watch;
  staging& arrays = arrays_.emplace("build", kind, to_.shape.device, exec);
  column const keys = arrays.input(keys_, "the key column", true);
  auto rows = rows_;
  if (rows) rows->data = arrays.input(rows->data, rows->size, size_of(rows->type), "the row column");
  backend_of(kind).synchronize(exec);
  double const staged = watch.lap();
  if (keys.type == key_type::bytes && to_.hash_seed()) {  // tables sort strings by their own hashes
    sorted_pairs unsorted{buffer(keys.size * sizeof(byte_key), exec), {}, keys.size, to_.hash_seed(), {}};
    backend_of(kind).copy(unsorted.keys.data(), keys.data, unsorted.keys.bytes(), exec);
    if (rows) {
      unsorted.rows = buffer(rows->size * size_of(rows->type), exec);
      backend_of(kind).copy(unsorted.rows.data(), rows->data, unsorted.rows.bytes(), exec);
    }
    backend_of(kind).synchronize(exec);
    return {std::move(unsorted), staged + watch.lap(), 0};
  }
  auto sorted = backend_of(kind).sort(keys, rows, to_.shape.rows, to_.hash_seed(), exec);
  sorted.prepare_seconds += staged;
  return sorted;
}

timed_pairs column_sort::near_pairs(execution const& exec) {
  if (!to_.pairs_on_host()) return (*this)(exec);
  try {
    return (*this)(exec);
  } catch (out_of_memory const&) {
    arrays_.reset();
    if (locate(keys_.data).on_device || (rows_ && locate(rows_->data).on_device)) throw;
  }
  execution const last = exec.with_memory(pinned_memory());
  for (std::uint64_t runs = 2; runs <= tuning::most_sorted_runs; runs *= 2) {
    try {
      return in_runs((keys_.size + runs - 1) / runs, exec, exec.with_memory(host_memory()), last);
    } catch (out_of_memory const&) {
      // Shorter ones may fit.
    }
  }
  return (*this)(last);
}

timed_pairs column_sort::in_runs(std::uint64_t run_size, execution const& exec, execution const& host,
                                 execution const& last) const {
  pair_types const types{kind_of(keys_.type), to_.shape.rows};
  std::size_t const key_bytes = size_of(keys_.type);
  std::size_t const row_bytes = size_of(to_.shape.rows);
  timed_pairs total;
  std::vector<sorted_pairs> runs;
  stopwatch watch;
  for (std::uint64_t first = 0; first < keys_.size; first += run_size) {
    std::uint64_t const size = std::min(run_size, keys_.size - first);
    column const keys(static_cast<std::byte const*>(keys_.data) + first * key_bytes, size, keys_.type);
    auto rows = rows_;
    if (rows) {
      rows->data = static_cast<std::byte const*>(rows->data) + first * row_bytes;
      rows->size = size;
    }
    column_sort part(keys, rows, to_);
    timed_pairs const sorted = part(exec);
    total.prepare_seconds += sorted.prepare_seconds;
    total.sort_seconds += sorted.sort_seconds;
    watch.lap();
    runs.push_back(fetch(sorted.pairs, key_bytes, row_bytes, exec, host));
    if (!rows) add_to_rows(runs.back().rows, to_.shape.rows, size, first, exec.threads);
    // Equal lengths are merged, so each entry is merged as often as the logarithm of the number of runs.
    bool const is_last = first + size == keys_.size;
    tell_progress(static_cast<double>(first + size) / static_cast<double>(keys_.size));
    while (!is_last && runs.size() > 1 && runs[runs.size() - 2].size == runs.back().size) merge_last(runs, types, host);
    total.sort_seconds += watch.lap();
  }
  while (runs.size() > 1) merge_last(runs, types, runs.size() == 2 ? last : host);
  total.sort_seconds += watch.lap();
  total.pairs = std::move(runs.back());
  return total;
}

}  // namespace warpdex
