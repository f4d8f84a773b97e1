#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-wheels.sh WHEELS ROOT: installs the wheel of a folder that fits in an empty environment of a system below ROOT
# (scripts/make-root.sh), which has Python and no compiler, and uses it. Needs root.
set -eu
in_root=$(dirname "$0")/in-root.sh
wheels=$(cd "${1:?usage: test-wheels.sh WHEELS ROOT}" && pwd)
root=${2:?usage: test-wheels.sh WHEELS ROOT}
work=$root/tmp/warpdex-wheels
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work"
cp "$wheels"/*.whl "$work"
cat >"$work/use.py" <<'END'
import importlib.metadata
import numpy as np
import warpdex

keys = np.random.default_rng(1).integers(0, 1000, 5000)
index = warpdex.Index(keys)
assert index.find(keys[:100]).tolist() == [int(np.flatnonzero(keys == key)[0]) for key in keys[:100]]
assert index.range_count([0], [499])[0] == (keys < 500).sum()
assert warpdex.join({"k": keys}, {"k": np.arange(10), "v": np.arange(10)}, on="k")["v"].size == (keys < 10).sum()
files = [str(file) for file in importlib.metadata.files("warpdex")]
for name in ("LICENSE", "libfmt-dev", "libxxhash-dev", "nanobind", "nlohmann-json3-dev"):
    assert any("licenses" in file and file.endswith(name) for file in files), name
print("warpdex", warpdex.__version__, "works")
END
"$in_root" "$root" sh -c '
  dpkg -s python3-venv >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends python3-venv >/dev/null'
# The machine's pip knows the way to the index.
version=$("$in_root" "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
python3 -m pip download --quiet --disable-pip-version-check --dest "$work" --only-binary :all: \
  --python-version "$version" 'numpy>=1.26'
cat >"$work/test" <<'END'
set -eu
cd /tmp/warpdex-wheels
if command -v cc >/dev/null; then echo "there is a compiler; use another root than test-debs.sh" >&2; exit 1; fi
python3 -m venv environment
environment/bin/python -m pip install --quiet --disable-pip-version-check --no-index --find-links . warpdex
environment/bin/python use.py
END
"$in_root" "$root" sh /tmp/warpdex-wheels/test
