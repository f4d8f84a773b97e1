// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace warpdex {

/// The arrays of one call, checked and brought within reach of the index's backend. Inputs on the host
/// are copied to a device index; outputs on the host get a device twin that `finish` copies back.
class staging {
 public:
  /// @param call name of the operation, for messages; `device` is the index's, for the CUDA backend
  /// @throws invalid_argument unless `exec` is of the index's backend and its device is the current one
  staging(char const* call, backend_kind kind, int device, execution const& exec);

  /// @param what names the array in messages; `width` is the element's size in bytes
  /// @return a pointer the backend can read
  /// @throws invalid_argument for a null or misaligned pointer, or one to memory the backend cannot reach
  void const* input(void const* data, std::uint64_t count, std::size_t width, char const* what);

  /// The same for an array that the call writes. What it holds before is kept where nothing is written
  /// if `keeps` is set.
  void* output(void* data, std::uint64_t count, std::size_t width, char const* what, bool keeps = false);

  /// Copies outputs back to the host. Synchronises if any array of the call lies there and the index on a
  /// device.
  void finish();

 private:
  struct return_copy {
    void* host;
    void const* device;
    std::size_t bytes;
  };

  /// @return whether the array needs a twin
  bool check(void const* data, std::uint64_t count, std::size_t width, char const* what) const;
  [[noreturn]] void fail(char const* what, std::string const& why) const;

  char const* call_;
  backend_kind kind_;
  execution const& exec_;
  std::vector<buffer> twins_;
  std::vector<return_copy> copies_;
};

}  // namespace warpdex
