// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/random.hpp"

#include <unistd.h>
#include <warpdex/error.hpp>

#include <cerrno>
#include <cstring>
#include <string>

namespace warpdex {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0)
    throw io_error(std::string("the system's random numbers: ") + std::strerror(errno));
  return number;
}

}  // namespace warpdex
