// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/ray/sharing.hpp"
#include "backend/ray/vulkan_api.hpp"

/// @file
/// A device of Vulkan that traces rays: its memory, its queue, and the pipeline that scenes share.
namespace warpdex::vulkan {

class device;

/// Who reaches a buffer besides the device.
enum class reach : std::uint8_t {
  none,
  host,    ///< the host, by a mapping
  client,  ///< the engine of the index: the host, or CUDA by a shared allocation
};

/// A buffer, and the allocation that it fills.
class memory {
 public:
  memory() = default;
  /// @throws out_of_memory, device_error
  memory(device const& on, std::uint64_t bytes, VkBufferUsageFlags usage, reach who);

  VkBuffer handle() const noexcept { return buffer_.get(); }
  VkDeviceAddress address() const noexcept { return address_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// @return where the host or the client sees it
  template <class T> T* as() const noexcept { return static_cast<T*>(data_); }

 private:
  owned<VkBuffer> buffer_;
  owned<VkDeviceMemory> allocation_;
  std::unique_ptr<shared_memory> imported_;
  VkDeviceAddress address_ = 0;
  std::uint64_t bytes_ = 0;
  void* data_ = nullptr;
};

/// What one call at a time uses: commands, targets, answers, and a timeline that orders them.
class lane {
 public:
  explicit lane(device& on);
  ~lane();  ///< waits for the device
  lane(lane const&) = delete;
  lane& operator=(lane const&) = delete;

  using recorder = std::function<void(VkCommandBuffer)>;

  /// Lets the device do what `record` says, and waits. @throws out_of_memory, device_error
  void run(recorder const& record);

  /// The same in the order of the call's stream. Without semaphores that are shared, the host waits before and after.
  void run_in_order(recorder const& record, execution const& exec);

  /// Makes room for that many bytes. Synchronises if there is less. @throws out_of_memory, device_error
  void reserve(std::uint64_t target_bytes, std::uint64_t result_bytes, reach who);

  memory targets, results;

 private:
  VkCommandBuffer recorded(recorder const& record);
  void submit(VkCommandBuffer commands, bool waits);
  void wait();

  device& device_;
  owned<VkCommandPool> pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  owned<VkSemaphore> timeline_;
  std::unique_ptr<shared_timeline> imported_;
  std::uint64_t time_ = 0;
  reach who_ = reach::none;
};

/// Limits of a device, as far as scenes depend on them.
struct limits {
  std::uint64_t primitives;
  std::uint64_t rays;  ///< of a dispatch
  std::uint32_t scratch_alignment;
  std::uint32_t handle_bytes, handle_alignment, table_alignment;
};

class device {
 public:
  /// @param with how the engine of the indexes imports; null for the host, which any device serves whose memory it sees
  /// @throws unsupported naming what is missing; out_of_memory, device_error
  explicit device(sharing const* with);
  device(device const&) = delete;
  device& operator=(device const&) = delete;

  /// @return the device for an engine: that of the current CUDA device, or one for the host. It is never destroyed.
  static device& of(backend_kind kind);

  functions const& calls() const noexcept { return calls_; }
  VkDevice handle() const noexcept { return handle_.get(); }
  limits const& most() const noexcept { return limits_; }
  device_uuid const& number() const noexcept { return number_; }
  sharing const* client() const noexcept { return client_; }
  bool shares_timelines() const noexcept { return shares_timelines_; }

  VkPipelineLayout layout() const noexcept { return layout_.get(); }
  /// Records rays of a width: a search per target, or single rays.
  void record_rays(VkCommandBuffer commands, bool single, void const* parameters, std::uint64_t width) const;
  static constexpr std::uint32_t parameter_bytes = 72;

  /// Gives a lane to one call. It comes back unless an exception leaves the call.
  template <class Use> void with_lane(Use const& use) {
    std::unique_ptr<lane> mine = take_lane();
    use(*mine);
    std::lock_guard const lock(lanes_mutex_);
    lanes_.push_back(std::move(mine));
  }

  /// Runs a trial of the device, until one has succeeded.
  template <class Trial> void try_once(Trial const& trial) {
    std::lock_guard const lock(trial_mutex_);
    if (tried_) return;
    trial();
    tried_ = true;
  }

 private:
  friend class memory;
  friend class lane;

  void choose();
  std::string unfit(VkPhysicalDevice candidate);
  bool exports_timelines(VkPhysicalDevice candidate) const;
  void make_device();
  void make_pipeline();
  std::uint32_t memory_type(std::uint32_t bits, reach who) const;
  std::unique_ptr<lane> take_lane();

  sharing const* client_;
  functions calls_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  device_uuid number_{};
  owned_device handle_;  ///< outlives what is made on it
  VkPhysicalDeviceMemoryProperties memories_{};
  std::uint32_t family_ = 0;
  limits limits_{};
  bool shares_timelines_ = false;
  bool dedicated_ = false;  ///< whether shared allocations must serve one buffer
  VkQueue queue_ = VK_NULL_HANDLE;
  std::mutex queue_mutex_;
  owned<VkPipelineLayout> layout_;
  owned<VkPipeline> pipeline_;
  memory table_;
  VkStridedDeviceAddressRegionKHR regions_[4] = {};  ///< searches, single rays, misses, hits
  std::mutex trial_mutex_;
  bool tried_ = false;
  std::mutex lanes_mutex_;
  std::vector<std::unique_ptr<lane>> lanes_;
};

}  // namespace warpdex::vulkan
