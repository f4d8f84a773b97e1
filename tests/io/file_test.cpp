// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/file.hpp"

#include "io/layout.hpp"

#include <warpdex/error.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

namespace warpdex::io {
namespace {

namespace fs = std::filesystem;

/// A separate folder for each test.
class io_file : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "warpdex_io_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path at(std::string const& name) const { return folder_ / name; }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

header const sample_header{"EO+KS(9)/layout=SoA", key_type::u64, row_type::u32, 5};
std::uint64_t const sample_keys[] = {1, 2, 3, 5, ~std::uint64_t{0}};
std::uint32_t const sample_rows[] = {4, 3, 2, 1, 0};
section const sample_sections[] = {
    {"keys", sample_keys, sizeof sample_keys}, {"pivots.0", nullptr, 0}, {"rows", sample_rows, sizeof sample_rows}};

std::vector<std::byte> contents(fs::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> const bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

void put(fs::path const& path, std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Reads a section and checks it.
std::vector<std::byte> content(file const& f, std::string const& name) {
  std::vector<std::byte> bytes(f.size(name));
  f.read(name, bytes);
  return bytes;
}

/// Checks a file as a whole.
void check_all(std::span<std::byte const> bytes, std::string const& name = "memory") {
  auto const f = file::parse(bytes, name);
  for (auto const& section : f.names()) f.bytes(section);
}

/// @return the message of the format_error that `call` throws
template <class Error = format_error, class Call> std::string refusal(Call call) {
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  } catch (std::exception const& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return {};
  }
  ADD_FAILURE() << "accepted";
  return {};
}

bool holds(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

template <class T> void poke(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Repairs the header's checksum, so that later checks are reached.
void seal(std::vector<std::byte>& bytes) {
  file_header head;
  std::memcpy(&head, bytes.data(), sizeof head);
  poke(bytes, offsetof(file_header, checksum), std::uint64_t{0});
  auto const length = std::min<std::size_t>(bytes.size(), head.header_bytes);
  poke(bytes, offsetof(file_header, checksum), std::uint64_t{XXH3_64bits(bytes.data(), length)});
}

class io_bytes : public io_file {
 protected:
  void SetUp() override {
    io_file::SetUp();
    write(at("small"), sample_header, sample_sections);
    small_ = contents(at("small"));
    table_ = header_bytes_for(static_cast<std::uint32_t>(sample_header.spec.size()), 3) - 3 * sizeof(section_entry);
  }

  /// Changes one field, seals the header, and returns why the file is refused.
  template <class T> std::string refused_with(std::size_t offset, T value) {
    auto bytes = small_;
    poke(bytes, offset, value);
    seal(bytes);
    return refusal([&] { check_all(bytes, "poked"); });
  }
  std::size_t in_entry(int section, std::size_t field) const {
    return table_ + static_cast<std::size_t>(section) * sizeof(section_entry) + field;
  }

  std::vector<std::byte> small_;
  std::size_t table_ = 0;
};

TEST_F(io_file, round_trip) {
  for (bool const map : {false, true}) {
    write(at("a"), sample_header, sample_sections);
    auto const f = file::open(at("a"), map);
    EXPECT_EQ(f.head().spec, sample_header.spec);
    EXPECT_EQ(f.head().keys, key_type::u64);
    EXPECT_EQ(f.head().rows, row_type::u32);
    EXPECT_EQ(f.head().size, 5u);
    EXPECT_EQ(f.names(), (std::vector<std::string>{"keys", "pivots.0", "rows"}));
    EXPECT_EQ(f.size("keys"), sizeof sample_keys);
    EXPECT_TRUE(std::ranges::equal(content(f, "keys"), std::as_bytes(std::span(sample_keys))));
    EXPECT_TRUE(std::ranges::equal(content(f, "rows"), std::as_bytes(std::span(sample_rows))));
    EXPECT_EQ(f.size("pivots.0"), 0u);
    EXPECT_TRUE(f.has("rows"));
    EXPECT_FALSE(f.has("row"));
    EXPECT_TRUE(holds(refusal([&] { f.size("row"); }), "no section 'row'"));
    EXPECT_TRUE(holds(refusal([&] { f.read("row", {}); }), "no section 'row'"));
    EXPECT_TRUE(holds(refusal([&] { f.bytes("row"); }), "no section 'row'"));
    EXPECT_EQ(f.storage() != nullptr, map);
    EXPECT_EQ(files(), 1u);
  }
}

TEST_F(io_file, sections_in_place) {
  write(at("a"), sample_header, sample_sections);
  auto const mapped = file::open(at("a"), true);
  EXPECT_TRUE(std::ranges::equal(mapped.bytes("rows"), std::as_bytes(std::span(sample_rows))));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.bytes("rows").data()) % section_alignment, 0u);
  auto const read = file::open(at("a"), false);
  EXPECT_TRUE(holds(refusal<invalid_argument>([&] { read.bytes("rows"); }), "section 'rows'"));
}

TEST_F(io_file, sections_are_checked_when_they_are_asked_for) {
  write(at("a"), sample_header, sample_sections);
  for (bool const map : {false, true}) {
    auto const f = file::open(at("a"), map);
    std::fstream(at("a"), std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('x');
    EXPECT_NO_THROW(content(f, "keys"));
    EXPECT_TRUE(holds(refusal([&] { content(f, "rows"); }), "section 'rows' of 20 bytes has the checksum"));
    std::fstream(at("a"), std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('\0');
    EXPECT_NO_THROW(content(f, "rows"));
  }
  auto const f = file::open(at("a"), false);
  fs::resize_file(at("a"), section_alignment);
  EXPECT_TRUE(holds(refusal([&] { content(f, "keys"); }), "has become shorter while it was read"));
}

TEST_F(io_file, bytes_live_as_long_as_their_storage) {
  write(at("a"), sample_header, sample_sections);
  std::shared_ptr<void const> storage;
  std::span<std::byte const> rows;
  {
    auto const f = file::open(at("a"), true);
    storage = f.storage();
    rows = f.bytes("rows");
  }
  fs::remove(at("a"));
  EXPECT_EQ(std::memcmp(rows.data(), sample_rows, sizeof sample_rows), 0);
}

TEST_F(io_file, sections_of_every_length) {
  std::vector<unsigned char> data(3 * 1024 * 1024 + 7);
  std::mt19937 random(1);
  for (auto& d : data) d = static_cast<unsigned char>(random());
  for (std::size_t const bytes : {0ul, 1ul, 4095ul, 4096ul, 4097ul, 1024ul * 1024, data.size()}) {
    section const sections[] = {{"a", data.data(), bytes}, {"b", nullptr, 0}};
    write(at("a"), sample_header, sections);
    for (bool const map : {false, true}) {
      auto const f = file::open(at("a"), map);
      EXPECT_TRUE(std::ranges::equal(content(f, "a"), std::as_bytes(std::span(data).first(bytes))));
    }
  }
  write(at("a"), sample_header, {});
  EXPECT_TRUE(file::open(at("a"), false).names().empty());
}

TEST_F(io_bytes, every_truncation_is_refused) {
  for (std::size_t length = 0; length < small_.size(); ++length) {
    auto const message = refusal([&] { file::parse(std::span(small_).first(length), "cut"); });
    ASSERT_TRUE(holds(message, "cut: ")) << length << ' ' << message;
    ASSERT_TRUE(length < sizeof magic || holds(message, "truncated")) << length << ' ' << message;
  }
  // The same through the disk, cut wherever a part of the file ends.
  for (std::size_t const length : {0ul, 1ul, 8ul, 63ul, 64ul, 100ul, 4095ul, 4096ul, small_.size() - 1}) {
    fs::copy_file(at("small"), at("cut"), fs::copy_options::overwrite_existing);
    fs::resize_file(at("cut"), length);
    for (bool const map : {false, true}) EXPECT_TRUE(holds(refusal([&] { file::open(at("cut"), map); }), "/cut: "));
  }
}

TEST_F(io_bytes, every_flipped_bit_is_refused) {
  EXPECT_NO_THROW(check_all(small_));
  for (std::size_t i = 0; i < small_.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto const before = small_[i];
      small_[i] ^= std::byte{1} << bit;
      EXPECT_THROW(check_all(small_), format_error) << "byte " << i << " bit " << bit;
      small_[i] = before;
    }
}

TEST_F(io_bytes, trailing_bytes_are_refused) {
  small_.push_back(std::byte{0});
  EXPECT_TRUE(holds(refusal([&] { file::parse(small_); }), "bytes after its end"));
  poke(small_, offsetof(file_header, file_bytes), std::uint64_t{small_.size()});
  seal(small_);
  EXPECT_TRUE(holds(refusal([&] { file::parse(small_); }), "1 bytes after the last section"));
}

TEST_F(io_bytes, sealed_header_fields_are_checked) {
  constexpr auto huge = ~std::uint64_t{0};
  EXPECT_TRUE(
      holds(refused_with(offsetof(file_header, version), std::uint32_t{2}), "format version 2; this warpdex reads"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, header_bytes), std::uint32_t{63}), "header length 63"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, header_bytes), ~std::uint32_t{0}), "header length 4294967295"));
  EXPECT_TRUE(
      holds(refused_with(offsetof(file_header, header_bytes), std::uint32_t{64}), "header length 64; expected"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, file_bytes), huge), "truncated"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, file_bytes), std::uint64_t{0}), "its header says 0"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, size), huge), "18446744073709551615 entries in a file of"));
  EXPECT_TRUE(
      holds(refused_with(offsetof(file_header, size), std::uint64_t{small_.size() + 1}), "entries in a file of"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, keys), std::uint8_t{10}), "unknown key type 10"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, rows), std::uint8_t{2}), "unknown row type 2"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, sections), std::uint16_t{65535}), "65535 sections"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, sections), std::uint16_t{2}), "header length"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, spec_bytes), std::uint32_t{0}), "spec length 0"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, spec_bytes), std::uint32_t{1025}), "spec length 1025"));
  EXPECT_TRUE(holds(refused_with(offsetof(file_header, note), std::uint64_t{1}), "the note holds the byte 0x01"));
  EXPECT_TRUE(holds(refused_with(sizeof(file_header), '\n'), "the spec holds the byte 0x0a"));
  EXPECT_TRUE(holds(refused_with(sizeof(file_header) + sample_header.spec.size(), 'x'), "padding byte"));
}

TEST_F(io_bytes, sealed_section_fields_are_checked) {
  constexpr auto huge = ~std::uint64_t{0};
  auto const offset = offsetof(section_entry, offset);
  auto const length = offsetof(section_entry, bytes);
  for (auto const value : {huge, huge - 4095, std::uint64_t{0}, std::uint64_t{4096 * 2}, std::uint64_t{4097}})
    EXPECT_TRUE(holds(refused_with(in_entry(0, offset), value), "section 'keys' at offset")) << value;
  for (auto const value : {huge, huge - 4095, std::uint64_t{1} << 63, std::uint64_t{1} << 40})
    EXPECT_TRUE(holds(refused_with(in_entry(0, length), value), "section 'keys' of")) << value;
  EXPECT_TRUE(holds(refused_with(in_entry(0, length), std::uint64_t{39}), "padding byte is 0xff"));
  EXPECT_TRUE(holds(refused_with(in_entry(2, length), std::uint64_t{19}), "1 bytes after the last section"));
  EXPECT_TRUE(holds(refused_with(in_entry(1, offsetof(section_entry, checksum)), huge), "checksum"));
  EXPECT_TRUE(holds(refused_with(in_entry(1, offsetof(section_entry, reserved)), huge), "reserved"));
}

TEST_F(io_bytes, sealed_section_names_are_checked) {
  std::array<char, section_name_bytes> name{};
  auto const refused = [&](std::string const& text) {
    name.fill(0);
    std::copy(text.begin(), text.end(), name.begin());
    return refused_with(in_entry(2, 0), name);
  };
  EXPECT_TRUE(holds(refused("keys"), "second section 'keys'"));
  EXPECT_TRUE(holds(refused(""), "bad name of section 2"));
  EXPECT_TRUE(holds(refused("Rows"), "bad name"));
  EXPECT_TRUE(holds(refused("../rows"), "bad name"));
  EXPECT_TRUE(holds(refused("1rows"), "bad name"));
  EXPECT_TRUE(holds(refused("ro\x1bws"), "bad name"));
  EXPECT_TRUE(holds(refused(std::string("rows\0x", 6)), "bad name"));
  EXPECT_TRUE(holds(refused(std::string(32, 'r')), "bad name"));
}

TEST_F(io_file, notes_of_any_length) {
  std::string const lines = "types of many columns\n" + std::string(1000, 'x');
  for (std::string const& note :
       {std::string(), std::string("M8[ns]"), std::string(16, 'y'), std::string("a\nb"), lines}) {
    std::vector<std::byte> const bytes = image(sample_header, {}, note);
    file const from = file::parse(bytes);
    EXPECT_EQ(from.note(), note);
    EXPECT_TRUE(from.names().empty()) << "a note is no section of the index";
  }
  for (std::string const& note : {std::string(4097, 'x'), std::string("a\x01"), std::string("\x7f")})
    EXPECT_TRUE(
        holds(refusal<invalid_argument>([&] { (void)image(sample_header, {}, note); }), "index file: a note of"));
  std::string const bad = "a\tb", long_one(4097, 'x');
  for (auto const& [note, words] : {std::pair(bad, "no text of printable ASCII"), {long_one, "more than 4096 bytes"}}) {
    section const forged[] = {{note_section, note.data(), note.size()}};
    EXPECT_TRUE(holds(refusal([&] { file::parse(image(sample_header, forged)); }), words));
  }
  section const second[] = {{note_section, bad.data(), 1}};
  EXPECT_TRUE(
      holds(refusal([&] { file::parse(image(sample_header, second, "M8[ns]")); }), "the header has a note too"));
}

TEST_F(io_bytes, padding_is_checked) {
  small_[small_.size() - sizeof sample_rows - 1] = std::byte{7};
  EXPECT_TRUE(holds(refusal([&] { file::parse(small_); }), "padding byte is 0x07; expected 0"));
}

TEST_F(io_bytes, structures_can_name_their_findings) {
  auto const f = file::parse(small_, "path");
  EXPECT_TRUE(holds(refusal([&] { f.fail("keys", "key 3 is below key 2"); }),
                    "path: damaged index file: at offset 4096: section 'keys': key 3 is below key 2"));
}

TEST_F(io_file, foreign_files_are_told_from_damaged_ones) {
  put(at("image.png"), "\x89PNG\r\n\x1a\n and so on");
  put(at("table.csv"), "first,last,country\n0,16777215,??\n");
  put(at("empty"), "");
  put(at("one"), "x");
  put(at("zeros"), std::string(100000, '\0'));
  for (bool const map : {false, true}) {
    for (auto const* name : {"image.png", "table.csv", "empty", "one", "zeros"}) {
      auto const message = refusal([&] { file::open(at(name), map); });
      EXPECT_TRUE(holds(message, std::string(name) + ": not a warpdex index")) << message;
    }
    EXPECT_TRUE(holds(refusal([&] { file::open(at("table.csv"), map); }), "66 69 72 73 74 2c"));
  }
}

TEST_F(io_file, what_cannot_be_read) {
  auto const why = [&](fs::path const& path) { return refusal<io_error>([&] { file::open(path, false); }); };
  EXPECT_TRUE(holds(why(at("none")), "/none: cannot open: No such file or directory"));
  EXPECT_TRUE(holds(why(folder_), "cannot read: Is a directory"));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(holds(why(at("pipe")), "not a regular file"));
  EXPECT_TRUE(holds(why("/dev/null"), "not a regular file"));
}

/// The system would cut such a path at the zero byte, and open or replace another file.
TEST_F(io_file, paths_with_a_zero_byte) {
  put(at("a"), "x");
  fs::path const path = at(std::string("a\0b", 3));
  std::string const words = "/a\\0b: a path cannot hold a zero byte";
  EXPECT_TRUE(holds(refusal<io_error>([&] { file::open(path, false); }), words));
  EXPECT_TRUE(holds(refusal<io_error>([&] { write(path, sample_header, sample_sections); }), words));
  EXPECT_EQ(contents(at("a")).size(), 1u);
  EXPECT_EQ(files(), 1u);
}

TEST_F(io_file, what_cannot_be_written_is_left_alone) {
  auto const why = [&](fs::path const& path) {
    return refusal<io_error>([&] { write(path, sample_header, sample_sections); });
  };
  EXPECT_TRUE(holds(why(at("no/such/folder")), "No such file or directory"));
  EXPECT_TRUE(holds(why(folder_), "Is a directory"));
  EXPECT_TRUE(holds(why("/dev/null"), "not a regular file"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  put(at("plain"), "x");
  EXPECT_TRUE(holds(why(at("plain") / "a"), "Not a directory"));
  EXPECT_TRUE(holds(why(at(std::string(300, 'n'))), "File name too long"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(io_file, unwritable_folder_keeps_the_old_file) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is unwritable for root";
  write(at("old"), sample_header, sample_sections);
  auto const before = contents(at("old"));
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  auto const message = refusal<io_error>([&] { write(at("old"), sample_header, sample_sections); });
  EXPECT_TRUE(holds(message, "Permission denied"));
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_EQ(contents(at("old")), before);
}

TEST_F(io_file, full_disk_leaves_the_old_file) {
  write(at("old"), sample_header, sample_sections);
  auto const before = contents(at("old"));
  std::vector<char> const big(1 << 20);
  section const sections[] = {{"big", big.data(), big.size()}};

  // A limit on the length of files makes a write fail in the middle, like a full disk.
  ::rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  ::rlimit const limit{100000, old_limit.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  auto const message = refusal<io_error>([&] { write(at("old"), sample_header, sections); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_TRUE(holds(message, "/old: cannot write at offset")) << message;
  EXPECT_TRUE(holds(message, "File too large")) << message;
  EXPECT_EQ(contents(at("old")), before);
  EXPECT_EQ(files(), 1u);
}

TEST_F(io_file, permissions_and_links_are_kept) {
  write(at("a"), sample_header, sample_sections);
  fs::permissions(at("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(at("a"), at("link"));
  header other = sample_header;
  other.size = 6;
  write(at("link"), other, sample_sections);
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(file::open(at("a"), false).head().size, 6u);
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(io_file, impossible_files_are_refused) {
  auto const why = [&](header const& head, std::vector<section> const& sections) {
    return refusal<invalid_argument>([&] { write(at("a"), head, sections); });
  };
  header head = sample_header;
  EXPECT_TRUE(holds(why(head, {{"Keys", nullptr, 0}}), "bad section name 'Keys'"));
  EXPECT_TRUE(holds(why(head, {{"a", nullptr, 0}, {"a", nullptr, 0}}), "2 sections named 'a'"));
  EXPECT_TRUE(holds(why(head, std::vector<section>(65, {"a", nullptr, 0})), "65 sections"));
  head.spec = std::string(1025, 'A');
  EXPECT_TRUE(holds(why(head, {}), "spec of 1025 bytes"));
  head.spec = "AO BS";
  EXPECT_TRUE(holds(why(head, {}), "printable"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(io_file, a_killed_writer_leaves_the_old_or_the_new_file) {
  std::vector<std::uint32_t> data(1 << 20);
  auto const save = [&](std::uint32_t version) {
    std::iota(data.begin(), data.end(), version);
    header head = sample_header;
    head.size = version;
    section const sections[] = {{"data", data.data(), data.size() * 4}};
    write(at("a"), head, sections);
  };
  save(0);
  for (int round = 0; round < 8; ++round) {
    pid_t const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      for (std::uint32_t version = 1;; ++version) save(version);
    ::usleep(static_cast<useconds_t>(3000 + 2711 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    auto const f = file::open(at("a"), false);
    ASSERT_EQ(f.size("data"), data.size() * 4);
    f.read("data", std::as_writable_bytes(std::span(data)));
    EXPECT_EQ(data[0], f.head().size);
    EXPECT_EQ(data[data.size() - 1], f.head().size + data.size() - 1);
  }
}

}  // namespace
}  // namespace warpdex::io
