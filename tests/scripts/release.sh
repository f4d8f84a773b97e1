#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# release.sh SOURCES WORK: what scripts/release.sh checks before it makes packages, in a clone with tags of its own.
set -eu
git -C "$1" rev-parse HEAD >/dev/null 2>&1 || exit 77
rm -rf "$2"
git clone --quiet --shared "$1" "$2"
cp "$1/scripts/release.sh" "$2/scripts"
cd "$2"
version=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)

tag() {
  git -c user.name=test -c user.email=test commit --quiet --all --allow-empty --message test
  git tag --force "$1" >/dev/null
}
refused() { # NAME WORDS
  if scripts/release.sh "$1" --check >out 2>&1 || ! grep -q "$2" out; then
    echo "not refused with '$2':" && cat out && exit 1
  fi
}

sed -i "0,/^## .*/s//## $version (unreleased)/" CHANGELOG.md
tag "v$version"
refused "v$version" "CHANGELOG.md begins with '$version (unreleased)'"
sed -i "0,/^## .*/s//## $version (2026-11-30)/" CHANGELOG.md
tag "v$version"
scripts/release.sh "v$version" --check
tag v9.8.7
refused v9.8.7 "the tag is v9.8.7, and include/warpdex/version.hpp says $version"
echo 'Link with libwarpdex.so.9.' >>docs/guide/cpp.md
tag "v$version"
refused "v$version" "documents say otherwise"
