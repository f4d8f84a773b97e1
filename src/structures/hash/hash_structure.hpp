// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/hash_view.hpp>

#include <cstring>

#include "backend/update/selection.hpp"
#include "base/prefix.hpp"
#include "structures/hash/hash_choice.hpp"
#include "structures/hash/row_lists.hpp"
#include "structures/view_structure.hpp"

/// @file
/// What all hash tables share (their views share search/hash_view.hpp). Builds get pairs in hash order and turn them
/// into distinct keys and row lists, under one seed after another. Files are shared too.
namespace warpdex {

namespace detail {

/// What a slot gets while a table is built: a hash and its row or, if the key repeats, its first entry, from which the
/// row list will be made.
template <class Key, class Row> struct slot_content {
  entry<Key, Row> pair;
  bool repeats;
};

/// The distinct keys of sorted pairs, in hash order, as a table is built from them.
template <class View> struct distinct_keys {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  Key const* keys;
  Row const* rows;
  Row const* starts;    ///< first entry of each key and, at the end, the number of entries; null if no key repeats
  std::uint8_t* flags;  ///< one per slot of the table, set for keys that repeat

  WDX_HD Key key(std::uint64_t i) const { return keys[starts == nullptr ? i : starts[i]]; }
  WDX_HD slot_content<Key, Row> at(std::uint64_t i) const {
    if (starts == nullptr) return {{keys[i], rows[i]}, false};
    Row const first = starts[i];
    bool const repeats = starts[i + 1] - first > 1;
    return {{keys[first], repeats ? first : rows[first]}, repeats};
  }
};

template <class View> struct count_rows {
  View view;
  std::uint64_t const* places;  ///< slot of each key, in hash order
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t key) const {
    auto const rows = view.places_in(places[key]);
    counts[key] = rows.end - rows.begin;
  }
};

/// Writes the number of each key at the index of its first entry.
struct mark_first_entry {
  std::uint64_t const* starts;  ///< first entry of each key
  std::uint64_t* numbers;
  WDX_HD void operator()(std::uint64_t key) const { numbers[starts[key]] = key; }
};

/// Reads entry `i` from the table: the inverse of `distinct_keys`.
template <class View> struct take_entry {
  View view;
  std::uint64_t const* places;   ///< slot of each key, in hash order
  std::uint64_t const* starts;   ///< first entry of each key; null if no key repeats, as are `numbers`
  std::uint64_t const* numbers;  ///< number of the key of each entry
  typename View::key_type* keys;
  typename View::row_type* rows;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const key = numbers == nullptr ? i : numbers[i];
    keys[i] = view.pairs.key(places[key]);
    rows[i] = numbers == nullptr ? view.pairs.row(places[key])
                                 : view.row_at(view.places_in(places[key]).begin + (i - starts[key]));
  }
};

/// A table and the changes of a batch, in ascending hash order. Keys are erased before others are inserted.
template <class View> struct hash_changes {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  View view;
  Key const* insert_keys;
  Row const* insert_rows;
  std::uint64_t inserts;
  Key const* erase_keys;
  std::uint64_t erases;

  WDX_HD bool erased(Key hash) const {
    std::uint64_t const at =
        end_of_prefix<std::uint64_t>(0, erases, [&](std::uint64_t i) { return erase_keys[i] < hash; });
    return at < erases && erase_keys[at] == hash;
  }
};

struct is_set {
  std::uint8_t const* flags;
  WDX_HD bool operator()(std::uint64_t i) const { return flags[i] != 0; }
};

/// Whether a hash belongs to no key of the public type. Floats have such hashes, because all NaN are one key, and so
/// are both zeros.
template <class View> struct is_of_no_key {
  key_codec codec;
  WDX_HD bool operator()(View const& view, typename View::key_type hash) const {
    return codec == key_codec::real && !is_code(codec, unmix(hash, view.seed));
  }
};

template <class Key> struct unmix_key {
  Key* keys;
  std::uint64_t seed;
  WDX_HD void operator()(std::uint64_t i) const { keys[i] = unmix(keys[i], seed); }
};

template <class View> struct is_taken {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const { return view.is_taken(slot); }
};

/// Whether a key has no valid group in a file of the older form (`hash_structure::convert_groups`).
template <class View> struct wrong_group {
  View view;
  typename View::row_type const* groups;
  std::uint64_t size;
  WDX_HD bool operator()(std::uint64_t slot) const {
    if (!view.is_taken(slot)) return false;
    std::uint64_t const begin = view.pairs.row(slot);
    return begin >= size || groups[begin] == 0 || groups[begin] >= size - begin;
  }
};

/// Puts the row of a key with one row into its slot, and flags the slots of the others.
template <class View> struct take_group {
  View view;
  typename View::row_type const* groups;
  std::uint8_t* flags;
  pair_writer<typename View::key_type> to;
  WDX_HD void operator()(std::uint64_t slot) const {
    if (!view.is_taken(slot)) return;
    std::uint64_t const begin = view.pairs.row(slot);
    if (groups[begin] == 1) to.put(slot, view.pairs.key(slot), groups[begin + 1]);
    else flags[slot] = 1;
  }
};

/// The source of a list in a file of the older form.
template <class Row> struct rows_of_group {
  Row const* groups;
  WDX_HD stretch<std::uint64_t> operator()(std::uint64_t begin) const { return {begin + 1, begin + 1 + groups[begin]}; }
};

}  // namespace detail

/// @return the same table with a layout known at run time, for code that does not search
template <template <class> class Table, class Pairs>
Table<any_pairs<typename Pairs::key_type, typename Pairs::row_type>> generalise(Table<Pairs> const& table) {
  Table<any_pairs<typename Pairs::key_type, typename Pairs::row_type>> general;
  general.pairs = table.pairs;
  general.lists = table.lists;
  general.size = table.size;
  general.seed = table.seed;
  general.homes = table.homes;
  general.units = table.units;
  if constexpr (requires { general.slots = table.slots; }) general.slots = table.slots;
  if constexpr (requires { general.shifts = table.shifts; }) general.shifts = table.shifts;
  return general;
}

template <class Engine, class View> class hash_structure : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;

 public:
  std::optional<std::uint64_t> hash_seed() const noexcept final { return table_.seed; }

  sorted_pairs entries_to_merge(execution const& exec) const final {
    auto const& backend = backend_of(Engine::kind);
    std::uint64_t const n = view_.size;
    std::uint64_t const keys = table_.keys;
    sorted_pairs all{buffer(n * sizeof(Key), exec), buffer(n * sizeof(Row), exec), n, table_.seed};
    if (n == 0) return all;
    buffer place_memory(keys * sizeof(std::uint64_t), exec);
    auto* const places = place_memory.as<std::uint64_t>();
    list_slots(places, exec);
    buffer start_memory;
    buffer number_memory;
    if (has_lists()) {
      start_memory = buffer((keys + 1) * sizeof(std::uint64_t), exec);
      number_memory = buffer(n * sizeof(std::uint64_t), exec);
      auto* const starts = start_memory.as<std::uint64_t>();
      auto* const numbers = number_memory.as<std::uint64_t>();
      Engine::for_each(exec, keys, detail::count_rows<general_view>{general(), places, starts});
      backend.exclusive_scan(starts, keys, exec);
      backend.fill_zero(numbers, number_memory.bytes(), exec);
      Engine::for_each(exec, keys, detail::mark_first_entry{starts, numbers});
      backend.running_maximum(numbers, n, exec);
    }
    Engine::for_each(exec, n,
                     detail::take_entry<general_view>{general(), places, start_memory.as<std::uint64_t>(),
                                                      number_memory.as<std::uint64_t>(), all.keys.template as<Key>(),
                                                      all.rows.template as<Row>()});
    return all;
  }

  sorted_pairs entries(execution const& exec) const final {
    sorted_pairs all = entries_to_merge(exec);
    unmix_keys(all, exec);
    return all;
  }

  void verify(execution const& exec) const final {
    check_slots(exec);
    std::uint64_t const taken = Engine::count_if(exec, view_.end_slot(), detail::is_taken<general_view>{general()});
    if (taken != table_.keys)
      throw format_error("damaged index: " + std::to_string(taken) + " keys instead of " + std::to_string(table_.keys));
    if (has_lists())
      check_row_lists<Engine>(general(), stored_.find("list_starts")->bytes / sizeof(Row) - 1,
                              stored_.find("list_rows")->bytes / sizeof(Row), exec);
  }

  std::vector<io::section> sections() const final {
    auto result = base::sections();
    result.insert(result.begin(), {"table", &table_, sizeof(table_)});
    return result;
  }

 protected:
  using base::soa;
  using base::stored_;
  using base::view_;
  using typename base::Key;
  using typename base::Row;

  /// The section `table` of files.
  struct table_numbers {
    std::uint64_t seed = 0;   ///< see hash_view
    std::uint64_t homes = 0;  ///< see hash_view
    std::uint64_t units = 0;  ///< see hash_view
    std::uint64_t keys = 0;   ///< number of distinct keys
  };

  using general_view = decltype(generalise(std::declval<View>()));

  /// @return the table with a layout known at run time
  general_view general() const { return generalise(view_); }

  hash_structure(plan const& made_by, hash_choice const& choice, View const& empty) : base(made_by, empty, choice.run) {
    view_.size = made_by.shape.size;
  }

  /// Builds the table from sorted pairs, and tries one seed after another. An attacker who knows a seed can choose keys
  /// that crowd under it, but cannot do so for a random seed. No keys are refused: the last seed is used even if keys
  /// crowd under it.
  /// @param pairs_per_home number of pairs at home in a bucket of a full table
  /// @param try_build called as try_build(entries, takes_any) with all of `table_` set except its units. It sets the
  /// units, adds the pairs, and returns the flags of the slots (`flags_for`). If keys crowd and `takes_any` is false,
  /// it returns nothing and keeps nothing.
  template <class Try>
  void build(sorted_pairs&& sorted, hash_choice const& choice, unsigned pairs_per_home, execution const& exec,
             Try const& try_build) {
    std::uint64_t const n = view_.size;
    table_.keys =
        n == 0 ? 0 : n - Engine::count_if(exec, n - 1, detail::repeats_key<Key>{sorted.keys.template as<Key>()});
    table_.seed = sorted.seed.value_or(0);
    std::uint64_t const a_home = std::uint64_t{choice.load} * pairs_per_home;
    table_.homes = (table_.keys * hash_choice::full_load + a_home - 1) / a_home;
    for (unsigned attempt = 1; !build_under_seed(sorted, exec, try_build, attempt == hash_choice::attempts); ++attempt)
      sort_again(sorted, choice.seed_after(table_.seed), exec);
  }

  /// Takes the table from a file and checks it.
  /// @param units_per_home least number of units per bucket
  void load(stored_index const& from, unsigned units_per_home, execution const& exec) {
    auto const numbers = load_array(from.file, "table", sizeof(table_), false, execution(host_memory()));
    std::memcpy(&table_, numbers.data, sizeof(table_));
    bool const repeats = table_.keys < view_.size;
    bool const has_groups = repeats && from.file.has("groups");
    bool const empty = view_.size == 0;
    constexpr std::uint64_t most_units = std::uint64_t{1} << 56;  // beyond it numbers of bytes might overflow
    if (table_.units > most_units || table_.homes > table_.units / units_per_home || table_.keys > view_.size ||
        (table_.homes == 0) != empty || (table_.units == 0) != empty || (table_.keys == 0) != empty)
      from.file.fail("table", "says " + std::to_string(table_.homes) + " homes, " + std::to_string(table_.units) +
                                  " buckets or quarters, and " + std::to_string(table_.keys) + " keys for " +
                                  std::to_string(view_.size) + " entries");
    // A table that is converted is a copy.
    stored_index source = from;
    source.in_place = from.in_place && !has_groups;
    this->take_pairs(source, table_.units * View::slots, exec);
    if (has_groups) this->take(source, "groups", (view_.size + table_.keys) * sizeof(Row), exec);
    else if (repeats) take_lists(source, exec);
    point_view_at_arrays();
    this->complete_load(source, [&] {
      if (has_groups) convert_groups(exec);
      if (from.checks_structure()) verify(exec);  // slots lead searches
    });
  }

  /// Checks that a search for each hash in the table ends at its slot, that all searches end, and that every hash
  /// belongs to a key. @throws format_error
  virtual void check_slots(execution const& exec) const = 0;

  /// Writes the slots of all keys, in hash order. The table is not empty.
  virtual void list_slots(std::uint64_t* places, execution const& exec) const = 0;

  /// Completes the view. To be called when `table_` and the arrays are complete.
  void point_view_at_arrays() {
    view_.seed = table_.seed;
    view_.homes = table_.homes;
    view_.units = table_.units;
    this->point_view_at_pairs(0);
    view_.lists = {array_of<mark_block<Row>>("list_marks"), array_of<Row>("list_starts"), array_of<Row>("list_rows")};
  }

  /// @return whether a key has several rows
  bool has_lists() const { return view_.lists.marks != nullptr; }

  /// @return the flags of the slots of a table that is built, all 0; empty if no key repeats
  static buffer flags_for(detail::distinct_keys<general_view> const& entries, std::uint64_t slots,
                          execution const& exec) {
    return entries.starts == nullptr ? buffer() : make_flags<Engine, Row>(slots, exec);
  }

  detail::hash_changes<general_view> typed(changes const& batch) const {
    return {general(),         batch.insert.keys.template as<Key>(), batch.insert.rows.template as<Row>(),
            batch.insert.size, batch.erase.keys.template as<Key>(),  batch.erase.size};
  }

  /// @return the number of keys after the batch, if the inserted keys are distinct and new
  std::uint64_t keys_after(changes const& batch, execution const& exec) const {
    std::uint64_t const erases = batch.erase.size;
    buffer const found(erases, exec);
    point_batch search{};
    search.op = search_op::contains;
    search.codec = key_codec::identity;
    search.probes = batch.erase.keys.data();
    search.size = erases;
    search.out = found.data();
    search.hashed = true;
    if (erases != 0) Engine::point(view_, this->state_, search, this->policy_, exec);
    return table_.keys + batch.insert.size - Engine::count_if(exec, erases, detail::is_set{found.as<std::uint8_t>()});
  }

  /// Sets the size of a table that now has `keys` distinct keys with one entry each.
  void set_keys(std::uint64_t keys) {
    table_.keys = view_.size = keys;
    this->set_size(keys);
  }

  table_numbers table_;

 private:
  template <class T> T const* array_of(char const* name) const {
    stored_array const* const array = stored_.find(name);
    return array == nullptr ? nullptr : static_cast<T const*>(array->data);
  }

  /// Replaces the hashes under the table's seed by the keys.
  void unmix_keys(sorted_pairs& hashed, execution const& exec) const {
    Engine::for_each(exec, hashed.size, detail::unmix_key<Key>{hashed.keys.template as<Key>(), table_.seed});
    hashed.seed = std::nullopt;
  }

  /// Sorts the pairs by their hashes under another seed.
  void sort_again(sorted_pairs& sorted, std::uint64_t seed, execution const& exec) {
    unmix_keys(sorted, exec);
    column const keys(std::span<Key const>(sorted.keys.template as<Key>(), sorted.size));
    row_column const rows(std::span<Row const>(sorted.rows.template as<Row>(), sorted.size));
    sorted = backend_of(Engine::kind).sort(keys, rows, rows.type, seed, exec).pairs;
    table_.seed = seed;
  }

  template <class Try>
  bool build_under_seed(sorted_pairs const& sorted, execution const& exec, Try const& try_build, bool takes_any) {
    std::uint64_t const n = view_.size;
    std::uint64_t const keys = table_.keys;
    detail::distinct_keys<general_view> entries{sorted.keys.template as<Key>(), sorted.rows.template as<Row>(), nullptr,
                                                nullptr};
    buffer starts;
    if (keys != n) {
      starts = list_first_entries<Engine, Key, Row>(entries.keys, n, keys, exec);
      entries.starts = starts.as<Row>();
    }
    view_.seed = table_.seed;
    view_.homes = table_.homes;
    std::optional<buffer> const flags = try_build(entries, takes_any);
    if (!flags) return false;
    point_view_at_arrays();
    if (keys != n) add_lists(*flags, entries.rows, detail::entries_of_key<Key>{entries.keys, n}, exec);
    return true;
  }

  /// Makes the row lists of a table that has their sources in its flagged slots.
  template <class Source>
  void add_lists(buffer const& flags, Row const* rows, Source const& source_of, execution const& exec) {
    add_row_lists<Engine>(stored_, general(), flags, base::writer_of(stored_), rows, source_of,
                          view_.size - table_.keys, exec);
    point_view_at_arrays();
  }

  /// Takes the row lists from a file.
  void take_lists(stored_index const& from, execution const& exec) {
    std::uint64_t const repeats = view_.size - table_.keys;
    std::uint64_t const start_bytes = from.file.size("list_starts");
    std::uint64_t const lists = start_bytes / sizeof(Row) - 1;  // of two rows and more
    if (start_bytes < 2 * sizeof(Row) || lists > repeats)
      from.file.fail("list_starts", "holds " + std::to_string(start_bytes) + " bytes for the lists of " +
                                        std::to_string(repeats) + " entries that repeat a key");
    this->take(from, "list_marks", detail::mark_blocks<Row>(table_.units * View::slots) * sizeof(mark_block<Row>),
               exec);
    this->take(from, "list_starts", start_bytes, exec);
    this->take(from, "list_rows", (repeats + lists) * sizeof(Row), exec);
  }

  /// Converts a table whose file has the section `groups` instead of row lists. There the slots of all keys hold places
  /// in `groups`, at which the number of rows and the rows of a key are stored.
  void convert_groups(execution const& exec) {
    stored_array const groups = std::move(stored_.arrays.back().second);
    stored_.arrays.pop_back();
    auto const* const rows = static_cast<Row const*>(groups.data);
    std::uint64_t const slots = view_.end_slot();
    expect_none(
        Engine::count_if(exec, slots, detail::wrong_group<general_view>{general(), rows, groups.bytes / sizeof(Row)}),
        "keys without a group");
    buffer const flags = make_flags<Engine, Row>(slots, exec);
    Engine::for_each(
        exec, slots,
        detail::take_group<general_view>{general(), rows, flags.as<std::uint8_t>(), base::writer_of(stored_)});
    add_lists(flags, rows, detail::rows_of_group<Row>{rows}, exec);
  }
};

}  // namespace warpdex
