// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_open/hash_open.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_open(spec const& s, index_shape const& shape) {
  return resolve_hash<hash_open_family>(s, shape, {"open", 100, 950, 800});
}

}  // namespace

std::vector<structure_record> hash_open_records() {
  return {{.info = {.name = "HT",
                    .summary = "hash table with open addressing: finds and counts keys, of 16 bytes too, in one access "
                               "to memory, but knows no order",
                    .arguments = "(open), (open,load=L) with L from 0.1 to 0.95, the part of its slots that is used; "
                                 "0.8 by default; seed=N fixes the seeds of its hash, for tests",
                    .source = "papers 000, 002 and 003 compare with it",
                    .ordered = false,
                    .samples = {"HT(open)", "HT(open,load=0.5)", "HT(open,load=0.95)"},
                    .kind = "open",
                    .widest_key = hash_open_family::widest_key},
           .resolve = resolve_open}};
}

}  // namespace warpdex
