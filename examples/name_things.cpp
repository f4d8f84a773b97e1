// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Three jobs whose answer is the longest key that begins a probe, or the last one not above it:
//
//   the vendor of a network card       by the first 6, 7 or 9 digits of its address
//   the registrable domain of a host   by the public suffix list, whose rules have wildcards and exceptions
//   the country of an IPv6 address     by networks, as borders of intervals (prefix_borders.hpp)
//
//   name_things [PROBES [FOLDER [SPEC [BACKEND]]]]
//
// FOLDER has the files of the Debian packages ieee-data, publicsuffix and tor-geoipdb, below usr/share. Each answer is
// compared with that of a plain loop over a hash table or a sorted array.
#include <warpdex/index.hpp>
#include <warpdex/prefix_borders.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

using warpdex::u128;
using rows = std::vector<std::uint32_t>;
using texts = std::vector<std::string>;
constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

struct setting {
  std::size_t probes;
  std::string folder;
  std::string spec;
  warpdex::execution exec;
};

void for_each_line(std::string const& path, std::function<void(std::string const&)> const& use) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  for (std::string line; std::getline(file, line);) use(line);
}

[[noreturn]] void fail(std::string const& what) {
  throw std::runtime_error("not the answer of the plain loop: " + what);
}

template <class Work> double seconds_of(Work const& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void report(char const* job, std::size_t keys, std::size_t probes, std::size_t found, double index, double loop) {
  std::printf("%-20s %7zu keys %9zu probes %9zu found %8.2f M/s, plain loop %6.2f M/s\n", job, keys, probes, found,
              static_cast<double>(probes) / index / 1e6, static_cast<double>(probes) / loop / 1e6);
}

/// Prints a few of the names, as samples.
void show(std::string const& probe, std::string const& name) {
  std::printf("    %-40.40s %s\n", probe.c_str(), name.empty() ? "-" : name.c_str());
}
constexpr std::size_t shown = 3;

/// The longest of some keys that begin each probe.
struct longest_keys {
  rows found;
  std::vector<std::uint32_t> lengths;
  double seconds;

  longest_keys(setting const& with, texts const& keys, texts const& probes)
      : found(probes.size()), lengths(probes.size()), seconds(0) {
    auto const index = warpdex::index::build(with.spec, warpdex::byte_strings(keys), with.exec);
    warpdex::byte_strings const packed(probes);
    seconds = seconds_of([&] { index.longest_prefix(packed, found, lengths, with.exec); });
  }
};

// ---- vendors --------------------------------------------------------------------------------------------------------

void name_vendors(setting const& with) {
  texts prefixes;
  texts organisations;
  std::unordered_map<std::string_view, std::uint32_t> first_row;
  for (char const* file : {"oui.csv", "mam.csv", "oui36.csv"})
    for_each_line(with.folder + "/usr/share/ieee-data/" + file, [&](std::string const& line) {
      std::size_t const from = line.find(',') + 1;
      std::size_t const end = line.find(',', from);
      std::string const digits = line.substr(from, end - from);
      if (digits == "Assignment" || line.compare(0, 3, "MA-") != 0) return;
      prefixes.push_back(digits);
      char const behind = line[end + 1] == '"' ? '"' : ',';  // names with commas are in quotes
      std::size_t const name = end + (behind == '"' ? 2 : 1);
      organisations.push_back(line.substr(name, line.find(behind, name) - name));
    });
  for (std::uint32_t row = 0; row < prefixes.size(); ++row) first_row.emplace(prefixes[row], row);

  std::mt19937_64 random(1);
  texts cards(with.probes);
  for (std::string& card : cards) {
    if (random() % 4 != 0) card = prefixes[random() % prefixes.size()];
    while (card.size() < 12) card += "0123456789ABCDEF"[random() % 16];
  }

  longest_keys const got(with, prefixes, cards);
  std::size_t found = 0;
  double const loop = seconds_of([&] {
    for (std::size_t i = 0; i < cards.size(); ++i) {
      std::uint32_t row = none;
      std::uint32_t digits = 0;
      for (std::uint32_t length : {9u, 7u, 6u}) {
        auto const at = first_row.find(std::string_view(cards[i]).substr(0, length));
        if (at == first_row.end()) continue;
        row = at->second;
        digits = length;
        break;
      }
      if (got.found[i] != row || got.lengths[i] != digits) fail("vendor of " + cards[i]);
      found += row != none ? 1 : 0;
    }
  });
  report("vendors", prefixes.size(), cards.size(), found, got.seconds, loop);
  for (std::size_t i = 0; i < std::min(shown, cards.size()); ++i)
    show(cards[i], got.found[i] == none ? "" : organisations[got.found[i]]);
}

// ---- domains --------------------------------------------------------------------------------------------------------

/// A host name with its labels in reverse order, each followed by a dot: `a.co.uk` becomes `uk.co.a.`, so that a rule
/// begins all names below it and no others.
std::string reversed(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    std::size_t const dot = name.rfind('.');
    text.append(dot == name.npos ? name : name.substr(dot + 1)) += '.';
    name = dot == name.npos ? std::string_view() : name.substr(0, dot);
  }
  return text;
}

struct rule {
  bool plain = false, wildcard = false, exception = false;
};

/// @param labels how many of its last labels are the longest rule's name
/// @return number of labels of the public suffix; without a rule it is the last label
std::size_t suffix_labels(rule const& longest, std::size_t labels) {
  if (labels == 0) return 1;
  return longest.exception ? labels - 1 : labels + (longest.wildcard ? 1 : 0);
}

/// @return the last labels of a name, one more than its public suffix has; empty if there are not as many
std::string_view registrable(std::string_view name, std::size_t suffix) {
  std::size_t at = name.size();
  for (std::size_t label = 0; label <= suffix; ++label) {
    if (at == 0 || at == name.npos) return {};
    at = name.rfind('.', at - 1);
  }
  return at == name.npos ? name : name.substr(at + 1);
}

void name_domains(setting const& with) {
  std::unordered_map<std::string, rule> rules;  // by name
  for_each_line(with.folder + "/usr/share/publicsuffix/public_suffix_list.dat", [&](std::string const& line) {
    std::string const text = line.substr(0, line.find_first_of(" \t\r"));
    if (text.empty() || text.compare(0, 2, "//") == 0) return;
    if (text[0] == '!') rules[text.substr(1)].exception = true;
    else if (text.compare(0, 2, "*.") == 0) rules[text.substr(2)].wildcard = true;
    else rules[text].plain = true;
  });
  texts names, keys;
  std::vector<rule> kinds;
  for (auto const& [name, kind] : rules) {
    names.push_back(name);
    keys.push_back(reversed(name));
    kinds.push_back(kind);
  }

  std::mt19937_64 random(2);
  texts hosts(with.probes);
  texts probes(with.probes);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i] = random() % 8 == 0 ? "unknown" + std::to_string(random() % 1000) : names[random() % names.size()];
    for (std::uint64_t labels = random() % 4; labels-- > 0;)
      hosts[i].insert(0, "w" + std::to_string(random() % 10000) + ".");
    probes[i] = reversed(hosts[i]);
  }

  longest_keys const got(with, keys, probes);
  auto const domain_of = [&](std::size_t i) {
    auto const labels = std::count(probes[i].begin(), probes[i].begin() + got.lengths[i], '.');
    rule const longest = got.found[i] == none ? rule() : kinds[got.found[i]];
    return registrable(hosts[i], suffix_labels(longest, static_cast<std::size_t>(labels)));
  };
  std::size_t found = 0;
  double const loop = seconds_of([&] {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      // The rule with the most labels counts, but an exception counts before all others.
      std::string_view const host = hosts[i];
      std::size_t suffix = 1;
      bool exception = false;
      std::size_t labels = 0;
      for (std::size_t at = host.size(); at != host.npos && !exception; ++labels) {
        at = at == 0 ? host.npos : host.rfind('.', at - 1);
        auto const known = rules.find(std::string(at == host.npos ? host : host.substr(at + 1)));
        if (known == rules.end()) continue;
        exception = known->second.exception;
        if (exception) suffix = labels;
        else suffix = std::max(suffix, labels + (known->second.wildcard ? 2 : 1));
      }
      std::string_view const domain = domain_of(i);
      if (domain != registrable(host, suffix)) fail("domain of " + hosts[i]);
      found += domain.empty() ? 0 : 1;
    }
  });
  report("registrable domains", keys.size(), hosts.size(), found, got.seconds, loop);
  for (std::size_t i = 0; i < std::min(shown, hosts.size()); ++i) show(hosts[i], std::string(domain_of(i)));
}

// ---- countries ------------------------------------------------------------------------------------------------------

u128 address_of(std::string const& text) {
  unsigned char bytes[16];
  if (inet_pton(AF_INET6, text.c_str(), bytes) != 1) throw std::runtime_error("no IPv6 address: " + text);
  u128 number = 0;
  for (unsigned char const byte : bytes) number = number << 8 | byte;
  return number;
}

std::string text_of(u128 address) {
  unsigned char bytes[16];
  for (int i = 15; i >= 0; --i, address >>= 8) bytes[i] = static_cast<unsigned char>(address);
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, bytes, text, sizeof text);
  return text;
}

/// Calls use(address, bits) for the networks that make up [first, last].
template <class Use> void split(u128 first, u128 last, Use const& use) {
  for (;;) {
    u128 size = 1;
    std::uint8_t bits = 128;
    for (; bits > 0 && (first & size) == 0 && (first | (2 * size - 1)) <= last; --bits) size *= 2;
    use(first, bits);
    u128 const end = first | (size - 1);
    if (end == last) return;
    first = end + 1;
  }
}

void name_countries(setting const& with) {
  struct range {
    u128 first, last;
    std::string country;
  };
  std::vector<range> ranges;
  for_each_line(with.folder + "/usr/share/tor/geoip6", [&](std::string const& line) {
    if (line.empty() || line[0] == '#') return;
    std::size_t const comma = line.find(',');
    std::size_t const end = line.find(',', comma + 1);
    ranges.push_back(
        {address_of(line.substr(0, comma)), address_of(line.substr(comma + 1, end - comma - 1)), line.substr(end + 1)});
  });
  // As a router has them: networks, of which the smallest around an address counts.
  std::vector<u128> networks;
  std::vector<std::uint8_t> bits;
  rows range_of;
  for (std::uint32_t row = 0; row < ranges.size(); ++row)
    split(ranges[row].first, ranges[row].last, [&](u128 address, std::uint8_t leading) {
      networks.push_back(address);
      bits.push_back(leading);
      range_of.push_back(row);
    });
  auto const nowhere = static_cast<std::uint32_t>(ranges.size());
  auto const borders = warpdex::prefix_borders<u128, std::uint32_t>(networks, bits, range_of, nowhere);

  std::mt19937_64 random(3);
  std::vector<u128> addresses(with.probes);
  for (u128& address : addresses) {
    range const& r = ranges[random() % ranges.size()];
    u128 const any = u128{random()} << 64 | random();
    address = random() % 4 == 0 ? any : r.first + any % (r.last - r.first + 1);
  }

  rows got(addresses.size());
  auto const index = warpdex::index::build(with.spec, std::span(borders.keys), std::span(borders.rows), with.exec);
  double const seconds = seconds_of([&] { index.floor(std::span(addresses), {}, std::span(got), with.exec); });
  std::vector<std::uint32_t> order(ranges.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ranges[a].first < ranges[b].first; });
  std::size_t found = 0;
  double const loop = seconds_of([&] {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      auto const behind = std::upper_bound(order.begin(), order.end(), addresses[i],
                                           [&](u128 const& a, std::uint32_t r) { return a < ranges[r].first; });
      std::uint32_t row = behind == order.begin() ? nowhere : *(behind - 1);
      if (row != nowhere && addresses[i] > ranges[row].last) row = nowhere;
      if (got[i] != row) fail("country of " + text_of(addresses[i]));
      found += row != nowhere ? 1 : 0;
    }
  });
  report("countries", networks.size(), addresses.size(), found, seconds, loop);
  for (std::size_t i = 0; i < std::min(shown, addresses.size()); ++i)
    show(text_of(addresses[i]), got[i] == nowhere ? "" : ranges[got[i]].country);
}

}  // namespace

int main(int argc, char** argv) try {
  bool const gpu = argc > 4 && std::strcmp(argv[4], "cuda") == 0;
  setting const with{argc > 1 ? static_cast<std::size_t>(std::strtoull(argv[1], nullptr, 10)) : 1000000,
                     argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "GRT",
                     warpdex::execution(gpu ? warpdex::device_memory() : warpdex::host_memory())};
  if (!std::ifstream(with.folder + "/usr/share/tor/geoip6")) {
    std::puts("skipped: the files are not there; `make demo-names` unpacks them");
    return 77;
  }
  name_vendors(with);
  name_domains(with);
  name_countries(with);
  return 0;
} catch (std::exception const& e) {
  std::fprintf(stderr, "name_things: %s\n", e.what());
  return 1;
}
