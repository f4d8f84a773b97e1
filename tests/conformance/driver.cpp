// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/driver.hpp"

#include "io/file.hpp"
#include "support/arrays.hpp"
#include "support/oracle.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace warpdex::test {
namespace {

/// Questions to one index, and the answers of the oracle.
template <class Scalar, class Row> class examination {
 public:
  examination(conformance_case const& c, execution const& exec)
      : case_(c), exec_(exec), random_(c.seed), keys_(make_keys<Scalar>(c.kind, c.size, random_)),
        rows_(c.given_rows ? make_rows(c.size, no_row<Row> - 1, random_) : std::vector<std::uint64_t>()),
        oracle_(keys_, rows_), index_(build()) {}

  examination(conformance_case const& c, execution const& exec, warpdex::index of, std::vector<Scalar> keys,
              std::vector<std::uint64_t> rows)
      : case_(c), exec_(exec), random_(c.seed), keys_(std::move(keys)), rows_(std::move(rows)), oracle_(keys_, rows_),
        index_(std::move(of)) {}

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
  // ---- what is asked

  void examine() {
    check_properties();
    auto const probes = make_probes(keys_, case_.probes, random_);
    check_point(probes);
    check_point({});
    check_point({probes.front()});
    if (index_.ordered()) {
      check_ordered(probes);
      check_ordered({});
      auto lower = make_probes(keys_, case_.probes, random_);
      auto upper = probes;
      add_ranges(lower, upper);
      check_ranges(lower, upper);
      check_ranges({}, {});
    } else {
      check_refusals(probes);
    }
    if (!case_.batches.empty()) check_batches();
    operation_ = "verify";
    index_.verify(exec_);
  }

  warpdex::index build() {
    operation_ = "build";
    auto const keys = input(keys_);
    column const key_column(keys.data(), keys.size(), case_.keys);
    if (!case_.given_rows) return index::build(case_.spec, key_column, exec_);
    auto const rows = input(std::vector<Row>(rows_.begin(), rows_.end()));
    return index::build(case_.spec, key_column, row_column(rows.data(), rows.size(), case_.rows), exec_);
  }

  void reload() {
    if (case_.file.empty()) return;
    operation_ = "save";
    index_.save(case_.file);
    operation_ = "load";
    index_ = index::load(case_.file, exec_, below(random_, 2) == 0);
    auto const file = io::file::open(case_.file, true);
    if (file.has("table")) std::memcpy(&known_seed_, file.bytes("table").data(), sizeof known_seed_);
  }

  void check_properties() {
    operation_ = "properties";
    expect(index_.size() == keys_.size(), "size() is {}", index_.size());
    expect(index_.key_type() == case_.keys, "key_type() is {}", warpdex::to_string(index_.key_type()));
    expect(index_.row_type() == case_.rows, "row_type() is {}", warpdex::to_string(index_.row_type()));
    expect(index_.backend() == exec_.memory->backend(), "backend() is the other one");
    // Without an order, keys may be stored once for all their entries.
    std::uint64_t const raw = index_.size() * ((index_.ordered() ? sizeof(Scalar) : 0) + sizeof(Row));
    expect(index_.memory().pairs >= raw, "memory().pairs is {} bytes for {} bytes of entries", index_.memory().pairs,
           raw);
    operation_ = "verify";
    index_.verify(exec_);
  }

  void check_batches() {
    std::uint64_t const largest = *std::max_element(case_.batches.begin(), case_.batches.end());
    auto const probes = make_probes(keys_, largest, random_);
    auto lower = make_probes(keys_, largest, random_);
    auto upper = probes;
    add_ranges(lower, upper);
    for (std::uint64_t const size : case_.batches) {
      batch_ = fmt::format(" in a batch of {}", size);
      auto const first = [&](std::vector<Scalar> const& of) {
        return std::vector<Scalar>(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(size));
      };
      check_point(first(probes));
      for (std::uint64_t const others_of_ten : {1, 0}) {
        auto skewed = first(probes);
        for (std::uint64_t i = 0; i < size; ++i)
          if (i % 10 >= others_of_ten) skewed[i] = probes.back();
        check_point(skewed);
      }
      if (!index_.ordered()) continue;
      check_ordered(first(probes));
      check_ranges(first(lower), first(upper));
    }
    batch_.clear();
  }

  void check_point(std::vector<Scalar> const& probe_values) {
    std::size_t const m = probe_values.size();
    auto const probes = input(probe_values);
    column const c(probes.data(), probes.size(), case_.keys);
    std::vector<std::uint64_t> lower(m);
    std::vector<std::uint64_t> upper(m);
    for (std::size_t i = 0; i < m; ++i) {
      lower[i] = oracle_.lower_bound(probe_values[i]);
      upper[i] = oracle_.upper_bound(probe_values[i]);
    }

    operation_ = "contains";
    auto found = output<std::uint8_t>(m, 0xcd);
    index_.contains(c, found.span(), exec_);
    compare<std::uint8_t>(found.read(), probe_values, [&](std::size_t i) { return lower[i] < upper[i]; });

    operation_ = "find";
    auto rows = output<Row>(m, 7);
    index_.find(c, row_output(rows.data(), m, case_.rows), exec_);
    auto const first_row = [&](std::size_t i) {
      return lower[i] < upper[i] ? static_cast<Row>(oracle_.entries()[lower[i]].row) : no_row<Row>;
    };
    compare<Row>(rows.read(), probe_values, first_row);

    operation_ = "find_any_order";
    auto positions = output<std::uint32_t>(m, 0xcdcdcdcd);
    auto any_rows = output<Row>(m, 7);
    index_.find_any_order(c, positions.span(), row_output(any_rows.data(), m, case_.rows), exec_);
    auto const order = positions.read();
    auto const rows_in_order = any_rows.read();
    std::vector<bool> seen(m);
    std::vector<Row> restored(m);
    for (std::size_t j = 0; j < m; ++j) {
      expect(order[j] < m && !seen[order[j]], "position {} at {} is not one of {} different ones", order[j], j, m);
      seen[order[j]] = true;
      restored[order[j]] = rows_in_order[j];
    }
    compare<Row>(restored, probe_values, first_row);

    operation_ = "count";
    auto counts = output<std::uint64_t>(m, 7);
    index_.count(c, counts.span(), exec_);
    compare<std::uint64_t>(counts.read(), probe_values, [&](std::size_t i) { return upper[i] - lower[i]; });

    operation_ = "retrieve";
    std::size_t const some = affordable(lower, upper);
    compare_matches(index_.retrieve(column(probes.data(), some, case_.keys), exec_), some, lower, upper);
  }

  void check_ordered(std::vector<Scalar> const& probe_values) {
    std::size_t const m = probe_values.size();
    auto const probes = input(probe_values);
    column const c(probes.data(), probes.size(), case_.keys);

    operation_ = "lower_bound";
    auto bounds = output<std::uint64_t>(m, 7);
    index_.lower_bound(c, bounds.span(), exec_);
    compare<std::uint64_t>(bounds.read(), probe_values,
                           [&](std::size_t i) { return oracle_.lower_bound(probe_values[i]); });

    operation_ = "upper_bound";
    auto upper_bounds = output<std::uint64_t>(m, 7);
    index_.upper_bound(c, upper_bounds.span(), exec_);
    compare<std::uint64_t>(upper_bounds.read(), probe_values,
                           [&](std::size_t i) { return oracle_.upper_bound(probe_values[i]); });

    // For each probe the first entry of the largest key not above it, or the end.
    std::vector<std::uint64_t> floors(m);
    std::uint64_t const none = oracle_.entries().size();
    for (std::size_t i = 0; i < m; ++i) {
      std::uint64_t const above = oracle_.upper_bound(probe_values[i]);
      floors[i] = above == 0 ? none : oracle_.lower_bound(oracle_.entries()[above - 1].key);
    }
    auto const floor_row = [&](std::size_t i) {
      return floors[i] == none ? no_row<Row> : static_cast<Row>(oracle_.entries()[floors[i]].row);
    };
    operation_ = "floor";
    Scalar const untouched = Scalar{42};
    auto keys = output<Scalar>(m, untouched);
    auto rows = output<Row>(m, 7);
    index_.floor(c, key_output(keys.data(), m, case_.keys), row_output(rows.data(), m, case_.rows), exec_);
    compare<Row>(rows.read(), probe_values, floor_row);
    operation_ = "floor (keys)";
    compare<Scalar>(keys.read(), probe_values,
                    [&](std::size_t i) { return floors[i] == none ? untouched : oracle_.entries()[floors[i]].key; });
    operation_ = "floor (rows alone)";
    auto alone = output<Row>(m, 7);
    index_.floor(c, key_output(), row_output(alone.data(), m, case_.rows), exec_);
    compare<Row>(alone.read(), probe_values, floor_row);
  }

  /// Ranges of one key, of everything, and inverted ones; what came in are ranges of any kind.
  void add_ranges(std::vector<Scalar>& lower, std::vector<Scalar>& upper) {
    auto const special = special_values<Scalar>();
    std::size_t const size = std::min(lower.size(), upper.size());
    lower.resize(size);
    upper.resize(size);
    for (std::size_t i = 0; i < size; i += 3) {
      if (i % 2 == 0) upper[i] = lower[i];
      else if (key_less(upper[i], lower[i])) std::swap(lower[i], upper[i]);
    }
    for (Scalar const a : special) {
      lower.push_back(a);
      upper.push_back(pick(random_, special));
    }
    lower.push_back(*std::min_element(special.begin(), special.end(), key_less<Scalar>));
    upper.push_back(*std::max_element(special.begin(), special.end(), key_less<Scalar>));
    lower.push_back(upper.back());
    upper.push_back(lower[lower.size() - 2]);
    // Short ranges, of less than a node to several: what a leaf scan sees.
    for (std::uint64_t i = 0; i < case_.probes && !keys_.empty(); ++i) {
      auto const& entries = oracle_.entries();
      std::uint64_t const first = below(random_, entries.size());
      std::uint64_t const last = std::min<std::uint64_t>(first + below(random_, 80), entries.size() - 1);
      lower.push_back(entries[first].key);
      upper.push_back(entries[last].key);
    }
  }

  void check_ranges(std::vector<Scalar> const& lower_values, std::vector<Scalar> const& upper_values) {
    std::size_t const m = lower_values.size();
    auto const lower = input(lower_values);
    auto const upper = input(upper_values);
    column const l(lower.data(), m, case_.keys);
    column const u(upper.data(), m, case_.keys);
    std::vector<std::uint64_t> first(m);
    std::vector<std::uint64_t> last(m);
    for (std::size_t i = 0; i < m; ++i) {
      first[i] = oracle_.lower_bound(lower_values[i]);
      last[i] = std::max(first[i], oracle_.upper_bound(upper_values[i]));
    }
    std::vector<std::uint64_t> sums(oracle_.entries().size() + 1);  // modulo 2^64, as the answers
    for (std::size_t i = 0; i + 1 < sums.size(); ++i) sums[i + 1] = sums[i] + oracle_.entries()[i].row;

    operation_ = "range_count";
    auto counts = output<std::uint64_t>(m, 7);
    index_.range_count(l, u, counts.span(), exec_);
    compare<std::uint64_t>(counts.read(), lower_values, [&](std::size_t i) { return last[i] - first[i]; });

    operation_ = "range_sum";
    auto totals = output<std::uint64_t>(m, 7);
    index_.range_sum(l, u, totals.span(), exec_);
    compare<std::uint64_t>(totals.read(), lower_values, [&](std::size_t i) { return sums[last[i]] - sums[first[i]]; });

    operation_ = "range_retrieve";
    std::size_t const some = affordable(first, last);
    compare_matches(
        index_.range_retrieve(column(lower.data(), some, case_.keys), column(upper.data(), some, case_.keys), exec_),
        some, first, last);
  }

  /// An index without an order says so, names one that has it, and touches nothing.
  void check_refusals(std::vector<Scalar> const& probe_values) {
    auto const probes = input(probe_values);
    column const c(probes.data(), probes.size(), case_.keys);
    std::size_t const m = probe_values.size();
    auto numbers = output<std::uint64_t>(m, 7);
    auto keys = output<Scalar>(m, Scalar{42});
    auto rows = output<Row>(m, 7);
    auto const refuses = [&](char const* call, auto const& ask) {
      operation_ = std::string(call) + " of an index without order";
      try {
        ask();
      } catch (unsupported const& refusal) {
        std::string const text = refusal.what();
        expect(text.starts_with(call), "says '{}' without the call", text);
        bool const names_another = text.find("AO+PB+KS") != std::string::npos;
        expect(names_another == (sizeof(Scalar) <= 8), "says '{}', with or without what could", text);
        return;
      }
      throw std::runtime_error("did not throw unsupported");
    };
    refuses("lower_bound", [&] { index_.lower_bound(c, numbers.span(), exec_); });
    refuses("upper_bound", [&] { index_.upper_bound(c, numbers.span(), exec_); });
    refuses("floor", [&] {
      index_.floor(c, key_output(keys.data(), m, case_.keys), row_output(rows.data(), m, case_.rows), exec_);
    });
    refuses("range_count", [&] { index_.range_count(c, c, numbers.span(), exec_); });
    refuses("range_sum", [&] { index_.range_sum(c, c, numbers.span(), exec_); });
    refuses("range_retrieve", [&] { (void)index_.range_retrieve(c, c, exec_); });
    compare<std::uint64_t>(numbers.read(), probe_values, [](std::size_t) { return 7; });
    compare<Scalar>(keys.read(), probe_values, [](std::size_t) { return Scalar{42}; });
    compare<Row>(rows.read(), probe_values, [](std::size_t) { return 7; });
  }

  // ---- how answers are compared

  template <class... Args> void expect(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds) throw std::runtime_error(fmt::format(text, std::forward<Args>(args)...));
  }

  template <class T, class Expected>
  void compare(std::vector<T> const& got, std::vector<Scalar> const& probes, Expected const& expected) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      T const want = static_cast<T>(expected(i));
      if constexpr (std::is_floating_point_v<T>) {
        expect(key_equal(got[i], want), "answer {} of {} (probe {}): expected {}, got {}", i, got.size(), probes[i],
               want, got[i]);
      } else {
        expect(got[i] == want, "answer {} of {} (probe {}): expected {}, got {}", i, got.size(), probes[i], want,
               got[i]);
      }
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
        Row const want = static_cast<Row>(oracle_.entries()[e].row);
        expect(rows[at] == want, "row {} of {} of probe {}: expected {}, got {}", e - first[i], last[i] - first[i], i,
               want, rows[at]);
      }
    }
    expect(offsets[m] == at && got.total == at, "{} rows in all, last offset {}, expected {}", got.total, offsets[m],
           at);
  }

  /// @return how many probes give no more rows together than a test should read
  std::size_t affordable(std::vector<std::uint64_t> const& first, std::vector<std::uint64_t> const& last) const {
    std::uint64_t total = 0;
    std::size_t probes = 0;
    while (probes < first.size() && (total += last[probes] - first[probes]) <= 300000) ++probes;
    return probes;
  }

  // ---- what is changed

  struct changes {
    std::vector<Scalar> insert;
    std::vector<std::uint64_t> rows;
    std::vector<Scalar> erase;
    bool assigns = false;
  };

  /// The next batch: few keys or many, new ones or those that are there, of one side or of both.
  changes make_changes() {
    changes batch;
    std::uint64_t const size = below(random_, 4) == 0 ? below(random_, 4) : below(random_, case_.update_size + 1);
    auto const new_keys = [&](std::uint64_t count) {
      auto keys =
          make_keys<Scalar>(static_cast<distribution>(below(random_, distributions)), count, random_, known_seed_);
      if (below(random_, 2) == 0)  // some of them are there
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
      batch.erase = keys_;  // all, but perhaps for a run at the end
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
    } else if (keys_.size() <= case_.update_size) {  // a long run, and more entries than there were
      batch.insert.assign(size + keys_.size(), keys_.empty() ? any_value<Scalar>(random_) : pick(random_, keys_));
    }
    batch.rows = make_rows(batch.insert.size(), no_row<Row> - 1, random_);
    return batch;
  }

  /// Changes the index and the oracle alike.
  void change(changes batch) {
    auto const insert = input(batch.insert);
    auto const rows = input(std::vector<Row>(batch.rows.begin(), batch.rows.end()));
    auto const erase = input(batch.erase);
    column const insert_column(insert.data(), insert.size(), case_.keys);
    row_column const row_column_(rows.data(), rows.size(), case_.rows);
    column const erase_column(erase.data(), erase.size(), case_.keys);
    update_counts got;
    if (batch.assigns) {
      operation_ = "insert_or_assign";
      got = index_.insert_or_assign(insert_column, row_column_, exec_);
    } else if (batch.erase.empty()) {
      operation_ = "insert";
      got = index_.insert(insert_column, row_column_, exec_);
    } else if (batch.insert.empty()) {
      operation_ = "erase";
      got = index_.erase(erase_column, exec_);
    } else {
      operation_ = "update";
      got = index_.update(insert_column, row_column_, erase_column, exec_);
    }

    auto const distinct = [](std::vector<Scalar> keys) {
      std::sort(keys.begin(), keys.end(), key_less<Scalar>);
      keys.erase(std::unique(keys.begin(), keys.end(), key_equal<Scalar>), keys.end());
      return keys;
    };
    auto const has = [](std::vector<Scalar> const& keys, Scalar key) {
      return std::binary_search(keys.begin(), keys.end(), key, key_less<Scalar>);
    };
    auto const inserted = distinct(batch.insert);
    auto const erased = batch.assigns ? inserted : distinct(batch.erase);
    update_counts want;
    for (Scalar const key : erased) want.cancelled += !batch.assigns && has(inserted, key) ? 1 : 0;
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
    oracle_ = oracle<Scalar>(keys_, rows_);
    expect(got.inserted == want.inserted, "inserted {}, expected {}", got.inserted, want.inserted);
    expect(got.erased == want.erased, "erased {}, expected {}", got.erased, want.erased);
    expect(got.cancelled == want.cancelled, "cancelled {}, expected {}", got.cancelled, want.cancelled);
    expect(index_.size() == kept + want.inserted, "size() is {}, expected {}", index_.size(), kept + want.inserted);
  }

  // ---- where arrays lie

  place next_place() {
    if (case_.arrays == placement::mixed) return ++arrays_ % 2 == 0 ? place::host : place::device;
    return case_.arrays == placement::device ? place::device : place::host;
  }

  template <class T> input_array<T> input(std::vector<T> const& values) {
    return input_array<T>(values, next_place(), below(random_, 4), exec_);
  }

  template <class T> output_array<T> output(std::uint64_t size, T fill) {
    return output_array<T>(size, fill, next_place(), exec_);
  }

  conformance_case const& case_;
  execution exec_;
  generator random_;
  std::uint64_t arrays_ = 0;
  std::string operation_;
  std::string batch_;  ///< of which size, where that is part of the case
  std::vector<Scalar> keys_;
  std::vector<std::uint64_t> rows_;
  oracle<Scalar> oracle_;
  warpdex::index index_;
  std::uint64_t known_seed_ = 0;  ///< of a hash table, which who reads its file knows
};

/// @param from what the examination is made from besides
template <class Scalar, class Row, class... From>
void run_typed(conformance_case const& c, execution const& exec, From&&... from) {
  std::unique_ptr<examination<Scalar, Row>> e;
  std::string what;
  try {
    e = std::make_unique<examination<Scalar, Row>>(c, exec, std::forward<From>(from)...);
    e->run();
    return;
  } catch (std::exception const& error) {
    what = error.what();
  }
  throw std::runtime_error(fmt::format("{}\n  {}: {}", to_string(c), e ? e->operation() : "build", what));
}

/// Calls run.operator()<Scalar, Row>() with the types of keys and rows.
template <class Run> void with_types(conformance_case const& c, Run const& run) {
  auto const with_rows = [&]<class Scalar>() {
    if (c.rows == row_type::u32) run.template operator()<Scalar, std::uint32_t>();
    else run.template operator()<Scalar, std::uint64_t>();
  };
  switch (c.keys) {
    case key_type::u32: return with_rows.template operator()<std::uint32_t>();
    case key_type::u64: return with_rows.template operator()<std::uint64_t>();
    case key_type::i32:
    case key_type::date: return with_rows.template operator()<std::int32_t>();
    case key_type::i64:
    case key_type::timestamp: return with_rows.template operator()<std::int64_t>();
    case key_type::f32: return with_rows.template operator()<float>();
    case key_type::f64: return with_rows.template operator()<double>();
    case key_type::u128: return with_rows.template operator()<u128>();
  }
}

}  // namespace

std::string to_string(conformance_case const& c) {
  constexpr std::string_view placements[] = {"host", "device", "mixed"};
  return fmt::format("spec {}, {} keys, n = {} ({}), {} rows, {} updates, arrays on {}, case seed {}", c.spec,
                     warpdex::to_string(c.keys), c.size, to_string(c.kind), c.given_rows ? "given" : "default",
                     c.updates, placements[static_cast<int>(c.arrays)], c.seed);
}

void run_case(conformance_case const& c, execution const& exec) {
  with_types(c, [&]<class Scalar, class Row>() { run_typed<Scalar, Row>(c, exec); });
}

void run_case(conformance_case const& c, index of, column keys, std::vector<std::uint64_t> rows,
              execution const& exec) {
  with_types(c, [&]<class Scalar, class Row>() {
    auto const* const first = static_cast<Scalar const*>(keys.data);
    run_typed<Scalar, Row>(c, exec, std::move(of), std::vector<Scalar>(first, first + keys.size), std::move(rows));
  });
}

}  // namespace warpdex::test
