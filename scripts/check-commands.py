#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""check-commands.py [ROOT]: what the pages tell readers to type exists. Of `warpdex` and `warpdex-bench`, as far as they
are on the path, subcommands and options are those of `--help`; so are those of `bench/python`; targets of make are in the
Makefile, and scripts are files.

Commands are lines of code blocks, and words between backquotes that begin with one of these names. An option alone between
backquotes is one of these programs or of a script; those of a manual page are of its program."""

import functools
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

PROGRAMS = ("warpdex", "warpdex-bench")
OTHERS = {"--static"}  # of pkg-config
INTERPRETER = r"(?:\S*/)?python3? "
PATHS = r"(?:\./)?(?:scripts/\S+|(?:bench|(?:python/)?tests)/\S+\.(?:py|sh)|bench/python)"
START = re.compile(rf"(?:warpdex|warpdex-bench|make|(?:{INTERPRETER})?{PATHS})(?: |$)")


def joined(lines):
    """Lines that go on after a backslash as one, with empty ones after it, so that others keep their numbers."""
    return re.sub(r"\\\n\s*", " ", lines[0]) + "\n" * lines[0].count("\n")


def commands_of(text):
    """The commands of a page, each with its line."""
    lines = re.sub(r"(?:.*\\\n)+.*", joined, text).split("\n")
    fenced = False
    for number, line in enumerate(lines, 1):
        fenced ^= line.lstrip().startswith("```")
        code = [re.sub(r"^\s*(\$ )?", "", line)] if fenced or re.match(r" {4}|\t", line) else []
        for one in code or re.findall(r"`([^`]+)`", line):
            if START.match(one):
                for part in re.split(r"\s(?:\||&&|;|>\S*|2>\S*)(?=\s|$)", one.split("  #")[0]):
                    if START.match(part.strip()):
                        yield number, part.strip()


@functools.cache
def help_of(*words):
    """What a command says of itself; None if it is not here or has no such subcommand."""
    if shutil.which(words[0]) is None:
        return None
    told = subprocess.run([*words, "--help"], capture_output=True, text=True, check=False)
    return told.stdout if told.returncode == 0 else ""


def wrong_with(command, root):
    """What does not exist of a command; None if all does."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:  # a quote that another line closes
        words = command.split()
    words = words[1:] if re.match(INTERPRETER, command) else words
    program, rest = words[0], words[1:]
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.M)
        return next(
            (f"no target {one}" for one in rest if re.fullmatch(r"[a-z][\w-]*", one) and one not in targets), None
        )
    measures = program == "bench/python"
    if program not in PROGRAMS and not measures:
        return None if (root / program).exists() or any(mark in program for mark in "*<") else f"no script {program}"
    named = (sys.executable, str(root / program)) if measures else (program,)
    if (general := help_of(*named)) is None or not rest:
        return None
    known = general
    if re.fullmatch(r"[a-z][a-z-]*", rest[0]):
        if not re.search(rf"^ +{rest[0]}\b", general, re.M) or not (own := help_of(*named, rest[0])):
            return f"no subcommand {rest[0]}"
        known += own
    options = [one.split("=")[0] for one in rest if re.match(r"--[a-z]", one)]
    return next((f"--help knows no {one}" for one in options if not re.search(rf"{one}(?![\w-])", known)), None)


@functools.cache
def options_of(program):
    """All options of a program and its subcommands; None if it is not here."""
    if (general := help_of(program)) is None:
        return None
    commands = re.split(r"\n(?:Subc|C)ommands:\n", general)[1].partition("\n\n")[0]
    texts = [general, *(help_of(program, name) for name in re.findall(r"^ {2}([a-z_]+)\b", commands, re.M))]
    return {option for text in texts for option in re.findall(r"--[a-z][a-z_-]*", text)}


@functools.cache
def options_alone(root):
    """Those that a page may name without a program: of both programs, of the scripts, and some others."""
    of_programs = [options_of(program) for program in PROGRAMS]
    scripts = [
        one for folder in ("scripts", "bench") for one in (root / folder).rglob("*.*") if one.suffix in (".py", ".sh")
    ]
    of_scripts = "".join(one.read_text() for one in scripts)
    return None if None in of_programs else OTHERS.union(*of_programs, re.findall(r"--[a-z][a-z_-]*", of_scripts))


def unknown_options(path, root):
    """The options that a page or a manual page names alone and that nothing has, each with its line."""
    text, is_manual = path.read_text(), path.suffix == ".1"
    text = text.replace("\\-", "-") if is_manual else text
    pattern = r"(--[a-z][a-z_-]*)" if is_manual else r"`(--[a-z][a-z_-]*)[^`]*`"
    named = [(n, option) for n, line in enumerate(text.split("\n"), 1) for option in re.findall(pattern, line)]
    known = (options_of(path.stem) if is_manual else options_alone(root)) if named else None
    return [] if known is None else [(number, option) for number, option in named if option not in known]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    checked, wrong = 0, []
    pages = [page for page in root.glob("*.md") if page.name != "CHANGELOG.md"]  # which tells of what is gone, too
    pages += root.glob("docs/**/*.md")
    for page in sorted(pages):
        for line, command in commands_of(page.read_text()):
            checked += 1
            if what := wrong_with(command, root):
                wrong.append(f"{page.relative_to(root)}:{line}: {command}: {what}")
    for page in sorted([*pages, *root.glob("docs/*.1")]):
        wrong += [
            f"{page.relative_to(root)}:{line}: no --help knows {one}" for line, one in unknown_options(page, root)
        ]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    print(f"{checked} commands" + "".join(f"; without {program}, which is not on the path" for program in missing))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
