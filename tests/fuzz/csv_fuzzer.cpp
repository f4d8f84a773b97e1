// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any text is a table or a list of keys, or a clear error, and a table survives being written. The
/// first byte of an input chooses type and what becomes of other values, the second header and format
/// (input_fuzzer.hpp), the rest is the file.
#include "fuzz/input_fuzzer.hpp"
#include "tables/table.hpp"

#include <memory>
#include <vector>

namespace warpdex::tables {
namespace {

std::vector<std::string> lines_of(table&& t) {
  std::vector<std::string> lines(1);
  for (std::string const& name : t.names()) lines[0] += csv_field(name) + ',';
  lines[0].pop_back();
  for (std::uint64_t row = 0; row < t.size(); ++row) t.append(row, lines.emplace_back());
  for (std::string& line : lines)
    if (line.empty()) line = "\"\"";
  return lines;
}

/// A table that is written as CSV is read as the same table.
void check_table(std::string const& path, char delimiter, bool header) {
  std::vector<std::string> lines;
  try {
    lines = lines_of(table(std::make_shared<input_file const>(path), delimiter, header));
  } catch (error const&) {
    return;
  }
  std::string text = "\xef\xbb\xbf";
  for (std::string const& line : lines) text += line + '\n';
  static named_memory const again;
  again.set(text);
  require(lines_of(table(std::make_shared<input_file const>(again.path("again.csv")), ',', true)) == lines);
}

}  // namespace
}  // namespace warpdex::tables

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace warpdex::tables;
  if (size < 2) return 0;
  static named_memory const file;
  file.set({reinterpret_cast<char const*>(data) + 2, size - 2});
  constexpr char const* names[] = {"keys.csv", "keys.tsv", "keys.txt", "keys.csv"};
  int const format = data[1] >> 2 & 3;
  std::string source = file.path(names[format]);
  if (format == 3) source += ":b";
  read_and_check(source, options_of(data[0], data[1]));
  if (format != 2) check_table(file.path(names[format]), format == 1 ? '\t' : ',', (data[1] & 2) != 0);
  return 0;
}
