// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/join.hpp>
#include <warpdex/version.hpp>

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "clients/c_api/border.hpp"

/// @file
/// The functions of warpdex.h.
namespace warpdex::c {
namespace {

// What C and the C++ interface count is the same, and structs have no padding that is not named.
static_assert(WARPDEX_BYTES == static_cast<int>(key_type::bytes));
static_assert(WARPDEX_CUDA == static_cast<int>(backend_kind::cuda) &&
              WARPDEX_CHECK_NONE == static_cast<int>(check::none));
static_assert(WARPDEX_ANTI == static_cast<int>(join_kind::anti));
static_assert(WARPDEX_NEAREST == static_cast<int>(asof_strategy::nearest));
static_assert(sizeof(warpdex_error) == 1024 && sizeof(warpdex_column) == 64 && sizeof(warpdex_output) == 24);
static_assert(sizeof(warpdex_probes) == 200 && sizeof(warpdex_execution) == 24 && sizeof(warpdex_result) == 56);
static_assert(sizeof(warpdex_join_how) == 16 && sizeof(warpdex_asof_how) == 40 && sizeof(warpdex_facts) == 40);

/// Makes an index, and hands it over to C.
/// @param make takes the place of the call
template <class Make>
void make_index(char const* call, warpdex_execution const* exec, warpdex_index** to, Make const& make) {
  auto& result = expect(call, "the place of the index", to);
  place const here(call, exec);
  result = new warpdex_index{make(here), here.device()};
}

lookup const& lookup_of(char const* call, char const* name) {
  std::string const wanted = &expect(call, "the name of the lookup", name);
  std::string known;
  for (lookup const* const item : lookups::all) {
    if (wanted == item->name) return *item;
    known += (known.empty() ? "" : ", ") + std::string(item->name);
  }
  throw invalid_argument(std::string(call) + ": there is no lookup '" + wanted + "', but " + known);
}

void tell(update_counts const& changed, warpdex_counts* to) {
  if (to != nullptr) *to = {changed.inserted, changed.erased, changed.cancelled};
}

/// A join as C asks for it.
struct asked_join {
  static constexpr auto name = "warpdex_join";
  index const& right;
  key_ranges probes;
  join_kind kind = join_kind::inner;
  bool on_ranges = false;
  join_options options = {};

  asked_join(warpdex_index const& with, warpdex_probes const* query, warpdex_join_how const* how) : right(with.value) {
    warpdex_probes const& from = expect(name, "the probes", query);
    if (how != nullptr) {
      kind = chosen(name, "the kind of the join", how->kind, join_kind::anti);
      on_ranges = chosen(name, "what the join is on", how->on, std::int32_t{WARPDEX_ON_RANGES}) == WARPDEX_ON_RANGES;
      if (how->batch_pairs != 0) options.batch_pairs = how->batch_pairs;
    }
    probes = ranges_of(name, from, on_ranges);
  }

  template <class... To> auto run(To const&... to) const {
    return on_ranges ? join_between(right, probes, kind, to..., options)
                     : join(right, *probes.lower, kind, to..., options);
  }
};

/// @return the device of arrays, or -1
int device_of(warpdex_index const& with, bool on_host) { return on_host ? -1 : with.device; }

void hand_over_matches(warpdex_result& to, matches found, int device) {
  auto const held = std::make_shared<matches>(std::move(found));
  hand_over(to, {held->offsets.data(), held->probes + 1, WARPDEX_U64},
            array_of(row_column(held->rows.data(), held->total, held->row_type)), device, held);
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
    make_index(call, exec, built, [&](execution const& on) {
      if (rows == nullptr) return build_valid(request, keys_of(call, "the key column", *keys), on);
      return index::build(request, valid_keys_of(call, "the key column", keys), rows_of(call, rows), on);
    });
  });
}

std::int32_t warpdex_over_sorted(char const* text, warpdex_column const* keys, warpdex_execution const* exec,
                                 warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_over_sorted";
  return guarded(error, [&] {
    spec const request(&expect(call, "the spec", text));
    column const borrowed = valid_keys_of(call, "the key column", keys);
    make_index(call, exec, built, [&](execution const& on) { return index::over_sorted(request, borrowed, on); });
  });
}

std::int32_t warpdex_load(char const* path, std::int32_t map, std::int32_t checks, warpdex_execution const* exec,
                          warpdex_index** loaded, warpdex_error* error) {
  constexpr auto call = "warpdex_load";
  return guarded(error, [&] {
    std::filesystem::path const file(&expect(call, "the path", path));
    auto const what = chosen(call, "the check", checks, check::none);
    make_index(call, exec, loaded, [&](execution const& on) { return index::load(file, on, map != 0, what); });
  });
}

std::int32_t warpdex_load_bytes(void const* bytes, std::uint64_t size, std::int32_t checks,
                                warpdex_execution const* exec, warpdex_index** loaded, warpdex_error* error) {
  constexpr auto call = "warpdex_load_bytes";
  return guarded(error, [&] {
    detail::expect_array(call, "the array of bytes", bytes, size);
    std::span const stored(static_cast<std::byte const*>(bytes), size);
    auto const what = chosen(call, "the check", checks, check::none);
    make_index(call, exec, loaded, [&](execution const& on) { return index::load(stored, on, what); });
  });
}

std::int32_t warpdex_save(warpdex_index const* from, char const* path, warpdex_error* error) {
  constexpr auto call = "warpdex_save";
  return guarded(error, [&] {
    auto const& saved = expect(call, "the index", from);
    place const here(call, nullptr, saved);
    saved.value.save(&expect(call, "the path", path));
  });
}

std::int32_t warpdex_save_bytes(warpdex_index const* from, warpdex_result* bytes, warpdex_error* error) {
  constexpr auto call = "warpdex_save_bytes";
  return guarded(error, [&] {
    auto const& saved = expect(call, "the index", from);
    auto& to = expect(call, "the result", bytes);
    place const here(call, nullptr, saved);
    auto const held = std::make_shared<std::vector<std::byte>>(saved.value.save());
    hand_over(to, {held->data(), held->size(), WARPDEX_U8}, {}, -1, held);
  });
}

std::int32_t warpdex_clone(warpdex_index const* from, warpdex_execution const* exec, warpdex_index** copied,
                           warpdex_error* error) {
  constexpr auto call = "warpdex_clone";
  return guarded(error, [&] {
    auto const& copied_from = expect(call, "the index", from);
    make_index(call, exec, copied, [&](place const& on) {
      if (copied_from.device < 0 || copied_from.device == on.device()) return copied_from.value.clone(on);
      auto on_host = [&] {
        device_scope const scope(copied_from.device);
        return copied_from.value.clone(execution());
      }();
      return on.device() < 0 ? std::move(on_host) : on_host.clone(on);
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
    auto const& value = expect(call, "the index", of).value;
    expect(call, "the place of the facts", facts) = {value.spec_text().c_str(),
                                                     value.size(),
                                                     value.memory().total(),
                                                     static_cast<std::int32_t>(value.key_type()),
                                                     array_of(row_column(nullptr, 0, value.row_type())).type,
                                                     static_cast<std::int32_t>(value.backend()),
                                                     value.ordered() ? 1 : 0};
  });
}

std::int32_t warpdex_verify(warpdex_index const* of, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_verify";
  return guarded(error, [&] {
    auto const& checked = expect(call, "the index", of);
    checked.value.verify(place(call, exec, checked));
  });
}

std::int32_t warpdex_look_up(warpdex_index const* in, char const* name, warpdex_probes const* probes,
                             warpdex_output const* outputs, std::uint64_t count, warpdex_execution const* exec,
                             warpdex_error* error) {
  constexpr auto call = "warpdex_look_up";
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", in);
    lookup const& what = lookup_of(call, name);
    key_ranges const query =
        ranges_of(what.name, expect(what.name, "the probes", probes), what.takes == probe_form::ranges);
    if (count > 2)
      throw invalid_argument(std::string(what.name) + ": " + std::to_string(count) + " outputs; 2 are most");
    if (count > 0) expect(what.name, "the array of outputs", outputs);
    auto const to = [&](std::size_t i) { return output_of(what.name, what.writes[i], outputs[i]); };
    place const on(what.name, exec, searched);
    if (count == 0) searched.value.look_up(what, query, {}, on);
    else if (count == 1) searched.value.look_up(what, query, {to(0)}, on);
    else searched.value.look_up(what, query, {to(0), to(1)}, on);
  });
}

std::int32_t warpdex_list(warpdex_index const* in, char const* name, warpdex_probes const* probes,
                          warpdex_execution const* exec, warpdex_result* rows, warpdex_error* error) {
  constexpr auto call = "warpdex_list";
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", in);
    lookup const& what = lookup_of(call, name);
    auto& to = expect(what.name, "the result", rows);
    key_ranges const query =
        ranges_of(what.name, expect(what.name, "the probes", probes), what.takes == probe_form::ranges);
    place const on(what.name, exec, searched);
    bool const traces = std::string(what.name) == lookups::ancestors.name;
    hand_over_matches(to,
                      traces
                          ? searched.value.ancestors(
                                *query.lower, valid_keys_of(what.name, "the column of parents", &probes->parents), on)
                          : searched.value.list(what, query, on),
                      searched.device);
  });
}

std::int32_t warpdex_join(warpdex_index const* right, warpdex_probes const* probes, warpdex_join_how const* how,
                          warpdex_execution const* exec, warpdex_result* pairs, warpdex_error* error) {
  constexpr auto call = asked_join::name;
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", right);
    auto& to = expect(call, "the result", pairs);
    asked_join const request(searched, probes, how);
    place const on(call, exec, searched);
    auto const held = std::make_shared<joined>(request.run(static_cast<execution const&>(on)));
    hand_over(to, array_of(held->left_rows()), array_of(held->right_rows()), device_of(searched, held->on_host), held);
  });
}

std::int32_t warpdex_join_batches(warpdex_index const* right, warpdex_probes const* probes, warpdex_join_how const* how,
                                  warpdex_sink sink, void* context, warpdex_execution const* exec,
                                  warpdex_error* error) {
  constexpr auto call = asked_join::name;
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", right);
    if (sink == nullptr) throw invalid_argument(std::string(call) + ": the sink is a null pointer");
    asked_join const request(searched, probes, how);
    place const on(call, exec, searched);
    join_sink const take = [&](join_batch const& batch) {
      auto const arrays = view_of(array_of(batch.left), array_of(batch.right), searched.device);
      if (std::int32_t const code = sink(context, &arrays); code != 0)
        throw cancelled(std::string(call) + ": the sink has ended the join with " + std::to_string(code));
    };
    request.run(take, static_cast<execution const&>(on));
  });
}

std::int32_t warpdex_join_asof(warpdex_index const* right, warpdex_column const* probes, warpdex_asof_how const* how,
                               warpdex_output const* rows, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_join_asof";
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", right);
    auto const query = keys_of(call, "the probe column", expect(call, "the probe column", probes));
    row_output const to = rows_out(call, rows);
    auto const options = options_of(call, how);
    join_asof(searched.value, query, to, place(call, exec, searched), options);
  });
}

std::int32_t warpdex_update(warpdex_index* changed, warpdex_column const* keys, warpdex_column const* rows,
                            warpdex_column const* erased, warpdex_execution const* exec, warpdex_counts* counts,
                            warpdex_error* error) {
  constexpr auto call = "warpdex_update";
  return guarded(error, [&] {
    auto& to = expect(call, "the index", changed);
    place const on(call, exec, to);
    auto const out = [&] { return valid_keys_of(call, "the column of erased keys", erased); };
    if (keys == nullptr && rows == nullptr) return tell(to.value.erase(out(), on), counts);
    column const in = valid_keys_of(call, "the key column", keys);
    row_column const ids = rows_of(call, rows);
    tell(erased == nullptr ? to.value.insert(in, ids, on) : to.value.update(in, ids, out(), on), counts);
  });
}

std::int32_t warpdex_insert_or_assign(warpdex_index* changed, warpdex_column const* keys, warpdex_column const* rows,
                                      warpdex_execution const* exec, warpdex_counts* counts, warpdex_error* error) {
  constexpr auto call = "warpdex_insert_or_assign";
  return guarded(error, [&] {
    auto& to = expect(call, "the index", changed);
    column const in = valid_keys_of(call, "the key column", keys);
    row_column const ids = rows_of(call, rows);
    tell(to.value.insert_or_assign(in, ids, place(call, exec, to)), counts);
  });
}

std::int32_t warpdex_copy(void* destination, void const* source, std::uint64_t bytes, warpdex_execution const* exec,
                          warpdex_error* error) {
  constexpr auto call = "warpdex_copy";
  return guarded(error, [&] { copy(destination, source, bytes, place(call, exec)); });
}
