# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What an index is made of, in words and as a picture."""

from __future__ import annotations

import html as text
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core

if TYPE_CHECKING:
    from ._asking import Asking

_WIDTH, _HEIGHT, _POINTS = 480, 160, 240


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
        f"bytes: {bytes_text(facts['pairs'])} for keys and row ids, {bytes_text(facts['auxiliary'])} beside them",
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


def _heights(index: Asking, ranks: np.ndarray) -> np.ndarray | None:
    """The keys at some ranks, as numbers from 0 to 1."""
    keys: Any = index._core.keys_at(ranks.astype(np.uint64), 0)
    if isinstance(keys, tuple):  # the first bytes of strings
        bytes_held, offsets = keys
        heads = [bytes(bytes_held[a : min(b, a + 7)]).ljust(7, b"\0") for a, b in zip(offsets[:-1], offsets[1:])]
        keys = np.array([int.from_bytes(head, "big") for head in heads], np.float64)
    numbers = keys.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return None
    low, high = finite.min(), finite.max()
    heights: np.ndarray = np.clip(
        (np.nan_to_num(numbers, nan=high, posinf=high, neginf=low) - low) / (high - low or 1.0), 0, 1
    )
    return heights


def _curve(index: Asking, size: int) -> str:
    """The keys by their ranks: the curve that a search walks on."""
    ranks = np.unique(np.linspace(0, size - 1, min(size, _POINTS)).astype(np.int64))
    try:
        heights = _heights(index, ranks)
    except TypeError:
        return ""
    if heights is None:
        return ""
    across = ranks / max(size - 1, 1) * (_WIDTH - 20) + 10
    points = " ".join(f"{x:.1f},{_HEIGHT - 10 - y * (_HEIGHT - 20):.1f}" for x, y in zip(across, heights))
    return (
        f'<polyline points="{points}" fill="none" stroke="#2a6fbb" stroke-width="2"/>'
        f'<text x="14" y="20" font-size="11" fill="currentColor">keys by rank</text>'
    )


def html(index: Asking) -> str:
    """A table of facts and an SVG: the keys of an index with an order, and the bytes of every index."""
    facts = index._core.facts()
    total = facts["pairs"] + facts["auxiliary"] or 1
    share = facts["pairs"] / total * (_WIDTH - 20)
    bars = (
        f'<rect x="10" y="{_HEIGHT}" width="{share:.1f}" height="14" fill="#2a6fbb"/>'
        f'<rect x="{10 + share:.1f}" y="{_HEIGHT}" width="{_WIDTH - 20 - share:.1f}" height="14" fill="#d9822b"/>'
        f'<text x="10" y="{_HEIGHT + 28}" font-size="11" fill="currentColor">pairs {bytes_text(facts["pairs"])}, '
        f"auxiliary {bytes_text(facts['auxiliary'])}</text>"
    )
    curve = _curve(index, facts["size"]) if facts["ordered"] and facts["size"] else ""
    rows = {
        "spec": facts["spec"],
        "keys": f"{facts['size']} of type {facts['keys']}",
        "bytes": bytes_text(facts["pairs"] + facts["auxiliary"]),
    }
    table = "".join(f"<tr><th>{name}</th><td>{text.escape(value)}</td></tr>" for name, value in rows.items())
    return (
        f'<table>{table}</table><svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT + 36}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT + 36}">{curve}{bars}</svg>'
    )
