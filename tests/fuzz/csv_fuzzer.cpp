// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any text is a table or a list of keys, or a clear error. The first byte of an input chooses type
/// and what becomes of other values, the second header and format (input_fuzzer.hpp), the rest is the file.
#include "fuzz/input_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace warpdex::input;
  if (size < 2) return 0;
  static named_memory const file;
  file.set({reinterpret_cast<char const*>(data) + 2, size - 2});
  constexpr char const* names[] = {"keys.csv", "keys.tsv", "keys.txt", "keys.csv"};
  int const format = data[1] >> 2 & 3;
  std::string source = file.path(names[format]);
  if (format == 3) source += ":b";
  read_and_check(source, options_of(data[0], data[1]));
  return 0;
}
