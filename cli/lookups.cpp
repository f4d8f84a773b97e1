// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "index_options.hpp"
#include "input/keys.hpp"
#include "input/strings.hpp"
#include "input/table.hpp"
#include "output.hpp"
#include "results.hpp"
#include "stopwatch.hpp"
#include "summary.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::cli {
namespace {

struct lookup_options : index_options {
  std::string probes;
  std::string out;
  bool strict = false;
  bool rows = false;
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
  std::string scratch;
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

/// The keys that floors of numbers find.
class number_floors {
 public:
  static constexpr std::uint64_t probes_per_call = cli::probes_per_call;

  explicit number_floors(index const& x) : index_(x), width_(size_of(x.key_type())) {}

  void find(column probes, row_output rows, execution const& exec) {
    keys_.resize(probes.size * width_);
    index_.floor(probes, {keys_.data(), probes.size, index_.key_type()}, rows, exec);
  }

  /// Moves the keys to the positions of their cells.
  void spread(input::key_column const& probes, std::uint64_t first, std::uint64_t count) {
    keys_.resize(count * width_);
    probes.spread(first, count, keys_.data(), width_, 0);
  }

  /// @return the key of probe `i`, which has one
  std::string_view text(std::uint64_t i) {
    return input::format_key(index_.key_type(), keys_.data() + i * width_, scratch_);
  }

 private:
  index const& index_;
  std::size_t width_;
  std::vector<std::byte> keys_;
  char scratch_[input::key_text_size];
};

/// The same of strings, whose keys are those of ranks. All cells of strings are probes, so none has to move.
class string_floors {
 public:
  static constexpr std::uint64_t probes_per_call = std::uint64_t{1} << 16;  // strings may be long

  explicit string_floors(index const& x) : index_(x) {}

  void find(column probes, row_output rows, execution const& exec) {
    index_.floor(probes, {}, rows, exec);
    ranks_.resize(index_.size() == 0 ? 0 : probes.size);
    if (ranks_.empty()) return;
    index_.upper_bound(probes, ranks_, exec);
    for (std::uint64_t& rank : ranks_) rank -= rank == 0 ? 0 : 1;  // a probe below all keys has no row, so any will do
    key_list const found = index_.keys_at(ranks_, exec);
    bytes_.resize(found.bytes);
    offsets_.resize(found.size + 1);
    if (found.bytes != 0) copy(bytes_.data(), found.keys.data(), found.bytes, exec);
    copy(offsets_.data(), found.offsets.data(), offsets_.size() * sizeof offsets_[0], exec);
  }

  void spread(input::key_column const&, std::uint64_t, std::uint64_t) {}

  std::string_view text(std::uint64_t i) {
    return input::csv_field(input::string_at(column{std::span(bytes_), std::span(offsets_)}, i), scratch_);
  }

 private:
  index const& index_;
  std::vector<std::uint64_t> ranks_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> offsets_;
  std::string scratch_;
};

template <class Floors> void write_floors(lookup const& job, Floors floors) {
  row_array rows(std::min(Floors::probes_per_call, job.probes.size()), job.opened.index.row_type());
  std::string scratch;
  job.out << "probe,key,row\n";
  for_each_call(
      job.probes.size(),
      [&](std::uint64_t first, std::uint64_t count) {
        stopwatch watch;
        column const probes = job.probes.keys(first, count);
        floors.find(probes, rows.output(probes.size), job.opened.exec);
        job.done.lookup_seconds += watch.lap();
        rows.spread(job.probes, first, count);
        floors.spread(job.probes, first, count);
        for (std::uint64_t i = 0; i < count; ++i) {
          job.out << job.probes.text(first + i, scratch) << ',';
          if (rows.missing(i)) {
            job.out << ",\n";
            continue;
          }
          job.out << floors.text(i) << ',' << rows[i] << '\n';
          ++job.done.matches;
        }
        job.shown.advance(count);
      },
      Floors::probes_per_call);
}

void floor(lookup const& job) {
  index const& x = job.opened.index;
  if (x.key_type() == key_type::bytes) write_floors(job, string_floors(x));
  else write_floors(job, number_floors(x));
}

/// Finds the longest key that begins each probe. All cells of strings are probes, so no answer has to move.
void longest(lookup const& job) {
  index const& x = job.opened.index;
  std::uint64_t const capacity = std::min(probes_per_call, job.probes.size());
  row_array rows(capacity, x.row_type());
  std::vector<std::uint32_t> lengths(capacity);
  std::string probe_scratch;
  std::string key_scratch;
  job.out << "probe,key,row\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t count) {
    stopwatch watch;
    column const probes = job.probes.keys(first, count);
    x.match_longest(probes, rows.output(count), {lengths.data(), count}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    for (std::uint64_t i = 0; i < count; ++i) {
      job.out << job.probes.text(first + i, probe_scratch) << ',';
      if (rows.missing(i)) {
        job.out << ",\n";
        continue;
      }
      job.out << input::csv_field(input::string_at(probes, i).substr(0, lengths[i]), key_scratch) << ',' << rows[i]
              << '\n';
      ++job.done.matches;
    }
    job.shown.advance(count);
  });
}

/// The calls that count and list the rows that belong to probes.
struct row_calls {
  void (index::*count)(column, std::span<std::uint64_t>, execution const&) const;
  matches (index::*retrieve)(column, execution const&) const;
};
constexpr row_calls of_keys = {&index::count, &index::retrieve};
constexpr row_calls of_prefixes = {&index::prefix_count, &index::prefix_retrieve};

template <row_calls Calls> void count(lookup const& job) {
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.probes.size()));
  std::string scratch;
  job.out << "probe,count\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    stopwatch watch;
    column const keys = job.probes.keys(first, size);
    (job.opened.index.*Calls.count)(keys, {counts.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, counts);
    for (std::uint64_t i = 0; i < size; ++i) {
      job.out << job.probes.text(first + i, scratch) << ',' << counts[i] << '\n';
      job.done.matches += counts[i];
    }
    job.shown.advance(size);
  });
}

template <row_calls Calls> void retrieve(lookup const& job) {
  index const& x = job.opened.index;
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.probes.size()));
  std::string scratch;
  job.out << "probe,row\n";
  for_each_call(job.probes.size(), [&](std::uint64_t first, std::uint64_t size) {
    stopwatch watch;
    column const keys = job.probes.keys(first, size);
    (x.*Calls.count)(keys, {counts.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.probes, first, size, counts);
    for_each_bounded_call({counts.data(), size}, [&](std::uint64_t part, std::uint64_t part_size) {
      stopwatch part_watch;
      matches const found = (x.*Calls.retrieve)(job.probes.keys(first + part, part_size), job.opened.exec);
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
  input::other_values others;                  ///< how to treat probes that are no keys of the index
  void (*list_rows)(lookup const&) = nullptr;  ///< instead of `look_up` with --rows, if there is such an option
  bool of_strings = false;                     ///< whether it is for keys of type bytes alone
};

int run(cli_context const& context, lookup_options const& options, lookup_command const& command) {
  expect_no_input(options.out, {{"--index", options.index}, {"--keys", options.keys}, {"--probes", options.probes}});
  stopwatch total;
  output out(options.out);
  opened_index const opened = open_index(context, options);
  if (command.of_strings && opened.index.key_type() != key_type::bytes)
    throw unsupported(fmt::format("{}: the keys of {} are {}; only strings have prefixes (--type bytes)", command.name,
                                  opened.origin, to_string(opened.index.key_type())));
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
    (options.rows ? command.list_rows : command.look_up)({opened, probes, out, shown, done});
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
  if (!chosen.of_strings) add_strict_option(*command, options->strict);
  if (chosen.list_rows != nullptr) command->add_flag("--rows", options->rows, "List the rows instead of counting them");
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
  add(app, context, {"count", "Count the rows of each probe", count<of_keys>, other_values::leave_out},
      R"(Writes `probe,count`, one line a probe in probe order. Of a probe that is no key, the count is 0.

Example:
  warpdex count --index AO+BS --keys orders.csv:customer --probes customers.csv:id
)");
  add(app, context, {"retrieve", "List all rows of each probe", retrieve<of_keys>, other_values::leave_out},
      R"(Writes `probe,row`, one line a match: probes in probe order, the rows of each in row order, nothing for
a probe that is no key.

Example:
  warpdex retrieve --index AO+BS --keys orders.csv:customer --probes customers.csv:id --out joined.csv
)");
  add(app, context,
      {"prefix", "Count or list the rows of the keys that begin with each probe", count<of_prefixes>,
       other_values::refuse, retrieve<of_prefixes>, true},
      R"(The keys are strings (--type bytes). Writes `probe,count`, one line a probe in probe order. With --rows, writes
`probe,row`, one line a match: probes in probe order, then rows in the order of their keys. All keys begin with the empty
string.

Example:
  warpdex prefix --index AO+BS --type bytes --keys cities.csv:name --probes beginnings.txt --rows
)");
  add(app, context,
      {"longest", "Find the longest key that begins each probe", longest, other_values::refuse, nullptr, true},
      R"(The keys are strings (--type bytes). Writes `probe,key,row`, one line a probe in probe order. Of several rows with the
key, the first is given. If no key begins the probe, both are empty. The empty string begins all probes.

Example:
  warpdex longest --index AO+BS --type bytes --keys makers.csv:prefix --probes serials.txt
)");
}

}  // namespace warpdex::cli
