// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "backend/stream_tuning.hpp"

/// @file
/// Batches over arrays on the host for an index on a device, in chunks: while one is searched, the next is
/// copied to the device and those before are copied back.
namespace warpdex {

/// An array of a batch, with one element a probe, as the caller gave it.
struct batch_array {
  void* data;
  std::size_t width;  ///< bytes of an element
  char const* what;   ///< its name in messages
  bool read;          ///< whether what it holds is needed: by the search, or kept where nothing is written
  bool written;
  bool on_host = false;  ///< whether it lies on the host and the index on a device
};

/// Runs `size` consecutive probes of a batch: at[i] is where the elements of array i for them are.
using batch_body = std::function<void(void* const* at, std::uint64_t size)>;

/// The sizes of a stream; tests take smaller ones.
struct stream_sizes {
  std::uint64_t from = stream_tuning::from_probes;         ///< smaller batches are not streamed
  std::uint64_t chunk = stream_tuning::chunk;              ///< probes, at most
  std::uint64_t least_chunk = stream_tuning::least_chunk;  ///< the rest of a batch apart
  std::size_t piece_bytes = stream_tuning::piece_bytes;    ///< at most the default
  int copying_threads = stream_tuning::copying_threads;    ///< with fewer the calling thread copies too
  int writing_threads = stream_tuning::writing_threads;    ///< of these, at most, that empty pieces at a time
};

/// Streams a batch of which at least one array is on the host, through the call's stream and two more.
/// Returns when all is done, also by an exception.
/// @param body puts its work on the call's stream
/// @return false, with nothing done, if the batch is small, memory is short, or another call uses the pinned
///         memory through which pageable arrays go
bool stream_batch(std::uint64_t size, std::span<batch_array const> arrays, batch_body const& body,
                  execution const& exec, stream_sizes const& sizes);

}  // namespace warpdex
