// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/radix_spline/radix_spline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "structures/learned/learned_choice.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t usual_eps = 16;

std::unique_ptr<plan> resolve_spline(spec const& s, index_shape const& shape) {
  radix_spline_family::choice choice{read_learned_options(s, shape, {"", "bits", "eps", "/pairs"}, 2)};
  choice.eps = read_eps(s, "eps", 1, usual_eps);
  std::vector<spec::word> arguments;
  if (auto const* const word = argument_at(s, "bits", 0)) {
    auto const most = std::min<std::uint64_t>(8 * size_of(shape.keys), radix_table::most_bits);
    choice.guide.bits = static_cast<int>(s.number(*word, 1, most));
    arguments.push_back({"bits", std::to_string(choice.guide.bits)});
  }
  arguments.push_back({"eps", std::to_string(choice.eps)});
  return make_plan_of<radix_spline_family>("RS", std::move(arguments), shape, choice);
}

}  // namespace

radix_table::grid_numbers radix_table::read_grid(io::file const& from, std::uint64_t size, std::size_t key_bytes) {
  grid_numbers grid{};
  if (auto const bytes = from.size("grid"); bytes != sizeof(grid))
    from.fail("grid", fmt::format("holds {} bytes, the index needs {}", bytes, sizeof(grid)));
  from.read("grid", {reinterpret_cast<std::byte*>(grid.data()), sizeof(grid)});
  auto const [points, origin, shift, cells] = grid;
  bool const counts_fit = points <= size && (points == 0) == (size == 0);
  bool const origin_fits = key_bytes == sizeof(std::uint64_t) || origin >> (8 * key_bytes) == 0;
  if (!counts_fit || !origin_fits || shift >= 8 * key_bytes || cells == 0 || cells > std::uint64_t{1} << most_bits)
    from.fail("grid", fmt::format("describes no table over {} entries", size));
  return grid;
}

std::vector<structure_record> radix_spline_records() {
  return records_of<radix_spline_family>(
      {{.info = {.name = "RS",
                 .forms = {"RS"},
                 .summary = "sorted array under a RadixSpline, `RS(bits,eps)`",
                 .extra_bytes = "under 1% for even keys",
                 .use = "memory is scarce, and the keys are even, up to a few outliers",
                 .arguments =
                     fmt::format("(bits,eps): at most 2^bits cells in the table, up to {} bits, by default about "
                                 "as many cells as spline points; and the error of the spline in ranks from 1 "
                                 "to {}, {} by default",
                                 radix_table::most_bits, largest_eps, usual_eps),
                 .source = "paper 002, section 2.3; Kipf et al., RadixSpline, 2020",
                 .drawing = "include/warpdex/search/radix_spline.hpp",
                 .samples = {"RS", "RS(18,32)", "RS(eps=1)", "RS(4,8)", "RS(bits=10,eps=1024)"}},
        .resolve = resolve_spline}});
}

}  // namespace warpdex
