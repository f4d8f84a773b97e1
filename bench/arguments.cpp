// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/arguments.hpp"

#include "bench/context.hpp"
#include "bench/key_file.hpp"
#include "bench/options.hpp"
#include "bench/shapes.hpp"
#include "bench/strings.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

namespace warpdex::bench {

void add_lookup(CLI::App& command, arguments& a, std::vector<std::string> const& names, std::string const& text) {
  a.op = names.front();
  command.add_option("--ops", a.op, text)->transform(CLI::IsMember(names, CLI::ignore_case))->capture_default_str();
}

void add_index(CLI::App& command, arguments& a) {
  command.add_option("--index", a.index, "Specs to measure, separated by commas; `none` measures baselines alone")
      ->required()
      ->type_name("SPEC[,SPEC...]");
  command.add_option("--n", a.n, "Number of keys, such as 1000000, 1M or 2^26")->capture_default_str();
}

void add_keys(CLI::App& command, arguments& a) {
  add_index(command, a);
  command
      .add_option("--keys", a.c.keys,
                  "uniform: unique random keys; dense: 0 to n-1; a shape that imitates a table's column; strings of a "
                  "kind; or a file, which sets --n and --key-type")
      ->capture_default_str()
      ->type_name("uniform|dense|" + shape_names() + "|" + string_shape_names() + "|FILE");
  command
      .add_option(
          "--uniformity", a.uniformity,
          "Percent of the keys that are random; the others are 0, 1, 2, ... Default: 100 for uniform, 0 for dense")
      ->check(CLI::Range(0.0, 100.0));
  command.add_option("--key-type", a.type, "Type of generated keys, u32 (default), u64 or u128, and bytes for strings");
}

void add_place(CLI::App& command, arguments& a, char const* option, std::string const& what) {
  command
      .add_option(option, a.c.place, what + ", with the cuda backend: device (default), host, or pinned memory of it")
      ->transform(names_of({placement::device, placement::host, placement::pinned}));
}

void add_run(CLI::App& command, arguments& a) {
  command.add_option("--seed", a.seed, "Seed of keys, order and probes")->capture_default_str();
  command.add_option("--backend", a.c.backend, "auto is cuda if there is a device")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", a.threads, "CPU threads; a list measures each; 0 is all cores")
      ->capture_default_str();
  command.add_option("--repeat", a.c.repeat, "Timed runs, after one that is not timed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--baselines", a.c.baselines, "Which baselines run along: all, cpu, gpu, limits, tree, tries, none")
      ->transform(names_of<baseline_choice>({{"all", baseline_choice::all},
                                             {"cpu", baseline_choice::cpu},
                                             {"gpu", baseline_choice::gpu},
                                             {"limits", baseline_choice::limits},
                                             {"tree", baseline_choice::tree},
                                             {"tries", baseline_choice::tries},
                                             {"none", baseline_choice::none}}));
}

config finished_run(arguments const& a) {
  config c = a.c;
  c.seed = parse_number("--seed", a.seed, 0, ~std::uint64_t{0});
  c.threads = parse_threads(a.threads);
  return c;
}

std::vector<spec> specs_of(arguments const& a) {
  std::vector<spec> specs;
  if (a.index != "none")
    for (auto const& text : split_list(a.index)) specs.push_back(canonical(text));
  return specs;
}

bool is_file(config const& c) {
  return !c.uniformity && c.keys != "stepped" && !shape_named(c.keys) && !string_shape_named(c.keys);
}

config finished(arguments const& a) {
  config c = finished_run(a);
  c.specs = specs_of(a);
  // Row ids in answers have 32 bits, and one of them means a miss.
  constexpr std::uint64_t most_keys = missing - 1;
  c.n = parse_number("--n", a.n, 0, most_keys);
  c.probes = parse_number("--probes", a.probes, 1, std::uint64_t{1} << 40);
  c.hits = parse_number("--hits", a.hits, 1, most_keys);
  c.length = parse_number("--length", a.length, 0, missing);
  c.miss_inside = a.miss == "in";
  c.copies = parse_number("--copies", a.copies, 1, most_keys);
  if (!a.type.empty()) c.type = parse_key_type(a.type);
  bool const generated = c.keys == "uniform" || c.keys == "dense";
  bool const is_shape = shape_named(c.keys).has_value();
  bool const is_strings = string_shape_named(c.keys).has_value();
  if (is_strings && c.type.value_or(key_type::bytes) != key_type::bytes)
    throw usage_error(fmt::format("--key-type {}: {} keys are bytes", a.type, c.keys));
  if (is_strings) c.type = key_type::bytes;
  if (c.type && !generated && is_file(c)) throw usage_error("--key-type: a file of keys says its type itself");
  if (!generated && a.uniformity >= 0) throw usage_error("--uniformity: it is for uniform and dense keys");
  if (!generated && c.copies != 1) throw usage_error("--copies: it is for uniform and dense keys");
  if (is_shape && c.type && *c.type != key_type::u32 && *c.type != key_type::u64)
    throw usage_error(fmt::format("--key-type {}: keys of the shape {} are u32 or u64", a.type, c.keys));
  if (generated) c.uniformity = a.uniformity >= 0 ? a.uniformity : c.keys == "uniform" ? 100 : 0;
  if (generated && c.type == key_type::bytes)
    throw usage_error(
        fmt::format("--key-type bytes: --keys {} are numbers; strings are {} or a file", c.keys, string_shape_names()));
  if (generated && c.type && *c.type != key_type::u32 && *c.type != key_type::u64 && *c.type != key_type::u128)
    throw usage_error(fmt::format("--key-type {}: generated keys are u32, u64 or u128", a.type));
  return c;
}

config with_probe_file(arguments a) {
  if (std::filesystem::path(a.probes).extension().empty()) return finished(a);
  a.c.probe_file = a.probes;
  key_file const probes(a.c.probe_file);
  a.probes = std::to_string(probes.size());
  config c = finished(a);
  auto const fail = [&](std::string const& what) {
    throw usage_error(fmt::format("--probes {}: {}", c.probe_file, what));
  };
  if (!is_file(c)) fail("it is for --keys FILE");
  if (key_type const keys = key_file(c.keys).type(); keys != probes.type() || keys == key_type::bytes)
    fail(fmt::format("they are {}, the keys {}; both must be the same numbers", to_string(probes.type()),
                     to_string(keys)));
  if (c.hit_rate < 1 || c.zipf > 0) fail("it takes no --hit-rate and no --zipf");
  return c;
}

}  // namespace warpdex::bench
