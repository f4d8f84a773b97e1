// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/keys.hpp"

#include <warpdex/error.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::tables {

/// A separate folder for each test, removed with all its files.
class input_test : public testing::Test {
 protected:
  input_test() {
    std::string name = (std::filesystem::temp_directory_path() / "warpdex_input_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + name);
    folder_ = name;
  }
  ~input_test() override { std::filesystem::remove_all(folder_); }

  std::string path(std::string const& name) const { return (folder_ / name).string(); }

  /// Writes a file and returns its path.
  std::string file(std::string const& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

  static key_column read(std::string const& source) { return key_column(source, {{}, true}); }
  static key_column read(std::string const& source, key_type type) { return key_column(source, {type, true}); }

  /// Expects a format_error that holds `part`, and returns its text.
  static std::string expect_failure(std::string const& source, std::string const& part,
                                    std::optional<key_type> type = {}) {
    SCOPED_TRACE(source);
    try {
      key_column const keys(source, {type, true});
    } catch (format_error const& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what() << "\nlacks: " << part;
      return e.what();
    }
    ADD_FAILURE() << "accepted; expected: " << part;
    return {};
  }

 private:
  std::filesystem::path folder_;
};

template <class T> std::vector<T> values(key_column const& keys) {
  EXPECT_EQ(sizeof(T), size_of(keys.type()));
  std::vector<T> out(keys.keys().size);
  if (!out.empty()) std::memcpy(out.data(), keys.keys().data, out.size() * sizeof(T));
  return out;
}

inline std::vector<std::string> texts(key_column const& keys) {
  std::vector<std::string> out;
  std::string scratch;
  for (std::uint64_t i = 0; i < keys.size(); ++i) out.emplace_back(keys.text(i, scratch));
  return out;
}

/// The bytes of a number, for binary files.
template <class T> std::string bytes_of(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

template <class T> std::string bytes_of(std::vector<T> const& array) {
  std::string out;
  for (T const& value : array) out += bytes_of(value);
  return out;
}

}  // namespace warpdex::tables
