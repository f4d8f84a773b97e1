// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Forged index files with right checksums. Each is refused with an error of warpdex, or is a valid index. A valid
/// index answers like a plain scan of its entries, also after updates.
#include "attack/campaign.hpp"
#include "attack/forgery.hpp"
#include "base/types.hpp"
#include "conformance/fixture.hpp"
#include "conformance/string_shapes.hpp"
#include "structures/structure.hpp"
#include "support/damage.hpp"
#include "support/forge.hpp"
#include "support/key_array.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <iterator>
#include <stdexcept>

namespace {

using namespace warpdex;
using namespace warpdex::test;

constexpr int forgeries_of_each = 100;

/// What callers give for keys that are held as `Key`.
template <class Key> using scalar_of = std::conditional_t<is_bytes<Key>, std::string, Key>;

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

/// A saved index of few entries, perhaps after updates in place.
io::file make_file(conformance_case const& c, generator& random, execution const& exec, std::string& storage) {
  static folder const files;
  constexpr std::uint64_t sizes[] = {0, 1, 2, 3, 5, 16, 17, 60, 100, 300};
  with_types({kind_of(c.keys), c.rows}, [&]<class Key, class Row>() {
    using scalar = scalar_of<Key>;
    auto const some_keys = [&](std::uint64_t n) {
      return make_keys<scalar>(static_cast<distribution>(below(random, distributions)), n, random);
    };
    auto const put = [&](std::vector<scalar> const& keys) {
      return key_array<scalar>(keys, c.keys, place::host, random(), exec);
    };
    auto const keys = some_keys(sizes[below(random, std::size(sizes))]);
    auto made = warpdex::index::build(c.spec, put(keys).view(), exec);
    for (std::uint64_t i = below(random, 4); i > 0; --i) {
      auto const come = some_keys(below(random, 6));
      auto const go = keys.empty() ? come : std::vector<scalar>{pick(random, keys)};
      std::vector<Row> const rows(come.size(), static_cast<Row>(below(random, 1000)));
      made.update(put(come).view(), row_column(std::span(rows)), put(go).view(), exec);
    }
    storage = saved(made, files / "index.wdx");
  });
  return io::file::parse(std::as_bytes(std::span(storage)));
}

/// Compares the index with a scan of the entries in the file.
void examine(warpdex::index loaded, std::vector<std::uint8_t> const& bytes, std::uint64_t seed, execution const& exec) {
  auto const file = io::file::parse(std::as_bytes(std::span(bytes)));
  auto const head = file.head();
  auto const made = make_plan(spec(head.spec), {head.keys, head.rows, head.size, backend_kind::cpu, -1})
                        ->make(stored_index{file, false}, exec);
  auto const pairs = made->entries(exec);
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
      for (Key& key : codes) key = decode(codec_of(head.keys), pairs.seed ? unmix(key, *pairs.seed) : key);
      run_case(c, std::move(loaded), column(codes.data(), codes.size(), head.keys), {rows.begin(), rows.end()}, exec);
    }
  });
}

void one_round(generator& random, attack::tally& tried) {
  execution const exec(host_memory(), {}, 1);
  auto const c = combination(pick(random, all_samples()), below(random, combinations), backend_kind::cpu);
  std::string storage;
  auto const whole = make_file(c, random, exec, storage);
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
      std::optional<warpdex::index> loaded;
      try {
        loaded = warpdex::index::load(file.path(), exec, below(random, 2) == 0);
      } catch (error const&) {
        ++tried["files refused, changed: " + what];
        continue;
      }
      examine(std::move(*loaded), bytes, seed, exec);
      ++tried["files taken and right, changed: " + what];
    } catch (std::exception const& e) {
      throw std::runtime_error(fmt::format("file {} of the round, changed {} at last: {}", i, what, e.what()));
    }
  }
}

}  // namespace

int main() { return warpdex::attack::run("attack_files", 100, one_round); }
