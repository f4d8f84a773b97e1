// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA part of lookups in rounds in builds without it.
#include <warpdex/error.hpp>

#include "calls/rounds_backend.hpp"

namespace warpdex {

rounds_backend const& cuda_rounds_backend() { throw unsupported("this build of warpdex has no CUDA backend"); }

}  // namespace warpdex
