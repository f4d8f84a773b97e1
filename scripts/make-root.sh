#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# make-root.sh RELEASE ROOT: a small system of a release of Debian (bookworm, trixie) or Ubuntu (noble) below ROOT, unless it
# is there already. Needs root, debootstrap, and on Debian for Ubuntu KEYRING, the file ubuntu-archive-keyring.gpg of its
# package ubuntu-keyring.
set -eu
in_root=$(dirname "$0")/in-root.sh
unset TMPDIR # debootstrap passes it on, and the system below ROOT lacks this folder
release=${1:?usage: make-root.sh RELEASE ROOT}
root=${2:?usage: make-root.sh RELEASE ROOT}
[ ! -e "$root/etc/warpdex-root" ] || exit 0
if [ "$release" = noble ]; then
  debootstrap --variant=minbase --components=main,universe \
    --keyring="${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}" "$release" "$root" \
    http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy
else
  debootstrap --variant=minbase "$release" "$root" http://deb.debian.org/debian
fi
"$in_root" "$root" apt-get update -qq
touch "$root/etc/warpdex-root"
