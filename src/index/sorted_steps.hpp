// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/round_key.hpp>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"
#include "index/sorted.hpp"

namespace warpdex::sorted_steps {

/// Searches one probe of any type. Its arrays are within reach of the thread that searches.
template <class Keys> struct search {
  Keys keys;
  key_type type;
  void const* probes;
  key_type from;  ///< the type of the probes
  std::uint64_t* out;
  bool upper;

  WDX_HD void operator()(std::uint64_t i) const {
    using code = typename Keys::code;
    u128 const probe = detail::load_bytes(probes, size_of(from), i);
    if (from == type) {
      out[i] = bound_in(keys, encode(codec_of(type), static_cast<code>(probe)), upper);
      return;
    }
    rounded_key const near = round_key(from, probe, type);
    if (upper ? near.has_below : near.has_above)
      out[i] = bound_in(keys, encode(codec_of(type), static_cast<code>(upper ? near.below : near.above)), upper);
    else out[i] = upper ? 0 : keys.size();
  }
};

/// Whether key i + 1 is less than key i.
struct descends {
  key_type type;
  void const* keys;

  WDX_HD std::uint64_t code(std::uint64_t i) const {
    return code_of_value(type, detail::load_bytes(keys, size_of(type), i));
  }
  WDX_HD bool operator()(std::uint64_t i) const { return code(i + 1) < code(i); }
};

/// Writes the code of key i.
struct encode_key {
  key_type type;
  void const* keys;
  void* codes;

  WDX_HD void operator()(std::uint64_t i) const {
    std::size_t const width = size_of(type);
    detail::store_bytes(codes, width, i, code_of_value(type, detail::load_bytes(keys, width, i)));
  }
};

template <class Code>
using searches =
    steps::runs<search<code_column<Code, key_codec::identity>>, search<code_column<Code, key_codec::flip_sign>>,
                search<code_column<Code, key_codec::real>>>;

struct all : steps::list<searches<std::uint32_t>, searches<std::uint64_t>, steps::runs<encode_key>,
                         steps::finds_first<descends>> {};
all list_of_step(...);

}  // namespace warpdex::sorted_steps
