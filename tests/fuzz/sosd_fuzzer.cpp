// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any bytes are a SOSD file, or raw keys of 16 bytes, or a clear error. The first byte of an input
/// chooses type and what becomes of other values, the second the name of the file, the rest is the file.
#include "fuzz/input_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace warpdex::tables;
  if (size < 2) return 0;
  static named_memory const file;
  file.set({reinterpret_cast<char const*>(data) + 2, size - 2});
  constexpr char const* names[] = {"keys_uint32", "keys_uint64", "keys.sosd", "keys.u128"};
  auto const options = options_of(data[0], 0);
  bool const is_raw = data[1] % 4 == 3;
  read_and_check(file.path(names[data[1] % 4]), options, !is_raw || options.type == warpdex::key_type::u128);
  return 0;
}
