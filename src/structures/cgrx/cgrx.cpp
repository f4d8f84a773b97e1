// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/cgrx/cgrx.hpp"

#include <fmt/format.h>

#include "structures/rays/ray_options.hpp"

namespace warpdex {
namespace {

constexpr int usual_bucket_bits = 4;
constexpr std::uint64_t largest_bucket = 1 << 16;
constexpr int largest_linear_bits = 8;

constexpr std::array<std::string_view, 2> scene_names = {"optimized", "naive"};
constexpr std::array<std::string_view, 2> search_names = {"binary", "linear"};
constexpr std::array<std::string_view, 2> scale_names = {"on", "off"};

std::unique_ptr<plan> resolve_cgrx(spec const& s, index_shape const& shape) {
  cgrx_family::choice choice{read_common_options(s, shape, {"bucket", "scene", "search", "scale", "/tracer"})};
  choice.run = read_policy(s, {});
  choice.tracer = read_tracer(s, shape, choice.run, cgrx_family::in_triangles);
  auto const* const bucket = s.argument("bucket");
  choice.bucket_bits = bucket == nullptr ? usual_bucket_bits : read_power_of_two(s, *bucket, 1, largest_bucket);
  std::size_t const scene = read_word(s, s.argument("scene"), scene_names);
  choice.scene = scene == 0 ? scene_kind::optimized : scene_kind::naive;
  std::size_t const search = read_word(s, s.argument("search"), search_names);
  choice.linear = search == 1;
  if (choice.linear && choice.bucket_bits > largest_linear_bits)
    s.fail(s.argument("search")->position, fmt::format("buckets of more than {} keys are searched by binary search, "
                                                       "not those of {} linearly",
                                                       1 << largest_linear_bits, 1 << choice.bucket_bits));
  std::size_t const scale = read_word(s, s.argument("scale"), scale_names);
  choice.scaled = scale == 0;
  return make_plan_of<cgrx_family>("cgRX",
                                   {{"bucket", std::to_string(1 << choice.bucket_bits)},
                                    {"scene", std::string(scene_names[scene])},
                                    {"search", std::string(search_names[search])},
                                    {"scale", std::string(scale_names[scale])}},
                                   shape, choice);
}

std::unique_ptr<plan> resolve_rx(spec const& s, index_shape const& shape) {
  cgrx_family::choice choice{read_common_options(s, shape, {"/tracer", "/ranges"})};
  choice.run = read_policy(s, {});
  choice.tracer = read_tracer(s, shape, choice.run, cgrx_family::in_triangles);
  choice.collects_ranges = read_ranges(s, choice.tracer);
  return make_plan_of<cgrx_family>("RX", {}, shape, choice);
}

}  // namespace

std::vector<structure_record> cgrx_records() {
  return records_of<cgrx_family>(
      {{.info =
            {.name = "cgRX",
             .forms = {"cgRX"},
             .summary = "sorted array in buckets that rays find, `cgRX(bucket)`",
             .extra_bytes = "10 or 14 bytes per bucket; 28 if 64-bit keys are sparse and buckets large",
             .use = "comparisons with raytracing indexes",
             .arguments = fmt::format(
                 "(bucket=): entries of a bucket, a power of two up to {}, {} by default; scene=optimized or naive; "
                 "search=binary or linear, up to {}; scale=on or off; option tracer=own, none, embree or vulkan",
                 largest_bucket, 1 << usual_bucket_bits, 1 << largest_linear_bits),
             .source = "paper 003, section 3",
             .drawing = "include/warpdex/search/cgrx.hpp",
             .samples = {"cgRX", "cgRX(bucket=1,scale=off)", "cgRX(bucket=2,scene=naive)",
                         "cgRX(bucket=64,search=linear)"}},
        .resolve = resolve_cgrx},
       {.info = {.name = "RX",
                 .forms = {"RX"},
                 .summary = "sorted array with a triangle per key that rays find",
                 .extra_bytes = "10 or 14 bytes per distinct key",
                 .use = "comparisons with raytracing indexes",
                 .arguments = "; option tracer=own, none, embree or vulkan; option ranges=bounds or rays",
                 .source = "paper 003, section 2",
                 .drawing = "include/warpdex/search/cgrx.hpp",
                 .samples = {"RX", "RX/ranges=rays"}},
        .resolve = resolve_rx}});
}

}  // namespace warpdex
