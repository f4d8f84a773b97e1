// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/file.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <warpdex/index.hpp>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// @file
/// The sections of index files, and the effect of changing them.
namespace warpdex::test {

/// @return the bytes of the file that an index is saved to
inline std::string saved(index const& of, std::filesystem::path const& path) {
  of.save(path);
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Whether a file is refused if one of its sections is changed and all checksums are right.
/// @param damage called with the numbers of the section; all sections consist of numbers
template <class T, class Damage>
testing::AssertionResult damage_is_found(std::filesystem::path const& path, std::string const& section,
                                         Damage const& damage) {
  auto const whole = io::file::open(path, true);
  std::vector<std::vector<T>> content;
  std::vector<io::section> sections;
  for (auto const& name : whole.names()) {
    auto const from = whole.bytes(name);
    auto& numbers = content.emplace_back(from.size() / sizeof(T));
    if (!from.empty()) std::memcpy(numbers.data(), from.data(), from.size());
    if (name == section) damage(numbers);
  }
  for (std::size_t i = 0; i < content.size(); ++i)
    sections.push_back({whole.names()[i], content[i].data(), content[i].size() * sizeof(T)});
  auto const other = path.parent_path() / "damaged.wdx";
  io::write(other, whole.head(), sections);
  return throws<format_error>([&] { index::load(other, execution(host_memory(), {}, 1)); }, "damaged.wdx");
}

}  // namespace warpdex::test
