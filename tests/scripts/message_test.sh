#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# message_test.sh SOURCES WORK: which messages of commits scripts/check-message.sh takes, of small and of large changes.
set -eu
rm -rf "$2"
git init --quiet "$2" 2>/dev/null || exit 77
cd "$2"
expect() { # taken|refused MESSAGE
  printf "%b" "$2" >message
  found=taken
  "$script" message 2>/dev/null || found=refused
  [ "$found" = "$1" ] || { echo "$found: $2"; exit 1; }
}
script=$1/scripts/check-message.sh
long=$(printf '%73s' '' | tr ' ' x)
expect taken 'A subject'
expect taken "${long#x}"
expect refused "$long"
expect refused ''
expect refused '# a comment alone'
expect refused 'A subject\nand no empty line'
seq 31 >lines
git add lines
expect refused 'A subject'
expect refused 'A subject\n\nSigned-off-by: Somebody\n# a comment'
expect taken 'A subject\n\nIt is needed.'
expect taken 'fixup! A subject'
