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
#include "tools/number_option.hpp"
#include "tools/stopwatch.hpp"

#include <warpdex/search/common.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpdex::cli {
namespace {

struct range_options : index_options, row_options, aggregate_options {
  std::string lower;
  std::string upper;
  std::string out;
  bool rows = false;
  std::string top;  ///< how many rows of each range to list
  std::string by;   ///< the column whose values choose them
  bool least = false;
  bool strict = false;

  bool lists() const { return rows || !top.empty(); }
  bool wants_table() const { return any() || !by.empty() || !columns.empty(); }
};

/// The rows of each range that are listed: those with the first values of a column.
struct top_of_column {
  payload<i128> values;
  std::uint64_t most;
  extreme which;
};

struct range_job {
  opened_index const& opened;
  tables::key_column const& lower;
  tables::key_column const& upper;
  tables::output& out;
  tables::row_cells& rows;
  aggregates* values;
  top_of_column const* top;  ///< null if all rows are listed
  progress& shown;
  work_done& done;

  /// The names of the bounds' cells.
  std::string heading() const { return lower.heading("lower", true) + ',' + upper.heading("upper", true); }
};

/// The aggregates of columns.
void aggregate_values(range_job const& job) {
  any_index const& x = *job.opened.index;
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
  any_index const& x = *job.opened.index;
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

/// Finds the rows of ranges that are listed. @param counts how many each range has; with nulls those of `--top` are
/// fewer
matches find_rows(range_job const& job, key_ranges const& ranges, std::uint64_t* counts) {
  execution const& exec = job.opened.exec;
  if (job.top == nullptr) return job.opened.index->range_retrieve(ranges, exec);
  auto top =
      job.top->values.range_top(in_one_piece(*job.opened.index, "--top"), ranges, job.top->most, exec, job.top->which);
  matches found = static_cast<matches&&>(top);  // their values are not listed
  std::vector<std::uint64_t> offsets(found.probes + 1);
  copy(offsets.data(), found.offsets.data(), offsets.size() * sizeof offsets[0], exec);
  for (std::uint64_t i = 0; i < found.probes; ++i) counts[i] = offsets[i + 1] - offsets[i];
  return found;
}

void list_rows(range_job const& job) {
  any_index const& x = *job.opened.index;
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
    if (job.top != nullptr)
      for (std::uint64_t& count : counts) count = std::min(count, job.top->most);
    spread_counts(job.lower, first, size, counts);
    for_each_bounded_call({counts.data(), size}, [&](std::uint64_t part, std::uint64_t part_size) {
      tools::stopwatch part_watch;
      column const part_keys = job.lower.keys(first + part, part_size);
      key_ranges const ranges{part_keys, job.upper.keys(first + part, part_size)};
      matches const found = find_rows(job, ranges, counts.data() + part);
      if (job.top != nullptr) spread_counts(job.lower, first + part, part_size, std::span(counts).subspan(part));
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
  if (options.lists() && options.any())
    throw usage_error("--sum, --min, --max and --mean do not go with --rows and --top");
  if (!options.lists() && !options.columns.empty()) throw usage_error("--columns goes with --rows or --top");
  if (options.top.empty() != options.by.empty()) throw usage_error("--top K and --by NAME go together");
  if (options.least && options.top.empty()) throw usage_error("--least goes with --top");
  if (options.lower == "-" && options.upper == "-")
    throw usage_error("--lower - and --upper -: standard input can be read once only");
  expect_source(options, options, options.wants_table());
}

void ask_ranges(any_index const& x, execution const& exec) {
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
  options.keep_table = options.wants_table();
  std::uint64_t const most = options.top.empty() ? 0 : parse_number("--top", options.top, 0, std::uint64_t{1} << 63);
  tools::stopwatch total;
  tables::output out(options.out);
  for (std::string const* const source : {&options.lower, &options.upper}) expect_input(options, *source, true);
  std::vector<std::string> needed = options.names();
  if (!options.by.empty()) needed.push_back(options.by);
  if (options.keep_table) expect_table_columns(options, options, needed);
  opened_index opened = open_index(context, options, [&](any_index const& x, execution const& exec) {
    if (options.any()) in_one_piece(x, aggregate_names);
    if (!options.top.empty()) in_one_piece(x, "--top");
    ask_ranges(x, exec);
  });
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
  upper.take_last_keys(*opened.index, opened.exec);
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
  std::optional<top_of_column> top;
  std::optional<tables::table> source;
  if (options.keep_table) source.emplace(open_source(context, options, options, opened));
  if (options.any()) values.emplace(options, *source, opened);
  if (!options.top.empty())
    top.emplace(top_of_column{payload_of(source->decimals(std::span(&options.by, 1))[0], opened), most,
                              options.least ? extreme::least : extreme::greatest});
  tables::row_cells rows = source ? make_row_cells(options, std::move(*source), out) : tables::row_cells(out);
  done.source_read_seconds = watch.lap();
  double const looked_up_before = done.lookup_seconds;
  {
    progress shown(context, "range", lower.size());
    auto const write = options.lists() ? list_rows : values ? aggregate_values : aggregate;
    write({opened, lower, upper, out, rows, values ? &*values : nullptr, top ? &*top : nullptr, shown, done});
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
  command
      ->add_option("--top", options->top,
                   "List the rows of each range with this number of greatest values of --by, the greatest first")
      ->type_name("K");
  command->add_option("--by", options->by, "The column of --top: integers or decimals; nulls are left out")
      ->type_name("NAME");
  command->add_flag("--least", options->least, "List the least values of --top instead, the least first");
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
order, then in row order. With --top K --by NAME, writes the same lines, but only of the rows with the K greatest values
of a column, in their order; equal values are in key order.

Examples:
  warpdex range --index orders.wdx --lower spans.csv:from --upper spans.csv:to
  warpdex range --index AO+BS --keys log.csv:time --lower days.csv:0 --upper days.csv:1 --rows --out hits.csv
  warpdex range --index auto --keys orders.csv:placed --lower days.csv:from --upper days.csv:to --sum amount
  warpdex range --index auto --keys orders.csv:placed --lower d.csv:from --upper d.csv:to --top 3 --by amount
  warpdex range --index o.wdx --source orders.csv:placed --lower d.csv:from --upper d.csv:to --rows --columns id,amount

)") + tables::source_help);
  command->callback([&context, options] { context.action = [&context, options] { return run(context, *options); }; });
}

}  // namespace warpdex::cli
