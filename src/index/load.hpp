// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "io/file.hpp"
#include "structures/structure.hpp"

/// @file
/// What files of clients have in common: files of indexes as their sections, and the calls that read and write them.
namespace warpdex {

/// @return whether arrays of a file, which are at pages from its beginning, are at lines of the cache, as searches
/// expect
inline bool is_aligned(std::byte const* file) { return reinterpret_cast<std::uintptr_t>(file) % 64 == 0; }

/// @param section of another file, which holds the file of an index
/// @param in_place whether the CPU backend may use the arrays there. If the other file is mapped, the calls of the
/// index check its length, as they do that of a file of its own
/// @throws as `index::load`
index load_part(io::file const& from, std::string const& section, bool in_place, check checks, execution const& exec);

/// The same without the index around it.
std::unique_ptr<structure> load_structure_part(io::file const& from, std::string const& section, bool in_place,
                                               check checks, execution const& exec);

/// @return the bytes of the file of a structure
std::vector<std::byte> image_of(structure const& from, std::string_view note = {});

/// The calls `load` of a client, from a path, from bytes, and from bytes in place.
/// @param load load(file, in_place) makes the client
/// @{
template <class Load>
auto load_client(std::filesystem::path const& path, execution const& exec, bool map, Load const& load) {
  return run_call("load", exec, [&] { return load(io::file::open(path, map), map); });
}
template <class Load> auto load_client(std::span<std::byte const> bytes, execution const& exec, Load const& load) {
  return run_call("load", exec, [&] {
    detail::expect_array("load", "the span of bytes", bytes.data(), bytes.size());
    return load(io::file::parse(bytes), false);
  });
}
template <class Load>
auto load_client(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                 Load const& load) {
  return run_call("load", exec, [&] {
    detail::expect_array("load", "the span of bytes", bytes.data(), bytes.size());
    return load(io::file::parse(bytes, "memory", std::move(owner)), true);
  });
}
/// @}

/// Takes the header and the sections of a client, and writes them to a file.
struct to_path {
  std::filesystem::path const& path;
  std::string_view note = {};
  void operator()(io::header const& head, std::span<io::section const> sections) const {
    io::write(path, head, sections, note);
  }
};

/// Takes the same, and returns the bytes of that file.
struct to_bytes {
  std::string_view note = {};
  std::vector<std::byte> operator()(io::header const& head, std::span<io::section const> sections) const {
    return io::image(head, sections, note);
  }
};

/// @return the values of a section of one struct
template <class Stored> Stored stored_in(io::file const& from, char const* section) {
  Stored stored{};
  if (from.size(section) != sizeof stored) from.fail(section, "has another length");
  from.read(section, std::as_writable_bytes(std::span(&stored, 1)));
  return stored;
}

}  // namespace warpdex
