// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clients/encoder/place_file.hpp"
#include "clients/intervals/interval_parts.hpp"
#include "clients/join/pairs.hpp"
#include "index/load.hpp"
#include "io/kind.hpp"

/// @file
/// The file of intervals: those of their sorted starts and ends, and the numbers of their groups and keys.
namespace warpdex {
namespace {

constexpr char const* options_section = "options";
constexpr char const* starts_section = "starts";
constexpr char const* ends_section = "ends";

/// The section of options.
struct stored_options {
  std::uint64_t closed, row_count, has_least, least;
};

io::header head_of(interval_parts const& of) {
  index_shape const& shape = of.shape();
  return {io::spec_of(io::file_kind::intervals, of.starts.entries->spec_text()), of.keys, shape.rows, shape.size};
}

/// @param places null if there are no groups
std::vector<io::section> sections_of(stored_options const& options, std::vector<std::byte> const& starts,
                                     std::vector<std::byte> const& ends, place_sections const* places) {
  std::vector<io::section> made = {{options_section, &options, sizeof options},
                                   {starts_section, starts.data(), starts.size()},
                                   {ends_section, ends.data(), ends.size()}};
  if (places == nullptr) return made;
  made.push_back(places->numbers());
  made.insert(made.end(), places->lists().begin(), places->lists().end());
  return made;
}

stored_options options_of(interval_parts const& of) {
  stored_options made{static_cast<std::uint64_t>(of.closed), of.all_rows, of.least ? 1u : 0u, 0};
  if (!of.least) return made;
  distance const& length = of.least->length.of;
  made.least =
      is_real(of.keys) ? __builtin_bit_cast(std::uint64_t, length.real) : static_cast<std::uint64_t>(length.whole);
  return made;
}

std::optional<least_overlap> least_in(io::file const& from, stored_options const& options) {
  if (options.has_least == 0) return std::nullopt;
  key_type const keys = from.head().keys;
  asof_tolerance length;
  if (is_real(keys)) length = __builtin_bit_cast(double, options.least);
  else length = static_cast<std::int64_t>(options.least);
  try {
    return least_overlap("load", length, keys);
  } catch (error const& e) {
    from.fail(options_section, e.what());
  }
}

/// @param type of the entries: that of the keys, or of places
sorted_column column_in(io::file const& from, char const* section, key_type type, bool map, check checks,
                        execution const& exec) {
  // Rows and lists of matches follow from the order of both columns, so `check::structure` is not enough.
  auto made = load_structure_part(from, section, map, checks == check::none ? checks : check::all, exec);
  index_shape const& shape = made->shape();
  io::header const& head = from.head();
  if (shape.keys != type || shape.rows != head.rows || shape.size != head.size ||
      made->spec_text() != sorted_column::plan_of(shape)->spec_text())
    from.fail(section, "has no sorted values of the intervals");
  return {std::move(made), exec};
}

void expect_entries(io::file const& from, interval_parts const& of, execution const& exec) {
  if (of.coder) {
    expect_places(from, starts_section, *of.starts.entries, *of.coder, exec);
    expect_places(from, ends_section, *of.ends.entries, *of.coder, exec);
  }
  buffer strings[2];
  auto const both = of.both_ends(of.least ? &*of.least : nullptr, strings, exec);
  std::uint64_t const size = of.shape().size;
  if (auto const wrong = steps::find_first(
          measure_steps::is_no_entry{both, of.ends.row_ids(), of.starts.row_ids(), size, of.all_rows}, size, exec))
    from.fail(ends_section, "has an end that belongs to no interval, number " + std::to_string(*wrong));
}

}  // namespace

/// Reads and writes files.
struct intervals::filer {
  static intervals load(io::file from, bool map, check checks, execution const& exec) {
    io::expect_kind(from, io::file_kind::intervals);
    auto const options = stored_in<stored_options>(from, options_section);
    if (options.closed > static_cast<std::uint64_t>(closed_ends::none) || options.has_least > 1 ||
        row_type_for(options.row_count) != from.head().rows)
      from.fail(options_section, "has numbers that are none");
    std::optional<place_numbers> numbers;
    if (from.has(place_sections::name)) numbers = numbers_in(from);
    std::optional<place_sections> places;
    if (numbers) places.emplace(*numbers);
    auto const keys = from.head().keys, type = numbers ? warpdex::key_type::u64 : keys;
    for (char const* const section : {starts_section, ends_section}) static_cast<void>(from.size(section));
    from.trust_sections();  // the columns have sums of their own
    sorted_column starts = column_in(from, starts_section, type, map, checks, exec);
    sorted_column ends = column_in(from, ends_section, type, map, checks, exec);
    auto made = std::make_unique<interval_parts>(keys, static_cast<closed_ends>(options.closed), std::move(starts),
                                                 std::move(ends));
    io::expect_saved(from, head_of(*made), sections_of(options, {}, {}, places ? &*places : nullptr), options_section);
    if (numbers) {
      if (numbers->keys.type != keys) from.fail(place_sections::name, "has keys of another type");
      made->coder.emplace(copied(*numbers, exec), exec);
    }
    made->least = least_in(from, options);
    made->all_rows = options.row_count;
    made->note = from.note();
    bool const trusted = checks == check::none;
    if (!trusted) expect_entries(from, *made, exec);
    made->grow_tree(exec);
    std::uint64_t const size = made->shape().size;
    if (!trusted &&
        steps::find_first(measure_steps::is_no_place_of_end{made->end_rank_of_places(), made->ends.row_ids(), size},
                          size, exec))
      from.fail(ends_section, "has an interval twice");
    return intervals(std::move(made));
  }

  static auto with(check checks, execution const& exec) {
    return [checks, &exec](io::file from, bool map) { return load(std::move(from), map, checks, exec); };
  }

  /// @param put takes the header and the sections
  template <class Put> static auto save(intervals const& from, Put const& put) {
    interval_parts const& of = from.built("save");
    return run_call("save", [&] {
      std::vector<std::byte> const starts = image_of(*of.starts.entries), ends = image_of(*of.ends.entries);
      stored_options const options = options_of(of);
      if (!of.coder) return put(head_of(of), sections_of(options, starts, ends, nullptr));
      place_numbers const numbers = copied(of.coder->numbers(), execution(host_memory()));
      place_sections const places(numbers);
      return put(head_of(of), sections_of(options, starts, ends, &places));
    });
  }
};

intervals intervals::load(std::filesystem::path const& path, execution const& exec, bool map, check checks) {
  return load_client(path, exec, map, filer::with(checks, exec));
}

intervals intervals::load(std::span<std::byte const> bytes, execution const& exec, check checks) {
  return load_client(bytes, exec, filer::with(checks, exec));
}

intervals intervals::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                          check checks) {
  return load_client(bytes, std::move(owner), exec, filer::with(checks, exec));
}

void save(intervals const& from, std::filesystem::path const& path, std::string_view note) {
  intervals::filer::save(from, to_path{path, note});
}

std::vector<std::byte> save(intervals const& from, std::string_view note) {
  return intervals::filer::save(from, to_bytes{note});
}

std::string const& intervals::note() const { return built("note").note; }

}  // namespace warpdex
