// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "model/fake_vulkan.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <warpdex/search/ray_scene.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

namespace warpdex::test {

fake_vulkan& fake_vulkan::instance() {
  static fake_vulkan only;
  return only;
}

namespace {

fake_vulkan& fake() { return fake_vulkan::instance(); }

/// An object of the device. Most need no more than to be counted.
struct object {
  object() { ++fake().alive; }
  virtual ~object() { --fake().alive; }
};
struct allocation final : object {
  int file;
  std::size_t bytes;
  void* data;
  explicit allocation(std::size_t size) : file(::memfd_create("fake", 0)), bytes(size) {
    data = ::ftruncate(file, static_cast<off_t>(size)) == 0
               ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
               : nullptr;
  }
  ~allocation() override {
    ::munmap(data, bytes);
    ::close(file);
  }
};
struct buffer_object final : object {
  std::size_t bytes = 0;
  allocation* memory = nullptr;
};
/// Structures of triangles know their corners, those of instances the structure below them.
struct structure_object final : object {
  std::vector<ray_triangle> triangles;
  structure_object* below = nullptr;
};
struct timeline_object final : object {
  int file = ::memfd_create("timeline", 0);
  std::uint64_t value = 0;
  ~timeline_object() override;
};
struct commands_object {
  std::vector<std::function<void()>> list;
  std::byte parameters[128];
};
struct pool_object final : object {
  std::deque<commands_object> commands;
};
struct submission {
  timeline_object* waits;
  std::uint64_t from;
  std::vector<std::function<void()>> work;
  timeline_object* signals;
  std::uint64_t to;
};

std::deque<submission> queue;
std::map<ino_t, timeline_object*> timelines;

template <class Object, class Handle> Object* of(Handle handle) { return reinterpret_cast<Object*>(handle); }
template <class Handle, class Object> VkResult give(Handle* to, Object* object) {
  *to = reinterpret_cast<Handle>(object);
  return VK_SUCCESS;
}
template <class Handle> void VKAPI_PTR destroy(VkDevice, Handle handle, VkAllocationCallbacks const*) {
  delete of<object>(handle);
}

bool fails() {
  auto& left = fake().until_failure;
  return left != 0 && --left == 0;
}
#define FAKE_MAY_FAIL \
  if (fails()) return fake().failure

void pump() {
  while (!queue.empty() && (queue.front().waits == nullptr || queue.front().waits->value >= queue.front().from)) {
    for (auto const& step : queue.front().work) step();
    if (queue.front().signals != nullptr) queue.front().signals->value = queue.front().to;
    queue.pop_front();
  }
}

ino_t number_of(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 ? facts.st_ino : 0;
}

timeline_object::~timeline_object() {
  timelines.erase(number_of(file));
  ::close(file);
}

// Rays, as the shaders cast them.

struct parameters {
  structure_object const* scene;
  std::byte const* targets;
  std::uint32_t* results;
  std::uint32_t const* slots;
  std::uint64_t const* representatives;
  std::uint64_t lowest, highest;
  std::uint32_t count, buckets, flags, unused;
};

/// @return the middle of three corners, where a triangle is around a point
float centre(ray_triangle const& t, int axis) {
  float corners[3] = {t.corners[0][axis], t.corners[1][axis], t.corners[2][axis]};
  std::sort(std::begin(corners), std::end(corners));
  return corners[1];
}

/// A ray along an axis hits triangles whose two other coordinates are its own.
std::uint32_t closest(parameters const& with, ray_axis axis, ray_point from) {
  bool const scaled = (with.flags & 16u) != 0;
  auto const at = triangle_at(from, scaled, false);
  int const a = static_cast<int>(axis);
  auto const& all = with.scene->below->triangles;
  std::uint32_t nearest = ~std::uint32_t{0};
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    bool hits = centre(all[i], a) >= centre(at, a);
    for (int other = 0; other < 3; ++other) hits = hits && (other == a || centre(all[i], other) == centre(at, other));
    if (hits && (nearest == ~std::uint32_t{0} || centre(all[i], a) < centre(all[nearest], a))) nearest = i;
  }
  if (nearest == ~std::uint32_t{0}) return nearest;
  bool const back = all[nearest].corners[0][0] < all[nearest].corners[2][0];
  return with.slots[nearest] | (back != fake().turns_triangles ? 0x80000000u : 0u);
}

struct representatives_of {
  using key_type = std::uint64_t;
  std::uint64_t const* keys;
  std::uint64_t key(std::uint64_t i) const { return keys[i]; }
};

std::uint32_t locate(parameters const& with, std::uint64_t target) {
  if (with.highest < target) return with.buckets - 1;
  if (target <= with.lowest) return 0;
  scene_kind const kind = (with.flags & 1u) != 0   ? scene_kind::naive
                          : (with.flags & 2u) != 0 ? scene_kind::optimized
                                                   : scene_kind::plain;
  ray_scene<representatives_of> const scene{{with.representatives}, with.buckets,          0, kind,
                                            (with.flags & 4u) != 0, (with.flags & 8u) != 0};
  return static_cast<std::uint32_t>(scene.locate(target, [&](ray_axis axis, ray_point from) {
    auto const hit = closest(with, axis, from);
    return hit == ~std::uint32_t{0} ? ray_hit{} : ray_hit{hit & 0x7fffffffu, (hit & 0x80000000u) != 0};
  }));
}

void trace(parameters const& with, bool single) {
  bool const wide = (with.flags & 32u) != 0;
  for (std::uint32_t i = 0; i < with.count; ++i) {
    if (single) {
      std::int32_t ray[4];
      std::memcpy(ray, with.targets + i * sizeof(ray), sizeof(ray));
      with.results[i] = closest(with, static_cast<ray_axis>(ray[3]), {ray[0], ray[1], ray[2]});
      continue;
    }
    std::uint64_t target = 0;
    std::memcpy(&target, with.targets + i * (wide ? 8 : 4), wide ? 8 : 4);
    with.results[i] = locate(with, target);
  }
}

// The device, as it describes itself.

char const* const extensions[] = {
    VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
    VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
    VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};

template <class T> T* chained(void* first, VkStructureType type) {
  for (auto* at = static_cast<VkBaseOutStructure*>(first); at != nullptr; at = at->pNext)
    if (at->sType == type) return reinterpret_cast<T*>(at);
  return nullptr;
}

VkResult VKAPI_PTR EnumeratePhysicalDevices(VkInstance, std::uint32_t* count, VkPhysicalDevice* devices) {
  FAKE_MAY_FAIL;
  *count = 1;
  return devices == nullptr ? VK_SUCCESS : give(devices, &fake());
}
void VKAPI_PTR GetPhysicalDeviceProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* p) {
  std::strcpy(p->properties.deviceName, "the fake");
  p->properties.apiVersion = VK_API_VERSION_1_2;
  p->properties.limits.maxComputeWorkGroupCount[0] = 1 << 16;
  p->properties.limits.maxComputeWorkGroupSize[0] = 1 << 10;
  if (auto* id = chained<VkPhysicalDeviceIDProperties>(p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES))
    std::fill(std::begin(id->deviceUUID), std::end(id->deviceUUID), fake().uuid);
  if (auto* rays = chained<VkPhysicalDeviceRayTracingPipelinePropertiesKHR>(
          p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR)) {
    rays->maxRayDispatchInvocationCount = 64;  // so that batches travel in pieces
    rays->shaderGroupHandleSize = rays->shaderGroupHandleAlignment = 32;
    rays->shaderGroupBaseAlignment = 64;
  }
  if (auto* structures = chained<VkPhysicalDeviceAccelerationStructurePropertiesKHR>(
          p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR)) {
    structures->maxPrimitiveCount = 1 << 20;
    structures->minAccelerationStructureScratchOffsetAlignment = 128;
  }
}
void VKAPI_PTR GetPhysicalDeviceFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* f) {
  auto* core = chained<VkPhysicalDeviceVulkan12Features>(f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  core->bufferDeviceAddress = fake().lacks == "bufferDeviceAddress" ? VK_FALSE : VK_TRUE;
  core->timelineSemaphore = fake().lacks == "timelineSemaphore" ? VK_FALSE : VK_TRUE;
  chained<VkPhysicalDeviceRayTracingPipelineFeaturesKHR>(
      f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR)
      ->rayTracingPipeline = fake().lacks == "rayTracingPipeline" ? VK_FALSE : VK_TRUE;
  chained<VkPhysicalDeviceAccelerationStructureFeaturesKHR>(
      f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR)
      ->accelerationStructure = fake().lacks == "accelerationStructure" ? VK_FALSE : VK_TRUE;
}
void VKAPI_PTR GetPhysicalDeviceMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* p) {
  *p = {};
  p->memoryTypeCount = 1;
  if (fake().lacks != "memory")
    p->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}
void VKAPI_PTR GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, std::uint32_t* count,
                                                      VkQueueFamilyProperties* families) {
  *count = 1;
  if (families != nullptr)
    families->queueFlags = fake().lacks == "queue" ? VK_QUEUE_TRANSFER_BIT : VK_QUEUE_COMPUTE_BIT;
}
void VKAPI_PTR GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice, VkPhysicalDeviceExternalBufferInfo const*,
                                                         VkExternalBufferProperties* p) {
  p->externalMemoryProperties.externalMemoryFeatures = 0;
  if (fake().lacks != "export")
    p->externalMemoryProperties.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
}
void VKAPI_PTR GetPhysicalDeviceExternalSemaphoreProperties(VkPhysicalDevice,
                                                            VkPhysicalDeviceExternalSemaphoreInfo const*,
                                                            VkExternalSemaphoreProperties* p) {
  p->externalSemaphoreFeatures = 0;
  if (fake().exports_timelines) p->externalSemaphoreFeatures = VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}
VkResult VKAPI_PTR EnumerateDeviceExtensionProperties(VkPhysicalDevice, char const*, std::uint32_t* count,
                                                      VkExtensionProperties* all) {
  FAKE_MAY_FAIL;
  std::uint32_t n = 0;
  for (char const* const name : extensions) {
    if (fake().lacks == name) continue;
    if (all != nullptr) std::strcpy(all[n].extensionName, name);
    ++n;
  }
  *count = n;
  return VK_SUCCESS;
}
VkResult VKAPI_PTR CreateDevice(VkPhysicalDevice, VkDeviceCreateInfo const*, VkAllocationCallbacks const*,
                                VkDevice* handle) {
  FAKE_MAY_FAIL;
  return give(handle, new object);
}
void VKAPI_PTR DestroyInstance(VkInstance, VkAllocationCallbacks const*) {}
void VKAPI_PTR DestroyDevice(VkDevice device, VkAllocationCallbacks const*) { delete of<object>(device); }
void VKAPI_PTR GetDeviceQueue(VkDevice, std::uint32_t, std::uint32_t, VkQueue* handle) { give(handle, &queue); }

/// Creates an object that is but counted.
template <class Handle, class Info>
VkResult VKAPI_PTR create(VkDevice, Info const*, VkAllocationCallbacks const*, Handle* handle) {
  FAKE_MAY_FAIL;
  return give(handle, new object);
}
VkResult VKAPI_PTR CreateBuffer(VkDevice, VkBufferCreateInfo const* info, VkAllocationCallbacks const*,
                                VkBuffer* handle) {
  FAKE_MAY_FAIL;
  auto* const buffer = new buffer_object;
  buffer->bytes = info->size;
  return give(handle, static_cast<object*>(buffer));
}
template <class Object, class Handle> Object* as(Handle handle) { return static_cast<Object*>(of<object>(handle)); }

void VKAPI_PTR GetBufferMemoryRequirements(VkDevice, VkBuffer buffer, VkMemoryRequirements* needs) {
  *needs = {(as<buffer_object>(buffer)->bytes + 4095) / 4096 * 4096, 256, 1};
}
VkResult VKAPI_PTR AllocateMemory(VkDevice, VkMemoryAllocateInfo const* info, VkAllocationCallbacks const*,
                                  VkDeviceMemory* handle) {
  FAKE_MAY_FAIL;
  return give(handle, static_cast<object*>(new allocation(info->allocationSize)));
}
VkResult VKAPI_PTR BindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize) {
  FAKE_MAY_FAIL;
  as<buffer_object>(buffer)->memory = as<allocation>(memory);
  return VK_SUCCESS;
}
VkResult VKAPI_PTR MapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void** at) {
  FAKE_MAY_FAIL;
  *at = as<allocation>(memory)->data;
  return VK_SUCCESS;
}
VkDeviceAddress VKAPI_PTR GetBufferDeviceAddress(VkDevice, VkBufferDeviceAddressInfo const* info) {
  return reinterpret_cast<VkDeviceAddress>(as<buffer_object>(info->buffer)->memory->data);
}
VkResult VKAPI_PTR GetMemoryFdKHR(VkDevice, VkMemoryGetFdInfoKHR const* info, int* file) {
  FAKE_MAY_FAIL;
  *file = ::dup(as<allocation>(info->memory)->file);
  return VK_SUCCESS;
}

VkResult VKAPI_PTR CreateSemaphore(VkDevice, VkSemaphoreCreateInfo const*, VkAllocationCallbacks const*,
                                   VkSemaphore* handle) {
  FAKE_MAY_FAIL;
  auto* const timeline = new timeline_object;
  timelines[number_of(timeline->file)] = timeline;
  return give(handle, static_cast<object*>(timeline));
}
VkResult VKAPI_PTR GetSemaphoreFdKHR(VkDevice, VkSemaphoreGetFdInfoKHR const* info, int* file) {
  FAKE_MAY_FAIL;
  *file = ::dup(as<timeline_object>(info->semaphore)->file);
  return VK_SUCCESS;
}
/// Waits for ever if the value never comes, which is an error here.
VkResult VKAPI_PTR WaitSemaphores(VkDevice, VkSemaphoreWaitInfo const* info, std::uint64_t) {
  pump();
  FAKE_MAY_FAIL;
  return as<timeline_object>(info->pSemaphores[0])->value >= info->pValues[0] ? VK_SUCCESS : VK_ERROR_DEVICE_LOST;
}
/// Never fails, as it is called where nothing could be done about it.
VkResult VKAPI_PTR QueueWaitIdle(VkQueue) {
  pump();
  queue.clear();
  return VK_SUCCESS;
}
VkResult VKAPI_PTR QueueSubmit(VkQueue, std::uint32_t, VkSubmitInfo const* info, VkFence) {
  FAKE_MAY_FAIL;
  auto const* const values = static_cast<VkTimelineSemaphoreSubmitInfo const*>(info->pNext);
  bool const waits = info->waitSemaphoreCount != 0;
  queue.push_back({waits ? as<timeline_object>(info->pWaitSemaphores[0]) : nullptr,
                   waits ? values->pWaitSemaphoreValues[0] : 0, of<commands_object>(info->pCommandBuffers[0])->list,
                   as<timeline_object>(info->pSignalSemaphores[0]), values->pSignalSemaphoreValues[0]});
  return VK_SUCCESS;
}

VkResult VKAPI_PTR CreateCommandPool(VkDevice, VkCommandPoolCreateInfo const*, VkAllocationCallbacks const*,
                                     VkCommandPool* handle) {
  FAKE_MAY_FAIL;
  return give(handle, static_cast<object*>(new pool_object));
}
VkResult VKAPI_PTR AllocateCommandBuffers(VkDevice, VkCommandBufferAllocateInfo const* info, VkCommandBuffer* handle) {
  FAKE_MAY_FAIL;
  return give(handle, &as<pool_object>(info->commandPool)->commands.emplace_back());
}
VkResult VKAPI_PTR BeginCommandBuffer(VkCommandBuffer commands, VkCommandBufferBeginInfo const*) {
  FAKE_MAY_FAIL;
  of<commands_object>(commands)->list.clear();
  return VK_SUCCESS;
}
VkResult VKAPI_PTR EndCommandBuffer(VkCommandBuffer) {
  FAKE_MAY_FAIL;
  return VK_SUCCESS;
}
void VKAPI_PTR CmdPipelineBarrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags, VkDependencyFlags,
                                  std::uint32_t, VkMemoryBarrier const*, std::uint32_t, VkBufferMemoryBarrier const*,
                                  std::uint32_t, VkImageMemoryBarrier const*) {}
void VKAPI_PTR CmdResetQueryPool(VkCommandBuffer, VkQueryPool, std::uint32_t, std::uint32_t) {}
void VKAPI_PTR CmdWriteAccelerationStructuresPropertiesKHR(VkCommandBuffer, std::uint32_t,
                                                           VkAccelerationStructureKHR const*, VkQueryType, VkQueryPool,
                                                           std::uint32_t) {}
VkResult VKAPI_PTR GetQueryPoolResults(VkDevice, VkQueryPool, std::uint32_t, std::uint32_t, std::size_t bytes, void* to,
                                       VkDeviceSize, VkQueryResultFlags) {
  FAKE_MAY_FAIL;
  std::uint64_t const size = 512;
  std::memcpy(to, &size, bytes);
  return VK_SUCCESS;
}
void VKAPI_PTR CmdBindPipeline(VkCommandBuffer, VkPipelineBindPoint, VkPipeline) {}
void VKAPI_PTR CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout, VkShaderStageFlags, std::uint32_t,
                                std::uint32_t bytes, void const* from) {
  std::memcpy(of<commands_object>(commands)->parameters, from, bytes);
}

VkResult VKAPI_PTR CreateAccelerationStructureKHR(VkDevice, VkAccelerationStructureCreateInfoKHR const*,
                                                  VkAllocationCallbacks const*, VkAccelerationStructureKHR* handle) {
  FAKE_MAY_FAIL;
  return give(handle, static_cast<object*>(new structure_object));
}
void VKAPI_PTR GetAccelerationStructureBuildSizesKHR(VkDevice, VkAccelerationStructureBuildTypeKHR,
                                                     VkAccelerationStructureBuildGeometryInfoKHR const*,
                                                     std::uint32_t const*,
                                                     VkAccelerationStructureBuildSizesInfoKHR* sizes) {
  sizes->accelerationStructureSize = sizes->buildScratchSize = 1024;
}
VkDeviceAddress VKAPI_PTR
GetAccelerationStructureDeviceAddressKHR(VkDevice, VkAccelerationStructureDeviceAddressInfoKHR const* info) {
  return reinterpret_cast<VkDeviceAddress>(as<structure_object>(info->accelerationStructure));
}
void VKAPI_PTR CmdBuildAccelerationStructuresKHR(VkCommandBuffer commands, std::uint32_t,
                                                 VkAccelerationStructureBuildGeometryInfoKHR const* info,
                                                 VkAccelerationStructureBuildRangeInfoKHR const* const* ranges) {
  auto* const structure = as<structure_object>(info->dstAccelerationStructure);
  auto const geometry = info->pGeometries[0];
  std::uint32_t const count = ranges[0]->primitiveCount;
  of<commands_object>(commands)->list.emplace_back([=] {
    if (geometry.geometryType == VK_GEOMETRY_TYPE_TRIANGLES_KHR) {
      auto const* const from = of<ray_triangle const>(geometry.geometry.triangles.vertexData.deviceAddress);
      structure->triangles.assign(from, from + count);
    } else {
      auto const* const placed =
          of<VkAccelerationStructureInstanceKHR const>(geometry.geometry.instances.data.deviceAddress);
      structure->below = of<structure_object>(placed->accelerationStructureReference);
    }
  });
}
void VKAPI_PTR CmdCopyAccelerationStructureKHR(VkCommandBuffer commands,
                                               VkCopyAccelerationStructureInfoKHR const* info) {
  auto const* const from = as<structure_object>(info->src);
  auto* const to = as<structure_object>(info->dst);
  of<commands_object>(commands)->list.emplace_back([=] { to->triangles = from->triangles; });
}

VkResult VKAPI_PTR CreateRayTracingPipelinesKHR(VkDevice, VkDeferredOperationKHR, VkPipelineCache, std::uint32_t,
                                                VkRayTracingPipelineCreateInfoKHR const*, VkAllocationCallbacks const*,
                                                VkPipeline* handle) {
  FAKE_MAY_FAIL;
  return give(handle, new object);
}
/// A group is named by its number.
VkResult VKAPI_PTR GetRayTracingShaderGroupHandlesKHR(VkDevice, VkPipeline, std::uint32_t, std::uint32_t count,
                                                      std::size_t bytes, void* to) {
  FAKE_MAY_FAIL;
  std::memset(to, 0, bytes);
  for (std::uint32_t i = 0; i < count; ++i) std::memcpy(static_cast<std::byte*>(to) + i * (bytes / count), &i, 4);
  return VK_SUCCESS;
}
void VKAPI_PTR CmdTraceRaysKHR(VkCommandBuffer commands, VkStridedDeviceAddressRegionKHR const* generation,
                               VkStridedDeviceAddressRegionKHR const*, VkStridedDeviceAddressRegionKHR const*,
                               VkStridedDeviceAddressRegionKHR const*, std::uint32_t, std::uint32_t, std::uint32_t) {
  parameters with;
  std::memcpy(&with, of<commands_object>(commands)->parameters, sizeof(with));
  bool const single = *of<std::uint32_t const>(generation->deviceAddress) == 1;
  of<commands_object>(commands)->list.emplace_back([=] { trace(with, single); });
}

VkResult VKAPI_PTR CreateInstance(VkInstanceCreateInfo const*, VkAllocationCallbacks const*, VkInstance* handle) {
  if (!fake().has_driver) return VK_ERROR_INCOMPATIBLE_DRIVER;
  return give(handle, &fake());
}

PFN_vkVoidFunction find(char const* name);
PFN_vkVoidFunction VKAPI_PTR GetDeviceProcAddr(VkDevice, char const* name) { return find(name); }

PFN_vkVoidFunction find(char const* name) {
#define FAKE(f) \
  { "vk" #f, reinterpret_cast<PFN_vkVoidFunction>(&f) }
#define FAKE_AS(f, ...) \
  { "vk" #f, reinterpret_cast<PFN_vkVoidFunction>(&__VA_ARGS__) }
  static std::map<std::string_view, PFN_vkVoidFunction> const all = {
      FAKE(CreateInstance),
      FAKE(DestroyInstance),
      FAKE(EnumeratePhysicalDevices),
      FAKE(GetPhysicalDeviceProperties2),
      FAKE(GetPhysicalDeviceFeatures2),
      FAKE(GetPhysicalDeviceMemoryProperties),
      FAKE(GetPhysicalDeviceQueueFamilyProperties),
      FAKE(GetPhysicalDeviceExternalBufferProperties),
      FAKE(GetPhysicalDeviceExternalSemaphoreProperties),
      FAKE(EnumerateDeviceExtensionProperties),
      FAKE(CreateDevice),
      FAKE(GetDeviceProcAddr),
      FAKE(DestroyDevice),
      FAKE(GetDeviceQueue),
      FAKE(QueueSubmit),
      FAKE(QueueWaitIdle),
      FAKE(CreateCommandPool),
      FAKE_AS(DestroyCommandPool, destroy<VkCommandPool>),
      FAKE(AllocateCommandBuffers),
      FAKE(BeginCommandBuffer),
      FAKE(EndCommandBuffer),
      FAKE(CmdPipelineBarrier),
      FAKE(CreateBuffer),
      FAKE_AS(DestroyBuffer, destroy<VkBuffer>),
      FAKE(GetBufferMemoryRequirements),
      FAKE(AllocateMemory),
      FAKE_AS(FreeMemory, destroy<VkDeviceMemory>),
      FAKE(BindBufferMemory),
      FAKE(MapMemory),
      FAKE(GetBufferDeviceAddress),
      FAKE(CreateSemaphore),
      FAKE_AS(DestroySemaphore, destroy<VkSemaphore>),
      FAKE(WaitSemaphores),
      FAKE_AS(CreateQueryPool, create<VkQueryPool, VkQueryPoolCreateInfo>),
      FAKE_AS(DestroyQueryPool, destroy<VkQueryPool>),
      FAKE(GetQueryPoolResults),
      FAKE(CmdResetQueryPool),
      FAKE_AS(CreateShaderModule, create<VkShaderModule, VkShaderModuleCreateInfo>),
      FAKE_AS(DestroyShaderModule, destroy<VkShaderModule>),
      FAKE_AS(CreatePipelineLayout, create<VkPipelineLayout, VkPipelineLayoutCreateInfo>),
      FAKE_AS(DestroyPipelineLayout, destroy<VkPipelineLayout>),
      FAKE_AS(DestroyPipeline, destroy<VkPipeline>),
      FAKE(CmdBindPipeline),
      FAKE(CmdPushConstants),
      FAKE(CreateAccelerationStructureKHR),
      FAKE_AS(DestroyAccelerationStructureKHR, destroy<VkAccelerationStructureKHR>),
      FAKE(CmdBuildAccelerationStructuresKHR),
      FAKE(CmdCopyAccelerationStructureKHR),
      FAKE(CmdWriteAccelerationStructuresPropertiesKHR),
      FAKE(GetAccelerationStructureBuildSizesKHR),
      FAKE(GetAccelerationStructureDeviceAddressKHR),
      FAKE(CreateRayTracingPipelinesKHR),
      FAKE(GetRayTracingShaderGroupHandlesKHR),
      FAKE(CmdTraceRaysKHR),
      FAKE(GetMemoryFdKHR),
      FAKE(GetSemaphoreFdKHR)};
#undef FAKE
#undef FAKE_AS
  auto const found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace

void fake_signal(int file, std::uint64_t value) { timelines.at(number_of(file))->value = value; }

std::uint64_t fake_value(int file) {
  pump();
  return timelines.at(number_of(file))->value;
}

PFN_vkVoidFunction fake_function(char const* name) { return find(name); }

}  // namespace warpdex::test

extern "C" PFN_vkVoidFunction VKAPI_PTR vkGetInstanceProcAddr(VkInstance, char const* name) {
  return warpdex::test::fake_function(name);
}
