// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/sharded.hpp>

#include "index/sorted.hpp"
#include "io/file.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Files of grouped indexes: such as are cut while they are mapped, such as say what is not true, and those of other
/// indexes.
namespace warpdex::test {
namespace {

char const* const some_specs[] = {"AO+BS",      "AO+PB+KS(9)/layout=AoS", "EO+KS(9)", "B+(16)/filter=8", "HT(open)",
                                  "HT(buckets)"};

/// Each call that reads entries. Reads of what a mapped file has lost would end the process.
TEST(grouped_file, calls_of_an_index_whose_file_is_cut) {
  execution const exec;
  folder const files;
  std::vector<std::uint32_t> groups(20000), keys(20000), sums(20000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) groups[i] = i % 7, keys[i] = i;
  std::vector<std::uint32_t> const of = {1, 2, 3}, few = {8, 9, 10}, far = {1u << 30, 9, 10};
  auto const path = files / "g.wdx";
  for (char const* const spec : some_specs) {
    SCOPED_TRACE(spec);
    grouped_index::build(spec, column(groups), column(keys), exec).save(path);
    grouped_index x = grouped_index::load(path, exec, true);
    std::filesystem::resize_file(path, 8192);
    key_ranges const ranges{column(few), column(few)};
    std::vector<std::uint8_t> flags(3);
    std::vector<std::uint32_t> rows(3), found(3);
    std::vector<std::uint64_t> counts(3), ranks(3);
    std::vector<std::pair<char const*, std::function<void()>>> calls = {
        {"contains", [&] { x.contains(column(of), column(few), flags, exec); }},
        {"find", [&] { x.find(column(of), column(few), row_output(rows), exec); }},
        {"count", [&] { x.count(column(of), column(few), counts, exec); }},
        {"retrieve", [&] { x.retrieve(column(of), column(few), exec); }},
        {"insert", [&] { x.insert(column(of), column(few), row_column(rows), exec); }},
        {"insert that numbers anew", [&] { x.insert(column(of), column(far), row_column(rows), exec); }},
        {"insert_or_assign", [&] { x.insert_or_assign(column(of), column(few), row_column(rows), exec); }},
        {"erase", [&] { x.erase(column(groups), column(keys), exec); }},
        {"update", [&] { x.update(column(of), column(far), row_column(rows), column(of), column(few), exec); }},
        {"save", [&] { x.save(files / "other"); }},
        {"save to memory", [&] { x.save(); }},
        {"clone", [&] { x.clone(exec); }},
        {"verify", [&] { x.entries().verify(exec); }},
        {"join",
         [&] { join(x.entries(), x.place_points(column(of), column(few), exec).view(), join_kind::left, exec); }},
    };
    if (x.entries().ordered()) {
      calls.insert(calls.end(),
                   {
                       {"floor", [&] { x.floor(column(of), column(few), key_output(found), row_output(rows), exec); }},
                       {"ceil", [&] { x.ceil(column(of), column(few), key_output(found), row_output(rows), exec); }},
                       {"range_count", [&] { x.range_count(column(of), ranges, counts, exec); }},
                       {"range_sum", [&] { x.range_sum(column(of), ranges, counts, exec); }},
                       {"equal_range", [&] { x.equal_range(column(of), ranges, ranks, counts, exec); }},
                       {"range_retrieve", [&] { x.range_retrieve(column(of), ranges, exec); }},
                       {"join_between", [&] { join_between(x, column(of), ranges, join_kind::left, exec); }},
                       {"join_asof", [&] { join_asof(x, column(of), column(few), row_output(rows), exec); }},
                       {"range_aggregates", [&] { range_aggregates(x.entries(), sums, exec); }},
                       {"rows_at", [&] { x.entries().rows_at(ranks, exec); }},
                   });
    }
    for (auto const& [name, call] : calls)
      EXPECT_TRUE(throws<io_error>(call, "g.wdx", "has shrunk from", "to 8192 bytes")) << name;
    EXPECT_EQ(x.size(), keys.size());
  }
}

TEST(grouped_file, calls_of_shards_whose_files_are_cut) {
  execution const exec;
  folder const files;
  std::vector<std::uint32_t> keys(20000), rows(20000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  std::array const places = {shard_place{exec}, shard_place{exec}};
  for (char const* const spec : {"AO+BS", "HT(open)"}) {
    auto const at = files / spec;
    sharded_index::build(spec, column(keys), placement::range, places).save(at);
    sharded_index const x = sharded_index::load(at, places, true);
    for (auto const& file : std::filesystem::directory_iterator(at))
      if (file.path().filename() != sharded_index::manifest_name) std::filesystem::resize_file(file, 4096);
    EXPECT_TRUE(throws<io_error>([&] { x.find(column(keys), row_output(rows), exec); }, "has shrunk from"));
    EXPECT_TRUE(throws<io_error>([&] { x.retrieve(column(keys), exec); }, "has shrunk from"));
    EXPECT_TRUE(throws<io_error>([&] { x.save(files / "other"); }, "has shrunk from"));
    EXPECT_TRUE(throws<io_error>([&] { x.verify(exec); }, "has shrunk from"));
  }
}

/// The numbers of a grouped file, in its order.
struct numbers_of_file {
  std::uint64_t group_type, smallest_group, last_group, key_type, smallest_key, last_key, key_bits;
};

/// A grouped file whose sections may be changed.
class opened_file {
 public:
  explicit opened_file(grouped_index const& from) : bytes_(from.save()), file_(io::file::parse(bytes_)) {
    for (std::string const& name : file_.names()) {
      std::vector<std::byte>& to = sections_.emplace_back(name, std::vector<std::byte>(file_.size(name))).second;
      file_.read(name, to);
    }
    std::memcpy(&numbers, section("numbers").data(), sizeof numbers);
  }

  /// Replaces the entries by those at some places.
  void put_places(char const* spec, std::vector<std::uint64_t> const& places, execution const& exec) {
    section("entries") = index::build(spec, column(places), exec).save();
    size_ = places.size();
  }

  std::vector<std::byte> bytes() {
    std::memcpy(section("numbers").data(), &numbers, sizeof numbers);
    std::vector<io::section> all;
    for (auto const& [name, content] : sections_) all.push_back({name, content.data(), content.size()});
    io::header head = file_.head();
    head.size = size_.value_or(head.size);
    return io::image(head, all);
  }

  numbers_of_file numbers{};

 private:
  std::vector<std::byte>& section(std::string const& name) {
    return std::find_if(sections_.begin(), sections_.end(), [&](auto const& section) { return section.first == name; })
        ->second;
  }

  std::vector<std::byte> bytes_;
  io::file file_;
  std::vector<std::pair<std::string, std::vector<std::byte>>> sections_;
  std::optional<std::uint64_t> size_;
};

class grouped_forgery : public testing::TestWithParam<backend_kind> {
 protected:
  /// Loads a file with an entry that no group or key has: an error, or without its check an index of which calls are
  /// safe, and which is not made again from such entries.
  template <class Group, class Key>
  void expect_refused(std::vector<Group> const& groups, std::vector<Key> const& keys, std::uint64_t group_number,
                      std::uint64_t key_number, std::vector<Key> const& far) {
    for (char const* const spec : some_specs) {
      SCOPED_TRACE(spec);
      opened_file forged(grouped_index::build(spec, column(groups), column(keys), exec_));
      forged.put_places(spec, {0, group_number << forged.numbers.key_bits | key_number}, exec_);
      auto const bytes = forged.bytes();
      EXPECT_TRUE(throws<format_error>([&] { grouped_index::load(bytes, exec_); }, "section 'entries'",
                                       "an entry has a group or a key without a number"));
      grouped_index x = grouped_index::load(bytes, exec_, check::structure);
      std::vector<std::uint32_t> rows(far.size());
      std::vector<Group> const of(far.size(), groups[0]);
      x.find(column(of), column(far), row_output(rows), exec_);
      auto const before = x.save();
      EXPECT_TRUE(throws<format_error>([&] { x.insert(column(of), column(far), row_column(rows), exec_); },
                                       "an entry has a group or a key without a number"));
      EXPECT_TRUE(throws<format_error>(
          [&] { x.update(column(of), column(far), row_column(rows), column(groups), column(keys), exec_); },
          "an entry has a group or a key without a number"));
      EXPECT_EQ(x.save(), before);
    }
  }

  execution const exec_{memory_of(GetParam())};
};

TEST_P(grouped_forgery, places_without_numbers) {
  std::vector<std::uint32_t> const groups = {3, 4, 5}, keys = {10, 12, 19}, far = {500};
  expect_refused(groups, keys, 0, 10, far);  // groups 0 to 2, keys 0 to 9
  expect_refused(groups, keys, 3, 0, far);
  expect_refused(groups, keys, 1u << 20, 0, far);
}

TEST_P(grouped_forgery, places_without_numbers_by_rank) {
  constexpr std::int64_t wide = std::int64_t{1} << 62;
  std::vector<std::int64_t> const groups = {-wide, 0, wide}, keys = {-wide, 5, wide}, far = {wide + 1};
  expect_refused(groups, keys, 0, 3, far);
  expect_refused(groups, keys, 3, 0, far);
}

TEST_P(grouped_forgery, places_of_no_float) {
  std::vector<std::uint32_t> const groups = {0, 1};
  std::vector<float> const keys = {-1, 1}, far = {1e30f};
  auto const code = [](float value) { return code_of_value(key_type::f32, __builtin_bit_cast(std::uint32_t, value)); };
  std::uint64_t const below_zero = code(0.0f) - 1;  // the code that -0.0 would have
  ASSERT_FALSE(is_code_of(key_type::f32, below_zero));
  expect_refused(groups, keys, 0, below_zero - code(-1), far);
}

TEST_P(grouped_forgery, numbers_beyond_their_types) {
  std::vector<std::uint32_t> const narrow = {3, 4, 5};
  std::vector<std::int64_t> const wide = {std::numeric_limits<std::int64_t>::min(), 0,
                                          std::numeric_limits<std::int64_t>::max()};
  auto const refused = [&](grouped_index const& from, auto const& change, auto const&... words) {
    opened_file forged(from);
    change(forged.numbers);
    auto const bytes = forged.bytes();
    for (check const checks : {check::all, check::structure})
      EXPECT_TRUE(throws<format_error>([&] { grouped_index::load(bytes, exec_, checks); }, words...));
  };
  auto const by_code = grouped_index::build("AO+BS", column(narrow), column(narrow), exec_);
  refused(
      by_code, [](auto& of) { of.smallest_key = (std::uint64_t{1} << 32) - 1; }, "beyond the values of their type");
  refused(
      by_code, [](auto& of) { of.smallest_group = ~std::uint64_t{0}; }, "beyond the values of their type");
  auto const by_rank = grouped_index::build("AO+BS", column(wide), column(wide), exec_);
  refused(
      by_rank, [](auto& of) { of.smallest_key = 1; }, "section 'keys'");
  refused(
      by_rank, [](auto& of) { of.smallest_group = 1; }, "section 'groups'");
}

/// A file says what it holds to who takes it for that of another index.
TEST_P(grouped_forgery, files_of_other_indexes) {
  std::vector<std::uint32_t> const keys = {1, 2};
  folder const files;
  std::array const places = {shard_place{}, shard_place{}};
  index::build("AO+BS", column(keys), exec_).save(files / "plain");
  grouped_index::build("AO+BS", column(keys), column(keys), exec_).save(files / "grouped");
  sharded_index::build("AO+BS", column(keys), placement::range, places).save(files / "shards");
  auto const manifest = files / "shards" / sharded_index::manifest_name;
  char const* const is_plain = "the file is that of a plain index; load it as one";
  char const* const is_grouped = "the file is that of a grouped index; load it as one";
  char const* const is_manifest = "the file is the manifest of a sharded index; load its folder";
  for (bool const map : {false, true}) {
    auto const plain = [&](auto const& path) { return [&, path] { index::load(path, exec_, map); }; };
    auto const grouped = [&](auto const& path) { return [&, path] { grouped_index::load(path, exec_, map); }; };
    EXPECT_TRUE(throws<format_error>(plain(files / "grouped"), "grouped: ", is_grouped));
    EXPECT_TRUE(throws<format_error>(plain(manifest), is_manifest));
    EXPECT_TRUE(throws<format_error>(grouped(files / "plain"), "plain: ", is_plain));
    EXPECT_TRUE(throws<format_error>(grouped(manifest), is_manifest));
  }
  for (auto const& [name, says] : {std::pair("plain", is_plain), {"grouped", is_grouped}}) {
    std::filesystem::copy_file(files / name, manifest, std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(throws<format_error>([&] { sharded_index::load(files / "shards", places); }, says));
  }
}

INSTANTIATE_TEST_SUITE_P(all, grouped_forgery, testing::ValuesIn(present_backends()),
                         [](auto const& backend) { return name_of(backend.param); });

}  // namespace
}  // namespace warpdex::test
