// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/options.hpp"

#include "bench/context.hpp"

#include <warpdex/device.hpp>

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <thread>

namespace warpdex::bench {
namespace {

bool read_digits(std::string_view text, std::uint64_t& value) {
  auto const [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && stop == text.data() + text.size();
}

}  // namespace

std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t lowest,
                           std::uint64_t highest) {
  auto const refuse = [&] {
    throw usage_error(fmt::format("{} {}: expected a number from {} to {}, such as 1000000, 1M or 2^20", option, text,
                                  lowest, highest));
  };
  auto const times_power = [&](std::uint64_t value, std::uint64_t base, std::uint64_t exponent) {
    if (exponent > 64) refuse();
    for (std::uint64_t i = 0; i < exponent; ++i)
      if (__builtin_mul_overflow(value, base, &value)) refuse();
    return value;
  };
  std::string digits(text);
  std::erase(digits, '_');
  std::uint64_t thousands = 0;
  if (!digits.empty()) thousands = std::string_view("KMG").find(digits.back() & ~0x20) + 1;  // either case
  if (thousands != 0) digits.pop_back();
  std::uint64_t value = 0, exponent = 0;
  if (auto const sign = digits.find_first_of("^e"); sign == std::string::npos) {
    if (!read_digits(digits, value)) refuse();
  } else {
    std::string_view const all = digits;
    if (!read_digits(all.substr(0, sign), value) || !read_digits(all.substr(sign + 1), exponent)) refuse();
    value = all[sign] == '^' ? times_power(1, value, exponent) : times_power(value, 10, exponent);
  }
  value = times_power(value, 1000, thousands);
  if (value < lowest || value > highest) refuse();
  return value;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char const c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth <= 0) parts.emplace_back();
    else if (c != ' ' || !parts.back().empty()) parts.back() += c;
  }
  return parts;
}

int usable_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<int> parse_threads(std::string_view text) {
  std::vector<int> result;
  for (auto const& part : split_list(text)) {
    auto const count = static_cast<int>(parse_number("--threads", part, 0, 4096));
    result.push_back(count > 0 ? count : usable_cores());
  }
  return result;
}

std::vector<int> parse_devices(std::string_view text) {
  std::vector<int> devices;
  for (std::string const& word : split_list(text)) {
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
                                     built_with_cuda() ? "is not there; `warpdex-bench info` lists the devices"
                                                       : "is not usable: this warpdex was built without CUDA"));
    places.push_back(device < 0 ? shard_place{execution(host_memory(), {}, threads)} : place_on(device));
  }
  return places;
}

}  // namespace warpdex::bench
