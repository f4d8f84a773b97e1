// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/kind.hpp"

/// @file
/// A folder of shards: a file per shard, and a manifest that names them. A save has a number, which is that of a
/// temporary file in the folder: as long as this is there and locked, the save is at work.
namespace warpdex {

/// The section of numbers.
struct stored_numbers {
  std::uint64_t id;   ///< of this save; names and notes of files are made from it
  std::uint64_t how;  ///< 0 for `replicate`, of which one copy is stored, 1 for `range`
};

/// What the manifest of a folder says.
struct manifest {
  stored_numbers numbers;
  std::vector<std::uint64_t> entries;  ///< per file
  io::file file;

  /// @return the file of a shard @throws format_error if it is of another shard or save
  std::filesystem::path file_of(std::size_t number) const;

  /// @return the borders, on the host @throws format_error
  index borders() const;
};

/// Loads a folder; if a save replaces it meanwhile, the new one. @param load may be called several times
/// @throws format_error if the manifest is of another kind
void load_folder(std::filesystem::path const& folder, io::file_kind kind,
                 std::function<void(manifest const&)> const& load);

/// What a save writes to the file of a shard.
struct shard_file {
  std::filesystem::path path;
  std::string note;  ///< which no other shard of any save has
};

/// What a save writes to the manifest.
struct shards_to_save {
  io::header head;  ///< its size is that of `entries`
  std::uint64_t how;
  std::vector<std::uint64_t> entries;  ///< per file
  index const& borders;                ///< on the host
};

/// Writes a folder, the manifest last, and removes what earlier saves left. @param save writes all files
void save_folder(std::filesystem::path const& folder, shards_to_save const& shards, std::string_view note,
                 std::function<void(std::vector<shard_file> const&)> const& save);

}  // namespace warpdex
