#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# release.sh TAG OUT [CMAKE-OPTION...]: makes and tests all packages of a tag, such as v0.1.0, in OUT, from the files of the tag
# alone, after it has checked that version, changelog and documents agree; and writes their checksums and what they are made
# of (sbom.json). The times in them are that of the commit, so the same commit gives the same bytes (reproduce.sh). With --check in the
# place of OUT it only checks.
# release.sh --gather [DAY]: moves the entries in changes/ to CHANGELOG.md, under the version and the day, by default today.
# release.sh --changes: checks that these entries have the form that changes/README.md says.
set -eu
cd "$(dirname "$0")/.."

fail() { echo "release: $*" >&2; exit 1; }
version_of() { # FOLDER
  sed -n 's/^#define WARPDEX_VERSION_[MP][A-Z]* //p' "$1/include/warpdex/version.hpp" | paste -s -d .
}
entries() { # FOLDER
  [ ! -d "$1/changes" ] || find "$1/changes" -type f ! -path "$1/changes/README.md" | sed 's|.*/||' | LC_ALL=C sort
}
titles='breaking=Breaking changes
index=Indexes and lookups
structures=Structures
joins=Joins
python=Python
files=Files and security
command=The command
c=C
bench=The benchmark
build=Building and packages
fixed=Repairs'

check_entries() {
  for entry in $(entries .); do
    area=${entry%.md}
    area=${area##*.}
    if [ "$entry" != "${entry%%.*}.$area.md" ] || ! echo "$titles" | grep -q "^$area="; then
      fail "changes/$entry is not named NAME.AREA.md, with an area of changes/README.md"
    fi
    awk 'NR == 1 && !/^[A-Za-z`]/ || /^$/ { exit 1 } END { exit NR == 0 }' "changes/$entry" ||
      fail "changes/$entry is not one paragraph without a dash before it"
  done
}

if [ "$1" = --changes ] && [ $# = 1 ]; then
  check_entries
  exit
fi
if [ "$1" = --gather ] && [ $# -le 2 ]; then
  check_entries
  text=$(mktemp)
  trap 'rm -f "$text"' EXIT
  echo "$titles" | while IFS='=' read -r area title; do
    first=yes
    for entry in changes/*."$area".md; do
      [ -e "$entry" ] || continue
      [ -z "$first" ] || printf '\n### %s\n\n' "$title"
      first=
      sed '1s/^/- /; 1!s/^/  /' "$entry"
    done
  done >"$text"
  # The section of the version may be there, with a text of its own, before the entries; or it is made.
  awk -v heading="## $(version_of .)" -v day="${2:-$(date +%F)}" -v text="$text" '
    function add() { while ((getline line < text) > 0) print line }
    /^## / && !seen++ { if ($0 == heading " (unreleased)") { print heading " (" day ")"; open = 1; next }
                        print heading " (" day ")"; add(); print "" }
    /^## / && open { add(); print ""; open = 0 }
    { print }
    END { if (open) add() }' CHANGELOG.md >CHANGELOG.md.new
  mv CHANGELOG.md.new CHANGELOG.md
  for entry in $(entries .); do rm "changes/$entry"; done
  exit
fi

tag=${1:?usage: release.sh TAG OUT}
out=${2:?usage: release.sh TAG OUT}
shift 2
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
git archive "$tag" | tar -x -C "$sources"

version=$(version_of "$sources")
soname=libwarpdex.so.${version%.*}
[ "$tag" = "v$version" ] || fail "the tag is $tag, and include/warpdex/version.hpp says $version"
left=$(entries "$sources")
[ -z "$left" ] || fail "changes/ has entries that are not in CHANGELOG.md; run release.sh --gather: $left"
first=$(sed -n 's/^## //p' "$sources/CHANGELOG.md" | head -1)
case $first in
  "$version ("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]")") ;;
  *) fail "CHANGELOG.md begins with '$first', not with '$version' and the day of the release" ;;
esac
# Until 1.0 a minor version has its own name of the library, which documents name.
wrong=$(grep -rnoE 'libwarpdex\.so\.[0-9]+(\.[0-9]+)?' "$sources/README.md" "$sources/CONTRIBUTING.md" "$sources/docs" |
  grep -v ":$soname\$" || true)
[ -z "$wrong" ] || fail "the library is $soname, and documents say otherwise:
$wrong"
cmake -D "root=$sources" -P "$sources/scripts/check-links.cmake" >/dev/null
echo "release: version, changelog and documents of $tag agree"
[ "$out" != --check ] || exit 0

mkdir -p "$out"
out=$(cd "$out" && pwd)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$tag")
export SOURCE_DATE_EPOCH
"$sources/scripts/make-packages.sh" "$out" "$@"
cd "$out"
rm -rf work
"$sources/scripts/sbom.py" . "$version" >sbom.json
sums=$(find . -type f ! -name SHA256SUMS | sort | sed 's|^\./||' | xargs sha256sum)
echo "$sums" | tee SHA256SUMS
