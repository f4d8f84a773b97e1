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
};

/// What one lookup subcommand works with.
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
    x.find(job.probes.keys(first, count), rows.output(count), job.opened.exec);
    job.done.lookup_seconds += watch.lap();
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
    x.floor(job.probes.keys(first, count), {keys.data(), count, x.key_type()}, rows.output(count), job.opened.exec);
    job.done.lookup_seconds += watch.lap();
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
    job.opened.index.count(job.probes.keys(first, size), {counts.data(), size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
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
    x.count(job.probes.keys(first, size), {counts.data(), size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    for_each_bounded_call({counts.data(), size}, [&](std::uint64_t part, std::uint64_t part_size) {
      stopwatch part_watch;
      matches const found = x.retrieve(job.probes.keys(first + part, part_size), job.opened.exec);
      host_matches const here(found, x.row_type(), job.opened.exec);
      job.done.lookup_seconds += part_watch.lap();
      for (std::uint64_t i = 0; i < part_size; ++i) {
        std::string_view const probe = job.probes.text(first + part + i, scratch);
        for (std::uint64_t j = here.offsets[i]; j < here.offsets[i + 1]; ++j) {
          job.out << probe << ',' << here.rows[j] << '\n';
        }
      }
      job.done.matches += found.total;
      job.shown.advance(part_size);
    });
  });
}

int run(cli_context const& context, lookup_options const& options, char const* name, void (*look_up)(lookup const&)) {
  expect_no_input(options.out, {{"--index", options.index}, {"--keys", options.keys}, {"--probes", options.probes}});
  stopwatch total;
  output out(options.out);
  opened_index const opened = open_index(context, options);
  work_done done;
  done.command = name;
  done.output = options.out;
  stopwatch watch;
  auto const probes = [&] {
    progress const shown(context, "reading " + options.probes);
    return input::key_column(options.probes, {opened.index.key_type(), true});
  }();
  done.probe_read_seconds = watch.lap();
  done.probes = probes.size();
  {
    progress shown(context, name, probes.size());
    look_up({opened, probes, out, shown, done});
    out.commit();
  }
  done.total_seconds = total.lap();
  print_summary(context, opened, done);
  return exit_success;
}

void add(CLI::App& app, cli_context& context, char const* name, char const* summary, std::string const& details,
         void (*look_up)(lookup const&)) {
  auto const options = std::make_shared<lookup_options>();
  CLI::App* const command = app.add_subcommand(name, summary);
  add_index_options(*command, *options);
  command->add_option("--probes", options->probes, "The keys to look up; they are read as keys of the index's type")
      ->type_name("FILE[:COLUMN]")
      ->required();
  command
      ->add_option("--out", options->out, "Where to write the CSV, instead of standard output; appears when complete")
      ->type_name("FILE");
  command->footer(details + "\n" + input::source_help);
  command->callback([&context, options, name, look_up] {
    context.action = [&context, options, name, look_up] { return run(context, *options, name, look_up); };
  });
}

}  // namespace

void add_lookups(CLI::App& app, cli_context& context) {
  add(app, context, "find", "Find the first row of each probe",
      R"(Writes `probe,row`, one line a probe in probe order. Rows count from 0 in the order of the key file; of
several rows with the key, the first is given. For a probe that is no key, row is empty.

Examples:
  warpdex find --index orders.wdx --probes wanted.txt --out rows.csv
  warpdex find --index 'AO+PB+KS(9)' --keys orders.csv:id --probes wanted.csv:order
)",
      find);
  add(app, context, "floor", "Find the largest key not above each probe",
      R"(Writes `probe,key,row`, one line a probe in probe order. Of several rows with the key, the first is given.
Below the smallest key, both are empty.

Examples:
  warpdex floor --index 'EO+KS(9)' --keys ranges.csv:first --probes addresses.txt
  warpdex floor --index prices.wdx --probes trades.csv:time --out prices_then.csv
)",
      floor);
  add(app, context, "count", "Count the rows of each probe",
      R"(Writes `probe,count`, one line a probe in probe order.

Example:
  warpdex count --index AO+BS --keys orders.csv:customer --probes customers.csv:id
)",
      count);
  add(app, context, "retrieve", "List all rows of each probe",
      R"(Writes `probe,row`, one line a match: probes in probe order, the rows of each in row order, nothing for
a probe that is no key.

Example:
  warpdex retrieve --index AO+BS --keys orders.csv:customer --probes customers.csv:id --out joined.csv
)",
      retrieve);
}

}  // namespace warpdex::cli
