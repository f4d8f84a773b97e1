// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA part of lookups in rounds and in sorted columns in builds without it.
#include <warpdex/error.hpp>

#include "calls/rounds_backend.hpp"
#include "calls/sorted.hpp"

namespace warpdex {
namespace {

[[noreturn]] void fail() { throw unsupported("this build of warpdex has no CUDA backend"); }

}  // namespace

rounds_backend const& cuda_rounds_backend() { fail(); }
void search_sorted_on_device(column const&, column const&, std::uint64_t*, bool, execution const&) { fail(); }

}  // namespace warpdex
