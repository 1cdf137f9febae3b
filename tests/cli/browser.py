#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads a page in headless Chromium and checks what it shows.

usage: browser FILE FOLDER

Writes to FOLDER, which must be empty, screenshots of the page in light and dark mode, 1,200 and 375 pixels wide (a
phone), and a page that shows FILE in a frame and measures it with a script. Prints one line for each problem, exit 1 if
there is any: a console message, a request, a picture that is not shown, content wider than the phone, or a screenshot
that is blank or has the wrong size or mode. Exit 77 (skipped) without Chromium.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib

PHONE = 375
FRAME = """<!DOCTYPE html><html><body><iframe id="page" src="%s" style="width:%dpx;height:4000px;border:0"></iframe><pre id="found"></pre>
<script>
addEventListener("load", () => {
  const frame = document.getElementById("page").contentWindow, page = frame.document;
  for (const details of page.querySelectorAll("details")) details.open = true;
  const found = [];
  if (page.documentElement.scrollWidth > %d) found.push("the page is " + page.documentElement.scrollWidth + " wide");
  for (const e of page.querySelectorAll("body *"))
    if (e.getBoundingClientRect().right > %d + 0.5) { found.push(e.tagName + " ends at " + e.getBoundingClientRect().right); break; }
  for (const image of page.images) if (image.naturalWidth === 0) found.push("a picture is not shown");
  for (const entry of frame.performance.getEntriesByType("resource"))
    if (!entry.name.startsWith("data:")) found.push("a request of " + entry.name);
  document.getElementById("found").textContent = "FOUND:" + found.join("|") + ":" + page.querySelectorAll("section").length;
});
</script></body></html>
"""


def chromium(folder, *arguments):
    """Runs Chromium with a profile in the folder; returns (stdout, stderr). As root it needs --no-sandbox."""
    command = [shutil.which("chromium") or shutil.which("chromium-browser"), "--headless", "--disable-gpu", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
               "--allow-file-access-from-files", "--enable-logging=stderr", "--disable-dev-shm-usage",
               "--force-device-scale-factor=1", f"--user-data-dir={folder}/profile", *arguments]
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120,
                          env={**os.environ, "HOME": folder}, check=False)
    return done.stdout, done.stderr


def pixels_of(path):
    """Returns (width, height, channels, bytes of each line) of a PNG with 8 bits per channel and no interlacing."""
    with open(path, "rb") as file:
        data = file.read()
    place, packed = 8, b""
    while place < len(data):
        size, name = struct.unpack(">I4s", data[place:place + 8])
        if name == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", data[place + 8:place + 18])
        packed += data[place + 8:place + 8 + size] if name == b"IDAT" else b""
        place += 12 + size
    channels = {2: 3, 6: 4}[colour]
    raw, step = zlib.decompress(packed), width * channels
    above, lines = bytearray(step), []
    for y in range(height):
        kind, line = raw[y * (step + 1)], bytearray(raw[y * (step + 1) + 1:(y + 1) * (step + 1)])
        for x in range(step if kind else 0):
            left, corner = (line[x - channels], above[x - channels]) if x >= channels else (0, 0)
            if kind == 4:
                estimate = left + above[x] - corner
                near = min((abs(estimate - v), i, v) for i, v in enumerate((left, above[x], corner)))[2]
            line[x] = line[x] + (left, above[x], (left + above[x]) // 2, near if kind == 4 else 0)[kind - 1] & 255
        lines.append(bytes(line))
        above = line
    return width, height, channels, lines


def problems_of_screenshot(page, folder, width, is_dark):
    name, height = f"{width}_{'dark' if is_dark else 'light'}.png", 900
    path = os.path.join(folder, name)
    _, log = chromium(folder, f"--window-size={width},{height}", f"--screenshot={path}",
                      f"--blink-settings=preferredColorScheme={0 if is_dark else 1}", page)
    yield from (f"{name}: {line}" for line in log.splitlines() if "CONSOLE" in line)
    if not os.path.exists(path):
        yield f"{name}: no screenshot: {log[-500:]}"
        return
    found_width, found_height, channels, lines = pixels_of(path)
    if (found_width, found_height) != (width, height):
        yield f"{name}: {found_width} x {found_height} pixels"
    if (lines[2][0] < 64) != is_dark or (lines[2][0] > 192) == is_dark:
        yield f"{name}: the ground is {lines[2][:channels].hex()}"
    colours = {line[x:x + channels] for line in lines[::3] for x in range(0, len(line), 3 * channels)}
    if len(colours) < 12:
        yield f"{name}: {len(colours)} colours"


def problems_of_frame(page, folder):
    outer = os.path.join(folder, "frame.html")
    with open(outer, "w", encoding="utf-8") as file:
        file.write(FRAME % (page, PHONE, PHONE, PHONE))
    dom, log = chromium(folder, "--window-size=1200,900", "--virtual-time-budget=5000", "--dump-dom", "file://" + outer)
    yield from (line for line in log.splitlines() if "CONSOLE" in line)
    found = re.search(r'<pre id="found">FOUND:(.*):(\d+)</pre>', dom)
    if found is None:
        yield f"the page was not loaded: {log[-500:]}"
    elif found[1]:
        yield from found[1].split("|")
    if found is not None and int(found[2]) < 2:
        yield "the page has no sections"


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return 77
    page, folder = "file://" + os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    problems = list(problems_of_frame(page, folder))
    for width, is_dark in ((1200, False), (1200, True), (PHONE, False), (PHONE, True)):
        problems += problems_of_screenshot(page, folder, width, is_dark)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
