/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#include <warpdex/warpdex.h>

#include <stdlib.h>
#include <string.h>

#include "expect.h"

/// @file
/// The C interface as C calls it: answers against a scan over all entries, and every argument that is wrong.
enum { ENTRIES = 500, PROBES = 200, LIMIT = 300 };

static uint32_t keys[ENTRIES], rows[ENTRIES], probes[PROBES], upper[PROBES];

static uint32_t drawn(uint32_t below) {
  static uint64_t state = 20260923;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

static warpdex_column u32s(uint32_t const* data, uint64_t size) {
  warpdex_column result = {0};
  result.data = data;
  result.size = size;
  result.type = WARPDEX_U32;
  return result;
}

static warpdex_output out(void* data, uint64_t size, int32_t type) {
  warpdex_output result = {0};
  result.data = data;
  result.size = size;
  result.type = type;
  return result;
}

static warpdex_probes point_probes(void) {
  warpdex_probes result;
  memset(&result, 0, sizeof result);
  result.lower = u32s(probes, PROBES);
  return result;
}

static warpdex_probes range_probes(void) {
  warpdex_probes result = point_probes();
  result.upper = u32s(upper, PROBES);
  return result;
}

static void draw(void) {
  for (int i = 0; i < ENTRIES; ++i) {
    keys[i] = 2 * drawn(LIMIT);
    rows[i] = drawn(1000000);
  }
  for (int i = 0; i < PROBES; ++i) {
    probes[i] = drawn(2 * LIMIT + 10);
    upper[i] = probes[i] + drawn(30);
  }
}

static warpdex_index* built(char const* spec) {
  warpdex_column const k = u32s(keys, ENTRIES), r = u32s(rows, ENTRIES);
  warpdex_index* result = NULL;
  EXPECT_OK(warpdex_build(spec, &k, &r, NULL, &result, &error));
  return result;
}

/// @return entries in [first, last], and their smallest row id
static uint64_t scanned(uint32_t first, uint32_t last, uint32_t* least_row, uint64_t* sum) {
  uint64_t count = 0;
  *least_row = UINT32_MAX;
  *sum = 0;
  for (int i = 0; i < ENTRIES; ++i)
    if (first <= keys[i] && keys[i] <= last) {
      ++count;
      *sum += rows[i];
      if (rows[i] < *least_row) *least_row = rows[i];
    }
  return count;
}

static void test_lookups(char const* spec, int ordered) {
  warpdex_index* const index = built(spec);
  warpdex_probes const points = point_probes(), ranges = range_probes();
  uint8_t found[PROBES];
  uint32_t first[PROBES], key[PROBES] = {0};
  uint64_t count[PROBES], in_range[PROBES], sum[PROBES], rank[PROBES];
  warpdex_output to = out(found, PROBES, WARPDEX_U8);
  EXPECT_OK(warpdex_look_up(index, "contains", &points, &to, 1, NULL, &error));
  to = out(first, PROBES, WARPDEX_U32);
  EXPECT_OK(warpdex_look_up(index, "find", &points, &to, 1, NULL, &error));
  to = out(count, PROBES, WARPDEX_U64);
  EXPECT_OK(warpdex_look_up(index, "count", &points, &to, 1, NULL, &error));
  warpdex_result listed;
  EXPECT_OK(warpdex_list(index, "retrieve", &points, NULL, &listed, &error));
  uint64_t const* const ends = listed.first;
  uint32_t const* const all = listed.second;
  EXPECT(listed.first_size == PROBES + 1 && listed.first_type == WARPDEX_U64 && listed.second_type == WARPDEX_U32);
  for (int i = 0; i < PROBES; ++i) {
    uint32_t least;
    uint64_t total, n = scanned(probes[i], probes[i], &least, &total);
    EXPECT(found[i] == (n != 0) && first[i] == least && count[i] == n && ends[i + 1] - ends[i] == n);
    EXPECT(n == 0 || all[ends[i]] == least);
  }
  warpdex_release(&listed);
  EXPECT(listed.first == NULL && listed.owner == NULL);
  warpdex_release(&listed);

  to = out(in_range, PROBES, WARPDEX_U64);
  if (!ordered) {
    EXPECT_CODE(WARPDEX_UNSUPPORTED, "range_count",
                warpdex_look_up(index, "range_count", &ranges, &to, 1, NULL, &error));
    warpdex_free(index);
    return;
  }
  EXPECT_OK(warpdex_look_up(index, "range_count", &ranges, &to, 1, NULL, &error));
  to = out(sum, PROBES, WARPDEX_U64);
  EXPECT_OK(warpdex_look_up(index, "range_sum", &ranges, &to, 1, NULL, &error));
  to = out(rank, PROBES, WARPDEX_U64);
  EXPECT_OK(warpdex_look_up(index, "lower_bound", &points, &to, 1, NULL, &error));
  warpdex_output const both[] = {out(first, PROBES, WARPDEX_U32), out(key, PROBES, WARPDEX_U32)};
  EXPECT_OK(warpdex_look_up(index, "ceil", &points, both, 2, NULL, &error));
  for (int i = 0; i < PROBES; ++i) {
    uint32_t least;
    uint64_t total, n = scanned(probes[i], upper[i], &least, &total);
    EXPECT(in_range[i] == n && sum[i] == total);
    EXPECT(rank[i] == (probes[i] == 0 ? 0 : scanned(0, probes[i] - 1, &least, &total)));
    scanned(key[i], key[i], &least, &total);
    EXPECT(first[i] == UINT32_MAX || (first[i] == least && key[i] >= probes[i]));
  }
  warpdex_output const row_alone[] = {out(first, PROBES, WARPDEX_U32), out(NULL, 0, 0)};
  EXPECT_OK(warpdex_look_up(index, "floor", &points, row_alone, 2, NULL, &error));
  warpdex_free(index);
}

static void test_strings(void) {
  char const bytes[] = "figappleplumfigs";
  uint32_t const offsets[] = {0, 3, 8, 12, 16};
  uint8_t const kept[] = {0x16};  // from bit 1 on: plum is null
  warpdex_column column = {0};
  column.data = bytes;
  column.size = 4;
  column.type = WARPDEX_BYTES;
  column.offset_bytes = sizeof offsets[0];
  column.offsets = offsets;
  column.bytes = sizeof bytes - 1;
  column.validity = kept;
  column.validity_offset = 1;
  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &column, NULL, NULL, &index, &error));
  warpdex_facts facts;
  EXPECT_OK(warpdex_describe(index, &facts, &error));
  EXPECT(facts.size == 3 && facts.key_type == WARPDEX_BYTES && facts.ordered == 1);
  warpdex_probes prefixes;
  memset(&prefixes, 0, sizeof prefixes);
  prefixes.lower = column;
  uint64_t counts[4];
  warpdex_output const to = out(counts, 4, WARPDEX_U64);
  uint64_t const expected[] = {2, 1, 0, 1};
  for (int nulls = 0; nulls < 2; ++nulls) {
    EXPECT_OK(warpdex_look_up(index, "prefix_count", &prefixes, &to, 1, NULL, &error));
    EXPECT(memcmp(counts, expected, sizeof expected) == 0);
    prefixes.lower.validity = NULL;
  }
  prefixes.lower.offset_bytes = 3;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "3", warpdex_look_up(index, "prefix_count", &prefixes, &to, 1, NULL, &error));
  warpdex_free(index);
}

static void test_trace(void) {
  uint32_t const child[] = {1, 2, 3}, parent[] = {2, 3, 3}, probe[] = {1};
  warpdex_column const column = u32s(child, 3);
  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &column, NULL, NULL, &index, &error));
  warpdex_probes paths;
  memset(&paths, 0, sizeof paths);
  paths.lower = u32s(probe, 1);
  paths.parents = u32s(parent, 3);
  warpdex_result found;
  EXPECT_OK(warpdex_list(index, "ancestors", &paths, NULL, &found, &error));
  uint32_t const expected[] = {0, 1, 2};
  EXPECT(found.second_size == 3 && memcmp(found.second, expected, sizeof expected) == 0);
  warpdex_release(&found);
  warpdex_free(index);
}

static void test_files(void) {
  warpdex_index* const index = built("B+(16)");
  EXPECT_OK(warpdex_verify(index, NULL, &error));
  warpdex_result bytes;
  EXPECT_OK(warpdex_save_bytes(index, &bytes, &error));
  EXPECT(bytes.first_type == WARPDEX_U8 && bytes.backend == WARPDEX_CPU);
  warpdex_index *loaded = NULL, *copied = NULL, *mapped = NULL;
  EXPECT_OK(warpdex_load_bytes(bytes.first, bytes.first_size, WARPDEX_CHECK_ALL, NULL, &loaded, &error));
  EXPECT_CODE(WARPDEX_FORMAT_ERROR, "",
              warpdex_load_bytes(bytes.first, bytes.first_size - 1, WARPDEX_CHECK_ALL, NULL, &copied, &error));
  warpdex_release(&bytes);
  EXPECT_OK(warpdex_clone(loaded, NULL, &copied, &error));
  EXPECT_OK(warpdex_save(copied, "c_api_test.wdx", &error));
  EXPECT_OK(warpdex_load("c_api_test.wdx", 1, WARPDEX_CHECK_STRUCTURE, NULL, &mapped, &error));
  EXPECT_CODE(WARPDEX_IO_ERROR, "no/such", warpdex_load("no/such/file", 0, 0, NULL, &loaded, &error));
  warpdex_facts facts;
  EXPECT_OK(warpdex_describe(mapped, &facts, &error));
  EXPECT(facts.size == ENTRIES && strstr(facts.spec, "B+(16") != NULL && facts.row_type == WARPDEX_U32);
  warpdex_free(mapped);
  warpdex_free(copied);
  warpdex_free(loaded);
  warpdex_free(index);
  remove("c_api_test.wdx");
}

static int32_t add_up(void* context, warpdex_result const* batch) {
  uint64_t* const pairs = context;
  *pairs += batch->first_size;
  return batch->first_size == batch->second_size ? 0 : 1;
}

static int32_t refuse(void* context, warpdex_result const* batch) { return context == NULL && batch != NULL ? 7 : 0; }

static void test_joins(void) {
  warpdex_index* const index = built("AO+PB+KS(9)");
  warpdex_probes const points = point_probes(), ranges = range_probes();
  uint64_t equal = 0, within = 0, semi = 0;
  for (int i = 0; i < PROBES; ++i) {
    uint32_t least;
    uint64_t total, n = scanned(probes[i], probes[i], &least, &total);
    equal += n;
    semi += n != 0;
    within += scanned(probes[i], upper[i], &least, &total);
  }
  warpdex_result pairs;
  EXPECT_OK(warpdex_join(index, &points, NULL, NULL, &pairs, &error));
  EXPECT(pairs.first_size == equal && pairs.second_size == equal);
  uint32_t const *left = pairs.first, *right = pairs.second;
  for (uint64_t i = 0; i < pairs.first_size; ++i) {
    int match = 0;
    for (int j = 0; j < ENTRIES; ++j) match |= rows[j] == right[i] && keys[j] == probes[left[i]];
    EXPECT(match);
  }
  warpdex_release(&pairs);
  warpdex_join_how how = {WARPDEX_SEMI, WARPDEX_ON_KEYS, 0};
  EXPECT_OK(warpdex_join(index, &points, &how, NULL, &pairs, &error));
  EXPECT(pairs.first_size == semi && pairs.second_size == 0);
  warpdex_release(&pairs);
  how.kind = WARPDEX_INNER;
  how.on = WARPDEX_ON_RANGES;
  how.batch_pairs = 10;
  uint64_t summed = 0;
  EXPECT_OK(warpdex_join_batches(index, &ranges, &how, add_up, &summed, NULL, &error));
  EXPECT(summed == within);
  EXPECT_CODE(WARPDEX_CANCELLED, "with 7", warpdex_join_batches(index, &ranges, &how, refuse, NULL, NULL, &error));

  uint32_t nearest[PROBES], floors[PROBES];
  warpdex_output const to = out(nearest, PROBES, WARPDEX_U32);
  warpdex_output const floor_to[] = {out(floors, PROBES, WARPDEX_U32), out(NULL, 0, 0)};
  EXPECT_OK(warpdex_join_asof(index, &points.lower, NULL, &to, NULL, &error));
  EXPECT_OK(warpdex_look_up(index, "floor", &points, floor_to, 2, NULL, &error));
  EXPECT(memcmp(nearest, floors, sizeof floors) == 0);
  warpdex_asof_how exact = {0};
  exact.has_tolerance = 1;
  warpdex_output const find_to = out(floors, PROBES, WARPDEX_U32);
  EXPECT_OK(warpdex_join_asof(index, &points.lower, &exact, &to, NULL, &error));
  EXPECT_OK(warpdex_look_up(index, "find", &points, &find_to, 1, NULL, &error));
  EXPECT(memcmp(nearest, floors, sizeof floors) == 0);
  exact.tolerance = -1;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "-1", warpdex_join_asof(index, &points.lower, &exact, &to, NULL, &error));
  warpdex_free(index);
}

static void test_updates(void) {
  warpdex_index* const index = built("HT(open)");
  uint32_t const new_keys[] = {1, 3}, new_rows[] = {7, 8}, gone[] = {1};
  warpdex_column const k = u32s(new_keys, 2), r = u32s(new_rows, 2), g = u32s(gone, 1);
  warpdex_counts counts;
  EXPECT_OK(warpdex_update(index, &k, &r, NULL, NULL, &counts, &error));
  EXPECT(counts.inserted == 2 && counts.erased == 0);
  EXPECT_OK(warpdex_update(index, NULL, NULL, &g, NULL, &counts, &error));
  EXPECT(counts.inserted == 0 && counts.erased == 1);
  EXPECT_OK(warpdex_update(index, &k, &r, &g, NULL, NULL, &error));
  EXPECT_OK(warpdex_insert_or_assign(index, &k, &r, NULL, &counts, NULL));
  warpdex_facts facts;
  EXPECT_OK(warpdex_describe(index, &facts, &error));
  EXPECT(facts.size == ENTRIES + 1 || facts.size == ENTRIES + 2);
  warpdex_free(index);
}

static void test_sorted(void) {
  static uint32_t ascending[ENTRIES + 4];
  uint32_t* const first = (uint32_t*)(((uintptr_t)ascending + 15) & ~(uintptr_t)15);
  for (uint32_t i = 0; i < ENTRIES; ++i) first[i] = i / 2;
  warpdex_column const k = u32s(first, ENTRIES);
  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_over_sorted("AO+PB+KS(9)", &k, NULL, &index, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "", warpdex_save(index, "c_api_test.wdx", &error));
  warpdex_free(index);
  first[3] = 0;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_over_sorted("AO+BS", &k, NULL, &index, &error));
}

/// An index on a device, over arrays on the host and there: what one call returns is asked of, and written by, the
/// next.
static void test_device(void) {
  if (warpdex_device_count() == 0) {
    printf("no device: arrays on one were not tried\n");
    return;
  }
  warpdex_execution exec = {0};
  exec.backend = WARPDEX_CUDA;
  uint32_t leads_to[ENTRIES], least;
  uint64_t total;
  for (int i = 0; i < ENTRIES; ++i) leads_to[i] = drawn(2 * LIMIT + 10);
  warpdex_column const k = u32s(keys, ENTRIES), r = u32s(rows, ENTRIES), other = u32s(leads_to, ENTRIES);
  warpdex_index *index = NULL, *leads = NULL, *copied = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &k, &r, &exec, &index, &error));
  EXPECT_OK(warpdex_build("AO+BS", &k, &other, &exec, &leads, &error));
  warpdex_probes const points = point_probes();
  uint32_t found[PROBES];
  warpdex_output to = out(found, PROBES, WARPDEX_U32);
  EXPECT_OK(warpdex_look_up(index, "find", &points, &to, 1, NULL, &error));
  for (int i = 0; i < PROBES; ++i) {
    scanned(probes[i], probes[i], &least, &total);
    EXPECT(found[i] == least);
  }

  warpdex_result from, into, pairs;
  EXPECT_OK(warpdex_list(leads, "retrieve", &points, NULL, &from, &error));
  EXPECT_OK(warpdex_list(leads, "retrieve", &points, NULL, &into, &error));
  EXPECT(from.backend == WARPDEX_CUDA && from.second_size > 1 && from.second_size == into.second_size);
  uint64_t const count = from.second_size, bytes = count * sizeof(uint32_t);
  warpdex_probes bounds = {0};
  bounds.lower = u32s(from.second, count);
  to = out((void*)into.second, count, WARPDEX_U32);
  EXPECT_OK(warpdex_look_up(index, "find", &bounds, &to, 1, NULL, &error));
  uint32_t *const asked_for = malloc(bytes), *const answers = malloc(bytes);
  EXPECT_OK(warpdex_copy(asked_for, from.second, bytes, &exec, &error));
  EXPECT_OK(warpdex_copy(answers, into.second, bytes, &exec, &error));
  uint64_t matches = 0;
  for (uint64_t i = 0; i < count; ++i) {
    matches += scanned(asked_for[i], asked_for[i], &least, &total);
    EXPECT(answers[i] == least);
  }
  EXPECT_OK(warpdex_join(index, &bounds, NULL, NULL, &pairs, &error));
  EXPECT(pairs.first_size == matches && pairs.second_size == matches);
  warpdex_counts counts;
  EXPECT_OK(warpdex_update(index, &bounds.lower, &bounds.lower, NULL, NULL, &counts, &error));
  EXPECT(counts.inserted == count && counts.erased == 0);
  EXPECT_OK(warpdex_verify(index, NULL, &error));

  warpdex_execution const host = {0};
  EXPECT_OK(warpdex_clone(leads, &host, &copied, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "device", warpdex_look_up(copied, "find", &bounds, &to, 1, NULL, &error));
  free(asked_for);
  free(answers);
  warpdex_release(&pairs);
  warpdex_release(&into);
  warpdex_release(&from);
  warpdex_free(copied);
  warpdex_free(leads);
  warpdex_free(index);
}

/// Null pointers in the place of each argument in turn.
static void test_null_pointers(void) {
  warpdex_index* const index = built("AO+BS");
  warpdex_index* built = NULL;
  warpdex_column const k = u32s(keys, ENTRIES), r = u32s(rows, ENTRIES);
  warpdex_probes const points = point_probes();
  warpdex_result result;
  uint32_t found[PROBES];
  uint64_t pairs = 0;
  warpdex_output const to = out(found, PROBES, WARPDEX_U32), nowhere = out(NULL, PROBES, WARPDEX_U32);
  int32_t const bad = WARPDEX_INVALID_ARGUMENT;
  char const* const null = "null pointer";
  EXPECT_CODE(bad, null, warpdex_build(NULL, &k, &r, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_build("AO+BS", NULL, &r, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_build("AO+BS", &k, &r, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_over_sorted(NULL, &k, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_over_sorted("AO+BS", NULL, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_over_sorted("AO+BS", &k, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_load(NULL, 0, 0, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_load("file", 0, 0, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_load_bytes(NULL, 1, 0, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_load_bytes("x", 1, 0, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_save(NULL, "file", &error));
  EXPECT_CODE(bad, null, warpdex_save(index, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_save_bytes(NULL, &result, &error));
  EXPECT_CODE(bad, null, warpdex_save_bytes(index, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_clone(NULL, NULL, &built, &error));
  EXPECT_CODE(bad, null, warpdex_clone(index, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_describe(NULL, (warpdex_facts[1]){{0}}, &error));
  EXPECT_CODE(bad, null, warpdex_describe(index, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_verify(NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_look_up(NULL, "find", &points, &to, 1, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_look_up(index, NULL, &points, &to, 1, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_look_up(index, "find", NULL, &to, 1, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_look_up(index, "find", &points, NULL, 1, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_look_up(index, "find", &points, &nowhere, 1, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_list(NULL, "retrieve", &points, NULL, &result, &error));
  EXPECT_CODE(bad, null, warpdex_list(index, NULL, &points, NULL, &result, &error));
  EXPECT_CODE(bad, null, warpdex_list(index, "retrieve", NULL, NULL, &result, &error));
  EXPECT_CODE(bad, null, warpdex_list(index, "retrieve", &points, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join(NULL, &points, NULL, NULL, &result, &error));
  EXPECT_CODE(bad, null, warpdex_join(index, NULL, NULL, NULL, &result, &error));
  EXPECT_CODE(bad, null, warpdex_join(index, &points, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join_batches(NULL, &points, NULL, add_up, &pairs, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join_batches(index, NULL, NULL, add_up, &pairs, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join_batches(index, &points, NULL, NULL, &pairs, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join_asof(NULL, &points.lower, NULL, &to, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join_asof(index, NULL, NULL, &to, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_join_asof(index, &points.lower, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_update(NULL, &k, &r, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_update(index, NULL, NULL, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_update(index, &k, NULL, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_update(index, NULL, &r, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_insert_or_assign(NULL, &k, &r, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_insert_or_assign(index, NULL, &r, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_insert_or_assign(index, &k, NULL, NULL, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_copy(NULL, "x", 1, NULL, &error));
  EXPECT_CODE(bad, null, warpdex_copy(found, NULL, 1, NULL, &error));
  EXPECT(warpdex_build(NULL, NULL, NULL, NULL, NULL, NULL) == bad);
  warpdex_free(NULL);
  warpdex_release(NULL);
  EXPECT(built == NULL);
  warpdex_free(index);
}

static void test_bad_values(void) {
  warpdex_index* const index = built("AO+BS");
  warpdex_index* built = NULL;
  uint8_t const valid[(ENTRIES + 7) / 8] = {0};
  uint32_t found[PROBES];
  int32_t const bad = WARPDEX_INVALID_ARGUMENT;
  warpdex_output to = out(found, PROBES, WARPDEX_U32);
  warpdex_result result;
  for (int32_t type = -1; type < 1000; type += 77) {
    warpdex_column k = u32s(keys, ENTRIES), r = u32s(rows, ENTRIES);
    k.type = type;
    EXPECT_CODE(bad, "key column is number", warpdex_build("AO+BS", &k, NULL, NULL, &built, &error));
    k.type = WARPDEX_U32;
    r.type = type;
    EXPECT_CODE(bad, "row ids", warpdex_build("AO+BS", &k, &r, NULL, &built, &error));
    to.type = type;
    warpdex_probes points = point_probes();
    EXPECT_CODE(bad, "row output", warpdex_look_up(index, "find", &points, &to, 1, NULL, &error));
    EXPECT_CODE(bad, "output", warpdex_look_up(index, "count", &points, &to, 1, NULL, &error));
    points.upper_is = type < 0 ? type : type + 3;
    EXPECT_CODE(bad, "upper bounds", warpdex_list(index, "range_retrieve", &points, NULL, &result, &error));
    points.upper_is = 0;
    warpdex_join_how const how = {type < 0 ? type : type + 4, 0, 0}, on = {0, type < 0 ? type : type + 2, 0};
    EXPECT_CODE(bad, "kind of the join", warpdex_join(index, &points, &how, NULL, &result, &error));
    EXPECT_CODE(bad, "what the join is on", warpdex_join(index, &points, &on, NULL, &result, &error));
    EXPECT_CODE(bad, "the check", warpdex_load("file", 0, type < 0 ? type : type + 3, NULL, &built, &error));
  }
  warpdex_probes points = point_probes();
  to = out(found, PROBES, WARPDEX_U32);
  EXPECT_CODE(bad, "no lookup 'seek'", warpdex_look_up(index, "seek", &points, &to, 1, NULL, &error));
  EXPECT_CODE(bad, "0 outputs", warpdex_look_up(index, "find", &points, &to, 0, NULL, &error));
  EXPECT_CODE(bad, "3 outputs", warpdex_look_up(index, "find", &points, &to, 3, NULL, &error));
  EXPECT_CODE(bad, "outputs", warpdex_look_up(index, "retrieve", &points, &to, 1, NULL, &error));
  EXPECT_CODE(bad, "find", warpdex_list(index, "find", &points, NULL, &result, &error));
  to.size = PROBES - 1;
  EXPECT_CODE(bad, "199", warpdex_look_up(index, "find", &points, &to, 1, NULL, &error));
  points.lower.size = UINT64_MAX;
  to.size = UINT64_MAX;
  EXPECT_CODE(bad, "2^48", warpdex_look_up(index, "find", &points, &to, 1, NULL, &error));
  warpdex_column k = u32s(keys, ENTRIES), r = u32s(rows, ENTRIES);
  k.validity = valid;
  EXPECT_CODE(bad, "nulls", warpdex_build("AO+BS", &k, &r, NULL, &built, &error));
  k.validity = NULL;
  k.reserved = 1;
  EXPECT_CODE(bad, "reserved", warpdex_build("AO+BS", &k, NULL, NULL, &built, &error));
  k.reserved = 0;
  warpdex_execution exec = {0};
  exec.threads = -3;
  EXPECT_CODE(bad, "-3 threads", warpdex_build("AO+BS", &k, NULL, &exec, &built, &error));
  exec.threads = 1;
  exec.backend = 2;
  EXPECT_CODE(bad, "backend is number 2", warpdex_build("AO+BS", &k, NULL, &exec, &built, &error));
  exec.backend = WARPDEX_CUDA;
  EXPECT_CODE(bad, "the index is on the CPU", warpdex_verify(index, &exec, &error));
  exec.device = -1;
  EXPECT_CODE(bad, "device number -1", warpdex_build("AO+BS", &k, NULL, &exec, &built, &error));
  exec.device = 99;
  int32_t const code = warpdex_build("AO+BS", &k, NULL, &exec, &built, &error);
  EXPECT((code == WARPDEX_UNSUPPORTED || code == WARPDEX_DEVICE_ERROR) && error.text[0] != 0);
  EXPECT_CODE(WARPDEX_SPEC_ERROR, "BO+AS", warpdex_build("BO+AS", &k, NULL, NULL, &built, &error));
  char text[5000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  EXPECT_CODE(WARPDEX_SPEC_ERROR, "xxx", warpdex_build(text, &k, NULL, NULL, &built, &error));
  EXPECT_CODE(bad, "xxx", warpdex_list(index, text, &points, NULL, &result, &error));
  EXPECT(strlen(error.text) == sizeof error.text - 1);
  EXPECT_OK(warpdex_verify(index, NULL, &error));
  EXPECT(built == NULL);
  warpdex_free(index);
}

int main(void) {
  draw();
  EXPECT(strcmp(warpdex_version(), WARPDEX_VERSION) == 0 && warpdex_device_count() >= 0);
  test_lookups("AO+BS", 1);
  test_lookups("B+(16)", 1);
  test_lookups("HT(open)", 0);
  test_strings();
  test_trace();
  test_files();
  test_joins();
  test_updates();
  test_sorted();
  test_device();
  test_null_pointers();
  test_bad_values();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
