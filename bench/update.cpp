// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/lookup.hpp"
#include "bench/maps.hpp"
#include "bench/parallel.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

enum class change { insert, assign, erase };
constexpr char const* names_of_changes[] = {"insert", "assign", "erase"};

/// The waves of paper 003, section 6.5, over one column: its first `n` keys are the index at the beginning and at the
/// end. Each of the first `waves` waves inserts the next `batch` keys; the last `waves` erase them again, the oldest
/// first. If rows change too (paper 004, section II.A), two waves between them assign: the first gives the keys of the
/// last batch the row ids of that batch in reverse order, the second their own. Row ids are positions in the column.
class wave_plan {
 public:
  explicit wave_plan(config const& c) : n(c.n), batch(c.batch), inserts_(c.waves), assigns_(c.assigns ? 2 : 0) {}

  int size() const { return 2 * inserts_ + assigns_; }
  change what(int wave) const {
    return wave < inserts_ ? change::insert : wave < inserts_ + assigns_ ? change::assign : change::erase;
  }
  std::uint64_t first_of_batch(int wave) const {
    switch (what(wave)) {
      case change::insert: return n + batch * of(wave);
      case change::assign: return n + batch * of(inserts_ - 1);
      default: return n + batch * of(wave - inserts_ - assigns_);
    }
  }

  /// The positions after a wave: those below `n`, and [first, last).
  std::uint64_t first_after(int wave) const { return what(wave) == change::erase ? first_of_batch(wave) + batch : n; }
  std::uint64_t last_after(int wave) const { return n + batch * of(std::min(wave + 1, inserts_)); }
  std::uint64_t size_after(int wave) const { return n + last_after(wave) - first_after(wave); }

  /// The i-th of these positions.
  std::uint32_t position_after(int wave, std::uint64_t i) const {
    return static_cast<std::uint32_t>(i < n ? i : i - n + first_after(wave));
  }

  /// The row id of a position after a wave.
  std::uint32_t row_after(int wave, std::uint32_t position) const {
    std::uint64_t const first = first_of_batch(wave);
    bool const moved = reverses(wave) && position >= first && position < first + batch;
    return moved ? static_cast<std::uint32_t>(2 * first + batch - 1 - position) : position;
  }

  /// Whether a wave assigns rows in reverse order.
  bool reverses(int wave) const { return what(wave) == change::assign && wave == inserts_; }

  std::uint64_t const n;
  std::uint64_t const batch;

 private:
  static std::uint64_t of(int waves) { return static_cast<std::uint64_t>(waves); }

  int inserts_;
  int assigns_;
};

/// Probes for what an index holds after a wave, and their answers.
template <class Key> struct wave_probes {
  array<Key> probes;
  array<std::uint32_t> answers;

  wave_probes(config const& c, wave_plan const& plan, int wave, std::span<Key const> keys)
      : probes(plan.size_after(wave) == 0 ? 0 : c.probes), answers(probes.size()) {
    parallel_chunks(probes.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) {
        noise random(c.seed ^ static_cast<std::uint64_t>(wave) << 32, i);
        std::uint32_t const position = plan.position_after(wave, random.below(plan.size_after(wave)));
        probes[i] = keys[position];
        answers[i] = plan.row_after(wave, position);
      }
    });
  }
};

/// Times and memory of one wave, one number per run.
struct wave_times {
  std::vector<double> update;
  std::vector<double> lookup;
  std::vector<double> rebuild;
  std::uint64_t scratch = 0;  ///< most memory held beyond the index before the update
  std::uint64_t bytes = 0;    ///< bytes of the index after it
};

/// Keys and rows of the whole column, where the backend works, and the rows of a batch in reverse order.
template <class Key> struct wave_columns {
  placed<Key> keys;
  placed<std::uint32_t> rows;
  placed<std::uint32_t> reversed;

  column keys_of(std::uint64_t first, std::uint64_t count) const { return keys.keys(first, count); }
  row_column rows_of(std::uint64_t first, std::uint64_t count) const {
    return std::span<std::uint32_t const>(rows.data() + first, count);
  }
};

/// The keys after a wave, where the backend works.
template <class Key> class wave_keys {
 public:
  wave_keys(wave_plan const& plan, int wave, wave_columns<Key> const& columns, execution const& exec)
      : size_(plan.size_after(wave)), keys_(size_ * sizeof(Key), exec) {
    std::uint64_t const first = plan.first_after(wave);
    copy(keys_.template as<Key>(), columns.keys.data(), plan.n * sizeof(Key), exec);
    copy(keys_.template as<Key>() + plan.n, columns.keys.data() + first, (size_ - plan.n) * sizeof(Key), exec);
  }
  column keys() const { return std::span<Key const>(keys_.template as<Key>(), size_); }

 private:
  std::uint64_t size_;
  buffer keys_;
};

template <> class wave_keys<std::string_view> {
 public:
  wave_keys(wave_plan const& plan, int wave, wave_columns<std::string_view> const& columns, execution const& exec)
      : host_(keys_after(plan, wave, columns.keys.host())), placed_(host_.first(host_.size()), exec) {}
  column keys() const { return placed_.keys(); }

 private:
  static array<std::string_view> keys_after(wave_plan const& plan, int wave, std::span<std::string_view const> all) {
    array<std::string_view> keys(plan.size_after(wave));
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = all[plan.position_after(wave, i)];
    return keys;
  }

  array<std::string_view> host_;
  placed<std::string_view> placed_;
};

/// Seconds to build an index over the content after a wave from its columns.
template <class Key>
double time_rebuild(spec const& s, wave_plan const& plan, int wave, wave_columns<Key> const& columns,
                    execution const& exec) {
  wave_keys<Key> const keys(plan, wave, columns, exec);
  std::uint64_t const size = plan.size_after(wave);
  buffer rows(size * sizeof(std::uint32_t), exec);
  std::uint64_t const first = plan.first_after(wave);
  copy(rows.as<std::uint32_t>(), columns.rows.data(), plan.n * sizeof(std::uint32_t), exec);
  copy(rows.as<std::uint32_t>() + plan.n, columns.rows.data() + first, (size - plan.n) * sizeof(std::uint32_t), exec);
  wall_clock clock;
  auto const built =
      warpdex::index::build(s, keys.keys(), std::span<std::uint32_t const>(rows.as<std::uint32_t>(), size), exec);
  return clock.stop();
}

/// Makes the change of a wave. @return entries that came, or else those that went
template <class Key>
std::uint64_t make_change(wave_plan const& plan, int wave, wave_columns<Key> const& columns, warpdex::index& index,
                          execution const& exec) {
  std::uint64_t const first = plan.first_of_batch(wave);
  column const keys = columns.keys_of(first, plan.batch);
  row_column const rows = plan.reverses(wave) ? std::span<std::uint32_t const>(columns.reversed.data(), plan.batch)
                                              : columns.rows_of(first, plan.batch);
  switch (plan.what(wave)) {
    case change::insert: return index.insert(keys, rows, exec).inserted;
    case change::assign: return index.insert_or_assign(keys, rows, exec).inserted;
    default: return index.erase(keys, exec).erased;
  }
}

/// One wave: the update, a checked batch of lookups, and a full rebuild to compare with.
template <class Key>
void run_wave(config const& c, spec const& s, wave_plan const& plan, int wave, wave_columns<Key> const& columns,
              warpdex::index& index, counting_resource& counter, execution const& exec, bool counts,
              wave_times& times) {
  auto const before = counter.held();
  counter.forget_peak();
  wall_clock clock;
  std::uint64_t const changed = make_change(plan, wave, columns, index, exec);
  double const update = clock.stop();
  times.scratch = std::max(times.scratch, counter.peak() - before);
  times.bytes = index.memory().total();
  if (changed != plan.batch || index.size() != plan.size_after(wave))
    throw error(fmt::format("{}: wave {} changed {} entries of {}, and {} are left of {}", s.text(), wave + 1, changed,
                            plan.batch, index.size(), plan.size_after(wave)));

  wave_probes<Key> const wanted(c, plan, wave, columns.keys.host());
  placed<Key> const probes(wanted.probes.first(wanted.probes.size()), exec);
  placed<std::uint32_t> const answers(wanted.answers.first(wanted.answers.size()), exec);
  point_lookup<Key> lookup(lookups::find, index, probes, exec);
  auto const timer = make_timer(exec);
  lookup.run();  // once before: the first batch also chooses its route and loads its kernels
  lookup.poison();
  timer->start();
  lookup.run();
  double const looked_up = timer->stop();
  lookup.check(answers, columns.keys.host());

  double const rebuild = time_rebuild(s, plan, wave, columns, exec);
  if (!counts) return;
  times.update.push_back(update);
  times.lookup.push_back(looked_up);
  times.rebuild.push_back(rebuild);
}

/// All waves with a map and one thread. All waves that do the same make one baseline.
template <class Key, class Map>
void run_map(std::string const& name, wave_plan const& plan, std::span<Key const> keys, Map map,
             std::uint64_t const& held, report& out) {
  std::array<double, 3> seconds_of{};
  std::array<std::uint64_t, 3> keys_of{};
  std::uint64_t most = 0;
  for (int wave = 0; wave < plan.size(); ++wave) {
    auto const first = static_cast<std::uint32_t>(plan.first_of_batch(wave));
    auto const last = static_cast<std::uint32_t>(first + plan.batch);
    change const what = plan.what(wave);
    wall_clock clock;
    for (std::uint32_t row = first; row < last; ++row) switch (what) {
        case change::insert: map.emplace(keys[row], row); break;
        case change::assign: map[keys[row]] = plan.row_after(wave, row); break;
        default: map.erase(keys[row]);
      }
    seconds_of[static_cast<std::size_t>(what)] += clock.stop();
    keys_of[static_cast<std::size_t>(what)] += plan.batch;
    most = std::max(most, held);
    if (map.size() != plan.size_after(wave)) throw error(fmt::format("{}: wave {} went wrong", name, wave + 1));
  }
  for (std::size_t what = 0; what < seconds_of.size(); ++what) {
    double const time = seconds_of[what];
    if (keys_of[what] != 0)
      out.add({fmt::format("{} {}", name, names_of_changes[what]), 1, {time, time, time}, keys_of[what], 0, most});
  }
}

template <class Key>
void run_map_baselines(wave_plan const& plan, std::span<Key const> keys, cli_context const& context, report& out) {
  auto const insert_all = [&](auto& map) {
    for (std::uint64_t row = 0; row < plan.n; ++row) map.emplace(keys[row], static_cast<std::uint32_t>(row));
  };
  std::uint64_t held = 0;
  {
    progress const shown(context, "absl::btree_map");
    btree<Key> map{map_allocator<tree_key<Key>>(&held)};
    insert_all(map);
    run_map("absl::btree_map", plan, keys, std::move(map), held, out);
  }
  if constexpr (!is_string<Key>) {
    progress const shown(context, "absl::flat_hash_map");
    hash_map<Key> map{map_allocator<Key>(&held)};
    insert_all(map);
    run_map("absl::flat_hash_map", plan, keys, std::move(map), held, out);
  }
}

}  // namespace

template <class Key> void run_update(config const& c, key_data<Key>& data, cli_context const& context, report& out) {
  auto const keys = data.set().keys();
  wave_plan const plan(c);
  execution const exec = make_execution(c.backend, c.threads.front());
  bool const gpu = on_gpu(exec);
  if (c.baselines == baseline_choice::all || c.baselines == baseline_choice::cpu)
    run_map_baselines(plan, keys, context, out);

  array<std::uint32_t> numbers(keys.size());
  std::iota(numbers.data(), numbers.data() + numbers.size(), 0u);
  array<std::uint32_t> reversed(plan.batch);
  for (std::uint64_t i = 0; i < plan.batch; ++i) reversed[i] = numbers[numbers.size() - 1 - i];
  wave_columns<Key> const columns{
      {keys, exec}, {numbers.first(numbers.size()), exec}, {reversed.first(reversed.size()), exec}};
  for (auto const& s : c.specs)
    for (int const threads : gpu ? std::vector<int>{0} : c.threads) {
      auto const label = out.label(s.text(), c.specs.size() * (gpu ? 1 : c.threads.size()));
      counting_resource counter(*exec.memory);
      execution counted = exec;
      counted.memory = &counter;
      counted.threads = threads;
      std::vector<wave_times> times(static_cast<std::size_t>(plan.size()));
      std::string resolved;
      for (int r = -1; r < c.repeat; ++r) {  // the first run warms caches and is not counted
        auto index = warpdex::index::build(s, columns.keys_of(0, plan.n), columns.rows_of(0, plan.n), counted);
        resolved = index.spec_text();
        for (int wave = 0; wave < plan.size(); ++wave) {
          progress const shown(context, fmt::format("{}, wave {}", label, wave + 1));
          run_wave(c, s, plan, wave, columns, index, counter, counted, r >= 0, times[static_cast<std::size_t>(wave)]);
        }
        index.verify(counted);
      }
      for (int wave = 0; wave < plan.size(); ++wave) {
        wave_times& t = times[static_cast<std::size_t>(wave)];
        auto const time = seconds::of(std::move(t.update));
        double const lookup = seconds::of(std::move(t.lookup)).median;
        double const rebuild = seconds::of(std::move(t.rebuild)).median;
        record line;
        line["name"] = s.text();
        line["resolved"] = resolved;
        line["threads"] = gpu ? record(nullptr) : record(threads);
        line["wave"] = wave + 1;
        line["change"] = names_of_changes[static_cast<std::size_t>(plan.what(wave))];
        line["size"] = plan.size_after(wave);
        put_time(line, time);
        double const rate = rate_of(plan.batch, time.median);
        line["rate"] = rate;
        line["rebuild_s"] = rebuild;
        line["speedup"] = time.median > 0 ? rebuild / time.median : 0;
        line["lookup_s"] = lookup;
        line["lookup_rate"] = rate_of(c.probes, lookup);
        line["index_bytes"] = t.bytes;
        line["scratch_bytes"] = t.scratch;
        out.add_index(std::move(line), rate);
      }
    }
}

template void run_update(config const&, key_data<std::uint32_t>&, cli_context const&, report&);
template void run_update(config const&, key_data<std::uint64_t>&, cli_context const&, report&);
template void run_update(config const&, key_data<u128>&, cli_context const&, report&);
template void run_update(config const&, key_data<std::string_view>&, cli_context const&, report&);

}  // namespace warpdex::bench
