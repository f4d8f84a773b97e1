#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# release.sh SOURCES WORK: what scripts/release.sh checks before it makes packages, and how it gathers
# changes, in a clone with tags of its own.
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
scripts/release.sh --changes
rm -f changes/*.*.md
tag "v$version"
refused "v$version" "CHANGELOG.md begins with '$version (unreleased)'"
echo '`find` is quicker,' >changes/quick.index.md
echo 'by half.' >>changes/quick.index.md
echo '`find` answers.' >changes/answers.breaking.md
git add changes
tag "v$version"
refused "v$version" "changes/ has entries that are not in CHANGELOG.md"
echo 'Something.' >changes/some.thing.md
for text in '- A dash.' ''; do
  echo "$text" >changes/wrong.python.md
  ! scripts/release.sh --changes 2>out || { echo "taken: $text"; exit 1; }
done
rm changes/wrong.python.md
! scripts/release.sh --gather 2>out && grep -q 'some.thing.md is not named' out
rm changes/some.thing.md
scripts/release.sh --gather 2026-11-30
[ "$(find changes -name '*.*.md')" = "" ]
[ "$(sed -n 's/^## //p' CHANGELOG.md | head -1)" = "$version (2026-11-30)" ]
[ "$(grep -A 7 '^### Breaking changes' CHANGELOG.md)" = "### Breaking changes

- \`find\` answers.

### Indexes and lookups

- \`find\` is quicker,
  by half." ]
tag "v$version"
scripts/release.sh "v$version" --check
if command -v dpkg-query >/dev/null; then
  echo package >"warpdex-$version.tar.gz"
  SOURCE_DATE_EPOCH=0 python3 "$1/scripts/sbom.py" . "$version" >out
  grep -q '"1970-01-01T00:00:00Z"' out && grep -q "$(sha256sum <"warpdex-$version.tar.gz" | cut -d ' ' -f 1)" out
fi
sed -i 's/^#define WARPDEX_VERSION_PATCH .*/#define WARPDEX_VERSION_PATCH 99/' include/warpdex/version.hpp
echo 'More.' >changes/more.c.md
scripts/release.sh --gather 2026-12-01
[ "$(grep '^## ' CHANGELOG.md | head -2)" = "## ${version%.*}.99 (2026-12-01)
## $version (2026-11-30)" ]
git checkout --quiet .
tag v9.8.7
refused v9.8.7 "the tag is v9.8.7, and include/warpdex/version.hpp says $version"
echo 'Link with libwarpdex.so.9.' >>docs/guide/cpp.md
tag "v$version"
refused "v$version" "documents say otherwise"
