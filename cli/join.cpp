// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "join_options.hpp"
#include "results.hpp"
#include "summary.hpp"
#include "tables/groups.hpp"
#include "tables/nullable_cells.hpp"
#include "tables/pair_lines.hpp"
#include "tables/words.hpp"
#include "tools/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace warpdex::cli {
namespace {

/// What the joins below have in common.
struct join_job {
  cli_context const& context;
  join_arguments const& options;
  tables::output& out;
  work_done& done;
};

/// Reads a column of a table whose rows may be written.
tables::key_column read_column(join_job const& job, std::string const& source, tables::read_options reading) {
  reading.keep_text = false;
  reading.keep_rows = job.options.writes_columns();
  progress const shown(job.context, "reading " + source);
  return tables::key_column(source, reading);
}

tables::table table_of(join_job const& job, std::string const& source,
                       std::shared_ptr<tables::input_file const> const& file, tables::row_places rows = {}) {
  tools::stopwatch watch;
  join_arguments const& options = job.options;
  tables::table table(file, expect_table(options, source, *file), options.header.value_or(true), options.threads,
                      std::move(rows));
  job.done.source_read_seconds += watch.lap();
  return table;
}

/// @param left keys of the left side, whose rows are taken
/// @param right the table of the right side, if its columns are written
tables::pair_lines begin_lines(join_job const& job, tables::key_column& left, std::optional<tables::table> right) {
  if (!job.options.writes_columns()) return {job.out, job.options.has_right()};
  return {job.out, table_of(job, job.options.left_source(), left.file(), left.take_row_places()), std::move(right),
          column_names(job.options)};
}

/// Writes the pairs that `join` hands to its sink.
template <class Join>
void write_pairs(join_job const& job, tables::pair_lines& lines, std::uint64_t size, Join const& join) {
  progress shown(job.context, job.done.how + " join", size);
  lines.write_header();
  std::uint64_t passed = 0;
  tools::stopwatch watch;
  join([&](join_batch const& batch, execution const& exec) {
    row_array const left(batch.left, exec);
    row_array const right(batch.right, exec);
    job.done.lookup_seconds += watch.lap();
    for (std::uint64_t i = 0; i < batch.left.size; ++i) {
      bool const matched = batch.right.size != 0 && !right.missing(i);
      lines.write(left[i], matched ? std::optional(right[i]) : std::nullopt);
    }
    std::uint64_t const reached = batch.left.size == 0 ? passed : left[batch.left.size - 1] + 1;
    shown.advance(reached - std::exchange(passed, reached));
    job.done.write_seconds += watch.lap();
  });
  job.done.lookup_seconds += watch.lap();
  job.done.matches = lines.written();
}

/// Writes a line per left row. `join(first, rows)` finds the right rows of the left ones from `first` on.
template <class Join>
void write_nearest(join_job const& job, tables::pair_lines& lines, std::uint64_t size, row_type type,
                   Join const& join) {
  progress shown(job.context, job.done.how + " join", size);
  lines.write_header();
  row_array rows(std::min(probes_per_call, size), type);
  for_each_call(size, [&](std::uint64_t first, std::uint64_t count) {
    tools::stopwatch watch;
    join(first, rows.output(count));
    job.done.lookup_seconds += watch.lap();
    for (std::uint64_t i = 0; i < count; ++i)
      lines.write(first + i, rows.missing(i) ? std::nullopt : std::optional(rows[i]));
    job.done.write_seconds += watch.lap();
    shown.advance(count);
  });
  job.done.matches = lines.written();
}

/// The index of the right side, and its table if the columns are written.
struct right_side {
  opened_index opened;
  std::optional<tables::table> table;
};

/// The index that `--index` would name.
spec usual_index(join_arguments const& options, key_type keys) {
  if (options.is_asof()) return canonical("auto(order)");
  if (options.is_range()) return canonical("auto(ranges)");
  return canonical(keys == key_type::bytes ? "AO+BS" : "HT(open,load=0.5)");
}

/// @return what refuses an index that cannot answer the join, if any index can be refused
index_check check_of(join_arguments const& options) {
  if (options.is_asof())
    return [asof = asof_options_of(options)](any_index const& x, execution const& exec) {
      asof_join(in_one_piece(x, "join"), column(nullptr, 0, x.key_type()), row_output(nullptr, 0, x.row_type()), exec,
                asof);
    };
  if (options.is_range())
    return [](any_index const& x, execution const& exec) {
      column const none(nullptr, 0, x.key_type());
      range_join(in_one_piece(x, "join"), {none, none}, join_kind::inner, exec);
    };
  return {};
}

right_side open_right(join_job const& job) {
  join_arguments options = job.options;
  bool const wants_table = options.writes_columns() && options.has_right();
  if (names_file(options)) {
    opened_index opened = load_index(job.context, options);
    if (auto const check = check_of(job.options)) check(*opened.index, opened.exec);
    if (!wants_table) return {std::move(opened), {}};
    tools::stopwatch watch;
    auto const file = std::make_shared<tables::input_file const>(tables::parse_source(options.keys).path);
    job.done.source_read_seconds += watch.lap();
    return {std::move(opened), table_of(job, options.keys, file)};
  }
  std::optional<spec> given;
  if (!options.index.empty()) given = index_spec(options);
  options.null = options.strict ? "error" : "skip";
  options.null_hint = null_of_strict;
  options.keep_table = wants_table;
  execution const exec = make_execution(options.backend, options.threads);
  tools::stopwatch watch;
  auto keys = read_keys(job.context, options);
  double const read_seconds = watch.lap();
  spec const s = given ? *given : usual_index(options, keys.type());
  shown_build const shown(job.context, "building " + s.text());
  auto built = build_over(options, s, keys, exec);
  double const build_seconds = watch.lap();
  right_side right{{exec, std::move(built), options.keys, false, read_seconds, build_seconds, keys.nulls()}, {}};
  if (wants_table) right.table = table_of(job, options.keys, keys.file(), keys.take_row_places());
  return right;
}

/// Reads values to join with an index.
tables::key_column read_left(join_job const& job, opened_index const& right, std::string const& source,
                             tables::other_values others) {
  tools::stopwatch watch;
  auto read = read_column(job, source, probe_reading(job.options, job.options.strict, right, others));
  job.done.probe_read_seconds += watch.lap();
  job.done.not_keys += read.others();
  job.done.nulls += read.nulls();
  return read;
}

void join_values(join_job const& job, right_side right) {
  opened_index const& opened = right.opened;
  index const& x = in_one_piece(*opened.index, "join");
  bool const nearest = job.options.is_asof();
  auto keys = read_left(job, opened, job.options.left,
                        nearest ? tables::other_values::change_type : tables::other_values::leave_out);
  tables::nullable_cells const left(keys);
  std::uint64_t const size = job.done.probes = keys.size();
  tables::pair_lines lines = begin_lines(job, keys, std::move(right.table));
  if (nearest) {
    asof_options const asof = asof_options_of(job.options);
    write_nearest(job, lines, size, x.row_type(), [&](std::uint64_t first, row_output rows) {
      asof_join(x, left.part(first, rows.size), rows, opened.exec, asof);
    });
    return;
  }
  std::string const& how = job.options.how;
  join_kind const kind = how == "inner"  ? join_kind::inner
                         : how == "left" ? join_kind::left
                         : how == "semi" ? join_kind::semi
                                         : join_kind::anti;
  write_pairs(job, lines, size, [&](auto const& write) {
    join(x, left.all(), kind, [&](join_batch const& batch) { write(batch, opened.exec); }, opened.exec,
         {.batch_pairs = matches_per_call, .part_probes = matches_per_call});
  });
}

/// The bounds of one side of ranges, which may be absent.
struct side_of_ranges {
  std::optional<tables::key_column> keys;
  std::optional<tables::nullable_cells> cells;
};

void read_bounds(join_job const& job, opened_index const& right, std::string const& source, tables::other_values others,
                 side_of_ranges& side) {
  if (source.empty()) return;
  side.keys.emplace(read_left(job, right, source, others));
  side.cells.emplace(*side.keys);
}

void join_ranges_of(join_job const& job, right_side right) {
  opened_index const& opened = right.opened;
  join_arguments const& options = job.options;
  side_of_ranges lower, upper;
  // A value that is no key is compared as it is where its bound is open: the key next to it may be in the range.
  using enum tables::other_values;
  read_bounds(job, opened, options.lower, options.includes_lower() ? round_up : change_type, lower);
  read_bounds(job, opened, options.upper, options.includes_upper() ? round_down : change_type, upper);
  if (lower.keys && upper.keys && lower.keys->size() != upper.keys->size()) {
    throw format_error(fmt::format("--lower {} has {}, --upper {} has {}", options.lower,
                                   tables::counted(lower.keys->size(), "row"), options.upper, upper.keys->size()));
  }
  tables::key_column& keys = lower.keys ? *lower.keys : *upper.keys;
  auto const bound = [&](side_of_ranges const& side) {
    return side.cells ? side.cells->all() : nullable_column(nullptr, 0, keys.type());
  };
  auto const kind = [](side_of_ranges const& side, bool included) {
    return !side.cells ? bound_kind::absent : included ? bound_kind::closed : bound_kind::open;
  };
  key_ranges const ranges{bound(lower), bound(upper), kind(lower, options.includes_lower()),
                          kind(upper, options.includes_upper())};
  job.done.probes = keys.size();
  tables::pair_lines lines = begin_lines(job, keys, std::move(right.table));
  write_pairs(job, lines, keys.size(), [&](auto const& write) {
    range_join(in_one_piece(*opened.index, "join"), ranges, join_kind::inner,
               [&](join_batch const& batch) { write(batch, opened.exec); }, opened.exec,
               {.batch_pairs = matches_per_call, .part_probes = matches_per_call});
  });
}

/// One side of an as-of join within groups.
struct grouped_side {
  tables::key_column keys;
  tables::cell_column cells;  ///< of the groups
  tables::group_column groups;
};

grouped_side read_grouped(join_job const& job, std::string const& source, std::string const& column,
                          std::optional<key_type> type, tables::other_values others, tables::group_numbers& numbers) {
  join_arguments const& options = job.options;
  tables::read_options const reading{.type = type,
                                     .header = options.header,
                                     .skip_nulls = !options.strict,
                                     .null_hint = null_of_strict,
                                     .others = options.strict ? tables::other_values::refuse : others,
                                     .delimiter = delimiter_of(options),
                                     .threads = options.threads};
  grouped_side side{read_column(job, source, reading), {}, {}};
  tables::input_file const& file = *side.keys.file();
  char const delimiter = expect_table(options, source, file);
  side.cells = tables::split_table(file, delimiter, options.header, column, options.threads);
  side.groups = numbers.number(side.cells);
  if (options.strict && !side.groups.left_out.empty())
    file.fail(fmt::format("{}: row {} has no group", side.cells.label(), side.groups.left_out.front()));
  return side;
}

index_facts join_groups(join_job const& job) {
  join_arguments const& options = job.options;
  group_columns const by = group_columns_of(options);
  execution const exec = make_execution(options.backend, options.threads);
  std::optional<key_type> type;
  if (!options.type.empty()) type = parse_key_type(options.type);

  index_facts facts;
  tools::stopwatch watch;
  tables::group_numbers numbers;
  grouped_side right = read_grouped(job, options.keys, by.right, type, tables::other_values::refuse, numbers);
  facts.read_seconds = watch.lap();
  grouped_side left =
      read_grouped(job, options.left, by.left, right.keys.type(), tables::other_values::change_type, numbers);
  job.done.probe_read_seconds = watch.lap();
  job.done.probes = left.keys.size();
  job.done.nulls = left.keys.nulls();

  tables::nullable_cells const right_keys(right.keys);
  tables::nullable_cells const right_groups(std::move(right.groups));
  tables::nullable_cells const left_keys(left.keys);
  tables::nullable_cells const left_groups(std::move(left.groups));
  watch.lap();
  auto const x = [&] {
    progress const shown(job.context, "building an index by " + options.by);
    return grouped_index::build("AO+BS", right_groups.all(), right_keys.all(), exec);
  }();
  facts.build_seconds = watch.lap();
  facts.spec = "as-of by " + options.by;
  facts.backend = exec.memory->backend();
  facts.key_type = right.keys.type();
  facts.row_type = x.row_type();
  facts.entries = x.size();
  facts.nulls = right.keys.size() - x.size();

  std::optional<tables::table> table;
  if (options.writes_columns()) table = table_of(job, options.keys, right.keys.file(), right.keys.take_row_places());
  tables::pair_lines lines = begin_lines(job, left.keys, std::move(table));
  asof_options const asof = asof_options_of(options);
  write_nearest(job, lines, left.keys.size(), x.row_type(), [&](std::uint64_t first, row_output rows) {
    asof_join(x, left_groups.part(first, rows.size), left_keys.part(first, rows.size), rows, exec, asof);
  });
  return facts;
}

index_facts join_index(join_job const& job) {
  right_side right = open_right(job);
  index_facts facts(right.opened);
  (job.options.is_range() ? join_ranges_of : join_values)(job, std::move(right));
  return facts;
}

/// Checks files, columns and the spec before anything is read.
void expect_usable(join_arguments const& options) {
  for (std::string const* const source : {&options.left, &options.lower, &options.upper, &options.keys})
    if (!source->empty()) expect_input(options, *source);
  if (options.is_grouped()) {
    group_columns const by = group_columns_of(options);
    expect_columns(options, options.left, {&by.left, 1});
    expect_columns(options, options.keys, {&by.right, 1});
  }
  if (options.writes_columns()) {
    expect_columns(options, options.left_source(), {});
    if (options.has_right()) expect_columns(options, options.keys, {});
  }
  if (!options.index.empty() && !names_file(options)) expect_buildable(index_spec(options), options, check_of(options));
}

int run(cli_context const& context, join_arguments const& options) {
  expect_consistent(options);
  asof_options_of(options);  // refuses a wrong tolerance
  expect_no_input(options.out, {{"--index", options.index},
                                {"--left", options.left},
                                {"--right", options.keys},
                                {"--lower", options.lower},
                                {"--upper", options.upper}});
  tools::stopwatch total;
  tables::output out(options.out);
  expect_usable(options);
  work_done done;
  done.command = "join";
  done.how = options.how;
  done.output = options.out;
  join_job const job{context, options, out, done};
  index_facts const facts = options.is_grouped() ? join_groups(job) : join_index(job);
  tools::stopwatch watch;
  out.commit();
  done.write_seconds += watch.lap();
  done.total_seconds = total.lap();
  print_summary(context, facts, done);
  return exit_success;
}

}  // namespace

void add_join(CLI::App& app, cli_context& context) {
  auto const options = std::make_shared<join_arguments>();
  CLI::App* const command = app.add_subcommand("join", "Join a column with the keys of another one");
  add_join_options(*command, *options);
  command->footer(std::string(R"(--how says which pairs are written:
  inner  each left row with each right row whose key equals its value
  left   the same, and each left row without a match once, with nothing on the right
  semi   each left row that has a match, once
  anti   each left row that has none
  asof   each left row once, with the first row (or with --ties last the last one) of the nearest key, or with nothing
         on the right
  range  each row of --lower and --upper with each right row whose key is between them; --closed says whether the
         bounds belong to the range
Nulls match nothing. A value that is no key of the right side's type, such as 2.5 among integers, equals no key;
as-of and range joins compare it with the keys.

Writes `left,right`, one line per pair; of semi and anti joins `left`. Rows are numbered from 0 in the order of the
files. Pairs come in the order of the left rows, and for each of them by key, then by row.

Examples:
  warpdex join --how left --left orders.csv:customer --right customers.csv:id --columns all --out joined.csv
  warpdex join --how anti --left today.txt --index seen.wdx
  warpdex join --how asof --left trades.csv:time --right prices.csv:time --by symbol --tolerance 5000000
  warpdex join --how asof --left trades.csv:time --right prices.csv:time --ties last --columns time,amount,price
  warpdex join --how range --lower spans.csv:from --upper spans.csv:to --right log.csv:time

)") + tables::source_help);
  command->callback([&context, options] { context.action = [&context, options] { return run(context, *options); }; });
}

}  // namespace warpdex::cli
