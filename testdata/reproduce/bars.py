# SPDX-License-Identifier: MIT
"""Draws groups of bars, each a stack of parts, as SVG."""
from html import escape

COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7"]


def tick_step(top):
    step = 10 ** (len(str(int(top))) - 1)
    return next(step * f for f in (0.1, 0.2, 0.5, 1, 2) if top / (step * f) <= 6)


def bars(name, title, parts, groups):
    """Writes the file `name`. `groups`: {group: {bar: [height of each part]}}; parts: their names."""
    width, high, left, top = 28, 300, 60, 60
    tallest = max(sum(stack) for group in groups.values() for stack in group.values()) * 1.05
    out, x = [], left + 10.0
    for group, stacks in groups.items():
        begin = x
        for bar, stack in stacks.items():
            y = top + high
            for colour, part, value in zip(COLOURS, parts, stack):
                y -= value / tallest * high
                out.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 6}" height="{value / tallest * high:.1f}" '
                           f'fill="{colour}"><title>{escape(f"{group}, {bar}: {part} {value:.3g}")}</title></rect>')
            out.append(f'<text transform="translate({x + width / 2:.1f},{top + high + 8}) rotate(90)">{escape(bar)}</text>')
            x += width
        out.append(f'<text x="{(begin + x - 6) / 2:.1f}" y="{top + high + 100}" text-anchor="middle" '
                   f'font-weight="bold">{escape(group)}</text>')
        x += 24
    step, grid = tick_step(tallest), []
    for i in range(int(tallest / step) + 1):
        y = top + high - i * step / tallest * high
        grid.append(f'<line x1="{left}" x2="{x:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="#bbb"/>'
                    f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{i * step:g}</text>')
    key = [f'<rect x="{left + 200 * i}" y="32" width="12" height="12" fill="{colour}"/>'
           f'<text x="{left + 18 + 200 * i}" y="43">{escape(part)}</text>'
           for i, (colour, part) in enumerate(zip(COLOURS, parts)) if len(parts) > 1]
    with open(name, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x + 10:.0f} {top + high + 120}" '
                   'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="#fff"/>\n'
                   f'<text x="{left}" y="20" font-size="15" font-weight="bold">{escape(title)}</text>\n')
        file.write("\n".join(key + grid + out) + "\n</svg>\n")
