// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

/// @file
/// The public functions that take arrays, and their arrays.
namespace warpdex::test::array_calls {

/// What an array is to a call.
enum class part : std::uint8_t { keys, rows, row_output, key_output, bytes, offsets, validity, input, output };

struct array {
  part is;
  std::size_t width = 4;
  int length = 0;  ///< arrays of the same number have the same length

  bool written() const { return is == part::row_output || is == part::key_output || is == part::output; }
  bool of_keys() const { return is == part::keys || is == part::key_output; }
  bool of_rows() const { return is == part::rows || is == part::row_output; }
};

/// The arrays of one call. Element i of each is i; but bits of a validity are set, and inputs of bytes hold 32.
class arguments {
 public:
  static constexpr std::uint64_t usual = 4;

  explicit arguments(std::vector<array> const& of) {
    for (array const& a : of) slots_.emplace_back(a);
  }
  arguments(arguments const&) = delete;
  arguments& operator=(arguments const&) = delete;

  struct slot {
    explicit slot(array const& a) : of(a), room(3 * side, std::byte{0x77}), data(room.data() + side) {
      if (a.written()) return;
      for (std::uint64_t i = 0; i < elements(); ++i) {
        std::uint64_t const value = a.is == part::validity ? 0xff : a.is == part::input && a.width == 1 ? 32 : i;
        std::memcpy(room.data() + side + i * a.width, &value, a.width);
      }
    }
    std::uint64_t elements() const { return of.is == part::validity ? 1 : of.is == part::offsets ? size + 1 : size; }
    std::uint64_t bytes() const { return elements() * of.width; }
    void move_to(void* where) {
      std::memmove(where, data, bytes());
      data = where;
    }

    static constexpr std::size_t side = 256;
    array of;
    std::vector<std::byte> room;
    void* data;
    std::uint64_t size = usual;
    int type = of.of_keys() && of.width == 8 ? 1 : 0;  ///< u64 or u32
  };

  std::vector<slot>& slots() { return slots_; }

  column keys(std::size_t i) const { return {at(i).data, at(i).size, static_cast<key_type>(at(i).type)}; }
  row_column rows(std::size_t i) const { return {at(i).data, at(i).size, static_cast<row_type>(at(i).type)}; }
  row_output to_rows(std::size_t i) const { return {at(i).data, at(i).size, static_cast<row_type>(at(i).type)}; }
  key_output to_keys(std::size_t i) const { return {at(i).data, at(i).size, static_cast<key_type>(at(i).type)}; }
  template <class T> std::span<T> all(std::size_t i) const { return {static_cast<T*>(at(i).data), at(i).size}; }

  /// Strings whose bytes are array `i`, and their offsets the next one.
  column strings(std::size_t i) const {
    column result(at(i).data, at(i + 1).size, key_type::bytes);
    result.strings = {at(i + 1).data, static_cast<std::uint32_t>(at(i + 1).of.width), 0, at(i).size};
    return result;
  }
  nullable_column with_nulls(column c, std::size_t i) const {
    return {c, static_cast<std::uint8_t const*>(at(i).data), 0};
  }
  nullable_column keys_with_nulls(std::size_t i) const { return with_nulls(keys(i), i + 1); }
  nullable_column strings_with_nulls(std::size_t i) const { return with_nulls(strings(i), i + 2); }

 private:
  slot const& at(std::size_t i) const { return slots_[i]; }

  std::vector<slot> slots_;
};

/// A public function, its arrays, and a call of it.
struct call {
  std::string name;
  std::vector<array> arrays;
  std::function<void(arguments const&)> run;

  friend std::ostream& operator<<(std::ostream& to, call const& c) { return to << c.name; }
};

/// Every public function that takes arrays, in the order of the headers.
std::vector<call> calls();

}  // namespace warpdex::test::array_calls
