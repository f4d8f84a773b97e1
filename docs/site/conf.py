# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: the pages of docs/ as they are, and the Python interface from its docstrings."""

import os
import pathlib
import re
import sys

from docutils import nodes
from sphinx import addnodes

import warpdex.types

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_version = (_ROOT / "include/warpdex/version.hpp").read_text()

project = "warpdex"
author = "The warpdex authors"
copyright = "2026, The warpdex authors"
release = ".".join(re.findall(r"define WARPDEX_VERSION_\w+ (\d+)", _version)[:3])

sys.path.insert(0, str(_ROOT / "docs/site"))
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "breathe",
    "sphinx_copybutton",
    "structure_pages",
    "flow_drawings",
    "notebooks",
    "result_charts",
]
html_static_path = ["static"]
html_favicon = "static/favicon.svg"
html_context = {"default_mode": "auto"}
html_css_files = ["site.css"]
breathe_projects = {"warpdex": f"{os.environ['DOCS_BUILD']}/xml"}
breathe_default_project = "warpdex"
breathe_show_include = False
breathe_domain_by_extension = {"h": "c"}
root_doc = "index"
exclude_patterns = ["site", "papers/*.yaml", "tutorials/notebooks"]  # pages of structures: structure_pages.py
nitpicky = True

# Tutorials run at each build, in order, and one that fails or warns is an error.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_output_stderr = "error"

myst_heading_anchors = 4  # links name sections as other hosts of these pages do
myst_enable_extensions = ["colon_fence"]

autodoc_mock_imports = ["ray", "torch"]  # the interfaces to them are told without them
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}

html_theme = "pydata_sphinx_theme"
html_title = f"warpdex {release}"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
}

# Names of other libraries, those that are not for callers, and the words that options take.
_TYPES = "|".join(name for name in vars(warpdex.types) if name[0].isupper())
nitpick_ignore_regex = [
    ("py:.*", r"(np|numpy|os|pathlib|concurrent|collections\.abc|pa|pd|pl)\..*"),
    ("py:.*", r"Asking|Ends|Joined|Names|Run|Searched|Told|_Address|" + _TYPES),
    ("py:.*", r"warpdex\.(_|(columns|devices|drawing|errors|frames|joins|lookups|types)\.).*"),
    ("cpp:identifier|c:identifier", ".*"),
]
# Overloads that differ in what they require look alike to Sphinx; `bytes` is a type and a property.
suppress_warnings = ["duplicate_declaration.cpp", "duplicate_declaration.c", "ref.python"]


def _as_literals(app, what, name, obj, options, lines):
    """Words between single backquotes are code, as in the pages; letters may follow."""
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", "\n".join(lines))
    lines[:] = re.sub(r"``(?=\w)(?<=\w``)", r"``\\ ", text).split("\n")


def _mend_xml(app):
    """Sphinx does not read initializers such as {.ranked = false}; the texts of views tell what they say. Breathe ends a
    paragraph where Doxygen keeps the end of a line, as it does between quotes."""
    for file in pathlib.Path(breathe_projects["warpdex"]).glob("*.xml"):
        text = re.sub(r"<initializer>[\s=]*\{\s*\..*?</initializer>", "", file.read_text(), flags=re.S)
        file.write_text(re.sub(r"&quot;[^<&]*&quot;", lambda quote: quote[0].replace("\n", " "), text))


def _with_headers(app, docname, source):
    """Before the names of a header, what includes it."""
    if docname.startswith("api/cpp/"):
        include = _ROOT / "include"
        paths = {path.name: path.relative_to(include) for path in (include / "warpdex").rglob("*.*")}
        source[0] = re.sub(
            r"^\.\. doxygenfile:: (\S+)$",
            lambda line: f".. code-block:: cpp\n\n   #include <{paths[line[1]]}>\n\n{line[0]}",
            source[0],
            flags=re.M,
        )


def _without_empty_groups(app, doctree):
    """Members that share one text are a group for Doxygen, whose title would say that it has none. Of a class whose members
    are on several pages each page would have the texts of all groups."""
    for title in [one for one in doctree.findall(nodes.rubric) if one.astext() == "Unnamed Group"]:
        title.parent.remove(title)
    groups = doctree.findall(lambda one: "breathe-sectiondef" in getattr(one, "attributes", {}).get("classes", []))
    for group in [one for one in groups if next(one.findall(addnodes.desc), None) is None]:
        group.parent.remove(group)


def _without_namespace(app, doctree):
    """The names of a header, and not the namespace that they are all in: so they are in the table of contents."""
    for space in list(doctree.findall(addnodes.desc)):
        if space.children[0].astext() == "namespace warpdex":
            space.parent[space.parent.index(space) : space.parent.index(space) + 1] = space.children[1].children


def _with_words(app, env):
    """In tables of contents an enum without a name is called so, not by Doxygen's number, and no name has the namespace."""
    for toc in env.tocs.values():
        for name in toc.findall(nodes.literal):
            text = re.sub(r"^@\d+$", "enum", name.astext().removeprefix("warpdex::"))
            name.children = [nodes.Text(text)]


def setup(app):
    app.connect("autodoc-process-docstring", _as_literals)
    app.connect("builder-inited", _mend_xml)
    app.connect("source-read", _with_headers)
    app.connect("doctree-read", _without_empty_groups)
    app.connect("doctree-read", _without_namespace, priority=400)  # before the table of contents is made
    app.connect("env-updated", _with_words)
