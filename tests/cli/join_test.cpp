// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace warpdex::cli {
namespace {

class joins : public cli_test {
 protected:
  joins() {
    write("orders.csv", "id,customer,note\n1,7,\"a, b\"\n2,3,\n3,,x\n4,9.5,\"q \"\"u\"\"\"\n5,3,z\n");
    write("customers.csv", "id,name\n3,Ann\n5,Bob\n7,Cy\n3,Dee\n,Eve\n");
    write("trades.csv", "time,sym\n10,A\n12,B\n15,A\n9,A\n,A\n20,C\n20,\n");
    write("prices.csv", "time,sym,price\n9,A,100\n11,B,200\n14,A,101\n14,A,102\n,B,1\n20,,5\n");
    write("spans.csv", "from,to\n3,7\n4,4.5\n,7\n6,1000000000000\n7,3\n");
    write("none.csv", "id,customer,time,sym\n");
  }

  static std::string equality(std::string const& how) {
    return "join --how " + how + " --left orders.csv:customer --right customers.csv:id ";
  }
};

constexpr char const* nearest = "join --how asof --left trades.csv:time --right prices.csv:time ";
constexpr char const* spans = "join --how range --lower spans.csv:from --upper spans.csv:to --right customers.csv:id ";

TEST_F(joins, equality_of_every_kind) {
  EXPECT_EQ(output_of(equality("inner")), "left,right\n0,2\n1,0\n1,3\n4,0\n4,3\n");
  EXPECT_EQ(output_of(equality("left")), "left,right\n0,2\n1,0\n1,3\n2,\n3,\n4,0\n4,3\n");
  EXPECT_EQ(output_of(equality("semi")), "left\n0\n1\n4\n");
  EXPECT_EQ(output_of(equality("anti")), "left\n2\n3\n");
  EXPECT_EQ(output_of("join --left orders.csv:customer --right customers.csv:id"), output_of(equality("inner")));
}

TEST_F(joins, columns_of_both_tables) {
  EXPECT_EQ(output_of(equality("left") + "--columns all"),
            "id,customer,note,id_right,name\n1,7,\"a, b\",7,Cy\n2,3,,3,Ann\n2,3,,3,Dee\n3,,x,,\n"
            "4,9.5,\"q \"\"u\"\"\",,\n5,3,z,3,Ann\n5,3,z,3,Dee\n");
  EXPECT_EQ(output_of(equality("anti") + "--columns all"), "id,customer,note\n3,,x\n4,9.5,\"q \"\"u\"\"\"\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--by sym --columns all"),
            "time,sym,time_right,sym_right,price\n10,A,9,A,100\n12,B,11,B,200\n15,A,14,A,101\n9,A,9,A,100\n,A,,,\n"
            "20,C,,,\n20,,,,\n");
  EXPECT_EQ(output_of(std::string(spans) + "--columns all"),
            "from,to,id,name\n3,7,3,Ann\n3,7,3,Dee\n3,7,5,Bob\n3,7,7,Cy\n6,1000000000000,7,Cy\n");
}

TEST_F(joins, some_columns) {
  EXPECT_EQ(output_of(equality("left") + "--columns name,id"), "id,name\n1,Cy\n2,Ann\n2,Dee\n3,\n4,\n5,Ann\n5,Dee\n");
  EXPECT_EQ(output_of(equality("inner") + "--columns id_right,note"), "note,id_right\n\"a, b\",7\n,3\n,3\nz,3\nz,3\n");
  EXPECT_EQ(output_of(equality("left") + "--columns name"), "name\nCy\nAnn\nDee\n\"\"\n\"\"\nAnn\nDee\n");
  EXPECT_EQ(output_of(equality("inner") + "--columns id"), "id\n1\n2\n2\n5\n5\n");
  EXPECT_EQ(output_of(equality("anti") + "--columns id"), "id\n3\n4\n");
  expect_failure(equality("anti") + "--columns name", 1, "no table has a column 'name'; they have id, customer, note");
}

TEST_F(joins, names_that_both_tables_have) {
  write("l.csv", "k,x,x_right,\"c,d\"\n1,a,b,c\n");
  write("r.tsv", "x\tk\tc,d\n,\t1\t\"y\tz\"\n");
  EXPECT_EQ(output_of("join --left l.csv:k --right r.tsv:k --columns all"),
            "k,x,x_right,\"c,d\",x_right_right,k_right,\"c,d_right\"\n1,a,b,c,\",\",1,\"y\tz\"\n");
}

TEST_F(joins, tables_without_header) {
  write("l.csv", "5,a\n6,b\n");
  write("r.csv", "6,x\n");
  EXPECT_EQ(output_of("join --no-header --how left --left l.csv --right r.csv --columns all"),
            "0,1,0_right,1_right\n5,a,,\n6,b,6,x\n");
}

TEST_F(joins, a_line_of_one_empty_cell_is_no_blank_line) {
  write("one.csv", "id\n\n3\n");
  EXPECT_EQ(output_of("join --how anti --left one.csv --right customers.csv:id --columns all"), "id\n\"\"\n");
}

TEST_F(joins, as_of) {
  EXPECT_EQ(output_of(nearest), "left,right\n0,0\n1,1\n2,2\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--direction forward"), "left,right\n0,1\n1,2\n2,5\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--direction nearest"), "left,right\n0,0\n1,1\n2,2\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--no-exact --direction backward"),
            "left,right\n0,0\n1,1\n2,2\n3,\n4,\n5,2\n6,2\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--no-exact --tolerance 1"),
            "left,right\n0,0\n1,1\n2,2\n3,\n4,\n5,\n6,\n");
  // 10 is as far from 9 as from 11, and 12 is nearer to 11 than to 14.
  EXPECT_EQ(output_of(std::string(nearest) + "--direction nearest --later"),
            "left,right\n0,1\n1,1\n2,2\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--index AO+BS --tolerance 0.5"),
            "left,right\n0,\n1,\n2,\n3,0\n4,\n5,5\n6,5\n");
}

TEST_F(joins, as_of_ties) {
  EXPECT_EQ(output_of(std::string(nearest) + "--ties first"), output_of(nearest));
  EXPECT_EQ(output_of(std::string(nearest) + "--ties last"), "left,right\n0,0\n1,1\n2,3\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--ties last --direction forward"),
            "left,right\n0,1\n1,3\n2,5\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--ties last --direction nearest"),
            "left,right\n0,0\n1,1\n2,3\n3,0\n4,\n5,5\n6,5\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--ties last --by sym"), "left,right\n0,0\n1,1\n2,3\n3,0\n4,\n5,\n6,\n");
}

TEST_F(joins, as_of_values_that_are_no_keys) {
  write("between.txt", "9.5\n13.9\n-3\n1e9\nNULL\n");
  std::string const join = "join --how asof --left between.txt --right prices.csv:time ";
  EXPECT_EQ(output_of(join), "left,right\n0,0\n1,1\n2,\n3,5\n4,\n");
  EXPECT_EQ(output_of(join + "--no-exact"), "left,right\n0,0\n1,1\n2,\n3,5\n4,\n");
  EXPECT_EQ(output_of(join + "--direction nearest --tolerance 0.25"), "left,right\n0,\n1,2\n2,\n3,\n4,\n");
  write("days.txt", "2024-01-31\n2024-02-02\n");
  write("moments.txt", "2024-02-01T23:00:00Z\n2024-01-30T00:00:00Z\n");
  EXPECT_EQ(output_of("join --how asof --left moments.txt --right days.txt"), "left,right\n0,0\n1,\n");
  EXPECT_EQ(output_of("join --how asof --left moments.txt --right days.txt --direction nearest --tolerance 1"),
            "left,right\n0,1\n1,0\n");
  EXPECT_EQ(output_of("join --how asof --left moments.txt --right days.txt --tolerance 1"), "left,right\n0,\n1,\n");
}

TEST_F(joins, as_of_within_groups) {
  EXPECT_EQ(output_of(std::string(nearest) + "--by sym"), "left,right\n0,0\n1,1\n2,2\n3,0\n4,\n5,\n6,\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--by sym --direction forward --no-exact"),
            "left,right\n0,2\n1,\n2,\n3,2\n4,\n5,\n6,\n");
  EXPECT_EQ(output_of(std::string(nearest) + "--by 1=sym --tolerance 0"), "left,right\n0,\n1,\n2,\n3,0\n4,\n5,\n6,\n");
  expect_failure(std::string(nearest) + "--by sym=nil", 1, "prices.csv:1: no column 'nil'");
  expect_failure(std::string(nearest) + "--by sym --strict", 1, "prices.csv:6: column 'time': empty cell");
  expect_failure(std::string(nearest) + "--by sym --index AO+BS", 2, "leave out --index AO+BS");
  write("times.txt", "1\n");
  expect_failure("join --how asof --left times.txt --right prices.csv:time --by sym", 1,
                 "times.txt: has no columns: a table is needed");
  write("late.csv", "time,sym\n10.5,A\n");
  std::string const late = "join --how asof --left late.csv:time --right prices.csv:time --by sym ";
  EXPECT_EQ(output_of(late), "left,right\n0,0\n");
  EXPECT_EQ(output_of(late + "--tolerance 1"), "left,right\n0,\n");
  EXPECT_EQ(output_of(late + "--tolerance 1.5"), "left,right\n0,0\n");
  EXPECT_EQ(output_of(late + "--direction forward --tolerance 3.5"), "left,right\n0,2\n");
  EXPECT_EQ(output_of(late + "--type f64"), "left,right\n0,0\n");
}

TEST_F(joins, ranges) {
  EXPECT_EQ(output_of(spans), "left,right\n0,0\n0,3\n0,1\n0,2\n3,2\n");
  EXPECT_EQ(output_of("join --how range --upper spans.csv:to --right customers.csv:id"),
            "left,right\n0,0\n0,3\n0,1\n0,2\n1,0\n1,3\n2,0\n2,3\n2,1\n2,2\n3,0\n3,3\n3,1\n3,2\n4,0\n4,3\n");
  EXPECT_EQ(output_of("join --how range --lower spans.csv:to --right customers.csv:id --index AO+BS"),
            "left,right\n0,2\n1,1\n1,2\n2,2\n4,0\n4,3\n4,1\n4,2\n");
}

TEST_F(joins, ranges_without_their_bounds) {
  write("sorted.txt", "2\n3\n4\n5\n");
  write("bounds.csv", "from,to\n3,5\n2.5,4.5\n-1,3\n4,1000000000000\n5,2\n,4\n");
  std::string const lower = "--lower bounds.csv:from ", upper = "--upper bounds.csv:to ";
  std::string const join = "join --how range --right sorted.txt " + lower + upper;
  EXPECT_EQ(output_of(join + "--closed both"), output_of(join));
  EXPECT_EQ(output_of(join), "left,right\n0,1\n0,2\n0,3\n1,1\n1,2\n2,0\n2,1\n3,2\n3,3\n");
  EXPECT_EQ(output_of(join + "--closed left"), "left,right\n0,1\n0,2\n1,1\n1,2\n2,0\n3,2\n3,3\n");
  EXPECT_EQ(output_of(join + "--closed right"), "left,right\n0,2\n0,3\n1,1\n1,2\n2,0\n2,1\n3,3\n");
  EXPECT_EQ(output_of(join + "--closed none"), "left,right\n0,2\n1,1\n1,2\n2,0\n3,3\n");
  std::string const one = "join --how range --right sorted.txt --closed none ";
  EXPECT_EQ(output_of(one + lower), "left,right\n0,2\n0,3\n1,1\n1,2\n1,3\n2,0\n2,1\n2,2\n2,3\n3,3\n");
  EXPECT_EQ(output_of(one + upper), "left,right\n0,0\n0,1\n0,2\n1,0\n1,1\n1,2\n2,0\n3,0\n3,1\n3,2\n3,3\n5,0\n5,1\n");
  EXPECT_EQ(output_of(join + "--closed none --index AO+BS"), "left,right\n0,2\n1,1\n1,2\n2,0\n3,3\n");
}

TEST_F(joins, index_files) {
  EXPECT_EQ(output_of("build --null skip --index AO+BS --keys customers.csv:id --out c.wdx"), "");
  EXPECT_EQ(output_of("join --how left --left orders.csv:customer --index c.wdx"), output_of(equality("left")));
  EXPECT_EQ(output_of("join --how semi --left orders.csv:customer --index c.wdx --columns all"),
            output_of(equality("semi") + "--columns all"));
  EXPECT_EQ(output_of("join --left orders.csv:customer --index c.wdx --right customers.csv --columns all"),
            output_of(equality("inner") + "--columns all"));
  write("short.csv", "id,name\n3,Ann\n5,Bob\n");
  expect_failure("join --left orders.csv:customer --index c.wdx --right short.csv --columns all --out o.csv", 1,
                 "row 2 of the index is not in short.csv, which has 2 rows");
  expect_failure("join --left orders.csv:customer --index c.wdx --columns all", 2, "--columns all needs --right FILE");
  expect_failure("join --left orders.csv:customer --index c.wdx --right customers.csv", 2, "leave out --right");
  expect_failure("join --left orders.csv:customer --index c.wdx --type u64", 2, "leave out --type");
}

TEST_F(joins, every_structure_gives_the_same) {
  std::string const inner = output_of(equality("inner"));
  std::string const asof = output_of(nearest);
  auto const info = nlohmann::json::parse(output_of("info --json"));
  for (auto const& structure : info["structures"]) {
    for (auto const& sample : structure["samples"]) {
      std::string const index = " --index '" + sample.get<std::string>() + "'";
      EXPECT_EQ(output_of(equality("inner") + index), inner) << sample;
      if (sample.get<std::string>().starts_with("HT")) expect_failure(nearest + index, 1, "asof_join");
      else EXPECT_EQ(output_of(nearest + index), asof) << sample;
    }
  }
}

TEST_F(joins, other_formats) {
  write("text.txt", "3\nnull\n7\n");
  std::string sosd(8, '\0');
  sosd[0] = 2;
  write("keys_uint64", sosd + std::string("\7\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(output_of("join --how left --left text.txt --right keys_uint64"), "left,right\n0,\n1,\n2,0\n");
  EXPECT_EQ(output_of("join --how left --left keys_uint64 --right text.txt"), "left,right\n0,2\n1,\n");
  std::string const header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }";
  write("one.npy", std::string("\x93NUMPY\1\0\x76\0", 10) + header + std::string(117 - header.size(), ' ') + "\n" +
                       std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(output_of("join --how semi --left text.txt --right one.npy"), "left\n0\n");
  expect_failure("join --left one.npy --right customers.csv:id --columns all", 1,
                 "one.npy: has no columns: a table is needed");
  expect_failure("join --left orders.csv:customer --right text.txt --columns all", 1,
                 "text.txt: has no columns: a table is needed");
  write("ids.txt", "2001:db8::1\n::7\n");
  EXPECT_EQ(output_of("join --type u128 --left ids.txt --right ids.txt"), "left,right\n0,0\n1,1\n");
}

TEST_F(joins, inputs_from_pipes) {
  EXPECT_EQ(
      run("join --how asof --left /dev/stdin:time --right prices.csv:time --by sym --columns all", "cat trades.csv |")
          .out,
      output_of(std::string(nearest) + "--by sym --columns all"));
}

TEST_F(joins, empty_sides) {
  for (char const* const how : {"inner", "left"}) {
    EXPECT_EQ(output_of("join --left none.csv:customer --right customers.csv:id --how " + std::string(how)),
              "left,right\n");
  }
  EXPECT_EQ(output_of("join --left orders.csv:customer --right none.csv:id"), "left,right\n");
  EXPECT_EQ(output_of("join --left orders.csv:customer --right none.csv:id --how left"),
            "left,right\n0,\n1,\n2,\n3,\n4,\n");
  EXPECT_EQ(output_of("join --left orders.csv:customer --right none.csv:id --how anti"), "left\n0\n1\n2\n3\n4\n");
  for (char const* const by : {"", "--by sym "}) {
    std::string const asof = "join --how asof " + std::string(by);
    EXPECT_EQ(output_of(asof + "--left trades.csv:time --right none.csv:time"),
              "left,right\n0,\n1,\n2,\n3,\n4,\n5,\n6,\n");
    EXPECT_EQ(output_of(asof + "--left none.csv:time --right prices.csv:time"), "left,right\n");
    EXPECT_EQ(output_of(asof + "--left none.csv:time --right none.csv:time"), "left,right\n");
  }
  EXPECT_EQ(output_of("join --how range --lower none.csv:id --upper none.csv:time --right customers.csv:id"),
            "left,right\n");
  EXPECT_EQ(output_of("join --how range --lower spans.csv:from --right none.csv:id"), "left,right\n");
  EXPECT_EQ(output_of("join --left none.csv:id --right none.csv:id --columns all"),
            "id,customer,time,sym,id_right,customer_right,time_right,sym_right\n");
}

TEST_F(joins, strict) {
  write("keys.txt", "3\n7\n");
  expect_failure("join --strict --left orders.csv:customer --right keys.txt", 1, "orders.csv:4: column 'customer'");
  expect_failure("join --strict --left keys.txt --right customers.csv:id", 1, "customers.csv:6: column 'id'");
  write("half.txt", "3\n7.5\n");
  expect_failure("join --strict --left half.txt --right keys.txt", 1, "half.txt:2: '7.5' cannot be a key");
  expect_failure("join --strict --how asof --left half.txt --right keys.txt", 1, "half.txt:2: '7.5' cannot be a key");
  EXPECT_EQ(output_of("join --strict --left keys.txt --right keys.txt"), "left,right\n0,0\n1,1\n");
  // What the messages advise is an option of the command.
  std::string const advice = "empty cell (without --strict, nulls match nothing)";
  for (char const* const sides :
       {"--left keys.txt --right customers.csv:id", "--left customers.csv:id --right keys.txt",
        "--how asof --left customers.csv:id --right customers.csv:id --by name"})
    expect_failure("join --strict " + std::string(sides), 1, "customers.csv:6: column 'id': " + advice);
}

TEST_F(joins, summary) {
  outcome const text = run(equality("left"));
  EXPECT_NE(text.err.find("left join: 5 probes, 7 lines, looked up in "), std::string::npos) << text.err;
  auto const summary = nlohmann::json::parse(run("--json " + equality("left")).err);
  EXPECT_EQ(summary["command"], "join");
  EXPECT_EQ(summary["how"], "left");
  EXPECT_EQ(summary["probes"], 5);
  EXPECT_EQ(summary["lines"], 7);
  EXPECT_EQ(summary["entries"], 4);
  EXPECT_EQ(summary["keys_null"], 1);
  EXPECT_EQ(summary["probes_null"], 1);
  EXPECT_EQ(summary["probes_not_keys"], 1);
  EXPECT_EQ(summary["output"], "-");
  auto const grouped = nlohmann::json::parse(run("--json " + std::string(nearest) + "--by sym --out g.csv").err);
  EXPECT_EQ(grouped["how"], "asof");
  EXPECT_EQ(grouped["spec"], "as-of by sym");
  EXPECT_EQ(grouped["entries"], 4);
  EXPECT_EQ(grouped["keys_null"], 2);
  EXPECT_EQ(grouped["probes"], 7);
  EXPECT_EQ(grouped["probes_null"], 1);
  EXPECT_EQ(grouped["lines"], 7);
  EXPECT_EQ(grouped["output"], "g.csv");
  EXPECT_EQ(run("-q " + equality("left")).err, "");
}

TEST_F(joins, wrong_usage) {
  std::string const sides = "--left orders.csv:customer --right customers.csv:id ";
  expect_failure("join --how outer " + sides, 2, "outer not in");
  expect_failure(std::string(nearest) + "--direction up", 2, "up not in");
  expect_failure("join " + sides + "--columns some", 1, "no table has a column 'some'");
  for (char const* const option :
       {"--direction forward", "--tolerance 1", "--no-exact", "--later", "--ties last", "--by id"})
    expect_failure("join " + sides + option, 2, " goes with --how asof alone");
  expect_failure("join " + sides + "--lower spans.csv:from", 2, "--lower goes with --how range alone");
  expect_failure("join " + sides + "--closed left", 2, "--closed goes with --how range alone");
  expect_failure(std::string(spans) + "--closed some", 2, "some not in");
  expect_failure(std::string(nearest) + "--later", 2, "--later goes with --direction nearest alone");
  expect_failure(std::string(spans) + "--left orders.csv", 2, "--left does not go with --how range");
  expect_failure("join --how range --right customers.csv:id", 2, "--how range needs --lower, --upper or both");
  expect_failure("join --right customers.csv:id", 2, "--how inner needs --left");
  expect_failure("join --left orders.csv:customer", 2, "--right FILE[:COLUMN] is needed, or --index FILE");
  expect_failure("join --left orders.csv:customer --index AO+BS", 2, "--index AO+BS is no file");
  expect_failure("join --how range --lower spans.csv:from --upper orders.csv:id --right customers.csv:id --columns all",
                 2, "are not in one table");
  for (char const* const tolerance : {"-1", "-0.5", "nan", "-inf", "x", "1s", "''"})
    expect_failure(std::string(nearest) + "--tolerance=" + tolerance, 2, "--tolerance");
}

TEST_F(joins, bad_input) {
  expect_failure("join --left no.csv:a --right customers.csv:id", 1, "no.csv: cannot open");
  expect_failure("join --left orders.csv:customer --right no.csv:a", 1, "no.csv: cannot open");
  expect_failure("join --left orders.csv:nil --right customers.csv:id", 1, "no column 'nil'");
  expect_failure("join --left orders.csv:note --right customers.csv:id", 1, "orders.csv:2: column 'note': 'a, b'");
  expect_failure("join --left orders.csv:customer --right customers.csv:id --index 'AO+XX'", 1, "AO+XX");
  expect_failure(std::string(spans) + "--index 'HT(open)'", 1, "range_join");
  write("three.txt", "1\n2\n3\n");
  expect_failure("join --how range --lower spans.csv:from --upper three.txt --right orders.csv:id", 1,
                 "--lower spans.csv:from has 5 rows, --upper three.txt has 3");
}

TEST_F(joins, a_failure_leaves_the_output_as_it_was) {
  write("out.csv", "before");
  std::size_t const files = number_of_files();
  write("short.csv", "id\n3\n");
  std::string broken;
  for (int i = 0; i < 5000; ++i) broken += "3\n";
  write("broken.txt", broken + "x\n");
  std::string const fails_midway = "join --left broken.txt --right customers.csv:id";
  expect_failure(fails_midway, 1, "broken.txt:5001: 'x' is not an integer");
  EXPECT_EQ(output_of("build --null skip --index AO+BS --keys customers.csv:id --out c.wdx"), "");
  for (std::string const& join :
       {fails_midway, std::string("join --left no.csv --right customers.csv:id"),
        std::string(spans) + "--index 'HT(open)'",
        std::string("join --left orders.csv:customer --index c.wdx --right short.csv --columns all")}) {
    expect_failure(join + " --out out.csv", 1, "");
    EXPECT_EQ(read("out.csv"), "before") << join;
  }
  EXPECT_EQ(number_of_files(), files + 3);
  expect_failure(equality("inner") + "--out orders.csv", 2, "is the file of --left");
  expect_failure(equality("inner") + "--out ./customers.csv", 2, "is the file of --right");
  expect_failure(std::string(spans) + "--out spans.csv", 2, "is the file of --lower");
  expect_failure("join --left orders.csv:customer --index c.wdx --out c.wdx", 2, "is the file of --index");
  EXPECT_EQ(output_of(equality("inner") + "--out out.csv"), "");
  EXPECT_EQ(read("out.csv"), output_of(equality("inner")));
}

TEST_F(joins, more_pairs_than_one_batch_has) {
  constexpr int copies = 2200;  // 2200 * 2200 pairs are more than 2^22
  std::string keys, pairs = "left,right\n";
  for (int i = 0; i < copies; ++i) keys += "5\n";
  for (int i = 0; i < copies; ++i)
    for (int row = 0; row < copies; ++row) pairs += std::to_string(i) + "," + std::to_string(row) + "\n";
  write("same.txt", keys);
  EXPECT_TRUE(output_of("join --left same.txt --right same.txt") == pairs);
  EXPECT_TRUE(output_of("join --how range --lower same.txt --upper same.txt --right same.txt") == pairs);
}

TEST_F(joins, more_values_than_one_call_takes) {
  constexpr std::uint64_t values = (1u << 20) + 5000;
  std::mt19937_64 random(7);
  std::vector<std::map<int, int>> prices(3);  // per group, the first row of each time
  std::string right = "t,g\n", left = "t,g\n", pairs = "left,right\n";
  for (int row = 0; row < 1000; ++row) {
    int const time = static_cast<int>(random() % 5000), group = static_cast<int>(random() % 3);
    bool const is_null = row % 13 == 5;
    right += (is_null ? "" : std::to_string(time)) + ",g" + std::to_string(group) + "\n";
    if (!is_null) prices[static_cast<std::size_t>(group)].emplace(time, row);
  }
  for (std::uint64_t i = 0; i < values; ++i) {
    int const time = static_cast<int>(random() % 5000), group = static_cast<int>(random() % 3);
    bool const is_null = i % 7 == 3;
    left += (is_null ? "" : std::to_string(time)) + ",g" + std::to_string(group) + "\n";
    auto const& times = prices[static_cast<std::size_t>(group)];
    auto const after = times.upper_bound(time);
    bool const found = !is_null && after != times.begin();
    pairs += std::to_string(i) + "," + (found ? std::to_string(std::prev(after)->second) : "") + "\n";
  }
  write("l.csv", left);
  write("r.csv", right);
  EXPECT_TRUE(output_of("join --how asof --left l.csv:t --right r.csv:t --by g") == pairs);
}

}  // namespace
}  // namespace warpdex::cli
