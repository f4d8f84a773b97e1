// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

/// @file
/// Answers of lookups that list rows: any number per probe.
namespace warpdex {

/// The probes of a batch in their order, each with its rows: a range that `matches::each` returns.
template <class Row> class rows_by_probe {
 public:
  /// A probe and its rows.
  struct value_type {
    std::uint64_t probe;        ///< its number in the batch
    std::span<Row const> rows;  ///< its row ids
  };

  /// Goes through the probes. It is valid as long as the arrays are.
  class iterator {
   public:
    /// As the requirements of an input iterator say.
    /// @{
    using iterator_category = std::input_iterator_tag;
    using value_type = rows_by_probe::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    iterator() = default;
    iterator(std::uint64_t const* ends, Row const* rows, std::uint64_t probe)
        : ends_(ends), rows_(rows), probe_(probe) {}

    value_type operator*() const {
      return {probe_, {rows_ + ends_[probe_], static_cast<std::size_t>(ends_[probe_ + 1] - ends_[probe_])}};
    }
    iterator& operator++() {
      ++probe_;
      return *this;
    }
    iterator operator++(int) {
      iterator const before = *this;
      ++probe_;
      return before;
    }
    /// @}
    friend bool operator==(iterator const& a, iterator const& b) { return a.probe_ == b.probe_; }

   private:
    std::uint64_t const* ends_ = nullptr;
    Row const* rows_ = nullptr;
    std::uint64_t probe_ = 0;
  };

  /// @param ends of `matches`, in host memory, as are `rows`
  rows_by_probe(std::uint64_t const* ends, Row const* rows, std::uint64_t probes)
      : ends_(ends), rows_(rows), probes_(probes) {}

  iterator begin() const { return {ends_, rows_, 0}; }      ///< at the first probe
  iterator end() const { return {ends_, rows_, probes_}; }  ///< after the last probe
  std::uint64_t size() const noexcept { return probes_; }   ///< number of probes

 private:
  std::uint64_t const* ends_;
  Row const* rows_;
  std::uint64_t probes_;
};

/// The rows of each probe of a batch. The rows of probe `i` are `rows[offsets[i]]` up to, but not including,
/// `rows[offsets[i + 1]]`. Both arrays are in the memory of the call's `execution`.
struct matches {
  buffer offsets;                                       ///< probes + 1 values of 64 bits
  buffer rows;                                          ///< `total` row ids of the index's row type
  std::uint64_t probes = 0;                             ///< number of probes
  std::uint64_t total = 0;                              ///< number of rows of all probes
  warpdex::row_type row_type = warpdex::row_type::u32;  ///< type of the row ids

  /// @return the row ids of all probes. They may be on a device
  /// @throws invalid_argument if the row type of the index is not that of Row
  template <class Row = std::uint32_t> std::span<Row const> all_rows() const {
    expect_rows(detail::row_type_of<Row>());
    return {rows.as<Row const>(), total};
  }

  /// @return the row ids of one probe, for results in host memory
  /// @throws invalid_argument also for a number that is not below `probes`
  template <class Row = std::uint32_t> std::span<Row const> rows_of(std::uint64_t probe) const {
    expect_probe(probe);
    auto const* const ends = offsets.as<std::uint64_t const>();
    return all_rows<Row>().subspan(ends[probe], ends[probe + 1] - ends[probe]);
  }

  /// @return the probes, each with its rows, for results in host memory:
  ///
  ///     for (auto const [probe, rows] : found.each()) ...
  ///
  /// Valid as long as this object. @throws as `all_rows`
  template <class Row = std::uint32_t> rows_by_probe<Row> each() const {
    return {offsets.as<std::uint64_t const>(), all_rows<Row>().data(), probes};
  }

 private:
  void expect_rows(warpdex::row_type type) const;
  void expect_probe(std::uint64_t probe) const;
};

}  // namespace warpdex
