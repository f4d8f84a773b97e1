// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/scarce_memory.hpp"

#include <gtest/gtest.h>

#include <tuple>

/// @file
/// Each allocation of each call fails in turn. The call throws, nothing leaks, and the index answers as
/// before.
namespace warpdex::test {
namespace {

class out_of_memory_at : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const sample_ = std::get<0>(GetParam());
  backend_kind const backend_ = std::get<1>(GetParam());
  place const near_ = backend_ == backend_kind::cuda ? place::device : place::host;
  test_stream const stream_{backend_};
  scarce_memory memory_{memory_of(backend_)};
  execution const exec_{memory_, stream_, 1};
  execution const ample_{memory_of(backend_), stream_, 1};

  /// Runs an update with more and more memory until it succeeds. Before that the index is as it was.
  template <class Call>
  void fail_update(char const* what, index& i, std::vector<question> const& questions, Call const& call) {
    SCOPED_TRACE(what);
    auto const before = ask_all(questions, i, ample_);
    std::size_t const live = memory_.live();
    std::string const spec_text = i.spec_text();
    std::uint64_t const size = i.size();
    int nth = 0;
    for (bool done = false; !done; ++nth) {
      memory_.fail_at(nth);
      try {
        call();
        done = true;
      } catch (out_of_memory const&) {
        memory_.relax();
        ASSERT_EQ(memory_.live(), live) << "after failure " << nth;
        ASSERT_EQ(i.size(), size) << "after failure " << nth;
        ASSERT_EQ(i.spec_text(), spec_text) << "after failure " << nth;
        i.verify(ample_);
        ASSERT_EQ(ask_all(questions, i, ample_), before) << "after failure " << nth;
      }
      memory_.relax();
      ASSERT_LT(nth, 1000);
    }
    EXPECT_GT(nth, 1);
    i.verify(ample_);
    EXPECT_NE(ask_all(questions, i, ample_), before);
  }

  /// Asks with more and more memory until none is refused: some lookups do without a part of it, and answer as well.
  /// @return how often the lookup failed
  int fail_question(question const& q, index const& of, std::vector<std::uint64_t> const& expected) {
    SCOPED_TRACE(q.name);
    std::size_t const live = memory_.live();
    int failures = 0;
    bool refused = true;
    for (int nth = 0; refused && nth < 1000; ++nth) {
      memory_.fail_at(nth);
      try {
        EXPECT_EQ(q.ask(of, exec_), expected) << "without allocation " << nth;
      } catch (out_of_memory const&) {
        ++failures;
      }
      refused = memory_.refused() > 0;
      memory_.relax();
      EXPECT_EQ(memory_.live(), live) << "without allocation " << nth;
    }
    EXPECT_FALSE(refused) << "a call with 1000 allocations";
    return failures;
  }

  void fail_with_strings(std::string const& spec);
};

/// Runs `call` with more and more memory until it succeeds. @return the number of failures before that
template <class Call> int fail_in_turn(scarce_memory& memory, std::size_t live_before, Call const& call) {
  for (int nth = 0; nth < 1000; ++nth) {
    memory.fail_at(nth);
    try {
      call();
      memory.relax();
      return nth;
    } catch (out_of_memory const& e) {
      EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
    }
    EXPECT_EQ(memory.live(), live_before) << "after failure " << nth;
  }
  memory.relax();
  ADD_FAILURE() << "a call with 1000 allocations";
  return 1000;
}

TEST_P(out_of_memory_at, every_allocation) {
  std::vector<std::uint64_t> keys(2000);
  std::vector<std::uint32_t> rows(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = i * 7919 % 1009;
    rows[i] = static_cast<std::uint32_t>(keys.size() - i);
  }
  {
    std::unique_ptr<index> built;
    auto const build = [&] {
      built =
          std::make_unique<index>(index::build(sample_, std::span(keys), std::span<std::uint32_t const>(rows), exec_));
    };
    EXPECT_GT(fail_in_turn(memory_, 0, build), 0);

    std::vector<std::uint64_t> probes;
    for (std::uint64_t p = 0; p < 500; ++p) probes.push_back(p * 5);
    auto const questions = all_questions(probes, built->ordered());
    auto const answers = ask_all(questions, *built, exec_);
    for (std::size_t q = 0; q < questions.size(); ++q) fail_question(questions[q], *built, answers[q].second);
    fail_in_turn(memory_, memory_.live(), [&] { built->verify(exec_); });
    EXPECT_EQ(ask_all(questions, *built, exec_), answers);
  }
  EXPECT_EQ(memory_.live(), 0u);
  EXPECT_TRUE(memory_.consistent()) << "something was freed that was not allocated, or with another size";
}

/// Paths take memory for every key on the way.
TEST_P(out_of_memory_at, every_allocation_of_trace) {
  {
    std::vector<std::uint64_t> keys(500);
    std::vector<std::uint64_t> parents(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 3 * i;
    for (std::size_t i = 0; i < keys.size(); ++i) parents[i] = keys[i / 2];
    index const tree = index::build(sample_, std::span(keys), exec_);
    auto const ask = [&](execution const& exec) {
      return numbers_of(tree, tree.ancestors(std::span(keys), std::span(parents), exec), exec);
    };
    auto const expected = ask(exec_);
    ASSERT_GT(expected[keys.size()], 5 * keys.size()) << "the rows of all paths";
    std::size_t const live = memory_.live();
    std::vector<std::uint64_t> answer;
    EXPECT_GT(fail_in_turn(memory_, live, [&] { answer = ask(exec_); }), 0);
    EXPECT_EQ(answer, expected);
    EXPECT_EQ(memory_.live(), live);
  }
  EXPECT_EQ(memory_.live(), 0u);
  EXPECT_TRUE(memory_.consistent());
}

/// Keys that must be encoded, rows that must be numbered, columns in the memory of the index and elsewhere, and loading
/// from a file.
TEST_P(out_of_memory_at, every_allocation_of_build_and_load) {
  std::vector<std::int64_t> keys(3000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i * 7919 % 1009) - 500;
  std::vector<std::int64_t> probes;
  for (std::int64_t p = -600; p < 600; p += 7) probes.push_back(p);
  input_array<std::int64_t> const resident(keys, near_, 0, ample_);
  index const reference = index::build(sample_, std::span(keys), ample_);
  auto const questions = all_questions(probes, reference.ordered());
  auto const answers = ask_all(questions, reference, ample_);
  folder const place_of_files;
  auto const path = place_of_files / "index.wdx";
  reference.save(path);

  std::unique_ptr<index> built;
  auto const expect_failures = [&](char const* what, auto const& make) {
    SCOPED_TRACE(what);
    built.reset();
    EXPECT_GT(fail_in_turn(memory_, 0, [&] { built = std::make_unique<index>(make()); }), 0);
    EXPECT_EQ(ask_all(questions, *built, exec_), answers);
    EXPECT_EQ(built->spec_text(), reference.spec_text());
  };
  expect_failures("build", [&] { return index::build(sample_, std::span(keys), exec_); });
  expect_failures("build from a column in place",
                  [&] { return index::build(sample_, column(resident.data(), keys.size(), key_type::i64), exec_); });
  expect_failures("load", [&] { return index::load(path, exec_); });
  built.reset();
  EXPECT_EQ(memory_.live(), 0u);
  EXPECT_TRUE(memory_.consistent());
}

/// An update that fails has changed nothing; the same update, with memory, succeeds.
TEST_P(out_of_memory_at, every_allocation_of_updates) {
  std::vector<std::int64_t> keys(2000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i * 7919 % 1009) - 500;
  std::vector<std::int64_t> added(300);
  std::vector<std::uint32_t> rows(added.size());
  for (std::size_t i = 0; i < added.size(); ++i) {
    added[i] = static_cast<std::int64_t>(i * i % 700);
    rows[i] = static_cast<std::uint32_t>(5000 - i);
  }
  std::vector<std::int64_t> const erased = {-500, -1, 0, 1, 4, 8, 8, 10000};
  std::vector<std::int64_t> probes = erased;
  for (std::int64_t p = -600; p < 800; p += 7) probes.push_back(p);
  std::span<std::uint32_t const> const row_span(rows);

  index i = index::build(sample_, std::span(keys), exec_);
  auto const questions = all_questions(probes, i.ordered());
  auto const expect_failures = [&](char const* what, auto const& call) { fail_update(what, i, questions, call); };
  expect_failures("insert", [&] { i.insert(std::span(added), row_span, exec_); });
  expect_failures("erase", [&] { i.erase(std::span(erased), exec_); });
  expect_failures("update", [&] { i.update(std::span(added), row_span, std::span(erased), exec_); });
  expect_failures("insert_or_assign", [&] { i.insert_or_assign(std::span(added), row_span, exec_); });
  EXPECT_TRUE(memory_.consistent());
}

void out_of_memory_at::fail_with_strings(std::string const& spec) {
  SCOPED_TRACE(spec);
  auto const text = [](std::size_t number) { return "a common beginning " + std::to_string(number % 1009); };
  byte_strings keys;
  byte_strings added;
  byte_strings erased;
  byte_strings probes;
  for (std::size_t i = 0; i < 2000; ++i) keys.push_back(text(i * 7919));
  for (std::size_t i = 0; i < 300; ++i) added.push_back(text(i * i % 700) + (i % 2 == 0 ? "" : "1"));
  for (std::size_t i = 0; i < 40; ++i) erased.push_back(text(i * 3));
  for (std::size_t i = 0; i < 200; ++i) probes.push_back(text(i * 7).substr(0, 15 + i % 9));
  std::vector<std::uint32_t> rows(added.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(5000 - i);
  std::span<std::uint32_t const> const row_span(rows);
  auto const first_rows = row_span.first(erased.size());
  folder const place_of_files;
  auto const path = place_of_files / "index.wdx";
  {
    std::unique_ptr<index> built;
    auto const build = [&] { built = std::make_unique<index>(index::build(spec, keys, exec_)); };
    EXPECT_GT(fail_in_turn(memory_, 0, build), 3);
    built->save(path);
    built.reset();
    auto const load = [&] { built = std::make_unique<index>(index::load(path, exec_)); };
    EXPECT_GT(fail_in_turn(memory_, 0, load), 0);

    auto const questions = all_questions(probes, built->ordered());
    auto const answers = ask_all(questions, *built, exec_);
    for (std::size_t q = 0; q < questions.size(); ++q)
      EXPECT_GT(fail_question(questions[q], *built, answers[q].second), 0) << questions[q].name;
    fail_update("insert", *built, questions, [&] { built->insert(added, row_span, exec_); });
    fail_update("erase", *built, questions, [&] { built->erase(erased, exec_); });
    fail_update("update", *built, questions, [&] { built->update(added, row_span, probes, exec_); });
    fail_update("insert_or_assign", *built, questions, [&] { built->insert_or_assign(erased, first_rows, exec_); });
  }
  EXPECT_EQ(memory_.live(), 0u);
  EXPECT_TRUE(memory_.consistent());
}

/// Strings take additional memory: references, bytes, offsets, heads, and in windows routes. Keys and probes tie in
/// their first bytes.
TEST_P(out_of_memory_at, every_allocation_with_strings) {
  if (!takes(sample_, key_type::bytes)) GTEST_SKIP() << "takes no strings";
  fail_with_strings(sample_);
  if (std::string const windows = sample_ + "/reorder=window"; takes(windows, key_type::bytes))
    fail_with_strings(windows);
}

/// If all arrays are in the memory of the index, lookups allocate nothing except the matches that they return. Those of
/// equal keys take memory to ask a filter.
TEST_P(out_of_memory_at, every_allocation_between_arrays_in_place) {
  constexpr std::size_t m = 500;
  std::vector<std::uint32_t> keys(2000);
  std::vector<std::uint32_t> lower(m);
  std::vector<std::uint32_t> upper(m);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 7919 % 1009);
  for (std::size_t i = 0; i < m; ++i) lower[i] = static_cast<std::uint32_t>(i * 3);
  for (std::size_t i = 0; i < m; ++i) upper[i] = lower[i] + static_cast<std::uint32_t>(i % 50);
  index const i = index::build(sample_, std::span(keys), ample_);
  input_array<std::uint32_t> const lower_array(lower, near_, 0, ample_);
  input_array<std::uint32_t> const upper_array(upper, near_, 0, ample_);
  column const l(lower_array.data(), m, key_type::u32);
  column const u(upper_array.data(), m, key_type::u32);
  output_array<std::uint8_t> flags(m, 9, near_, ample_);
  output_array<std::uint32_t> rows(m, 9, near_, ample_);
  output_array<std::uint32_t> floor_keys(m, 9, near_, ample_);
  output_array<std::uint64_t> numbers(m, 9, near_, ample_);
  row_output const row_out(rows.data(), m, row_type::u32);
  auto const expect_none = [&](char const* name, auto const& call) {
    EXPECT_EQ(fail_in_turn(memory_, 0, call), 0) << name << " took memory";
  };
  auto const expect_filtered = [&](char const* name, auto const& call) {
    if (spec(sample_).option("filter") == nullptr) return expect_none(name, call);
    EXPECT_GE(fail_in_turn(memory_, 0, call), backend_ == backend_kind::cpu ? 1 : 0)
        << name << " did not ask the filter";
    EXPECT_EQ(memory_.live(), 0u) << name << " kept scratch";
  };
  expect_filtered("contains", [&] { i.contains(l, flags.span(), exec_); });
  expect_filtered("find", [&] { i.find(l, row_out, exec_); });
  expect_filtered("count", [&] { i.count(l, numbers.span(), exec_); });
  if (i.ordered()) {
    std::vector<std::uint64_t> counts(m);
    i.range_count({l, u}, std::span(counts), ample_);
    expect_none("lower_bound", [&] { i.lower_bound(l, numbers.span(), exec_); });
    expect_none("upper_bound", [&] { i.upper_bound(l, numbers.span(), exec_); });
    expect_none("floor", [&] { i.floor(l, key_output(floor_keys.data(), m, key_type::u32), row_out, exec_); });
    expect_none("range_sum", [&] { i.range_sum({l, u}, numbers.span(), exec_); });
    expect_none("range_count", [&] { i.range_count({l, u}, numbers.span(), exec_); });
    EXPECT_EQ(numbers.read(), counts);
  }

  auto const expect_matches = [&](char const* name, auto const& call) {
    SCOPED_TRACE(name);
    {
      matches found;
      EXPECT_GE(fail_in_turn(memory_, 0, [&] { found = call(); }), 2);  // offsets and rows, at least
      EXPECT_EQ(memory_.live(), 2u) << "scratch was kept";
      auto const offsets = read_buffer<std::uint64_t>(found.offsets, m + 1, exec_);
      EXPECT_EQ(offsets.back(), found.total);
    }
    EXPECT_EQ(memory_.live(), 0u);
  };
  expect_matches("retrieve", [&] { return i.retrieve(l, exec_); });
  if (i.ordered()) expect_matches("range_retrieve", [&] { return i.range_retrieve({l, u}, exec_); });
  EXPECT_TRUE(memory_.consistent());
}

INSTANTIATE_TEST_SUITE_P(all, out_of_memory_at,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Here the device itself refuses memory, not the test.
TEST(out_of_device_memory, more_than_there_is) {
  if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
  test_stream const stream(backend_kind::cuda);
  execution const exec(device_memory(), stream);
  std::vector<std::uint32_t> const keys = {30, 20, 20, 10};
  index const i = index::build("EO+KS(9)", std::span(keys), exec);
  std::uint64_t const bytes = 2 * devices().front().memory_bytes;
  EXPECT_TRUE(throws<out_of_memory>([&] { buffer(bytes, exec); }, "device memory", std::to_string(bytes)));
  // No later call reports the failure, and the index answers.
  std::vector<std::uint32_t> rows(4);
  i.find(std::span(keys), std::span(rows), exec);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 1, 3}));
}

}  // namespace
}  // namespace warpdex::test
