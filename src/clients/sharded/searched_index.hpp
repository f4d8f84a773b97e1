// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/any_index.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "clients/sharded/exchange.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// An index as its clients search it: in one memory, or in shards. Arrays are then where the call runs.
class searched_index {
 public:
  /// Those of one memory are searched as they are, so that this takes the place of a `structure`.
  searched_index(structure const& whole) : whole_(&whole), like_(&whole), shape_(whole.shape()) {}

  /// @throws invalid_argument if the index was moved from
  searched_index(any_index const& from, char const* call, execution const& exec);

  /// @return the index if it is in one memory, else null
  structure const* whole() const { return whole_; }
  /// @return the shards; only if there are any
  sharded_parts const& shards() const { return *shards_; }

  /// @return what has the types and the order of the index
  structure const& like() const { return *like_; }
  index_shape const& shape() const { return shape_; }  ///< where the call runs

  /// @return how many of `size` probes at least a part of a batch should have
  std::uint64_t efficient_batch(std::uint64_t size) const {
    return whole_ == nullptr ? size : whole_->efficient_batch();
  }

  /// Counts the entries of ranges, and finds where they begin.
  void find_ranges(range_array const& ranges, std::uint64_t size, range_answers const& to, execution const& exec) const;

  /// Writes the row ids of some ranks, which may change.
  /// @param numbers from 0 to `size`; read of an index in one memory
  void rows_at(std::uint64_t* ranks, std::uint64_t const* numbers, std::uint64_t size, void* rows,
               execution const& exec) const;

  /// @return all entries in the order of their keys, which are numbers, where the call runs. Synchronises
  /// @throws unsupported for shards without an order
  sorted_pairs entries(char const* call, execution const& exec) const;

  /// @return the row ids of all entries of shards, in the order of their ranks. Synchronises @throws as `entries`
  buffer rows_in_shards(char const* call, execution const& exec) const;

  /// @throws invalid_argument in an update while a join with the index runs
  void expect_idle(char const* call) const;

  /// While one lives, the index must not change.
  std::vector<std::unique_ptr<structure::hold>> hold() const;

 private:
  buffer ranks(char const* call, execution const& exec) const;
  void for_each(std::function<void(structure const&)> const& work) const;

  structure const* whole_;
  sharded_parts const* shards_ = nullptr;
  structure const* like_;
  index_shape shape_;
};

}  // namespace warpdex
