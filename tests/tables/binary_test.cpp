// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "input_test.hpp"

#include <limits>

namespace warpdex::tables {
namespace {

using strings = std::vector<std::string>;

class npy : public input_test {
 protected:
  /// A file as NumPy writes it, with any dictionary.
  static std::string with_header(std::string dictionary, std::string const& data, char version = 1) {
    std::size_t const prefix = version == 1 ? 10 : 12;
    while ((prefix + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
    dictionary += '\n';
    std::string out = "\x93NUMPY";
    out += version;
    out += '\0';
    out += version == 1 ? bytes_of(static_cast<std::uint16_t>(dictionary.size()))
                        : bytes_of(static_cast<std::uint32_t>(dictionary.size()));
    return out + dictionary + data;
  }

  static std::string array(std::string const& type, std::size_t size, std::string const& data, char version = 1) {
    return with_header("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(size) + ",), }",
                       data, version);
  }

  template <class Stored, class Key>
  void expect_read(std::string const& type, std::vector<Stored> const& stored, key_type expected_type,
                   std::vector<Key> const& expected) {
    SCOPED_TRACE(type);
    auto const keys = read(file("keys.npy", array(type, stored.size(), bytes_of(stored))));
    EXPECT_EQ(keys.type(), expected_type);
    EXPECT_EQ(values<Key>(keys), expected);
  }
};

TEST_F(npy, every_type) {
  expect_read<std::uint8_t, std::uint32_t>("|u1", {0, 255}, key_type::u32, {0, 255});
  expect_read<std::uint16_t, std::uint32_t>("<u2", {0, 65535}, key_type::u32, {0, 65535});
  expect_read<std::uint32_t, std::uint32_t>("<u4", {0, 4294967295}, key_type::u32, {0, 4294967295});
  expect_read<std::uint64_t, std::uint64_t>("<u8", {0, ~0ull}, key_type::u64, {0, ~0ull});
  expect_read<std::int8_t, std::int32_t>("|i1", {-128, 127}, key_type::i32, {-128, 127});
  expect_read<std::int8_t, std::int32_t>("<i1", {-128, 127}, key_type::i32, {-128, 127});
  expect_read<std::int16_t, std::int32_t>("<i2", {-32768, 5}, key_type::i32, {-32768, 5});
  expect_read<std::int32_t, std::int32_t>("<i4", {-7, 5}, key_type::i32, {-7, 5});
  expect_read<std::int64_t, std::int64_t>("<i8", {-7, 5}, key_type::i64, {-7, 5});
  expect_read<float, float>("<f4", {-0.5f, 3}, key_type::f32, {-0.5f, 3});
  expect_read<double, double>("<f8", {-0.5, 3}, key_type::f64, {-0.5, 3});
  expect_read<std::int64_t, std::int32_t>("<M8[D]", {-1, 19753}, key_type::date, {-1, 19753});
  expect_read<std::int64_t, std::int64_t>("<M8[s]", {-1, 2}, key_type::timestamp, {-1'000'000, 2'000'000});
  expect_read<std::int64_t, std::int64_t>("<M8[ms]", {-1, 2}, key_type::timestamp, {-1000, 2000});
  expect_read<std::int64_t, std::int64_t>("<M8[us]", {-1, 2}, key_type::timestamp, {-1, 2});
  expect_read<std::int64_t, std::int64_t>("<M8[ns]", {-1000, 2000}, key_type::timestamp, {-1, 2});
}

TEST_F(npy, versions_and_spellings) {
  std::string const data = bytes_of(std::vector<std::uint32_t>{1, 2});
  for (char const version : {1, 2, 3}) {
    EXPECT_EQ(read(file("keys.npy", array("<u4", 2, data, version))).size(), 2u) << int{version};
  }
  for (char const* const dictionary : {"{'descr':'<u4','fortran_order':False,'shape':(2,)}",
                                       "{\"shape\": (2,), \"descr\": \"<u4\", \"fortran_order\": True}",
                                       "{ 'descr' : '<u4' , 'fortran_order' : False , 'shape' : ( 2 , ) , }"}) {
    EXPECT_EQ(read(file("keys.npy", with_header(dictionary, data))).size(), 2u) << dictionary;
  }
  EXPECT_EQ(read(file("known_by_content", array("<u4", 2, data))).size(), 2u);
  EXPECT_EQ(read(file("none.npy", array("<u4", 0, ""))).size(), 0u);
}

TEST_F(npy, text_is_made_on_demand) {
  EXPECT_EQ(texts(read(file("k.npy", array("<f8", 3, bytes_of(std::vector<double>{0.1, 1e20, 2}))))),
            (strings{"0.1", "1e+20", "2"}));
  EXPECT_EQ(texts(read(file("k.npy", array("<M8[D]", 1, bytes_of(std::int64_t{19753}))))), strings{"2024-01-31"});
  EXPECT_EQ(texts(read(file("k.npy", array("<M8[ms]", 1, bytes_of(std::int64_t{1500}))))),
            strings{"1970-01-01T00:00:01.500000Z"});
  EXPECT_EQ(texts(read(file("k.npy", array("<i8", 1, bytes_of(std::int64_t{-5}))))), strings{"-5"});
}

TEST_F(npy, other_key_types) {
  std::string const path = file("keys.npy", array("<i8", 2, bytes_of(std::vector<std::int64_t>{5, 7})));
  EXPECT_EQ(values<std::uint32_t>(read(path, key_type::u32)), (std::vector<std::uint32_t>{5, 7}));
  EXPECT_EQ(values<float>(read(path, key_type::f32)), (std::vector<float>{5, 7}));
  expect_failure(path, "element 0: '5' is not a date such as 2024-01-31", key_type::date);
  expect_failure(file("d.npy", array("<f8", 1, bytes_of(0.1))),
                 "'0.1' cannot be a key of type f32, which does not hold", key_type::f32);
  expect_failure(file("n.npy", array("<i8", 2, bytes_of(std::vector<std::int64_t>{5, -1}))),
                 "n.npy: element 1: '-1' is outside u32", key_type::u32);
  expect_failure(file("f.npy", array("<f8", 1, bytes_of(1.5))), "f.npy: element 0: '1.5' cannot be a key of type i64",
                 key_type::i64);
  expect_failure(file("t.npy", array("<M8[s]", 1, bytes_of(std::int64_t{1}))),
                 "t.npy: element 0: '1970-01-01T00:00:01Z' cannot be a key of type date: it is not a whole day",
                 key_type::date);
}

TEST_F(npy, times_that_are_no_keys) {
  auto const nat = std::numeric_limits<std::int64_t>::min();
  for (char const* const unit : {"D", "s", "ms", "us", "ns"}) {
    expect_failure(
        file("t.npy", array("<M8[" + std::string(unit) + "]", 2, bytes_of(std::vector<std::int64_t>{0, nat}))),
        "t.npy: element 1: 'NaT' stands for no value");
  }
  expect_failure(file("t.npy", array("<M8[ns]", 1, bytes_of(std::int64_t{-1}))),
                 "element 0: '1969-12-31T23:59:59.999999999Z' cannot be a key of type timestamp: it is not a whole "
                 "number of microseconds");
  expect_failure(file("t.npy", array("<M8[s]", 1, bytes_of(std::int64_t{1} << 60))),
                 "element 0: '1152921504606846976' is outside timestamp");
  expect_failure(file("t.npy", array("<M8[D]", 1, bytes_of(std::int64_t{1} << 40))),
                 "element 0: '1099511627776' is outside date");
}

TEST_F(npy, probes_that_are_no_keys) {
  auto const read_as = [&](std::string const& bytes, key_type type, other_values others) {
    return key_column(file("p.npy", bytes), {.type = type, .keep_text = true, .skip_nulls = true, .others = others});
  };
  auto const nat = std::numeric_limits<std::int64_t>::min();
  std::string const decimals = array("<f8", 4, bytes_of(std::vector<double>{2, 2.5, -1, 1e20}));
  EXPECT_EQ(values<std::uint32_t>(read_as(decimals, key_type::u32, other_values::leave_out)),
            std::vector<std::uint32_t>{2});
  EXPECT_EQ(values<std::uint32_t>(read_as(decimals, key_type::u32, other_values::round_down)),
            (std::vector<std::uint32_t>{2, 2, 4294967295}));
  EXPECT_EQ(values<std::uint32_t>(read_as(decimals, key_type::u32, other_values::round_up)),
            (std::vector<std::uint32_t>{2, 3, 0}));
  EXPECT_EQ(texts(read_as(decimals, key_type::u32, other_values::leave_out)), (strings{"2", "2.5", "-1", "1e+20"}));

  std::string const times =
      array("<M8[ns]", 3, bytes_of(std::vector<std::int64_t>{1'500'000'000'001, nat, -86'400'000'000'000}));
  auto const days = read_as(times, key_type::date, other_values::round_down);
  EXPECT_EQ(values<std::int32_t>(days), (std::vector<std::int32_t>{0, -1}));
  EXPECT_EQ(days.nulls(), 1u);
  EXPECT_EQ(days.others(), 1u);
  EXPECT_EQ(texts(days), (strings{"1970-01-01T00:25:00.000000001Z", "NaT", "1969-12-31T00:00:00Z"}));
  EXPECT_EQ(values<std::int64_t>(read_as(times, key_type::timestamp, other_values::round_up)),
            (std::vector<std::int64_t>{1'500'000'001, -86'400'000'000}));
  std::string const far = array("<M8[s]", 1, bytes_of(std::int64_t{86'400} * 1'000'000'000));
  EXPECT_EQ(values<std::int32_t>(read_as(far, key_type::date, other_values::refuse)),
            std::vector<std::int32_t>{1'000'000'000})
      << "a day beyond all timestamps";
  EXPECT_THROW(read_as(decimals, key_type::date, other_values::leave_out), format_error);
}

TEST_F(npy, foreign_and_damaged_files) {
  std::string const data = bytes_of(std::vector<std::uint32_t>{1, 2});
  std::string const good = array("<u4", 2, data);
  expect_failure(file("k.npy", "1\n2\n"), "k.npy: not a .npy file");
  expect_failure(file("k.npy", ""), "k.npy: not a .npy file");
  for (std::size_t const size : {std::size_t{6}, std::size_t{7}, std::size_t{9}, std::size_t{40}}) {
    expect_failure(file("k.npy", good.substr(0, size)), "header of the .npy file is truncated");
  }
  expect_failure(file("k.npy", good.substr(0, good.size() - 1)),
                 "the header says 2 elements of 4 bytes, but 7 bytes follow it: the file is truncated");
  expect_failure(file("k.npy", good + "x"), "9 bytes follow it: the file is too long");
  expect_failure(file("k.npy", array("<u4", std::numeric_limits<std::uint64_t>::max() / 4 + 3, data)),
                 "the file is truncated");
  expect_failure(file("k.npy", array("<u4", 2, data, 4)), "version 4 of .npy is unknown");
  expect_failure(file("k.npy", array(">u4", 2, data)), "'>u4' are big-endian");
  expect_failure(file("k.npy", array("<U8", 2, data)), "'<U8' cannot be keys; known are |u1 <u2 <u4");
  expect_failure(file("k.npy", array("|b1", 8, data)), "'|b1' cannot be keys");
  expect_failure(file("k.npy", array("xu1", 8, data)), "'xu1' cannot be keys");
  expect_failure(file("k.npy", array("", 8, data)), "'' cannot be keys");
  expect_failure(file("k.npy", with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (1, 2), }", data)),
                 "the array has 2 dimensions");
  expect_failure(file("k.npy", with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (), }", data)),
                 "the array has 0 dimensions");
  expect_failure(file("k.npy", with_header("{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,), }", data)),
                 "the elements are records");
  for (char const* const dictionary :
       {"", "{", "{}", "{'descr': '<u4'}", "{'descr: '<u4'}", "{'shape': (2,), 'descr': '<u4', 'fortran_order': 1}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), } x",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), } }",
        "{'descr': '<u8', 'descr': '<u4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), 'shape': (2,), }",
        "{'descr': '<u4', 'fortran_order': False, 'fortran_order': False, 'shape': (2,), }",
        "{'shape': (99999999999999999999,), 'descr': '<u4'}", "{'shape': (-2,), 'descr': '<u4'}", "{'other': 1}"}) {
    expect_failure(file("k.npy", with_header(dictionary, data)), "the header of the .npy file is malformed");
  }
  expect_failure(file("k.npy", good) + ":0", "a .npy file has no column '0'");
}

class sosd : public input_test {};

TEST_F(sosd, width_by_name_or_size) {
  std::string const narrow = bytes_of(std::uint64_t{3}) + bytes_of(std::vector<std::uint32_t>{7, 8, 9});
  std::string const wide = bytes_of(std::uint64_t{2}) + bytes_of(std::vector<std::uint64_t>{7, ~0ull});
  for (char const* const name : {"books_uint32", "books.sosd", "uint32.sosd"}) {
    auto const keys = read(file(name, narrow));
    EXPECT_EQ(keys.type(), key_type::u32) << name;
    EXPECT_EQ(values<std::uint32_t>(keys), (std::vector<std::uint32_t>{7, 8, 9}));
  }
  for (char const* const name : {"books_200M_uint64", "books2.sosd", "uint64.sosd"}) {
    auto const keys = read(file(name, wide));
    EXPECT_EQ(keys.type(), key_type::u64) << name;
    EXPECT_EQ(values<std::uint64_t>(keys), (std::vector<std::uint64_t>{7, ~0ull}));
    EXPECT_EQ(texts(keys)[1], "18446744073709551615");
  }
  EXPECT_EQ(read(file("none.sosd", bytes_of(std::uint64_t{0}))).size(), 0u);
  EXPECT_EQ(read(file("none_uint32", bytes_of(std::uint64_t{0}))).type(), key_type::u32);
}

TEST_F(sosd, names_of_other_formats_come_first) {
  EXPECT_EQ(read(file("keys_uint64.txt", "5\n")).size(), 1u);
  EXPECT_EQ(read(file("keys_uint64.csv", "a\n5\n")).size(), 1u);
}

TEST_F(sosd, count_and_size_disagree) {
  std::string const keys = bytes_of(std::vector<std::uint64_t>{1, 2});
  expect_failure(file("k_uint64", "1234567"), "k_uint64: 7 bytes are too few");
  expect_failure(file("k_uint64", ""), "0 bytes are too few");
  expect_failure(file("k_uint64", bytes_of(std::uint64_t{3}) + keys),
                 "the header says 3 elements of 8 bytes, but 16 bytes follow it: the file is truncated");
  expect_failure(file("k_uint64", bytes_of(std::uint64_t{1}) + keys), "the file is too long");
  expect_failure(file("k_uint64", bytes_of(~0ull) + keys), "the header says 18446744073709551615 elements");
  expect_failure(file("k_uint64", bytes_of((std::uint64_t{1} << 61) + 2) + keys),
                 "truncated");  // the bytes of all keys overflow
  expect_failure(file("k_uint32", bytes_of(std::uint64_t{2}) + keys),
                 "the header says 2 elements of 4 bytes, but 16 bytes follow it");
  expect_failure(file("k.sosd", bytes_of(std::uint64_t{3}) + keys), "truncated");
}

class raw : public input_test {};

TEST_F(raw, keys_of_16_bytes) {
  std::vector<u128> const stored = {7, u128{1} << 64, ~u128{0}};
  auto const keys = read(file("keys.u128", bytes_of(stored)));
  EXPECT_EQ(keys.type(), key_type::u128);
  EXPECT_EQ(values<u128>(keys), stored);
  EXPECT_EQ(texts(keys)[1], "0x00000000000000010000000000000000");
  EXPECT_EQ(values<u128>(read(file("none.u128", ""))).size(), 0u);
  expect_failure(file("cut.u128", bytes_of(stored).substr(1)), "47 bytes are no whole number of keys of 16 bytes");
  expect_failure(file("keys.u128", bytes_of(stored)), "element 1: '0x00000000000000010000000000000000' is outside u64",
                 key_type::u64);
}

}  // namespace
}  // namespace warpdex::tables
