// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/version.hpp>

#include <gtest/gtest.h>

#include <string>

TEST(version, of_library_headers_and_build_is_one) {
  EXPECT_EQ(warpdex::version(), WARPDEX_VERSION);
  EXPECT_EQ(warpdex::version(), WARPDEX_TEST_PROJECT_VERSION);
}
