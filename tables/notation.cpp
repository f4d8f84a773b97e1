// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "notation.hpp"

#include "escape.hpp"
#include "wide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>

namespace warpdex::tables {
namespace {

constexpr std::size_t uuid_bytes = 16;

constexpr i128 attoseconds(std::int64_t seconds) { return i128{seconds} * attoseconds_per_second; }

constexpr struct {
  std::string_view name;
  time_unit unit;
} units[] = {{"Y", {0, 12}},
             {"M", {0, 1}},
             {"W", {attoseconds(604'800), 0}},
             {"D", {attoseconds(86'400), 0}},
             {"h", {attoseconds(3'600), 0}},
             {"m", {attoseconds(60), 0}},
             {"s", {attoseconds(1), 0}},
             {"ms", {attoseconds_per_second / 1'000, 0}},
             {"us", {attoseconds_per_second / 1'000'000, 0}},
             {"ns", {attoseconds_per_second / 1'000'000'000, 0}},
             {"ps", {1'000'000, 0}},
             {"fs", {1'000, 0}},
             {"as", {1, 0}}};

/// Takes `[25s]` from the front of a text.
std::optional<time_unit> take_unit(std::string_view& text) {
  std::size_t const end = text.find(']');
  if (!text.starts_with('[') || end == std::string_view::npos) return {};
  std::string_view name = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  std::uint32_t count = 1;
  auto const [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), count);
  if (problem == std::errc::result_out_of_range || count == 0) return {};
  name.remove_prefix(static_cast<std::size_t>(stop - name.data()));
  auto const found = std::find_if(std::begin(units), std::end(units), [&](auto const& u) { return u.name == name; });
  if (found == std::end(units)) return {};
  return time_unit{found->unit.attoseconds * count, found->unit.months * count};
}

char* format_uuid(u128 value, char* out) {
  for (int i = 15; i >= 0; --i) {
    out = fmt::format_to(out, "{:02x}", static_cast<unsigned>(value >> (8 * i) & 0xff));
    if (i == 12 || i == 10 || i == 8 || i == 6) *out++ = '-';
  }
  return out;
}

u128 in_network_order(void const* bytes) {
  u128 value = 0;
  for (std::size_t i = 0; i < uuid_bytes; ++i) value = value << 8 | static_cast<unsigned char const*>(bytes)[i];
  return value;
}

template <class T> T load(void const* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

notation::notation(std::string_view note, key_type type) {
  kind found = kind::plain;
  if (note == "uuid" && (type == key_type::bytes || type == key_type::u128)) found = kind::uuid;
  if (note == "ip" && (type == key_type::u32 || type == key_type::u128)) found = kind::address;
  if (type == key_type::i64 && (note.starts_with("M8") || note.starts_with("m8"))) {
    std::string_view rest = note.substr(2);
    auto const unit = take_unit(rest);
    if (unit && note[0] == 'M' && (rest.empty() || rest == " UTC")) found = kind::moment;
    if (unit && note[0] == 'm' && rest == " of day") found = kind::time_of_day;
    zoned_ = !rest.empty();
    if (unit) unit_ = *unit;
  }
  kind_ = found;
  if (found != kind::plain) note_ = note;
}

notation notation::seen_in(std::string_view text, key_type type) {
  char bytes[uuid_bytes];
  rounded_key place;
  if (type == key_type::u128 && parse_uuid(text, bytes)) return {"uuid", type};
  bool const address = parse_ipv4(text) || (type == key_type::u128 && text.find(':') != std::string_view::npos &&
                                            parse_wide(text, place) == fault::none);
  return address ? notation("ip", type) : notation();
}

fault notation::locate(std::string_view text, rounded_key& place) const noexcept {
  if (!is_time()) return fault::syntax;
  moment value;
  fault const problem = kind_ == kind::moment ? parse_moment(text, value) : parse_time_of_day(text, value);
  if (problem == fault::none) place = tables::locate(value, unit_);
  return problem;
}

char const* notation::noun() const noexcept {
  switch (kind_) {
    case kind::moment: return "a time such as 2024-01-31T12:34:56";
    case kind::time_of_day: return "a time of day such as 12:34:56";
    case kind::uuid: return "a UUID such as 123e4567-e89b-12d3-a456-426614174000";
    case kind::address: return "an IP address";
    case kind::plain: break;
  }
  return "";
}

std::string_view notation::format(key_type type, void const* key,
                                  std::span<char, key_text_size> scratch) const noexcept {
  char* const begin = scratch.data();
  char* end = nullptr;
  switch (kind_) {
    case kind::moment: end = format_moment(load<std::int64_t>(key), unit_, zoned_, begin); break;
    case kind::time_of_day: end = format_time_of_day(load<std::int64_t>(key), unit_, begin); break;
    case kind::uuid: end = format_uuid(type == key_type::u128 ? load<u128>(key) : in_network_order(key), begin); break;
    case kind::address:
      end = type == key_type::u128 ? format_address(load<u128>(key), begin)
                                   : format_address(load<std::uint32_t>(key), begin);
      break;
    case kind::plain: break;
  }
  return end == nullptr ? format_key(type, key, scratch) : std::string_view(begin, end);
}

template <class Key> bool parse_key(std::string_view text, notation const& as, Key& out) {
  if (parse_key(text, out)) return true;
  rounded_key place;
  if (as.is_plain() || locate(text, detail::key_type_of<Key>(), as, place) != fault::none || !place.exact) return false;
  std::memcpy(&out, &place.below, sizeof out);
  return true;
}

template bool parse_key(std::string_view, notation const&, std::uint32_t&);
template bool parse_key(std::string_view, notation const&, std::uint64_t&);
template bool parse_key(std::string_view, notation const&, std::int32_t&);
template bool parse_key(std::string_view, notation const&, std::int64_t&);
template bool parse_key(std::string_view, notation const&, float&);
template bool parse_key(std::string_view, notation const&, double&);
template bool parse_key(std::string_view, notation const&, date&);
template bool parse_key(std::string_view, notation const&, timestamp&);
template bool parse_key(std::string_view, notation const&, u128&);

fault locate(std::string_view text, key_type type, notation const& as, rounded_key& place) {
  fault const problem = as.locate(trimmed(text), place);
  return problem == fault::syntax ? locate(text, type, place) : problem;
}

std::string describe(fault problem, std::string_view text, key_type type, notation const& as,
                     rounded_key const& place) {
  if (!(as.is_time() || as.is_uuid()) || problem == fault::missing || problem == fault::no_such_day)
    return describe(problem, text, type, place);
  std::string const keys = fmt::format("the keys are {}, {}", to_string(type), as.note());
  if (problem == fault::syntax) return fmt::format("{} is not {} ({})", in_quotes(text), as.noun(), keys);
  bool const between = place.has_below && place.has_above;
  return fmt::format("{} {} ({})", in_quotes(text), between ? "is between two keys" : "is beyond all keys", keys);
}

bool is_uuid(std::string_view bytes) noexcept {
  if (bytes.size() != uuid_bytes) return false;
  u128 const value = in_network_order(bytes.data());
  auto const version = static_cast<unsigned>(value >> 76 & 0xf);
  bool const variant = (value >> 62 & 3) == 2;
  return value == 0 || value == ~u128{0} || (variant && version >= 1 && version <= 8);
}

bool parse_uuid(std::string_view text, std::span<char, 16> out) noexcept {
  constexpr std::size_t letters = 36;
  rounded_key place;
  if (text.size() != letters || parse_wide(text, place) != fault::none || text.find('-') != 8) return false;
  for (std::size_t i = 0; i < uuid_bytes; ++i) out[i] = static_cast<char>(place.below >> (8 * (15 - i)) & 0xff);
  return true;
}

}  // namespace warpdex::tables
