// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

namespace warpdex::cli {
namespace {

using nlohmann::json;

class advice_of_commands : public cli_test {
 protected:
  json info(std::string const& arguments) const { return json::parse(output_of("info --json " + arguments)); }
};

TEST_F(advice_of_commands, auto_explains_itself) {
  json const cpu = info("--index auto --n 2^20 --key-type u32 --backend cpu");
  EXPECT_EQ(cpu["spec"].get<std::string>().substr(0, 11), "AO+PB+KS(17");
  EXPECT_FALSE(cpu["reasons"].empty());
  EXPECT_FALSE(cpu.contains("policy"));
  EXPECT_FALSE(info("--index AO+BS --backend cpu").contains("reasons"));

  json const gpu = info("--index auto --workload points,ranges --n 2^28 --key-type u32 --device 'NVIDIA H200'");
  EXPECT_EQ(gpu["given"], "auto(points,ranges)");
  EXPECT_EQ(gpu["backend"], "cuda");
  EXPECT_EQ(gpu["spec"].get<std::string>().substr(0, 10), "AO+PB+KS(9");
  EXPECT_GE(gpu["reasons"].size(), 2u);
  std::string const text = output_of("info --index auto/layout=SoA --workload order --device x");
  EXPECT_NE(text.find("AO+BS/layout=SoA"), std::string::npos) << text;
  json const same = info("--index auto/layout=SoA --workload order --device x");
  for (json const& reason : same["reasons"])
    EXPECT_NE(text.find(" " + reason.get<std::string>() + "\n"), std::string::npos) << text;
}

TEST_F(advice_of_commands, wrong_workloads_are_wrong_usage) {
  expect_failure("info --index auto --workload points,rangs", 2, "did you mean ranges?");
  expect_failure("info --index auto --workload points,batch=x", 2, "batch");
  expect_failure("info --index AO+BS --workload points", 2, "--index auto");
  expect_failure("info --index 'auto(order)' --workload points", 2, "--index auto");
  EXPECT_EQ(run("info --workload points").exit_code, 2);
  expect_failure("info --index 'auto(rangs)'", 1, "did you mean ranges?");
  write("keys.txt", "1\n2\n");
  ASSERT_EQ(output_of("build --index auto --keys keys.txt --out k.wdx"), "");
  EXPECT_NE(output_of("info --index k.wdx").find("AO+"), std::string::npos);
  EXPECT_NE(output_of("info --index k.wdx").find("pivot_tree<"), std::string::npos);
  EXPECT_NE(output_of("info --index k.wdx").find("pairs_on_host   false"), std::string::npos);
  EXPECT_NE(output_of("info --index k.wdx --json").find("\"borrowed_bytes\": 0"), std::string::npos);
  expect_failure("info --index k.wdx --workload points", 2, "is a file");
}

TEST_F(advice_of_commands, advise_looks_at_keys) {
  std::string keys = "id,other\n";
  for (int i = 0; i < 3000; ++i) keys += std::to_string(i / 2 * 7) + ",x\n";
  write("keys.csv", keys);
  auto const advise = [&](std::string const& more) {
    return json::parse(output_of("advise --json --keys keys.csv:id --backend cpu " + more));
  };
  json const all = advise("");
  EXPECT_EQ(all["workload"], "auto");
  EXPECT_EQ(all["backend"], "cpu");
  EXPECT_EQ(all["key_type"], "u32");
  EXPECT_EQ(all["row_type"], "u32");
  EXPECT_EQ(all["entries"], 3000);
  EXPECT_EQ(all["keys_null"], 0);
  EXPECT_EQ(all["column"]["exact"], true);
  EXPECT_EQ(all["column"]["distinct_keys"], 1500);
  EXPECT_EQ(all["column"]["smallest_key"], "0");
  EXPECT_EQ(all["column"]["largest_key"], "10493");
  ASSERT_EQ(all["column"]["models"].size(), 7u);
  EXPECT_EQ(all["column"]["models"][1]["eps"], 16);
  EXPECT_EQ(all["column"]["models"][1]["pgm_segments"], 1);
  EXPECT_EQ(all["index_bytes"], all["pair_bytes"].get<int>() + all["auxiliary_bytes"].get<int>());
  EXPECT_FALSE(all["reasons"].empty());
  EXPECT_FALSE(all.contains("policy"));
  EXPECT_EQ(advise("--type i64")["key_type"], "i64");

  json const ordered = advise("--workload order,least_memory");
  EXPECT_EQ(ordered["workload"], "auto(order,least_memory)");
  EXPECT_EQ(ordered["advised"], "AO+BS");
  json const gpu = json::parse(output_of("advise --json --keys keys.csv --device 'NVIDIA H200'"));
  EXPECT_EQ(gpu["backend"], "cuda");
  EXPECT_TRUE(gpu.contains("policy"));

  std::string const text = output_of("advise --keys keys.csv --backend cpu --workload order,least_memory");
  EXPECT_NE(text.find("1500 different keys, from 0 to 10493"), std::string::npos) << text;
  EXPECT_NE(text.find("AO+BS/layout=SoA/rows=u32"), std::string::npos) << text;
  for (json const& reason : ordered["reasons"])
    EXPECT_NE(text.find(" " + reason.get<std::string>() + "\n"), std::string::npos) << text;
}

TEST_F(advice_of_commands, advise_takes_columns_without_models) {
  write("none.csv", "id\n");
  json const none = json::parse(output_of("advise --json --backend cpu --type u64 --keys none.csv"));
  EXPECT_EQ(none["entries"], 0);
  EXPECT_EQ(none["index_bytes"], 0);
  EXPECT_TRUE(none["column"]["smallest_key"].is_null());
  EXPECT_TRUE(none["probes_per_second"].is_null());
  write("largest.txt", "18446744073709551615\n18446744073709551615\nNULL\n");
  json const largest = json::parse(output_of("advise --json --backend cpu --null skip --keys largest.txt"));
  EXPECT_EQ(largest["column"]["distinct_keys"], 1);
  EXPECT_EQ(largest["column"]["largest_key"], "18446744073709551615");
  EXPECT_EQ(largest["keys_null"], 1);
  write("wide.txt", "::1\n::2\n");
  json const wide = json::parse(output_of("advise --json --backend cpu --type u128 --keys wide.txt"));
  EXPECT_TRUE(wide["column"].is_null());
  EXPECT_EQ(wide["advised"], "HT(open)");
  EXPECT_TRUE(wide["index_bytes"].is_null());
}

TEST_F(advice_of_commands, advise_refuses_bad_input) {
  write("keys.txt", "1\n2\n");
  expect_failure("advise --keys keys.txt --workload rangs", 2, "did you mean ranges?");
  expect_failure("advise --keys missing.txt", 1, "missing.txt");
  expect_failure("advise --keys keys.txt --type f33", 2, "--type");
  expect_failure("advise --keys keys.txt --backend gpu", 2, "--backend");
  EXPECT_EQ(run("advise").exit_code, 2);
  write("bad.txt", "1\nx\n");
  expect_failure("advise --keys bad.txt --type u32", 1, "bad.txt");
  write("wide.txt", "::1\n");
  EXPECT_NE(output_of("advise --keys wide.txt --type u128 --workload ranges").find("GRT"), std::string::npos);
}

TEST_F(advice_of_commands, view_types) {
  EXPECT_EQ(info("--index 'EO+KS(9)' --key-type f64 --n 2^20 --backend cpu")["view_type"],
            "warpdex::eytzinger<9, warpdex::soa_pairs<std::uint64_t, std::uint32_t>>");
  EXPECT_EQ(info("--index 'HT(open)' --key-type u128 --n 2^40 --device x")["view_type"],
            "warpdex::hash_open<warpdex::soa_slots<warpdex::u128, std::uint64_t>>");
}

TEST_F(advice_of_commands, policy_comes_from_a_tuning_table) {
  write("table.json", R"json({"device": "x", "entries": [{"structure": "EO+KS(9)", "layout": "SoA", "key_bits": 64,
      "n": "2^20", "policy": "/lanes=1/pin=full/reorder=none"}]})json");
  std::string const arguments = "info --index 'EO+KS(9)/threads=128' --n 2^20 --device x";
  EXPECT_NE(output_of(arguments + " --json").find("\"policy\": \"/threads=128\""), std::string::npos);
  EXPECT_NE(output_of("info --index 'EO+KS(9)' --device x").find("automatic"), std::string::npos);
  outcome const r = run(arguments + " --json", "WARPDEX_TUNING=table.json");
  EXPECT_EQ(json::parse(r.out)["policy"], "/lanes=1/threads=128/pin=full/reorder=none") << r.err;
  EXPECT_EQ(json::parse(r.out)["spec"], "EO+KS(9)/layout=SoA/rows=u32/threads=128");
  outcome const missing = run(arguments, "WARPDEX_TUNING=none.json");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("none.json"), std::string::npos) << missing.err;
}

/// The tuner's output is a table. On the CPU policies have no effect, but all of them are accepted.
TEST_F(advice_of_commands, tuner_writes_a_table) {
  if (std::system("python3 -c 'import json' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  std::string const tune = "python3 '" WARPDEX_TUNE "' own.json --bin '" WARPDEX_COMMAND
                           "' --backend cpu --repeat 1 --probes 2^8 --n 2^4,2^8 --key-type u64 >summary.txt &&";
  outcome const r = run("info --json --index 'AO+PB+KS(9)/layout=AoS' --n 2^8 --device x",
                        tune + " export WARPDEX_TUNING=own.json &&");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  json const table = json::parse(read("own.json"));
  std::size_t tuned = 0;
  json const known = info("");
  for (json const& structure : known["structures"]) tuned += structure["tuned"].size();
  EXPECT_GE(tuned, 7u);
  EXPECT_GT(table["entries"].size(), 2 * tuned) << "sizes and structures, some of them in two layouts";
  int found = 0;
  for (json const& entry : table["entries"]) {
    if (entry["structure"] != "AO+PB+KS(9)" || entry["layout"] != "AoS" || entry["n"] != "2^8") continue;
    ++found;
    EXPECT_EQ(json::parse(r.out)["policy"], entry["policy"]);
    EXPECT_NE(read("summary.txt").find(entry["policy"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace warpdex::cli
