#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# root.sh make RELEASE ROOT: a small system of a release of Debian (bookworm, trixie) or Ubuntu (noble) below ROOT, unless it
# is there already. Needs root, debootstrap, and on Debian for Ubuntu KEYRING, the file ubuntu-archive-keyring.gpg of its
# package ubuntu-keyring.
#
# root.sh in ROOT COMMAND...: runs a command in that system. Of the environment it passes the proxy alone: the rest names
# folders and programs of this system. Needs root.
set -eu
usage='usage: root.sh make RELEASE ROOT | root.sh in ROOT COMMAND...'

run_in() { # ROOT COMMAND...
  root=$1
  shift
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+"http_proxy=$http_proxy"} "$@"
}

make_root() { # RELEASE ROOT
  [ ! -e "$2/etc/warpdex-root" ] || return 0
  unset TMPDIR # debootstrap passes it on, and the system below ROOT lacks this folder
  if [ "$1" = noble ]; then
    debootstrap --variant=minbase --components=main,universe \
      --keyring="${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}" "$1" "$2" \
      http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy
  else
    debootstrap --variant=minbase "$1" "$2" http://deb.debian.org/debian
  fi
  run_in "$2" apt-get update -qq
  touch "$2/etc/warpdex-root"
}

what=${1:?$usage}
: "${2:?$usage}" "${3:?$usage}"
shift
case $what in
make) make_root "$@" ;;
in) run_in "$@" ;;
*) echo "$usage" >&2; exit 2 ;;
esac
