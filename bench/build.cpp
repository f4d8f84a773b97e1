// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/baselines.hpp"
#include "bench/lookup.hpp"
#include "bench/scenes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// All keys are found again, with their first rows.
template <class Key>
void check_build(warpdex::index const& built, key_set<Key> const& set, placed<Key> const& keys,
                 placed<std::uint32_t> const& answers, execution const& exec) {
  built.verify(exec);
  point_lookup<Key> lookup(lookups::find, built, keys, exec);
  lookup.poison();
  lookup.run();
  lookup.check(answers, set.keys());
}

warpdex::index build_and_copy(spec const& s, column keys, execution const& exec) {
  execution on_cpu;
  on_cpu.threads = exec.threads;
  return warpdex::index::build(s, keys, on_cpu).clone(exec);
}

}  // namespace

template <class Key> void run_build(config const& c, key_data<Key>& data, cli_context const& context, report& out) {
  auto const& set = data.set();
  execution const exec = make_execution(c.backend, c.threads.front());
  bool const gpu = on_gpu(exec);
  array<std::uint32_t> answers;
  {
    progress const shown(context, "making answers");
    auto const* const sorted = needs_sorted(lookups::find, set) ? &data.sorted() : nullptr;
    answers = make_answers<Key>(lookups::find, set, sorted, set.keys());
  }

  std::vector<int> const threads = gpu ? std::vector<int>{0} : c.threads;
  std::vector<double> sorts;  // of the same backend and number of threads
  if (runs_on_cpu(c.baselines)) sorts = run_cpu_build_baselines(c, set, context, out);
  if (gpu) sorts.clear();
  if (gpu && (c.baselines == baseline_choice::all || c.baselines == baseline_choice::gpu))
    sorts.push_back(run_gpu_build_baselines(c, set, exec, out));

  placed<Key> const keys(set.keys(), exec, c.via_cpu ? placement::host : c.place);
  placed<std::uint32_t> const right(answers.first(answers.size()), exec);
  using maker = warpdex::index (*)(spec const&, column, execution const&);
  maker const make = c.via_cpu ? build_and_copy : static_cast<maker>(warpdex::index::build);
  for (auto const& s : c.specs)
    for (std::size_t t = 0; t < threads.size(); ++t) {
      progress const shown(context, out.label(s.text(), c.specs.size() * threads.size()));
      execution with_threads = exec;
      with_threads.threads = threads[t];
      counting_resource counter(*exec.memory);
      std::vector<double> total, prepare, sort, layout;
      record line;
      for (int r = -1; r < c.repeat; ++r) {  // the first run warms caches and is not counted
        auto const built = build_index(s, keys.keys(), with_threads, counter, make);
        check_build(built.index, set, keys, right, with_threads);
        if (r < 0) continue;
        total.push_back(built.seconds);
        prepare.push_back(built.index.times().prepare);
        sort.push_back(built.index.times().sort);
        layout.push_back(built.index.times().layout);
        put_index(line, built, s);
        if constexpr (sizeof(Key) <= 8) put_phases<Key>(line, built.index);
      }
      auto const time = seconds::of(std::move(total));
      line["threads"] = gpu ? record(nullptr) : record(threads[t]);
      line["build_s"] = time.median;
      line["build_prepare_s"] = seconds::of(std::move(prepare)).median;
      line["build_sort_s"] = seconds::of(std::move(sort)).median;
      line["build_layout_s"] = seconds::of(std::move(layout)).median;
      put_time(line, time);
      auto const peak = line["build_peak_bytes"].get<std::uint64_t>();
      line["scratch_bytes"] = peak - std::min(peak, line["index_bytes"].get<std::uint64_t>());
      double const rate = rate_of(set.size(), time.median);
      line["rate"] = rate;
      line["time_to_sort"] = t < sorts.size() && sorts[t] > 0 ? record(time.median / sorts[t]) : record(nullptr);
      out.add_index(std::move(line), rate);
    }
}

template void run_build(config const&, key_data<std::uint32_t>&, cli_context const&, report&);
template void run_build(config const&, key_data<std::uint64_t>&, cli_context const&, report&);
template void run_build(config const&, key_data<u128>&, cli_context const&, report&);
template void run_build(config const&, key_data<std::string_view>&, cli_context const&, report&);

}  // namespace warpdex::bench
