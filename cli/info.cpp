// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "index_options.hpp"
#include "tables/escape.hpp"
#include "tools/json_text.hpp"
#include "tools/number_option.hpp"

#include <warpdex/advise.hpp>
#include <warpdex/sharded.hpp>
#include <warpdex/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace warpdex::cli {
namespace {

using json = nlohmann::ordered_json;

struct info_options : index_options {
  std::string size = "2^20";
  std::string key_type = "u64";
  std::string workload;
  std::string device;
  bool markdown = false;
  bool links = false;
};

constexpr char const* layouts[][2] = {
    {"SoA", "keys and row ids in two arrays; the default"},
    {"AoS", "pairs of key and row id, aligned"},
    {"packed", "pairs without padding: 12 bytes for a u64 key and a u32 row id"},
};

/// The spec of `--index`; words of `--workload` become arguments of `auto`.
spec given_spec(info_options const& options) {
  spec const given = index_spec(options);
  if (options.workload.empty()) return given;
  if (given.structure() != "auto" || !given.arguments().empty())
    throw usage_error("--workload says what --index auto is for; it does not go with --index " + given.text());
  return workload_spec(options.workload, given.text().substr(given.structure().size()));
}

/// The type that `index::view` takes for an index of a resolved spec: views do not depend on the keys.
std::string view_type_of(std::string const& resolved, key_type keys) {
  return index::build(spec(resolved), column(nullptr, 0, keys), execution()).view_type();
}

json describe_spec(info_options const& options) {
  spec const s = given_spec(options);
  // A device that is only named need not exist here.
  backend_kind const backend =
      options.device.empty() ? make_execution(options.backend, options.threads).memory->backend() : backend_kind::cuda;
  std::uint64_t const size = parse_number("--n", options.size, 0, std::uint64_t{1} << 63);
  auto const keys = parse_key_type(options.key_type);
  row_type const rows = size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
  std::string const resolved = resolve(s, keys, rows, size, backend);
  json out = {{"given", s.text()},
              {"entries", size},
              {"key_type", to_string(keys)},
              {"backend", backend_name(backend)},
              {"spec", resolved},
              {"view_type", view_type_of(resolved, keys)}};
  if (backend == backend_kind::cuda) {
    auto const run =
        tuned_policy(s, keys, rows, size, options.device.empty() ? devices().front().name : options.device);
    out["policy"] = run.empty() ? "automatic" : run;
  }
  if (s.structure() == "auto") out["reasons"] = advise(workload_of(s), keys, rows, size, backend).reasons;
  return out;
}

/// Describes an index file, or the folder of a sharded index.
json describe_file(cli_context const& context, info_options const& options) {
  if (!options.workload.empty() || !options.device.empty())
    throw usage_error(named_file(options) + "; --workload and --device explain specs");
  opened_index const opened = load_index(context, options);
  any_index const& x = *opened.index;
  auto const* const sharded = dynamic_cast<sharded_index const*>(&x);
  json out = {{sharded != nullptr ? "folder" : "file", options.index}, {"spec", x.spec_text()}};
  if (sharded == nullptr) out["view_type"] = in_one_piece(x, "view_type").view_type();
  out.update({{"entries", x.size()},
              {"key_type", to_string(x.key_type())},
              {"note", opened.note},
              {"row_type", to_string(x.row_type())},
              {"index_bytes", x.memory().total()},
              {"pair_bytes", x.memory().pairs},
              {"auxiliary_bytes", x.memory().auxiliary},
              {"borrowed_bytes", x.memory().borrowed},
              {"pairs_on_host", x.memory().remote}});
  if (sharded != nullptr) {
    out["placement"] = to_string(sharded->how());
    std::istringstream lines(sharded->explain());
    for (std::string line; std::getline(lines, line);) out["explain"].push_back(line);
  }
  return out;
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

/// The table of docs/reference/structures.md.
std::string as_markdown(std::vector<structure_info> const& all) {
  std::string out =
      "| structure | what it is | bytes beyond the pairs | use it when |\n"
      "|---|---|---|---|\n";
  for (auto const& s : all)
    if (!s.chooses)
      out += fmt::format("| `{}` | {} | {} | {} |\n", fmt::join(s.forms, "`, `"), s.summary, s.extra_bytes, s.use);
  return out;
}

/// The links between all pairs of devices, as measured now.
json describe_links() {
  json out = json::array();
  for (device_link const& one : measured_links())
    out.push_back({{"from", one.from},
                   {"to", one.to},
                   {"peers", one.peers},
                   {"one_way_bytes_per_s", one.one_way},
                   {"both_ways_bytes_per_s", one.both_ways},
                   {"through_host_bytes_per_s", one.through_host}});
  return out;
}

json describe_library() {
  json out = {{"version", warpdex::version()}};
  for (structure_info const& s : structures()) out["structures"].push_back(describe_structure(s));
  for (auto const& [name, summary] : layouts) out["layouts"].push_back({{"name", name}, {"summary", summary}});
  for (key_type const type : key_types) out["key_types"].push_back(to_string(type));
  out["row_types"] = {to_string(row_type::u32), to_string(row_type::u64)};
  out["backends"] = {{"cpu", true}, {"cuda", !devices().empty()}};
  out["built_with_cuda"] = built_with_cuda();
  out["cpu_threads"] = std::thread::hardware_concurrency();
  out["devices"] = json::array();
  for (device_info const& d : devices()) {
    out["devices"].push_back({{"ordinal", d.ordinal},
                              {"name", d.name},
                              {"compute_capability", d.compute_capability},
                              {"multiprocessors", d.multiprocessors},
                              {"memory_bytes", d.memory_bytes},
                              {"l2_bytes", d.l2_bytes}});
  }
  return out;
}

std::string joined(json const& words) {
  std::string out;
  for (auto const& word : words) out += (out.empty() ? "" : " ") + word.get<std::string>();
  return out;
}

std::string as_text(json const& library) {
  std::string out = fmt::format("warpdex {}\n\nstructures\n", library["version"].get<std::string>());
  for (auto const& s : library["structures"]) {
    auto const text = [&](char const* field) { return s[field].get<std::string>(); };
    out += fmt::format("  {}{}\n      {}; bytes beyond the pairs: {}\n      use it when {}\n      {}\n", text("name"),
                       text("arguments"), text("summary"), text("extra_bytes"), text("use"), text("source"));
  }
  out += "\nlayouts (option /layout=)\n";
  for (auto const& l : library["layouts"]) {
    out += fmt::format("  {:<8}{}\n", l["name"].get<std::string>(), l["summary"].get<std::string>());
  }
  out += fmt::format("\nkey types   {}\nrow types   {} (option /rows=)\n", joined(library["key_types"]),
                     joined(library["row_types"]));
  out += fmt::format("backends    cpu, {} threads\n", library["cpu_threads"].get<unsigned>());
  if (library["devices"].empty()) {
    out += library["built_with_cuda"].get<bool>() ? "            cuda: no usable device\n"
                                                  : "            cuda is not part of this build\n";
  }
  for (auto const& d : library["devices"]) {
    out += fmt::format(
        "            cuda, device {}: {}, compute capability {}, {} multiprocessors, {:.1f} GiB, L2 {:.1f} MiB\n",
        d["ordinal"].get<int>(), d["name"].get<std::string>(), d["compute_capability"].get<std::string>(),
        d["multiprocessors"].get<int>(), d["memory_bytes"].get<double>() / (1 << 30),
        d["l2_bytes"].get<double>() / (1 << 20));
  }
  return out;
}

std::string links_as_text(json const& links) {
  if (links.empty()) return "there are no two devices\n";
  std::string out;
  for (auto const& one : links) {
    auto const rate = [&](char const* name) { return one[name].get<double>() / 1e9; };
    out +=
        fmt::format("device {} to {}: {}, {:.1f} GB/s one way, {:.1f} GB/s both ways, {:.1f} GB/s through the host\n",
                    one["from"].get<int>(), one["to"].get<int>(), one["peers"].get<bool>() ? "peers" : "no peers",
                    rate("one_way_bytes_per_s"), rate("both_ways_bytes_per_s"), rate("through_host_bytes_per_s"));
  }
  return out;
}

int info(cli_context const& context, info_options const& options) {
  if (options.markdown) {
    auto const table = as_markdown(structures());
    std::fwrite(table.data(), 1, table.size(), stdout);
    return exit_success;
  }
  json const described = options.links           ? describe_links()
                         : options.index.empty() ? describe_library()
                         : names_file(options)   ? describe_file(context, options)
                                                 : describe_spec(options);
  std::string text;
  if (context.json) {
    text = json_text(described, 2) + "\n";
  } else if (options.links) {
    text = links_as_text(described);
  } else if (options.index.empty()) {
    text = as_text(described);
  } else {
    for (auto const& [name, value] : described.items()) {
      for (std::string_view label = name; auto const& line : value.is_array() ? value : json::array({value})) {
        text += fmt::format("{:<16}{}\n", label, line.is_string() ? line.get<std::string>() : json_text(line));
        label = "";
      }
    }
  }
  if (!context.json) text = tables::escaped(text, "\n");
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_success;
}

}  // namespace

void add_info(CLI::App& app, cli_context& context) {
  auto const options = std::make_shared<info_options>();
  CLI::App* const command =
      app.add_subcommand("info", "Show structures, layouts, types, devices; explain a spec or index");
  auto* const index =
      command->add_option("--index", options->index, "A spec to resolve, or an index file or folder to describe")
          ->type_name("SPEC|FILE|FOLDER");
  command->add_option("--n", options->size, "Number of keys that the spec is resolved for, such as 1000000, 1M or 2^20")
      ->capture_default_str()
      ->needs(index);
  command->add_option("--key-type", options->key_type, "Key type that the spec is resolved for")
      ->check(CLI::IsMember(key_type_names()))
      ->capture_default_str();
  add_workload_option(*command, options->workload)->needs(index);
  add_device_option(*command, options->device)->needs(index);
  command->add_flag("--markdown", options->markdown, "The table of structures in docs/reference/structures.md")
      ->excludes(index);
  command
      ->add_flag("--devices", options->links,
                 "Measure the links between all pairs of devices: GB/s one way, both ways, and through the host")
      ->excludes(index);
  add_backend_options(*command, *options);
  command->footer(R"(Examples:
  warpdex info
  warpdex info --devices
  warpdex info --json
  warpdex info --index 'AO+PB+KS(9)' --n 2^28 --key-type u32
  warpdex info --index auto --workload points,ranges --n 2^28 --key-type u32
  warpdex info --index orders.wdx
)");
  command->callback([&context, options] { context.action = [&context, options] { return info(context, *options); }; });
}

}  // namespace warpdex::cli
