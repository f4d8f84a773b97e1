// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/baselines.hpp"
#include "bench/key_tree.hpp"
#include "bench/lookup.hpp"
#include "bench/options.hpp"
#include "bench/parallel.hpp"
#include "bench/scenes.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/search/bplus_tree.hpp>
#include <warpdex/search/hash_open.hpp>
#include <warpdex/search/pgm.hpp>
#include <warpdex/search/radix_tree.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpdex::bench {

template <class Key>
void point_lookup<Key>::check(placed<std::uint32_t> const& placed_answers, std::span<Key const> keys) {
  if (out_.on_device() && &what_ == &lookups::find && index_.row_type() == row_type::u32 &&
      gpu::equal(out_.as<std::uint32_t>().data(), placed_answers.data(), placed_answers.size(), exec_))
    return;
  auto const answers = placed_answers.host();
  if (traces()) return by_loop_ ? check_sums(answers) : check_paths(answers);
  if (what_.lists()) return check_rows(answers, keys);
  out_.fetch();
  if (second_) second_->fetch();
  if (what_.writes[1] == answer_kind::position) {
    places_.assign(answers.size(), missing);
    for (std::uint64_t j = 0; j < answers.size(); ++j)
      if (auto const probe = second_->at<std::uint32_t>(j); probe < answers.size())
        places_[probe] = static_cast<std::uint32_t>(j);
  }
  std::atomic<std::uint64_t> wrong = answers.size();
  parallel_chunks(answers.size(), [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i)
      if (answer(i) != answers[i] || !is_key_of(i, answers[i], keys)) wrong = i;
  });
  auto const i = wrong.load();
  if (i == answers.size()) return;
  auto const shown = [](std::uint64_t v) { return v == missing ? std::string("none") : std::to_string(v); };
  throw error(fmt::format("{}: wrong answer of {} to probe {}, {}: {}, expected {}", index_.spec_text(), what_.name, i,
                          probes_.host()[i], shown(answer(i)), shown(answers[i])));
}

template <class Key>
bool point_lookup<Key>::is_key_of(std::uint64_t i, std::uint32_t row, std::span<Key const> keys) const {
  if constexpr (is_string<Key>)
    return what_.writes[1] != answer_kind::length ||
           second_->at<std::uint32_t>(i) == (row == missing ? 0 : keys[row].size());
  else return what_.writes[1] != answer_kind::key || row == missing || second_->at<Key>(i) == keys[row];
}

namespace {

/// Calls run(view) with the view of an index. @return false for an index of whose views the benchmark has no loop
template <class Key, class Run> bool with_loop_view(warpdex::index const& x, Run const& run) {
  using row = std::uint32_t;
  auto const& text = x.spec_text();
  auto const is = [&](char const* name) { return x.row_type() == row_type::u32 && text.starts_with(name); };
  auto const run_view = [&]<class View>(std::type_identity<View>) { return run(x.view<View>()), true; };
  if constexpr (is_string<Key>) {
    return is("GRT") && run_view(std::type_identity<radix_tree<byte_pairs<>>>());
  } else {
    using columns = soa_pairs<Key>;
    using slots = std::conditional_t<sizeof(Key) == 16, soa_slots<Key, row>, aos_pairs<Key, row>>;
    if (is("HT(open")) return run_view(std::type_identity<hash_open<slots>>());
    if (text.find("SoA") == text.npos) return false;
    if (is("GRT")) return run_view(std::type_identity<radix_tree<columns>>());
    if (is("AO+BS")) return run_view(std::type_identity<sorted_array<columns>>());
    if constexpr (sizeof(Key) <= 8) {
      if (is("PGM")) return run_view(std::type_identity<pgm<columns>>());
      if (is("B+(16")) return run_view(std::type_identity<bplus_tree<16, 16, columns>>());
    }
    return false;
  }
}

}  // namespace

/// The probes of `singular`, one after the other, by the functions for loops and kernels of the user's own.
/// @throws usage_error for indexes of whose views the benchmark has no loop
template <class Key> void point_lookup<Key>::singular() {
  auto* const to = out_.as<std::uint32_t>().data();
  auto const* const whole = dynamic_cast<warpdex::index const*>(&index_);
  if (whole == nullptr) throw usage_error("--ops singular: it is for one device");
  auto const& text = index_.spec_text();
  bool done = false;
  if (!on_gpu(exec_)) {
    done = with_loop_view<Key>(*whole, [&](auto const& view) {
      parallel_chunks(exec_.threads, probes_.size(), [&](std::uint64_t begin, std::uint64_t end) {
        if constexpr (is_string<Key>) {
          for (auto i = begin; i < end; ++i) {
            auto const* const bytes = reinterpret_cast<unsigned char const*>(probes_.host()[i].data());
            to[i] = warpdex::find(view, byte_key{bytes, static_cast<std::uint32_t>(probes_.host()[i].size())});
          }
        } else if (traces()) {
          auto const* const parents = static_cast<Key const*>(parents_.data);
          for (auto i = begin; i < end; ++i) to[i] = sum_of_path(view, probes_.host()[i], parents);
        } else {
          for (auto i = begin; i < end; ++i) to[i] = warpdex::find(view, probes_.host()[i]);
        }
      });
    });
  } else if (text.starts_with("GRT") && index_.row_type() == row_type::u32) {
    done = is_string<Key> || text.find("SoA") != text.npos;
    column const probes = is_string<Key> ? column(references_.data(), probes_.size(), key_type::bytes) : probes_.keys();
    if (done && traces()) gpu::singular_paths(*whole, probes, parents_, to, exec_);
    else if (done) gpu::singular(*whole, probes, to, exec_);
  }
  if (!done)
    throw usage_error(
        fmt::format("--ops singular: it is for GRT in the layout SoA and, on a CPU, for HT(open), AO+BS, PGM and "
                    "B+(16), not for {}",
                    text));
}

/// Checks the matches of each probe.
/// @param right right(i, begin, end, row) says whether matches number begin to end of probe i are right; row(number) is
/// a row id
template <class Key> template <class Right> void point_lookup<Key>::check_matches(Right const& right) const {
  std::uint64_t const size = probes_.size();
  array<std::uint64_t> offsets(size + 1);
  warpdex::copy(offsets.data(), found_.offsets.data(), offsets.size() * sizeof(std::uint64_t), exec_);
  array<unsigned char> rows(found_.rows.bytes());
  warpdex::copy(rows.data(), found_.rows.data(), rows.size(), exec_);
  auto const row = [&](std::uint64_t i) -> std::uint64_t {
    if (index_.row_type() == row_type::u32) return reinterpret_cast<std::uint32_t const*>(rows.data())[i];
    return reinterpret_cast<std::uint64_t const*>(rows.data())[i];
  };
  std::atomic<std::uint64_t> wrong = size;
  parallel_chunks(size, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i)
      if (offsets[i] > offsets[i + 1] || offsets[i + 1] > found_.total || !right(i, offsets[i], offsets[i + 1], row))
        wrong = i;
  });
  if (offsets[0] != 0 || offsets[size] != found_.total) wrong = 0;
  if (auto const i = wrong.load(); i < size)
    throw error(
        fmt::format("{}: wrong answer of {} to probe {}, {}", index_.spec_text(), what_.name, i, probes_.host()[i]));
}

/// The rows must be complete, all of the key of their probe or of keys that it begins, and in the order of keys and
/// rows.
template <class Key>
void point_lookup<Key>::check_rows(std::span<std::uint32_t const> counts, std::span<Key const> keys) const {
  auto const probes = probes_.host();
  auto const is_of = [&](Key key, Key probe) {
    if constexpr (is_string<Key>)
      if (what_.takes == probe_form::prefixes) return key.starts_with(probe);
    return key == probe;
  };
  check_matches([&](std::uint64_t i, std::uint64_t begin, std::uint64_t end, auto const& row) {
    bool right = end - begin == counts[i];
    for (auto j = begin; right && j < end; ++j) {
      right = row(j) < keys.size() && is_of(keys[row(j)], probes[i]);
      if (right && j > begin) right = std::pair(keys[row(j - 1)], row(j - 1)) < std::pair(keys[row(j)], row(j));
    }
    return right;
  });
}

/// The rows must be those of the path.
template <class Key> void point_lookup<Key>::check_paths(std::span<std::uint32_t const> first_rows) const {
  check_matches([&](std::uint64_t i, std::uint64_t begin, std::uint64_t end, auto const& row) {
    if (first_rows[i] == missing) return begin == end;
    bool right = begin < end && row(begin) == first_rows[i] && row(end - 1) == 0;
    for (auto j = begin + 1; right && j < end; ++j) right = row(j - 1) != 0 && row(j) == parent_row(row(j - 1));
    return right;
  });
}

/// The sums must be those of the paths' rows.
template <class Key> void point_lookup<Key>::check_sums(std::span<std::uint32_t const> first_rows) {
  out_.fetch();
  std::atomic<std::uint64_t> wrong = first_rows.size(), rows = 0;
  parallel_chunks(first_rows.size(), [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0;
    for (auto i = begin; i < end; ++i) {
      bool const found = first_rows[i] != missing;
      row_path const path = found ? path_of(first_rows[i]) : row_path{0, missing};
      if (out_.at<std::uint32_t>(i) != path.sum) wrong = i;
      sum += path.rows;
    }
    rows += sum;
  });
  path_rows_ = rows;
  if (auto const i = wrong.load(); i < first_rows.size())
    throw error(fmt::format("{}: wrong path of probe {}, {}", index_.spec_text(), i, probes_.host()[i]));
}

namespace {

/// The cost of finds over arrays on the device, from a batch of 2^10 probes and one as long as a chunk of a stream.
/// @param sorted as `make_probes` takes it
template <class Key>
linear_cost measure_searches(config c, warpdex::index const& built, key_set<Key> const& set,
                             sorted_set<Key> const* sorted, execution const& exec, counting_resource& counter) {
  constexpr std::uint64_t small = std::uint64_t{1} << 10;
  auto const clock = make_timer(exec);
  c.probe_file.clear();  // of which there may be fewer
  auto const time = [&](std::uint64_t size) {
    c.probes = size;
    auto const probes = make_probes(c, set, sorted);
    auto const answers = make_answers<Key>(lookups::find, set, sorted, probes.all());
    placed<Key> const resident(probes.first(size), exec);
    placed<std::uint32_t> const right(answers.first(size), exec);
    point_lookup<Key> lookup(lookups::find, built, resident, exec);
    return measure(lookup, c.repeat, *clock, counter, [&] { lookup.check(right, set.keys()); }).time.median;
  };
  return linear_cost::through(static_cast<double>(small), time(small), static_cast<double>(cost_model::chunk),
                              time(cost_model::chunk));
}

/// Finds of probes that are spread over the places of an index.
template <class Key> class spread_find {
 public:
  spread_find(sharded_index const& x, std::span<Key const> probes, std::vector<shard_place> const& places)
      : index_(x), places_(places) {
    at_each([&](std::size_t i) {
      std::uint64_t const begin = probes.size() * i / places.size();
      std::uint64_t const size = probes.size() * (i + 1) / places.size() - begin;
      probes_.push_back(std::make_unique<placed<Key>>(probes.subspan(begin, size), places[i].exec));
      rows_.push_back(std::make_unique<result_array>(size, size_of(x.row_type()), places[i].exec));
      queries_.push_back({probes_.back()->keys()});
      outputs_.push_back({row_output(rows_.back()->data(), size, x.row_type())});
    });
  }

  void poison() {
    at_each([&](std::size_t i) { rows_[i]->poison(); });
  }

  void run() { index_.look_up_spread(lookups::find, queries_, outputs_); }
  std::uint64_t result_bytes() const noexcept { return 0; }

  void check(std::span<std::uint32_t const> right) {
    at_each([&](std::size_t i) { rows_[i]->fetch(); });
    std::uint64_t i = 0;
    for (std::size_t piece = 0; piece < rows_.size(); ++piece) {
      for (std::uint64_t j = 0; j < queries_[piece].size(); ++j, ++i)
        if (rows_[piece]->template at<std::uint32_t>(j) != right[i])
          throw error(fmt::format("{}: wrong answer to probe {} in place {}", index_.spec_text(), j, piece));
    }
  }

 private:
  /// Calls work(i) for each place, whose device is the current one.
  template <class Work> void at_each(Work const& work) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      std::optional<device_scope> scope;
      if (places_[i].device >= 0) scope.emplace(places_[i].device);
      work(i);
    }
  }

  sharded_index const& index_;
  std::vector<shard_place> places_;
  std::vector<std::unique_ptr<placed<Key>>> probes_;
  std::vector<std::unique_ptr<result_array>> rows_;
  std::vector<key_ranges> queries_;
  std::vector<std::vector<lookup_output>> outputs_;
};

/// @return the bytes per second of the slowest link between some devices, one way; 0 if there is none
double slowest_link(std::vector<int> const& among) {
  double slowest = 0;
  auto const is_among = [&](int device) { return std::find(among.begin(), among.end(), device) != among.end(); };
  if (std::count_if(among.begin(), among.end(), [](int device) { return device >= 0; }) < 2) return slowest;
  for (device_link const& link : measured_links())
    if (is_among(link.from) && is_among(link.to) && (slowest == 0 || link.one_way < slowest)) slowest = link.one_way;
  return slowest;
}

/// Measures an index over several devices, as that on one before it.
template <class Key>
void measure_shards(config const& c, spec const& s, key_set<Key> const& set, placed<Key> const& probes,
                    placed<std::uint32_t> const& right, column parents, execution const& exec, report& out) {
  std::vector<shard_place> const places = places_on(c.devices, exec.threads);
  column const keys = placed<Key>(set.keys(), execution(host_memory())).keys();
  wall_clock watch;
  auto const built = sharded_index::build(s, keys, c.placed_by, places);
  record line;
  line["name"] = s.text();
  line["resolved"] = built.spec_text();
  line["threads"] = on_gpu(exec) ? record(nullptr) : record(exec.threads);
  line["placement"] = to_string(built.how());
  line["devices"] = c.devices;
  if (double const link = slowest_link(c.devices); link != 0) line["slowest_link"] = link;
  line["build_s"] = watch.stop();
  line["index_bytes"] = built.memory().total();
  counting_resource counter(*exec.memory);
  execution const counted = exec.with_memory(counter);
  point_lookup<Key> lookup(*c.what, built, probes, counted, c.place, parents);
  auto const add = [&](auto& query, char const* where, auto const& check) {
    auto const clock = make_timer(exec);
    auto const runs = measure(query, c.repeat, *clock, counter, check);
    double const rate = rate_of(probes.size(), runs.time.median);
    record record_of_all = line;
    record_of_all["probes_on"] = where;
    put_time(record_of_all, runs.time);
    record_of_all["scratch_bytes"] = runs.scratch;
    record_of_all["rate"] = rate;
    out.add_index(std::move(record_of_all), rate);
  };
  add(lookup, "one place", [&] { lookup.check(right, set.keys()); });
  if (c.what != &lookups::find || c.place != placement::device || built.row_type() != row_type::u32) return;
  if constexpr (!is_string<Key>) {
    spread_find<Key> spread(built, probes.host(), places);
    add(spread, "all places", [&] { spread.check(right.host()); });
  }
}

}  // namespace

void expect_points_on(config const& c, bool gpu) {
  if (c.place != placement::device && !gpu)
    throw usage_error(fmt::format("--place {}: it is for the cuda backend", to_string(c.place)));
}

template <class Key> void run_point(config const& c, key_data<Key>& data, cli_context const& context, report& out) {
  auto const& set = data.set();
  execution const exec = make_execution(c.backend, c.threads.front());
  bool const gpu = on_gpu(exec);
  bool const over_link = c.place != placement::device;
  expect_points_on(c, gpu);
  if (c.what == &lookups::ancestors && !set.generated())
    throw usage_error(fmt::format("--ops ancestors: it is for unique keys, not for {}", c.keys));
  if (c.what == &lookups::ancestors && c.singular && is_string<Key>)
    throw usage_error("--ops singular_ancestors: it is for numbers");
  bool const one_answer = !c.what->lists();
  bool const cpu_baselines = one_answer && runs_on_cpu(c.baselines);
  bool const gpu_baselines = gpu && (c.baselines == baseline_choice::all || c.baselines == baseline_choice::gpu);

  sorted_set<Key> const* sorted = nullptr;
  if (cpu_baselines || gpu_baselines || c.scenes || needs_sorted(*c.what, set)) {
    progress const shown(context, "sorting keys");
    sorted = &data.sorted();
  }
  array<Key> probes;
  array<std::uint32_t> answers;
  {
    progress const shown(context, "making probes");
    probes = make_probes(c, set, sorted);
    answers = make_answers<Key>(*c.what, set, sorted, probes.all());
  }
  auto const host_probes = probes.first(probes.size());
  auto const right = answers.first(answers.size());

  bool const one_kind = c.baselines == baseline_choice::tree || c.baselines == baseline_choice::tries;
  if (!gpu && !one_kind && (cpu_baselines || c.baselines == baseline_choice::limits))
    run_random_lines(c, pair_bytes(set), out);
  if (cpu_baselines) run_cpu_point_baselines(c, set, *sorted, host_probes, right, context, out);
  if (gpu_baselines) run_gpu_point_baselines(c, *sorted, host_probes, exec, out);
  placed<Key> const placed_keys(set.keys(), exec), placed_probes(host_probes, exec, c.place);
  std::optional<link_rates> link;
  std::optional<copy_costs> copies;
  if (over_link) {
    link = run_link_limits(c, placed_probes.bytes(), exec, out);
    copies = measure_copies(c, exec);
  }
  array<Key> parents(c.what == &lookups::ancestors ? set.size() : 0);
  parallel_chunks(parents.size(), [&](std::uint64_t begin, std::uint64_t end) {
    for (auto row = begin; row < end; ++row) parents[row] = set.keys()[parent_row(row)];
  });
  placed<Key> const placed_parents(parents.first(parents.size()), exec, c.place);
  placed<std::uint32_t> const placed_answers(right, exec);
  for (auto const& s : c.specs) {
    progress const shown(context, out.label(s.text(), c.specs.size()));
    counting_resource counter(*exec.memory);
    std::vector<int> const threads = gpu ? std::vector<int>{0} : c.threads;
    auto const built = build_index(s, placed_keys.keys(), exec, counter);
    for (int const t : threads) {
      execution counted = exec;
      counted.memory = &counter;
      counted.threads = t;
      point_lookup<Key> lookup(*c.what, built.index, placed_probes, counted, c.place, placed_parents.keys(),
                               c.singular);
      auto const clock = over_link ? make_wall_timer() : make_timer(exec);
      auto const runs = measure(lookup, c.repeat, *clock, counter, [&] { lookup.check(placed_answers, set.keys()); });
      record line;
      put_index(line, built, s);
      double const rate = put_lookups(line, built, gpu ? record(nullptr) : record(t), runs, probes.size());
      if constexpr (sizeof(Key) <= 8)
        if (c.scenes)
          put_scene(line, built.index, std::as_const(sorted->keys).first(sorted->size()), placed_probes, counted);
      if (!one_answer) line["match_rate"] = rate_of(lookup.matches(), runs.time.median);
      if (link) {
        double const probe_bytes = rate_of(placed_probes.bytes(), runs.time.median);
        line["link_share"] = probe_bytes / link->one_way;
        line["two_way_link_share"] = probe_bytes / link->two_way;
        if (c.what == &lookups::find && !c.singular && !is_string<Key>) {
          cost_model const model{copies->to_device, copies->to_host,
                                 measure_searches(c, built.index, set, sorted, counted, counter), link->one_way,
                                 link->two_way};
          line["predicted_s"] =
              model.seconds({probes.size(), sizeof(Key), static_cast<double>(size_of(built.index.row_type()))});
        }
      }
      out.add_index(std::move(line), rate);
    }
    if (!c.devices.empty()) measure_shards(c, s, set, placed_probes, placed_answers, placed_parents.keys(), exec, out);
  }
}

template class point_lookup<std::uint32_t>;
template class point_lookup<std::uint64_t>;
template class point_lookup<u128>;
template class point_lookup<std::string_view>;
template void run_point(config const&, key_data<std::uint32_t>&, cli_context const&, report&);
template void run_point(config const&, key_data<std::uint64_t>&, cli_context const&, report&);
template void run_point(config const&, key_data<u128>&, cli_context const&, report&);
template void run_point(config const&, key_data<std::string_view>&, cli_context const&, report&);

}  // namespace warpdex::bench
