// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/join.hpp>

#include <vector>

#include "backend/backend.hpp"

namespace warpdex {

/// Collects the batches of a join. What does not fit into the call's memory goes to the host, and all before it too.
class pair_collector {
 public:
  pair_collector(backend_kind kind, execution const& exec) : backend_(backend_of(kind)), exec_(exec) {}

  void take(join_batch const& batch);

  /// @return all pairs in two arrays, which are of these types if there was no batch
  joined all(row_type left_type, row_type right_type);

 private:
  /// The pairs of a batch.
  struct part {
    buffer left;
    buffer right;
    std::uint64_t size;
  };

  execution const& place() const { return on_host_ ? on_host_exec_ : exec_; }
  buffer copy_of(void const* from, std::size_t bytes) const;
  buffer join_parts(buffer part::*side) const;
  void move_to_host();

  /// Runs `work`, and again with everything on the host if the device's memory is out.
  template <class Work> void with_room(Work const& work);

  backend const& backend_;
  execution const& exec_;
  execution on_host_exec_;
  bool on_host_ = false;
  std::vector<part> parts_;
  joined all_;
};

}  // namespace warpdex
