// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clients/sharded/parts.hpp"

namespace warpdex {

/// The batches of a sharded index. Each goes to the shards that have the keys of its probes, and their answers come
/// back to where the call runs and become those of the whole index.
class sharded_batches final : public lookup_batches {
 public:
  /// @param spread whether other places have probes of their own, so that copies answer theirs alone
  explicit sharded_batches(sharded_parts const& parts, bool spread = false)
      : lookup_batches(parts.like(), true), parts_(parts), spread_(spread) {}

  std::uint64_t size() const override { return parts_.before.back(); }
  void answer(lookup const& what, range_array const& part, std::uint64_t size, std::uint64_t first,
              void* const (&to)[2], execution const& exec) const override;
  matches list(lookup const& what, range_array const& whole, std::uint64_t size, execution const& exec) const override;

 private:
  sharded_parts const& parts_;
  bool spread_;
};

/// `sharded_index::rows_at`.
matches rows_at(sharded_parts const& parts, std::span<std::uint64_t const> ranks, execution const& exec);

/// `sharded_index::keys_at`.
key_list keys_at(sharded_parts const& parts, std::span<std::uint64_t const> ranks, execution const& exec);

}  // namespace warpdex
