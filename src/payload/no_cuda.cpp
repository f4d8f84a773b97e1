// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA part of payloads in builds without it.
#include <warpdex/error.hpp>

#include "payload/payload_backend.hpp"

namespace warpdex {

payload_backend const& cuda_payload_backend() { throw unsupported("this build of warpdex has no CUDA backend"); }

}  // namespace warpdex
