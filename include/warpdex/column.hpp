// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The arrays that calls read and write. The types below do not own their arrays. An array may be in host memory
/// (pageable or pinned) or in the memory of the index's CUDA device. Vectors, arrays and spans convert to them; a
/// device array is a std::span(pointer, size).
namespace warpdex {
namespace detail {

/// A string of bytes, which is one key.
template <class T>
concept string_key = std::is_convertible_v<T const&, std::string_view>;

/// A vector, an array, or a span of any extent.
template <class Range>
concept array_like = !string_key<Range> && requires(Range & range) {
  std::span(range);
};

template <class Range> using element_of = typename decltype(std::span(std::declval<Range&>()))::element_type;

template <class T> constexpr row_type row_type_of() {
  static_assert(std::is_unsigned_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "row ids are unsigned numbers of 32 or 64 bits");
  return sizeof(T) == 4 ? row_type::u32 : row_type::u64;
}

/// @param call name of the function @param what name of the array, both for messages
/// @throws invalid_argument for 2^48 elements or more
void expect_possible(char const* call, char const* what, std::uint64_t size);

/// The same for an array of the caller. @throws invalid_argument also for a null pointer with elements
void expect_array(char const* call, char const* what, void const* data, std::uint64_t size);

/// @return the vector for the answers of a call, one per probe
/// @throws invalid_argument for 2^48 probes or more; out_of_memory
template <class T> std::vector<T> answers(char const* call, std::uint64_t size) {
  expect_possible(call, "the column of probes", size);
  return run_call(call, [&] { return std::vector<T>(size); });
}

}  // namespace detail

/// Where the strings of a column of `bytes` are among its bytes.
///
///     offsets   string i is bytes[offsets[i]] up to, but not including, bytes[offsets[i + 1]]: size + 1 numbers of 32
///               or 64 bits, as in the binary and large_binary arrays of Arrow. The first need not be 0
///     stride    without offsets, string i is the `stride` bytes from i * stride on, as in fixed_size_binary arrays
struct byte_layout {
  void const* offsets = nullptr;   ///< null without offsets
  std::uint32_t offset_bytes = 0;  ///< 4 or 8; 0 without offsets
  std::uint32_t stride = 0;        ///< 0 with offsets
  std::uint64_t bytes = 0;         ///< number of bytes of the column; nothing outside of them is read
};

/// A read-only array of `size` keys of one type. A host column may have any address. A device column is aligned to the
/// size of a key; the bytes of strings may have any address, their offsets are aligned to their size.
struct column {
  void const* data = nullptr;     ///< the keys; of strings their bytes
  std::uint64_t size = 0;         ///< number of keys
  key_type type = key_type::u32;  ///< type of the keys
  byte_layout strings = {};       ///< of columns of `bytes`

  /// A column of no keys.
  column() = default;
  /// Keys of a type that is known at run time. Nothing is copied or checked before a call takes the column.
  column(void const* at, std::uint64_t keys, key_type of) : data(at), size(keys), type(of) {}
  /// A vector, array or span of numbers, dates or timestamps, whose type follows.
  template <detail::array_like Keys>
  column(Keys&& keys)
      : data(std::data(keys)), size(std::size(keys)),
        type(detail::key_type_of<std::remove_const_t<detail::element_of<Keys>>>()) {}

  /// Strings of bytes and offsets.
  /// @param offsets one more than there are strings, or none for no strings
  template <detail::array_like Offsets>
  column(std::span<std::byte const> bytes, Offsets&& offsets)
      : data(bytes.data()), size(std::size(offsets) == 0 ? 0 : std::size(offsets) - 1),
        type(key_type::bytes), strings{std::data(offsets), sizeof(*std::data(offsets)), 0, bytes.size()} {
    using offset = std::remove_const_t<detail::element_of<Offsets>>;
    static_assert(std::is_integral_v<offset> && (sizeof(offset) == 4 || sizeof(offset) == 8),
                  "offsets are integers of 32 or 64 bits");
  }

  /// Strings of `stride` bytes each.
  /// @param count number of strings; `bytes` holds at least count * stride bytes
  static column fixed_bytes(std::span<std::byte const> bytes, std::uint32_t stride, std::uint64_t count) {
    column result(bytes.data(), count, key_type::bytes);
    result.strings = {nullptr, 0, stride, bytes.size()};
    return result;
  }
};

namespace detail {

/// One key as a column, which borrows the key unless it is a time to be converted.
class single_key {
 public:
  template <numeric_key Key> explicit single_key(Key const& key) : column_(&key, 1, key_type_of<Key>()) {}
  template <system_days Day> explicit single_key(Day const& day) : day_(day), column_(&day_, 1, key_type::date) {}
  template <system_moment Time>
  requires(!numeric_key<Time>) explicit single_key(Time const& time)
      : moment_(time), column_(&moment_, 1, key_type::timestamp) {}
  explicit single_key(std::string_view key) : ends_{0, key.size()} {
    column_ = column(std::as_bytes(std::span(key)), ends_);
  }
  single_key(single_key const&) = delete;
  single_key& operator=(single_key const&) = delete;

  column view() const { return column_; }

 private:
  std::uint64_t ends_[2] = {0, 0};
  date day_ = 0;
  timestamp moment_ = 0;
  column column_;
};

template <class T>
concept any_key = numeric_key<T> || string_key<T> || system_days<T> || system_moment<T>;

}  // namespace detail

/// @param times a vector, array or other range of times of `std::chrono::system_clock`
/// @return a copy of them as keys: `sys_days` as dates, others, in units that are whole microseconds, as timestamps
template <class Times> auto as_keys(Times const& times) {
  using time = std::remove_cvref_t<decltype(*std::begin(times))>;
  static_assert(detail::system_days<time> || detail::system_moment<time>,
                "as_keys takes sys_days, and sys_time of whole microseconds, seconds and the like");
  using key = std::conditional_t<detail::system_days<time>, date, timestamp>;
  return detail::run_call("as_keys", [&] { return std::vector<key>(std::begin(times), std::end(times)); });
}

/// A column some of whose values may be null.
struct nullable_column : column {
  std::uint8_t const* validity = nullptr;  ///< as in Arrow: bit number (offset + i) is 1 if value i is valid. The
                                           ///< lowest bit of a byte comes first. Null if all values are valid
  std::uint64_t offset = 0;                ///< of the first value's bit

  using column::column;
  /// From what owns a column without nulls.
  template <class Keys>
  requires(std::is_convertible_v<Keys const&, column> && !std::is_base_of_v<column, Keys> &&
           !detail::array_like<Keys const> && !requires(Keys const& k) { k.operator nullable_column(); })
      nullable_column(Keys const& keys)
      : column(keys) {}
  /// Values, and the bits that say which of them are null.
  nullable_column(column values, std::uint8_t const* bits = nullptr, std::uint64_t first_bit = 0)
      : column(values), validity(bits), offset(first_bit) {}
};

/// Which ends belong to ranges of keys, or to intervals.
enum class closed_ends : std::uint8_t { both, left, right, none };

namespace detail {

constexpr bool is_left_closed(closed_ends closed) noexcept {
  return closed == closed_ends::both || closed == closed_ends::left;
}
constexpr bool is_right_closed(closed_ends closed) noexcept {
  return closed == closed_ends::both || closed == closed_ends::right;
}
constexpr closed_ends closed_at(bool left, bool right) noexcept {
  if (left) return right ? closed_ends::both : closed_ends::left;
  return right ? closed_ends::right : closed_ends::none;
}

}  // namespace detail

/// One range per row. A range is empty if its lower bound is above its upper bound, or if a bound is null.
struct key_ranges {
  std::optional<nullable_column> lower = {};  ///< none if ranges have no lower bound
  std::optional<nullable_column> upper = {};  ///< as long as `lower`; none if ranges have no upper bound
  closed_ends closed = closed_ends::both;     ///< which bounds belong to the ranges: `left` is the lower one

  /// Number of ranges.
  std::uint64_t size() const noexcept { return lower ? lower->size : upper ? upper->size : 0; }
};

/// A column of byte strings on the host that owns them, for callers who have no arrays.
class byte_strings {
 public:
  /// No strings.
  byte_strings() = default;
  /// Copies each string of a range. @throws out_of_memory
  template <class Strings> explicit byte_strings(Strings const& strings) {
    for (auto const& s : strings) push_back(s);
  }

  /// Adds a string at the end. Invalidates columns. @throws out_of_memory, and then has changed nothing
  void push_back(std::string_view s) {
    auto const* const first = reinterpret_cast<std::byte const*>(s.data());
    detail::run_call("byte_strings", [&] {
      if (offsets_.empty()) offsets_.push_back(0);
      offsets_.push_back(bytes_.size() + s.size());
      try {
        bytes_.insert(bytes_.end(), first, first + s.size());
      } catch (...) {
        offsets_.pop_back();
        throw;
      }
    });
  }

  std::uint64_t size() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }  ///< number of strings
  /// @return string i, valid until the next change; `i` must be below `size()`
  std::string_view operator[](std::uint64_t i) const {
    return {reinterpret_cast<char const*>(bytes_.data()) + offsets_[i],
            static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }

  /// @return the strings as a column, valid until the next change
  column view() const { return column(std::span(bytes_), std::span(offsets_)); }
  operator column() const { return view(); }  ///< as `view`

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> offsets_;  ///< one more than strings; or none
};

/// The two ends of a range of numbers, both included.
template <class Key> struct key_range {
  Key lower;  ///< the smallest number of the range
  Key upper;  ///< the largest number of the range
};

/// @param bits number of leading bits, at most those of the type; 0 for all numbers
/// @return the range of the unsigned numbers whose leading bits are those of `key`, such as the addresses of a network
template <class Key> constexpr key_range<Key> prefix_range(Key key, int bits) {
  static_assert(static_cast<Key>(-1) > 0, "prefixes are those of unsigned numbers");
  constexpr int width = 8 * sizeof(Key);
  Key const free = bits >= width ? Key{0} : static_cast<Key>(static_cast<Key>(-1) >> (bits < 0 ? 0 : bits));
  return {static_cast<Key>(key & ~free), static_cast<Key>(key | free)};
}

/// A read-only array of `size` row ids.
struct row_column {
  void const* data = nullptr;     ///< the row ids
  std::uint64_t size = 0;         ///< number of row ids
  row_type type = row_type::u32;  ///< type of the row ids

  /// No row ids.
  row_column() = default;
  /// Row ids of a type that is known at run time.
  row_column(void const* at, std::uint64_t rows, row_type of) : data(at), size(rows), type(of) {}
  /// A vector, array or span of `std::uint32_t` or `std::uint64_t`.
  template <detail::array_like Rows>
  row_column(Rows&& rows)
      : data(std::data(rows)), size(std::size(rows)),
        type(detail::row_type_of<std::remove_const_t<detail::element_of<Rows>>>()) {}
};

/// The array to which a call writes row ids: one per probe, of the index's row type.
struct row_output {
  void* data = nullptr;           ///< where the row ids go
  std::uint64_t size = 0;         ///< number of elements
  row_type type = row_type::u32;  ///< type of the row ids

  /// No array.
  row_output() = default;
  /// An array of a type that is known at run time.
  row_output(void* at, std::uint64_t rows, row_type of) : data(at), size(rows), type(of) {}
  /// A vector, array or span of `std::uint32_t` or `std::uint64_t`.
  template <detail::array_like Rows>
  row_output(Rows&& rows)
      : data(std::data(rows)), size(std::size(rows)), type(detail::row_type_of<detail::element_of<Rows>>()) {}
};

/// The array to which a call writes keys: one per probe, of the index's key type.
struct key_output {
  void* data = nullptr;           ///< where the keys go; null if they are not wanted
  std::uint64_t size = 0;         ///< number of elements
  key_type type = key_type::u32;  ///< type of the keys

  /// No array.
  key_output() = default;
  /// An array of a type that is known at run time.
  key_output(void* at, std::uint64_t keys, key_type of) : data(at), size(keys), type(of) {}
  /// A vector, array or span of numbers, dates or timestamps.
  template <detail::array_like Keys>
  key_output(Keys&& keys)
      : data(std::data(keys)), size(std::size(keys)), type(detail::key_type_of<detail::element_of<Keys>>()) {}
};

/// An array of any of these kinds to which a lookup writes (`index::look_up`).
struct lookup_output {
  void* data = nullptr;           ///< where the answers go
  std::uint64_t size = 0;         ///< number of elements
  std::size_t width = 0;          ///< bytes per element
  row_type rows = row_type::u32;  ///< of row ids
  key_type keys = key_type::u32;  ///< of keys

  /// An array of row ids.
  lookup_output(row_output to) : data(to.data), size(to.size), width(size_of(to.type)), rows(to.type) {}
  /// An array of keys.
  lookup_output(key_output to) : data(to.data), size(to.size), width(size_of(to.type)), keys(to.type) {}
  /// An array of numbers: flags, ranks, counts, sums, positions or lengths.
  template <class Number>
  lookup_output(std::span<Number> to) : data(to.data()), size(to.size()), width(sizeof(Number)) {}
};

}  // namespace warpdex
