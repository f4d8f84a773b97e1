// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

// Compiled as C++17.
#include <warpdex/index.hpp>
