// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 202002L
#error "warpdex needs C++20: compile with -std=c++20 or newer"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// @file
/// The types of keys and row ids, and other basic types, for host and device code.

/// Marks a function for host and device. It is empty without nvcc, so these headers compile with plain g++.
#if defined(__CUDACC__)
#define WDX_HD __host__ __device__
#else
#define WDX_HD
#endif

namespace warpdex {

/// The key types of the public interface. An order-preserving codec maps each number to u32, u64 or u128
/// (search/codec.hpp). Not all structures take `u128` and `bytes` (`structure_info`).
///
/// `u128` is for keys of 16 bytes such as UUIDs and IPv6 addresses. Such keys are numbers in little-endian byte order.
/// Lookups that only ask for equal keys also take the bytes in network order, provided that all columns do.
///
/// `bytes` are strings of up to 2^32 - 1 bytes of any value, in the order of unsigned bytes; what begins another comes
/// first. So UTF-8 sorts by code point; collations are the caller's. Columns of strings have their own form
/// (column.hpp).
enum class key_type : std::uint8_t { u32, u64, i32, i64, f32, f64, date, timestamp, u128, bytes };

/// All key types, in the order of their values.
inline constexpr std::array key_types = {key_type::u32,  key_type::u64,  key_type::i32,  key_type::i64,
                                         key_type::f32,  key_type::f64,  key_type::date, key_type::timestamp,
                                         key_type::u128, key_type::bytes};

/// How keys are held and compared: as numbers of three widths, or as byte strings. Code that handles keys is compiled
/// for these kinds.
enum class key_kind : std::uint8_t { u32, u64, u128, bytes };

/// An unsigned number of 16 bytes, for keys such as UUIDs and IPv6 addresses.
__extension__ typedef unsigned __int128 u128;  // nvcc does not accept `__extension__` before `using`

/// The types of row ids. Row ids have 32 bits unless the column needs 64.
enum class row_type : std::uint8_t { u32, u64 };

/// @return the name of the type in specs, files and on the command line; `none` for an invalid value
std::string_view to_string(key_type type) noexcept;
/// The same of a type of row ids.
std::string_view to_string(row_type type) noexcept;

/// @return the key type with this name
/// @throws invalid_argument if there is none
key_type parse_key_type(std::string_view name);

namespace detail {

/// A time of the system's clock, which alone is known by its `to_time_t`. So <chrono> need not be included.
template <class T>
concept system_time = requires(T const& time) {
  T::clock::to_time_t(time);
  requires std::is_integral_v<typename T::rep>;
};

template <class T>
concept system_days = system_time<T> && T::period::num == 86400 && T::period::den == 1;

/// A time in units that are whole microseconds, but for days.
template <class T>
concept system_moment = system_time<T> && !system_days<T> && 1'000'000 % T::period::den == 0;

/// A time whose arrays are taken as they are.
template <class T>
concept system_microseconds = system_moment<T> && T::period::num == 1 && T::period::den == 1'000'000 &&
                              sizeof(T) == sizeof(std::int64_t);

}  // namespace detail

/// Days since 1970-01-01 (proleptic Gregorian).
struct date {
  std::int32_t days;  ///< number of days; negative before 1970

  /// Not initialised.
  date() = default;
  /// Of a number of days.
  WDX_HD constexpr date(std::int32_t number) : days(number) {}

  /// Of `std::chrono::sys_days`. Arrays of these mostly hold 8 bytes per day, so `as_keys` (column.hpp) copies them.
  template <detail::system_days Day>
  WDX_HD constexpr date(Day const& day) : days(static_cast<std::int32_t>(day.time_since_epoch().count())) {}
};

/// Microseconds since 1970-01-01 00:00:00 UTC.
struct timestamp {
  std::int64_t microseconds;  ///< number of microseconds; negative before 1970

  /// Not initialised.
  timestamp() = default;
  /// Of a number of microseconds.
  WDX_HD constexpr timestamp(std::int64_t number) : microseconds(number) {}

  /// Of a `std::chrono::sys_time` that counts microseconds, seconds and the like. Finer ones are rounded before by
  /// `std::chrono::floor<std::chrono::microseconds>`. Arrays of microseconds are taken as they are, and `as_keys`
  /// (column.hpp) copies others.
  template <detail::system_moment Time>
  WDX_HD constexpr timestamp(Time const& time)
      : microseconds(static_cast<std::int64_t>(time.time_since_epoch().count()) *
                     (Time::period::num * (1'000'000 / Time::period::den))) {}
};

/// Calls `run.operator()<Key>()` with the C++ type of keys that are numbers.
/// @param type `bytes` counts as u128, a number of the size of a reference to a string; an invalid value as i64
/// @return what `run` returns, which has the same type for all keys
template <class Run> WDX_HD constexpr decltype(auto) with_key_type(key_type type, Run const& run) {
  switch (type) {
    case key_type::u32: return run.template operator()<std::uint32_t>();
    case key_type::u64: return run.template operator()<std::uint64_t>();
    case key_type::i32: return run.template operator()<std::int32_t>();
    case key_type::f32: return run.template operator()<float>();
    case key_type::f64: return run.template operator()<double>();
    case key_type::date: return run.template operator()<date>();
    case key_type::timestamp: return run.template operator()<timestamp>();
    case key_type::u128:
    case key_type::bytes: return run.template operator()<u128>();
    default: return run.template operator()<std::int64_t>();
  }
}

/// The number that a key of a C++ type holds: of a date its days, of a timestamp its microseconds.
template <class Key>
using key_number = std::conditional_t<std::is_same_v<Key, date>, std::int32_t,
                                      std::conditional_t<std::is_same_v<Key, timestamp>, std::int64_t, Key>>;

/// @return bytes of one key: 4, 8 or 16; of `bytes` those of a reference to a string (search/byte_key.hpp)
WDX_HD constexpr std::size_t size_of(key_type type) noexcept {
  return with_key_type(type, [&]<class Key>() { return sizeof(Key); });
}

/// @return how keys of the type are held and compared
WDX_HD constexpr key_kind kind_of(key_type type) noexcept {
  if (type == key_type::bytes) return key_kind::bytes;
  return size_of(type) == 4 ? key_kind::u32 : size_of(type) == 8 ? key_kind::u64 : key_kind::u128;
}

/// @return bytes of one row id: 4 or 8
WDX_HD constexpr std::size_t size_of(row_type type) noexcept { return type == row_type::u32 ? 4 : 8; }

namespace detail {
template <class T> inline constexpr bool always_false = false;

/// A type of keys that are numbers.
template <class T>
concept numeric_key = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, date> ||
    std::is_same_v<T, timestamp> || std::is_same_v<T, u128> || system_microseconds<T> ||
    (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));

template <class T> WDX_HD constexpr key_type key_type_of() {
  if constexpr (std::is_same_v<T, std::uint32_t>) return key_type::u32;
  else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, unsigned long long>) return key_type::u64;
  else if constexpr (std::is_same_v<T, std::int32_t>) return key_type::i32;
  else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, long long>) return key_type::i64;
  else if constexpr (std::is_same_v<T, float>) return key_type::f32;
  else if constexpr (std::is_same_v<T, double>) return key_type::f64;
  else if constexpr (std::is_same_v<T, date>) return key_type::date;
  else if constexpr (std::is_same_v<T, timestamp> || system_microseconds<T>) return key_type::timestamp;
  else if constexpr (std::is_same_v<T, u128>) return key_type::u128;
  else
    static_assert(always_false<T>,
                  "no key type of warpdex, which are 32- and 64-bit integers, float, double, warpdex::u128, "
                  "warpdex::date, warpdex::timestamp, sys_time<microseconds>, by warpdex::as_keys sys_days and other "
                  "times, and by warpdex::byte_strings strings");
}
}  // namespace detail

/// The row id that `find` and `floor` write for a miss: all bits set. No index holds this row id.
template <class Row> inline constexpr Row no_row = static_cast<Row>(-1);

/// What `index::load` checks of a file besides its header, and the lengths and places of its arrays.
///
///     all         checksums of all arrays, the order of all entries, and every other array against the entries: any
///                 bytes give an error or a valid index
///     structure   every array that leads searches through memory, such as pivots, links, lists and the free slots of
///                 leaves, and the order of keys where such arrays are made from them. Wrong keys and row ids then give
///                 wrong answers and nothing worse: no call reads or writes beyond an array, and no rank and no count
///                 of entries is above `size()`. The first update checks the order of all entries, as `verify` does
///     none        nothing more. The file must be as `save` wrote it; a damaged one may end the process
///
/// What a level promises also holds for a `clone` of the index, and for all that is made from it.
enum class check : std::uint8_t { all, structure, none };

/// Bytes that an index holds, and bytes that it borrows.
struct memory_usage {
  std::uint64_t pairs = 0;      ///< bytes of the (key, row id) pairs, padding included
  std::uint64_t auxiliary = 0;  ///< bytes of everything else, such as pivots
  std::uint64_t borrowed = 0;   ///< bytes of the key column of `index::over_sorted`, which the caller owns
  bool remote = false;          ///< whether pairs, or the borrowed column, are in host memory and the rest on a device

  /// @return the bytes that the index holds
  std::uint64_t total() const noexcept { return pairs + auxiliary; }
};

}  // namespace warpdex
