#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# in-root.sh ROOT COMMAND...: runs a command in the system below ROOT (scripts/make-root.sh). Of the environment it
# passes the proxy alone: the rest names folders and programs of this system. Needs root.
set -eu
root=${1:?usage: in-root.sh ROOT COMMAND...}
shift
exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  ${http_proxy:+"http_proxy=$http_proxy"} "$@"
