// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attack/campaign.hpp"
#include "conformance/driver.hpp"
#include "io/file.hpp"

#include <warpdex/index.hpp>

#include <cstdint>

/// @file
/// What is done to an index whose entries nobody has checked: everything, and no answer is compared.
namespace warpdex::attack {

/// An index of few entries as a file, perhaps after updates in place. It is built on the CPU.
/// @param storage the bytes of the file
/// @return what the file holds, as long as `storage` lives
io::file make_file(test::conformance_case const& c, test::generator& random, std::string& storage);

/// Calls all lookups, joins and aggregates of an index, of its clone, and of both after updates. Its keys may be in any
/// order, so an update may be refused and any answer be wrong; but no count and no rank is above the number of entries.
/// @throws std::runtime_error if one is
void exercise(index of, test::generator& random, execution const& exec, tally& tried);

}  // namespace warpdex::attack
