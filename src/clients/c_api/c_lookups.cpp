// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "clients/c_api/border.hpp"

/// @file
/// The functions of warpdex.h that look up in indexes and join columns with them.
namespace warpdex::c {
namespace {

static_assert(WARPDEX_NEAREST == static_cast<int>(asof_strategy::nearest));
static_assert(sizeof(warpdex_asof_how) == 40 && sizeof(warpdex_asof_options) == 136);

[[noreturn]] void refuse_name(char const* call, std::string const& name, std::string const& known) {
  throw invalid_argument(std::string(call) + ": there is no lookup '" + name + "', but " + known);
}

lookup const& lookup_of(char const* call, std::string const& name) {
  std::string known;
  for (lookup const* const item : lookups::all) {
    if (name == item->name) return *item;
    known += (known.empty() ? "" : ", ") + std::string(item->name);
  }
  refuse_name(call, name, known);
}

/// A lookup as C asks for it.
struct question {
  char const* call;
  std::string name;
  warpdex_probes const* given;
  warpdex_execution const* exec;
  warpdex_index const& in;

  question(char const* by, warpdex_index const* index, char const* lookup, warpdex_probes const* probes,
           warpdex_execution const* where)
      : call(by), name((expect(by, "the index", index), &expect(by, "the name of the lookup", lookup))), given(probes),
        exec(where), in(*index) {}

  warpdex_probes const& probes() const { return expect(name.c_str(), "the probes", given); }
  place here() const { return place(name.c_str(), exec, in); }
  key_ranges query(lookup const& what) const {
    return ranges_of(what.name, probes(), what.takes == probe_form::ranges);
  }
  nullable_column groups() const { return keys_of(name.c_str(), "the column of groups", probes().groups); }
  nullable_column addresses() const { return keys_of(name.c_str(), "the column of addresses", probes().lower); }
  std::span<std::uint8_t const> lengths() const {
    return elements_of<std::uint8_t>(name.c_str(), "the column of lengths", probes().upper);
  }
  invalid_values invalid() const {
    return chosen(name.c_str(), "invalid_is_null", probes().lower_is, invalid_values::null);
  }
};

/// Runs `look_up` with the outputs of a lookup.
template <class LookUp>
void with_outputs(lookup const& what, warpdex_output const* from, std::uint64_t count, LookUp const& look_up) {
  if (count > 2) throw invalid_argument(std::string(what.name) + ": " + std::to_string(count) + " outputs; 2 are most");
  if (count > 0) expect(what.name, "the array of outputs", from);
  auto const to = [&](std::size_t i) { return output_of(what.name, what.writes[i], from[i]); };
  if (count == 0) look_up({});
  else if (count == 1) look_up({to(0)});
  else look_up({to(0), to(1)});
}

using outputs = std::initializer_list<lookup_output>;

/// The output of a lookup that has one.
warpdex_output const& only(question const& asked, warpdex_output const* from, std::uint64_t count) {
  if (count != 1) throw invalid_argument(asked.name + ": " + std::to_string(count) + " outputs; there must be 1");
  return expect(asked.name.c_str(), "the array of outputs", from);
}

void look_up_in(intervals const& in, question const& asked, warpdex_output const& to) {
  char const* const name = asked.name.c_str();
  auto const numbers = [&] { return elements_of<std::uint64_t>(name, "the output", &to); };
  place const on = asked.here();
  interval_probes const query = interval_probes_of(name, in, asked.probes());
  if (asked.name == "count") in.count(query, numbers(), on);
  else if (asked.name == "find") in.find(query, rows_out(name, &to), on);
  else if (asked.name != "coverage") refuse_name(asked.call, asked.name, "of intervals count, find and coverage");
  else if (to.type != WARPDEX_F64) in.coverage(query, numbers(), on);
  else in.coverage(query, elements_of<double>(name, "the output", &to), on);
}

void look_up_in(networks const& in, question const& asked, warpdex_output const& to) {
  if (asked.name != "find") refuse_name(asked.call, asked.name, "of networks find");
  place const on = asked.here();
  auto const rows = rows_out("find", &to);
  if (is_absent(asked.probes().upper)) in.find(asked.addresses(), rows, on, asked.invalid());
  else in.find(asked.addresses(), asked.lengths(), rows, on, asked.invalid());
}

void look_up_in(key_set const& in, question const& asked, warpdex_output const& to) {
  char const* const name = asked.name.c_str();
  bool const wants_rows = asked.name == "find";
  if (!wants_rows && asked.name != "contains") refuse_name(asked.call, asked.name, "of sets contains and find");
  nullable_column const probes = keys_of(name, "the column of probes", asked.probes().lower);
  if (wants_rows) return in.find(probes, elements_of<std::uint64_t>(name, "the output", &to), asked.here());
  in.contains(probes, elements_of<bool>(name, "the output", &to, WARPDEX_U8), asked.here());
}

matches listed_by(any_index const& in, question const& asked) {
  place const on = asked.here();
  if (asked.name == "rows_at")
    return in.rows_at(elements_of<std::uint64_t>("rows_at", "the column of ranks", asked.probes().lower), on);
  lookup const& what = lookup_of(asked.call, asked.name);
  auto const query = asked.query(what);
  if (asked.name != lookups::ancestors.name) return in.list(what, query, on);
  return in.ancestors(*query.lower, valid_keys_of(what.name, "the column of parents", &asked.probes().parents), on);
}

matches listed_by(networks const& in, question const& asked) {
  if (asked.name != "covering") refuse_name(asked.call, asked.name, "of networks covering");
  place const on = asked.here();
  if (is_absent(asked.probes().upper)) return in.covering(asked.addresses(), on, asked.invalid());
  return in.covering(asked.addresses(), asked.lengths(), on, asked.invalid());
}

/// What an index joins with, as C asks for it.
struct asked_join {
  static constexpr auto name = "warpdex_join";
  warpdex_index const& right;
  warpdex_probes const& probes;
  join_kind kind = join_kind::inner;
  bool on_ranges = false;
  join_options options = {};

  asked_join(warpdex_index const& with, warpdex_probes const* query, warpdex_join_how const* how)
      : right(with), probes(expect(name, "the probes", query)) {
    if (how == nullptr) return;
    kind = chosen(name, "the kind of the join", how->kind, join_kind::full);
    on_ranges = chosen(name, "what the join is on", how->on, std::int32_t{WARPDEX_ON_RANGES}) == WARPDEX_ON_RANGES;
    if (how->batch_pairs != 0) options.batch_pairs = how->batch_pairs;
  }

  /// @param to the sink, if there is one, and the place
  template <class Result, class... To> Result run(To const&... to) const {
    auto const ranges = [&] { return ranges_of(name, probes, on_ranges); };
    return with_kind<Result>(name, right,
                             for_kinds{[&](any_index const& in) {
                                         if (on_ranges) return join_between(in, ranges(), kind, to..., options);
                                         return join(in, *ranges().lower, kind, to..., options);
                                       },
                                       [&](grouped_index const& in) {
                                         auto query = ranges();
                                         if (!on_ranges) query.upper = query.lower;
                                         auto const groups = keys_of(name, "the column of groups", probes.groups);
                                         return join_between(in, groups, query, kind, to..., options);
                                       },
                                       [&](intervals const& in) {
                                         return in.join(interval_probes_of(name, in, probes), kind, to..., options);
                                       }});
  }
};

/// An as-of join as C asks for it.
struct asked_asof {
  char const* call;
  warpdex_index const& right;
  warpdex_probes const& probes;

  /// @param to what an as-of join takes between its probes and `exec`
  template <class Result, class... To>
  Result run(execution const& exec, asof_options const& options, To const&... to) const {
    auto const keys = keys_of(call, "the probe column", probes.lower);
    return with_kind<Result>(call, right,
                             for_kinds{[&](any_index const& in) { return join_asof(in, keys, to..., exec, options); },
                                       [&](grouped_index const& in) {
                                         auto const groups = keys_of(call, "the column of groups", probes.groups);
                                         return join_asof(in, groups, keys, to..., exec, options);
                                       }});
  }
};

void asof_rows(char const* call, warpdex_index const* right, warpdex_probes const& probes, asof_options const& options,
               warpdex_output const* rows, warpdex_execution const* exec) {
  asked_asof const asked{call, expect(call, "the index", right), probes};
  row_output const to = rows_out(call, rows);
  place const on(call, exec, asked.right);
  asked.run<void>(on, options, to);
}

/// Runs a join of two columns by a method.
template <class... To>
auto join_by(std::int32_t method, nullable_column const& left, nullable_column const& right, join_kind kind,
             To const&... to) {
  if (method == WARPDEX_BY_HASH) return hash_join(left, right, kind, to...);
  if (method == WARPDEX_BY_ORDER) return merge_join(left, right, kind, to...);
  return join(left, right, kind, to...);
}

}  // namespace
}  // namespace warpdex::c

using namespace warpdex;
using namespace warpdex::c;

std::int32_t warpdex_look_up(warpdex_index const* in, char const* name, warpdex_probes const* probes,
                             warpdex_output const* to, std::uint64_t count, warpdex_execution const* exec,
                             warpdex_error* error) {
  constexpr auto call = "warpdex_look_up";
  return guarded(error, [&] {
    question const asked(call, in, name, probes, exec);
    with_kind(
        call, asked.in,
        for_kinds{[&](any_index const& one) {
                    lookup const& what = lookup_of(call, asked.name);
                    auto const query = asked.query(what);
                    with_outputs(what, to, count, [&](outputs all) { one.look_up(what, query, all, asked.here()); });
                  },
                  [&](grouped_index const& one) {
                    lookup const& what = lookup_of(call, asked.name);
                    auto const query = asked.query(what);
                    with_outputs(what, to, count,
                                 [&](outputs all) { one.look_up(what, asked.groups(), query, all, asked.here()); });
                  },
                  [&](intervals const& one) { look_up_in(one, asked, only(asked, to, count)); },
                  [&](networks const& one) { look_up_in(one, asked, only(asked, to, count)); },
                  [&](key_set const& one) { look_up_in(one, asked, only(asked, to, count)); }});
  });
}

std::int32_t warpdex_list(warpdex_index const* in, char const* name, warpdex_probes const* probes,
                          warpdex_execution const* exec, warpdex_result* rows, warpdex_error* error) {
  constexpr auto call = "warpdex_list";
  return guarded(error, [&] {
    question const asked(call, in, name, probes, exec);
    auto& to = expect(asked.name.c_str(), "the result", rows);
    int const device = asked.here().device();
    hand_over_matches(
        to,
        with_kind<matches>(call, asked.in,
                           for_kinds{[&](any_index const& one) { return listed_by(one, asked); },
                                     [&](networks const& one) { return listed_by(one, asked); },
                                     [&](grouped_index const& one) {
                                       lookup const& what = lookup_of(call, asked.name);
                                       return one.list(what, asked.groups(), asked.query(what), asked.here());
                                     },
                                     [&](intervals const& one) {
                                       if (asked.name != "retrieve")
                                         refuse_name(call, asked.name, "of intervals retrieve");
                                       place const on = asked.here();
                                       return one.retrieve(interval_probes_of(call, one, asked.probes()), on);
                                     }}),
        device);
  });
}

std::int32_t warpdex_keys_at(warpdex_index const* in, warpdex_column const* ranks, warpdex_execution const* exec,
                             warpdex_result* keys, warpdex_error* error) {
  constexpr auto call = "warpdex_keys_at";
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", in);
    auto& to = expect(call, "the result", keys);
    auto const of = elements_of<std::uint64_t>(call, "the column of ranks", expect(call, "the column of ranks", ranks));
    place const on(call, exec, searched);
    hand_over_keys(to, with_kind<key_list>(call, searched, [&](any_index const& one) { return one.keys_at(of, on); }),
                   on.device());
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
    hand_over_pairs(to, request.run<joined>(on.exec()), on.device());
  });
}

std::int32_t warpdex_join_batches(warpdex_index const* right, warpdex_probes const* probes, warpdex_join_how const* how,
                                  warpdex_sink sink, void* context, warpdex_execution const* exec,
                                  warpdex_error* error) {
  constexpr auto call = asked_join::name;
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", right);
    asked_join const request(searched, probes, how);
    place const on(call, exec, searched);
    request.run<std::uint64_t>(sink_of(call, sink, context, on.device()), on.exec());
  });
}

std::int32_t warpdex_join_asof(warpdex_index const* right, warpdex_column const* probes, warpdex_asof_how const* how,
                               warpdex_output const* rows, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_join_asof";
  return guarded(error, [&] {
    warpdex_probes query{};
    query.lower = expect(call, "the probe column", probes);
    asof_rows(call, right, query, options_of(call, how), rows, exec);
  });
}

std::int32_t warpdex_asof(warpdex_index const* right, warpdex_probes const* probes, warpdex_asof_options const* options,
                          warpdex_output const* rows, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_asof";
  return guarded(error, [&] {
    asof_rows(call, right, expect(call, "the probes", probes), options_of(call, options), rows, exec);
  });
}

std::int32_t warpdex_asof_pairs(warpdex_index const* right, warpdex_probes const* probes,
                                warpdex_asof_options const* options, std::int32_t kind, warpdex_execution const* exec,
                                warpdex_result* pairs, warpdex_error* error) {
  constexpr auto call = "warpdex_asof_pairs";
  return guarded(error, [&] {
    asked_asof const asked{call, expect(call, "the index", right), expect(call, "the probes", probes)};
    auto const which = chosen(call, "the kind of the join", kind, join_kind::full);
    auto& to = expect(call, "the result", pairs);
    place const on(call, exec, asked.right);
    hand_over_pairs(to, asked.run<joined>(on, options_of(call, options), which), on.device());
  });
}

std::int32_t warpdex_asof_merge(warpdex_column const* left_groups, warpdex_column const* left,
                                warpdex_column const* right_groups, warpdex_column const* right,
                                warpdex_asof_options const* options, warpdex_output const* rows,
                                warpdex_execution const* exec, std::int32_t* ascend, warpdex_error* error) {
  constexpr auto call = "warpdex_asof_merge";
  return guarded(error, [&] {
    column const of = valid_keys_of(call, "the left column", left),
                 with = valid_keys_of(call, "the right column", right);
    row_output const to = rows_out(call, rows);
    auto& both = expect(call, "the place of the answer", ascend);
    auto const how = options_of(call, options);
    place const on(call, exec);
    if (left_groups == nullptr && right_groups == nullptr) {
      both = asof_merge(of, with, to, on, how) ? 1 : 0;
      return;
    }
    column const lefts = valid_keys_of(call, "the column of left groups", left_groups);
    column const rights = valid_keys_of(call, "the column of right groups", right_groups);
    both = asof_merge(lefts, of, rights, with, to, on, how) ? 1 : 0;
  });
}

std::int32_t warpdex_join_columns(warpdex_column const* left, warpdex_column const* right, warpdex_join_how const* how,
                                  std::int32_t by, warpdex_sink sink, void* context, warpdex_execution const* exec,
                                  warpdex_result* pairs, warpdex_error* error) {
  constexpr auto call = "warpdex_join_columns";
  return guarded(error, [&] {
    auto const lefts = keys_of(call, "the left column", left);
    auto const rights = keys_of(call, "the right column", right);
    warpdex_join_how const which = how == nullptr ? warpdex_join_how{} : *how;
    auto const kind = chosen(call, "the kind of the join", which.kind, join_kind::full);
    chosen(call, "what the join is on", which.on, std::int32_t{WARPDEX_ON_KEYS});
    auto const method = chosen(call, "what the join runs by", by, std::int32_t{WARPDEX_BY_ORDER});
    join_options options;
    if (which.batch_pairs != 0) options.batch_pairs = which.batch_pairs;
    place const on(call, exec);
    if (sink == nullptr) {
      auto& to = expect(call, "the result", pairs);
      return hand_over_pairs(to, join_by(method, lefts, rights, kind, on.exec(), options), on.device());
    }
    if (pairs != nullptr) throw invalid_argument(std::string(call) + ": there are a sink and a result for the pairs");
    join_by(method, lefts, rights, kind, sink_of(call, sink, context, on.device()), on.exec(), options);
  });
}

std::int32_t warpdex_first_match(warpdex_column const* left, warpdex_column const* right, warpdex_output const* rows,
                                 warpdex_output const* right_rows, warpdex_execution const* exec,
                                 warpdex_error* error) {
  constexpr auto call = "warpdex_first_match";
  return guarded(error, [&] {
    auto const lefts = keys_of(call, "the left column", left);
    auto const rights = keys_of(call, "the right column", right);
    std::optional<row_output> others;
    if (right_rows != nullptr) others = rows_out(call, right_rows);
    row_output const to = rows_out(call, rows);
    first_match(lefts, rights, to, place(call, exec), others);
  });
}
