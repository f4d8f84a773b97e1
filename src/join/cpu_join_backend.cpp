// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "backend/cpu/cpu_engine.hpp"
#include "backend/cpu/pieces.hpp"
#include "join/engine_join_backend.hpp"

namespace warpdex {
namespace {

template <class Answer> std::uint64_t keep_typed(kept_answers const& to, std::uint64_t size, execution const& exec) {
  auto const* const answers = static_cast<Answer const*>(to.answers);
  auto const walk = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t kept, bool writes) {
    for (std::uint64_t i = begin; i < end; ++i) {
      bool const match = sizeof(Answer) == 1 ? answers[i] != 0 : answers[i] != no_row<Answer>;
      if (!to.keeps(match, i)) continue;
      if (writes) {
        to.left.set(kept, to.number + i);
        if (to.right != nullptr) static_cast<Answer*>(to.right)[kept] = answers[i];
      }
      ++kept;
    }
    return kept;
  };
  return scan_pieces<std::uint64_t>(exec.threads, size, walk, std::plus());
}

class host_join_backend final : public engine_join_backend<cpu_engine> {
 public:
  std::uint64_t keep(kept_answers const& answers, std::uint64_t size, execution const& exec) const override {
    switch (answers.width) {
      case 1: return keep_typed<std::uint8_t>(answers, size, exec);
      case 4: return keep_typed<std::uint32_t>(answers, size, exec);
      default: return keep_typed<std::uint64_t>(answers, size, exec);
    }
  }

  bool records(execution const&) const override { return false; }

  code_range range_of(column keys, execution const& exec) const override {
    std::mutex joining;
    code_range all;
    parallel_chunks(exec.threads, keys.size, 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
      code_range found;
      for (std::uint64_t i = begin; i < end; ++i) found = found.with(code_at{keys.type, keys.data}(i));
      std::lock_guard const lock(joining);
      all = all.with(found);
    });
    return all;
  }
};

}  // namespace

join_backend const& cpu_join_backend() {
  static join_backend const& instance = *new host_join_backend;  // never destroyed, like the one of cpu_backend()
  return instance;
}

}  // namespace warpdex
