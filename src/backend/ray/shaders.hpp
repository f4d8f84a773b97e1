// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// SPIR-V that the build has made of shaders/*.
#include <shaders/hit.h>
#include <shaders/locate.h>
#include <shaders/miss.h>
#include <shaders/rays.h>
