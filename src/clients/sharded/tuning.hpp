// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// Every number of sharded indexes that was chosen by measurement.
namespace warpdex::tuning {

/// Keys of the sample that gives the borders.
inline constexpr std::uint64_t border_sample = 1 << 16;

/// Keys that a build deals to the shards at a time.
inline constexpr std::uint64_t dealt_keys = 1 << 26;

/// Probes on the host that go to the shards at a time.
inline constexpr std::uint64_t exchanged_probes = 1 << 20;

/// Those on a device go in a few exchanges, of which others overlap with each; so each is large, because every one
/// reads much of the index.
inline constexpr std::uint64_t exchanges = 2;
inline constexpr std::uint64_t exchanged_probes_on_gpu = 1 << 24;
inline constexpr std::uint64_t most_exchanged_probes = 1 << 27;

/// Parts of a batch on a device that are under way at a time.
inline constexpr std::uint64_t exchange_lanes = 2;

/// Probes per copy of the index from which several copies answer: of probes on the host, and on a device, where the
/// link is hardly faster than a search.
inline constexpr std::uint64_t dealt_probes = 1 << 15;
inline constexpr std::uint64_t dealt_probes_on_gpu = 1 << 26;

/// Answers to a batch on a device, of all shards to all probes, up to which nothing is dealt: searches that are not
/// needed cost less than the kernels and waits of an exchange.
inline constexpr std::uint64_t answers_of_all_shards = 1 << 20;

/// Probes of each place up to which one thread starts the lookups of all: to wake others takes longer.
inline constexpr std::uint64_t probes_of_one_thread = 1 << 20;

/// Probes on the host per link from which several devices take them.
inline constexpr std::uint64_t linked_probes = 1 << 20;

/// Copies that measure a link, after one that is not measured.
inline constexpr int measured_copies = 4;

/// The part of the least free memory that copies may take.
inline constexpr double replicated_memory = 0.4;

}  // namespace warpdex::tuning
