// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/grouped_index.hpp>

#include <memory>
#include <string>

#include "clients/encoder/narrow_code.hpp"
#include "structures/structure.hpp"

namespace warpdex {

/// What a grouped index is made of.
struct grouped_parts {
  std::shared_ptr<narrow_code const> code;
  std::unique_ptr<any_index> entries;  ///< keys are places
  std::string asked;                   ///< the spec of the entries as given
  std::string note = {};               ///< of the file

  /// @return the entries, if they are in one memory
  /// @throws unsupported
  index const& whole(char const* call) const;
};

/// @throws invalid_argument if the index was moved from
grouped_parts const& parts_of(grouped_index const& from, char const* call);

}  // namespace warpdex
