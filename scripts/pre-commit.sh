#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# pre-commit.sh [OPTION...]: runs pre-commit, which it installs below build.
set -eu
cd "$(dirname "$0")/.."
[ -x build/pre-commit/bin/pre-commit ] || {
  python3 -m venv build/pre-commit
  build/pre-commit/bin/python -m pip --quiet --disable-pip-version-check install pre-commit==4.7.0
}
exec build/pre-commit/bin/pre-commit run "$@"
