// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/engine_backend.hpp"
#include "encoder/encoder_backend.hpp"

namespace warpdex {

/// One text for all engines.
template <class Loops> class engine_encoder_backend final : public encoder_backend {
 public:
  void run(encoder_step const& step, std::uint64_t size, execution const& exec) const override {
    std::visit([&](auto const& typed) { Loops::for_each(exec, size, typed); }, step);
  }

  std::optional<std::uint64_t> find_first(encoder_check const& check, std::uint64_t size,
                                          execution const& exec) const override {
    return std::visit([&](auto const& typed) { return detail::first_if<Loops>(exec, size, typed); }, check);
  }
};

}  // namespace warpdex
