// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>

#include <unistd.h>

#include <cstdio>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

/// @file
/// A program with an index in a global variable. main fills it, and after main the program builds and probes other
/// indexes. Its exit code tells whether all went well.
namespace {

constexpr std::size_t size = 100000;

std::vector<std::uint32_t> numbered() {
  std::vector<std::uint32_t> keys(size);
  std::iota(keys.begin(), keys.end(), 0u);
  return keys;
}

void ask(warpdex::index const& from) {
  auto const keys = numbered();
  std::vector<std::uint32_t> rows(size);
  from.find(std::span(keys), std::span(rows), warpdex::execution());
  if (rows == keys) return;
  std::fputs("wrong answers\n", stderr);
  ::_exit(1);
}

warpdex::index build(warpdex::spec const& s) {
  auto const keys = numbered();
  return warpdex::index::build(s, std::span(keys), warpdex::execution());
}

/// Objects that are made before main are destroyed after those that main caused to be made.
struct last_calls {
  std::optional<warpdex::index> filled_by_main;

  ~last_calls() {
    if (filled_by_main) ask(*filled_by_main);
    for (auto const& structure : warpdex::structures())
      for (auto const& sample : structure.samples) ask(build(sample));
  }
} global;

}  // namespace

int main() {
  global.filled_by_main.emplace(build("EO+KS(9)"));
  ask(*global.filled_by_main);
}
