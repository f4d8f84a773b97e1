// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <initializer_list>

namespace warpdex::cli {
namespace {

struct given {
  char const* name;
  bool value;
};

/// Refuses the options that are given and do not apply.
void refuse(std::initializer_list<given> options, std::string const& reason) {
  for (given const& option : options)
    if (option.value) throw usage_error(std::string(option.name) + reason);
}

template <class Number> bool parse(std::string const& text, Number& out) {
  char const* const last = text.data() + text.size();
  auto const [end, problem] = std::from_chars(text.data(), last, out);
  return problem == std::errc() && end == last;
}

asof_tolerance parse_tolerance(std::string const& text) {
  std::int64_t whole = 0;
  double real = 0;
  bool const is_whole = parse(text, whole);
  if (is_whole ? whole < 0 : !parse(text, real) || !(real >= 0))
    throw usage_error(fmt::format("--tolerance {}: a number from 0 on was expected", text));
  return is_whole ? asof_tolerance(whole) : asof_tolerance(real);
}

}  // namespace

void add_join_options(CLI::App& command, join_arguments& options) {
  command.add_option("--how", options.how, "Which pairs to write; see below")
      ->check(CLI::IsMember({"inner", "left", "semi", "anti", "asof", "range"}))
      ->capture_default_str();
  command.add_option("--left", options.left, "The values to join, of a kind that compares with the keys")
      ->type_name("FILE[:COLUMN]");
  command.add_option("--right", options.keys, "The keys to join them with; an index is built over them")
      ->type_name("FILE[:COLUMN]");
  command
      .add_option("--index", options.index,
                  "The spec of that index, by default a hash table, or for as-of and range joins what `auto` chooses; "
                  "or instead of --right an index file "
                  "made by `warpdex build`")
      ->type_name("SPEC|FILE");
  command.add_option("--lower", options.lower, "Range joins: the lower bounds, in place of --left")
      ->type_name("FILE[:COLUMN]");
  command.add_option("--upper", options.upper, "Range joins: the upper bounds; either bound may be left out")
      ->type_name("FILE[:COLUMN]");
  command
      .add_option("--closed", options.closed,
                  "Range joins: which bounds belong to the ranges, left being --lower; by default both")
      ->check(CLI::IsMember({"both", "left", "right", "none"}));
  command
      .add_option("--direction", options.direction,
                  "As-of joins: where to look for the nearest key, by default backward")
      ->check(CLI::IsMember({"backward", "forward", "nearest"}));
  command
      .add_option("--tolerance", options.tolerance,
                  "As-of joins: the largest distance of a match, in units of the keys: days of dates, microseconds of "
                  "timestamps")
      ->type_name("NUMBER");
  command.add_flag("--no-exact", options.no_exact, "As-of joins: a key that equals the value is no match");
  command.add_flag("--later", options.later,
                   "As-of joins with --direction nearest: of two keys at equal distance the later one matches, not the "
                   "earlier one");
  command
      .add_option("--ties", options.ties, "As-of joins: which row matches where several have the key, by default first")
      ->check(CLI::IsMember({"first", "last"}));
  command
      .add_option("--by", options.by,
                  "As-of joins: match only rows of the same group. The column of the groups in both tables, or one for "
                  "each; groups are the same if they are written the same")
      ->type_name("COLUMN|LEFT=RIGHT");
  command
      .add_option(
          "--columns", options.columns,
          "Write row numbers, or all columns of both tables, or some: those of the left table come first. A name "
          "that the left table has too gets the suffix _right")
      ->type_name("rows|all|NAME,...")
      ->capture_default_str();
  add_type_option(command, options, "--right");
  add_table_options(command, options);
  command.add_flag("--strict", options.strict, "Refuse nulls, and values to join that are no keys of the index's type");
  add_out_option(command, options.out);
  add_backend_options(command, options);
}

void expect_consistent(join_arguments const& options) {
  if (options.is_range()) {
    refuse({{"--left", !options.left.empty()}},
           " does not go with --how range, whose left side is --lower and --upper");
    if (options.left_source().empty()) throw usage_error("--how range needs --lower, --upper or both");
    if (options.writes_columns() && !options.lower.empty() && !options.upper.empty() &&
        tables::parse_source(options.lower).path != tables::parse_source(options.upper).path)
      throw usage_error(fmt::format("--columns {}: --lower {} and --upper {} are not in one table", options.columns,
                                    options.lower, options.upper));
  } else {
    refuse({{"--lower", !options.lower.empty()},
            {"--upper", !options.upper.empty()},
            {"--closed", !options.closed.empty()}},
           " goes with --how range alone");
    if (options.left.empty()) throw usage_error("--how " + options.how + " needs --left FILE[:COLUMN]");
  }
  if (!options.is_asof())
    refuse({{"--direction", !options.direction.empty()},
            {"--tolerance", !options.tolerance.empty()},
            {"--no-exact", options.no_exact},
            {"--later", options.later},
            {"--ties", !options.ties.empty()},
            {"--by", options.is_grouped()}},
           " goes with --how asof alone");
  else if (options.direction != "nearest") refuse({{"--later", options.later}}, " goes with --direction nearest alone");
  if (options.is_grouped() && !options.index.empty())
    throw usage_error("--by builds an index of its own; leave out --index " + options.index);
  if (names_folder(options))
    throw unsupported("join: " + named_file(options) + " of a sharded index, which joins do not take");
  if (names_file(options)) {
    // Its rows are those of a table that only --right can name.
    if (!options.keys.empty() && !(options.writes_columns() && options.has_right()))
      throw usage_error("--index " + options.index + " is a file and holds its keys; leave out --right");
    if (options.keys.empty() && options.writes_columns() && options.has_right())
      throw usage_error("--columns " + options.columns + " needs --right FILE, the table whose rows are in --index " +
                        options.index);
    if (!options.type.empty())
      throw usage_error("--index " + options.index + " is a file and knows its key type; leave out --type");
  } else if (options.keys.empty()) {
    throw usage_error(options.index.empty()
                          ? "--right FILE[:COLUMN] is needed, or --index FILE"
                          : "--index " + options.index + " is no file, and as a spec it needs --right FILE[:COLUMN]");
  }
}

asof_options asof_options_of(join_arguments const& options) {
  asof_options out;
  if (options.direction == "forward") out.direction = asof_direction::forward;
  if (options.direction == "nearest") out.direction = asof_direction::nearest;
  out.exact = !options.no_exact;
  out.later = options.later;
  out.last_below = out.last_above = options.ties == "last";
  if (!options.tolerance.empty()) out.tolerance = parse_tolerance(options.tolerance);
  return out;
}

std::vector<std::string> column_names(join_arguments const& options) {
  if (options.columns == "all") return {};
  return tables::split_names(options.columns);
}

group_columns group_columns_of(join_arguments const& options) {
  std::size_t const sign = options.by.find('=');
  if (sign == std::string::npos) return {options.by, options.by};
  return {options.by.substr(0, sign), options.by.substr(sign + 1)};
}

}  // namespace warpdex::cli
