// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any bytes are a file of keys, or a clear error. The first byte of an input chooses the name, the
/// second the length of the offsets of strings, which follow; the rest is the file.
#include "bench/key_file.hpp"

#include <warpdex/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpdex::bench {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// A file in memory that has names.
class named_memory {
 public:
  explicit named_memory(std::initializer_list<std::string> names) {
    for (auto const& name : names) std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(memory_), name);
  }

  void set(std::string_view bytes) const {
    require(::ftruncate(memory_, 0) == 0);
    require(::pwrite(memory_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

 private:
  int const memory_ = ::memfd_create("fuzzed", MFD_CLOEXEC);
};

/// A folder that is removed in the end.
struct own_folder {
  own_folder() {
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no room for " + name);
    name += '/';
  }
  ~own_folder() { std::filesystem::remove_all(name); }

  std::string name = (std::filesystem::temp_directory_path() / "warpdex_fuzz_XXXXXX").string();
};

/// The library's own errors are the clear ones, anything else ends the process.
void read_and_check(std::string const& path) {
  std::optional<key_file> file;
  column keys;
  try {
    file.emplace(path);
    keys = file->read();
  } catch (error const&) {
    return;
  }
  require(keys.size == file->size() && keys.type == file->type());
  if (keys.type == key_type::bytes) {
    auto const* const offsets = static_cast<std::uint64_t const*>(keys.strings.offsets);
    require(std::is_sorted(offsets, offsets + keys.size + 1));
    keys.size = offsets[keys.size];
  } else {
    keys.size *= size_of(keys.type);
  }
  std::string const copied(static_cast<char const*>(keys.data), keys.size);  // a sanitizer sees what is not there
  require(copied.size() == keys.size);
}

}  // namespace
}  // namespace warpdex::bench

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace warpdex::bench;
  static own_folder const own;
  static std::string const& folder = own.name;
  static std::string const names[] = {folder + "k.npy",  folder + "k_uint32", folder + "k_uint64",
                                      folder + "k.sosd", folder + "k.u128",   folder + "k.bytes"};
  static named_memory const file({names[0], names[1], names[2], names[3], names[4], names[5]});
  static named_memory const offsets({folder + "k.offsets"});
  if (size < 2) return 0;
  std::string_view rest{reinterpret_cast<char const*>(data) + 2, size - 2};
  std::size_t const kind = data[0] % std::size(names);
  std::size_t const places = kind == 5 ? std::min<std::size_t>(data[1], rest.size()) : 0;
  offsets.set(rest.substr(0, places));
  file.set(kind == 0 ? "\x93NUMPY" + std::string(rest) : std::string(rest.substr(places)));
  read_and_check(names[kind]);
  return 0;
}
