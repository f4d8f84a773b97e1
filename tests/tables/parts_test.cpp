// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/table.hpp"

#include "input_test.hpp"
#include "support/seed.hpp"

#include <fmt/format.h>

#include <random>

namespace warpdex::tables {
namespace {

/// Files that are read in parts of a few bytes, as large ones are in parts of a megabyte.
class parts : public input_test {
 protected:
  static constexpr std::uint64_t sizes[] = {1, 2, 3, 5, 8, 64};

  /// Reads a file in all the ways that tables are read. @return what came out, or the message of the error
  static std::string reading(std::string const& path, std::uint64_t part_bytes, int threads, bool header) {
    std::string out;
    auto const add = [&](auto const& read) {
      try {
        read();
      } catch (error const& e) {
        out += e.what();
      }
      out += '\n';
    };
    add([&] {
      table t(std::make_shared<input_file const>(path, part_bytes), ',', header, threads);
      for (std::string const& name : t.names()) out += name + '|';
      for (std::uint64_t i = 0; i < t.size(); ++i) t.append(i, out += '\n');
    });
    add([&] {
      input_file const file(path, part_bytes);
      cell_column const last = split_table(file, ',', header, "1", threads);
      for (std::uint64_t i = 0; i < last.size(); ++i) out += last.text(i), out += '|';
      if (last.size() != 0) last.fail(file, last.size() / 2, "this cell");
    });
    for (auto const type : {std::optional<key_type>(), std::optional(key_type::bytes)})
      add([&] {
        key_column const keys(path, {.type = type,
                                     .keep_text = true,
                                     .header = header,
                                     .skip_nulls = true,
                                     .threads = threads,
                                     .part_bytes = part_bytes});
        out += to_string(keys.type());
        for (std::string const& text : texts(keys)) out += '|' + text;
      });
    add([&] {
      input_file const file(path, part_bytes);
      cell_column const lines = split_lines(file, threads);
      for (std::uint64_t i = 0; i < lines.size(); ++i) out += lines.raw(i), out += '|';
      if (lines.size() != 0) lines.fail(file, lines.size() / 2, "this line");
    });
    return out;
  }

  /// Expects the same of parts of any size. @return what is read
  std::string expect_same(std::string_view text, bool header = true) const {
    std::string const path = file("t.csv", text);
    std::string const expected = reading(path, usual_part, 1, header);
    for (std::uint64_t const bytes : sizes)
      for (int const threads : {1, 3}) {
        // Threads hand on how many quotes there were, which takes long for many parts on a busy machine.
        if (threads > 1 && text.size() / bytes > 100) continue;
        EXPECT_EQ(reading(path, bytes, threads, header), expected) << bytes << " bytes, " << threads << " threads";
      }
    return expected;
  }

  /// A header and enough rows for many parts of each size.
  static std::string many(std::string_view rows) {
    std::string out = "key,b\n";
    while (out.size() < 65 * 64) out += rows;
    return out;
  }
};

TEST_F(parts, rows_across_borders) {
  expect_same(many("12,x\n345678,yyyyyyyyyyyyyyyyyyyyyyyy\n9,\n"));
  expect_same(many("12,x\r\n345678,yyyyyyyyyyyyyyyyyyyyyyyy\r\n9,\r\n"));
  expect_same(many("12,x\r345678,yyyyyyyyyyyyyyyyyyyyyyyy\r9,\r"));
  expect_same(many("12,x\n3,y\r4,z\r\n") + "5,last");
}

TEST_F(parts, quotes_across_borders) {
  expect_same(many("1,\"a\n\r\n\"\"b,\"\"\"\n2,\"\"\n\"3\",\"\n\"\n"));
  expect_same(many("1,\"\"\"\"\"\"\r\n2,\"\r\n\"\r\n"));
}

TEST_F(parts, quotes_that_mean_nothing) {
  expect_same(many("1,5\" disk\n2,\"x\n\"\n"));
  expect_same(many("1,x\n") + "2,5\" disk\n" + many("3,\"y\ny\"\n").substr(6));
}

TEST_F(parts, rows_of_many_parts) {
  std::string const text(3000, 'x');
  expect_same(many("1,a\n") + "2," + text + "\n3,\"" + std::string(3000, '\n') + "\"\n" + many("4,b\n").substr(6));
  EXPECT_NE(expect_same(many("1,a\n") + "2," + text + ",3\n4,b\n").find("3 fields where the header has 2: '2,xxx"),
            std::string::npos);
}

TEST_F(parts, blank_lines_and_byte_order_mark) {
  expect_same("\xef\xbb\xbf" + many("1,x\n") + std::string(300, '\n'));
  expect_same("\xef\xbb\xbf" + many("1,x\n").substr(6) + "\r\n\r\n", false);
  EXPECT_NE(expect_same(many("1,x\n") + "\n1,x\n").find("blank line"), std::string::npos);
  expect_same("key\n" + std::string(300, '\n') + "1" + std::string(300, '\n'));
  expect_same(std::string(500, '\n'));
  expect_same(std::string(499, 'k') + '\n');
}

TEST_F(parts, errors) {
  auto const expect = [&](std::string const& text, std::string_view message) {
    EXPECT_NE(expect_same(text).find(message), std::string::npos) << message;
  };
  expect(many("1,a\n") + "2,\"b\n" + std::string(200, 'x'), "t.csv:1041: a quote opens here and is never closed");
  expect(many("1,a\n") + "2,\"b\"" + std::string(200, 'x') + "\n", "xxx...' (200 bytes) follows a closing quote");
  expect(many("1,a\n") + "x,b\n" + many("1,c\n").substr(6), "t.csv:1041: column 'key': 'x' is not a number");
  expect(many("1,a\n") + "1\n2,a,b\n", "t.csv:1041: 1 field where the header has 2: '1'");
  std::string const nul = many("1,a\n") + std::string(1, '\0') + many("1,a\n");
  expect(nul, fmt::format("NUL byte at offset {}: not a text file", nul.find('\0')));
  std::string const within = many("1,a\n") + "2,\"" + std::string(500, '\n') + std::string(1, '\0') + "\"\n";
  expect(within, fmt::format("NUL byte at offset {}: not a text file", within.find('\0')));
  expect(many("1,5\"\n2,\"x\ny\"\n") + std::string(1, '\0') + "\n", "NUL byte at offset");
}

TEST_F(parts, any_text) {
  std::mt19937_64 random(test::test_seed());
  constexpr std::string_view characters = "11,,\"\"\n\n\ra";
  for (int i = 0; i < 40; ++i) {
    std::string text = i % 2 == 0 ? "a,b\n" : "";
    std::size_t const length = random() % 300;
    while (text.size() < length) text += characters[random() % (i % 3 == 0 ? 2 : characters.size())];
    // Most texts are no tables, so others are made of good rows with one bad one at most.
    if (i % 4 == 0) {
      constexpr std::string_view rows[] = {"1,2\n", "\"1\",\"\n\"\r\n", "3,a\"\r", "4,\"\"\"\n\n\"\n", ",\n"};
      text = "a,b\n";
      while (text.size() < length) text += rows[random() % std::size(rows)];
      if (i % 8 == 0) text.insert(random() % text.size(), 1, characters[random() % characters.size()]);
    }
    SCOPED_TRACE(::testing::PrintToString(text));
    expect_same(text, i % 5 != 0);
    if (HasFailure()) return;
  }
}

/// The table of a file that is not held.
class rereading : public input_test {
 protected:
  std::shared_ptr<input_file const> const in_parts = std::make_shared<input_file const>(file("t.csv", lines()), 256);
  table rows{in_parts, ',', true};

  static std::string lines() {
    std::string out = "id,amount\n";
    for (int i = 0; i < 2000; ++i) out += fmt::format("{},{}\n", i, 10 * i);
    return out;
  }

  std::string row(std::uint64_t i) {
    std::string line;
    rows.append(i, line);
    return line;
  }

  static void expect_changed(std::function<void()> const& use, std::string const& message) {
    try {
      use();
      ADD_FAILURE() << "accepted";
    } catch (io_error const& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  }

  /// Rewrites the file, a while after it was opened.
  void write(std::string_view bytes) const {
    auto const before = std::filesystem::last_write_time(path("t.csv"));
    file("t.csv", bytes);
    std::filesystem::last_write_time(path("t.csv"), before + std::chrono::seconds(1));
  }
};

TEST_F(rereading, rows_in_any_order) {
  ASSERT_EQ(rows.size(), 2000u);
  for (std::uint64_t const i : {1999, 0, 1, 1000, 2, 3}) EXPECT_EQ(row(i), fmt::format("{},{}", i, 10 * i));
  std::vector<std::string> const wanted = {"amount", "id"};
  rows.select(wanted);
  EXPECT_EQ(row(5), "50,5");
  EXPECT_EQ(static_cast<int>(rows.decimals(std::vector<std::string>{"amount"}).size()), 1);
}

TEST_F(rereading, file_that_became_shorter) {
  EXPECT_EQ(row(0), "0,0");
  std::filesystem::resize_file(path("t.csv"), 100);
  expect_changed([&] { row(1999); }, "t.csv: has become shorter while it was read: ");
  std::filesystem::resize_file(path("t.csv"), 0);
  expect_changed([&] { row(1000); }, "t.csv: has become shorter");
  expect_changed([&] { rows.decimals(std::vector<std::string>{"id"}); }, "t.csv: has become shorter");
}

TEST_F(rereading, file_that_was_written_to) {
  std::string other = lines();
  std::replace(other.begin(), other.end(), '1', '"');
  write(other);
  expect_changed([&] { row(1500); }, "t.csv: was written to while it was read");
  write(lines() + "1,2\n");
  expect_changed([&] { row(0); }, "t.csv: was written to while it was read");
  expect_changed([&] { rows.decimals(std::vector<std::string>{"id"}); }, "t.csv: was written to while it was read");
}

TEST_F(rereading, files_of_few_parts_are_held) {
  table held(std::make_shared<input_file const>(file("held.csv", lines())), ',', true);
  std::filesystem::resize_file(path("held.csv"), 0);
  std::string line;
  held.append(1999, line);
  EXPECT_EQ(line, "1999,19990");
}

}  // namespace
}  // namespace warpdex::tables
