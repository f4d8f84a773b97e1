// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <tuple>

/// @file
/// Columns and files of strings that no call can accept. Each case throws, says what and where, and leaves the index
/// as it was.
namespace warpdex::test {
namespace {

using offsets32 = std::vector<std::uint32_t>;
using offsets64 = std::vector<std::uint64_t>;

/// A column with offsets.
template <class Offset> column strings_of(std::span<std::byte const> bytes, std::vector<Offset> const& offsets) {
  return {bytes, std::span<Offset const>(offsets)};
}

/// An index over "pear", "fig", "fig", "apple" of each structure that takes strings, on each backend.
class bad_strings : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  index make() const { return index::build(structure_, keys_, exec_); }

  void expect_unharmed(index const& i) const {
    byte_strings probes;
    for (char const* const text : {"fig", "plum", "apple"}) probes.push_back(text);
    std::vector<std::uint32_t> rows(3);
    i.find(probes, std::span(rows), exec_);
    EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, no_row<std::uint32_t>, 3}));
    EXPECT_EQ(i.size(), 4u);
    i.verify(exec_);
  }

  /// Whether all calls refuse a column of four strings and say why.
  template <class... Words> void expect_refused(column const& bad, Words const&... words) {
    std::vector<std::uint32_t> rows(4);
    std::vector<std::uint32_t> positions(4);
    std::vector<std::uint64_t> numbers(4);
    std::vector<std::uint8_t> flags(4);
    std::span<std::uint32_t const> const new_rows(rows);
    column const good = keys_;
    index i = make();
    auto const refused = [&](auto const& call, char const* name, char const* what) {
      EXPECT_TRUE(throws<invalid_argument>(call, name, what, words...)) << name << ", " << what;
    };
    refused([&] { index::build(structure_, bad, exec_); }, "build", "the key column");
    refused([&] { i.insert(bad, new_rows, exec_); }, "insert", "inserted keys");
    refused([&] { i.erase(bad, exec_); }, "erase", "erased keys");
    refused([&] { i.update(good, new_rows, bad, exec_); }, "update", "erased keys");
    refused([&] { i.insert_or_assign(bad, new_rows, exec_); }, "insert_or_assign", "inserted keys");
    refused([&] { i.contains(bad, std::span(flags), exec_); }, "contains", "the probe column");
    refused([&] { i.find(bad, std::span(rows), exec_); }, "find", "the probe column");
    refused([&] { i.find_unordered(bad, std::span(positions), std::span(rows), exec_); }, "find_unordered", "probe");
    refused([&] { i.lower_bound(bad, std::span(numbers), exec_); }, "lower_bound", "the probe column");
    refused([&] { i.upper_bound(bad, std::span(numbers), exec_); }, "upper_bound", "the probe column");
    refused([&] { i.floor(bad, {}, std::span(rows), exec_); }, "floor", "the probe column");
    refused([&] { i.ceil(bad, {}, std::span(rows), exec_); }, "ceil", "the probe column");
    refused([&] { i.count(bad, std::span(numbers), exec_); }, "count", "");
    refused([&] { (void)i.retrieve(bad, exec_); }, "retrieve", "");
    refused([&] { i.range_count({bad, good}, std::span(numbers), exec_); }, "range_count", "lower bounds");
    refused([&] { i.range_count({good, bad}, std::span(numbers), exec_); }, "range_count", "upper bounds");
    refused([&] { i.range_sum({good, bad}, std::span(numbers), exec_); }, "range_sum", "upper bounds");
    refused([&] { (void)i.range_retrieve({good, bad}, exec_); }, "range_retrieve", "upper bounds");
    refused([&] { i.prefix_count(bad, std::span(numbers), exec_); }, "prefix_count", "");
    refused([&] { i.prefix_sum(bad, std::span(numbers), exec_); }, "prefix_sum", "");
    refused([&] { (void)i.prefix_retrieve(bad, exec_); }, "prefix_retrieve", "");
    expect_unharmed(i);
  }

  bool cuda() const { return backend_ == backend_kind::cuda; }

  std::string const structure_ = std::get<0>(GetParam());
  backend_kind const backend_ = std::get<1>(GetParam());
  byte_strings const keys_{std::vector<std::string>{"pear", "fig", "fig", "apple"}};
  std::vector<std::byte> const bytes_{20, std::byte{'x'}};
  test_stream stream_{backend_};
  execution exec_{memory_of(backend_), stream_, 1};
};

TEST_P(bad_strings, offsets_that_descend) {
  offsets32 const narrow = {0, 3, 2, 5, 9};
  expect_refused(strings_of(bytes_, narrow), "descend", "string 1");
  offsets64 const wide = {4, 5, 6, 7, 3};
  expect_refused(strings_of(bytes_, wide), "descend", "string 3");
}

TEST_P(bad_strings, offsets_outside_of_the_bytes) {
  offsets32 const narrow = {0, 3, 3, 21, 21};
  expect_refused(strings_of(bytes_, narrow), "outside of its 20 bytes", "string 2");
  offsets64 const wide = {0, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  expect_refused(strings_of(bytes_, wide), "outside of its 20 bytes", "string 0");
  std::vector<std::int64_t> const negative = {0, 3, 5, -1, 7};
  expect_refused(strings_of(bytes_, negative), "string 2");
}

/// The length alone is a reason to refuse: no byte of such a column is read. Its addresses are those of nothing else.
TEST_P(bad_strings, keys_of_4_gib) {
  std::uint64_t const length = std::uint64_t{1} << 32;
  void* const reserved = mmap(nullptr, 2 + length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(reserved, MAP_FAILED);
  offsets64 const offsets = {0, 1, 1 + length, 1 + length, 1 + length};
  expect_refused(strings_of({static_cast<std::byte const*>(reserved), 2 + length}, offsets), "more than 2^32 - 1 apart",
                 "string 1");
  munmap(reserved, 2 + length);
}

TEST_P(bad_strings, null_bytes_and_null_offsets) {
  offsets32 const offsets = {0, 1, 2, 3, 4};
  column nothing = strings_of({}, offsets);
  expect_refused(nothing, "outside of its 0 bytes", "string 0");
  nothing.strings.bytes = 4;
  expect_refused(nothing, "null pointer with 4 elements");
  column no_offsets = strings_of(bytes_, offsets);
  no_offsets.strings.offsets = nullptr;
  expect_refused(no_offsets, "offsets", "null pointer with 5 elements");
}

TEST_P(bad_strings, strides) {
  expect_refused(column::fixed_bytes(std::span(bytes_), 0, 4), "neither offsets nor a stride");
  expect_refused(column::fixed_bytes(std::span(bytes_), 6, 4), "4 strings of 6 bytes", "20 bytes");
  expect_refused(column::fixed_bytes(std::span(bytes_), 0xffffffff, 4), "4 strings of 4294967295 bytes");
  expect_refused(column::fixed_bytes({}, 5, 4), "4 strings of 5 bytes", "0 bytes");
}

TEST_P(bad_strings, offsets_of_an_odd_width) {
  offsets32 const offsets = {0, 1, 2, 3, 4};
  column odd = strings_of(bytes_, offsets);
  odd.strings.offset_bytes = 2;
  expect_refused(odd, "offsets of 2 bytes");
}

/// Without strings nothing is looked at, and empty strings need no bytes.
TEST_P(bad_strings, nothing_is_legal_where_nothing_is_needed) {
  column const none(nullptr, 0, key_type::bytes);
  index const i = make();
  i.find(none, row_output(nullptr, 0, row_type::u32), exec_);
  i.prefix_count(none, {}, exec_);
  EXPECT_EQ(i.retrieve(none, exec_).total, 0u);
  EXPECT_EQ(i.keys_at({}, exec_).size, 0u);
  EXPECT_EQ(index::build(structure_, none, exec_).size(), 0u);
  offsets32 const empty = {0, 0, 0};
  index const of_empty = index::build(structure_, strings_of({}, empty), exec_);
  EXPECT_EQ(of_empty.size(), 2u);
  of_empty.verify(exec_);
}

TEST_P(bad_strings, against_numbers_and_back) {
  std::vector<std::uint32_t> const numbers = {30, 20, 20, 10};
  column const of_numbers = std::span(numbers);
  std::vector<std::uint32_t> rows(4);
  std::vector<std::uint64_t> counts(4);
  index strings = make();
  index other = index::build(structure_, of_numbers, exec_);
  auto const refused = [&](auto const& call, char const* name, char const* got, char const* of) {
    EXPECT_TRUE(throws<invalid_argument>(call, name, "of type " + std::string(got), "of type " + std::string(of)));
  };
  refused([&] { strings.find(of_numbers, std::span(rows), exec_); }, "find", "u32", "bytes");
  refused([&] { strings.range_count({of_numbers, keys_}, std::span(counts), exec_); }, "range_count", "u32", "bytes");
  refused([&] { strings.prefix_count(of_numbers, std::span(counts), exec_); }, "prefix_count", "u32", "bytes");
  refused([&] { strings.erase(of_numbers, exec_); }, "erase", "u32", "bytes");
  refused([&] { other.find(keys_, std::span(rows), exec_); }, "find", "bytes", "u32");
  refused([&] { other.range_count({of_numbers, keys_}, std::span(counts), exec_); }, "range_count", "bytes", "u32");
  refused([&] { (void)other.retrieve(keys_, exec_); }, "retrieve", "bytes", "u32");
  refused([&] { other.insert(keys_, std::span(numbers), exec_); }, "insert", "bytes", "u32");
  refused([&] { other.erase(keys_, exec_); }, "erase", "bytes", "u32");
  EXPECT_TRUE(throws<unsupported>([&] { other.prefix_count(keys_, std::span(counts), exec_); }, "prefix_count", "u32",
                                  "prefix_range"));
  EXPECT_TRUE(throws<unsupported>([&] { (void)other.prefix_retrieve(keys_, exec_); }, "prefix_retrieve", "u32"));
  expect_unharmed(strings);
  other.verify(exec_);
}

TEST_P(bad_strings, structures_without_strings) {
  int refused = 0;
  for (structure_info const& info : structures()) {
    if (info.takes_bytes) continue;
    for (std::string const& sample : info.samples) {
      ++refused;
      EXPECT_TRUE(throws<spec_error>([&] { index::build(sample, keys_, exec_); }, spec(sample).structure(),
                                     "takes bytes", "^"));
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(throws<unsupported>([&] { (void)index::over_sorted(structure_, keys_, exec_); }, "over_sorted", "bytes"));
}

TEST_P(bad_strings, key_outputs) {
  index const i = make();
  std::vector<std::uint64_t> room(16);
  std::vector<std::uint32_t> rows(4);
  key_output const keys(room.data(), 4, key_type::bytes);
  EXPECT_TRUE(throws<unsupported>([&] { i.floor(keys_, keys, std::span(rows), exec_); }, "floor", "bytes", "keys_at"));
  EXPECT_TRUE(throws<unsupported>([&] { i.ceil(keys_, keys, std::span(rows), exec_); }, "ceil", "bytes", "keys_at"));
  expect_unharmed(i);
}

TEST_P(bad_strings, ranks_beyond_the_size) {
  index const i = make();
  offsets64 const ranks = {0, 3, 4, ~std::uint64_t{0}};
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)i.keys_at(ranks, exec_); }, "keys_at", "rank number 2",
                                       "whose ranks are below 4"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        (void)i.keys_at({static_cast<std::uint64_t*>(nullptr), 2}, exec_);
      },
      "keys_at", "null"));
  std::vector<double> const numbers = {3, 1, 2};
  index const of_numbers = index::build("EO+BS", std::span(numbers), exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)of_numbers.keys_at(std::span(ranks).subspan(1), exec_); }, "keys_at",
                                       "rank number 0", "below 3"));
  index const empty = index::build(structure_, byte_strings(), exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)empty.keys_at(std::span(ranks).first(1), exec_); }, "keys_at",
                                       "rank number 0"));
  expect_unharmed(i);
}

/// An output must not overlap the strings that a call reads.
TEST_P(bad_strings, outputs_over_their_own_strings) {
  index const i = make();
  offsets64 offsets = {0, 8, 16, 24, 32};
  std::vector<std::uint64_t> texts(4, 7);
  std::span<std::byte const> const bytes(reinterpret_cast<std::byte const*>(texts.data()), 32);
  column const probes = strings_of(bytes, offsets);
  std::span const over_offsets = std::span(offsets).first(4);
  EXPECT_TRUE(throws<invalid_argument>([&] { i.lower_bound(probes, over_offsets, exec_); }, "lower_bound", "overlap"));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.count(probes, std::span(texts), exec_); }, "count", "overlap"));
  EXPECT_EQ(offsets, (offsets64{0, 8, 16, 24, 32}));
  EXPECT_EQ(texts, offsets64(4, 7));
}

TEST_P(bad_strings, arrays_on_different_sides) {
  if (!cuda()) GTEST_SKIP() << "needs a CUDA device";
  execution const host(host_memory(), {}, 1);
  offsets32 const offsets = {0, 1, 2, 3, 4};
  buffer const room(64, exec_);
  copy(room.data(), offsets.data(), 20, exec_);
  column halved = strings_of(bytes_, offsets);
  halved.strings.offsets = room.data();
  expect_refused(halved, "bytes on the host", "offsets on the device");
  halved = strings_of({room.as<std::byte>(), 64}, offsets);
  expect_refused(halved, "bytes on the device", "offsets on the host");
  column const on_device =
      column(std::span(room.as<std::byte const>() + 32, 20), std::span(room.as<std::uint32_t const>(), 5));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { index::build(structure_, on_device, host); }, "build", "the index on the host"));
  column misaligned = on_device;
  misaligned.strings.offsets = room.as<char>() + 2;
  expect_refused(misaligned, "offsets", "not aligned to its 4-byte elements");
}

/// A lookup on device columns does not wait for a check: of each probe it takes the part inside the bytes.
TEST_P(bad_strings, device_probes_are_cut) {
  if (!cuda()) GTEST_SKIP() << "needs a CUDA device";
  index i = make();
  buffer const on_device(64, exec_);
  copy(on_device.data(), "figfig", 6, exec_);
  offsets32 const bad = {0, 3, 0xfffffff0, 1, 3};  // "fig", "fig" as far as it goes, nothing, and what is left of it
  copy(on_device.as<char>() + 16, bad.data(), 20, exec_);
  column const probes(std::span(on_device.as<std::byte const>(), 6),
                      std::span(on_device.as<std::uint32_t const>() + 4, 5));
  std::vector<std::uint32_t> rows(4);
  i.find(probes, std::span(rows), exec_);
  constexpr auto none = no_row<std::uint32_t>;
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 1, none, none}));
  EXPECT_TRUE(throws<invalid_argument>([&] { i.erase(probes, exec_); }, "erase", "string 1"));
  expect_unharmed(i);
}

INSTANTIATE_TEST_SUITE_P(all, bad_strings,
                         testing::Combine(testing::Values("AO+BS", "GRT"), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Files with right checksums whose arrays contradict each other.
class bad_string_files : public damaged_index, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    byte_strings keys;
    for (int i = 0; i < 200; ++i) keys.push_back(std::string(static_cast<std::size_t>(i % 7), 'k') + std::to_string(i));
    index const built = index::build(GetParam(), keys, exec_);
    built.save(path_);
    index::load(path_, exec_);
  }

  testing::AssertionResult offsets_found(std::function<void(std::span<std::uint32_t>)> const& change) {
    return is_found("offsets", on<std::uint32_t>(change));
  }
};

TEST_P(bad_string_files, offsets) {
  EXPECT_TRUE(offsets_found([](auto o) { std::swap(o[10], o[20]); }));
  EXPECT_TRUE(offsets_found([](auto o) { o[0] = 1; }));
  EXPECT_TRUE(offsets_found([](auto o) { o[200] -= 1; }));
  EXPECT_TRUE(offsets_found([](auto o) { o[200] += 1; }));
  EXPECT_TRUE(offsets_found([](auto o) { o[100] = 0xffffffff; }));
  EXPECT_TRUE(offsets_found([](auto o) { o[199] = o[200] + 1; }));
  EXPECT_TRUE(is_found("offsets", [](bytes& b) { b.resize(b.size() - 4); }));
  EXPECT_TRUE(is_found("offsets", [](bytes& b) { b.resize(b.size() * 2); }));
}

TEST_P(bad_string_files, bytes_rows_and_order) {
  EXPECT_TRUE(is_found("bytes", [](bytes& b) { b[0] = std::byte{0xff}; }));
  EXPECT_TRUE(is_found("bytes", [](bytes& b) { b.back() = std::byte{0}; }));
  EXPECT_TRUE(is_found("bytes", [](bytes& b) { b.resize(b.size() - 1); }));
  EXPECT_TRUE(is_found("bytes", [](bytes& b) { b.push_back(std::byte{0}); }));
  EXPECT_TRUE(is_found("rows", on<std::uint32_t>([](auto rows) { rows[7] = no_row<std::uint32_t>; })));
  EXPECT_TRUE(is_found("rows", [](bytes& b) { b.resize(b.size() - 4); }));
}

/// Wherever the file ends, also inside of its bytes.
TEST_P(bad_string_files, that_end_too_early) {
  auto const size = std::filesystem::file_size(path_);
  auto const cut = folder_ / "cut.wdx";
  for (std::uintmax_t keep = 0; keep < size; keep += 1 + size / 97) {
    std::filesystem::copy_file(path_, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, keep);
    for (bool const map : {false, true})
      EXPECT_TRUE(throws<format_error>([&] { index::load(cut, exec_, map); }, "cut.wdx")) << keep << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(all, bad_string_files, testing::Values("AO+BS", "GRT"),
                         [](auto const& structure) { return test_name(structure.param); });

/// An empty index has one offset and no bytes.
TEST(bad_files_of_no_strings, bytes_that_belong_to_no_key) {
  folder const files;
  auto const path = files / "index.wdx";
  index::build("AO+BS", byte_strings(), execution(host_memory(), {}, 1)).save(path);
  EXPECT_EQ(index::load(path, execution(host_memory(), {}, 1)).size(), 0u);
  EXPECT_TRUE(damage_is_found<std::byte>(path, "bytes", [](auto& b) { b.resize(100); }));
  EXPECT_TRUE(damage_is_found<std::byte>(path, "offsets", [](auto& b) { b.front() = std::byte{1}; }));
}

}  // namespace
}  // namespace warpdex::test
