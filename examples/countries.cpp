// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Indexes places by (country, name) and lists the places of one country, by name. docs/guide/keys.md describes such
// keys.
#include <warpdex/index.hpp>
#include <warpdex/key_encoder.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  using namespace warpdex;
  std::vector<std::string_view> const countries = {"NL", "DE", "NL", "DE", "DEU", "NL"};
  std::vector<std::string_view> const names = {"Utrecht", "Ulm", "Delft", "Aachen", "Bonn", "Utrecht"};
  execution const exec{};
  byte_strings const country_column(countries), name_column(names);

  key_encoder const by_place({{.type = key_type::bytes}, {.type = key_type::bytes}});
  std::vector<nullable_column> const columns = {country_column.view(), name_column.view()};
  index const places = index::build("AO+BS", by_place.encode(columns, exec), exec);

  byte_strings const wanted(std::vector<std::string_view>{"DE"});
  std::vector<nullable_column> const leading = {wanted.view()};
  matches const found = places.prefix_retrieve(by_place.leading(leading, false, exec).lower, exec);

  std::string listed;
  auto const* const rows = found.rows.as<std::uint32_t>();
  for (std::uint64_t i = 0; i < found.total; ++i) listed += std::string(names[rows[i]]) + "\n";
  std::fputs(listed.c_str(), stdout);
  return listed == "Aachen\nUlm\n" ? 0 : 1;
}
