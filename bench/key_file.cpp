// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/key_file.hpp"

#include <warpdex/error.hpp>
#include <warpdex/search/byte_key.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace warpdex::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view npy_magic = "\x93NUMPY"sv;
constexpr std::uint64_t offset_bytes = sizeof(std::uint64_t);

constexpr std::pair<std::string_view, key_type> element_types[] = {{"<u4", key_type::u32}, {"<u8", key_type::u64},
                                                                   {"<i4", key_type::i32}, {"<i8", key_type::i64},
                                                                   {"<f4", key_type::f32}, {"<f8", key_type::f64}};

std::uint64_t bytes_in(std::string const& path) {
  std::error_code problem;
  auto const bytes = std::filesystem::file_size(path, problem);
  if (problem) throw io_error(path + ": cannot open: " + problem.message());
  return bytes;
}

void read_at(std::string const& path, std::uint64_t begin, void* to, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  if (!file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
    throw io_error(path + ": cannot read: " + std::generic_category().message(errno));
}

std::unique_ptr<std::byte[]> bytes_of(std::string const& path, std::uint64_t begin, std::uint64_t bytes) {
  std::unique_ptr<std::byte[]> held;
  try {
    held = std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (std::bad_alloc const&) {
    throw out_of_memory(fmt::format("{}: no memory for {} bytes of it", path, bytes));
  }
  read_at(path, begin, held.get(), bytes);
  return held;
}

/// @return what is in a dictionary of Python between `begin` and the next `end`; nothing without both
std::string_view between(std::string_view dictionary, std::string_view begin, char end) {
  std::size_t const at = dictionary.find(begin);
  if (at == std::string_view::npos) return {};
  dictionary.remove_prefix(at + begin.size());
  std::size_t const size = dictionary.find(end);
  return size == std::string_view::npos ? std::string_view() : dictionary.substr(0, size);
}

}  // namespace

key_file::key_file(std::string path) : path_(std::move(path)) {
  std::uint64_t const bytes = bytes_in(path_);
  if (path_.ends_with(".npy")) {
    take_npy(bytes);
  } else if (path_.ends_with(".u128")) {
    type_ = key_type::u128;
    size_ = bytes / size_of(type_);
    if (bytes % size_of(type_) != 0) fail(fmt::format("{} bytes are no whole number of keys of 16 bytes", bytes));
  } else if (path_.ends_with(".bytes")) {
    type_ = key_type::bytes;
    offsets_path_ = path_.substr(0, path_.size() - ".bytes"sv.size()) + ".offsets";
    std::uint64_t const of_offsets = bytes_in(offsets_path_);
    if (of_offsets == 0 || of_offsets % offset_bytes != 0)
      throw format_error(fmt::format("{}: {} bytes are no offsets of {} bytes, of which there is one more than strings",
                                     offsets_path_, of_offsets, offset_bytes));
    size_ = of_offsets / offset_bytes - 1;
  } else if (path_.ends_with("uint32") || path_.ends_with("uint64") || path_.ends_with(".sosd")) {
    take_sosd(bytes);
  } else {
    fail("no file of keys by its name, which ends with .npy, uint32, uint64, .sosd, .u128 or .bytes");
  }
}

void key_file::take_npy(std::uint64_t bytes) {
  // NumPy's header of a plain array has 128 bytes or fewer, two in version 1 and four after it tell how many.
  char head[512];
  std::string_view const known(head, std::min<std::uint64_t>(bytes, sizeof head));
  read_at(path_, 0, head, known.size());
  if (!known.starts_with(npy_magic) || known.size() < 12) fail("not a .npy file: it does not begin with \\x93NUMPY");
  int const version = head[npy_magic.size()];
  if (version < 1 || version > 3) fail(fmt::format("version {} of .npy is unknown; known are 1 to 3", version));
  std::uint32_t length = 0;
  std::memcpy(&length, head + 8, version == 1 ? 2 : 4);
  begin_ = (version == 1 ? 10 : 12) + std::uint64_t{length};
  if (begin_ > known.size()) fail("the header of the .npy file is truncated, or that of no plain array");
  std::string_view const dictionary = known.substr(0, begin_);
  auto const type = between(dictionary, "'descr': '", '\'');
  auto const* const found = std::find_if(std::begin(element_types), std::end(element_types),
                                         [&](auto const& known_type) { return known_type.first == type; });
  if (found == std::end(element_types))
    fail(fmt::format("elements of type '{}' cannot be keys; known are <u4 <u8 <i4 <i8 <f4 <f8", type));
  type_ = found->second;
  auto const shape = between(dictionary, "'shape': (", ')');
  auto const [end, problem] = std::from_chars(shape.data(), shape.data() + shape.size(), size_);
  if (problem != std::errc() || std::string_view(end, shape.data() + shape.size()) != ",")
    fail(fmt::format("the array has the shape ({}); one dimension was expected", shape));
  expect_length(size_, bytes - begin_);
}

void key_file::take_sosd(std::uint64_t bytes) {
  begin_ = sizeof size_;
  if (bytes < begin_) fail(fmt::format("{} bytes are too few for the count of a SOSD file", bytes));
  read_at(path_, 0, &size_, sizeof size_);
  std::uint64_t const present = bytes - begin_;
  bool const halves = path_.ends_with(".sosd") && size_ != 0 && present % 4 == 0 && size_ == present / 4;
  type_ = path_.ends_with("uint32") || halves ? key_type::u32 : key_type::u64;
  expect_length(size_, present);
}

column key_file::read() {
  if (type_ != key_type::bytes) {
    keys_ = bytes_of(path_, begin_, size_ * size_of(type_));
    return {keys_.get(), size_, type_};
  }
  std::uint64_t const bytes = bytes_in(path_);
  keys_ = bytes_of(path_, 0, bytes);
  offsets_ = bytes_of(offsets_path_, 0, (size_ + 1) * offset_bytes);
  std::span const places(reinterpret_cast<std::uint64_t const*>(offsets_.get()), size_ + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::uint64_t const before = places[i == 0 ? 0 : i - 1];
    if (places[i] < before || places[i] > bytes || places[i] - before > byte_key::longest)
      throw format_error(
          fmt::format("{}: offset {} is {}, after {}; they ascend, by at most {}, to at most {}, which {} has",
                      offsets_path_, i, places[i], before, byte_key::longest, bytes, path_));
  }
  return {std::span<std::byte const>(keys_.get(), bytes), places};
}

void key_file::fail(std::string const& what) const { throw format_error(path_ + ": " + what); }

// Compares by division, because a count from a file may be any number.
void key_file::expect_length(std::uint64_t count, std::uint64_t present) const {
  std::size_t const each = size_of(type_);
  if (count > present / each || count * each != present)
    fail(fmt::format("its header says {} keys of {} bytes, but {} bytes follow it", count, each, present));
}

}  // namespace warpdex::bench
