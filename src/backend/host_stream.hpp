// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "backend/stream_tuning.hpp"
#include "backend/strings/strings.hpp"

/// @file
/// Batches over arrays on the host for an index on a device. They go through the device in chunks: while one chunk is
/// searched, the next is copied to the device and earlier ones are copied back.
namespace warpdex {

/// A column of strings whose first and last offset are right.
struct batch_strings {
  string_source from;
  /// Throws if an offset of these strings is wrong. On the host nothing else is read of strings before they are
  /// checked.
  std::function<void(std::uint64_t first, std::uint64_t count)> check;
};

/// An array of a batch, with one element per probe, as the caller gave it.
struct batch_array {
  void* data;         ///< null for strings
  std::size_t width;  ///< bytes per element
  char const* what;   ///< its name in messages
  bool read;          ///< whether its old values are needed, by the search or because not all elements are written
  bool written;
  bool on_host = false;  ///< whether it is on the host and the index on a device
  std::optional<batch_strings> strings = std::nullopt;
};

/// Runs `size` consecutive probes of a batch. at[i] points to the elements of array i for these probes; for strings to
/// a `string_source` on the host, which leads to the strings and lives as long as the call.
using batch_body = std::function<void(void* const* at, std::uint64_t size)>;

/// The sizes of a stream; tests take smaller ones.
struct stream_sizes {
  std::uint64_t from = stream_tuning::from_probes;         ///< smaller batches are not streamed
  std::uint64_t chunk = stream_tuning::chunk;              ///< probes per chunk, at most
  std::uint64_t least_chunk = stream_tuning::least_chunk;  ///< probes per chunk, at least; the last may have fewer
  std::size_t piece_bytes = stream_tuning::piece_bytes;    ///< bytes per piece; no more than the default
  int copying_threads = stream_tuning::copying_threads;    ///< if the crew has fewer, the calling thread copies too
  int writing_threads = stream_tuning::writing_threads;    ///< threads that may empty pieces at the same time
  std::uint64_t chunk_bytes = stream_tuning::chunk_bytes;  ///< bytes of a column of strings per chunk, at most, unless
                                                           ///< one string has more
  std::uint64_t string_bytes = stream_tuning::string_bytes;  ///< a chunk has room for a string of so many bytes; it
                                                             ///< gets more when a longer string comes
};

/// Streams a batch with at least one array on the host, through the call's stream and two more. A chunk of a column of
/// strings is a part of its offsets and the bytes that they span; it is cut by probes and by bytes, and checked when it
/// begins, while earlier ones are on their way. Synchronises: when it returns or throws, no work is left.
/// @param body puts its work on the call's stream. It is called on the calling thread
/// @param body_waits whether the body waits for its work. Then copies go on meanwhile, on another thread
/// @return how many probes are done, from the first one on: none if the batch is too small, memory is short, or another
/// call uses the pinned rings; some if there is no memory for a long string
std::uint64_t stream_batch(std::uint64_t size, std::span<batch_array const> arrays, batch_body const& body,
                           execution const& exec, stream_sizes const& sizes, bool body_waits = false);

}  // namespace warpdex
