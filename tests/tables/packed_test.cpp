// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/gzip.hpp"

#include "input_test.hpp"

namespace warpdex::tables {
namespace {

class packed : public input_test {};

// Two members: "id\n5\n" and "7\n".
constexpr char members[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x4c\xe1\x32\xe5\x02\x00\x0b\x2c\x37\xa9\x05\x00\x00\x00"
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\xe7\x02\x00\xd5\x5b\x0b\x31\x02\x00\x00\x00";
constexpr std::string_view ids(members, sizeof members - 1);

TEST_F(packed, formats_have_names) {
  expect_failure(file("t.csv", "PAR1\x15\x04\x15"), "is a Parquet file, not text; write it as CSV");
  expect_failure(file("t.txt", std::string_view("ARROW1\0\0", 8)), "is an Arrow file, not text");
  expect_failure(file("t.npz", std::string_view("PK\x03\x04\x14\0", 6)), "is a zip archive");
  expect_failure(file("t.txt", std::string_view("a\0b", 3)), "NUL byte at offset 1");
  EXPECT_EQ(read(file("words.csv", "PAR1\n5\n")).size(), 1u);
}

TEST_F(packed, gzip_is_unpacked) {
  std::string const path = file("t.csv.gz", ids);
  try {
    EXPECT_EQ(values<std::uint32_t>(read(path + ":id")), (std::vector<std::uint32_t>{5, 7}));
    EXPECT_EQ(values<std::uint32_t>(read(path)), (std::vector<std::uint32_t>{5, 7}));
  } catch (format_error const& e) {
    GTEST_SKIP() << e.what();
  }
  for (std::size_t const zeros : {1, 512})
    EXPECT_EQ(read(file("tape.csv.gz", std::string(ids) + std::string(zeros, '\0'))).size(), 2u) << zeros;
}

TEST_F(packed, what_is_cut_or_damaged_is_refused) {
  std::size_t const first = ids.find("\x1f\x8b", 1);  // bytes of the first member, which is a whole file
  for (std::size_t size = 3; size < ids.size(); ++size) {
    if (size == first) continue;
    EXPECT_THROW(read(file("cut.csv.gz", ids.substr(0, size))), format_error) << size;
  }
  for (std::size_t const at : {std::size_t{12}, first, first + 1, first + 2, first + 12}) {
    std::string damaged(ids);
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_THROW(read(file("damaged.csv.gz", damaged)), format_error) << at;
  }
  EXPECT_THROW(read(file("more.csv.gz", std::string(ids) + "8\n")), format_error);
  EXPECT_THROW(read(file("more.csv.gz", std::string(ids) + std::string("\0x", 2))), format_error);
}

}  // namespace
}  // namespace warpdex::tables
