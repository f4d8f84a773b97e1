// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any bytes are an array of NumPy or a clear error. The first byte of an input chooses type and what
/// becomes of other values, the rest is the file after the six bytes that make it one of NumPy.
#include "fuzz/input_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace warpdex::tables;
  if (size < 1) return 0;
  static named_memory const file;
  std::string bytes = "\x93NUMPY";
  bytes.append(reinterpret_cast<char const*>(data) + 1, size - 1);
  file.set(bytes);
  read_and_check(file.path("keys.npy"), options_of(data[0], 0));
  return 0;
}
