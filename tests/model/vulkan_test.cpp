// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "model/fake_vulkan.hpp"
#include "support/expect.hpp"
#include "support/ray_scenes.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <warpdex/index.hpp>

/// @file
/// The tracer by Vulkan on a device that is not there: what it refuses, calls that fail one after the other, and memory
/// and timelines that are shared. The shaders do not run.
namespace warpdex::test {
namespace {

execution const on_host(host_memory(), {}, 1);

/// A backend with streams that do their work at once.
class client final : public sharing {
 public:
  device_uuid device() const override {
    device_uuid result;
    result.fill(7);
    return result;
  }

  std::unique_ptr<shared_memory> import_memory(file_descriptor from, std::uint64_t bytes, bool) const override {
    struct mapping final : shared_memory {
      std::uint64_t bytes;
      void* at;
      mapping(int file, std::uint64_t size)
          : bytes(size), at(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) {
        ++fake_vulkan::instance().alive;
      }
      ~mapping() override {
        ::munmap(at, bytes);
        --fake_vulkan::instance().alive;
      }
      void* data() const noexcept override { return at; }
    };
    return std::make_unique<mapping>(from.get(), bytes);
  }

  bool imports_timelines() const override { return true; }

  std::unique_ptr<shared_timeline> import_timeline(file_descriptor from) const override {
    struct timeline final : shared_timeline {
      file_descriptor file;
      std::uint64_t last = 0;
      int& signals;
      timeline(file_descriptor taken, int& counter) : file(std::move(taken)), signals(counter) {}
      void signal(std::uint64_t value, execution const&) override {
        ++signals;
        EXPECT_EQ(value, fake_value(file.get()) + 1) << "the device has not ended the piece before";
        fake_signal(file.get(), last = value);
      }
      void wait(std::uint64_t value, execution const&) override {
        EXPECT_EQ(value, last + 1) << "a timeline goes on step by step";
        EXPECT_EQ(fake_value(file.get()), last = value) << "what the stream waits for never comes";
      }
    };
    return std::make_unique<timeline>(std::move(from), signals);
  }

  int mutable signals = 0;
};

template <class Key> std::unique_ptr<vulkan_scene> make_scene(traced_scene<Key> const& s, client const& with) {
  return make_vulkan_scene<cpu_engine>(
      s.scene(), true, s.view.lowest, s.view.highest, on_host,
      [&](solid_shape const& shape) { return std::make_unique<vulkan_scene>(with, shape, s.view.bucket_bits); });
}

/// Locates some keys. @return how many are in another bucket than by warpdex's own rays
template <class Key>
std::uint64_t wrong_buckets(traced_scene<Key> const& s, vulkan_scene const& by, std::vector<Key> const& probes) {
  std::uint64_t wrong = 0;
  by.locate(
      probes.size(), on_host,
      [&](std::uint64_t begin, std::uint64_t count, void* targets) {
        std::copy_n(probes.begin() + static_cast<std::ptrdiff_t>(begin), count, static_cast<Key*>(targets));
      },
      [&](std::uint64_t begin, std::uint64_t count, std::uint32_t const* buckets) {
        for (std::uint64_t i = 0; i < count; ++i) {
          Key const probe = probes[begin + i];
          std::uint64_t const right = probe > s.view.highest ? s.scene().buckets() - 1
                                      : probe <= s.view.lowest
                                          ? 0
                                          : s.scene().locate(probe, [&](ray_axis axis, ray_point from) {
                                              return s.view.tracer.closest(axis, from);
                                            });
          wrong += buckets[i] == right ? 0 : 1;
        }
      });
  return wrong;
}

std::size_t open_files() {
  std::size_t open = 0;
  for (int number = 0; number < 1024; ++number) open += ::lseek(number, 0, SEEK_CUR) != -1 || errno != EBADF ? 1 : 0;
  return open;
}

class vulkan_model : public testing::Test {
 protected:
  void SetUp() override { fake() = fake_vulkan(); }
  void TearDown() override { EXPECT_EQ(fake().alive, 0); }

  static fake_vulkan& fake() { return fake_vulkan::instance(); }

  template <class... Words> testing::AssertionResult refused(Words const&... words) const {
    return throws<unsupported>([&] { make_scene(scene_, client_); }, "tracer vulkan", "own and none", words...);
  }

  traced_scene<u64> const scene_{small_sets<u64>().back(), 1, scene_kind::optimized};
  client const client_{};
};

/// The instance of a process is made once, so this test comes first.
TEST_F(vulkan_model, a_driver_is_missing) {
  fake().has_driver = false;
  EXPECT_TRUE(refused("no Vulkan driver"));
}

TEST_F(vulkan_model, something_is_missing) {
  for (std::string const name :
       {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, "rayTracingPipeline",
        "accelerationStructure", "bufferDeviceAddress", "timelineSemaphore"}) {
    fake().lacks = name;
    EXPECT_TRUE(refused("the fake has no", name));
  }
  for (auto const& [what, text] : {std::pair("queue", "no queue that computes"),
                                   {"export", "exports no buffers"},
                                   {"memory", "no memory that the host sees"}}) {
    fake().lacks = what;
    EXPECT_TRUE(refused(text));
  }
}

TEST_F(vulkan_model, the_device_is_another) {
  fake().uuid = 8;
  EXPECT_TRUE(refused("no Vulkan driver for the CUDA device"));
}

TEST_F(vulkan_model, known_triangles_are_not_hit) {
  fake().turns_triangles = true;
  EXPECT_TRUE(refused("does not hit known triangles", "along axis 0"));
}

TEST_F(vulkan_model, there_are_too_many_triangles) {
  auto const refuses = [&](solid_shape const& shape, int bits, char const* fits) {
    return throws<unsupported>([&] { vulkan_scene(client_, shape, bits); }, "that the device numbers", fits);
  };
  std::uint64_t const most = 1 << 20;
  EXPECT_TRUE(refuses({most + 1, most + 1, scene_kind::optimized, false, false, true, true, 0, 1}, 4, "; bucket=32"));
  EXPECT_TRUE(refuses({most + 1, most + 1, scene_kind::plain, true, true, true, true, 0, 1}, 0, "; cgRX(bucket=4)"));
  // A slot of a plane marker needs the bit that says from which side a ray came.
  std::uint64_t const many = std::uint64_t{1} << 30;
  EXPECT_TRUE(refuses({1000, many, scene_kind::optimized, true, true, true, true, 0, 1}, 0, "; bucket=4096"));
}

/// Answers are right, with timelines that both sides share and without; batches travel in pieces of 64 targets.
TEST_F(vulkan_model, rays_find_buckets) {
  for (bool const shared : {true, false}) {
    fake().exports_timelines = shared;
    client_.signals = 0;
    for (scene_kind const kind : {scene_kind::naive, scene_kind::optimized})
      for (int const bits : {0, 2}) {
        traced_scene<u64> const s(small_sets<u64>()[5], bits, kind);
        auto const scene = make_scene(s, client_);
        EXPECT_EQ(wrong_buckets(s, *scene, s.keys), 0u);
        EXPECT_EQ(wrong_buckets(s, *scene, probes_of(s.keys)), 0u);
      }
    EXPECT_EQ(client_.signals != 0, shared);
  }
}

/// Each call fails in turn, at first for want of memory, then because the device is lost. Nothing leaks.
TEST_F(vulkan_model, each_call_fails) {
  auto const run = [&] {
    auto const scene = make_scene(scene_, client_);
    EXPECT_EQ(wrong_buckets(scene_, *scene, scene_.keys), 0u);
  };
  run();
  std::size_t const files = open_files();
  for (VkResult const failure : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST}) {
    std::uint64_t calls = 1;
    for (;; ++calls) {
      fake().fail_at(calls, failure);
      try {
        run();
        break;
      } catch (out_of_memory const&) {
        EXPECT_EQ(failure, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      } catch (device_error const& e) {
        EXPECT_EQ(failure, VK_ERROR_DEVICE_LOST) << e.what();
      }
      ASSERT_EQ(fake().alive, 0) << "call " << calls;
      ASSERT_EQ(open_files(), files) << "call " << calls;
    }
    EXPECT_NE(fake().until_failure, 0u);
    EXPECT_GT(calls, 100u);
  }
}

/// An index outlives lookups that fail. Its device is never destroyed.
TEST_F(vulkan_model, an_index_stays_as_it_was) {
  std::vector<u64> keys(500);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = i * i << 30;
  auto const find = [&](index const& built) {
    std::vector<u32> rows(keys.size());
    built.find(keys, rows, on_host);
    for (u32 i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
  };
  {
    index const built = index::build("cgRX(bucket=4)/tracer=vulkan", std::span(std::as_const(keys)), on_host);
    find(built);
    std::uint64_t failed = 0;
    for (std::uint64_t calls = 1;; ++calls) {
      fake().fail_at(calls, VK_ERROR_OUT_OF_HOST_MEMORY);
      try {
        find(built);
        break;
      } catch (out_of_memory const&) {
        ++failed;
      }
      fake().until_failure = 0;
      find(built);
      built.verify(on_host);
    }
    EXPECT_GT(failed, 10u);
  }
  fake().alive = 0;
}

}  // namespace
}  // namespace warpdex::test
