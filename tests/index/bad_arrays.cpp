// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>
#include <warpdex/index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/note.hpp>
#include <warpdex/range_aggregates.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "index/bad_array_calls.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Arrays that no call can take: null pointers with elements, lengths beyond all memory, outputs over other arrays,
/// types that are none. One table (`calls`) names each public function that takes arrays; each is called with each bad
/// array.
namespace warpdex::test {
namespace {

using namespace array_calls;

execution const exec;

/// Runs a call with its arrays as they are, or spoilt.
class bad_array : public testing::TestWithParam<call> {
 protected:
  using slot = arguments::slot;

  /// Expects invalid_argument with some words, and that nothing is written.
  void expect_refused(arguments& with, std::string const& words, std::string const& why) {
    std::vector<std::vector<std::byte>> before;
    for (slot const& s : with.slots()) before.push_back(s.room);
    try {
      GetParam().run(with);
      ADD_FAILURE() << why << " was taken";
    } catch (invalid_argument const& e) {
      std::string const message = e.what();
      EXPECT_NE(message.find(words), std::string::npos) << why << ": " << message;
    } catch (std::exception const& e) {
      ADD_FAILURE() << why << " gives " << typeid(e).name() << ": " << e.what();
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(with.slots()[i].room, before[i]) << why << " changed array " << i;
  }

  static std::string name_of(std::size_t i) { return "array " + std::to_string(i); }

  std::vector<array> const& arrays() const { return GetParam().arrays; }
};

TEST_P(bad_array, none_is) {
  arguments with(arrays());
  EXPECT_NO_THROW(GetParam().run(with));
}

TEST_P(bad_array, null_pointers) {
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    if (arrays()[i].is == part::validity) continue;  // all values are valid
    arguments with(arrays());
    with.slots()[i].data = nullptr;
    expect_refused(with, "null pointer", name_of(i));
  }
}

TEST_P(bad_array, lengths_beyond_all_memory) {
  std::set<int> all;
  for (array const& a : arrays()) all.insert(a.is == part::validity ? 0 : a.length);
  for (int const length : all)
    for (std::uint64_t const size : {std::uint64_t{1} << 48, std::uint64_t{1} << 61, ~std::uint64_t{0} - 1}) {
      arguments with(arrays());
      for (slot& s : with.slots())
        if (s.of.length == length) s.size = size;
      expect_refused(with, "", std::to_string(size) + " elements");
    }
}

TEST_P(bad_array, outputs_over_other_arrays) {
  for (std::size_t o = 0; o < arrays().size(); ++o)
    for (std::size_t i = 0; i < arrays().size(); ++i) {
      if (o == i || !arrays()[o].written()) continue;
      for (int const home : {-1, 0, 1}) {
        arguments with(arrays());
        slot& output = with.slots()[o];
        slot const& other = with.slots()[i];
        auto* const at = static_cast<std::byte*>(other.data);
        output.data = home < 0 ? at - output.bytes() + 1 : home == 0 ? at : at + other.bytes() - 1;
        expect_refused(with, "overlap", name_of(o) + " over " + name_of(i));
      }
    }
}

TEST_P(bad_array, types_that_are_none) {
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    if (!arrays()[i].of_keys() && !arrays()[i].of_rows()) continue;
    arguments with(arrays());
    with.slots()[i].type = 200;
    expect_refused(with, "", name_of(i) + " of type 200");
  }
}

TEST_P(bad_array, types_of_other_calls) {
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    if (!arrays()[i].of_keys() && !arrays()[i].of_rows()) continue;
    for (int const type : {1, 6}) {
      arguments with(arrays());
      with.slots()[i].type = arrays()[i].of_rows() ? 1 : type;
      try {
        GetParam().run(with);
      } catch (error const&) {
      } catch (std::exception const& e) {
        ADD_FAILURE() << name_of(i) << " gives " << typeid(e).name() << ": " << e.what();
      }
    }
  }
}

/// Arrays of columns may have any address on the host.
TEST_P(bad_array, odd_addresses) {
  if (GetParam().name == "prefix_borders") GTEST_SKIP() << "takes spans of numbers, which are aligned";
  arguments usual(arrays());
  GetParam().run(usual);
  for (std::size_t i = 0; i < arrays().size(); ++i) {
    arguments with(arrays());
    slot& odd = with.slots()[i];
    odd.move_to(static_cast<std::byte*>(odd.data) + 1);
    if (GetParam().name == "index::over_sorted") {
      expect_refused(with, "not aligned", name_of(i));
      continue;
    }
    ASSERT_NO_THROW(GetParam().run(with)) << name_of(i);
    for (std::size_t j = 0; j < arrays().size(); ++j)
      EXPECT_EQ(std::memcmp(with.slots()[j].data, usual.slots()[j].data, usual.slots()[j].bytes()), 0) << name_of(j);
  }
}

std::string name_of_call(testing::TestParamInfo<call> const& info) {
  return test_name(info.param.name) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(all, bad_array, testing::ValuesIn(calls()), name_of_call);

/// The header declares no function that takes arrays and is not in the table.
TEST(bad_array_table, names_every_function) {
  std::set<std::string> known = {
      // What describes arrays, or borrows one key.
      "column", "fixed_bytes", "nullable_column", "row_column", "row_output", "key_output", "value_column",
      "rows_by_probe", "border_list", "lookup_output", "interval_probes", "within",
      // Single keys and files; arrays of bytes are those of `load` below.
      "expect_possible", "expect_array", "load", "load_range_aggregates", "note_of", "mapped_column", "device_of",
      "deallocate", "ask_one",
      // What all lookups of the table are names of.
      "look_up", "list",
      // Types of functions of the caller.
      "void",
      // Rows of an answer, and keys in chunks, which those who read them have checked.
      "facts_of", "encode_keys", "encode_groups",
      // Private parts of functions in the table.
      "find_one", "take_values", "span_of", "first_k", "number_values", "find_rows", "expect_quantile", "run_ranges",
      "add_up", "find_borders", "walk_prefixes", "fill", "change", "ask", "ask_over_links", "exchange"};
  for (call const& c : calls()) known.insert(c.name.substr(c.name.rfind(':') + 1));
  std::regex const comment("//[^\n]*");
  std::regex const function(
      "(\\w+)\\(([^()]*\\b(?:column|nullable_column const&|row_column|row_output|key_output|value_column const&|"
      "key_ranges const&|std::span<[^()]*>|Values&&|void\\*|void const\\*) \\w+[^()]*)\\)");
  int found = 0;
  for (auto const& entry : std::filesystem::directory_iterator(WARPDEX_TEST_FILES "/../include/warpdex")) {
    if (!entry.is_regular_file() || entry.path().extension() == ".h") continue;  // tests/c_api asks those for C
    std::ifstream file(entry.path());
    std::string const header = std::regex_replace(std::string(std::istreambuf_iterator<char>(file), {}), comment, "");
    for (std::sregex_iterator f(header.begin(), header.end(), function); f != std::sregex_iterator(); ++f, ++found)
      EXPECT_TRUE(known.contains((*f)[1])) << entry.path().filename() << ": " << f->str();
  }
  EXPECT_GT(found, 60);
}

/// Bytes of index files are arrays of one element per byte.
TEST(bad_bytes, null_or_endless) {
  std::vector<std::byte> const file = index::build("AO+BS", std::vector<std::uint32_t>{0, 1, 2, 3}, exec).save();
  std::shared_ptr<void const> const owner;
  auto const refused = [](auto const& of, std::span<std::byte const> bytes, std::string const& words) {
    EXPECT_TRUE(throws<invalid_argument>([&] { of(bytes); }, words));
  };
  auto const load = [](std::span<std::byte const> bytes) { (void)index::load(bytes, exec); };
  auto const load_in_place = [&](std::span<std::byte const> bytes) { (void)index::load(bytes, owner, exec); };
  auto const load_groups = [](std::span<std::byte const> bytes) { (void)grouped_index::load(bytes, exec); };
  auto const groups_in_place = [&](std::span<std::byte const> bytes) { (void)grouped_index::load(bytes, owner, exec); };
  auto const load_networks = [](std::span<std::byte const> bytes) { (void)networks::load(bytes, exec); };
  auto const networks_in_place = [&](std::span<std::byte const> bytes) { (void)networks::load(bytes, owner, exec); };
  auto const load_set = [](std::span<std::byte const> bytes) { (void)key_set::load(bytes, exec); };
  auto const set_in_place = [&](std::span<std::byte const> bytes) { (void)key_set::load(bytes, owner, exec); };
  auto const load_intervals = [](std::span<std::byte const> bytes) { (void)intervals::load(bytes, exec); };
  auto const intervals_in_place = [&](std::span<std::byte const> bytes) { (void)intervals::load(bytes, owner, exec); };
  auto const load_encoder = [](std::span<std::byte const> bytes) { (void)key_encoder::load(bytes); };
  auto const load_values = [](std::span<std::byte const> bytes) { (void)load_range_aggregates(bytes, exec); };
  auto const values_in_place = [&](std::span<std::byte const> bytes) {
    (void)load_range_aggregates(bytes, owner, exec);
  };
  auto const note = [](std::span<std::byte const> bytes) { (void)note_of(bytes); };
  std::span<std::byte const> const nothing(static_cast<std::byte const*>(nullptr), file.size());
  std::span<std::byte const> const endless(file.data(), std::size_t{1} << 61);
  for (auto const& [given, words] : {std::pair(nothing, "null pointer"), std::pair(endless, "2^48")}) {
    refused(load, given, words);
    refused(load_in_place, given, words);
    refused(load_groups, given, words);
    refused(groups_in_place, given, words);
    refused(load_networks, given, words);
    refused(networks_in_place, given, words);
    refused(load_set, given, words);
    refused(set_in_place, given, words);
    refused(load_intervals, given, words);
    refused(intervals_in_place, given, words);
    refused(load_encoder, given, words);
    refused(load_values, given, words);
    refused(values_in_place, given, words);
    refused(note, given, words);
  }
  EXPECT_TRUE(
      throws<invalid_argument>([&] { (void)index::load(file, exec, static_cast<check>(9)); }, "check number 9"));
}

}  // namespace
}  // namespace warpdex::test
