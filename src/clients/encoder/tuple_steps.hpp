// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "clients/encoder/place_steps.hpp"
#include "clients/encoder/tuple_code.hpp"

/// @file
/// What a key encoder does with each tuple, for host and device. Arrays are within reach of the backend.
namespace warpdex {

/// Encoded keys.
struct key_source {
  void const* numbers = nullptr;
  string_source strings;
  unsigned width = 0;  ///< of a number; 0 for strings
  unsigned used = 0;   ///< bytes of a number that hold fields: the least significant ones

  /// Reads key `i` as `take_tuple` does.
  template <class To> WDX_HD int take(tuple_code const& code, std::uint64_t i, To& to) const {
    if (width == 0) return take_tuple(code, string_reader{strings.at(i)}, to);
    u128 key;
    if (width == 4) key = load_element<std::uint32_t>(numbers, i);
    else if (width == 8) key = load_element<std::uint64_t>(numbers, i);
    else key = load_element<u128>(numbers, i);
    unsigned const free_bits = 128 - 8 * used;
    if (free_bits != 0 && key >> (128 - free_bits) != 0) return 0;
    return take_tuple(code, number_reader{key << free_bits, used}, to);
  }
};

/// Where the values of one field go.
struct field_target {
  void* values = nullptr;            ///< numbers, or the bytes of strings
  std::uint64_t* offsets = nullptr;  ///< of strings
  std::uint8_t* valid = nullptr;     ///< a byte per value, of nullable fields
};

namespace tuple_steps {

/// Writes the key of tuple i as a string.
struct write_string {
  tuple_source from;
  std::uint64_t const* offsets;
  unsigned char* bytes;
  WDX_HD void operator()(std::uint64_t i) const {
    byte_writer to(bytes, offsets[i]);
    put_tuple(from, i, to);
    to.finish();
  }
};

/// Writes the least and the greatest number that begin with tuple i.
struct write_number {
  tuple_source from;
  unsigned width;
  unsigned free_bytes;  ///< of the fields that are not given
  void* least;
  void* greatest;  ///< null if no byte is free

  WDX_HD void operator()(std::uint64_t i) const {
    number_maker made;
    put_tuple(from, i, made);
    u128 const number = made.value << (8 * free_bytes);
    store(least, i, number);
    if (greatest != nullptr) store(greatest, i, number | ((u128{1} << (8 * free_bytes)) - 1));
  }

 private:
  WDX_HD void store(void* to, std::uint64_t i, u128 number) const {
    if (width == 4) store_element(to, i, static_cast<std::uint32_t>(number));
    else if (width == 8) store_element(to, i, static_cast<std::uint64_t>(number));
    else store_element(to, i, number);
  }
};

/// Writes the values of key i.
struct write_values {
  key_source keys;
  tuple_code code;
  field_target to[key_encoder::most_fields];

  struct taker {
    write_values const& step;
    std::uint64_t i;
    WDX_HD void valid(int f, bool is_valid) const { step.to[f].valid[i] = is_valid; }
    WDX_HD void number(int f, u128 bits) const {
      void* const values = step.to[f].values;
      if (step.code.of[f].width == 4) store_element(values, i, static_cast<std::uint32_t>(bits));
      else if (step.code.of[f].width == 8) store_element(values, i, static_cast<std::uint64_t>(bits));
      else store_element(values, i, bits);
    }
    WDX_HD byte_writer string(int f) const {
      return {static_cast<unsigned char*>(step.to[f].values), step.to[f].offsets[i]};
    }
  };

  WDX_HD void operator()(std::uint64_t i) const {
    taker to_key{*this, i};
    keys.take(code, i, to_key);
  }
};

/// Writes the length of the key of tuple i. Holds if the tuple has no key.
struct has_no_key {
  tuple_source from;
  std::uint64_t* lengths;
  WDX_HD bool operator()(std::uint64_t i) const { return !measure_tuple(from, i, lengths[i]); }
};

/// Writes the lengths of the strings of key i. Holds if the key is none of a tuple.
struct has_no_tuple {
  key_source keys;
  tuple_code code;
  std::uint64_t* lengths[key_encoder::most_fields];

  struct counter {
    std::uint64_t* length;
    std::uint64_t bytes = 0;
    WDX_HD void put(std::uint64_t, unsigned count) { bytes += count; }
    WDX_HD void finish() const { *length = bytes; }
  };
  struct taker {
    has_no_tuple const& check;
    std::uint64_t i;
    WDX_HD void valid(int, bool) const {}
    WDX_HD void number(int, u128) const {}
    WDX_HD counter string(int f) const { return {check.lengths[f] + i}; }
  };

  WDX_HD bool operator()(std::uint64_t i) const {
    taker to{*this, i};
    return keys.take(code, i, to) <= code.fields;
  }
};

struct all
    : steps::list<steps::runs<write_string, write_number, write_values, decode_key, pack_place, clear_range,
                              unpack_place, keep_in_group>,
                  steps::finds_first<has_no_key, has_no_tuple, is_no_place, is_missing>, steps::reduces<code_at>> {};
all list_of_step(...);

}  // namespace tuple_steps
}  // namespace warpdex
