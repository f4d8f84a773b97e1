// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/searched_index.hpp"

#include "request/batches.hpp"
#include "structures/filter/filter_steps.hpp"

namespace warpdex {
namespace {

structure const* whole_of(any_index const& from, char const* call) {
  auto const* const one = dynamic_cast<index const*>(&from);
  return one == nullptr ? nullptr : &structure_of(*one, call);
}

}  // namespace

searched_index::searched_index(any_index const& from, char const* call, execution const& exec)
    : whole_(whole_of(from, call)),
      shards_(whole_ != nullptr ? nullptr : &parts_of(dynamic_cast<sharded_index const&>(from), call)),
      like_(whole_ != nullptr ? whole_ : &shards_->like()), shape_(like_->shape()) {
  if (whole_ != nullptr) return;
  shape_.size = from.size();
  shape_.backend = exec.memory->backend();
  shape_.device = device_of_call(exec);
}

void searched_index::find_ranges(range_array const& ranges, std::uint64_t size, range_answers const& to,
                                 execution const& exec) const {
  if (whole_ != nullptr) return run_ranges(*whole_, ranges, size, to, exec);
  range_array query = ranges;
  if (query.form == probe_form::keys) query = {probe_form::ranges, ranges.lower};
  void* const outputs[2] = {to.first, to.counts};
  sharded_batches(*shards_).answer(lookups::equal_range, query, size, 0, outputs, exec);
}

void searched_index::rows_at(std::uint64_t* ranks, std::uint64_t const* numbers, std::uint64_t size, void* rows,
                             execution const& exec) const {
  if (whole_ != nullptr) return whole_->fill({ranks, numbers, size, rows}, exec);
  matches const found = warpdex::rows_at(*shards_, {ranks, size}, exec);
  backend_of(exec).copy(rows, found.rows.data(), size * size_of(shape_.rows), exec);
  backend_of(exec).synchronize(exec);  // before the list goes
}

buffer searched_index::ranks(char const* call, execution const& exec) const {
  expect_ordered(*like_, call);
  buffer all(shape_.size * sizeof(std::uint64_t), exec);
  steps::run(filter_steps::count_up<std::uint64_t>{all.as<std::uint64_t>(), 0}, shape_.size, exec);
  return all;
}

sorted_pairs searched_index::entries(char const* call, execution const& exec) const {
  if (whole_ != nullptr) {
    whole_->expect_whole();
    return whole_->entries(exec);
  }
  buffer const all = ranks(call, exec);
  std::span const of(all.as<std::uint64_t const>(), shape_.size);
  return {keys_at(*shards_, of, exec).keys, warpdex::rows_at(*shards_, of, exec).rows, shape_.size};
}

buffer searched_index::rows_in_shards(char const* call, execution const& exec) const {
  buffer const all = ranks(call, exec);
  return warpdex::rows_at(*shards_, {all.as<std::uint64_t const>(), shape_.size}, exec).rows;
}

void searched_index::for_each(std::function<void(structure const&)> const& work) const {
  if (whole_ != nullptr) return work(*whole_);
  for (shard const& part : shards_->shards) work(structure_of(part.entries, "join"));
}

void searched_index::expect_idle(char const* call) const {
  for_each([&](structure const& part) { warpdex::expect_idle(part, call); });
}

std::vector<std::unique_ptr<structure::hold>> searched_index::hold() const {
  std::vector<std::unique_ptr<structure::hold>> held;
  for_each([&](structure const& part) { held.push_back(std::make_unique<structure::hold>(part)); });
  return held;
}

}  // namespace warpdex
