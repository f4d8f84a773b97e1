// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/byte_key.hpp>

#include <cstdint>
#include <cstring>

#include "backend/strings/byte_words.hpp"
#include "base/prefix.hpp"
#include "base/tuning.hpp"

/// @file
/// Copies of strings to one array of bytes.
namespace warpdex {
namespace detail {

/// Copies a string to its place.
template <class Offset> struct copy_string {
  byte_key const* keys;
  Offset const* offsets;
  unsigned char* bytes;
  void operator()(std::uint64_t i) const {
    if (keys[i].size != 0) std::memcpy(bytes + offsets[i], keys[i].data, keys[i].size);
  }
};

/// The output is cut into tiles. The strings of a few chunks of 16 bytes are found among those of their tile.
inline constexpr std::uint64_t gather_tile = tuning::gather_tile;
inline constexpr std::uint64_t gather_chunk = 16;

/// Notes a string as the first one of the tiles that begin in it.
template <class Offset> struct note_tiles {
  Offset const* offsets;
  std::uint64_t* first_strings;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const end = offsets[i + 1];
    for (std::uint64_t tile = (offsets[i] + gather_tile - 1) / gather_tile; tile * gather_tile < end; ++tile)
      first_strings[tile] = i;
  }
};

/// Writes a chunk of the output, which may span several strings.
template <class Offset> struct gather_one_chunk {
  byte_key const* keys;
  std::uint64_t size;
  Offset const* offsets;
  std::uint64_t total;
  std::uint64_t const* first_strings;  ///< per tile
  unsigned char* bytes;                ///< aligned to chunks

  struct alignas(gather_chunk) words {
    std::uint64_t of[2];
  };

  WDX_HD words read(std::uint64_t chunk) const {
    std::uint64_t const begin = chunk * gather_chunk;
    std::uint64_t const tile = begin / gather_tile;
    std::uint64_t const last = (tile + 1) * gather_tile < total ? first_strings[tile + 1] : size - 1;
    std::uint64_t i = end_of_prefix<std::uint64_t>(first_strings[tile] + 1, last + 1,
                                                   [&](std::uint64_t j) { return offsets[j] <= begin; }) -
                      1;
    auto at = static_cast<std::uint32_t>(begin - offsets[i]);
    byte_key key = keys[i];
    words result{};
    for (std::uint64_t& word : result.of) {
      for (std::uint32_t filled = 0;;) {
        word |= word_at(key, at) >> (8 * filled);
        std::uint32_t const left = key.size - at;
        if (left >= 8 - filled) {
          at += 8 - filled;
          break;
        }
        filled += left;
        at = key.size;
        if (i + 1 == size) break;
        key = keys[++i];
        at = 0;
      }
    }
    return result;
  }

  WDX_HD void operator()(std::uint64_t chunk, words const& read) const {
    std::uint64_t const begin = chunk * gather_chunk;
    words const in_order{{image_of(read.of[0]), image_of(read.of[1])}};
    if (begin + gather_chunk <= total) {
      *reinterpret_cast<words*>(bytes + begin) = in_order;
      return;
    }
    for (std::uint64_t i = begin; i < total; ++i)
      bytes[i] = static_cast<unsigned char>(in_order.of[(i - begin) / 8] >> (i - begin) % 8 * 8);
  }
};

/// Copies strings chunk by chunk: each call of a function writes 16 bytes, however long the strings are.
template <class Loops, class Offset>
void gather_chunks(byte_key const* keys, std::uint64_t size, Offset const* offsets, std::uint64_t total,
                   unsigned char* bytes, execution const& exec) {
  buffer const first_strings((total + gather_tile - 1) / gather_tile * sizeof(std::uint64_t), exec);
  auto* const first = first_strings.as<std::uint64_t>();
  Loops::for_each(exec, size, note_tiles<Offset>{offsets, first});
  Loops::for_each(exec, (total + gather_chunk - 1) / gather_chunk,
                  gather_one_chunk<Offset>{keys, size, offsets, total, first, bytes});
}

}  // namespace detail

/// Copies strings one after the other. Asynchronous on `exec.stream`. Scratch on a device: 1 byte per 64 bytes.
/// @param keys strings without tails, within reach of the engine
/// @param offsets size + 1 numbers: where each string goes; the first is 0, and the last is `total`
/// @param bytes aligned to 16
/// @throws out_of_memory, device_error
template <class Loops, class Offset>
void gather_bytes(byte_key const* keys, std::uint64_t size, Offset const* offsets, std::uint64_t total,
                  unsigned char* bytes, execution const& exec) {
  if constexpr (Loops::kind == backend_kind::cpu)
    Loops::for_each_list(exec, size, offsets, detail::copy_string<Offset>{keys, offsets, bytes});
  else detail::gather_chunks<Loops>(keys, size, offsets, total, bytes, exec);
}

}  // namespace warpdex
