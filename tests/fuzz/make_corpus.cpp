// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Writes the seeds of load_fuzzer to the folder given: small indexes of every structure, in every mode.
#include <warpdex/index.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace warpdex;
namespace fs = std::filesystem;

/// Indexes of n entries, of which so many have different keys.
template <class Key>
void add(fs::path const& folder, std::string const& spec_text, std::uint64_t n, std::uint64_t different, int& number) {
  std::vector<Key> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i % different * 2654435761u % (n + n / 2 + 1));
  execution const exec(host_memory(), {}, 1);
  auto const file = folder / "index.tmp";
  warpdex::index::build(spec(spec_text), column(std::span<Key const>(keys)), exec).save(file);
  std::ifstream in(file, std::ios::binary);
  std::string const bytes((std::istreambuf_iterator<char>(in)), {});
  for (char mode = 0; mode < 4; ++mode) {
    std::ofstream out(folder / ("seed" + std::to_string(number++)), std::ios::binary);
    out << mode << bytes;
    if (!out.flush()) throw io_error((folder / "seed").string() + ": cannot write");
  }
  fs::remove(file);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  try {
    fs::create_directories(arguments[1]);
    int number = 0;
    for (auto const& info : structures())
      for (auto const& sample : info.samples)
        for (auto const& [n, different] : {std::pair{0, 0}, {1, 1}, {7, 7}, {60, 60}, {60, 20}}) {
          add<std::uint32_t>(arguments[1], sample, n, different, number);
          add<std::uint64_t>(arguments[1], sample, n, different, number);
          if (info.widest_key == 16) add<u128>(arguments[1], sample, n, different, number);
        }
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
