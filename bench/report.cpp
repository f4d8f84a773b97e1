// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include "bench/gpu.hpp"
#include "cli/json_text.hpp"

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

namespace warpdex::bench {
namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (auto const colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

void print(std::string const& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw io_error("standard output: cannot write: " + std::generic_category().message(errno));
}

/// Three significant digits with a unit of a thousand's power.
std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 5> prefixes = {"", "K", "M", "G", "T"};
  std::size_t p = 0;
  for (; value >= 999.5 && p + 1 < prefixes.size(); ++p) value /= 1000;
  int const digits = value >= 99.95 || value == 0 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", value, digits, prefixes[p], unit);
}

std::string time_text(double seconds) {
  if (seconds >= 0.9995) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 0.9995e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} us", seconds * 1e6);
}

/// The text of a field in the table.
struct table_column {
  char const* title;
  char const* field;
  std::string (*text)(record const& value);
};

std::string as_time(record const& v) { return time_text(v.get<double>()); }
std::string as_bytes(record const& v) { return scaled(v.get<double>(), "B"); }
std::string as_rate(record const& v) { return scaled(v.get<double>(), "/s"); }
std::string as_plain(record const& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }
std::string as_ratio(record const& v) { return fmt::format("{:.2f}", v.get<double>()); }
std::string as_small(record const& v) { return fmt::format("{:.3g}", v.get<double>()); }

constexpr table_column columns[] = {
    {"", "name", as_plain},
    {"series", "series", as_plain},
    {"x", "x", as_plain},
    {"threads", "threads", as_plain},
    {"wave", "wave", as_plain},
    {"change", "change", as_plain},
    {"size", "size", as_plain},
    {"build", "build_s", as_time},
    {"prepare", "build_prepare_s", as_time},
    {"sort", "build_sort_s", as_time},
    {"layout", "build_layout_s", as_time},
    {"median", "median_s", as_time},
    {"min", "min_s", as_time},
    {"max", "max_s", as_time},
    {"rate", "rate", as_rate},
    {"rebuild", "rebuild_s", as_time},
    {"speedup", "speedup", as_ratio},
    {"lookups", "lookup_rate", as_rate},
    {"pairs", "pair_rate", as_rate},
    {"bytes", "index_bytes", as_bytes},
    {"scratch", "scratch_bytes", as_bytes},
    {"rate/byte", "rate_per_byte", as_small},
    {"time/sort", "time_to_sort", as_ratio},
    {"link", "link_share", as_ratio},
    {"two-way", "two_way_link_share", as_ratio},
    {"predicted", "predicted_s", as_time},
};

using row = std::vector<std::string>;

std::string aligned(std::vector<row> const& rows) {
  std::vector<std::size_t> widths;
  for (auto const& r : rows) {
    widths.resize(std::max(widths.size(), r.size()));
    for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], r[i].size());
  }
  std::string text;
  for (auto const& r : rows) {
    std::string line = fmt::format("{:<{}}", r[0], widths[0]);
    for (std::size_t i = 1; i < r.size(); ++i)
      if (widths[i] > 0) line += fmt::format("  {:>{}}", r[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// Whether lines of indexes have a ratio to it.
bool is_compared(baseline const& b) { return !b.limit || b.compared; }

/// Ratios of a line to the baselines of its own number of threads, or of the GPU.
std::string ratio_text(record const& line, std::string const& name) {
  if (!line.contains("ratios")) return {};
  auto const& ratios = line["ratios"];
  for (auto const& key : {fmt::format("{}@{}", name, line["threads"].dump()), name, name + "@1"})
    if (ratios.contains(key)) return fmt::format("{:.2f}x", ratios[key].get<double>());
  return {};
}

}  // namespace

double rate_of(std::uint64_t work, double time) noexcept { return time > 0 ? static_cast<double>(work) / time : 0; }

record shared_fields(config const& c, execution const& exec, key_type type, std::uint64_t n) {
  record fields;
  fields["version"] = WARPDEX_VERSION;
  fields["cpu"] = cpu_name();
  fields["cores"] = std::thread::hardware_concurrency();
  auto const gpus = devices();
  bool const on_gpu = exec.memory->backend() == backend_kind::cuda;
  fields["gpu"] = on_gpu && !gpus.empty() ? record(gpus.front().name) : record(nullptr);
  fields["cuda"] = built_with_cuda() ? record(gpu::version()) : record(nullptr);
  fields["backend"] = backend_name(exec.memory->backend());
  fields["keys"] = c.keys;
  fields["uniformity"] = c.uniformity ? record(*c.uniformity) : record(nullptr);
  fields["key_type"] = to_string(type);
  fields["n"] = n;
  fields["seed"] = c.seed;
  fields["repeat"] = c.repeat;
  return fields;
}

record point_fields(config const& c) {
  record fields;
  fields["op"] = to_string(c.point);
  fields["copies"] = c.copies;
  fields["probes"] = c.probes;
  fields["hit_rate"] = c.hit_rate;
  fields["miss"] = c.miss_inside ? "in" : "out";
  fields["zipf"] = c.zipf;
  fields["sorted"] = c.sorted;
  fields["place"] = to_string(c.place);
  return fields;
}

record update_fields(config const& c) { return {{"probes", c.probes}, {"waves", c.waves}, {"batch", c.batch}}; }

record build_fields(config const& c) { return {{"place", to_string(c.place)}}; }

record range_fields(config const& c) {
  record fields;
  fields["op"] = to_string(c.range);
  fields["probes"] = c.probes;
  fields["hits"] = c.hits;
  fields["sorted"] = c.sorted;
  return fields;
}

record join_fields(config const& c) {
  record fields;
  fields["op"] = to_string(c.join);
  fields["direction"] = c.join == join_op::asof ? record(to_string(c.direction)) : record(nullptr);
  fields["probes"] = c.probes;
  fields["hits"] = c.hits;
  fields["hit_rate"] = c.hit_rate;
  fields["zipf"] = c.zipf;
  fields["right"] = to_string(c.right);
  fields["place"] = to_string(c.place);
  fields["batch_pairs"] = c.batch_pairs;
  fields["part_probes"] = c.part_probes;
  return fields;
}

void put_time(record& line, seconds const& time) {
  line["median_s"] = time.median;
  line["min_s"] = time.min;
  line["max_s"] = time.max;
}

report::report(cli_context const& context, std::string bench, record shared, std::function<void(record&)> complete)
    : json_(context.json), complete_(std::move(complete)) {
  shared_["bench"] = std::move(bench);
  shared_.update(shared);
}

void report::add(baseline const& b) {
  record line;
  line["kind"] = b.limit ? "limit" : "baseline";
  line["name"] = b.name;
  line["threads"] = b.threads > 0 ? record(b.threads) : record(nullptr);
  if (b.build_seconds > 0) line["build_s"] = b.build_seconds;
  put_time(line, b.time);
  line["work"] = b.work;
  double const rate = rate_of(b.work, b.time.median);
  line["rate"] = rate;
  if (b.bytes > 0) {
    line["index_bytes"] = b.bytes;
    if (!b.limit) line["rate_per_byte"] = rate / static_cast<double>(b.bytes);
  }
  baselines_.push_back(b);
  emit(std::move(line));
}

void report::add_index(record fields, double rate) {
  record line;
  line["kind"] = "index";
  line.update(fields);
  record ratios = record::object();
  for (auto const& b : baselines_) {
    double const other = rate_of(b.work, b.time.median);
    if (!is_compared(b) || other <= 0) continue;
    ratios[b.threads > 0 ? fmt::format("{}@{}", b.name, b.threads) : b.name] = rate / other;
  }
  line["ratios"] = std::move(ratios);
  emit(std::move(line));
}

void report::emit(record line) {
  if (complete_) complete_(line);
  if (!json_) {
    lines_.push_back(std::move(line));
    return;
  }
  record whole;
  whole["kind"] = line["kind"];
  whole["name"] = line["name"];
  whole.update(shared_);
  whole.update(line);
  print(json_text(whole) + "\n");
}

void report::finish() {
  if (json_) return;
  std::string head;
  for (auto const& [name, value] : shared_.items())
    if (!value.is_null()) head += fmt::format("{}{} {}", head.empty() ? "" : ", ", name, as_plain(value));

  std::vector<std::string> names;
  for (auto const& b : baselines_)
    if (is_compared(b) && std::find(names.begin(), names.end(), b.name) == names.end()) names.push_back(b.name);

  std::vector<row> rows(1);
  for (auto const& c : columns) rows[0].push_back(c.title);
  for (auto const& name : names) rows[0].push_back("x " + name);
  for (auto const& line : lines_) {
    row r;
    for (auto const& c : columns)
      r.push_back(line.contains(c.field) && !line[c.field].is_null() ? c.text(line[c.field]) : "");
    for (auto const& name : names) r.push_back(ratio_text(line, name));
    rows.push_back(std::move(r));
  }
  // Empty columns are left out.
  for (std::size_t i = 0; i < rows[0].size(); ++i)
    if (std::all_of(rows.begin() + 1, rows.end(), [&](row const& r) { return r[i].empty(); })) rows[0][i].clear();
  print(head + "\n\n" + aligned(rows));
}

}  // namespace warpdex::bench
