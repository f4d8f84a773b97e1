// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/pairs.hpp>

#include <memory>

#include "base/types.hpp"
#include "batch/research.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// What a family compiles beyond pairs in two arrays with positions of 32 bits.
struct compiled_forms {
  bool aos = false;             ///< array of pairs, for row ids of 32 bits: one load reads a key and its row
  bool wide_aos = false;        ///< the same for row ids of 64 bits
  bool packed = false;          ///< packed pairs
  bool wide_positions = false;  ///< positions of 64 bits, for 2^32 entries and more
};

template <class Family> constexpr compiled_forms forms_of() {
  if constexpr (requires { Family::forms; }) return Family::forms;
  else return {};
}

/// Entries from which on positions need 64 bits. All ranks, and the number of entries, have to fit.
inline constexpr std::uint64_t wide_from = (std::uint64_t{1} << 32) - 1;

/// @return whether searches of a layout are compiled for a family
template <class Row> constexpr bool compiles(layout chosen, compiled_forms forms) {
  bool const narrow = sizeof(Row) == 4;
  return chosen == layout::soa || (chosen == layout::aos ? research::aos || (narrow ? forms.aos : forms.wide_aos)
                                                         : research::packed || forms.packed);
}
constexpr bool compiles(layout chosen, row_type rows, compiled_forms forms) {
  return rows == row_type::u32 ? compiles<std::uint32_t>(chosen, forms) : compiles<std::uint64_t>(chosen, forms);
}

namespace detail {

/// Calls make(Pairs{}) with pairs in one array. For keys and rows of equal widths, `packed` is AoS.
template <class Key, class Row, compiled_forms Forms, class Make>
std::unique_ptr<structure> with_pairs(layout chosen, Make const& make) {
  constexpr bool has_padding = sizeof(Key) != sizeof(Row);
  if constexpr (has_padding && compiles<Row>(layout::packed, Forms))
    if (chosen == layout::packed) return make(packed_pairs<Key, Row>{});
  if constexpr (compiles<Row>(layout::aos, Forms))
    if (chosen == layout::aos || !has_padding) return make(aos_pairs<Key, Row>{});
  throw spec_error("no search is compiled for this layout");  // resolving has refused it
}

}  // namespace detail

/// Calls make(Position{}) with the type of positions of a structure that is compiled for both.
template <class Make> std::unique_ptr<structure> with_positions(index_shape const& shape, Make const& make) {
  return shape.size < wide_from ? make(std::uint32_t{}) : make(std::uint64_t{});
}

/// Calls make(Pairs{}) with the chosen layout of the pairs of a structure with ranks.
template <class Family, class Key, class Make>
std::unique_ptr<structure> with_layout(layout chosen, index_shape const& shape, Make const& make) {
  constexpr compiled_forms forms = forms_of<Family>();
  if (chosen == layout::soa) {
    if (shape.size < wide_from) return make(soa_pairs<Key>{});
    if constexpr (forms.wide_positions) return make(soa_pairs<Key, std::uint64_t>{});
    else throw spec_error("no search is compiled for positions of 64 bits");  // resolving has refused it
  }
  if (shape.rows == row_type::u32) return detail::with_pairs<Key, std::uint32_t, forms>(chosen, make);
  return detail::with_pairs<Key, std::uint64_t, forms>(chosen, make);
}

/// The same for the slots of a hash table.
template <class Family, class Key, class Make>
std::unique_ptr<structure> with_slots(layout chosen, row_type rows, Make const& make) {
  return with_row(rows, [&]<class Row>() -> std::unique_ptr<structure> {
    if (chosen == layout::soa) return make(soa_slots<Key, Row>{});
    return detail::with_pairs<Key, Row, forms_of<Family>()>(chosen, make);
  });
}

}  // namespace warpdex
