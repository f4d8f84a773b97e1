// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/encoder/place_file.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "index/load.hpp"
#include "structures/key_parts.hpp"

namespace warpdex {
namespace {

constexpr char const* groups_section = "groups";
constexpr char const* keys_section = "keys";
constexpr char const* offsets_suffix = ".offsets";
static_assert(std::endian::native == std::endian::little, "files are written in the order of the machine's bytes");

/// @return a copy in other memory
key_list copied(key_list const& from, execution const& exec) {
  key_list made;
  made.size = from.size;
  made.bytes = from.bytes;
  made.type = from.type;
  auto const copy_of = [&](buffer const& array) {
    buffer to(array.bytes(), exec);
    copy(to.data(), array.data(), array.bytes(), exec);
    to.outlive_stream();
    return to;
  };
  made.keys = copy_of(from.keys);
  made.offsets = copy_of(from.offsets);
  return made;
}

buffer section_of(io::file const& from, std::string const& name) {
  buffer made(from.size(name), execution(host_memory()));
  from.read(name, {made.as<std::byte>(), made.bytes()});
  return made;
}

/// @return whether values ascend, none twice
bool ascends(key_list const& values) {
  auto const* const offsets = values.offsets.as<std::uint64_t const>();
  auto const* const bytes = values.keys.as<char const>();
  auto const less = [&](std::uint64_t i) {
    std::size_t const width = size_of(values.type);
    if (values.type == key_type::bytes)
      return std::string_view(bytes + offsets[i - 1], offsets[i] - offsets[i - 1]) <
             std::string_view(bytes + offsets[i], offsets[i + 1] - offsets[i]);
    u128 const before = detail::load_bytes(bytes, width, i - 1), here = detail::load_bytes(bytes, width, i);
    if (values.type == key_type::u128) return before < here;
    return code_of_value(values.type, before) < code_of_value(values.type, here);
  };
  for (std::uint64_t i = 1; i < values.size; ++i)
    if (!less(i)) return false;
  return true;
}

/// @throws format_error unless values numbered by their codes are those of their type
void expect_codes(io::file const& from, tuple_steps::numbered_values const& values) {
  std::uint64_t const largest = size_of(values.type) == 4 ? ~std::uint32_t{0} : ~std::uint64_t{0};
  if (values.lowest > largest || values.last > largest - values.lowest)
    from.fail(place_sections::name, "has numbers beyond the values of their type");
}

/// @return the values that are numbered by rank, if there are such
std::optional<key_list> values_in(io::file const& from, std::string const& name,
                                  tuple_steps::numbered_values const& numbers) {
  auto const [type, lowest, last] = numbers;
  if (!from.has(name)) {
    if (size_of(type) > sizeof(std::uint64_t)) from.fail(place_sections::name, "has values of 16 bytes without a list");
    expect_codes(from, numbers);
    return std::nullopt;
  }
  key_list made;
  made.type = type;
  made.keys = section_of(from, name);
  made.bytes = made.keys.bytes();
  made.size = made.bytes / size_of(type);
  if (type == key_type::bytes) {
    made.offsets = section_of(from, name + offsets_suffix);
    auto const* const begin = made.offsets.as<std::uint64_t const>();
    std::uint64_t const count = made.offsets.bytes() / sizeof *begin;
    if (count == 0 || begin[0] != 0 || begin[count - 1] != made.bytes || !std::is_sorted(begin, begin + count))
      from.fail(name + offsets_suffix, "does not divide the strings");
    made.size = count - 1;
  } else if (made.bytes % size_of(type) != 0) {
    from.fail(name, "is no array of its type");
  }
  if (lowest != 0 || std::max<std::uint64_t>(made.size, 1) - 1 != last) from.fail(name, "has another number of values");
  if (!ascends(made)) from.fail(name, "is not in ascending order");
  return made;
}

}  // namespace

place_numbers copied(place_numbers const& from, execution const& exec) {
  place_numbers made{from.groups, from.keys, from.key_bits};
  if (from.distinct_groups) made.distinct_groups = copied(*from.distinct_groups, exec);
  if (from.distinct_keys) made.distinct_keys = copied(*from.distinct_keys, exec);
  return made;
}

place_sections::place_sections(place_numbers const& numbers)
    : stored_{static_cast<std::uint64_t>(numbers.groups.type), numbers.groups.lowest, numbers.groups.last,
              static_cast<std::uint64_t>(numbers.keys.type),   numbers.keys.lowest,   numbers.keys.last,
              static_cast<std::uint64_t>(numbers.key_bits)} {
  add(groups_section, numbers.distinct_groups);
  add(keys_section, numbers.distinct_keys);
}

void place_sections::add(std::string const& list, std::optional<key_list> const& values) {
  if (!values) return;
  lists_.push_back({list, values->keys.data(), values->bytes});
  if (values->type == key_type::bytes)
    lists_.push_back({list + offsets_suffix, values->offsets.data(), values->offsets.bytes()});
}

place_numbers numbers_in(io::file const& from) {
  auto const stored = stored_in<place_sections::stored>(from, place_sections::name);
  auto const type_of = [&](std::uint64_t number) {
    if (number >= key_types.size()) from.fail(place_sections::name, "names no type");
    return static_cast<key_type>(number);
  };
  place_numbers made{{type_of(stored.group_type), stored.smallest_group, stored.last_group},
                     {type_of(stored.key_type), stored.smallest_key, stored.last_key},
                     static_cast<int>(std::min<std::uint64_t>(stored.key_bits, place_coder::place_bits))};
  int const group_bits = place_coder::place_bits - made.key_bits;
  if (made.key_bits < 1 || group_bits < 1 || static_cast<int>(std::bit_width(made.keys.last)) > made.key_bits ||
      static_cast<int>(std::bit_width(made.groups.last)) > group_bits)
    from.fail(place_sections::name, "has numbers that do not fit");
  made.distinct_groups = values_in(from, groups_section, made.groups);
  made.distinct_keys = values_in(from, keys_section, made.keys);
  return made;
}

void expect_places(io::file const& from, char const* section, structure const& entries, place_coder const& coder,
                   execution const& exec) {
  auto const expect = [&](void const* places, std::uint64_t size) {
    coder.expect_places(static_cast<std::uint64_t const*>(places), size, exec);
  };
  try {
    if (entries.ordered()) return for_each_part_of_keys(entries, exec, expect);
    sorted_pairs const all = entries.entries(exec);
    expect(all.keys.data(), all.size);
  } catch (format_error const& e) {
    from.fail(section, e.what());
  }
}

}  // namespace warpdex
