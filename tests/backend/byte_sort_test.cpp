// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.hpp"
#include "backend/strings/byte_words.hpp"
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/limited_memory.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Sorts of strings against std::sort over std::string. Long columns of the shapes are sorted by all threads, short
/// ones by one. In columns of lengths in between, one thread sorts the ties.
namespace warpdex::test {
namespace {

using strings = std::vector<std::string>;

struct string_shape {
  char const* name;
  strings column;
};

class string_maker {
 public:
  explicit string_maker(std::size_t size) : size_(size) {}

  std::vector<string_shape> shapes() {
    return {
        {"random", each([&](std::size_t) { return random_string(16); })},
        {"random, several lengths", each([&](std::size_t) { return random_string(random_() % 18); })},
        {"lengths around 256", each([&](std::size_t) { return random_string(255 + random_() % 3); })},
        {"one long", each([&](std::size_t i) { return random_string(i == size_ / 2 ? 70000 : 9); })},
        {"runs of 00", each([&](std::size_t) { return std::string(random_() % 40, '\0'); })},
        {"runs of FF", each([&](std::size_t) { return std::string(random_() % 40, '\xff'); })},
        {"00, 01 and FF", each([&](std::size_t) { return of_few(random_() % 24, std::string("\0\1\xff", 3)); })},
        {"all equal", each([](std::size_t) { return std::string("equal strings of 24 byte"); })},
        {"all empty", each([](std::size_t) { return std::string(); })},
        {"two values", each([](std::size_t i) { return i % 3 == 0 ? std::string(100, 'b') : std::string(100, 'a'); })},
        {"long common prefix", each([&](std::size_t) { return std::string(100, 'p') + random_string(random_() % 5); })},
        {"groups of common prefixes",
         each([&](std::size_t) { return std::string(100, static_cast<char>(random_() % 50)) + random_string(8); })},
        {"last bit", each([](std::size_t i) {
           return std::string(90, 'x') + std::to_string(i / 2) + std::string(30, 'y') + (i % 2 == 0 ? '\1' : '\0');
         })},
        {"urls", each([&](std::size_t) {
           return "https://www.host" + std::to_string(random_() % 300) + ".example/items/" +
                  std::to_string(random_() % 1000) + "?page=" + std::to_string(random_() % 10);
         })},
        {"ascending", each([](std::size_t i) { return std::to_string(10000000 + i); })},
        {"descending", each([](std::size_t i) { return std::to_string(90000000 - i); })},
    };
  }

  /// Each string begins the next one; in descending order, so that no order of numbers helps.
  static strings nested(std::size_t size) {
    strings result(size);
    for (std::size_t i = 0; i < size; ++i) result[i] = std::string(size - i, 'n');
    return result;
  }

  static strings long_and_equal(std::size_t size) {
    strings result(size);
    for (std::size_t i = 0; i < size; ++i) result[i] = std::string(70000, 'l') + (i % 5 == 0 ? "1" : "2");
    return result;
  }

 private:
  template <class Make> strings each(Make const& make) {
    strings result(size_);
    for (std::size_t i = 0; i < size_; ++i) result[i] = make(i);
    return result;
  }
  std::string random_string(std::size_t length) {
    std::string result(length, '\0');
    for (char& c : result) c = static_cast<char>(random_());
    return result;
  }
  std::string of_few(std::size_t length, std::string const& letters) {
    std::string result(length, '\0');
    for (char& c : result) c = letters[random_() % letters.size()];
    return result;
  }

  std::size_t size_;
  std::mt19937_64 random_{20261123};
};

enum class row_order : std::uint8_t { none, ascending, descending, mixed };

template <class Row> std::vector<Row> rows_in(row_order order, std::size_t size) {
  std::vector<Row> rows(size);
  std::iota(rows.begin(), rows.end(), Row{0});
  if (order == row_order::descending) std::reverse(rows.begin(), rows.end());
  if (order == row_order::mixed)
    for (std::size_t i = 0; i < size; ++i) rows[i] = static_cast<Row>(i * 2654435761u % 1000);
  return rows;
}

template <class Row> row_type type_of = sizeof(Row) == 4 ? row_type::u32 : row_type::u64;

/// Strings in the memory of a backend, one after the other, with references to them.
class placed_strings {
 public:
  placed_strings(strings const& column, execution const& exec) : size_(column.size()) {
    for (std::string const& s : column) text_ += s;
    bytes_ = put(text_.data(), text_.size(), exec);
    std::vector<byte_key> keys;
    auto const* at = bytes_.as<unsigned char>();
    for (std::string const& s : column) {
      keys.push_back({at, static_cast<std::uint32_t>(s.size())});
      at += s.size();
    }
    references_ = put(keys.data(), keys.size() * sizeof(byte_key), exec);
  }

  column references() const { return {references_.data(), size_, key_type::bytes}; }
  byte_key const* keys() const { return references_.as<byte_key>(); }
  std::string_view operator[](byte_key const& key) const {
    return std::string_view(text_).substr(static_cast<std::size_t>(key.data - bytes_.as<unsigned char>()), key.size);
  }

  static buffer put(void const* from, std::size_t bytes, execution const& exec) {
    buffer result(bytes, exec);
    if (bytes != 0) copy(result.data(), from, bytes, exec);
    return result;
  }

 private:
  std::uint64_t size_;
  std::string text_;
  buffer bytes_;
  buffer references_;
};

constexpr row_order row_orders[] = {row_order::none, row_order::ascending, row_order::descending, row_order::mixed};

class byte_sort_on : public testing::TestWithParam<backend_kind> {
 protected:
  byte_sort_on() : stream_(GetParam()), backend_(backend_of(GetParam())) {}

  execution with(int threads) const { return execution(memory_of(GetParam()), stream_, threads); }

  template <class Row> void expect_sorted(char const* name, strings const& column, row_order order, int threads) {
    execution const exec = with(threads);
    std::vector<Row> const rows = rows_in<Row>(order, column.size());
    std::vector<std::size_t> expected(column.size());
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    std::sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) {
      int const of_strings = column[a].compare(column[b]);
      return of_strings < 0 || (of_strings == 0 && rows[a] < rows[b]);
    });

    placed_strings const placed(column, exec);
    buffer const placed_rows = placed_strings::put(rows.data(), rows.size() * sizeof(Row), exec);
    std::optional<row_column> row_ids;
    if (order != row_order::none) row_ids = row_column(placed_rows.data(), rows.size(), type_of<Row>);
    sorted_pairs const sorted = backend_.sort(placed.references(), row_ids, type_of<Row>, {}, exec).pairs;
    ASSERT_EQ(sorted.size, column.size());
    auto const sorted_keys = read_buffer<byte_key>(sorted.keys, sorted.size, exec);
    auto const sorted_rows = read_buffer<Row>(sorted.rows, sorted.size, exec);
    for (std::size_t i = 0; i < column.size(); ++i)
      ASSERT_TRUE(placed[sorted_keys[i]] == column[expected[i]] && sorted_rows[i] == rows[expected[i]])
          << name << ", " << column.size() << " strings, rank " << i << ", " << threads << " threads, rows "
          << static_cast<int>(order);
    expect_packed(sorted, column, expected, exec);
  }

  test_stream stream_;
  backend const& backend_;

 private:
  /// Gathers the bytes of sorted references.
  void expect_packed(sorted_pairs const& sorted, strings const& column, std::vector<std::size_t> const& order,
                     execution const& exec) {
    std::string expected;
    std::vector<std::uint64_t> offsets = {0};
    for (std::size_t const i : order) {
      expected += column[i];
      offsets.push_back(expected.size());
    }
    packed_strings const packed = backend_.pack(sorted.keys.as<byte_key>(), sorted.size, 8, exec);
    ASSERT_EQ(packed.total, expected.size());
    auto const bytes = read_buffer<char>(packed.bytes, expected.size(), exec);
    ASSERT_TRUE(std::string_view(bytes.data(), bytes.size()) == expected);
    ASSERT_EQ(read_buffer<std::uint64_t>(packed.offsets, offsets.size(), exec), offsets);
    packed_strings const narrow = backend_.pack(sorted.keys.as<byte_key>(), sorted.size, 4, exec);
    ASSERT_EQ(read_buffer<char>(narrow.bytes, expected.size(), exec), bytes);
  }
};

TEST_P(byte_sort_on, shapes) {
  for (std::size_t const size :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{100}, std::size_t{under_sanitizer ? 4500 : 20000}})
    for (auto const& [name, column] : string_maker(size).shapes())
      for (row_order const order : row_orders) {
        ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>(name, column, order, 1));
        ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>(name, column, order, 0));
      }
}

TEST_P(byte_sort_on, rows_of_64_bits) {
  for (auto const& [name, column] : string_maker(under_sanitizer ? 4500 : 10000).shapes())
    for (row_order const order : {row_order::none, row_order::mixed})
      ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint64_t>(name, column, order, 2));
}

/// Stretches that all threads of a CPU sort together.
TEST_P(byte_sort_on, long_stretches) {
  strings column((1 << 18) + (1 << 17));
  for (std::size_t i = 0; i < column.size(); ++i)
    column[i] = (i % 2 == 0 ? "first half" : "other half") + std::to_string(i * 2654435761u % 100000);
  for (int const threads : {1, 2}) {
    if (under_sanitizer && threads == 1) continue;
    ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>("halves", column, row_order::none, threads));
  }
}

TEST_P(byte_sort_on, strings_that_begin_each_other) {
  std::size_t const size = under_sanitizer ? 1 << 11 : 1 << 13;
  strings column = string_maker::nested(size);
  ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>("nested", column, row_order::descending, 2));
  std::reverse(column.begin(), column.end());
  ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>("nested, in order", column, row_order::none, 2));
  std::shuffle(column.begin(), column.end(), std::mt19937_64(4));
  ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>("nested, in no order", column, row_order::none, 2));
  for (std::size_t i = 0; i < size; ++i) {  // each leaves the longest one at another byte, upwards or downwards; twice
    column[i] = std::string(300 + i % 1000, 'm');
    column[i] += i % 3 == 0 ? "z" : i % 3 == 1 ? "a" : "";
    column[i] += std::string(i % 7, 'm');
  }
  ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>("leaving a run", column, row_order::descending, 2));
}

/// Numbers that tell how strings compare with a mark are in their order, and equal ones tell what they share.
TEST(mark_words, order_strings) {
  std::mt19937_64 random(11);
  auto const key_of = [](std::string const& s) {
    return byte_key{reinterpret_cast<unsigned char const*>(s.data()), static_cast<std::uint32_t>(s.size())};
  };
  for (int round = 0; round < 2000; ++round) {
    strings some(3);
    for (std::string& s : some)
      for (std::size_t left = random() % 12; left > 0; --left) s += std::string("\0a\xff", 3)[random() % 3];
    std::string const& mark = some[0];
    std::string const& a = some[1];
    std::string const& b = some[2];
    auto const of_a = mark_word::of(key_of(a), key_of(mark), 0), of_b = mark_word::of(key_of(b), key_of(mark), 0);
    EXPECT_TRUE(of_a >= of_b || a < b) << testing::PrintToString(some);
    EXPECT_EQ(mark_word::goes_on(of_a), a != mark);
    if (of_a != of_b) continue;
    auto const shared = mark_word::goes_on(of_a) ? mark_word::shared(of_a) : a.npos;
    EXPECT_EQ(a.substr(0, shared), b.substr(0, shared)) << "with " << mark;
    EXPECT_LT(of_a, std::uint64_t{1} << mark_word::bits);
  }
}

TEST_P(byte_sort_on, long_equal_strings) {
  ASSERT_NO_FATAL_FAILURE(expect_sorted<std::uint32_t>(
      "long", string_maker::long_and_equal(under_sanitizer ? 500 : 2000), row_order::descending, 2));
}

TEST_P(byte_sort_on, refuses_reserved_rows) {
  execution const exec = with(0);
  placed_strings const placed({"a", "b", "c"}, exec);
  std::vector<std::uint32_t> const rows = {1, no_row<std::uint32_t>, 3};
  buffer const placed_rows = placed_strings::put(rows.data(), sizeof(rows[0]) * rows.size(), exec);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        backend_.sort(placed.references(), row_column(placed_rows.data(), 3, row_type::u32), row_type::u32, {}, exec);
      },
      "4294967295", "stands for a miss"));
}

TEST_P(byte_sort_on, memory_comes_from_the_call) {
  std::size_t const size = under_sanitizer ? 20000 : 100000;
  placed_strings const placed(string_maker(size).shapes()[0].column, with(0));
  limited_memory scarce(memory_of(GetParam()));
  for (std::size_t const limit : {3 * size, 15 * size}) {  // scratch, the result
    scarce.limit = limit;
    EXPECT_TRUE(throws<out_of_memory>(
        [&] { backend_.sort(placed.references(), {}, row_type::u32, {}, execution(scarce, stream_)); }));
  }
}

INSTANTIATE_TEST_SUITE_P(all, byte_sort_on, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
