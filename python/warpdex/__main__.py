# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m warpdex` is the command `warpdex`, over the library of the package, if the package was built with it."""

import os
import sys
from pathlib import Path

command = Path(__file__).with_name("warpdex")
if not command.exists():
    sys.exit("warpdex: the package was built without its command; build it with -Ccmake.define.WARPDEX_BUILD_TOOLS=ON")
os.execv(command, [str(command), *sys.argv[1:]])
