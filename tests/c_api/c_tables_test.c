/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#include <warpdex/warpdex.h>

#include <stdint.h>
#include <string.h>

#include "expect.h"

/// @file
/// Joins of tables of Arrow as C calls them.

/* A table of two columns of integers by Arrow's C interface, as a library of C makes it. */
struct ArrowSchema {
  char const *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  void const** buffers;
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*);
  char const* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

struct side {
  int64_t length;
  char const* names[2];
  int64_t const* values[2];
  int is_read;
  struct ArrowSchema columns[2], *column_pointers[2];
  struct ArrowArray arrays[2], *array_pointers[2];
  void const *buffers[2][2], *none[1];
};

static void release_schema(struct ArrowSchema* self) { self->release = NULL; }
static void release_array(struct ArrowArray* self) { self->release = NULL; }
static void release_stream(struct ArrowArrayStream* self) { self->release = NULL; }
static char const* no_error(struct ArrowArrayStream* self) { return self == NULL ? "" : "the table cannot be read"; }

static int schema_of(struct ArrowArrayStream* self, struct ArrowSchema* to) {
  struct side* from = self->private_data;
  memset(to, 0, sizeof *to);
  for (int i = 0; i < 2; ++i) {
    memset(&from->columns[i], 0, sizeof from->columns[i]);
    from->columns[i].format = "l";
    from->columns[i].name = from->names[i];
    from->columns[i].release = release_schema;
    from->column_pointers[i] = &from->columns[i];
  }
  to->format = "+s";
  to->n_children = 2;
  to->children = from->column_pointers;
  to->release = release_schema;
  return 0;
}

static int next_of(struct ArrowArrayStream* self, struct ArrowArray* to) {
  struct side* from = self->private_data;
  memset(to, 0, sizeof *to);
  if (from->length < 0) return 5;
  if (from->is_read++) return 0;
  for (int i = 0; i < 2; ++i) {
    memset(&from->arrays[i], 0, sizeof from->arrays[i]);
    from->buffers[i][0] = NULL;
    from->buffers[i][1] = from->values[i];
    from->arrays[i].length = from->length;
    from->arrays[i].n_buffers = 2;
    from->arrays[i].buffers = from->buffers[i];
    from->arrays[i].release = release_array;
    from->array_pointers[i] = &from->arrays[i];
  }
  to->length = from->length;
  to->n_buffers = 1;
  to->buffers = from->none;
  to->n_children = 2;
  to->children = from->array_pointers;
  to->release = release_array;
  return 0;
}

static struct ArrowArrayStream stream_of(struct side* from) {
  struct ArrowArrayStream result = {schema_of, next_of, no_error, release_stream, from};
  from->is_read = 0;
  return result;
}

static void expect_column(struct ArrowArrayStream* joined, int column, int64_t const* wanted, int64_t length) {
  struct ArrowArray batch;
  EXPECT(joined->get_next(joined, &batch) == 0 && batch.length == length);
  int64_t const* found = (int64_t const*)batch.children[column]->buffers[1] + batch.children[column]->offset;
  for (int64_t i = 0; i < length; ++i) EXPECT(found[i] == wanted[i]);
  batch.release(&batch);
  joined->release(joined);
}

static void test_tables(void) {
  int64_t const left_keys[] = {7, 9, 7}, left_values[] = {1, 2, 3}, right_keys[] = {9, 7}, right_values[] = {90, 70};
  struct side left, right;
  memset(&left, 0, sizeof left);
  memset(&right, 0, sizeof right);
  left.length = 3;
  left.names[0] = right.names[0] = "key";
  left.names[1] = "left";
  right.names[1] = "right";
  left.values[0] = left_keys;
  left.values[1] = left_values;
  right.length = 2;
  right.values[0] = right_keys;
  right.values[1] = right_values;
  struct ArrowArrayStream lefts = stream_of(&left), rights = stream_of(&right), joined = {0};
  char const* const on[] = {"key"};
  char const* const wrong[] = {"keys"};
  warpdex_table_join by = {0};
  by.left_on = on;
  by.count = 1;
  EXPECT_OK(warpdex_join_tables(&lefts, &rights, &by, NULL, &joined, &error));
  EXPECT(lefts.release == NULL && rights.release == NULL);
  expect_column(&joined, 2, (int64_t const[]){70, 90, 70}, 3);
  lefts = stream_of(&left);
  rights = stream_of(&right);
  warpdex_table_asof asof = {0};
  asof.left_on = "left";
  asof.right_on = "right";
  asof.how.strategy = WARPDEX_FORWARD;
  EXPECT_OK(warpdex_join_asof_tables(&lefts, &rights, &asof, NULL, &joined, &error));
  expect_column(&joined, 3, (int64_t const[]){70, 70, 70}, 3);
  lefts = stream_of(&left);
  rights = stream_of(&right);
  warpdex_table_between between = {0};
  between.lower = "left";
  between.upper = "key";
  between.right_on = "key";
  EXPECT_OK(warpdex_join_between_tables(&lefts, &rights, &between, NULL, &joined, &error));
  expect_column(&joined, 3, (int64_t const[]){70, 70, 90, 70}, 4);
  between.closed = 4;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 4",
              warpdex_join_between_tables(&lefts, &rights, &between, NULL, &joined, &error));
  lefts = stream_of(&left);
  rights = stream_of(&right);
  warpdex_window_value values[] = {{NULL, "near", 0, WARPDEX_WINDOW_COUNT, 0},
                                   {"right", NULL, 0, WARPDEX_WINDOW_SUM, 0}};
  warpdex_table_window window = {0};
  window.left_on = "key";
  window.before = 2;
  window.values = values;
  window.value_count = 2;
  EXPECT_OK(warpdex_window_tables(&lefts, &rights, &window, NULL, &joined, &error));
  expect_column(&joined, 2, (int64_t const[]){1, 2, 1}, 3);
  lefts = stream_of(&left);
  rights = stream_of(&right);
  EXPECT_OK(warpdex_window_tables(&lefts, &rights, &window, NULL, &joined, &error));
  expect_column(&joined, 3, (int64_t const[]){70, 160, 70}, 3);
  values[1].aggregate = 9;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 9",
              warpdex_window_tables(&lefts, &rights, &window, NULL, &joined, &error));
  window.values = NULL;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "values",
              warpdex_window_tables(&lefts, &rights, &window, NULL, &joined, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "null pointer",
              warpdex_window_tables(&lefts, &rights, NULL, NULL, &joined, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "was released",
              warpdex_join_tables(&lefts, &rights, &by, NULL, &joined, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "the left stream",
              warpdex_join_tables(NULL, &rights, &by, NULL, &joined, &error));
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "left_on",
              warpdex_join_asof_tables(&lefts, &rights, &(warpdex_table_asof){0}, NULL, &joined, &error));
  lefts = stream_of(&left);
  rights = stream_of(&right);
  by.left_on = wrong;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "no column 'keys'",
              warpdex_join_tables(&lefts, &rights, &by, NULL, &joined, &error));
  lefts = stream_of(&left);
  left.length = -1;
  EXPECT_CODE(WARPDEX_IO_ERROR, "cannot be read", warpdex_join_tables(&lefts, &rights, &by, NULL, &joined, &error));
  by.how = 6;
  EXPECT_CODE(WARPDEX_INVALID_ARGUMENT, "number 6", warpdex_join_tables(&lefts, &rights, &by, NULL, &joined, &error));
}

int main(void) {
  test_tables();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
