// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/api_border.hpp"
#include "clients/join/grouped.hpp"
#include "index/load.hpp"
#include "io/file.hpp"
#include "io/kind.hpp"
#include "structures/key_parts.hpp"

/// @file
/// The file of a grouped index: that of its entries, and the numbers of its groups and keys.
namespace warpdex {
namespace {

constexpr char const* entries_section = "entries";
constexpr char const* numbers_section = "numbers";
constexpr char const* groups_section = "groups";
constexpr char const* keys_section = "keys";
constexpr char const* offsets_suffix = ".offsets";

/// The section of numbers.
struct stored_numbers {
  std::uint64_t group_type, smallest_group, last_group, key_type, smallest_key, last_key, key_bits;
};
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

place_numbers copied(place_numbers const& from, execution const& exec) {
  place_numbers made{from.groups, from.keys, from.key_bits};
  if (from.distinct_groups) made.distinct_groups = copied(*from.distinct_groups, exec);
  if (from.distinct_keys) made.distinct_keys = copied(*from.distinct_keys, exec);
  return made;
}

/// The sections of a grouped index, whose arrays are the caller's.
class grouped_sections {
 public:
  /// @param numbers those of the index, in host memory @param entries bytes of their file
  grouped_sections(grouped_parts const& of, place_numbers const& numbers, std::vector<std::byte> const& entries)
      : head_{io::spec_of(io::file_kind::grouped, of.entries.spec_text()), of.coder.keys(), of.entries.row_type(),
              of.entries.size()},
        stored_{number_of(numbers.groups.type),
                numbers.groups.lowest,
                numbers.groups.last,
                number_of(numbers.keys.type),
                numbers.keys.lowest,
                numbers.keys.last,
                static_cast<std::uint64_t>(numbers.key_bits)} {
    all_ = {{numbers_section, &stored_, sizeof stored_}, {entries_section, entries.data(), entries.size()}};
    add(groups_section, numbers.distinct_groups);
    add(keys_section, numbers.distinct_keys);
  }
  grouped_sections(grouped_sections const&) = delete;
  grouped_sections& operator=(grouped_sections const&) = delete;

  io::header const& head() const { return head_; }
  std::span<io::section const> all() const { return all_; }

 private:
  static std::uint64_t number_of(warpdex::key_type type) { return static_cast<std::uint64_t>(type); }

  void add(std::string const& name, std::optional<key_list> const& values) {
    if (!values) return;
    all_.push_back({name, values->keys.data(), values->bytes});
    if (values->type == key_type::bytes)
      all_.push_back({name + offsets_suffix, values->offsets.data(), values->offsets.bytes()});
  }

  io::header head_;
  stored_numbers stored_;
  std::vector<io::section> all_;
};

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
void expect_codes(io::file const& from, join_steps::numbered_values const& values) {
  std::uint64_t const largest = size_of(values.type) == 4 ? ~std::uint32_t{0} : ~std::uint64_t{0};
  if (values.lowest > largest || values.last > largest - values.lowest)
    from.fail(numbers_section, "has numbers beyond the values of their type");
}

/// @return the values that are numbered by rank, if there are such
std::optional<key_list> values_in(io::file const& from, std::string const& name,
                                  join_steps::numbered_values const& numbers) {
  auto const [type, lowest, last] = numbers;
  if (!from.has(name)) {
    if (size_of(type) > sizeof(std::uint64_t)) from.fail(numbers_section, "has values of 16 bytes without a list");
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

place_numbers numbers_in(io::file const& from) {
  stored_numbers stored{};
  if (from.size(numbers_section) != sizeof stored) from.fail(numbers_section, "has another length");
  from.read(numbers_section, std::as_writable_bytes(std::span(&stored, 1)));
  auto const type_of = [&](std::uint64_t number) {
    if (number >= key_types.size()) from.fail(numbers_section, "names no type");
    return static_cast<key_type>(number);
  };
  place_numbers made{{type_of(stored.group_type), stored.smallest_group, stored.last_group},
                     {type_of(stored.key_type), stored.smallest_key, stored.last_key},
                     static_cast<int>(std::min<std::uint64_t>(stored.key_bits, place_coder::place_bits))};
  int const group_bits = place_coder::place_bits - made.key_bits;
  if (made.key_bits < 1 || group_bits < 1 || static_cast<int>(std::bit_width(made.keys.last)) > made.key_bits ||
      static_cast<int>(std::bit_width(made.groups.last)) > group_bits)
    from.fail(numbers_section, "has numbers that do not fit");
  made.distinct_groups = values_in(from, groups_section, made.groups);
  made.distinct_keys = values_in(from, keys_section, made.keys);
  return made;
}

index entries_in(io::file& from, bool map, check checks, execution const& exec) {
  if (!from.has(entries_section)) from.fail(numbers_section, "is not followed by entries");
  from.trust_sections();  // the entries have sums of their own
  index made = load_part(from, entries_section, map, checks, exec);
  if (made.key_type() != key_type::u64) from.fail(entries_section, "has no places");
  return made;
}

/// @throws format_error unless all entries have places of groups and keys
void expect_places(index const& entries, place_coder const& coder, execution const& exec) {
  structure const& s = structure_of(entries, "load");
  auto const expect = [&](void const* places, std::uint64_t size) {
    coder.expect_places(static_cast<std::uint64_t const*>(places), size, exec);
  };
  if (s.ordered()) return for_each_part_of_keys(s, exec, expect);
  sorted_pairs const all = s.entries(exec);
  expect(all.keys.data(), all.size);
}

std::unique_ptr<grouped_parts> load_parts(io::file from, bool map, check checks, execution const& exec) {
  io::expect_kind(from, io::file_kind::grouped);
  place_numbers const numbers = numbers_in(from);
  place_coder coder(copied(numbers, exec), exec);
  index entries = entries_in(from, map, checks, exec);
  if (checks == check::all) {
    try {
      expect_places(entries, coder, exec);
    } catch (format_error const& e) {
      from.fail(entries_section, e.what());
    }
  }
  std::string asked = entries.spec_text();
  auto parts = std::make_unique<grouped_parts>(
      grouped_parts{std::move(coder), std::move(entries), std::move(asked), from.note()});
  grouped_sections const expected(*parts, numbers, {});
  auto const names = from.names();
  bool const same = std::equal(names.begin(), names.end(), expected.all().begin(), expected.all().end(),
                               [](std::string const& name, io::section const& known) { return name == known.name; });
  io::header const &head = from.head(), &known = expected.head();
  if (!same || head.spec != known.spec || head.keys != known.keys || head.rows != known.rows || head.size != known.size)
    from.fail(numbers_section, "does not belong to the header and the sections");
  return parts;
}

/// @param put takes the header and the sections
template <class Put> auto run_saved(grouped_index const& from, Put const& put) {
  grouped_parts const& parts = parts_of(from, "save");
  return run_call("save", [&] {
    place_numbers const numbers = copied(parts.coder.numbers(), execution(host_memory()));
    std::vector<std::byte> const entries = parts.entries.save();
    grouped_sections const sections(parts, numbers, entries);
    return put(sections.head(), sections.all());
  });
}

}  // namespace

grouped_index grouped_index::load(std::filesystem::path const& path, execution const& exec, bool map, check checks) {
  return run_call("load", exec,
                  [&] { return grouped_index(load_parts(io::file::open(path, map), map, checks, exec)); });
}

grouped_index grouped_index::load(std::span<std::byte const> bytes, execution const& exec, check checks) {
  return run_call("load", exec, [&] {
    detail::expect_array("load", "the span of bytes", bytes.data(), bytes.size());
    return grouped_index(load_parts(io::file::parse(bytes), false, checks, exec));
  });
}

grouped_index grouped_index::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                  execution const& exec, check checks) {
  return run_call("load", exec, [&] {
    detail::expect_array("load", "the span of bytes", bytes.data(), bytes.size());
    return grouped_index(load_parts(io::file::parse(bytes, "memory", std::move(owner)), true, checks, exec));
  });
}

void grouped_index::save(std::filesystem::path const& path) const { warpdex::save(*this, path, {}); }

std::vector<std::byte> grouped_index::save() const { return warpdex::save(*this, std::string_view()); }

void save(grouped_index const& from, std::filesystem::path const& path, std::string_view note) {
  run_saved(from, [&](io::header const& head, auto const& sections) { io::write(path, head, sections, note); });
}

std::vector<std::byte> save(grouped_index const& from, std::string_view note) {
  return run_saved(from, [&](io::header const& head, auto const& sections) { return io::image(head, sections, note); });
}

std::string const& grouped_index::note() const { return built("note").note; }

grouped_index grouped_index::clone(execution const& exec) const {
  grouped_parts const& from = built("clone");
  return run_call("clone", exec, [&] {
    place_coder coder(copied(from.coder.numbers(), exec), exec);
    return grouped_index(std::make_unique<grouped_parts>(
        grouped_parts{std::move(coder), from.entries.clone(exec), from.asked, from.note}));
  });
}

}  // namespace warpdex
