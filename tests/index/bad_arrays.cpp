// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/note.hpp>
#include <warpdex/payload.hpp>
#include <warpdex/prefix_borders.hpp>
#include <warpdex/sorted.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Arrays that no call can take: null pointers with elements, lengths beyond all memory, outputs over other arrays,
/// types that are none. One table (`calls`) names each public function that takes arrays; each is called with each bad
/// array.
namespace warpdex::test {
namespace {

/// What an array is to a call.
enum class part : std::uint8_t { keys, rows, row_output, key_output, bytes, offsets, validity, input, output };

struct array {
  part is;
  std::size_t width = 4;
  int length = 0;  ///< arrays of the same number have the same length

  bool written() const { return is == part::row_output || is == part::key_output || is == part::output; }
  bool of_keys() const { return is == part::keys || is == part::key_output; }
  bool of_rows() const { return is == part::rows || is == part::row_output; }
};

/// The arrays of one call. Element i of each is i; but bits of a validity are set, and inputs of bytes hold 32.
class arguments {
 public:
  static constexpr std::uint64_t usual = 4;

  explicit arguments(std::vector<array> const& of) {
    for (array const& a : of) slots_.emplace_back(a);
  }
  arguments(arguments const&) = delete;
  arguments& operator=(arguments const&) = delete;

  struct slot {
    explicit slot(array const& a) : of(a), room(3 * side, std::byte{0x77}), data(room.data() + side) {
      if (a.written()) return;
      for (std::uint64_t i = 0; i < elements(); ++i) {
        std::uint64_t const value = a.is == part::validity ? 0xff : a.is == part::input && a.width == 1 ? 32 : i;
        std::memcpy(room.data() + side + i * a.width, &value, a.width);
      }
    }
    std::uint64_t elements() const { return of.is == part::validity ? 1 : of.is == part::offsets ? size + 1 : size; }
    std::uint64_t bytes() const { return elements() * of.width; }
    void move_to(void* where) {
      std::memmove(where, data, bytes());
      data = where;
    }

    static constexpr std::size_t side = 256;
    array of;
    std::vector<std::byte> room;
    void* data;
    std::uint64_t size = usual;
    int type = of.of_keys() && of.width == 8 ? 1 : 0;  ///< u64 or u32
  };

  std::vector<slot>& slots() { return slots_; }

  column keys(std::size_t i) const { return {at(i).data, at(i).size, static_cast<key_type>(at(i).type)}; }
  row_column rows(std::size_t i) const { return {at(i).data, at(i).size, static_cast<row_type>(at(i).type)}; }
  row_output to_rows(std::size_t i) const { return {at(i).data, at(i).size, static_cast<row_type>(at(i).type)}; }
  key_output to_keys(std::size_t i) const { return {at(i).data, at(i).size, static_cast<key_type>(at(i).type)}; }
  template <class T> std::span<T> all(std::size_t i) const { return {static_cast<T*>(at(i).data), at(i).size}; }

  /// Strings whose bytes are array `i`, and their offsets the next one.
  column strings(std::size_t i) const {
    column made(at(i).data, at(i + 1).size, key_type::bytes);
    made.strings = {at(i + 1).data, static_cast<std::uint32_t>(at(i + 1).of.width), 0, at(i).size};
    return made;
  }
  nullable_column with_nulls(column c, std::size_t i) const {
    return {c, static_cast<std::uint8_t const*>(at(i).data), 0};
  }
  nullable_column keys_with_nulls(std::size_t i) const { return with_nulls(keys(i), i + 1); }
  nullable_column strings_with_nulls(std::size_t i) const { return with_nulls(strings(i), i + 2); }

 private:
  slot const& at(std::size_t i) const { return slots_[i]; }

  std::vector<slot> slots_;
};

/// A public function, its arrays, and a call of it.
struct call {
  std::string name;
  std::vector<array> arrays;
  std::function<void(arguments const&)> run;

  friend std::ostream& operator<<(std::ostream& to, call const& c) { return to << c.name; }
};

constexpr array keys{part::keys}, rows{part::rows}, to_rows{part::row_output}, to_keys{part::key_output};
constexpr array numbers32{part::input, 4}, values{part::input, 4, 5}, bytes{part::input, 1};
constexpr array text{part::bytes, 1, 1}, ends{part::offsets, 8, 0}, bits{part::validity, 1, 2};
constexpr array ranks{part::input, 8}, counts{part::output, 8}, flags{part::output, 1}, lengths{part::output, 4};
constexpr array wide_keys{part::keys, 8};  // not those of the index
constexpr array other_text{part::bytes, 1, 3}, other_keys{part::keys, 4, 4}, sums{part::output, 32};
constexpr array addresses{part::output, 16};

execution const exec;

index numbers(char const* how = "AO+BS") {
  std::uint32_t const held[] = {0, 1, 2, 3};
  return index::build(how, held, exec);
}
index words(char const* how = "AO+BS") {
  return index::build(how, byte_strings(std::vector<std::string>(4, "a")), exec);
}
payload<double> amounts(index const& over) { return payload(over, std::vector<double>{5, 6, 7, 8}, exec); }
networks everything() { return {byte_strings(std::vector<std::string>{"::/0"}), exec}; }
intervals lines() {
  std::uint32_t const held[] = {0, 1, 2, 3};
  return intervals::build(column(held), column(held), exec);
}
interval_probes some_lines(arguments const& a) { return {a.keys_with_nulls(0), a.keys_with_nulls(2)}; }
join_sink nowhere() {
  return [](join_batch const&) {};
}
key_ranges ranges(arguments const& a) { return {a.keys_with_nulls(0), a.keys_with_nulls(2)}; }
grouped_index groups() {
  std::vector<std::uint32_t> const held = {0, 1, 2, 3};
  return grouped_index::build("AO+BS", column(held), column(held), exec);
}
nullable_column null_texts(arguments const& a) {
  static std::uint8_t const none = 0;
  return {a.strings(0), &none, 0};
}
key_encoder places() { return key_encoder({{key_type::u32, false, true}, {key_type::bytes, false, true}}); }
std::vector<nullable_column> tuples(arguments const& a) { return {a.keys_with_nulls(0), a.strings_with_nulls(2)}; }

/// Every public function that takes arrays, in the order of the headers.
std::vector<call> calls() {
  using a = arguments const&;
  using u8 = std::uint8_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  return {
      // device.hpp
      {"copy", {flags, bytes}, [](a x) { copy(x.all<u8>(0).data(), x.all<u8>(1).data(), x.all<u8>(0).size(), exec); }},

      // index.hpp: builds and updates
      {"index::build", {keys}, [](a x) { index::build("AO+BS", x.keys(0), exec); }},
      {"index::build", {keys, rows}, [](a x) { index::build("AO+BS", x.keys(0), x.rows(1), exec); }},
      {"index::build", {text, ends}, [](a x) { index::build("AO+BS", x.strings(0), exec); }},
      {"index::over_sorted", {keys}, [](a x) { index::over_sorted("AO+BS", x.keys(0), exec); }},
      {"index::insert", {keys, rows}, [](a x) { numbers().insert(x.keys(0), x.rows(1), exec); }},
      {"index::insert", {text, ends, rows}, [](a x) { words().insert(x.strings(0), x.rows(2), exec); }},
      {"index::erase", {keys}, [](a x) { numbers().erase(x.keys(0), exec); }},
      {"index::update", {keys, rows, other_keys}, [](a x) { numbers().update(x.keys(0), x.rows(1), x.keys(2), exec); }},
      {"index::insert_or_assign", {keys, rows}, [](a x) { numbers().insert_or_assign(x.keys(0), x.rows(1), exec); }},

      // index.hpp: lookups
      {"index::contains", {keys, flags}, [](a x) { numbers().contains(x.keys(0), x.all<u8>(1), exec); }},
      {"index::contains", {text, ends, flags}, [](a x) { words().contains(x.strings(0), x.all<u8>(2), exec); }},
      {"index::find", {keys, to_rows}, [](a x) { numbers().find(x.keys(0), x.to_rows(1), exec); }},
      {"index::find", {text, ends, to_rows}, [](a x) { words().find(x.strings(0), x.to_rows(2), exec); }},
      {"index::find_any_order",
       {keys, lengths, to_rows},
       [](a x) { numbers().find_any_order(x.keys(0), x.all<u32>(1), x.to_rows(2), exec); }},
      {"index::count", {keys, counts}, [](a x) { numbers().count(x.keys(0), x.all<u64>(1), exec); }},
      {"index::count", {text, ends, counts}, [](a x) { words().count(x.strings(0), x.all<u64>(2), exec); }},
      {"index::retrieve", {keys}, [](a x) { (void)numbers().retrieve(x.keys(0), exec); }},
      {"index::retrieve", {text, ends}, [](a x) { (void)words().retrieve(x.strings(0), exec); }},
      {"index::trace", {keys, other_keys}, [](a x) { (void)numbers().trace(x.keys(0), x.keys(1), exec); }},
      {"index::lower_bound", {keys, counts}, [](a x) { numbers().lower_bound(x.keys(0), x.all<u64>(1), exec); }},
      {"index::upper_bound", {text, ends, counts}, [](a x) { words().upper_bound(x.strings(0), x.all<u64>(2), exec); }},
      {"index::floor",
       {keys, to_keys, to_rows},
       [](a x) { numbers().floor(x.keys(0), x.to_keys(1), x.to_rows(2), exec); }},
      {"index::ceil",
       {keys, to_keys, to_rows},
       [](a x) { numbers().ceil(x.keys(0), x.to_keys(1), x.to_rows(2), exec); }},
      {"index::range_count",
       {keys, keys, counts},
       [](a x) {
         numbers().range_count({x.keys(0), x.keys(1)}, x.all<u64>(2), exec);
       }},
      {"index::range_sum",
       {text, ends, other_text, ends, counts},
       [](a x) {
         words().range_sum({x.strings(0), x.strings(2)}, x.all<u64>(4), exec);
       }},
      {"index::range_retrieve",
       {keys, keys},
       [](a x) {
         (void)numbers().range_retrieve({x.keys(0), x.keys(1)}, exec);
       }},
      {"index::prefix_count",
       {text, ends, counts},
       [](a x) { words().prefix_count(x.strings(0), x.all<u64>(2), exec); }},
      {"index::prefix_sum", {text, ends, counts}, [](a x) { words().prefix_sum(x.strings(0), x.all<u64>(2), exec); }},
      {"index::prefix_retrieve", {text, ends}, [](a x) { (void)words().prefix_retrieve(x.strings(0), exec); }},
      {"index::rank_range",
       {keys, keys, {part::output, 8}, {part::output, 8}},
       [](a x) {
         numbers().rank_range({x.keys(0), x.keys(1)}, x.all<u64>(2), x.all<u64>(3), exec);
       }},
      {"index::match_longest",
       {text, ends, to_rows, lengths},
       [](a x) { words().match_longest(x.strings(0), x.to_rows(2), x.all<u32>(3), exec); }},
      {"index::keys_at", {ranks}, [](a x) { (void)numbers().keys_at(x.all<u64>(0), exec); }},
      {"index::rows_at", {ranks}, [](a x) { (void)numbers().rows_at(x.all<u64>(0), exec); }},

      // index.hpp: other ways to answer, which read and write arrays elsewhere
      {"index::find",
       {keys, to_rows},
       [](a x) { numbers("AO+BS/reorder=window").find(x.keys(0), x.to_rows(1), exec); }},
      {"index::floor",
       {keys, to_keys, to_rows},
       [](a x) { numbers("AO+BS/reorder=window").floor(x.keys(0), x.to_keys(1), x.to_rows(2), exec); }},
      {"index::find_any_order",
       {keys, lengths, to_rows},
       [](a x) { numbers("AO+BS/reorder=window").find_any_order(x.keys(0), x.all<u32>(1), x.to_rows(2), exec); }},
      {"index::range_sum",
       {keys, keys, counts},
       [](a x) {
         numbers("AO+BS/reorder=window").range_sum({x.keys(0), x.keys(1)}, x.all<u64>(2), exec);
       }},
      {"index::find",
       {text, ends, to_rows},
       [](a x) { words("AO+BS/reorder=window").find(x.strings(0), x.to_rows(2), exec); }},
      {"index::find_any_order",
       {wide_keys, lengths, to_rows},
       [](a x) { numbers().find_any_order(x.keys(0), x.all<u32>(1), x.to_rows(2), exec); }},
      {"index::count", {keys, counts}, [](a x) { numbers("HT(open)").count(x.keys(0), x.all<u64>(1), exec); }},
      {"index::count", {wide_keys, counts}, [](a x) { numbers("HT(open)").count(x.keys(0), x.all<u64>(1), exec); }},
      {"index::range_sum",
       {keys, keys, counts},
       [](a x) {
         std::vector<u32> const held = {0, 1, 2, 3};
         index::over_sorted("AO+BS", held, exec).range_sum({x.keys(0), x.keys(1)}, x.all<u64>(2), exec);
       }},

      // index.hpp: answers in vectors
      {"index::find", {keys}, [](a x) { (void)numbers().find(x.keys(0), exec); }},
      {"index::floor", {keys}, [](a x) { (void)numbers().floor(x.keys(0), exec); }},
      {"index::ceil", {text, ends}, [](a x) { (void)words().ceil(x.strings(0), exec); }},
      {"index::contains", {keys}, [](a x) { (void)numbers().contains(x.keys(0), exec); }},
      {"index::count", {keys}, [](a x) { (void)numbers().count(x.keys(0), exec); }},
      {"index::lower_bound", {keys}, [](a x) { (void)numbers().lower_bound(x.keys(0), exec); }},
      {"index::upper_bound", {keys}, [](a x) { (void)numbers().upper_bound(x.keys(0), exec); }},
      {"index::range_count",
       {keys, keys},
       [](a x) {
         (void)numbers().range_count({x.keys(0), x.keys(1)}, exec);
       }},
      {"index::range_sum",
       {keys, keys},
       [](a x) {
         (void)numbers().range_sum({x.keys(0), x.keys(1)}, exec);
       }},
      {"index::prefix_count", {text, ends}, [](a x) { (void)words().prefix_count(x.strings(0), exec); }},
      {"index::prefix_sum", {text, ends}, [](a x) { (void)words().prefix_sum(x.strings(0), exec); }},

      // sorted.hpp
      {"ascends", {keys}, [](a x) { (void)ascends(x.keys(0), exec); }},
      {"lower_bound_in",
       {other_keys, keys, counts},
       [](a x) { lower_bound_in(x.keys(0), x.keys(1), x.all<u64>(2), exec); }},
      {"upper_bound_in",
       {other_keys, keys, counts},
       [](a x) { upper_bound_in(x.keys(0), x.keys(1), x.all<u64>(2), exec); }},

      // networks.hpp
      {"parse_addresses", {text, ends, addresses}, [](a x) { parse_addresses(null_texts(x), x.all<u128>(2), exec); }},
      {"parse_networks",
       {text, ends, addresses, flags},
       [](a x) { parse_networks(null_texts(x), x.all<u128>(2), x.all<u8>(3), exec); }},
      {"networks", {text, ends}, [](a x) { networks(null_texts(x), exec); }},
      {"networks", {keys, bytes}, [](a x) { networks(x.keys(0), std::span<u8 const>(x.all<u8 const>(1)), exec); }},
      {"networks::find", {keys, to_rows}, [](a x) { everything().find(x.keys(0), x.to_rows(1), exec); }},
      {"networks::find", {text, ends, to_rows}, [](a x) { everything().find(null_texts(x), x.to_rows(2), exec); }},
      {"networks::find", {keys}, [](a x) { (void)everything().find(x.keys(0), exec); }},
      {"networks::covering", {keys, bits}, [](a x) { (void)everything().covering(x.keys_with_nulls(0), exec); }},
      {"networks::covering", {text, ends}, [](a x) { (void)everything().covering(null_texts(x), exec); }},

      // payload.hpp
      {"gather", {rows, values, lengths}, [](a x) { gather(x.rows(0), x.all<u32>(1), x.all<u32>(2), 0, exec); }},
      {"gather", {rows, values}, [](a x) { (void)gather(x.rows(0), x.all<u32>(1)); }},
      {"payload",
       {numbers32, bits},
       [](a x) { payload<i128>(numbers(), value_column(x.all<u32>(0), x.all<u8>(1).data()), exec); }},
      {"payload::in_ranges",
       {keys, keys, sums},
       [](a x) {
         index const i = numbers();
         amounts(i).in_ranges(i, {x.keys(0), x.keys(1)}, x.all<aggregate<double>>(2), exec);
       }},
      {"payload::in_ranges",
       {text, ends, other_text, ends, sums},
       [](a x) {
         index const i = words();
         amounts(i).in_ranges(i, {x.strings(0), x.strings(2)}, x.all<aggregate<double>>(4), exec);
       }},
      {"payload::in_ranges",
       {keys, keys},
       [](a x) {
         index const i = numbers();
         (void)amounts(i).in_ranges(i, {x.keys(0), x.keys(1)});
       }},
      {"payload::range_top",
       {keys, bits, keys, bits},
       [](a x) {
         index const i = numbers();
         amounts(i).range_top(i, ranges(x), 2, exec);
       }},
      {"payload::range_top",
       {text, ends, other_text, ends},
       [](a x) {
         index const i = words();
         amounts(i).range_top(i, {x.strings(0), x.strings(2)}, 2, exec);
       }},
      {"payload::of_keys",
       {keys, sums},
       [](a x) {
         index const i = numbers();
         amounts(i).of_keys(i, x.keys(0), x.all<aggregate<double>>(1), exec);
       }},
      {"payload::of_keys",
       {keys},
       [](a x) {
         index const i = numbers();
         (void)amounts(i).of_keys(i, x.keys(0));
       }},
      {"payload::of_ranks",
       {ranks, ranks, sums},
       [](a x) {
         index const i = numbers();
         amounts(i).of_ranks(x.all<u64>(0), x.all<u64>(1), x.all<aggregate<double>>(2), exec);
       }},

      // intervals.hpp
      {"intervals::build",
       {keys, bits, keys, bits},
       [](a x) { intervals::build(x.keys_with_nulls(0), x.keys_with_nulls(2), exec); }},
      {"intervals::build",
       {text, ends, other_text, ends},
       [](a x) { intervals::build(x.strings(0), x.strings(2), exec); }},
      {"intervals::count",
       {keys, bits, keys, bits, counts},
       [](a x) { lines().count(some_lines(x), x.all<u64>(4), exec); }},
      {"intervals::count", {keys}, [](a x) { (void)lines().count(x.keys(0), exec); }},
      {"intervals::find", {keys, bits, to_rows}, [](a x) { lines().find(x.keys_with_nulls(0), x.to_rows(2), exec); }},
      {"intervals::retrieve", {keys, bits, keys, bits}, [](a x) { (void)lines().retrieve(some_lines(x), exec); }},
      {"intervals::nearest", {keys, bits}, [](a x) { (void)lines().nearest(x.keys_with_nulls(0), 2, exec); }},
      {"intervals::coverage",
       {keys, bits, keys, bits, counts},
       [](a x) { lines().coverage(some_lines(x), x.all<u64>(4), exec); }},
      {"intervals::join",
       {keys, bits, keys, bits},
       [](a x) { lines().join(some_lines(x), join_kind::inner, nowhere(), exec); }},
      {"intervals::join",
       {keys, bits, keys, bits},
       [](a x) { (void)lines().join(some_lines(x), join_kind::left, exec); }},

      // grouped_index.hpp
      {"grouped_index::build",
       {keys, bits, keys, bits},
       [](a x) { grouped_index::build("AO+BS", x.keys_with_nulls(0), x.keys_with_nulls(2), exec); }},
      {"grouped_index::place_points",
       {keys, bits, keys, bits},
       [](a x) { (void)groups().place_points(x.keys_with_nulls(0), x.keys_with_nulls(2), exec); }},
      {"grouped_index::place_ranges",
       {keys, bits, keys, bits, keys},
       [](a x) { (void)groups().place_ranges(x.keys(4), ranges(x), exec); }},
      {"grouped_index::find",
       {keys, bits, keys, to_rows},
       [](a x) { groups().find(x.keys_with_nulls(0), x.keys(2), x.to_rows(3), exec); }},
      {"grouped_index::contains",
       {keys, keys, flags},
       [](a x) { groups().contains(x.keys(0), x.keys(1), x.all<u8>(2), exec); }},
      {"grouped_index::count",
       {keys, keys, counts},
       [](a x) { groups().count(x.keys(0), x.keys(1), x.all<u64>(2), exec); }},
      {"grouped_index::retrieve", {keys, keys}, [](a x) { (void)groups().retrieve(x.keys(0), x.keys(1), exec); }},
      {"grouped_index::floor",
       {keys, keys, to_keys, to_rows},
       [](a x) { groups().floor(x.keys(0), x.keys(1), x.to_keys(2), x.to_rows(3), exec); }},
      {"grouped_index::range_count",
       {keys, bits, keys, bits, keys, counts},
       [](a x) { groups().range_count(x.keys(4), ranges(x), x.all<u64>(5), exec); }},
      {"grouped_index::rank_range",
       {keys, bits, keys, bits, keys, {part::output, 8}, {part::output, 8}},
       [](a x) { groups().rank_range(x.keys(4), ranges(x), x.all<u64>(5), x.all<u64>(6), exec); }},
      {"grouped_index::range_retrieve",
       {keys, bits, keys, bits, keys},
       [](a x) { (void)groups().range_retrieve(x.keys(4), ranges(x), exec); }},

      // join.hpp
      {"join", {keys, bits}, [](a x) { join(numbers(), x.keys_with_nulls(0), join_kind::inner, nowhere(), exec); }},
      {"join", {text, ends, bits}, [](a x) { (void)join(words(), x.strings_with_nulls(0), join_kind::left, exec); }},
      {"range_join",
       {keys, bits, keys, bits},
       [](a x) { range_join(numbers(), ranges(x), join_kind::inner, nowhere(), exec); }},
      {"range_join",
       {keys, bits, keys, bits},
       [](a x) { (void)range_join(numbers(), ranges(x), join_kind::semi, exec); }},
      {"asof_join", {keys, bits, to_rows}, [](a x) { asof_join(numbers(), x.keys_with_nulls(0), x.to_rows(2), exec); }},
      {"asof_join",
       {text, ends, bits, to_rows},
       [](a x) { asof_join(words(), x.strings_with_nulls(0), x.to_rows(3), exec); }},
      {"asof_merge",
       {keys, keys, other_keys, other_keys, to_rows},
       [](a x) { asof_merge(x.keys(0), x.keys(1), x.keys(2), x.keys(3), x.to_rows(4), exec); }},
      {"asof_merge", {keys, other_keys, to_rows}, [](a x) { asof_merge(x.keys(0), x.keys(1), x.to_rows(2), exec); }},
      {"asof_join",
       {keys, bits, keys, bits, to_rows},
       [](a x) { asof_join(groups(), x.keys_with_nulls(0), x.keys_with_nulls(2), x.to_rows(4), exec); }},
      {"range_join",
       {keys, bits, keys, bits, keys},
       [](a x) { (void)range_join(groups(), x.keys(4), ranges(x), join_kind::inner, exec); }},
      {"asof_join",
       {keys, bits},
       [](a x) { asof_join(numbers(), x.keys_with_nulls(0), join_kind::inner, nowhere(), exec); }},
      {"asof_join",
       {text, ends, bits},
       [](a x) { (void)asof_join(words(), x.strings_with_nulls(0), join_kind::left, exec); }},
      {"first_match",
       {keys, bits, other_keys, bits, to_rows},
       [](a x) { first_match(x.keys_with_nulls(0), x.keys_with_nulls(2), x.to_rows(4), exec); }},
      {"first_match",
       {text, ends, bits, to_rows},
       [](a x) { first_match(x.strings_with_nulls(0), x.strings_with_nulls(0), x.to_rows(3), exec); }},
      {"hash_join",
       {keys, bits, other_keys, bits},
       [](a x) { hash_join(x.keys_with_nulls(0), x.keys_with_nulls(2), join_kind::inner, nowhere(), exec); }},
      {"hash_join",
       {keys, bits, other_keys, bits},
       [](a x) { (void)hash_join(x.keys_with_nulls(0), x.keys_with_nulls(2), join_kind::anti, exec); }},
      {"merge_join",
       {keys, bits, other_keys, bits},
       [](a x) { merge_join(x.keys_with_nulls(0), x.keys_with_nulls(2), join_kind::inner, nowhere(), exec); }},
      {"merge_join",
       {keys, bits, other_keys, bits},
       [](a x) { (void)merge_join(x.keys_with_nulls(0), x.keys_with_nulls(2), join_kind::anti, exec); }},
      {"join",
       {keys, bits, other_keys, bits},
       [](a x) { join(x.keys_with_nulls(0), x.keys_with_nulls(2), join_kind::full, nowhere(), exec); }},
      {"join",
       {keys, bits, other_keys, bits},
       [](a x) { (void)join(x.keys_with_nulls(0), x.keys_with_nulls(2), join_kind::left, exec); }},
      {"build_valid", {keys, bits}, [](a x) { build_valid("AO+BS", x.keys_with_nulls(0), exec); }},
      {"build_valid", {text, ends, bits}, [](a x) { build_valid("AO+BS", x.strings_with_nulls(0), exec); }},

      // key_encoder.hpp
      {"key_encoder::encode", {keys, bits, text, ends, bits}, [](a x) { (void)places().encode(tuples(x), exec); }},
      {"key_encoder::leading",
       {keys, bits},
       [](a x) { (void)places().leading(std::vector{x.keys_with_nulls(0)}, false, exec); }},
      {"key_encoder::decode", {keys}, [](a x) { (void)key_encoder({{key_type::u32}}).decode(x.keys(0), exec); }},

      // prefix_borders.hpp, advise.hpp
      {"prefix_borders",
       {numbers32, bytes, numbers32},
       [](a x) {
         prefix_borders<u32, u32>(x.all<u32 const>(0), std::span<u8 const>(x.all<u8 const>(1)), x.all<u32 const>(2), 9);
       }},
      {"profile", {keys}, [](a x) { (void)profile(x.keys(0), row_type::u32, exec); }},
  };
}

/// Runs a call with its arrays as they are, or spoilt.
class bad_array : public testing::TestWithParam<call> {
 protected:
  using slot = arguments::slot;

  /// Expects invalid_argument with some words, and that nothing is written.
  void expect_refused(arguments& with, std::string const& words, std::string const& why) {
    std::vector<std::vector<std::byte>> before;
    for (slot const& s : with.slots()) before.push_back(s.room);
    try {
      GetParam().run(with);
      ADD_FAILURE() << why << " was taken";
    } catch (invalid_argument const& e) {
      std::string const message = e.what();
      EXPECT_NE(message.find(words), std::string::npos) << why << ": " << message;
    } catch (std::exception const& e) {
      ADD_FAILURE() << why << " gives " << typeid(e).name() << ": " << e.what();
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(with.slots()[i].room, before[i]) << why << " changed array " << i;
  }

  static std::string name_of(std::size_t i) { return "array " + std::to_string(i); }

  std::vector<array> const& arrays() const { return GetParam().arrays; }
};

TEST_P(bad_array, none_is) {
  arguments with(arrays());
  EXPECT_NO_THROW(GetParam().run(with));
}

TEST_P(bad_array, null_pointers) {
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    if (arrays()[i].is == part::validity) continue;  // all values are valid
    arguments with(arrays());
    with.slots()[i].data = nullptr;
    expect_refused(with, "null pointer", name_of(i));
  }
}

TEST_P(bad_array, lengths_beyond_all_memory) {
  std::set<int> all;
  for (array const& a : arrays()) all.insert(a.is == part::validity ? 0 : a.length);
  for (int const length : all)
    for (std::uint64_t const size : {std::uint64_t{1} << 48, std::uint64_t{1} << 61, ~std::uint64_t{0} - 1}) {
      arguments with(arrays());
      for (slot& s : with.slots())
        if (s.of.length == length) s.size = size;
      expect_refused(with, "", std::to_string(size) + " elements");
    }
}

TEST_P(bad_array, outputs_over_other_arrays) {
  for (std::size_t o = 0; o < arrays().size(); ++o)
    for (std::size_t i = 0; i < arrays().size(); ++i) {
      if (o == i || !arrays()[o].written()) continue;
      for (int const place : {-1, 0, 1}) {
        arguments with(arrays());
        slot& output = with.slots()[o];
        slot const& other = with.slots()[i];
        auto* const at = static_cast<std::byte*>(other.data);
        output.data = place < 0 ? at - output.bytes() + 1 : place == 0 ? at : at + other.bytes() - 1;
        expect_refused(with, "overlap", name_of(o) + " over " + name_of(i));
      }
    }
}

TEST_P(bad_array, types_that_are_none) {
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    if (!arrays()[i].of_keys() && !arrays()[i].of_rows()) continue;
    arguments with(arrays());
    with.slots()[i].type = 200;
    expect_refused(with, "", name_of(i) + " of type 200");
  }
}

TEST_P(bad_array, types_of_other_calls) {
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    if (!arrays()[i].of_keys() && !arrays()[i].of_rows()) continue;
    for (int const type : {1, 6}) {
      arguments with(arrays());
      with.slots()[i].type = arrays()[i].of_rows() ? 1 : type;
      try {
        GetParam().run(with);
      } catch (error const&) {
      } catch (std::exception const& e) {
        ADD_FAILURE() << name_of(i) << " gives " << typeid(e).name() << ": " << e.what();
      }
    }
  }
}

/// Arrays of columns may have any address on the host.
TEST_P(bad_array, odd_addresses) {
  if (GetParam().name == "prefix_borders") GTEST_SKIP() << "takes spans of numbers, which are aligned";
  arguments usual(arrays());
  GetParam().run(usual);
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    arguments with(arrays());
    slot& odd = with.slots()[i];
    odd.move_to(static_cast<std::byte*>(odd.data) + 1);
    if (GetParam().name == "index::over_sorted") {
      expect_refused(with, "not aligned", name_of(i));
      continue;
    }
    ASSERT_NO_THROW(GetParam().run(with)) << name_of(i);
    for (std::size_t j = 0; j < arrays().size(); ++j)
      EXPECT_EQ(std::memcmp(with.slots()[j].data, usual.slots()[j].data, usual.slots()[j].bytes()), 0) << name_of(j);
  }
}

std::string name_of_call(testing::TestParamInfo<call> const& info) {
  return test_name(info.param.name) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(all, bad_array, testing::ValuesIn(calls()), name_of_call);

/// The header declares no function that takes arrays and is not in the table.
TEST(bad_array_table, names_every_function) {
  std::set<std::string> known = {// What describes arrays, or borrows one key.
                                 "column", "fixed_bytes", "nullable_column", "row_column", "row_output", "key_output",
                                 "value_column", "rows_by_probe", "border_list", "lookup_output",
                                 // Single keys and files; arrays of bytes are those of `load` below.
                                 "expect_possible", "expect_array", "load", "note_of", "mapped_column", "device_of",
                                 "deallocate", "ask_one",
                                 // What all lookups of the table are names of.
                                 "look_up", "list",
                                 // Types of functions of the caller.
                                 "void",
                                 // Private parts of functions in the table.
                                 "find_one", "take_values", "run_ranges", "add_up", "find_borders", "walk_prefixes"};
  for (call const& c : calls()) known.insert(c.name.substr(c.name.rfind(':') + 1));
  std::regex const comment("//[^\n]*");
  std::regex const function(
      "(\\w+)\\(([^()]*\\b(?:column|nullable_column const&|row_column|row_output|key_output|value_column const&|"
      "key_ranges const&|std::span<[^()]*>|Values&&|void\\*|void const\\*) \\w+[^()]*)\\)");
  int found = 0;
  for (auto const& entry : std::filesystem::directory_iterator(WARPDEX_TEST_FILES "/../include/warpdex")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    std::string const header = std::regex_replace(std::string(std::istreambuf_iterator<char>(file), {}), comment, "");
    for (std::sregex_iterator f(header.begin(), header.end(), function); f != std::sregex_iterator(); ++f, ++found)
      EXPECT_TRUE(known.contains((*f)[1])) << entry.path().filename() << ": " << f->str();
  }
  EXPECT_GT(found, 60);
}

/// Bytes of index files are arrays of one element per byte.
TEST(bad_bytes, null_or_endless) {
  std::vector<std::byte> const file = numbers().save();
  std::shared_ptr<void const> const owner;
  auto const refused = [](auto const& of, std::span<std::byte const> bytes, std::string const& words) {
    EXPECT_TRUE(throws<invalid_argument>([&] { of(bytes); }, words));
  };
  auto const load = [](std::span<std::byte const> bytes) { (void)index::load(bytes, exec); };
  auto const load_in_place = [&](std::span<std::byte const> bytes) { (void)index::load(bytes, owner, exec); };
  auto const note = [](std::span<std::byte const> bytes) { (void)note_of(bytes); };
  std::span<std::byte const> const nothing(static_cast<std::byte const*>(nullptr), file.size());
  std::span<std::byte const> const endless(file.data(), std::size_t{1} << 61);
  for (auto const& [given, words] : {std::pair(nothing, "null pointer"), std::pair(endless, "2^48")}) {
    refused(load, given, words);
    refused(load_in_place, given, words);
    refused(note, given, words);
  }
  EXPECT_TRUE(
      throws<invalid_argument>([&] { (void)index::load(file, exec, static_cast<check>(9)); }, "check number 9"));
}

}  // namespace
}  // namespace warpdex::test
