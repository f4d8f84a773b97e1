// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/strings/byte_gather.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "backend/cpu/cpu_loops.hpp"

/// @file
/// Gathers by chunks, as a device makes them, on the host.
namespace warpdex::test {
namespace {

template <class Offset> void expect_gathered(std::vector<std::string> const& strings) {
  std::vector<byte_key> keys;
  std::vector<Offset> offsets = {0};
  std::string expected;
  for (std::string const& s : strings) {
    keys.push_back({reinterpret_cast<unsigned char const*>(s.data()), static_cast<std::uint32_t>(s.size())});
    expected += s;
    offsets.push_back(static_cast<Offset>(expected.size()));
  }
  execution const exec;
  buffer const bytes(expected.size() + 16, exec);
  for (bool const by_chunks : {false, true}) {
    std::memset(bytes.data(), 0x5e, bytes.bytes());
    auto* const to = bytes.as<unsigned char>();
    if (by_chunks)
      detail::gather_chunks<cpu_loops>(keys.data(), keys.size(), offsets.data(), expected.size(), to, exec);
    else gather_bytes<cpu_loops>(keys.data(), keys.size(), offsets.data(), expected.size(), to, exec);
    EXPECT_TRUE(std::string(bytes.as<char>(), bytes.bytes()) == expected + std::string(16, '\x5e'))
        << strings.size() << " strings" << (by_chunks ? " by chunks" : "");
  }
}

TEST(byte_gather, lengths) {
  std::mt19937_64 random(20261123);
  auto const make = [&](std::size_t size, std::size_t most) {
    std::vector<std::string> strings(size);
    for (std::string& s : strings) {
      s.resize(random() % (most + 1));
      for (char& c : s) c = static_cast<char>(random());
    }
    return strings;
  };
  for (std::size_t const size : {0, 1, 2, 3, 100, 3000})
    for (std::size_t const most : {0, 1, 3, 17, 300, 3000}) {
      expect_gathered<std::uint32_t>(make(size, most));
      expect_gathered<std::uint64_t>(make(size, most));
    }
  auto mixed = make(5000, 2);  // many empty ones before, between and after
  mixed[2500] = std::string(70000, 'l');
  mixed.insert(mixed.end(), 1000, "");
  mixed.insert(mixed.begin(), 1000, "");
  expect_gathered<std::uint32_t>(mixed);
}

}  // namespace
}  // namespace warpdex::test
