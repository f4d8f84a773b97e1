// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/rays/ray_options.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

#include "base/words.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 4> tracer_names = {"own", "none", "embree", "vulkan"};  // as `tracer_kind`
constexpr std::array<std::string_view, 2> range_names = {"bounds", "rays"};

/// @return whether a batch runs by blocks, which search by the view alone
bool runs_in_tiles(policy const& run) {
  return run.sorts_in_blocks() || run.probes != 0 || run.schedule != policy::scheduling::automatic;
}

/// Refuses the first option for which a batch would run by blocks.
[[noreturn]] void fail_for_tiles(spec const& s, policy const& run) {
  char const* const name = run.probes != 0                                 ? "probes"
                           : run.schedule != policy::scheduling::automatic ? "schedule"
                                                                           : "reorder";
  auto const& option = *s.option(name);
  s.fail(option.position,
         fmt::format(
             "{} and tracer=vulkan exclude each other: Vulkan traces the rays of whole batches of {}, which blocks "
             "do not cut into tiles",
             option.name + "=" + option.value, s.structure()));
}

}  // namespace

std::size_t read_word(spec const& s, spec::word const* word, std::span<std::string_view const> words) {
  if (word == nullptr) return 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (same_word(word->value, words[i])) return i;
  s.fail(word->position, fmt::format("unknown {} '{}'{}", word->name, word->value, hint(word->value, words)));
}

tracer_kind read_tracer(spec const& s, index_shape const& shape, policy const& run, bool in_triangles) {
  auto const serves = [&](tracer_kind tracer) {
    if (tracer == tracer_kind::embree) return in_triangles && shape.backend == backend_kind::cpu;
    return tracer != tracer_kind::vulkan || in_triangles;
  };
  auto const expect_it = [](std::string const& option, tracer_kind tracer) {
    if (tracer == tracer_kind::embree && !embree_scene::exists())
      throw unsupported(option + ": this build has no Embree (libembree-dev); other tracers are own and none");
    if (tracer == tracer_kind::vulkan && !vulkan_scene::exists())
      throw unsupported(option + ": this build has no Vulkan (libvulkan-dev, glslang-tools); other tracers are own " +
                        "and none");
    return tracer;
  };
  if (auto const* const word = s.option("tracer")) {
    auto const chosen = static_cast<tracer_kind>(read_word(s, word, tracer_names));
    if (!serves(chosen))
      throw unsupported(fmt::format("{}: {} traces rays of {}{}; other tracers are own and none", s.text(),
                                    chosen == tracer_kind::embree ? "Embree" : "Vulkan",
                                    names_of_all_that(&structure_info::in_triangles),
                                    chosen == tracer_kind::embree ? ", on CPUs" : ""));
    if (chosen == tracer_kind::vulkan && runs_in_tiles(run)) fail_for_tiles(s, run);
    return expect_it(s.text(), chosen);
  }
  char const* const name = std::getenv("WARPDEX_TRACER");
  if (name == nullptr || *name == '\0') return tracer_kind::own;
  for (std::size_t i = 0; i < tracer_names.size(); ++i) {
    if (!same_word(name, tracer_names[i])) continue;
    auto const chosen = static_cast<tracer_kind>(i);
    if (chosen == tracer_kind::vulkan && runs_in_tiles(run)) return tracer_kind::own;
    return serves(chosen) ? expect_it(fmt::format("WARPDEX_TRACER={}", name), chosen) : tracer_kind::own;
  }
  throw spec_error(fmt::format("WARPDEX_TRACER is '{}'{}", name, hint(name, tracer_names)));
}

bool read_ranges(spec const& s, tracer_kind& tracer) {
  auto const* const word = s.option("ranges");
  if (read_word(s, word, range_names) == 0) return false;
  if (auto const* const named = s.option("tracer"); named != nullptr && tracer != tracer_kind::own)
    s.fail(word->position, fmt::format("ranges=rays and tracer={} exclude each other: rays that collect what they hit "
                                       "are traced by own",
                                       named->value));
  tracer = tracer_kind::own;
  return true;
}

int read_power_of_two(spec const& s, spec::word const& word, std::uint64_t lowest, std::uint64_t highest) {
  std::uint64_t const value = s.number(word, lowest, highest);
  if (!std::has_single_bit(value))
    s.fail(word.position,
           fmt::format("{} is {}; expected a power of two from {} to {}", word.name, value, lowest, highest));
  return std::countr_zero(value);
}

}  // namespace warpdex
