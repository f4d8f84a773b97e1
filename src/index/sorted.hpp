// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/search/codec.hpp>

#include <cstdint>

/// @file
/// Columns of numbers, as codes that compare as unsigned numbers.
namespace warpdex {

/// @return the code of a key of at most 8 bytes
WDX_HD inline std::uint64_t code_of_value(key_type type, u128 bits) {
  if (size_of(type) == 4) return encode(codec_of(type), static_cast<std::uint32_t>(bits));
  return encode(codec_of(type), static_cast<std::uint64_t>(bits));
}

/// @return the key of at most 8 bytes that has a code
WDX_HD inline u128 value_of_code(key_type type, std::uint64_t code) {
  if (size_of(type) == 4) return decode(codec_of(type), static_cast<std::uint32_t>(code));
  return decode(codec_of(type), code);
}

/// @return whether a key of at most 8 bytes has a code
WDX_HD inline bool is_code_of(key_type type, std::uint64_t code) {
  if (size_of(type) == 4) return code >> 32 == 0 && is_code(codec_of(type), static_cast<std::uint32_t>(code));
  return is_code(codec_of(type), code);
}

template <class Code, key_codec Codec> class code_column {
 public:
  using code = Code;

  WDX_HD explicit code_column(column const& keys) : keys_(keys.data), size_(keys.size) {}

  WDX_HD std::uint64_t size() const { return size_; }
  WDX_HD Code operator[](std::uint64_t i) const { return encode(Codec, load_element<Code>(keys_, i)); }
  void const* address(std::uint64_t i) const { return static_cast<char const*>(keys_) + i * sizeof(Code); }

 private:
  void const* keys_;
  std::uint64_t size_;
};

/// Calls body<code_column<...>>() with the type for keys of at most 8 bytes.
template <class Body> decltype(auto) with_codes(key_type type, Body const& body) {
  auto const with_codec = [&]<class Code>() {
    switch (codec_of(type)) {
      case key_codec::identity: return body.template operator()<code_column<Code, key_codec::identity>>();
      case key_codec::flip_sign: return body.template operator()<code_column<Code, key_codec::flip_sign>>();
      default: return body.template operator()<code_column<Code, key_codec::real>>();
    }
  };
  return size_of(type) == 4 ? with_codec.template operator()<std::uint32_t>()
                            : with_codec.template operator()<std::uint64_t>();
}

/// @return the number of keys less than a probe, or not greater (`upper`)
template <class Keys> WDX_HD std::uint64_t bound_in(Keys const& keys, typename Keys::code probe, bool upper) {
  std::uint64_t at = 0;
  for (std::uint64_t left = keys.size(); left > 0;) {
    std::uint64_t const half = left / 2;
    auto const key = keys[at + half];
    bool const passed = upper ? !(probe < key) : key < probe;
    at = passed ? at + half + 1 : at;
    left = passed ? left - half - 1 : half;
  }
  return at;
}

/// @throws invalid_argument for an unknown type, unsupported for keys that are no numbers of at most 8 bytes
void expect_numbers(char const* call, char const* what, key_type type);

/// @param keys numbers of at most 8 bytes, within reach of the backend
/// @return their codes, in the memory of the execution
buffer codes_of(column keys, execution const& exec);

}  // namespace warpdex
