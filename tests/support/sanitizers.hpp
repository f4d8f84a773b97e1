// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The sanitizer that the tests were built with, the same macros for GCC and clang.
#if defined(__has_feature)
#define WDX_HAS_FEATURE(name) __has_feature(name)
#else
#define WDX_HAS_FEATURE(name) 0
#endif

namespace warpdex::test {

#if defined(__SANITIZE_ADDRESS__) || WDX_HAS_FEATURE(address_sanitizer)
inline constexpr bool under_address_sanitizer = true;
#else
inline constexpr bool under_address_sanitizer = false;
#endif

/// Under ThreadSanitizer memory accesses take twenty times as long, so tests take smaller sizes.
#if defined(__SANITIZE_THREAD__) || WDX_HAS_FEATURE(thread_sanitizer)
inline constexpr bool under_thread_sanitizer = true;
#else
inline constexpr bool under_thread_sanitizer = false;
#endif

/// Under the others they take a few times as long. Tests that do not look for races take smaller sizes there too.
inline constexpr bool under_sanitizer = under_address_sanitizer || under_thread_sanitizer;

}  // namespace warpdex::test

#undef WDX_HAS_FEATURE
