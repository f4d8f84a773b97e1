// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/key_encoder.hpp>
#include <warpdex/search/byte_key.hpp>

#include <bit>
#include <cstdint>

#include "backend/strings/byte_words.hpp"
#include "backend/strings/strings.hpp"
#include "base/validity_bits.hpp"

/// @file
/// The bytes of a tuple, for host and device: how they are written and read. docs/guide/keys.md describes them.
///
/// Bytes travel in words of 64 bits, the first byte in the most significant place.
namespace warpdex {

/// How one field is written.
struct field_code {
  key_codec codec = key_codec::identity;
  std::uint8_t width = 0;  ///< bytes of a number; 0 for strings
  bool nullable = false;
  std::uint8_t null_mark = 0;  ///< the byte before a null, 0 or 1; the byte before a value is the other one
  bool escapes = false;        ///< whether a byte 00 of a string is followed by FF
  bool ends = false;           ///< whether 00 00 follows a string
  std::uint64_t flip = 0;      ///< ones for descending fields, which are inverted
};

struct tuple_code {
  int fields = 0;
  field_code of[key_encoder::most_fields];
};

/// The values of one field, within reach of the backend.
struct field_values {
  void const* numbers = nullptr;
  string_source strings;
  validity_bits valid;
};

struct tuple_source {
  tuple_code code;
  field_values values[key_encoder::most_fields];
};

namespace detail {

/// @return the number of zero bits above the highest set bit
WDX_HD inline unsigned leading_zeros(std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__clzll(static_cast<long long>(value)));
#else
  return static_cast<unsigned>(std::countl_zero(value));
#endif
}

/// @return the word with 80 in the place of each byte 00, and 00 in that of all others
WDX_HD inline std::uint64_t zero_bytes(std::uint64_t word) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
  return ~(((word & low_bits) + low_bits) | word | low_bits);
}

WDX_HD inline unsigned bytes_of_word(std::uint64_t left) { return left < 8 ? static_cast<unsigned>(left) : 8; }

}  // namespace detail

/// Writes bytes one after the other, from any place of an array on. It stores whole words where it can, and never
/// touches bytes before the first or after the last one, which others may write at the same time.
class byte_writer {
 public:
  /// @param bytes an array aligned to 8
  WDX_HD byte_writer(unsigned char* bytes, std::uint64_t at)
      : to_(bytes + at / 8 * 8), first_(static_cast<unsigned>(at % 8)), filled_(first_) {}

  /// Writes the first `count` bytes of a word, 1 to 8.
  WDX_HD void put(std::uint64_t word, unsigned count) {
    word &= ~std::uint64_t{0} << (64 - 8 * count);
    word_ |= word >> (8 * filled_);
    filled_ += count;
    if (filled_ < 8) return;
    store(8);
    to_ += 8;
    first_ = 0;
    filled_ -= 8;
    word_ = filled_ == 0 ? 0 : word << (8 * (count - filled_));
  }

  WDX_HD void finish() const { store(filled_); }

 private:
  /// Stores the bytes from `first_` up to `last` of the word.
  WDX_HD void store(unsigned last) const {
    std::uint64_t const image = detail::image_of(word_);
    if (last - first_ == 8) return store_element(to_, 0, image);
    for (unsigned at = first_; at < last;) {
      std::uint64_t const rest = image >> (8 * at);
      if (at % 4 == 0 && last - at >= 4) {
        store_element(to_ + at, 0, static_cast<std::uint32_t>(rest));
        at += 4;
      } else if (at % 2 == 0 && last - at >= 2) {
        store_element(to_ + at, 0, static_cast<std::uint16_t>(rest));
        at += 2;
      } else {
        to_[at++] = static_cast<unsigned char>(rest);
      }
    }
  }

  unsigned char* to_;       ///< where the word belongs
  std::uint64_t word_ = 0;  ///< bytes that are not stored yet
  unsigned first_;          ///< of them within the word
  unsigned filled_;         ///< their end
};

/// Makes a number of bytes, the most significant one first.
struct number_maker {
  u128 value = 0;
  WDX_HD void put(std::uint64_t word, unsigned count) { value = value << (8 * count) | word >> (64 - 8 * count); }
};

/// Reads the bytes of a string.
struct string_reader {
  byte_key key;
  std::uint32_t at = 0;
  WDX_HD std::uint64_t left() const { return key.size - at; }
  WDX_HD std::uint64_t peek() const { return word_at(key, at); }  ///< the next 8 bytes; 00 after the end
  WDX_HD void skip(unsigned count) { at += count; }
};

/// Reads the bytes of a number.
struct number_reader {
  u128 value;  ///< the next byte is the most significant one
  std::uint64_t bytes;
  WDX_HD std::uint64_t left() const { return bytes; }
  WDX_HD std::uint64_t peek() const { return static_cast<std::uint64_t>(value >> 64); }
  WDX_HD void skip(unsigned count) {
    value <<= 8 * count;
    bytes -= count;
  }
};

/// @return bytes of the encoding of a string
WDX_HD inline std::uint64_t length_of(field_code const& code, byte_key const& string) {
  std::uint64_t length = string.size + std::uint64_t{code.ends ? 2u : 0u};
  if (!code.escapes) return length;
  for (std::uint64_t at = 0; at < string.size; at += 8) {
    unsigned const count = detail::bytes_of_word(string.size - at);
    std::uint64_t const beyond = count == 8 ? 0 : ~std::uint64_t{0} >> (8 * count);
    length += static_cast<std::uint64_t>(
        count_ones(detail::zero_bytes(word_at(string, static_cast<std::uint32_t>(at)) | beyond)));
  }
  return length;
}

/// @return whether the key of tuple `i` is not too long
WDX_HD inline bool measure_tuple(tuple_source const& from, std::uint64_t i, std::uint64_t& length) {
  length = 0;
  for (int f = 0; f < from.code.fields; ++f) {
    field_code const& code = from.code.of[f];
    field_values const& values = from.values[f];
    length += code.width + std::uint64_t{code.nullable ? 1u : 0u};
    if (code.width == 0 && values.valid(i)) length += length_of(code, values.strings.at(i));
  }
  return length <= byte_key::longest;
}

namespace detail {

template <class To> WDX_HD void put_number(field_code const& code, void const* numbers, std::uint64_t i, To& to) {
  if (code.width == 4) {
    std::uint64_t const bits = encode(code.codec, load_element<std::uint32_t>(numbers, i));
    to.put((bits << 32) ^ code.flip, 4);
  } else if (code.width == 8) {
    to.put(encode(code.codec, load_element<std::uint64_t>(numbers, i)) ^ code.flip, 8);
  } else {
    u128 const bits = encode(code.codec, load_element<u128>(numbers, i));
    to.put(static_cast<std::uint64_t>(bits >> 64) ^ code.flip, 8);
    to.put(static_cast<std::uint64_t>(bits) ^ code.flip, 8);
  }
}

template <class To> WDX_HD void put_string(field_code const& code, byte_key const& string, To& to) {
  for (std::uint64_t at = 0; at < string.size; at += 8) {
    std::uint64_t word = word_at(string, static_cast<std::uint32_t>(at));
    unsigned left = bytes_of_word(string.size - at);
    while (left != 0) {
      unsigned const before_zero = code.escapes ? leading_zeros(zero_bytes(word)) / 8 : 8;
      if (before_zero >= left) {
        to.put(word ^ code.flip, left);
        break;
      }
      to.put(word ^ code.flip, before_zero + 1);
      to.put(~code.flip, 1);
      left -= before_zero + 1;
      if (left != 0) word <<= 8 * (before_zero + 1);
    }
  }
  if (code.ends) to.put(code.flip, 2);
}

}  // namespace detail

/// Writes tuple `i`.
/// @param to called as to.put(word, count) for the first `count` bytes of a word, 1 to 8
template <class To> WDX_HD void put_tuple(tuple_source const& from, std::uint64_t i, To& to) {
  for (int f = 0; f < from.code.fields; ++f) {
    field_code const& code = from.code.of[f];
    field_values const& values = from.values[f];
    bool const valid = values.valid(i);
    if (code.nullable) to.put(std::uint64_t{code.null_mark ^ (valid ? 1u : 0u)} << 56, 1);
    if (code.width != 0) {
      if (valid) detail::put_number(code, values.numbers, i, to);
      else
        for (unsigned at = 0; at < code.width; at += 4) to.put(0, 4);
      continue;
    }
    if (valid) detail::put_string(code, values.strings.at(i), to);
  }
}

namespace detail {

/// @return whether some number has these bytes
template <class From> WDX_HD bool take_number(field_code const& code, bool valid, From& from, u128& number) {
  if (from.left() < code.width) return false;
  number_maker made;
  for (unsigned at = 0; at < code.width; at += 4) {
    made.put(from.peek() ^ (valid ? code.flip : 0), 4);
    from.skip(4);
  }
  if (!valid) {
    number = 0;
    return made.value == 0;
  }
  auto const decoded = [&]<class Bits>(Bits bits) {
    number = decode(code.codec, bits);
    return is_code(code.codec, bits);
  };
  if (code.width == 4) return decoded(static_cast<std::uint32_t>(made.value));
  if (code.width == 8) return decoded(static_cast<std::uint64_t>(made.value));
  return decoded(made.value);
}

/// @return whether some string has these bytes
template <class From, class To> WDX_HD bool take_string(field_code const& code, From& from, To& to) {
  constexpr unsigned ff = 0xff;
  while (from.left() != 0) {
    std::uint64_t const word = from.peek() ^ code.flip;
    unsigned const here = bytes_of_word(from.left());
    unsigned const before_zero = code.escapes ? leading_zeros(zero_bytes(word)) / 8 : 8;
    unsigned const count = before_zero < here ? before_zero : here;
    if (count != 0) {
      to.put(word, count);
      from.skip(count);
      continue;
    }
    if (here < 2) return false;
    auto const second = static_cast<unsigned>(word >> 48) & ff;
    from.skip(2);
    if (second == 0) return true;
    if (second != ff) return false;
    to.put(0, 1);
  }
  return !code.ends;
}

}  // namespace detail

/// Reads a tuple.
/// @param to called as to.valid(field, valid), to.number(field, bits), and to.string(field), which returns what takes
/// the bytes of a string by `put`, and then `finish`
/// @return `code.fields` + 1 if the bytes are a tuple, else the number of the first field that they do not hold;
/// `code.fields` if there are bytes after the last one
template <class From, class To> WDX_HD int take_tuple(tuple_code const& code, From from, To& to) {
  for (int f = 0; f < code.fields; ++f) {
    field_code const& field = code.of[f];
    bool valid = true;
    if (field.nullable) {
      if (from.left() == 0) return f;
      std::uint64_t const mark = from.peek() >> 56;
      if (mark > 1) return f;
      valid = mark != field.null_mark;
      from.skip(1);
      to.valid(f, valid);
    }
    if (field.width != 0) {
      u128 number;
      if (!detail::take_number(field, valid, from, number)) return f;
      to.number(f, number);
    } else {
      auto string = to.string(f);
      if (valid && !detail::take_string(field, from, string)) return f;
      string.finish();
    }
  }
  return from.left() == 0 ? code.fields + 1 : code.fields;
}

}  // namespace warpdex
