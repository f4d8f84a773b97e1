// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace warpdex::io {

/// Bytes that are hashed and copied together, while they are in the cache.
inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// The checksum of a section, XXH3-64, computed piece by piece.
class checksum {
 public:
  /// @param path path of the file, for the message
  /// @throws out_of_memory
  explicit checksum(std::string const& path) : state_(XXH3_createState()) {
    if (!state_) throw out_of_memory(path + ": no memory for a checksum");
    XXH3_64bits_reset(state_.get());
  }

  void add(void const* data, std::size_t bytes) noexcept { XXH3_64bits_update(state_.get(), data, bytes); }

  std::uint64_t value() const noexcept { return XXH3_64bits_digest(state_.get()); }

 private:
  struct free_state {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, free_state> state_;
};

}  // namespace warpdex::io
