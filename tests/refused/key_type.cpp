// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/column.hpp>

#include <vector>

std::vector<short> const keys = {1, 2};
warpdex::column const refused(keys);
