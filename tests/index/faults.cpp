// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/child.hpp"
#include "support/folder.hpp"
#include "support/poor_machine.hpp"
#include "support/scarce_new.hpp"

#include <warpdex/networks.hpp>
#include <warpdex/prefix_borders.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/sharded.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

/// @file
/// In each call, each `operator new` and each start of a thread fails in turn.
namespace warpdex::test {
namespace {

/// Enough keys for threads to share the work.
constexpr std::size_t entries = 17000;
constexpr std::size_t probes = 8500;

/// Arrays for all calls. They are made beforehand, so only allocations of the library fail.
struct arrays {
  std::vector<std::int64_t> keys = std::vector<std::int64_t>(entries);
  std::vector<std::uint32_t> rows = std::vector<std::uint32_t>(entries);
  std::vector<std::int64_t> lower = std::vector<std::int64_t>(probes);
  std::vector<std::int64_t> upper = std::vector<std::int64_t>(probes);
  std::vector<std::int64_t> added = std::vector<std::int64_t>(300);
  std::vector<std::uint32_t> added_rows = std::vector<std::uint32_t>(300);
  std::vector<std::int64_t> erased = {-500, -1, 0, 1, 4, 8, 8, 100000};

  mutable std::vector<std::uint8_t> flags = std::vector<std::uint8_t>(probes);
  mutable std::vector<std::uint32_t> out_rows = std::vector<std::uint32_t>(probes);
  mutable std::vector<std::uint32_t> positions = std::vector<std::uint32_t>(probes);
  mutable std::vector<std::int64_t> out_keys = std::vector<std::int64_t>(probes);
  mutable std::vector<std::uint64_t> numbers = std::vector<std::uint64_t>(probes);

  arrays() {
    for (std::size_t i = 0; i < entries; ++i) keys[i] = static_cast<std::int64_t>(i * 7919 % 10007) - 500;
    for (std::size_t i = 0; i < entries; ++i) rows[i] = static_cast<std::uint32_t>(entries - i);
    for (std::size_t i = 0; i < probes; ++i) lower[i] = static_cast<std::int64_t>(i * 31 % 12000) - 1000;
    for (std::size_t i = 0; i < probes; ++i) upper[i] = lower[i] + static_cast<std::int64_t>(i % 5);
    for (std::size_t i = 0; i < added.size(); ++i) added[i] = static_cast<std::int64_t>(i * i % 70000);
    for (std::size_t i = 0; i < added.size(); ++i) added_rows[i] = static_cast<std::uint32_t>(50000 - i);
  }

  row_column numbered() const { return std::span(rows); }
  row_column added_numbered() const { return std::span(added_rows); }
};

struct lookup {
  char const* name;
  std::function<void(any_index const&, execution const&)> ask;
};

std::vector<lookup> all_lookups(arrays const& a, bool ordered) {
  column const lower{std::span(a.lower)};
  column const upper{std::span(a.upper)};
  std::vector<lookup> calls = {
      {"contains", [&a, lower](any_index const& i, execution const& e) { i.contains(lower, std::span(a.flags), e); }},
      {"find", [&a, lower](any_index const& i, execution const& e) { i.find(lower, std::span(a.out_rows), e); }},
      {"find_unordered",
       [&a, lower](any_index const& i, execution const& e) {
         i.find_unordered(lower, std::span(a.positions), std::span(a.out_rows), e);
       }},
      {"count", [&a, lower](any_index const& i, execution const& e) { i.count(lower, std::span(a.numbers), e); }},
      {"retrieve", [lower](any_index const& i, execution const& e) { i.retrieve(lower, e); }},
  };
  if (!ordered) return calls;
  std::vector<lookup> const more = {
      {"lower_bound",
       [&a, lower](any_index const& i, execution const& e) { i.lower_bound(lower, std::span(a.numbers), e); }},
      {"upper_bound",
       [&a, lower](any_index const& i, execution const& e) { i.upper_bound(lower, std::span(a.numbers), e); }},
      {"floor", [&a, lower](any_index const& i,
                            execution const& e) { i.floor(lower, std::span(a.out_keys), std::span(a.out_rows), e); }},
      {"range_count",
       [&a, lower, upper](any_index const& i, execution const& e) {
         i.range_count({lower, upper}, std::span(a.numbers), e);
       }},
      {"range_sum",
       [&a, lower, upper](any_index const& i, execution const& e) {
         i.range_sum({lower, upper}, std::span(a.numbers), e);
       }},
      {"range_retrieve",
       [lower, upper](any_index const& i, execution const& e) {
         i.range_retrieve({lower, upper}, e);
       }},
  };
  calls.insert(calls.end(), more.begin(), more.end());
  return calls;
}

struct change {
  char const* name;
  std::function<void(any_index&, execution const&)> make;
};

std::vector<change> all_changes(arrays const& a) {
  column const added{std::span(a.added)};
  column const erased{std::span(a.erased)};
  return {
      {"insert", [&a, added](any_index& i, execution const& e) { i.insert(added, a.added_numbered(), e); }},
      {"erase", [erased](any_index& i, execution const& e) { i.erase(erased, e); }},
      {"update",
       [&a, added, erased](any_index& i, execution const& e) { i.update(added, a.added_numbered(), erased, e); }},
      {"insert_or_assign",
       [&a, added](any_index& i, execution const& e) { i.insert_or_assign(added, a.added_numbered(), e); }},
  };
}

enum class ending { no_failure, survived, out_of_memory, other };

/// @return how a call ends if its `nth` use of `operator new` fails, and if it `lasts` all later ones too
template <class Call> ending end_of(long nth, bool lasts, Call const& call) {
  ending result = ending::other;
  heap.lasts = lasts;
  heap.left = nth;
  try {
    call();
    result = heap.left < 0 ? ending::survived : ending::no_failure;
  } catch (out_of_memory const&) {
    result = ending::out_of_memory;
  } catch (std::exception const&) {
  }
  heap.left = scarce_new::never;
  return result;
}

/// How many uses of `operator new` are between two that fail, after the first ones: 1, or what `WARPDEX_FAULT_STEP`
/// says.
long fault_step() {
  char const* const text = std::getenv("WARPDEX_FAULT_STEP");
  return text == nullptr ? 1 : std::max(1L, std::atol(text));
}

/// Lets each `operator new` of `call` fail in turn, until none does; after the first 24 one in `fault_step()`.
/// @param before prepares each call @param after checks the state after a failed call
template <class Before, class Call, class After>
void fail_in_turn(char const* name, Before const& before, Call const& call, After const& after) {
  SCOPED_TRACE(name);
  before();
  call();  // makes everything that is made once and kept, such as threads
  ending end = ending::survived;
  for (long nth = 0; end != ending::no_failure; nth += nth < 24 ? 1 : fault_step()) {
    for (bool const lasts : {true, false}) {
      before();
      long const live = heap.live;
      end = end_of(nth, lasts, call);
      ASSERT_NE(end, ending::other) << "not out_of_memory after failure " << nth;
      if (end != ending::out_of_memory) continue;
      ASSERT_EQ(heap.live, live) << "leaked after failure " << nth;
      after();
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
  }
}

template <class Call> void fail_in_turn(char const* name, Call const& call) {
  fail_in_turn(
      name, [] {}, call, [] {});
}

class faults : public testing::TestWithParam<std::string> {
 protected:
  arrays const a_{};
  execution const exec_{};
  folder const folder_{};

  index built() const { return index::build(GetParam(), column(std::span(a_.keys)), a_.numbered(), exec_); }
};
TEST_P(faults, every_new_of_build_save_and_load) {
  fail_in_turn("build", [&] { built(); });
  fail_in_turn("build with rows numbered", [&] { index::build(GetParam(), column(std::span(a_.keys)), exec_); });
  auto const path = folder_ / "index.wdx";
  index const original = built();
  fail_in_turn("save", [&] { original.save(path); });
  EXPECT_EQ(folder_.files(), 1u);
  fail_in_turn("load", [&] { index::load(path, exec_); });
  fail_in_turn("load in place", [&] { index::load(path, exec_, true); });
}

TEST_P(faults, every_new_of_lookups) {
  index const i = built();
  for (auto const& call : all_lookups(a_, i.ordered())) fail_in_turn(call.name, [&] { call.ask(i, exec_); });
  fail_in_turn("verify", [&] { i.verify(exec_); });
}

/// Templates of the headers allocate in the code of their callers.
TEST(faults_of_headers, every_new) {
  arrays const a;
  execution const exec;
  column const keys(a.keys), probes_of(a.lower);
  index const i = index::build("AO+BS", keys, exec);
  range_aggregates const amounts(i, a.keys, exec);
  fail_in_turn("find", [&] { i.find(probes_of, exec); });
  fail_in_turn("floor", [&] { i.floor(probes_of, exec); });
  fail_in_turn("ceil", [&] { i.ceil(probes_of, exec); });
  fail_in_turn("count", [&] { i.count(probes_of, exec); });
  std::vector<int> const values(100'000);
  fail_in_turn("gather", [&] { gather(a.added_numbered(), values); });
  fail_in_turn("in_ranges", [&] { amounts.in_ranges(i, {probes_of, column(a.upper)}, exec); });
  fail_in_turn("of_keys", [&] { amounts.of_keys(i, probes_of, exec); });
  fail_in_turn("top_k", [&] { amounts.top_k(i, {probes_of, column(a.upper)}, 2, exec); });
  std::vector<std::uint8_t> const bits(a.added_rows.size(), 32);
  std::span<std::uint32_t const> const numbers(a.added_rows);
  fail_in_turn("prefix_borders", [&] { prefix_borders<std::uint32_t, std::uint32_t>(numbers, bits, numbers, 0); });
  fail_in_turn("networks", [&] { (void)networks(numbers, bits, exec).find(numbers, exec); });
  fail_in_turn("covering", [&] { (void)networks(numbers, bits, exec).covering(numbers, exec); });
  std::vector<std::chrono::sys_seconds> const times(100);
  fail_in_turn("as_keys", [&] { as_keys(times); });
  std::vector<std::string_view> const texts(100, "text");
  fail_in_turn("byte_strings", [&] { byte_strings copy(texts); });
}

/// A failed update has changed nothing.
TEST_P(faults, every_new_of_updates) {
  auto const path = folder_ / "index.wdx";
  index const original = built();
  original.save(path);
  std::vector<std::int64_t> const some(a_.lower.begin(), a_.lower.begin() + 50);
  auto const questions = all_questions(some, original.ordered());
  auto const answers = ask_all(questions, original, exec_);
  std::optional<index> i;
  for (auto const& change : all_changes(a_))
    fail_in_turn(
        change.name, [&] { i.emplace(index::load(path, exec_)); }, [&] { change.make(*i, exec_); },
        [&] {
          i->verify(exec_);
          ASSERT_EQ(i->spec_text(), original.spec_text());
          ASSERT_EQ(ask_all(questions, *i, exec_), answers);
        });
}

/// A child has not started its threads yet. Nothing fails if one of them, or all from one on, cannot be started.
TEST_P(faults, every_start_of_a_thread) {
  auto const path = folder_ / "index.wdx";
  auto const everything = [&] {
    index i = built();
    auto const questions = all_questions(a_.lower, i.ordered());
    auto answers = ask_all(questions, i, exec_);
    for (auto const& change : all_changes(a_)) {
      change.make(i, exec_);
      i.verify(exec_);
      auto const more = ask_all(questions, i, exec_);
      answers.insert(answers.end(), more.begin(), more.end());
    }
    i.save(path);
    auto const loaded = ask_all(questions, index::load(path, exec_), exec_);
    answers.insert(answers.end(), loaded.begin(), loaded.end());
    return answers;
  };
  auto const expected = everything();
  for (int threads = 0; threads < machine.cores; ++threads)
    EXPECT_EQ(in_child([&] {
                machine.threads = threads;
                return everything() == expected;
              }),
              0)
        << threads << " threads";
}

/// Three shards of an index, or copies of it. Two of the former change in an update.
class faults_of_shards : public testing::TestWithParam<placement> {
 protected:
  sharded_index built() const {
    return sharded_index::build("AO+BS", column(std::span(a_.keys)), a_.numbered(), GetParam(), places_);
  }
  /// What lookups answer that use borders, the ends of shards, and the entries before them.
  auto answers(sharded_index const& of) const {
    column const query{std::span(a_.lower)};
    std::span const changed = std::span(a_.keys).subspan(8000, 1);
    return std::tuple(of.floor(query), of.ceil(query), of.lower_bound(query), of.find(column(changed)), of.size());
  }

  arrays const a_{};
  execution const exec_{};
  folder const folder_{};
  std::vector<shard_place> const places_ = std::vector<shard_place>(3);
};

TEST_P(faults_of_shards, every_new_of_build_save_load_and_lookups) {
  fail_in_turn("build", [&] { built(); });
  column const pieces[] = {std::span(a_.keys), std::span(a_.added)};
  fail_in_turn("build of pieces", [&] { sharded_index::build_spread("HT(open)", pieces, GetParam(), places_); });
  sharded_index const original = built();
  auto const path = folder_ / "shards";
  original.save(path);
  fail_in_turn(
      "save", [] {}, [&] { original.save(path); },
      [&] { ASSERT_EQ(answers(sharded_index::load(path, places_)), answers(original)); });
  fail_in_turn("load", [&] { sharded_index::load(path, places_); });
  for (auto const& call : all_lookups(a_, true)) fail_in_turn(call.name, [&] { call.ask(original, exec_); });
  std::vector<std::uint64_t> const ranks{0, 16999, 5000, 9000};
  fail_in_turn("keys_at", [&] { (void)original.keys_at(ranks, exec_); });
  fail_in_turn("rows_at", [&] { (void)original.rows_at(ranks, exec_); });
  std::vector<key_ranges> const pieces_of_probes(3, key_ranges{column(std::span(a_.lower))});
  std::vector<std::vector<lookup_output>> const outputs(3, {std::span(a_.out_rows)});
  fail_in_turn("look_up_spread", [&] { original.look_up_spread(lookups::find, pieces_of_probes, outputs); });
  fail_in_turn("verify", [&] { original.verify(); });
  fail_in_turn("explain", [&] { (void)original.explain(); });
}

/// Of several shards, and of one, which may be updated in place.
TEST_P(faults_of_shards, every_new_of_updates) {
  auto const path = folder_ / "shards";
  sharded_index const original = built();
  original.save(path);
  auto const before = answers(original);
  std::optional<sharded_index> i;
  auto changes = all_changes(a_);
  std::span const unique = std::span(a_.keys).subspan(8000, 1);
  changes.push_back({"erase one", [unique](any_index& all, execution const& e) { all.erase(column(unique), e); }});
  changes.push_back({"assign one", [this, unique](any_index& all, execution const& e) {
                       all.insert_or_assign(column(unique), row_column(std::span(a_.rows).first(1)), e);
                     }});
  for (auto const& change : changes)
    fail_in_turn(
        change.name, [&] { i.emplace(sharded_index::load(path, places_)); }, [&] { change.make(*i, exec_); },
        [&] {
          i->verify();
          ASSERT_EQ(answers(*i), before);
        });
}

INSTANTIATE_TEST_SUITE_P(all, faults_of_shards, testing::Values(placement::range, placement::replicate),
                         [](auto const& how) { return std::string(to_string(how.param)); });

INSTANTIATE_TEST_SUITE_P(all, faults, testing::ValuesIn(all_samples()),
                         [](auto const& sample) { return test_name(sample.param); });

}  // namespace
}  // namespace warpdex::test
