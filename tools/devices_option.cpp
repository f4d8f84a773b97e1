// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/devices_option.hpp"

#include "tables/delimited.hpp"
#include "tools/context.hpp"

#include <warpdex/device.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpdex {

std::vector<int> parse_devices(std::string_view text) {
  std::vector<int> devices;
  for (std::string const& word : tables::split_names(text)) {
    int device = -1;
    char const* const end = word.data() + word.size();
    auto const [stop, failure] = std::from_chars(word.data(), end, device);
    if (word != "cpu" && (failure != std::errc() || stop != end || device < 0))
      throw usage_error(
          fmt::format("--devices {}: '{}' is no device; numbers of GPUs as in 0,1, or cpu, were expected", text, word));
    if (device >= 0 && std::find(devices.begin(), devices.end(), device) != devices.end())
      throw usage_error(fmt::format("--devices {}: device {} is named twice", text, device));
    devices.push_back(device);
  }
  return devices;
}

std::vector<shard_place> places_on(std::span<int const> named, int threads) {
  auto const known = devices();
  std::vector<shard_place> places;
  for (int const device : named) {
    bool const is_there = std::any_of(known.begin(), known.end(), [&](auto const& d) { return d.ordinal == device; });
    if (device >= 0 && !is_there)
      throw device_error(fmt::format("--devices: device {} {}", device,
                                     built_with_cuda() ? "is not there; `warpdex info` lists the devices"
                                                       : "is not usable: this warpdex was built without CUDA"));
    places.push_back(device < 0 ? shard_place{execution(host_memory(), {}, threads)} : place_on(device));
  }
  return places;
}

}  // namespace warpdex
