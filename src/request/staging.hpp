// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host_stream.hpp"
#include "base/validity_bits.hpp"

namespace warpdex {

/// The arrays of one call, checked and brought within reach of the index's backend. If the index is on a device, arrays
/// on the host get twins there, or are streamed through it (backend/host_stream.hpp).
///
/// Every array of the caller passes through this class, which compares each one that is written with all others. So a
/// call has one object of it. The names of arrays must live until the last array has come.
class staging {
 public:
  /// @param call name of the operation, for messages
  /// @param kind the backend of the index
  /// @param device the device of the index, for the CUDA backend
  /// @throws invalid_argument unless `exec` belongs to the backend of the index, and the device of the index is the
  /// current one
  staging(char const* call, backend_kind kind, int device, execution const& exec);

  /// The arrays of a call without an index, which runs on the backend of `exec`, on the current device.
  staging(char const* call, execution const& exec);

  /// Waits for copies that a failed call has left running.
  ~staging();
  staging(staging const&) = delete;
  staging& operator=(staging const&) = delete;

  /// @param count elements of the array
  /// @param width bytes per element
  /// @param what names the array in messages
  /// @return a pointer that the backend can read
  /// @throws invalid_argument for a null or misaligned pointer, or one to memory that the backend cannot reach
  void const* input(void const* data, std::uint64_t count, std::size_t width, char const* what);

  /// @return the array, to be written in place; only for the CPU backend
  /// @throws invalid_argument as `input` does, and if it overlaps another array
  void* output(void* data, std::uint64_t count, std::size_t width, char const* what);

  /// @return a column that the backend can read. The data of a column of strings become references
  /// (backend/strings.hpp), which live as long as this object
  /// @param checks whether to check the offsets of strings on a device; those on the host are always checked
  /// @throws invalid_argument as above; for strings also if offsets descend or are beyond the bytes
  column input(column keys, char const* what, bool checks = false);

  /// @param strings at least one
  /// @return the strings where the backend can read them, without references
  /// @throws invalid_argument as above
  string_source reach_strings(column const& strings, char const* what, bool checks);

  /// @return a column that a batch only reads, for `run`, whose body finds strings as references to them. The offsets
  /// of strings on the host are checked here, or by `run` if the index is on a device
  /// @throws invalid_argument as `input` does
  batch_array probes(column const& keys, char const* what);

  /// @param what names the bits in messages
  /// @return the validity bits of a column, within reach of the backend
  /// @throws invalid_argument as `input` does
  validity_bits validity(nullable_column const& c, char const* what);

  /// @return the same array, to be used in place
  /// @throws invalid_argument as `input` does, for an address that is not a multiple of 16, and for a device if the
  /// array is in host memory that is not page-locked, and that the device does not read otherwise
  borrowed_keys borrow(void const* data, std::uint64_t count, std::size_t width, char const* what) const;

  /// Checks the arrays of a batch of `size` > 0 probes, and notes which of them are on the host.
  /// @return whether the batch can run at once, over the arrays where they are
  /// @throws invalid_argument as `input` does, and if an array that is written overlaps another
  bool use(std::uint64_t size, std::span<batch_array> arrays);

  /// Runs a batch over arrays that `use` has noted, at once or in consecutive parts. Synchronises if the index is on a
  /// device and any array of the call on the host.
  /// @param efficient_part probes that a part should have at least, within the limits of stream_tuning
  /// @param body_waits whether the body waits for its work
  /// @throws invalid_argument for a bad offset, which may be found after parts before it have run
  void run_used(std::uint64_t size, std::span<batch_array const> arrays, std::uint64_t efficient_part,
                batch_body const& body, bool body_waits = false);

  /// Both.
  void run(std::uint64_t size, std::vector<batch_array> arrays, std::uint64_t efficient_part, batch_body const& body,
           bool body_waits = false) {
    use(size, arrays);
    run_used(size, arrays, efficient_part, body, body_waits);
  }

 private:
  /// An array of the caller.
  struct used_array {
    void const* data;
    std::uint64_t bytes;
    char const* what;
    bool written;
  };

  /// @return the strings where the caller has them, without a look at each offset
  batch_array strings_of(column const& strings, char const* what);

  /// @param on_host whether they are on the host and the index on a device
  void check_offsets(string_source const& strings, bool on_host, std::uint64_t first, std::uint64_t count,
                     char const* what) const;

  /// @return `count` strings from string `first` on, where the backend can read them; those on the host are checked
  string_source reach(batch_array const& strings, std::uint64_t first, std::uint64_t count);

  /// @return whether the array needs a twin
  bool check(void const* data, std::uint64_t count, std::size_t width, char const* what) const;

  /// The same for an array that the call uses besides those that came before. @throws also if it overlaps one of them
  bool use(void const* data, std::uint64_t count, std::size_t width, char const* what, bool written);
  void* make_twin(void const* data, std::size_t bytes, bool copied);
  [[noreturn]] void fail(char const* what, std::string const& why) const;

  char const* call_;
  backend_kind kind_;
  int device_;
  execution const& exec_;
  std::vector<buffer> twins_;
  std::vector<used_array> used_;
};

}  // namespace warpdex
