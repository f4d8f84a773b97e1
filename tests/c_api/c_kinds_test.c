/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#include <warpdex/warpdex.h>

#include <stdlib.h>
#include <string.h>

#include "expect.h"

/// @file
/// Indexes of all kinds as C calls them: grouped and sharded ones, intervals, networks and aggregates; what needs no
/// index; controls. Answers are those of a scan over all entries.
enum { N = 300, PROBES = 120, GROUPS = 7 };

static uint32_t groups[N], starts[N], ends[N], probe_groups[PROBES], probes[PROBES], probe_ends[PROBES];
static double amounts[N];
static int64_t points[N];

static uint32_t drawn(uint32_t below) {
  static uint64_t state = 71;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

static void draw(void) {
  for (int i = 0; i < N; ++i) {
    groups[i] = drawn(GROUPS);
    starts[i] = drawn(200);
    ends[i] = starts[i] + drawn(20);
    amounts[i] = drawn(1000) / 8.0;
    points[i] = (int64_t)drawn(2000) - 1000;
  }
  for (int i = 0; i < PROBES; ++i) {
    probe_groups[i] = drawn(GROUPS + 1);
    probes[i] = drawn(220);
    probe_ends[i] = probes[i] + drawn(10);
  }
}

static warpdex_column of(void const* data, uint64_t size, int32_t type) {
  warpdex_column result = {0};
  result.data = data;
  result.size = size;
  result.type = type;
  return result;
}

static warpdex_output to(void* data, uint64_t size, int32_t type) {
  warpdex_output const result = {data, size, type, 0};
  return result;
}

static warpdex_probes asked(int with_ends, int with_groups) {
  warpdex_probes result;
  memset(&result, 0, sizeof result);
  result.lower = of(probes, PROBES, WARPDEX_U32);
  if (with_ends) result.upper = of(probe_ends, PROBES, WARPDEX_U32);
  if (with_groups) result.groups = of(probe_groups, PROBES, WARPDEX_U32);
  return result;
}

/// Saves an index, reads it from its file and from its bytes, and copies it. @return the copy, in its place
static warpdex_index* kept(warpdex_index* index, int32_t kind, int32_t group_type) {
  int32_t found = -1, type = -2;
  EXPECT_OK(warpdex_kind(index, &found, &type, &error));
  EXPECT(found == kind && type == group_type);
  warpdex_facts before, after;
  warpdex_index *loaded = NULL, *again = NULL, *copied = NULL;
  warpdex_result bytes;
  EXPECT_OK(warpdex_describe(index, &before, &error));
  EXPECT_OK(warpdex_save(index, "c_kinds_test.wdx", &error));
  EXPECT_OK(warpdex_load("c_kinds_test.wdx", 1, WARPDEX_CHECK_ALL, NULL, &loaded, &error));
  EXPECT_OK(warpdex_save_bytes(loaded, &bytes, &error));
  EXPECT_OK(warpdex_load_bytes(bytes.first, bytes.first_size, WARPDEX_CHECK_ALL, NULL, &again, &error));
  EXPECT_OK(warpdex_clone(again, NULL, &copied, &error));
  EXPECT_OK(warpdex_kind(copied, &found, NULL, &error));
  EXPECT_OK(warpdex_describe(copied, &after, &error));
  EXPECT(found == kind && before.size == after.size && before.key_type == after.key_type);
  warpdex_release(&bytes);
  warpdex_free(again);
  warpdex_free(loaded);
  warpdex_free(index);
  remove("c_kinds_test.wdx");
  return copied;
}

static warpdex_index* plain(void) {
  warpdex_column const k = of(starts, N, WARPDEX_U32);
  warpdex_index* result = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &k, NULL, NULL, &result, &error));
  return result;
}

static int in_group(int i, int row) { return groups[row] == probe_groups[i]; }

static void test_grouped(void) {
  warpdex_column const g = of(groups, N, WARPDEX_U32), k = of(starts, N, WARPDEX_U32);
  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_build_grouped("AO+BS", &g, &k, NULL, &index, &error));
  index = kept(index, WARPDEX_GROUPED, WARPDEX_U32);
  warpdex_probes const points_of = asked(0, 1), ranges = asked(1, 1);
  uint64_t counts[PROBES];
  uint32_t floors[PROBES], near[PROBES], found[PROBES];
  warpdex_output const count_to = to(counts, PROBES, WARPDEX_U64), near_to = to(near, PROBES, WARPDEX_U32);
  warpdex_output const find_to = to(found, PROBES, WARPDEX_U32);
  warpdex_output const floor_to[] = {to(floors, PROBES, WARPDEX_U32), to(NULL, 0, 0)};
  EXPECT_OK(warpdex_look_up(index, "range_count", &ranges, &count_to, 1, NULL, &error));
  EXPECT_OK(warpdex_look_up(index, "floor", &points_of, floor_to, 2, NULL, &error));
  EXPECT_OK(warpdex_look_up(index, "find", &points_of, &find_to, 1, NULL, &error));
  EXPECT_OK(warpdex_asof(index, &points_of, NULL, &near_to, NULL, &error));
  EXPECT(memcmp(floors, near, sizeof near) == 0);
  warpdex_result rows, pairs, semi;
  EXPECT_OK(warpdex_list(index, "range_retrieve", &ranges, NULL, &rows, &error));
  warpdex_join_how how = {WARPDEX_INNER, WARPDEX_ON_RANGES, 0};
  EXPECT_OK(warpdex_join(index, &ranges, &how, NULL, &pairs, &error));
  EXPECT(pairs.first_size == rows.second_size);
  how.kind = WARPDEX_SEMI;
  how.on = WARPDEX_ON_KEYS;
  EXPECT_OK(warpdex_join(index, &points_of, &how, NULL, &semi, &error));
  uint64_t matched = 0;
  for (int i = 0; i < PROBES; ++i) {
    uint64_t count = 0;
    int floor = -1, first = -1;
    for (int j = 0; j < N; ++j) {
      if (!in_group(i, j)) continue;
      count += probes[i] <= starts[j] && starts[j] <= probe_ends[i];
      if (starts[j] <= probes[i] && (floor < 0 || starts[j] > starts[floor])) floor = j;
      if (starts[j] == probes[i] && first < 0) first = j;
    }
    uint64_t const* const offsets = rows.first;
    EXPECT(counts[i] == count && offsets[i + 1] - offsets[i] == count && found[i] == (uint32_t)first);
    EXPECT(floors[i] == (uint32_t)floor);
    matched += first >= 0;
  }
  EXPECT(semi.first_size == matched);
  warpdex_release(&semi);
  warpdex_release(&pairs);
  warpdex_release(&rows);
  EXPECT_OK(warpdex_asof_pairs(index, &points_of, NULL, WARPDEX_LEFT, NULL, &pairs, &error));
  EXPECT(pairs.first_size >= PROBES);
  warpdex_release(&pairs);

  warpdex_execution const cpus[] = {{0}, {0}};
  warpdex_shards_how const spread = {cpus, 2, WARPDEX_RANGE, 3};
  warpdex_index* shards = NULL;
  uint64_t spread_counts[PROBES];
  uint32_t spread_near[PROBES];
  warpdex_output const spread_count_to = to(spread_counts, PROBES, WARPDEX_U64);
  warpdex_output const spread_near_to = to(spread_near, PROBES, WARPDEX_U32);
  EXPECT_OK(warpdex_build_grouped_sharded("AO+BS", &g, &k, &spread, &shards, &error));
  EXPECT_OK(warpdex_look_up(shards, "range_count", &ranges, &spread_count_to, 1, NULL, &error));
  EXPECT_OK(warpdex_asof(shards, &points_of, NULL, &spread_near_to, NULL, &error));
  EXPECT(memcmp(counts, spread_counts, sizeof counts) == 0 && memcmp(near, spread_near, sizeof near) == 0);
  EXPECT(warpdex_save(shards, "c_kinds_test.grouped", &error) == WARPDEX_UNSUPPORTED);
  warpdex_facts spread_facts;
  EXPECT_OK(warpdex_describe(shards, &spread_facts, &error));
  EXPECT(spread_facts.size == N);
  warpdex_free(shards);

  uint32_t const new_group[] = {3}, new_key[] = {777}, new_row[] = {N};
  warpdex_column const ng = of(new_group, 1, WARPDEX_U32), nk = of(new_key, 1, WARPDEX_U32);
  warpdex_column const nr = of(new_row, 1, WARPDEX_U32);
  warpdex_change change = {&nk, &nr, NULL, &ng, NULL, 0, 0};
  warpdex_counts changed;
  EXPECT_OK(warpdex_apply(index, &change, NULL, &changed, &error));
  EXPECT(changed.inserted == 1);
  change.assigns = 1;
  EXPECT_OK(warpdex_apply(index, &change, NULL, NULL, &error));
  warpdex_change const gone = {NULL, NULL, &nk, NULL, &ng, 0, 0};
  EXPECT_OK(warpdex_apply(index, &gone, NULL, &changed, &error));
  EXPECT(changed.erased == 1);
  change.groups = NULL;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "groups", warpdex_apply(index, &change, NULL, NULL, &error));
  EXPECT_OK(warpdex_widen_rows(index, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_look_up(index, "find", &points_of, &find_to, 1, NULL, &error));
  uint64_t greatest = 0;
  EXPECT_OK(warpdex_greatest_row(index, NULL, &greatest, &error));
  EXPECT(greatest < N && greatest + 9 > N);
  EXPECT_OK(warpdex_verify(index, NULL, &error));
  warpdex_free(index);
}

/// Rows of 64 bits, which hold a file and a position.
static void test_wide_rows(void) {
  uint64_t rows[N], found[PROBES], more[] = {(uint64_t)9 << 40 | 77};
  uint32_t const key[] = {100000};
  for (int i = 0; i < N; ++i) rows[i] = (uint64_t)(i % 5) << 40 | (uint64_t)i;
  warpdex_column const k = of(starts, N, WARPDEX_U32), r = of(rows, N, WARPDEX_U64);
  warpdex_column const nk = of(key, 1, WARPDEX_U32), nr = of(more, 1, WARPDEX_U64);
  warpdex_execution const two[] = {{0}, {0}};
  warpdex_shards_how const how = {two, 2, WARPDEX_RANGE, 3};
  for (int sharded = 0; sharded < 2; ++sharded) {
    warpdex_index* index = NULL;
    if (sharded) EXPECT_OK(warpdex_build_sharded("B+(16)", &k, &r, &how, &index, &error));
    else EXPECT_OK(warpdex_build("B+(16)", &k, &r, NULL, &index, &error));
    warpdex_counts changed;
    EXPECT_OK(warpdex_update(index, &nk, &nr, NULL, NULL, &changed, &error));
    EXPECT(changed.inserted == 1);
    warpdex_facts facts;
    EXPECT_OK(warpdex_describe(index, &facts, &error));
    EXPECT(facts.row_type == WARPDEX_U64 && facts.size == N + 1);
    warpdex_probes const query = asked(0, 0);
    warpdex_output const out = to(found, PROBES, WARPDEX_U64);
    EXPECT_OK(warpdex_look_up(index, "find", &query, &out, 1, NULL, &error));
    for (int i = 0; i < PROBES; ++i) {
      uint64_t least = UINT64_MAX;
      for (int j = 0; j < N; ++j)
        if (starts[j] == probes[i] && rows[j] < least) least = rows[j];
      EXPECT(found[i] == least);
    }
    uint64_t greatest = 0;
    EXPECT_OK(warpdex_greatest_row(index, NULL, &greatest, &error));
    EXPECT(greatest == more[0]);
    warpdex_free(index);
  }
}

static void test_sharded(void) {
  warpdex_column const k = of(starts, N, WARPDEX_U32);
  warpdex_execution const places[] = {{0}, {0}};
  warpdex_shards_how how = {places, 2, WARPDEX_RANGE, 4};
  warpdex_index *index = NULL, *one = plain(), *other = NULL;
  EXPECT_OK(warpdex_build_sharded("AO+BS", &k, NULL, &how, &index, &error));
  EXPECT_OK(warpdex_save(index, "c_kinds_test.shards", &error));
  warpdex_free(index);
  EXPECT_OK(warpdex_load("c_kinds_test.shards", 0, 0, NULL, &other, &error));
  EXPECT_OK(warpdex_load_sharded("c_kinds_test.shards", 0, WARPDEX_CHECK_ALL, &how, &index, &error));
  warpdex_probes const ranges = asked(1, 0);
  uint64_t sums[3][PROBES];
  warpdex_index* const all[] = {index, other, one};
  for (int i = 0; i < 3; ++i) {
    warpdex_output const out = to(sums[i], PROBES, WARPDEX_U64);
    EXPECT_OK(warpdex_look_up(all[i], "range_sum", &ranges, &out, 1, NULL, &error));
    EXPECT(memcmp(sums[i], sums[0], sizeof sums[0]) == 0);
    uint64_t const ranks[] = {0, N - 1, 17};
    warpdex_probes at;
    memset(&at, 0, sizeof at);
    at.lower = of(ranks, 3, WARPDEX_U64);
    warpdex_result keys, rows;
    EXPECT_OK(warpdex_keys_at(all[i], &at.lower, NULL, &keys, &error));
    EXPECT_OK(warpdex_list(all[i], "rows_at", &at, NULL, &rows, &error));
    EXPECT(keys.first_size == 3 && rows.second_size == 3 && keys.first_type == WARPDEX_U32);
    for (int j = 0; j < 3; ++j) EXPECT(starts[((uint32_t const*)rows.second)[j]] == ((uint32_t const*)keys.first)[j]);
    warpdex_release(&rows);
    warpdex_release(&keys);
  }
  warpdex_result text;
  EXPECT_OK(warpdex_explain(index, 1000, &text, &error));
  EXPECT(text.first_type == WARPDEX_U8 && text.first_size > 20);
  warpdex_release(&text);
  EXPECT_OK(warpdex_verify(index, NULL, &error));
  int32_t kind = -1;
  EXPECT_OK(warpdex_kind(other, &kind, NULL, &error));
  EXPECT(kind == WARPDEX_SHARDED);
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "sharded", warpdex_clone(index, NULL, &other, &error));
  warpdex_join_how const on_ranges = {WARPDEX_INNER, WARPDEX_ON_RANGES, 0};
  warpdex_result pairs;
  EXPECT_OK(warpdex_join(index, &ranges, &on_ranges, NULL, &pairs, &error));
  EXPECT_OK(warpdex_join(one, &ranges, &on_ranges, NULL, &text, &error));
  EXPECT(pairs.first_size == text.first_size && pairs.second_size == pairs.first_size && pairs.first_size > 0);
  EXPECT(memcmp(pairs.second, text.second, pairs.first_size * sizeof(uint32_t)) == 0);
  warpdex_release(&pairs);
  warpdex_release(&text);
  how.count = 0;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_build_sharded("AO+BS", &k, NULL, &how, &one, &error));
  for (int i = 0; i < 3; ++i) warpdex_free(all[i]);
  if (system("rm -r c_kinds_test.shards") != 0) ++failures;
}

static void test_intervals(void) {
  warpdex_column const g = of(groups, N, WARPDEX_U32), s = of(starts, N, WARPDEX_U32), e = of(ends, N, WARPDEX_U32);
  for (int grouped = 0; grouped < 2; ++grouped) {
    warpdex_index* index = NULL;
    EXPECT_OK(warpdex_build_intervals(grouped ? &g : NULL, &s, &e, NULL, NULL, &index, &error));
    index = kept(index, WARPDEX_INTERVALS, grouped ? WARPDEX_U32 : -1);
    uint64_t counts[PROBES];
    warpdex_output const count_to = to(counts, PROBES, WARPDEX_U64);
    for (int with_ends = 0; with_ends < 2; ++with_ends) {
      warpdex_probes const query = asked(with_ends, grouped);
      warpdex_result rows, pairs;
      EXPECT_OK(warpdex_look_up(index, "count", &query, &count_to, 1, NULL, &error));
      EXPECT_OK(warpdex_list(index, "retrieve", &query, NULL, &rows, &error));
      EXPECT_OK(warpdex_join(index, &query, NULL, NULL, &pairs, &error));
      uint64_t total = 0;
      for (int i = 0; i < PROBES; ++i) {
        uint64_t count = 0;
        for (int j = 0; j < N; ++j) {
          uint32_t const last = with_ends ? probe_ends[i] : probes[i];
          count += starts[j] <= last && probes[i] <= ends[j] && (!grouped || in_group(i, j));
        }
        EXPECT(counts[i] == count);
        total += count;
      }
      EXPECT(rows.second_size == total && pairs.first_size == total);
      warpdex_release(&pairs);
      warpdex_release(&rows);
    }
    warpdex_probes const query = asked(1, grouped);
    warpdex_result rows, distances, more;
    EXPECT_OK(warpdex_nearest(index, &query, 2, WARPDEX_SIDE_BOTH, 1, NULL, &rows, &distances, &error));
    EXPECT(distances.first_type == WARPDEX_U64 && distances.first_size == rows.second_size);
    uint64_t const* const offsets = rows.first;
    uint32_t const* const near = rows.second;
    for (int i = 0; i < PROBES; ++i)
      for (uint64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
        uint32_t const row = near[j];
        uint32_t const away = ends[row] < probes[i] ? probes[i] - ends[row] : starts[row] - probe_ends[i];
        EXPECT(((uint64_t const*)distances.first)[j] == away);
      }
    warpdex_release(&distances);
    warpdex_release(&rows);
    EXPECT_OK(warpdex_merge(index, NULL, &rows, &more, &error));
    EXPECT(more.second_size == N && more.first_size == rows.first_size && rows.first_size == rows.second_size);
    warpdex_release(&more);
    warpdex_release(&rows);
    EXPECT_OK(warpdex_gaps(index, &query, NULL, &rows, &more, &error));
    EXPECT(more.first_size == rows.second_size);
    warpdex_release(&more);
    warpdex_release(&rows);
    EXPECT_OK(warpdex_look_up(index, "coverage", &query, &count_to, 1, NULL, &error));
    EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "seek", warpdex_look_up(index, "seek", &query, &count_to, 1, NULL, &error));
    EXPECT_CODE(WARPDEX_UNSUPPORTED, "intervals", warpdex_verify(index, NULL, &error));
    warpdex_free(index);
  }
}

static void test_networks(void) {
  char const texts[] = "10.0.0.0/810.1.0.0/16nonsense";
  uint32_t const offsets[] = {0, 10, 21, 29};
  uint32_t const addresses[] = {0x0a000000, 0x0a010000}, ips[] = {0x0a010203, 0x0a020304, 0x0b000000};
  uint8_t const lengths[] = {8, 16}, asked_lengths[] = {24, 32, 8};
  warpdex_column text = of(texts, 2, WARPDEX_BYTES);
  text.offsets = offsets;
  text.offset_bytes = 4;
  text.bytes = sizeof texts - 1;
  warpdex_column const numbers = of(addresses, 2, WARPDEX_U32);
  for (int by_text = 0; by_text < 2; ++by_text) {
    warpdex_index* index = NULL;
    EXPECT_OK(warpdex_build_networks(by_text ? &text : &numbers, by_text ? NULL : lengths, NULL, NULL, &index, &error));
    index = kept(index, WARPDEX_NETWORKS, -1);
    warpdex_probes query;
    memset(&query, 0, sizeof query);
    query.lower = of(ips, 3, WARPDEX_U32);
    uint32_t rows[3];
    warpdex_output const out = to(rows, 3, WARPDEX_U32);
    for (int with_lengths = 0; with_lengths < 2; ++with_lengths) {
      EXPECT_OK(warpdex_look_up(index, "find", &query, &out, 1, NULL, &error));
      EXPECT(rows[0] == 1 && rows[1] == 0 && rows[2] == UINT32_MAX);
      warpdex_result listed;
      EXPECT_OK(warpdex_list(index, "covering", &query, NULL, &listed, &error));
      EXPECT(listed.second_size == 3);
      warpdex_release(&listed);
      query.upper = of(asked_lengths, 3, WARPDEX_U8);
    }
    EXPECT_OK(warpdex_verify(index, NULL, &error));
    warpdex_free(index);
  }
  _Alignas(16) uint8_t parsed[3][16];
  uint8_t sizes[3], valid[3];
  warpdex_output const a = to(parsed, 3, WARPDEX_U128), l = to(sizes, 3, WARPDEX_U8), v = to(valid, 3, WARPDEX_U8);
  text.size = 3;
  EXPECT_OK(warpdex_parse_networks(&text, 0, &a, &l, &v, NULL, &error));
  EXPECT(valid[0] == 1 && valid[1] == 1 && valid[2] == 0 && sizes[1] == 16 && parsed[1][3] == 10 && parsed[1][2] == 1);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "nonsense", warpdex_parse_networks(&text, 0, &a, &l, NULL, NULL, &error));
  warpdex_index* index = NULL;
  warpdex_network_how const nulls = {"AO+BS", 0, 1};
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "nonsense", warpdex_build_networks(&text, NULL, NULL, NULL, &index, &error));
  EXPECT_OK(warpdex_build_networks(&text, NULL, &nulls, NULL, &index, &error));
  warpdex_free(index);
}

static void test_aggregates(void) {
  warpdex_index* const index = plain();
  warpdex_probes const ranges = asked(1, 0), keys = asked(0, 0);
  warpdex_column const whole = of(points, N, WARPDEX_I64), real = of(amounts, N, WARPDEX_F64);
  warpdex_index *sums = NULL, *reals = NULL;
  EXPECT_OK(warpdex_build_aggregates(index, &whole, WARPDEX_MOMENTS_FIRST, NULL, &sums, &error));
  EXPECT_OK(warpdex_build_aggregates(index, &real, WARPDEX_MOMENTS_SECOND, NULL, &reals, &error));
  sums = kept(sums, WARPDEX_AGGREGATES, -1);
  _Alignas(16) warpdex_aggregate_i128 of_ranges[PROBES];
  warpdex_aggregate_f64 of_keys[PROBES];
  warpdex_output const whole_to = to(of_ranges, PROBES, WARPDEX_I128), real_to = to(of_keys, PROBES, WARPDEX_F64);
  EXPECT_OK(warpdex_aggregate(sums, index, &ranges, WARPDEX_ON_RANGES, &whole_to, NULL, &error));
  EXPECT_OK(warpdex_aggregate(reals, index, &keys, WARPDEX_ON_KEYS, &real_to, NULL, &error));
  warpdex_result rows, values;
  EXPECT_OK(warpdex_top_k(sums, index, &ranges, 1, 0, NULL, &rows, &values, &error));
  EXPECT(values.first_type == WARPDEX_I128 && values.first_size == rows.second_size);
  for (int i = 0; i < PROBES; ++i) {
    int64_t sum = 0, most = INT64_MIN;
    uint64_t count = 0;
    double real_sum = 0;
    for (int j = 0; j < N; ++j) {
      if (probes[i] == starts[j]) real_sum += amounts[j];
      if (starts[j] < probes[i] || probe_ends[i] < starts[j]) continue;
      sum += points[j];
      ++count;
      if (points[j] > most) most = points[j];
    }
    EXPECT(of_ranges[i].sum.low == (uint64_t)sum && of_ranges[i].sum.high == (sum < 0 ? -1 : 0));
    EXPECT(of_ranges[i].count == count && of_keys[i].sum == real_sum);
    uint64_t const* const offsets = rows.first;
    EXPECT(offsets[i + 1] - offsets[i] == (count != 0));
    EXPECT(count == 0 || ((warpdex_i128 const*)values.first)[offsets[i]].low == (uint64_t)most);
  }
  warpdex_release(&values);
  warpdex_release(&rows);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "type number",
              warpdex_aggregate(sums, index, &ranges, WARPDEX_ON_RANGES, &real_to, NULL, &error));
  warpdex_output const odd = to((char*)of_ranges + 8, PROBES - 1, WARPDEX_I128);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "multiple of 16",
              warpdex_aggregate(sums, index, &ranges, WARPDEX_ON_RANGES, &odd, NULL, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "take an index",
              warpdex_aggregate(index, index, &ranges, WARPDEX_ON_RANGES, &odd, NULL, &error));
  warpdex_free(reals);
  warpdex_free(sums);
  warpdex_free(index);
}

static int32_t add_up(void* context, warpdex_result const* batch) {
  *(uint64_t*)context += batch->first_size;
  return 0;
}

static void test_columns(void) {
  warpdex_column const left = of(probes, PROBES, WARPDEX_U32), right = of(starts, N, WARPDEX_U32);
  warpdex_result pairs, rows, more;
  uint64_t count = 0, summed = 0;
  for (int i = 0; i < PROBES; ++i)
    for (int j = 0; j < N; ++j) count += probes[i] == starts[j];
  EXPECT_OK(warpdex_join_columns(&left, &right, NULL, WARPDEX_BY_ORDER_OR_HASH, NULL, NULL, NULL, &pairs, &error));
  EXPECT(pairs.first_size == count);
  warpdex_release(&pairs);
  EXPECT_OK(warpdex_join_columns(&left, &right, NULL, WARPDEX_BY_HASH, add_up, &summed, NULL, NULL, &error));
  EXPECT(summed == count);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "",
              warpdex_join_columns(&left, &right, NULL, WARPDEX_BY_ORDER, NULL, NULL, NULL, &pairs, &error));

  uint32_t matches[PROBES], own[N];
  warpdex_output const match_to = to(matches, PROBES, WARPDEX_U32), own_to = to(own, N, WARPDEX_U32);
  EXPECT_OK(warpdex_first_match(&left, &right, &match_to, &own_to, NULL, &error));
  uint8_t repeats[N];
  warpdex_output const flags = to(repeats, N, WARPDEX_U8);
  EXPECT_OK(warpdex_duplicates(&right, 1, WARPDEX_KEEP_FIRST, &flags, NULL, &error));
  EXPECT_OK(warpdex_unique(&right, 1, WARPDEX_KEEP_FIRST, NULL, &rows, &more, &error));
  EXPECT(more.first_size == N && more.second_size == rows.first_size);
  uint64_t kept_rows = 0;
  for (uint32_t j = 0; j < N; ++j) {
    EXPECT(repeats[j] == (own[j] != j));
    if (own[j] != j) continue;
    EXPECT(((uint32_t const*)rows.first)[kept_rows] == j);
    ++kept_rows;
  }
  EXPECT(kept_rows == rows.first_size);
  warpdex_release(&more);
  warpdex_release(&rows);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_unique(&right, 0, 0, NULL, &rows, NULL, &error));

  uint32_t const ascending[] = {10, 20, 30, 40}, times[] = {5, 20, 35, 99};
  uint32_t rows_of[8];
  warpdex_column const l = of(times, 4, WARPDEX_U32), r = of(ascending, 4, WARPDEX_U32);
  warpdex_output near = to(rows_of, 4, WARPDEX_U32);
  int32_t ascend = -1;
  EXPECT_OK(warpdex_asof_merge(NULL, &l, NULL, &r, NULL, &near, NULL, &ascend, &error));
  EXPECT(ascend == 1 && rows_of[0] == UINT32_MAX && rows_of[1] == 1 && rows_of[2] == 2 && rows_of[3] == 3);
  EXPECT_OK(warpdex_asof_merge(&l, &l, &r, &r, NULL, &near, NULL, &ascend, &error));
  EXPECT_OK(warpdex_asof_merge(NULL, &left, NULL, &r, NULL, &match_to, NULL, &ascend, &error));
  EXPECT(ascend == 0);

  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &r, NULL, NULL, &index, &error));
  int64_t const offsets[] = {0, 15};
  warpdex_asof_options options;
  memset(&options, 0, sizeof options);
  options.offsets = offsets;
  options.offset_count = 2;
  warpdex_probes query;
  memset(&query, 0, sizeof query);
  query.lower = l;
  near = to(rows_of, 8, WARPDEX_U32);
  EXPECT_OK(warpdex_asof(index, &query, &options, &near, NULL, &error));
  EXPECT(rows_of[0] == UINT32_MAX && rows_of[4] == 1 && rows_of[5] == 2 && rows_of[7] == 3);
  int32_t unique = 0;
  EXPECT_OK(warpdex_is_unique(index, NULL, &unique, &error));
  EXPECT(unique == 1);
  warpdex_free(index);
}

static void test_marks(void) {
  uint32_t found[(N + 31) / 32] = {0}, others[(N + 31) / 32] = {0}, listed[N];
  warpdex_output const marks = to(found, (N + 31) / 32, WARPDEX_U32), with = to(others, (N + 31) / 32, WARPDEX_U32);
  warpdex_index *index = plain(), *spans = NULL;
  warpdex_column const s = of(starts, N, WARPDEX_U32), e = of(ends, N, WARPDEX_U32);
  EXPECT_OK(warpdex_build_intervals(NULL, &s, &e, NULL, NULL, &spans, &error));
  warpdex_probes query;
  memset(&query, 0, sizeof query);
  query.lower = of(probes, 5, WARPDEX_U32);
  query.upper = of(probe_ends, 5, WARPDEX_U32);
  EXPECT_OK(warpdex_mark(index, &query, WARPDEX_ON_RANGES, &marks, N, NULL, &error));
  EXPECT_OK(warpdex_mark(spans, &query, WARPDEX_ON_KEYS, &with, N, NULL, &error));
  uint64_t counts[2], both = 0;
  EXPECT_OK(warpdex_marked(&marks, N, NULL, NULL, &counts[0], &error));
  warpdex_output to_rows = to(listed, counts[0], WARPDEX_U32);
  EXPECT_OK(warpdex_marked(&marks, N, &to_rows, NULL, &counts[0], &error));
  EXPECT_OK(warpdex_change_marks(&marks, N, WARPDEX_MARKS_BOTH, &with, NULL, &error));
  EXPECT_OK(warpdex_marked(&marks, N, NULL, NULL, &counts[1], &error));
  uint64_t next = 0;
  for (uint32_t j = 0; j < N; ++j) {
    int within = 0, over = 0;
    for (int i = 0; i < 5; ++i) {
      within |= probes[i] <= starts[j] && starts[j] <= probe_ends[i];
      over |= starts[j] <= probe_ends[i] && probes[i] <= ends[j];
    }
    both += within && over;
    if (within) EXPECT(next < counts[0] && listed[next++] == j);
  }
  EXPECT(next == counts[0] && both == counts[1]);
  EXPECT_OK(warpdex_change_marks(&marks, N, WARPDEX_MARKS_ALL, NULL, NULL, &error));
  EXPECT_OK(warpdex_change_marks(&marks, N, WARPDEX_MARKS_INVERT, NULL, NULL, &error));
  uint32_t const some[] = {0, N - 1, 0};
  warpdex_column const rows = of(some, 3, WARPDEX_U32);
  EXPECT_OK(warpdex_mark_rows(&rows, &marks, N, NULL, &error));
  EXPECT_OK(warpdex_marked(&marks, N, NULL, NULL, &counts[0], &error));
  EXPECT(counts[0] == 2);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "299", warpdex_mark_rows(&rows, &marks, N - 1, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 6", warpdex_change_marks(&marks, N, 6, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null", warpdex_change_marks(&marks, N, 4, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_mark(index, &query, 1, &marks, 10 * N, NULL, &error));
  warpdex_free(spans);
  warpdex_free(index);
}

static void test_gather(void) {
  uint64_t const table[] = {1, 2, 3, 4, 5, 6};
  uint32_t const rows[] = {2, UINT32_MAX, 0, 2};
  uint64_t const expected[] = {5, 6, 0, 0, 1, 2, 5, 6};
  uint64_t found[8];
  warpdex_column wanted = of(rows, 4, WARPDEX_U32);
  EXPECT_OK(warpdex_gather_rows(table, 3, 16, &wanted, found, NULL, &error));
  EXPECT(memcmp(found, expected, sizeof found) == 0);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_gather_rows(table, 2, 16, &wanted, found, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_gather_rows(table, 3, 0, &wanted, found, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null", warpdex_gather_rows(NULL, 3, 16, &wanted, found, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null", warpdex_gather_rows(table, 3, 16, &wanted, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null", warpdex_gather_rows(table, 3, 16, NULL, found, NULL, &error));
}

struct work {
  int32_t code;
  warpdex_index* made;
};

static void build_one(void* context) {
  struct work* const work = context;
  static uint32_t many[1 << 20];
  for (int i = 0; i < 1 << 20; ++i) many[i] = drawn(1 << 30);
  warpdex_column const k = of(many, 1 << 20, WARPDEX_U32);
  work->code = warpdex_build("AO+BS", &k, NULL, NULL, &work->made, &error);
}

static void test_controls(void) {
  warpdex_control* control = NULL;
  struct work work = {-1, NULL};
  EXPECT_OK(warpdex_control_make(&control, &error));
  EXPECT(warpdex_control_done(control) == 0 && warpdex_control_done(NULL) == 0);
  EXPECT_OK(warpdex_under(control, build_one, &work, &error));
  EXPECT(work.code == WARPDEX_OK && warpdex_control_done(control) == 1);
  warpdex_free(work.made);
  work.made = NULL;
  warpdex_control_stop(control);
  EXPECT_OK(warpdex_under(control, build_one, &work, &error));
  EXPECT(work.code == WARPDEX_CANCELLED && work.made == NULL);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_under(control, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_under(NULL, build_one, &work, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_control_make(NULL, &error));
  warpdex_control_stop(NULL);
  warpdex_control_free(NULL);
  warpdex_control_free(control);
}

int main(void) {
  draw();
  test_grouped();
  test_wide_rows();
  test_sharded();
  test_intervals();
  test_networks();
  test_aggregates();
  test_columns();
  test_gather();
  test_marks();
  test_controls();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
