// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow.hpp>
#include <warpdex/arrow_column.hpp>
#include <warpdex/chunked_keys.hpp>
#include <warpdex/join.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// @file
/// Joins of tables of Arrow: tables in, tables out, on all threads. docs/guide/joins.md has an example.
///
/// **Tables** come from any library by Arrow's C interface and go to any by it. Their memory is shared, not copied:
/// only columns at chosen rows are made anew, in the layout that they had. A join copies nothing that it need not: a
/// left side whose rows all stay is handed on as it is.
///
/// **Keys** are integers, bools, floats, decimals, dates, times, durations, strings, bytes, and dictionaries of them,
/// in any number of columns. Both sides of a pair have one kind: integers of all widths and floats are compared
/// exactly, strings with strings in any layout, times with times of the same unit.
///
/// **Payload** is of any type whose values have a fixed width of up to 16 bytes, of strings, bytes, views of them,
/// dictionaries, and lists, maps and structs of all of these.
///
/// **Errors.** Functions throw invalid_argument for names that a table does not have, has twice or would get twice, and
/// for arrays that contradict themselves; type_error for keys that are not compared; unsupported, with the column's
/// name, for other payload, before any work; what a stream reports; out_of_memory, device_error, and `cancelled` after
/// a stop request. Sides stay as they are.
///
/// All calls synchronise. With the memory of a device in `exec` an index is built and searched there; columns are
/// gathered on the host.
namespace warpdex {

/// Columns of one length, in host memory, in chunks. Copies share the memory.
class table {
 public:
  /// No columns, no rows.
  table() = default;
  /// Takes all batches of a stream, and releases it. @throws as above
  explicit table(ArrowArrayStream& from);
  /// Takes one batch, a struct of columns, and its schema.
  table(ArrowSchema& schema, ArrowArray& batch);

  std::uint64_t rows() const { return rows_; }                             ///< number of rows
  std::vector<std::string> names() const;                                  ///< of the columns, in order
  std::vector<arrow_column> const& column(std::string const& name) const;  ///< its chunks, valid as long as this
  bool has(std::string const& name) const;                                 ///< whether a column has that name

  /// Adds a column, which has as many rows as the others.
  void add(std::string name, std::vector<arrow_column> chunks);

  /// Makes a stream of the table, whose batches end wherever a column's chunk does. The consumer releases it.
  void write(ArrowArrayStream& to) const;

 private:
  struct field {
    std::string name;
    std::vector<arrow_column> chunks;  // one at least
  };

  void add_batch(arrow_column const& batch);

  std::vector<field> fields_;
  std::uint64_t rows_ = 0;
};

/// @return the keys of a column, which share its memory where they can
/// @throws type_error for a type that no keys have
chunked_keys keys_of(std::vector<arrow_column> const& column);

/// @return columns of a table at some rows, each in one chunk. Rows that are all of the table's are not copied
/// @param rows of the table, or `no_row` for a row of nulls
table gather(table const& from, std::vector<std::string> const& names, row_column rows, execution const& exec = {});

/// Which rows a join of tables has.
enum class join_how : std::uint8_t {
  inner,  ///< those of each pair of rows that match
  left,   ///< the same, and each left row without a match
  right,  ///< the same of right rows
  full,   ///< both
  semi,   ///< each left row that has a match, once, with the left columns alone
  anti,   ///< each left row that has none
};

/// What a join of tables on equality looks at.
struct table_join {
  std::vector<std::string> left_on = {};   ///< key columns of the left side
  std::vector<std::string> right_on = {};  ///< as many of the right side; empty if they have the same names
  join_how how = join_how::inner;          ///< which rows there are
  bool nulls_equal = false;                ///< whether nulls match each other
  bool coalesce = true;                    ///< whether key columns of both sides become one
  std::string suffix = "_right";           ///< added to a name of the right side that the left one has
};

/// Joins two tables on equality of key columns. Rows come in the order of the left side, then of the right one; of
/// `right` in that of the right side, then of the left one; those of `full` without a left row come last.
/// Cost: that of `join` over chunked keys, and a read and a write per value of the result.
table join_tables(table const& left, table const& right, table_join const& by, execution const& exec = {});

namespace detail {

/// Of equal keys the last one matches.
inline asof_options last_row() {
  asof_options result;
  result.ties = asof_ties::adjacent;
  return result;
}

}  // namespace detail

/// What an as-of join of tables looks at.
struct table_asof {
  std::string left_on = {};                   ///< key column of the left side
  std::string right_on = {};                  ///< of the right side; empty if it has the same name
  std::vector<std::string> left_by = {};      ///< columns that must be equal
  std::vector<std::string> right_by = {};     ///< as many of the right side; empty if they have the same names
  asof_options options = detail::last_row();  ///< which row is nearest
  bool coalesce = true;           ///< whether the right key column is left out if it has the left one's name
  std::string suffix = "_right";  ///< as of `table_join`
};

/// Adds to each left row the right row whose key is nearest, among those with equal `by` columns, or nulls. The left
/// columns are those of the left side. Nothing need be sorted; sides that ascend are merged.
table join_asof_tables(table const& left, table const& right, table_asof const& by, execution const& exec = {});

/// What a join of tables on ranges looks at.
struct table_between {
  std::string lower = {};                  ///< column of the left side: where a row's range begins
  std::string upper = {};                  ///< where it ends
  std::string right_on = {};               ///< key column of the right side
  std::vector<std::string> left_by = {};   ///< columns that must be equal
  std::vector<std::string> right_by = {};  ///< as many of the right side; empty if they have the same names
  closed_ends closed = closed_ends::both;  ///< which ends belong to the ranges
  join_kind how = join_kind::inner;        ///< inner, left, semi or anti
  std::string suffix = "_right";           ///< as of `table_join`
};

/// Joins each left row with the right rows whose key is in its range. Pairs of a left row ascend by the key.
table join_between_tables(table const& left, table const& right, table_between const& by, execution const& exec = {});

/// What is found of the right rows in a window.
enum class window_aggregate : std::uint8_t {
  count,    ///< number of values that are not null; without a column the number of rows
  sum,      ///< of numbers and durations; exact of integers and decimals; 0 without values
  mean,     ///< of numbers; null without values
  std,      ///< of numbers, the square root of the sample's variance; null without two values
  first,    ///< the value of the least key, of any type; null without rows
  last,     ///< that of the greatest key
  min,      ///< the least value, of any type that keys have; null without values
  max,      ///< the greatest one
  quantile  ///< the value at a quantile; of two next to it the lower one
};

/// A column of a window join's result.
struct window_value {
  std::string column = {};                               ///< of the right side; empty to count rows
  window_aggregate aggregate = window_aggregate::count;  ///< what is found of it
  double quantile = 0.5;                                 ///< of quantiles, from 0 to 1
  std::string name = {};                                 ///< of the new column; if empty, `column_aggregate`
};

/// What a window join of tables looks at.
struct table_window {
  std::string left_on = {};                ///< key column of the left side: numbers or times
  std::string right_on = {};               ///< of the right side; empty if it has the same name
  std::vector<std::string> left_by = {};   ///< columns that must be equal
  std::vector<std::string> right_by = {};  ///< as many of the right side; empty if they have the same names
  asof_tolerance before = {};              ///< how far before its key a left row's window begins, in the key's unit
  asof_tolerance after = {};               ///< how far after it the window ends; floats have double, others int64
  closed_ends closed = closed_ends::both;  ///< which ends belong to the windows
  std::vector<window_value> values = {};   ///< the columns that are added
  std::string suffix = "_right";           ///< added to a name that the left side has
};

/// Adds to each left row what the right rows of its group have in common whose key is in the row's window. Ends of
/// windows are exact for integers and times. A row with a null key has an empty window.
/// Cost: an index over the right rows, two searches per left row, and per column that of `range_aggregates` or
/// `range_quantiles`, however long the windows are.
/// @throws invalid_argument also for windows that end before they begin, for a quantile that is not in [0, 1], and for
/// a sum of integers that takes more than 64 bits; type_error for columns without sums
table window_tables(table const& left, table const& right, table_window const& by, execution const& exec = {});

/// One of several tables of facts that became known at some time.
struct dated_table {
  std::string name = {};                                   ///< of the table
  table const* known = nullptr;                            ///< the facts
  std::optional<asof_tolerance> tolerance = std::nullopt;  ///< the greatest distance of what still counts
};

/// What joins at a point in time look at.
struct table_point_in_time {
  std::string on = {};               ///< key column of the spine and of all tables
  std::vector<std::string> by = {};  ///< columns of all of them that must be equal
  std::string suffix = {};           ///< added to a name that is taken; if empty, `_` and the table's name
};

/// Adds to each row of a spine what each of several tables knew at its key: the last row of its group that is not
/// later, or nulls. Cost: that of an as-of join per table.
table point_in_time_tables(table const& spine, std::vector<dated_table> const& tables, table_point_in_time const& by,
                           execution const& exec = {});

}  // namespace warpdex
