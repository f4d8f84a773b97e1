# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# The public names and the modules that have them, which the package reads, too.

from ..frames.arrays import DeviceTable as DeviceTable
from ..lookups.probes import DeviceLink as DeviceLink, Pieces as Pieces, measured_links as measured_links
