// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>
#include <warpdex/mark.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/range_quantiles.hpp>
#include <warpdex/sharded.hpp>

#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

/// @file
/// What clients make of an index in shards, against what they make of one index.
namespace warpdex::test {
namespace {

using keys_32 = std::vector<std::uint32_t>;

class clients_of_shards : public testing::TestWithParam<std::tuple<placement, backend_kind>> {
 protected:
  execution const exec{memory_of(std::get<1>(GetParam()))};
  std::mt19937_64 random{test_seed()};

  keys_32 some(std::size_t size, std::uint32_t below) {
    keys_32 result(size);
    for (auto& key : result) key = static_cast<std::uint32_t>(random() % below);
    return result;
  }

  sharded_index in_shards(char const* spec, column keys) {
    bool const on_host = std::get<1>(GetParam()) == backend_kind::cpu;
    std::vector<shard_place> const places = {on_host ? shard_place() : place_on(0)};
    placement const how = std::get<0>(GetParam());
    return sharded_index::build(spec, keys, how, places, how == placement::range ? 3 : 0);
  }

  /// Calls check(one, shards, keys, probes) for indexes of several sizes.
  template <class Check> void with_indexes(char const* spec, Check const& check) {
    for (std::size_t const size : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{700}}) {
      keys_32 const keys = some(size, 90), probes = some(size / 2 + 3, 100);
      index const one = index::build(spec, keys, exec);
      check(one, in_shards(spec, keys), keys, probes);
    }
  }

  pairs pairs_in(joined const& of) const { return pairs_of(of.left_rows(), of.right_rows(), exec); }
};

keys_32 moved(keys_32 values, std::uint32_t by) {
  for (auto& value : values) value += by;
  return values;
}

TEST_P(clients_of_shards, pairs) {
  for (char const* const spec : {"AO+BS", "HT(open)", "B+(16)"})
    with_indexes(spec, [&](index const& one, sharded_index const& shards, keys_32 const&, keys_32 const& probes) {
      std::vector<std::uint8_t> const valid(probes.size() / 8 + 1, 0xdb);
      nullable_column const asked(column(probes), valid.data());
      for (join_kind const kind : all_kinds) {
        EXPECT_EQ(pairs_in(join(shards, asked, kind, exec)), pairs_in(join(one, asked, kind, exec)));
        batch_reader cut{exec, 5};
        join(shards, asked, kind, std::ref(cut), exec, {.batch_pairs = 5, .part_probes = 9});
        EXPECT_EQ(cut.all, pairs_in(join(one, asked, kind, exec)));
        EXPECT_FALSE(cut.too_many);
        if (!one.ordered()) continue;
        keys_32 const upper = moved(probes, 4);
        for (closed_ends const closed : all_closed_ends) {
          key_ranges const ranges{asked, column(upper), closed};
          EXPECT_EQ(pairs_in(join_between(shards, ranges, kind, exec)),
                    pairs_in(join_between(one, ranges, kind, exec)));
        }
      }
    });
}

TEST_P(clients_of_shards, nearest) {
  with_indexes("AO+BS", [&](index const& one, sharded_index const& shards, keys_32 const&, keys_32 const& probes) {
    std::vector<std::int64_t> const wide(probes.begin(), probes.end());
    for (column const asked : {column(probes), column(wide)})
      for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
        for (auto const ties : {asof_ties::first, asof_ties::last, asof_ties::adjacent})
          for (int const how : {0, 1, 2, 3}) {
            asof_options options{.strategy = strategy, .allow_exact_matches = how % 2 == 0, .ties = ties};
            if (how > 1) options.tolerance = std::int64_t{1};
            keys_32 found(probes.size()), expected(probes.size());
            join_asof(shards, asked, row_output(found), exec, options);
            join_asof(one, asked, row_output(expected), exec, options);
            EXPECT_EQ(found, expected);
            auto const pairs = pairs_in(join_asof(shards, asked, join_kind::left, exec, options));
            EXPECT_EQ(pairs, pairs_in(join_asof(one, asked, join_kind::left, exec, options)));
          }
  });
}

TEST_P(clients_of_shards, strings) {
  std::vector<std::string> const words = {"b", "", "b", "dd", "a", "d"}, asked = {"", "a", "ab", "c", "d", "e", "A"};
  index const one = index::build("AO+BS", byte_strings(words), exec);
  sharded_index const shards = in_shards("AO+BS", byte_strings(words));
  for (join_kind const kind : all_kinds)
    EXPECT_EQ(pairs_in(join(shards, byte_strings(asked), kind, exec)),
              pairs_in(join(one, byte_strings(asked), kind, exec)));
  for (auto const strategy : {asof_strategy::backward, asof_strategy::forward})
    for (auto const ties : {asof_ties::first, asof_ties::last})
      for (bool const exact : {true, false}) {
        asof_options const options{.strategy = strategy, .allow_exact_matches = exact, .ties = ties};
        keys_32 found(asked.size()), expected(asked.size());
        join_asof(shards, byte_strings(asked), row_output(found), exec, options);
        join_asof(one, byte_strings(asked), row_output(expected), exec, options);
        EXPECT_EQ(found, expected);
        for (join_kind const kind : all_kinds)
          EXPECT_EQ(pairs_in(join_asof(shards, byte_strings(asked), kind, exec, options)),
                    pairs_in(join_asof(one, byte_strings(asked), kind, exec, options)));
      }
}

TEST_P(clients_of_shards, aggregates_and_quantiles) {
  with_indexes("AO+BS", [&](index const& one, sharded_index const& shards, keys_32 const& keys, keys_32 const& probes) {
    keys_32 const values = some(keys.size(), 1000), upper = moved(probes, 7);
    key_ranges const ranges{column(probes), column(upper)};
    range_aggregates<i128> const of_one(one, values, exec), of_shards(shards, values, exec);
    auto const same = [](std::vector<aggregate<i128>> const& a, std::vector<aggregate<i128>> const& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
    };
    EXPECT_TRUE(same(of_shards.in_ranges(shards, ranges, exec), of_one.in_ranges(one, ranges, exec)));
    EXPECT_TRUE(same(of_shards.of_keys(shards, column(probes), exec), of_one.of_keys(one, column(probes), exec)));
    auto const rows = [&](auto const& found) {
      return rows_of({found.rows.data(), found.total, found.row_type}, exec);
    };
    EXPECT_EQ(rows(of_shards.top_k(shards, ranges, 3, exec)), rows(of_one.top_k(one, ranges, 3, exec)));
    range_quantiles const middle_of_one(one, column(values), exec), middle_of_shards(shards, column(values), exec);
    keys_32 found(probes.size()), expected(probes.size());
    middle_of_shards.in_ranges(shards, ranges, 0.5, quantile_side::lower, row_output(found), exec);
    middle_of_one.in_ranges(one, ranges, 0.5, quantile_side::lower, row_output(expected), exec);
    EXPECT_EQ(found, expected);
  });
}

TEST_P(clients_of_shards, marks) {
  with_indexes("AO+BS", [&](index const& one, sharded_index const& shards, keys_32 const& keys, keys_32 const& probes) {
    auto const marked = [&](any_index const& in) {
      keys_32 words(mark_words(keys.size()));
      buffer const there(words.size() * sizeof words[0], exec);
      if (words.empty()) return words;
      copy(there.data(), words.data(), there.bytes(), exec);
      mark(in, column(probes), {{there.as<std::uint32_t>(), words.size()}, keys.size()}, exec);
      copy(words.data(), there.data(), there.bytes(), exec);
      return words;
    };
    EXPECT_EQ(marked(shards), marked(one));
  });
}

INSTANTIATE_TEST_SUITE_P(all, clients_of_shards,
                         testing::Combine(testing::Values(placement::range, placement::replicate),
                                          testing::ValuesIn(present_backends())),
                         [](auto const& of) {
                           return std::string(to_string(std::get<0>(of.param))) + '_' + name_of(std::get<1>(of.param));
                         });

}  // namespace
}  // namespace warpdex::test
