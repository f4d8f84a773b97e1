// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA part of joins in builds without it.
#include <warpdex/error.hpp>

#include "join/join_backend.hpp"

namespace warpdex {

join_backend const& cuda_join_backend() { throw unsupported("this build of warpdex has no CUDA backend"); }

}  // namespace warpdex
