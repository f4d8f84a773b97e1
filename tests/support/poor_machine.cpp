// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/poor_machine.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstring>

namespace warpdex::test {

constinit poor_machine machine;

}  // namespace warpdex::test

using warpdex::test::machine;

// These take precedence over the system's own.

// A sanitizer inside the program has to know all threads, as it looks for memory on their stacks.
extern "C" [[gnu::weak]] int __interceptor_pthread_create(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);

extern "C" int sched_getaffinity(pid_t, std::size_t bytes, cpu_set_t* set) noexcept {
  std::memset(set, 0, bytes);
  for (int i = 0; i < machine.cores; ++i) CPU_SET_S(static_cast<std::size_t>(i), bytes, set);
  return 0;
}

extern "C" int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  if (machine.threads-- <= 0) return EAGAIN;
  auto* next = &__interceptor_pthread_create;
  if (next == nullptr) next = reinterpret_cast<decltype(next)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, start, argument);
}
