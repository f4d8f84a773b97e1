// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"

#include "bench/arguments.hpp"
#include "bench/calls.hpp"
#include "bench/data.hpp"
#include "bench/encode.hpp"
#include "bench/join.hpp"
#include "bench/key_file.hpp"
#include "bench/line_reads.hpp"
#include "bench/loads.hpp"
#include "bench/lookup.hpp"
#include "bench/options.hpp"
#include "bench/rays.hpp"
#include "bench/refit.hpp"
#include "bench/report.hpp"
#include "bench/shapes.hpp"
#include "bench/strings.hpp"

#include <warpdex/search/codec.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace warpdex::bench {
namespace {

/// Makes the keys and calls run(data, report).
template <class Key, class Run>
void run_with(config const& c, key_set<Key> set, key_type type, std::string name, record const& own,
              bench_context const& context, Run const& run) {
  record fields = shared_fields(c, make_execution(c.backend, 0), type, set.size());
  fields.update(own);
  report out(context, std::move(name), std::move(fields));
  key_data<Key> data(std::move(set));
  run(data, out);
}

/// Calls run(Key{}) with the unsigned number that the library makes of such a key.
template <class Run> void with_number(key_type type, Run const& run) {
  return with_key_type(type, [&]<class Key>() { return run(code_of<Key>{}); });
}

/// Tries everything that needs no keys, before any are made or read: the backend, the file, and each spec with no keys.
/// @param ask calls the operation without probes, so an index that does not offer it throws
template <class Ask> void expect_runnable(config const& c, Ask const& ask) {
  execution const exec = make_execution(c.backend, 0);
  key_type const type = is_file(c) ? key_file(c.keys).type() : c.type.value_or(key_type::u32);
  column const none(nullptr, 0, type);
  for (spec const& s : c.specs) ask(warpdex::index::build(s, none, exec), none, exec);
}

constexpr auto asks_nothing = [](warpdex::index const&, column, execution const&) {};

/// Asks for points that are none. @throws usage_error, unsupported
void ask_points(config const& c, warpdex::index const& x, column none, execution const& exec) {
  expect_points_on(c, exec.memory->backend() == backend_kind::cuda);
  if (c.what->takes == probe_form::prefixes) x.prefix_count(none, {}, exec);
  else if (c.what->ordered) x.lower_bound(none, {}, exec);
}

/// @param ask see `expect_runnable`
template <class Ask, class Run>
int with_keys(config const& c, std::string name, record const& own, bench_context const& context, Ask const& ask,
              Run const& run) {
  expect_runnable(c, ask);
  auto const run_generated = [&](key_type type, auto const& make) {
    auto set = [&] {
      progress const shown(context, "making keys");
      return make();
    }();
    run_with(c, std::move(set), type, name, own, context, run);
  };
  // Few enough to be made at once, and too many for the caches.
  std::uint64_t const misses = c.hit_rate < 1 ? std::min(c.probes, std::uint64_t{1} << 22) : 0;
  if (auto const strings = string_shape_named(c.keys)) {
    run_generated(key_type::bytes, [&] { return key_set<std::string_view>::generate(*strings, c.n, c.seed, misses); });
    return exit_success;
  }
  auto const shape = shape_named(c.keys);
  if (c.uniformity || shape) {
    key_type const type = c.type.value_or(key_type::u32);
    with_number(type, [&]<class Key>(Key) {
      if (!shape) run_generated(type, [&] { return key_set<Key>::generate(c.n, *c.uniformity, c.seed, c.copies); });
      else if constexpr (sizeof(Key) <= 8) run_generated(type, [&] { return make_shape<Key>(*shape, c.n, c.seed); });
    });
    return exit_success;
  }
  key_file file(c.keys);
  column const keys = [&] {
    progress const shown(context, c.keys);
    return file.read();
  }();
  if (keys.type == key_type::bytes) {
    auto const few = std::min(misses, std::uint64_t{1} << 16);  // they are longer than all keys
    run_with(c, key_set<std::string_view>::of_column(keys, few), keys.type, name, own, context, run);
    return exit_success;
  }
  with_number(keys.type,
              [&]<class Key>(Key) { run_with(c, key_set<Key>::of_column(keys), keys.type, name, own, context, run); });
  return exit_success;
}

constexpr char const* singular = "singular";
constexpr char const* singular_ancestors = "singular_ancestors";

/// @return the lookups of which this benchmark knows the answers, and those of `config::singular`
std::vector<std::string> point_lookups() {
  std::vector<std::string> names = {lookups::find.name, singular, singular_ancestors};
  for (lookup const* const what : lookups::all)
    if (what != &lookups::find && what->takes != probe_form::ranges && what->writes[0] != answer_kind::sum)
      names.emplace_back(what->name);
  return names;
}

lookup const& lookup_named(std::string_view name) {
  return **std::find_if(std::begin(lookups::all), std::end(lookups::all),
                        [&](lookup const* what) { return what->name == name; });
}

void add_point(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  auto& command = *app.add_subcommand("point", "Point lookups: probes drawn from the keys, or misses");
  add_keys(command, *a);
  add_run(command, *a);
  command.add_option("--copies", a->copies, "Entries of each generated key; --n counts all entries")
      ->capture_default_str();
  command.add_option("--probes", a->probes, "Number of probes, or a file that has them, for --keys FILE")
      ->capture_default_str();
  command.add_option("--hit-rate", a->c.hit_rate, "Part of the probes that are keys")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--miss", a->miss, "Where the other probes are: between the smallest and the largest key, or outside")
      ->check(CLI::IsMember({"in", "out"}))
      ->capture_default_str();
  command.add_option("--zipf", a->c.zipf, "Zipf coefficient of the hits; 0 draws uniformly")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      .add_option("--order", a->c.order,
                  "How the probes come: random (default), sorted, descending, near (sorted, but each up to 1023 places "
                  "off), or blocks (sorted blocks of 2^16, mixed up)")
      ->transform(names_of(
          {probe_order::random, probe_order::sorted, probe_order::descending, probe_order::near, probe_order::blocks}));
  add_place(command, *a, "--place", "Where probes and answers are");
  command.add_flag("--scenes", a->c.scenes, "Count triangles, rays and wrong hits of ray indexes");
  add_lookup(command, *a, point_lookups(),
             "The lookup, of which some are for strings alone; singular and singular_ancestors are find and ancestors, "
             "but by a "
             "loop over the index's view");
  command
      .add_option("--devices", a->devices,
                  "Measure each index also over several devices, after that on one: 0,1; or cpu,cpu for parts of a CPU")
      ->type_name("DEVICE,...");
  command.add_option("--placement", a->placed_by, "How keys are placed there: replicate, range, or auto (default)")
      ->check(CLI::IsMember({"replicate", "range", "auto"}));
  command.callback([a, &context] {
    context.action = [a, &context] {
      auto c = with_probe_file(*a);
      if (!a->devices.empty()) c.devices = parse_devices(a->devices);
      c.placed_by = parse_placement(a->placed_by);
      c.singular = a->op == singular || a->op == singular_ancestors;
      c.what = a->op == singular             ? &lookups::find
               : a->op == singular_ancestors ? &lookups::ancestors
                                             : &lookup_named(a->op);
      return with_keys(
          c, "point", point_fields(c), context, [&](auto const&... arguments) { ask_points(c, arguments...); },
          [&](auto& data, report& out) { run_point(c, data, context, out); });
    };
  });
}

void add_range(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  a->probes = "2^16";
  auto& command = *app.add_subcommand("range", "Range lookups of a fixed number of hits, or of a fixed length");
  add_keys(command, *a);
  add_run(command, *a);
  command.add_option("--probes,--ranges", a->probes, "Number of ranges")->capture_default_str();
  auto* const hits = command.add_option("--hits", a->hits, "Entries in a range")->capture_default_str();
  command
      .add_option("--length", a->length,
                  "Values in a range, from a key to the key + LENGTH - 1, instead: entries are as many as there are")
      ->excludes(hits);
  command.add_option("--order", a->c.order, "How the ranges come: random (default) or sorted, by their lower bounds")
      ->transform(names_of({probe_order::random, probe_order::sorted}));
  add_lookup(command, *a, {"sum", "count", "retrieve"}, "The lookup; sum is that of the row ids");
  command.callback([a, &context] {
    context.action = [a, &context] {
      auto c = finished(*a);
      c.what = &lookup_named("range_" + a->op);
      return with_keys(
          c, "range", range_fields(c), context,
          [](warpdex::index const& x, column none, execution const& exec) {
            x.range_count({none, none}, {}, exec);
          },
          [&](auto& data, report& out) { run_range(c, data, context, out); });
    };
  });
}

void add_build(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  auto& command = *app.add_subcommand("build", "Building an index, compared with one sort of the pairs");
  add_keys(command, *a);
  add_run(command, *a);
  add_place(command, *a, "--place", "Where the key column is");
  command.add_flag("--move", a->c.moves,
                   "Build on the CPU, from a column on the host, and move the index to the backend");
  command.callback([a, &context] {
    context.action = [a, &context] {
      auto const c = finished(*a);
      return with_keys(
          c, "build", build_fields(c), context,
          [&](warpdex::index const&, column, execution const& exec) {
            expect_points_on(c, exec.memory->backend() == backend_kind::cuda);
          },
          [&](auto& data, report& out) { run_build(c, data, context, out); });
    };
  });
}

void add_update(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  auto const batch = std::make_shared<std::string>("0");
  auto& command = *app.add_subcommand("update", "Waves of inserts, then of erases, with lookups after each");
  add_keys(command, *a);
  add_run(command, *a);
  command.add_option("--probes", a->probes, "Number of probes after each wave, all of them hits")
      ->capture_default_str();
  command.add_option("--waves", a->c.waves, "Waves of inserts, and as many of erases")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--batch", *batch, "Keys a wave; by default all waves of inserts grow the index 2.2 times");
  command.add_flag("--assign", a->c.assigns,
                   "Between inserts and erases, give the keys of the last batch other rows, and then their own");
  command.callback([a, batch, &context] {
    context.action = [a, batch, &context] {
      auto c = finished(*a);
      if (!c.uniformity && !string_shape_named(c.keys))
        throw usage_error("--keys: updates are of uniform and dense keys, and of generated strings");
      c.batch = parse_number("--batch", *batch, 0, missing - 1);
      if (c.batch == 0) c.batch = usual_batch(c);
      config const all = with_batches(c);
      if (all.n >= missing) throw usage_error(fmt::format("--n, --batch: {} keys in all exceed 32-bit rows", all.n));
      record own = update_fields(c);
      own["n"] = c.n;
      return with_keys(all, "update", own, context, asks_nothing,
                       [&](auto& data, report& out) { run_update(c, data, context, out); });
    };
  });
}

void add_join(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  a->hits = "1";
  auto const batch_pairs = std::make_shared<std::string>("2^27");
  auto const part_probes = std::make_shared<std::string>("2^27");
  auto const tolerance = std::make_shared<std::string>();
  auto& command = *app.add_subcommand("join", "Joins of a probe column with an index, pairs dropped as they come");
  add_index(command, *a);
  command.add_option("--key-type", a->type, "u32 (default) or u64")->check(CLI::IsMember({"u32", "u64"}));
  add_run(command, *a);
  command.add_option("--how", a->c.join, "inner (default), left, semi, anti, range (of inner kind), or asof")
      ->transform(
          names_of({join_op::inner, join_op::left, join_op::semi, join_op::anti, join_op::range, join_op::asof}));
  command.add_option("--strategy", a->c.asof.strategy, "Of as-of joins: backward (default), forward or nearest")
      ->transform(names_of({asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest}));
  command.add_option("--tolerance", *tolerance, "Of as-of joins: the largest distance of a match");
  command.add_flag("!--no-allow-exact-matches", a->c.asof.allow_exact_matches,
                   "Of as-of joins: a key that equals the probe does not match");
  command.add_option("--probes", a->probes, "Number of probes, or of ranges")->capture_default_str();
  command.add_option("--hits", a->hits, "Entries of each key, or in each range")->capture_default_str();
  command.add_option("--hit-rate", a->c.hit_rate, "Part of the probes that are keys, but for range and as-of joins")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--zipf", a->c.zipf, "Zipf coefficient of the probes' places; 0 draws uniformly")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      .add_option("--right", a->c.right,
                  "The right side: a built index (default), a sorted column in the backend's memory, one in pinned "
                  "host memory, or an unsorted column of which each join builds an index first")
      ->transform(names_of({right_side::index, right_side::sorted, right_side::host, right_side::unsorted}));
  add_place(command, *a, "--left", "Where probes are");
  command.add_option("--batch-pairs", *batch_pairs, "Most pairs in a batch")->capture_default_str();
  command.add_option("--part-probes", *part_probes, "Most probes in a part")->capture_default_str();
  command.callback([=, &context] {
    context.action = [=, &context] {
      constexpr std::uint64_t most = std::uint64_t{1} << 40;
      config c = finished_run(*a);
      c.specs = specs_of(*a);
      c.type = a->type.empty() ? key_type::u32 : parse_key_type(a->type);
      c.n = parse_number("--n", a->n, 1, c.type == key_type::u32 ? missing - 1 : most);
      c.probes = parse_number("--probes", a->probes, 1, most);
      c.hits = parse_number("--hits", a->hits, 1, most);
      c.batch_pairs = parse_number("--batch-pairs", *batch_pairs, 1, most);
      c.part_probes = parse_number("--part-probes", *part_probes, 1, most);
      bool const asof = c.join == join_op::asof;
      if (!asof && !tolerance->empty()) throw usage_error("--tolerance is for --how asof");
      if (!asof && !c.asof.allow_exact_matches) throw usage_error("--no-allow-exact-matches is for --how asof");
      if (!tolerance->empty()) {
        constexpr std::uint64_t farthest = std::numeric_limits<std::int64_t>::max();
        c.asof.tolerance = static_cast<std::int64_t>(
            parse_number("--tolerance", *tolerance, 0, c.type == key_type::u32 ? missing : farthest));
      }
      c.keys = "stepped";
      expect_runnable(c, [&](warpdex::index const& x, column none, execution const& exec) {
        spec const s(x.spec_text());
        bool const borrows = c.right == right_side::sorted || c.right == right_side::host;
        if (borrows && s.option("pairs") == nullptr) warpdex::index::over_sorted(s, none, exec);
        if (c.join == join_op::range || c.join == join_op::asof) x.lower_bound(none, {}, exec);
      });
      record fields = shared_fields(c, make_execution(c.backend, 0), *c.type, c.n);
      fields.update(join_fields(c));
      report out(context, "join", std::move(fields));
      run_join(c, context, out);
      return exit_success;
    };
  });
}

void add_encode(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  auto& command = *app.add_subcommand("encode", "Keys of tuples, a day and a text of 8 bytes, and their tuples again");
  command.add_option("--n", a->n, "Number of tuples, such as 1000000, 1M or 2^26")->capture_default_str();
  add_run(command, *a);
  command.callback([a, &context] {
    context.action = [a, &context] {
      auto c = finished_run(*a);
      c.n = parse_number("--n", a->n, 0, missing - 1);
      c.keys = "tuples";
      report out(context, "encode", shared_fields(c, make_execution(c.backend, 0), key_type::bytes, c.n));
      run_encode(c, context, out);
      return exit_success;
    };
  });
}

void add_lines(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  auto& command = *app.add_subcommand("lines", "Reads of cache lines, random and ascending ones");
  command.add_option("--n", a->n, "Numbers of 8 bytes to read from")->capture_default_str();
  command.add_option("--probes", a->probes, "Reads")->capture_default_str();
  add_run(command, *a);
  add_place(command, *a, "--place", "Where the numbers are");
  command.callback([=, &context] {
    context.action = [=, &context] {
      auto c = finished_run(*a);
      c.n = parse_number("--n", a->n, 1, std::uint64_t{1} << 40);
      c.probes = parse_number("--probes", a->probes, 1, missing - 1);
      record fields = shared_fields(c, make_execution(c.backend, 0), key_type::u64, c.n);
      fields["probes"] = c.probes;
      fields["place"] = to_string(c.place);
      report out(context, "lines", fields);
      run_lines(c, context, out);
      return exit_success;
    };
  });
}

/// Adds a benchmark of the machine, or without `n` one of few probes in indexes. @param n, probes what `--n` and
/// `--probes` count
void add_machine(CLI::App& app, bench_context& context, std::string const& name, std::string const& text,
                 std::string const& n, std::string const& probes,
                 void (*measure)(config const&, cli_context const&, report&)) {
  auto const a = std::make_shared<arguments>();
  auto& command = *app.add_subcommand(name, text);
  a->index = "none";
  if (n.empty()) {
    add_index(command, *a);
    a->probes = "1024";
  } else command.add_option("--n", a->n, n)->capture_default_str();
  command.add_option("--probes", a->probes, probes)->capture_default_str();
  add_run(command, *a);
  command.callback([=, &context] {
    context.action = [=, &context] {
      auto c = finished_run(*a);
      c.specs = specs_of(*a);
      c.n = parse_number("--n", a->n, 1, missing - 1);
      c.probes = parse_number("--probes", a->probes, 1, missing - 1);
      report out(context, name, shared_fields(c, make_execution(c.backend, 0), key_type::u32, c.n));
      measure(c, context, out);
      return exit_success;
    };
  });
}

void add_refit(CLI::App& app, bench_context& context) {
  auto const a = std::make_shared<arguments>();
  auto const moved = std::make_shared<std::string>("0");
  auto& command = *app.add_subcommand("refit", "Rays of RX after updates that fit boxes again, and after a rebuild");
  command.add_option("--n", a->n, "Number of random keys, such as 1000000, 1M or 2^26")->capture_default_str();
  command.add_option("--probes", a->probes, "Rays, each of which hits")->capture_default_str();
  command.add_option("--moved", *moved, "Keys that become others, at most n")->capture_default_str();
  add_run(command, *a);
  command.callback([=, &context] {
    context.action = [=, &context] {
      auto c = finished_run(*a);
      c.n = parse_number("--n", a->n, 1, missing >> 1);
      c.probes = parse_number("--probes", a->probes, 1, missing - 1);
      c.moved = parse_number("--moved", *moved, 0, c.n);
      record fields = shared_fields(c, make_execution(c.backend, 0), key_type::u32, c.n);
      fields.update({{"probes", c.probes}, {"moved", c.moved}});
      report out(context, "refit", fields);
      run_refit(c, context, out);
      return exit_success;
    };
  });
}

/// `--against` of all benchmarks.
void add_against(CLI::App& app, bench_context& context) {
  auto const path = std::make_shared<std::string>();
  app.add_option("--against", *path,
                 "Results of an earlier run, as lines of JSON: fails if a rate of an index fell by 5 % or more")
      ->type_name("FILE");
  app.callback([path, &context] {  // after that of the benchmark
    if (path->empty()) return;
    context.action = [path, &context, measure = std::move(context.action)] {
      context.earlier = std::make_unique<earlier_run>(*path);
      int const code = measure();
      context.earlier->expect_kept();
      return code;
    };
  });
}

}  // namespace

void add_benchmarks(CLI::App& app, bench_context& context) {
  add_against(app, context);
  add_point(app, context);
  add_range(app, context);
  add_build(app, context);
  add_update(app, context);
  add_join(app, context);
  add_encode(app, context);
  add_lines(app, context);
  add_machine(app, context, "calls", "Calls of few probes by several threads", {}, "Probes per call", run_calls);
  add_machine(app, context, "loads", "Loads by groups of 1, 2, 4, ... 1024 of 2^16 threads", "Numbers to load from",
              "Loads per thread", run_loads);
  add_machine(app, context, "rays", "Bare rays by Vulkan, each of which hits at once", "Triangles", "Rays", run_rays);
  add_refit(app, context);
  // The words of an option are in braces after its name.
  for (CLI::App* const command : app.get_subcommands({}))
    for (CLI::Option* const option : command->get_options())
      if (option->get_type_name().starts_with("ENUM")) option->type_name("TEXT");
}

}  // namespace warpdex::bench
