// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

namespace warpdex::cli {
namespace {

/// Everyday uses of lookups.
class jobs : public cli_test {
 protected:
  jobs() {
    write("keys.csv", "name,id\na,30\nb,10\nc,20\nd,10\n");
    write("probes.txt", "10\n25\n30\n5\nnull\n40\n9.5\n");
  }
};

constexpr char const* keys = " --index 'EO+KS(9)' --keys keys.csv:id ";
constexpr char const* over = " --index 'EO+KS(9)' --keys keys.csv:id --probes probes.txt ";

TEST_F(jobs, ceil) {
  EXPECT_EQ(output_of("ceil" + std::string(over)),
            "probe,key,row\n10,10,1\n25,30,0\n30,30,0\n5,10,1\nnull,,\n40,,\n9.5,10,1\n");
}

TEST_F(jobs, ties_and_strict_neighbours) {
  EXPECT_EQ(output_of("floor --ties last" + std::string(over)),
            "probe,key,row\n10,10,3\n25,20,2\n30,30,0\n5,,\nnull,,\n40,30,0\n9.5,,\n");
  EXPECT_EQ(output_of("ceil --ties last" + std::string(over)),
            "probe,key,row\n10,10,3\n25,30,0\n30,30,0\n5,10,3\nnull,,\n40,,\n9.5,10,3\n");
  EXPECT_EQ(output_of("floor --no-exact" + std::string(over)),
            "probe,key,row\n10,,\n25,20,2\n30,20,2\n5,,\nnull,,\n40,30,0\n9.5,,\n");
  EXPECT_EQ(output_of("floor --no-exact --ties last" + std::string(keys) + "--probe 20"), "probe,key,row\n20,10,3\n");
  EXPECT_EQ(output_of("floor --no-exact" + std::string(keys) + "--probe 10.5 --probe 1e30"),
            "probe,key,row\n10.5,10,1\n1e30,30,0\n");
  EXPECT_EQ(output_of("ceil --no-exact" + std::string(over)),
            "probe,key,row\n10,20,2\n25,30,0\n30,,\n5,10,1\nnull,,\n40,,\n9.5,10,1\n");
  std::string const strings = " --index AO+BS --type bytes --keys keys.csv:name --probe c ";
  EXPECT_EQ(output_of("floor --no-exact" + strings), "probe,key,row\nc,b,1\n");
  EXPECT_EQ(output_of("ceil --no-exact --ties last" + strings), "probe,key,row\nc,d,3\n");
}

TEST_F(jobs, nearest) {
  std::string const nearest = "nearest" + std::string(keys);
  EXPECT_EQ(output_of(nearest + "--probes probes.txt"),
            "probe,key,row\n10,10,1\n25,20,2\n30,30,0\n5,10,1\nnull,,\n40,30,0\n9.5,10,1\n");
  EXPECT_EQ(output_of(nearest + "--probe 15 --probe 15.1 --probe 25.5 --probe=-1e9"),
            "probe,key,row\n15,10,1\n15.1,20,2\n25.5,30,0\n-1e9,10,1\n");
  EXPECT_EQ(output_of(nearest + "--ties last --no-exact --probe 10 --probe 20 --probe 14"),
            "probe,key,row\n10,20,2\n20,10,3\n14,10,3\n");
  write("days.csv", "day\n2024-02-28\n2024-03-01\n");
  EXPECT_EQ(output_of("nearest --index auto --keys days.csv --probe 2024-02-28T23:59:00Z --probe 2024-02-29T00:01:00Z"),
            "probe,key,row\n2024-02-28T23:59:00Z,2024-02-28,0\n2024-02-29T00:01:00Z,2024-03-01,1\n");
  write("wide.txt", "::1\n::ffff\n");
  EXPECT_EQ(output_of("nearest --index AO+BS --type u128 --keys wide.txt --probe ::9000"),
            "probe,key,row\n::9000,::ffff,1\n");
  write("none.csv", "id\n");
  EXPECT_EQ(output_of("nearest --index AO+BS --keys none.csv --probe 1"), "probe,key,row\n1,,\n");
  expect_failure("nearest --index AO+BS --type bytes --keys keys.csv:name --probe b", 1,
                 "strings, which have no distances");
  expect_failure("nearest --index AO+BS --keys keys.csv --key id,name:bytes --probe 1,b", 2, "tuples, which have no");
  expect_failure("nearest --index hash --keys keys.csv:id --probe 1", 1, "has no order");
}

TEST_F(jobs, neighbours_of_tuples) {
  write("t.csv", "a,b\n1,x\n1,y\n2,x\n");
  std::string const tuples = " --index AO+BS --keys t.csv --key a,b:bytes ";
  EXPECT_EQ(output_of("floor" + tuples + "--probe 1,z --probe 0,x"), "a,b,key_a,key_b,row\n1,z,1,y,1\n0,x,,,\n");
  EXPECT_EQ(output_of("ceil" + tuples + "--probe 1,z"), "a,b,key_a,key_b,row\n1,z,2,x,2\n");
}

TEST_F(jobs, contains_and_bounds) {
  EXPECT_EQ(output_of("contains" + std::string(over)),
            "probe,contains\n10,true\n25,false\n30,true\n5,false\nnull,false\n40,false\n9.5,false\n");
  EXPECT_EQ(output_of("lower_bound" + std::string(over)), "probe,rank\n10,0\n25,3\n30,3\n5,0\nnull,\n40,4\n9.5,0\n");
  EXPECT_EQ(output_of("upper_bound" + std::string(over)), "probe,rank\n10,2\n25,3\n30,4\n5,0\nnull,\n40,4\n9.5,0\n");
  expect_failure("lower_bound --index 'HT(open)' --keys keys.csv:id --probes probes.txt", 1, "lower_bound: HT(open");
}

/// Integers that no type holds together are compared exactly, as probes, and with f64 as keys.
TEST_F(jobs, integers_from_below_zero_to_beyond_i64) {
  write("wide.txt", "-1\n9223372036854775809\n25\n99999999999999999999\n-99999999999999999999\n1e400\n");
  EXPECT_EQ(
      output_of("lower_bound" + std::string(keys) + "--probes wide.txt"),
      "probe,rank\n-1,0\n9223372036854775809,4\n25,3\n99999999999999999999,4\n-99999999999999999999,0\n1e400,4\n");
  EXPECT_EQ(
      output_of("upper_bound" + std::string(keys) + "--probes wide.txt"),
      "probe,rank\n-1,0\n9223372036854775809,4\n25,3\n99999999999999999999,4\n-99999999999999999999,0\n1e400,4\n");
  write("big.txt", "18446744073709551615\n9223372036854775809\n7\n");
  write("both.txt", "-1\n9223372036854775808\n9223372036854775809\n18446744073709551615\n");
  EXPECT_EQ(output_of("upper_bound --index AO+BS --keys big.txt --probes both.txt"),
            "probe,rank\n-1,0\n9223372036854775808,1\n9223372036854775809,2\n18446744073709551615,3\n");
  write("exact.txt", "-1\n9223372036854775808\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys exact.txt --probes both.txt"),
            "probe,row\n-1,0\n9223372036854775808,1\n9223372036854775809,\n18446744073709551615,\n");
  EXPECT_EQ(output_of("join --how asof --left exact.txt --right keys.csv:id"), "left,right\n0,\n1,0\n");
  expect_failure("nearest" + std::string(keys) + "--probes both.txt", 1,
                 "both.txt:3: '9223372036854775809' cannot be a");
}

TEST_F(jobs, values_in_place_of_a_file) {
  EXPECT_EQ(output_of("find" + std::string(keys) + "--probe 10 --probe 11"), "probe,row\n10,1\n11,\n");
  EXPECT_EQ(output_of("find" + std::string(keys) + "--probe=-5"), "probe,row\n-5,\n");
  expect_failure("find" + std::string(keys) + "--probe ten", 1, "--probe:1: 'ten' is not an integer");
  expect_failure("find" + std::string(keys) + "--probe 1 --probes probes.txt", 2, "either --probes");
  write("t.csv", "a,b\n1,\"x,y\"\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys t.csv --key a,b:bytes --probe '1,\"x,y\"'"), "a,b,row\n1,\"x,y\",0\n");
}

TEST_F(jobs, standard_input_and_output) {
  EXPECT_EQ(output_of("find" + std::string(keys) + "--probes - <probes.txt --out -"),
            output_of("find" + std::string(over)));
  EXPECT_EQ(run("find --index AO+BS --keys -:id --probe 20", "cat keys.csv |").out, "probe,row\n20,2\n");
  EXPECT_EQ(output_of("join --left keys.csv:id --right probes.txt --out -"), "left,right\n0,2\n1,0\n3,0\n");
  expect_failure("build --index AO+BS --keys keys.csv:id --out -", 2, "--out -: an index file cannot go to standard");
  EXPECT_FALSE(exists("-"));
  outcome const twice = run("find --index AO+BS --keys -:id --probes -:id <keys.csv");
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_NE(twice.err.find("standard input was read already"), std::string::npos) << twice.err;
}

TEST_F(jobs, delimiters) {
  write("semi.csv", "name;id\nx,1;7\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys semi.csv:id --delimiter ';' --probe 7 --columns name"),
            "probe,name\n7,\"x,1\"\n");
  write("tabs.txt", "name\tid\nx\t7\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys tabs.txt:id --delimiter tab --probe 7"), "probe,row\n7,0\n");
  expect_failure("find --index AO+BS --keys semi.csv:id --delimiter ';;' --probe 7", 2, "--delimiter ';;'");
  expect_failure("find --index AO+BS --keys semi.csv:id --delimiter '\"' --probe 7", 2, "--delimiter");
  EXPECT_EQ(output_of("join --left semi.csv:id --right semi.csv:id --delimiter ';'"), "left,right\n0,0\n");
}

TEST_F(jobs, addresses_and_hexadecimal) {
  write("a.csv", "first\n10.0.0.0\n10.0.1.0\n192.168.0.0\n");
  EXPECT_EQ(output_of("floor --index auto --type u32 --keys a.csv:first --probe 10.0.0.77 --probe 0x0a000101"),
            "probe,key,row\n10.0.0.77,10.0.0.0,0\n0x0a000101,10.0.1.0,1\n");
  EXPECT_EQ(output_of("find --index auto --type u128 --keys a.csv:first --probe ::ffff:10.0.1.0"),
            "probe,row\n::ffff:10.0.1.0,1\n");
  expect_failure("find --index auto --keys a.csv:first --probe 1", 1, "an IPv4 address; --type u32");
  write("h.txt", "0x1F\n0xff\n-3\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys h.txt --probe 255 --probe 31 --probe 0XFF"),
            "probe,row\n255,1\n31,0\n0XFF,1\n");
}

TEST_F(jobs, early_checks) {
  write("big.csv", "id\nnot a number\n");  // would be refused if it were read
  std::string const over_big = "--keys big.csv:id ";
  expect_failure("find --index 'EO+KS(8)' " + over_big + "--probes probes.txt", 1, "K must be one of");
  expect_failure("find --index AO+BS " + over_big + "--probes none.csv", 1, "none.csv: cannot open");
  expect_failure("find --index AO+BS " + over_big + "--probes keys.csv:nocol", 1, "no column 'nocol'");
  expect_failure("floor --index 'HT(open)' " + over_big + "--probes probes.txt", 1, "floor: HT(open");
  expect_failure("range --index 'HT(open)' " + over_big + "--lower probes.txt --upper probes.txt", 1, "HT(open");
  expect_failure("build --index AO+BS " + over_big + "--out none/x.wdx", 1, "none/x.wdx: cannot");
  expect_failure("build --index 'EO+KS(8)' " + over_big + "--out x.wdx", 1, "K must be one of");
  expect_failure("floor --index 'auto(points)' --backend cpu " + over_big + "--probes probes.txt", 1, "floor: HT(open");
  expect_failure("find --index 'auto(point)' " + over_big + "--probes probes.txt", 1, "did you mean points");

  std::string const probe = "--probe 1 ";
  expect_failure("find --index AO+BS --keys big.csv:nil " + probe, 1, "no column 'nil'; the columns are");
  expect_failure("range --index AO+BS --keys big.csv:nil --lower probes.txt --upper probes.txt", 1, "no column 'nil'");
  expect_failure("build --index AO+BS --keys big.csv:nil --out x.wdx", 1, "no column 'nil'");
  expect_failure("build --index AO+BS " + over_big + "--rows keys.csv:nil --out x.wdx", 1, "no column 'nil'");
  expect_failure("find --index AO+BS " + over_big + probe + "--columns id,nil", 1, "big.csv:1: no column 'nil'");
  expect_failure("count --index AO+BS " + over_big + probe + "--sum id --max nil", 1, "no column 'nil'");
  std::string const ranges = "range --index AO+BS " + over_big + "--lower probes.txt --upper probes.txt ";
  expect_failure(ranges + "--mean nil", 1, "no column 'nil'");
  expect_failure(ranges + "--rows --columns nil", 1, "no column 'nil'");
  write("broken.wdx", "no index");  // would be refused if it were read
  expect_failure("find --index broken.wdx --source none.csv:id --columns id " + probe, 1, "none.csv: cannot open");
  expect_failure("find --index broken.wdx --source big.csv:nil --columns id " + probe, 1, "no column 'nil'");

  std::string const join = "join --right big.csv:id ";
  expect_failure(join + "--how asof --left probes.txt --index hash", 1, "asof_join: HT(open");
  expect_failure(join + "--how range --lower probes.txt --index hash", 1, "range_join: HT(open");
  expect_failure(join + "--left none.csv", 1, "none.csv: cannot open");
  expect_failure(join + "--left keys.csv:nil", 1, "no column 'nil'");
  expect_failure(join + "--left probes.txt --columns all", 1, "probes.txt: has no columns");
  expect_failure(join + "--how asof --left keys.csv:id --by name=nil", 1, "big.csv:1: no column 'nil'");
  expect_failure(join + "--left keys.csv:id --index 'EO+KS(8)'", 1, "K must be one of");
}

}  // namespace
}  // namespace warpdex::cli
