// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/spec.hpp>

#include <string>
#include <vector>

namespace warpdex {

/// How a batch of probes runs on a GPU. A policy knows no structure; a structure only tells which keys its first levels
/// read. Zero and `automatic` leave the choice to the engine. The CPU backend heeds `reorder` alone:
/// `window` asks for windows, and all others do without.
struct policy {
  /// Which blocks search which probes (paper 000, section 4.1). `dynamic`: there is a block per tile of probes, and the
  /// device starts new blocks as others end. `fixed` (in specs: static): there is one block per SM, and each goes
  /// through the batch in strides.
  enum class scheduling : unsigned char { automatic, dynamic, fixed };

  /// Which keys each block copies to shared memory (section 4.2). `steps`: all whole levels from the top that fit.
  /// `full`: these, and the part of the next level that fits.
  enum class pinning : unsigned char { automatic, none, steps, full };

  /// Whether probes are sorted by key before they are searched (section 4.3). `block`: each block sorts a tile of
  /// probes (the paper's lookup reordering). `block_restore`: it also brings the answers back into the order of the
  /// probes before it writes them (double reordering). `window`: a whole window of the batch is partitioned, which goes
  /// beyond the paper (backend/cuda/windows/window.cuh, backend/cpu/cpu_window.hpp). `tile`: probes that come in order,
  /// or nearly so, stay as they are, and each block searches the slice of keys of its tile
  /// (backend/cuda/search/tile_search.cuh). A floor has two answers per probe, so blocks do not restore it.
  enum class reordering : unsigned char { automatic, none, block, block_restore, window, tile };

  /// Which threads scan a range (section 5.7). `group`: the threads that searched it. `warp`: these threads scan short
  /// stretches, and the whole warp scans long ones.
  enum class scanning : unsigned char { automatic, group, warp };

  int lanes = 0;    ///< threads per probe: 1, or a lane group that searches a node together (section 3.4)
  int threads = 0;  ///< threads per block
  int probes = 0;   ///< probes that a thread takes at a time; fewer if a tile would not fit into shared memory
  scheduling schedule = scheduling::automatic;
  pinning pin = pinning::automatic;
  reordering reorder = reordering::automatic;
  scanning scan = scanning::automatic;

  /// @return whether blocks do more than one search per thread, so that a batch runs without windows
  bool runs_in_blocks() const noexcept {
    return sorts_in_blocks() || pin > pinning::none || probes > 1 || schedule == scheduling::fixed;
  }

  /// @return whether a block sorts its tile of probes
  bool sorts_in_blocks() const noexcept { return reorder == reordering::block || reorder == reordering::block_restore; }
};

/// @return whether the blocks that a policy asks for are compiled: those that pin for single lanes, and with
/// WARPDEX_RESEARCH all others
/// @param pinnable whether the index has a top to pin
bool blocks_are_compiled(policy const& run, bool pinnable) noexcept;

/// Reads the options `lanes`, `threads`, `probes`, `schedule`, `pin`, `reorder` and `scan`.
/// @param groups sizes of the lane groups that may search one probe of the structure, besides a single lane
/// @throws spec_error
policy read_policy(spec const& s, std::vector<int> const& groups);

/// @return the options that are not automatic
std::vector<spec::word> policy_words(policy const& chosen);

/// @return the same as text of a spec, each with its slash
std::string policy_text(policy const& chosen);

}  // namespace warpdex
