// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "batch/tuning_table.hpp"

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "batch/shipped_tables.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

namespace warpdex::test {
namespace {

std::string entry(std::string const& structure, std::string const& n, std::string const& policy) {
  return R"({"structure": ")" + structure + R"(", "layout": "SoA", "key_bits": 32, "n": ")" + n + R"(", "policy": ")" +
         policy + R"(", "rate": 1e9})";
}

std::string table_of(std::string const& entries) {
  return R"({"device": "A GPU", "version": "1", "entries": [)" + entries + "]}";
}

tuning_table parsed(std::string const& entries) { return parse_tuning_table(table_of(entries), "table"); }

/// The policy that a table gives a spec.
std::string tuned_text(tuning_table const& table, std::string const& text, std::uint64_t n, key_type keys) {
  spec const s(resolve(spec(text), keys, row_type::u32, n, backend_kind::cuda));
  return policy_text(tuned(read_policy(s, {8}), table, s, static_cast<int>(8 * size_of(keys)), n));
}

TEST(tuning_table, chooses_by_structure_layout_width_and_size) {
  auto const table =
      parsed(entry("EO+KS(9)", "2^16", "/threads=512") + "," + entry("EO+KS(9)", "2^10", "/threads=128") + "," +
             entry("AO+PB+BS", "2^10", "/threads=1024"));
  EXPECT_EQ(table.device, "A GPU");
  ASSERT_EQ(table.entries.size(), 3u);
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", 0, key_type::u32), "/threads=128");
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", 1 << 10, key_type::u32), "/threads=128");
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", (1 << 10) + 1, key_type::f32), "/threads=512");
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", 1 << 16, key_type::u32), "/threads=512");
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", 1 << 20, key_type::u32), "/threads=512") << "the last is for all above";
  EXPECT_EQ(tuned_text(table, "AO+PB+BS(levels=3)", 1 << 20, key_type::u32), "/threads=1024");
  EXPECT_EQ(tuned_text(table, "AO+PB+BS/layout=AoS", 1000, key_type::u32), "");
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", 1000, key_type::u64), "");
  EXPECT_EQ(tuned_text(table, "EO+KS(17)", 1000, key_type::u32), "");
  EXPECT_EQ(tuned_text({}, "EO+KS(9)", 1000, key_type::u32), "");
}

TEST(tuning_table, fills_in_what_is_left_open) {
  std::string const all = "/lanes=1/threads=256/probes=2/schedule=static/pin=full/reorder=none";
  auto const table = parsed(entry("EO+KS(9)", "2^10", all));
  EXPECT_EQ(tuned_text(table, "EO+KS(9)", 1000, key_type::u32), all);
  EXPECT_EQ(tuned_text(table, "EO+KS(9)/threads=256/reorder=none", 1000, key_type::u32),
            tuned_text(table, "EO+KS(9)", 1000, key_type::u32));
  EXPECT_EQ(tuned_text(table, "EO+KS(9)/threads=128/reorder=none", 1000, key_type::u32), "/threads=128/reorder=none")
      << "no part of an entry that says otherwise";
  std::string const own = "/lanes=8/threads=512/probes=1/schedule=dynamic/pin=none/reorder=none";
  EXPECT_EQ(tuned_text(table, "EO+KS(9)" + own, 1000, key_type::u32), own);
  EXPECT_EQ(tuned_text(table, "EO+KS(9)/threads=128/reorder=window", 1000, key_type::u32),
            "/threads=128/reorder=window");
}

TEST(tuning_table, says_what_is_wrong_and_where) {
  auto const refuses = [](std::string const& text, auto... parts) {
    EXPECT_TRUE(throws<format_error>([&] { parse_tuning_table(text, "t.json"); }, "t.json", parts...)) << text;
  };
  refuses("");
  refuses("{");
  refuses("[]", "expected an object");
  refuses(R"({"entries": []})", "device: missing");
  refuses(R"({"device": 3, "entries": []})", "device: 3");
  refuses(R"({"device": "x"})", "entries: missing");
  refuses(R"({"device": "x", "entries": 1})", "entries: expected a list");
  refuses(table_of("7"), "entry 1", "expected an object");
  std::string const good = entry("AO+BS", "2^10", "");
  auto const with = [&](std::string const& from, std::string const& to) {
    std::string changed = good;
    return table_of(good + "," + changed.replace(changed.find(from), from.size(), to));
  };
  EXPECT_EQ(parsed(good + "," + good).entries.size(), 2u);
  refuses(with("structure", "struct"), "entry 2", "structure: missing");
  refuses(with("AO+BS", "AO+BS("), "entry 2", "structure", "missing ')'");
  refuses(with("AO+BS", "AO+BS/pin=none"), "entry 2", "structure");
  refuses(with("AO+BS", "AO+PB+BS(levels=3)"), "entry 2", "structure");
  refuses(with("SoA", "soa"), "entry 2", "layout: 'soa'");
  refuses(with("32", "33"), "entry 2", "key_bits: 33, expected 32, 64 or 128");
  refuses(with("32", "\"32\""), "entry 2", "key_bits");
  for (char const* const n : {"1024", "2^", "2^x", "2^-1", "2^49", "2^100", "3^10"})
    refuses(with("2^10", n), "entry 2", "n: '" + std::string(n) + "'");
  refuses(with("\"2^10\"", "1024"), "entry 2", "n: 1024");
  refuses(table_of(entry("AO+BS", "2^10", "/threads=5")), "entry 1", "policy", "threads");
  refuses(table_of(entry("AO+BS", "2^10", "/lanes=7")), "entry 1", "policy", "lane");
  refuses(table_of(entry("AO+BS", "2^10", "threads=256")), "entry 1", "policy");
  refuses(table_of(entry("AO+BS", "2^10", "/reorder=window")), "entry 1", "policy: reorder=window");
}

/// Whether the build has the fan-out that a structure names, if it names one.
bool is_compiled(std::string const& structure) {
  auto const at = structure.find("KS(");
  return at == std::string::npos || has_fanout(std::stoi(structure.substr(at + 3)));
}

TEST(tuning_table, shipped_ones_can_be_run_and_are_of_one_device_each) {
  std::set<std::string> devices;
  for (auto const json : shipped_tables()) {
    auto const table = parse_tuning_table(json, "shipped");
    EXPECT_TRUE(devices.insert(table.device).second) << table.device;
    EXPECT_FALSE(table.entries.empty()) << table.device;
    for (tuning_entry const& entry : table.entries) {
      if (!is_compiled(entry.structure)) continue;
      auto const text = entry.structure + "/layout=" + entry.layout + policy_text(entry.run);
      key_type const keys = entry.key_bits == 32   ? key_type::u32
                            : entry.key_bits == 64 ? key_type::u64
                                                   : key_type::u128;
      for (row_type const rows : {row_type::u32, row_type::u64})
        if (rows == row_type::u32 || entry.layout == "SoA") {
          EXPECT_NO_THROW(resolve(text, keys, rows, entry.n, backend_kind::cuda)) << table.device << ": " << text;
        }
    }
  }
  EXPECT_EQ(devices, (std::set<std::string>{"NVIDIA H100 80GB HBM3", "NVIDIA H200"}));
}

/// The variable is the process's own; it is put back as it was.
class tuning_variable : public testing::Test {
 protected:
  tuning_variable() {
    if (char const* const value = std::getenv("WARPDEX_TUNING")) before_ = value;
    ::unsetenv("WARPDEX_TUNING");
  }
  ~tuning_variable() override {
    if (before_.empty()) ::unsetenv("WARPDEX_TUNING");
    else ::setenv("WARPDEX_TUNING", before_.c_str(), 1);
  }

 private:
  std::string before_;
};

TEST_F(tuning_variable, unset_means_the_shipped_table_of_the_device) {
  for (auto const* const device : {"NVIDIA H100 80GB HBM3", "NVIDIA H200"}) EXPECT_EQ(table_for(device).device, device);
  EXPECT_TRUE(table_for("Another GPU").entries.empty());
  EXPECT_TRUE(table_for("").entries.empty());
}

TEST_F(tuning_variable, names_a_file_for_every_device) {
  folder const files;
  std::ofstream(files / "own.json") << table_of(entry("AO+BS", "2^10", "/threads=512"));
  std::ofstream(files / "bad.json") << "{";
  ::setenv("WARPDEX_TUNING", (files / "own.json").c_str(), 1);
  auto const& table = table_for("NVIDIA H200");
  EXPECT_EQ(table.device, "A GPU");
  EXPECT_EQ(&table_for("Another GPU"), &table);
  ::setenv("WARPDEX_TUNING", (files / "bad.json").c_str(), 1);
  EXPECT_TRUE(throws<format_error>([] { table_for("NVIDIA H200"); }, "bad.json"));
  ::setenv("WARPDEX_TUNING", (files / "none.json").c_str(), 1);
  EXPECT_TRUE(throws<io_error>([] { table_for("NVIDIA H200"); }, "none.json", "WARPDEX_TUNING"));
  ::setenv("WARPDEX_TUNING", "", 1);
  EXPECT_EQ(table_for("NVIDIA H200").device, "NVIDIA H200");
}

}  // namespace
}  // namespace warpdex::test
