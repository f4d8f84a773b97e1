#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# check-message.sh FILE: whether the message of a commit in FILE has a subject of 72 characters at most, an empty line after it,
# and, if more than 30 lines change, a body that says why. The hook commit-msg of .pre-commit-config.yaml.
set -eu
fail() { echo "commit message: $*" >&2; exit 1; }

text=$(sed -e '/^# -* >8 -*$/,$d' -e '/^#/d' "${1:?usage: check-message.sh FILE}")
subject=$(printf '%s\n' "$text" | head -n 1)
case $subject in 'fixup! '* | 'squash! '* | 'Merge '* | 'Revert '*) exit 0 ;; esac
[ -n "$subject" ] || fail "there is no subject"
[ "$(printf %s "$subject" | wc -m)" -le 72 ] || fail "the subject has more than 72 characters: $subject"
[ -z "$(printf '%s\n' "$text" | sed -n 2p)" ] || fail "the second line is not empty"
body=$(printf '%s\n' "$text" | sed 1,2d | grep -vE '^[A-Z][A-Za-z]*(-[A-Za-z]+)+: |^$' || true)
changed=$(git diff --cached --numstat | awk '{ lines += $1 + $2 } END { print lines + 0 }')
[ "$changed" -le 30 ] || [ -n "$body" ] || fail "$changed lines change, and no body says why"
