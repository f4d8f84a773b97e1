// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/keys.hpp"
#include "tools/context.hpp"

#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// @file
/// The options that name the index of a subcommand, and that index.
namespace warpdex::cli {

/// Options of every subcommand that builds or loads an index.
struct index_options {
  std::string index;
  std::string keys;
  std::string key;  ///< the fields of tuples
  std::string type;
  std::string null = "error";
  std::string null_hint = "--null skip leaves out such rows";  ///< for the message that refuses a null among the keys
  std::optional<bool> header;
  std::string delimiter;
  std::string backend = "auto";
  int threads = 0;
  std::string devices;        ///< where shards are; empty for an index in one piece
  std::string placement;      ///< how keys are placed there; empty for `auto`
  std::string check = "all";  ///< of an index file; a name of a `warpdex::check`
  bool keep_table = false;    ///< whether `opened_index::table` is wanted
};

/// Names of all key types, for options.
std::vector<std::string> key_type_names();

/// Adds `--backend` and `--threads`.
void add_backend_options(CLI::App& command, index_options& options);

/// Adds `--devices`, after the options of backends.
CLI::Option* add_devices_option(CLI::App& command, index_options& options);

/// Adds `--devices` and `--placement`, which make shards of what is built.
void add_shard_options(CLI::App& command, index_options& options);

/// Adds `--null`.
void add_null_option(CLI::App& command, index_options& options);

/// Adds `--type`, the type of the keys of the option `source`.
void add_type_option(CLI::App& command, index_options& options, std::string const& source);

/// Adds `--header`, `--no-header` and `--delimiter`, which say how all tables of a call are read.
void add_table_options(CLI::App& command, index_options& options);

/// Adds the options that say how `--keys` is read: `--key`, `--type`, `--null` and those of tables.
void add_key_options(CLI::App& command, index_options& options);

/// @return the fields that `--key` names, or none. @throws usage_error
std::vector<tables::tuple_field> key_fields(index_options const& options);

/// @return the delimiter that `--delimiter` names. @throws usage_error if it cannot be one
std::optional<char> delimiter_of(index_options const& options);

/// Adds `--index SPEC|FILE|FOLDER`, `--check`, `--keys` with its options, and where the index is.
void add_index_options(CLI::App& command, index_options& options);

/// Adds `--workload`, which says what an index is for.
CLI::Option* add_workload_option(CLI::App& command, std::string& words);

/// Adds `--device`, which names a GPU that need not be there.
CLI::Option* add_device_option(CLI::App& command, std::string& name);

/// @param words of `--workload`
/// @param options of the spec, each with its slash
/// @return the spec `auto` for this workload
/// @throws usage_error for an unknown word
spec workload_spec(std::string const& words, std::string const& options = "");

/// An index, the execution to run it with, and the time it took to get it.
struct opened_index {
  execution exec;                                        ///< of calls: with shards that of the host
  std::unique_ptr<any_index> index;                      ///< an `index`, or a `sharded_index`
  std::string origin;                                    ///< the file of the index or of its keys
  bool loaded = false;                                   ///< whether it comes from an index file, or else was built
  double read_seconds = 0;                               ///< time to read the file of keys
  double build_seconds = 0;                              ///< time to build or load
  std::uint64_t nulls = 0;                               ///< cells of `--keys` that were left out
  std::vector<tables::tuple_field> fields = {};          ///< of keys that are tuples
  std::shared_ptr<tables::input_file const> table = {};  ///< the file of `--keys`, if it is kept
  tables::row_places row_places = {};                    ///< where its rows begin
  tables::notation keys_as = {};                         ///< how its keys are written
  std::string note = {};                                 ///< of its file, or for it
};

/// @return how to read columns of keys: as `type`, or as the type that their values suggest
tables::read_options key_reading(index_options const& options, std::optional<key_type> type);

/// How to have nulls accepted that `--strict` refuses.
inline constexpr char const* null_of_strict = "without --strict, nulls match nothing";

/// Adds `--out`, the file of a result.
void add_out_option(CLI::App& command, std::string& out);

/// An option that names a file to read, as `FILE[:COLUMN]`, and its value; empty if it was not given.
struct input_option {
  char const* name;
  std::string const& value;
};

/// Keeps a result from replacing one of its inputs, also under another name or through a link.
/// @param out of --out, empty for standard output
/// @throws usage_error if it is a file that one of the options names
void expect_no_input(std::string const& out, std::initializer_list<input_option> inputs);

/// Adds `--strict`.
void add_strict_option(CLI::App& command, bool& strict);

/// @return how to read columns of probes for `opened`; the text of their cells is kept
/// @param others how to treat values that are no keys of its type; with `strict` they are refused, and nulls are
/// @param beginnings whether of tuples the first fields will do
tables::read_options probe_reading(index_options const& options, bool strict, opened_index const& opened,
                                   tables::other_values others, bool beginnings = false);

/// Reads `--keys`. @throws what the reader throws (tables/keys.hpp)
tables::key_column read_keys(cli_context const& context, index_options const& options);

/// @return whether `--index` names the folder of a sharded index
bool names_folder(index_options const& options);

/// @return whether `--index` names a file, or such a folder
bool names_file(index_options const& options);

/// @return that it does, for messages: `--index orders.wdx is a file`
std::string named_file(index_options const& options);

/// @return the file that an update replaces last: `path`, or the manifest in a folder
std::string last_file(std::string const& path);

/// @return the spec that `--index` gives. @throws spec_error, io_error
spec index_spec(index_options const& options);

/// Builds an index over keys, or shards. Their rows keep their positions in the file when some are left out.
/// @param exec of calls @throws what the library throws
std::unique_ptr<any_index> build_over(index_options const& options, spec const& s, tables::key_column const& keys,
                                      execution const& exec);

/// Builds an index over `--keys`, as `--index` specifies. @throws what the library throws
/// @param rows the column of row ids; by default they are positions
opened_index build_index(cli_context const& context, index_options const& options, std::string const& rows = {});

/// Loads the index file or the folder that `--index` names. @throws what the library throws
opened_index load_index(cli_context const& context, index_options const& options);

/// Writes an index file, or a folder, with its note. @throws what the library throws
void save_index(opened_index const& opened, std::string const& out);

/// @param asks what takes no shards, for the message
/// @return the index itself. @throws unsupported for a sharded one
index const& in_one_piece(any_index const& x, std::string const& asks);

/// Refuses an index that lacks an operation, by an exception.
using index_check = std::function<void(any_index const&, execution const&)>;

/// Tries a spec with no keys, before any are read, as far as it does not follow from their type. @throws what the
/// library throws
void expect_buildable(spec const& s, index_options const& options, index_check const& check = nullptr);

/// Loads the index that `--index` names if it is a file or a folder, otherwise builds it. What needs no data is checked
/// before anything is read.
/// @param check null if the index may be any
/// @throws usage_error if `--keys` is missing or superfluous
opened_index open_index(cli_context const& context, index_options const& options, index_check const& check = nullptr);

/// Checks an input before others are read. @throws io_error or format_error if a file is not there, or has no such
/// columns, as far as its first line tells; a pipe is not touched
/// @param beginnings whether of tuples the first fields will do
void expect_input(index_options const& options, std::string const& source, bool beginnings = false);

/// The same of a column that is no key, such as row ids.
void expect_column(index_options const& options, std::string const& source);

/// The same of columns of the table `source`; its own COLUMN does not count. @throws format_error also if it is no
/// table
void expect_columns(index_options const& options, std::string const& source, std::span<std::string const> names);

/// @return the delimiter of a table. @throws format_error for files of other kinds, with what to do
char expect_table(index_options const& options, std::string const& source, tables::input_file const& file);

/// @throws usage_error for standard output, where no index file can go
void expect_index_file(std::string const& out);

/// @param shards whether a folder is written @throws io_error if it cannot be
void expect_index_writable(std::string const& out, bool shards);

}  // namespace warpdex::cli
