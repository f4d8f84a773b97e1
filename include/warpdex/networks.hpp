// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

/// @file
/// Networks of IP addresses: which of them hold an address, and which of these is the longest.
///
/// An address is a number of 128 bits, that of IPv6. The IPv4 address a.b.c.d is the address ::ffff:a.b.c.d, however it
/// is written, so columns may hold both families. The length of a network is that of its family: 0 to 32 for IPv4, 0 to
/// 128 for IPv6, and ::ffff:10.0.0.0/104 is 10.0.0.0/8. A network holds only addresses of its family: ::/0 holds
/// no IPv4 address.
///
/// Columns of addresses are of type `u128`; of type `u32`, which are IPv4 addresses; or texts of type `bytes`. Texts
/// are those that Python's `ipaddress` takes, without scope ids and without masks in the place of lengths: four numbers
/// up to 255 without leading zeros, or eight groups of up to four hexadecimal digits, of which `::` replaces one or
/// more, and the last two of which may be written as an IPv4 address.
namespace warpdex {

/// @return the address of an IPv4 address as IPv6 writes it
WDX_HD constexpr u128 address_of(std::uint32_t ipv4) { return u128{0xffff} << 32 | ipv4; }

/// @return whether an address is one of IPv4
WDX_HD constexpr bool is_ipv4(u128 address) { return address >> 32 == 0xffff; }

/// What becomes of a network whose address has bits set after its length, such as 10.0.0.1/8.
enum class host_bits : std::uint8_t {
  refuse,  ///< it is an error
  mask,    ///< they are cleared
};

/// What becomes of a value that is no address, or no network.
enum class invalid_values : std::uint8_t {
  error,  ///< it is an error
  null,   ///< it is a null
};

/// out[i] = the address that text i says; 0 for a null. Synchronises. Cost: reads the text once.
/// @param texts of type `bytes`, on the host or on the device of `exec` @param out one address per text
/// @throws invalid_argument naming the first text that is no address and its position, and as for arrays of an index;
/// out_of_memory, device_error. `out` may then be written in part
void parse_addresses(nullable_column const& texts, std::span<u128> out, execution const& exec);

/// The same, but a text that is no address is a null.
/// @param valid one per text: 1 for an address, 0 for a null
void parse_addresses(nullable_column const& texts, std::span<u128> out, std::span<std::uint8_t> valid,
                     execution const& exec);

/// addresses[i], lengths[i] = the network that text i says: an address, a slash and a length, or an address alone,
/// which is the network that holds nothing else. 0 for a null. Synchronises. Cost: reads the text once.
/// @param lengths as the families count them
/// @throws as `parse_addresses`, also for bits after the length unless `bits` masks them
void parse_networks(nullable_column const& texts, std::span<u128> addresses, std::span<std::uint8_t> lengths,
                    execution const& exec, host_bits bits = host_bits::refuse);

/// The same, but a text that is no network is a null; so is one with bits after the length unless `bits` masks them.
/// @param valid one per text: 1 for a network, 0 for a null
void parse_networks(nullable_column const& texts, std::span<u128> addresses, std::span<std::uint8_t> lengths,
                    std::span<std::uint8_t> valid, execution const& exec, host_bits bits = host_bits::refuse);

namespace detail {

/// Tables that lead addresses to networks (src/clients/networks/network_tables.hpp).
struct network_arrays {
  buffer nodes, answers;  ///< of IPv4
  buffer cells;           ///< of IPv6
  int ipv4_shift = 0;
  int ipv6_shift = 0;

  std::uint64_t bytes() const noexcept { return nodes.bytes() + answers.bytes() + cells.bytes(); }
};

}  // namespace detail

/// Networks, which say for each address which of them hold it. They are numbered by their positions, their rows. They
/// may nest in any way and repeat; of equal ones the first answers. A null is no network, but keeps its row.
///
///     byte_strings const cidrs(std::vector{"10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"});
///     networks const known(cidrs, exec);
///     std::vector<std::uint32_t> const rows = known.find(ips, exec);
///
/// The networks of a family become borders of disjoint intervals (prefix_borders.hpp): of `u32` for IPv4, for IPv6 of
/// `u64` if no network is longer than 64 bits, else of `u128`. An index each keeps them, and a table of about 7 bytes
/// per border of IPv4, 40 of IPv6, leads addresses to the longest network in two to five reads. All members are `const`
/// but assignments, and may be called by several threads.
class networks {
 public:
  /// Builds on the backend of `exec`. Texts are parsed there; nesting is found on the host. Synchronises.
  /// Cost: reads the texts, sorts the networks on one thread, and builds two indexes and two tables.
  /// @param cidrs as `parse_networks` takes them, at most 2^31 - 2
  /// @param structure of both indexes: one with an order. It does not change `find`
  /// @param invalid what becomes of rows that are no networks, such as those with bits after the length
  /// @throws as `parse_networks`; invalid_argument for too many networks; spec_error, unsupported for a structure
  networks(nullable_column const& cidrs, execution const& exec, host_bits bits = host_bits::refuse,
           spec const& structure = "AO+BS", invalid_values invalid = invalid_values::error);

  /// The same from addresses and lengths.
  /// @param addresses of any type for addresses @param lengths one per address, as its family counts them
  /// @throws as above; also for lengths beyond those of their family, naming the row
  networks(nullable_column const& addresses, std::span<std::uint8_t const> lengths, execution const& exec,
           host_bits bits = host_bits::refuse, spec const& structure = "AO+BS",
           invalid_values invalid = invalid_values::error);

  /// rows[i] = the row of the longest network that holds addresses[i], or `no_row`; also for a null. Synchronises if
  /// any array is on the host, or if addresses are texts. Cost per address: two reads of the table of IPv4, three if a
  /// network longer than 24 bits is near, or two to five of that of IPv6; texts also cost their parsing, and 16 bytes
  /// of scratch each.
  /// @param addresses of any type for addresses @param rows of type u32, one per address
  /// @param invalid what becomes of texts that are no addresses
  /// @throws as lookups of an index; invalid_argument for a text that is no address, naming it and its position, unless
  /// it is a null
  void find(nullable_column const& addresses, row_output rows, execution const& exec,
            invalid_values invalid = invalid_values::error) const;

  /// rows[i] = the row of the longest network that holds all of a network, or `no_row`. Bits after its length do not
  /// count. Everything else as above. Cost per network: also a step per network around its address that is longer.
  /// @param lengths one per address, as its family counts them
  /// @throws also invalid_argument for a length beyond those of its family, naming the row, unless it is a null
  void find(nullable_column const& addresses, std::span<std::uint8_t const> lengths, row_output rows,
            execution const& exec, invalid_values invalid = invalid_values::error) const;

  /// @return the rows in a vector
  std::vector<std::uint32_t> find(nullable_column const& addresses, execution const& exec = {},
                                  invalid_values invalid = invalid_values::error) const {
    auto rows = detail::answers<std::uint32_t>("find", addresses.size);
    find(addresses, row_output(rows), exec, invalid);
    return rows;
  }

  /// Returns the rows of all networks that hold each address, from short to long; equal ones in the order of their
  /// rows. Synchronises. Cost: that of `find`, a scan over their numbers, and one read and one write per row.
  /// @throws as `find`
  matches covering(nullable_column const& addresses, execution const& exec = {},
                   invalid_values invalid = invalid_values::error) const;

  /// The same of networks that hold all of a network.
  /// @param lengths as of `find`
  matches covering(nullable_column const& addresses, std::span<std::uint8_t const> lengths, execution const& exec = {},
                   invalid_values invalid = invalid_values::error) const;

  /// Reads a file that `save` wrote, and checks it; see `index::load`. Synchronises.
  /// @param map whether the indexes use the file in place, on the CPU; it must not change meanwhile
  /// @throws io_error, format_error, out_of_memory, device_error
  static networks load(std::filesystem::path const& path, execution const& exec, bool map = false,
                       check checks = check::all);
  /// The same from the bytes of such a file, which are copied.
  static networks load(std::span<std::byte const> bytes, execution const& exec, check checks = check::all);
  /// The same from bytes that the indexes use in place, as those of a mapped file, if they begin at a multiple of 64.
  /// @param owner keeps the bytes alive, for as long as the networks live
  static networks load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                       check checks = check::all);

  /// Writes the networks to a file, which replaces a previous one only when it is complete. Synchronises.
  /// @throws io_error, out_of_memory, device_error
  void save(std::filesystem::path const& path) const;
  std::vector<std::byte> save() const;  ///< @return the bytes of that file

  std::uint64_t size() const noexcept { return size_; }  ///< number of rows
  index const& ipv4() const noexcept { return ipv4_; }   ///< over the borders of IPv4; its greatest row id means none
  index const& ipv6() const noexcept { return ipv6_; }  ///< over those of IPv6, of their upper 64 bits if that suffices
  /// @return bytes of all arrays
  std::uint64_t bytes() const {
    return ipv4_.memory().total() + ipv6_.memory().total() + tables_.bytes() + paths_.bytes();
  }

 private:
  struct parts;
  struct maker;
  struct filer;
  explicit networks(parts&& from);

  std::uint64_t size_ = 0;
  index ipv4_;
  index ipv6_;
  detail::network_arrays tables_;
  void find(nullable_column const& addresses, std::span<std::uint8_t const> const* lengths, row_output rows,
            execution const& exec, invalid_values invalid) const;
  matches covering(nullable_column const& addresses, std::span<std::uint8_t const> const* lengths,
                   execution const& exec, invalid_values invalid) const;

  buffer paths_;  ///< per row: how many networks hold it, the last one that equals it, the one before it, its length
};

}  // namespace warpdex
