#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# python-stub.sh PYTHON: regenerates the types of the extension module from the package that is installed for PYTHON.
set -eu
cd "$(dirname "$0")/.."
stub=$(pwd)/python/warpdex/_core.pyi
cd /
"${1:?usage: python-stub.sh PYTHON}" -m nanobind.stubgen -q -m warpdex._core -o "$stub"
sed -i -e 's/NDArray,/NDArray[Any],/g' -e 's/\btuple\b/tuple[Any, ...]/g' -e 's/\bdict:/dict[str, Any]:/g' \
  -e 's/\blist\b/list[Any]/g' -e 's/^from typing import Annotated$/from typing import Annotated, Any/' \
  -e '1i # SPDX-FileCopyrightText: 2026 The warpdex authors\n# SPDX-License-Identifier: Apache-2.0\n# Written by scripts/python-stub.sh.' "$stub"
