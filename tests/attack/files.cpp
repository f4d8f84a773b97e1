// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Forged index files with right checksums. With `check::all` each is refused with an error of warpdex, or is a valid
/// index, which answers like a plain scan of its entries, also after updates. With `check::structure` answers may be
/// wrong, and nothing else. Devices load such files too, and there no answers are compared.
#include "attack/exercise.hpp"
#include "attack/forgery.hpp"
#include "base/types.hpp"
#include "conformance/fixture.hpp"
#include "structures/structure.hpp"
#include "support/arrays.hpp"
#include "support/forge.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace {

using namespace warpdex;
using namespace warpdex::test;

constexpr int forgeries_of_each = 100;

/// The bytes of a file that only this process sees.
class memory_file {
 public:
  explicit memory_file(std::vector<std::uint8_t> const& bytes) : descriptor_(::memfd_create("forged", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("no memory for a file");
  }
  memory_file(memory_file const&) = delete;
  ~memory_file() { ::close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Compares an index on the CPU with a scan of the entries in the file.
void examine(warpdex::index loaded, std::vector<std::uint8_t> const& bytes, std::uint64_t seed, execution const& exec) {
  auto const file = io::file::parse(std::as_bytes(std::span(bytes)));
  auto const head = file.head();
  auto const plan = make_plan(spec(head.spec), {head.keys, head.rows, head.size, backend_kind::cpu, -1})
                        ->make(stored_index{file, false}, exec);
  auto const pairs = plan->entries(exec);
  conformance_case c;
  c.spec = head.spec;
  c.keys = head.keys;
  c.rows = head.rows;
  c.size = head.size;
  c.probes = 30;
  c.updates = 2;
  c.update_size = 20;
  c.given_rows = true;
  c.seed = seed;
  with_types({kind_of(head.keys), head.rows}, [&]<class Key, class Row>() {
    auto codes = read_buffer<Key>(pairs.keys, pairs.size, exec);
    auto const rows = read_buffer<Row>(pairs.rows, pairs.size, exec);
    if constexpr (is_bytes<Key>) {
      byte_strings keys;
      for (Key const& key : codes) keys.push_back({reinterpret_cast<char const*>(key.data), key.size});
      run_case(c, std::move(loaded), keys, {rows.begin(), rows.end()}, exec);
    } else {
      for (Key& key : codes) key = decode(codec_of(head.keys), key);
      run_case(c, std::move(loaded), column(codes.data(), codes.size(), head.keys), {rows.begin(), rows.end()}, exec);
    }
  });
}

void one_round(generator& random, attack::tally& tried) {
  execution const exec(memory_of(pick(random, present_backends())), {}, 1);
  std::string const sample = pick(random, all_samples());
  std::string const window = "/reorder=window";
  bool const in_windows = below(random, 4) == 0 && accepts(sample + window, backend_kind::cpu);
  auto const c = combination(sample, below(random, combinations), backend_kind::cpu, in_windows ? window : "");
  std::string storage;
  auto const whole = attack::make_file(c, random, storage);
  for (int i = 0; i < forgeries_of_each; ++i) {
    attack::forgery forged(whole);
    std::string what;
    for (std::uint64_t changes = 1 + below(random, 3); changes > 0; --changes) what = forged.change(random);
    auto bytes = forged.bytes();
    if (below(random, 8) == 0) {
      what = attack::change_header(bytes, random);
      switch (below(random, 3)) {
        case 0: break;
        case 1: repair_checksums(bytes); break;
        default: repair(bytes); break;
      }
    }
    std::uint64_t const seed = random();
    memory_file const file(bytes);
    try {
      check const checks = below(random, 2) == 0 ? check::all : check::structure;
      std::string const checked = checks == check::all ? "all" : "structure";
      std::optional<warpdex::index> loaded;
      try {
        loaded = warpdex::index::load(file.path(), exec, below(random, 2) == 0, checks);
      } catch (device_error const&) {
        throw;
      } catch (error const&) {
        ++tried["files refused by check::" + checked + ", changed: " + what];
        continue;
      }
      if (checks == check::all && exec.memory->backend() == backend_kind::cpu)
        examine(std::move(*loaded), bytes, seed, exec);
      else attack::exercise(std::move(*loaded), random, exec, tried);
      ++tried["files taken by check::" + checked + ", changed: " + what];
    } catch (std::exception const& e) {
      throw std::runtime_error(fmt::format("file {} of the round, changed {} at last: {}", i, what, e.what()));
    }
  }
}

}  // namespace

int main() { return warpdex::attack::run("attack_files", 100, one_round); }
