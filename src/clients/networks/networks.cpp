// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/networks.hpp>
#include <warpdex/prefix_borders.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/networks/ip_columns.hpp"
#include "clients/networks/network_parts.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/lookup_batches.hpp"

namespace warpdex {
namespace {

constexpr ip_names names_of_addresses{"the column of addresses", "the validity of the addresses"};
constexpr ip_names names_of_networks{"the column of networks", "the validity of the networks"};

/// Networks on the host, without nulls.
struct network_list {
  std::vector<u128> addresses;
  std::vector<std::uint8_t> bits;
  std::vector<std::uint32_t> rows;
};

/// Where the paths of networks are noted; see `network_steps::network_paths`.
struct path_arrays {
  explicit path_arrays(std::uint64_t size)
      : numbers(4 * size), counts(numbers.data()), last(counts + size), before(last + size), lengths(before + size) {}

  std::vector<std::uint32_t> numbers;
  std::uint32_t* counts;
  std::uint32_t* last;
  std::uint32_t* before;
  std::uint32_t* lengths;
};

/// @return the borders of a family's networks
/// @tparam Key holds the bits of an address from bit `shift` on
template <class Key>
border_list<Key, std::uint32_t> borders_of(network_list const& from, int shift, std::uint32_t none,
                                           path_arrays const& paths) {
  std::vector<Key> addresses(from.addresses.size());
  std::vector<std::uint8_t> bits(from.bits.size());
  int const unnamed = 128 - static_cast<int>(8 * sizeof(Key)) - shift;  // bits of an address before those of the key
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    addresses[i] = static_cast<Key>(from.addresses[i] >> shift);
    bits[i] = static_cast<std::uint8_t>(from.bits[i] - unnamed);
  }
  auto const note = [&](std::size_t i, std::size_t around, bool equal) {
    std::uint32_t const row = from.rows[i];
    bool const alone = around == addresses.size();
    std::uint32_t const outer = alone ? row : from.rows[around];
    paths.before[row] = alone ? row : paths.last[outer];
    paths.counts[row] = alone ? 1 : paths.counts[outer] + 1;
    paths.last[row] = row;
    if (!equal) return;
    paths.last[outer] = row;
    ++paths.counts[outer];
  };
  return detail::walk_prefixes<Key, std::uint32_t>(addresses, bits, from.rows, none, note);
}

}  // namespace

/// Makes networks from a column.
struct networks::maker {
  static parts of(nullable_column const& from, std::span<std::uint8_t const> const* lengths, execution const& exec,
                  host_bits bits, spec const& s, invalid_values invalid) {
    constexpr char const* call = "networks";
    return run_call(call, exec, [&] {
      std::vector<u128> addresses(checked_size(call, from, lengths));
      std::vector<std::uint8_t> own_lengths(addresses.size());
      std::vector<std::uint8_t> flags(invalid == invalid_values::null ? addresses.size() : 0);
      {
        buffer const numbers(addresses.size() * sizeof(u128), exec);
        buffer const of_each(addresses.size(), exec);
        buffer const valid(flags.size(), exec);
        staging stage(call, exec);
        network_source source{stage_addresses(from, names_of_networks, stage), nullptr, bits == host_bits::mask};
        if (lengths != nullptr)
          source.lengths =
              static_cast<std::uint8_t const*>(stage.input(lengths->data(), lengths->size(), 1, "the lengths"));
        read_networks(call, source, 0, from.size, numbers.as<u128>(), of_each.as<std::uint8_t>(),
                      flags.empty() ? nullptr : valid.as<std::uint8_t>(), exec);
        backend_of(exec).copy(addresses.data(), numbers.data(), numbers.bytes(), exec);
        backend_of(exec).copy(own_lengths.data(), of_each.data(), of_each.bytes(), exec);
        backend_of(exec).copy(flags.data(), valid.data(), valid.bytes(), exec);
        backend_of(exec).synchronize(exec);
      }
      if (invalid == invalid_values::null)
        return nested(
            addresses, own_lengths, [&](std::size_t row) { return flags[row] != 0; }, s, exec);
      auto const bits_on_host = valid_on_host(from, exec);
      return nested(addresses, own_lengths,
                    validity_bits{bits_on_host.empty() ? nullptr : bits_on_host.data(), from.offset % values_per_byte},
                    s, exec);
    });
  }

 private:
  static std::uint64_t checked_size(char const* call, nullable_column const& from,
                                    std::span<std::uint8_t const> const* lengths) {
    char const* const what = names_of_networks.values;
    expect_addresses(call, names_of_networks, from);
    if (lengths != nullptr) expect_size(call, "the column of lengths", lengths->size(), from.size);
    else if (from.type != key_type::bytes)
      throw invalid_argument(
          fmt::format("{}: {} is of type {}; numbers need lengths", call, what, to_string(from.type)));
    if (from.size >= no_network)
      throw invalid_argument(
          fmt::format("{}: {} has {} rows; at most {} are taken", call, what, from.size, no_network - 1));
    return from.size;
  }

  /// @return the validity bits of a column from the byte of its first value on; none if all are valid
  static std::vector<std::uint8_t> valid_on_host(nullable_column const& from, execution const& exec) {
    std::vector<std::uint8_t> valid;
    if (from.validity == nullptr || from.size == 0) return valid;
    std::uint64_t const first = from.offset / values_per_byte;
    valid.resize(validity_bytes(from.offset + from.size) - first);
    backend_of(exec).copy(valid.data(), from.validity + first, valid.size(), exec);
    backend_of(exec).synchronize(exec);
    return valid;
  }

  /// @param valid valid(row): whether it is a network
  template <class Valid>
  static parts nested(std::vector<u128> const& addresses, std::vector<std::uint8_t> const& lengths, Valid const& valid,
                      spec const& s, execution const& exec) {
    network_list ipv4, ipv6;
    int longest = 0;
    for (std::size_t row = 0; row < addresses.size(); ++row) {
      if (!valid(row)) continue;
      network_list& to = is_ipv4(addresses[row]) ? ipv4 : ipv6;
      to.addresses.push_back(addresses[row]);
      to.bits.push_back(static_cast<std::uint8_t>(lengths[row] + bits_before(addresses[row])));
      to.rows.push_back(static_cast<std::uint32_t>(row));
      if (&to == &ipv6) longest = std::max<int>(longest, lengths[row]);
    }
    path_arrays const paths(addresses.size());
    for (std::size_t row = 0; row < addresses.size(); ++row) paths.lengths[row] = valid(row) ? lengths[row] : 0;
    auto const none = static_cast<std::uint32_t>(addresses.size());
    detail::network_arrays tables;
    auto const index_over = [&](auto const& borders) {
      return index::build(s, std::span(borders.keys), std::span(borders.rows), exec);
    };
    auto const in_ipv4 = [&] {
      auto const borders = borders_of<std::uint32_t>(ipv4, 0, none, paths);
      make_ipv4_table(borders.keys, borders.rows, none, tables, exec);
      return index_over(borders);
    };
    auto const in_ipv6 = [&]<class Key>(border_list<Key, std::uint32_t> const& borders) {
      make_ipv6_table<Key>(borders.keys, borders.rows, none, tables, exec);
      return index_over(borders);
    };
    parts all{addresses.size(), in_ipv4(),
              longest <= 64 ? in_ipv6(borders_of<std::uint64_t>(ipv6, 64, none, paths))
                            : in_ipv6(borders_of<u128>(ipv6, 0, none, paths)),
              std::move(tables), buffer(paths.numbers.size() * sizeof(std::uint32_t), exec)};
    backend_of(exec).copy(all.paths.data(), paths.numbers.data(), all.paths.bytes(), exec);
    backend_of(exec).synchronize(exec);
    return all;
  }
};

networks::networks(parts&& from)
    : size_(from.size), ipv4_(std::move(from.ipv4)), ipv6_(std::move(from.ipv6)), tables_(std::move(from.tables)),
      paths_(std::move(from.paths)) {
  paths_.outlive_stream();
}

networks::networks(nullable_column const& cidrs, execution const& exec, host_bits bits, spec const& structure,
                   invalid_values invalid)
    : networks(maker::of(cidrs, nullptr, exec, bits, structure, invalid)) {}

networks::networks(nullable_column const& addresses, std::span<std::uint8_t const> lengths, execution const& exec,
                   host_bits bits, spec const& structure, invalid_values invalid)
    : networks(maker::of(addresses, &lengths, exec, bits, structure, invalid)) {}

namespace {

/// The addresses of texts as numbers.
class texts_as_numbers {
 public:
  /// @return the numbers, which are held here; other addresses as they are
  address_source of(char const* call, address_source const& from, std::uint64_t size, invalid_values invalid,
                    execution const& exec) {
    if (from.type != key_type::bytes) return from;
    numbers_ = buffer(size * sizeof(u128), exec);
    flags_ = buffer(invalid == invalid_values::null ? size : 0, exec);
    auto* const flags = invalid == invalid_values::null ? flags_.as<std::uint8_t>() : nullptr;
    read_texts(call, from, 0, size, numbers_.as<u128>(), flags, exec);
    return {key_type::u128, numbers_.data(), {}, from.valid, flags};
  }

 private:
  buffer numbers_, flags_;
};

/// The networks that a call asks for: their lengths, within reach.
struct asked_lengths {
  char const* call;
  std::uint8_t const* of_each;  ///< null for addresses
  network_steps::network_paths paths;
  invalid_values invalid;

  /// @param first the row of the first address @param rows of the longest networks around the addresses
  void narrow(address_source const& from, std::uint64_t first, std::uint64_t size, std::uint32_t* rows,
              execution const& exec) const {
    if (of_each == nullptr) return;
    if (invalid == invalid_values::error)
      if (auto const row = steps::find_first(network_steps::is_too_long{from, of_each}, size, exec))
        throw invalid_argument(
            fmt::format("{}: row {} has a length that is not one of its family", call, first + *row));
    steps::run(network_steps::take_holder{from, of_each, paths, rows}, size, exec);
  }
};

}  // namespace

void networks::find(nullable_column const& addresses, std::span<std::uint8_t const> const* lengths, row_output rows,
                    execution const& exec, invalid_values invalid) const {
  constexpr char const* call = "find";
  index_shape const& shape = structure_of(ipv4_, call).shape();
  network_tables const tables = tables_in(tables_, ipv6_);
  run_call(call, exec, [&] {
    expect_addresses(call, names_of_addresses, addresses);
    expect_type(call, "the row output", rows.type, row_type::u32);
    expect_size(call, "the row output", rows.size, addresses.size);
    if (lengths != nullptr) expect_size(call, "the lengths", lengths->size(), addresses.size);
    staging stage(call, shape.backend, shape.device, exec);
    std::uint64_t const size = addresses.size;
    if (size == 0) return;
    std::vector<batch_array> arrays{{rows.data, sizeof(std::uint32_t), "the row output", false, true}};
    address_source from{addresses.type};
    texts_as_numbers numbers;
    bool const texts = addresses.type == key_type::bytes;
    if (texts) {
      from = numbers.of(call, stage_addresses(addresses, names_of_addresses, stage), size, invalid, exec);
    } else {
      from.valid = stage.validity(addresses, names_of_addresses.valid);
      arrays.push_back(
          {const_cast<void*>(addresses.data), size_of(addresses.type), names_of_addresses.values, true, false});
    }
    if (lengths != nullptr)
      arrays.push_back({const_cast<std::uint8_t*>(lengths->data()), 1, "the lengths", true, false});
    std::size_t const last = arrays.size() - 1;
    std::uint64_t done = 0;
    auto const find_part = [&](void* const* at, std::uint64_t count) {
      address_source part = from.from(done);
      if (!texts) part.numbers = at[1];
      steps::run(network_steps::find_longest{part, tables, at[0]}, count, exec);
      auto const* const of_each = lengths == nullptr ? nullptr : static_cast<std::uint8_t const*>(at[last]);
      asked_lengths{call, of_each, paths_in(paths_, size_), invalid}.narrow(part, done, count,
                                                                            static_cast<std::uint32_t*>(at[0]), exec);
      done += count;
    };
    stage.run(size, std::move(arrays), tuning::aggregate_part, find_part, true);
  });
}

void networks::find(nullable_column const& addresses, row_output rows, execution const& exec,
                    invalid_values invalid) const {
  find(addresses, nullptr, rows, exec, invalid);
}

void networks::find(nullable_column const& addresses, std::span<std::uint8_t const> lengths, row_output rows,
                    execution const& exec, invalid_values invalid) const {
  find(addresses, &lengths, rows, exec, invalid);
}

matches networks::covering(nullable_column const& addresses, std::span<std::uint8_t const> const* lengths,
                           execution const& exec, invalid_values invalid) const {
  constexpr char const* call = "covering";
  index_shape const& shape = structure_of(ipv4_, call).shape();
  network_tables const tables = tables_in(tables_, ipv6_);
  return run_call(call, exec, [&] {
    expect_addresses(call, names_of_addresses, addresses);
    if (lengths != nullptr) expect_size(call, "the lengths", lengths->size(), addresses.size);
    staging stage(call, shape.backend, shape.device, exec);
    std::uint64_t const size = addresses.size;
    matches found = room_for_matches(size, row_type::u32, exec);
    auto* const ends = found.offsets.as<std::uint64_t>();
    texts_as_numbers numbers;
    buffer const rows(size * sizeof(std::uint32_t), exec);
    auto* const longest = rows.as<std::uint32_t>();
    network_steps::network_paths const paths = paths_in(paths_, size_);
    address_source const source = stage_addresses(addresses, names_of_addresses, stage);
    void const* const of_each = lengths == nullptr ? nullptr : stage.input(lengths->data(), size, 1, "the lengths");
    if (size != 0) {
      address_source const from = numbers.of(call, source, size, invalid, exec);
      steps::run(network_steps::find_longest{from, tables, longest}, size, exec);
      asked_lengths{call, static_cast<std::uint8_t const*>(of_each), paths, invalid}.narrow(from, 0, size, longest,
                                                                                            exec);
    }
    steps::run(network_steps::count_around{paths, longest, ends}, size, exec);
    make_rows(call, found, exec);
    steps::run_lists(network_steps::write_around{paths, longest, ends, found.rows.as<std::uint32_t>()}, size, exec);
    backend_of(exec).synchronize(exec);
    return found;
  });
}

matches networks::covering(nullable_column const& addresses, execution const& exec, invalid_values invalid) const {
  return covering(addresses, nullptr, exec, invalid);
}

matches networks::covering(nullable_column const& addresses, std::span<std::uint8_t const> lengths,
                           execution const& exec, invalid_values invalid) const {
  return covering(addresses, &lengths, exec, invalid);
}

}  // namespace warpdex
