// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/encoder/tuple_columns.hpp"

#include <vector>

#include "request/expect.hpp"

namespace warpdex {
namespace {

std::string column_name(std::size_t number) { return "column number " + std::to_string(number); }

[[noreturn]] void fail(char const* call, std::string const& why) {
  throw invalid_argument(std::string(call) + ": " + why);
}

/// Takes a tuple and drops it.
struct nowhere {
  struct sink {
    void put(std::uint64_t, unsigned) {}
    void finish() const {}
  };
  void valid(int, bool) const {}
  void number(int, u128) const {}
  sink string(int) const { return {}; }
};

}  // namespace

tuple_code tuple_code_of(std::span<key_field const> fields) {
  tuple_code code;
  for (key_field const& field : fields) {
    bool const is_last = static_cast<std::size_t>(code.fields) + 1 == fields.size();
    bool const is_string = field.type == key_type::bytes;
    bool const is_raw = is_last && !field.descending;
    field_code& made = code.of[code.fields++];
    made.codec = codec_of(field.type);
    made.width = is_string ? std::uint8_t{0} : static_cast<std::uint8_t>(size_of(field.type));
    made.nullable = field.nullable;
    made.null_mark = field.nulls_last ? 1 : 0;
    made.escapes = is_string && !is_raw;
    made.ends = made.escapes;
    made.flip = field.descending ? ~std::uint64_t{0} : 0;
  }
  return code;
}

unsigned fixed_bytes(tuple_code const& code) {
  unsigned bytes = 0;
  for (int f = 0; f < code.fields; ++f) bytes += code.of[f].width + (code.of[f].nullable ? 1u : 0u);
  return bytes;
}

void expect_columns(char const* call, std::span<key_field const> fields, std::span<nullable_column const> columns) {
  for (std::size_t f = 0; f < columns.size(); ++f) {
    nullable_column const& c = columns[f];
    std::string const name = column_name(f);
    expect_known(call, name.c_str(), c.type);
    if (c.type != fields[f].type)
      fail(call, name + " is of type " + std::string(to_string(c.type)) + ", the field of type " +
                     std::string(to_string(fields[f].type)));
    if (c.size != columns[0].size)
      fail(call,
           name + " has " + std::to_string(c.size) + " values, column number 0 has " + std::to_string(columns[0].size));
    if (c.validity != nullptr && !fields[f].nullable)
      fail(call, name + " has validity bits, but its field is not nullable");
    expect_possible(call, name.c_str(), c.size);
  }
}

tuple_source stage_tuples(char const* call, std::span<key_field const> fields, std::span<nullable_column const> columns,
                          staging& stage) {
  expect_columns(call, fields, columns);
  tuple_source source{tuple_code_of(fields), {}};
  source.code.fields = static_cast<int>(columns.size());
  for (std::size_t f = 0; f < columns.size(); ++f) {
    nullable_column const& c = columns[f];
    std::string const name = column_name(f);
    bool const is_string = c.type == key_type::bytes;
    if (!is_string) source.values[f].numbers = stage.input(c.data, c.size, size_of(c.type), name.c_str());
    else if (c.size != 0) source.values[f].strings = stage.reach_strings(c, name.c_str(), true);
    std::string const bits_name = "the validity of " + name;
    source.values[f].valid = stage.validity(c, bits_name.c_str());
  }
  return source;
}

key_source stage_keys(char const* call, column const& keys, tuple_code const& code, staging& stage) {
  constexpr char const* name = "the key column";
  expect_possible(call, name, keys.size);
  key_source source;
  if (keys.size == 0) return source;
  if (keys.type == key_type::bytes) {
    source.strings = stage.reach_strings(keys, name, true);
  } else {
    source.width = static_cast<unsigned>(size_of(keys.type));
    source.used = fixed_bytes(code);
    source.numbers = stage.input(keys.data, keys.size, source.width, name);
  }
  return source;
}

void fail_key(char const* call, key_source const& keys, std::span<key_field const> fields, std::uint64_t row,
              execution const& exec) {
  auto const& backend = backend_of(exec);
  // The key alone, on the host.
  key_source one = keys;
  std::vector<unsigned char> bytes(keys.width);
  void const* from = static_cast<char const*>(keys.numbers) + row * keys.width;
  if (keys.width == 0) {
    byte_layout const& layout = keys.strings.layout;
    string_source ends = keys.strings;
    std::uint64_t offsets[2] = {};
    if (layout.offset_bytes != 0) {
      for (std::uint64_t i = 0; i < 2; ++i)
        backend.copy(&offsets[i], static_cast<char const*>(layout.offsets) + (row + i) * layout.offset_bytes,
                     layout.offset_bytes, exec);
      backend.synchronize(exec);
      ends.layout.offsets = offsets;
      ends.layout.offset_bytes = sizeof(std::uint64_t);
    }
    byte_key const key = ends.at(layout.offset_bytes != 0 ? 0 : row);
    from = key.data;
    bytes.resize(key.size);
    one.strings = {bytes.data(), {nullptr, 0, key.size, key.size}, 0};
  }
  backend.copy(bytes.data(), from, bytes.size(), exec);
  backend.synchronize(exec);
  one.numbers = bytes.data();
  nowhere to;
  auto const field = static_cast<std::size_t>(one.take(tuple_code_of(fields), 0, to));
  std::string const name = "key number " + std::to_string(row) + " is not made by this encoder: ";
  if (field >= fields.size()) fail(call, name + "it goes on after its last field");
  fail(call, name + "it does not hold field number " + std::to_string(field) + ", of type " +
                 std::string(to_string(fields[field].type)));
}

}  // namespace warpdex
