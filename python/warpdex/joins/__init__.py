# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of columns without an index, their plans, and joins of intervals in data frames."""

from ..names import public_names

__all__, __getattr__, __dir__ = public_names(__name__, __path__[0])
