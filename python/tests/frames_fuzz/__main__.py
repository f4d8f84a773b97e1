# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Runs all checks in turn for some minutes, from a new seed each time, and counts cases, refusals and differences."""

import argparse
import itertools
import sys
import time
import traceback
from collections import Counter

from . import CHECKS, run

parser = argparse.ArgumentParser(prog="frames_fuzz", description=__doc__)
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--seed", type=int, default=time.time_ns() % 10**12, help="of the first case; the next one's is +1")
parser.add_argument("--cases", type=int, help="cases of each check, in place of minutes")
parser.add_argument("--only", choices=CHECKS, help="one check")
options = parser.parse_args()

end = time.monotonic() + 60 * options.minutes
cases, refused, differences = Counter(), Counter(), Counter()
print(f"seed {options.seed}", flush=True)
for seed in itertools.count(options.seed):
    if time.monotonic() > end if options.cases is None else seed >= options.seed + options.cases:
        break
    for name in [options.only] if options.only else CHECKS:
        cases[name] += 1
        try:
            refused[name] += not run(name, seed)
        except Exception:
            differences[name] += 1
            print(f"{name} differs: --only {name} --seed {seed} --cases 1\n{traceback.format_exc()}", flush=True)
for name in cases:
    print(f"{name:26} {cases[name]:8} cases {refused[name]:8} refused by the other {differences[name]:6} differ")
sys.exit(bool(differences))
