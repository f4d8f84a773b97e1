// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>

#include "commands.hpp"
#include "index_options.hpp"
#include "tables/escape.hpp"
#include "tables/words.hpp"
#include "tools/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace warpdex::cli {
namespace {

using json = nlohmann::ordered_json;

struct advise_options : index_options {
  std::string workload;
  std::string device;
};

/// Everything that is told, before it becomes text or JSON.
struct told {
  std::string workload;
  backend_kind backend = backend_kind::cpu;
  key_type keys = key_type::u32;
  row_type rows = row_type::u32;
  std::uint64_t entries = 0;
  std::uint64_t nulls = 0;
  std::optional<column_profile> column;  ///< none for keys of 16 bytes
  advice given;
  std::string spec;    ///< of `given`, with all choices filled in
  std::string policy;  ///< on a GPU: how large batches run without windows
};

told ask(cli_context const& context, advise_options const& options) {
  spec const wanted = workload_spec(options.workload);
  workload const w = workload_of(wanted);
  // A device that is only named need not exist here.
  told all;
  all.backend =
      options.device.empty() ? make_execution(options.backend, options.threads).memory->backend() : backend_kind::cuda;
  auto const keys = read_keys(context, options);
  all.workload = wanted.text();
  all.keys = keys.type();
  all.rows = keys.size() < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
  all.entries = keys.keys().size;
  all.nulls = keys.nulls();
  if (size_of(all.keys) > 8) {
    all.given = advise(w, all.keys, all.rows, all.entries, all.backend);
  } else {
    progress const shown(context, "looking at " + options.keys);
    all.column = profile(keys.keys(), all.rows, execution(host_memory(), {}, options.threads));
    all.given = advise(w, *all.column, all.backend);
  }
  all.spec = resolve(all.given.spec, all.keys, all.rows, all.entries, all.backend);
  if (all.backend == backend_kind::cuda) {
    std::string const device = options.device.empty() ? devices().front().name : options.device;
    all.policy = tuned_policy(all.given.spec, all.keys, all.rows, all.entries, device);
    if (all.policy.empty()) all.policy = "automatic";
  }
  return all;
}

std::string key_text(key_type type, std::uint64_t key) {
  char scratch[tables::key_text_size];
  return std::string(tables::format_key(type, &key, scratch));
}

json describe_column(column_profile const& column) {
  json out = {{"exact", column.exact},
              {"distinct_keys", column.distinct},
              {"smallest_key", nullptr},
              {"largest_key", nullptr},
              {"models", json::array()}};
  if (column.size != 0) {
    out["smallest_key"] = key_text(column.keys, column.smallest);
    out["largest_key"] = key_text(column.keys, column.largest);
  }
  for (auto const& m : column.models) {
    out["models"].push_back({{"eps", m.eps},
                             {"pgm_segments", m.pgm_segments},
                             {"pgm_levels", m.pgm_levels},
                             {"pgm_bytes", m.pgm_bytes},
                             {"spline_points", m.spline_points},
                             {"spline_cells", m.spline_cells},
                             {"spline_bytes", m.spline_bytes}});
  }
  return out;
}

json as_json(told const& all) {
  json out = {{"workload", all.workload},
              {"backend", backend_name(all.backend)},
              {"key_type", to_string(all.keys)},
              {"row_type", to_string(all.rows)},
              {"entries", all.entries},
              {"keys_null", all.nulls},
              {"column", nullptr},
              {"advised", all.given.spec},
              {"spec", all.spec},
              {"index_bytes", nullptr},
              {"pair_bytes", nullptr},
              {"auxiliary_bytes", nullptr},
              {"probes_per_second", nullptr},
              {"measured", nullptr}};
  if (all.column) out["column"] = describe_column(*all.column);
  if (auto const& memory = all.given.memory) {
    out["index_bytes"] = memory->total();
    out["pair_bytes"] = memory->pairs;
    out["auxiliary_bytes"] = memory->auxiliary;
  }
  if (auto const& rate = all.given.rate) {
    out["probes_per_second"] = rate->probes_per_second;
    out["measured"] = rate->conditions;
  }
  if (!all.policy.empty()) out["policy"] = all.policy;
  out["reasons"] = all.given.reasons;
  return out;
}

std::string describe_as_text(column_profile const& column) {
  std::string out = fmt::format("{:<16}{}{}", "column", column.exact ? "" : "about ",
                                tables::counted(column.distinct, "different key"));
  if (column.size != 0)
    out +=
        fmt::format(", from {} to {}", key_text(column.keys, column.smallest), key_text(column.keys, column.largest));
  out += fmt::format("\n\nmodels, {}\n{:>6}{:>14}{:>8}{:>14}{:>14}{:>14}{:>14}\n",
                     column.exact ? "counted" : "estimated from a sample", "eps", "PGM segments", "levels", "bytes",
                     "RS points", "cells", "bytes");
  for (auto const& m : column.models)
    out += fmt::format("{:>6}{:>14}{:>8}{:>14}{:>14}{:>14}{:>14}\n", m.eps, m.pgm_segments, m.pgm_levels, m.pgm_bytes,
                       m.spline_points, m.spline_cells, m.spline_bytes);
  return out + "\n";
}

std::string as_text(told const& all) {
  auto const line = [](char const* label, std::string const& text) { return fmt::format("{:<16}{}\n", label, text); };
  std::string out = line("workload", fmt::format("{} on {}", all.workload, backend_name(all.backend)));
  out += line("entries", fmt::format("{} {}", all.entries, to_string(all.keys)));
  if (all.nulls != 0) out += line("", tables::counted(all.nulls, "key") + " without a value left out");
  if (all.column) out += describe_as_text(*all.column);
  out += line("advised", all.given.spec);
  out += line("spec", all.spec);
  if (auto const& memory = all.given.memory)
    out += line("bytes", fmt::format("{}, of which {} beyond the pairs", memory->total(), memory->auxiliary));
  auto const& rate = all.given.rate;
  out += line("rate", rate ? fmt::format("{:.1f} million probes/s, measured: {}", rate->probes_per_second / 1e6,
                                         rate->conditions)
                           : "none was measured for such keys and batches");
  if (!all.policy.empty()) out += line("policy", all.policy);
  for (char const* label = "reasons"; auto const& reason : all.given.reasons) {
    out += line(label, reason);
    label = "";
  }
  return out;
}

int advise_on_keys(cli_context const& context, advise_options const& options) {
  told const all = ask(context, options);
  std::string const text = context.json ? json_text(as_json(all), 2) + "\n" : tables::escaped(as_text(all), "\n");
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_success;
}

}  // namespace

void add_advise(CLI::App& app, cli_context& context) {
  auto const options = std::make_shared<advise_options>();
  CLI::App* const command = app.add_subcommand("advise", "Look at a key column, and recommend an index with reasons");
  command->add_option("--keys", options->keys, "The key column")->type_name("FILE[:COLUMN]")->required();
  add_workload_option(*command, options->workload);
  add_device_option(*command, options->device);
  add_key_options(*command, *options);
  add_backend_options(*command, *options);
  command->footer(std::string(tables::source_help) + R"(
Examples:
  warpdex advise --keys orders.csv:id
  warpdex advise --keys books_200M_uint64 --workload points,order,least_memory,batch=2^20 --device 'NVIDIA H200'
)");
  command->callback(
      [&context, options] { context.action = [&context, options] { return advise_on_keys(context, *options); }; });
}

}  // namespace warpdex::cli
