// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "json_text.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace warpdex::cli {
namespace {

double rate(std::uint64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

nlohmann::ordered_json as_json(opened_index const& opened, work_done const& done, bool has_lookups) {
  index const& x = opened.index;
  memory_usage const memory = x.memory();
  nlohmann::ordered_json line = {
      {"command", done.command},
      {"spec", x.spec_text()},
      {"backend", backend_name(x.backend())},
      {"key_type", to_string(x.key_type())},
      {"row_type", to_string(x.row_type())},
      {"entries", x.size()},
      {"index_bytes", memory.total()},
      {"pair_bytes", memory.pairs},
      {"auxiliary_bytes", memory.auxiliary},
  };
  if (opened.loaded) {
    line["load_seconds"] = opened.build_seconds;
  } else {
    line["key_read_seconds"] = opened.read_seconds;
    line["build_seconds"] = opened.build_seconds;
    line["sort_seconds"] = x.times().sort;
    line["layout_seconds"] = x.times().layout;
    line["keys_null"] = opened.nulls;
  }
  if (has_lookups) {
    line["probes"] = done.probes;
    line["matches"] = done.matches;
    line["probes_not_keys"] = done.not_keys;
    line["probes_null"] = done.nulls;
    line["probe_read_seconds"] = done.probe_read_seconds;
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
  line["total_seconds"] = done.total_seconds;
  line["output"] = done.output.empty() ? "-" : done.output;
  return line;
}

std::string as_text(opened_index const& opened, work_done const& done, bool has_lookups) {
  index const& x = opened.index;
  std::string text = fmt::format("index: {} on {}, {} {} keys, {} bytes, {} in {:.3f} s\n", x.spec_text(),
                                 backend_name(x.backend()), x.size(), to_string(x.key_type()), x.memory().total(),
                                 opened.loaded ? "loaded" : "built", opened.build_seconds);
  if (has_lookups) {
    text += fmt::format("{}: {} probes, {} matches, looked up in {:.3f} s ({:.2f} million probes/s)\n", done.command,
                        done.probes, done.matches, done.lookup_seconds, rate(done.probes, done.lookup_seconds) / 1e6);
  }
  if (done.changes) {
    text += fmt::format("{}: {} entries inserted, {} erased, {} keys cancelled in {:.3f} s\n", done.command,
                        done.changes->inserted, done.changes->erased, done.changes->cancelled, done.update_seconds);
  }
  if (opened.nulls != 0) text += fmt::format("keys left out because they are null: {}\n", opened.nulls);
  char const* const asked = done.changes ? "keys" : "probes";
  if (done.not_keys != 0)
    text += fmt::format("{} that are no keys of type {}: {}\n", asked, to_string(x.key_type()), done.not_keys);
  if (done.nulls != 0) text += fmt::format("{} that are null: {}\n", asked, done.nulls);
  return text + fmt::format("total: {:.3f} s with reading and writing{}{}\n", done.total_seconds,
                            done.output.empty() ? "" : ", results in ", done.output);
}

}  // namespace

void print_summary(cli_context const& context, opened_index const& opened, work_done const& done, bool has_lookups) {
  if (context.quiet) return;
  std::string const text =
      context.json ? json_text(as_json(opened, done, has_lookups)) + "\n" : as_text(opened, done, has_lookups);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace warpdex::cli
