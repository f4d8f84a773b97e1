// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/shapes.hpp"

#include <warpdex/warpdex.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpdex::attack {

constexpr std::size_t most_values = 40;
constexpr std::size_t arena_bytes = 72 * most_values;  // a sum has 64

template <class Struct> Struct zeros() {
  Struct result;
  std::memset(&result, 0, sizeof result);
  return result;
}

/// Random arguments of the C interface: mostly good ones, rarely null, odd or out of range. Arrays are in two arenas,
/// of which calls write one, or strings' offsets.
class c_arguments {
 public:
  explicit c_arguments(test::generator& random) : random_(random), read_(arena_bytes), written_(arena_bytes) {
    for (auto& byte : read_)
      byte = static_cast<std::uint8_t>(test::below(random_, 3) == 0 ? random_() : test::below(random_, 4));
  }

 protected:
  bool rare() { return test::below(random_, 50) == 0; }

  /// An enumeration: mostly one of `count` values.
  std::int32_t choice(std::int32_t count) {
    std::int32_t const odd[] = {-1, count, 64, 1 << 30, -(1 << 30) * 2};
    return rare() ? odd[test::below(random_, std::size(odd))]
                  : static_cast<std::int32_t>(test::below(random_, static_cast<std::uint64_t>(count)));
  }

  /// Bytes to read: of an array that calls write at times, or at an odd address, or nowhere.
  std::uint8_t const* bytes() {
    if (rare()) return nullptr;
    std::size_t const at = rare() ? 1 + test::below(random_, 15) : 16 * test::below(random_, 4);
    return (rare() ? written_.data() : read_.data()) + at;
  }

  /// @param likely the type that the call wants
  warpdex_column values(std::int32_t likely) {
    auto result = zeros<warpdex_column>();
    result.data = bytes();
    result.size = result.data == nullptr && rare() ? random_() : test::below(random_, most_values);
    result.type = test::below(random_, 8) == 0 ? choice(10) : likely;
    if (result.type == WARPDEX_BYTES && !rare()) strings(result);
    if (test::below(random_, 10) == 0) {
      result.validity = read_.data() + test::below(random_, 9);
      result.validity_offset = test::below(random_, 20);
    }
    result.reserved = rare() && rare();
    return result;
  }

  void strings(warpdex_column& column) {
    column.bytes = 60;
    column.offset_bytes = test::pick(random_, std::vector<std::uint32_t>{4, 8, 8, 0, 3});
    if (column.offset_bytes == 0) column.stride = static_cast<std::uint32_t>(test::below(random_, 3));
    offsets_.assign(2 * (most_values + 1), 0);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i <= most_values; ++i) {
      at = rare() ? test::below(random_, 70) : std::min<std::uint64_t>(at + test::below(random_, 3), column.bytes);
      if (column.offset_bytes == 4) offsets_[i] = static_cast<std::uint32_t>(at);
      else std::memcpy(&offsets_[2 * i], &at, sizeof at);
    }
    all_offsets_.push_back(offsets_);
    column.offsets = rare() ? nullptr : all_offsets_.back().data();
  }

  warpdex_execution const* place() {
    exec_ = zeros<warpdex_execution>();
    exec_.backend = rare() ? choice(2) : WARPDEX_CPU;
    exec_.device = rare() ? choice(2) : 0;
    exec_.threads = rare() ? choice(9) : 1;
    exec_.reserved = rare() && rare();
    return test::below(random_, 3) == 0 ? nullptr : &exec_;
  }

  char const* word(std::vector<char const*> const& words) { return rare() ? nullptr : test::pick(random_, words); }

  char const* spec() {
    return word({"auto", "AO+BS", "B+(16)", "HT(open)", "EO+KS(9)", "GRT", "AO+PB", "HT(buckets)", "B+(", "", "auto(x)",
                 "AO+BS/rows=u64", "AO+BS/layout=AoS"});
  }

  warpdex_column const* mostly(warpdex_column const& column) { return rare() ? nullptr : &column; }

  warpdex_output output(std::uint64_t size, std::int32_t type) {
    auto result = zeros<warpdex_output>();
    result.data = rare()   ? nullptr
                  : rare() ? const_cast<std::uint8_t*>(bytes())
                           : written_.data() + 16 * test::below(random_, 4);
    result.size = rare() ? test::below(random_, most_values) : size;
    result.type = rare() ? choice(10) : type;
    result.reserved = rare() && rare();
    return result;
  }

  void forget_strings() { all_offsets_.clear(); }

  test::generator& random_;
  std::vector<std::uint8_t> read_;
  std::vector<std::uint8_t> written_;

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<std::vector<std::uint32_t>> all_offsets_;
  warpdex_execution exec_ = {};
};

}  // namespace warpdex::attack
