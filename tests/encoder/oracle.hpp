// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/key_encoder.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"

/// @file
/// Tuples, their order, and columns made of them.
namespace warpdex::test {

/// A value of a tuple.
struct cell {
  bool null = false;
  u128 bits = 0;     ///< of a number
  std::string text;  ///< a string
};

using tuple = std::vector<cell>;
using fields = std::vector<key_field>;

template <class T> T value_of(cell const& c) {
  T value;
  std::memcpy(&value, &c.bits, sizeof(T));
  return value;
}

template <class T> int compare_as(cell const& a, cell const& b) {
  auto const x = value_of<T>(a), y = value_of<T>(b);
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
  return x < y ? -1 : y < x ? 1 : 0;
}

inline int compare_values(key_type type, cell const& a, cell const& b) {
  if (type == key_type::bytes) return a.text.compare(b.text);  // char_traits<char> compares unsigned bytes
  return with_key_type(type, [&]<class Key>() { return compare_as<key_number<Key>>(a, b); });
}

inline int compare_cells(key_field const& field, cell const& a, cell const& b) {
  if (a.null || b.null) {
    int const order = static_cast<int>(b.null) - static_cast<int>(a.null);  // nulls first
    return field.nulls_last ? -order : order;
  }
  int const order = compare_values(field.type, a, b);
  return field.descending ? -order : order;
}

/// Compares the first `count` fields.
inline int compare_tuples(fields const& of, tuple const& a, tuple const& b, std::size_t count) {
  for (std::size_t f = 0; f < count; ++f)
    if (int const order = compare_cells(of[f], a[f], b[f]); order != 0) return order;
  return 0;
}

/// Makes tuples of values that often meet: few of them are left to chance, and strings begin each other.
class tuple_maker {
 public:
  explicit tuple_maker(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  key_field field() {
    key_field result;
    result.type = below(3) == 0 ? key_type::bytes : key_types[below(key_types.size())];
    result.descending = below(2) == 0;
    result.nullable = below(3) == 0;
    result.nulls_last = below(2) == 0;
    return result;
  }

  cell value(key_field const& field) {
    cell result;
    if (field.nullable && below(4) == 0) {
      result.null = true;
      return result;
    }
    if (field.type == key_type::bytes) {
      static char const letters[] = {'\0', '\0', '\x01', 'a', '\xfe', '\xff', '\xff'};
      for (std::size_t left = below(8) == 0 ? below(40) : below(5); left != 0; --left) result.text += letters[below(7)];
    } else if (field.type == key_type::f32) {
      result.bits = below(2) == 0 ? random_()
                                  : pick<std::uint32_t>({0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffffffff,
                                                         1, 0x3f800000, 0xbf800000});
    } else if (field.type == key_type::f64) {
      result.bits = below(2) == 0 ? random_()
                                  : pick<std::uint64_t>({0, std::uint64_t{1} << 63, std::uint64_t{0x7ff} << 52,
                                                         std::uint64_t{0xfff} << 52, (std::uint64_t{0x7ff} << 52) + 1,
                                                         ~std::uint64_t{0}, 1, std::uint64_t{0x3ff} << 52});
    } else {
      u128 const ones = ~u128{0};
      result.bits = below(4) == 0 ? u128{random_()} << 64 | random_()
                                  : pick<u128>({0, 1, 255, 256, ones, ones - 1, ones >> 1, u128{1} << 31, u128{1} << 63,
                                                u128{1} << 127, u128{1} << 64});
    }
    if (field.type != key_type::bytes) result.bits &= ~u128{0} >> (128 - 8 * size_of(field.type));
    return result;
  }

  tuple make(fields const& of) {
    tuple result;
    for (key_field const& field : of) result.push_back(value(field));
    return result;
  }

  std::mt19937_64& random() { return random_; }

 private:
  template <class T> T pick(std::initializer_list<T> from) { return from.begin()[below(from.size())]; }

  std::mt19937_64 random_;
};

/// The columns of some tuples, in arrays of every form, at odd addresses, that end where their last element ends.
class tuple_columns {
 public:
  /// @param count the first fields, of which there are columns
  tuple_columns(fields const& of, std::vector<tuple> const& tuples, std::size_t count, place where, tuple_maker& make,
                execution const& exec) {
    for (std::size_t f = 0; f < count; ++f) {
      column const values = of[f].type == key_type::bytes ? strings(f, tuples, where, make, exec)
                                                          : numbers(of[f].type, f, tuples, where, make, exec);
      nullable_column c(values);
      if (of[f].nullable) {
        c.offset = make.below(20);
        std::vector<unsigned char> bits((c.offset + tuples.size() + 7) / 8, 0);
        for (std::size_t i = 0; i < tuples.size(); ++i)
          if (!tuples[i][f].null)
            bits[(c.offset + i) / 8] =
                static_cast<unsigned char>(bits[(c.offset + i) / 8] | 1u << ((c.offset + i) % 8));
        bool const all_valid = std::none_of(tuples.begin(), tuples.end(), [&](tuple const& t) { return t[f].null; });
        if (!all_valid || make.below(2) == 0)
          c.validity = static_cast<std::uint8_t const*>(keep(bits, where, make.below(4), exec));
      }
      columns_.push_back(c);
    }
  }

  std::span<nullable_column const> view() const { return columns_; }

 private:
  void const* keep(std::vector<unsigned char> const& bytes, place where, std::size_t shift, execution const& exec) {
    return arrays_.emplace_back(bytes, where, shift, exec).data();
  }

  column numbers(key_type type, std::size_t f, std::vector<tuple> const& tuples, place where, tuple_maker& make,
                 execution const& exec) {
    std::vector<unsigned char> bytes(tuples.size() * size_of(type));
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      u128 const bits = tuples[i][f].null ? u128{make.random()()} : tuples[i][f].bits;  // what a null hides is nothing
      std::memcpy(bytes.data() + i * size_of(type), &bits, size_of(type));
    }
    return {keep(bytes, where, where == place::host ? make.below(3) : 0, exec), tuples.size(), type};
  }

  column strings(std::size_t f, std::vector<tuple> const& tuples, place where, tuple_maker& make,
                 execution const& exec) {
    bool const equal = std::all_of(tuples.begin(), tuples.end(), [&](tuple const& t) {
      return t[f].text.size() == tuples[0][f].text.size() && !t[f].text.empty();
    });
    std::vector<unsigned char> bytes(equal ? 0 : make.below(5), 'x');
    std::vector<std::uint64_t> offsets = {bytes.size()};
    for (tuple const& t : tuples) {
      bytes.insert(bytes.end(), t[f].text.begin(), t[f].text.end());
      offsets.push_back(bytes.size());
    }
    column result(keep(bytes, where, make.below(8), exec), tuples.size(), key_type::bytes);
    result.strings.bytes = bytes.size();
    if (equal && !tuples.empty()) {
      result.strings.stride = static_cast<std::uint32_t>(tuples[0][f].text.size());
      return result;
    }
    result.strings.offset_bytes = make.below(2) == 0 ? 4 : 8;
    std::vector<unsigned char> places;
    for (std::uint64_t const offset : offsets)
      for (unsigned b = 0; b < result.strings.offset_bytes; ++b)
        places.push_back(static_cast<unsigned char>(offset >> 8 * b));
    result.strings.offsets = keep(places, where, where == place::host ? make.below(3) : 0, exec);
    return result;
  }

  std::deque<input_array<unsigned char>> arrays_;
  std::vector<nullable_column> columns_;
};

/// A key on the host: a string of bytes in key order. Numbers have their most significant byte first.
inline std::vector<std::string> read_keys(key_list const& keys, execution const& exec) {
  std::vector<std::string> result;
  if (keys.type == key_type::bytes) {
    auto const bytes = read_buffer<char>(keys.keys, keys.bytes, exec);
    auto const offsets = read_buffer<std::uint64_t>(keys.offsets, keys.size + 1, exec);
    for (std::size_t i = 0; i < keys.size; ++i)
      result.emplace_back(bytes.data() + offsets[i], offsets[i + 1] - offsets[i]);
    return result;
  }
  std::size_t const width = size_of(keys.type);
  auto const bytes = read_buffer<char>(keys.keys, keys.size * width, exec);
  for (std::size_t i = 0; i < keys.size; ++i) {
    std::string key(bytes.data() + i * width, width);
    std::reverse(key.begin(), key.end());
    result.push_back(std::move(key));
  }
  return result;
}

/// @return decoded columns as tuples
inline std::vector<tuple> read_tuples(std::vector<decoded_column> const& columns, execution const& exec) {
  std::vector<tuple> result(columns.empty() ? 0 : columns[0].values.size, tuple(columns.size()));
  for (std::size_t f = 0; f < columns.size(); ++f) {
    auto const values = read_keys(columns[f].values, exec);
    auto const bits = read_buffer<std::uint8_t>(columns[f].validity, columns[f].validity.bytes(), exec);
    for (std::size_t i = 0; i < result.size(); ++i) {
      cell& c = result[i][f];
      c.null = !bits.empty() && (bits[i / 8] >> (i % 8) & 1) == 0;
      if (columns[f].values.type == key_type::bytes) c.text = values[i];
      else
        for (char const byte : values[i]) c.bits = c.bits << 8 | static_cast<unsigned char>(byte);
    }
  }
  return result;
}

}  // namespace warpdex::test
