// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The example of byte strings in docs/guide/cpp.md, line by line, as a program that is built and run as a test. A
// second test compares the two texts (document_agrees.cmake).
#include <warpdex/index.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  warpdex::byte_strings names, beginnings;
  for (char const* name : {"Grace", "Ada", "Graham"}) names.push_back(name);
  for (char const* beginning : {"Gra", "A"}) beginnings.push_back(beginning);
  std::vector<std::uint64_t> counts(2);
  warpdex::execution exec;
  auto by_name = warpdex::index::build("AO+BS", names, exec);
  by_name.prefix_count(beginnings, counts, exec);  // {2, 1}

  std::printf("Gra: %d, A: %d\n", static_cast<int>(counts[0]), static_cast<int>(counts[1]));
  return counts[0] == 2 && counts[1] == 1 ? 0 : 1;
}
