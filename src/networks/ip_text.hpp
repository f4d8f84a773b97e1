// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/networks.hpp>
#include <warpdex/search/byte_key.hpp>

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
  WDX_HD explicit ip_text(byte_key text) : at_(text.data), end_(text.data + text.size) {}

  /// @return whether the text goes on with an address, which it then has passed
  WDX_HD bool take_address(u128& number) {
    constexpr int longest_group = 4;
    for (int i = 0; i <= longest_group && at_ + i < end_; ++i) in_groups_ = in_groups_ || at_[i] == ':';
    if (in_groups_) return take_groups(number);
    std::uint32_t quads;
    if (!take_quads(quads)) return false;
    number = address_of(quads);
    return true;
  }

  /// @return whether the text goes on with a number up to `most`
  WDX_HD bool take_number(int most, int& number) {
    unsigned char const* const first = at_;
    for (number = 0; at_ < end_ && digit(*at_) <= 9; ++at_)
      if ((number = number * 10 + static_cast<int>(digit(*at_))) > most) return false;
    return at_ != first;
  }

  WDX_HD bool take(unsigned char letter) {
    if (at_ == end_ || *at_ != letter) return false;
    ++at_;
    return true;
  }

  WDX_HD bool ended() const { return at_ == end_; }

  /// @return whether the address was written as IPv6
  WDX_HD bool in_groups() const { return in_groups_; }

 private:
  static constexpr int groups = 8;
  static constexpr int group_bits = 16;

  WDX_HD static unsigned digit(unsigned char letter) { return letter - unsigned{'0'}; }
  WDX_HD static unsigned hex_digit(unsigned char letter) {
    unsigned const decimal = digit(letter);
    unsigned const other = (letter | 0x20u) - 'a';
    return decimal <= 9 ? decimal : other <= 5 ? other + 10 : group_bits;
  }

  /// Four numbers up to 255, without leading zeros.
  WDX_HD bool take_quads(std::uint32_t& number) {
    number = 0;
    for (int quad = 0; quad < 4; ++quad) {
      if (quad != 0 && !take('.')) return false;
      unsigned char const* const first = at_;
      int value;
      if (!take_number(255, value) || (*first == '0' && at_ - first > 1)) return false;
      number = number << 8 | static_cast<std::uint32_t>(value);
    }
    return true;
  }

  /// Groups of IPv6.
  WDX_HD bool take_groups(u128& number) {
    u128 all = 0;  // those before and after the gap side by side
    int count = 0;
    int gap = -1;  // groups before `::`
    if (take(':')) {
      if (!take(':')) return false;
      gap = 0;
    }
    while (count < groups) {
      unsigned char const* const first = at_;
      unsigned group = 0;
      for (unsigned d; at_ < end_ && at_ - first < 5 && (d = hex_digit(*at_)) < group_bits; ++at_)
        group = group << 4 | d;
      if (at_ == first && gap == count) break;
      if (at_ == first || at_ - first > 4) return false;
      if (at_ < end_ && *at_ == '.') {
        std::uint32_t quads;
        at_ = first;
        if (count > groups - 2 || !take_quads(quads)) return false;
        all = all << 32 | quads;
        count += 2;
        break;
      }
      all = all << group_bits | group;
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
    return spread(all, count, gap, number);
  }

  /// Puts zeros in the place of the gap.
  WDX_HD static bool spread(u128 all, int count, int gap, u128& number) {
    number = all;
    if (gap < 0) return count == groups;
    if (count == groups) return false;
    int const behind = group_bits * (count - gap);
    u128 const tail = all & ((u128{1} << behind) - 1);
    number = gap == 0 ? tail : all >> behind << (group_bits * (groups - gap)) | tail;
    return true;
  }

  unsigned char const* at_;
  unsigned char const* end_;
  bool in_groups_ = false;
};

WDX_HD inline ip_fault read_address(byte_key from, u128& number) {
  ip_text text(from);
  return text.take_address(number) && text.ended() ? ip_fault::none : ip_fault::address;
}

/// @param masks whether bits behind the length are cleared, else they are a fault
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
