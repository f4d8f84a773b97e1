#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# release.sh TAG OUT [CMAKE-OPTION...]: makes and tests all packages of a tag, such as v0.1.0, in OUT, from the files of the tag
# alone, after it has checked that version, changelog and documents agree; and writes their checksums. With --check in the
# place of OUT it only checks.
set -eu
cd "$(dirname "$0")/.."
tag=${1:?usage: release.sh TAG OUT}
out=${2:?usage: release.sh TAG OUT}
shift 2
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
git archive "$tag" | tar -x -C "$sources"

fail() { echo "release: $*" >&2; exit 1; }
part() { sed -n "s/^#define WARPDEX_VERSION_$1 //p" "$sources/include/warpdex/version.hpp"; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
soname=libwarpdex.so.$(part MAJOR).$(part MINOR)
[ "$tag" = "v$version" ] || fail "the tag is $tag, and include/warpdex/version.hpp says $version"
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
"$sources/scripts/make-packages.sh" "$out" "$@"
cd "$out"
rm -rf work
sums=$(find . -type f ! -name SHA256SUMS | sort | sed 's|^\./||' | xargs sha256sum)
echo "$sums" | tee SHA256SUMS
