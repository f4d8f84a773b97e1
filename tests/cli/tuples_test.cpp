// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

namespace warpdex::cli {
namespace {

class tuples : public cli_test {
 protected:
  tuples() {
    write(
        "orders.csv",
        "id,day,name\n70,2024-01-02,bo\n71,2024-01-01,\"al, b\"\n72,2024-01-02,al\n73,2024-01-02,bo\n74,2024-01-01,\n");
    write("asked.csv", "name,day\nbo,2024-01-02\n\"al, b\",2024-01-01\nbo,2024-01-01\n,2024-01-01\n,\n");
  }
};

constexpr char const* over_keys = " --index AO+BS --keys orders.csv --key day,name:bytes:desc ";
constexpr char const* rows =
    "day,name,row\n2024-01-02,bo,0\n2024-01-01,\"al, b\",1\n2024-01-01,bo,\n2024-01-01,,4\n,,\n";

TEST_F(tuples, are_found_by_the_columns_with_the_same_names) {
  EXPECT_EQ(output_of("find" + std::string(over_keys) + "--probes asked.csv"), rows);
  EXPECT_EQ(output_of("count" + std::string(over_keys) + "--probes asked.csv"),
            "day,name,count\n2024-01-02,bo,2\n2024-01-01,\"al, b\",1\n2024-01-01,bo,0\n2024-01-01,,1\n,,0\n");
  EXPECT_EQ(output_of("retrieve" + std::string(over_keys) + "--probes asked.csv"),
            "day,name,row\n2024-01-02,bo,0\n2024-01-02,bo,3\n2024-01-01,\"al, b\",1\n2024-01-01,,4\n");
}

TEST_F(tuples, are_found_by_other_columns) {
  write("other.csv", "who,\"a, when\"\nbo,2024-01-02\n");
  EXPECT_EQ(output_of("find" + std::string(over_keys) + "--probes 'other.csv:\"a, when\",who'"),
            "day,name,row\n2024-01-02,bo,0\n");
  expect_failure("find" + std::string(over_keys) + "--probes other.csv:who", 1,
                 "other.csv: 1 column where --key has 2 columns");
}

TEST_F(tuples, index_files_need_the_types) {
  outcome const built = run("build" + std::string(over_keys) + "--out k.wdx");
  EXPECT_EQ(built.exit_code, 0) << built.err;
  EXPECT_NE(built.err.find("key: day:date,name:bytes:desc\n"), std::string::npos) << built.err;
  EXPECT_EQ(output_of("find --index k.wdx --key day:date,name:bytes:desc --probes asked.csv"), rows);
  expect_failure("find --index k.wdx --key day,name:bytes:desc --probes asked.csv", 2, "as in day:date");
  expect_failure("find --index k.wdx --key day:date --probes asked.csv", 1,
                 "the index has keys of type bytes; tuples (day:date) make keys of type u32");
  write("more.csv", "day,name,row\n2024-01-01,bo,90\n");
  EXPECT_EQ(output_of("update --index k.wdx --key day:date,name:bytes:desc --insert more.csv --rows more.csv:row"), "");
  EXPECT_EQ(output_of("find --index k.wdx --key day:date,name:bytes:desc --probes more.csv"),
            "day,name,row\n2024-01-01,bo,90\n");
}

TEST_F(tuples, ranges_follow_the_order_of_the_fields) {
  write("spans.csv", "from,first,to,last\n2024-01-01,zz,2024-01-01,\n2024-01-02,bo,2024-01-02,bo\n");
  EXPECT_EQ(output_of("range" + std::string(over_keys) + "--lower spans.csv:from,first --upper spans.csv:to,last"),
            "lower_day,lower_name,upper_day,upper_name,count,sum\n"
            "2024-01-01,zz,2024-01-01,,2,5\n2024-01-02,bo,2024-01-02,bo,2,3\n");
}

TEST_F(tuples, are_found_by_their_first_fields) {
  EXPECT_EQ(output_of("prefix" + std::string(over_keys) + "--probes asked.csv:day"),
            "day,count\n2024-01-02,3\n2024-01-01,2\n2024-01-01,2\n2024-01-01,2\n,0\n");
  EXPECT_EQ(output_of("prefix" + std::string(over_keys) + "--probe 2024-01-02 --probe 2024-01-03 --rows"),
            "day,row\n2024-01-02,0\n2024-01-02,3\n2024-01-02,2\n");
  write("spans.csv", "from,first,to\n2024-01-01,zz,2024-01-01\n2024-01-02,bo,2024-01-02\n2000-01-01,,2000-01-01\n");
  EXPECT_EQ(output_of("range" + std::string(over_keys) + "--lower spans.csv:from --upper spans.csv:to"),
            "lower_day,upper_day,count,sum\n2024-01-01,2024-01-01,2,5\n2024-01-02,2024-01-02,3,5\n"
            "2000-01-01,2000-01-01,0,0\n");
  EXPECT_EQ(output_of("range" + std::string(over_keys) + "--lower spans.csv:from,first --upper spans.csv:to --rows"),
            "lower_day,lower_name,upper_day,row\n2024-01-01,zz,2024-01-01,1\n2024-01-01,zz,2024-01-01,4\n"
            "2024-01-02,bo,2024-01-02,0\n2024-01-02,bo,2024-01-02,3\n2024-01-02,bo,2024-01-02,2\n");
  expect_failure("prefix" + std::string(over_keys) + "--probe 2024-01-02,bo", 2, "`count` finds whole tuples");
  expect_failure("prefix" + std::string(over_keys) + "--probe 2024-01-02,bo,1", 1,
                 "3 values where --key has 2 columns");
  expect_failure("longest" + std::string(over_keys) + "--probe 2024-01-02", 2, "no strings");
}

TEST_F(tuples, of_numbers_become_numbers) {
  write("n.csv", "a,b\n1,-5\n0,7\n1,3\n,3\n");
  std::string const over = " --index 'HT(open)' --keys n.csv --key a,b --null skip ";
  outcome const found = run("find" + over + "--probes n.csv --json");
  EXPECT_EQ(found.out, "a,b,row\n1,-5,0\n0,7,1\n1,3,2\n,3,\n");
  auto const summary = nlohmann::json::parse(found.err);
  EXPECT_EQ(summary["key"], "a:u32,b:i32");
  EXPECT_EQ(summary["key_type"], "u64");
  EXPECT_EQ(summary["entries"], 3);
  EXPECT_EQ(summary["probes_null"], 1);
  std::string const ordered = " --index AO+BS --keys n.csv --key a,b --null skip ";
  EXPECT_EQ(output_of("prefix" + ordered + "--probe 1 --probe 2"), "a,count\n1,2\n2,0\n");
  EXPECT_EQ(output_of("prefix" + ordered + "--probe 1 --rows"), "a,row\n1,0\n1,2\n");
  write("spans.csv", "from,to\n0,1\n1,1\n");
  EXPECT_EQ(output_of("range" + ordered + "--lower spans.csv:from --upper spans.csv:to"),
            "lower_a,upper_a,count,sum\n0,1,3,3\n1,1,2,2\n");
  write("odd.csv", "a,b\n1.5,3\n1,3\n");
  EXPECT_EQ(output_of("find" + over + "--probes odd.csv"), "a,b,row\n1.5,3,\n1,3,2\n");
}

TEST_F(tuples, that_are_wrong) {
  expect_failure(
      "find --index AO+BS --keys orders.csv --key day,name --probes asked.csv", 1,
      "orders.csv:2: column 'name': 'bo' is not a number, a date or a timestamp; --type bytes reads any strings");
  expect_failure("find --index AO+BS --keys orders.csv --key day,who --probes asked.csv", 1, "no column 'who'");
  expect_failure("find --index AO+BS --keys orders.csv --key day,:desc --probes asked.csv", 2, "without a name");
  expect_failure("find --index AO+BS --keys orders.csv --key day --type u32 --probes asked.csv", 2, "--type u32");
  write("k.txt", "1\n");
  expect_failure("find --index AO+BS --keys k.txt --key day --probes asked.csv", 1, "need a table");
  write("empty.csv", "day,name\n,al\n");
  expect_failure("build --index AO+BS --keys empty.csv --key day,name:bytes --out k.wdx", 1, "--null skip");
}

class given_rows : public cli_test {};

TEST_F(given_rows, are_what_lookups_answer) {
  write("keys.csv", "key,id\n5,900\n7,3\n5,20\n");
  EXPECT_EQ(output_of("build --index AO+BS --keys keys.csv:key --rows keys.csv:id --out k.wdx"), "");
  write("probes.txt", "5\n6\n7\n");
  EXPECT_EQ(output_of("retrieve --index k.wdx --probes probes.txt"), "probe,row\n5,20\n5,900\n7,3\n");
  write("less.txt", "1\n");
  expect_failure("build --index AO+BS --keys keys.csv:key --rows less.txt --out l.wdx", 1,
                 "--rows less.txt has 1 row, --keys keys.csv:key has 3");
  write("signs.txt", "1\n-1\n2\n");
  expect_failure("build --index AO+BS --keys keys.csv:key --rows signs.txt --out l.wdx", 1, "values of type i32");
  write("wide.txt", "1\n5000000000\n2\n");
  EXPECT_EQ(output_of("build --index AO+BS --keys keys.csv:key --rows wide.txt --out w.wdx"), "");
  EXPECT_EQ(output_of("find --index w.wdx --probes probes.txt"), "probe,row\n5,1\n6,\n7,5000000000\n");
}

}  // namespace
}  // namespace warpdex::cli
