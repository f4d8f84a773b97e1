// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/driver.hpp"
#include "support/backends.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>

/// @file
/// Shared by tests of one sample on one backend. WARPDEX_TEST_SEED changes all data; a failure prints the seed
/// and the case.
namespace warpdex::test {

/// Combinations of layout, key type and row type.
inline constexpr std::uint64_t layouts = 3;
inline constexpr std::uint64_t combinations = layouts * key_types.size() * 2;

/// Whether a structure takes these options with such keys and rows.
inline bool accepts(std::string const& text, backend_kind backend, key_type keys = key_type::u32,
                    row_type rows = row_type::u32) {
  try {
    resolve(spec(text), keys, rows, 1000, backend);
    return true;
  } catch (spec_error const&) {
    return false;
  }
}

/// The case of combination `which` of layout, key type and row type. A layout that is not compiled becomes SoA. If
/// strings or keys of 16 bytes are refused, keys have 8; if the options are refused, keys and rows have 4.
/// @param options further options of the spec, each with its slash
inline conformance_case combination(std::string const& sample, std::uint64_t which, backend_kind backend,
                                    std::string const& options = "") {
  constexpr char const* layout_names[layouts] = {"SoA", "AoS", "packed"};
  conformance_case c;
  c.keys = key_types[which / 6 % key_types.size()];
  c.rows = which / 3 % 2 == 0 ? row_type::u32 : row_type::u64;
  std::string arranged = sample + "/layout=" + layout_names[which % layouts];
  if (!accepts(arranged, backend, key_type::u32, c.rows)) arranged = sample + "/layout=SoA";
  if (size_of(c.keys) == 16 && !accepts(arranged + options, backend, c.keys, c.rows)) c.keys = key_type::u64;
  if (!accepts(arranged + options, backend, c.keys, c.rows)) {
    constexpr key_type narrow[] = {key_type::u32, key_type::i32, key_type::f32};
    c.keys = narrow[which / 6 % 3];
    c.rows = row_type::u32;
  }
  c.spec = arranged + "/rows=" + std::string(to_string(c.rows)) + options;
  return c;
}

/// The first combination with keys of this type.
inline std::uint64_t combinations_with(key_type keys) {
  auto const number = std::find(key_types.begin(), key_types.end(), keys) - key_types.begin();
  return 2 * layouts * static_cast<std::uint64_t>(number);
}

class conformance_fixture : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const& sample() const { return std::get<0>(GetParam()); }
  backend_kind backend() const { return std::get<1>(GetParam()); }

  /// The next case, over combination `which`; the rest varies.
  /// @param batches sizes of batches, see conformance_case
  void run(std::uint64_t which, distribution kind, std::uint64_t size, std::uint64_t probes,
           std::string const& options = "", std::vector<std::uint64_t> batches = {}) {
    conformance_case c = make_case(which, kind, size, probes, options);
    c.batches = std::move(batches);
    run(c);
  }

  /// The next case, over data set `number` of key and row types `types`. Cases that follow each other with the same
  /// data set share the oracle's work.
  void run_over(std::uint64_t number, std::uint64_t types, std::uint64_t layout, std::uint64_t size,
                std::string const& options, std::vector<std::uint64_t> batches) {
    std::uint64_t const which = types % (combinations / layouts) * layouts + layout % layouts;
    conformance_case c = make_case(which, static_cast<distribution>(number % distributions), size, 40, options);
    c.given_rows = number % 3 == 1;
    c.data_seed = base_seed() + (std::uint64_t{1} << 32) + number;
    c.batches = std::move(batches);
    run(c);
  }

  /// The next case as shards, with updates and files.
  void run_shards(std::uint64_t which, std::uint64_t size, std::uint32_t shards, bool copies, int updates,
                  std::filesystem::path const& folder = {}) {
    conformance_case c = make_case(which, static_cast<distribution>(which % distributions), size, 40, "");
    c.shards = shards;
    c.copies = copies;
    c.updates = updates;
    c.update_size = 1 + size / 3;
    c.file = folder;
    run(c);
  }

  /// The next case with updates, see conformance_case.
  void run_updates(std::uint64_t which, std::uint64_t size, int updates, std::uint64_t update_size,
                   int examined_every = 1) {
    conformance_case c = make_case(which, static_cast<distribution>(which % distributions), size, 40, "");
    c.updates = updates;
    c.update_size = update_size;
    c.examined_every = examined_every;
    run(c);
  }

 private:
  conformance_case make_case(std::uint64_t which, distribution kind, std::uint64_t size, std::uint64_t probes,
                             std::string const& options) {
    std::uint64_t const number = number_++;
    conformance_case c = combination(sample(), which, backend(), options);
    c.kind = kind;
    c.size = size;
    c.probes = probes;
    c.given_rows = number % 3 == 1;
    if (backend() == backend_kind::cuda) c.arrays = static_cast<placement>(number % 3);
    c.seed = base_seed() + number;
    return c;
  }

  std::uint64_t base_seed() const { return test_seed() ^ name_hash(sample()); }

  void run(conformance_case const& c) {
    constexpr int thread_counts[] = {1, 1, 2, 0};
    execution const exec(memory_of(backend()), stream_, thread_counts[number_ % 4]);
    try {
      run_case(c, exec);
    } catch (std::exception const& error) {
      FAIL() << "WARPDEX_TEST_SEED=" << test_seed() << " " << name_of(backend()) << "\n" << error.what();
    }
  }

  test_stream stream_{std::get<1>(GetParam())};
  std::uint64_t number_ = 0;
};

}  // namespace warpdex::test
