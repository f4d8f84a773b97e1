// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

namespace warpdex::cli {
namespace {

using namespace std::string_literals;

class strings : public cli_test {
 protected:
  strings() {
    write("cities.csv", "name,people\nparis,2\n\"new york, ny\",8\nprague,1\n\"the \"\"hague\"\"\",0\nparis,3\n,9\n");
    write("probes.txt", "paris\npari\nnew york, ny\nzurich\n\nthe \"hague\"\n");
  }
};

constexpr char const* over_keys = " --index AO+BS --type bytes --keys cities.csv:name ";

TEST_F(strings, find_and_count) {
  EXPECT_EQ(output_of("find" + std::string(over_keys) + "--probes probes.txt"),
            "probe,row\nparis,0\npari,\n\"new york, ny\",1\nzurich,\n,5\n\"the \"\"hague\"\"\",3\n");
  EXPECT_EQ(output_of("count" + std::string(over_keys) + "--probes probes.txt"),
            "probe,count\nparis,2\npari,0\n\"new york, ny\",1\nzurich,0\n,1\n\"the \"\"hague\"\"\",1\n");
  EXPECT_EQ(output_of("retrieve" + std::string(over_keys) + "--probes probes.txt"),
            "probe,row\nparis,0\nparis,4\n\"new york, ny\",1\n,5\n\"the \"\"hague\"\"\",3\n");
}

TEST_F(strings, in_a_file_of_a_hash_table) {
  output_of("build --index 'HT(open)' --type bytes --keys cities.csv:name --out cities.wdx");
  EXPECT_EQ(output_of("find --index cities.wdx --probes probes.txt"),
            output_of("find" + std::string(over_keys) + "--probes probes.txt"));
}

TEST_F(strings, floor_prints_the_key) {
  EXPECT_EQ(output_of("floor" + std::string(over_keys) + "--probes probes.txt"),
            "probe,key,row\nparis,paris,0\npari,\"new york, ny\",1\n\"new york, ny\",\"new york, ny\",1\n"
            "zurich,\"the \"\"hague\"\"\",3\n,,5\n\"the \"\"hague\"\"\",\"the \"\"hague\"\"\",3\n");
  write("few.txt", "m\nn\n");
  write("low.txt", "a\nm\nz\n");
  EXPECT_EQ(output_of("floor --index AO+BS --type bytes --keys few.txt --probes low.txt"),
            "probe,key,row\na,,\nm,m,0\nz,n,1\n");
  write("none.offsets", std::string(8, '\0'));
  write("none.bytes", "");
  EXPECT_EQ(output_of("floor --index AO+BS --keys none.bytes --probes low.txt"), "probe,key,row\na,,\nm,,\nz,,\n");
}

TEST_F(strings, floor_in_several_calls) {
  std::string keys, expected = "probe,key,row\n";
  for (int i = 0; i < 70'000; ++i) {
    std::string const number = std::to_string(100'000 + i);
    keys += number + "\n";
    expected += number + "," + number + "," + std::to_string(i) + "\n";
  }
  write("many.txt", keys);
  EXPECT_EQ(output_of("floor --index AO+BS --type bytes --keys many.txt --probes many.txt"), expected);
}

TEST_F(strings, prefix) {
  write("starts.txt", "pa\np\n\nnew york,\nq\n");
  EXPECT_EQ(output_of("prefix" + std::string(over_keys) + "--probes starts.txt"),
            "probe,count\npa,2\np,3\n,6\n\"new york,\",1\nq,0\n");
  EXPECT_EQ(output_of("prefix" + std::string(over_keys) + "--probes starts.txt --rows"),
            "probe,row\npa,0\npa,4\np,0\np,4\np,2\n,5\n,1\n,0\n,4\n,2\n,3\n\"new york,\",1\n");
  expect_failure("prefix --index AO+BS --keys cities.csv:people --probes starts.txt", 1,
                 "the keys of cities.csv:people are u32; only strings have prefixes (--type bytes)");
  expect_failure("prefix" + std::string(over_keys) + "--probes starts.txt --strict", 2, "--strict");
}

TEST_F(strings, longest) {
  write("makers.csv", "prefix,name\n12,a\n1,b\n123,c\n12,d\n\"4,5\",e\n");
  write("serials.txt", "1299\n1\n1234\n3\n\n4,567\n");
  std::string const over_makers = " --type bytes --keys makers.csv:prefix --probes serials.txt";
  EXPECT_EQ(output_of("longest --index AO+BS" + over_makers),
            "probe,key,row\n1299,12,0\n1,1,1\n1234,123,2\n3,,\n,,\n\"4,567\",\"4,5\",4\n");
  EXPECT_EQ(output_of("longest" + std::string(over_keys) + "--probes serials.txt"),
            "probe,key,row\n1299,,5\n1,,5\n1234,,5\n3,,5\n,,5\n\"4,567\",,5\n");
  expect_failure("longest --index AO+BS --keys cities.csv:people --probes serials.txt", 1,
                 "the keys of cities.csv:people are u32; only strings have prefixes (--type bytes)");
}

TEST_F(strings, range) {
  write("ranges.csv", "from,to\nn,pb\n\"\",zz\nparis,paris\nz,a\n");
  std::string const range = "range" + std::string(over_keys) + "--lower ranges.csv:from --upper ranges.csv:to";
  EXPECT_EQ(output_of(range), "lower,upper,count,sum\nn,pb,3,5\n,zz,6,15\nparis,paris,2,4\nz,a,0,0\n");
  EXPECT_EQ(output_of(range + " --rows"),
            "lower,upper,row\nn,pb,1\nn,pb,0\nn,pb,4\n,zz,5\n,zz,1\n,zz,0\n,zz,4\n,zz,2\n,zz,3\nparis,paris,0\n"
            "paris,paris,4\n");
}

TEST_F(strings, index_files_and_updates) {
  EXPECT_EQ(output_of("build" + std::string(over_keys) + "--out cities.wdx"), "");
  write("more.csv", "name\n\"oslo, no\"\nparis\n");
  EXPECT_EQ(output_of("update --index cities.wdx --insert more.csv --first-row 100"), "");
  EXPECT_EQ(output_of("retrieve --index cities.wdx --probes probes.txt"),
            "probe,row\nparis,0\nparis,4\nparis,101\n\"new york, ny\",1\n,5\n\"the \"\"hague\"\"\",3\n");
  write("gone.txt", "paris\nabsent\n");
  EXPECT_EQ(output_of("update --index cities.wdx --erase gone.txt"), "");
  write("starts.txt", "p\nos\n");
  EXPECT_EQ(output_of("prefix --index cities.wdx --probes starts.txt"), "probe,count\np,1\nos,1\n");
  auto const info = nlohmann::json::parse(output_of("info --json --index cities.wdx"));
  EXPECT_EQ(info["key_type"], "bytes");
  EXPECT_EQ(info["entries"], 5);
  EXPECT_NE(output_of("info --index AO+BS --key-type bytes").find("bytes"), std::string::npos);
}

TEST_F(strings, any_bytes) {
  auto const offset = [](std::uint64_t at) { return std::string(reinterpret_cast<char const*>(&at), sizeof at); };
  write("any.bytes", "a\0b\xff,"s);
  write("any.offsets", offset(0) + offset(1) + offset(3) + offset(5));
  EXPECT_EQ(output_of("find --index AO+BS --keys any.bytes --probes any.bytes"),
            "probe,row\na,0\n\0b,1\n\"\xff,\",2\n"s);
  EXPECT_EQ(output_of("floor --index AO+BS --keys any.bytes --probes any.bytes"),
            "probe,key,row\na,a,0\n\0b,\0b,1\n\"\xff,\",\"\xff,\",2\n"s);
  expect_failure("find --index AO+BS --keys any.bytes --probes any.bytes --out any.offsets", 2, "would replace");
}

TEST_F(strings, joins) {
  write("left.txt", "paris\n\nrome\n");
  std::string const join = "join --type bytes --left left.txt --right cities.csv:name ";
  EXPECT_EQ(output_of(join + "--how inner"), "left,right\n0,0\n0,4\n1,5\n");
  EXPECT_EQ(output_of(join + "--how anti"), "left\n2\n");
  EXPECT_EQ(output_of(join + "--how asof"), "left,right\n0,0\n1,5\n2,2\n");
  expect_failure(join + "--how asof --direction nearest", 1, "bytes");
}

TEST_F(strings, never_guessed) {
  expect_failure("find --index AO+BS --keys cities.csv:name --probes probes.txt", 1,
                 "'paris' is not a number, a date or a timestamp; --type bytes reads any strings");
  expect_failure("find --index 'EO+KS(9)' --type bytes --keys cities.csv:name --probes probes.txt", 1, "takes bytes");
  expect_failure("find --index AO+BS --keys cities.csv:people --probes probes.txt", 1, "'paris' is not an integer");
}

TEST_F(strings, advise) {
  EXPECT_NE(output_of("advise --type bytes --keys cities.csv:name").find("GRT"), std::string::npos);
}

}  // namespace
}  // namespace warpdex::cli
