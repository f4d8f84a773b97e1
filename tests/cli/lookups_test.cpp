// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

#include <algorithm>
#include <vector>

namespace warpdex::cli {
namespace {

class lookups : public cli_test {
 protected:
  lookups() {
    write("keys.csv", "name,id\na,30\nb,10\nc,20\nd,10\n");
    write("probes.txt", "10\n25\n030\n5\n20\n");
  }
};

constexpr char const* over_keys = " --index 'EO+KS(9)' --keys keys.csv:id ";

TEST_F(lookups, find) {
  EXPECT_EQ(output_of("find" + std::string(over_keys) + "--probes probes.txt"),
            "probe,row\n10,1\n25,\n030,0\n5,\n20,2\n");
}

TEST_F(lookups, floor) {
  EXPECT_EQ(output_of("floor" + std::string(over_keys) + "--probes probes.txt"),
            "probe,key,row\n10,10,1\n25,20,2\n030,30,0\n5,,\n20,20,2\n");
}

TEST_F(lookups, count) {
  EXPECT_EQ(output_of("count" + std::string(over_keys) + "--probes probes.txt"),
            "probe,count\n10,2\n25,0\n030,1\n5,0\n20,1\n");
}

TEST_F(lookups, retrieve) {
  EXPECT_EQ(output_of("retrieve" + std::string(over_keys) + "--probes probes.txt"),
            "probe,row\n10,1\n10,3\n030,0\n20,2\n");
}

TEST_F(lookups, range) {
  write("ranges.csv", "from,to\n10,20\n11,19\n0,100\n20,10\n30,30\n");
  std::string const range = "range" + std::string(over_keys) + "--lower ranges.csv:from --upper ranges.csv:to";
  EXPECT_EQ(output_of(range), "lower,upper,count,sum\n10,20,3,6\n11,19,0,0\n0,100,4,6\n20,10,0,0\n30,30,1,0\n");
  EXPECT_EQ(output_of(range + " --rows"),
            "lower,upper,row\n10,20,1\n10,20,3\n10,20,2\n0,100,1\n0,100,3\n0,100,2\n0,100,0\n30,30,0\n");
}

TEST_F(lookups, every_structure_gives_the_same) {
  std::string const expected = output_of("retrieve" + std::string(over_keys) + "--probes probes.txt");
  auto const info = nlohmann::json::parse(output_of("info --json"));
  for (auto const& structure : info["structures"]) {
    for (auto const& sample : structure["samples"]) {
      std::string const index = " --index '" + sample.get<std::string>() + "' --keys keys.csv:id ";
      EXPECT_EQ(output_of("retrieve" + index + "--probes probes.txt"), expected) << sample;
    }
  }
}

TEST_F(lookups, index_file) {
  EXPECT_EQ(output_of("build --index 'AO+PB+KS(9)' --keys keys.csv:id --out keys.wdx"), "");
  EXPECT_EQ(output_of("find --index keys.wdx --probes probes.txt"), "probe,row\n10,1\n25,\n030,0\n5,\n20,2\n");
  EXPECT_EQ(output_of("count --index ./keys.wdx --probes probes.txt --backend cpu --threads 1"),
            "probe,count\n10,2\n25,0\n030,1\n5,0\n20,1\n");
}

TEST_F(lookups, key_types) {
  write("dates.txt", "2024-01-31\n1999-12-31\n");
  write("times.txt", "2024-02-01T00:00:00Z\n2024-01-31 12:00:00.5\n");
  write("floats.txt", "0.1\nnan\n-inf\n-0.0\n");
  write("signed.txt", "-5\n7\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys dates.txt --probes dates.txt"),
            "probe,key,row\n2024-01-31,2024-01-31,0\n1999-12-31,1999-12-31,1\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys times.txt --probes times.txt"),
            "probe,key,row\n2024-02-01T00:00:00Z,2024-02-01T00:00:00Z,0\n"
            "2024-01-31 12:00:00.5,2024-01-31T12:00:00.500000Z,1\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys times.txt --probes dates.txt"),
            "probe,key,row\n2024-01-31,,\n1999-12-31,,\n");
  write("more.txt", "0.25\n5\nNaN\n0\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys floats.txt --probes more.txt"),
            "probe,key,row\n0.25,0.1,0\n5,0.1,0\nNaN,nan,1\n0,0,3\n");
  write("two.txt", "-6\n6\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys signed.txt --probes two.txt"), "probe,key,row\n-6,,\n6,-5,0\n");
}

TEST_F(lookups, keys_of_16_bytes) {
  write("ids.csv", "id,name\n123e4567-e89b-12d3-a456-426614174000,a\n2001:db8::1,b\n7,c\n0x7,d\n");
  write("wanted.txt", "0x123e4567e89b12d3a456426614174000\n2001:DB8:0:0::1\n::7\n8\n");
  std::string const found = "probe,row\n0x123e4567e89b12d3a456426614174000,0\n2001:DB8:0:0::1,1\n::7,2\n8,\n";
  for (char const* const index : {"auto", "HT(open)"})
    EXPECT_EQ(output_of("find --index '" + std::string(index) + "' --type u128 --keys ids.csv:id --probes wanted.txt"),
              found);
  EXPECT_EQ(output_of("build --index auto --type u128 --keys ids.csv:id --out ids.wdx"), "");
  EXPECT_EQ(output_of("find --index ids.wdx --probes wanted.txt"), found);
  EXPECT_EQ(output_of("count --index ids.wdx --probes ids.csv:id"),
            "probe,count\n123e4567-e89b-12d3-a456-426614174000,1\n2001:db8::1,1\n7,2\n0x7,2\n");
  write("raw.u128", std::string("\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(output_of("retrieve --index ids.wdx --probes raw.u128"),
            "probe,row\n0x00000000000000000000000000000007,2\n0x00000000000000000000000000000007,3\n");
}

TEST_F(lookups, type_overrides_what_the_values_say) {
  write("wide.txt", "5000000000\n-1\n10\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys keys.csv:id --type i64 --probes wide.txt"),
            "probe,row\n5000000000,\n-1,\n10,1\n");
}

TEST_F(lookups, probes_that_are_no_keys) {
  write("any.txt", "20\n-1\n\n20.5\nnull\n70000000000\n2.0000000000000000001\n1e1\n");
  std::string const any = std::string(over_keys) + "--probes any.txt";
  EXPECT_EQ(output_of("find" + any),
            "probe,row\n20,2\n-1,\n,\n20.5,\nnull,\n70000000000,\n2.0000000000000000001,\n1e1,1\n");
  EXPECT_EQ(output_of("count" + any),
            "probe,count\n20,1\n-1,0\n,0\n20.5,0\nnull,0\n70000000000,0\n2.0000000000000000001,0\n1e1,2\n");
  EXPECT_EQ(output_of("retrieve" + any), "probe,row\n20,2\n1e1,1\n1e1,3\n");
  EXPECT_EQ(
      output_of("floor" + any),
      "probe,key,row\n20,20,2\n-1,,\n,,\n20.5,20,2\nnull,,\n70000000000,30,0\n2.0000000000000000001,,\n1e1,10,1\n");
  outcome const text = run("find" + any);
  EXPECT_NE(text.err.find("probes that are no keys of type u32: 4\nprobes that are null: 2\n"), std::string::npos)
      << text.err;
  auto const summary = nlohmann::json::parse(run("--json find" + any).err);
  EXPECT_EQ(summary["probes"], 8);
  EXPECT_EQ(summary["probes_not_keys"], 4);
  EXPECT_EQ(summary["probes_null"], 2);
  EXPECT_EQ(summary["matches"], 2);
}

TEST_F(lookups, bounds_that_are_no_keys) {
  write("ranges.csv",
        "from,to\n9.5,20.5\n-1,1e30\n20.2,20.8\n,30\n10,NULL\n40,70000000000\n70000000000,80000000000\n-2,-1\n10,10\n");
  std::string const range = "range" + std::string(over_keys) + "--lower ranges.csv:from --upper ranges.csv:to";
  EXPECT_EQ(
      output_of(range),
      "lower,upper,count,sum\n9.5,20.5,3,6\n-1,1e30,4,6\n20.2,20.8,0,0\n,30,0,0\n10,NULL,0,0\n40,70000000000,0,0\n"
      "70000000000,80000000000,0,0\n-2,-1,0,0\n10,10,2,4\n");
  EXPECT_EQ(output_of(range + " --rows"),
            "lower,upper,row\n9.5,20.5,1\n9.5,20.5,3\n9.5,20.5,2\n-1,1e30,1\n-1,1e30,3\n-1,1e30,2\n-1,1e30,0\n"
            "10,10,1\n10,10,3\n");
  auto const summary = nlohmann::json::parse(run("--json " + range).err);
  EXPECT_EQ(summary["probes_not_keys"], 11);
  EXPECT_EQ(summary["probes_null"], 2);
}

TEST_F(lookups, moments_among_days_and_integers_among_floats) {
  write("days.txt", "2024-01-31\n2024-02-02\n");
  write("moments.txt", "2024-01-31T12:00:00Z\n2024-02-02T00:00:00Z\n2024-01-30 23:59:59\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys days.txt --probes moments.txt"),
            "probe,key,row\n2024-01-31T12:00:00Z,2024-01-31,0\n2024-02-02T00:00:00Z,2024-02-02,1\n"
            "2024-01-30 23:59:59,,\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys days.txt --probes moments.txt"),
            "probe,row\n2024-01-31T12:00:00Z,\n2024-02-02T00:00:00Z,1\n2024-01-30 23:59:59,\n");
  write("floats.txt", "9007199254740992\n0.5\n");
  write("large.txt", "9007199254740993\n9007199254740992\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys floats.txt --probes large.txt"),
            "probe,row\n9007199254740993,\n9007199254740992,0\n");
  write("more.txt", "9007199254740993\n0.5\n");
  expect_failure("find --index AO+BS --keys more.txt --probes large.txt", 1,
                 "more.txt:1: '9007199254740993' cannot be");
}

TEST_F(lookups, keys_that_are_null) {
  write("null.csv", "id,x\n30,a\n,b\n20,c\nNULL,d\n20,e\n");
  std::string const keys = " --keys null.csv:id --probes null.csv:id";
  expect_failure("find --index AO+BS" + keys, 1,
                 "null.csv:3: column 'id': empty cell (--null skip leaves out such rows)");
  for (char const* const index : {"AO+BS", "'EO+KS(9)/rows=u64'", "'HT(open)/rows=u32'"})
    EXPECT_EQ(output_of("retrieve --null skip --index " + std::string(index) + keys),
              "probe,row\n30,0\n20,2\n20,4\n20,2\n20,4\n")
        << index;
  EXPECT_EQ(nlohmann::json::parse(run("--json find --null skip --index AO+BS" + keys).err)["keys_null"], 2);
  EXPECT_EQ(nlohmann::json::parse(
                run("--json build --null skip --index AO+BS --keys null.csv:id --out n.wdx").err)["entries"],
            3);
  EXPECT_EQ(output_of("find --index n.wdx --probes null.csv:id"), "probe,row\n30,0\n,\n20,2\nNULL,\n20,2\n");
}

TEST_F(lookups, tables_without_header) {
  write("bare.csv", "1,5000\n2,5001\n3,5002\n");
  write("wanted.csv", "5001,x\n5000,y\n");
  write("wanted.txt", "5001\n");
  std::string const find = "find --no-header --index AO+BS ";
  EXPECT_EQ(output_of(find + "--keys bare.csv:1 --probes wanted.txt"), "probe,row\n5001,1\n");
  EXPECT_EQ(output_of(find + "--keys bare.csv:1 --probes wanted.csv"), "probe,row\n5001,1\n5000,0\n");
  EXPECT_EQ(output_of(find + "--keys bare.csv --probes bare.csv:0"), "probe,row\n1,0\n2,1\n3,2\n");
  EXPECT_EQ(output_of("find --header --index AO+BS --keys bare.csv:5000 --probes wanted.txt"), "probe,row\n5001,0\n");
  EXPECT_EQ(output_of("range --no-header --index AO+BS --keys bare.csv:0 --lower bare.csv:0 --upper bare.csv:1"),
            "lower,upper,count,sum\n1,5000,3,3\n2,5001,2,3\n3,5002,1,2\n");
  expect_failure(find + "--keys bare.csv:id --probes wanted.txt", 1, "without a header, columns are numbers");
}

TEST_F(lookups, lines_of_old_macs) {
  write("mac.csv", "name,id\ra,30\rb,10\r");
  write("mac.txt", "10\r25\r");
  EXPECT_EQ(output_of("find --index AO+BS --keys mac.csv:id --probes mac.txt"), "probe,row\n10,1\n25,\n");
}

TEST_F(lookups, binary_probes) {
  std::string sosd(8, '\0');
  sosd[0] = 2;
  write("probes_uint64", sosd + std::string("\x0a\0\0\0\0\0\0\0\x19\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(output_of("floor" + std::string(over_keys) + "--probes probes_uint64"),
            "probe,key,row\n10,10,1\n25,20,2\n");
}

TEST_F(lookups, no_keys_and_no_probes) {
  write("none.csv", "id\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys none.csv --probes probes.txt"),
            "probe,row\n10,\n25,\n030,\n5,\n20,\n");
  EXPECT_EQ(output_of("retrieve --index AO+BS --keys none.csv --probes probes.txt"), "probe,row\n");
  EXPECT_EQ(output_of("floor --index AO+BS --keys keys.csv:id --probes none.csv"), "probe,key,row\n");
  EXPECT_EQ(output_of("range --index AO+BS --keys keys.csv:id --lower none.csv:id --upper none.csv:id"),
            "lower,upper,count,sum\n");
}

TEST_F(lookups, more_probes_than_one_call_takes) {
  constexpr std::uint32_t keys = 1000;
  constexpr std::uint32_t probes = (1u << 20) + 5000;
  std::string key_text, probe_text, found = "probe,row\n", counted = "probe,count\n";
  for (std::uint32_t i = 0; i < keys; ++i) key_text += std::to_string((i * 7919u) % 100'003u) + "\n";
  std::vector<int> row_of(100'003, -1);
  for (std::uint32_t i = 0; i < keys; ++i) row_of[(i * 7919u) % 100'003u] = static_cast<int>(i);
  for (std::uint32_t i = 0; i < probes; ++i) {
    if (i % 7 == 3) {
      probe_text += "0.5\n";
      found += "0.5,\n";
      counted += "0.5,0\n";
      continue;
    }
    std::uint32_t const probe = static_cast<std::uint32_t>(i * 48271ull % 100'003u);
    int const row = row_of[probe];
    std::string const text = std::to_string(probe);
    probe_text += text + "\n";
    found += text + "," + (row < 0 ? "" : std::to_string(row)) + "\n";
    counted += text + (row < 0 ? ",0\n" : ",1\n");
  }
  write("many_keys.txt", key_text);
  write("many.txt", probe_text);
  EXPECT_TRUE(output_of("find --index 'EO+KS(17)' --keys many_keys.txt --probes many.txt") == found);
  EXPECT_TRUE(output_of("count --index 'EO+KS(17)' --keys many_keys.txt --probes many.txt") == counted);
}

TEST_F(lookups, more_matches_than_one_call_takes) {
  constexpr int copies = 2200;  // 2200 * 2200 matches are more than 2^22
  std::string keys, retrieved = "probe,row\n", ranged = "lower,upper,row\n";
  for (int i = 0; i < copies; ++i) keys += "5\n";
  for (int i = 0; i < copies; ++i) {
    for (int row = 0; row < copies; ++row) {
      retrieved += "5," + std::to_string(row) + "\n";
      ranged += "5,5," + std::to_string(row) + "\n";
    }
  }
  write("same.txt", keys);
  EXPECT_TRUE(output_of("retrieve --index AO+BS --keys same.txt --probes same.txt") == retrieved);
  EXPECT_TRUE(output_of("range --index AO+BS --keys same.txt --lower same.txt --upper same.txt --rows") == ranged);
}

}  // namespace
}  // namespace warpdex::cli
