// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/ray/vulkan_scene.hpp"

#include "backend/ray/sharing.hpp"
#include "support/ray_scenes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

/// @file
/// The tracer by Vulkan against warpdex's own. Without a driver that traces rays the tests are skipped.
namespace warpdex::test {
namespace {

execution const on_host(host_memory(), {}, 1);

template <class Key> auto scene_in_vulkan(traced_scene<Key> const& s, bool scaled) {
  return make_vulkan_scene<cpu_engine>(
      s.scene(), scaled, s.view.lowest, s.view.highest, on_host,
      [](solid_shape const& shape) { return std::make_unique<vulkan_scene>(backend_kind::cpu, shape, 0); });
}

/// Each ray hits what warpdex's own tracer hits, and the shader locates what ray_scene.hpp locates.
template <class Key> void expect_vulkan_agrees(bool scaled) {
  if (auto const missing = vulkan_scene::missing(); !missing.empty()) GTEST_SKIP() << missing;
  for (auto const& keys : small_sets<Key>())
    for (scene_kind const kind : all_kinds)
      for (int const bits : {0, 2}) {
        if (kind == scene_kind::plain && bits != 0) continue;
        traced_scene<Key> const s(keys, bits, kind);
        auto const other = scene_in_vulkan(s, scaled);
        auto const probes = probes_of(keys);

        std::vector<single_ray> rays;
        for (Key const probe : probes) {
          auto const more = rays_near(ray_digits::point(probe));
          rays.insert(rays.end(), more.begin(), more.end());
        }
        auto const hits = other->trace(rays);
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < rays.size(); ++i) {
          auto const own = s.view.tracer.closest(rays[i].axis, rays[i].from);
          wrong += hits[i].slot == own.slot && hits[i].back == own.back ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0u) << "of " << rays.size() << " rays; " << keys.size() << " keys, kind "
                             << static_cast<int>(kind);

        wrong = 0;
        other->locate(
            probes.size(), on_host,
            [&](std::uint64_t begin, std::uint64_t count, void* targets) {
              std::copy_n(probes.begin() + static_cast<std::ptrdiff_t>(begin), count, static_cast<Key*>(targets));
            },
            [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets) {
              for (std::uint64_t i = 0; i < count; ++i) {
                Key const probe = probes[begin + i];
                auto expected = probe > s.view.highest   ? s.scene().buckets() - 1
                                : probe <= s.view.lowest ? 0
                                                         : s.scene().locate(probe, [&](ray_axis axis, ray_point from) {
                                                             return s.view.tracer.closest(axis, from);
                                                           });
                wrong += buckets[i] == static_cast<u32>(expected) ? 0 : 1;
                auto const at = run(s.view, s.view.start_in(probe, buckets[i]), single_lane{});
                ASSERT_EQ(at.slot, s.expected(probe));
              }
            });
        EXPECT_EQ(wrong, 0u) << keys.size() << " keys, kind " << static_cast<int>(kind);
      }
}

TEST(vulkan_scene, agrees_u32) { expect_vulkan_agrees<u32>(true); }
TEST(vulkan_scene, agrees_u64) { expect_vulkan_agrees<u64>(true); }
TEST(vulkan_scene, agrees_without_scales) { expect_vulkan_agrees<u64>(false); }

/// A backend that takes descriptors over and uses its own memory instead, so its triangles are not seen.
class stand_in : public sharing {
 public:
  explicit stand_in(device_uuid device) : device_(device) {}
  device_uuid device() const override { return device_; }

  std::unique_ptr<shared_memory> import_memory(file_descriptor from, std::uint64_t bytes, bool) const override {
    struct room final : shared_memory {
      int& alive;
      std::vector<std::byte> bytes;
      room(int& counter, std::uint64_t size) : alive(counter), bytes(size) { ++alive; }
      ~room() override { --alive; }
      void* data() const noexcept override { return const_cast<std::byte*>(bytes.data()); }
    };
    EXPECT_GE(from.get(), 0);
    if (left == 0) throw out_of_memory("no more imports");
    --left;
    return std::make_unique<room>(alive, bytes);
  }
  bool imports_timelines() const override { return false; }
  std::unique_ptr<shared_timeline> import_timeline(file_descriptor) const override {
    throw device_error("this backend imports no semaphores");
  }

  int mutable left = 0;  ///< imports that succeed
  int mutable alive = 0;

 private:
  device_uuid device_;
};

std::size_t open_files() {
  std::size_t open = 0;
  for (int number = 0; number < 1024; ++number) open += ::lseek(number, 0, SEEK_CUR) != -1 || errno != EBADF ? 1 : 0;
  return open;
}

/// Each import fails in turn. Nothing leaks.
TEST(vulkan_scene, shares_memory) {
  if (auto const missing = vulkan_scene::missing(); !missing.empty()) GTEST_SKIP() << missing;
  traced_scene<u64> const s(small_sets<u64>()[5], 0, scene_kind::optimized);
  stand_in const client(vulkan_scene::host_device());
  std::size_t files = 0;
  bool served = false;
  for (int imports = 0; !served; ++imports) {
    client.left = imports;
    try {
      auto const scene = make_vulkan_scene<cpu_engine>(
          s.scene(), true, s.view.lowest, s.view.highest, on_host,
          [&](solid_shape const& shape) { return std::make_unique<vulkan_scene>(client, shape, 0); });
      scene->locate(
          s.keys.size(), on_host,
          [&](std::uint64_t, std::uint64_t count, void* targets) {
            std::copy_n(s.keys.begin(), count, static_cast<u64*>(targets));
          },
          [](std::uint64_t, std::uint64_t, std::uint32_t const*) {});
      EXPECT_EQ(imports, 5);  // triangles, their slots, representatives, targets, buckets
      served = true;
    } catch (out_of_memory const&) {
    }
    EXPECT_EQ(client.alive, 0);
    if (imports == 0) files = open_files();  // drivers may keep some
  }
  EXPECT_EQ(open_files(), files);
}

TEST(vulkan_scene, serves_many_threads) {
  if (auto const missing = vulkan_scene::missing(); !missing.empty()) GTEST_SKIP() << missing;
  traced_scene<u32> const s(small_sets<u32>().back(), 1, scene_kind::optimized);
  auto const other = scene_in_vulkan(s, true);
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 5; ++turn)
        other->locate(
            s.keys.size(), on_host,
            [&](std::uint64_t, std::uint64_t count, void* targets) {
              std::copy_n(s.keys.begin(), count, static_cast<u32*>(targets));
            },
            [&](std::uint64_t, std::uint64_t count, std::uint32_t const* buckets) {
              for (std::uint64_t i = 0; i < count; ++i)
                wrong +=
                    run(s.view, s.view.start_in(s.keys[i], buckets[i]), single_lane{}).slot == s.expected(s.keys[i])
                        ? 0
                        : 1;
            });
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(vulkan_scene, refuses_more_triangles_than_it_numbers) {
  if (auto const missing = vulkan_scene::missing(); !missing.empty()) GTEST_SKIP() << missing;
  solid_shape const shape{
      std::uint64_t{1} << 31, std::uint64_t{1} << 31, scene_kind::plain, false, false, true, false, 0, 1};
  try {
    vulkan_scene const scene(backend_kind::cpu, shape, 0);
    FAIL();
  } catch (unsupported const& e) {
    EXPECT_NE(std::string(e.what()).find("fits"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace warpdex::test
