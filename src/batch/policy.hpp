// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/spec.hpp>

#include <string>
#include <vector>

namespace warpdex {

/// How a batch of probes runs on a GPU. A policy knows no structure; a structure only tells which keys its
/// first levels read. Zero and `automatic` leave the choice to the engine. The CPU backend has no use for
/// any of it.
struct policy {
  /// Which blocks do which probes (paper 000, section 4.1): `dynamic`, a block for each tile of probes,
  /// which the device starts as others end; `fixed` (in specs: static), one block a multiprocessor, each
  /// going through the batch in strides.
  enum class scheduling : unsigned char { automatic, dynamic, fixed };

  /// Where the keys of the first levels lie (section 4.2). Each block copies them to shared memory: with
  /// `steps` as many whole levels as fit, with `full` as much of the next level too.
  enum class pinning : unsigned char { automatic, none, steps, full };

  /// Whether probes are brought into an order of the keys before they are searched (section 4.3): those of
  /// a block (`block`, the paper's lookup reordering), with their answers back in the order of the probes
  /// before they are written (`block_restore`, double reordering); or, beyond the paper, a window of the
  /// batch (backend/cuda/window.cuh). A floor is not restored and does not take windows: it has two
  /// answers a probe.
  enum class reordering : unsigned char { automatic, none, block, block_restore, window };

  /// Which threads scan a range (section 5.7): with `group` those that searched it; with `warp` these the
  /// first stretches, and longer ones the whole warp.
  enum class scanning : unsigned char { automatic, group, warp };

  int lanes = 0;    ///< threads a probe: 1, or a group that searches a node together (section 3.4)
  int threads = 0;  ///< threads a block
  int probes = 0;   ///< probes that a thread takes at a time; with a large block as many as fit
  scheduling schedule = scheduling::automatic;
  pinning pin = pinning::automatic;
  reordering reorder = reordering::automatic;
  scanning scan = scanning::automatic;

  /// Whether blocks do more than a search per thread, so that a batch runs without windows.
  bool runs_in_blocks() const noexcept {
    return sorts_in_blocks() || pin > pinning::none || probes > 1 || schedule == scheduling::fixed;
  }

  /// Whether a block sorts its tile of probes.
  bool sorts_in_blocks() const noexcept { return reorder == reordering::block || reorder == reordering::block_restore; }
};

/// Reads the options `lanes`, `threads`, `probes`, `schedule`, `pin`, `reorder` and `scan`.
/// @param groups of how many lanes the structure lets search one probe, besides a single one
/// @throws spec_error
policy read_policy(spec const& s, std::vector<int> const& groups);

/// @return the options that are not automatic, each with its slash
std::string policy_text(policy const& chosen);

}  // namespace warpdex
