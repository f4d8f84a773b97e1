# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in pieces on several devices, tables on a device, and how fast devices are connected."""

from ..names import public_names

__all__, __getattr__, __dir__ = public_names(__name__, __path__[0])
