// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/key_set.hpp>

#include <string>
#include <utility>
#include <vector>

#include "clients/key_set/set_parts.hpp"
#include "index/load.hpp"
#include "io/in_place.hpp"
#include "io/kind.hpp"
#include "structures/view_structure.hpp"

/// @file
/// The file of a set: its arrays, but for the levels that lead to them, which are made again.
namespace warpdex {
namespace {

constexpr char const* keys_section = "keys";
constexpr char const* heads_section = "heads";
constexpr char const* words_section = "words";
constexpr char const* rows_section = "rows";

std::string spec_of(set_code code) { return io::spec_of(io::file_kind::set, name_of(code)); }

buffer section_of(io::file const& from, char const* name, std::uint64_t bytes, bool in_place, execution const& exec) {
  stored_array read = load_array(from, name, bytes, in_place, exec);
  if (!in_place || bytes == 0) return std::move(read.owned);
  return io::memory_in_place::of({static_cast<std::byte const*>(read.data), bytes}, from.storage());
}

/// @return an array in place, or a copy of one that is on a device
buffer on_host(buffer const& from, backend_kind backend) {
  if (backend == backend_kind::cpu && from.bytes() != 0)
    return io::memory_in_place::of({static_cast<std::byte const*>(from.data()), from.bytes()}, nullptr);
  execution const host(host_memory());
  buffer result(from.bytes(), host);
  copy(result.data(), from.data(), from.bytes(), host);
  return result;
}

}  // namespace

/// Reads and writes files.
struct key_set::filer {
  /// @throws format_error unless the arrays are those of a set
  template <class Key> static void expect_set(io::file const& from, key_set const& made, execution const& exec) {
    set_view<Key> const view = made.view<Key>();
    key_codec const codec = codec_of(made.type_);
    if (made.code_ == set_code::compressed) {
      std::uint64_t const words = made.words_.bytes() / sizeof(std::uint64_t) - set_padding;
      if (steps::find_first(set_steps::is_misplaced<Key>{view, words}, view.blocks(), exec))
        from.fail(heads_section, "has a block without words");
      if (steps::find_first(set_steps::is_damaged<Key>{view, codec}, view.blocks(), exec))
        from.fail(words_section, "has a block without keys");
      return;
    }
    key_order const order = backend_of(exec).order_of(made.keys_.data(), made.size_, kind_of(made.type_), exec);
    if (order.first_descent || order.repeats) from.fail(keys_section, "does not ascend");
    if (codec == key_codec::real &&
        steps::find_first(set_steps::is_no_key<Key>{made.keys_.as<Key>(), codec}, made.size_, exec))
      from.fail(keys_section, "has a number that is the code of no key");
  }

  static key_set load(io::file from, bool map, check checks, execution const& exec) {
    io::expect_kind(from, io::file_kind::set);
    if (checks == check::none) from.trust_sections();
    io::header const& head = from.head();
    key_set made(head.keys, set_code::automatic, exec);
    bool const compressed = head.spec == spec_of(set_code::compressed);
    if ((!compressed && head.spec != spec_of(set_code::plain)) || head.keys == key_type::bytes)
      from.fail(keys_section, "belongs to a set of no known code");
    made.code_ = made.wanted_ = compressed ? set_code::compressed : set_code::plain;
    made.size_ = head.size;
    made.note_ = from.note();
    bool const in_place = map && exec.memory->backend() == backend_kind::cpu && is_aligned(from.memory());
    if (in_place) made.file_ = from.mapped();
    std::uint64_t const items = compressed ? blocks_of(head.size) : head.size;
    if (items > from.size(keys_section)) from.fail(keys_section, "has another length");
    made.keys_ = section_of(from, keys_section, items * size_of(head.keys), in_place, exec);
    if (compressed) {
      std::uint64_t const bytes = from.size(words_section);
      if (bytes % sizeof(std::uint64_t) != 0 || bytes < set_padding * sizeof(std::uint64_t))
        from.fail(words_section, "has another length");
      made.heads_ = section_of(from, heads_section, items * sizeof(set_head), in_place, exec);
      made.words_ = section_of(from, words_section, bytes, in_place, exec);
    }
    if (from.has(rows_section)) {
      std::uint64_t const groups = groups_of_rows(head.size), bytes = from.size(rows_section);
      std::uint64_t const words = bytes / sizeof(std::uint64_t) - 1;  // the last one is padding
      std::uint64_t const bits = head.size == 0 ? 1 : words / groups;
      if (bytes == 0 || bytes % sizeof(std::uint64_t) != 0 || bits == 0 || bits > 64 || words != groups * bits)
        from.fail(rows_section, "has another length");
      made.row_bits_ = static_cast<int>(bits);
      made.rows_ = section_of(from, rows_section, bytes, in_place, exec);
    }
    std::size_t const sections = (compressed ? 3 : 1) + (made.row_bits_ != 0 ? 1 : 0);
    if (from.names().size() != sections) from.fail(keys_section, "is followed by other sections");
    with_codes_of(head.keys, [&]<class Key>() {
      if (checks != check::none && made.size_ != 0) expect_set<Key>(from, made, exec);
      made.make_levels<Key>(exec);
    });
    backend_of(exec).synchronize(exec);
    return made;
  }

  static auto with(check checks, execution const& exec) {
    return [checks, &exec](io::file from, bool map) { return load(std::move(from), map, checks, exec); };
  }

  /// @param put takes the header and the sections
  template <class Put> static auto save(key_set const& from, Put const& put) {
    return run_call("save", [&] {
      from.expect_whole("save");
      buffer const keys = on_host(from.keys_, from.backend_), heads = on_host(from.heads_, from.backend_),
                   words = on_host(from.words_, from.backend_), rows = on_host(from.rows_, from.backend_);
      std::vector<io::section> sections = {{keys_section, keys.data(), keys.bytes()}};
      if (from.code_ == set_code::compressed) {
        sections.push_back({heads_section, heads.data(), heads.bytes()});
        sections.push_back({words_section, words.data(), words.bytes()});
      }
      if (from.row_bits_ != 0) sections.push_back({rows_section, rows.data(), rows.bytes()});
      return put(io::header{spec_of(from.code_), from.type_, row_type::u64, from.size_}, sections);
    });
  }
};

key_set key_set::load(std::filesystem::path const& path, execution const& exec, bool map, check checks) {
  return load_client(path, exec, map, filer::with(checks, exec));
}

key_set key_set::load(std::span<std::byte const> bytes, execution const& exec, check checks) {
  return load_client(bytes, exec, filer::with(checks, exec));
}

key_set key_set::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                      check checks) {
  return load_client(bytes, std::move(owner), exec, filer::with(checks, exec));
}

void save(key_set const& from, std::filesystem::path const& path, std::string_view note) {
  key_set::filer::save(from, to_path{path, note});
}

std::vector<std::byte> save(key_set const& from, std::string_view note) {
  return key_set::filer::save(from, to_bytes{note});
}

}  // namespace warpdex
