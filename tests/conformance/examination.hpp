// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/data_set.hpp"
#include "conformance/driver.hpp"
#include "conformance/table_questions.hpp"
#include "io/file.hpp"
#include "support/key_array.hpp"

#include <warpdex/device.hpp>
#include <warpdex/sharded.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace warpdex::test {

/// @return a value as text for messages; of a string its first bytes
template <class T> auto shown(T const& value) {
  if constexpr (std::is_same_v<T, std::string>)
    return fmt::format("{} bytes {:02x}", value.size(),
                       fmt::join(std::basic_string<unsigned char>(value.begin(), value.end()).substr(0, 40), ""));
  else return value;
}

/// Questions to one index, and the answers of the oracle.
template <class Scalar, class Row> class examination {
  static constexpr bool strings = std::is_same_v<Scalar, std::string>;

 public:
  examination(conformance_case const& c, execution const& exec)
      : examination(c, exec, data_set<Scalar, Row>::of(c), {}) {}

  examination(conformance_case const& c, execution const& exec, warpdex::index of, std::vector<Scalar> keys,
              std::vector<std::uint64_t> rows)
      : examination(c, exec, std::make_shared<data_set<Scalar, Row> const>(std::move(keys), std::move(rows), c.seed),
                    std::move(of)) {}

  void run() {
    reload();
    examine();
    if (rows_.empty()) {  // from here on rows are no positions
      rows_.resize(keys_.size());
      std::iota(rows_.begin(), rows_.end(), std::uint64_t{0});
    }
    for (int number = 1; number <= case_.updates; ++number) {
      batch_ = fmt::format(" of update {}", number);
      change(make_changes());
      reload();
      if (number % case_.examined_every == 0) examine();
      batch_ = fmt::format(" after update {}", number);
    }
  }

  std::string operation() const { return operation_ + batch_; }

 private:
  friend class table_questions<Scalar, Row, examination>;

  /// @param loaded the index; without it, it is built
  examination(conformance_case const& c, execution const& exec, std::shared_ptr<data_set<Scalar, Row> const> data,
              std::optional<warpdex::index> loaded)
      : case_(c), exec_(exec), random_(c.seed), data_(std::move(data)), keys_(data_->keys), rows_(data_->rows),
        oracle_(data_->sorted), index_(loaded ? std::make_unique<warpdex::index>(std::move(*loaded)) : build()) {}

  // ---- the questions

  void examine() {
    check_properties();
    auto const probes = make_probes(keys_, case_.probes, random_);
    point_questions<Scalar> points;
    points.add(probes, *oracle_);
    check_point(points);
    check_point({});
    check_point(points.first(1));
    if (index_->ordered()) {
      check_ordered(points);
      check_ordered({});
      check_ranges(make_ranges(make_probes(keys_, case_.probes, random_), probes, *oracle_, case_.probes, random_));
      check_ranges({});
      check_prefixes(probes);
      check_prefixes({});
      check_keys_at(case_.probes);
      check_keys_at(0);
    } else {
      check_refusals(probes);
    }
    check_table(probes);
    if (!case_.batches.empty()) check_batches();
    operation_ = "verify";
    index_->verify(exec_);
  }

  std::unique_ptr<any_index> build() {
    operation_ = "build";
    auto const keys = key_input(keys_);
    auto const rows = input(std::vector<Row>(rows_.begin(), rows_.end()));
    row_column const row_ids(rows.data(), rows.size(), case_.rows);
    if (case_.shards == 0)
      return std::make_unique<warpdex::index>(case_.given_rows ? index::build(case_.spec, keys.view(), row_ids, exec_)
                                                               : index::build(case_.spec, keys.view(), exec_));
    auto const how = case_.copies ? warpdex::placement::replicate : warpdex::placement::range;
    std::uint32_t const shards = case_.copies ? 0 : case_.shards;
    auto built = case_.given_rows
                     ? sharded_index::build(case_.spec, keys.view(), row_ids, how, places(case_.shards), shards)
                     : sharded_index::build(case_.spec, keys.view(), how, places(case_.shards), shards);
    return std::make_unique<sharded_index>(std::move(built));
  }

  /// As many places as shards, but at most three, or as there are devices.
  std::vector<shard_place> places(std::uint32_t shards) const {
    if (exec_.memory->backend() == backend_kind::cpu)
      return std::vector<shard_place>(std::min(shards, 3u), {exec_, -1});
    std::vector<shard_place> result{{exec_, 0}};
    for (device_info const& other : devices())
      if (other.ordinal != 0 && result.size() < shards) result.push_back(place_on(other.ordinal));
    return result;
  }

  void reload() {
    if (case_.file.empty()) return;
    operation_ = "save";
    index_->save(case_.file);
    operation_ = "load";
    bool const map = below(random_, 2) == 0;
    if (case_.shards != 0) {
      auto const other_places = places(1 + static_cast<std::uint32_t>(below(random_, 3)));
      index_ = std::make_unique<sharded_index>(sharded_index::load(case_.file, other_places, map));
      return;
    }
    index_ = std::make_unique<warpdex::index>(index::load(case_.file, exec_, map));
    auto const file = io::file::open(case_.file, true);
    if (file.has("table")) std::memcpy(&known_seed_, file.bytes("table").data(), sizeof known_seed_);
  }

  void check_properties() {
    operation_ = "properties";
    expect(index_->size() == keys_.size(), "size() is {}", index_->size());
    expect(index_->key_type() == case_.keys, "key_type() is {}", warpdex::to_string(index_->key_type()));
    expect(index_->row_type() == case_.rows, "row_type() is {}", warpdex::to_string(index_->row_type()));
    if (auto const* const whole = dynamic_cast<warpdex::index const*>(index_.get()))
      expect(whole->backend() == exec_.memory->backend(), "backend() is the other one");
    // Without ranks, a key may be stored once for all of its entries.
    std::uint64_t raw = index_->size() * sizeof(Row);
    if (index_->ordered())
      for (Scalar const& key : keys_) raw += bytes_of(key);
    expect(index_->memory().pairs >= raw, "memory().pairs is {} bytes for {} bytes of entries", index_->memory().pairs,
           raw);
    operation_ = "verify";
    index_->verify(exec_);
  }

  /// For an index that was not updated.
  void check_batches() {
    auto const& [points, ranges] =
        data_->batches(*std::max_element(case_.batches.begin(), case_.batches.end()), case_.probes);
    for (std::uint64_t const size : case_.batches) {
      batch_ = fmt::format(" in a batch of {}", size);
      auto const some = points.first(size);
      check_point(some);
      for (std::size_t const others_of_ten : {1, 0}) check_point(points.skewed(size, others_of_ten));
      if (!index_->ordered()) continue;
      check_ordered(some);
      check_ranges(ranges.head(size));
      check_prefixes(some.probes);
    }
    batch_.clear();
  }

  // All calls of a check come before the first answer is read, so the host waits only once.

  void check_point(point_questions<Scalar> const& questions) {
    std::size_t const m = questions.size();
    std::vector<Scalar> const& values = questions.probes;
    std::vector<std::uint64_t> const& lower = questions.lower;
    std::vector<std::uint64_t> const& upper = questions.upper;
    auto const probes = key_input(values);
    column const c = probes.view();
    auto found = output<std::uint8_t>(m, 0xcd);
    auto rows = output<Row>(m, 7);
    auto positions = output<std::uint32_t>(m, 0xcdcdcdcd);
    auto any_rows = output<Row>(m, 7);
    auto counts = output<std::uint64_t>(m, 7);
    std::size_t const some = affordable(lower, upper);

    operation_ = "contains";
    index_->contains(c, found.span(), exec_);
    operation_ = "find";
    index_->find(c, row_output(rows.data(), m, case_.rows), exec_);
    operation_ = "find_unordered";
    index_->find_unordered(c, positions.span(), row_output(any_rows.data(), m, case_.rows), exec_);
    operation_ = "count";
    index_->count(c, counts.span(), exec_);
    operation_ = "retrieve";
    auto const got = index_->retrieve(first_of(c, some), exec_);

    compare_matches(got, some, lower, upper);
    operation_ = "contains";
    compare<std::uint8_t>(found.read(), values, [&](std::size_t i) { return lower[i] < upper[i]; });
    operation_ = "find";
    auto const first_row = [&](std::size_t i) {
      return lower[i] < upper[i] ? static_cast<Row>(oracle_->entries()[lower[i]].row) : no_row<Row>;
    };
    compare<Row>(rows.read(), values, first_row);
    operation_ = "find_unordered";
    compare<Row>(in_order_of_probes(positions.read(), any_rows.read()), values, first_row);
    operation_ = "count";
    compare<std::uint64_t>(counts.read(), values, [&](std::size_t i) { return upper[i] - lower[i]; });
  }

  /// The answers of find_unordered, of which each probe has one.
  std::vector<Row> in_order_of_probes(std::vector<std::uint32_t> const& positions, std::vector<Row> const& rows) {
    std::size_t const m = positions.size();
    std::vector<bool> seen(m);
    std::vector<Row> restored(m);
    for (std::size_t j = 0; j < m; ++j) {
      std::uint32_t const probe = positions[j];
      expect(probe < m && !seen[probe], "position {} at {} is not one of {} different ones", probe, j, m);
      seen[probe] = true;
      restored[probe] = rows[j];
    }
    return restored;
  }

  void check_ordered(point_questions<Scalar> const& questions) {
    std::size_t const m = questions.size();
    auto const probes = key_input(questions.probes);
    column const c = probes.view();
    auto bounds = output<std::uint64_t>(m, 7);
    auto upper_bounds = output<std::uint64_t>(m, 7);
    operation_ = "lower_bound";
    index_->lower_bound(c, bounds.span(), exec_);
    operation_ = "upper_bound";
    index_->upper_bound(c, upper_bounds.span(), exec_);
    // The first entry of the key that is nearest to each probe on one side, if there is one.
    using nearest_lookup = void (any_index::*)(nullable_column const&, key_output, row_output, execution const&) const;
    auto const check_nearest = [&](std::string const& name, nearest_lookup const nearest, auto const& has,
                                   auto const& entry_of) {
      auto alone = output<Row>(m, 7);
      auto const row_of = [&](std::size_t i) { return has(i) ? static_cast<Row>(entry_of(i).row) : no_row<Row>; };
      if constexpr (!strings) {
        auto keys = output<Scalar>(m, Scalar{42});
        auto rows = output<Row>(m, 7);
        operation_ = name;
        ((*index_).*nearest)(c, key_output(keys.data(), m, case_.keys), row_output(rows.data(), m, case_.rows), exec_);
        compare<Row>(rows.read(), questions.probes, row_of);
        operation_ = name + " (keys)";
        compare<Scalar>(keys.read(), questions.probes,
                        [&](std::size_t i) { return has(i) ? entry_of(i).key : Scalar{42}; });
      }
      operation_ = name + " (rows alone)";
      ((*index_).*nearest)(c, key_output(), row_output(alone.data(), m, case_.rows), exec_);
      compare<Row>(alone.read(), questions.probes, row_of);
    };
    check_nearest(
        "floor", &any_index::floor, [&](std::size_t i) { return questions.upper[i] != 0; },
        [&](std::size_t i) { return oracle_->entries()[oracle_->begin_of_key(questions.upper[i] - 1)]; });
    check_nearest(
        "ceil", &any_index::ceil, [&](std::size_t i) { return questions.lower[i] < oracle_->entries().size(); },
        [&](std::size_t i) { return oracle_->entries()[questions.lower[i]]; });
    operation_ = "lower_bound";
    compare<std::uint64_t>(bounds.read(), questions.probes, [&](std::size_t i) { return questions.lower[i]; });
    operation_ = "upper_bound";
    compare<std::uint64_t>(upper_bounds.read(), questions.probes, [&](std::size_t i) { return questions.upper[i]; });
  }

  /// @param prefixes whether the ranges are those of prefixes, which are the lower bounds
  void check_ranges(range_questions<Scalar> const& questions, bool prefixes = false) {
    std::size_t const m = questions.size();
    std::vector<std::uint64_t> const& first = questions.first;
    std::vector<std::uint64_t> const& last = questions.last;
    std::string const name = prefixes ? "prefix_" : "range_";
    auto const lower = key_input(questions.lower);
    auto const upper = key_input(questions.upper);
    column const l = lower.view();
    column const u = upper.view();
    auto counts = output<std::uint64_t>(m, 7);
    auto totals = output<std::uint64_t>(m, 7);
    std::size_t const some = affordable(first, last);

    operation_ = name + "count";
    prefixes ? index_->prefix_count(l, counts.span(), exec_) : index_->range_count({l, u}, counts.span(), exec_);
    operation_ = name + "sum";
    prefixes ? index_->prefix_sum(l, totals.span(), exec_) : index_->range_sum({l, u}, totals.span(), exec_);
    operation_ = name + "retrieve";
    auto const got = prefixes ? index_->prefix_retrieve(first_of(l, some), exec_)
                              : index_->range_retrieve({first_of(l, some), first_of(u, some)}, exec_);

    compare_matches(got, some, first, last);
    operation_ = name + "count";
    compare<std::uint64_t>(counts.read(), questions.lower, [&](std::size_t i) { return last[i] - first[i]; });
    operation_ = name + "sum";
    compare<std::uint64_t>(totals.read(), questions.lower,
                           [&](std::size_t i) { return oracle_->sum_before(last[i]) - oracle_->sum_before(first[i]); });
  }

  void check_prefixes(std::vector<Scalar> const& probes) {
    if constexpr (strings) {
      check_ranges(ranges_of_prefixes(make_prefixes(probes, random_), *oracle_), true);
      check_longest(probes);
    }
  }

  /// The longest key that is a prefix of each probe. Half of the probes are extended.
  void check_longest(std::vector<Scalar> probes) {
    for (std::size_t i = 0; i < probes.size(); i += 2)
      probes[i].append(below(random_, 12), static_cast<char>(below(random_, 256)));
    auto const query = key_input(probes);
    auto rows = output<Row>(probes.size(), 7);
    auto lengths = output<std::uint32_t>(probes.size(), 7);
    operation_ = "longest_prefix";
    index_->longest_prefix(query.view(), row_output(rows.data(), probes.size(), case_.rows), lengths.span(), exec_);
    std::vector<std::uint64_t> ranks;
    for (Scalar const& probe : probes) ranks.push_back(oracle_->longest_beginning(probe));
    auto const& entries = oracle_->entries();
    compare<Row>(rows.read(), probes, [&](std::size_t i) {
      return ranks[i] < entries.size() ? static_cast<Row>(entries[ranks[i]].row) : no_row<Row>;
    });
    operation_ = "longest_prefix (lengths)";
    compare<std::uint32_t>(lengths.read(), probes,
                           [&](std::size_t i) { return ranks[i] < entries.size() ? entries[ranks[i]].key.size() : 0; });
  }

  /// The keys of some ranks in any order, and of none.
  void check_keys_at(std::uint64_t number) {
    operation_ = "keys_at";
    std::vector<std::uint64_t> ranks(index_->size() == 0 ? 0 : number);
    for (std::uint64_t& rank : ranks) rank = below(random_, index_->size());
    auto const wanted = input(ranks);
    auto const* const first = static_cast<std::uint64_t const*>(wanted.data());
    key_list const got = index_->keys_at({first, ranks.size()}, exec_);
    expect(got.size == ranks.size() && got.type == case_.keys, "{} keys of type {}, expected {}", got.size,
           warpdex::to_string(got.type), ranks.size());
    std::vector<Scalar> expected;
    for (std::uint64_t const rank : ranks) expected.push_back(oracle_->entries()[rank].key);
    compare<Scalar>(keys_of<Scalar>(got, exec_), expected, [&](std::size_t i) { return expected[i]; });

    operation_ = "rows_at";
    matches const found = index_->rows_at({first, ranks.size()}, exec_);
    expect(found.total == ranks.size() && found.row_type == case_.rows, "{} rows, expected {}", found.total,
           ranks.size());
    compare<Row>(read_buffer<Row>(found.rows, ranks.size(), exec_), expected,
                 [&](std::size_t i) { return static_cast<Row>(oracle_->entries()[ranks[i]].row); });
  }

  /// An index without ranks says so, names a structure that has them, and touches nothing.
  void check_refusals(std::vector<Scalar> const& probe_values) {
    auto const probes = key_input(probe_values);
    column const c = probes.view();
    std::size_t const m = probe_values.size();
    using number = std::conditional_t<strings, std::uint64_t, Scalar>;
    auto numbers = output<std::uint64_t>(m, 7);
    auto keys = output<number>(m, number{42});
    auto rows = output<Row>(m, 7);
    auto const refuses = [&](char const* call, auto const& ask) {
      operation_ = std::string(call) + " of an index without order";
      try {
        ask();
      } catch (unsupported const& refusal) {
        std::string const text = refusal.what();
        expect(text.starts_with(call), "says '{}' without the call", text);
        expect(text.ends_with("; AO+BS answers bounds and ranges"), "says '{}' without what could", text);
        return;
      }
      throw std::runtime_error("did not throw unsupported");
    };
    refuses("lower_bound", [&] { index_->lower_bound(c, numbers.span(), exec_); });
    refuses("upper_bound", [&] { index_->upper_bound(c, numbers.span(), exec_); });
    refuses("floor", [&] {
      index_->floor(c, key_output(keys.data(), m, case_.keys), row_output(rows.data(), m, case_.rows), exec_);
    });
    refuses("range_count", [&] { index_->range_count({c, c}, numbers.span(), exec_); });
    refuses("range_sum", [&] { index_->range_sum({c, c}, numbers.span(), exec_); });
    refuses("range_retrieve", [&] { (void)index_->range_retrieve({c, c}, exec_); });
    refuses("prefix_count", [&] { index_->prefix_count(c, numbers.span(), exec_); });
    refuses("keys_at", [&] { (void)index_->keys_at({}, exec_); });
    refuses("rows_at", [&] { (void)index_->rows_at({}, exec_); });
    compare<std::uint64_t>(numbers.read(), probe_values, [](std::size_t) { return 7; });
    compare<number>(keys.read(), probe_values, [](std::size_t) { return number{42}; });
    compare<Row>(rows.read(), probe_values, [](std::size_t) { return 7; });
  }

  void check_table(std::vector<Scalar> const& probes) {
    constexpr std::size_t most = 60;
    auto const some = make_ranges(make_probes(keys_, most, random_), probes, *oracle_, most, random_);
    operation_ = "the table of lookups";
    std::vector<std::uint8_t> bits((some.size() + 3) / 8 + 1);
    for (auto& byte : bits) byte = static_cast<std::uint8_t>(random_() | random_());
    table_questions<Scalar, Row, examination>(*index_, *oracle_, some.lower, some.upper, random_(), bits, exec_, *this)
        .ask();
  }

  // ---- the comparison of answers

  template <class... Args> void expect(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds) throw std::runtime_error(fmt::format(text, std::forward<Args>(args)...));
  }

  template <class T, class Expected>
  void compare(std::vector<T> const& got, std::vector<Scalar> const& probes, Expected const& expected) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      T const want = static_cast<T>(expected(i));
      bool equal = got[i] == want;
      if constexpr (std::is_floating_point_v<T>) equal = key_equal(got[i], want);
      if (!equal)
        throw std::runtime_error(fmt::format("answer {} of {} (probe {}): expected {}, got {}", i, got.size(),
                                             shown(probes[i]), shown(want), shown(got[i])));
    }
  }

  /// The rows of entries [first[i], last[i]) for each of the first `m` probes.
  void compare_matches(matches const& got, std::size_t m, std::vector<std::uint64_t> const& first,
                       std::vector<std::uint64_t> const& last) {
    expect(got.probes == m, "probes is {}, expected {}", got.probes, m);
    auto const offsets = read_buffer<std::uint64_t>(got.offsets, m + 1, exec_);
    auto const rows = read_buffer<Row>(got.rows, got.total, exec_);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < m; ++i) {
      expect(offsets[i] == at, "offset {} of {}: expected {}, got {}", i, m, at, offsets[i]);
      for (std::uint64_t e = first[i]; e < last[i]; ++e, ++at) {
        expect(at < got.total, "only {} rows in all, too few for probe {}", got.total, i);
        Row const want = static_cast<Row>(oracle_->entries()[e].row);
        expect(rows[at] == want, "row {} of {} of probe {}: expected {}, got {}", e - first[i], last[i] - first[i], i,
               want, rows[at]);
      }
    }
    expect(offsets[m] == at && got.total == at, "{} rows in all, last offset {}, expected {}", got.total, offsets[m],
           at);
  }

  /// @return how many probes together have no more rows than a test should read
  std::size_t affordable(std::vector<std::uint64_t> const& first, std::vector<std::uint64_t> const& last) const {
    std::uint64_t total = 0;
    std::size_t probes = 0;
    while (probes < first.size() && (total += last[probes] - first[probes]) <= 300000) ++probes;
    return probes;
  }

  // ---- the changes

  struct changes {
    std::vector<Scalar> insert;
    std::vector<std::uint64_t> rows;
    std::vector<Scalar> erase;
    bool assigns = false;
  };

  /// The next batch: few keys or many, new or present ones, on one side or on both.
  changes make_changes() {
    changes batch;
    std::uint64_t const size = below(random_, 4) == 0 ? below(random_, 4) : below(random_, case_.update_size + 1);
    auto const new_keys = [&](std::uint64_t count) {
      auto keys =
          make_keys<Scalar>(static_cast<distribution>(below(random_, distributions)), count, random_, known_seed_);
      if (below(random_, 2) == 0)  // some of them are present
        for (std::uint64_t i = 0; i < count && !keys_.empty(); i += 2) keys[i] = pick(random_, keys_);
      return keys;
    };
    auto const old_keys = [&](std::uint64_t count) {  // some twice, some nearly
      std::vector<Scalar> keys;
      for (std::uint64_t i = 0; i < count && !keys_.empty(); ++i)
        keys.push_back(i % 8 != 7 ? pick(random_, keys_) : neighbour(pick(random_, keys_), i % 16 == 7 ? 1 : -1));
      return keys;
    };
    bool const rarely = below(random_, 50) == 0;
    std::uint64_t const kind = below(random_, 15) + 1;
    if (rarely || keys_.size() > case_.size + 4 * case_.update_size) {
      batch.erase = keys_;  // all, or half of them
      if (below(random_, 2) == 0) batch.erase.resize(batch.erase.size() / 2);
    } else if (kind < 6) {
      batch.insert = new_keys(size);
    } else if (kind < 9) {
      batch.erase = old_keys(size);
    } else if (kind < 12) {
      batch.insert = new_keys(size);
      batch.erase = old_keys(size);
      for (std::uint64_t i = 0; i < size / 4; ++i) batch.erase.push_back(pick(random_, batch.insert));
    } else if (kind < 15) {
      batch.insert = new_keys(size);
      batch.assigns = true;
    } else if (keys_.size() <= case_.update_size) {  // one key, more often than there are entries
      batch.insert.assign(size + keys_.size(), keys_.empty() ? any_value<Scalar>(random_) : pick(random_, keys_));
    }
    batch.rows = make_rows(batch.insert.size(), no_row<Row> - 1, random_);
    return batch;
  }

  /// Applies the batch to the index and to the oracle.
  void change(changes batch) {
    auto const insert = key_input(batch.insert);
    auto const rows = input(std::vector<Row>(batch.rows.begin(), batch.rows.end()));
    auto const erase = key_input(batch.erase);
    column const insert_column = insert.view();
    row_column const row_column_(rows.data(), rows.size(), case_.rows);
    column const erase_column = erase.view();
    update_counts got;
    if (batch.assigns) {
      operation_ = "insert_or_assign";
      got = index_->insert_or_assign(insert_column, row_column_, exec_);
    } else if (batch.erase.empty()) {
      operation_ = "insert";
      got = index_->insert(insert_column, row_column_, exec_);
    } else if (batch.insert.empty()) {
      operation_ = "erase";
      got = index_->erase(erase_column, exec_);
    } else {
      operation_ = "update";
      got = index_->update(insert_column, row_column_, erase_column, exec_);
    }

    auto const distinct = [](std::vector<Scalar> keys) {
      std::sort(keys.begin(), keys.end(), key_less<Scalar>);
      keys.erase(std::unique(keys.begin(), keys.end(), key_equal<Scalar>), keys.end());
      return keys;
    };
    auto const has = [](std::vector<Scalar> const& keys, Scalar const& key) {
      return std::binary_search(keys.begin(), keys.end(), key, key_less<Scalar>);
    };
    auto const inserted = distinct(batch.insert);
    auto const erased = batch.assigns ? inserted : distinct(batch.erase);
    update_counts want;
    for (Scalar const& key : erased) want.cancelled += !batch.assigns && has(inserted, key) ? 1 : 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (has(erased, keys_[i]) && (batch.assigns || !has(inserted, keys_[i]))) continue;
      keys_[kept] = keys_[i];
      rows_[kept++] = rows_[i];
    }
    want.erased = keys_.size() - kept;
    keys_.resize(kept);
    rows_.resize(kept);
    for (std::size_t i = 0; i < batch.insert.size(); ++i) {
      if (!batch.assigns && has(erased, batch.insert[i])) continue;
      keys_.push_back(batch.insert[i]);
      rows_.push_back(batch.rows[i]);
      ++want.inserted;
    }
    oracle_ = std::make_shared<oracle<Scalar> const>(keys_, rows_);
    expect(got.inserted == want.inserted, "inserted {}, expected {}", got.inserted, want.inserted);
    expect(got.erased == want.erased, "erased {}, expected {}", got.erased, want.erased);
    expect(got.cancelled == want.cancelled, "cancelled {}, expected {}", got.cancelled, want.cancelled);
    expect(index_->size() == kept + want.inserted, "size() is {}, expected {}", index_->size(), kept + want.inserted);
  }

  // ---- the memory of arrays

  static std::uint64_t bytes_of(Scalar const& key) {
    if constexpr (strings) return key.size();
    else return sizeof(key);
  }

  static column first_of(column keys, std::uint64_t count) {
    keys.size = count;
    return keys;
  }

  place next_place() {
    if (case_.arrays == placement::mixed) return ++arrays_ % 2 == 0 ? place::host : place::device;
    return case_.arrays == placement::device ? place::device : place::host;
  }

  template <class T> input_array<T> input(std::vector<T> const& values) {
    return input_array<T>(values, next_place(), below(random_, 4), exec_);
  }

  key_array<Scalar> key_input(std::vector<Scalar> const& keys) {
    return key_array<Scalar>(keys, case_.keys, next_place(), random_(), exec_);
  }

  template <class T> output_array<T> output(std::uint64_t size, T fill) {
    return output_array<T>(size, fill, next_place(), exec_);
  }

  conformance_case const& case_;
  execution exec_;
  generator random_;
  std::uint64_t arrays_ = 0;
  std::string operation_;
  std::string batch_;  ///< its size, where that is part of the case
  std::shared_ptr<data_set<Scalar, Row> const> data_;
  std::vector<Scalar> keys_;  ///< after the updates
  std::vector<std::uint64_t> rows_;
  std::shared_ptr<oracle<Scalar> const> oracle_;
  std::unique_ptr<any_index> index_;
  std::uint64_t known_seed_ = 0;  ///< seed of a hash table, which readers of its file know
};

}  // namespace warpdex::test
