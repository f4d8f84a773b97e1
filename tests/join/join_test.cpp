// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/scarce_memory.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include "clients/join/pairs.hpp"

/// @file
/// Joins that hand out pairs, on every structure and backend.
namespace warpdex::test {
namespace {

/// Memory that refuses long arrays.
class cramped_memory final : public memory_resource {
 public:
  cramped_memory(memory_resource& upstream, std::size_t most) : upstream_(upstream), most_(most) {}
  void* allocate(std::size_t bytes, stream_ref stream) override {
    if (bytes > most_) throw out_of_memory("cramped memory: " + std::to_string(bytes) + " bytes");
    return upstream_.allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    upstream_.deallocate(pointer, bytes, stream);
  }
  backend_kind backend() const noexcept override { return upstream_.backend(); }

 private:
  memory_resource& upstream_;
  std::size_t most_;
};

class join_of : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const sample = std::get<0>(GetParam());
  backend_kind const backend = std::get<1>(GetParam());
  test_stream const stream{backend};
  execution const exec{memory_of(backend), stream};
  std::mt19937_64 random{test_seed() ^ name_hash(sample)};

  std::vector<place> places() const {
    return backend == backend_kind::cpu ? std::vector{place::host} : std::vector{place::host, place::device};
  }

  /// Values below `range`, halves included for floats.
  template <class T> test_column<T> make(std::size_t size, number range) {
    test_column<T> result;
    for (std::size_t i = 0; i < size; ++i) {
      auto const value = static_cast<std::int64_t>(random() % range);
      if constexpr (std::is_same_v<T, date>) result.values.push_back({static_cast<std::int32_t>(value) - 3});
      else if constexpr (std::is_same_v<T, timestamp>) result.values.push_back({(value - 3) * 43'200'000'000});
      else if constexpr (std::is_floating_point_v<T>) result.values.push_back(static_cast<T>(value - 3) / 2);
      else if constexpr (std::is_signed_v<T>) result.values.push_back(static_cast<T>(value - 3));
      else result.values.push_back(static_cast<T>(value));
    }
    return result;
  }

  template <class T> test_column<T> distinct(std::size_t size) {
    auto result = make<T>(size, 1);
    for (std::size_t i = 0; i < size; ++i) result.values[i] = static_cast<T>(3 * i);
    std::shuffle(result.values.begin(), result.values.end(), random);
    return result;
  }

  template <class Probe, class Key> void check(test_column<Probe> const& probes, test_column<Key> const& keys) {
    index const right = build_valid(sample, placed_column<Key>(keys, place::host, exec).get(), exec);
    for (place const where : places()) {
      placed_column<Probe> const left(probes, where, exec);
      for (join_kind const kind : all_kinds) {
        SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", probes on the "
                                        << (where == place::host ? "host" : "device") << ", seed " << test_seed());
        auto const expected = expected_pairs(probes.values.size(), keys, kind, [&](number i, exact key) {
          return probes.has(i) && same(exact_of(probes.values[i]), key);
        });
        joined const all = join(right, left.get(), kind, exec);
        ASSERT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), expected);
        for (number const most :
             {number{1}, number{7}, std::max<number>(expected.size(), 1), std::max<number>(expected.size(), 2) - 1}) {
          if (most < 7 && expected.size() > 500) continue;
          batch_reader read{exec, most};
          number const count =
              join(right, left.get(), kind, std::ref(read), exec, {most, most == 7 ? number{10} : number{1} << 20, {}});
          ASSERT_EQ(count, expected.size());
          ASSERT_EQ(read.all, expected) << "batches of " << most;
          ASSERT_FALSE(read.too_many) << "batches of " << most;
        }
      }
    }
  }
};

TEST_P(join_of, keys_that_repeat_on_both_sides) { check(make<std::uint32_t>(60, 40), make<std::uint32_t>(150, 50)); }

TEST_P(join_of, distinct_keys) { check(make<std::uint32_t>(300, 600), distinct<std::uint32_t>(150)); }

TEST_P(join_of, distinct_wide_keys) { check(make<std::uint64_t>(300, 600), distinct<std::uint64_t>(150)); }

TEST_P(join_of, one_key) {
  test_column<std::uint64_t> const keys{std::vector<number>(40, 5), {}};
  test_column<std::uint64_t> const probes{{5, 4, 5, 6, 5}, {}};
  check(probes, keys);
}

TEST_P(join_of, empty_sides) {
  check(test_column<std::uint32_t>{}, make<std::uint32_t>(20, 9));
  check(make<std::uint32_t>(20, 9), test_column<std::uint32_t>{});
}

TEST_P(join_of, nulls) {
  for (bool const repeat : {false, true}) {
    auto probes = make<std::int32_t>(90, 40);
    auto keys = repeat ? make<std::int32_t>(90, 40) : distinct<std::int32_t>(50);
    add_nulls(probes, random);
    add_nulls(keys, random);
    check(probes, keys);
  }
}

TEST_P(join_of, probes_of_another_type) {
  check(make<double>(80, 30), make<std::uint32_t>(90, 30));
  check(make<std::int64_t>(80, 30), make<float>(90, 30));
  check(make<date>(80, 20), make<timestamp>(90, 40));
}

TEST_P(join_of, ranges) {
  auto keys = make<std::int32_t>(80, 40);
  auto lower = make<double>(40, 80);
  auto upper = make<std::int32_t>(40, 40);
  add_nulls(keys, random);
  add_nulls(lower, random);
  add_nulls(upper, random);
  index const right = build_valid(sample, placed_column<std::int32_t>(keys, place::host, exec).get(), exec);
  for (place const where : places()) {
    placed_column<double> const lows(lower, where, exec);
    placed_column<std::int32_t> const highs(upper, where, exec, 9);
    for (int const bounds : {0, 1, 2, 3})
      for (closed_ends const closed : all_closed_ends) {
        bool const has_lower = (bounds & 1) != 0, has_upper = (bounds & 2) != 0;
        key_ranges ranges{{}, {}, closed};
        if (has_lower) ranges.lower = lows.get();
        if (has_upper) ranges.upper = highs.get();
        if (!right.ordered()) {
          EXPECT_TRUE(
              throws<unsupported>([&] { join_between(right, ranges, join_kind::inner, exec); }, "join_between"));
          continue;
        }
        if (!has_lower && !has_upper) {
          EXPECT_TRUE(
              throws<invalid_argument>([&] { join_between(right, ranges, join_kind::inner, exec); }, "no bound"));
          continue;
        }
        auto const within = [&](number i, exact key) {
          exact const l = exact_of(lower.values[i]);
          exact const h = exact_of(upper.values[i]);
          bool const above =
              !has_lower || (lower.has(i) && (detail::is_left_closed(closed) ? !less(key, l) : less(l, key)));
          bool const below =
              !has_upper || (upper.has(i) && (detail::is_right_closed(closed) ? !less(h, key) : less(key, h)));
          return above && below;
        };
        for (join_kind const kind : all_kinds) {
          SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", bounds " << bounds << ", closed "
                                          << static_cast<int>(closed) << ", seed " << test_seed());
          auto const expected = expected_pairs(40, keys, kind, within);
          joined const all = join_between(right, ranges, kind, exec);
          ASSERT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), expected);
          batch_reader read{exec, 13};
          ASSERT_EQ(join_between(right, ranges, kind, std::ref(read), exec, {13, 17, {}}), expected.size());
          ASSERT_EQ(read.all, expected);
          ASSERT_FALSE(read.too_many);
        }
      }
  }
}

/// So few probes that windows over host memory do not load whole buckets.
TEST_P(join_of, few_probes_of_many_keys) {
  if (present_backends().size() == 1) GTEST_SKIP() << "needs a CUDA device";
  for (number const range : {number{2000}, number{1'000'000}}) {
    auto const keys = make<std::uint64_t>(3000, range);
    auto probes = make<std::uint64_t>(80, range);
    for (std::size_t i = 0; i < 40; ++i) probes.values[i] = keys.values[random() % keys.values.size()];
    check(probes, keys);
  }
}

TEST_P(join_of, slow_many_pairs) {
  auto const probes = make<std::uint32_t>(100'000, 30'000);
  auto const keys = make<std::uint32_t>(60'000, 30'000);
  std::vector<std::vector<number>> rows(30'000);
  for (number i = 0; i < keys.values.size(); ++i) rows[keys.values[i]].push_back(i);
  pairs expected;
  for (number i = 0; i < probes.values.size(); ++i)
    for (number const row : rows[probes.values[i]]) expected.emplace_back(i, row);
  index const right = build_valid(sample, placed_column<std::uint32_t>(keys, place::host, exec).get(), exec);
  placed_column<std::uint32_t> const left(probes, places().back(), exec);
  joined const all = join(right, left.get(), join_kind::inner, exec);
  EXPECT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), expected);
  batch_reader read{exec, 4096};
  EXPECT_EQ(join(right, left.get(), join_kind::inner, std::ref(read), exec, {4096, 30'001, {}}), expected.size());
  EXPECT_EQ(read.all, expected);
}

/// The rows of a key that has very many are written in pieces. They begin and end anywhere in the output.
TEST_P(join_of, keys_with_very_many_rows) {
  std::vector<std::uint32_t> const counts = {1, 20'000, 3, 4095, 4096, 4097, 8191, 8193, 0, 50'001};
  test_column<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < counts.size(); ++key) keys.values.insert(keys.values.end(), counts[key], key);
  std::shuffle(keys.values.begin(), keys.values.end(), random);
  std::vector<std::vector<number>> rows(counts.size());
  for (number i = 0; i < keys.values.size(); ++i) rows[keys.values[i]].push_back(i);
  test_column<std::uint32_t> const probes{{5, 1, 8, 1, 9, 0, 3, 4, 2, 6, 7}, {}};
  pairs expected;
  for (number i = 0; i < probes.values.size(); ++i)
    for (number const row : rows[probes.values[i]]) expected.emplace_back(i, row);
  index const right = build_valid(sample, placed_column<std::uint32_t>(keys, place::host, exec).get(), exec);
  placed_column<std::uint32_t> const left(probes, places().back(), exec);
  joined const all = join(right, left.get(), join_kind::inner, exec);
  EXPECT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), expected);
  batch_reader read{exec, 30'000};
  EXPECT_EQ(join(right, left.get(), join_kind::inner, std::ref(read), exec, {30'000, 4, {}}), expected.size());
  EXPECT_EQ(read.all, expected);
}

TEST_P(join_of, an_update_changes_whether_keys_repeat) {
  std::vector<std::uint32_t> const keys = {1, 2, 3}, again = {2, 4};
  std::vector<std::uint32_t> const rows = {7, 8};
  index right = index::build(sample, std::span(keys), exec);
  column const probes{std::span(again)};
  auto const ask = [&] {
    joined const all = join(right, probes, join_kind::inner, exec);
    return pairs_of(all.left_rows(), all.right_rows(), exec);
  };
  EXPECT_EQ(ask(), (pairs{{0, 1}}));
  right.insert(std::span(again), std::span(rows), exec);
  EXPECT_EQ(ask(), (pairs{{0, 1}, {0, 7}, {1, 8}}));
  right.erase(std::span(again), exec);
  EXPECT_EQ(ask(), (pairs{}));
}

TEST_P(join_of, a_sink_that_throws_and_a_stop) {
  auto const probes = make<std::uint32_t>(100, 20);
  auto const keys = make<std::uint32_t>(100, 20);
  placed_column<std::uint32_t> const left(probes, places().back(), exec);
  index const right = build_valid(sample, placed_column<std::uint32_t>(keys, place::host, exec).get(), exec);
  struct mine {};
  int calls = 0;
  auto const throwing = [&](join_batch const&) {
    if (++calls == 3) throw mine();
  };
  EXPECT_THROW(join(right, left.get(), join_kind::inner, throwing, exec, {5, 50, {}}), mine);
  EXPECT_EQ(calls, 3);
  std::stop_source stop;
  calls = 0;
  auto const stopping = [&](join_batch const&) {
    if (++calls == 2) stop.request_stop();
  };
  EXPECT_TRUE(throws<cancelled>(
      [&] {
        join(right, left.get(), join_kind::inner, stopping, exec, {5, 50, stop.get_token()});
      },
      "10 pairs"));
  EXPECT_EQ(calls, 2);
  joined const all = join(right, left.get(), join_kind::inner, exec);
  EXPECT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec),
            expected_pairs(100, keys, join_kind::inner,
                           [&](number i, exact key) { return same(exact_of(probes.values[i]), key); }));
}

TEST_P(join_of, a_sink_may_look_up_in_the_index_but_not_update_it) {
  std::vector<std::uint32_t> const keys = {1, 2, 3}, rows = {7, 8, 9};
  index right = index::build(sample, column(std::span(keys)), exec);
  auto const try_to = [&](auto const& change, char const* name) {
    auto const sink = [&](join_batch const&) {
      EXPECT_TRUE(throws<invalid_argument>(change, name, "a join with this index runs"));
      EXPECT_EQ(right.count(3u, exec), 1u);
    };
    EXPECT_EQ(join(right, column(std::span(keys)), join_kind::inner, sink, exec), 3u);
  };
  try_to([&] { right.insert(std::span(keys), std::span(rows), exec); }, "insert");
  try_to([&] { right.erase(std::span(keys), exec); }, "erase");
  EXPECT_THROW(join(
                   right, column(std::span(keys)), join_kind::inner, [](join_batch const&) { throw 1; }, exec),
               int);
  EXPECT_EQ(right.erase(std::span(keys), exec).erased, 3u);
}

TEST_P(join_of, goes_on_with_smaller_parts_if_memory_is_short) {
  auto const keys = make<std::uint32_t>(3000, 5000);
  auto const probes = make<std::uint32_t>(60'000, 5000);
  index const right = build_valid(sample, placed_column<std::uint32_t>(keys, place::host, exec).get(), exec);
  placed_column<std::uint32_t> const left(probes, places().back(), exec);
  batch_reader wanted{exec};
  join(right, left.get(), join_kind::inner, std::ref(wanted), exec);
  cramped_memory memory(*exec.memory, 60'000 * 7);  // the counts of all probes take 60'000 * 8 bytes
  execution const cramped(memory, stream);
  batch_reader read{exec};
  join(right, left.get(), join_kind::inner, std::ref(read), cramped);
  EXPECT_EQ(read.all, wanted.all);
  EXPECT_GT(read.batches, wanted.batches);
}

TEST_P(join_of, output_that_exceeds_its_memory) {
  std::vector<std::uint32_t> const same(1000, 5);
  index const right = index::build(sample, std::span(same), exec);
  column const probes{std::span(same)};
  cramped_memory memory(*exec.memory, std::size_t{2} << 20);  // 1'000'000 pairs take 4 MB per side
  execution const cramped(memory, stream);
  auto const collect = [&] { return join(right, probes, join_kind::inner, cramped, {1 << 16, 100, {}}); };
  if (backend == backend_kind::cpu) {
    EXPECT_TRUE(throws<out_of_memory>([&] { collect(); }, "4000000 bytes"));
  } else {
    joined const all = collect();
    EXPECT_TRUE(all.on_host);
    EXPECT_EQ(all.size, 1'000'000u);
  }
  number pairs = 0;  // what does not fit at once may be taken in batches, and the index is still there
  auto const count = [&](join_batch const& batch) { pairs += batch.left.size; };
  EXPECT_EQ(join(right, probes, join_kind::inner, count, cramped, {1 << 16, 100, {}}), 1'000'000u);
  EXPECT_EQ(pairs, 1'000'000u);
}

TEST_P(join_of, every_allocation_may_fail) {
  auto const keys = make<std::uint32_t>(60, 20);
  auto probes = make<std::uint32_t>(70, 25);
  add_nulls(probes, random);
  index const right = build_valid(sample, placed_column<std::uint32_t>(keys, place::host, exec).get(), exec);
  placed_column<std::uint32_t> const left(probes, places().back(), exec);
  auto const expected = expected_pairs(70, keys, join_kind::left, [&](number i, exact key) {
    return probes.has(i) && same(exact_of(probes.values[i]), key);
  });
  scarce_memory memory(*exec.memory);
  execution const scarce(memory, stream);
  int failures = 0;
  for (int nth = 0;; ++nth) {
    memory.fail_at(nth);
    try {
      batch_reader read{exec};
      join(right, left.get(), join_kind::left, std::ref(read), scarce);
      EXPECT_EQ(read.all, expected);
      break;
    } catch (out_of_memory const&) {
      ++failures;
      EXPECT_EQ(memory.live(), 0u);
    }
    ASSERT_LT(nth, 100);
  }
  EXPECT_GT(failures, 3);
  EXPECT_EQ(memory.live(), 0u);
  EXPECT_TRUE(memory.consistent());
}

TEST_P(join_of, wrong_arguments) {
  std::vector<std::uint32_t> const keys = {1, 2, 3};
  std::vector<date> const dates = {{1}};
  index const right = index::build(sample, std::span(keys), exec);
  column const probes{std::span(keys)};
  EXPECT_TRUE(
      throws<invalid_argument>([&] { join(right, column(std::span(dates)), join_kind::inner, exec); }, "join", "date"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join(right, probes, join_kind::inner, join_sink(), exec); }, "sink"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join(right, probes, static_cast<join_kind>(9), exec); }, "9"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join(right, probes, join_kind::inner, exec, {0, 1, {}}); }, "0 pairs"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join(right, probes, join_kind::inner, exec, {1, 0, {}}); }, "0 probes"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join(right, column(nullptr, 3, key_type::u32), join_kind::inner, exec); },
                                       "null pointer"));
  if (!right.ordered()) {
    EXPECT_TRUE(throws<unsupported>(
        [&] {
          join_between(right, {probes, probes}, join_kind::inner, exec);
        },
        "join_between", "no order"));
    return;
  }
  key_ranges const whole{probes, probes};
  EXPECT_TRUE(
      throws<invalid_argument>([&] { join_between(right, whole, join_kind::inner, join_sink(), exec); }, "sink"));
  key_ranges const ranges{column(std::span(keys)), column(std::span(keys).first(2))};
  EXPECT_TRUE(throws<invalid_argument>([&] { join_between(right, ranges, join_kind::inner, exec); }, "2 elements"));
}

INSTANTIATE_TEST_SUITE_P(all, join_of,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

INSTANTIATE_TEST_SUITE_P(apart, join_of, testing::ValuesIn(samples_apart()), sample_and_backend_name);

TEST(join_parts, have_pairs_that_64_bits_count) {
  constexpr number most = ~number{0};
  for (backend_kind const kind : {backend_kind::cpu, backend_kind::cuda})
    for (number const entries : {number{1}, number{1} << 20, number{1} << 34, (number{1} << 40) + 1, most}) {
      number const probes = most_probes_of_part(kind, entries, most);
      EXPECT_GE(probes, 1u);
      EXPECT_LE(probes, most / entries);
      EXPECT_EQ(most_probes_of_part(kind, entries, 1), 1u);
    }
  EXPECT_EQ(most_probes_of_part(backend_kind::cuda, 1 << 20, most), number{1} << 30);
  EXPECT_EQ(most_probes_of_part(backend_kind::cpu, 0, most), number{1} << 24);
  EXPECT_EQ(most_pairs_of_batch(most) * 8, number{1} << 63);
  EXPECT_EQ(most_pairs_of_batch(5), 5u);
}

class hash_join_on : public testing::TestWithParam<backend_kind> {};

TEST_P(hash_join_on, equals_a_scan) {
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  std::mt19937_64 random(test_seed());
  for (auto const& [lefts, rights] : {std::pair<int, int>{40, 90}, {90, 40}, {0, 5}, {5, 0}}) {
    test_column<std::int32_t> left, right;
    for (int i = 0; i < lefts; ++i) left.values.push_back(static_cast<std::int32_t>(random() % 30));
    for (int i = 0; i < rights; ++i) right.values.push_back(static_cast<std::int32_t>(random() % 30));
    add_nulls(left, random);
    add_nulls(right, random);
    placed_column<std::int32_t> const l(left, place::host, exec), r(right, place::host, exec, 11);
    for (join_kind const kind : all_kinds) {
      auto expected = expected_pairs(left.values.size(), right, kind, [&, &left = left](number i, exact key) {
        return left.has(i) && same(exact_of(left.values[i]), key);
      });
      joined const all = hash_join(l.get(), r.get(), kind, exec);
      auto got = pairs_of(all.left_rows(), all.right_rows(), exec);
      batch_reader read{exec, 16};
      EXPECT_EQ(hash_join(l.get(), r.get(), kind, std::ref(read), exec, {16, 33, {}}), expected.size());
      EXPECT_EQ(read.all, got);
      // Pairs have the order of the longer side.
      if (kind == join_kind::inner && lefts < rights)
        std::sort(expected.begin(), expected.end(),
                  [](auto a, auto b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
      EXPECT_EQ(got, expected) << lefts << " and " << rights << ", kind " << static_cast<int>(kind);
    }
  }
}

/// The longer side is on the host, so it goes through a device in chunks. A sink that throws ends all of it.
TEST_P(hash_join_on, streams_the_longer_side) {
  constexpr std::uint32_t keys = 1000, size = (5 << 22) + 12'345;
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  std::vector<std::uint32_t> left(keys), right(size);
  for (std::uint32_t i = 0; i < keys; ++i) left[i] = i / 2;
  for (std::uint32_t i = 0; i < size; ++i) right[i] = i % 7 == 0 ? i % keys : keys + i;
  number expected = 0, expected_sum = 0, sum = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (right[i] >= keys / 2) continue;
    expected += 2;
    expected_sum += 2 * number{i} + 4 * right[i] + 1;
  }
  auto const add = [&](join_batch const& batch) {
    for (auto const& [l, r] : pairs_of(batch.left, batch.right, exec)) sum += l + r;
  };
  EXPECT_EQ(hash_join(std::span<std::uint32_t const>(left), std::span<std::uint32_t const>(right), join_kind::inner,
                      add, exec),
            expected);
  EXPECT_EQ(sum, expected_sum);
  int calls = 0;
  auto const stop = [&](join_batch const&) {
    if (++calls == 2) throw std::runtime_error("enough");
  };
  EXPECT_THROW(hash_join(std::span<std::uint32_t const>(left), std::span<std::uint32_t const>(right), join_kind::inner,
                         stop, exec, {100'000, 1 << 20, {}}),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(all, hash_join_on, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
