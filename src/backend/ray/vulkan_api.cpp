// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/ray/vulkan_api.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <warpdex/error.hpp>

#include "backend/ray/sharing.hpp"

namespace warpdex {

file_descriptor::~file_descriptor() {
  if (number_ >= 0) ::close(number_);
}

namespace vulkan {
namespace {

instance make_instance() {
  void* const loader = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (loader == nullptr) refuse("no Vulkan loader: libvulkan.so.1 cannot be opened");
  auto const get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(loader, "vkGetInstanceProcAddr"));
  if (get == nullptr) refuse("libvulkan.so.1 is no Vulkan loader");
  auto const create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "warpdex";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  instance api{};
  VkResult const result = create(&info, nullptr, &api.handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) refuse("no Vulkan driver: the loader finds none of version 1.2");
  expect_success(result, "vkCreateInstance");
#define WDX_VK_LOAD(name) api.calls.name = reinterpret_cast<PFN_vk##name>(get(api.handle, "vk" #name));
  WDX_VK_INSTANCE_FUNCTIONS(WDX_VK_LOAD)
#undef WDX_VK_LOAD
  return api;
}

}  // namespace

instance const& the_instance() {
  static auto const* const single = new instance(make_instance());
  return *single;
}

void load_device_functions(functions& calls, VkDevice device) {
#define WDX_VK_LOAD(name) calls.name = reinterpret_cast<PFN_vk##name>(calls.GetDeviceProcAddr(device, "vk" #name));
  WDX_VK_DEVICE_FUNCTIONS(WDX_VK_LOAD)
  WDX_VK_SHARING_FUNCTIONS(WDX_VK_LOAD)
#undef WDX_VK_LOAD
}

void expect_success(VkResult result, char const* what) {
  if (result >= 0) return;
  std::string const text = std::string(what) + " failed: ";
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    throw out_of_memory(text + "Vulkan has no memory");
  if (result == VK_ERROR_DEVICE_LOST) throw device_error(text + "the device of Vulkan is lost");
  throw device_error(text + "VkResult " + std::to_string(static_cast<int>(result)));
}

void refuse(std::string const& what) {
  throw unsupported("tracer vulkan: " + what + "; tracers that need no driver are own and none");
}

}  // namespace vulkan
}  // namespace warpdex
