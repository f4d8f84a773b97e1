# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The structures that the library under test has."""

import json
import shutil
import subprocess


def structures():
    """What the benchmark tells of each that is no choice among others; without it on the path, nothing."""
    command = shutil.which("warpdex-bench")
    if command is None:
        return []
    query = subprocess.run([command, "info", "--json"], capture_output=True, check=False)
    return [] if query.returncode else [one for one in json.loads(query.stdout)["structures"] if not one["chooses"]]
