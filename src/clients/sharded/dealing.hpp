// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "clients/sharded/parts.hpp"

/// @file
/// How columns of keys are divided: borders from a sample, and to each shard the keys between two of them.
namespace warpdex {

/// @return where a piece of a key column is: in the place of its device, or on the host with the threads of the first
/// place
/// @throws invalid_argument if its device is none of the places
shard_place home_of(char const* call, column const& piece, std::span<shard_place const> places);

/// @throws invalid_argument for more shards than are possible
void expect_shards(char const* call, std::uint32_t shards);

/// A part of the columns, in the place that deals it to the shards.
struct home_piece {
  shard_place place;
  column keys;
  row_column rows;          ///< null for positions
  std::uint64_t first = 0;  ///< position of its first key
  bool with_rows = true;    ///< whether shards get the row ids

  std::size_t key_width() const { return size_of(keys.type); }
  std::size_t row_width() const { return with_rows ? size_of(rows.type) : 0; }
};

/// Columns that are divided.
struct whole_columns {
  std::span<column const> pieces;  ///< of the key column, one or one per place
  std::optional<row_column> rows;  ///< of one piece; else positions
  row_type row;                    ///< of the row ids
  bool with_rows = true;           ///< whether shards get them
};

/// @return the parts of the columns
/// @param over_links whether each device takes its part of a column on the host over its own link
std::vector<home_piece> home_pieces(char const* call, whole_columns const& columns, std::span<shard_place const> places,
                                    bool over_links);

/// @return an index over the borders, on the host: evenly spaced keys of a sample
index borders_of(char const* call, std::vector<home_piece> const& pieces, std::size_t shards);

/// The shards to which columns are dealt.
struct dealt_shards {
  index const& borders;  ///< on the host
  std::vector<shard_place> const& places;
  std::vector<std::size_t> const& place_of;  ///< of each shard
};

/// Deals keys of a fixed length, and calls build(shard, keys, rows) for each shard in its place, those of different
/// devices at the same time. All pieces are dealt at the same time: first they are counted, and then copied to where
/// they will be sorted.
void deal_columns(char const* call, std::vector<home_piece> const& pieces, dealt_shards const& to,
                  std::function<void(std::size_t, column, row_column)> const& build);

}  // namespace warpdex
