// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "binary.hpp"

#include "escape.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace warpdex::tables {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view npy_magic = "\x93NUMPY"sv;

template <class T> T load(char const* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Numbers that are stored as T and read as keys of type Key, which can hold all of them.
template <class T, class Key> fault locate_number(char const* element, key_type to, rounded_key& place) {
  constexpr key_type from = detail::key_type_of<Key>();
  if (!comparable(from, to)) return fault::syntax;
  auto const key = static_cast<Key>(load<T>(element));
  u128 bits = 0;
  std::memcpy(&bits, &key, sizeof key);
  place = round_key(from, bits, to);
  return fault::none;
}

template <class T, class Key>
std::string_view number_text(char const* element, std::span<char, key_text_size> scratch) {
  auto const key = static_cast<Key>(load<T>(element));
  return format_key(detail::key_type_of<Key>(), &key, scratch);
}

template <class T, class Key> number_array numbers() {
  number_array out;
  out.bytes_each = sizeof(T);
  out.type = detail::key_type_of<Key>();
  out.stored_as_keys = std::is_same_v<T, Key>;
  out.locate = locate_number<T, Key>;
  out.text = number_text<T, Key>;
  return out;
}

constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

// Times are counts of ticks, with `TicksPerDay` ticks per day.
template <std::int64_t TicksPerDay> moment moment_of(std::int64_t ticks) {
  constexpr std::int64_t per_day = detail::microseconds_per_day;
  std::int64_t const part = ticks % TicksPerDay;
  moment out;
  out.days = ticks / TicksPerDay;
  if constexpr (TicksPerDay <= per_day) {
    out.microseconds = part * (per_day / TicksPerDay);
  } else {
    constexpr std::int64_t finer = TicksPerDay / per_day;
    out.microseconds = part / finer - (part % finer < 0 ? 1 : 0);
    std::int64_t const rest = part % finer;
    out.attoseconds = (rest < 0 ? rest + finer : rest) * (attoseconds_per_second / 1'000'000 / finer);
  }
  return out;
}

template <std::int64_t TicksPerDay> fault read_time(char const* element, moment& out) {
  auto const ticks = load<std::int64_t>(element);
  if (ticks == not_a_time) return fault::missing;
  out = moment_of<TicksPerDay>(ticks);
  return fault::none;
}

template <std::int64_t TicksPerDay> fault locate_time(char const* element, key_type to, rounded_key& place) {
  if (!comparable(key_type::timestamp, to)) return fault::syntax;
  moment value;
  fault const problem = read_time<TicksPerDay>(element, value);
  if (problem == fault::none) place = locate(value, to);
  return problem;
}

// Nanoseconds that are not whole microseconds.
std::string_view nanoseconds_text(std::int64_t ticks, std::span<char, key_text_size> scratch) {
  constexpr std::int64_t per_second = 1'000'000'000;
  std::int64_t const seconds = ticks / per_second - (ticks % per_second < 0 ? 1 : 0);
  timestamp const whole{seconds * 1'000'000};
  char* const zone = scratch.data() + format_key(key_type::timestamp, &whole, scratch).size() - 1;
  return {scratch.data(), fmt::format_to(zone, ".{:09}Z", ticks - seconds * per_second)};
}

template <std::int64_t TicksPerDay>
std::string_view time_text(char const* element, std::span<char, key_text_size> scratch) {
  auto const ticks = load<std::int64_t>(element);
  if (ticks == not_a_time) return "NaT";
  constexpr key_type type = TicksPerDay == 1 ? key_type::date : key_type::timestamp;
  moment const value = moment_of<TicksPerDay>(ticks);
  rounded_key const place = locate(value, type);
  if (place.exact) return format_key(type, &place.below, scratch);
  if (value.has_fraction()) return nanoseconds_text(ticks, scratch);
  return format_key(key_type::i64, &ticks, scratch);  // no key type holds the time, so it has no ISO text here
}

template <std::int64_t TicksPerDay> number_array times() {
  number_array out;
  out.bytes_each = sizeof(std::int64_t);
  out.type = TicksPerDay == 1 ? key_type::date : key_type::timestamp;
  out.locate = locate_time<TicksPerDay>;
  out.moment_of = read_time<TicksPerDay>;
  out.text = time_text<TicksPerDay>;
  return out;
}

struct element_kind {
  std::string_view name;  // as NumPy writes it
  number_array array;
};

std::vector<element_kind> const& element_kinds() {
  static std::vector<element_kind> const kinds = {
      {"|u1", numbers<std::uint8_t, std::uint32_t>()},
      {"<u2", numbers<std::uint16_t, std::uint32_t>()},
      {"<u4", numbers<std::uint32_t, std::uint32_t>()},
      {"<u8", numbers<std::uint64_t, std::uint64_t>()},
      {"|i1", numbers<std::int8_t, std::int32_t>()},
      {"<i2", numbers<std::int16_t, std::int32_t>()},
      {"<i4", numbers<std::int32_t, std::int32_t>()},
      {"<i8", numbers<std::int64_t, std::int64_t>()},
      {"<f4", numbers<float, float>()},
      {"<f8", numbers<double, double>()},
      {"<M8[D]", times<1>()},
      {"<M8[s]", times<86'400>()},
      {"<M8[ms]", times<86'400'000>()},
      {"<M8[us]", times<86'400'000'000>()},
      {"<M8[ns]", times<86'400'000'000'000>()},
  };
  return kinds;
}

number_array kind_named(file_bytes const& file, std::string_view name) {
  std::string known;
  for (auto const& [kind, array] : element_kinds()) {
    // One-byte types have no byte order and may be written with any.
    bool const one_byte = kind[0] == '|' && !name.empty() && kind.substr(1) == name.substr(1);
    if (kind == name || (one_byte && "|<>="sv.find(name[0]) != std::string_view::npos)) return array;
    known += fmt::format("{}{}", known.empty() ? "" : " ", kind);
  }
  if (!name.empty() && name[0] == '>') {
    file.fail(
        fmt::format("elements of type {} are big-endian; save the array in little-endian order", in_quotes(name)));
  }
  file.fail(fmt::format("elements of type {} cannot be keys; known are {}", in_quotes(name), known));
}

// The header of .npy is a Python dictionary with three known keys and literal values.
class header_scanner {
 public:
  header_scanner(file_bytes const& file, std::string_view text) : file_(file), whole_(text), rest_(text) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool done() {
    skip_blanks();
    return rest_.empty();
  }

  void expect(char c) {
    if (!take(c)) fail();
  }

  std::string_view string() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail();
    std::size_t const end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail();
    std::string_view const out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return out;
  }

  bool boolean() {
    skip_blanks();
    for (auto const& [name, value] : {std::pair{"True"sv, true}, std::pair{"False"sv, false}}) {
      if (rest_.starts_with(name)) {
        rest_.remove_prefix(name.size());
        return value;
      }
    }
    fail();
  }

  std::uint64_t number() {
    skip_blanks();
    std::uint64_t value = 0;
    auto const [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  [[noreturn]] void fail() const { file_.fail("the header of the .npy file is malformed: " + in_quotes(whole_)); }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }

  file_bytes const& file_;
  std::string_view whole_;
  std::string_view rest_;
};

struct npy_header {
  std::optional<std::string_view> elements;
  std::optional<bool> fortran_order;
  std::optional<std::uint64_t> size;
};

npy_header parse_header(file_bytes const& file, std::string_view text) {
  npy_header out;
  header_scanner scanner(file, text);
  scanner.expect('{');
  while (!scanner.take('}')) {
    std::string_view const key = scanner.string();
    scanner.expect(':');
    if (key == "descr" && !out.elements) {
      if (scanner.take('[')) file.fail("the elements are records; one column of numbers was expected");
      out.elements = scanner.string();
    } else if (key == "fortran_order" && !out.fortran_order) {
      out.fortran_order = scanner.boolean();  // one dimension has the same order either way
    } else if (key == "shape" && !out.size) {
      scanner.expect('(');
      std::vector<std::uint64_t> lengths;
      while (!scanner.take(')')) {
        lengths.push_back(scanner.number());
        if (!scanner.take(',')) {
          scanner.expect(')');
          break;
        }
      }
      if (lengths.size() != 1) file.fail(fmt::format("the array has {} dimensions; one was expected", lengths.size()));
      out.size = lengths[0];
    } else {
      scanner.fail();
    }
    if (!scanner.take(',')) {
      scanner.expect('}');
      break;
    }
  }
  if (!out.elements || !out.size || !scanner.done()) scanner.fail();
  return out;
}

// Compares by division, because a count from a file may be any number.
void check_length(file_bytes const& file, std::uint64_t count, std::size_t bytes_each, std::size_t present) {
  if (count <= present / bytes_each && count * bytes_each == present) return;
  bool const shorter = count > present / bytes_each;
  file.fail(fmt::format("the header says {} elements of {} bytes, but {} bytes follow it: {}", count, bytes_each,
                        present, shorter ? "the file is truncated" : "the file is too long"));
}

}  // namespace

bool is_npy(input_file const& file) noexcept { return file.starts_with(npy_magic); }

number_array read_npy(file_bytes const& file) {
  if (!std::string_view(file.begin(), file.end()).starts_with(npy_magic))
    file.fail("not a .npy file: it does not begin with \\x93NUMPY");
  std::string_view rest(file.begin() + npy_magic.size(), file.end());
  if (rest.size() < 4) file.fail("the header of the .npy file is truncated");
  int const version = static_cast<unsigned char>(rest[0]);
  if (version < 1 || version > 3) file.fail(fmt::format("version {} of .npy is unknown; known are 1 to 3", version));
  std::size_t const prefix = version == 1 ? 4 : 6;
  if (rest.size() < prefix) file.fail("the header of the .npy file is truncated");
  std::size_t const length = version == 1 ? load<std::uint16_t>(rest.data() + 2) : load<std::uint32_t>(rest.data() + 2);
  rest.remove_prefix(prefix);
  if (rest.size() < length) file.fail("the header of the .npy file is truncated");

  npy_header const header = parse_header(file, rest.substr(0, length));
  rest.remove_prefix(length);
  number_array out = kind_named(file, *header.elements);
  check_length(file, *header.size, out.bytes_each, rest.size());
  out.data = rest.data();
  out.size = *header.size;
  return out;
}

bool is_sosd(std::string_view path) noexcept {
  return path.ends_with("uint32") || path.ends_with("uint64") || path.ends_with(".sosd");
}

number_array read_sosd(file_bytes const& file) {
  if (file.size() < sizeof(std::uint64_t)) {
    file.fail(fmt::format("{} bytes are too few for the count of a SOSD file", file.size()));
  }
  auto const count = load<std::uint64_t>(file.begin());
  std::size_t const present = file.size() - sizeof count;
  std::string_view const name = std::string_view(file.path()).substr(file.path().rfind('/') + 1);
  bool const named_narrow = name.find("uint32") != std::string_view::npos;
  bool const named_wide = name.find("uint64") != std::string_view::npos;
  bool const narrow =
      named_narrow != named_wide ? named_narrow : present % 4 == 0 && count == present / 4 && count != 0;
  number_array out = narrow ? numbers<std::uint32_t, std::uint32_t>() : numbers<std::uint64_t, std::uint64_t>();
  check_length(file, count, out.bytes_each, present);
  out.data = file.begin() + sizeof count;
  out.size = count;
  return out;
}

number_array read_raw_wide(file_bytes const& file) {
  number_array out = numbers<u128, u128>();
  if (file.size() % out.bytes_each != 0)
    file.fail(fmt::format("{} bytes are no whole number of keys of {} bytes", file.size(), out.bytes_each));
  out.data = file.begin();
  out.size = file.size() / out.bytes_each;
  return out;
}

}  // namespace warpdex::tables
