# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What lookups take and answer besides columns: keys, fields, aggregates, addresses and networks."""

from ..names import public_names

__all__, __getattr__, __dir__ = public_names(__name__, __path__[0])
