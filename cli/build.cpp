// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "index_options.hpp"
#include "summary.hpp"
#include "tables/keys.hpp"
#include "tables/output.hpp"
#include "tools/stopwatch.hpp"

#include <memory>
#include <string>

namespace warpdex::cli {
namespace {

struct build_options : index_options {
  std::string rows;
  std::string out;
};

int build(cli_context const& context, build_options const& options) {
  expect_index_file(options.out);
  expect_no_input(options.out, {{"--keys", options.keys}, {"--rows", options.rows}});
  tools::stopwatch total;
  expect_index_writable(options.out, !options.devices.empty());
  expect_buildable(index_spec(options), options);
  expect_input(options, options.keys);
  if (!options.rows.empty()) expect_column(options, options.rows);
  opened_index const opened = build_index(context, options, options.rows);
  work_done done;
  tools::stopwatch watch;
  {
    progress const shown(context, "writing " + options.out);
    save_index(opened, options.out);
  }
  done.write_seconds = watch.lap();
  done.command = "build";
  done.output = options.out;
  done.total_seconds = total.lap();
  print_summary(context, opened, done, false);
  return exit_success;
}

}  // namespace

void add_build(CLI::App& app, cli_context& context) {
  auto const options = std::make_shared<build_options>();
  CLI::App* const command = app.add_subcommand("build", "Build an index over a key column and save it");
  command
      ->add_option("--index", options->index,
                   "What to build: auto, hash, sorted, btree or another spec; see `warpdex info`")
      ->type_name("SPEC")
      ->required();
  command
      ->add_option("--keys", options->keys, "The key column; row ids are its positions, from 0, unless --rows is given")
      ->type_name("FILE[:COLUMN]")
      ->required();
  command->add_option("--rows", options->rows, "The row id of each key, a whole number: what lookups will answer")
      ->type_name("FILE[:COLUMN]");
  command
      ->add_option("--out", options->out,
                   "The index file to write, or with --devices the folder; it appears when it is complete")
      ->type_name("FILE|FOLDER")
      ->required();
  add_key_options(*command, *options);
  add_backend_options(*command, *options);
  add_shard_options(*command, *options);
  command->footer(std::string(tables::source_help) + R"(
Examples:
  warpdex build --index auto --keys orders.csv:id --out orders.wdx
  warpdex build --index 'AO+PB+KS(17)/layout=AoS' --keys books_200M_uint64 --out books.wdx
  warpdex build --index AO+BS --type bytes --keys cities.csv:name --out cities.wdx
  warpdex build --index AO+BS --keys orders.csv --key placed,customer:bytes:desc --out by_day.wdx
  warpdex build --index AO+BS --keys orders.csv:placed --rows orders.csv:id --out ids_by_day.wdx
  warpdex build --index auto --keys orders.csv:id --devices 0,1 --placement range --out orders
)");
  command->callback([&context, options] { context.action = [&context, options] { return build(context, *options); }; });
}

}  // namespace warpdex::cli
