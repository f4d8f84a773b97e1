// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "attack/device_questions.hpp"
#include "attack/failing_cuda.hpp"
#include "backend/host_stream.hpp"
#include "conformance/fixture.hpp"
#include "support/folder.hpp"
#include "support/scarce_memory.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string_view>

/// @file
/// On a device, each CUDA call of each call of the library fails in turn. The result is an error of the library, the
/// index answers as before, nothing leaks, and no later call reports the failure.
namespace warpdex::test {
namespace {

namespace failing = failing_cuda;

constexpr std::uint64_t always_tried = 200;  ///< CUDA calls of one call that all fail in turn; then a sample
constexpr std::uint64_t sampled = 50;

/// Numbers of the calls that are to fail, of `count` calls, counted from 1.
std::vector<std::uint64_t> calls_to_fail(std::uint64_t count) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t nth = 1; nth <= std::min(count, always_tried); ++nth) chosen.push_back(nth);
  std::mt19937_64 random(test_seed());
  for (std::uint64_t i = 0; count > always_tried && i < sampled; ++i)
    chosen.push_back(always_tried + 1 + random() % (count - always_tried));
  return chosen;
}

/// Whether a failed update may have changed its index: its last wait comes after its last write. If that wait really
/// fails, the device is lost.
bool is_last_wait(std::string_view failed) { return failed == "cudaStreamSynchronize"; }

/// The samples, and one of each structure with each policy that it takes.
std::vector<std::string> all_policies() {
  std::vector<std::string> specs = all_samples();
  for (std::string const& sample : one_sample_each())
    for (char const* const options :
         {"/reorder=window", "/pin=steps", "/pin=full/reorder=block/threads=128/probes=3",
          "/reorder=block+restore/threads=256/probes=2", "/lanes=8/reorder=block+restore/probes=1",
          "/lanes=8/schedule=static", "/lanes=1/scan=warp", "/layout=AoS", "/layout=packed"})
      if (accepts(sample + options, backend_kind::cuda, key_type::i64)) specs.push_back(sample + options);
  return specs;
}

/// The samples, and one of each structure that makes borders of window buckets.
std::vector<std::string> all_builds() {
  std::vector<std::string> specs = all_samples();
  for (std::string const& sample : one_sample_each())
    if (accepts(sample + "/reorder=window", backend_kind::cuda)) specs.push_back(sample + "/reorder=window");
  return specs;
}

class faulty_device : public testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
    stream_.emplace(backend_kind::cuda);
    memory_.emplace(device_memory());
    exec_ = execution(*memory_, *stream_, 2);
  }

  void TearDown() override {
    if (!memory_) return;
    std::printf("             %llu CUDA calls failed, %llu of them without an error\n", failures_, survived_);
    EXPECT_TRUE(memory_->consistent()) << "something was freed that was not allocated, or with another size";
  }

  /// Lets CUDA calls of `call` fail: first all kinds with one error, then allocations with theirs.
  /// @param before prepares each call
  /// @param after called with whether the call threw, and the name of the CUDA call
  template <class Before, class Call, class After>
  void fail_in_turn(std::string const& name, Before const& before, Call const& call, After const& after) {
    SCOPED_TRACE(name);
    for (failing::calls const which : {failing::calls::any, failing::calls::allocations}) {
      before();
      failing::fail_at(which, 0);
      call();
      for (std::uint64_t const nth : calls_to_fail(failing::relax().calls)) {
        before();
        std::size_t const live = memory_->live();
        bool threw = true;
        std::string error;
        failing::fail_at(which, nth);
        try {
          call();
          threw = false;
        } catch (device_error const& e) {
          error = which == failing::calls::any ? "" : std::string("device_error: ") + e.what();
        } catch (out_of_memory const& e) {
          error = which == failing::calls::allocations ? "" : std::string("out_of_memory: ") + e.what();
        } catch (std::exception const& e) {
          error = e.what();
        }
        auto const [calls, failed] = failing::relax();
        if (failed == nullptr && !threw) continue;  // fewer polls this time
        SCOPED_TRACE(testing::Message() << "call " << nth << ": " << (failed == nullptr ? "none" : failed));
        ++failures_;
        survived_ += threw ? 0 : 1;
        ASSERT_EQ(error, "");
        ASSERT_EQ(cudaGetLastError(), cudaSuccess) << "the next launch would seem to have failed";
        ASSERT_TRUE(!threw || memory_->live() == live || is_last_wait(failed)) << "leaked";
        after(threw, std::string_view(failed));
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }

  /// Asks with failures, and then without. Every answer must be right.
  void fail_question(question const& q, index const& of) {
    std::vector<std::uint64_t> const expected = q.ask(of, exec_);
    std::vector<std::uint64_t> answer;
    fail_in_turn(
        q.name, [] {}, [&] { answer = q.ask(of, exec_); },
        [&](bool threw, std::string_view) {
          ASSERT_TRUE(threw || answer == expected) << "wrong in spite of a failure";
          ASSERT_TRUE(q.ask(of, exec_) == expected) << "wrong after a failure";
        });
  }

  std::optional<test_stream> stream_;
  std::optional<scarce_memory> memory_;
  execution exec_;
  unsigned long long failures_ = 0;
  unsigned long long survived_ = 0;  ///< calls that the library can do without
};

class cuda_faults : public faulty_device, public testing::WithParamInterface<std::string> {
 protected:
  /// Lets a build fail, and then succeed.
  template <class Make> void fail_build(char const* name, std::vector<question> const& questions, Make const& make) {
    auto built = std::make_unique<index>(make());
    auto const expected = ask_all(questions, *built, exec_);
    std::string const spec_text = built->spec_text();
    fail_in_turn(
        name, [&] { built.reset(); }, [&] { built = std::make_unique<index>(make()); },
        [&](bool threw, std::string_view) {
          if (threw) built = std::make_unique<index>(make());
          built->verify(exec_);
          ASSERT_EQ(built->spec_text(), spec_text);
          ASSERT_TRUE(ask_all(questions, *built, exec_) == expected);
        });
    built.reset();
    EXPECT_EQ(memory_->live(), 0u);
  }
};
using cuda_faults_of_lookups = cuda_faults;
using cuda_faults_of_builds = cuda_faults;
using cuda_faults_of_updates = cuda_faults;

std::vector<std::int64_t> repeated_keys(std::size_t size) {
  std::vector<std::int64_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<std::int64_t>(i * 7919 % 1009) - 500;
  return keys;
}

std::vector<std::int64_t> some_probes() {
  std::vector<std::int64_t> probes;
  for (std::int64_t p = -600; p < 600; p += 7) probes.push_back(p);
  return probes;
}

/// Strings that tie in their first bytes, and repeat.
byte_strings repeated_strings(std::size_t size) {
  byte_strings keys;
  for (std::size_t i = 0; i < size; ++i) keys.push_back("a common beginning " + std::to_string(i * 7919 % 1009));
  return keys;
}

/// Strings of which some are keys, and some begin keys.
byte_strings some_strings() {
  byte_strings probes;
  for (std::size_t p = 0; p < 120; ++p)
    probes.push_back(("a common beginning " + std::to_string(p * 10)).substr(0, 17 + p % 7));
  return probes;
}

TEST_P(cuda_faults_of_lookups, each_call) {
  auto const keys = repeated_keys(2000);
  auto const probes = some_probes();
  index const i = index::build(GetParam(), std::span(keys), exec_);
  for (question const& q : all_questions(probes, i.ordered())) fail_question(q, i);
  for (question q : all_questions_on_device(probes, i.ordered(), exec_)) {
    q.name += " between arrays in place";
    fail_question(q, i);
  }
  std::vector<std::int32_t> const narrow(probes.begin(), probes.end());
  for (question q : all_questions(narrow, i.ordered())) {
    if (q.name == "floor") continue;  // its keys are of the type of the index
    q.name += " of another type";
    fail_question(q, i);
  }
  fail_in_turn(
      "verify", [] {}, [&] { i.verify(exec_); }, [](bool threw, std::string_view) { EXPECT_TRUE(threw); });
}

TEST_P(cuda_faults_of_lookups, each_call_with_strings) {
  if (!accepts(GetParam(), backend_kind::cuda, key_type::bytes)) GTEST_SKIP() << "takes no strings";
  byte_strings const probes = some_strings();
  index const i = index::build(GetParam(), repeated_strings(2000), exec_);
  for (question const& q : all_questions(probes, true)) fail_question(q, i);
  fail_in_turn(
      "verify", [] {}, [&] { i.verify(exec_); }, [](bool threw, std::string_view) { EXPECT_TRUE(threw); });
}

INSTANTIATE_TEST_SUITE_P(all, cuda_faults_of_lookups, testing::ValuesIn(all_policies()),
                         [](auto const& spec) { return test_name(spec.param); });

TEST_P(cuda_faults_of_builds, each_call) {
  auto const keys = repeated_keys(3000);
  auto const probes = some_probes();
  std::vector<std::uint32_t> rows(keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i * 31 % 3001);
  execution const ample(device_memory(), *stream_);
  input_array<std::int64_t> const resident(keys, place::device, 0, ample);
  folder const files;
  auto const path = files / "index.wdx";
  index const original = index::build(GetParam(), std::span(keys), ample);
  original.save(path);
  auto const questions = all_questions(probes, original.ordered());

  fail_build("build", questions, [&] { return index::build(GetParam(), std::span(keys), exec_); });
  fail_build("build with rows", questions,
             [&] { return index::build(GetParam(), std::span(keys), std::span<std::uint32_t const>(rows), exec_); });
  fail_build("build from a column in place", questions,
             [&] { return index::build(GetParam(), column(resident.data(), keys.size(), key_type::i64), exec_); });
  fail_build("load", questions, [&] { return index::load(path, exec_); });

  auto const answers = ask_all(questions, original, ample);
  fail_in_turn(
      "save", [] {}, [&] { original.save(path); },
      [&](bool, std::string_view) {
        ASSERT_EQ(files.files(), 1u);
        ASSERT_TRUE(ask_all(questions, index::load(path, ample), ample) == answers);
      });
}

TEST_P(cuda_faults_of_builds, each_call_with_strings) {
  if (!accepts(GetParam(), backend_kind::cuda, key_type::bytes)) GTEST_SKIP() << "takes no strings";
  byte_strings const keys = repeated_strings(3000);
  byte_strings const probes = some_strings();
  auto const questions = all_questions(probes, true);
  folder const files;
  auto const path = files / "index.wdx";
  index::build(GetParam(), keys, execution(device_memory(), *stream_)).save(path);
  fail_build("build", questions, [&] { return index::build(GetParam(), keys, exec_); });
  fail_build("load", questions, [&] { return index::load(path, exec_); });
}

INSTANTIATE_TEST_SUITE_P(all, cuda_faults_of_builds, testing::ValuesIn(all_builds()),
                         [](auto const& spec) { return test_name(spec.param); });

/// Small batches, which structures with free slots apply in place, and one batch that rebuilds the structure.
TEST_P(cuda_faults_of_updates, each_call) {
  constexpr std::uint32_t size = 20000;
  std::vector<std::uint32_t> keys(size);
  for (std::uint32_t i = 0; i < size; ++i) keys[i] = i * 7919 % 20011 * 5;  // no two equal
  execution const ample(device_memory(), *stream_);
  folder const files;
  auto const path = files / "index.wdx";
  index::build(GetParam(), std::span(keys), ample).save(path);

  for (std::uint32_t const batch : {3u, 60u, 5000u}) {
    std::vector<std::uint32_t> added(batch), rows(batch), erased(batch / 3), probes;
    for (std::uint32_t i = 0; i < batch; ++i) {
      added[i] = batch == 5000 ? i * 35 : i * 1665 + 1;  // some are there already, or none
      rows[i] = 70000 - i;
    }
    for (std::uint32_t i = 0; i < erased.size(); ++i) erased[i] = keys[i * 3];
    for (std::uint32_t i = 0; i < 300; ++i) probes.push_back(i * 331);
    probes.insert(probes.end(), added.begin(), added.begin() + std::min(batch, 100u));
    probes.insert(probes.end(), erased.begin(), erased.begin() + std::min(batch / 3, 100u));
    column const add(std::span{added});
    row_column const add_rows(std::span{rows});
    column const erase(std::span{erased});
    input_array<std::uint32_t> const resident(added, place::device, 0, ample);
    column const add_in_place(resident.data(), batch, key_type::u32);

    std::optional<index> i;
    auto const fail_update = [&](char const* name, auto const& update) {
      i.emplace(index::load(path, exec_));
      auto questions = all_questions(probes, i->ordered());
      std::erase_if(questions, [](question const& q) { return q.name == "range_retrieve"; });  // has long answers
      auto const before = ask_all(questions, *i, ample);
      std::string const spec_text = i->spec_text();
      update();
      auto const after = ask_all(questions, *i, ample);
      fail_in_turn(
          name + std::string(" of ") + std::to_string(batch),
          [&] {
            i.reset();
            i.emplace(index::load(path, exec_));
          },
          update,
          [&](bool threw, std::string_view failed) {
            i->verify(ample);
            auto const answers = ask_all(questions, *i, ample);
            if (!threw) {
              ASSERT_TRUE(answers == after) << "wrong in spite of a failure";
              return;
            }
            if (is_last_wait(failed) && answers == after) return;
            ASSERT_TRUE(answers == before) << "not as before";
            ASSERT_EQ(i->size(), size);
            ASSERT_EQ(i->spec_text(), spec_text);
            update();
            i->verify(ample);
            ASSERT_TRUE(ask_all(questions, *i, ample) == after) << "wrong at the second try";
          });
      i.reset();
      EXPECT_EQ(memory_->live(), 0u);
    };
    fail_update("update", [&] { i->update(add, add_rows, erase, exec_); });
    if (batch != 3) continue;
    fail_update("insert", [&] { i->insert(add, add_rows, exec_); });
    fail_update("insert of a column in place", [&] { i->insert(add_in_place, add_rows, exec_); });
    fail_update("erase", [&] { i->erase(erase, exec_); });
    fail_update("insert_or_assign", [&] { i->insert_or_assign(add, add_rows, exec_); });
  }
}

INSTANTIATE_TEST_SUITE_P(all, cuda_faults_of_updates, testing::ValuesIn(all_builds()),
                         [](auto const& spec) { return test_name(spec.param); });

/// Batches over arrays on the host, in many small chunks and pieces.
TEST_F(faulty_device, batches_in_chunks) {
  std::vector<std::uint32_t> keys(20000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u % 100003u);
  index const i = index::build("AO+PB+KS(9)", std::span(keys), exec_);
  std::vector<std::uint32_t> probes(10007), rows(probes.size());
  for (std::size_t p = 0; p < probes.size(); ++p) probes[p] = static_cast<std::uint32_t>(p * 40503u % 110017u);
  auto const expected = [&] {
    std::vector<std::uint32_t> found(probes.size());
    i.find(std::span(probes), std::span(found), exec_);
    return found;
  }();
  pinned_memory const pinned(probes.size() * sizeof(std::uint32_t));
  for (void* const to : {static_cast<void*>(rows.data()), pinned.data()}) {
    auto* const out = static_cast<std::uint32_t*>(to);
    std::vector<batch_array> const arrays = {{probes.data(), 4, "probes", true, false, true},
                                             {out, 4, "rows", false, true, true}};
    bool streamed = false;
    fail_in_turn(
        "stream_batch", [&] { std::fill(out, out + probes.size(), 77u); },
        [&] {
          streamed = stream_batch(probes.size(), arrays,
                                  [&](void* const* at, std::uint64_t count) {
                                    i.find(column(at[0], count, key_type::u32), row_output(at[1], count, row_type::u32),
                                           exec_);
                                  },
                                  exec_, {1, 512, 64, 300}) == probes.size();
        },
        [&](bool threw, std::string_view) {
          ASSERT_TRUE(threw || !streamed || std::equal(expected.begin(), expected.end(), out));
        });
  }
}

constexpr int no_call_failed = 100;

/// Starts processes of this program, because a process asks its devices some things only once and keeps the answers.
class new_process : public faulty_device {
 protected:
  /// @param test of `in_new_process` @param nth which call fails
  /// @return the exit code: 0 if that failed and did no harm, `no_call_failed` if there were fewer
  int run(std::string const& test, int nth) {
    std::string const command = "WARPDEX_FAILING_CALL=" + std::to_string(nth) + " WARPDEX_INDEX='" + index_.string() +
                                "' '" + self_.string() + "' --gtest_also_run_disabled_tests" +
                                " --gtest_filter=in_new_process.DISABLED_" + test + " >'" + log_.string() + "' 2>&1";
    int const status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

  std::filesystem::path const self_ = std::filesystem::read_symlink("/proc/self/exe");
  folder const files_;
  std::filesystem::path const index_ = files_ / "index.wdx";
  std::filesystem::path const log_ = files_ / "log.txt";
};

TEST_F(new_process, each_call_of_its_first_lookup) {
  std::vector<std::uint32_t> const keys = {30, 20, 20, 10};
  index::build("AO+BS", std::span(keys), exec_).save(index_);
  for (int nth = 1, code = 0; code != no_call_failed; ++nth) {
    code = run("lookup", nth);
    ASSERT_TRUE(code == 0 || code == no_call_failed) << "call " << nth << ", exit code " << code << ":\n" << log();
    failures_ += code == 0 ? 1 : 0;
  }
  EXPECT_GT(failures_, 10u);
}

/// CUB remembers failures, but the library asks first.
TEST_F(new_process, its_first_sort_without_memory_for_kernels) { EXPECT_EQ(run("build", 1), 0) << log(); }

/// Each ends its process, told by the environment which call fails.
class in_new_process : public testing::Test {
 protected:
  /// Calls `is_right` with a failure, and then without.
  template <class Call> [[noreturn]] static void fail_once(failing::calls which, Call const& is_right) {
    int code = 1;
    try {
      failing::fail_at(which, std::strtoull(std::getenv("WARPDEX_FAILING_CALL"), nullptr, 10));
      is_right();
    } catch (error const& e) {
      std::printf("%s\n", e.what());
    }
    bool const failed = failing::relax().failed != nullptr;
    try {
      if (is_right()) code = failed ? 0 : no_call_failed;
    } catch (std::exception const& e) {
      std::printf("after the failure: %s\n", e.what());
    }
    std::fflush(nullptr);
    std::_Exit(code);
  }

  bool answers(index const& i, execution const& exec) const {
    std::vector<std::uint32_t> found(keys_.size());
    i.find(std::span(keys_), std::span(found), exec);
    return found == std::vector<std::uint32_t>{0, 1, 1, 3};
  }

  std::vector<std::uint32_t> const keys_ = {30, 20, 20, 10};
};

TEST_F(in_new_process, DISABLED_lookup) {
  fail_once(failing::calls::any, [&] {
    if (devices().empty()) return false;
    execution const exec(device_memory());
    return answers(index::load(std::getenv("WARPDEX_INDEX"), exec), exec);
  });
}

TEST_F(in_new_process, DISABLED_build) {
  fail_once(failing::calls::kernel_queries, [&] {
    execution const exec(device_memory());
    return answers(index::build("AO+BS", std::span(keys_), exec), exec);
  });
}

}  // namespace
}  // namespace warpdex::test
