// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/placed.hpp"

#include <warpdex/column.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace warpdex::bench {

/// Strings on the host, one after the other, and their offsets: of 32 bits if the bytes allow it.
class packed_strings {
 public:
  explicit packed_strings(std::span<std::string_view const> strings) {
    std::uint64_t bytes = 0;
    for (auto const& s : strings) bytes += s.size();
    bytes_ = array<std::byte>(bytes);
    if (bytes <= std::numeric_limits<std::uint32_t>::max()) pack(strings, narrow_);
    else pack(strings, wide_);
  }

  std::span<std::byte const> bytes() const noexcept { return bytes_.all(); }
  std::span<std::uint32_t const> narrow() const noexcept { return narrow_.all(); }  ///< offsets, or none
  std::span<std::uint64_t const> wide() const noexcept { return wide_.all(); }      ///< offsets, or none

 private:
  template <class Offset> void pack(std::span<std::string_view const> strings, array<Offset>& offsets) {
    offsets = array<Offset>(strings.size() + 1);
    Offset at = 0;
    for (std::uint64_t i = 0; i < strings.size(); ++i) {
      offsets[i] = at;
      at += static_cast<Offset>(strings[i].size());
    }
    offsets[strings.size()] = at;
    parallel_chunks(strings.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) {
        auto const from = std::as_bytes(std::span(strings[i]));
        std::copy(from.begin(), from.end(), bytes_.data() + offsets[i]);
      }
    });
  }

  array<std::byte> bytes_;
  array<std::uint32_t> narrow_;
  array<std::uint64_t> wide_;
};

/// Strings as an input.
template <> class placed<std::string_view> {
 public:
  placed(std::span<std::string_view const> host, execution const& exec, placement place = placement::device)
      : host_(host), packed_(host), bytes_(packed_.bytes(), exec, place), narrow_(packed_.narrow(), exec, place),
        wide_(packed_.wide(), exec, place) {}
  placed(placed const&) = delete;
  placed& operator=(placed const&) = delete;

  std::uint64_t size() const noexcept { return host_.size(); }
  column keys() const { return keys(0, size()); }
  column keys(std::uint64_t first, std::uint64_t count) const {
    std::span const bytes(bytes_.data(), bytes_.size());
    if (narrow_.size() > 0) return {bytes, std::span(narrow_.data() + first, count + 1)};
    return {bytes, std::span(wide_.data() + first, count + 1)};
  }
  std::span<std::string_view const> host() const noexcept { return host_; }

  /// Bytes of the column.
  std::uint64_t bytes() const noexcept { return bytes_.bytes() + narrow_.bytes() + wide_.bytes(); }

 private:
  std::span<std::string_view const> host_;
  packed_strings packed_;
  placed<std::byte> bytes_;
  placed<std::uint32_t> narrow_;
  placed<std::uint64_t> wide_;
};

}  // namespace warpdex::bench
