// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "lookup.hpp"
#include "results.hpp"
#include "tables/strings.hpp"
#include "tables/table.hpp"
#include "tools/stopwatch.hpp"

#include <warpdex/search/common.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::cli {

void lookup::write_header(std::string const& names, bool with_row) const {
  std::string line = probes.heading("probe");
  if (!names.empty()) line += ',' + names;
  out << line;
  if (with_row) {
    out << ',';
    rows.write_names(line);
  }
  out << '\n';
}

namespace {

void find(lookup const& job) {
  any_index const& x = *job.opened.index;
  row_array rows(std::min(probes_per_call, job.probes.size()), x.row_type());
  std::string scratch;
  job.write_header({}, true);
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    tools::stopwatch watch;
    column const keys = job.probes.keys(first, count);
    x.find(keys, rows.output(keys.size), job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    rows.spread(job.probes, first, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',';
      if (rows.missing(i)) {
        job.rows.write_none();
      } else {
        job.rows.write(rows[i]);
        ++job.done.matches;
      }
      job.out << '\n';
    }
    job.shown.advance(count);
  });
}

void contains(lookup const& job) {
  std::vector<std::uint8_t> found(std::min(probes_per_call, job.probes.size()));
  std::string scratch;
  job.write_header("contains", false);
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    tools::stopwatch watch;
    column const keys = job.probes.keys(first, count);
    job.opened.index->contains(keys, {found.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    job.probes.spread(first, count, found.data(), 1, 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, scratch) << (found[i] != 0 ? ",true\n" : ",false\n");
      job.done.matches += found[i] != 0 ? 1 : 0;
    }
    job.shown.advance(count);
  });
}

/// Ranks, which count the entries before a place. Probes that are no keys were rounded: for `lower_bound` up, so
/// without a key above them all entries are below, and for `upper_bound` down.
template <warpdex::lookup const& What> void bound(lookup const& job) {
  constexpr unsigned char no_value = 0xff;
  constexpr std::uint64_t no_rank = ~std::uint64_t{0};
  std::vector<std::uint64_t> ranks(std::min(probes_per_call, job.probes.size()));
  std::string scratch;
  job.write_header("rank", false);
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    tools::stopwatch watch;
    column const keys = job.probes.keys(first, count);
    job.opened.index->look_up(What, {keys}, {std::span(ranks.data(), keys.size)}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    job.probes.spread(first, count, ranks.data(), sizeof ranks[0], no_value);
    for (std::uint64_t const cell : job.probes.beyond(first, count))
      ranks[cell - first] = answer_without_key(What.op, job.opened.index->size());
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',';
      if (ranks[i] != no_rank) {
        job.out << ranks[i];
        ++job.done.matches;
      }
      job.out << '\n';
    }
    job.shown.advance(count);
  });
}

/// Finds the longest key that begins each probe. All cells of strings are probes, so no answer has to move.
void longest(lookup const& job) {
  any_index const& x = *job.opened.index;
  std::uint64_t const capacity = std::min(probes_per_call, job.probes.size());
  row_array rows(capacity, x.row_type());
  std::vector<std::uint32_t> lengths(capacity);
  std::string probe_scratch;
  std::string key_scratch;
  job.write_header("key", true);
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    tools::stopwatch watch;
    column const probes = job.probes.keys(first, count);
    x.match_longest(probes, rows.output(count), {lengths.data(), count}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, probe_scratch) << ',';
      if (rows.missing(i)) {
        job.out << ',';
        job.rows.write_none();
      } else {
        job.out << tables::csv_field(tables::string_at(probes, i).substr(0, lengths[i]), key_scratch) << ',';
        job.rows.write(rows[i]);
        ++job.done.matches;
      }
      job.out << '\n';
    }
    job.shown.advance(count);
  });
}

/// A part of the probes, in cells.
struct probe_part {
  tables::key_column const& all;
  std::uint64_t first;
  std::uint64_t count;
  column keys() const { return all.keys(first, count); }
  column last_keys() const { return all.last_keys(first, count); }
};

/// The calls that count and list the rows of keys.
struct of_keys {
  static void count(any_index const& x, probe_part const& part, std::span<std::uint64_t> out, execution const& exec) {
    x.count(part.keys(), out, exec);
  }
  static matches retrieve(any_index const& x, probe_part const& part, execution const& exec) {
    return x.retrieve(part.keys(), exec);
  }
};

/// The same of keys that begin with strings, or of tuples that begin with values. Tuples that are numbers are a range.
struct of_beginnings {
  static void count(any_index const& x, probe_part const& part, std::span<std::uint64_t> out, execution const& exec) {
    if (x.key_type() == key_type::bytes) x.prefix_count(part.keys(), out, exec);
    else x.range_count({part.keys(), part.last_keys()}, out, exec);
  }
  static matches retrieve(any_index const& x, probe_part const& part, execution const& exec) {
    return x.key_type() == key_type::bytes ? x.prefix_retrieve(part.keys(), exec)
                                           : x.range_retrieve({part.keys(), part.last_keys()}, exec);
  }
};

/// Counts the rows of each probe, which have adjacent ranks, and adds up columns of them.
void write_aggregates(lookup const& job) {
  any_index const& x = *job.opened.index;
  std::uint64_t const capacity = std::min(probes_per_call, job.probes.size());
  std::vector<std::uint64_t> firsts(capacity);
  std::vector<std::uint64_t> lasts(capacity);
  std::string scratch;
  job.out << job.probes.heading("probe") << ",count";
  job.values->write_names(job.out);
  job.out << '\n';
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    tools::stopwatch watch;
    column const keys = job.probes.keys(first, size);
    x.lower_bound(keys, {firsts.data(), keys.size}, job.opened.exec);
    x.upper_bound(keys, {lasts.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, firsts);
    spread_counts(job.probes, first, size, lasts);
    watch.lap();
    job.values->find({firsts.data(), size}, {lasts.data(), size});
    job.done.lookup_seconds += watch.lap();
    for (std::uint64_t i = 0; i < size; ++i) {
      std::uint64_t const count = ranks_between(firsts[i], lasts[i]);
      job.out << job.probes.text(first + i, scratch) << ',' << count;
      job.values->write(job.out, i);
      job.out << '\n';
      job.done.matches += count;
    }
    job.shown.advance(size);
  });
}

template <class Calls> void count(lookup const& job) {
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.probes.size()));
  std::string scratch;
  job.write_header("count", false);
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    tools::stopwatch watch;
    probe_part const keys{job.probes, first, size};
    Calls::count(*job.opened.index, keys, {counts.data(), keys.keys().size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, counts);
    for (std::uint64_t i = 0; i < size; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',' << counts[i] << '\n';
      job.done.matches += counts[i];
    }
    job.shown.advance(size);
  });
}

void count_keys(lookup const& job) {
  if (job.values != nullptr) write_aggregates(job);
  else count<of_keys>(job);
}

template <class Calls> void retrieve(lookup const& job) {
  any_index const& x = *job.opened.index;
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.probes.size()));
  std::string scratch;
  job.write_header({}, true);
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    tools::stopwatch watch;
    probe_part const keys{job.probes, first, size};
    Calls::count(x, keys, {counts.data(), keys.keys().size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, counts);
    for_each_bounded_call({counts.data(), size}, [&](std::uint64_t part, std::uint64_t part_size) {
      tools::stopwatch part_watch;
      matches const found = Calls::retrieve(x, {job.probes, first + part, part_size}, job.opened.exec);
      row_array const rows(found, x.row_type(), job.opened.exec);
      job.done.lookup_seconds += part_watch.lap();
      std::uint64_t next = 0;
      for (std::uint64_t i = part; i < part + part_size; ++i) {
        std::string_view const probe = job.probes.text(first + i, scratch);
        for (std::uint64_t const end = std::min(next + counts[i], found.total); next < end; ++next) {
          job.out << probe << ',';
          job.rows.write(rows[next]);
          job.out << '\n';
        }
      }
      job.done.matches += found.total;
      job.shown.advance(part_size);
    });
  });
}

/// Refuses an index that cannot answer.
void ask_nothing(warpdex::lookup const& what, any_index const& x, execution const& exec) {
  key_ranges const none{column(nullptr, 0, x.key_type())};
  if (what.writes[0] == answer_kind::row)
    x.look_up(what, none, {row_output(nullptr, 0, x.row_type()), key_output()}, exec);
  else x.look_up(what, none, {std::span<std::uint64_t>()}, exec);
}

/// A lookup as the command line knows it.
struct lookup_command {
  warpdex::lookup const* what;  ///< of the index
  char const* name;
  char const* summary;
  void (*look_up)(lookup const&);
  void (*list_rows)(lookup const&) = nullptr;  ///< instead of `look_up` with --rows, if there is such an option
  bool adds_up = false;                        ///< whether it takes the options of aggregates
  bool by_distance = false;                    ///< whether the neighbour may be on either side
  bool begins_tuples = false;                  ///< whether of tuples it takes the first fields

  bool of_strings() const { return what->takes == probe_form::prefixes; }
  bool next_to() const { return what->writes[1] == answer_kind::key; }
  bool answers_rows() const { return what->writes[0] == answer_kind::row || what->lists(); }
};

/// @return how to treat probes that are no keys of the index
tables::other_values others_of(lookup_command const& command, lookup_options const& options) {
  // A key next to a value may be below it or above: what must not equal its probe is compared as it is.
  if (command.by_distance || options.no_exact) return tables::other_values::change_type;
  if (command.of_strings()) return tables::other_values::refuse;
  switch (rounding_of(command.what->op)) {
    case rounding::up: return tables::other_values::round_up;
    case rounding::down: return tables::other_values::round_down;
    default: return tables::other_values::leave_out;
  }
}

bool writes_rows(lookup_command const& command, lookup_options const& options) {
  return command.list_rows != nullptr ? options.rows : command.answers_rows();
}

void expect_consistent(lookup_command const& command, lookup_options const& options) {
  if (options.probes.empty() == options.values.empty())
    throw usage_error(std::string(command.name) + ": either --probes FILE[:COLUMN] or --probe VALUE is needed");
  if (options.probes == "-" && options.keys == "-")
    throw usage_error("--keys - and --probes -: standard input can be read once only");
  if (command.of_strings() && !command.begins_tuples && !options.key.empty())
    throw usage_error(std::string(command.name) + ": --key makes tuples, which are no strings to begin with others");
  if (command.by_distance && !options.key.empty())
    throw usage_error("nearest: --key makes tuples, which have no distances");
  if (!options.columns.empty() && !writes_rows(command, options))
    throw usage_error(std::string("--columns goes with --rows"));
  expect_source(options, options, options.any() || !options.columns.empty());
}

tables::key_column read_probes(cli_context const& context, lookup_options const& options, opened_index const& opened,
                               lookup_command const& command) {
  auto reading = probe_reading(options, options.strict, opened, others_of(command, options), command.begins_tuples);
  if (command.of_strings()) reading.keys_as = {};  // beginnings of keys, and what begins with one, are bytes
  if (options.probes.empty()) return tables::key_column("--probe", options.values, reading);
  progress const shown(context, "reading " + options.probes);
  return tables::key_column(options.probes, reading);
}

int run(cli_context const& context, lookup_options options, lookup_command const& command) {
  expect_consistent(command, options);
  expect_no_input(options.out, {{"--index", options.index},
                                {"--keys", options.keys},
                                {"--source", options.source},
                                {"--probes", options.probes}});
  options.keep_table = options.any() || !options.columns.empty();
  tools::stopwatch total;
  tables::output out(options.out);
  if (!options.probes.empty()) expect_input(options, options.probes, command.begins_tuples);
  if (options.keep_table) expect_table_columns(options, options, options.names());
  // The rows of a key are adjacent where keys have an order.
  warpdex::lookup const& needed = options.any() ? lookups::lower_bound : *command.what;
  opened_index opened = open_index(context, options, [&](any_index const& x, execution const& exec) {
    if (command.by_distance) in_one_piece(x, "nearest");
    if (options.any()) in_one_piece(x, aggregate_names);
    if (command.by_distance && x.key_type() == key_type::bytes)
      throw unsupported("nearest: the keys are strings, which have no distances");
    if (needed.ordered && needed.takes == probe_form::keys) ask_nothing(needed, x, exec);
  });
  if (command.of_strings() && opened.fields.empty() && opened.index->key_type() != key_type::bytes)
    throw unsupported(fmt::format("{}: the keys of {} are {}; only strings have prefixes (--type bytes)", command.name,
                                  opened.origin, to_string(opened.index->key_type())));
  work_done done;
  done.command = command.name;
  done.output = options.out;
  tools::stopwatch watch;
  auto const probes = read_probes(context, options, opened, command);
  done.probe_read_seconds = watch.lap();
  done.probes = probes.size();
  done.not_keys = probes.others();
  done.nulls = probes.nulls();
  if (command.begins_tuples && !opened.fields.empty() && !probes.begins_tuples())
    throw usage_error(std::string(command.name) + ": probes have all columns of --key; `count` finds whole tuples");
  std::optional<aggregates> values;
  if (options.any()) values.emplace(options, open_source(context, options, options, opened), opened);
  tables::row_cells rows = make_row_cells(context, options, options, opened, out);
  done.source_read_seconds = watch.lap();
  {
    progress shown(context, command.name, probes.size());
    (options.rows ? command.list_rows
                  : command.look_up)({options, opened, probes, out, rows, values ? &*values : nullptr, shown, done});
    out.commit();
  }
  done.write_seconds = watch.lap() - done.lookup_seconds;
  done.total_seconds = total.lap();
  print_summary(context, opened, done);
  return exit_success;
}

void add(CLI::App& app, cli_context& context, lookup_command const& chosen, std::string const& details) {
  auto const options = std::make_shared<lookup_options>();
  CLI::App* const command = app.add_subcommand(chosen.name, chosen.summary);
  add_index_options(*command, *options);
  command
      ->add_option("--probes", options->probes, "The values to look up, of a kind that compares with the index's keys")
      ->type_name("FILE[:COLUMN]");
  command
      ->add_option("--probe", options->values,
                   "A value to look up, instead of a file; may be given several times. --probe=-5 begins with a minus; "
                   "with --key, values have commas between them")
      ->type_name("VALUE")
      ->allow_extra_args(false);
  if (!chosen.of_strings()) add_strict_option(*command, options->strict);
  if (chosen.list_rows != nullptr) command->add_flag("--rows", options->rows, "List the rows instead of counting them");
  if (chosen.answers_rows() || chosen.list_rows != nullptr) add_row_options(*command, *options);
  if (chosen.adds_up) {
    add_aggregate_options(*command, *options);
    add_source_option(*command, *options);
  }
  if (chosen.next_to()) {
    command->add_option("--ties", options->ties, "Which row to give where several have the key")
        ->check(CLI::IsMember({"first", "last"}))
        ->capture_default_str();
    command->add_flag("--no-exact", options->no_exact, "A key that equals the probe does not count");
  }
  add_out_option(*command, options->out);
  command->footer(details + "\n" + tables::source_help);
  command->callback([&context, options, chosen] {
    context.action = [&context, options, chosen] { return run(context, *options, chosen); };
  });
}

}  // namespace

void add_lookups(CLI::App& app, cli_context& context) {
  add(app, context, {&lookups::find, "find", "Find the first row of each probe", find},
      R"(Writes `probe,row`, one line per probe in probe order. Rows are numbered from 0 in the order of the key file.
If several rows have the key, row is the first of them. For a probe that is no key, row is empty; the probe may be a
value that no key of the index's type could have, such as 2.5 among integers, or null.

Examples:
  warpdex find --index orders.wdx --probes wanted.txt --out rows.csv
  warpdex find --index hash --keys orders.csv:id --probes wanted.csv:order --columns placed,amount
  warpdex find --index orders.wdx --source orders.csv:id --probe 70 --columns all
)");
  add(app, context,
      {.what = &lookups::contains,
       .name = "contains",
       .summary = "Tell whether each probe is a key",
       .look_up = contains},
      R"(Writes `probe,contains`, true or false, one line per probe in probe order.

Example:
  warpdex contains --index seen.wdx --probes today.csv:customer
)");
  add(app, context,
      {.what = &lookups::floor,
       .name = "floor",
       .summary = "Find the largest key not above each probe",
       .look_up = write_floors},
      R"(Writes `probe,key,row`, one line per probe in probe order. If several rows have the key, row is the first of
them, or with --ties last the last. Below the smallest key, and for a null probe, both are empty. Probes may be any
values that can be compared with the keys: 2.5 among integers, or a timestamp among dates. With --no-exact the key is
less than the probe.

Examples:
  warpdex floor --index auto --keys ranges.csv:first --probes addresses.txt
  warpdex floor --index auto --keys prices.csv:time --probes trades.csv:time --ties last --columns price
)");
  add(app, context,
      {.what = &lookups::ceil,
       .name = "ceil",
       .summary = "Find the smallest key not below each probe",
       .look_up = write_ceilings},
      R"(Writes `probe,key,row`, one line per probe in probe order. As floor, in the other direction.

Example:
  warpdex ceil --index auto --keys departures.csv:time --probes arrivals.csv:time --no-exact
)");
  add(app, context,
      {.what = &lookups::floor,
       .name = "nearest",
       .summary = "Find the key nearest to each probe",
       .look_up = write_nearest_keys,
       .by_distance = true},
      R"(Writes `probe,key,row`, one line per probe in probe order. Of two keys at the same distance, key is the smaller
one. Everything else is as in floor. Strings and tuples have no distances.

Example:
  warpdex nearest --index auto --keys stations.csv:kilometre --probe 17.3 --columns name
)");
  add(app, context,
      {.what = &lookups::lower_bound,
       .name = "lower_bound",
       .summary = "Count the keys below each probe",
       .look_up = bound<lookups::lower_bound>},
      R"(Writes `probe,rank`, one line per probe in probe order: how many entries have keys less than the probe, which
may be any value that can be compared with the keys. For a null probe, rank is empty.
)");
  add(app, context,
      {.what = &lookups::upper_bound,
       .name = "upper_bound",
       .summary = "Count the keys not above each probe",
       .look_up = bound<lookups::upper_bound>},
      R"(Writes `probe,rank`, one line per probe in probe order: how many entries have keys less than or equal to the
probe. For a null probe, rank is empty.
)");
  add(app, context,
      {.what = &lookups::count,
       .name = "count",
       .summary = "Count the rows of each probe",
       .look_up = count_keys,
       .adds_up = true},
      R"(Writes `probe,count`, one line per probe in probe order. The count of a probe that is no key is 0. With --sum,
--min, --max or --mean of columns of the table, there is a column for each, such as sum_amount; sums are exact. These
need an index with an order.

Examples:
  warpdex count --index auto --keys orders.csv:customer --probes customers.csv:id --sum amount
  warpdex count --index AO+BS --keys orders.csv:customer --probes customers.csv:id
)");
  add(app, context, {&lookups::retrieve, "retrieve", "List all rows of each probe", retrieve<of_keys>},
      R"(Writes `probe,row`, one line per match: probes in probe order, the rows of each in row order, and nothing for a
probe that is no key.

Example:
  warpdex retrieve --index AO+BS --keys orders.csv:customer --probes customers.csv:id --columns id,placed
)");
  add(app, context,
      {.what = &lookups::prefix_count,
       .name = "prefix",
       .summary = "Count or list the rows of the keys that begin with each probe",
       .look_up = count<of_beginnings>,
       .list_rows = retrieve<of_beginnings>,
       .begins_tuples = true},
      R"(The keys are strings (--type bytes). Writes `probe,count`, one line per probe in probe order. With --rows,
writes `probe,row`, one line per match: probes in probe order, then rows in the order of their keys. All keys begin with
the empty string. With --key, keys are tuples, and probes are the values of their first fields: of the first one, or of
as many as COLUMN names or values have.

Examples:
  warpdex prefix --index AO+BS --type bytes --keys cities.csv:name --probes beginnings.txt --rows
  warpdex prefix --index AO+BS --keys cities.csv --key country,name:bytes --probe 31 --rows --columns name
)");
  add(app, context,
      {.what = &lookups::match_longest,
       .name = "longest",
       .summary = "Find the longest key that is a prefix of each probe",
       .look_up = longest},
      R"(The keys are strings (--type bytes). Writes `probe,key,row`, one line per probe in probe order. If several rows
have the key, row is the first of them. If no key is a prefix of the probe, both are empty. The empty string is a prefix
of every probe.

Example:
  warpdex longest --index AO+BS --type bytes --keys makers.csv:prefix --probes serials.txt
)");
}

}  // namespace warpdex::cli
