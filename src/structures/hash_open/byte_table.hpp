// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/hash_bytes.hpp>

#include <cstring>
#include <utility>

#include "backend/strings/byte_words.hpp"
#include "base/reserved_row.hpp"
#include "structures/hash/hash_choice.hpp"
#include "structures/hash/row_lists.hpp"
#include "structures/view_structure.hpp"

/// @file
/// How HT(open) over strings (search/hash_bytes.hpp) is built, loaded and checked. It holds an HT(open) over hashes,
/// and makes the records of the strings in the order of the hashes.
namespace warpdex {
namespace detail {

/// Writes the hash of string i as the table of slots hashes it.
struct hash_of_string {
  byte_key const* strings;
  string_hash hash;
  std::uint64_t seed;
  std::uint64_t* hashes;
  WDX_HD void operator()(std::uint64_t i) const { hashes[i] = mix(hash(strings[i]), seed); }
};

/// Whether entry i + 1 has the hash of entry i, but is another string.
template <class Row> struct meets_another {
  std::uint64_t const* hashes;
  byte_key const* strings;
  Row const* numbers;  ///< of the string of each entry
  WDX_HD bool operator()(std::uint64_t i) const {
    return hashes[i] == hashes[i + 1] && strings[numbers[i]] != strings[numbers[i + 1]];
  }
};

/// Takes elements from the places that numbers name.
template <class Value, class Row> struct take_numbered {
  Value const* from;
  Row const* numbers;
  Value* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = from[numbers[i]]; }
};

/// The distinct strings of a build, in the order of their hashes.
template <class Row> struct distinct_strings {
  byte_key const* strings;
  Row const* rows;     ///< of each string; null if its number is its row
  Row const* numbers;  ///< of the string of each entry
  Row const* starts;   ///< first entry of each key and, at the end, the number of entries; null if no key repeats

  WDX_HD std::uint64_t first(std::uint64_t key) const { return starts == nullptr ? key : starts[key]; }
  WDX_HD byte_key string(std::uint64_t key) const { return strings[numbers[first(key)]]; }
  /// Asks for the memory of strings of later keys: first for references, then for bytes.
  WDX_HD WDX_INLINE void fetch_ahead(std::uint64_t key, std::uint64_t count) const {
    constexpr std::uint64_t ahead = 8;
    if (key + 2 * ahead < count) prefetch(strings + numbers[first(key + 2 * ahead)]);
    if (key + ahead < count) prefetch(string(key + ahead).data);
  }
  WDX_HD Row row(std::uint64_t entry) const { return rows == nullptr ? numbers[entry] : rows[numbers[entry]]; }
  WDX_HD Row value(std::uint64_t key) const { return starts == nullptr ? row(key) : starts[key]; }
};

template <class Row> struct count_units {
  distinct_strings<Row> keys;
  std::uint64_t count;
  std::uint64_t* units;
  WDX_HD void operator()(std::uint64_t key) const {
    keys.fetch_ahead(key, count);
    units[key] = string_records<Row>::units_of(keys.string(key).size);
  }
};

/// Writes the record of a key, and its slot.
template <class Row> struct write_record {
  distinct_strings<Row> keys;
  std::uint64_t count;          ///< number of keys; that number writes the end of all records
  std::uint64_t entries;        ///< number of entries
  std::uint64_t const* places;  ///< of the records and, at the end, of their end
  std::uint64_t const* hashes;  ///< of the entries
  std::uint64_t* slot_hashes;
  Row* slot_places;
  unsigned char* records;
  WDX_HD void operator()(std::uint64_t key) const {
    using layout = string_records<Row>;
    keys.fetch_ahead(key, count);
    auto* const to = records + places[key] * layout::unit;
    auto* const header = reinterpret_cast<Row*>(to);
    byte_key const string = key < count ? keys.string(key) : byte_key{};
    header[0] = string.size;
    header[1] = key < count ? keys.value(key) : static_cast<Row>(entries);
    auto* const words = reinterpret_cast<std::uint64_t*>(to + layout::header_bytes);
    std::uint64_t const whole = (layout::units_of(string.size) * layout::unit - layout::header_bytes) / 8;
    for (std::uint64_t w = 0; w < whole; ++w)
      words[w] = detail::image_of(word_at(string, static_cast<std::uint32_t>(8 * w)));
    if (key == count) return;
    slot_hashes[key] = hashes[keys.first(key)];
    slot_places[key] = static_cast<Row>(places[key]);
  }
};

template <class Row> struct write_entry_row {
  distinct_strings<Row> keys;
  Row* rows;
  WDX_HD void operator()(std::uint64_t entry) const { rows[entry] = keys.row(entry); }
};

/// Copies the entries of records, with references to their strings.
template <class View> struct take_records {
  using Row = typename View::row_type;
  View view;
  Row const* places;
  byte_key* keys;
  Row* rows;
  WDX_HD void operator()(std::uint64_t key) const {
    std::uint64_t const position = places[key];
    byte_key const string = view.pairs.key(position);
    std::uint64_t const first = view.rows == nullptr ? key : view.pairs.row(position);
    std::uint64_t const end = view.rows == nullptr ? key + 1 : view.pairs.row(view.pairs.next(position));
    for (std::uint64_t entry = first; entry < end; ++entry) {
      keys[entry] = string;
      rows[entry] = view.rows == nullptr ? view.pairs.row(position) : view.rows[entry];
    }
  }
};

/// Whether the slot of a key has no record of a string with its hash, or the record has no rows in order.
template <class View> struct wrong_record {
  View view;
  std::uint64_t units;  ///< of all records, with their end
  WDX_HD bool operator()(std::uint64_t slot) const {
    if (!view.table.is_taken(slot)) return false;
    using layout = typename View::pairs_type;
    std::uint64_t const position = view.table.pairs.row(slot);
    if (position >= units || view.pairs.header(position)[0] > byte_key::longest) return true;
    if (units - position <= layout::units_of(view.pairs.size(position))) return true;
    if (view.route_of(view.pairs.key(position)) != view.table.pairs.key(slot)) return true;
    std::uint64_t const first = view.pairs.row(position);
    if (view.rows == nullptr) return first == View::none;
    std::uint64_t const end = view.pairs.row(view.pairs.next(position));
    if (first >= end || end > view.size) return true;
    for (std::uint64_t entry = first; entry < end; ++entry)
      if (view.rows[entry] == View::none || (entry > first && view.rows[entry] < view.rows[entry - 1])) return true;
    return false;
  }
};

/// Writes for each row in a list the place of its key's record, and 1 more.
template <class View> struct claim_rows {
  using Row = typename View::row_type;
  View view;
  Row* owners;
  WDX_HD void operator()(std::uint64_t slot) const {
    if (!view.table.is_taken(slot)) return;
    Row const position = view.table.pairs.row(slot);
    std::uint64_t const end = view.pairs.row(view.pairs.next(position));
    for (std::uint64_t entry = view.pairs.row(position); entry < end; ++entry) owners[entry] = position + 1;
  }
};

/// Whether another key has claimed a row of a key's list.
template <class View> struct shares_rows {
  using Row = typename View::row_type;
  View view;
  Row const* owners;
  WDX_HD bool operator()(std::uint64_t slot) const {
    if (!view.table.is_taken(slot)) return false;
    Row const position = view.table.pairs.row(slot);
    std::uint64_t const end = view.pairs.row(view.pairs.next(position));
    for (std::uint64_t entry = view.pairs.row(position); entry < end; ++entry)
      if (owners[entry] != position + 1) return true;
    return false;
  }
};

template <class Row> struct is_unclaimed {
  Row const* owners;
  WDX_HD bool operator()(std::uint64_t entry) const { return owners[entry] == 0; }
};

}  // namespace detail

template <class Engine, class View> class byte_table final : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::stored_;
  using base::view_;
  using typename base::Row;
  using layout = typename View::pairs_type;

 public:
  byte_table(plan const& made_by, hash_choice const& choice, contents from, execution const& exec)
      : base(made_by, View{}, choice.run) {
    view_.size = made_by.shape.size;
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) build(std::move(*pairs), choice, exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(view_, exec);
  }

  std::vector<io::section> sections() const override {
    auto result = base::sections();
    result.insert(result.begin(), {"strings", &numbers_, sizeof(numbers_)});
    auto slots = slots_->sections();
    result.insert(result.end(), slots.begin(), slots.end());
    return result;
  }

  memory_usage memory() const noexcept override {
    memory_usage usage = base::memory();
    memory_usage const slots = slots_->memory();
    usage.pairs += slots.pairs;
    usage.auxiliary += slots.auxiliary;
    return usage;
  }

  void verify(execution const& exec) const override {
    slots_->verify(exec);
    check_records(exec);
  }

  /// @return references to the strings, valid while this structure lives, in their order
  sorted_pairs entries_to_merge(execution const& exec) const override {
    std::uint64_t const n = view_.size;
    if (n == 0) return {};
    sorted_pairs const slots = slots_->entries_to_merge(exec);
    buffer const keys(n * sizeof(byte_key), exec);
    buffer const rows(n * sizeof(Row), exec);
    Engine::for_each(
        exec, slots.size,
        detail::take_records<View>{view_, slots.rows.template as<Row>(), keys.as<byte_key>(), rows.as<Row>()});
    row_type const width = this->shape().rows;
    return backend_of(Engine::kind)
        .sort(column(keys.data(), n, key_type::bytes), row_column(rows.data(), n, width), width, std::nullopt, exec)
        .pairs;
  }

  void outlive_stream() noexcept override {
    base::outlive_stream();
    slots_->outlive_stream();
  }

 private:
  /// The section `strings` of files.
  struct table_numbers {
    std::uint64_t seed = 0;
    std::uint64_t keys = 0;  ///< number of distinct keys
  };

  /// Most seeds that a build tries until no two strings share a hash. Of 2^32 strings two do so under 4 seeds of 10.
  static constexpr int most_seeds = 64;

  void build(sorted_pairs&& pairs, hash_choice const& choice, execution const& exec);
  void load(stored_index const& from, execution const& exec);
  std::pair<buffer, buffer> sort_by_hash(byte_key const* strings, hash_choice const& choice, execution const& exec);
  void bring_in_order_of_rows(sorted_pairs& pairs, execution const& exec) const;
  void make_records(detail::distinct_strings<Row> const& keys, std::uint64_t const* hashes, execution const& exec);

  /// Makes the table of slots. @param from contents of an HT(open) over hashes with places as rows
  void make_slots(contents from, execution const& exec) {
    index_shape shape = this->shape();
    shape.keys = key_type::u64;
    shape.size = numbers_.keys;
    slots_ = make_plan(this->resolved(), shape)->make(std::move(from), exec);
  }

  void point_view() {
    view_.table = *static_cast<typename View::table_type const*>(slots_->view(typeid(typename View::table_type)));
    view_.pairs = {static_cast<unsigned char const*>(stored_.find("records")->data)};
    auto const* const rows = stored_.find("list_rows");
    view_.rows = rows == nullptr ? nullptr : static_cast<Row const*>(rows->data);
    view_.seed = numbers_.seed;
    view_.hash = string_hash(numbers_.seed);
  }

  void check_records(execution const& exec) const {
    expect_none(Engine::count_if(exec, view_.table.end_slot(),
                                 detail::wrong_record<View>{view_, stored_.find("records")->bytes / layout::unit}),
                "keys without a record of their own");
    if (view_.rows == nullptr) return;
    buffer const claimed(view_.size * sizeof(Row), exec);
    auto* const owners = claimed.template as<Row>();
    backend_of(Engine::kind).fill_zero(owners, claimed.bytes(), exec);
    std::uint64_t const slots = view_.table.end_slot();
    Engine::for_each(exec, slots, detail::claim_rows<View>{view_, owners});
    expect_none(Engine::count_if(exec, slots, detail::shares_rows<View>{view_, owners}), "keys with rows of others");
    expect_none(Engine::count_if(exec, view_.size, detail::is_unclaimed<Row>{owners}), "rows without a key");
  }

  table_numbers numbers_;
  std::unique_ptr<structure> slots_;
};

/// Sorts the numbers of strings by their hashes, under a seed under which no two strings share one.
/// @return hashes and numbers
template <class Engine, class View>
std::pair<buffer, buffer> byte_table<Engine, View>::sort_by_hash(byte_key const* strings, hash_choice const& choice,
                                                                 execution const& exec) {
  std::uint64_t const n = view_.size;
  numbers_.seed = *choice.hash_seed();
  buffer const hashes(n * sizeof(std::uint64_t), exec);
  for (int attempt = 0; attempt < most_seeds; ++attempt) {
    Engine::for_each(
        exec, n,
        detail::hash_of_string{strings, string_hash(numbers_.seed), numbers_.seed, hashes.as<std::uint64_t>()});
    auto sorted =
        backend_of(Engine::kind)
            .sort(column(hashes.data(), n, key_type::u64), std::nullopt, this->shape().rows, std::nullopt, exec)
            .pairs;
    if (n < 2 || Engine::count_if(exec, n - 1,
                                  detail::meets_another<Row>{sorted.keys.template as<std::uint64_t>(), strings,
                                                             sorted.rows.template as<Row>()}) == 0)
      return {std::move(sorted.keys), std::move(sorted.rows)};
    numbers_.seed = choice.seed_after(numbers_.seed);
  }
  throw unsupported(this->spec_text() + ": strings share hashes under each of " + std::to_string(most_seeds) +
                    " seeds");
}

/// Sorts strings by their rows, unless these ascend.
/// @throws invalid_argument if a row id is `no_row`
template <class Engine, class View>
void byte_table<Engine, View>::bring_in_order_of_rows(sorted_pairs& pairs, execution const& exec) const {
  std::uint64_t const n = pairs.size;
  if (pairs.rows.data() == nullptr || n == 0) return;
  auto const& backend = backend_of(Engine::kind);
  constexpr key_type type = sizeof(Row) == 4 ? key_type::u32 : key_type::u64;
  if (backend.order_of(pairs.rows.data(), n, kind_of(type), exec).first_descent) {
    column const rows(pairs.rows.data(), n, type);
    auto sorted = backend.sort(rows, std::nullopt, this->shape().rows, std::nullopt, exec).pairs;
    buffer keys(n * sizeof(byte_key), exec);
    Engine::for_each(exec, n,
                     detail::take_numbered<byte_key, Row>{pairs.keys.template as<byte_key>(),
                                                          sorted.rows.template as<Row>(), keys.as<byte_key>()});
    backend.synchronize(exec);
    pairs.keys = std::move(keys);
    pairs.rows = std::move(sorted.keys);
  }
  Row last = 0;
  backend.copy(&last, pairs.rows.template as<Row>() + (n - 1), sizeof(last), exec);
  backend.synchronize(exec);
  if (last == no_row<Row>) refuse_reserved_row<Row>();
}

/// @param pairs strings in any order, with their rows, or without if these are their numbers
template <class Engine, class View>
void byte_table<Engine, View>::build(sorted_pairs&& pairs, hash_choice const& choice, execution const& exec) {
  std::uint64_t const n = view_.size;
  bring_in_order_of_rows(pairs, exec);
  auto const* const strings = pairs.keys.template as<byte_key>();
  auto const [hash_memory, number_memory] = sort_by_hash(strings, choice, exec);
  auto const* const hashes = hash_memory.template as<std::uint64_t>();
  numbers_.keys = n == 0 ? 0 : n - Engine::count_if(exec, n - 1, detail::repeats_key<std::uint64_t>{hashes});
  buffer starts;
  if (numbers_.keys < n) starts = list_first_entries<Engine, std::uint64_t, Row>(hashes, n, numbers_.keys, exec);
  detail::distinct_strings<Row> const keys{strings, pairs.rows.template as<Row>(), number_memory.template as<Row>(),
                                           starts.as<Row>()};
  make_records(keys, hashes, exec);
  if (keys.starts != nullptr) {
    auto* const rows = stored_.add("list_rows", stored_array(n * sizeof(Row), exec)).owned.template as<Row>();
    Engine::for_each(exec, n, detail::write_entry_row<Row>{keys, rows});
  }
  point_view();
  backend_of(Engine::kind).synchronize(exec);
}

/// Makes records and slots.
template <class Engine, class View>
void byte_table<Engine, View>::make_records(detail::distinct_strings<Row> const& keys, std::uint64_t const* hashes,
                                            execution const& exec) {
  std::uint64_t const count = numbers_.keys;
  buffer const place_memory((count + 1) * sizeof(std::uint64_t), exec);
  auto* const places = place_memory.as<std::uint64_t>();
  Engine::for_each(exec, count, detail::count_units<Row>{keys, count, places});
  std::uint64_t const units = backend_of(Engine::kind).exclusive_scan(places, count, exec);
  if (units >= no_row<Row>)
    throw unsupported(this->spec_text() + ": strings of more than 64 GiB take row ids of 64 bits (rows=u64)");
  auto& records = stored_.add("records", stored_array((units + 1) * layout::unit, exec)).owned;
  sorted_pairs slots{buffer(count * sizeof(std::uint64_t), exec), buffer(count * sizeof(Row), exec), count,
                     numbers_.seed};
  Engine::for_each(
      exec, count + 1,
      detail::write_record<Row>{keys, count, view_.size, places, hashes, slots.keys.template as<std::uint64_t>(),
                                slots.rows.template as<Row>(), records.template as<unsigned char>()});
  make_slots(std::move(slots), exec);
}

template <class Engine, class View>
void byte_table<Engine, View>::load(stored_index const& from, execution const& exec) {
  auto const read = load_array(from.file, "strings", sizeof(numbers_), false, execution(host_memory()));
  std::memcpy(&numbers_, read.data, sizeof(numbers_));
  std::uint64_t const bytes = from.file.size("records");
  if (numbers_.keys > view_.size || (numbers_.keys == 0) != (view_.size == 0) || bytes % layout::unit != 0 ||
      bytes / layout::unit <= numbers_.keys)
    from.file.fail("strings", "says " + std::to_string(numbers_.keys) + " keys for " + std::to_string(view_.size) +
                                  " entries and " + std::to_string(bytes) + " bytes of records");
  this->take(from, "records", bytes, exec);
  if (numbers_.keys < view_.size) this->take(from, "list_rows", view_.size * sizeof(Row), exec);
  stored_index slots = from;
  slots.is_part = true;
  make_slots(std::move(slots), exec);
  point_view();
  this->complete_load(from, [&] {
    if (from.checks_structure()) check_records(exec);  // slots lead to records
  });
}

}  // namespace warpdex
