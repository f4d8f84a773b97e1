// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/sorted_bytes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpdex::test {

/// Strings in key order as an index holds them. An index has offsets of 64 bits from 2^32 bytes on; tests of views take
/// them for few bytes.
class sorted_strings {
 public:
  sorted_strings(std::vector<std::string> strings, bool wide) : wide_(wide) {
    std::sort(strings.begin(), strings.end());
    for (std::string const& s : strings) {
      bytes_ += s;
      wide_offsets_.push_back(bytes_.size());
      rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    }
    offsets_.assign(wide_offsets_.begin(), wide_offsets_.end());
  }

  std::uint64_t size() const { return rows_.size(); }

  /// Whose rows are ranks.
  byte_pairs<std::uint32_t> pairs() const {
    void const* const offsets = wide_ ? static_cast<void const*>(wide_offsets_.data()) : offsets_.data();
    return {reinterpret_cast<unsigned char const*>(bytes_.data()), offsets, rows_.data(), wide_};
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> wide_offsets_{0};
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> rows_;
  bool wide_;
};

}  // namespace warpdex::test
