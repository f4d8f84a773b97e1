// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <utility>

namespace warpdex {

/// When a batcher answers the probes that it has gathered: as soon as one of the two limits is reached.
struct batch_limits {
  std::uint64_t most_probes = std::uint64_t{1} << 16;  ///< most probes of a batch
  /// The longest time that the first probe of a batch waits for others. With 0 a batch is answered as soon as the one
  /// before it is, and holds what has come meanwhile.
  std::chrono::nanoseconds longest_wait{0};
};

/// Gathers single probes of many threads, and answers them as batches (paper 001, section III.A). A server whose
/// threads each have one probe reaches the rates of batches so, above all on a GPU.
///
/// A batcher has a thread, which runs one batch after the other. A batch takes one call per lookup and type
/// of probes in it. Any number of threads may ask at once.
///
/// No probe is lost: each one that was taken is answered, or gets the exception of its call, which all probes of that
/// call get. The index must live as long as the batcher, and must not be updated meanwhile; `answers_of` says how both
/// take turns. A child made by `fork` has no thread that would answer: make batchers there.
class batcher {
 public:
  /// Answers a batch: writes the answer of each probe to `answers`, as `ask` returns it, or throws. Called by the
  /// batcher's thread alone.
  using answer_batch =
      std::function<void(lookup const& what, nullable_column const& probes, std::span<std::uint64_t> answers)>;

  /// Takes the answer of a probe, or the exception of its batch. Called by the batcher's thread, so it should return
  /// soon. It must not throw, nor destroy the batcher, nor wait for answers of it; it may ask.
  using receiver = std::function<void(std::uint64_t answer, std::exception_ptr const& failure)>;

  /// Begins to gather probes of an index.
  /// @param exec of all its lookups; its memory belongs to the backend of the index. The batcher's thread uses the CUDA
  /// device that is the current one now
  /// @throws invalid_argument for limits of no probes or less than no time; out_of_memory, also if the system starts no
  /// thread; device_error
  explicit batcher(index const& from, execution const& exec = {}, batch_limits const& limits = {});

  /// Begins to gather probes that a function answers. @throws as above; invalid_argument for no function
  explicit batcher(answer_batch answer, batch_limits const& limits = {});

  /// Stops, as `stop` does.
  ~batcher();
  batcher(batcher const&) = delete;
  batcher& operator=(batcher const&) = delete;

  /// @return the function by which the first constructor answers, for one of your own around it. To update an index
  /// between batches, lock a mutex in it. The index must live as long as the function
  /// @throws as the constructor
  static answer_batch answers_of(index const& from, execution const& exec = {});

  /// Asks for one probe. Returns at once.
  /// @param what any lookup of one answer per probe, whose keys may be left out: contains, find, count, lower_bound,
  /// upper_bound, floor, ceil, prefix_count, prefix_sum
  /// @param key a number, a string or a time, which is copied
  /// @return the answer to come: 0 or 1, a rank, a count or a sum; or a row id, `no_row<std::uint64_t>` for none. If
  /// the batch failed, `get` throws its exception
  /// @throws invalid_argument for other lookups, and after `stop`; out_of_memory. The probe was then not taken
  template <detail::any_key Key> std::future<std::uint64_t> ask(lookup const& what, Key const& key) {
    return ask_one(what, detail::single_key(key).view());
  }

  /// The same, but calls `done`. Cheaper than a future.
  template <detail::any_key Key> void ask(lookup const& what, Key const& key, receiver done) {
    ask_one(what, detail::single_key(key).view(), std::move(done));
  }

  /// Takes no more probes, and returns once all that were taken are answered. Several threads may stop a batcher; a
  /// receiver that does returns at once.
  void stop();

 private:
  class gathering;

  std::future<std::uint64_t> ask_one(lookup const& what, column key);
  void ask_one(lookup const& what, column key, receiver done);

  std::unique_ptr<gathering> const gathering_;
};

}  // namespace warpdex
