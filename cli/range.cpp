// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "aggregates.hpp"
#include "commands.hpp"
#include "index_options.hpp"
#include "results.hpp"
#include "row_options.hpp"
#include "summary.hpp"
#include "tables/keys.hpp"
#include "tables/output.hpp"
#include "tables/words.hpp"
#include "tools/stopwatch.hpp"

#include <warpdex/search/common.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpdex::cli {
namespace {

struct range_options : index_options, row_options, aggregate_options {
  std::string lower;
  std::string upper;
  std::string out;
  bool rows = false;
  bool strict = false;
};

struct range_job {
  opened_index const& opened;
  tables::key_column const& lower;
  tables::key_column const& upper;
  tables::output& out;
  tables::row_cells& rows;
  aggregates* values;
  progress& shown;
  work_done& done;

  /// The names of the bounds' cells.
  std::string heading() const { return lower.heading("lower", true) + ',' + upper.heading("upper", true); }
};

/// The aggregates of columns.
void aggregate_values(range_job const& job) {
  index const& x = job.opened.index;
  std::uint64_t const capacity = std::min(probes_per_call, job.lower.size());
  std::vector<std::uint64_t> firsts(capacity);
  std::vector<std::uint64_t> lasts(capacity);
  std::string scratch;
  job.out << job.heading() << ",count";
  job.values->write_names(job.out);
  job.out << '\n';
  for_each_call(job.lower.size(), [&](std::uint64_t first, std::uint64_t size) {
    column const lower = job.lower.keys(first, size);
    tools::stopwatch watch;
    x.lower_bound(lower, {firsts.data(), lower.size}, job.opened.exec);
    x.upper_bound(job.upper.keys(first, size), {lasts.data(), lower.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.lower, first, size, firsts);
    spread_counts(job.lower, first, size, lasts);
    watch.lap();
    job.values->find({firsts.data(), size}, {lasts.data(), size});
    job.done.lookup_seconds += watch.lap();
    for (std::uint64_t i = 0; i < size; ++i) {
      std::uint64_t const count = ranks_between(firsts[i], lasts[i]);
      job.out << job.lower.text(first + i, scratch) << ',';
      job.out << job.upper.text(first + i, scratch) << ',' << count;
      job.values->write(job.out, i);
      job.out << '\n';
      job.done.matches += count;
    }
    job.shown.advance(size);
  });
}

void aggregate(range_job const& job) {
  index const& x = job.opened.index;
  std::uint64_t const capacity = std::min(probes_per_call, job.lower.size());
  std::vector<std::uint64_t> counts(capacity);
  std::vector<std::uint64_t> sums(capacity);
  std::string scratch;
  job.out << job.heading() << ",count,sum\n";
  for_each_call(job.lower.size(), [&](std::uint64_t first, std::uint64_t size) {
    column const lower = job.lower.keys(first, size);
    column const upper = job.upper.keys(first, size);
    tools::stopwatch watch;
    x.range_count({lower, upper}, {counts.data(), lower.size}, job.opened.exec);
    x.range_sum({lower, upper}, {sums.data(), lower.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.lower, first, size, counts);
    spread_counts(job.lower, first, size, sums);
    for (std::uint64_t i = 0; i < size; ++i) {
      job.out << job.lower.text(first + i, scratch) << ',';
      job.out << job.upper.text(first + i, scratch) << ',' << counts[i] << ',' << sums[i] << '\n';
      job.done.matches += counts[i];
    }
    job.shown.advance(size);
  });
}

void list_rows(range_job const& job) {
  index const& x = job.opened.index;
  std::vector<std::uint64_t> counts(std::min(probes_per_call, job.lower.size()));
  std::string lower_scratch;
  std::string upper_scratch;
  job.out << job.heading() << ',';
  job.rows.write_names(job.heading());
  job.out << '\n';
  for_each_call(job.lower.size(), [&](std::uint64_t first, std::uint64_t size) {
    tools::stopwatch watch;
    column const keys = job.lower.keys(first, size);
    x.range_count({keys, job.upper.keys(first, size)}, {counts.data(), keys.size}, job.opened.exec);
    job.done.lookup_seconds += watch.lap();
    spread_counts(job.lower, first, size, counts);
    for_each_bounded_call({counts.data(), size}, [&](std::uint64_t part, std::uint64_t part_size) {
      tools::stopwatch part_watch;
      matches const found = x.range_retrieve(
          {job.lower.keys(first + part, part_size), job.upper.keys(first + part, part_size)}, job.opened.exec);
      row_array const rows(found, x.row_type(), job.opened.exec);
      job.done.lookup_seconds += part_watch.lap();
      std::uint64_t next = 0;
      for (std::uint64_t i = part; i < part + part_size; ++i) {
        std::string_view const lower = job.lower.text(first + i, lower_scratch);
        std::string_view const upper = job.upper.text(first + i, upper_scratch);
        for (std::uint64_t const end = std::min(next + counts[i], found.total); next < end; ++next) {
          job.out << lower << ',' << upper << ',';
          job.rows.write(rows[next]);
          job.out << '\n';
        }
      }
      job.done.matches += found.total;
      job.shown.advance(part_size);
    });
  });
}

void expect_consistent(range_options const& options) {
  if (options.rows && options.any()) throw usage_error("--sum, --min, --max and --mean do not go with --rows");
  if (!options.rows && !options.columns.empty()) throw usage_error("--columns goes with --rows");
  if (options.lower == "-" && options.upper == "-")
    throw usage_error("--lower - and --upper -: standard input can be read once only");
  expect_source(options, options, options.any() || !options.columns.empty());
}

void ask_ranges(index const& x, execution const& exec) {
  column const none(nullptr, 0, x.key_type());
  x.range_count({none, none}, {}, exec);
}

int run(cli_context const& context, range_options options) {
  expect_consistent(options);
  expect_no_input(options.out, {{"--index", options.index},
                                {"--keys", options.keys},
                                {"--source", options.source},
                                {"--lower", options.lower},
                                {"--upper", options.upper}});
  options.keep_table = options.any() || !options.columns.empty();
  tools::stopwatch total;
  tables::output out(options.out);
  for (std::string const* const source : {&options.lower, &options.upper}) expect_input(options, *source, true);
  if (options.keep_table) expect_table_columns(options, options, options.names());
  opened_index opened = open_index(context, options, ask_ranges);
  work_done done;
  done.command = "range";
  done.noun = "range";
  done.output = options.out;
  tools::stopwatch watch;
  auto const read = [&](std::string const& source, tables::other_values others) {
    progress const shown(context, "reading " + source);
    return tables::key_column(source, probe_reading(options, options.strict, opened, others, true));
  };
  auto lower = read(options.lower, tables::other_values::round_up);
  auto upper = read(options.upper, tables::other_values::round_down);
  done.probe_read_seconds = watch.lap();
  upper.take_last_keys(opened.index, opened.exec);
  done.lookup_seconds += watch.lap();
  if (lower.size() != upper.size()) {
    throw format_error(fmt::format("--lower {} has {}, --upper {} has {}", options.lower,
                                   tables::counted(lower.size(), "row"), options.upper, upper.size()));
  }
  // A range that lacks a bound is empty.
  lower.leave_out(upper.left_out());
  upper.leave_out(lower.left_out());
  done.probes = lower.size();
  done.not_keys = lower.others() + upper.others();
  done.nulls = lower.nulls() + upper.nulls();
  watch.lap();
  std::optional<aggregates> values;
  if (options.any()) values.emplace(options, open_source(context, options, options, opened), opened);
  tables::row_cells rows = make_row_cells(context, options, options, opened, out);
  done.source_read_seconds = watch.lap();
  double const looked_up_before = done.lookup_seconds;
  {
    progress shown(context, "range", lower.size());
    auto const write = options.rows ? list_rows : values ? aggregate_values : aggregate;
    write({opened, lower, upper, out, rows, values ? &*values : nullptr, shown, done});
    out.commit();
  }
  done.write_seconds = watch.lap() - (done.lookup_seconds - looked_up_before);
  done.total_seconds = total.lap();
  print_summary(context, opened, done);
  return exit_success;
}

}  // namespace

void add_range(CLI::App& app, cli_context& context) {
  auto const options = std::make_shared<range_options>();
  CLI::App* const command = app.add_subcommand("range", "Count and add up, or list, the rows of key ranges");
  add_index_options(*command, *options);
  command->add_option("--lower", options->lower, "Lower bounds")->type_name("FILE:COLUMN")->required();
  command->add_option("--upper", options->upper, "Upper bounds, as many as lower ones")
      ->type_name("FILE:COLUMN")
      ->required();
  command->add_flag("--rows", options->rows, "List the rows of each range");
  add_row_options(*command, *options);
  add_aggregate_options(*command, *options);
  add_strict_option(*command, options->strict);
  add_out_option(*command, options->out);
  command->footer(
      std::string(
          R"(A range includes both of its bounds, which may be any values that can be compared with the keys, such as
2.5 among integers. A range with lower above upper is empty, and so is one with a null bound. A bound of tuples may be
only their first fields: it then covers all tuples that begin with them. Without COLUMN it is the first field.
Writes `lower,upper,count,sum`, one line per range in the order of the file; sum is that of the row ids, modulo 2^64.
With --sum, --min, --max or --mean of columns of the table, writes `lower,upper,count` and a column for each, such as
sum_amount; nulls are ignored, and sums are exact. With --rows, writes `lower,upper,row`, one line per row: in key
order, then in row order.

Examples:
  warpdex range --index orders.wdx --lower spans.csv:from --upper spans.csv:to
  warpdex range --index AO+BS --keys log.csv:time --lower days.csv:0 --upper days.csv:1 --rows --out hits.csv
  warpdex range --index auto --keys orders.csv:placed --lower days.csv:from --upper days.csv:to --sum amount
  warpdex range --index o.wdx --source orders.csv:placed --lower d.csv:from --upper d.csv:to --rows --columns id,amount

)") + tables::source_help);
  command->callback([&context, options] { context.action = [&context, options] { return run(context, *options); }; });
}

}  // namespace warpdex::cli
