#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks pages that spmm-info --html or spmm-bench --report wrote.

usage: page_check FILE.. [--text TEXT].. [--absent TEXT].. [--pictures COUNT] [--same-lines] [--diagonal]

Prints one line for each problem, exit 1 if there is any. A page must be well-formed XML and HTML and must not contain
scripts or handlers or load anything. It needs a title, one h1, headings, captions and headers with a scope in tables,
alternative texts of pictures and titles of charts. --text and --absent: text that must or must not be visible. Pictures
are PNG files with right checksums; --pictures: their number. --same-lines: each further picture has the rows or the
columns of the first one in another order. --diagonal: the first picture shows exactly the diagonal.
"""
import argparse
import base64
import re
import struct
import sys
import xml.etree.ElementTree as ET
import zlib
from html.parser import HTMLParser

ALLOWED = {"html", "head", "meta", "link", "title", "style", "body", "header", "main", "footer", "section", "h1", "h2", "h3", "p", "b", "br",
           "small", "span", "dl", "div", "dt", "dd", "figure", "figcaption", "img", "table", "caption", "thead", "tbody", "tr", "th",
           "td", "details", "summary", "pre", "svg", "g", "line", "text", "polyline", "circle", "path"}
VOID = {"meta", "link", "br", "img"}


class Page(HTMLParser):
    """Parses a page; collects problems of its tags, and all text outside the style."""

    def __init__(self):
        super().__init__()
        self.open, self.problems, self.seen = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ALLOWED:
            self.problems.append(f"<{tag}> is no tag of these pages")
        for name, value in attributes:
            if name.startswith("on") or name in ("srcset", "action", "formaction", "xlink:href"):
                self.problems.append(f"<{tag} {name}>")
            if name in ("src", "href") and not (value or "").startswith("data:"):
                self.problems.append(f"<{tag} {name}={value}> is loaded from elsewhere")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes another tag")

    def handle_data(self, data):
        if "style" not in self.open:
            self.seen.append(data)


def pixels_of(address):
    """Returns the lines of a PNG with 16 colours as lists of colour numbers; AssertionError if it is damaged."""
    data = base64.b64decode(address.split(",", 1)[1], validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    place, packed, width, height = 8, b"", 0, 0
    while place < len(data):
        size, name = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        assert struct.unpack(">I", data[place + 8 + size:place + 12 + size])[0] == zlib.crc32(name + body), f"sum of {name}"
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (4, 3), "not 16 colours of a palette"
        packed += body if name == b"IDAT" else b""
        place += 12 + size
    raw, step = zlib.decompress(packed), 1 + (width + 1) // 2
    assert name == b"IEND" and len(raw) == step * height, "size of the picture"
    return [[raw[y * step + 1 + x // 2] >> (0 if x % 2 else 4) & 15 for x in range(width)] for y in range(height)]


def problems_of_tree(root):
    for table in root.iter("table"):
        if not (table.findtext("caption") or "").strip():
            yield "a table without a caption"
        if any(th.get("scope") not in ("col", "row") for th in table.iter("th")) or table.find("thead") is None:
            yield "a table without headers"
        width = len(table.find("thead/tr"))
        if any(len(row) != width for row in table.iterfind("tbody/tr")):
            yield f"a row whose cells are not those of its {width} headers"
    for image in root.iter("img"):
        if len(image.get("alt") or "") < 10:
            yield "a picture without a text"
    for chart in root.iter("{http://www.w3.org/2000/svg}svg"):
        if not (chart.findtext("{http://www.w3.org/2000/svg}title") or "").strip():
            yield "a chart without a title"
    if len(list(root.iter("h1"))) != 1 or not list(root.iter("h2")) or not root.findtext("head/title"):
        yield "title or headings are not there"
    metas = {meta.get("name") or meta.get("http-equiv"): meta.get("content") for meta in root.iter("meta")}
    if "width=device-width" not in metas.get("viewport", "") or "default-src 'none'" not in metas.get("Content-Security-Policy", ""):
        yield "viewport or policy is not there"
    if "prefers-color-scheme:dark" not in root.findtext("head/style"):
        yield "no dark mode"


def problems_of_pictures(pictures, options):
    if options.pictures is not None and len(pictures) != options.pictures:
        yield f"{len(pictures)} pictures, expected {options.pictures}"
    if any(len(p) > 512 or len(p[0]) > 512 or not any(map(any, p)) for p in pictures):
        yield "a picture is empty or too large"
    if options.same_lines:
        def lines(picture):
            return sorted(picture), sorted(zip(*picture))
        if any(p == pictures[0] or all(a != b for a, b in zip(lines(p), lines(pictures[0]))) for p in pictures[1:]):
            yield "neither rows nor columns of a later picture are those of the first in another order"
    if options.diagonal:
        if any((value > 0) != (x == y) for y, row in enumerate(pictures[0]) for x, value in enumerate(row)):
            yield "the first picture is no diagonal"


def problems_of(path, options):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    yield from page.problems + [f"<{tag}> is not closed" for tag in page.open]
    if not text.startswith("<!DOCTYPE html>\n") or re.search(r"url\(|@import", text):
        yield "no document type, or the style loads something"
    try:
        root = ET.fromstring(text)
        pictures = [pixels_of(image.get("src")) for image in root.iter("img")]
        yield from problems_of_tree(root)
        yield from problems_of_pictures(pictures, options)
    except (ET.ParseError, AssertionError, ValueError) as error:
        yield str(error)
    seen = " ".join(" ".join(page.seen).split())
    yield from (f"expected to read: {t}" for t in options.text if t not in seen)
    yield from (f"did not expect to read: {t}" for t in options.absent if t in seen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--text", action="append", default=[])
    parser.add_argument("--absent", action="append", default=[])
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--same-lines", action="store_true")
    parser.add_argument("--diagonal", action="store_true")
    options = parser.parse_args()
    problems = [f"{path}: {problem}" for path in options.files for problem in problems_of(path, options)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
