# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Database indexes over columns: lookups, joins and as-of joins of arrays and data frames."""

from .names import public_names

__all__, __getattr__, __dir__ = public_names(__name__, __path__[0])
