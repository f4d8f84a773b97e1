// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/key_file.hpp"

#include "run_bench.hpp"
#include "support/folder.hpp"

#include <warpdex/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace warpdex::bench {
namespace {

using namespace std::string_literals;

template <class T> std::string bytes_of(std::vector<T> const& values) {
  std::string out(values.size() * sizeof(T), '\0');
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

using halves = std::vector<std::uint32_t>;
using wholes = std::vector<std::uint64_t>;

class key_files : public testing::Test {
 protected:
  std::string file(char const* name, std::string const& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  template <class T> void expect_keys(std::string const& path, key_type type, std::vector<T> const& expected) const {
    SCOPED_TRACE(path);
    key_file read(path);
    EXPECT_EQ(read.type(), type);
    ASSERT_EQ(read.size(), expected.size());
    column const keys = read.read();
    EXPECT_EQ(keys.type, type);
    ASSERT_EQ(keys.size, expected.size());
    EXPECT_EQ(std::string(static_cast<char const*>(keys.data), expected.size() * sizeof(T)), bytes_of(expected));
  }

  static void expect_failure(std::string const& path, std::string const& part) {
    try {
      key_file(path).read();
      ADD_FAILURE() << path << " was read; expected: " << part;
    } catch (format_error const& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what() << "\nlacks: " << part;
    }
  }

  test::folder folder_;
};

/// An array as NumPy writes it, with any dictionary.
std::string with_header(std::string dictionary, std::string const& data, char version = 1) {
  std::size_t const prefix = version == 1 ? 10 : 12;
  while ((prefix + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string const length = bytes_of(halves{static_cast<std::uint32_t>(dictionary.size())});
  return "\x93NUMPY"s + version + '\0' + length.substr(0, version == 1 ? 2 : 4) + dictionary + data;
}

std::string array(std::string const& type, std::uint64_t size, std::string const& data, char version = 1) {
  return with_header("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(size) + ",), }",
                     data, version);
}

TEST_F(key_files, arrays_of_numpy) {
  auto const expect = [&]<class T>(char const* type, key_type expected, std::vector<T> const& stored) {
    expect_keys(file("k.npy", array(type, stored.size(), bytes_of(stored))), expected, stored);
  };
  expect("<u4", key_type::u32, halves{0, 4294967295});
  expect("<u8", key_type::u64, wholes{0, ~0ull});
  expect("<i4", key_type::i32, std::vector<std::int32_t>{-7, 5});
  expect("<i8", key_type::i64, std::vector<std::int64_t>{-7, 5});
  expect("<f4", key_type::f32, std::vector<float>{-0.5f, 3});
  expect("<f8", key_type::f64, std::vector<double>{-0.5, 3});
  expect("<u4", key_type::u32, halves{});
  for (char const version : {1, 2, 3})
    expect_keys(file("k.npy", array("<u4", 2, bytes_of(halves{1, 2}), version)), key_type::u32, halves{1, 2});
}

TEST_F(key_files, damaged_arrays) {
  std::string const data = bytes_of(halves{1, 2});
  std::string const good = array("<u4", 2, data);
  for (auto const& bytes : {"1\n2\n"s, ""s, good.substr(0, 6), good.substr(0, 11)})
    expect_failure(file("k.npy", bytes), "k.npy: not a .npy file");
  expect_failure(file("k.npy", good.substr(0, 40)), "header of the .npy file is truncated");
  expect_failure(file("k.npy", good.substr(0, good.size() - 1)),
                 "its header says 2 keys of 4 bytes, but 7 bytes follow it");
  expect_failure(file("k.npy", good + "x"), "9 bytes follow it");
  expect_failure(file("k.npy", array("<u4", std::numeric_limits<std::uint64_t>::max() / 4 + 3, data)),
                 "8 bytes follow");
  expect_failure(file("k.npy", array("<u4", 2, data, 4)), "version 4 of .npy is unknown");
  for (char const* const type : {">u4", "<U8", "|b1", "<u2", "<M8[ns]", ""})
    expect_failure(file("k.npy", array(type, 2, data)), "'"s + type + "' cannot be keys; known are <u4");
  for (char const* const shape : {"1, 2", "", "-2,", "99999999999999999999,", "2"})
    expect_failure(
        file("k.npy", with_header("{'descr': '<u4', 'fortran_order': False, 'shape': ("s + shape + "), }", data)),
        "has the shape ("s + shape + ")");
  for (char const* const dictionary :
       {"", "{", "{'shape': (2,)}", "{'descr': '<u4", "{'descr': [('a', '<u4')], 'shape': (2,)}"})
    expect_failure(file("k.npy", with_header(dictionary, data)), "elements of type ''");
}

TEST_F(key_files, files_of_the_sosd_benchmark) {
  std::string const narrow = bytes_of(wholes{3}) + bytes_of(halves{7, 8, 9});
  std::string const wide = bytes_of(wholes{2, 7, ~0ull});
  for (char const* const name : {"books_uint32", "books.sosd"})
    expect_keys(file(name, narrow), key_type::u32, halves{7, 8, 9});
  for (char const* const name : {"books_200M_uint64", "books.sosd"})
    expect_keys(file(name, wide), key_type::u64, wholes{7, ~0ull});
  expect_keys(file("none_uint32", bytes_of(wholes{0})), key_type::u32, halves{});
  expect_failure(file("k_uint64", "1234567"), "k_uint64: 7 bytes are too few");
  expect_failure(file("k_uint64", bytes_of(wholes{3, 1, 2})),
                 "its header says 3 keys of 8 bytes, but 16 bytes follow it");
  expect_failure(file("k_uint64", bytes_of(wholes{1, 1, 2})), "its header says 1 keys");
  expect_failure(file("k_uint64", bytes_of(wholes{(1ull << 61) + 2, 1, 2})), "16 bytes follow it");  // they overflow
  expect_failure(file("k_uint32", bytes_of(wholes{2, 1, 2})), "its header says 2 keys of 4 bytes");
}

TEST_F(key_files, numbers_of_16_bytes) {
  std::vector<u128> const stored = {7, u128{1} << 64, ~u128{0}};
  expect_keys(file("k.u128", bytes_of(stored)), key_type::u128, stored);
  expect_failure(file("k.u128", bytes_of(stored).substr(1)), "47 bytes are no whole number of keys of 16 bytes");
}

TEST_F(key_files, strings) {
  file("a.offsets", bytes_of(wholes{1, 3, 3, 4, 9}));
  key_file read(file("a.bytes", "xbc\0\xff\nz\"\n"s));
  EXPECT_EQ(read.type(), key_type::bytes);
  column const keys = read.read();
  ASSERT_EQ(keys.size, 4u);
  EXPECT_EQ(std::string(static_cast<char const*>(keys.data), 9), "xbc\0\xff\nz\"\n"s);
  auto const* const offsets = static_cast<std::uint64_t const*>(keys.strings.offsets);
  EXPECT_EQ(wholes(offsets, offsets + 5), (wholes{1, 3, 3, 4, 9}));
  auto const expect = [&](std::string const& of_strings, std::string const& part) {
    file("a.offsets", of_strings);
    expect_failure(file("a.bytes", "abcd"), "a.offsets: " + part);
  };
  expect("", "0 bytes are no offsets of 8 bytes");
  expect("1234567", "7 bytes are no offsets of 8 bytes");
  expect(bytes_of(wholes{0, 5}), "offset 1 is 5, after 0");
  expect(bytes_of(wholes{5}), "offset 0 is 5");
  expect(bytes_of(wholes{0, 3, 2}), "offset 2 is 2, after 3");
  EXPECT_THROW(key_file(file("alone.bytes", "abcd")), io_error);
}

TEST_F(key_files, probes_of_a_file) {
  std::string const keys = file("keys.npy", array("<i8", 4, bytes_of(wholes{7, 5, ~std::uint64_t{0}, 1})));
  std::string const probes = file("probes.npy", array("<i8", 5, bytes_of(wholes{5, 6, ~std::uint64_t{0}, 1, 1})));
  std::string const point = "point --backend cpu --repeat 1 --index AO+BS --keys " + keys + " --probes ";
  for (std::string const more : {"", " --ops floor", " --order sorted"}) {  // answers are checked there
    auto const indexes = of_kind(run(point + probes + more), "index");
    ASSERT_FALSE(indexes.empty());
    EXPECT_EQ(indexes[0]["probes"], 5);
    EXPECT_EQ(indexes[0]["probe_file"], probes);
    EXPECT_EQ(indexes[0]["hit_rate"], nullptr);
  }
  EXPECT_THROW(run(point + file("narrow.npy", array("<u4", 1, "abcd"))), usage_error);
  EXPECT_THROW(run(point + probes + " --zipf 1"), usage_error);
  EXPECT_THROW(run(point + probes + " --hit-rate .5"), usage_error);
  EXPECT_THROW(run(point + "none.npy"), io_error);
  EXPECT_THROW(run(point + file("probes.csv", "1")), format_error);
  EXPECT_THROW(run("point --backend cpu --index AO+BS --n 4 --probes " + probes), usage_error);
}

TEST_F(key_files, other_files) {
  expect_failure(file("keys.csv", "k\n1\n"), "keys.csv: no file of keys by its name");
  for (auto const& path : {"no_such.npy"s, std::string(folder_ / ".")}) EXPECT_THROW(key_file{path}, io_error);
}

}  // namespace
}  // namespace warpdex::bench
