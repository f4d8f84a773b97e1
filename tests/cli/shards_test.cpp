// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

/// @file
/// Indexes of several shards: the command answers as with an index in one piece.
namespace warpdex::cli {
namespace {

class shards : public cli_test {
 protected:
  shards() {
    std::mt19937 random(45);
    std::uniform_int_distribution<int> below(0, 999);
    std::string table = "id,word,amount\n", probes = "id,word,from,to\n";
    for (int row = 0; row < 2000; ++row)
      table += std::to_string(below(random)) + ',' + word(below(random)) + ',' + std::to_string(row) + ".25\n";
    for (int row = 0; row < 500; ++row)
      probes += std::to_string(below(random)) + (row % 7 == 0 ? ".5," : ",") + word(below(random)) + ',' +
                std::to_string(below(random) - 20) + ',' + std::to_string(below(random) + 20) + '\n';
    write("keys.csv", table);
    write("probes.csv", probes + ",,,\n");
    write("new.csv", "id,word,row\n-1,a,1\n500,b,2\n500,b,3\n");
  }

  static std::string word(int number) {
    return std::string(static_cast<std::size_t>(number % 5 + 1), 'a' + number % 11) + std::to_string(number);
  }

  /// `count` shards on the CPU, as `--devices` names them.
  static std::string places(int count) {
    std::string text = "cpu";
    for (int i = 1; i < count; ++i) text += ",cpu";
    return text;
  }

  /// Expects the same answers of an index file and of shards: of folders, in as many places as they were built in and
  /// in another number, and of shards that are built on the way.
  /// @param source what goes with a file or a folder alone
  void expect_same(std::string const& build, std::string const& source, std::vector<std::string> const& calls) const {
    output_of("build --out one.wdx " + build);
    std::vector<std::string> expected;
    for (std::string const& call : calls) expected.push_back(output_of(call + source + " --index one.wdx"));
    for (auto const& [how, count] : {std::pair("range", 1), {"range", 2}, {"range", 3}, {"replicate", 2}}) {
      std::string const folder = how + std::to_string(count);
      std::string const shards = " --devices " + places(count) + " --placement " + how;
      output_of("build --out " + folder + shards + ' ' + build);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        SCOPED_TRACE(folder + ' ' + calls[i]);
        EXPECT_GT(std::count(expected[i].begin(), expected[i].end(), '\n'), 1);
        EXPECT_EQ(output_of(calls[i] + source + " --index " + folder), expected[i]);
        EXPECT_EQ(output_of(calls[i] + source + " --devices cpu,cpu --index " + folder), expected[i]);
        if (source.empty()) {
          EXPECT_EQ(output_of(calls[i] + shards + ' ' + build), expected[i]);
        }
      }
    }
  }
};

std::string const by_id = " --probes probes.csv:id";
std::string const by_word = " --probes probes.csv:word";

TEST_F(shards, numbers) {
  std::vector<std::string> calls;
  for (char const* const call : {"find", "contains", "count", "retrieve", "floor", "ceil", "ceil --ties last",
                                 "floor --no-exact", "lower_bound", "upper_bound"})
    calls.push_back(call + by_id);
  calls.emplace_back("range --lower probes.csv:from --upper probes.csv:to");
  calls.emplace_back("range --rows --lower probes.csv:from --upper probes.csv:to");
  expect_same("--index AO+BS --keys keys.csv:id", "", calls);
}

TEST_F(shards, hash_tables) {
  expect_same("--index 'HT(open)' --keys keys.csv:id", "",
              {"find" + by_id, "count" + by_id, "retrieve --check none" + by_id});
}

TEST_F(shards, strings) {
  std::vector<std::string> calls;
  for (char const* const call :
       {"find", "count", "retrieve", "floor", "ceil --no-exact", "lower_bound", "prefix", "prefix --rows", "longest"})
    calls.push_back(call + by_word);
  calls.emplace_back("prefix --probe a --probe b --rows");
  expect_same("--index AO+BS --type bytes --keys keys.csv:word", "", calls);
}

TEST_F(shards, cells_of_rows) {
  expect_same("--index AO+BS --keys keys.csv:id", " --source keys.csv:id",
              {"find --columns word,amount" + by_id, "retrieve --columns all" + by_id});
}

TEST_F(shards, tuples_and_given_rows) {
  output_of("build --index AO+BS --keys keys.csv --key id,word:bytes --out one.wdx");
  output_of("build --index AO+BS --keys keys.csv --key id,word:bytes --out two --devices cpu,cpu --placement range");
  std::string const prefix = "prefix --rows --probe 500 --probe 7 --key id:u32,word:bytes --index ";
  EXPECT_EQ(output_of(prefix + "two"), output_of(prefix + "one.wdx"));
  std::string const range = "range --lower keys.csv:id --upper keys.csv:id --key id:u32,word:bytes --index ";
  EXPECT_EQ(output_of(range + "two"), output_of(range + "one.wdx"));
  write("rows.csv", "id,key\n70,1\n71,\n72,1\n73,5\n");
  std::string const build = "build --index AO+BS --keys rows.csv:key --null skip ";
  for (char const* const rows : {"", "--rows rows.csv:id "}) {
    output_of(build + rows + "--out one.wdx");
    output_of(build + rows + "--out two --devices cpu,cpu --placement range");
    EXPECT_EQ(output_of("retrieve --probe 1 --probe 5 --index two"),
              output_of("retrieve --probe 1 --probe 5 --index one.wdx"));
  }
}

TEST_F(shards, updates) {
  for (int count = 1; count <= 3; ++count) {
    output_of("build --index AO+BS --keys keys.csv:id --type i32 --out one.wdx");
    output_of("build --index AO+BS --keys keys.csv:id --type i32 --out many --placement range --devices " +
              places(count));
    auto const files = std::distance(std::filesystem::directory_iterator(folder() / "many"), {});
    for (char const* const change : {"--insert new.csv:id --rows new.csv:row", "--erase probes.csv:id --null skip",
                                     "--insert new.csv:id --first-row 7000 --assign"}) {
      output_of(std::string("update --index one.wdx ") + change);
      output_of(std::string("update --index many ") + change);
      std::string const call = "retrieve --probe=-1 --probe 500 --index ";
      EXPECT_EQ(output_of(call + "many"), output_of(call + "one.wdx")) << change;
      std::string const all = "range --rows --lower probes.csv:from --upper probes.csv:to --index ";
      EXPECT_EQ(output_of(all + "many"), output_of(all + "one.wdx")) << change;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder() / "many"), {}), files);
  }
  output_of("update --index many --insert new.csv:id --first-row 9000 --out other --devices cpu");
  EXPECT_EQ(output_of("count --probe 500 --index many"), "probe,count\n500,2\n");
  EXPECT_EQ(output_of("count --probe 500 --index other"), "probe,count\n500,4\n");
}

TEST_F(shards, updates_of_a_folder_take_turns) {
  output_of("build --index AO+BS --keys keys.csv:id --type i32 --out many --placement range --devices cpu,cpu");
  std::string const updates = "for row in 3000 4000 5000 6000 7000; do '" WARPDEX_COMMAND
                              "' update --quiet --index many --insert new.csv:id --first-row $row & done; wait;";
  outcome const told = run("info --json --index many", updates);
  EXPECT_EQ(told.err, "");
  EXPECT_EQ(nlohmann::json::parse(told.out)["entries"], 2015);
}

TEST_F(shards, what_info_and_summaries_say) {
  std::string const build = "build --index AO+BS --keys keys.csv:id --out many --devices cpu,cpu,cpu ";
  EXPECT_NE(run(build + "--placement range").err.find("on cpu, range over 3 shards, 2000 u32 keys"), std::string::npos);
  auto const told = nlohmann::json::parse(output_of("info --json --index many"));
  EXPECT_EQ(told["folder"], "many");
  EXPECT_EQ(told["placement"], "range");
  EXPECT_EQ(told["entries"], 2000);
  ASSERT_EQ(told["explain"].size(), 4u);
  EXPECT_NE(told["explain"][3].get<std::string>().find("shard 2 on the host"), std::string::npos);
  EXPECT_NE(output_of("info --index many").find("\n                shard 2 on the host"), std::string::npos);
  auto const line = nlohmann::json::parse(run("--json " + build).err);
  EXPECT_EQ(line["placement"], "replicate");
  EXPECT_EQ(line["shards"], 3);
}

TEST_F(shards, what_they_do_not_offer) {
  std::string const keys = "--index AO+BS --keys keys.csv:id ";
  output_of("build --out many --devices cpu,cpu " + keys);
  expect_failure("nearest --index many --probe 3", 1, "nearest: a sharded index does not offer it");
  expect_failure("nearest --probe 3 --devices cpu " + keys, 1, "nearest: a sharded index does not offer it");
  expect_failure("count --index many --probe 3 --source keys.csv:id --sum amount", 1,
                 "--sum, --min, --max and --mean: a sharded index does not offer it");
  std::string const range = "range --lower probes.csv:from --upper probes.csv:to ";
  expect_failure(range + "--devices cpu --max amount " + keys, 1, "--sum, --min, --max and --mean: a sharded index");
  expect_failure(range + "--devices cpu --top 3 --by amount " + keys, 1, "--top: a sharded index does not offer it");
  for (char const* const how : {"inner", "asof"})
    expect_failure(std::string("join --left probes.csv:id --index many --how ") + how, 1,
                   "join: --index many is a folder");
}

TEST_F(shards, a_folder_that_is_not_named_is_not_taken) {
  output_of("build --out many --devices cpu --index AO+BS --keys keys.csv:id");
  std::string const join = "join --quiet --left probes.csv:id --right keys.csv:id";
  EXPECT_EQ(run("join --quiet --left ../probes.csv:id --right ../keys.csv:id", "cd many && ").out, output_of(join));
}

TEST_F(shards, wrong_places) {
  std::string const build = "build --index AO+BS --keys keys.csv:id --out many --devices ";
  expect_failure(build + "0,0", 2, "--devices 0,0: device 0 is named twice");
  for (char const* const word : {"gpu", "-1", "1.5", "cpu0", "99999999999", "''"})
    expect_failure(build + "cpu," + word, 2, "is no device; numbers of GPUs");
  expect_failure(build + "cpu --placement spread", 2, "--placement: spread not in {replicate,range,auto}");
  expect_failure(build + "cpu --backend cpu", 2, "--backend excludes --devices");
  expect_failure(build + "1000", 3, "--devices: device 1000 is not");
  expect_failure("build --index AO+BS --keys keys.csv:id --out many --placement range", 2, "requires --devices");
  EXPECT_FALSE(exists("many"));
  write("many", "a file");
  expect_failure(build + "cpu", 1, "many: cannot write: shards need a folder");
  EXPECT_EQ(read("many"), "a file");
}

TEST_F(shards, wrong_folders) {
  std::string const find = "find --probe 3 ";
  output_of("build --index AO+BS --keys keys.csv:id --out one.wdx");
  output_of("build --index AO+BS --keys keys.csv:id --out many --devices cpu,cpu --placement range");
  expect_failure(find + "--index one.wdx --devices cpu", 2, "--devices cpu: --index one.wdx is a file");
  expect_failure(find + "--index many --devices cpu --placement range", 2,
                 "--placement range: --index many is a folder");
  expect_failure(find + "--index many --keys keys.csv:id", 2, "--index many is a folder and holds its keys");
  expect_failure(find + "--index many --columns word", 2, "--index many is a folder, which holds no columns");
  expect_failure(find + "--index many --out many/manifest.wdx", 2, "is the file of --index many");
  std::filesystem::create_directory(folder() / "empty");
  for (char const* const call : {"find --probe 3 --index empty", "info --index ./empty"})
    expect_failure(call, 1, "empty: the folder has no manifest.wdx, so it is no sharded index");
  expect_failure("update --index empty --erase probes.csv:id", 1, "empty: cannot write: Is a directory");
  std::filesystem::create_directory(folder() / "hash");
  output_of("find --probe 3 --index hash --keys keys.csv:id");  // a spec, whatever folders are here
  std::filesystem::resize_file(folder() / "many/manifest.wdx", 100);
  expect_failure(find + "--index many", 1, "many/manifest.wdx: ");
  expect_failure("info --index many", 1, "many/manifest.wdx: ");
  std::filesystem::remove_all(folder() / "many");
  output_of("build --index AO+BS --keys keys.csv:id --out many --devices cpu,cpu --placement range");
  for (auto const& file : std::filesystem::directory_iterator(folder() / "many"))
    if (file.path().filename() != "manifest.wdx") std::filesystem::remove(file);
  expect_failure(find + "--index many", 1, "cannot open");
}

}  // namespace
}  // namespace warpdex::cli
