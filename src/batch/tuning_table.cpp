// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "batch/tuning_table.hpp"

#include <warpdex/error.hpp>
#include <warpdex/spec.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <tuple>

#include "batch/shipped_tables.hpp"

namespace warpdex {
namespace {

using json = nlohmann::json;

/// Layouts as resolved specs write them.
constexpr std::string_view layouts[] = {"SoA", "AoS", "packed"};

/// @return the name of a structure in entries: its name and fan-out. Entries do not tell named arguments apart
std::string structure_of(spec const& s) {
  auto const* const fanout = s.argument("");
  return fanout == nullptr ? s.structure() : fmt::format("{}({})", s.structure(), fanout->value);
}

/// One object of the JSON, with its location for messages.
class reader {
 public:
  reader(json const& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw format_error(fmt::format("{}: {}, expected an object", where_, object.type_name()));
  }

  [[noreturn]] void fail(char const* field, std::string const& what) const {
    throw format_error(fmt::format("{}: {}: {}", where_, field, what));
  }

  json const& field(char const* name) const {
    auto const found = object_.find(name);
    if (found == object_.end()) fail(name, "missing");
    return *found;
  }

  std::string text(char const* name) const {
    auto const& value = field(name);
    if (!value.is_string()) fail(name, fmt::format("{} is no text", value.dump()));
    return value.get<std::string>();
  }

  int key_bits() const {
    auto const& value = field("key_bits");
    if (value != 32 && value != 64 && value != 128)
      fail("key_bits", fmt::format("{}, expected 32, 64 or 128", value.dump()));
    return value.get<int>();
  }

  /// @return the field `n`, a power of two written as 2^24
  std::uint64_t size() const {
    auto const power = text("n");
    int exponent = 0;
    bool const digits = power.starts_with("2^") && power.size() > 2 && power.size() <= 4 &&
                        std::all_of(power.begin() + 2, power.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) exponent = std::stoi(power.substr(2));
    if (!digits || exponent > 48) fail("n", fmt::format("'{}', expected a size such as 2^24, up to 2^48", power));
    return std::uint64_t{1} << exponent;
  }

 private:
  json const& object_;
  std::string where_;
};

tuning_entry read_entry(reader const& from) {
  tuning_entry entry;
  entry.layout = from.text("layout");
  if (std::find(std::begin(layouts), std::end(layouts), entry.layout) == std::end(layouts))
    from.fail("layout", fmt::format("'{}', expected {}", entry.layout, fmt::join(layouts, ", ")));
  entry.key_bits = from.key_bits();
  entry.n = from.size();
  entry.structure = from.text("structure");
  try {
    spec const structure(entry.structure);
    if (structure_of(structure) != structure.text()) from.fail("structure", "options, or arguments that have names");
  } catch (spec_error const& e) {
    from.fail("structure", e.what());
  }
  try {
    spec const s(entry.structure + from.text("policy"));
    entry.run = read_policy(s, {2, 4, 8, 16, 32});  // route.cpp checks which of these an index has
  } catch (spec_error const& e) {
    from.fail("policy", e.what());
  }
  if (entry.run.reorder == policy::reordering::window)
    from.fail("policy", "reorder=window; a table tells how batches run without windows");
  return entry;
}

tuning_table read_table(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) throw io_error(path + ": the tuning table of WARPDEX_TUNING cannot be read");
  return parse_tuning_table(text.str(), path);
}

/// @return the table that the user gives by its path. The reference stays valid, also while static objects end
tuning_table const& user_table(std::string const& path) {
  static std::mutex mutex;
  static auto& read = *new std::map<std::string, tuning_table>;
  std::lock_guard const lock(mutex);
  auto const found = read.find(path);
  return found != read.end() ? found->second : read.emplace(path, read_table(path)).first->second;
}

std::vector<tuning_table> read_shipped() {
  std::vector<tuning_table> tables;
  for (auto const text : shipped_tables()) tables.push_back(parse_tuning_table(text, "shipped tuning table"));
  return tables;
}

}  // namespace

tuning_table parse_tuning_table(std::string_view json_text, std::string const& where) {
  json root;
  try {
    root = json::parse(json_text);
  } catch (json::exception const& e) {
    throw format_error(fmt::format("{}: {}", where, e.what()));
  }
  reader const top(root, where);
  tuning_table table;
  table.device = top.text("device");
  auto const& entries = top.field("entries");
  if (!entries.is_array()) top.fail("entries", "expected a list");
  for (std::size_t i = 0; i < entries.size(); ++i)
    table.entries.push_back(read_entry(reader(entries[i], fmt::format("{}: entry {}", where, i + 1))));
  return table;
}

tuning_table const& table_for(std::string_view device) {
  if (char const* const path = std::getenv("WARPDEX_TUNING"); path != nullptr && *path != '\0') return user_table(path);
  static auto const& shipped = *new std::vector<tuning_table>(read_shipped());
  static auto const& none = *new tuning_table;
  auto const found = std::find_if(shipped.begin(), shipped.end(), [&](auto const& t) { return t.device == device; });
  return found != shipped.end() ? *found : none;
}

policy tuned(policy const& request, tuning_table const& table, spec const& resolved, int key_bits, std::uint64_t n) {
  if (request.reorder == policy::reordering::window) return request;
  auto const structure = structure_of(resolved);
  auto const* const layout = resolved.option("layout");
  tuning_entry const* best = nullptr;
  for (auto const& entry : table.entries) {
    if (entry.structure != structure || entry.key_bits != key_bits || layout == nullptr ||
        entry.layout != layout->value)
      continue;
    // Prefer the smallest size class that holds n keys; if there is none, the largest size class.
    auto const rank = [n](tuning_entry const& e) { return std::tuple(e.n < n, e.n < n ? ~e.n : e.n); };
    if (best == nullptr || rank(entry) < rank(*best)) best = &entry;
  }
  if (best == nullptr) return request;
  policy result = request;
  bool agrees = true;
  auto const fill = [&](auto& field, auto measured) {
    agrees = agrees && (field == decltype(measured){} || measured == decltype(measured){} || field == measured);
    if (field == decltype(measured){}) field = measured;
  };
  fill(result.lanes, best->run.lanes);
  fill(result.threads, best->run.threads);
  fill(result.probes, best->run.probes);
  fill(result.schedule, best->run.schedule);
  fill(result.pin, best->run.pin);
  fill(result.reorder, best->run.reorder);
  return agrees ? result : request;
}

}  // namespace warpdex
