// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/structure.hpp"

namespace warpdex {

/// @return whether a key of an index has several entries; true also if there is no memory to find out. Synchronises.
/// Cost: once per state of an index a pass over its keys
bool keys_repeat(structure const& s, execution const& exec);

/// Says whether a batch has to look for others among equal keys. It does not find out where that would take longer than
/// to look: for few probes. Nor does it where it must not wait: in a stream that a graph records.
/// @return false if no key has several entries
bool may_repeat(structure const& s, std::uint64_t probes, execution const& exec);

}  // namespace warpdex
