// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

#include <sys/stat.h>

#include <cctype>
#include <regex>

namespace warpdex::cli {
namespace {

using nlohmann::json;

class output_of_commands : public cli_test {
 protected:
  output_of_commands() {
    write("keys.csv", "name,id\na,30\nb,10\nc,20\nd,10\n");
    write("probes.txt", "10\n25\n30\n");
  }
};

std::string source(std::string const& path) {
  std::ifstream file(WARPDEX_SOURCES "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr char const* find = "find --index AO+BS --keys keys.csv:id --probes probes.txt ";

TEST_F(output_of_commands, file_takes_the_place_of_an_earlier_one) {
  write("rows.csv", "old");
  std::filesystem::permissions(folder() / "rows.csv", std::filesystem::perms(0640));
  std::size_t const files = number_of_files();
  EXPECT_EQ(output_of(find + std::string("--out rows.csv")), "");
  EXPECT_EQ(read("rows.csv"), "probe,row\n10,1\n25,\n30,0\n");
  EXPECT_EQ(std::filesystem::status(folder() / "rows.csv").permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(number_of_files(), files);
}

TEST_F(output_of_commands, file_behind_a_link_and_pipe) {
  write("target.csv", "old");
  std::filesystem::create_symlink("target.csv", folder() / "link.csv");
  EXPECT_EQ(output_of(find + std::string("--out link.csv")), "");
  EXPECT_TRUE(std::filesystem::is_symlink(folder() / "link.csv"));
  EXPECT_EQ(read("target.csv"), "probe,row\n10,1\n25,\n30,0\n");
  EXPECT_EQ(output_of(find + std::string("--quiet --out /dev/stdout | cat")), "probe,row\n10,1\n25,\n30,0\n");
}

TEST_F(output_of_commands, summaries_as_text) {
  outcome const r = run(find);
  EXPECT_NE(r.err.find("index: AO+BS"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("4 u32 keys"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("find: 3 probes, 2 matches"), std::string::npos) << r.err;
  EXPECT_EQ(run(find + std::string("--quiet")).err, "");
  EXPECT_EQ(run("-q " + std::string(find)).err, "");
}

TEST_F(output_of_commands, summaries_as_json) {
  outcome const r = run(find + std::string("--json --backend cpu"));
  EXPECT_EQ(r.out, "probe,row\n10,1\n25,\n30,0\n");
  json const summary = json::parse(r.err);
  EXPECT_EQ(summary["command"], "find");
  EXPECT_EQ(summary["spec"].get<std::string>().substr(0, 5), "AO+BS");
  EXPECT_EQ(summary["backend"], "cpu");
  EXPECT_EQ(summary["key_type"], "u32");
  EXPECT_EQ(summary["row_type"], "u32");
  EXPECT_EQ(summary["entries"], 4);
  EXPECT_EQ(summary["probes"], 3);
  EXPECT_EQ(summary["matches"], 2);
  EXPECT_EQ(summary["output"], "-");
  EXPECT_GE(summary["index_bytes"].get<int>(), 32);
  EXPECT_EQ(summary["index_bytes"].get<int>(),
            summary["pair_bytes"].get<int>() + summary["auxiliary_bytes"].get<int>());
  for (char const* const name : {"key_read_seconds", "build_seconds", "sort_seconds", "layout_seconds",
                                 "probe_read_seconds", "lookup_seconds", "probes_per_second", "total_seconds"}) {
    EXPECT_TRUE(summary[name].is_number()) << name;
  }

  json const built = json::parse(run("--json build --index 'EO+KS(9)' --keys keys.csv:id --out k.wdx").err);
  EXPECT_EQ(built["command"], "build");
  EXPECT_EQ(built["output"], "k.wdx");
  EXPECT_FALSE(built.contains("probes"));
  json const counted = json::parse(run("count --json --index k.wdx --probes probes.txt").err);
  EXPECT_EQ(counted["matches"], 3);
  EXPECT_TRUE(counted["load_seconds"].is_number());
}

TEST_F(output_of_commands, seconds_add_up) {
  // Bounds that are beginnings of tuples are looked up before anything is written, and then nothing is.
  std::string bounds = "k\n";
  for (int i = 0; i < 3000; ++i) bounds += std::to_string(1000 + i) + "\n";
  write("bounds.csv", bounds);
  write("tuples.csv", "k,s\n1,a\n2,b\n");
  write("names.csv", "id,name\n10,x\n20,y\n");
  std::string const names = "join --left keys.csv:id --right names.csv:id --columns all ";
  std::string const calls[] = {
      find,
      "range --index AO+BS --keys tuples.csv --key k,s:bytes --lower bounds.csv:k --upper bounds.csv:k --rows "
      "--columns s ",
      names,
      "build --index AO+BS --keys keys.csv:id --out k.wdx ",
      names + "--how left --index AO+BS ",
      "join --how asof --left keys.csv:id --right names.csv:id --columns all ",
      "update --index k.wdx --erase probes.txt "};
  for (std::string const& call : calls) {
    json const summary = json::parse(run(call + "--json").err);
    double sum = 0;
    for (char const* const part : {"key_read_seconds", "load_seconds", "build_seconds", "probe_read_seconds",
                                   "source_read_seconds", "lookup_seconds", "update_seconds", "write_seconds"}) {
      if (!summary.contains(part)) continue;
      EXPECT_GE(summary[part].get<double>(), 0) << part << " of " << call;
      sum += summary[part].get<double>();
    }
    EXPECT_LE(sum, summary["total_seconds"].get<double>()) << call;
    EXPECT_GT(summary["write_seconds"].get<double>(), 0) << call;
    bool const reads_table = call.find("--columns") != std::string::npos;
    EXPECT_TRUE(!reads_table || summary["source_read_seconds"].get<double>() > 0) << call;
  }
}

TEST_F(output_of_commands, one_is_no_plural) {
  outcome const r = run("find --index sorted --keys keys.csv:id --probe 20");
  EXPECT_NE(r.err.find("find: 1 probe, 1 match, looked up"), std::string::npos) << r.err;
  write("only.csv", "id\n20\n");
  outcome const only = run("build --index sorted --keys only.csv --out only.wdx");
  EXPECT_NE(only.err.find(", 1 u32 key, "), std::string::npos) << only.err;
  outcome const more = run("update --index only.wdx --insert only.csv --first-row 1");
  EXPECT_NE(more.err.find("update: 1 key inserted, 0 erased"), std::string::npos) << more.err;
  expect_failure("update --index only.wdx --insert keys.csv:id --rows only.csv", 1, "--rows only.csv has 1 row, ");
  outcome const ranges = run("range --index btree --keys keys.csv:id --lower probes.txt --upper probes.txt");
  EXPECT_NE(ranges.err.find("range: 3 ranges, 3 matches, looked up"), std::string::npos) << ranges.err;
}

TEST_F(output_of_commands, help) {
  std::string const help = output_of("");
  EXPECT_EQ(help, output_of("--help"));
  EXPECT_NE(help.find("lower_bound"), std::string::npos) << help;
  for (char const* const command : {"find", "range", "build"}) {
    std::string const text = output_of(command + std::string(" --help"));
    EXPECT_EQ(text.find("->"), std::string::npos) << text;
    EXPECT_EQ(text.find("ENUM"), std::string::npos) << text;
  }
}

TEST_F(output_of_commands, completions) {
  auto const completed = [&](std::string const& words) {
    write("complete.sh", "source '" WARPDEX_SOURCES "/tools/completion.bash'\nCOMP_WORDS=('" WARPDEX_COMMAND "' " +
                             words + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_warpdex\necho \"${COMPREPLY[*]}\"\n");
    return run("--version >/dev/null; bash complete.sh").out;
  };
  if (run("--version >/dev/null; command -v bash").out.empty()) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(completed("fi"), "find\n");
  EXPECT_EQ(completed("--json lo"), "lower_bound longest\n");
  EXPECT_EQ(completed("find --prob"), "--probes --probe\n");
  EXPECT_EQ(completed("join --how a"), "anti asof\n");
  EXPECT_EQ(completed("floor --ties ''"), "first last\n");
  EXPECT_EQ(completed("find --keys ''"), "\n");
}

/// What zsh and fish choose from; they leave what does not begin like the last word themselves.
TEST_F(output_of_commands, completions_of_other_shells) {
  for (std::string const shell : {"zsh", "fish"}) {
    if (run("--version >/dev/null; command -v " + shell).out.empty()) GTEST_SKIP() << "there is no " << shell;
    auto const known = [&](std::string const& words) {
      write("complete", "source '" WARPDEX_SOURCES "/tools/completion." + shell + "'\n" + (shell == "fish" ? "_" : "") +
                            "_warpdex_known '" WARPDEX_COMMAND "' " + words + "\n");
      return run("--version >/dev/null; " + shell + (shell == "zsh" ? " -f" : " --no-config") +
                 " complete | tr '\\n' ' '")
          .out;
    };
    EXPECT_NE(known("fi").find("build update find"), std::string::npos) << shell;
    EXPECT_NE(known("--json lo").find("lower_bound"), std::string::npos) << shell;
    EXPECT_NE(known("find --prob").find("--probes --probe "), std::string::npos) << shell;
    EXPECT_EQ(known("join --how a"), "inner left semi anti asof range ") << shell;
    EXPECT_EQ(known("find --keys ''"), "") << shell;
  }
}

TEST_F(output_of_commands, the_benchmark_is_a_program) {
  auto const bench = [&](std::string const& arguments) {
    return run("--version >/dev/null; '" WARPDEX_BENCH "' " + arguments);
  };
  EXPECT_EQ(bench("--version").out.substr(0, 14), "warpdex-bench ");
  for (char const* const command : {"point", "range", "build", "update", "join", "encode"}) {
    std::string const text = bench(command + std::string(" --help")).out;
    EXPECT_EQ(text.find("->"), std::string::npos) << text;
    EXPECT_EQ(text.find("ENUM"), std::string::npos) << text;
    EXPECT_NE(text.find("--repeat"), std::string::npos) << text;
  }
  outcome const wrong = bench("point --index AO+BS --ops find --no-such");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(wrong.err.starts_with("warpdex-bench: there is no option '--no-such'")) << wrong.err;
  outcome const nowhere = bench("--against /nowhere/old.jsonl point --index AO+BS --n 10");
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_TRUE(nowhere.err.starts_with("warpdex-bench: --against /nowhere/old.jsonl: ")) << nowhere.err;
}

TEST_F(output_of_commands, the_manual_knows_all_commands) {
  std::string const manual = source("docs/warpdex.1");
  std::istringstream help(output_of("--help"));
  bool of_commands = false;
  int commands = 0;
  for (std::string line; std::getline(help, line);) {
    if (line == "Subcommands:") of_commands = true;
    if (line.empty()) of_commands = false;
    if (!of_commands || !line.starts_with("  ") || line[2] == ' ') continue;
    std::string const name = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_NE(manual.find(name), std::string::npos) << name;
    ++commands;
  }
  EXPECT_GE(commands, 16);
}

TEST_F(output_of_commands, errors_as_json) {
  write("bad.txt", "\xff\n");
  outcome const r = run("find --json --index AO+BS --keys keys.csv:id --probes bad.txt");
  EXPECT_EQ(r.exit_code, 1);
  json const error = json::parse(r.err);
  EXPECT_EQ(error["exit_code"], 1);
  EXPECT_NE(error["error"].get<std::string>().find("bad.txt:1"), std::string::npos);
}

TEST_F(output_of_commands, names_that_are_no_utf8_as_json) {
  std::string const build = "build --json --index AO+BS --keys keys.csv:id --out 'x\xff.wdx'";
  EXPECT_EQ(json::parse(run(build).err)["output"], "x\ufffd.wdx");
  EXPECT_EQ(json::parse(output_of("info --json --index 'x\xff.wdx'"))["file"], "x\ufffd.wdx");
}

TEST_F(output_of_commands, info) {
  std::string const text = output_of("info");
  for (char const* const word :
       {"AO+BS", "EO+BS", "EO+KS", "AO+PB+BS", "AO+PB+KS", "SoA", "packed", "timestamp", "cpu"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  json const all = json::parse(output_of("info --json"));
  EXPECT_GE(all["structures"].size(), 5u);
  for (json const& structure : all["structures"]) {
    SCOPED_TRACE(structure["name"]);
    for (char const* const list : {"forms", "samples"}) EXPECT_FALSE(structure[list].empty()) << list;
    for (char const* const list : {"fanouts", "tuned"}) EXPECT_TRUE(structure[list].is_array()) << list;
    std::string const arguments = structure["arguments"];  // text that follows the name
    EXPECT_TRUE(arguments.empty() || std::isalnum(static_cast<unsigned char>(arguments[0])) == 0) << arguments;
    for (json const& tuned : structure["tuned"]) EXPECT_GE(tuned["lanes"], 1);
  }
  EXPECT_EQ(all["key_types"], (json{"u32", "u64", "i32", "i64", "f32", "f64", "date", "timestamp", "u128", "bytes"}));
  EXPECT_EQ(all["backends"]["cpu"], true);
}

TEST_F(output_of_commands, structures_are_listed) {
  std::string const page = source("docs/reference/structures.md");
  std::string const table = output_of("info --markdown");
  EXPECT_NE(table.find("| `AO+BS` |"), std::string::npos) << table;
  EXPECT_NE(page.find("\n\n" + table + "\n"), std::string::npos) << "docs/reference/structures.md needs this table:\n"
                                                                 << table;
  std::string known = WARPDEX_KNOWN_FANOUTS;
  for (std::size_t at = 0; (at = known.find(',', at)) != std::string::npos; at += 2) known.replace(at, 1, ", ");
  EXPECT_NE(page.find("K is one of " + known + " "), std::string::npos) << known;
}

/// The sources draw the memory of each structure, in the indented lines of a comment.
TEST_F(output_of_commands, drawings_are_where_info_says) {
  json const known = json::parse(output_of("info --json"));
  for (json const& structure : known["structures"]) {
    if (structure["chooses"]) continue;
    std::string const drawing = structure["drawing"];
    EXPECT_NE(source(drawing).find("\n///     "), std::string::npos) << structure["name"] << ": '" << drawing << "'";
  }
}

TEST_F(output_of_commands, info_of_a_spec_and_of_a_file) {
  json const spec = json::parse(output_of("info --json --index 'AO+PB+KS(9)' --n 2^20 --key-type u32 --backend cpu"));
  EXPECT_EQ(spec["entries"], 1 << 20);
  EXPECT_EQ(spec["backend"], "cpu");
  EXPECT_NE(spec["spec"].get<std::string>().find("layout="), std::string::npos);
  EXPECT_NE(output_of("info --index 'AO+PB+KS(9)'").find("layout="), std::string::npos);
  expect_failure("info --index 'AO+PB+KS(10)'", 1, "K must be one of");

  ASSERT_EQ(output_of("build --index AO+BS --keys keys.csv:id --type i64 --out k.wdx"), "");
  json const file = json::parse(output_of("info --json --index k.wdx"));
  EXPECT_EQ(file["entries"], 4);
  EXPECT_EQ(file["key_type"], "i64");
}

TEST_F(output_of_commands, help_at_every_level) {
  EXPECT_NE(output_of("--help").find("Exit codes"), std::string::npos);
  for (char const* const command : {"build", "find", "floor", "count", "retrieve", "range", "join", "info"}) {
    std::string const text = output_of(command + std::string(" --help"));
    EXPECT_NE(text.find("Example"), std::string::npos) << command;
    EXPECT_NE(text.find("warpdex " + std::string(command)), std::string::npos) << command;
    EXPECT_NE(output_of("--help").find(command), std::string::npos) << command;
  }
  EXPECT_NE(output_of("find --help").find("counted from 0"), std::string::npos) << "the rule for columns";
  for (char const* const command : {"build", "update", "find", "floor", "count", "retrieve", "range", "join"})
    EXPECT_NE(output_of(command + std::string(" --help")).find("--no-header"), std::string::npos) << command;
  EXPECT_TRUE(std::regex_match(output_of("--version"), std::regex("warpdex [0-9.]+( \\([0-9a-f]+\\+?\\))?\n")));
}

}  // namespace
}  // namespace warpdex::cli
