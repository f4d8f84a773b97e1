// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Random calls of the C interface: null and odd pointers, sizes, types and enumerations, arrays that overlap, sinks
/// that end their join or update its index, and damaged files. A pointer that is not null leads to as many bytes as the
/// call may read. Whatever comes in, a call returns a code that its text agrees with, never that of a fault of the
/// library; and one that fails leaves its results and its index as they were.
#include "attack/campaign.hpp"
#include "conformance/shapes.hpp"

#include <warpdex/warpdex.h>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using warpdex::attack::tally;
using warpdex::test::below;
using warpdex::test::generator;
using warpdex::test::pick;

constexpr std::size_t most_values = 40;
constexpr std::size_t arena_bytes = 64 * most_values;

template <class Struct> Struct zeros() {
  Struct result;
  std::memset(&result, 0, sizeof result);
  return result;
}

template <class Struct> bool same(Struct const& left, Struct const& other) {
  return std::memcmp(&left, &other, sizeof left) == 0;
}

/// Calls with random arguments, and an index that lives through them.
class caller {
 public:
  caller(generator& random, tally& tried) : random_(random), tried_(tried), read_(arena_bytes), written_(arena_bytes) {
    for (auto& byte : read_) byte = static_cast<std::uint8_t>(below(random_, 3) == 0 ? random_() : below(random_, 4));
  }
  caller(caller const&) = delete;
  ~caller() { warpdex_free(index_); }

  void run() {
    while (index_ == nullptr) build();
    for (int i = 0; i < 60; ++i) {
      auto const before = facts();
      bool const failed = one_call();
      if (failed && index_ != nullptr && before.size != facts().size)
        throw std::runtime_error("a call that failed has changed its index");
    }
  }

 private:
  using method = bool (caller::*)();

  bool rare() { return below(random_, 50) == 0; }

  /// An enumeration: mostly one of `count` values.
  std::int32_t choice(std::int32_t count) {
    std::int32_t const odd[] = {-1, count, 64, 1 << 30, -(1 << 30) * 2};
    return rare() ? odd[below(random_, std::size(odd))]
                  : static_cast<std::int32_t>(below(random_, static_cast<std::uint64_t>(count)));
  }

  /// Bytes to read: of an array that calls write at times, or at an odd address, or nowhere.
  std::uint8_t const* bytes() {
    if (rare()) return nullptr;
    std::size_t const at = rare() ? 1 + below(random_, 15) : 16 * below(random_, 4);
    return (rare() ? written_.data() : read_.data()) + at;
  }

  /// @param likely the type that the call wants
  warpdex_column values(std::int32_t likely) {
    auto result = zeros<warpdex_column>();
    result.data = bytes();
    result.size = result.data == nullptr && rare() ? random_() : below(random_, most_values);
    result.type = below(random_, 8) == 0 ? choice(10) : likely;
    if (result.type == WARPDEX_BYTES && !rare()) strings(result);
    if (below(random_, 10) == 0) {
      result.validity = read_.data() + below(random_, 9);
      result.validity_offset = below(random_, 20);
    }
    result.reserved = rare() && rare();
    return result;
  }

  void strings(warpdex_column& column) {
    column.bytes = 60;
    column.offset_bytes = pick(random_, std::vector<std::uint32_t>{4, 8, 8, 0, 3});
    if (column.offset_bytes == 0) column.stride = static_cast<std::uint32_t>(below(random_, 3));
    offsets_.assign(2 * (most_values + 1), 0);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i <= most_values; ++i) {
      at = rare() ? below(random_, 70) : std::min<std::uint64_t>(at + below(random_, 3), column.bytes);
      if (column.offset_bytes == 4) offsets_[i] = static_cast<std::uint32_t>(at);
      else std::memcpy(&offsets_[2 * i], &at, sizeof at);
    }
    all_offsets_.push_back(offsets_);
    column.offsets = rare() ? nullptr : all_offsets_.back().data();
  }

  warpdex_execution const* place() {
    exec_ = zeros<warpdex_execution>();
    exec_.backend = rare() ? choice(2) : WARPDEX_CPU;
    exec_.device = rare() ? choice(2) : 0;
    exec_.threads = rare() ? choice(9) : 1;
    exec_.reserved = rare() && rare();
    return below(random_, 3) == 0 ? nullptr : &exec_;
  }

  char const* word(std::vector<char const*> const& words) { return rare() ? nullptr : pick(random_, words); }

  char const* spec() {
    return word({"auto", "AO+BS", "B+(16)", "HT(open)", "EO+KS(9)", "GRT", "AO+PB", "HT(buckets)", "B+(", "", "auto(x)",
                 "AO+BS/rows=u64", "AO+BS/layout=AoS"});
  }

  /// Checks what a call returned. @return whether it failed
  bool failed(std::int32_t code, char const* call) {
    ++tried_[fmt::format("calls of {}, {}", call, code == WARPDEX_OK ? "answered" : "refused")];
    if (code < 0 || code >= WARPDEX_INTERNAL_ERROR)
      throw std::runtime_error(fmt::format("{} returns {}: {}", call, code, error_.text));
    if (code != error_.code || (code == WARPDEX_OK) != (error_.text[0] == 0))
      throw std::runtime_error(fmt::format("{} returns {}, and says {} '{}'", call, code, error_.code, error_.text));
    return code != WARPDEX_OK;
  }

  template <class Struct> void expect_untouched(Struct const& now, Struct const& before, char const* call) {
    if (!same(now, before)) throw std::runtime_error(std::string(call) + " failed and wrote to its results");
  }

  warpdex_facts facts() {
    auto result = zeros<warpdex_facts>();
    if (index_ != nullptr) failed(warpdex_describe(index_, &result, &error_), "describe");
    return result;
  }

  warpdex_index* handle() { return rare() ? nullptr : index_; }
  std::int32_t key_type() { return index_ == nullptr ? choice(10) : facts().key_type; }

  /// Takes a new index in place of the old one.
  bool became(std::int32_t code, warpdex_index* const& built, char const* call) {
    if (failed(code, call)) {
      if (built != nullptr) throw std::runtime_error(std::string(call) + " failed and made an index");
      return true;
    }
    warpdex_free(index_);
    index_ = built;
    return false;
  }

  bool build() {
    auto const keys = values(choice(10)), rows = values(static_cast<std::int32_t>(below(random_, 2)));
    warpdex_index* built = nullptr;
    auto const code = below(random_, 6) == 0
                          ? warpdex_over_sorted(spec(), rare() ? nullptr : &keys, place(), &built, &error_)
                          : warpdex_build(spec(), rare() ? nullptr : &keys, below(random_, 3) == 0 ? &rows : nullptr,
                                          place(), rare() ? nullptr : &built, &error_);
    return built == nullptr ? failed(code, "build") : became(code, built, "build");
  }

  bool load() {
    auto stored = zeros<warpdex_result>();
    if (failed(warpdex_save_bytes(handle(), &stored, &error_), "save_bytes")) {
      expect_untouched(stored, zeros<warpdex_result>(), "save_bytes");
      return true;
    }
    auto const* const first = static_cast<std::uint8_t const*>(stored.first);
    std::vector<std::uint8_t> file(first, first + stored.first_size);
    warpdex_release(&stored);
    if (below(random_, 2) == 0 && !file.empty()) {
      file[below(random_, file.size())] ^= static_cast<std::uint8_t>(1u << below(random_, 8));
      file.resize(file.size() - (rare() ? below(random_, file.size()) : 0));
    }
    warpdex_index* built = nullptr;
    auto const code = warpdex_load_bytes(rare() ? nullptr : file.data(), file.size(), rare() ? choice(3) : 0, place(),
                                         &built, &error_);
    return became(code, built, "load_bytes");
  }

  bool copy() {
    warpdex_index* built = nullptr;
    return became(warpdex_clone(handle(), place(), &built, &error_), built, "clone");
  }

  bool verify() { return failed(warpdex_verify(handle(), place(), &error_), "verify"); }

  /// Keys, or bounds of ranges; at times the other ones.
  warpdex_probes probes(bool of_ranges) {
    auto result = zeros<warpdex_probes>();
    result.lower = values(key_type());
    if (of_ranges == rare()) return result;
    result.upper = values(result.lower.type);
    if (!rare()) result.upper.size = result.lower.size;
    if (result.upper.data == nullptr && !rare()) result.upper = zeros<warpdex_column>();
    if (below(random_, 6) == 0) result.parents = values(key_type());
    result.lower_is = below(random_, 3) == 0 ? choice(3) : 0;
    result.upper_is = below(random_, 3) == 0 ? choice(3) : 0;
    if (result.lower_is == WARPDEX_ABSENT && !rare()) result.lower = zeros<warpdex_column>();
    if (result.upper_is == WARPDEX_ABSENT && !rare()) result.upper = zeros<warpdex_column>();
    return result;
  }

  warpdex_output output(std::uint64_t size, std::int32_t type) {
    auto result = zeros<warpdex_output>();
    result.data = rare()   ? nullptr
                  : rare() ? const_cast<std::uint8_t*>(bytes())
                           : written_.data() + 16 * below(random_, 4);
    result.size = rare() ? below(random_, most_values) : size;
    result.type = rare() ? choice(10) : type;
    result.reserved = rare() && rare();
    return result;
  }

  bool look_up() {
    struct row {
      char const* name;
      std::int32_t first, second;  // types; -1 for none, -2 for row ids
    };
    static constexpr row all[] = {{"contains", WARPDEX_U8, -1},
                                  {"find", -2, -1},
                                  {"find_unordered", -2, WARPDEX_U32},
                                  {"count", WARPDEX_U64, -1},
                                  {"lower_bound", WARPDEX_U64, -1},
                                  {"upper_bound", WARPDEX_U64, -1},
                                  {"floor", -2, -1},
                                  {"ceil", -2, -1},
                                  {"range_count", WARPDEX_U64, -1},
                                  {"range_sum", WARPDEX_U64, -1},
                                  {"equal_range", WARPDEX_U64, WARPDEX_U64},
                                  {"prefix_count", WARPDEX_U64, -1},
                                  {"longest_prefix", -2, WARPDEX_U32},
                                  {"retrieve", -2, -1},
                                  {"no lookup", -2, -1}};
    row const& what = all[below(random_, std::size(all))];
    bool const of_ranges = std::strncmp(what.name, "ra", 2) == 0;
    auto const query = probes(of_ranges);
    std::int32_t const rows = index_ == nullptr ? 0 : facts().row_type;
    std::array<warpdex_output, 2> outputs{};
    outputs[0] = output(query.lower.size, what.first == -2 ? rows : what.first);
    outputs[1] = what.second < 0 ? zeros<warpdex_output>() : output(query.lower.size, what.second);
    std::uint64_t const count = rare() ? below(random_, 3) : what.second < 0 ? 1 : 2;
    return failed(warpdex_look_up(handle(), rare() ? nullptr : what.name, rare() ? nullptr : &query,
                                  rare() ? nullptr : outputs.data(), count, place(), &error_),
                  "look_up");
  }

  bool list() {
    char const* const name = word({"retrieve", "range_retrieve", "prefix_retrieve", "ancestors", "find", ""});
    auto const query = probes(name != nullptr && name[0] == 'r' && name[1] == 'a');
    auto result = zeros<warpdex_result>();
    return taken(warpdex_list(handle(), name, rare() ? nullptr : &query, place(), rare() ? nullptr : &result, &error_),
                 result, "list");
  }

  bool taken(std::int32_t code, warpdex_result& result, char const* call) {
    if (failed(code, call)) {
      expect_untouched(result, zeros<warpdex_result>(), call);
      return true;
    }
    warpdex_release(&result);
    warpdex_release(&result);  // is empty by then
    return false;
  }

  warpdex_join_how how() {
    auto result = zeros<warpdex_join_how>();
    result.kind = choice(4);
    result.on = choice(2);
    result.batch_pairs = below(random_, 3) == 0 ? 1 + below(random_, 9) : 0;
    return result;
  }

  bool join() {
    auto const options = how();
    auto const query = probes(options.on == WARPDEX_ON_RANGES);
    auto result = zeros<warpdex_result>();
    return taken(warpdex_join(handle(), rare() ? nullptr : &query, rare() ? nullptr : &options, place(),
                              rare() ? nullptr : &result, &error_),
                 result, "join");
  }

  /// What the sinks do with the index of their join.
  static std::int32_t sink(void* context, warpdex_result const* batch) {
    auto& self = *static_cast<caller*>(context);
    if (batch->first_size != 0 && batch->first == nullptr) self.wrong_ = "a batch has no pairs";
    warpdex_error own;
    if (self.rare()) return 1;
    if (self.rare() && warpdex_verify(self.index_, nullptr, &own) == WARPDEX_INTERNAL_ERROR) self.wrong_ = own.text;
    if (self.rare() &&
        warpdex_update(self.index_, nullptr, nullptr, nullptr, nullptr, nullptr, &own) == WARPDEX_INTERNAL_ERROR)
      self.wrong_ = own.text;
    return 0;
  }

  bool batches() {
    auto const options = how();
    auto const query = probes(options.on == WARPDEX_ON_RANGES);
    bool const result = failed(warpdex_join_batches(handle(), rare() ? nullptr : &query, rare() ? nullptr : &options,
                                                    rare() ? nullptr : &sink, this, place(), &error_),
                               "join_batches");
    if (!wrong_.empty()) throw std::runtime_error("in a sink: " + wrong_);
    return result;
  }

  bool asof() {
    auto const query = values(key_type());
    auto options = zeros<warpdex_asof_how>();
    options.strategy = choice(3);
    options.disallow_exact_matches = choice(2);
    options.prefer = choice(2);
    options.has_tolerance = choice(3);
    options.tolerance = static_cast<std::int64_t>(rare() ? random_() : below(random_, 9));
    options.tolerance_f64 = rare() ? -1.0 : 2.5;
    auto const rows = output(query.size, index_ == nullptr ? 0 : facts().row_type);
    return failed(warpdex_join_asof(handle(), rare() ? nullptr : &query, rare() ? nullptr : &options,
                                    rare() ? nullptr : &rows, place(), &error_),
                  "join_asof");
  }

  bool update() {
    auto const type = key_type();
    auto const keys = values(type), gone = values(type);
    auto rows = values(index_ == nullptr ? 0 : facts().row_type);
    if (!rare()) rows.size = keys.size;
    auto counts = zeros<warpdex_counts>();
    bool const assigns = below(random_, 2) == 0;
    auto const come = rare() ? nullptr : &keys;
    auto const with = rare() ? nullptr : &rows;
    auto const to = rare() ? nullptr : &counts;
    auto const code = assigns ? warpdex_insert_or_assign(handle(), come, with, place(), to, &error_)
                              : warpdex_update(handle(), come, with, rare() ? nullptr : &gone, place(), to, &error_);
    if (!failed(code, "update")) return false;
    expect_untouched(counts, zeros<warpdex_counts>(), "update");
    return true;
  }

  bool one_call() {
    static constexpr method all[] = {&caller::build,   &caller::load,    &caller::copy,    &caller::verify,
                                     &caller::look_up, &caller::look_up, &caller::look_up, &caller::list,
                                     &caller::join,    &caller::batches, &caller::asof,    &caller::update,
                                     &caller::update};
    all_offsets_.clear();
    return (this->*all[below(random_, std::size(all))])();
  }

  generator& random_;
  tally& tried_;
  std::vector<std::uint8_t> read_;
  std::vector<std::uint8_t> written_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::vector<std::uint32_t>> all_offsets_;
  warpdex_execution exec_ = {};
  warpdex_error error_ = {};
  warpdex_index* index_ = nullptr;
  std::string wrong_;
};

void one_round(generator& random, tally& tried) { caller(random, tried).run(); }

}  // namespace

int main() { return warpdex::attack::run("attack_c_interface", 300, one_round); }
