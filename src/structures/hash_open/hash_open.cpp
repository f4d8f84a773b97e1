// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_open/hash_open.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_open(spec const& s, index_shape const& shape) {
  return resolve_hash<hash_open_family>(s, shape, {{{"", "open"}}, 100, 980, 800});
}

}  // namespace

std::vector<structure_record> hash_open_records() {
  return records_of<hash_open_family>(
      {{.info = {.name = "HT",
                 .kind = "open",
                 .forms = {"HT(open)"},
                 .summary = "hash table, `HT(open,load=0.8)`",
                 .extra_bytes = "25%; 29% to 40% with duplicates, less if keys have many rows; 67% for 64-bit keys, "
                                "unless `layout=SoA`",
                 .use = "points only, at any batch size, with small updates in between while no key repeats; no "
                        "bounds, no ranges",
                 .arguments = "(open), (open,load=L) with L from 0.1 to 0.98, the part of its slots that is used; "
                              "0.8 by default; seed=N fixes the seeds of its hash, for tests",
                 .source = "papers 000, 002 and 003 compare with it",
                 .drawing = "include/warpdex/search/hash_open.hpp",
                 .samples = {"HT(open)", "HT(open,load=0.5)", "HT(open,load=0.98)"}},
        .resolve = resolve_open}});
}

}  // namespace warpdex
