/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#include <warpdex/warpdex.h>

#include <stdio.h>
#include <string.h>

#include "expect.h"

/// @file
/// Keys of tuples, and values within groups, as C calls them. Answers are those of a scan over all tuples.
enum { N = 200, PROBES = 90 };

static uint32_t groups[N], values[N], probe_groups[PROBES], probe_values[PROBES], probe_ends[PROBES];
static int64_t amounts[N];
static uint8_t valid[(N + 7) / 8];  // of groups, where they are nullable

static uint32_t drawn(uint32_t below) {
  static uint64_t state = 29;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

static void draw(void) {
  for (int i = 0; i < N; ++i) {
    groups[i] = drawn(6);
    values[i] = drawn(50);
    amounts[i] = (int64_t)drawn(2000) - 1000;
    if (i % 7 != 0) valid[i / 8] |= (uint8_t)(1 << i % 8);
  }
  for (int i = 0; i < PROBES; ++i) {
    probe_groups[i] = drawn(8);  // of which two do not exist
    probe_values[i] = drawn(60);
    probe_ends[i] = probe_values[i] + drawn(9);
  }
}

static warpdex_column of(void const* data, uint64_t size, int32_t type) {
  warpdex_column result = {0};
  result.data = data;
  result.size = size;
  result.type = type;
  return result;
}

/// Saves an encoder, and reads it again. @return the copy, in its place
static warpdex_encoder* kept(warpdex_encoder* encoder) {
  warpdex_encoder* loaded = NULL;
  EXPECT_OK(warpdex_encoder_save(encoder, "c_tuples_test.wdx", &error));
  EXPECT_OK(warpdex_encoder_load("c_tuples_test.wdx", &loaded, &error));
  remove("c_tuples_test.wdx");
  warpdex_encoder_free(encoder);
  return loaded;
}

static void test_wide(void) {
  warpdex_field const fields[] = {{WARPDEX_U32, 0, 1, 1}, {WARPDEX_U32, 1, 0, 0}};
  warpdex_column columns[] = {of(groups, N, WARPDEX_U32), of(values, N, WARPDEX_U32)};
  columns[0].validity = valid;
  warpdex_encoder* encoder = NULL;
  EXPECT_OK(warpdex_encoder_make(fields, 2, NULL, NULL, &encoder, &error));
  encoder = kept(encoder);
  int32_t type = -1, narrow = -1;
  EXPECT_OK(warpdex_encoder_type(encoder, &type, &narrow, &error));
  EXPECT(type == WARPDEX_U128 && narrow == 0);
  warpdex_result keys, decoded[2], bits[2];
  EXPECT_OK(warpdex_encode(encoder, columns, 2, NULL, &keys, &error));
  EXPECT(keys.first_size == N && keys.first_type == WARPDEX_U128);
  warpdex_column const all = of(keys.first, N, WARPDEX_U128);
  EXPECT_OK(warpdex_decode(encoder, &all, 2, NULL, decoded, bits, &error));
  EXPECT(bits[0].first_size == sizeof valid && bits[1].first_size == 0);
  for (int i = 0; i < N; ++i) {
    int const is_valid = valid[i / 8] >> i % 8 & 1;
    EXPECT((((uint8_t const*)bits[0].first)[i / 8] >> i % 8 & 1) == is_valid);
    EXPECT(((uint32_t const*)decoded[0].first)[i] == (is_valid ? groups[i] : 0));
    EXPECT(((uint32_t const*)decoded[1].first)[i] == values[i]);
  }

  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &all, NULL, NULL, &index, &error));
  warpdex_column const leading = of(probe_groups, PROBES, WARPDEX_U32);
  warpdex_result lower, upper;
  EXPECT_OK(warpdex_encode_leading(encoder, &leading, 1, 0, NULL, &lower, &upper, &error));
  warpdex_probes query;
  memset(&query, 0, sizeof query);
  query.lower = of(lower.first, lower.first_size, lower.first_type);
  query.upper = of(upper.first, upper.first_size, upper.first_type);
  uint64_t counts[PROBES];
  warpdex_output const to = {counts, PROBES, WARPDEX_U64, 0};
  EXPECT_OK(warpdex_look_up(index, "range_count", &query, &to, 1, NULL, &error));
  for (int p = 0; p < PROBES; ++p) {
    uint64_t wanted = 0;
    for (int i = 0; i < N; ++i) wanted += (valid[i / 8] >> i % 8 & 1) && groups[i] == probe_groups[p];
    EXPECT(counts[p] == wanted);
  }
  warpdex_free(index);
  for (int i = 0; i < 2; ++i) {
    warpdex_release(&decoded[i]);
    warpdex_release(&bits[i]);
  }
  warpdex_release(&lower);
  warpdex_release(&upper);
  warpdex_release(&keys);
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "wide", warpdex_encode_points(encoder, columns, 2, NULL, &keys, &error));
  warpdex_encoder_free(encoder);
}

static void test_narrow(void) {
  warpdex_field const fields[] = {{WARPDEX_U32, 0, 0, 0}, {WARPDEX_U32, 0, 0, 0}};
  warpdex_column const columns[] = {of(groups, N, WARPDEX_U32), of(values, N, WARPDEX_U32)};
  warpdex_encoder* encoder = NULL;
  EXPECT_OK(warpdex_encoder_make(fields, 2, columns, NULL, &encoder, &error));
  encoder = kept(encoder);
  int32_t type = -1, narrow = -1;
  EXPECT_OK(warpdex_encoder_type(encoder, &type, &narrow, &error));
  EXPECT(type == WARPDEX_U64 && narrow == 1);
  warpdex_result keys, points, ranges;
  EXPECT_OK(warpdex_encode(encoder, columns, 2, NULL, &keys, &error));
  warpdex_column const all = of(keys.first, N, WARPDEX_U64);
  warpdex_index* index = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &all, NULL, NULL, &index, &error));

  warpdex_column const probes[] = {of(probe_groups, PROBES, WARPDEX_U32), of(probe_values, PROBES, WARPDEX_U32)};
  EXPECT_OK(warpdex_encode_points(encoder, probes, 2, NULL, &points, &error));
  warpdex_probes query;
  memset(&query, 0, sizeof query);
  query.lower = of(points.first, PROBES, WARPDEX_U64);
  query.lower.validity = points.second;
  uint64_t counts[PROBES];
  warpdex_output const to = {counts, PROBES, WARPDEX_U64, 0};
  EXPECT_OK(warpdex_look_up(index, "count", &query, &to, 1, NULL, &error));
  for (int p = 0; p < PROBES; ++p) {
    uint64_t wanted = 0;
    for (int i = 0; i < N; ++i) wanted += groups[i] == probe_groups[p] && values[i] == probe_values[p];
    EXPECT(counts[p] == wanted);
  }

  warpdex_probes last;
  memset(&last, 0, sizeof last);
  last.lower = probes[1];
  last.upper = of(probe_ends, PROBES, WARPDEX_U32);
  last.upper_is = WARPDEX_OPEN;
  EXPECT_OK(warpdex_encode_ranges(encoder, probes, 1, &last, NULL, &ranges, &error));
  memset(&query, 0, sizeof query);
  query.lower = of(ranges.first, PROBES, WARPDEX_U64);
  query.upper = of(ranges.second, PROBES, WARPDEX_U64);
  EXPECT_OK(warpdex_look_up(index, "range_count", &query, &to, 1, NULL, &error));
  for (int p = 0; p < PROBES; ++p) {
    uint64_t wanted = 0;
    for (int i = 0; i < N; ++i)
      wanted += groups[i] == probe_groups[p] && values[i] >= probe_values[p] && values[i] < probe_ends[p];
    EXPECT(counts[p] == wanted);
  }
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "no number", warpdex_encode(encoder, probes, 2, NULL, &keys, &error));
  warpdex_free(index);
  warpdex_release(&ranges);
  warpdex_release(&points);
  warpdex_release(&keys);
  warpdex_encoder_free(encoder);
}

static void test_values_within_groups(void) {
  warpdex_column const of_groups = of(groups, N, WARPDEX_U32), keys = of(values, N, WARPDEX_U32),
                       added = of(amounts, N, WARPDEX_I64);
  warpdex_index *index = NULL, *sums = NULL, *ranked = NULL;
  EXPECT_OK(warpdex_build_grouped("AO+BS", &of_groups, &keys, NULL, &index, &error));
  EXPECT_OK(warpdex_build_aggregates(index, &added, WARPDEX_MOMENTS_FIRST, NULL, &sums, &error));
  EXPECT_OK(warpdex_build_quantiles(index, &added, NULL, &ranked, &error));
  warpdex_probes points, ranges;
  memset(&points, 0, sizeof points);
  points.lower = of(probe_values, PROBES, WARPDEX_U32);
  points.groups = of(probe_groups, PROBES, WARPDEX_U32);
  ranges = points;
  ranges.upper = of(probe_ends, PROBES, WARPDEX_U32);
  _Alignas(16) warpdex_aggregate_i128 of_ranges[PROBES], of_keys[PROBES];
  uint32_t least[PROBES];
  warpdex_output const first = {of_ranges, PROBES, WARPDEX_I128, 0}, second = {of_keys, PROBES, WARPDEX_I128, 0},
                       row = {least, PROBES, WARPDEX_U32, 0};
  EXPECT_OK(warpdex_aggregate(sums, index, &ranges, WARPDEX_ON_RANGES, &first, NULL, &error));
  EXPECT_OK(warpdex_aggregate(sums, index, &points, WARPDEX_ON_KEYS, &second, NULL, &error));
  EXPECT_OK(warpdex_quantiles(ranked, index, &ranges, 0, WARPDEX_QUANTILE_LOWER, &row, NULL, &error));
  warpdex_result rows;
  EXPECT_OK(warpdex_top_k(sums, index, &ranges, 1, 1, NULL, &rows, NULL, &error));
  uint64_t const* const offsets = rows.first;
  for (int i = 0; i < PROBES; ++i) {
    int64_t sum = 0, of_key = 0, low = INT64_MAX;
    uint64_t count = 0;
    for (int j = 0; j < N; ++j) {
      if (groups[j] != probe_groups[i]) continue;
      if (probe_values[i] == values[j]) of_key += amounts[j];
      if (values[j] < probe_values[i] || probe_ends[i] < values[j]) continue;
      sum += amounts[j];
      ++count;
      if (amounts[j] < low) low = amounts[j];
    }
    EXPECT(of_ranges[i].sum.low == (uint64_t)sum && of_ranges[i].count == count);
    EXPECT(of_keys[i].sum.low == (uint64_t)of_key);
    EXPECT(count == 0 ? least[i] == UINT32_MAX : amounts[least[i]] == low);
    EXPECT(offsets[i + 1] - offsets[i] == (count != 0));
    EXPECT(count == 0 || amounts[((uint32_t const*)rows.second)[offsets[i]]] == low);
  }
  points.groups.size = 0;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "groups",
              warpdex_aggregate(sums, index, &points, WARPDEX_ON_KEYS, &second, NULL, &error));
  warpdex_release(&rows);
  warpdex_free(ranked);
  warpdex_free(sums);
  warpdex_free(index);
}

static void test_refusals(void) {
  warpdex_field const fields[] = {{WARPDEX_U32, 0, 0, 0}, {WARPDEX_BYTES, 0, 0, 0}};
  warpdex_column const column = of(groups, N, WARPDEX_U32);
  warpdex_encoder* encoder = NULL;
  warpdex_result result;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "fields", warpdex_encoder_make(fields, 0, NULL, NULL, &encoder, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_encoder_make(fields, 2, NULL, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_encode(NULL, &column, 1, NULL, &result, &error));
  EXPECT_CODE(WARPDEX_IO_ERROR, "no_such", warpdex_encoder_load("no_such.wdx", &encoder, &error));
  EXPECT(encoder == NULL);
  EXPECT_OK(warpdex_encoder_make(fields, 2, NULL, NULL, &encoder, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "1 columns", warpdex_encode(encoder, &column, 1, NULL, &result, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "3 results", warpdex_decode(encoder, &column, 3, NULL, &result, NULL, &error));
  warpdex_encoder_free(encoder);
  warpdex_encoder_free(NULL);
}

int main(void) {
  draw();
  test_wide();
  test_narrow();
  test_values_within_groups();
  test_refusals();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
