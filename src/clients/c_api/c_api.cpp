// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/build_progress.hpp>
#include <warpdex/device.hpp>
#include <warpdex/join.hpp>
#include <warpdex/stop.hpp>
#include <warpdex/version.hpp>

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "clients/c_api/border.hpp"
#include "io/kind.hpp"

/// @file
/// The functions of warpdex.h that make, keep and change indexes.

struct warpdex_control {
  std::stop_source stop;
  warpdex::build_progress progress;
};

namespace warpdex::c {
namespace {

// What C and the C++ interface count is the same, and structs have no padding that is not named.
static_assert(WARPDEX_BYTES == static_cast<int>(key_type::bytes));
static_assert(WARPDEX_CUDA == static_cast<int>(backend_kind::cuda) &&
              WARPDEX_CHECK_NONE == static_cast<int>(check::none));
static_assert(WARPDEX_NEAREST == static_cast<int>(asof_strategy::nearest));
static_assert(sizeof(warpdex_error) == 1024 && sizeof(warpdex_column) == 64 && sizeof(warpdex_output) == 24);
static_assert(sizeof(warpdex_probes) == 200 && sizeof(warpdex_execution) == 24 && sizeof(warpdex_result) == 56);
static_assert(WARPDEX_FULL == static_cast<int>(join_kind::full) &&
              WARPDEX_CLOSED_NONE == static_cast<int>(closed_ends::none));
static_assert(WARPDEX_AUTOMATIC == static_cast<int>(placement::automatic));
static_assert(sizeof(warpdex_interval_how) == 24 && sizeof(warpdex_network_how) == 16 &&
              sizeof(warpdex_shards_how) == 24 && sizeof(warpdex_change) == 48);
static_assert(sizeof(warpdex_join_how) == 16 && sizeof(warpdex_asof_how) == 40 && sizeof(warpdex_facts) == 40);

/// Makes an index, and hands it over to C.
/// @param make takes the place of the call
template <class Make>
void make_index(char const* call, warpdex_execution const* exec, warpdex_index** to, Make const& make) {
  auto& result = expect(call, "the place of the index", to);
  place const here(call, exec);
  result = new warpdex_index{make(here.exec(), here.device()), here.device()};
}

/// @return the places of shards
std::vector<shard_place> places_of(char const* call, warpdex_shards_how const& how) {
  detail::expect_array(call, "the array of places", how.places, how.count);
  std::vector<shard_place> result;
  for (std::uint64_t i = 0; i < how.count; ++i) {
    place const here(call, &how.places[i]);
    result.push_back({here, here.device()});
  }
  return result;
}

/// Reads what a file holds. @param from the path and whether to map it, or the bytes
any_kind loaded_as(io::file_kind kind, execution const& on, check what, auto const& from, auto... map) {
  switch (kind) {
    case io::file_kind::grouped: return grouped_index::load(from, on, map..., what);
    case io::file_kind::intervals: return intervals::load(from, on, map..., what);
    case io::file_kind::networks: return networks::load(from, on, map..., what);
    case io::file_kind::set: return key_set::load(from, on, map..., what);
    case io::file_kind::aggregates:
      return std::visit([]<class One>(One&& one) -> any_kind { return std::forward<One>(one); },
                        load_range_aggregates(from, on, map...));
    default: return index::load(from, on, map..., what);  // throws format_error for what is no index
  }
}

/// Copies what has no copy of its own through the bytes of its file.
template <class Kind> any_kind copied(Kind const& from, execution const& on) {
  if constexpr (requires { from.clone(on); }) {
    return from.clone(on);
  } else {
    std::vector<std::byte> const bytes = from.save();
    return loaded_as(io::kind_of(io::file::parse(bytes)), on, check::none, std::span<std::byte const>(bytes));
  }
}

/// What has files.
template <class Kind>
concept kept_in_files = requires(Kind const& of, std::filesystem::path const& path) {
  of.save(path);
};

/// What can be copied in memory: all kinds with files but those of folders.
template <class Kind>
concept held_in_one_file = requires(Kind const& of) {
  { of.save() } -> std::same_as<std::vector<std::byte>>;
};

any_kind copy_of(char const* call, warpdex_index const& from, execution const& on) {
  return with_kind<any_kind>(call, from, [&]<held_in_one_file Kind>(Kind const& one) { return copied(one, on); });
}

std::int32_t number_of_type(row_type rows) { return array_of(row_column(nullptr, 0, rows)).type; }

warpdex_facts facts_of(warpdex_index const& of) {
  std::int32_t const backend = of.device < 0 ? WARPDEX_CPU : WARPDEX_CUDA;
  auto const type = [](key_type keys) { return static_cast<std::int32_t>(keys); };
  return with_kind<warpdex_facts>(
      "warpdex_describe", of,
      for_kinds{[&](any_index const& one) -> warpdex_facts {
                  return {one.spec_text().c_str(),        one.size(), one.memory().total(), type(one.key_type()),
                          number_of_type(one.row_type()), backend,    one.ordered() ? 1 : 0};
                },
                [&](grouped_index const& one) -> warpdex_facts {
                  auto const& entries = one.any_entries();
                  return {entries.spec_text().c_str(),
                          one.size(),
                          one.bytes(),
                          type(one.key_type()),
                          number_of_type(one.row_type()),
                          backend,
                          entries.ordered() ? 1 : 0};
                },
                [&](intervals const& one) -> warpdex_facts {
                  return {"",      one.size(), one.bytes(), type(one.key_type()), number_of_type(one.row_type()),
                          backend, 1};
                },
                [&](networks const& one) -> warpdex_facts {
                  return {"", one.size(), one.bytes(), WARPDEX_U128, WARPDEX_U32, backend, 1};
                },
                [&]<class Number>(range_aggregates<Number> const& one) -> warpdex_facts {
                  auto const sums = std::is_same_v<Number, double> ? WARPDEX_F64 : WARPDEX_I128;
                  return {"", one.size(), one.bytes(), sums, WARPDEX_U32, backend, 1};
                },
                [&](key_set const& one) -> warpdex_facts {
                  char const* const code = one.code() == set_code::plain ? "plain" : "compressed";
                  return {code,    one.size(), one.bytes(), type(one.key_type()), one.row_bits() == 0 ? 0 : WARPDEX_U64,
                          backend, 0};
                },
                [&](range_quantiles const& one) -> warpdex_facts {
                  return {"", one.size(), one.bytes(), 0, 0, backend, 1};
                }});
}

/// Changes an index, or a grouped one.
update_counts changed(char const* call, warpdex_index& to, warpdex_change const& by, execution const& on) {
  expect_zero(call, "the change", by.reserved);
  if (by.assigns != 0 && by.erased != nullptr)
    throw invalid_argument(std::string(call) + ": keys are assigned, and others erased; these are two changes");
  bool const comes = by.keys != nullptr || by.rows != nullptr || by.assigns != 0, goes = by.erased != nullptr || !comes;
  column const in = comes ? valid_keys_of(call, "the key column", by.keys) : column();
  row_column const rows = comes ? rows_of(call, by.rows) : row_column();
  column const out = goes ? valid_keys_of(call, "the column of erased keys", by.erased) : column();
  return with_kind<update_counts>(
      call, to,
      for_kinds{[&](any_index& one) {
                  if (by.assigns != 0) return one.insert_or_assign(in, rows, on);
                  if (!goes) return one.insert(in, rows, on);
                  return comes ? one.update(in, rows, out, on) : one.erase(out, on);
                },
                [&](grouped_index& one) {
                  column const groups = comes ? valid_keys_of(call, "the column of groups", by.groups) : column();
                  if (by.assigns != 0) return one.insert_or_assign(groups, in, rows, on);
                  if (!goes) return one.insert(groups, in, rows, on);
                  column const gone = valid_keys_of(call, "the groups of erased keys", by.erased_groups);
                  return comes ? one.update(groups, in, rows, gone, out, on) : one.erase(gone, out, on);
                }});
}

/// Changes a set.
update_counts changed(char const* call, key_set& to, warpdex_change const& by, execution const& on) {
  expect_zero(call, "the change", by.reserved);
  if (by.groups != nullptr || by.erased_groups != nullptr || by.assigns != 0)
    throw invalid_argument(std::string(call) + ": a set has keys alone, or keys and rows");
  if ((by.keys == nullptr) == (by.erased == nullptr))
    throw invalid_argument(std::string(call) + ": a change of a set has keys to insert, or keys to erase");
  if (by.erased != nullptr && by.rows != nullptr)
    throw invalid_argument(std::string(call) + ": keys are erased from a set without their rows");
  if (by.keys != nullptr) {
    nullable_column const keys = keys_of(call, "the key column", *by.keys);
    return {by.rows == nullptr ? to.insert(keys, on) : to.insert(keys, rows_of(call, by.rows), on), 0, 0};
  }
  return {0, to.erase(keys_of(call, "the column of erased keys", *by.erased), on), 0};
}

void apply(char const* call, warpdex_index* to, warpdex_change const& change, warpdex_execution const* exec,
           warpdex_counts* counts) {
  auto& index = expect(call, "the index", to);
  place const on(call, exec, index);
  auto* const set = std::get_if<key_set>(&index.value);
  update_counts const done = set == nullptr ? changed(call, index, change, on) : changed(call, *set, change, on);
  if (counts != nullptr) *counts = {done.inserted, done.erased, done.cancelled};
}

}  // namespace
}  // namespace warpdex::c

using namespace warpdex;
using namespace warpdex::c;

char const* warpdex_version() { return WARPDEX_VERSION; }

std::int32_t warpdex_device_count() {
  std::int32_t count = 0;
  guarded(nullptr, [&] { count = static_cast<std::int32_t>(devices().size()); });
  return count;
}

std::int32_t warpdex_build(char const* text, warpdex_column const* keys, warpdex_column const* rows,
                           warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build";
  return guarded(error, [&] {
    spec const request(&expect(call, "the spec", text));
    expect(call, "the key column", keys);
    make_index(call, exec, built, [&](execution const& on, int) -> any_kind {
      if (rows == nullptr) return build_valid(request, keys_of(call, "the key column", *keys), on);
      return warpdex::index::build(request, valid_keys_of(call, "the key column", keys), rows_of(call, rows), on);
    });
  });
}

std::int32_t warpdex_over_sorted(char const* text, warpdex_column const* keys, warpdex_execution const* exec,
                                 warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_over_sorted";
  return guarded(error, [&] {
    spec const request(&expect(call, "the spec", text));
    column const borrowed = valid_keys_of(call, "the key column", keys);
    make_index(call, exec, built, [&](execution const& on, int) -> any_kind {
      return warpdex::index::over_sorted(request, borrowed, on);
    });
  });
}

std::int32_t warpdex_build_grouped(char const* text, warpdex_column const* groups, warpdex_column const* keys,
                                   warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_grouped";
  return guarded(error, [&] {
    spec const request(&expect(call, "the spec", text));
    auto const of = keys_of(call, "the column of groups", groups);
    auto const values = keys_of(call, "the key column", keys);
    make_index(call, exec, built,
               [&](execution const& on, int) -> any_kind { return grouped_index::build(request, of, values, on); });
  });
}

std::int32_t warpdex_build_intervals(warpdex_column const* groups, warpdex_column const* starts,
                                     warpdex_column const* ends, warpdex_interval_how const* how,
                                     warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_intervals";
  return guarded(error, [&] {
    auto const from = keys_of(call, "the column of starts", starts);
    auto const to = keys_of(call, "the column of ends", ends);
    warpdex_interval_how const which = how == nullptr ? warpdex_interval_how{} : *how;
    auto const closed = chosen(call, "closed", which.closed, closed_ends::none);
    auto const least =
        tolerance_of(call, "has_min_overlap", which.has_min_overlap, which.min_overlap, which.min_overlap_f64);
    make_index(call, exec, built, [&](execution const& on, int) -> any_kind {
      if (groups == nullptr) return intervals::build(from, to, on, closed, least);
      return intervals::build(keys_of(call, "the column of groups", *groups), from, to, on, closed, least);
    });
  });
}

std::int32_t warpdex_build_networks(warpdex_column const* addresses, std::uint8_t const* lengths,
                                    warpdex_network_how const* how, warpdex_execution const* exec,
                                    warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_networks";
  return guarded(error, [&] {
    auto const from = keys_of(call, "the column of addresses", addresses);
    warpdex_network_how const which = how == nullptr ? warpdex_network_how{} : *how;
    spec const structure(which.spec == nullptr ? "AO+BS" : which.spec);
    auto const bits = which.mask_host_bits != 0 ? host_bits::mask : host_bits::refuse;
    auto const invalid = which.invalid_is_null != 0 ? invalid_values::null : invalid_values::error;
    make_index(call, exec, built, [&](execution const& on, int) -> any_kind {
      if (lengths == nullptr) return networks(from, on, bits, structure, invalid);
      return networks(from, std::span(lengths, from.size), on, bits, structure, invalid);
    });
  });
}

std::int32_t warpdex_build_sharded(char const* text, warpdex_column const* keys, warpdex_column const* rows,
                                   warpdex_shards_how const* how, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_sharded";
  return guarded(error, [&] {
    spec const request(&expect(call, "the spec", text));
    column const values = valid_keys_of(call, "the key column", keys);
    auto const& which = expect(call, "where the shards are", how);
    auto const placed = chosen(call, "the placement", which.placement, placement::automatic);
    auto& result = expect(call, "the place of the index", built);
    auto const places = places_of(call, which);
    result = new warpdex_index{
        rows == nullptr ? sharded_index::build(request, values, placed, places, which.shards)
                        : sharded_index::build(request, values, rows_of(call, rows), placed, places, which.shards),
        -1};
  });
}

std::int32_t warpdex_build_grouped_sharded(char const* text, warpdex_column const* groups, warpdex_column const* keys,
                                           warpdex_shards_how const* how, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_grouped_sharded";
  return guarded(error, [&] {
    spec const request(&expect(call, "the spec", text));
    auto const of = keys_of(call, "the column of groups", groups);
    auto const values = keys_of(call, "the key column", keys);
    auto const& which = expect(call, "where the shards are", how);
    auto const placed = chosen(call, "the placement", which.placement, placement::automatic);
    auto& result = expect(call, "the place of the index", built);
    result =
        new warpdex_index{grouped_index::build(request, of, values, placed, places_of(call, which), which.shards), -1};
  });
}

std::int32_t warpdex_load_sharded(char const* folder, std::int32_t map, std::int32_t checks,
                                  warpdex_shards_how const* how, warpdex_index** loaded, warpdex_error* error) {
  constexpr auto call = "warpdex_load_sharded";
  return guarded(error, [&] {
    std::filesystem::path const from(&expect(call, "the path", folder));
    auto const what = chosen(call, "the check", checks, check::none);
    auto& result = expect(call, "the place of the index", loaded);
    auto const places = places_of(call, expect(call, "where the shards are", how));
    result = new warpdex_index{sharded_index::load(from, places, map != 0, what), -1};
  });
}

std::int32_t warpdex_load(char const* path, std::int32_t map, std::int32_t checks, warpdex_execution const* exec,
                          warpdex_index** loaded, warpdex_error* error) {
  constexpr auto call = "warpdex_load";
  return guarded(error, [&] {
    std::filesystem::path const file(&expect(call, "the path", path));
    auto const what = chosen(call, "the check", checks, check::none);
    auto& made = expect(call, "the place of the index", loaded);
    if (std::filesystem::is_directory(file)) {
      place const here(call, exec);
      shard_place const one{here, here.device()};
      made = new warpdex_index{sharded_index::load(file, std::span(&one, 1), map != 0, what), -1};
      return;
    }
    make_index(call, exec, loaded, [&](execution const& on, int) -> any_kind {
      return loaded_as(io::kind_of(io::file::open(file, map != 0)), on, what, file, map != 0);
    });
  });
}

std::int32_t warpdex_load_bytes(void const* bytes, std::uint64_t size, std::int32_t checks,
                                warpdex_execution const* exec, warpdex_index** loaded, warpdex_error* error) {
  constexpr auto call = "warpdex_load_bytes";
  return guarded(error, [&] {
    detail::expect_array(call, "the array of bytes", bytes, size);
    std::span const stored(static_cast<std::byte const*>(bytes), size);
    auto const what = chosen(call, "the check", checks, check::none);
    make_index(call, exec, loaded, [&](execution const& on, int) -> any_kind {
      return loaded_as(io::kind_of(io::file::parse(stored)), on, what, stored);
    });
  });
}

std::int32_t warpdex_save(warpdex_index const* from, char const* path, warpdex_error* error) {
  constexpr auto call = "warpdex_save";
  return guarded(error, [&] {
    auto const& saved = expect(call, "the index", from);
    place const here(call, nullptr, saved);
    std::filesystem::path const file(&expect(call, "the path", path));
    with_kind(call, saved, [&]<kept_in_files Kind>(Kind const& one) { one.save(file); });
  });
}

std::int32_t warpdex_save_bytes(warpdex_index const* from, warpdex_result* bytes, warpdex_error* error) {
  constexpr auto call = "warpdex_save_bytes";
  return guarded(error, [&] {
    auto const& saved = expect(call, "the index", from);
    auto& to = expect(call, "the result", bytes);
    place const here(call, nullptr, saved);
    auto const held = std::make_shared<std::vector<std::byte>>(with_kind<std::vector<std::byte>>(
        call, saved, []<held_in_one_file Kind>(Kind const& one) { return one.save(); }));
    hand_over(to, {held->data(), held->size(), WARPDEX_U8}, {}, -1, held);
  });
}

std::int32_t warpdex_clone(warpdex_index const* from, warpdex_execution const* exec, warpdex_index** copied,
                           warpdex_error* error) {
  constexpr auto call = "warpdex_clone";
  return guarded(error, [&] {
    auto const& copied_from = expect(call, "the index", from);
    make_index(call, exec, copied, [&](execution const& on, int here) -> any_kind {
      if (copied_from.device < 0 || copied_from.device == here) return copy_of(call, copied_from, on);
      warpdex_index on_host{[&] {
                              device_scope const scope(copied_from.device);
                              return copy_of(call, copied_from, execution());
                            }(),
                            -1};
      return here < 0 ? std::move(on_host.value) : copy_of(call, on_host, on);
    });
  });
}

void warpdex_free(warpdex_index* freed) {
  if (freed == nullptr) return;
  guarded(nullptr, [&] {
    std::optional<device_scope> here;
    if (freed->device >= 0) here.emplace(freed->device);  // throws if the context, and all of its memory, is gone
    delete freed;
  });
}

std::int32_t warpdex_describe(warpdex_index const* of, warpdex_facts* facts, warpdex_error* error) {
  constexpr auto call = "warpdex_describe";
  return guarded(error, [&] {
    auto const& known = expect(call, "the index", of);
    expect(call, "the place of the facts", facts) = facts_of(known);
  });
}

std::int32_t warpdex_verify(warpdex_index const* of, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_verify";
  return guarded(error, [&] {
    auto const& checked = expect(call, "the index", of);
    place const on(call, exec, checked);
    with_kind(call, checked,
              for_kinds{[&](any_index const& one) { one.verify(on); },
                        [&](grouped_index const& one) { one.any_entries().verify(on); },
                        [&](networks const& one) {
                          one.ipv4().verify(on);
                          one.ipv6().verify(on);
                        }});
  });
}

std::int32_t warpdex_kind(warpdex_index const* of, std::int32_t* kind, std::int32_t* group_type, warpdex_error* error) {
  constexpr auto call = "warpdex_kind";
  return guarded(error, [&] {
    auto const& known = expect(call, "the index", of);
    auto& to = expect(call, "the place of the kind", kind);
    std::optional<key_type> groups;
    if (auto const* const grouped = std::get_if<grouped_index>(&known.value)) groups = grouped->group_type();
    if (auto const* const spans = std::get_if<intervals>(&known.value)) groups = spans->group_type();
    to = kind_of(known);
    if (group_type != nullptr) *group_type = groups ? static_cast<std::int32_t>(*groups) : -1;
  });
}

std::int32_t warpdex_explain(warpdex_index const* of, std::uint64_t batch, warpdex_result* text, warpdex_error* error) {
  constexpr auto call = "warpdex_explain";
  return guarded(error, [&] {
    auto const& known = expect(call, "the index", of);
    auto& to = expect(call, "the result", text);
    place const here(call, nullptr, known);
    auto const held = std::make_shared<std::string>(
        with_kind<std::string>(call, known,
                               for_kinds{[&](warpdex::index const& one) { return explain(one, batch); },
                                         [&](sharded_index const& one) { return one.explain(); },
                                         [&](grouped_index const& one) { return explain(one.entries(), batch); }}));
    hand_over(to, {held->data(), held->size(), WARPDEX_U8}, {}, -1, held);
  });
}

std::int32_t warpdex_greatest_row(warpdex_index const* of, warpdex_execution const* exec, std::uint64_t* row,
                                  warpdex_error* error) {
  constexpr auto call = "warpdex_greatest_row";
  return guarded(error, [&] {
    auto const& known = expect(call, "the index", of);
    auto& to = expect(call, "the place of the row", row);
    place const on(call, exec, known);
    to = with_kind<std::uint64_t>(
        call, known,
        for_kinds{[&](any_index const& one) { return one.greatest_row(on); },
                  [&](grouped_index const& one) { return one.any_entries().greatest_row(on); }});
  });
}

std::int32_t warpdex_is_unique(warpdex_index const* of, warpdex_execution const* exec, std::int32_t* unique,
                               warpdex_error* error) {
  constexpr auto call = "warpdex_is_unique";
  return guarded(error, [&] {
    auto const& known = expect(call, "the index", of);
    auto& to = expect(call, "the place of the answer", unique);
    place const on(call, exec, known);
    to = with_kind<bool>(call, known,
                         for_kinds{[&](warpdex::index const& one) { return is_unique(one, on); },
                                   [&](grouped_index const& one) { return is_unique(one.entries(), on); }})
             ? 1
             : 0;
  });
}

std::int32_t warpdex_apply(warpdex_index* to, warpdex_change const* change, warpdex_execution const* exec,
                           warpdex_counts* counts, warpdex_error* error) {
  constexpr auto call = "warpdex_apply";
  return guarded(error, [&] { apply(call, to, expect(call, "the change", change), exec, counts); });
}

std::int32_t warpdex_update(warpdex_index* to, warpdex_column const* keys, warpdex_column const* rows,
                            warpdex_column const* erased, warpdex_execution const* exec, warpdex_counts* counts,
                            warpdex_error* error) {
  return guarded(error, [&] {
    apply("warpdex_update", to, {keys, rows, erased, nullptr, nullptr, 0, 0}, exec, counts);
  });
}

std::int32_t warpdex_insert_or_assign(warpdex_index* to, warpdex_column const* keys, warpdex_column const* rows,
                                      warpdex_execution const* exec, warpdex_counts* counts, warpdex_error* error) {
  return guarded(error, [&] {
    apply("warpdex_insert_or_assign", to, {keys, rows, nullptr, nullptr, nullptr, 1, 0}, exec, counts);
  });
}

std::int32_t warpdex_widen_rows(warpdex_index* to, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_widen_rows";
  return guarded(error, [&] {
    auto& widened = expect(call, "the index", to);
    place const on(call, exec, widened);
    with_kind(call, widened,
              for_kinds{[&](any_index& one) { one.widen_rows(on); }, [&](grouped_index& one) { one.widen_rows(on); }});
  });
}

std::int32_t warpdex_copy(void* destination, void const* source, std::uint64_t bytes, warpdex_execution const* exec,
                          warpdex_error* error) {
  constexpr auto call = "warpdex_copy";
  return guarded(error, [&] { copy(destination, source, bytes, place(call, exec)); });
}

std::int32_t warpdex_control_make(warpdex_control** made, warpdex_error* error) {
  constexpr auto call = "warpdex_control_make";
  return guarded(error, [&] {
    auto& result = expect(call, "the place of the control", made);
    result = new warpdex_control;
  });
}

std::int32_t warpdex_under(warpdex_control* control, void (*calls)(void*), void* context, warpdex_error* error) {
  constexpr auto call = "warpdex_under";
  return guarded(error, [&] {
    auto& with = expect(call, "the control", control);
    if (calls == nullptr) throw invalid_argument(std::string(call) + ": the function is a null pointer");
    stop_scope const stops(with.stop.get_token());
    progress_scope const tells(with.progress);
    calls(context);
  });
}

void warpdex_control_stop(warpdex_control* control) {
  if (control != nullptr) control->stop.request_stop();
}

double warpdex_control_done(warpdex_control const* control) {
  return control == nullptr ? 0 : control->progress.done();
}

void warpdex_control_free(warpdex_control* control) { delete control; }
