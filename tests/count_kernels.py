#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""count_kernels.py LIBRARY: counts what a built library was compiled for, as one line of JSON.

    views      view types that a structure of the GPU's engine has, or without CUDA of the CPU's
    wide       those of them whose positions have 64 bits
    kernels    entry points that search views; with `all` those of builds, windows and steps too
    bytes      of the library without symbols

Needs `nm` and, for kernels, `cuobjdump`. A library that is stripped still shows its kernels.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The kernels of src/backend/cuda/search/kernels.cuh and block_search.cuh.
SEARCHES = ("point_kernel", "range_kernel", "count_kernel", "fill_kernel", "fill_tiles_kernel", "block_point_kernel")


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def arguments_of(name: str, template: str) -> list[str]:
    """The template arguments of the first `template<...>` in a demangled name."""
    begin = name.index(template + "<") + len(template) + 1
    found, depth, start = [], 0, begin
    for at in range(begin, len(name)):
        if name[at] in "<(":
            depth += 1
        elif name[at] in ">)":
            depth -= 1
        if depth < 0 or (depth == 0 and name[at] == ","):
            found.append(name[start:at].strip())
            start = at + 1
        if depth < 0:
            return found
    raise ValueError(name)


def kernels_of(library: str) -> set[str]:
    """The mangled names of all kernels, those of several architectures once."""
    if shutil.which("cuobjdump") is None:
        return set()
    text = output_of("cuobjdump", "-symbols", library)
    return {line.split()[-1] for line in text.splitlines() if "STO_ENTRY" in line}


def main() -> None:
    library = sys.argv[1]
    every = kernels_of(library)
    names = subprocess.run(["c++filt"], input="\n".join(every), capture_output=True, text=True, check=True).stdout
    searches, views = 0, set()
    for name in names.splitlines():
        kernel = next((k for k in SEARCHES if re.search(rf"\b{k}<", name)), None)
        if kernel is None:
            continue
        searches += 1
        views.update(a for a in arguments_of(name, kernel) if not re.search(r"lane|^\(?\w*\)?\d+$|^true$|^false$", a))
    if not views:
        tables = re.findall(r"vtable for (.*)", output_of("nm", "-C", library))
        views = {arguments_of(t, "_structure")[1] for t in tables if re.search(r"_structure<warpdex::\w*engine", t)}
    wide = {v for v in views if re.search(r"(soa_pairs<[^<>]*, |sorted_bytes<)unsigned long", v)}
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, library], check=True)
        size = pathlib.Path(stripped.name).stat().st_size
    print(
        json.dumps(
            {"views": len(views - wide), "wide": len(wide), "kernels": searches, "all": len(every), "bytes": size}
        )
    )


if __name__ == "__main__":
    main()
