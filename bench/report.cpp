// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include "bench/gpu.hpp"
#include "bench/json_text.hpp"
#include "bench/options.hpp"

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <utility>

namespace warpdex::bench {
namespace {

/// @return the name of the first processor; on aarch64, whose kernel knows none, the numbers of its maker and its part
std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  std::string maker, part;
  for (std::string line; part.empty() && std::getline(in, line);) {
    auto const colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) maker = value;
    if (line.starts_with("CPU part")) part = value;
  }
  return part.empty() ? "unknown" : "implementer " + maker + ", part " + part;
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

/// The text of a field.
struct shown_field {
  char const* title;
  char const* field;
  std::string (*text)(record const& value);
};

std::string as_time(record const& v) { return time_text(v.get<double>()); }
std::string as_bytes(record const& v) { return scaled(v.get<double>(), "B"); }
std::string as_rate(record const& v) { return scaled(v.get<double>(), "/s"); }
std::string as_byte_rate(record const& v) { return scaled(v.get<double>(), "B/s"); }
std::string as_plain(record const& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }
std::string as_ratio(record const& v) { return fmt::format("{:.2f}", v.get<double>()); }
std::string as_small(record const& v) { return fmt::format("{:.3g}", v.get<double>()); }

/// What a line is of, and what was measured.
constexpr shown_field of_line[] = {
    {"threads", "threads", as_plain}, {"placement", "placement", as_plain},
    {"devices", "devices", as_plain}, {"probes on", "probes_on", as_plain},
    {"wave", "wave", as_plain},       {"change", "change", as_plain},
    {"size", "size", as_plain},       {"slowest link", "slowest_link", as_byte_rate},
};
constexpr shown_field of_measurement[] = {
    {"rate", "rate", as_rate},
    {"median", "median_s", as_time},
    {"min", "min_s", as_time},
    {"max", "max_s", as_time},
    {"build", "build_s", as_time},
    {"prepare", "build_prepare_s", as_time},
    {"sort", "build_sort_s", as_time},
    {"layout", "build_layout_s", as_time},
    {"move", "build_move_s", as_time},
    {"rebuild", "rebuild_s", as_time},
    {"fit", "fit_s", as_time},
    {"tested", "tested", as_small},
    {"speedup", "speedup", as_ratio},
    {"lookups", "lookup_rate", as_rate},
    {"pairs", "pair_rate", as_rate},
    {"moved", "byte_rate", as_byte_rate},
    {"bytes", "index_bytes", as_bytes},
    {"scratch", "scratch_bytes", as_bytes},
    {"rate/byte", "rate_per_byte", as_small},
    {"time/sort", "time_to_sort", as_ratio},
    {"link", "link_share", as_ratio},
    {"two-way", "two_way_link_share", as_ratio},
    {"predicted", "predicted_s", as_time},
};

constexpr std::size_t line_width = 100;
constexpr std::size_t cell_width = 24;

/// Puts cells after each other, into lines of at most `line_width` characters where they can be parted.
/// @param first what comes before the first cell @param indent what comes before each further line
/// @param width cells take a multiple of it
std::string in_lines(std::string first, std::vector<std::string> const& cells, std::string const& indent,
                     std::size_t width) {
  std::string text;
  std::string line = std::move(first);
  std::size_t filled = line.size();  // without the blanks after the last cell
  bool any = false;
  for (std::string const& cell : cells) {
    if (any && line.size() + cell.size() > line_width) {
      text += line.substr(0, filled) + "\n";
      line = indent;
    }
    any = true;
    line += cell;
    filled = line.size();
    line.append((width - (cell.size() + 1) % width) % width + 1, ' ');
  }
  return text + line.substr(0, filled) + "\n";
}

/// @return texts of the fields that a line has, with their titles
template <std::size_t N> std::vector<std::string> cells_of(shown_field const (&fields)[N], record const& line) {
  std::vector<std::string> cells;
  for (auto const& f : fields)
    if (line.contains(f.field) && !line[f.field].is_null())
      cells.push_back(fmt::format("{} {}", f.title, f.text(line[f.field])));
  return cells;
}

/// Whether lines of indexes have a ratio to it.
bool is_compared(baseline const& b) { return !b.limit || b.compared; }

/// @return the ratio of a line to the baseline with the same number of threads, or with one thread, or on the GPU; or
/// nothing
std::string ratio_text(record const& line, std::string const& name) {
  if (!line.contains("ratios")) return {};
  auto const& ratios = line["ratios"];
  for (auto const& key : {fmt::format("{}@{}", name, line["threads"].dump()), name, name + "@1"})
    if (ratios.contains(key)) return fmt::format("{:.2f} x {}", ratios[key].get<double>(), name);
  return {};
}

}  // namespace

double rate_of(std::uint64_t work, double time) noexcept { return time > 0 ? static_cast<double>(work) / time : 0; }

record shared_fields(config const& c, execution const& exec, key_type type, std::uint64_t n) {
  record fields;
  fields["version"] = warpdex::version();
  fields["cpu"] = cpu_name();
  fields["cores"] = usable_cores();
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
  fields["op"] = !c.singular ? c.what->name : c.what == &lookups::ancestors ? "singular_ancestors" : "singular";
  fields["copies"] = c.copies;
  fields["probes"] = c.probes;
  if (!c.probe_file.empty()) fields["probe_file"] = c.probe_file;
  fields["hit_rate"] = c.probe_file.empty() ? record(c.hit_rate) : record(nullptr);
  fields["miss"] = c.miss_inside ? "in" : "out";
  fields["zipf"] = c.zipf;
  fields["order"] = to_string(c.order);
  fields["place"] = to_string(c.place);
  return fields;
}

record update_fields(config const& c) {
  return {{"probes", c.probes}, {"waves", c.waves}, {"batch", c.batch}, {"assign", c.assigns}};
}

record build_fields(config const& c) { return {{"place", to_string(c.place)}, {"move", c.moves}}; }

record range_fields(config const& c) {
  record fields;
  fields["op"] = c.what->name;
  fields["probes"] = c.probes;
  fields["hits"] = c.length == 0 ? record(c.hits) : record(nullptr);
  fields["length"] = c.length != 0 ? record(c.length) : record(nullptr);
  fields["order"] = to_string(c.order);
  return fields;
}

record join_fields(config const& c) {
  record fields;
  fields["op"] = to_string(c.join);
  bool const asof = c.join == join_op::asof;
  fields["strategy"] = asof ? record(to_string(c.asof.strategy)) : record(nullptr);
  fields["allow_exact_matches"] = asof ? record(c.asof.allow_exact_matches) : record(nullptr);
  fields["tolerance"] = c.asof.tolerance ? record(std::get<std::int64_t>(*c.asof.tolerance)) : record(nullptr);
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

report::report(bench_context const& context, std::string bench, record const& shared)
    : json_(context.json), earlier_(context.earlier.get()) {
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
  record whole;
  whole["kind"] = line["kind"];
  whole["name"] = line["name"];
  whole.update(shared_);
  whole.update(line);
  if (earlier_ != nullptr && line["kind"] == "index") earlier_->compare(whole, shared_);
  if (!json_) return print_lines(whole);
  print(json_text(whole) + "\n");
}

void report::print_lines(record const& line) {
  if (!std::exchange(has_head_, true)) {
    std::vector<std::string> head;
    for (auto const& [name, value] : shared_.items())
      if (!value.is_null()) head.push_back(fmt::format("{} {},", name, as_plain(value)));
    head.back().pop_back();
    print(in_lines({}, head, {}, 1) + "\n");
  }
  std::vector<std::string> names;
  for (auto const& b : baselines_)
    if (is_compared(b) && std::find(names.begin(), names.end(), b.name) == names.end()) names.push_back(b.name);
  auto cells = cells_of(of_measurement, line);
  for (auto const& name : names)
    if (auto const text = ratio_text(line, name); !text.empty()) cells.push_back(text);
  if (line.contains("against") && line["against"].contains("rate"))
    cells.push_back(fmt::format("{:.2f} x earlier", line["against"]["rate"].get<double>()));
  print(in_lines(as_plain(line["name"]) + "  ", cells_of(of_line, line), "  ", cell_width) +
        in_lines("  ", cells, "  ", cell_width));
}

std::string report::label(std::string const& name, std::size_t steps) {
  std::size_t const done = started_++;
  if (done == 0) since_first_.start();
  if (done == 0 || done >= steps) return name;
  double const left = since_first_.stop() / static_cast<double>(done) * static_cast<double>(steps - done);
  return fmt::format("{} ({} of {}, about {:.0f} s left)", name, done + 1, steps, left);
}

}  // namespace warpdex::bench
