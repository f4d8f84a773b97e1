// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/pgm/pgm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"
#include "structures/learned/learned_choice.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t usual_eps = 16;
constexpr std::uint64_t usual_eps_internal = pgm_levels::usual_eps_internal;

/// @return whether one thread is to make the first level
bool read_optimal(spec const& s) {
  auto const* const word = s.argument("build");
  if (word == nullptr || same_word(word->value, "parallel")) return false;
  if (!same_word(word->value, "optimal"))
    s.fail(word->position, "unknown build '" + word->value + "'; expected parallel or optimal");
  return true;
}

std::unique_ptr<plan> resolve_pgm(spec const& s, index_shape const& shape) {
  pgm_family::choice choice{read_learned_options(s, shape, {"", "eps", "eps_internal", "build", "/pairs"}, 2)};
  choice.eps = read_eps(s, "eps", 0, usual_eps);
  choice.eps_internal = read_eps(s, "eps_internal", 1, usual_eps_internal);
  choice.guide.optimal = read_optimal(s);
  std::vector<spec::word> arguments = {{"", std::to_string(choice.eps)}, {"", std::to_string(choice.eps_internal)}};
  if (choice.guide.optimal) arguments.push_back({"build", "optimal"});
  return make_plan_of<pgm_family>("PGM", std::move(arguments), shape, choice);
}

}  // namespace

std::vector<std::uint64_t> pgm_levels::read_counts(io::file const& from, std::uint64_t size,
                                                   std::uint64_t most_levels) {
  std::uint64_t const bytes = from.size("levels");
  std::uint64_t const most = std::min(most_levels, size);
  if (bytes % sizeof(std::uint64_t) != 0 || bytes / sizeof(std::uint64_t) > most || (bytes == 0) != (size == 0))
    from.fail("levels", fmt::format("holds {} bytes, the index needs numbers of 8, at most {}", bytes, most));
  std::vector<std::uint64_t> counts(bytes / sizeof(std::uint64_t));
  from.read("levels", {reinterpret_cast<std::byte*>(counts.data()), bytes});
  std::uint64_t below = size;
  for (auto const count : counts) {
    if (count == 0 || count > below || (count == below && below != 1))
      from.fail("levels", fmt::format("counts {} segments over {}", count, below));
    below = count;
  }
  if (below > 1) from.fail("levels", fmt::format("ends with {} segments", below));
  return counts;
}

std::vector<structure_record> pgm_records() {
  return records_of<pgm_family>(
      {{.info = {.name = "PGM",
                 .forms = {"PGM"},
                 .summary = "sorted array under a PGM-index, `PGM(eps,eps_internal)`",
                 .extra_bytes = "under 1% for even keys",
                 .use = "memory is scarce, and a few lines describe the keys",
                 .arguments =
                     fmt::format("(eps,eps_internal), the errors of the first level of lines and of those above, "
                                 "in ranks from 1 to {}; {} and {} by default. build=optimal makes the fewest "
                                 "segments, by one thread of the CPU, for a GPU too",
                                 largest_eps, usual_eps, usual_eps_internal),
                 .source = "paper 001, section III",
                 .drawing = "include/warpdex/search/pgm.hpp",
                 .samples = {"PGM", "PGM(1,1)", "PGM(8)", "PGM(64,16)", "PGM(1024)"}},
        .resolve = resolve_pgm}});
}

}  // namespace warpdex
