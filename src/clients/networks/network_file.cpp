// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/networks.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "clients/networks/network_parts.hpp"
#include "index/load.hpp"
#include "io/kind.hpp"
#include "request/batches.hpp"

/// @file
/// The file of networks: those of their two indexes, and the path from each network to those around it.
namespace warpdex {
namespace {

constexpr char const* ipv4_section = "ipv4";
constexpr char const* ipv6_section = "ipv6";
constexpr char const* paths_section = "paths";

io::header head_of(index const& ipv4, index const& ipv6, std::uint64_t size) {
  return {io::spec_of(io::file_kind::networks, ipv4.spec_text()), ipv6.key_type(), row_type::u32, size};
}

template <class Element> std::vector<Element> on_host(void const* from, std::uint64_t size, execution const& exec) {
  std::vector<Element> to(size);
  backend_of(exec).copy(to.data(), from, size * sizeof(Element), exec);
  backend_of(exec).synchronize(exec);
  return to;
}

/// Makes the table of stored borders.
/// @throws format_error unless they ascend from 0, and have the row of a network, or `none`
template <class Key>
void make_table(io::file const& from, char const* section, index const& borders, std::uint32_t none,
                detail::network_arrays& to, execution const& exec) {
  structure const& s = structure_of(borders, "load");
  sorted_pairs const entries = s.entries(exec);
  auto const keys = on_host<Key>(entries.keys.data(), entries.size, exec);
  auto const rows = on_host<std::uint32_t>(entries.rows.data(), entries.size, exec);
  bool const ascend = std::adjacent_find(keys.begin(), keys.end(), std::greater_equal()) == keys.end();
  if (keys.empty() || keys[0] != 0 || !ascend) from.fail(section, "has borders that do not ascend from 0");
  if (std::any_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return row > none; }))
    from.fail(section, "has a row that is no network");
  if constexpr (sizeof(Key) == sizeof(std::uint32_t)) make_ipv4_table(keys, rows, none, to, exec);
  else make_ipv6_table<Key>(keys, rows, none, to, exec);
}

index borders_in(io::file const& from, char const* section, bool map, check checks, execution const& exec) {
  index result = load_part(from, section, map, checks, exec);
  if (!result.ordered() || result.row_type() != row_type::u32) from.fail(section, "has no borders");
  return result;
}

buffer stored_paths(io::file const& from, std::uint64_t size, check checks, execution const& exec) {
  if (from.size(paths_section) != 4 * size * sizeof(std::uint32_t)) from.fail(paths_section, "has another length");
  std::vector<std::byte> numbers(from.size(paths_section));
  from.read(paths_section, numbers);
  buffer result(numbers.size(), exec);
  backend_of(exec).copy(result.data(), numbers.data(), numbers.size(), exec);
  if (checks != check::none && steps::find_first(network_steps::leads_astray{paths_in(result, size), size}, size, exec))
    from.fail(paths_section, "leads to rows that there are not");
  backend_of(exec).synchronize(exec);
  return result;
}

}  // namespace

/// Reads and writes files.
struct networks::filer {
  static networks load(io::file from, bool map, check checks, execution const& exec) {
    io::expect_kind(from, io::file_kind::networks);
    io::header const& head = from.head();
    if (head.size >= no_network) from.fail(paths_section, "has too many rows");
    std::array const names{ipv4_section, ipv6_section, paths_section};
    for (char const* const name : names) static_cast<void>(from.size(name));
    if (from.names().size() != names.size()) from.fail(paths_section, "is not all that follows the indexes");
    buffer paths = stored_paths(from, head.size, checks, exec);
    from.trust_sections();  // the indexes have sums of their own
    auto const none = static_cast<std::uint32_t>(head.size);
    parts all{head.size,
              borders_in(from, ipv4_section, map, checks, exec),
              borders_in(from, ipv6_section, map, checks, exec),
              {},
              std::move(paths)};
    io::header const known = head_of(all.ipv4, all.ipv6, head.size);
    bool const wide = all.ipv6.key_type() == key_type::u128;
    bool const types = all.ipv4.key_type() == key_type::u32 && (wide || all.ipv6.key_type() == key_type::u64);
    if (!types || !io::same(head, known)) from.fail(ipv4_section, "does not belong to the header");
    make_table<std::uint32_t>(from, ipv4_section, all.ipv4, none, all.tables, exec);
    if (wide) make_table<u128>(from, ipv6_section, all.ipv6, none, all.tables, exec);
    else make_table<std::uint64_t>(from, ipv6_section, all.ipv6, none, all.tables, exec);
    return networks(std::move(all));
  }

  static auto with(check checks, execution const& exec) {
    return [checks, &exec](io::file from, bool map) { return load(std::move(from), map, checks, exec); };
  }

  /// @param put takes the header and the sections
  template <class Put> static auto save(networks const& from, Put const& put) {
    structure_of(from.ipv4_, "save");
    return run_call("save", [&] {
      std::vector<std::byte> const ipv4 = from.ipv4_.save(), ipv6 = from.ipv6_.save();
      execution const host(host_memory());
      buffer const paths(from.paths_.bytes(), host);
      copy(paths.data(), from.paths_.data(), paths.bytes(), host);
      std::array<io::section, 3> const sections{{{ipv4_section, ipv4.data(), ipv4.size()},
                                                 {ipv6_section, ipv6.data(), ipv6.size()},
                                                 {paths_section, paths.data(), paths.bytes()}}};
      return put(head_of(from.ipv4_, from.ipv6_, from.size_), sections);
    });
  }
};

networks networks::load(std::filesystem::path const& path, execution const& exec, bool map, check checks) {
  return load_client(path, exec, map, filer::with(checks, exec));
}

networks networks::load(std::span<std::byte const> bytes, execution const& exec, check checks) {
  return load_client(bytes, exec, filer::with(checks, exec));
}

networks networks::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                        check checks) {
  return load_client(bytes, std::move(owner), exec, filer::with(checks, exec));
}

void networks::save(std::filesystem::path const& path) const { filer::save(*this, to_path{path}); }

std::vector<std::byte> networks::save() const { return filer::save(*this, to_bytes{}); }

}  // namespace warpdex
