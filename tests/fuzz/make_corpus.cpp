// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Writes the seeds of all fuzzers, each to a separate folder below the folder given.
#include <warpdex/index.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace warpdex;
namespace fs = std::filesystem;

/// The seeds of one fuzzer.
class seeds {
 public:
  explicit seeds(fs::path folder) : folder_(std::move(folder)) { fs::create_directories(folder_); }

  /// @param modes what an input begins with
  void add(std::string_view modes, std::string_view bytes) {
    auto const path = folder_ / ("seed" + std::to_string(number_++));
    std::ofstream out(path, std::ios::binary);
    out << modes << bytes;
    if (!out.flush()) throw io_error(path.string() + ": cannot write");
  }

  /// Adds a file of an index in every mode of load_fuzzer. @return its bytes
  std::string add(warpdex::index const& saved) {
    auto const file = folder_ / "index.tmp";
    saved.save(file);
    std::ifstream in(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    fs::remove(file);
    for (char mode = 0; mode < 4; ++mode) add(std::string(1, mode), bytes);
    return bytes;
  }

 private:
  fs::path folder_;
  int number_ = 0;
};

/// @param different how many of the keys are different
template <class Key> std::vector<Key> make_keys(std::uint64_t n, std::uint64_t different) {
  std::vector<Key> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i % different * 2654435761u % (n + n / 2 + 1));
  return keys;
}

execution host() { return execution(host_memory(), {}, 1); }

template <class Key>
void add_built(seeds& out, std::string const& spec_text, std::uint64_t n, std::uint64_t different) {
  auto const keys = make_keys<Key>(n, different);
  out.add(warpdex::index::build(spec(spec_text), column(std::span<Key const>(keys)), host()));
}

/// Strings that begin each other, and repeat.
void add_strings(seeds& out, std::string const& spec_text, std::uint64_t n, std::uint64_t different) {
  byte_strings keys;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::string text = std::to_string(i % different * 7919 % 1000);
    if (i % 5 == 0) text.append(text.size() * 4, i % 2 == 0 ? '\0' : '\xff');
    keys.push_back(i % different == 3 ? std::string() : text);
  }
  out.add(warpdex::index::build(spec(spec_text), keys, host()));
}

/// Batches that are small enough to be applied in place: keys after all others fill a last leaf or bucket until it is
/// split, and one of the first goes.
template <class Key> std::string add_updated(seeds& out, std::string const& spec_text) {
  auto const keys = make_keys<Key>(700, 700);
  auto updated = warpdex::index::build(spec(spec_text), column(std::span<Key const>(keys)), host());
  for (std::uint64_t wave = 0; wave < 5; ++wave) {
    std::array<Key, 3> insert;
    std::array<std::uint32_t, 3> rows;
    for (std::size_t i = 0; i < insert.size(); ++i) {
      insert[i] = static_cast<Key>(2000 + wave * insert.size() + i);
      rows[i] = static_cast<std::uint32_t>(insert[i]);
    }
    std::array<Key, 1> const erase = {keys[wave]};
    updated.update(column(std::span<Key const>(insert)), row_column(std::span<std::uint32_t const>(rows)),
                   column(std::span<Key const>(erase)), host());
  }
  return out.add(updated);
}

void add_indexes(seeds out) {
  for (auto const& info : structures())
    for (auto const& sample : info.samples)
      for (auto const& [n, different] : {std::pair{0, 0}, {1, 1}, {7, 7}, {60, 60}, {60, 20}}) {
        add_built<std::uint32_t>(out, sample, n, different);
        add_built<std::uint64_t>(out, sample, n, different);
        if (info.widest_key == 16) add_built<u128>(out, sample, n, different);
        if (info.takes_bytes) add_strings(out, sample, n, different);
      }
  for (std::string const tree_or_table : {"B+(16,fill=0.5)", "B+(16,fill=0.5)/filter=8", "HT(open)", "HT(buckets)"})
    for (std::string const& bytes :
         {add_updated<std::uint32_t>(out, tree_or_table), add_updated<std::uint64_t>(out, tree_or_table)})
      if (tree_or_table.starts_with("B+") && bytes.find("leaf_of") == std::string::npos)
        throw std::logic_error(tree_or_table + " was not updated in place");
}

void add_specs(seeds out) {
  for (auto const& info : structures())
    for (auto const& sample : info.samples)
      for (std::string_view const options :
           {"", "/layout=AoS/rows=u64", "/LAYOUT=packed", "/lanes=1/threads=128/probes=4/schedule=static",
            "/pin=full/reorder=block+restore", "/reorder=window/scan=warp", "/reorder=tile", "/filter=8"})
        out.add(sample, options);
  for (std::string_view const text : {"auto(ranges)", "AO+PB+BS(levels=24)", "B+(page=4096,fill=0.7)",
                                      "HT(open,load=0.5,seed=7)", "AO+BS(", "EO+KS(9)(9)", "Harmonia/", "/", ""})
    out.add("", text);
}

template <class T> std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (T const value : values) bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
  return bytes;
}

/// Files of keys of each name: arrays of NumPy, those of SOSD, numbers of 16 bytes, strings.
void add_keys(seeds out) {
  for (std::string const type : {"<u4", "<u8", "<i4", "<i8", "<f4", "<f8", ">i4", "<M8[ns]"}) {
    std::string const header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (4,), }\n";
    std::string const data(type[2] == '4' ? 16 : 32, '\x05');
    auto const length = static_cast<std::uint32_t>(header.size());
    out.add({"\0\0\1", 4}, bytes_of({static_cast<std::uint16_t>(length)}) + header + data);
    out.add({"\0\0\2", 4}, bytes_of({length}) + header + data);
  }
  for (char name = 1; name < 5; ++name) {
    std::string const mode{name, '\0'};
    out.add(mode, bytes_of<std::uint64_t>({3, 5, 7, 11}));
    out.add(mode, bytes_of<std::uint32_t>({3, 0, 5, 7, 11}));
    out.add(mode, bytes_of<std::uint64_t>({0}));
  }
  auto const add_strings = [&](std::initializer_list<std::uint64_t> offsets, std::string_view bytes) {
    std::string const places = bytes_of(offsets);
    out.add(std::string{'\5', static_cast<char>(places.size())}, places + std::string(bytes));
  };
  add_strings({0, 3, 3, 7, 12}, {"fig\"a\",\0\xff\n x", 12});
  add_strings({2, 4}, "slice");
  add_strings({0}, "");
  add_strings({0, 5, 4}, "descends");
  add_strings({0, ~std::uint64_t{0}}, "beyond");
}

/// A column of each format, for some of them with a dictionary.
void add_arrow(seeds out) {
  for (char format = 0; format < 48; ++format)
    for (std::string const length : {"\x05\x02", "\x20"})
      out.add(std::string(1, format) + length, "\x1e\x02 0123456789 abcdefghijklmnopqrstuvwxyz 0123456789");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  try {
    fs::path const folder = arguments[1];
    add_arrow(seeds(folder / "arrow"));
    add_indexes(seeds(folder / "load"));
    add_specs(seeds(folder / "spec"));
    add_keys(seeds(folder / "keys"));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
