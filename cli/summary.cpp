// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "tables/escape.hpp"
#include "tables/words.hpp"
#include "tools/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace warpdex::cli {
namespace {

double rate(std::uint64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

nlohmann::ordered_json as_json(index_facts const& facts, work_done const& done, bool has_lookups) {
  nlohmann::ordered_json line = {
      {"command", done.command},
      {"spec", facts.spec},
      {"backend", backend_name(facts.backend)},
      {"key_type", to_string(facts.key_type)},
      {"row_type", to_string(facts.row_type)},
      {"entries", facts.entries},
  };
  if (!facts.key.empty()) line["key"] = facts.key;
  if (facts.shards != 0) {
    line["placement"] = facts.placement;
    line["shards"] = facts.shards;
  }
  if (facts.memory) {
    line["index_bytes"] = facts.memory->total();
    line["pair_bytes"] = facts.memory->pairs;
    line["auxiliary_bytes"] = facts.memory->auxiliary;
  }
  if (facts.loaded) {
    line["load_seconds"] = facts.build_seconds;
  } else {
    line["key_read_seconds"] = facts.read_seconds;
    line["build_seconds"] = facts.build_seconds;
    if (facts.times) {
      line["sort_seconds"] = facts.times->sort;
      line["layout_seconds"] = facts.times->layout;
    }
    line["keys_null"] = facts.nulls;
  }
  if (!done.how.empty()) line["how"] = done.how;
  if (has_lookups) {
    line["probes"] = done.probes;
    line[done.how.empty() ? "matches" : "lines"] = done.matches;
    line["probes_not_keys"] = done.not_keys;
    line["probes_null"] = done.nulls;
    line["probe_read_seconds"] = done.probe_read_seconds;
    line["source_read_seconds"] = done.source_read_seconds;
    line["lookup_seconds"] = done.lookup_seconds;
    line["probes_per_second"] = rate(done.probes, done.lookup_seconds);
  }
  if (done.changes) {
    line["inserted"] = done.changes->inserted;
    line["erased"] = done.changes->erased;
    line["cancelled_keys"] = done.changes->cancelled;
    line["erase_not_keys"] = done.not_keys;
    line["keys_null"] = done.nulls;
    line["key_read_seconds"] = done.probe_read_seconds;
    line["update_seconds"] = done.update_seconds;
  }
  line["write_seconds"] = done.write_seconds;
  line["total_seconds"] = done.total_seconds;
  line["output"] = done.output.empty() ? "-" : done.output;
  return line;
}

std::string as_text(index_facts const& facts, work_done const& done, bool has_lookups) {
  std::string const size = facts.memory ? fmt::format(", {} bytes", facts.memory->total()) : "";
  std::string const shards =
      facts.shards == 0 ? "" : fmt::format(", {} over {}", facts.placement, tables::counted(facts.shards, "shard"));
  auto const entries = done.changes ? done.entries_before : facts.entries;  // of an update, those that were loaded
  std::string text = fmt::format("index: {} on {}{}, {}{}, {} in {:.3f} s\n", facts.spec, backend_name(facts.backend),
                                 shards, tables::counted(entries, std::string(to_string(facts.key_type)) + " key"),
                                 done.changes ? "" : size, facts.loaded ? "loaded" : "built", facts.build_seconds);
  if (!facts.key.empty()) text += fmt::format("key: {}\n", facts.key);
  if (has_lookups) {
    bool const joins = !done.how.empty();
    text += fmt::format("{}: {}, {}, looked up in {:.3f} s ({:.2f} million {}s/s)\n",
                        joins ? done.how + " join" : done.command, tables::counted(done.probes, done.noun),
                        joins ? tables::counted(done.matches, "line")
                              : fmt::format("{} {}", done.matches, done.matches == 1 ? "match" : "matches"),
                        done.lookup_seconds, rate(done.probes, done.lookup_seconds) / 1e6, done.noun);
  }
  if (done.changes) {
    text += fmt::format("{}: {} inserted, {} erased, {} cancelled in {:.3f} s; now {}{}\n", done.command,
                        tables::counted(done.changes->inserted, "key"), done.changes->erased, done.changes->cancelled,
                        done.update_seconds, tables::counted(facts.entries, "key"), size);
  }
  if (facts.nulls != 0) text += fmt::format("keys left out because they are null: {}\n", facts.nulls);
  char const* const asked = done.changes ? "keys" : "probes";
  if (done.not_keys != 0)
    text += fmt::format("{} that are no keys of type {}: {}\n", asked, to_string(facts.key_type), done.not_keys);
  if (done.nulls != 0) text += fmt::format("{} that are null: {}\n", asked, done.nulls);
  return text + fmt::format("total: {:.3f} s with reading and writing{}{}\n", done.total_seconds,
                            done.output.empty() ? "" : ", results in ", done.output);
}

}  // namespace

index_facts::index_facts(opened_index const& opened)
    : spec(opened.index->spec_text()), key(tables::to_text(opened.fields)), key_type(opened.index->key_type()),
      row_type(opened.index->row_type()), entries(opened.index->size()), memory(opened.index->memory()),
      loaded(opened.loaded), read_seconds(opened.read_seconds), build_seconds(opened.build_seconds),
      nulls(opened.nulls) {
  if (auto const* const sharded = dynamic_cast<sharded_index const*>(opened.index.get())) {
    auto const parts = sharded->shards();
    bool const on_devices = std::any_of(parts.begin(), parts.end(), [](auto const& one) { return one.device >= 0; });
    backend = on_devices ? backend_kind::cuda : backend_kind::cpu;
    placement = to_string(sharded->how());
    shards = parts.size();
  } else {
    index const& whole = in_one_piece(*opened.index, "summary");
    backend = whole.backend();
    times = whole.times();
  }
}

void print_summary(cli_context const& context, index_facts const& facts, work_done const& done, bool has_lookups) {
  if (context.quiet) return;
  std::string const text = context.json ? json_text(as_json(facts, done, has_lookups)) + "\n"
                                        : tables::escaped(as_text(facts, done, has_lookups), "\n");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace warpdex::cli
