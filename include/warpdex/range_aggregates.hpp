// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/gather.hpp>
#include <warpdex/index.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

/// @file
/// Aggregates of a column over ranges and keys, such as the amounts of orders: they add up and compare the values of
/// whole ranges, and find the greatest of each, without a list of their rows.
namespace warpdex {

namespace io {
class mapping;
}

/// A signed number of 16 bytes, which holds the sums of integers.
__extension__ typedef __int128 i128;

/// Kinds of numbers in a column of values.
enum class number_kind : std::uint8_t { signed_integer, unsigned_integer, floating };

// What `range_aggregates` have; see src/clients/aggregates/aggregate_steps.hpp.
template <class Number> struct value_reader;
template <class Number> struct value_tree;
enum class extreme : std::uint8_t;
struct ranks_of_ranges;

namespace detail {

struct aggregate_filer;

template <class T>
concept summable = std::is_same_v<T, i128> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::is_integral_v<T> && sizeof(T) <= 8 && !std::is_same_v<T, bool>);

template <class T> constexpr number_kind number_kind_of() {
  static_assert(summable<T>, "values are integers of 1 to 8 bytes, warpdex::i128, float or double");
  if constexpr (std::is_floating_point_v<T>) return number_kind::floating;
  else if constexpr (std::is_same_v<T, i128>) return number_kind::signed_integer;
  else return std::is_signed_v<T> ? number_kind::signed_integer : number_kind::unsigned_integer;
}

/// The number in which values of a type are added up.
template <class T> using sum_of = std::conditional_t<std::is_floating_point_v<T>, double, i128>;

}  // namespace detail

/// A read-only array of numbers, one for each row. Value i is null if bit number (offset + i) of `validity` is 0, as in
/// Arrow; the lowest bit of a byte comes first.
struct value_column {
  void const* data = nullptr;                      ///< the values
  std::uint64_t size = 0;                          ///< number of values
  number_kind kind = number_kind::signed_integer;  ///< kind of the values
  std::uint32_t width = 8;  ///< bytes of a value: 1, 2, 4 or 8; of signed integers also 16; of floating numbers 4 or 8
  std::uint8_t const* validity = nullptr;  ///< null if all values are valid
  std::uint64_t offset = 0;                ///< of the first value's bit

  value_column() = default;
  /// No values.
  template <detail::array_like Values>
  /// A vector, array or span of values, and the bits that say which of them are null.
  value_column(Values&& values, std::uint8_t const* bits = nullptr, std::uint64_t first_bit = 0)
      : data(std::data(values)), size(std::size(values)), kind(detail::number_kind_of<detail::value_of<Values>>()),
        width(sizeof(detail::value_of<Values>)), validity(bits), offset(first_bit) {}
};

/// What `range_aggregates` know of their values.
enum class moments : std::uint8_t {
  first,   ///< sums, and with them means; the least and the greatest
  second,  ///< sums of squares too, and with them variances
  sums     ///< sums alone, of which a call reads few
};

/// What is known of the values of some rows. Nulls count for nothing.
/// @tparam Number `i128` for integers, whose sums are exact (modulo 2^128, which values of 16 bytes alone can reach),
/// or `double`, whose sums are those of numbers of twice as many digits, rounded
template <class Number> struct aggregate {
  Number sum = 0;           ///< sum of the values
  Number min = 0;           ///< 0 without values, and of aggregates of sums alone
  Number max = 0;           ///< the same; NaN is above all numbers
  std::uint64_t count = 0;  ///< number of values that are not null
  double m2 = 0;            ///< sum of (value - mean)^2; 0 without the second moments

  /// @return the mean, as the nearest double or one next to it; 0 without values
  double mean() const {
    if (count == 0) return 0;
    auto const number = static_cast<Number>(count);
    if constexpr (std::is_same_v<Number, double>) return sum / number;
    else return static_cast<double>(sum / number) + static_cast<double>(sum % number) / static_cast<double>(count);
  }

  /// @param ddof what the number of values is reduced by; 0 if these are all values and no sample
  /// @return the variance, if they have the second moments; 0 without more values than `ddof`
  double var(std::uint64_t ddof = 1) const { return count <= ddof ? 0 : m2 / static_cast<double>(count - ddof); }
};

/// The rows of each range whose values come first, in the order of the values, and these values.
template <class Number> struct top_matches : matches {
  buffer values;  ///< `total` values of type Number, in the memory of the call's `execution`

  /// @return the values of all ranges. They may be on a device
  std::span<Number const> all_values() const { return {values.as<Number const>(), total}; }

  /// @return the values of one range, for results in host memory
  /// @throws invalid_argument for a number that is not below `probes`
  std::span<Number const> values_of(std::uint64_t range) const;
};

/// The values of a column in the order of an index's keys, with the aggregates of ever larger blocks of them. So the
/// aggregate of a range or a key costs about as much as its lookup, however many rows it has.
///
/// It belongs to the index as it was: after an update of the index make another one. It holds a copy of the values and
/// about 4 bytes per value more (3 for floating numbers). All functions are `const` and may be called by several
/// threads. Sums of floating numbers are taken block by block, always in the same order, as two doubles (T. J. Dekker,
/// 1971) with a relative error of 2^-100 of the sum of the absolute values. Squares are added up by the distances of
/// the means of blocks (Chan, Golub and LeVeque, 1983), with no difference of large sums.
///
/// With `moments::sums` it knows the sum of all values before every eighth one, and a range is the difference of two
/// sums. These are exact: those of integers in any case, those of floating numbers if the sum of their absolute values
/// is at most 2^102 times the greatest power of two of which all are multiples. If not, blocks are added up as above.
/// @tparam Number `i128` or `double`, which follows from the column: range_aggregates(index, amounts, exec)
template <class Number> class range_aggregates {
 public:
  /// Synchronises. Cost: reads all row ids of the index and the values in their order, then a pass over them.
  /// @param over an index with an order, whose row ids number values
  /// @param values integers for `i128`, else floating numbers; in memory as probes of the index may be
  /// @param known the second moments cost a division per block that a call reads; for sums alone it reads little
  /// @throws unsupported for an index without an order; invalid_argument for a row id without a value, naming it, for
  /// values of the other kind, and for an execution of another backend; out_of_memory, device_error
  range_aggregates(any_index const& over, value_column const& values, execution const& exec,
                   moments known = moments::first);

  /// out[i] = the aggregate of the entries in range i, as `index::range_count` counts them. Synchronises.
  /// Cost per range: two searches, and at most 30 reads per 4 bits of the number of entries in it; of aggregates of
  /// sums at most 16 reads.
  /// @param over the index of the constructor @param out one element per range, wherever outputs of the index may be
  /// @throws as `index::range_count`; invalid_argument also for an index of another size
  void in_ranges(any_index const& over, key_ranges const& ranges, std::span<aggregate<Number>> out,
                 execution const& exec) const;

  /// out[i] = the aggregate of the entries whose key is keys[i]. Everything else as in `in_ranges`.
  void of_keys(any_index const& over, nullable_column const& keys, std::span<aggregate<Number>> out,
               execution const& exec) const;

  /// out[i] = the aggregate of the entries with ranks from first[i] up to, but not including, last[i], as
  /// `index::lower_bound` and `index::upper_bound` count them. Synchronises.
  /// @throws invalid_argument for arrays of other lengths, and for a rank beyond the size
  void of_ranks(std::span<std::uint64_t const> first, std::span<std::uint64_t const> last,
                std::span<aggregate<Number>> out, execution const& exec) const;

  /// Finds the k greatest values of each range and their rows, without a look at all others. The first
  /// one comes first, and of equal values that of the entry which comes first in key order. NaN is above all numbers.
  /// Nulls are left out, so a range with fewer than k values gives them all. Synchronises.
  /// Cost per range of n entries: two searches, and at most (17 k + 30) (1 + log16(n / k)) reads, each with log2(k)
  /// comparisons: about 750 for 10 of 2^20 entries. With nulls also that of `in_ranges`, which counts the values.
  /// Scratch: 16 bytes per row of the answer and per range.
  /// @param over the index of the constructor @param ranges one of a single key has it as both bounds
  /// @param k any number; 0 finds nothing
  /// @return rows and values in the memory of `exec`
  /// @throws as `in_ranges`; unsupported for aggregates of sums
  top_matches<Number> top_k(any_index const& over, key_ranges const& ranges, std::uint64_t k,
                            execution const& exec = {}) const;

  /// The k least values of each range and their rows. Everything else as in `top_k`.
  top_matches<Number> bottom_k(any_index const& over, key_ranges const& ranges, std::uint64_t k,
                               execution const& exec = {}) const;

  /// @return the aggregates in a vector
  std::vector<aggregate<Number>> in_ranges(any_index const& over, key_ranges const& ranges,
                                           execution const& exec = {}) const {
    auto out = detail::answers<aggregate<Number>>("in_ranges", ranges.size());
    in_ranges(over, ranges, out, exec);
    return out;
  }
  /// @return the aggregates in a vector
  std::vector<aggregate<Number>> of_keys(any_index const& over, nullable_column const& keys,
                                         execution const& exec = {}) const {
    auto out = detail::answers<aggregate<Number>>("of_keys", keys.size);
    of_keys(over, keys, out, exec);
    return out;
  }

  /// Writes the values in key order to a file, which replaces a previous one only when it is complete. The index has a
  /// file of its own. Synchronises. Cost: that of a copy; `load_range_aggregates` adds the values up again.
  /// @throws io_error, out_of_memory, device_error; invalid_argument if they were moved from
  void save(std::filesystem::path const& path) const;
  std::vector<std::byte> save() const;  ///< @return the bytes of that file

  std::uint64_t size() const noexcept { return size_; }  ///< number of entries
  /// @return bytes of the values, which may be in a file, and their blocks
  std::uint64_t bytes() const noexcept { return values_.bytes() + valid_.bytes() + nodes_.bytes() + counts_.bytes(); }

 private:
  friend struct detail::aggregate_filer;
  range_aggregates() = default;
  void take_values(any_index const& over, value_column const& values, execution const& exec);
  top_matches<Number> first_k(char const* call, any_index const& over, key_ranges const& ranges, std::uint64_t k,
                              extreme which, execution const& exec) const;
  void add_up_all(execution const& exec);
  void make_nodes(execution const& exec);
  void make_sums(execution const& exec);
  bool holds_exact_sums(execution const& exec) const;
  void run_ranges(char const* call, any_index const& over, probe_form form, key_ranges const& ranges,
                  std::span<aggregate<Number>> out, execution const& exec) const;
  value_reader<Number> reader() const;
  value_tree<Number> tree() const;
  void add_up(ranks_of_ranges const& ranks, std::uint64_t count, aggregate<Number>* out, execution const& exec) const;

  /// @throws invalid_argument if they were moved from; io_error if their values are in a file that has become shorter
  void expect_whole(char const* call) const;

  backend_kind backend_ = backend_kind::cpu;
  int device_ = -1;
  std::uint64_t size_ = 0;
  number_kind kind_ = number_kind::signed_integer;
  std::uint32_t width_ = 8;
  moments known_ = moments::first;
  std::shared_ptr<io::mapping const> file_;  ///< that has the values in place, or null
  buffer values_;                            ///< in key order
  buffer valid_;                             ///< a byte per value: whether it is not null; empty if none is
  buffer nodes_;       ///< aggregates of blocks of 16 values, then of 16 such blocks, and so on; or sums
  buffer counts_;      ///< where nodes are sums and values null: how many are not before each sum
  bool sums_ = false;  ///< whether nodes are sums of all values before every eighth one
};

/// The type of sums follows from that of the values.
template <class Values, class... More>
range_aggregates(index const&, Values const&, More const&...)
    -> range_aggregates<detail::sum_of<detail::value_of<Values const>>>;

/// Aggregates of integers or of floating numbers.
using any_range_aggregates = std::variant<range_aggregates<i128>, range_aggregates<double>>;

/// Reads a file that `range_aggregates::save` wrote, and checks it. It belongs to the index of those that were saved,
/// or to one that was loaded from its file. Synchronises. Cost: a pass over the values, as in the constructor.
/// @param exec where the index is
/// @throws io_error, format_error, out_of_memory, device_error
/// @param map whether the values are used in the file, on the CPU; it must not change meanwhile
any_range_aggregates load_range_aggregates(std::filesystem::path const& path, execution const& exec, bool map = false);
/// The same from the bytes of such a file, which are copied.
any_range_aggregates load_range_aggregates(std::span<std::byte const> bytes, execution const& exec);
/// The same from bytes whose values are used in place, as those of a mapped file, if they begin at a multiple of 64.
/// @param owner keeps the bytes alive, for as long as the aggregates live
any_range_aggregates load_range_aggregates(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                           execution const& exec);

extern template struct top_matches<i128>;
extern template struct top_matches<double>;
extern template class range_aggregates<i128>;
extern template class range_aggregates<double>;

}  // namespace warpdex
