// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/networks.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>

#include <algorithm>
#include <optional>
#include <random>
#include <tuple>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Networks against a loop over all of them, and their texts against those of the system.
namespace warpdex::test {
namespace {

class networks_on : public testing::TestWithParam<backend_kind> {
 protected:
  execution const exec_{memory_of(GetParam())};

  std::vector<std::vector<std::uint32_t>> covering(networks const& known, nullable_column const& ips) const {
    matches const found = known.covering(ips, exec_);
    auto const ends = read_buffer<std::uint64_t>(found.offsets, found.probes + 1, exec_);
    auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, exec_);
    std::vector<std::vector<std::uint32_t>> result;
    for (std::size_t i = 0; i < ips.size; ++i)
      result.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                          rows.begin() + static_cast<std::ptrdiff_t>(ends[i + 1]));
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(, networks_on, testing::ValuesIn(present_backends()), backend_name);

/// The address of a text, by the system.
std::optional<u128> system_address(std::string const& text) {
  unsigned char bytes[16];
  if (text.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1)
    return address_of(std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
                      bytes[3]);
  if (inet_pton(AF_INET6, text.c_str(), bytes) != 1) return std::nullopt;
  u128 address = 0;
  for (unsigned char const byte : bytes) address = address << 8 | byte;
  return address;
}

std::string system_text(u128 address) {
  unsigned char bytes[16];
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<unsigned char>(address >> (8 * (15 - i)));
  char text[INET6_ADDRSTRLEN];
  bool const short_form = is_ipv4(address) && address % 2 == 0;
  inet_ntop(short_form ? AF_INET : AF_INET6, short_form ? bytes + 12 : bytes, text, sizeof text);
  return text;
}

/// The rows of all networks around an address, from short to long, by a loop.
struct plain_networks {
  std::vector<u128> addresses;
  std::vector<std::uint8_t> lengths;

  std::vector<std::uint32_t> around(u128 address) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < addresses.size(); ++i) {
      int const bits = lengths[i] + (is_ipv4(addresses[i]) ? 96 : 0);
      if (is_ipv4(addresses[i]) == is_ipv4(address) && prefix_range(address, bits).lower == addresses[i])
        rows.push_back(i);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return lengths[a] < lengths[b]; });
    return rows;
  }

  std::uint32_t longest(u128 address) const {
    auto const rows = around(address);
    for (std::uint32_t const row : rows)
      if (lengths[row] == lengths[rows.back()]) return row;
    return no_row<std::uint32_t>;
  }
};

class any_number {
 public:
  explicit any_number(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  u128 address(bool ipv4) {
    u128 const number = u128{random_()} << 64 | random_();
    return ipv4 ? address_of(static_cast<std::uint32_t>(number)) : number;
  }
  /// Another address of the same family, with the first bits of this one.
  u128 near(u128 address) {
    int const first = is_ipv4(address) ? 96 : 0;
    u128 const mask =
        static_cast<u128>(-1) >> (first + static_cast<int>(below(static_cast<std::uint64_t>(128 - first))));
    return address ^ (this->address(false) & mask);
  }

 private:
  std::mt19937_64 random_;
};

plain_networks random_networks(any_number& any, int longest, std::size_t size) {
  plain_networks result;
  std::vector<u128> centres;
  for (int c = 0; c < 6; ++c) centres.push_back(any.address(c % 2 == 0));
  for (std::size_t i = 0; i < size; ++i) {
    if (i != 0 && any.below(8) == 0) {
      std::size_t const same = any.below(i);
      result.addresses.push_back(result.addresses[same]);
      result.lengths.push_back(result.lengths[same]);
      continue;
    }
    u128 const address = any.near(centres[any.below(centres.size())]);
    int const most = is_ipv4(address) ? 32 : longest;
    int const length = any.below(8) == 0 ? (any.below(2) == 0 ? 0 : most)
                                         : static_cast<int>(any.below(static_cast<std::uint64_t>(most) + 1));
    result.addresses.push_back(prefix_range(address, length + (is_ipv4(address) ? 96 : 0)).lower);
    result.lengths.push_back(static_cast<std::uint8_t>(length));
  }
  return result;
}

TEST_P(networks_on, random_tables) {
  any_number any(43);
  for (std::size_t round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    auto const plain = random_networks(any, round % 3 == 0 ? 128 : 64, round * 2);
    byte_strings cidrs, ip_texts;
    for (std::size_t i = 0; i < plain.addresses.size(); ++i)
      cidrs.push_back(
          system_text(plain.addresses[i]) + "/" +
          std::to_string(plain.lengths[i] + (is_ipv4(plain.addresses[i]) && plain.addresses[i] % 2 != 0 ? 96 : 0)));
    std::vector<u128> ips;
    for (u128 const address : plain.addresses)
      for (u128 const ip : {address, any.near(address), address - 1}) ips.push_back(ip);
    for (int i = 0; i < 20; ++i) ips.push_back(any.address(round % 2 == 0 || i % 2 == 0));
    std::vector<std::uint32_t> expected, ipv4, of_ipv4;
    std::vector<std::vector<std::uint32_t>> around;
    for (u128 const ip : ips) {
      ip_texts.push_back(system_text(ip));
      expected.push_back(plain.longest(ip));
      around.push_back(plain.around(ip));
      if (!is_ipv4(ip)) continue;
      ipv4.push_back(static_cast<std::uint32_t>(ip));
      of_ipv4.push_back(expected.back());
    }
    networks const from_text(cidrs.view(), exec_);
    networks const from_numbers(plain.addresses, plain.lengths, exec_);
    EXPECT_EQ(from_text.size(), plain.addresses.size());
    for (networks const* const known : {&from_text, &from_numbers}) {
      EXPECT_EQ(known->find(ips, exec_), expected);
      EXPECT_EQ(known->find(ip_texts.view(), exec_), expected);
      EXPECT_EQ(known->find(ipv4, exec_), of_ipv4);
      EXPECT_EQ(covering(*known, ips), around);
    }
    EXPECT_EQ(covering(from_text, ip_texts.view()), around);
  }
}

TEST_P(networks_on, networks_in_networks) {
  any_number any(17);
  for (std::size_t round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    auto const plain = random_networks(any, round % 2 == 0 ? 128 : 64, round * 3);
    networks const known(plain.addresses, plain.lengths, exec_);
    std::vector<u128> ips;
    std::vector<std::uint8_t> lengths;
    std::vector<std::uint32_t> expected;
    std::vector<std::vector<std::uint32_t>> around;
    for (std::size_t i = 0; i < 4 * plain.addresses.size(); ++i) {
      u128 const ip = any.near(plain.addresses[i / 4]);
      auto const most = is_ipv4(ip) ? 32u : 128u;
      ips.push_back(ip);
      lengths.push_back(static_cast<std::uint8_t>(i % 4 == 0 ? plain.lengths[i / 4] : any.below(most + 1)));
      auto& rows = around.emplace_back(plain.around(ip));
      std::erase_if(rows, [&](std::uint32_t row) { return plain.lengths[row] > lengths.back(); });
      auto const longest = std::find_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
        return plain.lengths[row] == plain.lengths[rows.back()];
      });
      expected.push_back(longest == rows.end() ? no_row<std::uint32_t> : *longest);
    }
    std::vector<std::uint32_t> rows(ips.size());
    known.find(ips, lengths, row_output(rows), exec_);
    EXPECT_EQ(rows, expected);
    matches const found = known.covering(ips, lengths, exec_);
    auto const ends = read_buffer<std::uint64_t>(found.offsets, found.probes + 1, exec_);
    auto const all = read_buffer<std::uint32_t>(found.rows, found.total, exec_);
    for (std::size_t i = 0; i < ips.size(); ++i)
      EXPECT_EQ(std::vector(all.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                            all.begin() + static_cast<std::ptrdiff_t>(ends[i + 1])),
                around[i]);
  }
  networks const single(std::vector<u128>{0}, std::vector<std::uint8_t>{0}, exec_);
  std::vector<u128> const ip = {address_of(0)};
  std::vector<std::uint8_t> const length = {33};
  std::vector<std::uint32_t> row(1);
  EXPECT_TRUE(throws<invalid_argument>([&] { single.find(ip, length, row_output(row), exec_); },
                                       "find: row 0 has a length that is not one of its family"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { (void)single.covering(ip, std::vector<std::uint8_t>{}, exec_); }, "lengths"));
  single.find(ip, length, row_output(row), exec_, invalid_values::null);
  EXPECT_EQ(row[0], no_row<std::uint32_t>);
}

TEST_P(networks_on, nulls_and_empty_columns) {
  byte_strings const cidrs(std::vector<std::string>{"nothing", "::/0", "0.0.0.0/0", "no", "255.255.255.255/32"});
  std::uint8_t const bits[] = {0b01011000, 0b1};  // from bit 2 on: rows 1, 2 and 4
  networks const known(nullable_column(cidrs.view(), bits, 2), exec_);
  std::vector<u128> const ips = {address_of(0), 0, static_cast<u128>(-1), address_of(0xffffffff), address_of(1)};
  std::uint8_t const query[] = {0b01111};
  nullable_column const probes(column(ips), query);
  EXPECT_EQ(known.find(probes, exec_), (std::vector<std::uint32_t>{2, 1, 1, 4, no_row<std::uint32_t>}));
  EXPECT_EQ(covering(known, probes), (std::vector<std::vector<std::uint32_t>>{{2}, {1}, {1}, {2, 4}, {}}));
  byte_strings const texts(std::vector<std::string>{"0.0.0.1", "bad", "::"});
  std::uint8_t const valid[] = {0b101};
  EXPECT_EQ(known.find(nullable_column(texts.view(), valid), exec_),
            (std::vector<std::uint32_t>{2, no_row<std::uint32_t>, 1}));

  EXPECT_TRUE(known.find(std::vector<u128>(), exec_).empty());
  EXPECT_TRUE(covering(known, byte_strings().view()).empty());
  networks const none(byte_strings().view(), exec_);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.find(ips, exec_), std::vector<std::uint32_t>(5, no_row<std::uint32_t>));
  EXPECT_EQ(covering(none, ips), std::vector<std::vector<std::uint32_t>>(5));
}

/// ::/0 holds no IPv4 address, and mapped ones are those of IPv4.
TEST_P(networks_on, families) {
  byte_strings const cidrs(std::vector<std::string>{"::/0", "::ffff:10.0.0.0/104", "::ffff:0:0/96", "10.0.0.1"});
  networks const known(cidrs.view(), exec_);
  byte_strings const ips(std::vector<std::string>{"::a00:1", "10.0.0.2", "::ffff:a00:1", "9.0.0.0"});
  EXPECT_EQ(known.find(ips.view(), exec_), (std::vector<std::uint32_t>{0, 1, 3, 2}));
  EXPECT_EQ(covering(known, ips.view()), (std::vector<std::vector<std::uint32_t>>{{0}, {2, 1}, {2, 1, 3}, {2}}));
}

TEST_P(networks_on, host_bits_are_masked_if_asked) {
  byte_strings const cidrs(
      std::vector<std::string>{"10.0.0.0/8", "10.1.2.3/16", "2001:db8::1/32", "::ffff:1.2.3.4/90"});
  EXPECT_TRUE(throws<invalid_argument>([&] { networks(cidrs.view(), exec_); }, "networks: row 1 is '10.1.2.3/16'",
                                       "bits set beyond its length"));
  networks const known(cidrs.view(), exec_, host_bits::mask);
  std::vector<u128> addresses(4);
  std::vector<std::uint8_t> lengths(4);
  parse_networks(cidrs.view(), addresses, lengths, exec_, host_bits::mask);
  EXPECT_EQ(addresses, (std::vector<u128>{address_of(10u << 24), address_of(10u << 24 | 1u << 16),
                                          u128{0x20010db8} << 96, u128{0xffc0} << 32}));
  EXPECT_EQ(lengths, (std::vector<std::uint8_t>{8, 16, 32, 90}));
  networks const same(addresses, lengths, exec_);
  byte_strings const ips(std::vector<std::string>{"10.1.9.9", "2001:db8::", "::ffd0:0:0"});
  EXPECT_EQ(known.find(ips.view(), exec_), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(same.find(ips.view(), exec_), known.find(ips.view(), exec_));
  std::vector<std::uint32_t> const ipv4 = {10u << 24 | 1};
  EXPECT_TRUE(throws<invalid_argument>([&] { networks(ipv4, std::vector<std::uint8_t>{8}, exec_); },
                                       "row 0 is 167772161/8", "bits set"));
  EXPECT_TRUE(throws<invalid_argument>([&] { networks(ipv4, std::vector<std::uint8_t>{33}, exec_); },
                                       "row 0 is 167772161/33, whose length"));
}

/// Texts made of pieces of addresses, and good ones with a letter changed.
TEST_P(networks_on, texts_are_those_of_the_system) {
  any_number any(7);
  std::string const letters = "0123456789abcdefABCDEFg:./ %-+\0x";
  std::vector<std::string> const pieces = {"::",  ":",   ".",     "0",    "00",      "1",
                                           "255", "256", "12345", "ffff", "1.2.3.4", "%a"};
  std::vector<std::string> texts = {"",
                                    ":",
                                    "::",
                                    ":::",
                                    "1.2.3.4",
                                    "01.2.3.4",
                                    "1.2.3",
                                    "1.2.3.4.",
                                    "::1.2.3.4",
                                    "1:2:3:4:5:6:7::",
                                    "::2:3:4:5:6:7:8",
                                    "1:2:3:4:5:6:7:8::",
                                    "1::2::3",
                                    "1:2:3:4:5:6:7",
                                    "1:2:3:4:5:6:1.2.3.4",
                                    "1:2:3:4:5:6:7:1.2.3.4",
                                    "::1.2.3.4:1",
                                    "1:2:3:4:5:6:7:8:"};
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 2 == 0 ? system_text(any.address(any.below(2) == 0)) : "";
    for (std::uint64_t p = text.empty() ? any.below(10) : 0; p != 0; --p) text += pieces[any.below(pieces.size())];
    if (!text.empty() && any.below(2) == 0) text[any.below(text.size())] = letters[any.below(letters.size())];
    texts.push_back(text);
  }
  std::size_t good = 0;
  for (std::string const& text : texts) {
    byte_strings const single(std::vector<std::string>{text});
    std::vector<u128> address(1);
    auto const parse = [&] { parse_addresses(single.view(), address, exec_); };
    if (auto const expected = system_address(text)) {
      ++good;
      ASSERT_NO_THROW(parse()) << text;
      ASSERT_EQ(address[0], *expected) << text;
    } else {
      ASSERT_TRUE(throws<invalid_argument>(parse, "parse_addresses: row 0 is '", "no address")) << text;
    }
    if (GetParam() == backend_kind::cuda && good > 300) break;
  }
  EXPECT_GT(good, 300u);
}

TEST_P(networks_on, bad_texts_are_named) {
  for (std::string const text : {"10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8x", "10.0.0.0/255.0.0.0", "::/-1"})
    EXPECT_TRUE(throws<invalid_argument>(
        [&] {
          networks(byte_strings(std::vector<std::string>{"::/0", text}).view(), exec_);
        },
        "networks: row 1 is '" + text + "', whose length"));
  for (std::string const text : {"", "/8", "10.0.0/8", "10.0.0.0 /8", "fe80::1%eth0/64", "a.b.c.d"})
    EXPECT_TRUE(throws<invalid_argument>(
        [&] {
          networks(byte_strings(std::vector<std::string>{"::/0", text}).view(), exec_);
        },
        "networks: row 1 is '" + text + "', which is no network"));
  networks const known(byte_strings(std::vector<std::string>{"::/0"}).view(), exec_);
  byte_strings const ips(std::vector<std::string>{"::", "::1/128"});
  EXPECT_TRUE(throws<invalid_argument>([&] { known.find(ips.view(), exec_); },
                                       "find: row 1 is '::1/128', which is no address"));
  EXPECT_TRUE(throws<invalid_argument>([&] { known.covering(ips.view(), exec_); }, "covering: row 1"));
  EXPECT_TRUE(throws<invalid_argument>([&] { known.find(std::vector<double>{1}, exec_); }, "of type f64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { networks(std::vector<u128>{1}, exec_); }, "numbers need lengths"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { networks(std::vector<u128>{1}, std::vector<std::uint8_t>{}, exec_); }, "lengths"));
}

/// Texts of logs: nulls where they are no addresses, and rows that are no networks.
TEST_P(networks_on, invalid_values_are_nulls_if_asked) {
  std::vector<std::string> const cidr_texts = {"10.0.0.0/8", "-",           "",      "10.1.0.1/16", "10.0.0.0/33",
                                               "::/0",       "10.2.0.0/16", "any/8", "null"};
  std::uint8_t const bits[] = {0b11111111, 0b0};
  byte_strings const cidrs(cidr_texts);
  nullable_column const column(cidrs.view(), bits);
  networks const known(column, exec_, host_bits::refuse, "auto(ranges)", invalid_values::null);
  networks const masked(column, exec_, host_bits::mask, "auto(ranges)", invalid_values::null);
  EXPECT_EQ(known.size(), cidr_texts.size());
  std::vector<std::string> ip_texts;
  std::vector<std::uint32_t> longest, longest_masked;
  for (int i = 0; i < 1000; ++i) {
    for (auto const& [text, row, masked_row] : {std::tuple("10.1.0.9", 0u, 3u),
                                                {"-", no_row<std::uint32_t>, no_row<std::uint32_t>},
                                                {"10.2.0.1", 6u, 6u},
                                                {"10.0.0.1:80", no_row<std::uint32_t>, no_row<std::uint32_t>},
                                                {"::1", 5u, 5u},
                                                {"fe80::1%eth0", no_row<std::uint32_t>, no_row<std::uint32_t>}}) {
      ip_texts.emplace_back(text);
      longest.push_back(row);
      longest_masked.push_back(masked_row);
    }
  }
  byte_strings const ips(ip_texts);
  EXPECT_EQ(known.find(ips.view(), exec_, invalid_values::null), longest);
  EXPECT_EQ(masked.find(ips.view(), exec_, invalid_values::null), longest_masked);
  auto const around = known.covering(ips.view(), exec_, invalid_values::null);
  EXPECT_EQ(read_buffer<std::uint64_t>(around.offsets, 7, exec_), (std::vector<std::uint64_t>{0, 1, 1, 3, 3, 4, 4}));
  EXPECT_TRUE(throws<invalid_argument>([&] { known.find(ips.view(), exec_); }, "row 1 is '-'"));

  std::vector<u128> addresses(cidr_texts.size());
  std::vector<std::uint8_t> lengths(cidr_texts.size()), valid(cidr_texts.size());
  parse_networks(column, addresses, lengths, valid, exec_);
  EXPECT_EQ(valid, (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(lengths, (std::vector<std::uint8_t>{8, 0, 0, 0, 0, 0, 16, 0, 0}));
  EXPECT_EQ(addresses[3], u128{0});
  parse_addresses(column, addresses, valid, exec_);
  EXPECT_EQ(valid, std::vector<std::uint8_t>(cidr_texts.size()));
  std::vector<u128> const pair = {address_of(10u << 24), address_of(11u << 24)};
  networks const numbered(pair, std::vector<std::uint8_t>{8, 33}, exec_, host_bits::refuse, "auto(ranges)",
                          invalid_values::null);
  EXPECT_EQ(numbered.find(pair, exec_), (std::vector<std::uint32_t>{0, no_row<std::uint32_t>}));
}

/// Networks where tables have their edges: each, alone and with all, is asked at its ends and next to them.
class edges_of_tables {
 public:
  explicit edges_of_tables(execution const& exec) : exec_(exec) {}

  void add(u128 address, int length) {
    all_.addresses.push_back(prefix_range(address, length + (is_ipv4(address) ? 96 : 0)).lower);
    all_.lengths.push_back(static_cast<std::uint8_t>(length));
  }

  /// @param most how many networks are asked for
  void check(any_number& any, std::size_t most = 200) {
    std::vector<u128> ips = {0, static_cast<u128>(-1), address_of(0), address_of(~0u), any.address(true)};
    std::size_t const every = all_.addresses.size() / most + 1;
    for (std::size_t i = 0; i < all_.addresses.size(); i += every) {
      u128 const first = all_.addresses[i];
      u128 const last = prefix_range(first, all_.lengths[i] + (is_ipv4(first) ? 96 : 0)).upper;
      for (u128 const ip : {first, first - 1, last, last + 1, any.near(first)}) ips.push_back(ip);
    }
    std::vector<std::uint32_t> expected, ipv4, of_ipv4;
    for (u128 const ip : ips) {
      expected.push_back(all_.longest(ip));
      if (!is_ipv4(ip)) continue;
      ipv4.push_back(static_cast<std::uint32_t>(ip));
      of_ipv4.push_back(expected.back());
    }
    networks const known(all_.addresses, all_.lengths, exec_);
    networks const loaded = networks::load(known.save(), exec_);
    for (networks const* const one : {&known, &loaded}) {
      EXPECT_EQ(one->find(ips, exec_), expected);
      EXPECT_EQ(one->find(ipv4, exec_), of_ipv4);
    }
    all_ = {};
  }

 private:
  execution const& exec_;
  plain_networks all_;
};

TEST_P(networks_on, edges_of_tables) {
  any_number any(5);
  edges_of_tables of(exec_);
  of.check(any);
  std::vector<u128> const places = {0, static_cast<u128>(-1), address_of(0), address_of(~0u), address_of(10u << 24)};
  for (u128 const address : places)
    for (int const length : {0, 1, 6, 7, 12, 18, 19, 24, 25, 30, 31, 32}) {
      of.add(address, length);
      of.check(any);
    }
  for (int const length : {0, 17, 18, 63, 64, 65, 127, 128})  // one to three, and both ends
    for (int count = 1; count <= 3; ++count) {
      for (int i = 0; i < count; ++i) of.add(static_cast<u128>(i == 0 ? 0 : i == 1 ? -1 : 1) << 64, length);
      of.check(any);
    }
  for (u128 const address : places)  // nested
    for (int const longest : {32, 64, 128}) {
      for (int length = 0; length <= (is_ipv4(address) ? 32 : longest); ++length) of.add(address, length);
      of.check(any);
    }
  auto const many = [&](std::uint32_t count, auto const& network) {
    for (std::uint32_t i = 0; i < count; ++i) std::apply([&](u128 a, int length) { of.add(a, length); }, network(i));
    of.check(any, 60);
  };
  many(1 << 16, [](u128 i) { return std::pair(address_of(10u << 24) + i, 32); });
  many(1 << 16, [](u128 i) { return std::pair(u128{0x20010db8} << 96 | i << 64, i % 2 == 0 ? 64 : 62); });
  many(1 << 16, [](u128 i) { return std::pair(u128{0x20010db8} << 96 | i, 128); });
  for (std::uint32_t const count : {100, 300, 20000}) {  // nodes of each size
    many(count, [&](u128) { return std::pair(any.address(true), 8 + static_cast<int>(any.below(25))); });
    many(count, [&](u128) { return std::pair(any.address(false), 16 + static_cast<int>(any.below(49))); });
  }
}

/// Batches beyond all parts, on several threads and structures.
TEST_P(networks_on, large_batches) {
  any_number any(11);
  auto const plain = random_networks(any, 64, 300);
  std::vector<u128> some;
  std::vector<std::uint32_t> of_some;
  for (u128 const address : plain.addresses) some.push_back(any.near(address));
  for (u128 const ip : some) of_some.push_back(plain.longest(ip));
  std::vector<u128> ips;
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < 3'000'000; ++i) {
    std::size_t const at = any.below(some.size());
    ips.push_back(some[at]);
    expected.push_back(of_some[at]);
  }
  for (char const* const structure : {"auto(ranges)", "AO+BS", "GRT"}) {
    networks const known(plain.addresses, plain.lengths, exec_, host_bits::refuse, structure);
    EXPECT_TRUE(known.find(ips, exec_) == expected) << structure;
  }
}

}  // namespace
}  // namespace warpdex::test
