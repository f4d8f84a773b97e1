// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"

#include <warpdex/note.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

/// @file
/// Index files whose note says how their keys are written, as the Python package makes them.
namespace warpdex::cli {
namespace {

class notes : public cli_test {
 protected:
  void save_times(std::string const& name, std::vector<std::int64_t> const& keys, char const* note) const {
    save(index::build(spec("AO+BS"), column(keys), execution()), folder() / name, note);
  }

  void save_strings(std::string const& name, std::vector<std::string> const& keys, char const* note) const {
    byte_strings strings;
    for (std::string const& key : keys) strings.push_back(key);
    save(index::build(spec("AO+BS"), column(strings), execution()), folder() / name, note);
  }

  std::string note(std::string const& name) const { return note_of(folder() / name); }
};

constexpr char const* probe = " --probe ";

TEST_F(notes, moments_of_all_units) {
  struct {
    char const* unit;
    std::int64_t key;
    char const* text;
  } const cases[] = {{"M8[Y]", 54, "2024-01-01"},
                     {"M8[M]", -1, "1969-12-01"},
                     {"M8[W]", -1, "1969-12-25"},
                     {"M8[D]", 19724, "2024-01-02"},
                     {"M8[h]", -1, "1969-12-31T23:00:00"},
                     {"M8[m]", 28402561, "2024-01-02T00:01:00"},
                     {"M8[25s]", 2, "1970-01-01T00:00:50"},
                     {"M8[s] UTC", 1704153601, "2024-01-02T00:00:01Z"},
                     {"M8[ms]", -1, "1969-12-31T23:59:59.999"},
                     {"M8[10ms]", 1, "1970-01-01T00:00:00.01"},
                     {"M8[us] UTC", 1704153600000001, "2024-01-02T00:00:00.000001Z"},
                     {"M8[ns]", INT64_MAX, "2262-04-11T23:47:16.854775807"},
                     {"M8[ps]", 1, "1970-01-01T00:00:00.000000000001"},
                     {"M8[fs]", -1, "1969-12-31T23:59:59.999999999999999"},
                     {"M8[as]", 5, "1970-01-01T00:00:00.000000000000000005"},
                     {"m8[us] of day", 45296000001, "12:34:56.000001"},
                     {"m8[s] of day", 86399, "23:59:59"}};
  for (auto const& c : cases) {
    SCOPED_TRACE(c.unit);
    save_times("t.wdx", {c.key}, c.unit);
    std::string const text = c.text, number = std::to_string(c.key);
    EXPECT_EQ(output_of("find --index t.wdx --probe " + text + " --probe=" + number),
              "probe,row\n" + text + ",0\n" + number + ",0\n");
    EXPECT_EQ(output_of("floor --index t.wdx --probe=" + number), "probe,key,row\n" + number + ',' + text + ",0\n");
  }
}

TEST_F(notes, times_between_two_units_and_beyond_all) {
  save_times("days.wdx", {19723, 19724}, "M8[D]");
  std::string const probes = " --index days.wdx --probe 2024-01-01T12:00 --probe 2024-01-02 --probe NULL";
  EXPECT_EQ(output_of("find" + probes), "probe,row\n2024-01-01T12:00,\n2024-01-02,1\nNULL,\n");
  EXPECT_EQ(output_of("floor" + probes),
            "probe,key,row\n2024-01-01T12:00,2024-01-01,0\n2024-01-02,2024-01-02,1\nNULL,,\n");
  EXPECT_EQ(output_of("lower_bound" + probes), "probe,rank\n2024-01-01T12:00,1\n2024-01-02,1\nNULL,\n");
  EXPECT_EQ(output_of("upper_bound" + probes), "probe,rank\n2024-01-01T12:00,1\n2024-01-02,2\nNULL,\n");
  expect_failure("nearest --index days.wdx --probe 2024-01-01T12:00", 1,
                 "--probe:1: '2024-01-01T12:00' is between two keys (the keys are i64, M8[D])");
  save_times("ns.wdx", {INT64_MIN + 1, INT64_MAX}, "M8[ns]");
  std::string const far = " --index ns.wdx --probe 9999-12-31 --probe 0001-01-01T00:00:00Z";
  EXPECT_EQ(output_of("lower_bound" + far), "probe,rank\n9999-12-31,2\n0001-01-01T00:00:00Z,0\n");
  EXPECT_EQ(output_of("upper_bound" + far), "probe,rank\n9999-12-31,2\n0001-01-01T00:00:00Z,0\n");
  write("from.txt", "0001-01-01\n");
  write("to.txt", "2024-01-01T12:00:00.0000000001\n");
  EXPECT_EQ(output_of("range --index ns.wdx --lower from.txt --upper to.txt"),
            "lower,upper,count,sum\n0001-01-01,2024-01-01T12:00:00.0000000001,1,0\n");
  expect_failure("find --index ns.wdx --probe noon", 1, "'noon' is not a time such as 2024-01-31T12:34:56 (the keys");
  expect_failure("find --index ns.wdx --probe 2024-02-30", 1, "'2024-02-30': there is no such day or time");
}

TEST_F(notes, updates_tables_and_arrays) {
  save_times("t.wdx", {1704153600000, 1704153601000}, "M8[ms] UTC");
  write("t.csv", "at,v\n2024-01-02T00:00:00,a\n2024-01-02 00:00:01Z,b\n");
  EXPECT_EQ(output_of("find --index t.wdx --source t.csv:at --probe 2024-01-02T02:00:01+02:00 --columns v"),
            "probe,v\n2024-01-02T02:00:01+02:00,b\n");
  EXPECT_EQ(output_of("join --how semi --left t.csv:at --index t.wdx"), "left\n0\n1\n");
  std::string npy = std::string("\x93NUMPY\1\0", 8) + std::string("v\0", 2) +
                    "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }";
  npy.resize(127, ' ');
  std::int64_t const nanoseconds = 1704153601000000000;
  char bytes[8];
  std::memcpy(bytes, &nanoseconds, sizeof bytes);
  write("t.npy", npy + "\n" + std::string(bytes, sizeof bytes));
  EXPECT_EQ(output_of("find --index t.wdx --probes t.npy"), "probe,row\n2024-01-02T00:00:01Z,1\n");
  write("new.txt", "2024-01-03\n");
  output_of("update --index t.wdx --insert new.txt --first-row 7 --erase t.csv:at");
  EXPECT_EQ(note("t.wdx"), "M8[ms] UTC");
  EXPECT_EQ(output_of("retrieve --index t.wdx --probe 2024-01-03T00:00"), "probe,row\n2024-01-03T00:00,7\n");
  EXPECT_EQ(nlohmann::json::parse(output_of("info --json --index t.wdx"))["note"], "M8[ms] UTC");
}

constexpr char const* first_uuid = "123e4567-e89b-12d3-a456-426614174000";
constexpr char const* second_uuid = "ffffffff-e89b-42d3-b456-426614174001";
constexpr char first_bytes[] = "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00";
constexpr char second_bytes[] = "\xff\xff\xff\xff\xe8\x9b\x42\xd3\xb4\x56\x42\x66\x14\x17\x40\x01";

TEST_F(notes, uuids_of_16_bytes) {
  for (char const* const note : {"uuid", ""}) {  // files before that note have none
    save_strings("u.wdx", {{second_bytes, 16}, {first_bytes, 16}}, note);
    std::string const uuids = std::string(first_uuid) + '\n' + second_uuid + '\n';
    write("u.txt", uuids);
    EXPECT_EQ(output_of("find --index u.wdx --probes u.txt"),
              "probe,row\n" + std::string(first_uuid) + ",1\n" + second_uuid + ",0\n");
    EXPECT_EQ(output_of("ceil --index u.wdx --probe 00000000-0000-0000-0000-000000000000"),
              "probe,key,row\n00000000-0000-0000-0000-000000000000," + std::string(first_uuid) + ",1\n");
    EXPECT_EQ(output_of("join --how anti --left u.txt --index u.wdx"), "left\n");
    expect_failure("find --index u.wdx --probe 123e4567-e89b-12d3-a456-42661417400", 1, "is not a UUID such as");
    EXPECT_EQ(output_of("find --index u.wdx --probe ''"), "probe,row\n,\n");
    output_of("update --index u.wdx --erase u.txt");
    EXPECT_EQ(nlohmann::json::parse(output_of("info --json --index u.wdx"))["entries"], 0);
  }
  save_strings("s.wdx", {"sixteen letters ", "16 other letters"}, "");
  EXPECT_EQ(output_of("find --index s.wdx" + std::string(probe) + first_uuid + " --probe '16 other letters'"),
            "probe,row\n" + std::string(first_uuid) + ",\n16 other letters,1\n");
}

TEST_F(notes, keys_are_written_as_they_were_read) {
  write("u.csv", "id\n" + std::string(first_uuid) + "\n" + second_uuid + "\n");
  write("ip.csv", "ip\n10.0.0.0\n192.168.1.1\n");
  write("ip6.csv", "ip\n2001:db8::1\n::1\n10.1.2.3\n");
  auto const expect = [&](std::string const& keys, char const* word, std::string const& asked, std::string const& key) {
    EXPECT_EQ(output_of("floor --index AO+BS " + keys + probe + asked), "probe,key,row\n" + asked + ',' + key + "\n");
    output_of("build --index AO+BS " + keys + " --out k.wdx");
    EXPECT_EQ(note("k.wdx"), word);
    EXPECT_EQ(output_of("floor --index k.wdx --probe " + asked), "probe,key,row\n" + asked + ',' + key + "\n");
  };
  expect("--type u128 --keys u.csv", "uuid", "ffffffff-ffff-ffff-ffff-ffffffffffff", second_uuid + std::string(",1"));
  expect("--type u32 --keys ip.csv", "ip", "11.0.0.1", "10.0.0.0,0");
  expect("--type u128 --keys ip6.csv", "ip", "ffff::", "2001:db8::1,0");
  expect("--type u128 --keys ip6.csv", "ip", "10.1.2.4", "10.1.2.3,2");
  write("n.csv", "n\n5\n10.0.0.0\n");
  expect("--type u32 --keys n.csv", "", "7", "5,0");
}

}  // namespace
}  // namespace warpdex::cli
