// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/stop.hpp>

#include <warpdex/grouped_index.hpp>
#include <warpdex/index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/join.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/sharded.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/expect.hpp"

/// @file
/// A stop request ends calls whose results are much larger than their columns: how often they look for one says how
/// much they do in between.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t equal_keys = 2048;         // on each side: each probe matches all
constexpr u64 elements_per_look = u64{1} << 16;  // at most, but for the list of a probe

/// Memory of the host that counts what is in use.
class counted_memory final : public memory_resource {
 public:
  std::atomic<std::size_t> used{0};

  void* allocate(std::size_t bytes, stream_ref stream) override {
    void* const result = host_memory().allocate(bytes, stream);
    used += bytes;
    return result;
  }
  void deallocate(void* memory, std::size_t bytes, stream_ref stream) noexcept override {
    used -= bytes;
    host_memory().deallocate(memory, bytes, stream);
  }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }
};

/// What calls ask, and whom.
struct state {
  std::vector<u32> keys = std::vector<u32>(equal_keys, 7);
  std::vector<u32> others = std::vector<u32>(equal_keys, 9);
  std::vector<u64> rows = std::vector<u64>(equal_keys);
  byte_strings words{std::vector<std::string>(equal_keys, "abcdefgh")};
  byte_strings starts{std::vector<std::string>(equal_keys, "abc")};
  byte_strings long_words{std::vector<std::string>(1, std::string(1 << 20, 'x'))};
  std::vector<u32> many_zeros = std::vector<u32>(64);
  byte_strings cidrs{std::vector<std::string>(equal_keys, "10.0.0.0/8")};
  byte_strings addresses{std::vector<std::string>(equal_keys, "10.1.2.3")};
  index sorted = index::build("AO+BS", keys, {});
  index hashed = index::build("HT(open)", keys, {});
  index tree = index::build("B+(16)", keys, {});
  index of_words = index::build("AO+BS", column(words), {});
  sharded_index shards = sharded_index::build("AO+BS", column(keys), placement::range,
                                              std::vector{shard_place{execution(host_memory(), {}, 1)}}, 2);
  grouped_index groups = grouped_index::build("AO+BS", column(keys), column(keys), {});
  intervals spans = intervals::build(column(keys), column(others), {});
  networks known{column(cidrs), {}};
  range_aggregates<i128> values{sorted, std::span<u64 const>(rows), {}};

  key_ranges ranges() const { return {column(keys), column(others)}; }
};

struct call {
  char const* name;
  u64 passes;                                              ///< over what it makes, at least
  std::function<u64(state const&, execution const&)> run;  ///< returns the number of elements that it makes
};

call const calls[] = {
    {"retrieve", 1, [](state const& of, execution const& e) { return of.sorted.retrieve(column(of.keys), e).total; }},
    {"retrieve_hashed", 1,
     [](state const& of, execution const& e) { return of.hashed.retrieve(column(of.keys), e).total; }},
    {"retrieve_in_leaves", 1,
     [](state const& of, execution const& e) { return of.tree.retrieve(column(of.keys), e).total; }},
    {"retrieve_of_shards", 2,
     [](state const& of, execution const& e) { return of.shards.retrieve(column(of.keys), e).total; }},
    {"retrieve_words", 1,
     [](state const& of, execution const& e) { return of.of_words.retrieve(column(of.words), e).total; }},
    {"range_retrieve", 1,
     [](state const& of, execution const& e) { return of.sorted.list(lookups::range_retrieve, of.ranges(), e).total; }},
    {"prefix_retrieve", 1,
     [](state const& of, execution const& e) {
       return of.of_words.list(lookups::prefix_retrieve, {column(of.starts)}, e).total;
     }},
    {"join", 2,
     [](state const& of, execution const& e) { return join(of.hashed, column(of.keys), join_kind::left, e).size; }},
    {"join_of_strings", 2,
     [](state const& of, execution const& e) { return join(of.of_words, column(of.words), join_kind::inner, e).size; }},
    {"join_in_batches", 2,
     [](state const& of, execution const& e) {
       return join(of.sorted, column(of.keys), join_kind::inner, e, {1 << 20, 100, {}}).size;
     }},
    {"join_between", 2,
     [](state const& of, execution const& e) {
       return join_between(of.sorted, of.ranges(), join_kind::inner, e).size;
     }},
    {"range_join_in_groups", 2,
     [](state const& of, execution const& e) {
       return join_between(of.groups, column(of.keys), of.ranges(), join_kind::inner, e).size;
     }},
    {"join_asof", 2,
     [](state const& of, execution const& e) {
       return join_asof(of.sorted, column(of.others), join_kind::inner, e).size;
     }},
    {"hash_join", 2,
     [](state const& of, execution const& e) {
       return hash_join(column(of.keys), column(of.keys), join_kind::full, e).size;
     }},
    {"merge_join", 2,
     [](state const& of, execution const& e) {
       return merge_join(column(of.keys), column(of.keys), join_kind::inner, e).size;
     }},
    {"join_of_intervals", 2,
     [](state const& of, execution const& e) {
       return of.spans.join({column(of.keys), column(of.others)}, join_kind::inner, e).size;
     }},
    {"intervals", 1, [](state const& of, execution const& e) { return of.spans.retrieve({column(of.keys)}, e).total; }},
    {"nearest_intervals", 1,
     [](state const& of, execution const& e) { return of.spans.nearest({column(of.keys)}, equal_keys, e).total; }},
    {"covering", 1,
     [](state const& of, execution const& e) { return of.known.covering(column(of.addresses), e).total; }},
    {"top_k", 1,
     [](state const& of, execution const& e) { return of.values.top_k(of.sorted, of.ranges(), 100, e).total; }},
    {"gather_strings", 1,
     [](state const& of, execution const& e) {
       return gather_strings({of.many_zeros.data(), of.many_zeros.size(), row_type::u32}, column(of.long_words), e)
           .keys.bytes();
     }},
};

class stops : public testing::TestWithParam<call> {
 protected:
  static state const& all() {
    static state const result;
    return result;
  }

  counted_memory memory_;
};
INSTANTIATE_TEST_SUITE_P(, stops, testing::ValuesIn(calls), [](auto const& at) { return at.param.name; });

TEST_P(stops, a_call_looks_often_and_ends_when_it_is_asked_to) {
  auto const& run = GetParam().run;
  auto const passes = GetParam().passes;
  execution const exec(memory_, {}, 1);
  u64 const elements = run(all(), exec);
  auto const stop_at = [&](u64 number) {
    std::stop_source stop;
    u64 looks = 0;
    stop_scope const scope(stop.get_token(), [&] {
      if (++looks == number) stop.request_stop();
    });
    if (number == 0) EXPECT_EQ(run(all(), exec), elements);
    else EXPECT_TRUE(throws<cancelled>([&] { run(all(), exec); }, "asked to stop"));
    return looks;
  };
  u64 const looks = stop_at(0);
  EXPECT_GE(looks, passes * (elements / elements_per_look));
  for (u64 const number : {u64{1}, looks / 4, looks / 2, looks - 1, looks}) {
    EXPECT_EQ(stop_at(number), number);  // none after the request
    EXPECT_EQ(memory_.used, 0u);
  }
  EXPECT_EQ(run(all(), exec), elements);
}

TEST_P(stops, helpers_end_too) {
  execution const exec(memory_, {}, 3);
  u64 const elements = GetParam().run(all(), exec);
  for (u64 const number : {1, 2, 5, 10}) {
    std::stop_source stop;
    u64 looks = 0;
    stop_scope const scope(stop.get_token(), [&] {
      if (++looks == number) stop.request_stop();
    });
    try {
      GetParam().run(all(), exec);
      EXPECT_LT(looks, number);  // the helpers did the rest
    } catch (cancelled const&) {
    }
    EXPECT_EQ(memory_.used, 0u);
  }
  EXPECT_EQ(GetParam().run(all(), exec), elements);
}

TEST(stop_of_a_join, ends_it_within_a_batch) {
  state const of;
  counted_memory memory;
  execution const exec(memory, {}, 1);
  std::stop_source outer, own;
  u64 looks = 0, pairs = 0;
  stop_scope const scope(outer.get_token(), [&] {
    if (++looks == 30) own.request_stop();
  });
  auto const sink = [&](join_batch const& batch) { pairs += batch.left.size; };
  join_options const options{.stop = own.get_token()};
  EXPECT_TRUE(throws<cancelled>([&] { join(of.sorted, column(of.keys), join_kind::inner, sink, exec, options); },
                                "asked to stop"));
  EXPECT_EQ(looks, 30u);
  EXPECT_EQ(pairs, 0u);
  EXPECT_EQ(memory.used, 0u);
}

TEST(stop_of_networks, ends_their_sort) {
  std::vector<u32> addresses(1 << 18);
  for (u32& address : addresses) address = static_cast<u32>(&address - addresses.data()) * 2654435761u & ~255u;
  std::vector<std::uint8_t> const lengths(addresses.size(), 24);
  std::vector<u32> const few(addresses.begin(), addresses.begin() + 2);
  auto const looks_of = [&](std::vector<u32> const& from) {
    std::stop_source stop;
    u64 looks = 0;
    stop_scope const scope(stop.get_token(), [&] { ++looks; });
    std::span<std::uint8_t const> const of_each(lengths.data(), from.size());
    networks const routes(column(from), of_each, execution(host_memory(), {}, 1));
    return looks;
  };
  // A sort compares each about 18 times.
  EXPECT_GE(looks_of(addresses), looks_of(few) + 16 * addresses.size() / elements_per_look);
}

}  // namespace
}  // namespace warpdex::test
