// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/range_aggregates.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/stored_sections.hpp"

/// @file
/// Files of networks, aggregates and encoders, and what files of clients have in common: what they hold comes back, and
/// what is not true in them is found.
namespace warpdex::test {
namespace {

class client_files : public testing::TestWithParam<backend_kind> {
 protected:
  std::vector<std::uint32_t> covering(networks const& known, nullable_column const& ips) const {
    matches const found = known.covering(ips, exec_);
    return read_buffer<std::uint32_t>(found.rows, found.total, exec_);
  }

  execution const exec_{memory_of(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, client_files, testing::ValuesIn(present_backends()), backend_name);

TEST_P(client_files, networks_come_back) {
  folder const place;
  std::mt19937_64 random(3);
  for (char const* const structure : {"auto(ranges)", "AO+BS", "GRT"})
    for (int const longest : {64, 128})
      for (std::size_t const size : {0, 1, 500}) {
        std::vector<u128> addresses;
        std::vector<std::uint8_t> lengths;
        for (std::size_t i = 0; i < size; ++i) {
          bool const ipv4 = i % 3 == 0;
          u128 const wide = u128{random()} << 64 | random();
          addresses.push_back(ipv4 ? address_of(static_cast<std::uint32_t>(wide) & 0x0f0fffff)
                                   : wide & ~(u128{0xf} << 124));
          lengths.push_back(static_cast<std::uint8_t>(random() % static_cast<unsigned>(ipv4 ? 33 : longest + 1)));
        }
        networks const known(addresses, lengths, exec_, host_bits::mask, structure);
        std::vector<u128> ips = addresses;
        for (int i = 0; i < 100; ++i) ips.push_back(u128{random()} << 64 | random());
        auto const bytes = known.save();
        auto const path = place / "n.wdx";
        known.save(path);
        std::vector<networks> loaded;
        loaded.push_back(networks::load(bytes, exec_));
        loaded.push_back(networks::load(bytes, exec_, check::structure));
        loaded.push_back(networks::load(path, exec_));
        loaded.push_back(networks::load(path, exec_, true, check::none));
        auto const owned = std::make_shared<std::vector<std::byte>>(bytes);
        loaded.push_back(networks::load(*owned, owned, exec_));
        for (networks const& one : loaded) {
          EXPECT_EQ(one.size(), size);
          EXPECT_EQ(one.find(ips, exec_), known.find(ips, exec_));
          EXPECT_EQ(covering(one, ips), covering(known, ips));
          EXPECT_EQ(one.save(), bytes);
        }
      }
}

TEST_P(client_files, forged_networks) {
  byte_strings const cidrs(std::vector<std::string>{"10.0.0.0/8", "10.1.0.0/16", "::/0"});
  auto const bytes = networks(cidrs.view(), exec_, host_bits::refuse, "AO+BS").save();
  auto const refused = [&](auto const& change, auto const&... words) {
    stored_sections forged(bytes);
    change(forged);
    auto const image = forged.image();
    for (check const checks : {check::all, check::structure})
      EXPECT_TRUE(throws<format_error>([&] { networks::load(image, exec_, checks); }, words...));
  };
  std::vector<std::uint32_t> const keys = {0, 1}, later = {1, 2}, far = {0, 4}, rows = {0, 3};
  std::vector<float> const floats = {1};
  auto const put = [](char const* name, auto const& made) {
    return [name, &made](stored_sections& file) { file.section(name) = made; };
  };
  EXPECT_NO_THROW(networks::load(stored_sections(bytes).image(), exec_));
  refused([](stored_sections& file) { file.put("paths", 0, 4u); }, "section 'paths'", "rows that there are not");
  refused([](stored_sections& file) { file.put("paths", 3, 3u); }, "section 'paths'");
  refused([](stored_sections& file) { file.put("paths", 8, 3u); }, "section 'paths'");
  refused([](stored_sections& file) { file.section("paths").resize(24); }, "section 'paths'", "another length");
  refused([](stored_sections& file) { file.head.size = 2; }, "section 'paths'", "another length");
  refused([](stored_sections& file) { file.head.keys = key_type::u128; }, "does not belong to the header");
  refused([](stored_sections& file) { file.head.spec = "networks(AO+BS)"; }, "does not belong to the header");
  refused([](stored_sections& file) { file.sections.pop_back(); }, "no section 'paths'");
  refused([](stored_sections& file) { file.sections.erase(file.sections.begin()); }, "no section 'ipv4'");
  refused([](stored_sections& file) { file.sections.emplace_back("more", file.section("paths")); }, "section 'paths'");
  refused(put("ipv4", index::build("AO+BS", column(keys), std::span(far), exec_).save()), "section 'ipv4'",
          "a row that is no network");
  refused(put("ipv4", index::build("AO+BS", column(later), std::span(rows), exec_).save()), "section 'ipv4'",
          "borders that do not ascend from 0");
  refused(put("ipv6", index::build("AO+BS", column(keys), std::span(rows), exec_).save()), "does not belong");
  refused(put("ipv4", index::build("AO+BS", column(floats), exec_).save()), "does not belong");
  refused(put("ipv4", index::build("HT(open)", column(keys), exec_).save()), "section 'ipv4'", "no borders");
  stored_sections damaged(bytes);
  damaged.section("ipv6").resize(100);
  EXPECT_THROW(networks::load(damaged.image(), exec_), format_error);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 997)
    EXPECT_THROW(networks::load(std::span(bytes).first(cut), exec_), format_error);
}

TEST_P(client_files, aggregates_come_back) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 5000; ++i) keys.push_back(i * 7919 % 1009);
  std::vector<std::uint8_t> bits(keys.size() / 8 + 1, 0b10110111);
  std::uint8_t const *const nothing = nullptr, *const all_bits = bits.data();
  index const over = index::build("AO+BS", column(keys), exec_);
  std::vector<std::uint32_t> const low = {0, 5, 900}, high = {2000, 100, 901};
  key_ranges const ranges{column(low), column(high)};
  folder const place;
  auto const same = [&]<class Value>(Value) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(static_cast<Value>(i * 31 % 97));
    for (moments const known : {moments::first, moments::second, moments::sums})
      for (std::uint8_t const* const valid : {nothing, all_bits}) {
        using number = detail::sum_of<Value>;
        range_aggregates<number> const made(over, value_column(values, valid), exec_, known);
        auto const bytes = made.save();
        made.save(place / "p.wdx");
        auto const owned = std::make_shared<std::vector<std::byte>>(bytes);
        std::vector<any_range_aggregates> copies;
        copies.push_back(load_range_aggregates(bytes, exec_));
        copies.push_back(load_range_aggregates(place / "p.wdx", exec_));
        copies.push_back(load_range_aggregates(place / "p.wdx", exec_, true));
        copies.push_back(load_range_aggregates(*owned, owned, exec_));
        for (any_range_aggregates const& loaded : copies) {
          auto const& one = std::get<range_aggregates<number>>(loaded);
          EXPECT_EQ(one.save(), bytes);
          auto const expected = made.in_ranges(over, ranges, exec_), found = one.in_ranges(over, ranges, exec_);
          for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_TRUE(found[i].sum == expected[i].sum && found[i].count == expected[i].count);
            EXPECT_TRUE(found[i].max == expected[i].max && found[i].m2 == expected[i].m2);
          }
        }
      }
  };
  same(std::int8_t{}), same(std::uint16_t{}), same(std::int32_t{}), same(std::uint64_t{}), same(i128{});
  same(float{}), same(double{});
}

TEST_P(client_files, forged_aggregates) {
  std::vector<std::uint32_t> const keys = {3, 1, 2};
  std::vector<std::int32_t> const values = {7, 8, 9};
  std::uint8_t const bits[] = {0b101};
  index const over = index::build("AO+BS", column(keys), exec_);
  auto const bytes = range_aggregates<i128>(over, value_column(values, bits), exec_).save();
  auto const refused = [&](auto const& change, auto const&... words) {
    stored_sections forged(bytes);
    change(forged);
    auto const image = forged.image();
    EXPECT_TRUE(throws<format_error>([&] { load_range_aggregates(image, exec_); }, words...));
  };
  refused([](stored_sections& file) { file.put("numbers", 0, std::uint64_t{2}); }, "section 'numbers'");  // floating
  refused([](stored_sections& file) { file.put("numbers", 0, std::uint64_t{3}); }, "section 'numbers'");
  refused([](stored_sections& file) { file.put("numbers", 1, std::uint64_t{3}); }, "section 'numbers'");
  refused([](stored_sections& file) { file.put("numbers", 1, std::uint64_t{0}); }, "section 'numbers'");
  refused([](stored_sections& file) { file.put("numbers", 1, std::uint64_t{8}); }, "section 'values'");
  refused([](stored_sections& file) { file.put("numbers", 2, std::uint64_t{3}); }, "section 'numbers'");
  refused([](stored_sections& file) { file.put("valid", 0, std::uint8_t{2}); }, "section 'valid'", "no flags");
  refused([](stored_sections& file) { file.section("valid").resize(2); }, "section 'valid'", "another length");
  refused([](stored_sections& file) { file.section("numbers").resize(16); }, "section 'numbers'");
  refused([](stored_sections& file) { file.head.size = 2; }, "another length");
  refused([](stored_sections& file) { file.head.spec = "aggregates(f64)"; }, "section 'numbers'");
  refused([](stored_sections& file) { file.head.spec = "aggregates(text)"; }, "no known numbers");
  refused([](stored_sections& file) { file.sections.emplace_back("more", file.section("valid")); }, "other sections");
  for (std::size_t cut = 0; cut < bytes.size(); cut += 97)
    EXPECT_THROW(load_range_aggregates(std::span(bytes).first(cut), exec_), format_error);
}

TEST(encoder_file, comes_back) {
  folder const place;
  std::vector<key_field> fields;
  for (key_type const type : key_types) fields.push_back({type, fields.size() % 2 == 0, fields.size() % 3 == 0, true});
  for (std::size_t size = 1; size <= fields.size(); ++size) {
    key_encoder const made({fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(size)});
    auto const bytes = made.save();
    made.save(place / "e");
    for (key_encoder const& one : {key_encoder::load(bytes), key_encoder::load(place / "e")}) {
      EXPECT_EQ(one.save(), bytes);
      EXPECT_EQ(one.type(), made.type());
      EXPECT_EQ(one.fields().size(), size);
    }
  }
  key_encoder from(fields);
  key_encoder const to = std::move(from);
  EXPECT_TRUE(throws<invalid_argument>([&] { from.save(); }, "save: the encoder was moved from"));
}

TEST(encoder_file, forged_ones) {
  auto const bytes = key_encoder({{key_type::u32}, {key_type::i64, true}}).save();
  auto const refused = [&](auto const& change, auto const&... words) {
    stored_sections forged(bytes);
    change(forged);
    EXPECT_TRUE(throws<format_error>([&] { key_encoder::load(forged.image()); }, words...));
  };
  EXPECT_NO_THROW(key_encoder::load(stored_sections(bytes).image()));
  refused([](stored_sections& file) { file.put("fields", 4, std::uint8_t{10}); }, "section 'fields'", "number 1");
  refused([](stored_sections& file) { file.put("fields", 1, std::uint8_t{2}); }, "a field that is none, number 0");
  refused([](stored_sections& file) { file.put("fields", 4, std::uint8_t{9}); }, "does not belong to the header");
  refused([](stored_sections& file) { file.head.size = 1; }, "section 'fields'", "another length");
  refused([](stored_sections& file) { file.head.size = 33; }, "too many fields");
  refused([](stored_sections& file) { file.head.spec = "encoder(u64)"; }, "does not belong to the header");
  refused([](stored_sections& file) { file.sections.emplace_back("more", file.section("fields")); }, "does not belong");
}

/// A file says what it holds to who takes it for another one.
TEST_P(client_files, files_of_others) {
  folder const place;
  std::vector<std::uint32_t> const keys = {1, 2};
  index const plain = index::build("AO+BS", column(keys), exec_);
  plain.save(place / "plain");
  grouped_index::build("AO+BS", column(keys), column(keys), exec_).save(place / "grouped");
  networks(byte_strings(std::vector<std::string>{"::/0"}).view(), exec_).save(place / "networks");
  range_aggregates(plain, keys, exec_).save(place / "aggregates");
  intervals::build(keys, keys, exec_).save(place / "intervals");
  std::vector<key_field> const fields(2);
  key_encoder(fields).save(place / "encoder");
  std::vector<std::pair<std::string, std::string>> const kinds = {
      {"plain", "the file is that of a plain index; load it as one"},
      {"grouped", "the file is that of a grouped index; load it as one"},
      {"networks", "the file is that of networks; load it as such"},
      {"aggregates", "the file is that of range_aggregates; load it as such"},
      {"intervals", "the file is that of intervals; load it as such"},
      {"encoder", "the file is that of a key encoder; load it as one"}};
  for (auto const& [name, says] : kinds) {
    auto const path = place / name.c_str();
    std::vector<std::pair<std::string, std::function<void()>>> const loads = {{"plain", [&] { index::load(path, exec_); }},
                                                                              {"grouped", [&] { grouped_index::load(path, exec_); }},
                                                                              {"networks", [&] { networks::load(path, exec_); }},
                                                                              {"aggregates", [&] { load_range_aggregates(path, exec_); }},
                                                                              {"intervals", [&] { intervals::load(path, exec_); }},
                                                                              {"encoder", [&] { key_encoder::load(path); }}};
    for (auto const& load : loads) {
      if (load.first == name) EXPECT_NO_THROW(load.second());
      else EXPECT_TRUE(throws<format_error>(load.second, name + ": ", says)) << load.first;
    }
  }
}

/// No byte of a file can be another one.
TEST_P(client_files, each_byte) {
  std::vector<std::uint32_t> const keys = {1, 2};
  std::vector<key_field> const fields(2);
  std::vector<std::int64_t> const far = {0, std::int64_t{1} << 62};
  index const plain = index::build("AO+BS", column(keys), exec_);
  auto const expect_refused = [](std::vector<std::byte> bytes, auto const& load) {
    EXPECT_NO_THROW(load(bytes));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      auto const* const next = bytes.data() + i;
      bool const pads =
          bytes.size() - i > 64 && std::all_of(next, next + 64, [](std::byte b) { return b == std::byte{}; });
      if (pads && i % 61 != 0) continue;  // some of the zeros between sections
      bytes[i] ^= std::byte{16};
      EXPECT_THROW(load(bytes), format_error) << "byte " << i;
      bytes[i] ^= std::byte{16};
    }
  };
  expect_refused(
      networks(byte_strings(std::vector<std::string>{"::/0"}).view(), exec_, host_bits::refuse, "AO+BS").save(),
      [&](auto const& bytes) { networks::load(bytes, exec_); });
  expect_refused(range_aggregates(plain, keys, exec_).save(),
                 [&](auto const& bytes) { load_range_aggregates(bytes, exec_); });
  expect_refused(intervals::build(keys, keys, exec_).save(), [&](auto const& bytes) { intervals::load(bytes, exec_); });
  expect_refused(save(intervals::build(far, far, far, exec_), "a note\nof two lines"),
                 [&](auto const& bytes) { intervals::load(bytes, exec_); });
  expect_refused(key_encoder(fields).save(), [](auto const& bytes) { key_encoder::load(bytes); });
}

TEST(aggregate_file, calls_of_aggregates_whose_file_is_cut) {
  folder const place;
  std::vector<std::uint32_t> const keys(20000, 3);
  execution const exec;
  index const over = index::build("AO+BS", column(keys), exec);
  range_aggregates(over, keys, exec).save(place / "a");
  any_range_aggregates const loaded = load_range_aggregates(place / "a", exec, true);
  auto const& mapped = std::get<range_aggregates<i128>>(loaded);
  std::vector<std::uint32_t> const three = {3};
  EXPECT_TRUE(mapped.of_keys(over, column(three), exec)[0].sum == 60000);
  std::filesystem::resize_file(place / "a", 4096);
  EXPECT_TRUE(throws<io_error>([&] { mapped.of_keys(over, column(three), exec); }, "has shrunk from"));
  EXPECT_TRUE(throws<io_error>([&] { mapped.save(); }, "has shrunk from"));
}

/// Lookups read tables, which are not in the file. Reads of what a mapped file has lost would end the process.
TEST(network_file, calls_of_networks_whose_file_is_cut) {
  folder const place;
  std::vector<u128> addresses;
  for (std::uint32_t i = 0; i < 20000; ++i) addresses.push_back(address_of(i << 8));
  execution const exec;
  networks(addresses, std::vector<std::uint8_t>(addresses.size(), 24), exec).save(place / "n");
  networks const known = networks::load(place / "n", exec, true);
  std::filesystem::resize_file(place / "n", 4096);
  EXPECT_EQ(known.find(addresses, exec)[19999], 19999u);
  EXPECT_EQ(known.covering(addresses, exec).total, addresses.size());
  EXPECT_TRUE(throws<io_error>([&] { known.save(); }, "has shrunk from"));
}

}  // namespace
}  // namespace warpdex::test
