// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "backend/backend.hpp"
#include "model/fake_device.hpp"

namespace warpdex::test {
namespace {

TEST(locate, tells_where_a_device_reads_host_memory) {
  fake_device& device = fake_device::instance();
  device.reset(1);
  std::vector<int> const pinned(4), pageable(4);
  device.set_pinned(pinned.data(), pinned.size() * sizeof(int));
  EXPECT_EQ(locate(pinned.data()).from_device, pinned.data());
  EXPECT_EQ(locate(pageable.data()).from_device, nullptr);
  EXPECT_FALSE(locate(pageable.data()).on_device);

  device.reads_pageable_memory = true;
  EXPECT_EQ(locate(pageable.data()).from_device, pageable.data());
  EXPECT_FALSE(locate(pageable.data()).on_device);
  EXPECT_EQ(locate(nullptr).from_device, nullptr);
  device.reset(1);
  EXPECT_EQ(locate(pageable.data()).from_device, nullptr);
}

TEST(locate, reports_a_device_that_fails) {
  fake_device& device = fake_device::instance();
  device.reset(1);
  std::vector<int> const pageable(4);
  device.set_pinned(nullptr, 0);
  device.fail_at(3);  // the attribute
  EXPECT_ANY_THROW((void)locate(pageable.data()));
  EXPECT_TRUE(device.relax());
}

}  // namespace
}  // namespace warpdex::test
