/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0

   The example of docs/guide/c.md, which is built and run as a test. */
#include <warpdex/warpdex.h>

#include <stdio.h>

static warpdex_column u32s(uint32_t const* data, uint64_t size) {
  return (warpdex_column){.data = data, .size = size, .type = WARPDEX_U32};
}

int main(void) {
  uint32_t const keys[] = {30, 10, 20, 10}, probes[] = {10, 25}, lower[] = {10}, upper[] = {20};
  uint32_t rows[2];
  uint64_t sums[1];
  warpdex_error error;
  warpdex_index* index;

  warpdex_column const column = u32s(keys, 4);
  if (warpdex_build("auto", &column, NULL, NULL, &index, &error) != WARPDEX_OK) {  // NULL: row ids are positions
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }

  warpdex_probes points = {.lower = u32s(probes, 2)};
  warpdex_output found = {rows, 2, WARPDEX_U32, 0};
  warpdex_look_up(index, "find", &points, &found, 1, NULL, &error);  // {1, no row}: smallest row of each key

  warpdex_probes ranges = {.lower = u32s(lower, 1), .upper = u32s(upper, 1)};
  warpdex_output summed = {sums, 1, WARPDEX_U64, 0};
  warpdex_look_up(index, "range_sum", &ranges, &summed, 1, NULL, &error);  // {1 + 3 + 2}

  warpdex_result pairs;
  warpdex_join(index, &points, NULL, NULL, &pairs, &error);  // probe 0 with rows 1 and 3
  uint32_t const* right = pairs.second;
  printf("rows: %u %u, sum: %llu, pairs: %llu\n", rows[0], rows[1], (unsigned long long)sums[0],
         (unsigned long long)pairs.first_size);
  int const correct = rows[0] == 1 && rows[1] == UINT32_MAX && sums[0] == 6 && pairs.first_size == 2 && right[1] == 3;

  warpdex_release(&pairs);
  warpdex_free(index);
  return correct ? 0 : 1;
}
