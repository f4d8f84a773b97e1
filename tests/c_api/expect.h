/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef WARPDEX_TESTS_C_API_EXPECT_H
#define WARPDEX_TESTS_C_API_EXPECT_H

#include <warpdex/warpdex.h>

#include <stdio.h>
#include <string.h>

/// @file
/// Checks of tests in C, and the error of the last call.
static int failures = 0;
static warpdex_error error;

#define EXPECT(condition)                                                                 \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      printf("%s:%d: %s\n  last text: %s\n", __FILE__, __LINE__, #condition, error.text); \
      ++failures;                                                                         \
    }                                                                                     \
  } while (0)
#define EXPECT_OK(call) EXPECT((call) == WARPDEX_OK && error.code == WARPDEX_OK && error.text[0] == 0)
#define EXPECT_CODE(wanted, words, call) \
  EXPECT((call) == (wanted) && error.code == (wanted) && strstr(error.text, words) != NULL)

#endif
