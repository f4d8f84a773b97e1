// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpdex::cli {
namespace {

/// Answers that are cells of the matched rows.
class cells_of_rows : public cli_test {
 protected:
  cells_of_rows() {
    write("orders.csv",
          "id,customer,note,amount\n70,5,\"a, b\",1.50\n71,7,\"two\nlines\",-2\n72,5,,0.25\n73,9,\"say \"\"x\"\"\",\n");
    write("probes.txt", "5\n6\n9\n");
    write("spans.csv", "from,to\n5,7\n6,6\n0,100\n9,9\n7,5\n,5\n");
  }
};

constexpr char const* keys = " --index AO+BS --keys orders.csv:customer ";
constexpr char const* file = " --index k.wdx --source orders.csv:customer ";

TEST_F(cells_of_rows, in_any_order_or_all) {
  EXPECT_EQ(output_of("find" + std::string(keys) + "--probes probes.txt --columns amount,id"),
            "probe,amount,id\n5,1.50,70\n6,,\n9,,73\n");
  EXPECT_EQ(output_of("retrieve" + std::string(keys) + "--probes probes.txt --columns all"),
            "probe,id,customer,note,amount\n5,70,5,\"a, b\",1.50\n5,72,5,,0.25\n9,73,9,\"say \"\"x\"\"\",\n");
  EXPECT_EQ(output_of("floor" + std::string(keys) + "--probes probes.txt --columns note,id"),
            "probe,key,note,id\n5,5,\"a, b\",70\n6,5,\"a, b\",70\n9,9,\"say \"\"x\"\"\",73\n");
  EXPECT_EQ(output_of("range" + std::string(keys) + "--lower spans.csv:from --upper spans.csv:to --rows --columns id"),
            "lower,upper,id\n5,7,70\n5,7,72\n5,7,71\n0,100,70\n0,100,72\n0,100,71\n0,100,73\n9,9,73\n");
}

TEST_F(cells_of_rows, of_the_source_of_an_index_file) {
  EXPECT_EQ(output_of("build --index 'HT(open)' --keys orders.csv:customer --out k.wdx"), "");
  EXPECT_EQ(output_of("find" + std::string(file) + "--probes probes.txt --columns id"), "probe,id\n5,70\n6,\n9,73\n");
  std::string const find = "find --index k.wdx --probes probes.txt --columns id ";
  expect_failure(find, 2, "--source FILE:COLUMN is the table that it was built over");
  expect_failure("find" + std::string(file) + "--probes probes.txt", 2, "--source orders.csv:customer is of use with");
  expect_failure("find" + std::string(keys) + "--source orders.csv --columns id --probes probes.txt", 2,
                 "--source goes with an index file");
  write("less.csv", "id,customer\n70,5\n71,7\n72,5\n");
  expect_failure(find + "--source less.csv:customer", 1, "it has 3 keys, the index 4");
  write("swapped.csv", "id,customer\n71,7\n70,5\n72,5\n73,9\n");
  expect_failure(find + "--source swapped.csv:customer", 1, "the key of its row 0 has row 1 there");
  write("other.csv", "id,customer\n70,5\n71,7\n72,5\n73,8\n");
  expect_failure(find + "--source other.csv:customer", 1, "the key of its row 3 is not there. An index of --rows has");
  expect_failure("find" + std::string(file) + "--probes probes.txt --columns who", 1,
                 "no column 'who'; the columns are 0 'id'");
}

TEST_F(cells_of_rows, of_a_source_with_nulls) {
  write("gaps.csv", "id,k\n1,\n2,8\n3,NULL\n4,8\n5,3\n");
  EXPECT_EQ(output_of("build --index AO+BS --keys gaps.csv:k --null skip --out g.wdx"), "");
  write("p.txt", "3\n8\n");
  EXPECT_EQ(output_of("retrieve --index g.wdx --source gaps.csv:k --probes p.txt --columns id"),
            "probe,id\n3,5\n8,2\n8,4\n");
}

TEST_F(cells_of_rows, need_a_table) {
  write("k.txt", "5\n6\n");
  expect_failure("find --index AO+BS --keys k.txt --probes probes.txt --columns all", 1, "k.txt: has no columns");
  expect_failure("prefix --index AO+BS --type bytes --keys k.txt --probes k.txt --columns all", 2,
                 "--columns goes with --rows");
}

TEST_F(cells_of_rows, that_have_the_name_of_a_probe) {
  write("t.csv", "probe,k\na,1\n");
  write("one.txt", "1\n");
  EXPECT_EQ(output_of("find --index AO+BS --keys t.csv:k --probes one.txt --columns all"),
            "probe,probe_row,k\n1,a,1\n");
}

/// Sums and the like of columns in ranges of keys.
class aggregates_of_ranges : public cells_of_rows {};

TEST_F(aggregates_of_ranges, are_exact) {
  std::string const range = "range" + std::string(keys) + "--lower spans.csv:from --upper spans.csv:to ";
  EXPECT_EQ(
      output_of(range + "--sum amount"),
      "lower,upper,count,sum_amount\n5,7,3,-0.25\n6,6,0,0.00\n0,100,4,-0.25\n9,9,1,0.00\n7,5,0,0.00\n,5,0,0.00\n");
  EXPECT_EQ(output_of(range + "--min amount --max amount,id --mean id"),
            "lower,upper,count,min_amount,max_amount,max_id,mean_id\n5,7,3,-2.00,1.50,72,71\n6,6,0,,,,\n"
            "0,100,4,-2.00,1.50,73,71.5\n9,9,1,,,73,73\n7,5,0,,,,\n,5,0,,,,\n");
  write("big.csv", "k,v\n1,9223372036854775807\n2,9223372036854775807\n3,-170141183460469231731687303715884105727\n");
  write("b.csv", "l,u\n1,2\n3,3\n1,3\n");
  EXPECT_EQ(output_of("range --index auto --keys big.csv:k --lower b.csv:l --upper b.csv:u --sum v"),
            "lower,upper,count,sum_v\n1,2,2,18446744073709551614\n3,3,1,-170141183460469231731687303715884105727\n"
            "1,3,3,-170141183460469231713240559642174554113\n");
}

TEST_F(aggregates_of_ranges, of_an_index_file) {
  EXPECT_EQ(output_of("build --index 'EO+KS(9)' --keys orders.csv:customer --out k.wdx"), "");
  EXPECT_EQ(output_of("range" + std::string(file) + "--lower spans.csv:from --upper spans.csv:to --max id"),
            "lower,upper,count,max_id\n5,7,3,72\n6,6,0,\n0,100,4,73\n9,9,1,73\n7,5,0,\n,5,0,\n");
}

TEST_F(aggregates_of_ranges, agree_with_the_rows_that_are_listed) {
  std::string table = "k,v\n";
  std::string bounds = "l,u\n";
  std::vector<std::pair<int, int>> entries;
  unsigned state = 7;
  auto const next = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
  for (int i = 0; i < 3000; ++i) {
    entries.emplace_back(next() % 500, static_cast<int>(next() % 2001) - 1000);
    table += std::to_string(entries.back().first) + "," + std::to_string(entries.back().second) + "\n";
  }
  std::string expected = "lower,upper,count,sum_v,min_v,max_v\n";
  for (int i = 0; i < 200; ++i) {
    int const low = next() % 500, high = low + next() % 40;
    bounds += std::to_string(low) + "," + std::to_string(high) + "\n";
    long sum = 0, count = 0, least = 2000, most = -2000;
    for (auto const& [key, value] : entries) {
      if (key < low || key > high) continue;
      ++count;
      sum += value;
      least = std::min<long>(least, value);
      most = std::max<long>(most, value);
    }
    expected += std::to_string(low) + "," + std::to_string(high) + "," + std::to_string(count) + "," +
                std::to_string(sum) + "," + (count == 0 ? "" : std::to_string(least)) + "," +
                (count == 0 ? "" : std::to_string(most)) + "\n";
  }
  write("t.csv", table);
  write("b.csv", bounds);
  for (char const* const spec : {"AO+BS", "EO+KS(9)", "B+(16)"})
    EXPECT_EQ(output_of("range --index '" + std::string(spec) +
                        "' --keys t.csv:k --lower b.csv:l --upper b.csv:u --sum v --min v --max v"),
              expected)
        << spec;
}

TEST_F(aggregates_of_ranges, of_the_rows_of_a_key) {
  EXPECT_EQ(output_of("count" + std::string(keys) + "--probes probes.txt --sum amount,id --max id"),
            "probe,count,sum_amount,sum_id,max_id\n5,2,1.75,142,72\n6,0,0.00,0,\n9,1,0.00,73,73\n");
  expect_failure("count --index hash --keys orders.csv:customer --probes probes.txt --sum id", 1, "has no order");
}

TEST_F(aggregates_of_ranges, that_are_wrong) {
  std::string const range = "range" + std::string(keys) + "--lower spans.csv:from --upper spans.csv:to ";
  expect_failure(range + "--sum note", 1, "orders.csv:2: column 'note': 'a, b' cannot be added up");
  expect_failure(range + "--sum who", 1, "no column 'who'");
  expect_failure(range + "--sum amount --rows", 2, "do not go with --rows");
}

/// Rows with the greatest values of a column in ranges of keys.
class top_of_ranges : public cells_of_rows {
 protected:
  std::string const range = "range" + std::string(keys) + "--lower spans.csv:from --upper spans.csv:to ";
};

TEST_F(top_of_ranges, are_in_the_order_of_values) {
  EXPECT_EQ(output_of(range + "--top 2 --by amount"), "lower,upper,row\n5,7,0\n5,7,2\n0,100,0\n0,100,2\n");
  EXPECT_EQ(output_of(range + "--top 1 --by amount --least --columns id,amount"),
            "lower,upper,id,amount\n5,7,71,-2\n0,100,71,-2\n");
  EXPECT_EQ(output_of(range + "--top 0 --by amount"), "lower,upper,row\n");
  EXPECT_EQ(output_of(range + "--top 9 --by id --columns id"),
            "lower,upper,id\n5,7,72\n5,7,71\n5,7,70\n0,100,73\n0,100,72\n0,100,71\n0,100,70\n9,9,73\n");
}

TEST_F(top_of_ranges, of_an_index_file) {
  output_of("build" + std::string(keys) + "--out o.wdx");
  EXPECT_EQ(output_of("range --index o.wdx --source orders.csv:customer --lower spans.csv:from --upper spans.csv:to "
                      "--top 1 --by id --columns id"),
            "lower,upper,id\n5,7,72\n0,100,73\n9,9,73\n");
}

TEST_F(top_of_ranges, that_are_wrong) {
  expect_failure(range + "--top 2", 2, "--top K and --by NAME go together");
  expect_failure(range + "--by amount", 2, "go together");
  expect_failure(range + "--least", 2, "--least goes with --top");
  expect_failure(range + "--top -1 --by amount", 2, "--top");
  expect_failure(range + "--top some --by amount", 2, "--top");
  expect_failure(range + "--top 1 --by amount --sum id", 2, "do not go with --rows and --top");
  expect_failure(range + "--top 1 --by note", 1, "column 'note'");
  expect_failure(range + "--top 1 --by nil", 1, "no column 'nil'");
}

}  // namespace
}  // namespace warpdex::cli
