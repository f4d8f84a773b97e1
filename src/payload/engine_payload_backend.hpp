// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/engine_backend.hpp"
#include "payload/payload_backend.hpp"

namespace warpdex {

/// One text for all engines.
template <class Loops> class engine_payload_backend final : public payload_backend {
 public:
  void run(payload_step const& step, std::uint64_t size, execution const& exec) const override {
    std::visit([&](auto const& typed) { Loops::for_each(exec, size, typed); }, step);
  }

  std::optional<std::uint64_t> find_first(payload_steps::has_no_value const& check, std::uint64_t size,
                                          execution const& exec) const override {
    return detail::first_if<Loops>(exec, size, check);
  }
};

}  // namespace warpdex
