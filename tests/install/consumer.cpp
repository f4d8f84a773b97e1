// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  std::vector<std::uint32_t> const keys = {30, 10, 20};
  std::vector<std::uint32_t> const probes = {10, 15, 30};
  std::vector<std::uint32_t> rows(probes.size());

  auto const exec = warpdex::execution();
  auto const index = warpdex::index::build("AO+BS", std::span(keys), exec);
  index.find(std::span(probes), std::span(rows), exec);

  if (rows == std::vector<std::uint32_t>{1, warpdex::no_row<std::uint32_t>, 0}) return 0;
  std::fputs("find gave wrong rows\n", stderr);
  return 1;
}
