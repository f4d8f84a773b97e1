// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "binary.hpp"
#include "cells.hpp"
#include "delimited.hpp"
#include "file.hpp"
#include "notation.hpp"
#include "strings.hpp"
#include "tuple.hpp"
#include "values.hpp"

#include <warpdex/column.hpp>
#include <warpdex/index.hpp>
#include <warpdex/key_list.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::tables {

/// How to name a file on the command line, for `--help`.
inline constexpr char const* source_help =
    "FILE[:COLUMN] is, and - is standard input,\n"
    "  CSV   with a header line, if the name ends with .csv or .tsv (tabs) or a COLUMN is given. COLUMN is a\n"
    "        name of the header, or if no column has that name, a number counted from 0; without COLUMN, the\n"
    "        first column. Quotes by RFC 4180. With --no-header the first line is a row, COLUMN a number.\n"
    "  npy   NumPy's .npy, known by its first bytes: one dimension, little-endian.\n"
    "  SOSD  if the name ends with uint32 or uint64 or with .sosd: a count of 64 bits, then the keys.\n"
    "  raw   if the name ends with .u128: numbers of 16 bytes, little-endian, and nothing else. If it ends with\n"
    "        .bytes: strings, one after another; names.offsets, for names.bytes, holds where each begins and where "
    "the\n"
    "        last ends, as numbers of 8 bytes.\n"
    "  text  otherwise: one key per line, no header.\n"
    "Files that gzip packed are unpacked; .gz at the end of a name does not count.\n"
    "Lines end with LF, CRLF or CR; blank lines at the end of a file are none.\n"
    "Keys are integers, decimals, dates (2024-01-31) or timestamps (2024-01-31T12:34:56.5Z); which of them\n"
    "is seen from the values: u32, u64, i32 or i64, whichever is the first to hold all of them, f64, date,\n"
    "timestamp. A time without Z or an offset is UTC. Integers from below 0 to beyond i64 are f64. Decimals are read\n"
    "as the nearest float; an integer that f64 or f32 does not hold is refused.\n"
    "Numbers may be hexadecimal (0x1f). With --type u32 keys may be IPv4 addresses. With --type u128 they are\n"
    "UUIDs, IPv6 and IPv4 addresses (::ffff:10.0.0.1), and numbers up to 2^128 - 1. Empty cells, NULL, and NaT in\n"
    ".npy are nulls.\n"
    "With --type bytes keys are strings: the bytes of a line or cell as they are, and an empty cell is the empty\n"
    "string. Their order is that of unsigned bytes. Output is CSV, with quotes where a string needs them.\n";

/// How to treat a value that is no key of the type, such as 2.5 among integers.
enum class other_values : unsigned char {
  refuse,
  leave_out,
  round_down,  ///< the largest key below replaces it, if there is one
  round_up,    ///< the smallest key above replaces it, if there is one
  change_type  ///< the column is read as the type that its values suggest
};

/// How to read a column.
struct read_options {
  std::optional<key_type> type = {};  ///< type of the keys; without it, the values decide
  bool keep_text = false;             ///< whether `text` will be asked for
  bool keep_rows = false;             ///< whether `take_row_places` will be asked for
  std::optional<bool> header = {};    ///< whether tables have a header, as `split_columns` takes it
  bool skip_nulls = false;            ///< leave out cells without a value; otherwise they are refused
  std::string null_hint = {};         ///< how to have them accepted, for messages
  other_values others = other_values::refuse;
  std::optional<char> delimiter = {};     ///< between the cells of tables, if not the one that the name suggests
  int threads = 0;                        ///< that read, 0 for all cores
  std::vector<tuple_field> fields = {};   ///< keys are tuples of these columns, which `key_encoder` makes one; the
                                          ///< COLUMN of a source is a list of other names for them
  std::uint64_t part_bytes = usual_part;  ///< of the parts in which text files are read
  bool beginnings = false;  ///< whether a source may have fewer columns, those of the first fields; without a list of
                            ///< names it is the first
  notation keys_as = {};    ///< how keys of this type are written
};

/// A file and perhaps a column of it, `FILE[:COLUMN]`.
struct source {
  std::string path;
  std::optional<std::string> column;
};

/// Takes `FILE[:COLUMN]` apart. Names may hold colons: the whole text is a path if there is such a file,
/// otherwise the longest part before a colon for which there is one, otherwise all up to the last colon.
source parse_source(std::string_view text);

/// @return what separates the cells of a line, if `file`, which is that of `from`, is read as a table
/// @param given the delimiter, if the user named it
std::optional<char> delimiter_of(source const& from, input_file const& file, std::optional<char> given = {});

/// Checks a source without reading all of it. A pipe or a compressed file is not touched.
/// @throws io_error if there is no such file, format_error if it is a table whose first line lacks a column
void expect_source(std::string_view source_text, read_options const& options);

/// The cells of one column of a file: the key of each cell that is not left out, and the text of each cell. A column of
/// strings leaves out none.
class key_column {
 public:
  /// @throws io_error if the file cannot be read; format_error naming file, line, column and text of a
  /// cell that is no key, or no key of the requested type, unless the options allow it
  key_column(std::string_view source_text, read_options const& options);

  /// The same of values in place of a file. @param name what messages call them
  key_column(std::string const& name, std::span<std::string const> values, read_options const& options);

  std::uint64_t size() const noexcept { return size_; }  ///< of the column, in cells

  /// How the keys are written: as `read_options` said, or else as the first of them is.
  notation const& keys_as() const noexcept { return keys_as_; }

  key_type type() const noexcept { return keys_.type; }

  /// The keys, in the order of their cells.
  column keys() const noexcept { return keys_; }

  /// Keys of the cells from `first` on, `count` cells.
  column keys(std::uint64_t first, std::uint64_t count) const noexcept;

  /// The file, for other columns of it: a pipe can be read only once.
  std::shared_ptr<input_file const> const& file() const noexcept { return file_; }

  /// @return where the rows of a table begin, to be asked for once; nothing for files of other kinds
  row_places take_row_places() noexcept { return std::move(row_places_); }

  /// The fields of tuples, with the types found; empty if the keys are no tuples.
  std::span<tuple_field const> fields() const noexcept { return fields_; }

  /// Whether the keys are beginnings of tuples: of strings what the keys of tuples begin with, of numbers the least
  /// key.
  bool begins_tuples() const noexcept { return begins_tuples_; }

  /// @return the last keys of the tuples that begin with `keys(first, count)`, of numbers
  column last_keys(std::uint64_t first, std::uint64_t count) const noexcept;

  /// Puts the last key of an index that is not above the tuples with a beginning in the place of each beginning; if
  /// there is none, the least key that any index could have, or of strings the empty one.
  /// @throws what lookups throw
  void take_last_keys(any_index const& from, execution const& exec);

  /// The name of the cells in the header of a result: `usual`, or of tuples the names of their columns.
  /// @param qualified whether these names begin with `usual` and `_`
  std::string heading(std::string_view usual, bool qualified = false) const;

  /// Cells that have no key, in order.
  std::span<std::uint64_t const> left_out() const noexcept { return left_out_; }
  /// Those of the `count` cells from `first` on whose value has no key above it if it was to be rounded up, or below it
  /// if down.
  std::span<std::uint64_t const> beyond(std::uint64_t first, std::uint64_t count) const noexcept;
  std::uint64_t nulls() const noexcept { return nulls_; }    ///< cells without a value
  std::uint64_t others() const noexcept { return others_; }  ///< cells whose value is no key of the type

  /// Leaves out further cells, given in order.
  void leave_out(std::span<std::uint64_t const> cells);

  /// @return `first` plus the number of its cell, for each key
  template <class Row> std::vector<Row> rows(Row first = 0) const;

  /// Moves the answers to `keys(first, count)` to the positions of their cells.
  /// @param answers room for `count` answers of `bytes_each`
  /// @param fill byte that fills the answers of cells without a key
  void spread(std::uint64_t first, std::uint64_t count, void* answers, std::size_t bytes_each,
              unsigned char fill) const noexcept;

  /// @return a cell as a field of CSV: as written in the file, for no number is written with a comma, quote or line
  /// end; a string with quotes if it needs them; a number of a binary file as a decimal, a date or time in ISO form; of
  /// a tuple the cells with commas between them.
  /// Of columns of numbers only with `keep_text`.
  /// @param scratch may hold the field, which is valid until it is used again
  std::string_view text(std::uint64_t i, std::string& scratch) const;

 private:
  key_column(std::shared_ptr<input_file const> file, cell_column text, read_options const& options);

  void read_text(cell_column text, read_options const& options);
  void read_tuples(std::vector<cell_column> text, read_options const& options);
  void read_strings(file_bytes const& bytes, read_options const& options);
  void parse_text(cell_column const& text, read_options const& options);
  void see_notation(cell_column const& text);
  void parse_uuids(cell_column const& text);
  void read_numbers(read_options const& options);
  fault locate_element(char const* element, read_options const& options, rounded_key& place) const;
  void convert_numbers(read_options const& options);
  bool changes_type(read_options const& options);
  void find_type(cell_column const& text, read_options const& options);
  bool find_type_in_parts(cell_column const& text, read_options const& options);
  template <class Key> void parse_cells(cell_column const& text, read_options const& options);
  std::size_t left_out_before(std::uint64_t cell) const noexcept;
  std::byte* make_room(std::uint64_t keys);
  template <class Fail>
  void settle(std::uint64_t cell, fault problem, rounded_key const& place, read_options const& options, std::byte*& out,
              Fail const& fail);

  std::shared_ptr<input_file const> file_;
  notation keys_as_;
  cell_column cells_;  ///< of text files, if the text is kept
  row_places row_places_;
  number_array numbers_;  ///< of binary files
  std::unique_ptr<std::byte[]> owned_;
  byte_strings strings_;                       ///< of text files
  std::shared_ptr<file_bytes const> offsets_;  ///< of files of strings
  std::vector<tuple_field> fields_;            ///< of tuples
  std::vector<cell_column> tuples_;            ///< the cells of each field
  key_list encoded_;                           ///< the keys of tuples
  key_list last_keys_;                         ///< of beginnings that are numbers
  bool begins_tuples_ = false;
  column keys_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> left_out_;
  std::vector<std::uint64_t> beyond_;
  std::uint64_t nulls_ = 0;
  std::uint64_t others_ = 0;
};

}  // namespace warpdex::tables
