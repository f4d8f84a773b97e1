// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/keys.hpp"

#include <warpdex/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

/// @file
/// What fuzzers of the readers of key files share. The first two bytes of an input choose options, the rest is the
/// file.
namespace warpdex::tables {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// A file in memory that has names, as readers look at the end of a name.
class named_memory {
 public:
  named_memory() {
    std::string name = (std::filesystem::temp_directory_path() / "warpdex_fuzz_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr || memory_ < 0) throw std::runtime_error("no room for " + name);
    folder_ = name;
  }
  ~named_memory() {
    std::filesystem::remove_all(folder_);
    ::close(memory_);
  }
  named_memory(named_memory const&) = delete;
  named_memory& operator=(named_memory const&) = delete;

  void set(std::string_view bytes) const {
    require(::ftruncate(memory_, 0) == 0);
    require(::pwrite(memory_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

  /// @return a path with this last part
  std::string path(std::string const& name) const {
    auto const link = folder_ / name;
    if (!std::filesystem::is_symlink(link))
      std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(memory_), link);
    return link.string();
  }

 private:
  int const memory_ = ::memfd_create("fuzzed", MFD_CLOEXEC);
  std::filesystem::path folder_;
};

inline read_options options_of(std::uint8_t first, std::uint8_t second) {
  constexpr key_type types[] = {key_type::u32, key_type::u64,  key_type::i32,       key_type::i64,  key_type::f32,
                                key_type::f64, key_type::date, key_type::timestamp, key_type::u128, key_type::bytes};
  read_options options;
  options.keep_text = true;
  if (std::size_t const type = first % 16; type < std::size(types)) options.type = types[type];
  options.skip_nulls = (first & 16) != 0;
  options.others = static_cast<other_values>((first >> 5) % 5);
  if ((second & 1) != 0) options.header = (second & 2) != 0;
  return options;
}

/// @return whether both columns, of one type, have the same keys
inline bool same_keys(column const& a, column const& b) {
  if (a.size != b.size) return false;
  if (a.type != key_type::bytes) return std::memcmp(a.data, b.data, a.size * size_of(a.type)) == 0;
  for (std::uint64_t i = 0; i < a.size; ++i)
    if (string_at(a, i) != string_at(b, i)) return false;
  return true;
}

/// Text of a column without gaps must read as the same keys. Floats need not: NaN does not have a separate text for
/// each payload.
inline void check_text(key_column const& keys) {
  if (!keys.left_out().empty() || keys.size() == 0) return;
  if (keys.type() == key_type::f32 || keys.type() == key_type::f64) return;
  std::string text = "\xef\xbb\xbf";  // a string may begin like this, too
  std::string scratch;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    std::string_view const field = keys.text(i, scratch);
    text.append(field.empty() ? "\"\"" : field) += '\n';
  }
  if (text.find('\0') != std::string::npos) return;  // no text file has this byte
  static named_memory const again;
  again.set(text);
  key_column const repeated(again.path("keys.csv"), {.type = keys.type(), .header = false});
  require(same_keys(repeated.keys(), keys.keys()));
}

/// Reads a file as keys: the library's own errors are the clear ones, anything else ends the process.
/// @param repeats whether the text of keys is as the type writes it. The text of raw keys of 16 bytes has 32 hex
/// digits, whatever type they are read as
inline void read_and_check(std::string const& source, read_options const& options, bool repeats = true) {
  std::optional<key_column> keys;
  try {
    keys.emplace(source, options);
  } catch (error const&) {
    return;
  }
  require(keys->keys().size == keys->size() - keys->left_out().size());
  require(std::is_sorted(keys->left_out().begin(), keys->left_out().end()));
  require(keys->rows<std::uint64_t>(1).size() == keys->keys().size);
  if (options.others == other_values::refuse && repeats) check_text(*keys);
}

}  // namespace warpdex::tables
