// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <vector>

#include "backend/backend.hpp"
#include "clients/join/pairs.hpp"

namespace warpdex {

/// Collects the pairs of a join. When the call's memory is out, all of them go to the host.
class pair_collector : public pair_taker {
 public:
  /// @param left, right types of the rows
  pair_collector(backend_kind kind, execution const& exec, row_type left, row_type right)
      : backend_(backend_of(kind)), exec_(exec), left_width_(size_of(left)), right_width_(size_of(right)) {
    all_.left_type = left;
    all_.right_type = right;
  }

  void take(made_pairs pairs) override;
  bool make_room() override;

  /// On a device they are made all at once, unless the caller wants fewer: batches would be copied once more.
  std::uint64_t most_at_a_time(std::uint64_t of_options) const override {
    bool const all = of_options == join_options().batch_pairs && exec_.memory->backend() == backend_kind::cuda;
    return all ? ~std::uint64_t{0} : of_options;
  }

  /// @return all pairs in two arrays
  joined all();

 private:
  execution const& place() const { return on_host_ ? on_host_exec_ : exec_; }

  /// @return the first bytes of an array as one of exactly so many, which is in the memory of the result
  buffer cut(buffer from, std::size_t bytes) const;

  /// Gives back the room that pairs do not use.
  void trim(made_pairs& part) const;

  static std::size_t bytes_of(made_pairs const& part, buffer const& side, std::size_t width) {
    return side.bytes() == 0 ? 0 : part.size * width;
  }

  buffer join_parts(buffer made_pairs::*side, std::size_t width);

  backend const& backend_;
  execution const& exec_;
  std::size_t left_width_, right_width_;
  execution on_host_exec_;
  bool on_host_ = false;
  std::vector<made_pairs> parts_;
  joined all_;
};

}  // namespace warpdex
