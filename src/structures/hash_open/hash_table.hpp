// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <cstring>

#include "structures/flat_structure.hpp"
#include "structures/hash_open/hash_plan.hpp"
#include "structures/hash_open/hash_update.hpp"

/// @file
/// How a hash table is built from pairs in the order of their hashes, checked, saved and loaded. There is no
/// insertion: where an entry goes follows from the entries before it,
///
///     slot[i] = max(slot[i-1] + 1, first slot of home[i]) = i + max over j <= i of (first slot of home[j] - j),
///
/// so one scan for a running maximum places all, and CPU and GPU make the same table.
namespace warpdex {

namespace detail {

/// The distinct keys of sorted pairs, by their hashes. `starts` has the first entry of each and at the end the
/// number of all; it is null if each key has one entry.
template <class View> struct distinct_keys {
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  Key const* keys;
  Row const* rows;
  std::uint64_t const* starts;

  WDX_HD Key key(std::uint64_t i) const { return keys[starts == nullptr ? i : starts[i]]; }
  /// What the slot of key `i` holds besides it: its row, or the place of its group.
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

/// From the number of groups that begin before each entry.
template <class View> struct write_groups {
  typename View::key_type const* keys;
  typename View::row_type const* rows;
  std::uint64_t const* before;
  std::uint64_t* starts;
  typename View::row_type* groups;
  WDX_HD void operator()(std::uint64_t i) const {
    bool const first = i == 0 || keys[i] != keys[i - 1];
    std::uint64_t const group = before[i] - (first ? 0 : 1);
    if (first) starts[group] = i;
    groups[i + group + 1] = rows[i];
  }
};

template <class Row> struct write_group_sizes {
  std::uint64_t const* starts;
  Row* groups;
  WDX_HD void operator()(std::uint64_t i) const { groups[starts[i] + i] = static_cast<Row>(starts[i + 1] - starts[i]); }
};

/// How many slots entry i at home lies behind slot i; 0 if it lies before it.
template <class View> struct write_shift_at_home {
  View view;
  distinct_keys<View> entries;
  std::uint64_t* shifts;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const first = view.home_of(entries.key(i)) * View::slots;
    shifts[i] = first > i ? first - i : 0;
  }
};

template <class View> struct lies_too_far {
  View view;
  distinct_keys<View> entries;
  std::uint64_t const* shifts;
  std::uint64_t farthest;
  WDX_HD bool operator()(std::uint64_t i) const {
    return i + shifts[i] - view.home_of(entries.key(i)) * View::slots > farthest;
  }
};

template <class View> struct write_empty {
  void* first;
  void* second;
  WDX_HD void operator()(std::uint64_t slot) const {
    put_pair<typename View::pairs_type>(first, second, slot, View::empty_key, View::none);
  }
};

template <class View> struct write_entry {
  distinct_keys<View> entries;
  std::uint64_t const* shifts;
  void* first;
  void* second;
  WDX_HD void operator()(std::uint64_t i) const {
    put_pair<typename View::pairs_type>(first, second, i + shifts[i], entries.key(i), entries.value(i));
  }
};

template <class View> struct flag_taken {
  View view;
  std::uint64_t* flags;
  WDX_HD void operator()(std::uint64_t slot) const { flags[slot] = view.pairs.row(slot) != View::none; }
};

/// Where the entries of a slot begin among all: `before` keys lie in the slots before it.
template <class View> WDX_HD std::uint64_t first_entry(View const& view, std::uint64_t slot, std::uint64_t before) {
  return view.groups == nullptr ? before : view.pairs.row(slot) - before;
}

/// The slot of each key at the place of the key's first entry.
template <class View> struct mark_slot {
  View view;
  std::uint64_t const* before;
  std::uint64_t* slots;
  WDX_HD void operator()(std::uint64_t slot) const {
    if (view.pairs.row(slot) != View::none) slots[first_entry(view, slot, before[slot])] = slot;
  }
};

template <class View> struct take_entry {
  View view;
  std::uint64_t const* before;
  std::uint64_t const* slots;  ///< of each entry
  typename View::key_type* keys;
  typename View::row_type* rows;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const slot = slots[i];
    keys[i] = view.pairs.key(slot);
    rows[i] = view.groups == nullptr ? view.pairs.row(slot) : view.groups[i + before[slot] + 1];
  }
};

template <class Key> struct unmix_key {
  Key* keys;
  std::uint64_t seed;
  WDX_HD void operator()(std::uint64_t i) const { keys[i] = unmix(keys[i], seed); }
};

template <class View> struct is_taken {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const { return view.pairs.row(slot) != View::none; }
};

/// Whether a slot is not as it must be. If none is, all hashes ascend, and every search that looks for one of
/// them comes to it: an entry away from the first slot of its home follows, without a gap, on smaller ones.
template <class View> struct wrong_slot {
  View view;
  std::uint64_t farthest;
  WDX_HD bool operator()(std::uint64_t slot) const {
    auto const key = view.pairs.key(slot);
    if (view.pairs.row(slot) == View::none) return key != View::empty_key;
    std::uint64_t const first = view.home_of(key) * View::slots;
    if (slot < first || slot - first > farthest) return true;
    return slot != first && (view.pairs.row(slot - 1) == View::none || !(view.pairs.key(slot - 1) < key));
  }
};

/// Whether the group of a slot does not end where that of the next key begins.
template <class View> struct wrong_group {
  View view;
  std::uint64_t places;  ///< in `groups`
  WDX_HD bool operator()(std::uint64_t slot) const {
    if (view.pairs.row(slot) == View::none) return false;
    std::uint64_t const begin = view.pairs.row(slot);
    if (begin >= places || view.groups[begin] == 0 || view.groups[begin] >= places - begin) return true;
    std::uint64_t next = slot + 1;
    while (next < view.buckets * View::slots && view.pairs.row(next) == View::none) ++next;
    bool const last = next == view.buckets * View::slots;
    return begin + view.groups[begin] + 1 != (last ? places : view.pairs.row(next));
  }
};

template <class View> struct begins_groups {
  View view;
  WDX_HD bool operator()(std::uint64_t slot) const { return view.pairs.row(slot) == 0; }
};

template <class View> struct mark_group {
  View view;
  std::uint8_t* begins;
  WDX_HD void operator()(std::uint64_t slot) const {
    if (view.pairs.row(slot) != View::none) begins[view.pairs.row(slot)] = 1;
  }
};

/// Whether a place in `groups` holds the reserved row, or one out of order.
template <class View> struct wrong_row {
  View view;
  std::uint8_t const* begins;
  WDX_HD bool operator()(std::uint64_t i) const {
    if (begins[i] != 0) return false;
    return view.groups[i] == View::none || (begins[i - 1] == 0 && view.groups[i] < view.groups[i - 1]);
  }
};

}  // namespace detail

template <class Engine, class View> class hash_table final : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::expect_none;
  using base::soa;
  using base::stored_;
  using base::view_;
  using typename base::Key;
  using typename base::Row;

 public:
  hash_table(hash_plan const& made_by, contents from, execution const& exec)
      : base(made_by, View{}, made_by.run), farthest_(made_by.farthest()), load_(made_by.load) {
    view_.size = made_by.shape.size;
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) build(std::move(*pairs), made_by, exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(exec);
  }

  bool ordered() const noexcept override { return false; }

  std::optional<std::uint64_t> hash_seed() const noexcept override { return table_.seed; }

  /// Slots are in the order of hashes; so are groups. An entry finds its slot by a running maximum.
  sorted_pairs entries(execution const& exec) const override {
    backend const& by = backend_of(Engine::kind);
    std::uint64_t const n = view_.size;
    sorted_pairs all{buffer(n * sizeof(Key), exec), buffer(n * sizeof(Row), exec), n, table_.seed};
    if (n == 0) return all;
    buffer counts((slots() + 1) * sizeof(std::uint64_t), exec);
    buffer places(n * sizeof(std::uint64_t), exec);
    auto* const before = counts.as<std::uint64_t>();
    auto* const slot_of = places.as<std::uint64_t>();
    Engine::for_each(exec, slots(), detail::flag_taken<View>{view_, before});
    by.exclusive_scan(before, slots(), exec);
    by.fill_zero(slot_of, places.bytes(), exec);
    Engine::for_each(exec, slots(), detail::mark_slot<View>{view_, before, slot_of});
    by.running_maximum(slot_of, n, exec);
    Engine::for_each(exec, n, detail::take_entry<View>{view_, before, slot_of, all.keys.as<Key>(), all.rows.as<Row>()});
    return all;
  }

  /// In place while the batch is small, all keys stay distinct, and the load between half and, of what the plan leaves
  /// free, half.
  bool apply(changes const& batch, execution const& exec) override {
    std::uint64_t const count = batch.insert.size + batch.erase.size;
    void* const first = stored_.arrays[0].second.owned.data();
    if (view_.groups != nullptr || first == nullptr || count > slots() / slots_a_change) return false;
    detail::table_changes<View> const asked{view_,
                                            batch.insert.keys.template as<Key>(),
                                            batch.insert.rows.template as<Row>(),
                                            batch.insert.size,
                                            batch.erase.keys.template as<Key>(),
                                            batch.erase.size,
                                            farthest_};
    std::uint64_t const keys =
        table_.keys + batch.insert.size - Engine::count_if(exec, batch.erase.size, detail::has_erased<View>{asked});
    std::uint64_t const homes = table_.homes * View::slots;
    if (keys * 2 * hash_plan::full_load > homes * (hash_plan::full_load + load_) ||
        keys * 2 * hash_plan::full_load < homes * load_)
      return false;
    void* const second = soa ? stored_.arrays[1].second.owned.data() : nullptr;
    if (!change_table<Engine>(asked, first, second, exec)) return false;
    table_.keys = view_.size = keys;
    this->set_size(keys);
    return true;
  }

  void verify(execution const& exec) const override {
    std::uint64_t const slots = view_.buckets * View::slots;
    expect_none(Engine::count_if(exec, slots, detail::wrong_slot<View>{view_, farthest_}), "slots out of order");
    std::uint64_t const taken = Engine::count_if(exec, slots, detail::is_taken<View>{view_});
    if (taken != table_.keys)
      throw format_error("damaged index: " + std::to_string(taken) + " keys in the place of " +
                         std::to_string(table_.keys));
    if (view_.groups == nullptr) return;
    std::uint64_t const places = view_.size + table_.keys;
    expect_none(Engine::count_if(exec, slots, detail::wrong_group<View>{view_, places}) +
                    (Engine::count_if(exec, slots, detail::begins_groups<View>{view_}) == 1 ? 0 : 1),
                "groups that do not follow one another");
    buffer begins(places, exec);
    backend_of(Engine::kind).fill_zero(begins.data(), places, exec);
    Engine::for_each(exec, slots, detail::mark_group<View>{view_, begins.as<std::uint8_t>()});
    expect_none(Engine::count_if(exec, places, detail::wrong_row<View>{view_, begins.as<std::uint8_t>()}),
                "row ids out of order");
  }

  std::vector<io::section> sections() const override {
    auto result = base::sections();
    result.insert(result.begin(), {"table", &table_, sizeof(table_)});
    return result;
  }

 private:
  /// The section `table` of files.
  struct table_numbers {
    std::uint64_t seed = 0;
    std::uint64_t homes = 0;    ///< home buckets
    std::uint64_t buckets = 0;  ///< all buckets
    std::uint64_t keys = 0;     ///< distinct ones
  };

  /// Slots for which there may be one change: with more, the table is made anew in less time.
  static constexpr std::uint64_t slots_a_change = 64;

  void build(sorted_pairs&& sorted, hash_plan const& made_by, execution const& exec) {
    std::uint64_t const n = view_.size;
    table_.keys =
        n == 0 ? 0 : n - Engine::count_if(exec, n - 1, detail::repeats_key<Key>{sorted.keys.template as<Key>()});
    table_.seed = sorted.seed.value_or(hash_plan::seed_of(0));
    bool const grouped = table_.keys != n;
    if (grouped && n + table_.keys >= View::none)
      throw invalid_argument("build: the groups of " + std::to_string(n) +
                             " entries have no room in 32 bits; use rows=u64");
    std::uint64_t const a_bucket = made_by.load * View::slots;
    table_.homes = (table_.keys * hash_plan::full_load + a_bucket - 1) / a_bucket;
    for (unsigned attempt = 0; attempt < hash_plan::attempts; ++attempt) {
      if (attempt != 0) sort_again(sorted, hash_plan::seed_of(attempt), exec);
      if (attempt >= hash_plan::growing_from) table_.homes += table_.homes / 4 + 1;
      if (try_build(sorted, grouped, exec)) return;
    }
    throw unsupported("build: " + std::to_string(table_.keys) + " keys collide under each of " +
                      std::to_string(hash_plan::attempts) + " hashes of " + this->spec_text() +
                      "; AO+PB+KS(9) takes any keys");
  }

  /// Brings the pairs into the order of another hash.
  void sort_again(sorted_pairs& sorted, std::uint64_t seed, execution const& exec) {
    Engine::for_each(exec, sorted.size, detail::unmix_key<Key>{sorted.keys.template as<Key>(), table_.seed});
    constexpr auto key_type = sizeof(Key) == 4 ? key_type::u32 : key_type::u64;
    constexpr auto row_type = sizeof(Row) == 4 ? row_type::u32 : row_type::u64;
    double prepare = 0;
    double sort = 0;
    sorted = backend_of(Engine::kind)
                 .sort(column(sorted.keys.data(), sorted.size, key_type),
                       row_column(sorted.rows.data(), sorted.size, row_type), row_type, seed, exec, prepare, sort);
    table_.seed = seed;
  }

  /// @return false, with nothing kept, if an entry came too far from its home
  bool try_build(sorted_pairs const& sorted, bool grouped, execution const& exec) {
    backend const& by = backend_of(Engine::kind);
    std::uint64_t const n = view_.size;
    std::uint64_t const keys = table_.keys;
    detail::distinct_keys<View> entries{sorted.keys.template as<Key>(), sorted.rows.template as<Row>(), nullptr};
    view_.seed = table_.seed;
    view_.homes = table_.homes;

    stored_array groups;
    buffer starts;
    if (grouped) {
      groups = stored_array((n + keys) * sizeof(Row), exec);
      starts = buffer((keys + 1) * sizeof(std::uint64_t), exec);
      buffer before((n + 1) * sizeof(std::uint64_t), exec);
      auto* const flags = before.as<std::uint64_t>();
      Engine::for_each(exec, n, detail::flag_first<Key>{entries.keys, flags});
      by.exclusive_scan(flags, n, exec);
      auto* const group_starts = starts.as<std::uint64_t>();
      auto* const to = groups.owned.template as<Row>();
      Engine::for_each(exec, n, detail::write_groups<View>{entries.keys, entries.rows, flags, group_starts, to});
      by.copy(group_starts + keys, &n, sizeof(n), exec);
      Engine::for_each(exec, keys, detail::write_group_sizes<Row>{group_starts, to});
      entries.starts = group_starts;
      by.synchronize(exec);  // the copy of `n` reads this frame
    }

    buffer shifts(keys * sizeof(std::uint64_t), exec);
    auto* const shift = shifts.as<std::uint64_t>();
    std::uint64_t last_shift = 0;
    if (keys != 0) {
      Engine::for_each(exec, keys, detail::write_shift_at_home<View>{view_, entries, shift});
      by.running_maximum(shift, keys, exec);
      if (Engine::count_if(exec, keys, detail::lies_too_far<View>{view_, entries, shift, farthest_}) != 0) return false;
      by.copy(&last_shift, shift + keys - 1, sizeof(last_shift), exec);
      by.synchronize(exec);
    }
    table_.buckets = keys == 0 ? 0 : std::max(table_.homes, (keys - 1 + last_shift) / View::slots + 1);

    this->add_pairs(slots(), exec);
    if (grouped) stored_.add("groups", std::move(groups));
    point_view_at_arrays();
    void* const first = stored_.arrays[0].second.owned.data();
    void* const second = soa ? stored_.arrays[1].second.owned.data() : nullptr;
    Engine::for_each(exec, slots(), detail::write_empty<View>{first, second});
    Engine::for_each(exec, keys, detail::write_entry<View>{entries, shift, first, second});
    return true;
  }

  void load(stored_index const& from, execution const& exec) {
    auto const numbers = from.file.bytes("table");
    if (numbers.size() != sizeof(table_))
      from.file.fail("table", "holds " + std::to_string(numbers.size()) + " bytes, the index needs " +
                                  std::to_string(sizeof(table_)));
    std::memcpy(&table_, numbers.data(), sizeof(table_));
    bool const grouped = from.file.has("groups");
    if (table_.homes > table_.buckets || table_.buckets > std::uint64_t{1} << 56 || table_.keys > view_.size ||
        (table_.keys == view_.size) == grouped || (table_.keys == 0) != (view_.size == 0))
      from.file.fail("table", "says " + std::to_string(table_.homes) + " of " + std::to_string(table_.buckets) +
                                  " buckets and " + std::to_string(table_.keys) + " keys for " +
                                  std::to_string(view_.size) + " entries");
    this->take_pairs(from, slots(), exec);
    if (grouped) this->take(from, "groups", (view_.size + table_.keys) * sizeof(Row), exec);
    point_view_at_arrays();
    this->check_loaded(from, exec);
  }

  std::uint64_t slots() const { return table_.buckets * View::slots; }

  void point_view_at_arrays() {
    view_.seed = table_.seed;
    view_.homes = table_.homes;
    view_.buckets = table_.buckets;
    this->point_view_at_pairs(0);
    auto const& [name, array] = stored_.arrays.back();
    view_.groups = name == "groups" ? static_cast<Row const*>(array.data) : nullptr;
  }

  std::uint64_t farthest_;
  unsigned load_;  ///< as the plan's
  table_numbers table_;
};

}  // namespace warpdex
