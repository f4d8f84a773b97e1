// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/ray/vulkan_device.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "backend/backend.hpp"
#include "backend/ray/shaders.hpp"

namespace warpdex::vulkan {
namespace {

constexpr char const* needed_extensions[] = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                             VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
                                             VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME};

/// Features, chained for a query or for a new device.
struct features {
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR, nullptr, 0, 0, 0, 0, 0};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, &rays, 0, 0, 0, 0, 0};
  VkPhysicalDeviceVulkan12Features core{};
  VkPhysicalDeviceFeatures2 all{};

  features() {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    core.pNext = &structures;
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    all.pNext = &core;
  }
  features(features const&) = delete;

  struct named {
    VkBool32* is;
    char const* name;
  };
  std::array<named, 4> needed() {
    return {{{&rays.rayTracingPipeline, "rayTracingPipeline"},
             {&structures.accelerationStructure, "accelerationStructure"},
             {&core.bufferDeviceAddress, "bufferDeviceAddress"},
             {&core.timelineSemaphore, "timelineSemaphore"}}};
  }
};

template <class T> T round_up(T value, T alignment) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

device::device(sharing const* with) : client_(with), calls_(the_instance().calls) {
  choose();
  make_device();
  make_pipeline();
}

device& device::of(backend_kind kind) {
  static std::mutex guard;
  static auto* const known = new std::map<std::optional<device_uuid>, std::unique_ptr<device>>;
  sharing const* const client = kind == backend_kind::cuda ? &cuda_sharing() : nullptr;
  auto const uuid = client != nullptr ? std::optional(client->device()) : std::nullopt;
  std::lock_guard const lock(guard);
  auto& found = (*known)[uuid];
  if (!found) found = std::make_unique<device>(client);
  return *found;
}

/// @return what a device lacks; empty if it serves
std::string device::unfit(VkPhysicalDevice candidate) {
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  calls_.GetPhysicalDeviceProperties2(candidate, &properties);
  std::string const name = properties.properties.deviceName;
  if (properties.properties.apiVersion < VK_API_VERSION_1_2) return name + " has no Vulkan 1.2";
  std::uint32_t count = 0;
  expect_success(calls_.EnumerateDeviceExtensionProperties(candidate, nullptr, &count, nullptr),
                 "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  expect_success(calls_.EnumerateDeviceExtensionProperties(candidate, nullptr, &count, extensions.data()),
                 "vkEnumerateDeviceExtensionProperties");
  auto const has = [&](std::string_view wanted) {
    return std::any_of(extensions.begin(), extensions.end(), [&](auto const& e) { return e.extensionName == wanted; });
  };
  for (char const* const wanted : needed_extensions)
    if (!has(wanted)) return name + " has no extension " + wanted;
  if (client_ != nullptr && !has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
    return name + " has no extension " VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
  features offered;
  calls_.GetPhysicalDeviceFeatures2(candidate, &offered.all);
  for (auto const& feature : offered.needed())
    if (*feature.is == VK_FALSE) return name + " has no feature " + feature.name;
  std::uint32_t families = 0;
  calls_.GetPhysicalDeviceQueueFamilyProperties(candidate, &families, nullptr);
  std::vector<VkQueueFamilyProperties> queues(families);
  calls_.GetPhysicalDeviceQueueFamilyProperties(candidate, &families, queues.data());
  auto const computes = std::find_if(queues.begin(), queues.end(),
                                     [](auto const& q) { return (q.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
  if (computes == queues.end()) return name + " has no queue that computes";
  family_ = static_cast<std::uint32_t>(computes - queues.begin());
  shares_timelines_ = client_ != nullptr && client_->imports_timelines() &&
                      has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) && exports_timelines(candidate);
  return {};
}

bool device::exports_timelines(VkPhysicalDevice candidate) const {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkPhysicalDeviceExternalSemaphoreInfo what{};
  what.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
  what.pNext = &type;
  what.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalSemaphoreProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
  calls_.GetPhysicalDeviceExternalSemaphoreProperties(candidate, &what, &answer);
  return (answer.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
}

void device::choose() {
  std::uint32_t count = 0;
  expect_success(calls_.EnumeratePhysicalDevices(the_instance().handle, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  expect_success(calls_.EnumeratePhysicalDevices(the_instance().handle, &count, all.data()),
                 "vkEnumeratePhysicalDevices");
  std::string lacks;
  for (VkPhysicalDevice const candidate : all) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    calls_.GetPhysicalDeviceProperties2(candidate, &properties);
    std::copy(std::begin(id.deviceUUID), std::end(id.deviceUUID), number_.begin());
    if (client_ != nullptr && number_ != client_->device()) continue;
    std::string const missing = unfit(candidate);
    if (missing.empty()) {
      physical_ = candidate;
      return;
    }
    if (!lacks.empty()) lacks += ", ";
    lacks += missing;
  }
  if (!lacks.empty()) refuse(lacks);
  refuse(client_ != nullptr ? "no Vulkan driver for the CUDA device" : "no Vulkan driver has a device");
}

void device::make_device() {
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays{};
  rays.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR;
  VkPhysicalDeviceAccelerationStructurePropertiesKHR structures{};
  structures.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR;
  structures.pNext = &rays;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &structures;
  calls_.GetPhysicalDeviceProperties2(physical_, &properties);
  auto const& compute = properties.properties.limits;
  limits_ = {
      structures.maxPrimitiveCount,
      std::min<std::uint64_t>(rays.maxRayDispatchInvocationCount,
                              std::uint64_t{compute.maxComputeWorkGroupCount[0]} * compute.maxComputeWorkGroupSize[0]),
      structures.minAccelerationStructureScratchOffsetAlignment,
      rays.shaderGroupHandleSize,
      rays.shaderGroupHandleAlignment,
      rays.shaderGroupBaseAlignment};
  calls_.GetPhysicalDeviceMemoryProperties(physical_, &memories_);

  features wanted;
  for (auto const& feature : wanted.needed()) *feature.is = VK_TRUE;
  float const priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  std::vector<char const*> extensions(std::begin(needed_extensions), std::end(needed_extensions));
  if (client_ != nullptr) extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  if (shares_timelines_) extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &wanted.all;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice handle = VK_NULL_HANDLE;
  expect_success(calls_.CreateDevice(physical_, &info, nullptr, &handle), "vkCreateDevice");
  load_device_functions(calls_, handle);
  handle_ = owned_device(handle, {calls_.DestroyDevice});
  calls_.GetDeviceQueue(handle, family_, 0, &queue_);

  if (client_ == nullptr) return;
  VkPhysicalDeviceExternalBufferInfo external{};
  external.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  external.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  external.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalBufferProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  calls_.GetPhysicalDeviceExternalBufferProperties(physical_, &external, &answer);
  auto const can = answer.externalMemoryProperties.externalMemoryFeatures;
  if ((can & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) == 0)
    refuse(std::string(properties.properties.deviceName) + " exports no buffers");
  dedicated_ = (can & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
}

void device::make_pipeline() {
  VkPushConstantRange const constants{VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, parameter_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &constants;
  layout_ = make<VkPipelineLayout>(handle_.get(), calls_.CreatePipelineLayout, calls_.DestroyPipelineLayout, layout,
                                   "vkCreatePipelineLayout");

  constexpr std::uint32_t groups_count = 4;
  struct {
    std::uint32_t const* code;
    std::size_t bytes;
    VkShaderStageFlagBits stage;
  } const shaders[groups_count] = {{shader_locate, sizeof(shader_locate), VK_SHADER_STAGE_RAYGEN_BIT_KHR},
                                   {shader_rays, sizeof(shader_rays), VK_SHADER_STAGE_RAYGEN_BIT_KHR},
                                   {shader_miss, sizeof(shader_miss), VK_SHADER_STAGE_MISS_BIT_KHR},
                                   {shader_hit, sizeof(shader_hit), VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR}};
  owned<VkShaderModule> modules[groups_count];
  VkPipelineShaderStageCreateInfo stages[groups_count] = {};
  VkRayTracingShaderGroupCreateInfoKHR groups[groups_count] = {};
  for (std::uint32_t i = 0; i < groups_count; ++i) {
    VkShaderModuleCreateInfo module{};
    module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module.codeSize = shaders[i].bytes;
    module.pCode = shaders[i].code;
    modules[i] = make<VkShaderModule>(handle_.get(), calls_.CreateShaderModule, calls_.DestroyShaderModule, module,
                                      "vkCreateShaderModule");
    stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[i].stage = shaders[i].stage;
    stages[i].module = modules[i].get();
    stages[i].pName = "main";
    bool const hits = shaders[i].stage == VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR;
    groups[i].sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR;
    groups[i].type =
        hits ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR : VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    groups[i].generalShader = hits ? VK_SHADER_UNUSED_KHR : i;
    groups[i].closestHitShader = hits ? i : VK_SHADER_UNUSED_KHR;
    groups[i].anyHitShader = VK_SHADER_UNUSED_KHR;
    groups[i].intersectionShader = VK_SHADER_UNUSED_KHR;
  }
  VkRayTracingPipelineCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
  info.stageCount = groups_count;
  info.pStages = stages;
  info.groupCount = groups_count;
  info.pGroups = groups;
  info.maxPipelineRayRecursionDepth = 1;
  info.layout = layout_.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  expect_success(
      calls_.CreateRayTracingPipelinesKHR(handle_.get(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
      "vkCreateRayTracingPipelinesKHR");
  pipeline_ = {handle_.get(), pipeline, calls_.DestroyPipeline};

  std::size_t const handle = limits_.handle_bytes;
  std::vector<std::byte> handles(groups_count * handle);
  expect_success(calls_.GetRayTracingShaderGroupHandlesKHR(handle_.get(), pipeline, 0, groups_count, handles.size(),
                                                           handles.data()),
                 "vkGetRayTracingShaderGroupHandlesKHR");
  std::uint64_t const alignment = limits_.table_alignment;
  std::uint64_t const stride =
      round_up<std::uint64_t>(handle, std::max<std::uint64_t>(alignment, limits_.handle_alignment));
  table_ =
      memory(*this, (groups_count + 1) * stride,
             VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, reach::host);
  std::uint64_t const first = round_up(table_.address(), alignment) - table_.address();
  for (std::uint32_t i = 0; i < groups_count; ++i) {
    std::memcpy(table_.as<std::byte>() + first + i * stride, handles.data() + i * handle, handle);
    regions_[i] = {table_.address() + first + i * stride, stride, stride};
  }
}

std::uint32_t device::memory_type(std::uint32_t bits, reach who) const {
  bool const mapped = who != reach::none && (who == reach::host || client_ == nullptr);
  constexpr VkMemoryPropertyFlags of_host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryPropertyFlags const needed = mapped ? of_host : 0;
  // The host reads what it shares with the device, and writes tables and instances that only the device reads.
  VkMemoryPropertyFlags const better = needed | (mapped && who == reach::client ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                                                                : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  for (VkMemoryPropertyFlags const wanted : {better, needed})
    for (std::uint32_t i = 0; i < memories_.memoryTypeCount; ++i)
      if ((bits >> i & 1u) != 0 && (memories_.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  refuse("no memory that the host sees");
}

void device::record_rays(VkCommandBuffer commands, bool single, void const* parameters, std::uint64_t width) const {
  VkStridedDeviceAddressRegionKHR const none{};
  calls_.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline_.get());
  calls_.CmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, parameter_bytes, parameters);
  calls_.CmdTraceRaysKHR(commands, &regions_[single ? 1 : 0], &regions_[2], &regions_[3], &none,
                         static_cast<std::uint32_t>(width), 1, 1);
}

std::unique_ptr<lane> device::take_lane() {
  {
    std::lock_guard const lock(lanes_mutex_);
    if (!lanes_.empty()) {
      auto taken = std::move(lanes_.back());
      lanes_.pop_back();
      return taken;
    }
  }
  return std::make_unique<lane>(*this);
}

memory::memory(device const& on, std::uint64_t bytes, VkBufferUsageFlags usage, reach who) : bytes_(bytes) {
  auto const& calls = on.calls();
  VkDevice const device = on.handle();
  bool const is_shared = who == reach::client && on.client() != nullptr;
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = is_shared ? &external : nullptr;
  info.size = std::max<std::uint64_t>(bytes, 4);
  info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  buffer_ = make<VkBuffer>(device, calls.CreateBuffer, calls.DestroyBuffer, info, "vkCreateBuffer");

  VkMemoryRequirements needs;
  calls.GetBufferMemoryRequirements(device, buffer_.get(), &needs);
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.buffer = buffer_.get();
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.pNext = on.dedicated_ ? &dedicated : nullptr;
  exported.handleTypes = external.handleTypes;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = is_shared ? &exported : nullptr;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &flags;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = on.memory_type(needs.memoryTypeBits, who);
  allocation_ = make<VkDeviceMemory>(device, calls.AllocateMemory, calls.FreeMemory, allocation, "vkAllocateMemory");
  expect_success(calls.BindBufferMemory(device, buffer_.get(), allocation_.get(), 0), "vkBindBufferMemory");
  VkBufferDeviceAddressInfo which{};
  which.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  which.buffer = buffer_.get();
  address_ = calls.GetBufferDeviceAddress(device, &which);

  if (is_shared) {
    VkMemoryGetFdInfoKHR get{};
    get.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
    get.memory = allocation_.get();
    get.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    int number = -1;
    expect_success(calls.GetMemoryFdKHR(device, &get, &number), "vkGetMemoryFdKHR");
    imported_ = on.client()->import_memory(file_descriptor(number), needs.size, on.dedicated_);
    data_ = imported_->data();
  } else if (who != reach::none) {
    expect_success(calls.MapMemory(device, allocation_.get(), 0, VK_WHOLE_SIZE, 0, &data_), "vkMapMemory");
  }
}

lane::lane(device& on) : device_(on) {
  auto const& calls = on.calls();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = on.family_;
  pool_ =
      make<VkCommandPool>(on.handle(), calls.CreateCommandPool, calls.DestroyCommandPool, pool, "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = pool_.get();
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  expect_success(calls.AllocateCommandBuffers(on.handle(), &commands, &commands_), "vkAllocateCommandBuffers");

  VkExportSemaphoreCreateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.pNext = on.shares_timelines() ? &exported : nullptr;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphore.pNext = &type;
  timeline_ =
      make<VkSemaphore>(on.handle(), calls.CreateSemaphore, calls.DestroySemaphore, semaphore, "vkCreateSemaphore");
  if (!on.shares_timelines()) return;
  VkSemaphoreGetFdInfoKHR get{};
  get.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  get.semaphore = timeline_.get();
  get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int number = -1;
  expect_success(calls.GetSemaphoreFdKHR(on.handle(), &get, &number), "vkGetSemaphoreFdKHR");
  imported_ = on.client()->import_timeline(file_descriptor(number));
}

lane::~lane() {
  std::lock_guard const lock(device_.queue_mutex_);
  device_.calls().QueueWaitIdle(device_.queue_);
}

void lane::reserve(std::uint64_t target_bytes, std::uint64_t result_bytes, reach who) {
  auto const make_room = [&](memory& room, std::uint64_t bytes) {
    if (room.bytes() >= bytes && who_ == who) return;
    room = {};
    room = memory(device_, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, who);
  };
  make_room(targets, target_bytes);
  make_room(results, result_bytes);
  who_ = who;
}

VkCommandBuffer lane::recorded(recorder const& record) {
  auto const& calls = device_.calls();
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  expect_success(calls.BeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  auto const barrier = [&](VkPipelineStageFlags to, VkAccessFlags access) {
    VkMemoryBarrier all{};
    all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = access;
    calls.CmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, to, 0, 1, &all, 0, nullptr, 0, nullptr);
  };
  barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  record(commands_);
  barrier(VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT);
  expect_success(calls.EndCommandBuffer(commands_), "vkEndCommandBuffer");
  return commands_;
}

/// Lets the timeline continue to `time_ + 1`, after `time_` if `waits`.
void lane::submit(VkCommandBuffer commands, bool waits) {
  VkSemaphore const timeline = timeline_.get();
  std::uint64_t const from = time_;
  std::uint64_t const to = time_ + 1;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = waits ? 1 : 0;
  values.pWaitSemaphoreValues = &from;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &to;
  VkPipelineStageFlags const stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = waits ? 1 : 0;
  info.pWaitSemaphores = &timeline;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  expect_success(device_.calls().QueueSubmit(device_.queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  time_ = to;
}

void lane::wait() {
  VkSemaphore const timeline = timeline_.get();
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &time_;
  expect_success(device_.calls().WaitSemaphores(device_.handle(), &info, ~std::uint64_t{0}), "vkWaitSemaphores");
}

void lane::run(recorder const& record) {
  VkCommandBuffer const commands = recorded(record);
  {
    std::lock_guard const lock(device_.queue_mutex_);
    submit(commands, false);
  }
  wait();
}

void lane::run_in_order(recorder const& record, execution const& exec) {
  if (!imported_) {
    backend_of(exec).synchronize(exec);
    return run(record);
  }
  // The commands of the piece before may not have ended.
  if (time_ != 0) wait();
  VkCommandBuffer const commands = recorded(record);
  // The queue takes its work in the order in which streams signal it, so no two calls wait for each other.
  std::lock_guard const lock(device_.queue_mutex_);
  imported_->signal(++time_, exec);
  submit(commands, true);
  imported_->wait(time_, exec);
}

}  // namespace warpdex::vulkan
