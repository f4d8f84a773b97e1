/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#include <warpdex/warpdex.h>

#include <stdio.h>
#include <string.h>

#include "expect.h"

/// @file
/// Sets of keys and quantiles as C calls them. Answers are those of a scan over all keys.
enum { N = 600, SPAN = 2000 };

static uint64_t keys[2][N];
static uint8_t is_in[2][SPAN];  // whether a number is among them
static uint64_t probes[SPAN];

static uint64_t drawn(uint64_t below) {
  static uint64_t state = 5;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static void draw(void) {
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < N; ++i) {
      keys[side][i] = drawn(SPAN);
      is_in[side][keys[side][i]] = 1;
    }
  for (uint64_t i = 0; i < SPAN; ++i) probes[i] = i;
}

static warpdex_column of(void const* data, uint64_t size, int32_t type) {
  warpdex_column result = {0};
  result.data = data;
  result.size = size;
  result.type = type;
  return result;
}

static warpdex_index* set_of(int side, int32_t code) {
  warpdex_column const column = of(keys[side], N, WARPDEX_U64);
  warpdex_index* result = NULL;
  EXPECT_OK(warpdex_build_set(&column, NULL, code, NULL, &result, &error));
  return result;
}

/// Compares all that a set says with flags of numbers.
static void expect_set(warpdex_index* set, uint8_t const* wanted) {
  uint8_t found[SPAN];
  uint64_t size = 0, count = 0;
  warpdex_probes asked;
  memset(&asked, 0, sizeof asked);
  asked.lower = of(probes, SPAN, WARPDEX_U64);
  warpdex_output const to = {found, SPAN, WARPDEX_U8, 0};
  EXPECT_OK(warpdex_look_up(set, "contains", &asked, &to, 1, NULL, &error));
  EXPECT(memcmp(found, wanted, SPAN) == 0);
  EXPECT_OK(warpdex_count_in_set(set, &asked.lower, NULL, &count, &error));
  warpdex_result listed;
  EXPECT_OK(warpdex_set_keys(set, NULL, &listed, &error));
  for (uint64_t i = 0; i < SPAN; ++i)
    if (wanted[i]) EXPECT(size < listed.first_size && ((uint64_t const*)listed.first)[size++] == i);
  warpdex_facts facts;
  EXPECT_OK(warpdex_describe(set, &facts, &error));
  EXPECT(listed.first_size == size && listed.first_type == WARPDEX_U64 && count == size && facts.size == size);
  EXPECT(facts.key_type == WARPDEX_U64 && facts.ordered == 0 && facts.bytes > 0);
  warpdex_release(&listed);
}

/// Saves a set, reads it from its file and from its bytes, and copies it. @return the copy, in its place
static warpdex_index* kept(warpdex_index* set) {
  int32_t kind = -1;
  warpdex_index *loaded = NULL, *again = NULL, *copied = NULL;
  warpdex_result bytes;
  EXPECT_OK(warpdex_save(set, "c_sets_test.wdx", &error));
  EXPECT_OK(warpdex_load("c_sets_test.wdx", 1, WARPDEX_CHECK_ALL, NULL, &loaded, &error));
  EXPECT_OK(warpdex_save_bytes(loaded, &bytes, &error));
  EXPECT_OK(warpdex_load_bytes(bytes.first, bytes.first_size, WARPDEX_CHECK_ALL, NULL, &again, &error));
  EXPECT_OK(warpdex_clone(again, NULL, &copied, &error));
  EXPECT_OK(warpdex_kind(copied, &kind, NULL, &error));
  EXPECT(kind == WARPDEX_SET);
  warpdex_release(&bytes);
  warpdex_free(again);
  warpdex_free(loaded);
  warpdex_free(set);
  remove("c_sets_test.wdx");
  return copied;
}

static void test_sets(void) {
  for (int32_t code = WARPDEX_CODE_AUTOMATIC; code <= WARPDEX_CODE_COMPRESSED; ++code) {
    warpdex_index* const left = kept(set_of(0, code));
    warpdex_index* const right = set_of(1, WARPDEX_CODE_PLAIN);
    expect_set(left, is_in[0]);
    warpdex_facts facts;
    EXPECT_OK(warpdex_describe(left, &facts, &error));
    EXPECT(strcmp(facts.spec, code == WARPDEX_CODE_COMPRESSED ? "compressed" : "plain") == 0);
    for (int32_t which = WARPDEX_UNION; which <= WARPDEX_DIFFERENCE; ++which) {
      uint8_t wanted[SPAN];
      for (int i = 0; i < SPAN; ++i)
        wanted[i] = which == WARPDEX_UNION          ? is_in[0][i] | is_in[1][i]
                    : which == WARPDEX_INTERSECTION ? is_in[0][i] & is_in[1][i]
                                                    : is_in[0][i] & !is_in[1][i];
      warpdex_index* made = NULL;
      EXPECT_OK(warpdex_combine_sets(left, right, which, NULL, &made, &error));
      expect_set(made, wanted);
      warpdex_free(made);
    }
    warpdex_free(right);
    warpdex_free(left);
  }
}

static void test_updates(void) {
  warpdex_index* const set = set_of(0, WARPDEX_CODE_AUTOMATIC);
  uint8_t wanted[SPAN];
  memcpy(wanted, is_in[0], SPAN);
  uint64_t come = 0, gone = 0;
  for (int i = 0; i < SPAN; ++i) {
    come += is_in[1][i] & !wanted[i];
    wanted[i] |= is_in[1][i];
  }
  warpdex_column const more = of(keys[1], N, WARPDEX_U64), fewer = of(keys[0], N / 2, WARPDEX_U64);
  warpdex_counts counts;
  EXPECT_OK(warpdex_update(set, &more, NULL, NULL, NULL, &counts, &error));
  EXPECT(counts.inserted == come && counts.erased == 0);
  expect_set(set, wanted);
  for (int i = 0; i < N / 2; ++i) {
    gone += wanted[keys[0][i]];
    wanted[keys[0][i]] = 0;
  }
  warpdex_change const change = {NULL, NULL, &fewer, NULL, NULL, 0, 0};
  EXPECT_OK(warpdex_apply(set, &change, NULL, &counts, &error));
  EXPECT(counts.erased == gone && counts.inserted == 0);
  expect_set(set, wanted);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "keys to insert, or keys to erase",
              warpdex_update(set, &more, NULL, &fewer, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "come without", warpdex_update(set, &more, &more, NULL, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "keys to insert", warpdex_update(set, NULL, NULL, NULL, NULL, NULL, &error));
  expect_set(set, wanted);
  warpdex_free(set);
}

static void test_rows(void) {
  uint64_t const some[] = {7, 5, 7}, more[] = {9, 5}, ids[] = {40, 3, 41}, new_ids[] = {1ull << 35, 2},
                 wanted[] = {7, 8, 9, 5};
  warpdex_column const column = of(some, 3, WARPDEX_U64), rows = of(ids, 3, WARPDEX_U64);
  warpdex_column const added = of(more, 2, WARPDEX_U64), added_rows = of(new_ids, 2, WARPDEX_U64);
  uint64_t found[4];
  warpdex_output const to = {found, 4, WARPDEX_U64, 0};
  warpdex_probes asked;
  warpdex_index* set = NULL;
  warpdex_counts counts;
  memset(&asked, 0, sizeof asked);
  asked.lower = of(wanted, 4, WARPDEX_U64);
  EXPECT_OK(warpdex_build_set(&column, &rows, WARPDEX_CODE_COMPRESSED, NULL, &set, &error));
  EXPECT_OK(warpdex_look_up(set, "find", &asked, &to, 1, NULL, &error));
  EXPECT(found[0] == 40 && found[1] == UINT64_MAX && found[2] == UINT64_MAX && found[3] == 3);
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "come with rows", warpdex_update(set, &added, NULL, NULL, NULL, &counts, &error));
  EXPECT_OK(warpdex_update(set, &added, &added_rows, NULL, NULL, &counts, &error));
  EXPECT_OK(warpdex_look_up(set, "find", &asked, &to, 1, NULL, &error));
  EXPECT(counts.inserted == 1 && found[0] == 40 && found[2] == 1ull << 35 && found[3] == 2);
  warpdex_facts facts;
  EXPECT_OK(warpdex_describe(set, &facts, &error));
  EXPECT(facts.row_type == WARPDEX_U64 && facts.size == 3);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "3 elements",
              warpdex_build_set(&added, &rows, WARPDEX_CODE_PLAIN, NULL, &set, &error));
  warpdex_free(set);
}

static void test_errors(void) {
  warpdex_index *const set = set_of(0, WARPDEX_CODE_PLAIN), *made = NULL, *index = NULL, *narrow = NULL;
  warpdex_column const column = of(keys[0], N, WARPDEX_U64), half = of(keys[0], N, WARPDEX_U32);
  warpdex_column text = of("abcd", 2, WARPDEX_BYTES);
  uint64_t count = 7;
  warpdex_result listed;
  memset(&listed, 0, sizeof listed);
  text.stride = 2;
  text.bytes = 4;
  EXPECT_OK(warpdex_build("AO+BS", &column, NULL, NULL, &index, &error));
  EXPECT_OK(warpdex_build_set(&half, NULL, 0, NULL, &narrow, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "bytes", warpdex_build_set(&text, NULL, 0, NULL, &made, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 3", warpdex_build_set(&column, NULL, 3, NULL, &made, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_build_set(NULL, NULL, 0, NULL, &made, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_build_set(&column, NULL, 0, NULL, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 3", warpdex_combine_sets(set, set, 3, NULL, &made, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "of one type", warpdex_combine_sets(set, narrow, 0, NULL, &made, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "an index", warpdex_combine_sets(set, index, 0, NULL, &made, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "an index", warpdex_count_in_set(index, &column, NULL, &count, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_count_in_set(set, NULL, NULL, &count, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_set_keys(set, NULL, NULL, &error));
  int32_t unique = 0;
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "a set", warpdex_is_unique(set, NULL, &unique, &error));
  warpdex_probes asked;
  memset(&asked, 0, sizeof asked);
  asked.lower = column;
  uint8_t flags[N];
  warpdex_output to = {flags, N, WARPDEX_U8, 0};
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "of sets contains",
              warpdex_look_up(set, "count", &asked, &to, 1, NULL, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "a set", warpdex_list(set, "retrieve", &asked, NULL, &listed, &error));
  to.size = N - 1;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "599", warpdex_look_up(set, "contains", &asked, &to, 1, NULL, &error));
  to.size = N;
  to.type = WARPDEX_U32;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "type number", warpdex_look_up(set, "contains", &asked, &to, 1, NULL, &error));
  EXPECT(made == NULL && count == 7 && listed.first == NULL);
  warpdex_free(narrow);
  warpdex_free(index);
  warpdex_free(set);
}

/// Gives keys of one side, 100 at a time.
struct source {
  uint64_t at;
  int32_t fails;
};

static int32_t next_batch(void* context, warpdex_column* batch) {
  struct source* const from = context;
  if (from->at == N) return from->fails;
  *batch = of(keys[0] + from->at, 100, WARPDEX_U64);
  from->at += 100;
  return 1;
}

/// Gives batches of 200 keys, and their numbers after each, or if it fails not even those of the first batch.
static int32_t next_with_rows(void* context, warpdex_column* batch) {
  static uint64_t numbers[N];
  struct source* const from = context;
  uint64_t const number = from->at++, first = number / 2 * 200;
  if (first >= N || (number == 1 && from->fails != 0)) return 0;
  for (uint64_t i = 0; i < N; ++i) numbers[i] = i;
  *batch = of((number % 2 == 0 ? keys[0] : numbers) + first, 200, WARPDEX_U64);
  return 1;
}

static void test_batches(void) {
  warpdex_set_how how = {0, NULL, WARPDEX_U64, WARPDEX_CODE_COMPRESSED, 1, 0};
  struct source from = {0, 0};
  warpdex_index* set = NULL;
  EXPECT_OK(warpdex_build_set_of_batches(&how, next_batch, &from, NULL, &set, &error));
  expect_set(set, is_in[0]);
  warpdex_free(set);
  set = NULL;
  how.rows = 1;
  struct source with_rows = {0, 0};
  EXPECT_OK(warpdex_build_set_of_batches(&how, next_with_rows, &with_rows, NULL, &set, &error));
  warpdex_probes probes;
  memset(&probes, 0, sizeof probes);
  probes.lower = of(keys[0], N, WARPDEX_U64);
  uint64_t found[N];
  warpdex_output const rows = {found, N, WARPDEX_U64, 0};
  EXPECT_OK(warpdex_look_up(set, "find", &probes, &rows, 1, NULL, &error));
  for (uint64_t i = 0; i < N; ++i) EXPECT(found[i] <= i && keys[0][found[i]] == keys[0][i]);
  warpdex_free(set);
  set = NULL;
  struct source const without = {0, 1};
  with_rows = without;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "has no rows",
              warpdex_build_set_of_batches(&how, next_with_rows, &with_rows, NULL, &set, &error));
  how.rows = 0;
  struct source const begin = {0, 7};
  from = begin;
  EXPECT_CODE(WARPDEX_CANCELLED, "with 7", warpdex_build_set_of_batches(&how, next_batch, &from, NULL, &set, &error));
  how.key_type = WARPDEX_I64;
  from = begin;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "u64",
              warpdex_build_set_of_batches(&how, next_batch, &from, NULL, &set, &error));
  how.folder = "/no such folder";
  EXPECT_CODE(WARPDEX_IO_ERROR, how.folder, warpdex_build_set_of_batches(&how, next_batch, &from, NULL, &set, &error));
  how.memory = 1;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "at least",
              warpdex_build_set_of_batches(&how, next_batch, &from, NULL, &set, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer",
              warpdex_build_set_of_batches(&how, NULL, &from, NULL, &set, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer",
              warpdex_build_set_of_batches(NULL, next_batch, &from, NULL, &set, &error));
  EXPECT(set == NULL);
}

static void test_quantiles(void) {
  warpdex_column const k = of(keys[0], N, WARPDEX_U64), v = of(keys[1], N, WARPDEX_U64);
  warpdex_index *index = NULL, *ranked = NULL;
  EXPECT_OK(warpdex_build("AO+BS", &k, NULL, NULL, &index, &error));
  EXPECT_OK(warpdex_build_quantiles(index, &v, NULL, &ranked, &error));
  uint64_t const lower[] = {100, 0, 9000}, upper[] = {700, SPAN, 9001};
  uint32_t least[3], greatest[3];
  warpdex_probes ranges;
  memset(&ranges, 0, sizeof ranges);
  ranges.lower = of(lower, 3, WARPDEX_U64);
  ranges.upper = of(upper, 3, WARPDEX_U64);
  warpdex_output const first = {least, 3, WARPDEX_U32, 0}, last = {greatest, 3, WARPDEX_U32, 0};
  EXPECT_OK(warpdex_quantiles(ranked, index, &ranges, 0, WARPDEX_QUANTILE_LOWER, &first, NULL, &error));
  EXPECT_OK(warpdex_quantiles(ranked, index, &ranges, 1, WARPDEX_QUANTILE_NEAREST, &last, NULL, &error));
  for (int i = 0; i < 2; ++i) {
    uint64_t low = UINT64_MAX, high = 0;
    for (int j = 0; j < N; ++j) {
      if (keys[0][j] < lower[i] || upper[i] < keys[0][j]) continue;
      low = keys[1][j] < low ? keys[1][j] : low;
      high = keys[1][j] > high ? keys[1][j] : high;
    }
    EXPECT(keys[1][least[i]] == low && keys[1][greatest[i]] == high);
  }
  EXPECT(least[2] == UINT32_MAX && greatest[2] == UINT32_MAX);
  warpdex_facts facts;
  int32_t kind = -1;
  EXPECT_OK(warpdex_describe(ranked, &facts, &error));
  EXPECT_OK(warpdex_kind(ranked, &kind, NULL, &error));
  EXPECT(facts.size == N && kind == WARPDEX_QUANTILES);
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "", warpdex_quantiles(ranked, index, &ranges, 2, 0, &first, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 3",
              warpdex_quantiles(ranked, index, &ranges, 1, 3, &first, NULL, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer",
              warpdex_quantiles(ranked, index, NULL, 1, 0, &first, NULL, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "an index", warpdex_quantiles(index, index, &ranges, 1, 0, &first, NULL, &error));
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "quantiles", warpdex_save(ranked, "c_sets_test.wdx", &error));
  warpdex_index* none = NULL;
  EXPECT_CODE(WARPDEX_UNSUPPORTED, "quantiles", warpdex_build_quantiles(ranked, &v, NULL, &none, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer", warpdex_build_quantiles(index, NULL, NULL, &none, &error));
  warpdex_free(ranked);
  warpdex_free(index);
}

int main(void) {
  draw();
  test_sets();
  test_updates();
  test_rows();
  test_errors();
  test_batches();
  test_quantiles();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
