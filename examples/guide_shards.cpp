// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines about several GPUs in docs/guide/cpp.md. On a machine without GPUs the host has both shards.
#include <warpdex/device.hpp>
#include <warpdex/sharded.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <vector>

int main() {
  std::vector<std::uint32_t> const keys = {30, 10, 20, 10};
  std::vector<std::uint32_t> const probes = {10, 25};

  std::vector<warpdex::shard_place> places;
  for (warpdex::device_info const& device : warpdex::devices()) places.push_back(warpdex::place_on(device.ordinal));
  if (places.empty()) places.resize(2);  // parts of the host: the same code without a GPU
  auto const shards = warpdex::sharded_index::build("AO+BS", keys, warpdex::placement::range, places);
  std::vector<std::uint32_t> const rows = shards.find(probes);  // as of one index: {1, no_row}

  std::filesystem::path const folder = std::filesystem::temp_directory_path() / "warpdex_guide_shards";
  shards.save(folder);  // a file per shard; loads to any number of places
  auto const loaded = warpdex::sharded_index::load(folder, places);
  std::filesystem::remove_all(folder);

  std::printf("%s\n", loaded.explain().c_str());
  return rows[0] == 1 && rows == loaded.find(probes) ? 0 : 1;
}
