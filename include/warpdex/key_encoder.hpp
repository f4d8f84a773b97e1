// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

/// @file
/// Tuples as keys. Columns become one column of keys whose order is that of the tuples: by the first field, then by the
/// second, and so on. docs/guide/keys.md describes the keys byte by byte.
///
///     key_encoder const by_place({{.type = key_type::u32}, {.type = key_type::bytes}});     // (country, name)
///     key_list const keys = by_place.encode(std::vector<nullable_column>{countries, names}, exec);
///     auto const places = index::build("AO+BS", keys, exec);
///
/// **Arrays** may be wherever those of lookups may. Those on the host are copied to the device of the call first.
///
/// **Errors.** All calls throw invalid_argument for columns of other types, lengths or numbers than the fields,
/// validity bits of a field that is not nullable, and strings outside of their bytes; out_of_memory; device_error.
///
/// All calls synchronise. Both backends make the same bytes.
namespace warpdex {

/// One field of a tuple.
struct key_field {
  key_type type = key_type::u32;  ///< type of the field's column
  bool descending = false;        ///< whether larger values come first
  bool nullable = false;          ///< whether values may be null
  bool nulls_last = false;        ///< whether nulls come after all values, or before them; of either direction
};

/// Bounds of the tuples that begin with some values.
struct key_bounds {
  key_list lower;  ///< of bytes the beginning that the keys share (for `prefix_count` and the like); of numbers the
                   ///< least possible key
  key_list upper;  ///< of numbers the greatest possible key (for `range_count` and the like); of bytes empty
};

/// A column of decoded tuples. A null has the number 0 or the empty string.
struct decoded_column {
  key_list values;  ///< the values, in the memory of the call's `execution`
  buffer validity;  ///< bits as in `nullable_column`; empty unless the field is nullable

  /// @return the column, valid as long as its arrays are
  nullable_column view() const { return {values.view(), validity.as<std::uint8_t>()}; }
  operator nullable_column() const { return view(); }  ///< as `view`
};

/// Makes keys of tuples, and tuples of keys.
class key_encoder {
 public:
  /// A tuple has at most this many fields.
  static constexpr std::size_t most_fields = 32;

  /// @throws invalid_argument unless there are 1 to `most_fields` fields of existing types
  explicit key_encoder(std::vector<key_field> fields);

  std::span<key_field const> fields() const noexcept { return fields_; }  ///< the fields, as given

  /// @return the type of the keys: the narrowest of u32, u64 and u128 that holds all fields, or else, and whenever a
  /// field is of bytes, `bytes`
  key_type type() const noexcept { return type_; }

  /// Encodes tuples. Floats are made canonical as in all indexes: -0.0 becomes 0.0, and all NaNs are one.
  /// Cost: a pass over the columns. For `bytes` also a pass over their offsets, and over all strings but those of an
  /// ascending last field, a scan, and 8 bytes per key for the result's offsets.
  /// @param columns one per field, all of the same size
  /// @return one key per tuple, of type `type()`
  /// @throws invalid_argument also if a key would have 2^32 bytes or more
  key_list encode(std::span<nullable_column const> columns, execution const& exec) const;

  /// The inverse of `encode`.
  /// Cost: a pass over numbers; two over strings, and per field of bytes a scan. Scratch: a byte per nullable value.
  /// @param keys of type `type()`
  /// @return one column per field
  /// @throws invalid_argument also if a key is none that `encode` makes; the message names the first one
  std::vector<decoded_column> decode(column keys, execution const& exec) const;

  /// Finds the bounds of the tuples that begin with given values.
  /// Cost: as `encode`, of the columns given.
  /// @param columns of the first fields, at least one of them, all of the same size. A null means nulls
  /// @param last_open whether the last column, which must be of bytes, has only the beginnings of its strings. Without
  /// it at least one field must be left out: the key of a whole tuple is what `encode` makes
  /// @return bounds for each row of the columns: all tuples that begin so, and no others, are between them
  key_bounds leading(std::span<nullable_column const> columns, bool last_open, execution const& exec) const;

  /// Reads a file that `save` wrote, or its bytes, and checks it.
  /// @throws io_error, format_error, out_of_memory
  /// @{
  static key_encoder load(std::filesystem::path const& path);
  static key_encoder load(std::span<std::byte const> bytes);
  /// @}

  /// Writes the fields to a file, which replaces a previous one only when it is complete.
  /// @throws io_error, out_of_memory; invalid_argument if the encoder was moved from
  void save(std::filesystem::path const& path) const;
  std::vector<std::byte> save() const;  ///< @return the bytes of that file

 private:
  /// @throws invalid_argument if the encoder was moved from
  void expect_fields(char const* call) const;

  std::vector<key_field> fields_;
  key_type type_;
};

}  // namespace warpdex
