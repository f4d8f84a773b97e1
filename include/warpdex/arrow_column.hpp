// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow.hpp>
#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Columns of Arrow's C interface as they are gathered and handed on. What they hold is checked when it is read.
namespace warpdex {

/// A column of Arrow in one chunk, or a table, which is a struct of columns. Its memory is on a device or on the host,
/// and complete. Copies share it.
class arrow_column {
 public:
  /// @param schema of the column, whose parts `owner` keeps @param array of the column, the same @param device of the
  /// memory; -1 for the host
  /// @throws invalid_argument for a schema without a format
  arrow_column(ArrowSchema schema, ArrowArray array, int device, std::shared_ptr<void const> owner);

  /// @return a table of columns of one length
  static arrow_column table(std::vector<std::pair<std::string, arrow_column>> columns, std::int64_t rows, int device);

  /// @return a column or a table of a type, without values @param owner of the schema
  static arrow_column empty(ArrowSchema const& schema, std::shared_ptr<void const> owner);

  /// @return names and columns of a table, which share its memory
  /// @throws type_error for a column that is no table; invalid_argument for one that contradicts itself
  std::vector<std::pair<std::string, arrow_column>> columns() const;

  /// @return `count` values from one on, in the same memory
  arrow_column slice(std::int64_t begin, std::int64_t count) const;

  /// @return a schema that its consumer releases
  ArrowSchema schema() const;
  /// @return an array that its consumer releases, which shares the memory
  ArrowArray array() const;

  ArrowSchema const& type() const { return schema_; }  ///< the schema, valid as long as this
  ArrowArray const& values() const { return array_; }  ///< the array, valid as long as this
  int device() const { return device_; }               ///< of the memory; -1 for the host
  bool is_table() const;                               ///< whether it is a struct of columns

 private:
  ArrowSchema schema_;
  ArrowArray array_;
  int device_;
  std::shared_ptr<void const> owner_;
};

/// A column in host memory, in the chunks in which its library holds it.
struct arrow_chunks {
  arrow_owner<ArrowSchema> schema;              ///< the type of all chunks
  std::vector<arrow_owner<ArrowArray>> arrays;  ///< the chunks

  /// Takes all of a stream, and releases it.
  /// @param expect looks at the schema before a chunk is made
  /// @throws io_error, or what fits the number with which the stream fails, with the stream's text; what `expect`
  /// throws
  static arrow_chunks read(ArrowArrayStream& from, std::function<void(ArrowSchema const&)> const& expect = {});
};

/// Puts the chunks of columns together, on all threads; a column of one chunk stays where it is.
/// @return nothing for columns that `gather` does not take, for those without chunks, and for those whose chunks have
/// different dictionaries or more bytes of strings than their offsets count
/// @throws invalid_argument for arrays that contradict themselves, out_of_memory
std::vector<std::optional<arrow_column>> in_one_chunk(std::vector<arrow_chunks> columns, execution const& exec);

/// @return whether a type is a struct, a map or a list, whose rows are taken on the host alone
bool is_nested(ArrowSchema const& schema);

/// @return whether `gather` takes rows of a column of this type. Of a dictionary its codes are taken
bool is_gathered(ArrowSchema const& schema);

/// What row ids are, found in one pass.
struct row_facts {
  bool any_missing = false;  ///< whether one is `no_row`
  bool all_exist = true;     ///< whether each is below the number of rows, or `no_row`
  bool are_all = true;       ///< whether they are all rows, in order
};

/// @param rows in host memory @param size number of rows of the table
row_facts facts_of(row_column rows, std::uint64_t size, int threads);

/// Columns at some rows: all of one width in one pass, strings and their offsets one column at a time, parts of
/// structs, maps and lists as columns of their own. Views and dictionaries stay where they are. Synchronises.
/// @param columns of one length, all where the memory of `exec` is @param rows as lookups answer them, there too
/// @param may_miss whether rows may be `no_row`, whose values are null
/// @param device the current one, or -1
/// @throws as gather_table
std::vector<arrow_column> gather(std::span<arrow_column const> columns, row_column rows, bool may_miss, int device,
                                 execution const& exec);

}  // namespace warpdex
