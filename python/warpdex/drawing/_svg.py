# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of boxes and arrows as SVG: the style of all drawings."""

from __future__ import annotations

from html import escape
from itertools import groupby

from ._figures import Cell, Figure, Link, Row, Spot

# Okabe and Ito's colours, which the colour-blind tell apart; what they say is also said by dashes, widths and labels.
_COLOURS = {"entry": "#009e73", "pivot": "#0072b2", "link": "#e69f00", "hash": "#cc79a7", "free": "none"}
_PATH = "#d55e00"
_STYLE = f"""
.wdx-drawing {{ font: 11px system-ui, sans-serif; fill: currentColor; max-width: none; }}
.wdx-drawing .cell rect {{ stroke: currentColor; stroke-opacity: .55; fill-opacity: .22; }}
.wdx-drawing .free rect {{ stroke-dasharray: 2 2; fill: none; }}
.wdx-drawing .node {{ fill: none; stroke: currentColor; stroke-opacity: .8; }}
.wdx-drawing text {{ text-anchor: middle; }}
.wdx-drawing .label {{ text-anchor: start; font-weight: 600; paint-order: stroke; stroke-width: 4px;
  stroke: var(--pst-color-background, Canvas); }}
.wdx-drawing .note {{ font-size: 9px; opacity: .75; }}
.wdx-drawing .arrow {{ fill: none; stroke: currentColor; stroke-opacity: .35; }}
.wdx-drawing .path {{ fill: none; stroke: {_PATH}; stroke-width: 2.5; }}
.wdx-drawing .tip {{ fill: {_PATH}; }}
{"".join(f".wdx-drawing .{kind} rect {{ fill: {colour}; }}" for kind, colour in _COLOURS.items() if kind != "free")}
@media (prefers-color-scheme: dark) {{ .wdx-drawing:root {{ color: #eee; background: #14181e; }} }}
"""
_WIDE, _LINE, _NOTED, _GAP, _MARGIN, _LABEL = 700.0, 20.0, 32.0, 10.0, 8.0, 18.0
_ALIKE = 4  # so many cells that look alike are drawn as they are; more as one


def merged(node: list[Cell]) -> list[Cell]:
    """A node in which runs of cells that look alike are one cell."""
    out: list[Cell] = []
    for (kind, text), run in groupby(node, lambda cell: (cell.kind, cell.text)):
        cells = list(run)
        if kind in ("free", "pivot") and len(cells) > _ALIKE:
            shown = f"{len(cells)} × {text}" if text else f"{len(cells)} free"
            out.append(Cell(shown, kind, cells[0].array, cells[0].position, "", len(cells)))
        else:
            out += cells
    return out


class _Placed:
    """Where the nodes of rows and their cells are."""

    def __init__(self, figure: Figure) -> None:
        self.cells: dict[Spot, tuple[float, float, float, float, Cell]] = {}
        self.nodes: dict[Spot, tuple[float, float, float, float]] = {}
        self.labels: list[tuple[float, str]] = []
        self.lines: list[tuple[float, float]] = []  # of each row the tops of its first and its last line
        self.right, self.bottom = 200.0, _MARGIN
        leaps = {a.row for a, b in zip(figure.path, figure.path[1:]) if a.row == b.row}
        for number, row in enumerate(figure.rows):
            self._place(number, row, 14.0 if number in leaps else 0.0)

    def _place(self, number: int, row: Row, above: float) -> None:
        nodes = [merged(node) for node in row.nodes]
        high = _NOTED if any(cell.note for node in nodes for cell in node) else _LINE
        widest = max((len(cell.text) * 6.6 + 8 for node in nodes for cell in node if cell.kind != "free"), default=0.0)
        noted = max((len(cell.note) * 5.2 + 6 for node in nodes for cell in node), default=0.0)
        width = max(24.0, widest, noted)
        self.bottom += _LABEL if row.label else 0.0
        if row.label:
            label = row.label + ("" if any(nodes) else ": none")
            self.labels.append((self.bottom - 5, label))
            self.right = max(self.right, _MARGIN + len(label) * 6.6)
        self.bottom += above
        x, y = _MARGIN, self.bottom
        for at, node in enumerate(nodes):
            wide = sum(self._width(cell, width) for cell in node)
            if x > _MARGIN and x + wide > _WIDE:
                x, y = _MARGIN, y + high + _GAP
            x, y = self._node(Spot(number, at), node, (x, y, width, high))
            x += _GAP
        self.lines.append((self.bottom, y))
        self.bottom = y + (high if nodes else 0) + 26

    def _width(self, cell: Cell, width: float) -> float:
        """Free slots and paths of radix trees are as wide as their text; all other cells of a row are equally wide."""
        return width if cell.kind != "free" and cell.span == 1 else max(24.0, len(cell.text) * 6.6 + 8)

    def _node(self, spot: Spot, node: list[Cell], box: tuple[float, float, float, float]) -> tuple[float, float]:
        x, y, width, high = box
        begin, at = x, 0
        for cell in node:
            wide = self._width(cell, width)
            if x > _MARGIN and x + wide > _WIDE + 40 and len(node) > 1:
                self.nodes.setdefault(spot, (begin, y, x - begin, high))
                x, y = _MARGIN, y + high + 4
                begin = x
            for position in range(at, at + cell.span):
                self.cells[spot._replace(cell=position)] = (x, y, wide, high, cell)
            at += cell.span
            x += wide
            self.right = max(self.right, x)
        self.nodes.setdefault(spot, (begin, y, x - begin, high))
        return x, y

    def box(self, spot: Spot) -> tuple[float, float, float, float]:
        return self.nodes[spot] if spot.cell < 0 else self.cells[spot][:4]


def _text(x: float, y: float, kind: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind and f""" class="{kind}" """.rstrip()}>{escape(text)}</text>'


def _cell(box: tuple[float, float, float, float, Cell]) -> str:
    x, y, wide, high, cell = box
    middle, first = x + wide / 2, y + (14 if high == _LINE or not cell.note else 13)
    note = _text(middle, y + 26, "note", cell.note) if cell.note else ""
    what = f'data-array="{cell.array}" data-slot="{cell.position}" data-span="{cell.span}"'
    frame = f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"/>'
    return f'<g class="cell {cell.kind}" {what}>{frame}{_text(middle, first, "", cell.text)}{note}</g>'


def _arrow(placed: _Placed, link: Link) -> str:
    """An arrow; none if the rows are so long that it would cross other lines of them."""
    ax, ay, aw, ah = placed.box(link.begin)
    bx, by, bw, _ = placed.box(link.end)
    if placed.lines[link.begin.row][1] != ay or placed.lines[link.end.row][0] != by:
        return ""
    return (
        f'<line class="arrow" x1="{ax + aw / 2:.1f}" y1="{ay + ah:.1f}" x2="{bx + min(bw / 2, 24):.1f}" y2="{by:.1f}"/>'
    )


def _path(placed: _Placed, path: list[Spot]) -> str:
    """The cells of a path with thick frames, and a line through them that ends in a point."""
    out = []
    for number, spot in enumerate(path):
        x, y, wide, high = placed.box(spot)
        frame = f'<rect class="path" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"/>'
        out.append(frame)
        if number + 1 < len(path):
            out.append(_step((x + wide / 2, y, high), placed.box(path[number + 1])))
    return "".join(out)


def _step(begin: tuple[float, float, float], end: tuple[float, float, float, float]) -> str:
    """A curve from one box of a path to the next: down to a lower row, or above the boxes of the same one."""
    (x, y, high), (bx, by, bw, _) = begin, end
    to = bx + bw / 2
    if by > y:
        line, tip = f"M{x:.1f} {y + high:.1f} L{to:.1f} {by - 6:.1f}", by
    else:
        lift = min(14.0, 5 + abs(to - x) / 20)
        line, tip = f"M{x:.1f} {y:.1f} Q{(x + to) / 2:.1f} {y - lift:.1f} {to:.1f} {by - 5:.1f}", by
    return f'<path class="path" d="{line}"/><path class="tip" d="M{to:.1f} {tip:.1f} l-4 -7 h8 z"/>'


def svg(figure: Figure, title: str, description: str) -> str:
    """A figure as an SVG element; its title and its description are for those who do not see it."""
    placed = _Placed(figure)
    wide, high = placed.right + _MARGIN, placed.bottom
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wdx-drawing" role="img" viewBox="0 0 {wide:.0f} {high:.0f}" '
        f'width="{wide:.0f}" height="{high:.0f}">',
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc><style>{_STYLE}</style>",
        *(_arrow(placed, link) for link in figure.links),
        *{id(box[4]): _cell(box) for box in placed.cells.values()}.values(),
        *(
            f'<rect class="node" x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}"/>'
            for x, y, w, h in placed.nodes.values()
        ),
        _path(placed, figure.path),
        *(_text(_MARGIN, y, "label", label) for y, label in placed.labels),
        "</svg>",
    ]
    return "".join(parts)
