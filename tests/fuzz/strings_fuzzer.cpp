// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any two files are the bytes and the offsets of strings, or a clear error. The first byte of an
/// input chooses type and what becomes of other values, the second the length of the offsets, which follow; the rest is
/// the bytes.
#include "fuzz/input_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace warpdex::tables;
  if (size < 2) return 0;
  static named_memory const bytes;
  static named_memory const offsets;
  static std::string const source = [] {
    std::filesystem::path const path = bytes.path("keys.bytes");
    std::filesystem::create_symlink(offsets.path("keys.offsets"), path.parent_path() / "keys.offsets");
    return path.string();
  }();
  std::string_view const files{reinterpret_cast<char const*>(data) + 2, size - 2};
  std::size_t const places = std::min<std::size_t>(data[1], files.size());
  offsets.set(files.substr(0, places));
  bytes.set(files.substr(places));
  read_and_check(source, options_of(data[0], 0));
  return 0;
}
