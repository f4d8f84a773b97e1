# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The structures that the library under test has."""

import json
import subprocess
import sys


def structures():
    """What `warpdex info --json` tells of each that is no choice among others; without the command, nothing."""
    asked = subprocess.run([sys.executable, "-m", "warpdex", "info", "--json"], capture_output=True, check=False)
    return [] if asked.returncode else [one for one in json.loads(asked.stdout)["structures"] if not one["chooses"]]
