// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "support/sanitizers.hpp"

/// @file
/// The backends that this machine can run, for tests that run on each of them.
namespace warpdex::test {

/// The backends that WARPDEX_TEST_BACKENDS names, as in `cpu,cuda`. Without it, the CPU, and CUDA if there is a device.
/// A program fails if a named backend is missing, so no test is silently left out.
std::vector<backend_kind> present_backends();

inline memory_resource& memory_of(backend_kind backend) {
  return backend == backend_kind::cpu ? host_memory() : device_memory();
}

inline std::string name_of(backend_kind backend) { return backend == backend_kind::cpu ? "cpu" : "cuda"; }

/// For CUDA a stream of the test's own, so that nothing relies on the default stream. For the CPU it is empty.
class test_stream {
 public:
  explicit test_stream(backend_kind backend);
  ~test_stream();
  test_stream(test_stream const&) = delete;
  test_stream& operator=(test_stream const&) = delete;

  operator stream_ref() const noexcept { return stream_; }

 private:
  stream_ref stream_;
};

/// Makes a CUDA device the current one of this thread until it goes out of scope.
class current_device {
 public:
  explicit current_device(int ordinal);
  ~current_device();
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;

 private:
  [[maybe_unused]] int before_ = 0;  ///< of no use without CUDA
};

/// Host memory that the device reaches too.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes);
  ~pinned_memory();
  pinned_memory(pinned_memory const&) = delete;
  pinned_memory& operator=(pinned_memory const&) = delete;

  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
};

/// @return whether a build has what a spec asks for; experiments of the papers take WARPDEX_RESEARCH
inline bool is_compiled(std::string const& text, key_type keys = key_type::u32, row_type rows = row_type::u32) {
  try {
    resolve(spec(text), keys, rows, 1000, backend_kind::cpu);
    return true;
  } catch (spec_error const& why) {
    if (std::string_view(why.what()).find("WARPDEX_RESEARCH") == std::string_view::npos) throw;
    return false;
  }
}

/// One sample of each structure, from the middle of its list: neither the plainest nor the last.
inline std::vector<std::string> one_sample_each() {
  std::vector<std::string> result;
  for (structure_info const& info : structures()) result.push_back(info.samples[info.samples.size() / 2]);
  return result;
}

/// The samples of all registered structures, and each structure with an order behind a filter. Where they take long,
/// one of each without a filter.
inline std::vector<std::string> all_samples() {
  if (under_address_sanitizer) return one_sample_each();
  std::vector<std::string> result;
  for (structure_info const& info : structures()) {
    result.insert(result.end(), info.samples.begin(), info.samples.end());
    if (info.ordered && !info.chooses) result.push_back(info.samples.front() + "/filter=8");
  }
  return result;
}

/// Specs whose pairs are apart from the index, and of windows of few probes, each on the backends where it counts.
inline std::vector<std::tuple<std::string, backend_kind>> samples_apart() {
  std::vector<std::tuple<std::string, backend_kind>> result;
  for (backend_kind const backend : present_backends()) {
    result.emplace_back("AO+BS/reorder=window", backend);
    if (backend == backend_kind::cpu) continue;
    for (char const* const spec : {"GRT/layout=AoS/reorder=window", "AO+PB+KS(17)/pairs=host/reorder=window",
                                   "AO+PB+KS(17)/layout=AoS/pairs=host/reorder=window", "B+(16)/pairs=host"})
      result.emplace_back(spec, backend);
  }
  return result;
}

/// Whether K-ary structures of this fan-out are compiled.
inline bool has_fanout(int k) {
  for (structure_info const& info : structures())
    for (int const compiled : info.fanouts)
      if (compiled == k) return true;
  return false;
}

/// Whether a sample's structure takes keys of this type.
inline bool takes(std::string const& sample, key_type keys) {
  try {
    resolve(spec(sample), keys, row_type::u32, 1000, backend_kind::cpu);
    return true;
  } catch (spec_error const&) {
    return false;
  }
}

/// The samples whose structures take keys of this type.
inline std::vector<std::string> samples_over(key_type keys) {
  std::vector<std::string> found = all_samples();
  std::erase_if(found, [&](std::string const& sample) { return !takes(sample, keys); });
  return found;
}

/// @return `text` as a test name: everything but letters and digits becomes words
inline std::string test_name(std::string const& text) {
  std::string result;
  for (char const c : text) {
    bool const plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain) result += c;
    else if (c == '+') result += 'p';  // otherwise B+ and B would have one name
    else if (!result.empty() && result.back() != '_') result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result;
}

inline std::string backend_name(testing::TestParamInfo<backend_kind> const& parameter) {
  return name_of(parameter.param);
}

inline std::string sample_and_backend_name(
    testing::TestParamInfo<std::tuple<std::string, backend_kind>> const& parameter) {
  return test_name(std::get<0>(parameter.param)) + "_on_" + name_of(std::get<1>(parameter.param));
}

}  // namespace warpdex::test
