// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpdex {

/// A key, and the number that goes with it through a sort or a partition: a row id, or a place; or the key alone. It
/// has no padding, because it is moved often.
template <class Key, class Row> struct [[gnu::packed]] key_row {
  Key key;
  Row row;
  friend bool operator<(key_row const& a, key_row const& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  }
};
template <class Key> struct [[gnu::packed]] key_row<Key, void> {
  Key key;
  friend bool operator<(key_row const& a, key_row const& b) { return a.key < b.key; }
};

}  // namespace warpdex
