# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The public names of the package and of its modules, for tests of all of them."""

import warpdex

MODULES = ("joins", "lookups", "devices", "drawing", "errors")


def public_names():
    """All public names, those of modules with a dot, and what they are."""
    found = {name: getattr(warpdex, name) for name in warpdex.__all__}
    for module in MODULES:
        owner = getattr(warpdex, module)
        found |= {f"{module}.{name}": getattr(owner, name) for name in owner.__all__}
    return found
