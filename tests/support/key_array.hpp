// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/arrays.hpp"

#include <algorithm>
#include <optional>
#include <string>

/// @file
/// Columns of numbers or of strings, made from vectors, in every form that callers may give them.
namespace warpdex::test {

/// A copy of keys at an awkward address. @tparam Scalar a type of numbers
template <class Scalar> class key_array {
 public:
  /// @param form any number; chooses the address and whatever else a column leaves open
  key_array(std::vector<Scalar> const& keys, key_type type, place where, std::uint64_t form, execution const& exec)
      : keys_(keys, where, form % 4, exec), type_(type) {}

  column view() const { return {keys_.data(), keys_.size(), type_}; }

 private:
  input_array<Scalar> keys_;
  key_type type_;
};

/// A copy of strings: with offsets of either width, or of one length each without offsets. Bytes that belong to no
/// string may come before and after them.
template <> class key_array<std::string> {
 public:
  key_array(std::vector<std::string> const& keys, key_type, place where, std::uint64_t form, execution const& exec)
      : size_(keys.size()) {
    auto const take = [&](std::uint64_t choices) {
      std::uint64_t const chosen = form % choices;
      form /= choices;
      return chosen;
    };
    std::size_t const length = keys.empty() ? 0 : keys.front().size();
    bool const equal_lengths = std::all_of(keys.begin(), keys.end(), [&](auto const& k) { return k.size() == length; });
    bool const strided = take(2) == 0 && equal_lengths && length != 0;
    bool const wide = take(2) == 0;
    std::vector<std::byte> bytes(strided ? 0 : take(3) * 5, std::byte{0xee});
    std::vector<std::uint64_t> offsets = {bytes.size()};
    for (std::string const& key : keys) {
      auto const* const first = reinterpret_cast<std::byte const*>(key.data());
      bytes.insert(bytes.end(), first, first + key.size());
      offsets.push_back(bytes.size());
    }
    bytes.resize(bytes.size() + take(3) * 3, std::byte{0xee});
    number_of_bytes_ = bytes.size();
    bytes_.emplace(bytes, where, take(8), exec);
    if (strided) stride_ = static_cast<std::uint32_t>(length);
    else if (wide) wide_offsets_.emplace(offsets, where, take(4), exec);
    else offsets_.emplace(std::vector<std::uint32_t>(offsets.begin(), offsets.end()), where, take(4), exec);
  }

  column view() const {
    column c(bytes_->data(), size_, key_type::bytes);
    c.strings.bytes = number_of_bytes_;
    c.strings.stride = stride_;
    if (stride_ == 0) {
      c.strings.offsets = wide_offsets_ ? wide_offsets_->data() : offsets_->data();
      c.strings.offset_bytes = wide_offsets_ ? 8 : 4;
    }
    return c;
  }

 private:
  std::uint64_t size_;
  std::uint64_t number_of_bytes_ = 0;
  std::uint32_t stride_ = 0;
  std::optional<input_array<std::byte>> bytes_;
  std::optional<input_array<std::uint32_t>> offsets_;
  std::optional<input_array<std::uint64_t>> wide_offsets_;
};

/// @return the keys of a column on the host. Strings have offsets of 64 bits
template <class Scalar> std::vector<Scalar> keys_of(column const& c) {
  std::vector<Scalar> keys(c.size);
  if constexpr (std::is_same_v<Scalar, std::string>) {
    auto const* const offsets = static_cast<std::uint64_t const*>(c.strings.offsets);
    for (std::uint64_t i = 0; i < c.size; ++i)
      keys[i].assign(static_cast<char const*>(c.data) + offsets[i], offsets[i + 1] - offsets[i]);
  } else if (c.size != 0) {
    std::memcpy(keys.data(), c.data, c.size * sizeof(Scalar));
  }
  return keys;
}

/// @return the keys of a list in the memory of `exec`
template <class Scalar> std::vector<Scalar> keys_of(key_list const& list, execution const& exec) {
  if constexpr (std::is_same_v<Scalar, std::string>) {
    auto const offsets = read_buffer<std::uint64_t>(list.offsets, list.size + 1, exec);
    auto const bytes = read_buffer<std::byte>(list.keys, list.bytes, exec);
    if (offsets.back() != list.bytes) throw std::runtime_error("the last offset of a key list is not its bytes");
    return keys_of<std::string>(column(std::span(bytes), std::span(offsets)));
  } else {
    return read_buffer<Scalar>(list.keys, list.size, exec);
  }
}

}  // namespace warpdex::test
