# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m warpdex` is the command `warpdex`: that of the package, over its library, or else the one on the path."""

import os
import shutil
import sys
from pathlib import Path

beside = Path(__file__).with_name("warpdex")
command = str(beside) if beside.exists() else shutil.which("warpdex")
if command is None:
    sys.exit("warpdex: the package was built without the command warpdex, and none is on the path")
os.execv(command, [command, *sys.argv[1:]])
