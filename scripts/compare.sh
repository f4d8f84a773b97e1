#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Compares warpdex with Polars, DuckDB and pandas, which come from PyPI into a separate folder.
#
#     scripts/compare.sh [ROWS] [ROUNDS] [PROGRAM,...]
set -eu
cd "$(dirname "$0")/.."

command=${WARPDEX:-build/bin/warpdex}
tools=${COMPARE_TOOLS:-build/compare}
if [ ! -x "$command" ]; then
  echo "compare: no $command; make build makes it, or WARPDEX names another" >&2
  exit 1
fi
if [ ! -x "$tools/bin/python" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet polars duckdb pandas
fi
"$tools/bin/python" scripts/compare.py "$command" "$@"
