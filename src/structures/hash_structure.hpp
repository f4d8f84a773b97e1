// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/hash_view.hpp>

#include <cstring>

#include "backend/selection.hpp"
#include "base/prefix.hpp"
#include "structures/hash_choice.hpp"
#include "structures/view_structure.hpp"

/// @file
/// What all hash tables share (their views share search/hash_view.hpp). Builds get pairs in hash order and turn them
/// into distinct keys and row lists, under one seed after another. Files and the checks of row lists are shared too.
namespace warpdex {

namespace detail {

/// The distinct keys of sorted pairs, in hash order. `starts` holds the index of the first entry of each key and, at
/// the end, the number of all entries. It is null if each key has one entry.
template <class View> struct distinct_keys {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  Key const* keys;
  Row const* rows;
  std::uint64_t const* starts;

  WDX_HD Key key(std::uint64_t i) const { return keys[starts == nullptr ? i : starts[i]]; }
  /// @return the second half of the slot of key `i`: its row, or the offset of its row list
  WDX_HD Row value(std::uint64_t i) const { return starts == nullptr ? rows[i] : static_cast<Row>(starts[i] + i); }
};

/// Whether entry i + 1 has the key of entry i.
template <class Key> struct repeats_key {
  Key const* keys;
  WDX_HD bool operator()(std::uint64_t i) const { return keys[i] == keys[i + 1]; }
};

template <class Key> struct flag_first {
  Key const* keys;
  std::uint64_t* flags;
  WDX_HD void operator()(std::uint64_t i) const { flags[i] = i == 0 || keys[i] != keys[i - 1]; }
};

/// Writes the rows of all row lists, and `starts`.
template <class View> struct write_row_lists {
  typename View::key_type const* keys;
  typename View::row_type const* rows;
  std::uint64_t const* before;  ///< number of row lists that begin before each entry
  std::uint64_t* starts;
  typename View::row_type* row_lists;
  WDX_HD void operator()(std::uint64_t i) const {
    bool const first = i == 0 || keys[i] != keys[i - 1];
    std::uint64_t const group = before[i] - (first ? 0 : 1);
    if (first) starts[group] = i;
    row_lists[i + group + 1] = rows[i];
  }
};

template <class Row> struct write_row_list_sizes {
  std::uint64_t const* starts;
  Row* row_lists;
  WDX_HD void operator()(std::uint64_t i) const {
    row_lists[starts[i] + i] = static_cast<Row>(starts[i + 1] - starts[i]);
  }
};

/// Writes the number of each key at the index of its first entry.
template <class View> struct mark_first_entry {
  View view;
  std::uint64_t const* places;  ///< slot of each key, in hash order
  std::uint64_t* numbers;
  WDX_HD void operator()(std::uint64_t key) const { numbers[view.pairs.row(places[key]) - key] = key; }
};

/// Reads entry `i` from the table: the inverse of `distinct_keys`.
template <class View> struct take_entry {
  View view;
  std::uint64_t const* places;   ///< slot of each key, in hash order
  std::uint64_t const* numbers;  ///< number of the key of each entry; null if each key has one entry
  typename View::key_type* keys;
  typename View::row_type* rows;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const key = numbers == nullptr ? i : numbers[i];
    keys[i] = view.pairs.key(places[key]);
    rows[i] = numbers == nullptr ? view.pairs.row(places[key]) : view.row_lists[i + key + 1];
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
  WDX_HD bool operator()(std::uint64_t place) const { return view.is_taken(place); }
};

/// Whether the row list of a key does not end where that of the next key begins.
template <class View> struct wrong_row_list {
  View view;
  std::uint64_t places;  ///< number of elements of `row_lists`
  WDX_HD bool operator()(std::uint64_t place) const {
    if (!view.is_taken(place)) return false;
    std::uint64_t const begin = view.pairs.row(place);
    if (begin >= places || view.row_lists[begin] == 0 || view.row_lists[begin] >= places - begin) return true;
    std::uint64_t const next = view.next_key(place);
    return begin + view.row_lists[begin] + 1 != (next == view.end_slot() ? places : view.pairs.row(next));
  }
};

template <class View> struct begins_row_lists {
  View view;
  WDX_HD bool operator()(std::uint64_t place) const { return view.is_taken(place) && view.pairs.row(place) == 0; }
};

template <class View> struct mark_row_list {
  View view;
  std::uint8_t* begins;
  WDX_HD void operator()(std::uint64_t place) const {
    if (view.is_taken(place)) begins[view.pairs.row(place)] = 1;
  }
};

/// Whether an element of `row_lists` is the reserved row id, or a row out of order.
template <class View> struct wrong_row {
  View view;
  std::uint8_t const* begins;
  WDX_HD bool operator()(std::uint64_t i) const {
    if (begins[i] != 0) return false;
    return view.row_lists[i] == View::none || (begins[i - 1] == 0 && view.row_lists[i] < view.row_lists[i - 1]);
  }
};

}  // namespace detail

/// @return the same table with a layout known at run time, for code that does not search
template <template <class> class Table, class Pairs>
Table<any_pairs<typename Pairs::key_type, typename Pairs::row_type>> generalise(Table<Pairs> const& table) {
  Table<any_pairs<typename Pairs::key_type, typename Pairs::row_type>> general;
  general.pairs = table.pairs;
  general.row_lists = table.row_lists;
  general.size = table.size;
  general.seed = table.seed;
  general.homes = table.homes;
  general.units = table.units;
  if constexpr (requires { general.slots = table.slots; }) general.slots = table.slots;
  return general;
}

template <class Engine, class View> class hash_structure : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;

 public:
  std::optional<std::uint64_t> hash_seed() const noexcept final { return table_.seed; }

  sorted_pairs entries(execution const& exec) const final {
    backend const& platform = backend_of(Engine::kind);
    std::uint64_t const n = view_.size;
    std::uint64_t const keys = table_.keys;
    sorted_pairs all{buffer(n * sizeof(Key), exec), buffer(n * sizeof(Row), exec), n, table_.seed};
    if (n == 0) return all;
    buffer place_memory(keys * sizeof(std::uint64_t), exec);
    auto* const places = place_memory.as<std::uint64_t>();
    list_slots(places, exec);
    buffer number_memory(view_.row_lists == nullptr ? 0 : n * sizeof(std::uint64_t), exec);
    auto* const numbers = view_.row_lists == nullptr ? nullptr : number_memory.as<std::uint64_t>();
    if (numbers != nullptr) {
      platform.fill_zero(numbers, number_memory.bytes(), exec);
      Engine::for_each(exec, keys, detail::mark_first_entry<general_view>{general(), places, numbers});
      platform.running_maximum(numbers, n, exec);
    }
    Engine::for_each(exec, n,
                     detail::take_entry<general_view>{general(), places, numbers, all.keys.template as<Key>(),
                                                      all.rows.template as<Row>()});
    return all;
  }

  void verify(execution const& exec) const final {
    check_slots(exec);
    std::uint64_t const places = view_.end_slot();
    std::uint64_t const taken = Engine::count_if(exec, places, detail::is_taken<general_view>{general()});
    if (taken != table_.keys)
      throw format_error("damaged index: " + std::to_string(taken) + " keys in the place of " +
                         std::to_string(table_.keys));
    if (view_.row_lists == nullptr) return;
    std::uint64_t const in_row_lists = view_.size + table_.keys;
    expect_none(Engine::count_if(exec, places, detail::wrong_row_list<general_view>{general(), in_row_lists}) +
                    (Engine::count_if(exec, places, detail::begins_row_lists<general_view>{general()}) == 1 ? 0 : 1),
                "groups that do not follow one another");
    buffer begins(in_row_lists, exec);
    backend_of(Engine::kind).fill_zero(begins.data(), in_row_lists, exec);
    Engine::for_each(exec, places, detail::mark_row_list<general_view>{general(), begins.as<std::uint8_t>()});
    expect_none(
        Engine::count_if(exec, in_row_lists, detail::wrong_row<general_view>{general(), begins.as<std::uint8_t>()}),
        "row ids out of order");
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
  /// units and adds the pairs. If keys crowd and `takes_any` is false, it returns false and keeps nothing.
  template <class Try>
  void build(sorted_pairs&& sorted, hash_choice const& choice, unsigned pairs_per_home, execution const& exec,
             Try const& try_build) {
    std::uint64_t const n = view_.size;
    table_.keys =
        n == 0 ? 0 : n - Engine::count_if(exec, n - 1, detail::repeats_key<Key>{sorted.keys.template as<Key>()});
    if (table_.keys != n && n + table_.keys >= View::none)
      throw invalid_argument("build: the row lists of " + std::to_string(n) +
                             " entries have no room in 32 bits; use rows=u64");
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
    bool const repeats = from.file.has("groups");
    bool const empty = view_.size == 0;
    constexpr std::uint64_t most_units = std::uint64_t{1} << 56;  // beyond it numbers of bytes might overflow
    if (table_.units > most_units || table_.homes > table_.units / units_per_home || table_.keys > view_.size ||
        (table_.keys == view_.size) == repeats || (table_.homes == 0) != empty || (table_.units == 0) != empty ||
        (table_.keys == 0) != empty)
      from.file.fail("table", "says " + std::to_string(table_.homes) + " homes, " + std::to_string(table_.units) +
                                  " buckets or quarters, and " + std::to_string(table_.keys) + " keys for " +
                                  std::to_string(view_.size) + " entries");
    this->take_pairs(from, table_.units * View::slots, exec);
    if (repeats) this->take(from, "groups", (view_.size + table_.keys) * sizeof(Row), exec);
    point_view_at_arrays();
    this->check_loaded(from, exec);
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
    auto const& [name, array] = stored_.arrays.back();
    view_.row_lists = name == "groups" ? static_cast<Row const*>(array.data) : nullptr;
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
    search.op = point_op::contains;
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
  /// Sorts the pairs by their hashes under another seed.
  void sort_again(sorted_pairs& sorted, std::uint64_t seed, execution const& exec) {
    Engine::for_each(exec, sorted.size, detail::unmix_key<Key>{sorted.keys.template as<Key>(), table_.seed});
    column const keys(std::span<Key const>(sorted.keys.template as<Key>(), sorted.size));
    row_column const rows(std::span<Row const>(sorted.rows.template as<Row>(), sorted.size));
    sorted = backend_of(Engine::kind).sort(keys, rows, rows.type, seed, exec).pairs;
    table_.seed = seed;
  }

  template <class Try>
  bool build_under_seed(sorted_pairs const& sorted, execution const& exec, Try const& try_build, bool takes_any) {
    backend const& platform = backend_of(Engine::kind);
    std::uint64_t const n = view_.size;
    std::uint64_t const keys = table_.keys;
    bool const repeats = keys != n;
    detail::distinct_keys<general_view> entries{sorted.keys.template as<Key>(), sorted.rows.template as<Row>(),
                                                nullptr};
    stored_array row_lists;
    buffer starts;
    if (repeats) {
      row_lists = stored_array((n + keys) * sizeof(Row), exec);
      starts = buffer((keys + 1) * sizeof(std::uint64_t), exec);
      buffer before((n + 1) * sizeof(std::uint64_t), exec);
      auto* const flags = before.as<std::uint64_t>();
      Engine::for_each(exec, n, detail::flag_first<Key>{entries.keys, flags});
      platform.exclusive_scan(flags, n, exec);
      auto* const list_starts = starts.as<std::uint64_t>();
      auto* const to = row_lists.owned.template as<Row>();
      Engine::for_each(exec, n,
                       detail::write_row_lists<general_view>{entries.keys, entries.rows, flags, list_starts, to});
      platform.copy(list_starts + keys, &n, sizeof(n), exec);
      Engine::for_each(exec, keys, detail::write_row_list_sizes<Row>{list_starts, to});
      entries.starts = list_starts;
      platform.synchronize(exec);  // the copy of `n` reads this frame
    }
    view_.seed = table_.seed;
    view_.homes = table_.homes;
    if (!try_build(entries, takes_any)) return false;
    if (repeats) stored_.add("groups", std::move(row_lists));
    point_view_at_arrays();
    return true;
  }
};

}  // namespace warpdex
