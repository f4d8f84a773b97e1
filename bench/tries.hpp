// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/data.hpp"

#if WARPDEX_WITH_JUDY
#include <Judy.h>
#endif
#if WARPDEX_WITH_MARISA
#include <marisa.h>
#endif

#include <cstdint>
#include <string_view>
#include <vector>

/// @file
/// Tries of other libraries, on CPUs. Each takes part where its development package was installed when the benchmark
/// was built.
namespace warpdex::bench {

#if WARPDEX_WITH_JUDY

/// JudyL, a radix tree of 256-ary nodes for machine words.
class judy_map {
 public:
  /// @param sorted unique keys
  template <class Key> explicit judy_map(sorted_set<Key> const& sorted) {
    for (std::uint64_t i = 0; i < sorted.size(); ++i) {
      void** const value = JudyLIns(&array_, static_cast<Word_t>(sorted.keys[i]), PJE0);
      if (value == PPJERR) throw std::bad_alloc();
      *reinterpret_cast<Word_t*>(value) = sorted.rows[i];
    }
  }
  ~judy_map() { JudyLFreeArray(&array_, PJE0); }
  judy_map(judy_map const&) = delete;
  judy_map& operator=(judy_map const&) = delete;

  template <class Key> std::uint32_t find(Key key) const {
    void** const value = JudyLGet(array_, static_cast<Word_t>(key), PJE0);
    return value == nullptr ? missing : static_cast<std::uint32_t>(*reinterpret_cast<Word_t*>(value));
  }

  std::uint64_t bytes() const { return JudyLMemUsed(array_); }

 private:
  void* array_ = nullptr;
};

#endif
#if WARPDEX_WITH_MARISA

/// A recursive LOUDS trie, static and succinct, and the rows of its ids.
class marisa_map {
 public:
  /// @param sorted unique keys
  explicit marisa_map(sorted_set<std::string_view> const& sorted) : rows_(sorted.size()) {
    marisa::Keyset keys;
    for (std::uint64_t i = 0; i < sorted.size(); ++i) keys.push_back(sorted.keys[i].data(), sorted.keys[i].size());
    trie_.build(keys);
    for (std::uint64_t i = 0; i < sorted.size(); ++i) rows_[keys[i].id()] = sorted.rows[i];
  }

  std::uint32_t find(std::string_view key) const {
    marisa::Agent agent;
    agent.set_query(key.data(), key.size());
    return trie_.lookup(agent) ? rows_[agent.key().id()] : missing;
  }

  /// @return the row of the longest key that begins a probe
  std::uint32_t longest_prefix(std::string_view probe) const {
    marisa::Agent agent;
    agent.set_query(probe.data(), probe.size());
    std::uint32_t row = missing;
    while (trie_.common_prefix_search(agent)) row = rows_[agent.key().id()];
    return row;
  }

  /// @return the number of keys that begin with a prefix, by listing them
  std::uint32_t prefix_count(std::string_view prefix) const {
    marisa::Agent agent;
    agent.set_query(prefix.data(), prefix.size());
    std::uint32_t count = 0;
    while (trie_.predictive_search(agent)) ++count;
    return count;
  }

  std::uint64_t bytes() const { return trie_.total_size() + rows_.size() * sizeof(std::uint32_t); }

 private:
  marisa::Trie trie_;
  std::vector<std::uint32_t> rows_;
};

#endif

}  // namespace warpdex::bench
