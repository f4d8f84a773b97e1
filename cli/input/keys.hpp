// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delimited.hpp"
#include "file.hpp"
#include "values.hpp"

#include <warpdex/column.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::input {

struct number_array;

/// How a file is named on the command line, for `--help`.
inline constexpr char const* source_help =
    "FILE[:COLUMN] is\n"
    "  CSV   with a header line, if the name ends with .csv or .tsv (tabs) or a COLUMN is given. COLUMN is a\n"
    "        name of the header, or if no column has that name, a number counted from 0; without COLUMN, the\n"
    "        first column. Quotes by RFC 4180.\n"
    "  npy   NumPy's .npy, known by its first bytes: one dimension, little-endian.\n"
    "  SOSD  if the name ends with uint32 or uint64 or with .sosd: a count of 64 bits, then the keys.\n"
    "  raw   if the name ends with .u128: numbers of 16 bytes, little-endian, and nothing else.\n"
    "  text  otherwise: one key a line, no header.\n"
    "Keys are integers, decimals, dates (2024-01-31) or timestamps (2024-01-31T12:34:56.5Z); which of them\n"
    "is seen from the values: u32, u64, i32 or i64, whichever is the first to hold all of them, f64, date,\n"
    "timestamp. With --type u128 they are UUIDs, IPv6 addresses, and numbers up to 2^128 - 1, decimal or\n"
    "in hexadecimal (0x1f).\n";

/// What to read a column for.
struct read_options {
  std::optional<key_type> type;  ///< read the keys as this type; without it, the type is found from the values
  bool keep_text = false;        ///< whether `text` will be asked for
};

/// A file and perhaps a column of it, `FILE[:COLUMN]`.
struct source {
  std::string path;
  std::optional<std::string> column;
};

/// Takes `FILE[:COLUMN]` apart. Names may hold colons: the whole text is a path if there is such a file,
/// otherwise the longest part before a colon for which there is one, otherwise all up to the last colon.
source parse_source(std::string_view text);

/// Keys of one column of a file, and each as it was written there.
class key_column {
 public:
  /// @throws io_error if the file cannot be read; format_error naming file, line, column and text of a
  /// cell that is no key, or cannot be a key of the type asked for
  key_column(std::string_view source_text, read_options const& options);

  std::uint64_t size() const noexcept { return keys_.size; }
  key_type type() const noexcept { return keys_.type; }
  column keys() const noexcept { return keys_; }

  /// Some keys of the column.
  column keys(std::uint64_t first, std::uint64_t count) const noexcept;

  /// @return the key as written in the file; for a binary file, as `format_key` writes it. It holds no
  /// comma, quote or newline, for no key is written with one. Only with `keep_text`.
  std::string_view text(std::uint64_t i, std::span<char, key_text_size> scratch) const noexcept;

 private:
  void read_text(cell_column text, read_options const& options);
  void read_numbers(number_array const& numbers, read_options const& options);
  template <class Key> void parse_cells(cell_column const& text);
  [[noreturn]] void fail_cell(cell_column const& text, cell_place place, std::string const& what) const;

  file_bytes file_;
  std::vector<cell_place> cells_;
  std::unique_ptr<std::byte[]> owned_;
  column keys_;
};

}  // namespace warpdex::input
