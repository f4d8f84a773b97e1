// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Every number of sharded indexes that was chosen by measurement.
namespace warpdex::tuning {

/// Keys of the sample that gives the borders.
inline constexpr unsigned long long border_sample = 1 << 16;

/// Probes that go to the shards at a time, from the host and from a device.
inline constexpr unsigned long long exchanged_probes = 1 << 20;
inline constexpr unsigned long long exchanged_probes_on_gpu = 1 << 25;

/// Parts of a batch on a device that are under way at a time.
inline constexpr unsigned long long exchange_lanes = 2;

/// Probes per copy of the index from which several copies answer.
inline constexpr unsigned long long dealt_probes = 1 << 15;

/// The part of the least free memory that copies may take.
inline constexpr double replicated_memory = 0.4;

}  // namespace warpdex::tuning
