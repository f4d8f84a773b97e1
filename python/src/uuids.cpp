// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "uuids.hpp"

#include <warpdex/error.hpp>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "columns.hpp"
#include "values.hpp"

namespace warpdex::python {
namespace {

constexpr std::uint64_t width = 16, digits = 32, letters = 36;

/// @return the value of a letter of a hexadecimal number; 16 for another one
int digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  char const small = static_cast<char>(letter | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : 16;
}

/// Reads the text of a UUID: 32 hexadecimal digits, usually with four strokes among them. @return whether it is one
bool read_text(char const* text, std::uint64_t size, std::uint8_t* to) {
  if (size != letters && size != digits) return false;
  bool is_one = true;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (size == letters && (i == 8 || i == 13 || i == 18 || i == 23)) {
      is_one &= text[i] == '-';
      continue;
    }
    int const high = digit_of(text[i]), low = digit_of(text[++i]);
    is_one &= high < 16 && low < 16;
    *to++ = static_cast<std::uint8_t>(high << 4 | low);
  }
  return is_one;
}

/// Strings as UUIDs, as a part of keys that are strings, or with `wide` numbers of 128 bits.
/// @param missing which strings are null, whatever they hold; or None
/// @param text whether strings, or which of them, are text, so that 16 letters are no UUID
column_part uuids(nb::handle strings, std::string const& name, nb::object missing, nb::handle text, bool wide) {
  column const from = column_of(strings);
  auto const* const bytes = static_cast<char const*>(from.data);
  bool const all_text = nb::isinstance<nb::bool_>(text) && nb::cast<bool>(text);
  auto const flags_of = [](nb::handle array) -> std::uint8_t const* {
    return array.is_none() || nb::isinstance<nb::bool_>(array) ? nullptr
                                                               : static_cast<std::uint8_t const*>(array_in(array).data);
  };
  auto const* const nulls = flags_of(missing);
  auto const* const texts = flags_of(text);
  buffer result(from.size * width, on_host(0));
  auto* to = result.as<std::uint8_t>();
  for (std::uint64_t i = 0; i < from.size; ++i, to += width) {
    std::memset(to, 0, width);
    if (nulls != nullptr && nulls[i] != 0) continue;
    auto const [begin, end] = span_of(from, i);
    bool const is_text = texts != nullptr ? texts[i] != 0 : all_text;
    if (end - begin == width && !is_text) {
      std::memcpy(to, bytes + begin, width);
    } else if (!read_text(bytes + begin, end - begin, to)) {
      auto const length = static_cast<Py_ssize_t>(std::min<std::uint64_t>(end - begin, 40));
      nb::object const value = is_text ? nb::steal(PyUnicode_DecodeUTF8(bytes + begin, length, "backslashreplace"))
                                       : nb::steal(PyBytes_FromStringAndSize(bytes + begin, length));
      throw invalid_argument(name + "[" + std::to_string(i) + "] is " + nb::repr(value).c_str() + ", which is no UUID");
    }
    if (wide) std::reverse(to, to + width);
  }
  nb::object column;
  if (wide) column = array_of<std::uint64_t>(std::move(result), 2 * from.size).attr("reshape")(from.size, 2);
  else column = nb::make_tuple(array_of<std::uint8_t>(std::move(result), width * from.size), width, from.size);
  return {std::move(column), from.size, std::move(missing)};
}

}  // namespace

void bind_uuids(nb::module_& m) {
  m.def("uuids", uuids, nb::arg("strings"), nb::arg("name"), nb::arg("missing").none(), nb::arg("text"),
        nb::arg("wide"));
}

}  // namespace warpdex::python
