// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"
#include "support/sanitizers.hpp"

#include <unistd.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace warpdex::cli {
namespace {

class bad_input : public cli_test {
 protected:
  bad_input() {
    write("keys.csv", "name,id\na,30\nb,10\nc,20\n");
    write("probes.txt", "10\n25\n");
  }

  void expect_bad_keys(std::string const& source, std::string const& part) const {
    expect_failure("find --index AO+BS --keys '" + source + "' --probes probes.txt", 1, part);
  }

  void expect_bad_probes(std::string const& text, std::string const& part) const {
    write("bad.txt", text);
    expect_failure("find --index AO+BS --keys keys.csv:id --probes bad.txt", 1, part);
  }
};

TEST_F(bad_input, specs) {
  auto const failure = [&](std::string const& spec, std::string const& part) {
    std::string const text = expect_failure("build --index '" + spec + "' --keys keys.csv:id --out x.wdx", 1, part);
    EXPECT_NE(text.find('^'), std::string::npos) << "no caret: " << text;
    EXPECT_FALSE(exists("x.wdx"));
  };
  failure("AO+BX", "did you mean AO+BS?");
  failure("EO+KS(9", "missing ')'");
  failure("EO+KS(4)", "K must be one of 2, ");
  failure("AO+PB+BS(levels=99)", "levels");
  failure("AO+BS/layuot=AoS", "did you mean layout?");
  failure("AO+BS/layout=row", "unknown layout 'row'");
}

TEST_F(bad_input, index_that_is_neither_file_nor_spec) {
  expect_failure("find --index missing.wdx --probes probes.txt", 1, "missing.wdx: cannot open: there is no such");
  expect_failure("find --index missing --probes probes.txt", 1, "--index names no file, and as a spec it is not valid");
}

TEST_F(bad_input, key_files) {
  expect_bad_keys("none.csv:id", "none.csv: cannot open: No such file or directory");
  expect_bad_keys("keys.csv:ip", "keys.csv:1: no column 'ip'; the columns are 0 'name', 1 'id'");
  expect_bad_keys("keys.csv:name", "keys.csv:2: column 'name': 'a' is not a number");
  write("ragged.csv", "a,b\n1,2\n3\n");
  write("wide.csv", std::string(1'000'000, ','));
  expect_bad_keys("wide.csv", "wide.csv:1: the first line has more than 100000 fields");
  write("no_header.csv", "1,5000\n2,5001\n");
  expect_bad_keys("no_header.csv:1", "names the column '1', which is a value");
  expect_bad_keys("no_header.csv:5000", "--no-header reads this line as a row");
  expect_bad_keys("ragged.csv", "ragged.csv:3: 1 field where the header has 2: '3'");
  write("empty.csv", "");
  expect_bad_keys("empty.csv", "empty.csv: the file is empty");
  write("long.txt", "1\n" + std::string(10'000'000, 'x') + "\n");
  expect_bad_keys("long.txt", "(10000000 bytes)");
  write("short.npy", "\x93NUMPY");
  expect_bad_keys("short.npy", "the header of the .npy file is truncated");
  write("k_uint64", std::string(16, '\xff'));
  expect_bad_keys("k_uint64", "the file is truncated");
  expect_bad_keys(".", "is a directory");
}

TEST_F(bad_input, probes_that_are_no_keys_of_the_index) {
  expect_bad_probes("10\nabc\n", "bad.txt:2: 'abc' is not an integer (the keys are u32)");
  expect_bad_probes("2024-01-31\n", "bad.txt:1: '2024-01-31' is not an integer (the keys are u32)");
  auto const expect_strict_failure = [&](std::string const& text, std::string const& part) {
    write("strict.txt", text);
    for (char const* const call :
         {"find --probes strict.txt", "count --probes strict.txt", "retrieve --probes strict.txt",
          "floor --probes strict.txt", "range --upper probes.txt --lower strict.txt",
          "range --lower probes.txt --upper strict.txt"})
      expect_failure(call + std::string(" --strict --index AO+BS --keys keys.csv:id"), 1, part);
  };
  expect_strict_failure("10\n-1\n", "strict.txt:2: '-1' is outside u32");
  expect_strict_failure("5000000000\n", "strict.txt:1: '5000000000' is outside u32");
  expect_strict_failure("1.5\n", "strict.txt:1: '1.5' cannot be a key of type u32");
  expect_strict_failure("1\n\n2\n", "strict.txt:2: empty cell");
}

TEST_F(bad_input, names_that_command_a_terminal) {
  std::string const text = expect_failure("find --index AO+BS --keys 'a\xc2\x9b\x1b[31m\xff.txt' --probes probes.txt",
                                          1, "a\\xc2\\x9b\\x1b[31m\\xff.txt: cannot open");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  expect_failure("find --index AO+BS --keys keys.csv:id --probes probes.txt '--x\x1b[31m'", 2, "--x\\x1b[31m");
  outcome const json = run("--json find --index AO+BS --keys 'a\xff\x1b.txt' --probes probes.txt");
  EXPECT_EQ(nlohmann::json::parse(json.err)["error"], "a\\xff\\x1b.txt: cannot open: No such file or directory");
}

TEST_F(bad_input, keys_of_16_bytes_where_none_are_taken) {
  std::string const keys = " --type u128 --keys keys.csv:id --probes probes.txt";
  expect_failure("find --index AO+IS" + keys, 1, "AO+IS takes keys of up to 8 bytes; HT(open) takes u128");
  expect_failure("floor --index 'HT(open)'" + keys, 1, "floor: HT(open");
  expect_failure("info --index 'EO+KS(9)' --key-type u128", 1, "EO+KS takes keys of up to 8 bytes");
}

TEST_F(bad_input, ranges_of_different_length) {
  write("bounds.csv", "from\n1\n");
  expect_failure("range --index AO+BS --keys keys.csv:id --lower bounds.csv:from --upper probes.txt", 1,
                 "--lower bounds.csv:from has 1 row, --upper probes.txt has 2");
}

TEST_F(bad_input, index_files) {
  ASSERT_EQ(output_of("build --index 'EO+KS(2)' --keys keys.csv:id --out good.wdx"), "");
  std::string const good = read("good.wdx");
  auto const failure = [&](std::string const& bytes) {
    write("bad.wdx", bytes);
    expect_failure("find --index bad.wdx --probes probes.txt", 1, "bad.wdx");
  };
  failure("");
  failure("id\n1\n2\n");
  for (std::size_t const part : {std::size_t{1}, good.size() / 2, good.size() - 1}) failure(good.substr(0, part));
  for (std::size_t i = 0; i < good.size(); i += std::max<std::size_t>(1, good.size() / 40)) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    failure(flipped);
  }
  failure(good + "x");
}

TEST_F(bad_input, outputs_that_cannot_be_written) {
  std::string const find = "find --index AO+BS --keys keys.csv:id --probes probes.txt --out ";
  expect_failure(find + "none/x.csv", 1, "none/x.csv: cannot write: No such file or directory");
  expect_failure(find + ".", 1, ".: cannot write: Is a directory");
  expect_failure(find + "/dev/full", 1, "/dev/full: cannot write: No space left on device");
  expect_failure("build --index AO+BS --keys keys.csv:id --out none/x.wdx", 1, "none/x.wdx");
  if (geteuid() != 0) {
    write("locked.csv", "old");
    std::filesystem::permissions(folder() / "locked.csv", std::filesystem::perms::owner_read);
    expect_failure(find + "locked.csv", 1, "locked.csv: cannot write: Permission denied");
    EXPECT_EQ(read("locked.csv"), "old");
  }
}

TEST_F(bad_input, failure_leaves_earlier_output) {
  write("rows.csv", "precious\n");
  write("bad.txt", "x\n");
  std::size_t const files = number_of_files();
  expect_failure("find --index AO+BS --keys keys.csv:id --probes bad.txt --out rows.csv", 1, "bad.txt:1");
  expect_failure("build --index 'EO+KS(4)' --keys keys.csv:id --out rows.csv", 1, "K must be one of");
  EXPECT_EQ(read("rows.csv"), "precious\n");
  EXPECT_EQ(number_of_files(), files) << "a temporary file was left";
}

TEST_F(bad_input, usage) {
  expect_failure("search", 2, "warpdex: there is no command 'search'; known are");
  expect_failure("finds --index AO+BS", 2, "warpdex: there is no command 'finds'; did you mean find?");
  expect_failure("--json joim", 2, "did you mean join?");
  expect_failure("find --indes AO+BS", 2,
                 "there is no option '--indes'; did you mean --index?; see warpdex find --help");
  expect_failure("--jsn find --index=AO+BS", 2, "there is no option '--jsn'; did you mean --json?");
  expect_failure("find --index AO+BS --keys keys.csv:id --probe --indes", 1, "'--indes' is not an integer");
  expect_failure("find", 2, "--index");
  expect_failure("find --index AO+BS --keys keys.csv:id", 2, "--probes");
  expect_failure("find --index AO+BS --probes probes.txt", 2, "--index AO+BS is a spec, which needs --keys");
  expect_failure("find --index AO+BS --keys keys.csv:id --probes probes.txt --backend tpu", 2, "tpu");
  expect_failure("find --index AO+BS --keys keys.csv:id --probes probes.txt --threads x", 2, "threads");
  expect_failure("find --index AO+BS --keys keys.csv:id --type u16 --probes probes.txt", 2, "u16");
  expect_failure("find --index AO+BS --keys keys.csv:id --probes probes.txt --rows", 2, "--rows");
  expect_failure("info --n many --index AO+BS", 2, "--n many: expected a number");
  ASSERT_EQ(output_of("build --index AO+BS --keys keys.csv:id --out k.wdx"), "");
  expect_failure("find --index k.wdx --keys keys.csv:id --probes probes.txt", 2, "leave out --keys");
  expect_failure("find --index k.wdx --type u32 --probes probes.txt", 2, "leave out --type");
  expect_failure("find --index k.wdx --null skip --probes probes.txt", 2, "leave out --null");
  expect_failure("find --index k.wdx --probes probes.txt --header --no-header", 2, "excludes");
}

/// @return the words that lines of a text begin with, by a pattern with one group
std::vector<std::string> words_of(std::string const& text, char const* pattern) {
  std::regex const line(pattern, std::regex::ECMAScript | std::regex::multiline);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), line); at != std::sregex_iterator(); ++at)
    out.push_back((*at)[1]);
  return out;
}

/// A shell variable that is not set must not mean the default.
TEST_F(bad_input, options_without_a_value) {
  std::string const help = output_of("--help");
  std::size_t const list = help.find("Subcommands:");
  std::set<std::string> seen = {"--probe"};  // whose empty value is one
  for (std::string const& command : words_of(help.substr(list, help.find("Examples:") - list), "^  ([a-z_]+) ")) {
    for (std::string const& option : words_of(output_of(command + " --help"), "^  (--[a-z-]+) (?!Excludes|Needs)\\S"))
      if (seen.insert(option).second) expect_failure(command + ' ' + option + " ''", 2, "warpdex: " + option + ": ");
  }
  EXPECT_GE(seen.size(), 35u);
  std::string const join = "join --how asof --left keys.csv:id --right keys.csv:id ";
  expect_failure(join + "--tolerance ''", 2, "--tolerance: its value is empty");
  expect_failure(join + "--tolerance= --later", 2, "--tolerance: its value is empty");
  expect_failure("find --index AO+BS --keys= --probe 5", 2, "--keys: its value is empty");
  EXPECT_EQ(output_of("prefix --index AO+BS --type bytes --keys keys.csv:name --probe ''"), "probe,count\n,3\n");
}

TEST_F(bad_input, messages_do_not_change_the_direction_of_text) {
  std::string const message =
      expect_failure("find --index AO+BS --keys keys.csv:id --probe '\u202e5'", 1, "\\xe2\\x80\\xae5");
  EXPECT_EQ(message.find("\u202e"), std::string::npos);
}

TEST_F(bad_input, cuda_without_a_gpu) {
  if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
  expect_failure("find --index AO+BS --keys keys.csv:id --probes probes.txt --backend cuda", 3, "--backend cuda: ");
}

TEST_F(bad_input, out_of_memory) {
  if (test::under_address_sanitizer) GTEST_SKIP() << "the sanitizer needs more address space than the limit";
  // A sparse file: eight gigabytes of keys that take no space on the disk.
  std::string count(8, '\0');
  count[3] = 0x40;
  write("huge_uint64", count);
  std::filesystem::resize_file(folder() / "huge_uint64", 8 + (std::uintmax_t{1} << 33));
  outcome const r =
      run("find --index AO+BS --keys huge_uint64 --probes probes.txt --backend cpu", "ulimit -v 1000000;");
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_NE(r.err.find("huge_uint64: no memory for 8589934600 bytes"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace warpdex::cli
