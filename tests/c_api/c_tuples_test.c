/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#include <warpdex/warpdex.h>

#include <stdio.h>
#include <string.h>

#include "expect.h"

/// @file
/// Keys of tuples as C calls them. Answers are those of a scan over all tuples.
enum { N = 200, PROBES = 90 };

static uint32_t groups[N], values[N], probe_groups[PROBES], probe_values[PROBES], probe_ends[PROBES];
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
  test_refusals();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
