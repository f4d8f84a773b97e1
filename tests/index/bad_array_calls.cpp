// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/bad_array_calls.hpp"

#include <warpdex/advise.hpp>
#include <warpdex/distinct.hpp>
#include <warpdex/index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/mark.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/prefix_borders.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/range_quantiles.hpp>
#include <warpdex/sharded.hpp>
#include <warpdex/sharded_set.hpp>
#include <warpdex/sorted.hpp>
#include <warpdex/tuple_join.hpp>

/// @file
/// One table with a row for each call.
namespace warpdex::test::array_calls {
namespace {

constexpr array keys{part::keys}, rows{part::rows}, to_rows{part::row_output}, to_keys{part::key_output};
constexpr array numbers32{part::input, 4}, values{part::input, 4, 5}, bytes{part::input, 1};
constexpr array text{part::bytes, 1, 1}, ends{part::offsets, 8, 0}, bits{part::validity, 1, 2};
constexpr array ranks{part::input, 8}, counts{part::output, 8}, flags{part::output, 1}, lengths{part::output, 4};
constexpr array wide_keys{part::keys, 8};  // not those of the index
constexpr array other_text{part::bytes, 1, 3}, other_keys{part::keys, 4, 4}, sums{part::output, 32};
constexpr array addresses{part::output, 16}, of_marks{part::output, 4, 7}, read_marks{part::input, 4};

execution const exec;

index numbers(char const* how = "AO+BS") {
  std::uint32_t const held[] = {0, 1, 2, 3};
  return index::build(how, held, exec);
}
index words(char const* how = "AO+BS") {
  return index::build(how, byte_strings(std::vector<std::string>(4, "a")), exec);
}
sharded_index shards(column held) {
  return sharded_index::build("AO+BS", held, placement::range, std::vector<shard_place>(2));
}
void shards(column held, row_column ids, placement how) {
  sharded_index::build("AO+BS", held, ids, how, std::vector<shard_place>(2));
}
sharded_index shards() { return shards(std::vector<std::uint32_t>{0, 1, 2, 3}); }
range_aggregates<double> amounts(index const& over) {
  return range_aggregates(over, std::vector<double>{5, 6, 7, 8}, exec);
}
key_set some_keys() { return {column(std::vector<std::uint32_t>{1, 2}), exec}; }
key_set keys_with_rows() { return {column(std::vector<std::uint32_t>{1, 2}), std::vector<std::uint32_t>{3, 4}, exec}; }
sharded_set shards_of_keys(nullable_column const& held = column(std::vector<std::uint32_t>{1, 2})) {
  return sharded_set::build(held, std::vector<shard_place>(2));
}
sharded_set shards_of_rows(nullable_column const& held, row_column ids) {
  return sharded_set::build(held, ids, std::vector<shard_place>(2));
}
sharded_set shards_of_rows() {
  return shards_of_rows(column(std::vector<std::uint32_t>{1, 2}), std::vector<std::uint32_t>{3, 4});
}
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
/// @return the encoder of the groups and keys of `groups`
key_encoder pairs() { return groups().encoder(); }

key_encoder places() { return key_encoder({{key_type::u32, false, true}, {key_type::bytes, false, true}}); }
std::vector<nullable_column> tuples(arguments const& a) { return {a.keys_with_nulls(0), a.strings_with_nulls(2)}; }

}  // namespace

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

      // sharded.hpp
      {"sharded_index::build", {keys}, [](a x) { shards(x.keys(0)); }},
      {"sharded_index::build", {text, ends}, [](a x) { shards(x.strings(0)); }},
      {"sharded_index::build", {keys, rows}, [](a x) { shards(x.keys(0), x.rows(1), placement::range); }},
      {"sharded_index::build", {keys, rows}, [](a x) { shards(x.keys(0), x.rows(1), placement::replicate); }},
      {"sharded_index::build_spread",
       {keys},
       [](a x) {
         std::vector<column> const pieces = {x.keys(0)};
         sharded_index::build_spread("AO+BS", pieces, placement::range, std::vector<shard_place>(2));
       }},
      {"sharded_index::look_up_spread",
       {keys, to_rows},
       [](a x) {
         std::vector<key_ranges> const probes = {{x.keys(0)}, {column(std::span<std::uint32_t const>())}};
         std::vector<std::vector<lookup_output>> const outputs = {{x.to_rows(1)},
                                                                  {row_output(nullptr, 0, row_type::u32)}};
         shards().look_up_spread(lookups::find, probes, outputs);
       }},
      {"sharded_index::insert", {keys, rows}, [](a x) { shards().insert(x.keys(0), x.rows(1), exec); }},
      {"sharded_index::update",
       {keys, rows, other_keys},
       [](a x) { shards().update(x.keys(0), x.rows(1), x.keys(2), exec); }},
      {"sharded_index::find", {keys, to_rows}, [](a x) { shards().find(x.keys(0), x.to_rows(1), exec); }},
      {"sharded_index::floor",
       {keys, to_keys, to_rows},
       [](a x) { shards().floor(x.keys(0), x.to_keys(1), x.to_rows(2), exec); }},
      {"sharded_index::retrieve", {keys}, [](a x) { (void)shards().retrieve(x.keys(0), exec); }},
      {"sharded_index::keys_at", {ranks}, [](a x) { (void)shards().keys_at(x.all<u64>(0), exec); }},

      // index.hpp: lookups
      {"index::contains", {keys, flags}, [](a x) { numbers().contains(x.keys(0), x.all<u8>(1), exec); }},
      {"index::contains", {text, ends, flags}, [](a x) { words().contains(x.strings(0), x.all<u8>(2), exec); }},
      {"index::find", {keys, to_rows}, [](a x) { numbers().find(x.keys(0), x.to_rows(1), exec); }},
      {"index::find", {text, ends, to_rows}, [](a x) { words().find(x.strings(0), x.to_rows(2), exec); }},
      {"index::find_unordered",
       {keys, lengths, to_rows},
       [](a x) { numbers().find_unordered(x.keys(0), x.all<u32>(1), x.to_rows(2), exec); }},
      {"index::count", {keys, counts}, [](a x) { numbers().count(x.keys(0), x.all<u64>(1), exec); }},
      {"index::count", {text, ends, counts}, [](a x) { words().count(x.strings(0), x.all<u64>(2), exec); }},
      {"index::retrieve", {keys}, [](a x) { (void)numbers().retrieve(x.keys(0), exec); }},
      {"index::retrieve", {text, ends}, [](a x) { (void)words().retrieve(x.strings(0), exec); }},
      {"index::ancestors", {keys, other_keys}, [](a x) { (void)numbers().ancestors(x.keys(0), x.keys(1), exec); }},
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
      {"index::equal_range",
       {keys, keys, {part::output, 8}, {part::output, 8}},
       [](a x) {
         numbers().equal_range({x.keys(0), x.keys(1)}, x.all<u64>(2), x.all<u64>(3), exec);
       }},
      {"index::longest_prefix",
       {text, ends, to_rows, lengths},
       [](a x) { words().longest_prefix(x.strings(0), x.to_rows(2), x.all<u32>(3), exec); }},
      {"index::keys_at", {ranks}, [](a x) { (void)numbers().keys_at(x.all<u64>(0), exec); }},
      {"index::rows_at", {ranks}, [](a x) { (void)numbers().rows_at(x.all<u64>(0), exec); }},

      // index.hpp: other ways to answer, which read and write arrays elsewhere
      {"index::find",
       {keys, to_rows},
       [](a x) { numbers("AO+BS/reorder=window").find(x.keys(0), x.to_rows(1), exec); }},
      {"index::floor",
       {keys, to_keys, to_rows},
       [](a x) { numbers("AO+BS/reorder=window").floor(x.keys(0), x.to_keys(1), x.to_rows(2), exec); }},
      {"index::find_unordered",
       {keys, lengths, to_rows},
       [](a x) { numbers("AO+BS/reorder=window").find_unordered(x.keys(0), x.all<u32>(1), x.to_rows(2), exec); }},
      {"index::range_sum",
       {keys, keys, counts},
       [](a x) {
         numbers("AO+BS/reorder=window").range_sum({x.keys(0), x.keys(1)}, x.all<u64>(2), exec);
       }},
      {"index::find",
       {text, ends, to_rows},
       [](a x) { words("AO+BS/reorder=window").find(x.strings(0), x.to_rows(2), exec); }},
      {"index::find_unordered",
       {wide_keys, lengths, to_rows},
       [](a x) { numbers().find_unordered(x.keys(0), x.all<u32>(1), x.to_rows(2), exec); }},
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
      {"parse_addresses",
       {text, ends, addresses, flags},
       [](a x) { parse_addresses(null_texts(x), x.all<u128>(2), x.all<u8>(3), exec); }},
      {"parse_networks",
       {text, ends, addresses, flags},
       [](a x) { parse_networks(null_texts(x), x.all<u128>(2), x.all<u8>(3), exec); }},
      {"parse_networks",
       {text, ends, addresses, flags, flags},
       [](a x) { parse_networks(null_texts(x), x.all<u128>(2), x.all<u8>(3), x.all<u8>(4), exec); }},
      {"networks", {text, ends}, [](a x) { networks(null_texts(x), exec); }},
      {"networks", {keys, bytes}, [](a x) { networks(x.keys(0), std::span<u8 const>(x.all<u8 const>(1)), exec); }},
      {"networks::find", {keys, to_rows}, [](a x) { everything().find(x.keys(0), x.to_rows(1), exec); }},
      {"networks::find", {text, ends, to_rows}, [](a x) { everything().find(null_texts(x), x.to_rows(2), exec); }},
      {"networks::find", {keys}, [](a x) { (void)everything().find(x.keys(0), exec); }},
      {"networks::find",
       {keys, bytes, to_rows},
       [](a x) { everything().find(x.keys(0), std::span<u8 const>(x.all<u8 const>(1)), x.to_rows(2), exec); }},
      {"networks::covering",
       {keys, bytes},
       [](a x) { (void)everything().covering(x.keys(0), std::span<u8 const>(x.all<u8 const>(1)), exec); }},
      {"networks::covering", {keys, bits}, [](a x) { (void)everything().covering(x.keys_with_nulls(0), exec); }},
      {"networks::covering", {text, ends}, [](a x) { (void)everything().covering(null_texts(x), exec); }},

      // key_set.hpp
      {"key_set", {keys, bits}, [](a x) { key_set(x.keys_with_nulls(0), exec); }},
      {"key_set", {keys, rows}, [](a x) { key_set(x.keys(0), x.rows(1), exec); }},
      {"key_set::find",
       {keys, bits, counts},
       [](a x) { keys_with_rows().find(x.keys_with_nulls(0), x.all<u64>(2), exec); }},
      {"key_set::find", {keys, bits}, [](a x) { (void)keys_with_rows().find(x.keys_with_nulls(0), exec); }},
      {"key_set::insert", {keys, rows}, [](a x) { keys_with_rows().insert(x.keys(0), x.rows(1), exec); }},
      {"key_set::contains",
       {keys, bits, flags},
       [](a x) { some_keys().contains(x.keys_with_nulls(0), x.all<bool>(2), exec); }},
      {"key_set::contains", {keys, bits}, [](a x) { (void)some_keys().contains(x.keys_with_nulls(0), exec); }},
      {"key_set::count", {keys, bits}, [](a x) { (void)some_keys().count(x.keys_with_nulls(0), exec); }},
      {"key_set::insert", {keys, bits}, [](a x) { some_keys().insert(x.keys_with_nulls(0), exec); }},
      {"key_set::erase", {keys, bits}, [](a x) { some_keys().erase(x.keys_with_nulls(0), exec); }},
      {"key_set_builder::add",
       {keys, bits},
       [](a x) { key_set_builder(key_type::u32).add(x.keys_with_nulls(0), exec); }},

      // sharded_set.hpp
      {"sharded_set::build", {keys, bits}, [](a x) { shards_of_keys(x.keys_with_nulls(0)); }},
      {"sharded_set::build", {keys, rows}, [](a x) { shards_of_rows(x.keys(0), x.rows(1)); }},
      {"sharded_set::contains",
       {keys, bits, flags},
       [](a x) { shards_of_keys().contains(x.keys_with_nulls(0), x.all<bool>(2), exec); }},
      {"sharded_set::contains", {keys, bits}, [](a x) { (void)shards_of_keys().contains(x.keys_with_nulls(0), exec); }},
      {"sharded_set::find",
       {keys, bits, counts},
       [](a x) { shards_of_rows().find(x.keys_with_nulls(0), x.all<u64>(2), exec); }},
      {"sharded_set::find", {keys, bits}, [](a x) { (void)shards_of_rows().find(x.keys_with_nulls(0), exec); }},
      {"sharded_set::count", {keys, bits}, [](a x) { (void)shards_of_keys().count(x.keys_with_nulls(0), exec); }},
      {"sharded_set::insert", {keys, bits}, [](a x) { shards_of_keys().insert(x.keys_with_nulls(0), exec); }},
      {"sharded_set::insert", {keys, rows}, [](a x) { shards_of_rows().insert(x.keys(0), x.rows(1), exec); }},
      {"sharded_set::erase", {keys, bits}, [](a x) { shards_of_keys().erase(x.keys_with_nulls(0), exec); }},

      // range_quantiles.hpp
      {"range_quantiles", {keys, bits}, [](a x) { range_quantiles(numbers(), x.keys_with_nulls(0), exec); }},
      {"range_quantiles::in_ranges",
       {keys, keys, to_rows},
       [](a x) {
         index const i = numbers();
         range_quantiles const of(i, std::vector<double>{5, 6, 7, 8}, exec);
         of.in_ranges(i, {x.keys(0), x.keys(1)}, .5, quantile_side::lower, x.to_rows(2), exec);
       }},
      {"range_quantiles::of_ranks",
       {ranks, ranks, to_rows},
       [](a x) {
         index const i = numbers();
         range_quantiles const of(i, std::vector<double>{5, 6, 7, 8}, exec);
         of.of_ranks(x.all<u64>(0), x.all<u64>(1), .5, quantile_side::lower, x.to_rows(2), exec);
       }},

      // gather.hpp and range_aggregates.hpp
      {"gather", {rows, values, lengths}, [](a x) { gather(x.rows(0), x.all<u32>(1), x.all<u32>(2), 0, exec); }},
      {"gather", {rows, values}, [](a x) { (void)gather(x.rows(0), x.all<u32>(1)); }},
      {"gather_table",
       {rows, values, lengths},
       [](a x) {
         auto const from = x.all<u32>(1), to = x.all<u32>(2);
         gather_table(x.rows(0), from.size(), std::vector<table_column>{{from.data(), to.data(), 32}}, exec);
       }},
      {"gather_rows",
       {rows, values, lengths},
       [](a x) {
         gather_rows({x.all<u32>(1).data(), x.all<u32>(1).size(), 4}, x.rows(0), x.all<u32>(2).data(), exec);
       }},
      {"gather_strings", {rows, text, ends}, [](a x) { (void)gather_strings(x.rows(0), x.strings(1), exec); }},
      {"range_aggregates",
       {numbers32, bits},
       [](a x) { range_aggregates<i128>(numbers(), value_column(x.all<u32>(0), x.all<u8>(1).data()), exec); }},
      {"range_aggregates::in_ranges",
       {keys, keys, sums},
       [](a x) {
         index const i = numbers();
         amounts(i).in_ranges(i, {x.keys(0), x.keys(1)}, x.all<aggregate<double>>(2), exec);
       }},
      {"range_aggregates::in_ranges",
       {text, ends, other_text, ends, sums},
       [](a x) {
         index const i = words();
         amounts(i).in_ranges(i, {x.strings(0), x.strings(2)}, x.all<aggregate<double>>(4), exec);
       }},
      {"range_aggregates::in_ranges",
       {keys, keys},
       [](a x) {
         index const i = numbers();
         (void)amounts(i).in_ranges(i, {x.keys(0), x.keys(1)});
       }},
      {"range_aggregates::top_k",
       {keys, bits, keys, bits},
       [](a x) {
         index const i = numbers();
         amounts(i).top_k(i, ranges(x), 2, exec);
       }},
      {"range_aggregates::top_k",
       {text, ends, other_text, ends},
       [](a x) {
         index const i = words();
         amounts(i).top_k(i, {x.strings(0), x.strings(2)}, 2, exec);
       }},
      {"range_aggregates::bottom_k",
       {keys, bits, keys, bits},
       [](a x) {
         index const i = numbers();
         amounts(i).bottom_k(i, ranges(x), 2, exec);
       }},
      {"range_aggregates::of_keys",
       {keys, sums},
       [](a x) {
         index const i = numbers();
         amounts(i).of_keys(i, x.keys(0), x.all<aggregate<double>>(1), exec);
       }},
      {"range_aggregates::of_keys",
       {keys},
       [](a x) {
         index const i = numbers();
         (void)amounts(i).of_keys(i, x.keys(0));
       }},
      {"range_aggregates::of_ranks",
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
      {"intervals::nearest", {keys, bits, keys, bits}, [](a x) { (void)lines().nearest(some_lines(x), 2, exec); }},
      {"intervals::gaps", {keys, bits, keys, bits}, [](a x) { (void)lines().gaps(some_lines(x), exec); }},
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
      {"grouped_index::insert",
       {keys, keys, rows},
       [](a x) { groups().insert(x.keys(0), x.keys(1), x.rows(2), exec); }},
      {"grouped_index::erase", {keys, keys}, [](a x) { groups().erase(x.keys(0), x.keys(1), exec); }},
      {"grouped_index::insert_or_assign",
       {keys, keys, rows},
       [](a x) { groups().insert_or_assign(x.keys(0), x.keys(1), x.rows(2), exec); }},
      {"grouped_index::update",
       {keys, keys, rows, keys, keys},
       [](a x) { groups().update(x.keys(0), x.keys(1), x.rows(2), x.keys(3), x.keys(4), exec); }},
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
      {"grouped_index::equal_range",
       {keys, bits, keys, bits, keys, {part::output, 8}, {part::output, 8}},
       [](a x) { groups().equal_range(x.keys(4), ranges(x), x.all<u64>(5), x.all<u64>(6), exec); }},
      {"grouped_index::range_retrieve",
       {keys, bits, keys, bits, keys},
       [](a x) { (void)groups().range_retrieve(x.keys(4), ranges(x), exec); }},

      // join.hpp
      {"join", {keys, bits}, [](a x) { join(numbers(), x.keys_with_nulls(0), join_kind::inner, nowhere(), exec); }},
      {"join", {text, ends, bits}, [](a x) { (void)join(words(), x.strings_with_nulls(0), join_kind::left, exec); }},
      {"join_between",
       {keys, bits, keys, bits},
       [](a x) { join_between(numbers(), ranges(x), join_kind::inner, nowhere(), exec); }},
      {"join_between",
       {keys, bits, keys, bits},
       [](a x) { (void)join_between(numbers(), ranges(x), join_kind::semi, exec); }},
      {"join_asof", {keys, bits, to_rows}, [](a x) { join_asof(numbers(), x.keys_with_nulls(0), x.to_rows(2), exec); }},
      {"join_asof",
       {text, ends, bits, to_rows},
       [](a x) { join_asof(words(), x.strings_with_nulls(0), x.to_rows(3), exec); }},
      {"asof_merge",
       {keys, keys, other_keys, other_keys, to_rows},
       [](a x) { asof_merge(x.keys(0), x.keys(1), x.keys(2), x.keys(3), x.to_rows(4), exec); }},
      {"asof_merge", {keys, other_keys, to_rows}, [](a x) { asof_merge(x.keys(0), x.keys(1), x.to_rows(2), exec); }},
      {"join_asof",
       {keys, bits, keys, bits, to_rows},
       [](a x) { join_asof(groups(), x.keys_with_nulls(0), x.keys_with_nulls(2), x.to_rows(4), exec); }},
      {"join_between",
       {keys, bits, keys, bits, keys},
       [](a x) { (void)join_between(groups(), x.keys(4), ranges(x), join_kind::inner, exec); }},
      {"join_asof",
       {keys, bits},
       [](a x) { join_asof(numbers(), x.keys_with_nulls(0), join_kind::inner, nowhere(), exec); }},
      {"join_asof",
       {text, ends, bits},
       [](a x) { (void)join_asof(words(), x.strings_with_nulls(0), join_kind::left, exec); }},
      {"first_match",
       {keys, bits, other_keys, bits, to_rows},
       [](a x) { first_match(x.keys_with_nulls(0), x.keys_with_nulls(2), x.to_rows(4), exec); }},
      {"first_match",
       {text, ends, bits, to_rows},
       [](a x) { first_match(x.strings_with_nulls(0), x.strings_with_nulls(0), x.to_rows(3), exec); }},
      {"encode_tuples",
       {keys, bits, keys, other_keys, bits, other_keys},
       [](a x) {
         std::vector<nullable_column> const left = {x.keys_with_nulls(0), x.keys(2)};
         std::vector<nullable_column> const right = {x.keys_with_nulls(3), x.keys(5)};
         (void)encode_tuples(left, right, true, exec);
       }},
      {"number_tuples",
       {text, ends, bits},
       [](a x) {
         std::vector<nullable_column> const columns = {x.strings_with_nulls(0)};
         (void)number_tuples(columns, columns, false, exec);
       }},
      {"sort_pairs", {to_rows, to_rows}, [](a x) { sort_pairs(x.to_rows(0), x.to_rows(1), exec); }},
      {"unique",
       {keys, bits},
       [](a x) {
         std::vector<nullable_column> const columns = {x.keys_with_nulls(0)};
         (void)unique(columns, exec);
       }},
      {"duplicates",
       {keys, flags},
       [](a x) {
         std::vector<nullable_column> const columns = {x.keys(0)};
         duplicates(columns, x.all<bool>(1), exec);
       }},
      // mark.hpp
      {"mark",
       {rows, of_marks},
       [](a x) {
         mark(x.rows(0), {x.all<u32>(1), 128}, exec);
       }},
      {"mark",
       {keys, bits, of_marks},
       [](a x) {
         mark(numbers(), x.keys_with_nulls(0), {x.all<u32>(2), 128}, exec);
       }},
      {"mark_between",
       {keys, bits, keys, bits, of_marks},
       [](a x) {
         mark_between(numbers(), ranges(x), {x.all<u32>(4), 128}, exec);
       }},
      {"mark_between",
       {keys, keys, bits, keys, bits, of_marks},
       [](a x) {
         key_ranges const within = {x.keys_with_nulls(1), x.keys_with_nulls(3)};
         mark_between(groups(), x.keys(0), within, {x.all<u32>(5), 128}, exec);
       }},
      {"list_marked",
       {read_marks, to_rows},
       [](a x) {
         list_marked({x.all<u32>(0), 128}, x.to_rows(1), exec);
       }},
      {"combine_marks",
       {read_marks, lengths},
       [](a x) {
         combine_marks({x.all<u32>(1), 128}, {x.all<u32>(0), 128}, mark_operation::both, exec);
       }},

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
      {"key_encoder::narrow",
       {keys, bits, text, ends},
       [](a x) {
         (void)key_encoder::narrow({{key_type::u32, false, true}, {key_type::bytes}},
                                   std::vector{x.keys_with_nulls(0), nullable_column(x.strings(2))}, exec);
       }},
      {"key_encoder::points",
       {keys, bits, keys, bits},
       [](a x) {
         (void)pairs().points(std::vector{x.keys_with_nulls(0), x.keys_with_nulls(2)}, exec);
       }},
      {"key_encoder::ranges",
       {keys, bits, keys, bits},
       [](a x) {
         (void)pairs().ranges(std::vector{x.keys_with_nulls(0)}, {x.keys_with_nulls(2), {}}, exec);
       }},
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

}  // namespace warpdex::test::array_calls
