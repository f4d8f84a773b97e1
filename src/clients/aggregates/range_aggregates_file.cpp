// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/range_aggregates.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "index/load.hpp"
#include "io/in_place.hpp"
#include "io/kind.hpp"
#include "request/batches.hpp"

/// @file
/// the file of aggregates: its values in key order, and what is known of them. Sums are made again.
namespace warpdex {
namespace {

constexpr char const* numbers_section = "numbers";
constexpr char const* values_section = "values";
constexpr char const* valid_section = "valid";

/// The section of numbers.
struct stored_numbers {
  std::uint64_t kind, width, known;
};

template <class Number>
std::string const spec_of_aggregates = io::spec_of(io::file_kind::aggregates,
                                                   std::is_same_v<Number, double> ? "f64" : "i128");

/// @param largest of the bytes of the section
buffer section_of(io::file const& from, char const* name, std::byte largest, bool in_place, execution const& exec) {
  std::vector<std::byte> read;
  std::span<std::byte const> bytes;
  if (in_place) {
    bytes = from.bytes(name);
  } else {
    read.resize(from.size(name));
    from.read(name, read);
    bytes = read;
  }
  if (std::any_of(bytes.begin(), bytes.end(), [&](std::byte one) { return one > largest; }))
    from.fail(name, "has values that are no flags");
  if (in_place && !bytes.empty()) return io::memory_in_place::of(bytes, from.storage());
  buffer made(bytes.size(), exec);
  copy(made.data(), bytes.data(), bytes.size(), exec);
  return made;
}

buffer on_host(buffer const& from) {
  execution const host(host_memory());
  buffer result(from.bytes(), host);
  copy(result.data(), from.data(), from.bytes(), host);
  return result;
}

}  // namespace

/// Reads and writes files.
struct detail::aggregate_filer {
  template <class Number>
  static range_aggregates<Number> load(io::file const& from, bool in_place, execution const& exec) {
    auto const stored = stored_in<stored_numbers>(from, numbers_section);
    bool const floating = std::is_same_v<Number, double>;
    bool const is_signed = stored.kind == static_cast<std::uint64_t>(number_kind::signed_integer);
    std::uint64_t const width = stored.width;
    bool const narrow = width == 1 || width == 2 || (width == 16 && is_signed);
    if (stored.kind > static_cast<std::uint64_t>(number_kind::floating) ||
        floating != (stored.kind == static_cast<std::uint64_t>(number_kind::floating)) ||
        !(width == 4 || width == 8 || (!floating && narrow)) ||
        stored.known > static_cast<std::uint64_t>(moments::sums))
      from.fail(numbers_section, "has numbers of no aggregates");
    std::uint64_t const size = from.head().size;
    bool const has_nulls = from.has(valid_section);
    if (from.size(values_section) % width != 0 || from.size(values_section) / width != size)
      from.fail(values_section, "has another length");
    if (has_nulls && from.size(valid_section) != size) from.fail(valid_section, "has another length");
    if (from.names().size() != (has_nulls ? 3 : 2)) from.fail(numbers_section, "is followed by other sections");

    range_aggregates<Number> made;
    made.backend_ = exec.memory->backend();
    made.device_ = device_of_call(exec);
    made.size_ = size;
    made.kind_ = static_cast<number_kind>(stored.kind);
    made.width_ = static_cast<std::uint32_t>(width);
    made.known_ = static_cast<moments>(stored.known);
    if (in_place) made.file_ = from.mapped();
    made.values_ = section_of(from, values_section, std::byte{255}, in_place, exec);
    if (has_nulls) made.valid_ = section_of(from, valid_section, std::byte{1}, in_place, exec);
    if (size != 0) made.add_up_all(exec);
    return made;
  }

  static any_range_aggregates load(io::file const& from, bool map, execution const& exec) {
    io::expect_kind(from, io::file_kind::aggregates);
    bool const in_place = map && exec.memory->backend() == backend_kind::cpu && is_aligned(from.memory());
    std::string const& spec = from.head().spec;
    if (spec == spec_of_aggregates<double>) return load<double>(from, in_place, exec);
    if (spec != spec_of_aggregates<i128>) from.fail(numbers_section, "belongs to aggregates of no known numbers");
    return load<i128>(from, in_place, exec);
  }

  static auto with(execution const& exec) {
    return [&exec](io::file const& from, bool map) { return load(from, map, exec); };
  }

  /// @param put takes the header and the sections
  template <class Number, class Put> static auto save(range_aggregates<Number> const& from, Put const& put) {
    from.expect_whole("save");
    return run_call("save", [&] {
      stored_numbers const stored{static_cast<std::uint64_t>(from.kind_), from.width_,
                                  static_cast<std::uint64_t>(from.known_)};
      buffer const values = on_host(from.values_), valid = on_host(from.valid_);
      std::vector<io::section> sections = {{numbers_section, &stored, sizeof stored},
                                           {values_section, values.data(), values.bytes()}};
      if (valid.bytes() != 0) sections.push_back({valid_section, valid.data(), valid.bytes()});
      io::header const head{spec_of_aggregates<Number>, key_type::u64, row_type::u64, from.size_};
      return put(head, sections);
    });
  }
};

template <class Number> void range_aggregates<Number>::save(std::filesystem::path const& path) const {
  detail::aggregate_filer::save(*this, to_path{path});
}

template <class Number> std::vector<std::byte> range_aggregates<Number>::save() const {
  return detail::aggregate_filer::save(*this, to_bytes{});
}

any_range_aggregates load_range_aggregates(std::filesystem::path const& path, execution const& exec, bool map) {
  return load_client(path, exec, map, detail::aggregate_filer::with(exec));
}

any_range_aggregates load_range_aggregates(std::span<std::byte const> bytes, execution const& exec) {
  return load_client(bytes, exec, detail::aggregate_filer::with(exec));
}

any_range_aggregates load_range_aggregates(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                           execution const& exec) {
  return load_client(bytes, std::move(owner), exec, detail::aggregate_filer::with(exec));
}

template void range_aggregates<i128>::save(std::filesystem::path const&) const;
template void range_aggregates<double>::save(std::filesystem::path const&) const;
template std::vector<std::byte> range_aggregates<i128>::save() const;
template std::vector<std::byte> range_aggregates<double>::save() const;

}  // namespace warpdex
