// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/expect.hpp"

namespace warpdex::test {
namespace {

/// Expects words in the text of an index.
void expect_words(any_index const& of, std::vector<std::string> const& words) {
  std::string const text = explain(of, 1000);
  for (std::string const& some : words) EXPECT_NE(text.find(some), std::string::npos) << some << " in\n" << text;
}

TEST(explain, tells_what_an_index_is_made_of) {
  std::vector<std::int64_t> const keys = {3, 1, 2, 5, 4};
  expect_words(
      index::build("AO+BS", keys, {}),
      {"AO+BS over 5 keys of type i64, row ids of 32 bits\n", "resolved spec: AO+BS/", "policy: layout=SoA",
       "levels: 3, one comparison each", "besides; ", " per key\n", "bounds, floor", "1000 probes advice is "});
  expect_words(index::build("HT(open)", keys, {}), {"HT(open,load=", " over 5 keys", "order: none"});
  std::vector<std::uint32_t> many(100);
  for (std::uint32_t i = 0; i < many.size(); ++i) many[i] = i;
  expect_words(index::build("EO+KS(9)", many, {}), {"levels: 3, nodes of 8 keys"});
}

TEST(explain, tells_of_nothing_and_of_shards) {
  std::vector<std::uint32_t> const none, keys = {1, 2, 3, 4};
  expect_words(index::build("AO+BS", none, {}), {"over 0 keys", "levels: 0"});
  std::vector<shard_place> const places(2);  // both on the host
  expect_words(sharded_index::build("AO+BS", column(keys), placement::range, places),
               {"over 4 keys", "shard 1 on the host", "advice is "});
}

TEST(explain, refuses_an_index_that_was_moved_from) {
  std::vector<std::uint32_t> const keys = {1, 2};
  index of = index::build("AO+BS", keys, {});
  index const taken = std::move(of);
  EXPECT_TRUE(throws<invalid_argument>([&] { explain(of); }, "moved from"));
}

}  // namespace
}  // namespace warpdex::test
