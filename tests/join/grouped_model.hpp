// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/grouped_index.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// A grouped index that is updated, saved and loaded, compared with a list of its entries.
namespace warpdex::test {

/// @return the nth value of a type, in the order of the type, of up to about 250; those of wide types are far apart
template <class T> T nth(int n) {
  if constexpr (std::is_same_v<T, std::string>) return std::string(static_cast<std::size_t>(n), 'm') + "a";
  else if constexpr (std::is_same_v<T, std::int64_t>) return (std::int64_t{n} - 100) * (std::int64_t{1} << 55);
  else if constexpr (std::is_same_v<T, u128>) return static_cast<u128>(n) << 100;
  else if constexpr (std::is_same_v<T, double>) return n / 4.0 - 20;
  else return static_cast<T>(n);
}

template <class T> auto column_of(std::vector<T> const& values) {
  if constexpr (std::is_same_v<T, std::string>) return byte_strings(values);
  else return column(values);
}

/// Entries by the numbers of their groups and keys, which `nth` makes values.
struct numbered_entry {
  int group = 0;
  int key = 0;
  std::uint32_t row = 0;

  bool has_place_of(numbered_entry const& other) const { return group == other.group && key == other.key; }
  friend bool operator<(numbered_entry const& a, numbered_entry const& b) {
    return std::tie(a.group, a.key, a.row) < std::tie(b.group, b.key, b.row);
  }
};
using numbered_entries = std::vector<numbered_entry>;

/// @return entries with random groups and keys between some numbers, and the next rows
inline numbered_entries some_entries(std::mt19937_64& random, int size, int group_from, int group_to, int key_from,
                                     int key_to, std::uint32_t& next_row) {
  auto const between = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<unsigned>(std::max(to - from, 1)));
  };
  numbered_entries result;
  for (int i = 0; i < size; ++i) {
    int const group = between(group_from, group_to);
    result.push_back({group, between(key_from, key_to), next_row++});
  }
  return result;
}

template <class Group, class Key> class grouped_model {
 public:
  /// @param first at row i the entry with the row i
  grouped_model(std::string const& spec, numbered_entries const& first, execution const& exec)
      : exec_(exec), index_(made_of(spec, first, exec)), entries_(first) {
    expect("build");
  }

  grouped_index& index() { return index_; }
  numbered_entries const& entries() const { return entries_; }
  void replace(grouped_index built) { index_ = std::move(built); }

  /// Calls build(groups, keys, rows) with the columns of the entries.
  auto with_columns(auto const& build) const {
    columns const in(entries_);
    return build(in.groups(), in.keys(), in.rows());
  }

  void insert(numbered_entries const& more) {
    columns const in(more);
    expect_counts("insert", {more.size(), 0, 0}, index_.insert(in.groups(), in.keys(), in.rows(), exec_));
    add(more);
    expect("insert");
  }

  void insert_or_assign(numbered_entries const& more) {
    columns const in(more);
    std::uint64_t const erased = erase_from(entries_, more);
    expect_counts("insert_or_assign", {more.size(), erased, 0},
                  index_.insert_or_assign(in.groups(), in.keys(), in.rows(), exec_));
    add(more);
    expect("insert_or_assign");
  }

  void erase(numbered_entries const& gone) {
    columns const in(gone);
    std::uint64_t const erased = erase_from(entries_, gone);
    expect_counts("erase", {0, erased, 0}, index_.erase(in.groups(), in.keys(), exec_));
    expect("erase");
  }

  /// What is inserted and erased stays as it was.
  void update(numbered_entries more, numbered_entries gone) {
    columns const in(more), out(gone);
    numbered_entries const query = more;
    erase_from(more, gone);
    std::uint64_t const in_all = distinct_places(gone);
    erase_from(gone, query);
    std::uint64_t const cancelled = in_all - distinct_places(gone);
    std::uint64_t const erased = erase_from(entries_, gone);
    expect_counts("update", {more.size(), erased, cancelled},
                  index_.update(in.groups(), in.keys(), in.rows(), out.groups(), out.keys(), exec_));
    add(more);
    expect("update");
  }

  /// @throws std::runtime_error if an answer is not that of a list of the entries
  void expect(std::string const& after) const { expect_answers(index_, after); }

  void expect_answers(grouped_index const& found, std::string const& after) const {
    if (found.size() != entries_.size())
      fail(after, "has " + std::to_string(found.size()) + " entries instead of " + std::to_string(entries_.size()));
    numbered_entries probes = entries_;
    for (numbered_entry const& entry : entries_) {
      probes.push_back({entry.group, entry.key + 1, 0});
      probes.push_back({entry.group + 1, entry.key, 0});
    }
    if (probes.empty()) probes.push_back({5, 5, 0});
    expect_points(found, probes, after);
    if (found.any_entries().ordered()) expect_ranges(found, probes, after);
  }

 private:
  /// Columns of some entries.
  class columns {
   public:
    explicit columns(numbered_entries const& of) {
      for (numbered_entry const& entry : of) {
        groups_.push_back(nth<Group>(entry.group));
        keys_.push_back(nth<Key>(entry.key));
        rows_.push_back(entry.row);
      }
      if constexpr (std::is_same_v<Group, std::string>) group_strings_ = byte_strings(groups_);
      if constexpr (std::is_same_v<Key, std::string>) key_strings_ = byte_strings(keys_);
    }

    column groups() const {
      if constexpr (std::is_same_v<Group, std::string>) return group_strings_.view();
      else return column(groups_);
    }
    column keys() const {
      if constexpr (std::is_same_v<Key, std::string>) return key_strings_.view();
      else return column(keys_);
    }
    row_column rows() const { return row_column(rows_); }

   private:
    std::vector<Group> groups_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> rows_;
    byte_strings group_strings_, key_strings_;
  };

  using rows_of_probes = std::vector<std::vector<std::uint32_t>>;

  static grouped_index made_of(std::string const& spec, numbered_entries const& first, execution const& exec) {
    columns const in(first);
    return grouped_index::build(warpdex::spec(spec), in.groups(), in.keys(), exec);
  }

  [[noreturn]] static void fail(std::string const& after, std::string const& what) {
    throw std::runtime_error("after " + after + " the grouped index " + what);
  }

  static void expect_counts(char const* call, update_counts const& expected, update_counts const& found) {
    if (expected.inserted != found.inserted || expected.erased != found.erased || expected.cancelled != found.cancelled)
      throw std::runtime_error(std::string(call) + " of a grouped index returned " + std::to_string(found.inserted) +
                               ", " + std::to_string(found.erased) + ", " + std::to_string(found.cancelled) +
                               " instead of " + std::to_string(expected.inserted) + ", " +
                               std::to_string(expected.erased) + ", " + std::to_string(expected.cancelled));
  }

  void add(numbered_entries const& more) { entries_.insert(entries_.end(), more.begin(), more.end()); }

  /// @return how many entries there were at the places of others
  static std::uint64_t erase_from(numbered_entries& entries, numbered_entries const& gone) {
    return std::erase_if(entries, [&](numbered_entry const& entry) {
      return std::any_of(gone.begin(), gone.end(), [&](auto const& other) { return entry.has_place_of(other); });
    });
  }

  static std::uint64_t distinct_places(numbered_entries entries) {
    std::sort(entries.begin(), entries.end());
    auto const same = [](auto const& a, auto const& b) { return a.has_place_of(b); };
    return static_cast<std::uint64_t>(std::unique(entries.begin(), entries.end(), same) - entries.begin());
  }

  /// @param holds whether an entry belongs to probe i @return the rows of each probe, in the order of the entries
  template <class Holds> rows_of_probes scan(std::size_t size, Holds const& holds) const {
    numbered_entries sorted = entries_;
    std::sort(sorted.begin(), sorted.end());
    rows_of_probes result(size);
    for (std::size_t i = 0; i < size; ++i)
      for (numbered_entry const& entry : sorted)
        if (holds(i, entry)) result[i].push_back(entry.row);
    return result;
  }

  rows_of_probes listed(matches const& from) const {
    std::vector<std::uint64_t> offsets(from.probes + 1);
    std::vector<std::uint32_t> rows(from.total);
    copy(offsets.data(), from.offsets.data(), offsets.size() * sizeof offsets[0], exec_);
    copy(rows.data(), from.rows.data(), rows.size() * sizeof rows[0], exec_);
    rows_of_probes result;
    for (std::size_t i = 0; i < from.probes; ++i)
      result.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                          rows.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
    return result;
  }

  void expect_points(grouped_index const& found, numbered_entries const& probes, std::string const& after) const {
    columns const in(probes);
    rows_of_probes const expected =
        scan(probes.size(), [&](std::size_t i, numbered_entry const& entry) { return entry.has_place_of(probes[i]); });
    std::vector<std::uint8_t> flags(probes.size());
    std::vector<std::uint32_t> rows(probes.size());
    std::vector<std::uint64_t> counts(probes.size());
    found.contains(in.groups(), in.keys(), flags, exec_);
    found.find(in.groups(), in.keys(), row_output(rows), exec_);
    found.count(in.groups(), in.keys(), counts, exec_);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      std::uint32_t const first = expected[i].empty() ? no_row<std::uint32_t> : expected[i][0];
      if (flags[i] != (expected[i].empty() ? 0 : 1) || rows[i] != first || counts[i] != expected[i].size())
        fail(after, "finds other entries of group " + std::to_string(probes[i].group) + ", key " +
                        std::to_string(probes[i].key));
    }
    if (listed(found.retrieve(in.groups(), in.keys(), exec_)) != expected) fail(after, "lists other rows of keys");
  }

  /// All keys of a group, those from each probe on, and those below it.
  void expect_ranges(grouped_index const& found, numbered_entries const& probes, std::string const& after) const {
    columns const in(probes);
    auto const in_group = [&](std::size_t i, numbered_entry const& entry) { return entry.group == probes[i].group; };
    auto const expect_listed = [&](key_ranges const& query, auto const& holds) {
      if (listed(found.range_retrieve(in.groups(), query, exec_)) !=
          scan(probes.size(), [&](std::size_t i, auto const& entry) { return in_group(i, entry) && holds(i, entry); }))
        fail(after, "lists other rows of ranges");
    };
    expect_listed({{}, {}}, [](std::size_t, auto const&) { return true; });
    expect_listed({in.keys(), {}}, [&](std::size_t i, auto const& entry) { return entry.key >= probes[i].key; });
    expect_listed({{}, in.keys(), closed_ends::left},
                  [&](std::size_t i, auto const& entry) { return entry.key < probes[i].key; });
  }

  execution const exec_;
  grouped_index index_;
  numbered_entries entries_;
};

}  // namespace warpdex::test
