// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/column_sort.hpp"
#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace warpdex::test {
namespace {

class column_sort_on : public testing::TestWithParam<backend_kind> {
 protected:
  template <class T> std::vector<T> on_host(buffer const& from, std::uint64_t size, execution const& exec) const {
    std::vector<T> values(size);
    auto const& backend = backend_of(exec);
    backend.copy(values.data(), from.data(), size * sizeof(T), exec);
    backend.synchronize(exec);
    return values;
  }

  /// Runs of each size give what one sort gives.
  template <class Key, class Row>
  void expect_runs_as_one_sort(std::vector<Key> const& keys, std::optional<row_column> const& rows, row_type type) {
    index_shape const shape{key_type_of(keys), type, keys.size(), GetParam(),
                            GetParam() == backend_kind::cuda ? 0 : -1};
    auto const to = make_plan(spec("AO+BS"), shape);
    column const all(keys);
    column_sort whole(all, rows, *to);
    timed_pairs const expected = whole(exec_);
    auto const expected_keys = on_host<std::make_unsigned_t<Key>>(expected.pairs.keys, keys.size(), exec_);
    auto const expected_rows = on_host<Row>(expected.pairs.rows, keys.size(), exec_);
    for (std::uint64_t const run_size : {1000u, 2500u, 3333u, 4999u, 5000u, 9999u, 10000u, 20000u}) {
      SCOPED_TRACE(run_size);
      timed_pairs const got = column_sort(all, rows, *to).in_runs(run_size, exec_, host_, host_);
      ASSERT_EQ(got.pairs.size, keys.size());
      EXPECT_EQ(on_host<std::make_unsigned_t<Key>>(got.pairs.keys, keys.size(), host_), expected_keys);
      EXPECT_EQ(on_host<Row>(got.pairs.rows, keys.size(), host_), expected_rows);
    }
  }

  template <class Key> static key_type key_type_of(std::vector<Key> const&) { return detail::key_type_of<Key>(); }

  template <class Key> std::vector<Key> random_keys(std::uint64_t range) {
    std::vector<Key> keys(10000);
    for (Key& key : keys) key = static_cast<Key>(random_() % range);
    return keys;
  }

  std::mt19937_64 random_{7};
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 2};
  execution host_{host_memory(), {}, 2};
};

TEST_P(column_sort_on, runs_of_positions) {
  expect_runs_as_one_sort<std::uint64_t, std::uint32_t>(random_keys<std::uint64_t>(3000), {}, row_type::u32);
  expect_runs_as_one_sort<std::int32_t, std::uint32_t>(random_keys<std::int32_t>(1u << 31), {}, row_type::u32);
}

TEST_P(column_sort_on, runs_of_given_rows) {
  std::vector<std::uint32_t> rows(10000);
  for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random_() % 50);
  expect_runs_as_one_sort<std::uint64_t, std::uint32_t>(
      random_keys<std::uint64_t>(100), row_column(std::span<std::uint32_t const>(rows)), row_type::u32);
}

INSTANTIATE_TEST_SUITE_P(all, column_sort_on, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
