// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/describe.hpp"

#include "bench/json_text.hpp"
#include "bench/key_file.hpp"
#include "bench/options.hpp"

#include <warpdex/advise.hpp>
#include <warpdex/device.hpp>
#include <warpdex/note.hpp>
#include <warpdex/structures.hpp>
#include <warpdex/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace warpdex::bench {
namespace {

using json = nlohmann::ordered_json;

struct options {
  std::string what;  ///< a spec, an index file, or nothing
  std::string keys;
  std::string size = "2^20";
  std::string key_type = "u64";
  std::string workload;
  std::string backend = "auto";
  std::string device;
  bool markdown = false;

  /// A device that is only named need not exist here.
  backend_kind chosen_backend() const {
    return device.empty() ? make_execution(backend, 0).memory->backend() : backend_kind::cuda;
  }

  /// @return how large batches of points run on the device
  std::string policy(spec const& s, warpdex::key_type type, row_type rows, std::uint64_t n) const {
    std::string const tuned = tuned_policy(s, type, rows, n, device.empty() ? devices().front().name : device);
    return tuned.empty() ? "automatic" : tuned;
  }
};

row_type rows_of(std::uint64_t size) { return size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64; }

spec workload_spec(std::string const& words, std::string const& spec_options = "") {
  try {
    spec s((words.empty() ? "auto" : "auto(" + words + ")") + spec_options);
    workload_of(s);
    return s;
  } catch (spec_error const& e) {
    throw usage_error("--workload: " + std::string(e.what()));
  }
}

/// Names and values in lines; the words of a list are lines too.
std::string in_lines(json const& facts, int indent = 0) {
  std::string text;
  for (auto const& [name, value] : facts.items()) {
    std::string_view label = name;
    for (json const& line : value.is_array() ? value : json::array({value})) {
      if (line.is_object()) text += fmt::format("{:{}}{}\n{}", "", indent, name, in_lines(line, indent + 2));
      else
        text += fmt::format("{:{}}{:<16}{}\n", "", indent, label,
                            line.is_string() ? line.get<std::string>() : json_text(line));
      label = "";
    }
  }
  return text;
}

int print(cli_context const& context, json const& facts) {
  std::string const text = context.json ? json_text(facts, 2) + "\n" : printable(in_lines(facts));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_success;
}

json describe_structure(structure_info const& s) {
  json out = {{"name", s.name},
              {"kind", s.kind},
              {"forms", s.forms},
              {"summary", s.summary},
              {"extra_bytes", s.extra_bytes},
              {"use", s.use},
              {"arguments", s.arguments},
              {"source", s.source},
              {"drawing", s.drawing},
              {"ordered", s.ordered},
              {"chooses", s.chooses},
              {"widest_key", s.widest_key},
              {"takes_bytes", s.takes_bytes},
              {"pins", s.pins},
              {"borrows", s.borrows},
              {"in_triangles", s.in_triangles},
              {"fanouts", s.fanouts},
              {"samples", s.samples},
              {"tuned", json::array()}};
  for (auto const& t : s.tuned) out["tuned"].push_back({{"spec", t.spec}, {"lanes", t.lanes}});
  return out;
}

json describe_library() {
  json out = {{"version", version()}};
  for (structure_info const& s : structures()) out["structures"].push_back(describe_structure(s));
  for (key_type const type : key_types) out["key_types"].push_back(to_string(type));
  out["backends"] = {{"cpu", true}, {"cuda", !devices().empty()}};
  out["built_with_cuda"] = built_with_cuda();
  out["cpu_threads"] = usable_cores();
  out["devices"] = json::array();
  for (device_info const& d : devices())
    out["devices"].push_back({{"ordinal", d.ordinal},
                              {"name", d.name},
                              {"compute_capability", d.compute_capability},
                              {"multiprocessors", d.multiprocessors},
                              {"memory_bytes", d.memory_bytes},
                              {"l2_bytes", d.l2_bytes}});
  return out;
}

json describe_spec(options const& choices) {
  spec s = [&] {
    try {
      return canonical(spec(choices.what));
    } catch (spec_error const& e) {
      throw spec_error(choices.what + " is no file, and no spec: " + e.what());
    }
  }();
  if (!choices.workload.empty()) {
    if (s.structure() != "auto" || !s.arguments().empty())
      throw usage_error("--workload says what auto is for; it does not go with " + s.text());
    s = workload_spec(choices.workload, s.text().substr(s.structure().size()));
  }
  backend_kind const backend = choices.chosen_backend();
  std::uint64_t const size = parse_number("--n", choices.size, 0, std::uint64_t{1} << 63);
  key_type const keys = parse_key_type(choices.key_type);
  std::string const resolved = resolve(s, keys, rows_of(size), size, backend);
  json out = {{"given", s.text()},
              {"entries", size},
              {"key_type", to_string(keys)},
              {"backend", backend_name(backend)},
              {"spec", resolved},
              // Views do not depend on the keys.
              {"view_type", index::build(spec(resolved), column(nullptr, 0, keys), execution()).view_type()}};
  if (backend == backend_kind::cuda) out["policy"] = choices.policy(s, keys, rows_of(size), size);
  if (s.structure() == "auto") out["reasons"] = advise(workload_of(s), keys, rows_of(size), size, backend).reasons;
  return out;
}

/// Loads an index file, which checks it as a whole.
json describe_file(options const& choices) {
  index const x = index::load(choices.what, make_execution(choices.backend, 0));
  return {{"file", choices.what},
          {"spec", x.spec_text()},
          {"view_type", x.view_type()},
          {"entries", x.size()},
          {"key_type", to_string(x.key_type())},
          {"note", note_of(choices.what)},
          {"row_type", to_string(x.row_type())},
          {"index_bytes", x.memory().total()},
          {"pair_bytes", x.memory().pairs},
          {"auxiliary_bytes", x.memory().auxiliary}};
}

/// The table of docs/reference/structures.md.
std::string structures_as_markdown() {
  std::string out = "| structure | what it is | bytes beyond the pairs | use it when |\n|---|---|---|---|\n";
  for (auto const& s : structures())
    if (!s.chooses)
      out += fmt::format("| `{}` | {} | {} | {} |\n", fmt::join(s.forms, "`, `"), s.summary, s.extra_bytes, s.use);
  return out;
}

int info(cli_context const& context, options const& choices) {
  if (choices.markdown) {
    std::fputs(structures_as_markdown().c_str(), stdout);
    return exit_success;
  }
  if (choices.what.empty()) return print(context, describe_library());
  return print(context, std::filesystem::exists(choices.what) ? describe_file(choices) : describe_spec(choices));
}

/// @param bits of the key, as `column_profile` has them
json key_value(key_type type, std::uint64_t bits) {
  return with_key_type(type, [&]<class Key>() -> json {
    Key key{};
    if constexpr (sizeof key <= sizeof bits) std::memcpy(&key, &bits, sizeof key);
    if constexpr (std::is_arithmetic_v<Key>) return key;
    else return nullptr;
  });
}

json describe_column(column_profile const& column) {
  json out = {{"exact", column.exact}, {"distinct_keys", column.distinct}};
  if (column.size != 0) {
    out["smallest_key"] = key_value(column.keys, column.smallest);
    out["largest_key"] = key_value(column.keys, column.largest);
  }
  for (auto const& m : column.models)
    out["models"].push_back({{"eps", m.eps},
                             {"pgm_segments", m.pgm_segments},
                             {"pgm_levels", m.pgm_levels},
                             {"pgm_bytes", m.pgm_bytes},
                             {"spline_points", m.spline_points},
                             {"spline_cells", m.spline_cells},
                             {"spline_bytes", m.spline_bytes}});
  return out;
}

int advise_on_keys(cli_context const& context, options const& choices) {
  spec const wanted = workload_spec(choices.workload);
  workload const w = workload_of(wanted);
  backend_kind const backend = choices.chosen_backend();
  key_file file(choices.keys);
  key_type const type = file.type();
  std::uint64_t const size = file.size();
  json facts = {{"workload", wanted.text()},
                {"backend", backend_name(backend)},
                {"key_type", to_string(type)},
                {"row_type", to_string(rows_of(size))},
                {"entries", size}};
  advice answer;
  if (size_of(type) > 8) {
    answer = advise(w, type, rows_of(size), size, backend);
  } else {
    progress const shown(context, choices.keys);
    column_profile const profiled = profile(file.read(), rows_of(size), execution(host_memory()));
    facts["column"] = describe_column(profiled);
    answer = advise(w, profiled, backend);
  }
  facts.update({{"advised", answer.spec}, {"spec", resolve(answer.spec, type, rows_of(size), size, backend)}});
  if (answer.memory) facts["index_bytes"] = answer.memory->total();
  if (answer.memory) facts["auxiliary_bytes"] = answer.memory->auxiliary;
  if (answer.rate) facts["probes_per_second"] = answer.rate->probes_per_second;
  if (answer.rate) facts["measured"] = answer.rate->conditions;
  if (backend == backend_kind::cuda) facts["policy"] = choices.policy(answer.spec, type, rows_of(size), size);
  facts["reasons"] = answer.reasons;
  return print(context, facts);
}

CLI::App& add_command(CLI::App& app, cli_context& context, std::shared_ptr<options> const& choices, char const* name,
                      char const* text, int (*run)(cli_context const&, options const&)) {
  CLI::App& command = *app.add_subcommand(name, text);
  command.add_option("--backend", choices->backend, "auto is cuda if there is a device")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.callback([=, &context] { context.action = [=, &context] { return run(context, *choices); }; });
  return command;
}

void add_purpose(CLI::App& command, options& choices) {
  command.add_option("--workload", choices.workload,
                     "What the index is for: points, ranges, order, least_memory, rebuilds, rays, batch=PROBES, "
                     "hits=ENTRIES, with commas between them");
  command.add_option("--device", choices.device,
                     "Choose for a GPU of this name, such as 'NVIDIA H200', which need not be present");
}

}  // namespace

void add_descriptions(CLI::App& app, cli_context& context) {
  auto const choices = std::make_shared<options>();
  auto& of_info =
      add_command(app, context, choices, "info",
                  "Structures, types and devices of the library; or what becomes of a spec; or an index file", info);
  of_info.add_option("what", choices->what, "A spec, or an index file")->type_name("SPEC|FILE");
  of_info.add_option("--n", choices->size, "Number of keys of the spec")->capture_default_str();
  of_info.add_option("--key-type", choices->key_type, "Their type")->capture_default_str();
  of_info.add_flag("--markdown", choices->markdown, "The table of structures in docs/reference/structures.md");
  add_purpose(of_info, *choices);

  auto& of_advise = add_command(app, context, choices, "advise",
                                "Look at a file of keys, and recommend an index with reasons", advise_on_keys);
  of_advise.add_option("--keys", choices->keys, "The file, as of the other subcommands")->type_name("FILE")->required();
  add_purpose(of_advise, *choices);

  auto& of_verify = add_command(app, context, choices, "verify", "Check an index file as a whole",
                                [](cli_context const& c, options const& o) { return print(c, describe_file(o)); });
  of_verify.add_option("file", choices->what, "The index file")->required();
}

}  // namespace warpdex::bench
