// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan_core.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/// @file
/// The functions of Vulkan that warpdex calls. The loader is opened at run time, so that programs start without it.
namespace warpdex::vulkan {

#define WDX_VK_INSTANCE_FUNCTIONS(f)                                                                           \
  f(DestroyInstance) f(EnumeratePhysicalDevices) f(GetPhysicalDeviceProperties2) f(GetPhysicalDeviceFeatures2) \
      f(GetPhysicalDeviceMemoryProperties) f(GetPhysicalDeviceQueueFamilyProperties)                           \
          f(GetPhysicalDeviceExternalBufferProperties) f(GetPhysicalDeviceExternalSemaphoreProperties)         \
              f(EnumerateDeviceExtensionProperties) f(CreateDevice) f(GetDeviceProcAddr)

#define WDX_VK_DEVICE_FUNCTIONS(f)                                                                                    \
  f(DestroyDevice) f(GetDeviceQueue) f(QueueSubmit) f(QueueWaitIdle) f(CreateCommandPool) f(DestroyCommandPool)       \
      f(AllocateCommandBuffers) f(BeginCommandBuffer) f(EndCommandBuffer) f(CmdPipelineBarrier) f(CreateBuffer)       \
          f(DestroyBuffer) f(GetBufferMemoryRequirements) f(AllocateMemory) f(FreeMemory) f(BindBufferMemory)         \
              f(MapMemory) f(GetBufferDeviceAddress) f(CreateSemaphore) f(DestroySemaphore) f(WaitSemaphores)         \
                  f(CreateQueryPool) f(DestroyQueryPool) f(GetQueryPoolResults) f(CmdResetQueryPool)                  \
                      f(CreateShaderModule) f(DestroyShaderModule) f(CreatePipelineLayout) f(DestroyPipelineLayout)   \
                          f(DestroyPipeline) f(CmdBindPipeline) f(CmdPushConstants) f(CreateAccelerationStructureKHR) \
                              f(DestroyAccelerationStructureKHR) f(CmdBuildAccelerationStructuresKHR)                 \
                                  f(CmdCopyAccelerationStructureKHR) f(CmdWriteAccelerationStructuresPropertiesKHR)   \
                                      f(GetAccelerationStructureBuildSizesKHR)                                        \
                                          f(GetAccelerationStructureDeviceAddressKHR) f(CreateRayTracingPipelinesKHR) \
                                              f(GetRayTracingShaderGroupHandlesKHR) f(CmdTraceRaysKHR)

#define WDX_VK_SHARING_FUNCTIONS(f) f(GetMemoryFdKHR) f(GetSemaphoreFdKHR)  // null where devices do not share

/// Functions by name, without `vk`.
struct functions {
#define WDX_VK_MEMBER(name) PFN_vk##name name = nullptr;
  WDX_VK_INSTANCE_FUNCTIONS(WDX_VK_MEMBER)
  WDX_VK_DEVICE_FUNCTIONS(WDX_VK_MEMBER)
  WDX_VK_SHARING_FUNCTIONS(WDX_VK_MEMBER)
#undef WDX_VK_MEMBER
};

/// An instance of Vulkan 1.2. It is never destroyed, as drivers may be gone when static objects are.
struct instance {
  VkInstance handle;
  functions calls;  ///< those of instances
};

/// @return the instance of the process, which the first call makes
/// @throws unsupported if there is no loader or no driver
instance const& the_instance();

/// Completes the functions by those of a device.
void load_device_functions(functions& calls, VkDevice device);

/// Throws the exception for a failed call.
/// @throws out_of_memory, device_error
void expect_success(VkResult result, char const* what);

/// Refuses what only Vulkan lacks, naming other tracers.
/// @throws unsupported
[[noreturn]] void refuse(std::string const& what);

/// Owns a device.
struct destroy_device {
  PFN_vkDestroyDevice destroy = nullptr;
  void operator()(VkDevice device) const { destroy(device, nullptr); }
};
using owned_device = std::unique_ptr<std::remove_pointer_t<VkDevice>, destroy_device>;

/// Owns an object of a device.
template <class Handle> class owned {
 public:
  using destroyer = void(VKAPI_PTR*)(VkDevice, Handle, VkAllocationCallbacks const*);

  owned() = default;
  owned(VkDevice device, Handle handle, destroyer destroy) : device_(device), handle_(handle), destroy_(destroy) {}
  ~owned() {
    if (handle_ != VK_NULL_HANDLE) destroy_(device_, handle_, nullptr);
  }
  owned(owned&& other) noexcept { swap(other); }
  owned& operator=(owned&& other) noexcept {
    owned taken(std::move(other));
    swap(taken);
    return *this;
  }

  Handle get() const noexcept { return handle_; }

 private:
  void swap(owned& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
  }

  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
  destroyer destroy_ = nullptr;
};

/// Makes an object: create(device, info, nullptr, &handle).
template <class Handle, class Create, class Info>
owned<Handle> make(VkDevice device, Create create, typename owned<Handle>::destroyer destroy, Info const& info,
                   char const* what) {
  Handle handle = VK_NULL_HANDLE;
  expect_success(create(device, &info, nullptr, &handle), what);
  return {device, handle, destroy};
}

}  // namespace warpdex::vulkan
