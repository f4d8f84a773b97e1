// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Options that several subcommands have, and what their texts say.
namespace warpdex::bench {

/// The command line as it was written. Numbers stay text here, because they may be powers.
struct arguments {
  std::string index;
  std::string n = "2^20", probes = "2^20", hits = "64", length = "0";
  std::string threads = "0", seed = "1";
  std::string type;
  std::string miss = "in";
  std::string copies = "1";
  std::string op;
  std::string devices;
  std::string placed_by = "auto";
  double uniformity = -1;
  config c;
};

template <class Enum> CLI::Transformer names_of(std::map<std::string, Enum> names) {
  std::string choices;
  for (auto const& [name, value] : names) choices += (choices.empty() ? "{" : ",") + name;
  CLI::Transformer accepted(std::move(names), CLI::ignore_case);
  accepted.description(choices + "}");  // its own also shows the numbers of the choices
  return accepted;
}

/// The same by the names that reports have.
template <class Enum> CLI::Transformer names_of(std::initializer_list<Enum> values) {
  std::map<std::string, Enum> names;
  for (Enum const value : values) names.emplace(to_string(value), value);
  return names_of(std::move(names));
}

/// Adds `--ops`, the name of a lookup. @param names of lookups @param text what they are
void add_lookup(CLI::App& command, arguments& a, std::vector<std::string> const& names, std::string const& text);

/// What is measured, and over how many keys.
void add_index(CLI::App& command, arguments& a);

/// The same, and which keys.
void add_keys(CLI::App& command, arguments& a);

void add_place(CLI::App& command, arguments& a, char const* option, std::string const& what);

/// How it is measured.
void add_run(CLI::App& command, arguments& a);

std::vector<spec> specs_of(arguments const& a);

/// @return whether `config::keys` is a file
bool is_file(config const& c);

/// @return the configuration without the options that `add_keys` adds
config finished_run(arguments const& a);

/// @return the configuration, with everything parsed
config finished(arguments const& a);

/// @return the same with the file that `--probes` may name, of which all probes are taken
/// @throws usage_error unless keys are of a file, of the same type, and nothing says which probes to draw
config with_probe_file(arguments a);

}  // namespace warpdex::bench
