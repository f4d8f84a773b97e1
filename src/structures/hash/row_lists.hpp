// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/row_lists.hpp>

#include <string>

#include "backend/backend.hpp"
#include "base/prefix.hpp"
#include "structures/any_pairs.hpp"
#include "structures/view_structure.hpp"

/// @file
/// How the row lists of hash tables (search/row_lists.hpp) are made and checked.
///
/// While a table is built, the slot of a key with several rows holds the source of its list in place of a row, and a
/// flag of one byte marks the slot. Flags become marks, and the marks number the lists in the order of the slots. Then
/// the lists are copied from their sources, row by row, so that a key with very many rows keeps all threads busy.
namespace warpdex {

/// Marks of slots or other numbers.
template <class Row> struct marked_numbers {
  buffer memory;
  std::uint64_t count;
  mark_block<Row>* blocks() const noexcept { return memory.as<mark_block<Row>>(); }
};

namespace detail {

/// @return the number of blocks that hold the marks of the numbers below `range`
template <class Row> std::uint64_t mark_blocks(std::uint64_t range) {
  return (range + mark_block<Row>::slots - 1) / mark_block<Row>::slots;
}

/// Makes the marks of block `b` from flags, and counts them.
template <class Row> struct gather_flags {
  std::uint8_t const* flags;  ///< 0 or 1
  mark_block<Row>* blocks;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t b) const {
    auto const* const eights = reinterpret_cast<std::uint64_t const*>(flags + b * mark_block<Row>::slots);
    Row marks = 0;
    for (unsigned i = 0; i < sizeof(Row); ++i) {
      std::uint64_t const eight = eights[i] * 0x0102040810204080u >> 56;  // moves bit 8 j to bit j
      marks = static_cast<Row>(marks | static_cast<Row>(eight) << 8 * i);
    }
    blocks[b].marks = marks;
    counts[b] = static_cast<unsigned>(count_ones(marks));
  }
};

template <class Row> struct number_marks {
  std::uint64_t const* before;
  mark_block<Row>* blocks;
  WDX_HD void operator()(std::uint64_t b) const { blocks[b].before = static_cast<Row>(before[b]); }
};

/// Whether entry i + 1 has the key of entry i.
template <class Key> struct repeats_key {
  Key const* keys;
  WDX_HD bool operator()(std::uint64_t i) const { return keys[i] == keys[i + 1]; }
};

/// Flags the first entry of each key.
template <class Key> struct flag_first {
  Key const* keys;
  std::uint8_t* flags;
  WDX_HD bool read(std::uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
  WDX_HD void operator()(std::uint64_t i, bool is_first) const { flags[i] = is_first ? 1 : 0; }
};

/// Lists the marked entries and, at the end, their number.
/// @tparam Count entries per call
template <class Row, unsigned Count> struct list_first {
  mark_block<Row> const* blocks;
  std::uint64_t size;
  std::uint64_t keys;
  Row* to;
  WDX_HD mark_block<Row> read(std::uint64_t i) const { return blocks[i * Count / mark_block<Row>::slots]; }
  WDX_HD void operator()(std::uint64_t i, mark_block<Row> const& block) const {
    if (i == 0) to[keys] = static_cast<Row>(size);
    block.template for_each_marked<Count>(
        i * Count, [&](std::uint64_t entry, std::uint64_t key) { to[key] = static_cast<Row>(entry); });
  }
};

/// The source of a list among sorted entries: the entry with the smallest row of the key. The others follow it.
template <class Key> struct entries_of_key {
  Key const* keys;
  std::uint64_t size;
  WDX_HD stretch<std::uint64_t> operator()(std::uint64_t first) const {
    return {first, end_of_prefix_near<std::uint64_t>(
                       first + 1, size, [this, first](std::uint64_t i) { return keys[i] == keys[first]; })};
  }
};

/// Finds the source of each list and its length, and puts the smallest row of its key back into the slot.
/// @tparam Count slots per call
template <class View, class Source, unsigned Count> struct measure_lists {
  using Row = typename View::row_type;
  View view;
  mark_block<Row> const* blocks;
  Source source_of;
  Row const* rows;
  pair_writer<typename View::key_type> to;
  std::uint64_t* sources;
  std::uint64_t* lengths;
  WDX_HD mark_block<Row> read(std::uint64_t i) const { return blocks[i * Count / mark_block<Row>::slots]; }
  WDX_HD void operator()(std::uint64_t i, mark_block<Row> const& block) const {
    block.template for_each_marked<Count>(i * Count, [&](std::uint64_t slot, std::uint64_t list) {
      auto const from = source_of(view.pairs.row(slot));
      sources[list] = from.begin;
      lengths[list] = from.end - from.begin;
      to.put(slot, view.pairs.key(slot), rows[from.begin]);
    });
  }
};

/// Writes where list number `list` begins, and its number there.
template <class Row> struct write_start {
  std::uint64_t const* starts;
  std::uint64_t lists;
  Row* to;
  Row* numbers;
  WDX_HD void operator()(std::uint64_t list) const {
    to[list] = static_cast<Row>(starts[list]);
    if (list < lists) numbers[starts[list]] = static_cast<Row>(list);
  }
};

template <class Row> struct copy_list_row {
  Row const* numbers;  ///< number of the list of each row
  Row const* starts;
  std::uint64_t const* sources;
  Row const* rows;
  Row* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = rows[sources[numbers[i]] + (i - starts[numbers[i]])]; }
};

/// Whether the number of marks before a block is wrong.
template <class Row> struct wrong_block {
  mark_block<Row> const* blocks;
  std::uint64_t count;
  std::uint64_t lists;
  WDX_HD bool operator()(std::uint64_t b) const {
    std::uint64_t const before = b == 0 ? 0 : end_of(b - 1);
    return blocks[b].before != before || (b + 1 == count && end_of(b) != lists);
  }

 private:
  WDX_HD std::uint64_t end_of(std::uint64_t b) const {
    return std::uint64_t{blocks[b].before} + static_cast<unsigned>(count_ones(blocks[b].marks));
  }
};

/// Whether list number `list` does not begin where the one before ends, or has fewer than two rows.
template <class Row> struct wrong_start {
  Row const* starts;
  std::uint64_t lists;
  std::uint64_t rows;
  WDX_HD bool operator()(std::uint64_t list) const {
    std::uint64_t const begin = starts[list];
    if (list == 0 && begin != 0) return true;
    std::uint64_t const end = starts[list + 1];
    return end < begin || end - begin < 2 || (list + 1 == lists && end != rows);
  }
};

/// Whether a mark belongs to no key, or to one whose smallest row is not the first of the list. `slot` may be after the
/// table, where blocks have marks too.
template <class View> struct wrong_mark {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const {
    auto const list = view.lists.list_of(slot);
    if (list.begin == list.end) return false;
    return slot >= view.end_slot() || !view.is_taken(slot) || view.lists.rows[list.begin] != view.pairs.row(slot);
  }
};

template <class Row> struct mark_start {
  Row const* starts;
  std::uint8_t* begins;
  WDX_HD void operator()(std::uint64_t list) const { begins[starts[list]] = 1; }
};

/// Whether a row of a list is the reserved row id, or less than the row before it.
template <class Row> struct wrong_list_row {
  Row const* rows;
  std::uint8_t const* begins;
  WDX_HD bool operator()(std::uint64_t i) const {
    return rows[i] == no_row<Row> || (begins[i] == 0 && rows[i] < rows[i - 1]);
  }
};

}  // namespace detail

/// Marks that one call looks at. A CPU passes over 0 bits at once. On a GPU adjacent threads write adjacent memory.
template <class Engine, class Row>
inline constexpr unsigned marks_per_call = Engine::kind == backend_kind::cuda ? 1 : mark_block<Row>::slots;

/// Flags for the numbers below `range`, all 0, one byte each. Whole blocks of marks have flags.
template <class Engine, class Row> buffer make_flags(std::uint64_t range, execution const& exec) {
  buffer flags(detail::mark_blocks<Row>(range) * mark_block<Row>::slots, exec);
  backend_of(Engine::kind).fill_zero(flags.data(), flags.bytes(), exec);
  return flags;
}

/// Makes marks from flags. Synchronises.
template <class Engine, class Row> marked_numbers<Row> mark_flagged(buffer const& flags, execution const& exec) {
  std::uint64_t const blocks = flags.bytes() / mark_block<Row>::slots;
  marked_numbers<Row> marked{buffer(blocks * sizeof(mark_block<Row>), exec), 0};
  buffer count_memory((blocks + 1) * sizeof(std::uint64_t), exec);
  auto* const counts = count_memory.as<std::uint64_t>();
  auto* const to = marked.blocks();
  Engine::for_each(exec, blocks, detail::gather_flags<Row>{flags.as<std::uint8_t>(), to, counts});
  marked.count = backend_of(Engine::kind).exclusive_scan(counts, blocks, exec);
  Engine::for_each(exec, blocks, detail::number_marks<Row>{counts, to});
  return marked;
}

/// @param sorted the keys of `size` entries, `keys` of them distinct
/// @return the number of the first entry of each key and, at the end, `size`. Synchronises
template <class Engine, class Key, class Row>
buffer list_first_entries(Key const* sorted, std::uint64_t size, std::uint64_t keys, execution const& exec) {
  buffer const flags(detail::mark_blocks<Row>(size) * mark_block<Row>::slots, exec);
  backend_of(Engine::kind).fill_zero(flags.as<std::uint8_t>() + size, flags.bytes() - size, exec);
  Engine::for_each(exec, size, detail::flag_first<Key>{sorted, flags.as<std::uint8_t>()});
  auto const first = mark_flagged<Engine, Row>(flags, exec);
  buffer starts((keys + 1) * sizeof(Row), exec);
  constexpr unsigned count = marks_per_call<Engine, Row>;
  Engine::for_each(exec, (size + count - 1) / count,
                   detail::list_first<Row, count>{first.blocks(), size, keys, starts.as<Row>()});
  return starts;
}

/// Makes the row lists of a table, and adds them to its arrays. Synchronises.
/// @param table with the source of a list in place of the row in each flagged slot, which gets its row back
/// @param rows the rows that sources represent
/// @param source_of tells which `rows` belong to the source in a slot
/// @param repeats number of entries besides the first of each key
/// @throws format_error if the lists have another number of rows
template <class Engine, class View, class Source>
void add_row_lists(stored_arrays& stored, View const& table, buffer const& flags,
                   pair_writer<typename View::key_type> const& to, typename View::row_type const* rows,
                   Source const& source_of, std::uint64_t repeats, execution const& exec) {
  using Row = typename View::row_type;
  auto const& backend = backend_of(Engine::kind);
  auto marked = mark_flagged<Engine, Row>(flags, exec);
  std::uint64_t const lists = marked.count;
  buffer source_memory(lists * sizeof(std::uint64_t), exec);
  buffer start_memory((lists + 1) * sizeof(std::uint64_t), exec);
  auto* const sources = source_memory.as<std::uint64_t>();
  auto* const starts = start_memory.as<std::uint64_t>();
  constexpr unsigned count = marks_per_call<Engine, Row>;
  Engine::for_each(
      exec, (table.end_slot() + count - 1) / count,
      detail::measure_lists<View, Source, count>{table, marked.blocks(), source_of, rows, to, sources, starts});
  std::uint64_t const in_lists = backend.exclusive_scan(starts, lists, exec);
  if (in_lists != lists + repeats)
    throw format_error("damaged index: " + std::to_string(in_lists) + " rows in lists instead of " +
                       std::to_string(lists + repeats));
  expect_none(Engine::count_if(exec, lists, detail::wrong_start<std::uint64_t>{starts, lists, in_lists}),
              "row lists that are too long");  // lengths in a forged file can add up to more than 64 bits

  buffer number_memory(in_lists * sizeof(Row), exec);
  auto* const numbers = number_memory.as<Row>();
  backend.fill_zero(numbers, number_memory.bytes(), exec);
  stored.add("list_marks", stored_array(std::move(marked.memory)));
  auto* const short_starts = stored.add("list_starts", stored_array((lists + 1) * sizeof(Row), exec)).owned.as<Row>();
  auto* const list_rows = stored.add("list_rows", stored_array(in_lists * sizeof(Row), exec)).owned.as<Row>();
  Engine::for_each(exec, lists + 1, detail::write_start<Row>{starts, lists, short_starts, numbers});
  backend.running_maximum(numbers, in_lists, exec);
  Engine::for_each(exec, in_lists, detail::copy_list_row<Row>{numbers, short_starts, sources, rows, list_rows});
}

/// Checks the row lists of a table. @throws format_error
/// @param lists number of lists for which there are starts
/// @param in_lists number of rows in all lists
template <class Engine, class View>
void check_row_lists(View const& table, std::uint64_t lists, std::uint64_t in_lists, execution const& exec) {
  using Row = typename View::row_type;
  auto const& all = table.lists;
  std::uint64_t const blocks = detail::mark_blocks<Row>(table.end_slot());
  expect_none(Engine::count_if(exec, blocks, detail::wrong_block<Row>{all.marks, blocks, lists}),
              "wrong counts of keys with several rows");
  expect_none(Engine::count_if(exec, lists, detail::wrong_start<Row>{all.starts, lists, in_lists}),
              "row lists that do not follow one another");
  expect_none(Engine::count_if(exec, blocks * mark_block<Row>::slots, detail::wrong_mark<View>{table}),
              "row lists that do not begin with the row of their key");
  buffer const begins(in_lists, exec);
  backend_of(Engine::kind).fill_zero(begins.data(), in_lists, exec);
  Engine::for_each(exec, lists, detail::mark_start<Row>{all.starts, begins.as<std::uint8_t>()});
  expect_none(Engine::count_if(exec, in_lists, detail::wrong_list_row<Row>{all.rows, begins.as<std::uint8_t>()}),
              "row ids out of order");
}

}  // namespace warpdex
