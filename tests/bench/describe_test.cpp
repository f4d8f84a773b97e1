// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/describe.hpp"

#include "run_bench.hpp"
#include "support/folder.hpp"

#include <warpdex/index.hpp>
#include <warpdex/note.hpp>

#include <sys/wait.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>

namespace warpdex::bench {
namespace {

record facts_of(std::string const& arguments) { return record::parse(output_of(arguments)); }

std::string text_of(std::filesystem::path const& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string source(std::string const& path) { return text_of(std::filesystem::path(WARPDEX_SOURCES) / path); }

class describes : public testing::Test {
 protected:
  /// What the program prints in a process of its own. @param before what a shell does first
  std::string program(std::string const& arguments, std::string const& before, int code = 0) const {
    std::string const out = folder_ / "out";
    int const status = std::system((before + " '" WARPDEX_BENCH "' " + arguments + " >" + out + " 2>&1").c_str());
    EXPECT_EQ(WEXITSTATUS(status), code) << text_of(out);
    return text_of(out);
  }

  std::string keys(char const* name, std::vector<std::uint64_t> const& all) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    std::uint64_t const size = all.size();
    file.write(reinterpret_cast<char const*>(&size), sizeof size);
    file.write(reinterpret_cast<char const*>(all.data()), static_cast<std::streamsize>(size * sizeof size));
    return folder_ / name;
  }

  test::folder folder_;
};

TEST_F(describes, the_library) {
  record const all = facts_of("info");
  EXPECT_GE(all["structures"].size(), 5u);
  for (record const& structure : all["structures"]) {
    SCOPED_TRACE(structure["name"]);
    for (char const* const list : {"forms", "samples"}) EXPECT_FALSE(structure[list].empty()) << list;
    for (char const* const list : {"fanouts", "tuned"}) EXPECT_TRUE(structure[list].is_array()) << list;
    std::string const arguments = structure["arguments"];  // text that follows the name
    EXPECT_TRUE(arguments.empty() || std::isalnum(static_cast<unsigned char>(arguments[0])) == 0) << arguments;
    if (structure["chooses"]) continue;
    // The sources draw the memory of each structure, in the indented lines of a comment.
    std::string const drawing = structure["drawing"];
    EXPECT_NE(source(drawing).find("\n///     "), std::string::npos) << drawing;
  }
  EXPECT_EQ(all["key_types"], (record{"u32", "u64", "i32", "i64", "f32", "f64", "date", "timestamp", "u128", "bytes"}));
  EXPECT_EQ(all["backends"]["cpu"], true);
  std::string const text = output_of("info", false);
  for (char const* const line : {"\nstructures\n  name            AO+BS\n", "\n  forms           EO+BS\n",
                                 "\nkey_types       u32\n                u64\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(describes, the_table_of_structures) {
  std::string const page = source("docs/reference/structures.md");
  std::string const table = output_of("info --markdown", false);
  EXPECT_NE(table.find("| `AO+BS` |"), std::string::npos) << table;
  EXPECT_NE(page.find("\n\n" + table + "\n"), std::string::npos) << "docs/reference/structures.md needs this table:\n"
                                                                 << table;
  std::string known = WARPDEX_KNOWN_FANOUTS;
  for (std::size_t at = 0; (at = known.find(',', at)) != std::string::npos; at += 2) known.replace(at, 1, ", ");
  EXPECT_NE(page.find("K is one of " + known + " "), std::string::npos) << known;
}

TEST_F(describes, specs) {
  record const cpu = facts_of("info auto --n 2^20 --key-type u32 --backend cpu");
  EXPECT_EQ(cpu["entries"], 1 << 20);
  EXPECT_EQ(cpu["spec"].get<std::string>().substr(0, 11), "AO+PB+KS(17");
  EXPECT_FALSE(cpu["reasons"].empty());
  EXPECT_FALSE(cpu.contains("policy"));
  EXPECT_FALSE(facts_of("info AO+BS --backend cpu").contains("reasons"));

  record const gpu = facts_of("info auto --workload points,ranges --n 2^28 --key-type u32 --device 'NVIDIA H200'");
  EXPECT_EQ(gpu["given"], "auto(points,ranges)");
  EXPECT_EQ(gpu["backend"], "cuda");
  EXPECT_EQ(gpu["spec"].get<std::string>().substr(0, 10), "AO+PB+KS(9");
  EXPECT_GE(gpu["reasons"].size(), 2u);
  std::string const text = output_of("info auto/layout=SoA --workload order --device x", false);
  EXPECT_NE(text.find("\nspec            AO+BS/layout=SoA"), std::string::npos) << text;

  EXPECT_EQ(facts_of("info 'EO+KS(9)' --key-type f64 --n 2^20 --backend cpu")["view_type"],
            "warpdex::eytzinger<9, warpdex::soa_pairs<std::uint64_t, std::uint32_t>>");
  EXPECT_THROW(facts_of("info 'EO+KS(9)' --key-type u128"), spec_error);
  EXPECT_THROW(facts_of("info 'AO+PB+KS(10)'"), spec_error);
  EXPECT_THROW(facts_of("info none.wdx"), spec_error);
  EXPECT_THROW(facts_of("info AO+BS --n many"), usage_error);
  EXPECT_THROW(facts_of("info AO+BS --workload points"), usage_error);
  EXPECT_THROW(facts_of("info 'auto(order)' --workload points"), usage_error);
  for (char const* const words : {"points,rangs", "points,batch=x"})
    EXPECT_THROW(facts_of("info auto --workload " + std::string(words)), usage_error);
}

TEST_F(describes, index_files) {
  std::vector<std::int64_t> const some = {3, 1, 2, 1};
  std::string const path = folder_ / "k.wdx";
  save(index::build("AO+BS", column(std::span(some)), execution()), path, "M8[ms]");
  for (char const* const command : {"info ", "verify "}) {
    record const file = facts_of(command + path + " --backend cpu");
    EXPECT_EQ(file["file"], path);
    EXPECT_EQ(file["spec"], "AO+BS/layout=SoA/rows=u32");
    EXPECT_EQ(file["entries"], 4);
    EXPECT_EQ(file["key_type"], "i64");
    EXPECT_EQ(file["note"], "M8[ms]");
    EXPECT_EQ(file["index_bytes"], 4 * 12);
  }
  std::fstream damaged(path, std::ios::binary | std::ios::in | std::ios::out);
  damaged.seekp(-1, std::ios::end);
  damaged.put('\x55');
  damaged.close();
  for (char const* const command : {"info ", "verify "})
    EXPECT_THROW(facts_of(command + path + " --backend cpu"), format_error) << command;
  EXPECT_THROW(facts_of("verify none.wdx"), io_error);
}

TEST_F(describes, keys) {
  std::vector<std::uint64_t> some;
  for (std::uint64_t i = 0; i < 3000; ++i) some.push_back(i / 2 * 7);
  std::string const ask = "advise --keys " + keys("k_uint64", some);
  record const all = facts_of(ask + " --backend cpu");
  EXPECT_EQ(all["workload"], "auto");
  EXPECT_EQ(all["key_type"], "u64");
  EXPECT_EQ(all["row_type"], "u32");
  EXPECT_EQ(all["entries"], 3000);
  EXPECT_EQ(all["column"]["exact"], true);
  EXPECT_EQ(all["column"]["distinct_keys"], 1500);
  EXPECT_EQ(all["column"]["smallest_key"], 0);
  EXPECT_EQ(all["column"]["largest_key"], 10493);
  ASSERT_EQ(all["column"]["models"].size(), 7u);
  EXPECT_EQ(all["column"]["models"][1]["eps"], 16);
  EXPECT_EQ(all["column"]["models"][1]["pgm_segments"], 1);
  EXPECT_GE(all["index_bytes"], 3000 * 12);
  EXPECT_FALSE(all["reasons"].empty());
  EXPECT_FALSE(all.contains("policy"));
  EXPECT_TRUE(facts_of(ask + " --device 'NVIDIA H200'").contains("policy"));
  EXPECT_EQ(facts_of(ask + " --backend cpu --workload order,least_memory")["advised"], "AO+BS");
  EXPECT_EQ(facts_of("advise --backend cpu --keys " + keys("none_uint64", {}))["entries"], 0);
  std::ofstream(folder_ / "wide.u128") << std::string(32, 'x');
  record const wide = facts_of("advise --backend cpu --keys " + std::string(folder_ / "wide.u128"));
  EXPECT_FALSE(wide.contains("column"));
  EXPECT_EQ(wide["advised"], "HT(open)");
  EXPECT_THROW(facts_of(ask + " --workload rangs"), usage_error);
  EXPECT_THROW(facts_of("advise --keys none.npy"), io_error);
  EXPECT_THROW(facts_of("advise"), bad_arguments);
}

TEST_F(describes, policies_of_a_tuning_table) {
  std::ofstream(folder_ / "table.json")
      << R"json({"device": "x", "entries": [{"structure": "EO+KS(9)", "layout": "SoA", "key_bits": 64,
          "n": "2^20", "policy": "/lanes=1/pin=full/reorder=none"}]})json";
  std::string const ask = "info 'EO+KS(9)/threads=128' --n 2^20 --device x";
  EXPECT_EQ(facts_of(ask)["policy"], "/threads=128");
  EXPECT_EQ(facts_of("info 'EO+KS(9)' --device x")["policy"], "automatic");
  std::string const table = "WARPDEX_TUNING='" + std::string(folder_ / "table.json") + "'";
  record const tuned = record::parse(program(ask + " --json", table));
  EXPECT_EQ(tuned["policy"], "/lanes=1/threads=128/pin=full/reorder=none");
  EXPECT_EQ(tuned["spec"], "EO+KS(9)/layout=SoA/rows=u32/threads=128");
  EXPECT_NE(program(ask, "WARPDEX_TUNING=none.json", 1).find("none.json"), std::string::npos);
}

/// The tuner's output is a table. On the CPU policies have no effect, but all of them are accepted.
TEST_F(describes, tuner_writes_a_table) {
  if (std::system("python3 -c 'import json' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  std::string const own = folder_ / "own.json", summary = folder_ / "summary";
  record const info = record::parse(program("info --json 'AO+PB+KS(9)/layout=AoS' --n 2^8 --device x",
                                            "python3 '" WARPDEX_SOURCES "/bench/tune.py' " + own +
                                                " --bin '" WARPDEX_BENCH
                                                "' --backend cpu --repeat 1 --probes 2^8 --n 2^4,2^8 --key-type u64 >" +
                                                summary + " && WARPDEX_TUNING=" + own));
  record const table = record::parse(text_of(own));
  std::size_t tuned = 0;
  record const known = facts_of("info");
  for (record const& structure : known["structures"]) tuned += structure["tuned"].size();
  EXPECT_GE(tuned, 7u);
  EXPECT_GT(table["entries"].size(), 2 * tuned) << "sizes and structures, some of them in two layouts";
  int found = 0;
  for (record const& entry : table["entries"]) {
    if (entry["structure"] != "AO+PB+KS(9)" || entry["layout"] != "AoS" || entry["n"] != "2^8") continue;
    ++found;
    EXPECT_EQ(info["policy"], entry["policy"]);
    EXPECT_NE(text_of(summary).find(entry["policy"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace warpdex::bench
