# SPDX-License-Identifier: Apache-2.0
"""Draws ratios as SVG: dots above the name of each matrix, on a logarithmic axis with a line at 1."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960, 460, 46, 12, 34, 130
STYLE = """<style>
text{fill:#1f2328;font:11px sans-serif} .name{font-size:9px} .title{font-size:13px} .page{fill:#fff}
.grid{stroke:#d1d9e0;stroke-width:.7} .one{stroke:#1f2328;stroke-width:1.5}
.a{fill:#0969da} .b{fill:#bc4c00} .c{fill:#1a7f37}
@media (prefers-color-scheme:dark){text{fill:#e6edf3} .page{fill:#0d1117} .grid{stroke:#3d444d} .one{stroke:#e6edf3}
.a{fill:#58a6ff} .b{fill:#f0883e} .c{fill:#56d364}}
</style>"""


def svg_text(x, y, text, style="", anchor="start", turn=""):
    attributes = f' class="{style}"' * bool(style) + f' transform="rotate({turn} {x:.1f} {y:.1f})"' * bool(turn)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}>{html.escape(text)}</text>'


def svg_line(y, style):
    return f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="{style}"/>'


def short(name):
    return name if len(name) <= 24 else name[:12] + ".." + name[-10:]


def picture(title, legend, rows):
    """Returns the SVG text. legend: the meaning of each style, "a" to "c". rows: names from left to right, each with
    its dots as (style, ratio, tooltip)."""
    logs = [math.log2(ratio) for _, dots in rows for _, ratio, _ in dots]
    low, high = min(*logs, 0) - 0.15, max(*logs, 0) + 0.15
    step = (WIDTH - LEFT - RIGHT) / len(rows)

    def place(ratio):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log2(ratio) - low) / (high - low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">', STYLE,
             f'<rect width="{WIDTH}" height="{HEIGHT}" class="page"/>', svg_text(LEFT, 16, title, "title")]
    for power in range(math.ceil(low), math.floor(high) + 1):
        parts += [svg_line(place(2.0 ** power), "one" if power == 0 else "grid"),
                  svg_text(LEFT - 6, place(2.0 ** power) + 4, f"{2.0 ** power:.3g}", anchor="end")]
    for number, (style, text) in enumerate(legend.items()):
        x = WIDTH - RIGHT - 64 * (len(legend) - number)
        parts += [f'<circle cx="{x:.1f}" cy="12" r="4" class="{style}"/>', svg_text(x + 8, 16, text)]
    for rank, (name, dots) in enumerate(rows):
        x = LEFT + (rank + 0.5) * step
        parts.append(svg_text(x + 3, HEIGHT - BOTTOM + 10, short(name), "name", "end", "-60"))
        parts += [f'<circle cx="{x:.1f}" cy="{place(ratio):.1f}" r="3.5" class="{style}">'
                  f'<title>{html.escape(text)}</title></circle>' for style, ratio, text in dots]
    return "\n".join(parts) + "\n</svg>\n"
