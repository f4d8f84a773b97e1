// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/networks.hpp>
#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/radix_nodes.hpp>

#include <cstdint>

/// @file
/// Addresses and networks of IP as text, for host and device (networks.hpp says which texts there are).
namespace warpdex {

/// Bits of an address before those of IPv4.
inline constexpr int bits_before_ipv4 = 96;

/// @return the bits of an address before those that lengths of its family count
WDX_HD constexpr int bits_before(u128 address) { return is_ipv4(address) ? bits_before_ipv4 : 0; }

/// A network: an address of 128 bits, and how many of these it names.
struct ip_network {
  u128 address = 0;
  int bits = 0;
};

enum class ip_fault : std::uint8_t { none, address, length, host_bits };

/// Reads one text from its beginning.
class ip_text {
 public:
  WDX_HD explicit ip_text(byte_key text) : text_(text) {}

  /// @return whether the text goes on with an address, which it then has passed
  WDX_HD bool take_address(u128& number) {
    constexpr int longest_group = 4;
    std::uint64_t const letters = next_letters();
    for (int i = 0; i <= longest_group; ++i) in_groups_ = in_groups_ || letter_of(letters, i) == ':';
    if (in_groups_) return take_groups(number);
    std::uint32_t quads;
    if (!take_quads(quads)) return false;
    number = address_of(quads);
    return true;
  }

  /// @return whether the text goes on with a number up to `most`
  WDX_HD bool take_number(int most, int& number) {
    std::uint32_t const first = at_;
    for (number = 0; !ended() && text_.data[at_] >= '0' && text_.data[at_] <= '9'; ++at_)
      if ((number = number * 10 + (text_.data[at_] - '0')) > most) return false;
    return at_ != first;
  }

  WDX_HD bool take(unsigned char letter) {
    if (ended() || text_.data[at_] != letter) return false;
    ++at_;
    return true;
  }

  WDX_HD bool ended() const { return at_ == text_.size; }

  /// @return whether the address was written as IPv6
  WDX_HD bool in_groups() const { return in_groups_; }

 private:
  static constexpr int groups = 8;
  static constexpr int group_bits = 16;

  /// @return the next 8 letters, the first one highest; zeros after the end
  WDX_HD std::uint64_t next_letters() const {
    std::uint32_t const left = text_.size - at_;
    if (left == 0 || left >= 8 || text_.size < 8) return word_at(text_, at_);
    return word_at(text_, text_.size - 8) << (64 - 8 * left);
  }

  WDX_HD static unsigned letter_of(std::uint64_t letters, int i) { return letters >> (56 - 8 * i) & 0xff; }
  WDX_HD static constexpr std::uint64_t all(std::uint64_t letter) { return letter * 0x0101010101010101; }

  /// @return the highest bit of each letter from `first` to `last`; no letter has its own highest bit
  WDX_HD static std::uint64_t between(std::uint64_t letters, unsigned first, unsigned last) {
    return (letters + all(0x80 - first)) & ~(letters + all(0x7f - last));
  }

  /// @return how many letters come before the first that is none of those whose highest bits are in `good`
  WDX_HD static int run_of(std::uint64_t letters, std::uint64_t good) {
    std::uint64_t const others = (~good | letters) & all(0x80);
    return others == 0 ? 8 : static_cast<int>(radix_digits::leading_zero_bytes(others));
  }

  WDX_HD static int decimal_digits(std::uint64_t letters) {
    return run_of(letters, between(letters & all(0x7f), '0', '9'));
  }
  WDX_HD static int hex_digits(std::uint64_t letters) {
    std::uint64_t const plain = letters & all(0x7f);
    return run_of(letters, between(plain, '0', '9') | between(plain | all(0x20), 'a', 'f'));
  }

  /// @return the number that the first `count` letters say: 1 to 3 decimal digits
  WDX_HD static unsigned decimal(std::uint64_t letters, int count) {
    auto const digits = static_cast<unsigned>(letters >> (64 - 8 * count)) & 0x0f0f0f;
    return (digits >> 16) * 100 + (digits >> 8 & 0xff) * 10 + (digits & 0xff);
  }
  /// @return the same of 1 to 4 hexadecimal digits
  WDX_HD static unsigned hex(std::uint64_t letters, int count) {
    auto const last = static_cast<std::uint32_t>(letters >> (64 - 8 * count));
    std::uint32_t const digits = (last & 0x0f0f0f0f) + (last >> 6 & 0x01010101) * 9;
    std::uint32_t const pairs = (digits & 0x000f000f) | (digits >> 4 & 0x00f000f0);
    return (pairs & 0xff) | (pairs >> 8 & 0xff00);
  }

  /// Four numbers up to 255, without leading zeros.
  WDX_HD bool take_quads(std::uint32_t& number) {
    number = 0;
    for (int quad = 0; quad < 4; ++quad) {
      if (quad != 0 && !take('.')) return false;
      std::uint64_t const letters = next_letters();
      int const digits = decimal_digits(letters);
      if (digits == 0 || digits > 3 || (digits > 1 && letter_of(letters, 0) == '0')) return false;
      unsigned const value = decimal(letters, digits);
      if (value > 255) return false;
      at_ += static_cast<unsigned>(digits);
      number = number << 8 | value;
    }
    return true;
  }

  /// Groups of IPv6.
  WDX_HD bool take_groups(u128& number) {
    u128 found = 0;  // those before and after the gap side by side
    int count = 0;
    int gap = -1;  // groups before `::`
    if (take(':')) {
      if (!take(':')) return false;
      gap = 0;
    }
    while (count < groups) {
      std::uint64_t const letters = next_letters();
      int const digits = hex_digits(letters);
      if (digits == 0 && gap == count) break;
      if (digits == 0 || digits > 4) return false;
      if (letter_of(letters, digits) == '.') {
        std::uint32_t quads;
        if (count > groups - 2 || !take_quads(quads)) return false;
        found = found << 32 | quads;
        count += 2;
        break;
      }
      found = found << group_bits | hex(letters, digits);
      at_ += static_cast<unsigned>(digits);
      ++count;
      if (!take(':')) break;
      if (!take(':')) {
        if (count == groups) return false;
      } else if (gap >= 0) {
        return false;
      } else {
        gap = count;
      }
    }
    return spread(found, count, gap, number);
  }

  /// Puts zeros in the place of the gap.
  WDX_HD static bool spread(u128 found, int count, int gap, u128& number) {
    number = found;
    if (gap < 0) return count == groups;
    if (count == groups) return false;
    int const behind = group_bits * (count - gap);
    u128 const tail = found & ((u128{1} << behind) - 1);
    number = gap == 0 ? tail : found >> behind << (group_bits * (groups - gap)) | tail;
    return true;
  }

  byte_key text_;
  std::uint32_t at_ = 0;
  bool in_groups_ = false;
};

WDX_HD inline ip_fault read_address(byte_key from, u128& number) {
  ip_text text(from);
  return text.take_address(number) && text.ended() ? ip_fault::none : ip_fault::address;
}

/// @param masks whether bits after the length are cleared, else they are a fault
WDX_HD inline ip_fault mask_network(ip_network& network, bool masks) {
  u128 const behind = network.bits == 128 ? 0 : static_cast<u128>(-1) >> network.bits;
  if ((network.address & behind) != 0 && !masks) return ip_fault::host_bits;
  network.address &= ~behind;
  return ip_fault::none;
}

WDX_HD inline ip_fault read_network(byte_key from, bool masks, ip_network& network) {
  ip_text text(from);
  if (!text.take_address(network.address)) return ip_fault::address;
  network.bits = 128;
  if (text.ended()) return ip_fault::none;
  if (!text.take('/')) return ip_fault::address;
  int const before = text.in_groups() ? 0 : bits_before_ipv4;
  int length;
  if (!text.take_number(128 - before, length) || !text.ended()) return ip_fault::length;
  network.bits = before + length;
  return mask_network(network, masks);
}

}  // namespace warpdex
