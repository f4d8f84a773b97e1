// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>
#include <memory>

#include "clients/key_set/set_steps.hpp"

namespace warpdex {

/// How a set on a device brings large batches of probes into key order.
class set_order {
 public:
  virtual ~set_order() = default;
  virtual std::uint64_t bytes() const = 0;
};

template <class Key> class set_order_of : public set_order {
 public:
  /// Looks for a batch in windows: the probes are partitioned, a block searches the part of the set that a bucket needs
  /// in shared memory, and answers return to the order of the probes. Asynchronous.
  /// @param search of the set that this was made for
  /// @return false, with nothing done, if windows do not pay or there is no memory for them
  /// @{
  virtual bool look_up(set_steps::contains<Key> const& search, std::uint64_t size, execution const& exec) const = 0;
  virtual bool look_up(set_steps::find_row<Key> const& search, std::uint64_t size, execution const& exec) const = 0;
  /// @}
};

/// Synchronises.
/// @param words of all blocks; 0 for a plain set
/// @return null for a set that is too small or has too few different leading halves of keys, and without memory
template <class Key>
std::shared_ptr<set_order const> order_on_device(set_view<Key> const& set, std::uint64_t words, execution const& exec);

}  // namespace warpdex
