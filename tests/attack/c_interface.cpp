// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Random calls of the C interface over indexes of all kinds: null and odd pointers, sizes, types and enumerations,
/// kinds that a call does not take, arrays that overlap, sinks that end their join or update its index, and damaged
/// files. A pointer that is not null leads to as many bytes as the call may read. Whatever comes in, a call returns a
/// code that its text agrees with, never that of a fault of the library; and one that fails leaves its results and its
/// index as they were.
#include "attack/c_arguments.hpp"
#include "attack/campaign.hpp"

#include <warpdex/warpdex.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using warpdex::attack::c_arguments;
using warpdex::attack::most_values;
using warpdex::attack::tally;
using warpdex::attack::zeros;
using warpdex::test::below;
using warpdex::test::generator;
using warpdex::test::pick;

template <class Struct> bool same(Struct const& left, Struct const& other) {
  return std::memcmp(&left, &other, sizeof left) == 0;
}

/// Calls with random arguments, and an index that lives through them.
class caller : c_arguments {
 public:
  caller(generator& random, tally& tried) : c_arguments(random), tried_(tried) {}
  caller(caller const&) = delete;
  ~caller() {
    warpdex_free(index_);
    warpdex_free(other_);
  }

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
  warpdex_index* other() { return rare() ? nullptr : other_; }
  std::int32_t key_type() { return index_ == nullptr ? choice(10) : facts().key_type; }

  /// Takes a new index in place of the old one.
  bool became(std::int32_t code, warpdex_index* const& built, char const* call) {
    if (failed(code, call)) {
      if (built != nullptr) throw std::runtime_error(std::string(call) + " failed and made an index");
      return true;
    }
    warpdex_free(other_);
    other_ = index_;
    index_ = built;
    return false;
  }

  bool build_kind() {
    auto keys = values(choice(10)), groups = values(choice(10)), ends = values(keys.type);
    if (!rare()) groups.size = ends.size = keys.size;
    warpdex_index* built = nullptr;
    auto** const to = rare() ? nullptr : &built;
    std::int32_t code = WARPDEX_OK;
    std::array<warpdex_execution, 3> places{};
    switch (below(random_, 7)) {
      case 0: code = warpdex_build_grouped(spec(), mostly(groups), mostly(keys), place(), to, &error_); break;
      case 1: {
        auto how = zeros<warpdex_interval_how>();
        how.closed = choice(4);
        how.has_min_overlap = rare() ? choice(3) : 0;
        how.min_overlap = static_cast<std::int64_t>(below(random_, 3));
        code = warpdex_build_intervals(below(random_, 2) == 0 ? &groups : nullptr, mostly(keys), mostly(ends), &how,
                                       place(), to, &error_);
        break;
      }
      case 2: {
        if (!rare()) keys.type = pick(random_, std::vector<std::int32_t>{WARPDEX_U32, WARPDEX_U128, WARPDEX_BYTES});
        warpdex_network_how const how = {below(random_, 2) == 0 ? nullptr : spec(), 1, rare() ? 0 : 1};
        code = warpdex_build_networks(mostly(keys), rare() ? nullptr : read_.data(), rare() ? nullptr : &how, place(),
                                      to, &error_);
        break;
      }
      case 3: {
        warpdex_shards_how const how = {rare() ? nullptr : places.data(), below(random_, 4), choice(3),
                                        static_cast<std::uint32_t>(rare() ? random_() : below(random_, 5))};
        code = warpdex_build_sharded(spec(), mostly(keys), nullptr, rare() ? nullptr : &how, to, &error_);
        break;
      }
      case 4:
        code =
            warpdex_build_set(mostly(keys), choice(2) == 0 ? nullptr : mostly(keys), choice(3), place(), to, &error_);
        break;
      case 5: code = warpdex_build_quantiles(handle(), mostly(keys), place(), to, &error_); break;
      default: code = warpdex_build_aggregates(handle(), mostly(keys), choice(3), place(), to, &error_);
    }
    return built == nullptr ? failed(code, "build") : became(code, built, "build");
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

  /// Keys, or bounds of ranges; at times the other ones. Groups as the index has them.
  warpdex_probes probes(bool of_ranges) {
    auto result = zeros<warpdex_probes>();
    std::int32_t kind = WARPDEX_INDEX, groups = -1;
    if (index_ != nullptr) failed(warpdex_kind(index_, &kind, &groups, &error_), "kind");
    bool const is_over = kind == WARPDEX_AGGREGATES || kind == WARPDEX_QUANTILES;  // another index, with its own keys
    result.lower = values(is_over ? choice(8) : key_type());
    if ((groups >= 0) != rare()) {
      result.groups = values(groups);
      if (!rare()) result.groups.size = result.lower.size;
    }
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
                                  {"coverage", WARPDEX_U64, -1},
                                  {"coverage", WARPDEX_F64, -1},
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

  bool tell() {
    std::int32_t kind = -9, groups = -9, unique = -9;
    std::uint64_t row = 0;
    auto text = zeros<warpdex_result>();
    switch (below(random_, 4)) {
      case 0: return failed(warpdex_kind(handle(), rare() ? nullptr : &kind, &groups, &error_), "kind");
      case 1: return failed(warpdex_is_unique(handle(), place(), rare() ? nullptr : &unique, &error_), "is_unique");
      case 2: return failed(warpdex_greatest_row(handle(), place(), rare() ? nullptr : &row, &error_), "greatest_row");
      default: return taken(warpdex_explain(handle(), random_(), rare() ? nullptr : &text, &error_), text, "explain");
    }
  }

  bool apply() {
    if (rare()) return failed(warpdex_widen_rows(handle(), place(), &error_), "widen_rows");
    auto const type = key_type();
    auto keys = values(type), gone = values(type), rows = values(index_ == nullptr ? 0 : facts().row_type);
    auto groups = values(choice(10)), gone_groups = values(groups.type);
    if (!rare()) groups.size = rows.size = keys.size;
    if (!rare()) gone_groups.size = gone.size;
    warpdex_change const change = {mostly(keys),        mostly(rows), mostly(gone),    mostly(groups),
                                   mostly(gone_groups), choice(2),    rare() && rare()};
    auto counts = zeros<warpdex_counts>();
    if (!failed(warpdex_apply(handle(), rare() ? nullptr : &change, place(), &counts, &error_), "apply")) return false;
    expect_untouched(counts, zeros<warpdex_counts>(), "apply");
    return true;
  }

  bool asof_pairs() {
    auto query = probes(false);
    auto options = zeros<warpdex_asof_options>();
    options.how.strategy = choice(3);
    options.relative = rare() ? 0.5 : 0;
    std::array<std::int64_t, 2> const offsets = {0, 3};
    std::array<double, 2> const floats = {0.5, -1};
    if (rare()) options.tolerances = values(WARPDEX_I64);
    if (below(random_, 4) == 0) options.offsets = offsets.data();
    if (rare()) options.offsets_f64 = floats.data();
    options.offset_count = options.offsets == nullptr && !rare() ? 0 : below(random_, 3);
    auto const rows = output(query.lower.size * std::max<std::uint64_t>(options.offset_count, 1),
                             index_ == nullptr ? 0 : facts().row_type);
    if (below(random_, 2) == 0)
      return failed(
          warpdex_asof(handle(), rare() ? nullptr : &query, &options, rare() ? nullptr : &rows, place(), &error_),
          "asof");
    auto pairs = zeros<warpdex_result>();
    return taken(warpdex_asof_pairs(handle(), &query, rare() ? nullptr : &options, choice(5), place(),
                                    rare() ? nullptr : &pairs, &error_),
                 pairs, "asof_pairs");
  }

  /// Calls that return two results.
  bool of_kinds() {
    auto query = probes(below(random_, 2) == 0);
    if (rare()) query.upper = values(WARPDEX_U8);
    auto first = zeros<warpdex_result>(), second = zeros<warpdex_result>();
    auto* const one = rare() ? nullptr : &first;
    auto* const two = below(random_, 3) == 0 ? nullptr : &second;
    auto const* const asked = rare() ? nullptr : &query;
    std::uint64_t const k = rare() ? random_() : below(random_, 5);
    auto const out = output(query.lower.size, below(random_, 2) == 0 ? WARPDEX_I128 : WARPDEX_F64);
    std::int32_t code = WARPDEX_OK, kind = WARPDEX_INDEX;
    if (index_ != nullptr) failed(warpdex_kind(index_, &kind, nullptr, &error_), "kind");
    auto which = below(random_, 7);
    if (kind == WARPDEX_INTERVALS && !rare()) which = below(random_, 3);
    if (kind == WARPDEX_AGGREGATES && !rare()) which = 3 + below(random_, 2);
    if ((kind == WARPDEX_SET || kind == WARPDEX_QUANTILES) != rare()) return of_sets(query);
    switch (which) {
      case 0: code = warpdex_nearest(handle(), asked, k, choice(3), choice(2), place(), one, two, &error_); break;
      case 1: code = warpdex_merge(handle(), place(), one, two, &error_); break;
      case 2: code = warpdex_gaps(handle(), asked, place(), one, two, &error_); break;
      case 3: code = warpdex_top_k(handle(), other(), asked, k, choice(2), place(), one, two, &error_); break;
      case 4: code = warpdex_aggregate(handle(), other(), asked, choice(2), &out, place(), &error_); break;
      case 5: {
        auto const ranks = values(WARPDEX_U64);
        code = warpdex_keys_at(handle(), mostly(ranks), place(), one, &error_);
        break;
      }
      default:
        code = warpdex_list(handle(), word({"covering", "retrieve", "range_retrieve", "rows_at"}), asked, place(), one,
                            &error_);
    }
    warpdex_release(code == WARPDEX_OK ? &second : nullptr);
    return taken(code, first, "of_kinds");
  }

  /// Calls of sets and quantiles, also with indexes of other kinds.
  bool of_sets(warpdex_probes const& query) {
    auto result = zeros<warpdex_result>();
    std::uint64_t count = 0;
    warpdex_index* made = nullptr;
    auto const rows = output(query.lower.size, below(random_, 2) == 0 ? WARPDEX_U32 : WARPDEX_U64);
    switch (below(random_, 4)) {
      case 0:
        return became(warpdex_combine_sets(handle(), below(random_, 2) == 0 ? handle() : other(), choice(3), place(),
                                           &made, &error_),
                      made, "combine_sets");
      case 1:
        return failed(warpdex_count_in_set(handle(), mostly(query.lower), place(), rare() ? nullptr : &count, &error_),
                      "count_in_set");
      case 2:
        return taken(warpdex_set_keys(handle(), place(), rare() ? nullptr : &result, &error_), result, "set_keys");
      default:
        return failed(warpdex_quantiles(handle(), other(), rare() ? nullptr : &query,
                                        0.25 * static_cast<double>(below(random_, 6)), choice(3),
                                        rare() ? nullptr : &rows, place(), &error_),
                      "quantiles");
    }
  }

  bool of_columns() {
    std::array<warpdex_column, 3> all = {values(choice(10)), values(choice(10)), values(choice(10))};
    std::array<warpdex_field, 3> fields{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!rare()) all[i].size = all[0].size;
      if (!rare() && i > 0 && below(random_, 2) == 0) all[i].type = all[0].type == WARPDEX_BYTES ? 0 : all[0].type;
      fields[i] = {rare() ? choice(10) : all[i].type, choice(2), rare() ? 0 : 1, choice(2)};
    }
    std::uint64_t const count = rare() ? 0 : 1 + below(random_, all.size());
    auto const* const columns = rare() ? nullptr : all.data();
    auto first = zeros<warpdex_result>(), second = zeros<warpdex_result>();
    auto* const one = rare() ? nullptr : &first;
    auto const flags = output(all[0].size, WARPDEX_U8), rows = output(all[0].size, WARPDEX_U32);
    auto const numbers = output(all[0].size, WARPDEX_U128);
    std::int32_t ascend = 0, code = WARPDEX_OK;
    auto const options = how();
    switch (below(random_, 7)) {
      case 0:
        code = warpdex_unique(columns, count, choice(3), place(), one, rare() ? &second : nullptr, &error_);
        break;
      case 1: code = warpdex_duplicates(columns, count, choice(3), rare() ? nullptr : &flags, place(), &error_); break;
      case 2: return of_tuples(rare() ? nullptr : fields.data(), columns, count);
      case 3:
        code = warpdex_join_columns(mostly(all[0]), mostly(all[1]), &options, choice(3), rare() ? &sink : nullptr, this,
                                    place(), one, &error_);
        break;
      case 4:
        code = warpdex_first_match(mostly(all[0]), mostly(all[1]), rare() ? nullptr : &rows, rare() ? &flags : nullptr,
                                   place(), &error_);
        break;
      case 5:
        code = warpdex_asof_merge(rare() ? &all[2] : nullptr, mostly(all[0]), rare() ? &all[2] : nullptr,
                                  mostly(all[1]), nullptr, rare() ? nullptr : &rows, place(), &ascend, &error_);
        break;
      default:
        code = warpdex_parse_networks(mostly(all[0]), choice(2), &numbers, below(random_, 2) == 0 ? &flags : nullptr,
                                      below(random_, 2) == 0 ? &rows : nullptr, place(), &error_);
    }
    warpdex_release(code == WARPDEX_OK ? &second : nullptr);
    return taken(code, first, "of_columns");
  }

  /// Keys of tuples: what an encoder makes, and of that tuples again.
  bool of_tuples(warpdex_field const* fields, warpdex_column const* columns, std::uint64_t count) {
    warpdex_encoder* encoder = nullptr;
    auto result = zeros<warpdex_result>();
    std::int32_t code = warpdex_encoder_make(fields, count, below(random_, 2) == 0 ? nullptr : columns, place(),
                                             rare() ? nullptr : &encoder, &error_);
    if (code != WARPDEX_OK) return failed(code, "encoder_make");
    auto* const to = rare() ? nullptr : &result;
    auto const last = probes(true);
    switch (below(random_, 3)) {
      case 0: code = warpdex_encode(encoder, columns, count, place(), to, &error_); break;
      case 1: code = warpdex_encode_points(encoder, columns, count, place(), to, &error_); break;
      default:
        code = warpdex_encode_ranges(rare() ? nullptr : encoder, columns, count - 1, rare() ? nullptr : &last, place(),
                                     to, &error_);
    }
    if (code == WARPDEX_OK && result.second == nullptr && result.first_size != 0) {
      auto keys = zeros<warpdex_column>();
      keys.data = result.first;
      keys.size = result.first_size;
      keys.type = rare() ? choice(10) : result.first_type;
      std::array<warpdex_result, 3> tuples{};
      failed(warpdex_decode(encoder, &keys, rare() ? choice(4) : count, place(), tuples.data(), nullptr, &error_),
             "decode");
      for (auto& column : tuples) warpdex_release(&column);
      warpdex_encoder_free(encoder);
      warpdex_release(&result);
      return false;
    }
    warpdex_encoder_free(encoder);
    return taken(code, result, "of_tuples");
  }

  /// Marks, in the array that calls write.
  bool mark() {
    std::uint64_t const rows = below(random_, 9 * most_values), words = (rows + 31) / 32;
    std::uint64_t const size = rare() ? random_() : rows;
    auto const to = output(words, WARPDEX_U32), with = output(words, WARPDEX_U32);
    auto const query = probes(below(random_, 2) == 0);
    auto const ids = values(static_cast<std::int32_t>(below(random_, 2)));
    auto const* const marks = rare() ? nullptr : &to;
    std::uint64_t count = 0;
    switch (below(random_, 4)) {
      case 0:
        return failed(warpdex_mark(handle(), rare() ? nullptr : &query, choice(2), marks, size, place(), &error_),
                      "mark");
      case 1: return failed(warpdex_mark_rows(mostly(ids), marks, size, place(), &error_), "mark_rows");
      case 2:
        return failed(warpdex_change_marks(marks, size, choice(6), rare() ? nullptr : &with, place(), &error_),
                      "change_marks");
      default:
        return failed(
            warpdex_marked(marks, size, rare() ? &with : nullptr, place(), rare() ? nullptr : &count, &error_),
            "marked");
    }
  }

  bool one_call() {
    static constexpr method all[] = {
        &caller::build,    &caller::build_kind, &caller::build_kind, &caller::load,     &caller::copy,
        &caller::verify,   &caller::look_up,    &caller::look_up,    &caller::look_up,  &caller::list,
        &caller::join,     &caller::batches,    &caller::asof,       &caller::update,   &caller::update,
        &caller::tell,     &caller::apply,      &caller::asof_pairs, &caller::of_kinds, &caller::of_kinds,
        &caller::of_kinds, &caller::of_columns, &caller::of_columns, &caller::mark,     &caller::mark};
    forget_strings();
    return (this->*all[below(random_, std::size(all))])();
  }

  tally& tried_;
  warpdex_error error_ = {};
  warpdex_index* index_ = nullptr;
  warpdex_index* other_ = nullptr;  ///< the one before it
  std::string wrong_;
};

void one_round(generator& random, tally& tried) { caller(random, tried).run(); }

}  // namespace

int main() { return warpdex::attack::run("attack_c_interface", 300, one_round); }
