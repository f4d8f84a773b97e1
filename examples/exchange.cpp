// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Index files pass between machines and processes: one builds and saves, another loads and asks.
//
//     exchange build SPEC TYPE FILE KEYS   builds an index over so many keys of a type, and saves it
//     exchange find FILE OUT               loads it, asks for its keys and as many others, and writes their rows
//
// Without arguments it does both. Keys follow from their rows, so that the files of all machines are equal.
#include <warpdex/index.hpp>
#include <warpdex/replacement.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint32_t number_of(std::uint64_t row) { return static_cast<std::uint32_t>(row * 2654435761u); }

/// Calls use(column) with the keys of the rows below `count`.
template <class Use> void with_keys(warpdex::key_type type, std::uint64_t count, Use const& use) {
  auto const numbers = [&]<class Key>(Key, auto const& key_of) {
    std::vector<Key> keys;
    for (std::uint64_t row = 0; row < count; ++row) keys.push_back(key_of(number_of(row)));
    use(warpdex::column(keys));
  };
  switch (type) {
    case warpdex::key_type::u32: return numbers(std::uint32_t{}, [](std::uint32_t number) { return number; });
    case warpdex::key_type::u64: return numbers(std::uint64_t{}, [](std::uint64_t number) { return number << 16; });
    case warpdex::key_type::f64: return numbers(double{}, [](std::uint32_t number) { return number / 1000. - 5e5; });
    case warpdex::key_type::bytes: break;
    default: throw warpdex::invalid_argument("the type is u32, u64, f64 or bytes");
  }
  warpdex::byte_strings keys;
  for (std::uint64_t row = 0; row < count; ++row)
    keys.push_back(std::string(row % 3, 'x') + std::to_string(number_of(row)));
  use(keys);
}

void build(char const* spec, char const* type, char const* file, std::uint64_t count) {
  with_keys(warpdex::parse_key_type(type), count,
            [&](warpdex::column keys) { warpdex::index::build(spec, keys, warpdex::execution()).save(file); });
}

/// @return how many keys were found
std::uint64_t find(char const* file, char const* out) {
  warpdex::execution const exec;
  auto const index = warpdex::index::load(file, exec);
  std::vector<std::uint32_t> rows(2 * index.size());
  with_keys(index.key_type(), rows.size(), [&](warpdex::column probes) { index.find(probes, rows, exec); });
  std::uint64_t found = 0;
  std::string text;
  for (std::uint64_t probe = 0; probe < rows.size(); ++probe) {
    if (rows[probe] != warpdex::no_row<std::uint32_t>) ++found;
    text += std::to_string(static_cast<std::int32_t>(rows[probe])) + '\n';
  }
  warpdex::replacement written(out);
  for (std::string_view rest = text; !rest.empty();) {
    ssize_t const bytes = ::write(written.file(), rest.data(), rest.size());
    if (bytes < 0) throw warpdex::io_error(std::string(out) + ": cannot write");
    rest.remove_prefix(static_cast<std::size_t>(bytes));
  }
  written.commit(warpdex::replacement::durability::of_the_system);
  return found;
}

int build_and_find() {
  auto const folder = std::filesystem::temp_directory_path() / ("exchange_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  bool right = true;
  for (char const* const type : {"u32", "u64", "f64", "bytes"}) {
    build("AO+BS", type, (folder / "index.wdx").c_str(), 1000);
    right = right && find((folder / "index.wdx").c_str(), (folder / "rows.txt").c_str()) == 1000;
  }
  std::filesystem::remove_all(folder);
  return right ? 0 : 1;
}

extern "C" void end(int signal) {
  warpdex::remove_unfinished();
  std::_Exit(128 + signal);
}

}  // namespace

int main(int count, char** arguments) {
  for (int const signal : {SIGINT, SIGTERM}) std::signal(signal, end);
  std::string_view const what = count > 1 ? arguments[1] : "";
  try {
    if (count == 1) return build_and_find();
    if (what == "build" && count == 6) build(arguments[2], arguments[3], arguments[4], std::stoull(arguments[5]));
    else if (what == "find" && count == 4) find(arguments[2], arguments[3]);
    else return std::fputs("usage: exchange build SPEC TYPE FILE KEYS | exchange find FILE OUT\n", stderr), 2;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "exchange: %s\n", e.what());
    return 1;
  }
  return 0;
}
