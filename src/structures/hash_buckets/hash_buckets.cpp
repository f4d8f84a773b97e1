// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_buckets/hash_buckets.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_buckets(spec const& s, index_shape const& shape) {
  auto const pairs = std::to_string(hash_buckets_family::view::node_pairs);
  return resolve_hash<hash_buckets_family>(s, shape, {{{"", "buckets"}, {"", pairs}}, 100, 4000, 1000});
}

}  // namespace

std::vector<structure_record> hash_buckets_records() {
  return records_of<hash_buckets_family>(
      {{.info = {.name = "HT",
                 .kind = "buckets",
                 .forms = {"HT(buckets)"},
                 .summary = "hash table of buckets with chained nodes, `HT(buckets,15,load=1)`",
                 .extra_bytes = "28%; 32% to 41% with duplicates, less if keys have many rows; 70% for 64-bit keys, "
                                "unless `layout=SoA`",
                 .use = "points only, small updates in between while no key repeats, loads beyond 1",
                 .arguments = "(buckets), (buckets,15,load=L) with L from 0.1 to 4, the keys of a bucket in the room "
                              "of its base node of 15 pairs; 1 by default; seed=N fixes the seeds of its hash, for "
                              "tests",
                 .source = "paper 000 compares with it",
                 .drawing = "include/warpdex/search/hash_buckets.hpp",
                 .samples = {"HT(buckets)", "HT(buckets,15,load=0.5)", "HT(buckets,15,load=1.5)"}},
        .resolve = resolve_buckets}});
}

}  // namespace warpdex
