#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# python-stub.sh PYTHON: regenerates the types of the extension module, and those of the methods that lookups make, from
# the package that is installed for PYTHON.
set -eu
cd "$(dirname "$0")/.."
package=$(pwd)/python/warpdex
stub=$package/_core.pyi
python=${1:?usage: python-stub.sh PYTHON}
cd /
"$python" -m nanobind.stubgen -q -m warpdex._core -o "$stub"
"$python" - "$stub" <<'END'
import pathlib
import re
import sys

# Attributes that can be set are one line.
stub = pathlib.Path(sys.argv[1])
attribute = r"    @property\n    def (\w+)\(self\) -> (\w+): \.\.\.\n\n    @\1\.setter\n    def \1\(.*\n"
text = re.sub(attribute, r"    \1: \2\n", stub.read_text())
text = re.sub(r"(\n    \w+: \w+\n)\n(?=    \w+: )", r"\1", text)
text = re.sub(r'"""\n +(.*)\n +"""', r'"""\1"""', text)


def typed(line):
    """What is an object of Python, or in a container that names no types, may be anything."""
    if '"""' in line:
        return line
    line = line.replace("from collections.abc", "import builtins\nfrom collections.abc")
    line = re.sub(r"(: |-> )bytes\b", r"\1builtins.bytes", line)  # which is a property of some classes, too
    line = re.sub(r"\bobject( \| None)?", "Any", line).replace("**kwargs", "**fields: Any")
    line = line.replace("NDArray,", "NDArray[Any],").replace("import Annotated", "import Annotated, Any")
    for container, types in (("tuple", "Any, ..."), ("dict(?!\\()", "str, Any"), ("list", "Any")):
        line = re.sub(rf"\b({container})\b(?!\[)", rf"\1[{types}]", line)
    return line


stub.write_text("\n".join(map(typed, text.split("\n"))))
END
sed -i -e '1i # SPDX-FileCopyrightText: 2026 The warpdex authors\n# SPDX-License-Identifier: Apache-2.0\n# Written by scripts/python-stub.sh.' "$stub"
"$python" - >"$package/lookups/table.pyi" <<'END'
from warpdex.lookups.table import GROUPED_TABLE, TABLE

print('''# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python-stub.sh.
from typing import Any, Unpack, overload

import numpy as np

from ..types import Closed, Column, DeviceArray, OnHost, Scalar, Value
from .asking import Asking, Lookup
from .border import Run, Told
from .probes import Pieces

class Row:
    what: Lookup
    summary: str
    example: str
    sample: Any
    @property
    def signature(self) -> str: ...
    @property
    def answers(self) -> str: ...
    @property
    def stub(self) -> str: ...

TABLE: dict[str, Row]
GROUPED_TABLE: dict[str, Row]

class Lookups(Asking):''')
for row in TABLE.values():
    print(row.stub, end="")
print("\nclass GroupedLookups:")
for row in GROUPED_TABLE.values():
    print(row.stub, end="")
END
