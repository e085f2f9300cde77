# SPDX-License-Identifier: MIT
"""Plots of sweeps: the same colours as the pages in light, dark and on paper, and no overlapping texts."""
import re

import harness

COLORS = harness.SOURCES / "libconvert/page/web/src/lib/colors.ts"
STYLE = harness.SOURCES / "libconvert/page/web/style.css"


def rgb(hexadecimal):
    return "rgb({}, {}, {})".format(*(int(hexadecimal[i:i + 2], 16) for i in (1, 3, 5)))


class Plot(harness.PageTest):
    MAKE = ("et-generate -q all_reduce --algorithm ring --npus 8 -t msccl -o ring.xml && et-replay -q -n ring:8,bw=50GB/s,lat=500ns "
            "--sweep size=1KiB,32KiB,1MiB,32MiB --sweep bandwidth=x1,x2,x3,x4,x5,x6,x7,x8,x9 --plot plot.svg -o plot.csv ring.xml")

    def plot(self, dark=False):
        if not (self.folder / "plot.svg").exists():
            self.shell(self.MAKE)
        page = harness.Page(self.browser, self.folder / "plot.svg")
        page.resize(1280, 900)
        page.dark(dark)
        page.cdp("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        page.go((self.folder / "plot.svg").as_uri())
        return page

    def strokes(self, page):
        return page.js("return [...document.querySelectorAll('polyline[stroke-width=\"2\"]')].map(e => getComputedStyle(e).stroke)")

    def test_colours_are_those_of_the_pages(self):
        for dark, name in ((False, "few"), (True, "fewDark")):
            listed = re.search(rf"const {name} = \[(.*?)\];", COLORS.read_text())[1]
            palette = [rgb(c) for c in re.findall("#[0-9a-f]{6}", listed)]
            page = self.plot(dark)
            self.assertEqual(self.strokes(page), palette + palette[:1])
            block = re.search(r'\[data-theme="dark"\] \{(.*?)\}' if dark else r":root \{(.*?)\}", STYLE.read_text(), re.DOTALL)[1]
            tone = lambda n: rgb(re.search(rf"--{n}: (#[0-9a-f]{{6}})", block)[1])
            for element, property, colour in ((".panel", "fill", "panel"), (".ink", "fill", "ink"), (".soft", "fill", "soft"),
                                              (".grid", "stroke", "grid")):
                self.assertEqual(page.js("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", element,
                                         property), tone(colour), f"{element} {dark}")

    def test_paper_is_light(self):
        page = self.plot(dark=True)
        page.cdp("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertEqual(page.js("return getComputedStyle(document.querySelector('.panel')).fill"), "rgb(255, 255, 255)")
        page.cdp("Emulation.setEmulatedMedia", media="")

    def test_ticks_and_labels(self):
        page = self.plot()
        texts = page.texts("text")
        for label in ("1 KiB", "32 KiB", "1 MiB", "32 MiB", "10 µs", "100 µs", "1 ms", "x1", "x9", "size, logarithmic", "total time, logarithmic"):
            self.assertIn(label, texts)
        boxes = page.js("return [...document.querySelectorAll('text')].map(e => { const r = e.getBoundingClientRect();"
                        "return [r.left, r.top, r.right, r.bottom] })")
        edge = page.js("const r = document.documentElement.getBoundingClientRect(); return [r.right, r.bottom]")
        for i, (left, top, right, bottom) in enumerate(boxes):
            self.assertTrue(left >= 0 and top >= 0 and right <= edge[0] and bottom <= edge[1], texts[i])
            for k in range(i):
                a = boxes[k]
                self.assertFalse(left < a[2] - 1 and a[0] < right - 1 and top < a[3] - 2 and a[1] < bottom - 2,
                                 f"{texts[i]} over {texts[k]}")
        self.assertEqual(page.js("return document.documentElement.getAttribute('role')"), "img")


if __name__ == "__main__":
    harness.main()
