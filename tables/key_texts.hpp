// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "notation.hpp"
#include "tuple.hpp"
#include "values.hpp"

#include <warpdex/key_encoder.hpp>
#include <warpdex/key_list.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::tables {

/// Keys of an index as fields of CSV: numbers, strings, or the fields of tuples.
class key_texts {
 public:
  /// @param fields of tuples, with types; empty if the keys are none
  /// @param as how keys that are no tuples are written
  key_texts(key_type type, std::span<tuple_field const> fields, notation as, int threads);

  /// Takes keys, wherever they are.
  void take(key_list const& keys, execution const& exec);

  /// Takes numbers on the host.
  void take(std::vector<std::byte> keys, std::uint64_t count);

  /// @return a key, valid until the next call
  std::string_view operator[](std::uint64_t i);

 private:
  void append(column const& keys, std::uint64_t i);
  column keys() const;

  key_type type_;
  std::vector<key_field> fields_;
  notation as_;
  int threads_;
  std::uint64_t size_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> offsets_;
  std::vector<decoded_column> tuples_;
  std::string text_;
  std::string scratch_;
};

}  // namespace warpdex::tables
