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

  byte_strings const query_countries(std::vector<std::string_view>{"NL", "NL"});
  byte_strings const query_names(std::vector<std::string_view>{"Delft", "Ulm"});
  std::vector<nullable_column> const query = {query_countries.view(), query_names.view()};
  std::vector<std::uint32_t> query_rows(2);
  std::vector<std::uint64_t> counts(1);
  key_encoder const narrow = key_encoder::narrow({{.type = key_type::bytes}, {.type = key_type::bytes}}, columns, exec);
  index const by_number = index::build("AO+BS", narrow.encode(columns, exec), exec);

  placed_points const probes = narrow.points(query, exec);  // null for tuples that no row can equal
  by_number.find(probes.view(), row_output(query_rows), exec);
  placed_ranges const all = narrow.ranges(leading, {}, exec);  // all names of each wanted country
  by_number.range_count(all.view(), counts, exec);

  bool const right = query_rows == std::vector<std::uint32_t>{2, no_row<std::uint32_t>} && counts[0] == 2;
  return listed == "Aachen\nUlm\n" && right ? 0 : 1;
}
