# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The public names of a package, whose modules are loaded on first use: NumPy and the library alone take a program longer
than the help of the command should."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def public_names(package: str, path: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package, from its stub `__init__.pyi`."""
    with open(f"{path}/__init__.pyi", encoding="utf-8") as stub:
        imports = re.findall(r"^from (\.[\w.]+) import ([^(\n]+|\([^)]+)", stub.read(), re.MULTILINE)
    home_of = {name: home for home, names in imports for name in re.findall(r"as (\w+)", names)}
    attributes = vars(sys.modules[package])

    def load(name: str) -> Any:
        """Loads the module of a name, or a module of the package."""
        if name == "__version__":
            value = import_module("._core", package).version()
        elif name in home_of:
            value = getattr(import_module(home_of[name], package), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
            value = import_module(f".{name}", package)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        attributes[name] = value
        return value

    def listed() -> list[str]:
        return sorted({*attributes, *home_of})

    return list(home_of), load, listed
