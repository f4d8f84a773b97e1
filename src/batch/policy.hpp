// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/spec.hpp>

#include <string>

namespace warpdex {

/// How a batch of probes runs on a GPU. A policy knows no structure; a structure only tells which keys its
/// first levels read. Zero and `automatic` leave the choice to the engine (backend/cuda/tuning.hpp). The
/// CPU backend has no use for any of it.
struct policy {
  /// Where the keys of the first levels lie (paper 000, section 4.2). With `steps`, each block copies them
  /// to shared memory, and as few blocks as fill the device do all probes (section 4.1: static schedule).
  enum class pinning : unsigned char { automatic, none, steps };

  /// Whether probes are brought into an order of the keys before they are searched, a window of the batch
  /// at a time, and their answers back into the order of the probes (backend/cuda/window.cuh). With
  /// `batch`, batches of all sizes are. A floor is not: it has two answers a probe.
  enum class windowing : unsigned char { automatic, none, batch };

  int lanes = 0;    ///< threads a probe: 1, or K-1 that search a node together (section 3.4)
  int threads = 0;  ///< threads a block
  pinning pin = pinning::automatic;
  windowing window = windowing::automatic;
};

/// Reads the options `lanes`, `threads`, `pin` and `window`.
/// @param fanout K of the structure, 2 if it has no groups
/// @throws spec_error
policy read_policy(spec const& s, int fanout);

/// @return the options that are not automatic, each with its slash
std::string policy_text(policy const& chosen);

}  // namespace warpdex
