// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_encoder.hpp>

#include <string>
#include <utility>

#include "clients/encoder/narrow_code.hpp"
#include "clients/encoder/place_file.hpp"
#include "index/load.hpp"
#include "io/kind.hpp"

/// @file
/// The file of a key encoder: its fields, and the numbers of a narrow one.
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

/// @param places the numbers of a narrow encoder
std::vector<io::section> sections_of(std::vector<stored_field> const& fields, place_sections const& places) {
  std::vector<io::section> result = {section_of(fields), places.numbers()};
  result.insert(result.end(), places.lists().begin(), places.lists().end());
  return result;
}

key_encoder narrow_in(io::file const& from, std::vector<stored_field> const& stored, std::vector<key_field> fields) {
  place_coder coder(numbers_in(from), execution(host_memory()));
  place_numbers const& numbers = coder.numbers();
  place_sections const places(numbers);
  try {
    expect_narrow_fields("load", fields);
  } catch (invalid_argument const& e) {
    from.fail(fields_section, e.what());
  }
  auto leading = leading_encoder(fields);
  if (numbers.groups.type != (leading ? leading->type() : fields[0].type) || numbers.keys.type != fields.back().type)
    from.fail(place_sections::name, "has values of other types than the fields");
  std::vector<io::section> const expected = sections_of(stored, places);
  auto code = std::make_shared<narrow_code const>(std::move(coder), execution(host_memory()), std::move(leading));
  key_encoder result = narrow_encoder(std::move(fields), std::move(code));
  io::expect_saved(from, head_of(result), expected, fields_section);
  return result;
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
  if (!from.has(place_sections::name)) {
    key_encoder wide(std::move(fields));
    io::section const expected = section_of(stored);
    io::expect_saved(from, head_of(wide), {&expected, 1}, fields_section);
    return wide;
  }
  return narrow_in(from, stored, std::move(fields));
}

template <class Put> auto save_encoder(key_encoder const& from, Put const& put) {
  return run_call("save", [&] {
    std::vector<stored_field> fields;
    for (auto const& [type, descending, nullable, nulls_last] : from.fields())
      fields.push_back({static_cast<std::uint8_t>(type), descending, nullable, nulls_last});
    if (auto const& code = narrow_code_of(from)) {
      place_numbers const numbers = copied(code->numbers(), execution(host_memory()));
      return put(head_of(from), sections_of(fields, place_sections(numbers)));
    }
    io::section const section = section_of(fields);
    return put(head_of(from), std::vector<io::section>{section});
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
