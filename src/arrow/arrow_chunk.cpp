// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/arrow_chunk.hpp>
#include <warpdex/arrow_column.hpp>
#include <warpdex/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "arrow/arrays.hpp"

namespace warpdex {
namespace {

using detail::raw_array;
using std::to_string;

constexpr std::int64_t most_bytes = std::int64_t{1} << 57;  // more than processors address

struct known_type {
  char const* format;
  char const* number;
};

constexpr known_type numbers[] = {
    {"c", "i1"},   {"C", "u1"},   {"s", "i2"},   {"S", "u2"},   {"e", "u2"},   {"i", "i4"},   {"I", "u4"},
    {"l", "i8"},   {"L", "u8"},   {"f", "f4"},   {"g", "f8"},   {"tdD", "i4"}, {"tdm", "i8"}, {"tts", "i4"},
    {"ttm", "i4"}, {"ttu", "i8"}, {"ttn", "i8"}, {"tDs", "i8"}, {"tDm", "i8"}, {"tDu", "i8"}, {"tDn", "i8"},
};

constexpr arrow_type of_number(char const* number) { return {arrow_layout::numbers, number, number[1] - '0'}; }

// A value at any address.
template <class T> T at(void const* values, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<char const*>(values) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

bool bit(void const* bits, std::int64_t i) { return (at<std::uint8_t>(bits, i / 8) >> (i % 8) & 1) != 0; }

// The type of a format; none for one that is no type of keys.
std::optional<arrow_type> type_named(std::string_view format) {
  for (auto const& number : numbers)
    if (format == number.format) return of_number(number.number);
  if (format == "n") return arrow_type{arrow_layout::nothing};
  if (format == "b") return arrow_type{arrow_layout::bits};
  if (format == "u" || format == "z") return arrow_type{arrow_layout::strings, "i4", 4};
  if (format == "U" || format == "Z") return arrow_type{arrow_layout::strings, "i8", 8};
  if (format == "vu" || format == "vz") return arrow_type{arrow_layout::views, "", 16};
  if (format.size() >= 4 && format.starts_with("ts") && format[3] == ':' &&
      std::string_view("smun").find(format[2]) != std::string_view::npos)
    return of_number("i8");
  // Decimals and integers of 128 bits, of which Python makes integers of a scale.
  if (format.starts_with("d:")) {
    if (format.ends_with(",32") && std::ranges::count(format, ',') == 2) return of_number("i4");
    if (format.ends_with(",64") && std::ranges::count(format, ',') == 2) return of_number("i8");
    if (std::ranges::count(format, ',') == 1 || format.ends_with(",128"))
      return arrow_type{arrow_layout::bytes, "", 16};
    return {};
  }
  if (format == "_pli128" || format == "_plu128") return arrow_type{arrow_layout::bytes, "", 16};
  if (format.starts_with("w:")) {
    std::int32_t width = 0;
    auto const [end, failed] = std::from_chars(format.data() + 2, format.data() + format.size(), width);
    if (failed == std::errc() && end == format.data() + format.size() && width > 0)
      return arrow_type{arrow_layout::bytes, "", width};
  }
  return {};
}

struct extension {
  std::string_view name, metadata;
};

// The extension type that the metadata of a schema names, whose lengths are believed if they can be.
extension extension_of(ArrowSchema const& schema) {
  extension found;
  char const* from = schema.metadata;
  if (from == nullptr) return found;
  auto const number = [&] {
    auto const value = at<std::int32_t>(from, 0);
    from += sizeof value;
    if (value < 0) throw invalid_argument("its metadata has the length " + to_string(value));
    return value;
  };
  auto const text = [&] {
    auto const length = static_cast<std::size_t>(number());
    std::string_view const value(from, length);
    from += length;
    return value;
  };
  for (std::int32_t left = number(); left > 0; --left) {
    auto const key = text(), value = text();
    if (key == "ARROW:extension:name") found.name = value;
    if (key == "ARROW:extension:metadata") found.metadata = value;
  }
  return found;
}

// The text of a field of an object of JSON.
std::string_view field_of(std::string_view json, std::string_view field) {
  auto const rest = [](std::string_view of, std::size_t from) { return of.substr(std::min(from, of.size())); };
  std::string const quoted = '"' + std::string(field) + '"';
  auto const begin = json.find(quoted);
  if (begin == std::string_view::npos) return {};
  std::string_view found = rest(json, begin + quoted.size());
  found = rest(found, found.find_first_not_of(" \t\r\n:"));
  if (!found.starts_with('"')) return {};
  found.remove_prefix(1);
  return found.substr(0, found.find('"'));
}

// The type of a column of an extension type, of which those are known that are named here.
arrow_type extended(arrow_type type, ArrowSchema const& schema, extension const& of) {
  std::string_view const format = schema.format;
  bool const is_plain = schema.dictionary == nullptr, is_text = format == "u" || format == "U" || format == "vu";
  bool const is_binary = is_plain && (format == "w:16" || format == "z" || format == "Z" || format == "vz");
  auto const read_as = [&](char const* what) {
    type.read_as = what;
    return type;
  };
  std::string what = "'" + std::string(of.name.substr(0, 80)) + "'";
  if (is_binary && of.name == "arrow.uuid") return read_as("uuid");
  if (is_plain && of.name == "arrow.bool8" && format == "c") return read_as("b");
  if (is_plain && of.name == "arrow.json" && is_text) return type;
  if (of.name == "arrow.opaque") {
    auto const kind = field_of(of.metadata, "type_name"), vendor = field_of(of.metadata, "vendor_name");
    if (is_binary && vendor == "DuckDB") {  // whose bytes are in the order of this machine
      if (kind == "hugeint") return read_as("_pli128");
      if (kind == "uhugeint") return read_as("_plu128");
    }
    what += " (" + std::string(kind.substr(0, 80)) + " of " + std::string(vendor.substr(0, 80)) + ")";
  }
  throw type_error("it has the Arrow extension type " + what + ", which is no type of keys; give its storage");
}

// How many buffers an array has. Views have as many more as they like, and then the lengths of those.
std::int64_t buffers_of(arrow_layout layout) {
  switch (layout) {
    case arrow_layout::nothing: return 0;
    case arrow_layout::strings:
    case arrow_layout::views: return 3;
    default: return 2;
  }
}

void expect(bool holds, std::string const& text) {
  if (!holds) throw invalid_argument(text);
}

// Calls f(begin, end) for parts of the values, on all threads.
template <class F> void each_part(std::int64_t size, F const& f) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  parallel_chunks(0, static_cast<std::uint64_t>(size), grain, [&](std::uint64_t begin, std::uint64_t end) {
    f(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
  });
}

// 1 for each null; empty if there is none.
raw_array<std::uint8_t> nulls_of(arrow_type const& type, ArrowArray const& array) {
  void const* const valid = buffers_of(type.layout) > 0 && array.length > 0 ? array.buffers[0] : nullptr;
  if (array.null_count == 0 || valid == nullptr) return {};
  raw_array<std::uint8_t> nulls(array.length);
  std::atomic<bool> any = false;
  each_part(array.length, [&](std::int64_t begin, std::int64_t end) {
    bool found = false;
    for (std::int64_t i = begin; i < end; ++i) found |= (nulls[i] = !bit(valid, array.offset + i)) != 0;
    if (found) any = true;
  });
  if (!any) nulls.clear();
  return nulls;
}

template <class Offset> void read_strings(ArrowArray const& array, arrow_chunk& to) {
  static Offset const none = 0;
  to.offsets = array.length == 0 ? &none : static_cast<Offset const*>(array.buffers[1]) + array.offset;
  if (array.length == 0) return;
  auto const* const offsets = static_cast<Offset const*>(to.offsets);
  expect(offsets[0] >= 0, "its offsets do not ascend from 0");
  each_part(array.length, [&](std::int64_t begin, std::int64_t end) {
    bool ascend = true;
    std::uint64_t longest = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      ascend &= offsets[i] <= offsets[i + 1];
      // Of offsets that fall the difference means nothing, and may not be taken as signed.
      longest = std::max(longest, static_cast<std::uint64_t>(offsets[i + 1]) - static_cast<std::uint64_t>(offsets[i]));
    }
    expect(ascend, "its offsets do not ascend from 0");
    expect(std::in_range<std::uint32_t>(longest),
           "it has a string of " + to_string(longest) + " bytes; a key has at most 2^32 - 1");
  });
  to.values = array.buffers[2];
  to.bytes = offsets[array.length];
  expect(to.values != nullptr || to.bytes == 0, "its buffer 2 is null, but its strings are not empty");
}

string_view_16 view_at(ArrowArray const& array, raw_array<std::uint8_t> const& nulls, std::int64_t i) {
  bool const missing = !nulls.empty() && nulls[i] != 0;
  return missing ? string_view_16{} : at<string_view_16>(array.buffers[1], array.offset + i);
}

void check_view(ArrowArray const& array, string_view_16 const& v, std::int64_t i) {
  auto const where = [&] { return "its view " + to_string(i); };
  if (v.length < 0) throw invalid_argument(where() + " has the length " + to_string(v.length));
  if (v.length <= v.longest_inline) return;
  std::int64_t const buffers = array.n_buffers - 3;
  if (v.buffer < 0 || v.buffer >= buffers)
    throw invalid_argument(where() + " is in the buffer " + to_string(v.buffer) + " of " + to_string(buffers));
  auto const size = at<std::int64_t>(array.buffers[array.n_buffers - 1], v.buffer);
  if (v.offset < 0 || size < 0 || std::int64_t{v.offset} + v.length > size || array.buffers[2 + v.buffer] == nullptr)
    throw invalid_argument(where() + " reaches from " + to_string(v.offset) + " to " +
                           to_string(std::int64_t{v.offset} + v.length) + " of a buffer of " + to_string(size) +
                           " bytes");
}

void read_views(ArrowArray const& array, arrow_chunk& to) {
  each_part(array.length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) check_view(array, view_at(array, to.nulls, i), i);
  });
  to.viewed = &array;
}

void read_bits(ArrowArray const& array, arrow_chunk& to) {
  to.made_values = raw_array<std::uint8_t>(array.length);
  each_part(array.length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to.made_values[i] = bit(array.buffers[1], array.offset + i);
  });
  to.values = to.made_values.data();
  to.bytes = array.length;
}

// Strings as values of 16 bytes, as which some libraries hold values of an extension type.
void make_wide(arrow_chunk& to) {
  constexpr std::int64_t width = 16;
  raw_array<std::uint8_t> values(to.length * width);
  auto const offset = [&](std::int64_t i) {
    bool const narrow = to.type.layout == arrow_layout::strings && to.type.width == 4;
    return narrow ? at<std::int32_t>(to.offsets, i) : at<std::int64_t>(to.offsets, i);
  };
  for (std::int64_t i = 0; i < to.length; ++i) {
    if (!to.nulls.empty() && to.nulls[i] != 0) {
      std::memset(values.data() + i * width, 0, width);
      continue;
    }
    std::int64_t const size = offset(i + 1) - offset(i);
    expect(size == width, "its value " + to_string(i) + " has " + to_string(size) + " bytes; its type has 16");
    std::memcpy(values.data() + i * width, static_cast<char const*>(to.values) + offset(i), width);
  }
  to.type = {arrow_layout::bytes, "", width};
  to.made_values = std::move(values);
  to.values = to.made_values.data();
  to.bytes = to.length * width;
  to.offsets = nullptr;
}

// Bools that are bytes, of which each but 0 is true.
void make_bools(arrow_chunk& to) {
  auto const* const bytes = static_cast<std::uint8_t const*>(to.values);
  to.made_values = raw_array<std::uint8_t>(to.length);
  each_part(to.length, [&](std::int64_t begin, std::int64_t end) {
    std::transform(bytes + begin, bytes + end, to.made_values.data() + begin,
                   [](std::uint8_t flag) { return flag != 0; });
  });
  to.values = to.made_values.data();
}

template <class Code> void check_codes(arrow_chunk const& codes, std::int64_t words) {
  each_part(codes.length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      auto const code = at<Code>(codes.values, i);
      // Negative codes are as large as numbers without a sign.
      if (static_cast<std::uint64_t>(code) < static_cast<std::uint64_t>(words)) continue;
      if (codes.nulls.empty() || codes.nulls[i] == 0)
        throw invalid_argument("its code " + to_string(i) + " is " + to_string(code) + "; its dictionary has " +
                               to_string(words) + " values");
    }
  });
}

void check_codes(arrow_chunk const& codes, std::int64_t words) {
  switch (codes.format[0]) {
    case 'c': return check_codes<std::int8_t>(codes, words);
    case 'C': return check_codes<std::uint8_t>(codes, words);
    case 's': return check_codes<std::int16_t>(codes, words);
    case 'S': return check_codes<std::uint16_t>(codes, words);
    case 'i': return check_codes<std::int32_t>(codes, words);
    case 'I': return check_codes<std::uint32_t>(codes, words);
    case 'l': return check_codes<std::int64_t>(codes, words);
    default: return check_codes<std::uint64_t>(codes, words);
  }
}

void read_values(ArrowArray const& array, arrow_chunk& to) {
  switch (to.type.layout) {
    case arrow_layout::nothing: return;
    case arrow_layout::bits: return read_bits(array, to);
    case arrow_layout::strings:
      return to.type.width == 4 ? read_strings<std::int32_t>(array, to) : read_strings<std::int64_t>(array, to);
    case arrow_layout::views: return read_views(array, to);
    case arrow_layout::numbers:
    case arrow_layout::bytes: break;
  }
  if (array.length == 0) return;
  to.values = static_cast<char const*>(array.buffers[1]) + array.offset * to.type.width;
  to.bytes = array.length * to.type.width;
  if (to.format == "b") make_bools(to);
}

}  // namespace

arrow_type arrow_type_of(ArrowSchema const& schema) {
  expect(schema.format != nullptr, "its schema has no format");
  std::string_view const format = schema.format;
  if (format == "+s") throw type_error("it is a table or a struct; a column is needed");
  if (format == "+r") throw type_error("it is run-end encoded; decode it first");
  if (format.starts_with("+")) throw type_error("nested values are no keys");
  auto const found = type_named(format);
  if (!found) throw type_error("Arrow's type '" + std::string(format.substr(0, 40)) + "' is no type of keys");
  if (auto const extension = extension_of(schema); !extension.name.empty()) return extended(*found, schema, extension);
  if (schema.dictionary == nullptr) return *found;
  if (std::string_view("cCsSiIlL").find(format) == std::string_view::npos)
    throw type_error("its codes of a dictionary have the type '" + std::string(format) + "', which is no integer's");
  if (schema.dictionary->dictionary != nullptr) throw type_error("its dictionary has a dictionary");
  return *found;
}

text_place viewed_text(arrow_chunk const& views, std::int64_t i) {
  ArrowArray const& array = *views.viewed;
  string_view_16 const v = view_at(array, views.nulls, i);
  if (v.length <= v.longest_inline) {
    auto const* const first = static_cast<char const*>(array.buffers[1]) + (array.offset + i) * 16 + 4;
    return {first, static_cast<std::uint64_t>(v.length), v.longest_inline};
  }
  auto const size = at<std::int64_t>(array.buffers[array.n_buffers - 1], v.buffer);
  return {static_cast<char const*>(array.buffers[2 + v.buffer]) + v.offset, static_cast<std::uint64_t>(v.length),
          static_cast<std::uint64_t>(size - v.offset)};
}

arrow_chunk with_strings(arrow_chunk const& views) {
  constexpr std::int64_t part_size = std::int64_t{1} << 15;
  std::int64_t const size = views.length, parts = (size + part_size - 1) / part_size;
  arrow_chunk result;
  result.format = views.format;
  result.type = views.type;
  result.length = size;
  result.made_offsets = raw_array<std::int64_t>(size + 1);
  result.made_offsets[0] = 0;
  raw_array<std::int64_t> bytes(parts + 1);  // of each part, and then of all before it
  auto const each = [&](auto const& f) {
    parallel_chunks(0, static_cast<std::uint64_t>(parts), 1, [&](std::uint64_t part, std::uint64_t) {
      auto const begin = static_cast<std::int64_t>(part) * part_size;
      f(static_cast<std::int64_t>(part), begin, std::min(begin + part_size, size));
    });
  };
  each([&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += view_at(*views.viewed, views.nulls, i).length;
    bytes[part] = sum;
  });
  for (std::int64_t part = 0; part < parts; ++part) result.bytes += std::exchange(bytes[part], result.bytes);
  result.made_values = raw_array<std::uint8_t>(result.bytes);
  each([&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::int64_t to = bytes[part];
    for (std::int64_t i = begin; i < end; ++i) {
      text_place const text = viewed_text(views, i);
      std::memcpy(result.made_values.data() + to, text.at, text.length);
      result.made_offsets[i + 1] = to += static_cast<std::int64_t>(text.length);
    }
  });
  result.values = result.made_values.data();
  result.offsets = result.made_offsets.data();
  return result;
}

void check_fields(ArrowArray const& array, arrow_buffers const& buffers) {
  expect(array.length >= 0, "its length is " + to_string(array.length));
  expect(array.offset >= 0, "its offset is " + to_string(array.offset));
  std::int64_t const longest = most_bytes / std::max<std::int64_t>(buffers.width, 1) - 1;
  expect(
      array.offset <= longest && array.length <= longest - array.offset,
      "it has " + to_string(array.length) + " values from " + to_string(array.offset) + " on, which no memory holds");
  expect(array.null_count >= -1 && array.null_count <= array.length,
         "it has " + to_string(array.null_count) + " nulls among " + to_string(array.length) + " values");
  if (buffers.count == 0) return;  // some producers give nulls a buffer
  expect(array.n_buffers == buffers.count || (buffers.or_more && array.n_buffers > buffers.count),
         "it has " + to_string(array.n_buffers) + " buffers; its type has " + to_string(buffers.count));
  expect(array.buffers != nullptr, "its buffers are null");
  if (array.length == 0) return;
  expect(array.null_count <= 0 || array.buffers[0] != nullptr,
         "it has " + to_string(array.null_count) + " nulls, but no validity bits");
  if (buffers.count == 1) return;
  expect(array.buffers[1] != nullptr, "its buffer 1 is null, but it has " + to_string(array.length) + " values");
}

arrow_type check_array(ArrowSchema const& schema, ArrowArray const& array) {
  arrow_type const type = arrow_type_of(schema);
  bool const views = type.layout == arrow_layout::views;
  check_fields(array, {buffers_of(type.layout), type.width, views});
  if (views && array.length != 0 && array.n_buffers > buffers_of(type.layout))
    expect(array.buffers[array.n_buffers - 1] != nullptr, "the lengths of its buffers are null");
  if (type.number[0] != '\0' && array.length != 0)
    expect(reinterpret_cast<std::uintptr_t>(array.buffers[1]) % static_cast<std::uintptr_t>(type.width) == 0,
           "its buffer 1 begins at no multiple of " + to_string(type.width) + " bytes");
  expect((schema.dictionary == nullptr) == (array.dictionary == nullptr),
         schema.dictionary == nullptr ? "it has a dictionary that its schema does not have"
                                      : "it has no dictionary, but its schema has one");
  return type;
}

bool are_same(ArrowSchema const& schema, ArrowArray const& left, ArrowArray const& right) {
  if (left.length != right.length || left.offset != right.offset || left.null_count != right.null_count ||
      left.n_buffers != right.n_buffers || left.buffers == nullptr || right.buffers == nullptr)
    return false;
  bool const views = arrow_type_of(schema).layout == arrow_layout::views;
  std::int64_t const compared = left.n_buffers - (views ? 1 : 0);  // producers make lengths of buffers for each array
  return compared > 0 && std::equal(left.buffers, left.buffers + compared, right.buffers);
}

arrow_chunk read_chunk(ArrowSchema const& schema, ArrowArray const& array,
                       std::shared_ptr<arrow_chunk const> dictionary) {
  arrow_chunk result;
  result.type = check_array(schema, array);
  result.length = array.length;
  result.format = result.type.read_as == nullptr ? schema.format : result.type.read_as;
  try {
    result.nulls = nulls_of(result.type, array);
    read_values(array, result);
    bool const is_wide = result.type.read_as != nullptr && result.type.layout != arrow_layout::bytes &&
                         result.type.layout != arrow_layout::numbers;
    // An array without values need not live on.
    if (result.viewed != nullptr && (is_wide || array.length == 0)) {
      arrow_chunk strings = with_strings(result);
      strings.nulls = std::move(result.nulls);
      result = std::move(strings);
    }
    if (is_wide) make_wide(result);
    if (schema.dictionary == nullptr) return result;
    if (dictionary == nullptr)
      dictionary = std::make_shared<arrow_chunk const>(read_chunk(*schema.dictionary, *array.dictionary));
    result.dictionary = std::move(dictionary);
    check_codes(result, result.dictionary->length);
    return result;
  } catch (std::bad_alloc const&) {
    throw out_of_memory("memory has run out for its " + to_string(array.length) + " values");
  } catch (std::length_error const&) {
    throw out_of_memory("no memory holds its " + to_string(array.length) + " values");
  }
}

arrow_chunk empty_chunk(ArrowSchema const& schema) {
  return read_chunk(schema, arrow_column::empty(schema, nullptr).values());
}

}  // namespace warpdex
