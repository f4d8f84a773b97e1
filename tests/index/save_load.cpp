// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <tuple>

namespace warpdex::test {
namespace {

std::string content(std::filesystem::path const& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class save_load : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const& sample() const { return std::get<0>(GetParam()); }
  backend_kind backend() const { return std::get<1>(GetParam()); }

  /// A loaded or mapped index equals the saved one.
  template <class Key> void round_trip(std::string const& text, std::uint64_t size) {
    SCOPED_TRACE(text + ", n = " + std::to_string(size));
    std::vector<Key> keys(size);
    std::vector<Key> probes(64);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>(i * 7919 % 503);
    for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = static_cast<Key>(i * 9);
    expect_round_trip(index::build(text, std::span(keys), exec_), probes);
  }

  /// Strings of many lengths, some of which repeat or begin others.
  void round_trip_of_strings(std::string const& text, std::uint64_t size) {
    SCOPED_TRACE(text + ", strings, n = " + std::to_string(size));
    byte_strings keys;
    byte_strings probes;
    for (std::size_t i = 0; i < size; ++i) keys.push_back(std::string(i % 40, '\xff') + std::to_string(i * 7919 % 503));
    for (std::size_t i = 0; i < 64; ++i) probes.push_back(std::string(i, '\xff') + std::to_string(i));
    expect_round_trip(index::build(text, keys, exec_), probes);
  }

 private:
  template <class Probes> void expect_round_trip(index const& built, Probes const& probes) {
    auto const questions = all_questions(probes, built.ordered());
    auto const expected = ask_all(questions, built, exec_);

    auto const path = folder_ / "index.wdx";
    built.save(path);
    EXPECT_EQ(folder_.files(), 1u) << "a temporary file was left";
    for (bool const map : {false, true}) {
      index const loaded = index::load(path, exec_, map);
      EXPECT_EQ(loaded.spec_text(), built.spec_text());
      EXPECT_EQ(loaded.size(), built.size());
      EXPECT_EQ(loaded.key_type(), built.key_type());
      EXPECT_EQ(loaded.row_type(), built.row_type());
      EXPECT_EQ(loaded.backend(), built.backend());
      EXPECT_EQ(loaded.memory().total(), built.memory().total());
      loaded.verify(exec_);
      EXPECT_EQ(ask_all(questions, loaded, exec_), expected);

      // A loaded index can be saved, to the same bytes.
      loaded.save(folder_ / "again.wdx");
      EXPECT_EQ(content(folder_ / "again.wdx"), content(path));
      std::filesystem::remove(folder_ / "again.wdx");
    }
    auto const bytes = built.save();
    EXPECT_EQ(std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()), content(path));
    EXPECT_EQ(ask_all(questions, index::load(std::span(bytes), exec_), exec_), expected);
    EXPECT_EQ(ask_all(questions, index::load(std::span(bytes), exec_, check::structure), exec_), expected);
    // Bytes in memory of the library begin at lines of the cache, so that the CPU uses them in place.
    auto const owner = std::make_shared<buffer>(bytes.size(), execution(host_memory()));
    std::memcpy(owner->data(), bytes.data(), bytes.size());
    {
      std::span const held(owner->as<std::byte const>(), bytes.size());
      index const shared = index::load(held, owner, exec_);
      EXPECT_EQ(ask_all(questions, shared, exec_), expected);
      EXPECT_EQ(shared.save(), bytes);
      if (backend() == backend_kind::cuda) {
        EXPECT_EQ(owner.use_count(), 1);
      }
    }
    EXPECT_EQ(owner.use_count(), 1);
    EXPECT_EQ(ask_all(questions, index::load(std::span(bytes), nullptr, exec_), exec_), expected);
    EXPECT_EQ(ask_all(questions, index::load(path, exec_, true, check::none), exec_), expected);
    index copied = built.clone(exec_);
    EXPECT_EQ(ask_all(questions, copied, exec_), expected);
    if (backend() == backend_kind::cuda) {  // a file does not depend on the backend
      execution const host(host_memory(), {}, 1);
      EXPECT_EQ(ask_all(questions, index::load(path, host), host), expected);
    }
  }

 protected:
  folder folder_;
  test_stream stream_{std::get<1>(GetParam())};
  execution exec_{memory_of(std::get<1>(GetParam())), stream_, 1};
};

TEST_P(save_load, round_trips) {
  for (char const* layout : {"SoA", "AoS", "packed"}) {
    for (bool const wide : {false, true}) {
      std::string const text = sample() + "/layout=" + layout + "/rows=" + (wide ? "u64" : "u32");
      auto const takes_keys = [&](key_type keys) {
        return takes(sample(), keys) && is_compiled(text, keys, wide ? row_type::u64 : row_type::u32);
      };
      for (std::uint64_t const size : wide ? std::array{0, 33} : std::array{1, 1000}) {
        if (takes_keys(key_type::u32)) round_trip<std::uint32_t>(text, size);
        if (takes_keys(key_type::f64)) round_trip<double>(text, size);
        if (takes_keys(key_type::u128)) round_trip<u128>(text, size);
        if (takes(text, key_type::bytes) && takes_keys(key_type::bytes)) round_trip_of_strings(text, size);
      }
    }
  }
}

TEST_P(save_load, clones_live_on_their_own) {
  std::vector<std::uint32_t> const keys = {3, 1, 2}, more = {9};
  std::vector<std::uint32_t> const rows = {7};
  index original = index::build(sample(), keys, exec_);
  index copied = original.clone(exec_);
  original.insert(more, rows, exec_);
  EXPECT_EQ(original.size(), 4u);
  EXPECT_EQ(copied.size(), 3u);
  EXPECT_FALSE(copied.contains(9u, exec_));
  copied.insert(more, rows, exec_);
  EXPECT_EQ(copied.find(9u, exec_), 7u);
  copied.verify(exec_);
}

TEST_P(save_load, bytes_that_are_no_file) {
  std::vector<std::uint32_t> const keys = {3, 1, 2};
  auto bytes = index::build(sample(), keys, exec_).save();
  EXPECT_TRUE(throws<format_error>([&] { index::load(std::span<std::byte const>(), exec_); }, "memory"));
  EXPECT_TRUE(throws<format_error>([&] { index::load(std::span(bytes).first(bytes.size() - 1), exec_); }, "memory"));
  bytes.back() ^= std::byte{1};
  EXPECT_TRUE(throws<format_error>([&] { index::load(std::span(bytes), exec_); }, "memory"));
}

TEST_P(save_load, a_failed_save_leaves_the_old_file) {
  std::vector<std::uint32_t> const keys = {3, 1, 2};
  index const i = index::build(sample(), std::span(keys), exec_);
  EXPECT_TRUE(throws<io_error>([&] { i.save(folder_ / "no such folder/index.wdx"); }, "no such folder"));

  // A file cannot replace a folder.
  std::filesystem::create_directory(folder_ / "taken");
  std::ofstream(folder_ / "taken/inside") << "x";
  EXPECT_TRUE(throws<io_error>([&] { i.save(folder_ / "taken"); }, "taken"));
  EXPECT_EQ(content(folder_ / "taken/inside"), "x");
  EXPECT_EQ(folder_.files(), 1u) << "a temporary file was left";
  EXPECT_TRUE(throws<io_error>([&] { index::load(folder_ / "missing.wdx", exec_); }, "missing.wdx"));
}

/// Keys that are no pivots count for `all` alone, pivots for `structure` too.
TEST(save_load_checks, are_those_that_are_asked_for) {
  execution const exec;
  std::vector<std::uint32_t> const keys = {10, 20, 30, 40, 50, 60, 70, 80};
  auto const whole = index::build("AO+PB+BS(levels=2)", keys, exec).save();
  auto const damaged = [&](std::uint32_t key, std::uint32_t number) {  // occurrence number `number` of a key
    auto bytes = whole;
    for (std::size_t at = 0; at + sizeof key <= bytes.size(); at += sizeof key)
      if (std::memcmp(bytes.data() + at, &key, sizeof key) == 0 && number-- == 0) bytes[at] = std::byte{99};
    return bytes;
  };
  auto const loads = [&](std::vector<std::byte> const& bytes, check checks) {
    try {
      return index::load(std::span(bytes), exec, checks).size() == keys.size();
    } catch (format_error const&) {
      return false;
    }
  };
  auto const wrong_key = damaged(30, 0), wrong_pivot = damaged(40, 1);
  ASSERT_TRUE(wrong_key != whole && wrong_pivot != whole);
  EXPECT_FALSE(loads(wrong_key, check::all));
  EXPECT_TRUE(loads(wrong_key, check::structure) && loads(wrong_key, check::none));
  EXPECT_FALSE(loads(wrong_pivot, check::all) || loads(wrong_pivot, check::structure));
  EXPECT_TRUE(loads(wrong_pivot, check::none));
}

INSTANTIATE_TEST_SUITE_P(all, save_load,
                         testing::Combine(testing::ValuesIn(all_samples()), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
