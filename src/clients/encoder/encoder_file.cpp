// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_encoder.hpp>

#include <string>
#include <utility>

#include "index/load.hpp"
#include "io/kind.hpp"

/// @file
/// The file of a key encoder: its fields.
namespace warpdex {
namespace {

constexpr char const* fields_section = "fields";

/// A field in the section.
struct stored_field {
  std::uint8_t type, descending, nullable, nulls_last;
};

io::header head_of(key_encoder const& of) {
  return {io::spec_of(io::file_kind::encoder, std::string(to_string(of.type()))), of.type(), row_type::u32,
          of.fields().size()};
}

io::section section_of(std::vector<stored_field> const& fields) {
  return {fields_section, fields.data(), fields.size() * sizeof(stored_field)};
}

key_encoder load_encoder(io::file const& from, bool) {
  io::expect_kind(from, io::file_kind::encoder);
  std::uint64_t const size = from.head().size;
  if (size == 0 || size > key_encoder::most_fields) from.fail(fields_section, "has too few or too many fields");
  if (from.size(fields_section) != size * sizeof(stored_field)) from.fail(fields_section, "has another length");
  std::vector<stored_field> stored(size);
  from.read(fields_section, std::as_writable_bytes(std::span(stored)));
  std::vector<key_field> fields;
  for (auto const& [type, descending, nullable, nulls_last] : stored) {
    if (type >= key_types.size() || descending > 1 || nullable > 1 || nulls_last > 1)
      from.fail(fields_section, "has a field that is none, number " + std::to_string(fields.size()));
    fields.push_back({static_cast<key_type>(type), descending != 0, nullable != 0, nulls_last != 0});
  }
  key_encoder made(std::move(fields));
  io::section const expected = section_of(stored);
  io::expect_saved(from, head_of(made), {&expected, 1}, fields_section);
  return made;
}

template <class Put> auto save_encoder(key_encoder const& from, Put const& put) {
  return run_call("save", [&] {
    std::vector<stored_field> fields;
    for (auto const& [type, descending, nullable, nulls_last] : from.fields())
      fields.push_back({static_cast<std::uint8_t>(type), descending, nullable, nulls_last});
    io::section const section = section_of(fields);
    return put(head_of(from), std::span(&section, 1));
  });
}

}  // namespace

key_encoder key_encoder::load(std::filesystem::path const& path) { return load_client(path, {}, false, load_encoder); }

key_encoder key_encoder::load(std::span<std::byte const> bytes) { return load_client(bytes, {}, load_encoder); }

void key_encoder::save(std::filesystem::path const& path) const {
  expect_fields("save");
  save_encoder(*this, to_path{path});
}

std::vector<std::byte> key_encoder::save() const {
  expect_fields("save");
  return save_encoder(*this, to_bytes{});
}

}  // namespace warpdex
