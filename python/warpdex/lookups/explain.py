# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The structure of an index, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .asking import Asking


def bytes_text(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def _levels(spec: str, size: int) -> str | None:
    """How deep a search goes, for structures whose spec says it."""
    structure = spec.split("/")[0]
    if pivots := re.search(r"levels=(\d+)", structure):
        return f"levels: {pivots[1]} of pivots over the keys"
    if structure in ("AO+BS", "EO+BS"):
        return f"levels: {size.bit_length()}, one comparison each"
    if nodes := re.fullmatch(r"EO\+(?:KS|GS)\((\d+)\)", structure):
        levels, fanout = 0, int(nodes[1])
        while fanout**levels <= size:
            levels += 1
        return f"levels: {levels}, nodes of {fanout - 1} keys"
    return None


def explained(index: Asking, batch: int) -> str:
    """The text of `Index.explain`."""
    facts = index._core.facts()
    lines = [
        f"{facts['spec'].split('/')[0]} over {facts['size']} keys of type {facts['keys']}, row ids of "
        f"{facts['row_bits']} bits",
        f"resolved spec: {facts['spec']}",
        f"bytes: {bytes_text(facts['pairs'])} for keys and row ids, {bytes_text(facts['auxiliary'])} besides",
    ]
    if (levels := _levels(facts["spec"], facts["size"])) is not None:
        lines.insert(2, levels)
    # Options of the spec come first; a table of the device decides the rest.
    chosen = [part for part in (facts["spec"].partition("/")[2], facts.get("policy", "").strip("/")) if part]
    lines.insert(2, "policy: " + ", ".join("/".join(chosen).split("/")))
    if facts["size"]:
        lines[-1] += f"; {(facts['pairs'] + facts['auxiliary']) / facts['size']:.2f} per key"
    built = [(name, facts[f"{name}_s"]) for name in ("prepare", "sort", "layout")]
    if any(seconds for _, seconds in built):
        lines.append("built in: " + ", ".join(f"{name} {seconds * 1e3:.3g} ms" for name, seconds in built))
    lines.append(
        "order: bounds, floor, ceil, ranges and as-of joins work"
        if facts["ordered"]
        else "order: none, so only equal keys are found"
    )
    lines += facts.get("shards", "").splitlines()
    spec, reasons = _core.advised(facts["keys"], facts["size"], batch, facts["ordered"], index._device >= 0)
    lines.append(f"for batches of {batch} probes advice is {spec}:")
    lines += [f"  - {reason}" for reason in reasons]
    return "\n".join(lines)
