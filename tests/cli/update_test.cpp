// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

namespace warpdex::cli {
namespace {

using nlohmann::json;

class update : public cli_test {
 protected:
  update() {
    write("keys.csv", "name,id\na,30\nb,10\nc,20\nd,10\n");
    write("new.csv", "row,id\n7,25\n8,20\n");
    write("gone.txt", "10\n99\n");
    write("probes.txt", "10\n20\n25\n30\n");
    output_of("build --index AO+BS --keys keys.csv:id --out index.wdx");
  }

  std::string retrieved(std::string const& file) const {
    return output_of("retrieve --index " + file + " --probes probes.txt");
  }
};

TEST_F(update, insert_and_erase) {
  std::size_t const files = number_of_files();
  output_of("update --index index.wdx --insert new.csv:id --rows new.csv:row --erase gone.txt");
  EXPECT_EQ(retrieved("index.wdx"), "probe,row\n20,2\n20,8\n25,7\n30,0\n");
  output_of("update --index index.wdx --erase probes.txt");
  EXPECT_EQ(retrieved("index.wdx"), "probe,row\n");
  output_of("update --index index.wdx --insert keys.csv:id --first-row 4294967290");
  EXPECT_EQ(retrieved("index.wdx"), "probe,row\n10,4294967291\n10,4294967293\n20,4294967292\n30,4294967290\n");
  EXPECT_EQ(number_of_files(), files);
}

TEST_F(update, keys_on_both_sides_stay) {
  output_of("update --index index.wdx --insert new.csv:id --first-row 100 --erase probes.txt --out other.wdx");
  EXPECT_EQ(retrieved("other.wdx"), "probe,row\n20,2\n");
  EXPECT_EQ(retrieved("index.wdx"), "probe,row\n10,1\n10,3\n20,2\n30,0\n");
}

TEST_F(update, assign) {
  output_of("update --index index.wdx --insert new.csv:id --rows new.csv:row --assign");
  EXPECT_EQ(retrieved("index.wdx"), "probe,row\n10,1\n10,3\n20,8\n25,7\n30,0\n");
}

TEST_F(update, early_checks) {
  write("bad.csv", "id,row\nnot a number,1\n");  // would be refused if it were read
  std::string const insert = "update --insert bad.csv:id --rows bad.csv:row ";
  expect_failure(insert + "--index none.wdx --erase none.txt", 1, "none.txt: cannot open");
  expect_failure("update --index none.wdx --insert bad.csv:nil --first-row 4", 1, "no column 'nil'");
  expect_failure("update --index none.wdx --insert bad.csv:id --rows bad.csv:nil", 1, "no column 'nil'");
  expect_failure(insert + "--index index.wdx --out none/x.wdx", 1, "none/x.wdx: cannot");
  expect_failure(insert + "--index index.wdx --out -", 2, "--out -: an index file cannot go to standard output");
  EXPECT_FALSE(exists("-"));
}

TEST_F(update, summaries) {
  write("one.txt", "20\n");
  std::string const call = "update --index index.wdx --insert new.csv:id --rows new.csv:row --erase gone.txt ";
  outcome const text = run(call + "--out other.wdx");
  EXPECT_NE(text.err.find("update: 2 keys inserted, 2 erased, 0 cancelled"), std::string::npos) << text.err;
  EXPECT_NE(text.err.find("; now 4 keys, "), std::string::npos) << text.err;
  outcome const one = run("update --index index.wdx --erase one.txt --out less.wdx");
  EXPECT_NE(one.err.find(", 4 u32 keys, loaded in "), std::string::npos) << "as many as were loaded: " << one.err;
  EXPECT_NE(one.err.find("; now 3 keys, "), std::string::npos) << one.err;
  json const summary = json::parse(run(call + "--json").err);
  EXPECT_EQ(summary["command"], "update");
  EXPECT_EQ(summary["entries"], 4);
  EXPECT_EQ(summary["inserted"], 2);
  EXPECT_EQ(summary["erased"], 2);
  EXPECT_EQ(summary["cancelled_keys"], 0);
  EXPECT_EQ(summary["output"], "index.wdx");
  EXPECT_EQ(run(call + "--quiet").err, "");
}

TEST_F(update, cells_that_are_no_keys) {
  write("some.csv", "row,id\n7,25\n8,\n9,20\n");
  write("odd.txt", "10\n-1\n2.5\n\n70000000000\n");
  std::string const call = "update --index index.wdx --out other.wdx ";
  expect_failure(call + "--insert some.csv:id --first-row 100", 1, "some.csv:3: column 'id': empty cell");
  expect_failure(call + "--erase odd.txt", 1, "odd.txt:4: empty cell");
  expect_failure(call + "--null skip --strict --erase odd.txt", 1, "odd.txt:2: '-1' is outside u32");
  expect_failure(call + "--null skip --insert odd.txt --first-row 100", 1, "odd.txt:2: '-1' is outside u32");
  EXPECT_FALSE(exists("other.wdx"));
  json const summary =
      json::parse(run("--json " + call + "--null skip --insert some.csv:id --first-row 100 --erase odd.txt").err);
  EXPECT_EQ(summary["inserted"], 2);
  EXPECT_EQ(summary["erased"], 2);
  EXPECT_EQ(summary["erase_not_keys"], 3);
  EXPECT_EQ(summary["keys_null"], 2);
  EXPECT_EQ(retrieved("other.wdx"), "probe,row\n20,2\n20,102\n25,100\n30,0\n");
  output_of(call + "--null skip --insert some.csv:id --rows some.csv:row");
  EXPECT_EQ(retrieved("other.wdx"), "probe,row\n10,1\n10,3\n20,2\n20,9\n25,7\n30,0\n");
}

TEST_F(update, tables_without_header) {
  write("bare.csv", "7,25\n8,20\n");
  output_of("update --no-header --index index.wdx --insert bare.csv:1 --rows bare.csv:0 --out other.wdx");
  EXPECT_EQ(retrieved("other.wdx"), "probe,row\n10,1\n10,3\n20,2\n20,8\n25,7\n30,0\n");
}

TEST_F(update, refusals_leave_the_file) {
  std::string const before = read("index.wdx");
  std::string const call = "update --index index.wdx ";
  expect_failure(call, 2, "--insert or --erase");
  expect_failure(call + "--insert new.csv:id", 2, "--first-row");
  expect_failure(call + "--insert new.csv:id --rows new.csv:row --first-row 3", 2, "either");
  expect_failure(call + "--erase gone.txt --first-row 3", 2, "--insert");
  expect_failure(call + "--insert new.csv:id --first-row 3 --assign --erase gone.txt", 2, "--assign");
  expect_failure("update --index AO+BS --erase gone.txt", 1, "AO+BS");
  expect_failure(call + "--erase missing.txt", 1, "missing.txt");
  expect_failure(call + "--erase keys.csv:name", 1, "keys.csv");
  expect_failure(call + "--insert new.csv:id --rows gone.csv:row", 1, "gone.csv");
  expect_failure(call + "--insert new.csv:id --rows keys.csv:id", 1,
                 "--rows keys.csv:id has 4 rows, --insert new.csv:id has 2");
  expect_failure(call + "--insert new.csv:id --first-row 4294967294", 1,
                 "go beyond 4294967294, the last of 32 bits; an index with the option /rows=u64 holds more");
  write("large.txt", "1\n4294967295\n");
  expect_failure(call + "--insert new.csv:id --rows large.txt", 1, "4294967295");
  expect_failure(call + "--erase gone.txt --out no/such/folder.wdx", 1, "no/such");
  EXPECT_EQ(read("index.wdx"), before);
}

}  // namespace
}  // namespace warpdex::cli
