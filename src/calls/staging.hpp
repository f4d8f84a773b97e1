// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host_stream.hpp"

namespace warpdex {

/// The arrays of one call, checked and brought within reach of the index's backend: arrays on the host get
/// twins on the device of the index, or are streamed.
class staging {
 public:
  /// @param call name of the operation, for messages; `device` is the index's, for the CUDA backend
  /// @throws invalid_argument unless `exec` is of the index's backend and its device is the current one
  staging(char const* call, backend_kind kind, int device, execution const& exec);

  /// Waits for copies that a failed call has left on their way.
  ~staging();
  staging(staging const&) = delete;
  staging& operator=(staging const&) = delete;

  /// @param what names the array in messages; `width` is the element's size in bytes
  /// @return a pointer the backend can read
  /// @throws invalid_argument for a null or misaligned pointer, or one to memory the backend cannot reach
  void const* input(void const* data, std::uint64_t count, std::size_t width, char const* what);

  /// Runs a batch of `size` > 0 probes, at once or in consecutive parts. Synchronises if any of the arrays
  /// lies on the host and the index on a device.
  /// @param efficient_part what parts should have at least, if they do not get too long by it
  /// @throws invalid_argument as `input`, and if an array that is written overlaps another
  void run(std::uint64_t size, std::vector<batch_array> arrays, std::uint64_t efficient_part, batch_body const& body);

 private:
  /// @return whether the array needs a twin
  bool check(void const* data, std::uint64_t count, std::size_t width, char const* what) const;
  void check_overlaps(std::span<batch_array const> arrays, std::uint64_t size) const;
  void* make_twin(void const* data, std::size_t bytes, bool copied);
  [[noreturn]] void fail(char const* what, std::string const& why) const;

  char const* call_;
  backend_kind kind_;
  int device_;
  execution const& exec_;
  std::vector<buffer> twins_;
};

}  // namespace warpdex
