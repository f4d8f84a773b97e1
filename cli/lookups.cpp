// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "index_options.hpp"
#include "input/keys.hpp"
#include "output.hpp"
#include "results.hpp"
#include "stopwatch.hpp"
#include "summary.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace warpdex::cli {
namespace {

struct lookup_options : index_options {
  std::string probes;
  std::string out;
  bool strict = false;
};

/// The inputs of one lookup subcommand.
struct lookup {
  opened_index const& opened;
  input::key_column const& probes;
  output& out;
  progress& shown;
  work_done& done;
};

void find(lookup const& job) {
  index const& x = job.opened.index;
  row_array rows(std::min(probes_per_call, job.probes.size()), x.row_type());
  char scratch[input::key_text_size];
  job.out << "probe,row\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    stopwatch watch;
    column const keys = job.probes.keys(first, count);
    x.find(keys, rows.output(keys.size), job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    rows.spread(job.probes, first, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',';
      if (!rows.missing(i)) {
        job.out << rows[i];
        ++job.done.matches;
      }
      job.out << '\n';
    }
    job.shown.advance(count);
  });
}

void floor(lookup const& job) {
  index const& x = job.opened.index;
  std::uint64_t const capacity = std::min(probes_per_call, job.probes.size());
  std::size_t const width = size_of(x.key_type());
  row_array rows(capacity, x.row_type());
  std::vector<std::byte> keys(capacity * width);
  char scratch[input::key_text_size];
  job.out << "probe,key,row\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    stopwatch watch;
    column const probes = job.probes.keys(first, count);
    x.floor(probes, {keys.data(), probes.size, x.key_type()}, rows.output(probes.size), job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    rows.spread(job.probes, first, count);
    job.probes.spread(first, count, keys.data(), width, 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',';
      if (rows.missing(i)) {
        job.out << ",\n";
        continue;
      }
      job.out << input::format_key(x.key_type(), keys.data() + i * width, scratch) << ',' << rows[i] << '\n';
      ++job.done.matches;
    }
    job.shown.advance(count);
  });
}

void count(lookup const& job) {
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.probes.size()));
  char scratch[input::key_text_size];
  job.out << "probe,count\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    stopwatch watch;
    column const keys = job.probes.keys(first, size);
    job.opened.index.count(keys, {counts.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, counts);
    for (std::uint64_t i = 0; i < size; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',' << counts[i] << '\n';
      job.done.matches += counts[i];
    }
    job.shown.advance(size);
  });
}

void retrieve(lookup const& job) {
  index const& x = job.opened.index;
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.probes.size()));
  char scratch[input::key_text_size];
  job.out << "probe,row\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    stopwatch watch;
    column const keys = job.probes.keys(first, size);
    x.count(keys, {counts.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, counts);
    for_each_bounded_call({counts.data(), size}, [&](std::uint64_t part, std::uint64_t part_size) {
      stopwatch part_watch;
      matches const found = x.retrieve(job.probes.keys(first + part, part_size), job.opened.exec);
      row_array const rows(found, x.row_type(), job.opened.exec);
      job.done.lookup_seconds += part_watch.lap();
      std::uint64_t next = 0;
      for (std::uint64_t i = part; i < part + part_size; ++i) {
        std::string_view const probe = job.probes.text(first + i, scratch);
        for (std::uint64_t const end = next + counts[i]; next < end; ++next) {
          job.out << probe << ',' << rows[next] << '\n';
        }
      }
      job.done.matches += found.total;
      job.shown.advance(part_size);
    });
  });
}

/// A lookup as the command line knows it.
struct lookup_command {
  char const* name;
  char const* summary;
  void (*look_up)(lookup const&);
  input::other_values others;  ///< how to treat probes that are no keys of the index
};

int run(cli_context const& context, lookup_options const& options, lookup_command const& command) {
  expect_no_input(options.out, {{"--index", options.index}, {"--keys", options.keys}, {"--probes", options.probes}});
  stopwatch total;
  output out(options.out);
  opened_index const opened = open_index(context, options);
  work_done done;
  done.command = command.name;
  done.output = options.out;
  stopwatch watch;
  auto const probes = [&] {
    progress const shown(context, "reading " + options.probes);
    return input::key_column(options.probes, probe_reading(options, options.strict, opened.index, command.others));
  }();
  done.probe_read_seconds = watch.lap();
  done.probes = probes.size();
  done.not_keys = probes.others();
  done.nulls = probes.nulls();
  {
    progress shown(context, command.name, probes.size());
    command.look_up({opened, probes, out, shown, done});
    out.commit();
  }
  done.total_seconds = total.lap();
  print_summary(context, opened, done);
  return exit_success;
}

void add(CLI::App& app, cli_context& context, lookup_command const& chosen, std::string const& details) {
  auto const options = std::make_shared<lookup_options>();
  CLI::App* const command = app.add_subcommand(chosen.name, chosen.summary);
  add_index_options(*command, *options);
  command
      ->add_option("--probes", options->probes, "The values to look up, of a kind that the index's keys compare with")
      ->type_name("FILE[:COLUMN]")
      ->required();
  add_strict_option(*command, options->strict);
  command
      ->add_option("--out", options->out, "Where to write the CSV, instead of standard output; appears when complete")
      ->type_name("FILE");
  command->footer(details + "\n" + input::source_help);
  command->callback([&context, options, chosen] {
    context.action = [&context, options, chosen] { return run(context, *options, chosen); };
  });
}

}  // namespace

void add_lookups(CLI::App& app, cli_context& context) {
  using input::other_values;
  add(app, context, {"find", "Find the first row of each probe", find, other_values::leave_out},
      R"(Writes `probe,row`, one line a probe in probe order. Rows count from 0 in the order of the key file; of
several rows with the key, the first is given. For a probe that is no key, row is empty; it may be a value that
no key of the index's type could have, such as 2.5 among integers, or null.

Examples:
  warpdex find --index orders.wdx --probes wanted.txt --out rows.csv
  warpdex find --index 'AO+PB+KS(9)' --keys orders.csv:id --probes wanted.csv:order
)");
  add(app, context, {"floor", "Find the largest key not above each probe", floor, other_values::round_down},
      R"(Writes `probe,key,row`, one line a probe in probe order. Of several rows with the key, the first is given.
Below the smallest key, and for a null probe, both are empty. Probes may be any values that have an order with
the keys: 2.5 among integers, or a timestamp among dates.

Examples:
  warpdex floor --index 'EO+KS(9)' --keys ranges.csv:first --probes addresses.txt
  warpdex floor --index prices.wdx --probes trades.csv:time --out prices_then.csv
)");
  add(app, context, {"count", "Count the rows of each probe", count, other_values::leave_out},
      R"(Writes `probe,count`, one line a probe in probe order. Of a probe that is no key, the count is 0.

Example:
  warpdex count --index AO+BS --keys orders.csv:customer --probes customers.csv:id
)");
  add(app, context, {"retrieve", "List all rows of each probe", retrieve, other_values::leave_out},
      R"(Writes `probe,row`, one line a match: probes in probe order, the rows of each in row order, nothing for
a probe that is no key.

Example:
  warpdex retrieve --index AO+BS --keys orders.csv:customer --probes customers.csv:id --out joined.csv
)");
}

}  // namespace warpdex::cli
