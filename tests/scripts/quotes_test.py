# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What the verdicts on the papers' figures quote is in the tables of their pages, or on the pages that they link to."""

import itertools
import pathlib
import re
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
TABLE = re.compile(r"<!-- table .*?-->\n(.*?)<!-- end -->", re.S)
HEAD = re.compile(r"<!-- table .*?-->\n(.*)\n")
LINK = re.compile(r"\[[^]]*\]\(([^)#]*)[^)]*\)")
# What is no measurement: code, links, powers of two, options, shapes of blocks, sizes with a unit.
OTHER = re.compile(
    r"`[^`]*`|\[[^]]*\]\([^)]*\)|\d*\^[\d.]+|\b(K|eps|load) = [\d.]+|\b\d+/\d+\b|[\w+]+\([^)]*\)"
    r"|\bfigures? \d+\w*|\brows? [\d.]+|\b\d+\w*, \d+\w*:|[\d.]+ ?(%|bits?\b|bytes?\b|keys\b|lanes\b|threads?\b|GiB|KiB|MiB|KB|MB|sectors)"
)
NUMBER = re.compile(r"(?<![\w.^=])(\d*\.\d+|\d{2,})(?![\w^/])")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def rows_and_columns(page: str) -> list[list[float]]:
    lines = []
    for table in TABLE.findall(page):
        rows = [[number(cell) for cell in cells(line)[1:]] for line in table.splitlines()[2:]]
        for group in itertools.chain(rows, itertools.zip_longest(*rows)):
            lines.append([value for value in group if value])
    return lines


def is_near(value: float, text: str) -> bool:
    digits = len(text.partition(".")[2])
    return abs(value - float(text)) <= 0.5000001 * 10**-digits


def is_value(text: str, lines: list[list[float]]) -> bool:
    return any(is_near(value * scale, text) for line in lines for value in line for scale in (1, 1e3, 1e-3))


def is_ratio(text: str, lines: list[list[float]]) -> bool:
    return any(is_near(a / b, text) for line in lines for a, b in itertools.permutations(line, 2))


def verdicts(page: str) -> list[str]:
    """The rows of the tables that set the paper beside ours."""
    found, inside = [], False
    for line in TABLE.sub("", page).splitlines():
        if not line.startswith("|"):
            inside = False
        elif "the paper | ours | verdict" in line:
            inside = True
        elif inside and not line.startswith("|--"):
            found.append(line)
    return found


class Quotes(unittest.TestCase):
    def test_numbers_of_verdicts_are_measured(self) -> None:
        for path in sorted((DOCS / "papers").glob("*.md")):
            page = path.read_text()
            lines = rows_and_columns(page)
            heads = NUMBER.findall("\n".join(HEAD.findall(page)))
            for row in verdicts(page):
                said = " ; ".join(cells(row)[-2:])
                known = set(heads)
                for to in filter(None, LINK.findall(said)):
                    known |= set(NUMBER.findall((path.parent / to).read_text()))
                for text in NUMBER.findall(OTHER.sub(" ", said)):
                    with self.subTest(page=path.name, row=row[:60], number=text):
                        quoted = text in known or is_value(text, lines)
                        self.assertTrue(quoted or " times" in said and is_ratio(text, lines))


if __name__ == "__main__":
    unittest.main()
