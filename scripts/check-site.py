#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""check-site.py HTML [--pages REGEX] [--shots FOLDER]: opens every page of a site in headless Chromium, in light and in
dark, and at the width of a desk and of a phone. A message on the console, a request that fails or leaves the machine, a
page wider than its window, or the code of a directive as text is an error. So is a structure without a drawing two links
from the start page, or without its class, source and figures one link from there, and a text of C++ torn from its name. With
--shots pictures are left in a folder.

It needs Chromium (Debian's package chromium) and tornado, which `make docs` has installed."""

import argparse
import asyncio
import base64
import functools
import http.server
import itertools
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import threading

try:
    from tornado.httpclient import AsyncHTTPClient, HTTPRequest
    from tornado.websocket import websocket_connect
except ImportError:
    AsyncHTTPClient = None

TABS = 4
WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .slice(-1).map(e => e.tagName + '.' + e.className).join()"""


def linked(html, page):
    """The pages to which the text of a page has links."""
    text = re.search(r"<article.*?</article>", (html / page).read_text(), re.S)
    places = re.findall(r'href="([^":#]+\.html)', text[0]) if text else []
    return {posixpath.normpath(posixpath.join(posixpath.dirname(page), place)) for place in places}


def far(html):
    """What one who looks for a structure does not find within three links of the start page."""
    near = linked(html, "index.html")
    near |= {place for page in near if (html / page).exists() for place in linked(html, page)}
    for page in sorted(f"structures/{one.name}" for one in (html / "structures").glob("*.html")):
        own = linked(html, page)
        if "/source-" in page or page == "structures/index.html":
            continue
        if page not in near:
            yield f"/{page}: more than two links from the start page"
        text = (html / page).read_text()
        if "<svg" not in text:
            yield f"/{page}: no drawing"
        if not any("/source-" in one and (html / one).exists() for one in own):
            yield f"/{page}: no link to its class and source"
        if re.search(r'papers/\d+\.html"', text) and not re.search(r"papers/\d+\.html#", text):
            yield f"/{page}: no link to its figures in the papers"


def torn(html):
    """Texts of the C++ pages that belong elsewhere: of groups without a member there, and ends of sentences alone."""
    for page in sorted((html / "api/cpp").glob("*.html")):
        text = page.read_text()
        for group in re.findall(r'<div class="breathe-sectiondef[^>]*>(.*?)</div>', text, re.S):
            if "<dl" not in group:
                yield f"/{page.relative_to(html)}: a text without what it tells of: {group.strip()[:60]}"
        for end in re.findall(r"<p>([,.;:)][^<]*)", text):
            yield f"/{page.relative_to(html)}: the end of a sentence alone: {end[:60]}"


class Tab:
    """A page of Chromium, over its protocol for developer tools."""

    def __init__(self, socket, origin):
        self.socket, self.origin, self.numbers, self.problems = socket, origin, itertools.count(1), []

    async def ask(self, method, **params):
        number = next(self.numbers)
        await self.socket.write_message(json.dumps({"id": number, "method": method, "params": params}))
        while (told := await self.next()).get("id") != number:
            self.note(told)
        if "error" in told:
            raise RuntimeError(f"{method}: {told['error']['message']}")
        return told["result"]

    async def next(self):
        return json.loads(await asyncio.wait_for(self.socket.read_message(), 60))

    async def until(self, event):
        while (told := await self.next()).get("method") != event:
            self.note(told)

    def note(self, told):
        method, params = told.get("method"), told.get("params", {})
        if method == "Log.entryAdded":
            self.problems.append(f"message: {params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled":
            texts = [str(one.get("value")) for one in params["args"]]
            if params["type"] != "log" or not texts[0].startswith("[PST]"):  # with which the theme tells what it does
                self.problems.append(f"console: {' '.join(texts)}")
        elif method == "Runtime.exceptionThrown":
            self.problems.append(f"exception: {params['exceptionDetails']['text']}")
        elif method == "Network.loadingFailed" and not params.get("canceled"):
            self.problems.append(f"request failed: {params['errorText']}")
        elif method == "Network.responseReceived" and params["response"]["status"] >= 400:
            self.problems.append(f"{params['response']['status']} for {params['response']['url']}")
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith((self.origin, "data:", "blob:")):
                self.problems.append(f"request to another host: {url}")

    async def value(self, script):
        return (await self.ask("Runtime.evaluate", expression=script, returnByValue=True))["result"].get("value")

    async def look(self, page, scheme, shots):
        """Opens a page in a colour scheme, and looks at it at each width. @return what is wrong"""
        self.problems = []
        await self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await self.ask("Page.navigate", url=self.origin + page)
        await self.until("Page.loadEventFired")
        for name, (width, height) in WIDTHS.items():
            mobile = name == "phone"
            await self.ask(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
            )
            if (over := await self.value(OVERFLOW)) > 0:
                self.problems.append(f"{over} pixels too wide at {width}: {await self.value(WIDEST)}")
            if shots:
                picture = await self.ask("Page.captureScreenshot")
                target = shots / f"{page.strip('/').replace('/', '-')}-{scheme}-{name}.png"
                target.write_bytes(base64.b64decode(picture["data"]))
        if "{" in (text := await self.value("document.body.innerText")) and (
            left := re.search(r"^```\{.*", text, re.M)
        ):
            self.problems.append(f"a directive as text: {left[0]}")
        return [f"{page} in {scheme}: {one}" for one in self.problems]


async def opened(port, origin):
    made = await AsyncHTTPClient().fetch(
        HTTPRequest(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT", body=b"")
    )
    socket = await websocket_connect(json.loads(made.body)["webSocketDebuggerUrl"], max_message_size=1 << 28)
    tab = Tab(socket, origin)
    for domain in ("Page", "Runtime", "Log", "Network"):
        await tab.ask(f"{domain}.enable")
    return tab


async def check(port, pages, origin, shots):
    """What is wrong with pages. Most of the time is that in which a tab waits, so there are several."""
    left, problems = iter(pages), []

    async def look():
        tab = await opened(port, origin)
        for page in left:
            for scheme in ("light", "dark"):
                problems.extend(await tab.look(page, scheme, shots))

    await asyncio.gather(*(look() for _ in range(TABS)))
    return sorted(problems)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("html", type=pathlib.Path, help="the folder of the site, such as build/docs/html")
    parser.add_argument("--pages", default="", help="open only pages whose path matches")
    parser.add_argument("--shots", type=pathlib.Path, help="a folder for pictures")
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("check-site: there is no Chromium; it is in Debian's package chromium")
    if AsyncHTTPClient is None:
        sys.exit("check-site: there is no tornado; make docs installs it in the environment of the Python package")
    pages = sorted(
        f"/{page.relative_to(given.html)}" for page in given.html.rglob("*.html") if "_static" not in page.parts
    )
    pages = [page for page in pages if re.search(given.pages, page)]
    if not pages:
        sys.exit(f"check-site: {given.html} has no page that matches {given.pages!r}; run make docs first")
    if given.shots:
        given.shots.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(given.html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # Processes of the browser may write there for a moment after it has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = [
            "--headless",
            "--no-sandbox",
            # Of several tabs all but one are in the background.
            "--disable-background-timer-throttling",
            "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        browser = subprocess.Popen([chromium, *options], stderr=subprocess.PIPE, text=True)
        try:
            port = next(found[1] for line in browser.stderr if (found := re.search(r"ws://127.0.0.1:(\d+)/", line)))
            threading.Thread(target=browser.stderr.read, daemon=True).start()
            problems = asyncio.run(check(port, pages, f"http://127.0.0.1:{server.server_port}", given.shots))
        finally:
            browser.terminate()
            browser.wait()
    problems += [*far(given.html), *torn(given.html)]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(
        f"{len(pages)} pages in light and dark, at {' and '.join(str(w) for w, _ in WIDTHS.values())} pixels: "
        f"{len(problems)} problems"
    )
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
