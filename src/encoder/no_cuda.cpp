// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA part of key encoders in builds without it.
#include <warpdex/error.hpp>

#include "encoder/encoder_backend.hpp"

namespace warpdex {

encoder_backend const& cuda_encoder_backend() { throw unsupported("this build of warpdex has no CUDA backend"); }

}  // namespace warpdex
