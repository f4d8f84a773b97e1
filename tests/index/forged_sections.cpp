// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/layout.hpp"
#include "support/backends.hpp"
#include "support/damage.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <numeric>

/// @file
/// Files whose section table does not fit their index. Loading finds this without reading the claimed bytes.
namespace warpdex::test {
namespace {

class forged_sections : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::vector<std::uint32_t> keys(100);
    std::iota(keys.begin(), keys.end(), 1u);
    index::build(GetParam(), std::span(keys), exec_).save(path_);
  }

  /// Writes a file in which one section claims more bytes: a hole that takes no space on the disk. Header and offsets
  /// are right, and so are all bytes up to the end of the section.
  void lengthen(std::size_t section, std::uint64_t by, std::filesystem::path const& to) const {
    std::vector<char> bytes(std::filesystem::file_size(path_));
    std::ifstream(path_, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    io::file_header head;
    std::memcpy(&head, bytes.data(), sizeof head);
    std::vector<io::section_entry> table(head.sections);
    char* const table_bytes = bytes.data() + head.header_bytes - table.size() * sizeof(io::section_entry);
    std::memcpy(table.data(), table_bytes, table.size() * sizeof(io::section_entry));
    auto const end = static_cast<std::streamsize>(table[section].offset + table[section].bytes);
    table[section].bytes += by;
    for (std::size_t i = section + 1; i < table.size(); ++i)
      table[i].offset = io::round_up(table[i - 1].offset + table[i - 1].bytes, io::section_alignment);
    head.file_bytes = table.back().offset + table.back().bytes;
    head.checksum = 0;
    std::memcpy(table_bytes, table.data(), table.size() * sizeof(io::section_entry));
    std::memcpy(bytes.data(), &head, sizeof head);
    head.checksum = XXH3_64bits(bytes.data(), head.header_bytes);
    std::memcpy(bytes.data(), &head, sizeof head);
    std::ofstream(to, std::ios::binary).write(bytes.data(), end);
    std::filesystem::resize_file(to, head.file_bytes);
  }

  folder folder_;
  std::filesystem::path path_ = folder_ / "index.wdx";
  execution exec_{host_memory(), {}, 1};
};

/// The checksums of the long sections are wrong too, but loading must complain about the length.
TEST_P(forged_sections, lengths_are_compared_before_anything_is_read) {
  auto const names = io::file::open(path_, false).names();
  for (std::size_t section = 0; section < names.size(); ++section) {
    auto const forged = folder_ / "forged.wdx";
    lengthen(section, std::uint64_t{1} << 31, forged);
    for (bool const map : {false, true}) {
      EXPECT_TRUE(throws<format_error>([&] { index::load(forged, exec_, map); },
                                       "section '" + names[section] + "': holds 21474", "bytes, the index needs"));
    }
  }
}

TEST_P(forged_sections, unknown_ones_are_refused) {
  auto const whole = io::file::open(path_, true);
  std::vector<io::section> sections;
  for (auto const& name : whole.names()) sections.push_back({name, whole.bytes(name).data(), whole.size(name)});
  sections.push_back({"more", path_.c_str(), 1});
  auto const other = folder_ / "other.wdx";
  io::write(other, whole.head(), sections);
  EXPECT_TRUE(
      throws<format_error>([&] { index::load(other, exec_); }, "section 'more': no array of " + whole.head().spec));
}

INSTANTIATE_TEST_SUITE_P(all, forged_sections, testing::ValuesIn(all_samples()),
                         [](auto const& parameter) { return test_name(parameter.param); });

}  // namespace
}  // namespace warpdex::test
