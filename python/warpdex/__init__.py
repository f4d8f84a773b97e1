# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Database indexes over columns: lookups, joins and as-of joins of arrays and data frames."""

import re as _re
from importlib import import_module as _import_module
from typing import Any as _Any

# The modules of the names that __init__.pyi lists. They are loaded on first use: NumPy and the library alone
# take a program longer than the help of the command should.
with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as _stub:
    _text = _stub.read()
    _HOME_OF = {
        _name: _home
        for _home, _names in _re.findall(r"from (\.[\w.]+) import ([^(]+?$|\([^)]+)", _text, _re.MULTILINE)
        for _name in _re.findall(r"as (\w+)", _names)
    }
__all__ = list(_HOME_OF)
_FACES = _re.findall(r"^from \. import (\w+)", _text, _re.MULTILINE)  # modules for other libraries


def __getattr__(name: str) -> _Any:
    """Loads the module of a name."""
    if name == "__version__":
        value = _import_module("._core", __name__).version()
    elif name in _HOME_OF:
        value = getattr(_import_module(_HOME_OF[name], __name__), name)
    elif name in _FACES:
        value = _import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
