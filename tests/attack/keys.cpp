// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Adversarial keys: random batches of builds, updates, lookups, saves and loads against the oracle of the conformance
/// tests, for any sample, layout, key type, row type, and size.
#include "attack/campaign.hpp"
#include "conformance/fixture.hpp"
#include "support/folder.hpp"

namespace {

using namespace warpdex;
using namespace warpdex::test;

/// Mostly small, where every size is a corner case; at times large enough for tables to grow and merges to have tiles.
std::uint64_t some_size(generator& random) {
  switch (below(random, 64)) {
    case 0: return below(random, 60000);
    case 1:
    case 2:
    case 3: return below(random, 5000);
    default: return below(random, below(random, 2) == 0 ? 10 : 300);
  }
}

void one_round(generator& random, attack::tally& tried) {
  static folder const files;
  auto const samples = all_samples();
  auto const sample = pick(random, samples);
  auto const backend = pick(random, present_backends());
  conformance_case c = combination(sample, below(random, combinations), backend);
  c.kind = static_cast<distribution>(below(random, distributions));
  c.size = some_size(random);
  c.probes = below(random, 200);
  c.updates = static_cast<int>(below(random, 12));
  c.update_size = some_size(random);
  c.given_rows = below(random, 2) == 0;
  if (backend == backend_kind::cuda) c.arrays = static_cast<placement>(below(random, 3));
  if (below(random, 4) == 0) {
    c.shards = static_cast<std::uint32_t>(1 + below(random, 9));
    c.copies = below(random, 3) == 0;
    ++tried["cases of shards"];
  }
  if (below(random, 4) == 0) c.file = files / (c.shards == 0 ? "index.wdx" : "shards");
  c.seed = random();
  test_stream const stream(backend);
  run_case(c, execution(memory_of(backend), stream, static_cast<int>(below(random, 5))));

  ++tried["cases of " + std::string(to_string(c.kind)) + " keys"];
  ++tried["cases of " + std::string(to_string(c.keys)) + " keys"];
  ++tried["cases of " + sample];
  tried["updates"] += static_cast<std::uint64_t>(c.updates);
  if (!c.file.empty()) tried["saves and loads"] += static_cast<std::uint64_t>(c.updates) + 1;
}

}  // namespace

int main() { return warpdex::attack::run("attack_keys", 600, one_round); }
