// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/search/codec.hpp>
#include <warpdex/search/hash_open.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <new>

/// @file
/// Calls that are wrong whatever the arrays hold: executions without memory, indexes that were moved from, arrays that
/// overlap, impossible lengths and types, views of another type. `bad_arrays.cpp` gives each call each bad array.
namespace warpdex::test {
namespace {

using keys32 = std::vector<std::uint32_t>;
using numbers = std::vector<std::uint64_t>;

class bad_call : public testing::TestWithParam<backend_kind> {
 protected:
  index make(std::string const& spec = "AO+BS") const { return index::build(spec, std::span(keys_), exec_); }

  /// Makes every call that takes an execution. @return how many calls threw the expected exception
  template <class Error, class... Words> void expect_all_throw(index& i, execution const& exec, Words const&... words) {
    keys32 rows(4);
    numbers out(4);
    std::vector<std::uint8_t> flags(4);
    keys32 positions(4);
    column const keys = std::span(keys_);
    row_column const row_ids = std::span<std::uint32_t const>(keys_);
    auto const refused = [&](auto const& call, char const* name) {
      EXPECT_TRUE(throws<Error>(call, name, words...)) << name;
    };
    refused([&] { i.contains(keys, std::span(flags), exec); }, "contains");
    refused([&] { i.find(keys, std::span(rows), exec); }, "find");
    refused([&] { i.find_unordered(keys, std::span(positions), std::span(rows), exec); }, "find_unordered");
    refused([&] { i.count(keys, std::span(out), exec); }, "count");
    refused([&] { (void)i.retrieve(keys, exec); }, "retrieve");
    refused([&] { i.lower_bound(keys, std::span(out), exec); }, "lower_bound");
    refused([&] { i.upper_bound(keys, std::span(out), exec); }, "upper_bound");
    refused([&] { i.floor(keys, {}, std::span(rows), exec); }, "floor");
    refused([&] { i.range_count({keys, keys}, std::span(out), exec); }, "range_count");
    refused([&] { i.range_sum({keys, keys}, std::span(out), exec); }, "range_sum");
    refused([&] { (void)i.range_retrieve({keys, keys}, exec); }, "range_retrieve");
    refused([&] { i.insert(keys, row_ids, exec); }, "insert");
    refused([&] { i.erase(keys, exec); }, "erase");
    refused([&] { i.update(keys, row_ids, keys, exec); }, "update");
    refused([&] { i.insert_or_assign(keys, row_ids, exec); }, "insert_or_assign");
    refused([&] { i.verify(exec); }, "verify");
  }

  keys32 keys_ = {30, 20, 20, 10};
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 1};
};

TEST_P(bad_call, execution_without_memory) {
  index i = make();
  execution nothing = exec_;
  nothing.memory = nullptr;
  expect_all_throw<invalid_argument>(i, nothing, "no memory", "null");
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", std::span(keys_), nothing); }, "build", "null"));
  EXPECT_TRUE(throws<invalid_argument>([&] { index::load("nothing.wdx", nothing); }, "load", "null"));
  EXPECT_TRUE(throws<invalid_argument>([&] { buffer(8, nothing); }, "buffer", "null"));
  EXPECT_TRUE(throws<invalid_argument>([&] { copy(keys_.data(), &nothing, 8, nothing); }, "copy", "null"));
  i.verify(exec_);
}

TEST_P(bad_call, negative_threads) {
  index i = make();
  execution backwards = exec_;
  backwards.threads = -3;
  expect_all_throw<invalid_argument>(i, backwards, "-3 threads");
  i.verify(exec_);
}

/// If more threads are requested than the machine has, all of its threads are used.
TEST_P(bad_call, more_threads_than_there_are) {
  std::vector<std::uint32_t> keys(1 << 18);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  keys32 rows(keys.size());
  keys32 expected(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) expected[i] = static_cast<std::uint32_t>(i);
  for (int const threads : {1000, 1'000'000, 5'000'000, std::numeric_limits<int>::max()}) {
    execution many = exec_;
    many.threads = threads;
    testing::internal::CaptureStderr();
    index const i = index::build("AO+BS", std::span(keys), many);
    i.find(std::span(keys), std::span(rows), many);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(rows, expected) << threads;
  }
}

TEST_P(bad_call, index_that_was_moved_from) {
  index i = make();
  index const other = std::move(i);
  expect_all_throw<invalid_argument>(i, exec_, "moved from");
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.size(); }, "size", "moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.spec_text(); }, "spec_text", "moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.memory(); }, "memory", "moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.save("nowhere.wdx"); }, "save", "moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.view<int>(); }, "view", "moved from"));
  i = make();
  i.verify(exec_);
  EXPECT_EQ(i.size(), 4u);
}

/// All other objects that own what a call reads.
TEST_P(bad_call, objects_that_were_moved_from) {
  auto const refused = [](auto const& call) { EXPECT_TRUE(throws<invalid_argument>(call, "moved from")); };
  index const i = make();
  column const keys = std::span(keys_);
  keys32 rows(4);
  numbers ranks(4);

  auto entries = grouped_index::build("AO+BS", keys, keys, exec_);
  EXPECT_EQ(grouped_index(std::move(entries)).size(), 4u);
  refused([&] { (void)entries.size(); });
  refused([&] { (void)entries.row_type(); });
  refused([&] { join_asof(entries, keys, keys, std::span(rows), exec_); });

  range_aggregates amounts(i, keys_, exec_);
  EXPECT_EQ(range_aggregates(std::move(amounts)).size(), 4u);
  std::vector<aggregate<i128>> sums(4);
  refused([&] { amounts.of_ranks(ranks, ranks, sums, exec_); });
  refused([&] { amounts.of_keys(i, keys, sums, exec_); });
  refused([&] { amounts.top_k(i, {keys, keys}, 1, exec_); });

  key_encoder encoder({{key_type::u32}});
  EXPECT_EQ(key_encoder(std::move(encoder)).type(), key_type::u32);
  refused([&] { encoder.encode({}, exec_); });
  refused([&] { encoder.decode(keys, exec_); });
  EXPECT_TRUE(throws<invalid_argument>([&] { encoder.leading({}, false, exec_); }));

  matches found = i.retrieve(keys, exec_);
  EXPECT_EQ(matches(std::move(found)).total, 6u);
  refused([&] { found.rows_of(0); });

  byte_strings words(std::vector<std::string>{"a", "b"});
  EXPECT_EQ(byte_strings(std::move(words)).size(), 2u);
  EXPECT_EQ(words.size(), 0u);
  words.push_back("c");
  EXPECT_EQ(words[0], "c");
}

TEST_P(bad_call, lengths_that_cannot_be) {
  index i = make();
  for (int const power : {48, 60, 63}) {
    std::uint64_t const size = std::uint64_t{1} << power;
    column const claimed(keys_.data(), size, key_type::u32);
    row_column const rows(keys_.data(), size, row_type::u32);
    row_column const wide_rows(keys_.data(), size, row_type::u64);
    auto const refused = [&](auto const& call, char const* name) {
      EXPECT_TRUE(throws<invalid_argument>(call, name, std::to_string(size))) << name;
    };
    refused([&] { index::build("AO+BS/rows=u64", claimed, wide_rows, exec_); }, "");
    refused([&] { i.insert(claimed, rows, exec_); }, "insert");
    refused([&] { i.erase(claimed, exec_); }, "erase");
    refused([&] { i.update(claimed, rows, claimed, exec_); }, "update");
    refused([&] { i.insert_or_assign(claimed, rows, exec_); }, "insert_or_assign");
    refused([&] { i.find(claimed, {keys_.data(), size, row_type::u32}, exec_); }, "find");
    refused([&] { i.count(claimed, {reinterpret_cast<std::uint64_t*>(keys_.data()), size}, exec_); }, "count");
    refused([&] { (void)i.retrieve(claimed, exec_); }, "retrieve");
    refused([&] { (void)i.range_retrieve({claimed, claimed}, exec_); }, "range_retrieve");
  }
  i.verify(exec_);
}

TEST_P(bad_call, types_that_are_none) {
  index i = make();
  auto const odd = static_cast<key_type>(200);
  auto const odd_rows = static_cast<row_type>(9);
  column const keys(keys_.data(), 2, odd);
  keys32 rows(2);
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("AO+BS", keys, exec_); }, "build", "200"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        index::build("AO+BS", std::span(keys_), {keys_.data(), 4, odd_rows}, exec_);
      },
      "build", "9"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(keys, std::span(rows), exec_); }, "find", "200"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.find(std::span(keys_), {rows.data(), 4, odd_rows}, exec_); }, "find"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.erase(keys, exec_); }, "erase"));
  EXPECT_TRUE(throws<invalid_argument>([&] { resolve("AO+BS", odd, row_type::u32, 4, GetParam()); }, "resolve"));
  EXPECT_FALSE(to_string(odd).empty());
  EXPECT_FALSE(to_string(odd_rows).empty());
  i.verify(exec_);
}

/// An output of a call must overlap neither its inputs nor its other outputs, not even with the same address.
TEST_P(bad_call, arrays_that_overlap) {
  index const i = make();
  keys32 room(64, 20);
  auto const keys_at = [&](std::size_t at) { return column(room.data() + at, 8, key_type::u32); };
  auto const rows_at = [&](std::size_t at) { return row_output(room.data() + at, 8, row_type::u32); };
  auto const numbers_at = [&](std::size_t at) {
    return std::span(reinterpret_cast<std::uint64_t*>(room.data() + at), 8);
  };
  auto const refused = [&](auto const& call, char const* name) {
    EXPECT_TRUE(throws<invalid_argument>(call, name, "overlaps")) << name;
  };
  for (std::size_t const at : {9, 15, 16, 17, 23}) {
    refused([&] { i.find(keys_at(16), rows_at(at), exec_); }, "find");
    refused([&] { i.find_unordered(keys_at(40), {room.data() + 16, 8}, rows_at(at), exec_); }, "find_unordered");
    refused([&] { i.floor(keys_at(40), {room.data() + 16, 8, key_type::u32}, rows_at(at), exec_); }, "floor");
  }
  refused([&] { i.count(keys_at(16), numbers_at(8), exec_); }, "count");
  refused([&] { i.lower_bound(keys_at(16), numbers_at(16), exec_); }, "lower_bound");
  refused([&] { i.range_sum({keys_at(40), keys_at(16)}, numbers_at(22), exec_); }, "range_sum");
  refused([&] { i.contains(keys_at(16), {reinterpret_cast<std::uint8_t*>(room.data() + 17), 8}, exec_); }, "contains");
  EXPECT_TRUE(throws<invalid_argument>([&] { copy(room.data(), room.data() + 1, 8, exec_); }, "copy", "overlap"));
  EXPECT_EQ(room, keys32(64, 20)) << "a refused call wrote";

  i.find(keys_at(16), rows_at(8), exec_);
  i.find(keys_at(16), rows_at(24), exec_);
  numbers counts(8);
  i.range_count({keys_at(16), keys_at(17)}, std::span(counts), exec_);  // two inputs
  EXPECT_EQ(counts[0], 2u);
}

/// A lookup as a value with outputs of another one, or by the call that does not run it.
TEST_P(bad_call, lookups_with_what_is_not_theirs) {
  index const i = make();
  keys32 const probes(4, 20);
  keys32 rows(4, 7);
  numbers counts(4, 7);
  key_ranges const query{std::span(probes)};
  auto const refused = [&](lookup const& what, std::initializer_list<lookup_output> outputs, char const* why) {
    EXPECT_TRUE(throws<invalid_argument>([&] { i.look_up(what, query, outputs, exec_); }, what.name, why)) << what.name;
  };
  refused(lookups::find, {}, "0 outputs");
  refused(lookups::find, {row_output(rows), row_output(rows)}, "2 outputs");
  refused(lookups::floor, {row_output(rows)}, "1 outputs");
  refused(lookups::count, {std::span(rows)}, "elements of 4 bytes");
  refused(lookups::find, {row_output(counts)}, "row ids of type u64");
  refused(lookups::retrieve, {row_output(rows)}, "returns matches");
  for (lookup const* const what : {&lookups::find, &lookups::count, &lookups::ancestors})
    EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.list(*what, query, exec_); }, what->name, "index::list"));
  for (key_ranges const& ranges : {key_ranges{std::span(probes), std::span(probes)}, key_ranges{{}, std::span(probes)},
                                   key_ranges{std::span(probes), {}, closed_ends::left}})
    for (lookup const* const what : {&lookups::find, &lookups::count})
      EXPECT_TRUE(throws<invalid_argument>(
          [&] {
            if (what == &lookups::find) i.look_up(*what, ranges, {row_output(rows)}, exec_);
            else i.look_up(*what, ranges, {std::span(counts)}, exec_);
          },
          what->name, "`lower` alone"));
  EXPECT_EQ(rows, keys32(4, 7)) << "a refused call wrote";
  EXPECT_EQ(counts, numbers(4, 7)) << "a refused call wrote";
}

TEST_P(bad_call, views_of_another_type) {
  std::vector<double> const keys = {1.5, -2, 9};
  index const array = index::build("AO+BS", std::span(keys), exec_);
  EXPECT_EQ(array.view_type(), "warpdex::sorted_array<warpdex::soa_pairs<std::uint64_t, std::uint32_t>>");
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)array.view<int>(); }, "view", array.spec_text(), "f64",
                                       array.view_type(), "not int"));
  index const table = index::build("HT(open)", std::span(keys), exec_);
  using soa_view = hash_open<soa_slots<std::uint64_t, std::uint32_t>>;
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)table.view<soa_view>(); }, "HT(open", "aos_pairs", "soa_slots"));
}

INSTANTIATE_TEST_SUITE_P(all, bad_call, testing::ValuesIn(present_backends()), backend_name);

/// Searches over views take codes; `encode` gives the code of a key of any type.
template <class Key> void expect_found_by_code(std::vector<Key> const& keys) {
  using view_type = sorted_array<soa_pairs<code_of<Key>, std::uint32_t>>;
  index const built = index::build("AO+BS", std::span(keys), execution());
  auto const view = built.view<view_type>();
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(find(view, encode(keys[i])), i);
}

TEST(views, are_asked_with_encoded_keys) {
  expect_found_by_code<std::uint32_t>({7, 0, 0xffffffff});
  expect_found_by_code<std::uint64_t>({7, 0, ~std::uint64_t{0}});
  expect_found_by_code<std::int32_t>({7, 0, -1, std::numeric_limits<std::int32_t>::min()});
  expect_found_by_code<std::int64_t>({7, 0, -5, std::numeric_limits<std::int64_t>::max()});
  expect_found_by_code<float>({7, 0, -1.5f, std::numeric_limits<float>::infinity()});
  expect_found_by_code<double>({1.5, -2, 9, std::numeric_limits<double>::quiet_NaN()});
  expect_found_by_code<date>({{5}, {-5}, {0}});
  expect_found_by_code<timestamp>({{5}, {-5}, {0}});
  EXPECT_EQ(encode(-0.0), encode(0.0));
  EXPECT_TRUE(encode(u128{1} << 70) == u128{1} << 70);
}

/// The caller's memory resource, which throws the exceptions of the standard library.
class standard_memory final : public memory_resource {
 public:
  void* allocate(std::size_t, stream_ref) override { throw std::bad_alloc(); }
  void deallocate(void*, std::size_t, stream_ref) noexcept override {}
  backend_kind backend() const noexcept override { return backend_kind::cpu; }
};

TEST(errors, are_those_of_the_library) {
  standard_memory none;
  execution const exec(none, {}, 1);
  keys32 const keys = {3, 1, 2};
  EXPECT_TRUE(throws<out_of_memory>([&] { index::build("AO+BS", std::span(keys), exec); }, "out of host memory"));
  EXPECT_TRUE(throws<out_of_memory>([&] { buffer(8, exec); }, "buffer", "out of host memory"));
}

}  // namespace
}  // namespace warpdex::test
