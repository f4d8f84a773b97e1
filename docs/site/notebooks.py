# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Offers each tutorial as a notebook: the page `NAME.md` has a link to `notebooks/NAME.ipynb`."""

import pathlib

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook


def write(app):
    for page in sorted((pathlib.Path(app.srcdir) / "tutorials").glob("*.md")):
        text = page.read_text()
        if not text.startswith("---"):
            continue
        notebook = read_myst_markdown_notebook(text, path=page)
        target = page.parent / "notebooks" / f"{page.stem}.ipynb"
        target.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, target)


def add_link(app, docname, source):
    """Below the title, in the page as it is read."""
    if docname.startswith("tutorials/") and source[0].startswith("---"):
        head, title, rest = source[0].partition("\n# ")
        heading, _, body = rest.partition("\n")
        name = docname.rpartition("/")[2]
        source[0] = (
            f"{head}{title}{heading}\n\nAs a notebook: {{download}}`{name}.ipynb <notebooks/{name}.ipynb>`\n{body}"
        )


def setup(app):
    app.connect("builder-inited", write)
    app.connect("source-read", add_link)
    return {"parallel_read_safe": True}
