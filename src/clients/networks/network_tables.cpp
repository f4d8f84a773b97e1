// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/networks/network_tables.hpp"

#include <warpdex/error.hpp>
#include <warpdex/stop.hpp>

#include <algorithm>
#include <bit>
#include <vector>

#include "backend/backend.hpp"
#include "clients/networks/tuning.hpp"

namespace warpdex {
namespace {

class ipv4_maker {
 public:
  ipv4_maker(std::span<std::uint32_t const> keys, std::span<std::uint32_t const> rows, std::uint32_t none)
      : keys_(keys), rows_(rows), none_(none) {
    int leading = ipv4_node::bits;
    while (leading < tuning::leading_bits_of_ipv4 && keys.size() >> leading >= 4) leading += ipv4_node::bits;
    shift = 32 - leading;
    nodes.resize(std::size_t{1} << leading);
    answers.reserve(keys.size() + nodes.size());
    for (std::size_t node = 0, at = 0; node < std::size_t{1} << leading; ++node) {
      std::uint64_t const begin = std::uint64_t{node} << shift;
      at = fill(node, {begin, begin + (std::uint64_t{1} << shift)}, shift - ipv4_node::bits, at);
    }
  }

  std::vector<ipv4_node> nodes;
  std::vector<std::uint32_t> answers;
  int shift;

 private:
  struct part {
    std::uint64_t begin, end;
  };
  struct divided_cell {
    std::size_t answer;  ///< its number
    part space;
    std::size_t at;
  };

  std::uint64_t next(std::size_t border) const {
    return border + 1 < keys_.size() ? keys_[border + 1] : std::uint64_t{1} << 32;
  }

  /// Writes a node, and those inside it.
  /// @param space those of its addresses that matter @param at the last border that is not after some address before it
  /// @return the last border that is not after the end of the space
  std::size_t fill(std::size_t node, part space, int cell_bits, std::size_t at) {
    if (nodes.size() % 1024 == 0) stop_scope::look();
    std::uint64_t const width = std::uint64_t{1} << cell_bits;
    std::uint64_t changes = 0;
    std::size_t const first = answers.size();
    std::vector<divided_cell> divided;
    for (std::uint64_t cell = space.begin; cell < space.end;) {
      while (next(at) <= cell) ++at;
      changes |= std::uint64_t{1} << (cell >> cell_bits & 63);
      if (next(at) < cell + width) {
        divided.push_back({answers.size(), {cell, cell + width}, at});
        answers.push_back(0);
        cell += width;
      } else {
        answers.push_back(rows_[at] == none_ ? no_network : rows_[at]);
        cell = next(at) & ~(width - 1);
      }
    }
    nodes[node] = {changes, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(cell_bits)};
    for (divided_cell const& one : divided) {
      std::size_t const inner = nodes.size();
      nodes.emplace_back();
      answers[one.answer] = leads_on | static_cast<std::uint32_t>(inner);
      fill(inner, one.space, std::max(0, cell_bits - ipv4_node::bits), one.at);
    }
    return at;
  }

  std::span<std::uint32_t const> keys_;
  std::span<std::uint32_t const> rows_;
  std::uint32_t none_;
};

template <class Key> class ipv6_maker {
 public:
  ipv6_maker(std::span<Key const> keys, std::span<std::uint32_t const> rows, std::uint32_t none)
      : keys_(keys), rows_(rows), none_(none) {
    int const leading = std::clamp(static_cast<int>(std::bit_width(keys.size())) - 1, 1, tuning::leading_bits_of_ipv6);
    shift = static_cast<int>(8 * sizeof(Key)) - leading;
    cells.resize(std::size_t{1} << leading);
    for (std::size_t i = 0, at = 0; i < std::size_t{1} << leading; ++i) {
      Key const begin = static_cast<Key>(i) << shift;
      while (at + 1 < keys.size() && keys[at + 1] <= begin) ++at;
      std::size_t end = at + 1;
      while (end < keys.size() && keys[end] >> shift == i) ++end;
      fill(i, at, end);
    }
  }

  std::vector<ipv6_cell<Key>> cells;
  int shift;

 private:
  using cell = ipv6_cell<Key>;

  std::uint32_t answer(std::size_t border) const { return rows_[border] == none_ ? no_network : rows_[border]; }

  /// Writes a cell, and those inside it.
  /// @param at the border that counts where it begins @param end after the last border inside it
  void fill(std::size_t number, std::size_t at, std::size_t end) {
    std::size_t const inside = end - at - 1;
    if (inside < 2) {
      cells[number] = {inside == 0 ? Key{0} : keys_[at + 1], answer(at), answer(end - 1)};
      return;
    }
    Key const first = keys_[at + 1], past = static_cast<Key>(keys_[end - 1] - first);
    Key const most = static_cast<Key>(std::min<std::size_t>(inside, cell::most_cells) - 1);
    std::uint32_t bits = 0;
    while (past >> bits > most) ++bits;
    auto const last = static_cast<std::uint32_t>(past >> bits);
    std::size_t const inner = cells.size();
    if (inner + last >= ~std::uint32_t{0}) throw unsupported("networks: these need too many cells");
    if (inner % 1024 == 0) stop_scope::look();
    cells[number] = {first, leads_on | last << cell::shift_bits | bits, static_cast<std::uint32_t>(inner)};
    cells.resize(inner + last + 1);
    for (std::uint32_t i = 0; i <= last; ++i) {
      Key const begin = static_cast<Key>(first + (static_cast<Key>(i) << bits));
      while (i != 0 && at + 1 < end && keys_[at + 1] <= begin) ++at;
      std::size_t next = at + 1;
      while (next < end && static_cast<Key>(keys_[next] - first) >> bits <= i) ++next;
      fill(inner + i, at, next);
    }
  }

  std::span<Key const> keys_;
  std::span<std::uint32_t const> rows_;
  std::uint32_t none_;
};

template <class T> buffer moved(std::vector<T> const& from, execution const& exec) {
  buffer to(from.size() * sizeof(T), exec);
  backend_of(exec).copy(to.data(), from.data(), to.bytes(), exec);
  backend_of(exec).synchronize(exec);
  to.outlive_stream();
  return to;
}

}  // namespace

void make_ipv4_table(std::span<std::uint32_t const> keys, std::span<std::uint32_t const> rows, std::uint32_t none,
                     detail::network_arrays& to, execution const& exec) {
  ipv4_maker const from(keys, rows, none);
  to.nodes = moved(from.nodes, exec);
  to.answers = moved(from.answers, exec);
  to.ipv4_shift = from.shift;
}

template <class Key>
void make_ipv6_table(std::span<Key const> keys, std::span<std::uint32_t const> rows, std::uint32_t none,
                     detail::network_arrays& to, execution const& exec) {
  ipv6_maker<Key> const from(keys, rows, none);
  to.cells = moved(from.cells, exec);
  to.ipv6_shift = from.shift;
}

template void make_ipv6_table(std::span<std::uint64_t const>, std::span<std::uint32_t const>, std::uint32_t,
                              detail::network_arrays&, execution const&);
template void make_ipv6_table(std::span<u128 const>, std::span<std::uint32_t const>, std::uint32_t,
                              detail::network_arrays&, execution const&);

}  // namespace warpdex
