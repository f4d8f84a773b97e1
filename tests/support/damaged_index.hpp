// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/damage.hpp"

#include <warpdex/index.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace warpdex::test {

/// A saved index with one changed section and right checksums.
class damaged_index : public testing::Test {
 protected:
  using bytes = std::vector<std::byte>;

  template <class Key> void save(std::string const& spec, std::vector<Key> const& keys) {
    index const built = index::build(spec, std::span(keys), exec_);
    built.save(path_);
    index::load(path_, exec_);
  }

  /// Whether loading refuses the file with that change.
  testing::AssertionResult is_found(std::string const& section, std::function<void(bytes&)> const& damage) {
    return damage_is_found<std::byte>(path_, section, damage);
  }

  /// Views a section as numbers of type T, to change them.
  template <class T> static std::function<void(bytes&)> on(std::function<void(std::span<T>)> const& change) {
    return [=](bytes& b) {
      std::vector<T> numbers(b.size() / sizeof(T));
      std::memcpy(numbers.data(), b.data(), numbers.size() * sizeof(T));
      change(numbers);
      std::memcpy(b.data(), numbers.data(), numbers.size() * sizeof(T));
    };
  }

  folder folder_;
  std::filesystem::path path_ = folder_ / "index.wdx";
  execution exec_{host_memory(), {}, 1};
};

}  // namespace warpdex::test
