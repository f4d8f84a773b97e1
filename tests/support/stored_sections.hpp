// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/file.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace warpdex::test {

/// The sections of a file, which may be changed.
class stored_sections {
 public:
  explicit stored_sections(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), file_(io::file::parse(bytes_)) {
    head = file_.head();
    for (std::string const& name : file_.names()) {
      auto& to = sections.emplace_back(name, std::vector<std::byte>(file_.size(name))).second;
      file_.read(name, to);
    }
  }

  std::vector<std::byte>& section(std::string const& name) {
    return std::find_if(sections.begin(), sections.end(), [&](auto const& one) { return one.first == name; })->second;
  }

  template <class Number> void put(std::string const& name, std::size_t i, Number number) {
    std::memcpy(section(name).data() + i * sizeof number, &number, sizeof number);
  }

  std::vector<std::byte> image() const {
    std::vector<io::section> all;
    for (auto const& [name, content] : sections) all.push_back({name, content.data(), content.size()});
    return io::image(head, all);
  }

  io::header head;
  std::vector<std::pair<std::string, std::vector<std::byte>>> sections;

 private:
  std::vector<std::byte> bytes_;
  io::file file_;
};

}  // namespace warpdex::test
