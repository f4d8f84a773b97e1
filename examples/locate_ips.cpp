// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Locates IPv4 addresses: which range of a table holds each of ten million addresses, and so which country.
//
//   locate_ips [ADDRESSES [TABLE [SPEC [BACKEND]]]]
//
// The table has lines `first,last,country` with decimal addresses; Debian's package tor-geoipdb has such
// a table. Ranges do not overlap, so an address can only be in the range with the largest start not above it: that is
// `floor` on an index over the starts, and then a look at that range's end.
#include <warpdex/index.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct range_table {
  std::vector<std::uint32_t> first, last;  // sorted by first
  std::vector<std::string> country;
};

range_table read_table(std::string const& path) {
  struct line {
    std::uint32_t first, last;
    std::string country;
  };
  std::vector<line> lines;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    unsigned first = 0, last = 0;
    char country[8] = "";
    if (std::sscanf(text.c_str(), "%u,%u,%7s", &first, &last, country) != 3 || last < first) {
      throw std::runtime_error(path + ": not a line first,last,country: " + text);
    }
    lines.push_back({first, last, country});
  }
  if (lines.empty()) throw std::runtime_error(path + ": no ranges");
  std::sort(lines.begin(), lines.end(), [](line const& a, line const& b) { return a.first < b.first; });
  range_table table;
  for (line const& l : lines) {
    table.first.push_back(l.first);
    table.last.push_back(l.last);
    table.country.push_back(l.country);
  }
  return table;
}

// Half of them are anywhere, half inside ranges of the table, in random order. Equal seeds give equal addresses.
std::vector<std::uint32_t> make_addresses(range_table const& table, std::size_t count) {
  std::mt19937_64 random(2026);
  std::vector<std::uint32_t> addresses(count);
  for (auto& address : addresses) {
    std::uint64_t const bits = random();
    if (bits % 2 == 0) {
      address = static_cast<std::uint32_t>(bits >> 32);
    } else {
      std::size_t const range = random() % table.first.size();
      address = table.first[range] +
                static_cast<std::uint32_t>((bits >> 32) % (table.last[range] - table.first[range] + 1ull));
    }
  }
  return addresses;
}

// Median seconds of three runs.
template <class Work> double seconds_of(Work const& work) {
  double seconds[3];
  for (double& s : seconds) {
    auto const start = std::chrono::steady_clock::now();
    work();
    s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds, seconds + 3);
  return seconds[1];
}

constexpr auto nowhere = warpdex::no_row<std::uint32_t>;

void print_countries(range_table const& table, std::vector<std::uint32_t> const& rows) {
  std::map<std::string, std::size_t> counts;
  std::size_t outside = 0;
  for (std::uint32_t const row : rows) row == nowhere ? ++outside : ++counts[table.country[row]];
  std::vector<std::pair<std::size_t, std::string>> ranking;
  for (auto const& [country, count] : counts) ranking.emplace_back(count, country);
  std::sort(ranking.rbegin(), ranking.rend());
  std::size_t const shown = std::min<std::size_t>(20, ranking.size());
  std::size_t others = 0;
  for (std::size_t i = shown; i < ranking.size(); ++i) others += ranking[i].first;
  std::printf("\ncountry  addresses\n");
  for (std::size_t i = 0; i < shown; ++i) std::printf("%-7s %10zu\n", ranking[i].second.c_str(), ranking[i].first);
  std::printf("others  %10zu  (%zu countries)\nnowhere %10zu\n\n", others, ranking.size() - shown, outside);
}

int locate(std::size_t count, std::string const& path, std::string const& spec, std::string const& backend) {
  range_table const table = read_table(path);
  std::vector<std::uint32_t> const addresses = make_addresses(table, count);

  // The index lives where it is used: in the memory of a GPU if there is one, else in that of the host.
  bool const gpu = backend == "cuda" || (backend == "auto" && !warpdex::devices().empty());
  warpdex::execution const exec(gpu ? warpdex::device_memory() : warpdex::host_memory());
  auto const index = warpdex::index::build(spec, std::span(table.first), exec);
  std::printf("table:  %s, %zu ranges\nwhere:  %s\nindex:  %s, %llu bytes (starts alone: %zu)\n", path.c_str(),
              table.first.size(), gpu ? warpdex::devices().front().name.c_str() : "CPU", index.spec_text().c_str(),
              static_cast<unsigned long long>(index.memory().total()), table.first.size() * sizeof(std::uint32_t));

  // Addresses and results are on the host. For an index on a GPU the call copies both; the time includes it.
  std::vector<std::uint32_t> rows(count), rows_of_one_thread(count), expected(count);
  double const batch = seconds_of([&] { index.floor(std::span(addresses), {}, std::span(rows), exec); });

  double one_thread = 0;
  if (!gpu) {
    warpdex::execution const serial(warpdex::host_memory(), {}, 1);
    one_thread = seconds_of([&] { index.floor(std::span(addresses), {}, std::span(rows_of_one_thread), serial); });
  }

  // The plain loop: the same answers, one address after the other.
  double const plain = seconds_of([&] {
    for (std::size_t i = 0; i < count; ++i) {
      auto const after = std::upper_bound(table.first.begin(), table.first.end(), addresses[i]);
      expected[i] =
          after == table.first.begin() ? nowhere : static_cast<std::uint32_t>(after - table.first.begin() - 1);
    }
  });

  if (rows != expected || (!gpu && rows_of_one_thread != expected)) {
    std::fprintf(stderr, "locate_ips: the index and the plain loop disagree\n");
    return 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i] != nowhere && addresses[i] > table.last[rows[i]]) rows[i] = nowhere;
  }
  print_countries(table, rows);

  double const n = static_cast<double>(count);
  std::printf("lookup of %zu addresses, median of 3 runs, every answer equal to that of the plain loop:\n", count);
  std::printf("  index, one call       %8.3f s  %8.1f million/s  %6.1f times the plain loop\n", batch, n / batch / 1e6,
              plain / batch);
  if (!gpu) {
    std::printf("  index, one thread     %8.3f s  %8.1f million/s  %6.1f times the plain loop\n", one_thread,
                n / one_thread / 1e6, plain / one_thread);
  }
  std::printf("  std::upper_bound loop %8.3f s  %8.1f million/s  (one thread)\n", plain, n / plain / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto const argument = [&](int i, char const* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  try {
    return locate(std::stoull(argument(1, "10000000")), argument(2, "/usr/share/tor/geoip"),
                  argument(3, "AO+PB+KS(17)"), argument(4, "auto"));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "locate_ips: %s\n", e.what());
    return 1;
  }
}
