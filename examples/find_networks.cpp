// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// The example of docs/guide/networks.md.
#include <warpdex/networks.hpp>

#include <cstdint>
#include <string>
#include <vector>

int main() {
  using namespace warpdex;

  byte_strings const cidrs(std::vector<std::string>{"10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32", "10.1.0.0/16"});
  byte_strings const ips(std::vector<std::string>{"10.1.2.3", "::ffff:10.9.9.9", "2001:db8::1", "::1"});
  networks const known(cidrs.view(), execution());

  std::vector<std::uint32_t> const longest = known.find(ips.view());  // 1, 0, 2, no_row<std::uint32_t>
  matches const all = known.covering(ips.view());                     // (0, 1, 3), (0), (2), ()

  std::vector<std::uint32_t> const of_ipv4 = known.find(std::vector<std::uint32_t>{10u << 24});  // 0

  bool const right = longest == std::vector<std::uint32_t>{1, 0, 2, no_row<std::uint32_t>} && all.total == 5 &&
                     all.rows_of(0)[2] == 3 && of_ipv4[0] == 0;
  return right ? 0 : 1;
}
