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
#include <memory>
#include <span>
#include <string>
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

/// Tuples as narrow keys, for lookups in an index over such keys. A tuple with a value that has no number is null.
struct placed_points {
  buffer places;           ///< `size` places, in the memory of the call's `execution`
  buffer validity;         ///< bits, the lowest of a byte first
  std::uint64_t size = 0;  ///< number of probes

  /// @return the probes, for lookups
  nullable_column view() const {
    return {column(places.data(), size, key_type::u64), validity.as<std::uint8_t const>()};
  }
};

/// Ranges of the last field within the same leading ones, as ranges of narrow keys. A range with a null group or bound,
/// of a group that does not exist or without any key is empty.
struct placed_ranges {
  buffer lower;            ///< `size` places, in the memory of the call's `execution`
  buffer upper;            ///< as many
  std::uint64_t size = 0;  ///< number of ranges

  /// @return the ranges, for lookups
  key_ranges view() const {
    return {column(lower.data(), size, key_type::u64), column(upper.data(), size, key_type::u64)};
  }
};

class narrow_code;

/// Makes keys of tuples, and tuples of keys.
///
/// There are two codes. The *wide* one writes all values one after the other; it follows from the fields alone. The
/// *narrow* one (`narrow`) follows from columns: a key is a number of 64 bits, with the number of the leading fields in
/// the upper bits and that of the last field in the lower ones. If the numbers fit together, both are offsets from the
/// least value; if not, those of the leading fields are numbers among their distinct values, and if that does not
/// suffice, those of the last are ranks among the distinct values. Strings and u128 are always numbered. So narrow keys
/// take 8 bytes, are in the order of the tuples, and suit every structure. `points` and `ranges` make probes for any
/// index over them, also of values that the encoder has not seen.
class key_encoder {
 public:
  /// A tuple has at most this many fields.
  static constexpr std::size_t most_fields = 32;

  /// @throws invalid_argument unless there are 1 to `most_fields` fields of existing types
  explicit key_encoder(std::vector<key_field> fields);

  /// Makes a narrow encoder for the tuples of some columns. Synchronises.
  /// Cost: two passes over the columns; a sort of each that has to be numbered, and 8 to 24 bytes per distinct value.
  /// @param fields at least two; the last ascends and is not nullable. Several leading ones, and one that descends or
  /// is nullable, are numbered as the keys of their wide encoder
  /// @param columns one per field, all of the same size
  /// @throws invalid_argument as `encode`, and for other fields; unsupported if the numbers of the distinct values take
  /// more than 64 bits together
  static key_encoder narrow(std::vector<key_field> fields, std::span<nullable_column const> columns,
                            execution const& exec);

  bool is_narrow() const noexcept { return narrow_ != nullptr; }  ///< whether `narrow` made it
  std::string explain() const;  ///< @return the code, and how a narrow one numbers values, in a line each

  std::span<key_field const> fields() const noexcept { return fields_; }  ///< the fields, as given

  /// @return the type of the keys: the narrowest of u32, u64 and u128 that holds all fields, or else, and whenever a
  /// field is of bytes, `bytes`; of a narrow encoder u64
  key_type type() const noexcept { return type_; }

  /// Encodes tuples. Floats are made canonical as in all indexes: -0.0 becomes 0.0, and all NaNs are one.
  /// Cost: a pass over the columns. For `bytes` also a pass over their offsets, and over all strings but those of an
  /// ascending last field, a scan, and 8 bytes per key for the result's offsets.
  /// @param columns one per field, all of the same size
  /// @return one key per tuple, of type `type()`
  /// @throws invalid_argument also if a key would have 2^32 bytes or more, and by a narrow encoder for a value without
  /// a number, naming its row
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
  /// it at least one field must be left out: the key of a whole tuple is what `encode` makes. A narrow encoder takes
  /// all leading fields, and answers leading values that do not exist with a range that is empty
  /// @return bounds for each row of the columns: all tuples that begin so, and no others, are between them
  key_bounds leading(std::span<nullable_column const> columns, bool last_open, execution const& exec) const;

  /// Makes probes of a narrow encoder: keys for lookups of equality in an index over such keys.
  /// Cost: as `encode`; a search per value that had to be numbered.
  /// @param columns one per field; the last, and the first if it is the only other one, of any comparable type and with
  /// or without nulls
  /// @throws unsupported by a wide encoder, whose `encode` makes its probes
  placed_points points(std::span<nullable_column const> columns, execution const& exec) const;

  /// Makes ranges of a narrow encoder: within the leading values, those of the last field.
  /// Cost: as `points`, twice. @param leading one per leading field, as in `points` @param last bounds, one per row of
  /// `leading`; without any the range holds all tuples that begin so
  /// @throws unsupported by a wide encoder
  placed_ranges ranges(std::span<nullable_column const> leading, key_ranges const& last, execution const& exec) const;

  /// Reads a file that `save` wrote, or its bytes, and checks it.
  /// @throws io_error, format_error, out_of_memory
  /// @{
  static key_encoder load(std::filesystem::path const& path);
  static key_encoder load(std::span<std::byte const> bytes);
  /// @}

  /// Writes the fields, and the numbers of a narrow encoder, to a file, which replaces a previous one only when it is
  /// complete.
  /// @throws io_error, out_of_memory; invalid_argument if the encoder was moved from
  void save(std::filesystem::path const& path) const;
  std::vector<std::byte> save() const;  ///< @return the bytes of that file

 private:
  friend std::shared_ptr<narrow_code const> const& narrow_code_of(key_encoder const& from);
  friend key_encoder narrow_encoder(std::vector<key_field> fields, std::shared_ptr<narrow_code const> code);

  /// @throws invalid_argument if the encoder was moved from
  void expect_fields(char const* call) const;

  std::vector<key_field> fields_;
  key_type type_;
  std::shared_ptr<narrow_code const> narrow_;
};

}  // namespace warpdex
