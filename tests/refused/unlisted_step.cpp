// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/join_steps.hpp"

namespace warpdex::join_steps {

struct unlisted {
  void operator()(std::uint64_t) const {}
};

}  // namespace warpdex::join_steps

void refused(warpdex::execution const& exec) { warpdex::steps::run(warpdex::join_steps::unlisted{}, 1, exec); }
